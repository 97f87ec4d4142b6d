// What a program and the library declare, in one table: types, functions, traits, packages.
//
// The pass `names` fills it from the trees and from the library's ledger (`std.contracts`); a library
// function and a function of the program are the same kind of entry, so that one rule checks every call.
// Entries are never removed; ids are dense.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/syntax/ast.h"
#include "lang/text/names.h"
#include "lang/text/span.h"
#include "lang/types/types.h"

namespace nikaia::lang {

using PackageId = Id<struct PackageTag>;
using FnId = Id<struct FnTag>;
using TraitId = Id<struct TraitTag>;
using ImplId = Id<struct ImplTag>;
using ComptimeId = Id<struct ComptimeTag>;
using ModuleId = Id<struct ModuleTag>;  // a module of `std`

// A node of some file's tree.
template <class NodeId>
struct At {
  FileId file;
  NodeId node;
  bool valid() const { return node.valid(); }
};

struct TypeParamDecl {
  Name name;
  Span span;
  std::vector<TraitId> bounds;
};

struct FieldInfo {
  Name name;
  TypeId type;
  Span span;
  bool is_pub = false;
  bool is_boxed = false;  // holds its own type inline, so it is kept outside (02 §3.2)
};

struct VariantInfo {
  Name name;
  ast::VariantKind kind = ast::VariantKind::unit;
  std::vector<FieldInfo> parts;  // positional parts have no names
  Span span;
};

// `struct_` and `enum_` are the program's, and those of the library whose fields or variants a program names
// (`process::Output`, `io::IoError`); `library` is a type of the library that shows nothing but its rows.
enum class TypeDeclKind : std::uint8_t { struct_, enum_, library };

// What the compiler knows about a library type beyond its rows (07 §20).
struct LibraryTypeFacts {
  Handing handing = Handing::moves;
  bool compares = false, orders = false, sorts = false, key = false;  // of the type itself ...
  bool by_args = false;                                               // ... or where all its arguments do
  bool reads_as_argument = false;                                     // `Seen[T]`: handed on as its argument is
  bool has_cleanup = false;
  bool is_single = false;  // what it holds is held once: there is no second one
};

struct TypeDecl {
  TypeDeclKind kind = TypeDeclKind::struct_;
  Name name;
  PackageId package;  // invalid for the library
  ModuleId module;    // of the library; invalid for the prelude
  At<ast::ItemId> item;
  Span span;
  bool is_pub = false;
  std::vector<TypeParamId> params;
  std::vector<FieldInfo> fields;      // struct
  std::vector<VariantInfo> variants;  // enum
  LibraryTypeFacts library;
  TypeId sequence;                         // of the library: what the name stands for (`io::Lines`), if a sequence
  FnId constructor;                        // the anonymous one, or the library's `Vec()`
  std::unordered_map<Name, FnId> methods;  // own methods and associated functions
  std::vector<ImplId> impls;
  FnId drop, cleanup;         // of `impl Drop`, `impl Cleanup`
  FnId error_message;         // of `impl Error`: the type is an error
  bool is_error = false;      // of the program or the library
  bool is_not_built = false;  // of the library: known, and refused with NK1900 where it is named

  // Of a library type the facts in `library` answer what its parts would otherwise.
  bool is_of_library() const { return !package.valid(); }
};

struct ParamInfo {
  Name name;    // invalid for `_`
  TypeId type;  // invalid in a library row for `?`: more than one type is taken, the row's rule says which
  Span span;
  bool is_mut = false;
  bool is_kept = false;      // library rows; of the program's functions the contracts fact says it
  bool is_detached = false;  // library rows: a lambda that is stored or run later
};

struct OptionInfo {
  Name name;
  TypeId type;
  Span span;
  At<ast::ExprId> fallback;   // of a program's function
  std::string fallback_text;  // of a library row, a literal or variant
};

struct FnDecl {
  Name name;
  PackageId package;  // invalid for the library
  ModuleId module;
  At<ast::ItemId> item;  // invalid for the library
  Span span;
  bool is_pub = false;
  TypeDeclId owner;  // of a method, associated function or constructor
  TraitId trait;     // of a trait's signature, or of a method in `impl Trait for`
  ImplId impl;
  bool is_constructor = false;
  bool is_signature = false;             // a trait's
  std::vector<TypeParamId> type_params;  // those of the impl header first, then its own
  ast::Receiver receiver = ast::Receiver::none;
  TypeId self_type;  // the receiver's type without `ref`
  std::vector<ParamInfo> params;
  std::vector<OptionInfo> options;
  TypeId result;  // unit where none is declared
  bool says_sync = false;
  std::vector<std::uint32_t> sync_params;  // of `sync(f)`: positions in `params`
  bool says_throws = false;

  // Library rows (07 §1.3); the program's functions are described by the effects fact.
  std::string key;  // "Vec.push", "fs::read"; empty for the program's
  bool may_pause = false;
  std::vector<TypeId> throws;  // the error types
  std::vector<std::string> touches;
  bool touches_all = false;
  bool takes_lock = false;
  bool lambda_decides = false;    // λ
  bool is_not_built = false;      // known, and refused with NK1900 where it is used
  bool throws_open = false;       // `throws` holds `"?"`
  bool ends_by_length = false;    // the result has `ends` only where every sequence handed in is `sized` too
  std::vector<TypeKind> only_on;  // of a row of `int`: the types it exists for; empty: all five
  // What a view in the result points into: positions in `params`, or `from_receiver`. In a library row where
  // `ref(x)` or `returns` says so; empty otherwise, and for the program's functions.
  std::vector<std::uint32_t> result_from;
  static constexpr std::uint32_t from_receiver = 0xffffffffu;
};

struct TraitDecl {
  Name name;
  PackageId package;
  At<ast::ItemId> item;
  Span span;
  bool is_pub = false;
  // Stands for the implementing type in the signatures: each signature's `type_params` begin with it, and its
  // `self_type` is it.
  TypeParamId self_param;
  std::unordered_map<Name, FnId> methods;
  bool is_not_built = false;  // known, and refused with NK1900 where it is named
  enum class Known : std::uint8_t { no, error, drop, cleanup, generator, struct_, enum_, render } known = Known::no;
};

struct ImplDecl {
  At<ast::ItemId> item;
  PackageId package;
  TraitId trait;  // invalid: an own `impl`
  TypeId type;    // the implementing type, its header's parameters in it
  std::vector<TypeParamId> params;
  std::unordered_map<Name, FnId> methods;
};

struct ComptimeDecl {
  Name name;
  PackageId package;
  At<ast::ItemId> item;
  Span span;
  bool is_pub = false;
};

// What one name of a package's one namespace denotes.
struct Entity {
  enum class Kind : std::uint8_t { none, type, fn, trait, comptime, grammar } kind = Kind::none;
  std::uint32_t index = 0;
};

struct Package {
  Name name;
  std::string root;  // its folder, as shown to the user
  std::vector<FileId> files;
  std::unordered_map<Name, PackageId> dependencies;  // by the manifest's key
  std::unordered_map<Name, Entity> names;
  bool is_program = false;  // the one with `main`
};

struct Module {
  Name name;
  std::unordered_map<Name, Entity> names;
};

// What was found out about types (types.cc), so that it is found out once. Asked when every type is declared.
struct PropertyAnswers {
  // A declaration, the property asked for, and its answers for the declaration's parameters.
  struct Looked {
    TypeDeclId decl;
    std::uint8_t property = 0;
    std::vector<bool> args;
    friend bool operator==(const Looked&, const Looked&) = default;
  };
  struct Hash {
    std::size_t operator()(const Looked& key) const {
      return std::hash<std::vector<bool>>()(key.args) * 31 + (std::size_t{key.decl.index} << 3 | key.property);
    }
  };
  std::unordered_map<Looked, bool, Hash> looked;
  std::vector<std::uint16_t> by_type;  // two bits a property: whether it is known, whether it holds
};

struct Declarations {
  IdVector<PackageId, Package> packages;
  IdVector<ModuleId, Module> modules;
  std::unordered_map<Name, ModuleId> module_by_name;
  std::unordered_map<Name, Entity> prelude;
  IdVector<TypeDeclId, TypeDecl> types;
  IdVector<FnId, FnDecl> fns;
  IdVector<TraitId, TraitDecl> traits;
  IdVector<ImplId, ImplDecl> impls;
  IdVector<ComptimeId, ComptimeDecl> comptimes;
  IdVector<TypeParamId, TypeParamDecl> type_params;
  FnId main;

  // Methods of kinds that are no declaration: "int" (every integer), "f64", "bool", "char", "String",
  // "Array", "Seq" (a range has these too); by kind and name. The constructor `String()` is "String", `new`.
  // A row of "int" has one type parameter, the receiver's type; one of "Array" and "Seq" begins with the element type.
  std::unordered_map<std::string, std::unordered_map<Name, FnId>> builtin_methods;

  // Library types the compiler itself speaks of.
  TypeDeclId vec, hash_map, hash_set, btree_map, btree_set, entry, bytes, shared, shared_mut, locked, task_handle, path,
      root, io_error, duration, parse_error, overtaken, seen, symbol, fixed, mapped, writer, file, par, scope;

  mutable PropertyAnswers answers;
};

}  // namespace nikaia::lang
