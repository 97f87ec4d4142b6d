// What emission knows of a program while it writes it: names in C++, types in C++, and the functions' bodies.
//
// One .cc per source file holds the functions written in it, behind the types and prototypes that they mention. Names
// are kept where C++ and the program leave them free; otherwise an underscore, or a number, is added. Each statement
// stands on a line of its own under a `#line` that names its source.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nikaia/pass.h>

#include "lang/compilation.h"
#include "lang/facts/effects.h"
#include "lang/nir/instances.h"
#include "lang/nir/view_facts.h"
#include "passes/emit_cpp/first_read.h"

namespace nikaia::lang::emit_cpp {

// Where a type stands decides how a view is kept: counted where it is stored, uncounted where it only passes.
enum class Position : std::uint8_t {
  passing,  // parameters, elements of a walk, and what `view_states` says is borrowed
  stored,   // all else: elements of lists, type arguments, captures of what is kept, other locals, results and fields
};

// What a text mentions of the program, and so a file with that text must declare in front of it.
struct Mentions {
  std::set<std::uint32_t> types;                 // by TypeDeclId
  std::set<std::uint32_t> functions;             // by nir::FunctionId
  std::map<std::uint32_t, std::uint32_t> sites;  // where something fails: its position in the file's table
};

// A type as a file that mentions it has it.
struct TypeText {
  std::string forward, definition;
  std::string spare;                // in the runtime's namespace, before any type is whole
  std::string outside;              // behind the package's namespace
  std::vector<TypeDeclId> inlines;  // what must be whole before it
  Mentions mentions;
};

struct FunctionText {
  std::string prototype;
  Mentions mentions;
};

struct Emission {
  PassContext& context;
  const Compilation& compilation;
  const Declarations& decls;
  const nir::Module& module;
  const nir::ViewStates& view_states;
  TypeTable& types;
  Mentions* mentions = nullptr;  // of the text that is being written; see Mentioning

  // ---- names (names.cc)
  std::set<std::string, std::less<>> taken;                       // of the packages: types, functions, namespaces
  std::unordered_map<std::uint32_t, std::string> type_names;      // by TypeDeclId
  std::unordered_map<std::uint64_t, std::string> variant_names;   // payload structs, by TypeDeclId and position
  std::unordered_map<std::uint32_t, std::string> function_names;  // by nir::FunctionId
  nir::Instances instances;
  std::unordered_map<std::string, std::string> rows;  // library key to C++ function

  std::unordered_map<std::uint32_t, PackageId> homes;  // by nir::FunctionId

  void name_everything();
  // The package whose files hold a function: its own, or for an instance over another package's types the program.
  PackageId home(nir::FunctionId f) const { return homes.at(f.index); }
  bool mentions_other_package(TypeId t, PackageId own) const;
  std::string unique(std::string wanted);
  std::string field_name(const FieldInfo& field, std::size_t position) const;
  std::string variant_member(const VariantInfo& variant) const;  // as a member of its enum
  std::string namespace_of(PackageId package) const;
  std::string row_name(const FnDecl& fn) const;

  // ---- what a file declares (declarations.cc)
  std::unordered_map<std::uint32_t, TypeText> type_texts;          // by TypeDeclId
  std::unordered_map<std::uint32_t, FunctionText> function_texts;  // by nir::FunctionId
  // The names within the package's namespace, noted as mentioned.
  std::string type_name(TypeDeclId decl) const;
  std::string function_name(nir::FunctionId f) const;
  // Of module.sites: the position in the table of the file that is being written.
  std::uint32_t site_position(std::uint32_t site) const;
  bool is_defined(TypeDeclId id) const;  // by the program, and not by the runtime
  void close(Mentions& wanted);
  void define(TypeDeclId id, PackageId package, std::set<std::uint32_t>& left, std::string& out);
  const FunctionText& function_text(nir::FunctionId f);
  // All that a file of `own` with these mentions has in front of its functions; leaves the namespace open.
  std::string declarations(PackageId own, Mentions wanted);

  // ---- definitions (definitions.cc)
  const TypeText& type_text(TypeDeclId id);

  // ---- types (types.cc)
  std::string type(TypeId t, Position position) const;
  std::string function_signature(const Type& t) const;
  std::string result_type(TypeId result, bool can_fail, Position position = Position::stored) const;
  std::string result_of(nir::FunctionId id) const;
  bool is_plain_enum(TypeDeclId decl) const;  // an `enum class`
  bool has_life(TypeDeclId decl) const;       // it has a `Drop` or a `Cleanup` of its own
  bool cleans(TypeId t) const;                // a cleanup runs where a value of it dies
  bool runs_code(TypeId t) const;             // a cleanup or a `Drop` does
  std::string ending_member(TypeDeclId id) const;
  void life_members(std::string& out, TypeDeclId id) const;
  std::string ending_body(TypeDeclId id, const std::string& name, bool is_old) const;
  std::string life_overload(nir::FunctionId id) const;
  std::string life_functions(PackageId package, FileId file) const;
  bool can_clone(TypeId t) const;
  bool is_generic(TypeDeclId decl) const { return !decls.types[decl].params.empty(); }
  std::set<std::uint32_t> debugged;  // TypeDeclIds whose `:?` form is asked for
  void find_debugged();
  void mark_debugged(TypeId t);
  std::set<std::uint32_t> hashed;  // TypeDeclIds that are keys, or part of one
  void find_hashed();
  void mark_hashed(TypeId t);

  // ---- what functions read first (first_read.cc)
  std::unordered_map<std::uint32_t, std::optional<FirstRead>> first_reads;  // by nir::FunctionId
  // Null where the function begins with anything but a read, or pauses a second time.
  const FirstRead* first_read(nir::FunctionId f);

  // ---- functions (code.cc)
  std::string signature(nir::FunctionId f) const;
  std::string parameter_type(const nir::Local& local) const;
  std::string body(nir::FunctionId f);
  std::string quoted(std::string_view text) const;  // "…" with C++ escapes
};

// Notes what is mentioned while it lives.
class Mentioning {
 public:
  Mentioning(Emission& e, Mentions& into) : e_(e), before_(std::exchange(e.mentions, &into)) {}
  Mentioning(const Mentioning&) = delete;
  Mentioning& operator=(const Mentioning&) = delete;
  ~Mentioning() { e_.mentions = before_; }

 private:
  Emission& e_;
  Mentions* before_;
};

bool is_cpp_word(std::string_view name);

}  // namespace nikaia::lang::emit_cpp
