// What the pass `names` works on: the declarations it builds, the prefixes each file has, and how a name that nothing
// declares is reported.
//
// The work is done in rounds over all files, since an item may be used above its declaration and from any file:
//
// clang-format off
//   declare      every item gets its place in its package's namespace              declare.cc
//   uses         every file gets its prefixes                                      uses.cc
//   signatures   fields, variants, bounds, parameters, results become types        signatures.cc, impls.cc, type_exprs.cc
//   boxing       which parts hold their own type and are kept outside              boxing.cc
//   bodies       what each name in a body denotes                                  bodies.cc, patterns.cc, unknown.cc
// clang-format on
//
// Paths (`a::b::c`) are walked segment by segment in paths.cc, for types and for values alike.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nikaia/pass.h>

#include "lang/compilation.h"
#include "lang/facts/names.h"

namespace nikaia::lang::naming {

// What a file may write before `::` because of a `use`.
struct Prefix {
  enum class Kind : std::uint8_t { module, package, foreign } kind = Kind::module;
  std::uint32_t index = 0;  // ModuleId, PackageId; of `foreign` nothing
  Span span;                // of the `use`
};

struct FileScope {
  PackageId package;
  std::unordered_map<Name, Prefix> prefixes;
};

// The type parameters and the `Self` of a place where types are written.
struct TypeScope {
  FileId file;
  std::vector<TypeParamId> params;  // the innermost last
  TypeId self_type;                 // invalid outside an `impl` and a `trait`
};

struct Program {
  explicit Program(PassContext& context);

  PassContext& context;
  const Compilation& source;
  Declarations& decls;
  Names& facts;
  Interner& names;
  TypeTable& types;
  Sink& sink;
  IdVector<FileId, FileScope> files;

  // The words of the language that are names of types without a declaration, by their text.
  std::unordered_map<Name, TypeId> basic_types;
  Name self_name, self_type_name, new_name, error_name, std_name;

  const ast::Tree& tree(FileId file) const { return source.trees[file]; }
  std::string_view text(Name name) const { return names.text(name); }
  // "`x`"
  std::string quoted(Name name) const;
  std::string type_text(TypeId type) const;

  Entity in_package(PackageId package, Name name) const;
  Entity in_prelude(Name name) const;
  Entity in_module(ModuleId module, Name name) const;
  ModuleId module_called(Name name) const;  // whether a `use` stands or not
  // "std::fs" of a module, the real name of a package.
  std::string module_path(ModuleId module) const;
  // The modules that have something of `kind` called `name`.
  std::vector<ModuleId> modules_with(Name name, Entity::Kind kind) const;

  // Whether a declaration of `package` may be written in `file`: its own package's, or `pub`.
  bool is_open(FileId file, PackageId package, bool is_pub) const {
    return is_pub || !package.valid() || package == files[file].package;
  }

  // What is known and not there yet; `what` names the construct or the library's row.
  void not_built(Span place, std::string_view what);
  // Refuses a name that no declaration may have (NK1128); says whether it did.
  bool refuse_reserved(const ast::Ident& ident);
};

// ---- the rounds --------------------------------------------------------------------------------

void declare_items(Program& program);
void read_uses(Program& program);
void read_signatures(Program& program);
// Type parameters and bounds of a declaration, added to `scope`.
std::vector<TypeParamId> declare_type_params(Program& program, ast::List<ast::TypeParam> params, TypeScope& scope);
// Refuses two of one name in one list (NK1148).
void refuse_doubles(Program& program, const std::vector<ast::Ident>& list);
void read_impls(Program& program);
// A function item's declaration: parameters, options, result. `owner` has what the surroundings say.
FnId declare_fn(Program& program, FileId file, ast::ItemId item, FnDecl owner, const TypeScope& outer);
void box_self_holding_parts(Declarations& decls, const TypeTable& types);
void resolve_bodies(Program& program);
void find_main(Program& program);

// ---- written types -----------------------------------------------------------------------------

// The type a type expression denotes, kept in the file's table; the error type where it denotes none, which is reported
// unless `is_quiet` (then the answer is invalid: a cast has a message of its own).
TypeId resolve_type(Program& program, const TypeScope& scope, ast::TypeExprId id, bool is_quiet = false);
// The trait of a bound or an `impl … for`; invalid where it denotes none, which is reported.
TraitId resolve_trait(Program& program, const TypeScope& scope, const ast::Path& path);

}  // namespace nikaia::lang::naming
