// Types, interned: equal types have equal ids, so that passes compare them as integers.
//
// A type is a kind, a declaration (for named types), arguments, and for functions and sequences a few
// words. `TypeTable` owns them all for one compilation; it is not shared between threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/text/ids.h"
#include "lang/text/names.h"

namespace nikaia::lang {

struct Declarations;

using TypeId = Id<struct TypeTag>;
using TypeDeclId = Id<struct TypeDeclTag>;

enum class TypeKind : std::uint8_t {
  error,  // already refused; fits everything
  never,  // of a jump; fits everything
  unit,   // no value
  i32,
  i64,
  u8,
  u32,
  u64,
  f64,
  bool_,
  char_,
  string,
  named,      // decl, args: a struct, an enum, or a type of the library (Vec, HashMap, Bytes, …)
  array,      // args[0], length; length == unsized for `Array[T]`, whose `ref` is a run
  tuple,      // args
  ref,        // args[0], a view; is_mut where it is lent for change (never written by a program)
  nullable,   // args[0]
  function,   // args: parameters, then the result; is_sync, is_throws
  range,      // args[0]
  seq,        // args[0], words; decl where it has a declared name, which a program may write (`io::Lines`)
  error_sum,  // args: the error types that can arrive at a `catch`, sorted; is_open where `"?"` is one
  param,      // a type parameter: index is its TypeParamId
  infer,      // inference only: index is the variable. Never in a published fact.
};

// Words of a `Seq` (07 §4.4).
enum SeqWord : std::uint8_t {
  seq_sync = 1,
  seq_pauses = 2,
  seq_throws = 4,
  seq_ends = 8,
  seq_sized = 16,
  seq_replays = 32,
};

using TypeParamId = Id<struct TypeParamTag>;

struct Type {
  TypeKind kind = TypeKind::error;
  bool is_mut = false;
  bool is_sync = false;
  bool is_throws = false;
  bool is_open = false;
  std::uint8_t words = 0;
  TypeDeclId decl;
  std::uint32_t index = 0;
  std::uint64_t length = 0;
  std::vector<TypeId> args;

  static constexpr std::uint64_t unsized = ~std::uint64_t{0};
  friend bool operator==(const Type&, const Type&) = default;
};

class TypeTable {
 public:
  TypeTable();
  TypeTable(const TypeTable&) = delete;
  TypeTable& operator=(const TypeTable&) = delete;

  const Type& operator[](TypeId id) const { return types_[id]; }
  TypeKind kind(TypeId id) const { return types_[id].kind; }
  std::size_t size() const { return types_.size(); }

  TypeId intern(Type type);
  // The types without parts.
  TypeId basic(TypeKind kind) const { return basic_[static_cast<std::size_t>(kind)]; }
  TypeId named(TypeDeclId decl, std::vector<TypeId> args = {});
  TypeId array(TypeId element, std::uint64_t length);
  TypeId tuple(std::vector<TypeId> parts);
  TypeId ref(TypeId target, bool is_mut = false);
  TypeId nullable(TypeId inner);  // of a nullable: itself
  TypeId function(std::vector<TypeId> params, TypeId result, bool is_sync, bool is_throws);
  TypeId range(TypeId element);
  TypeId seq(TypeId element, std::uint8_t words, TypeDeclId name = {});
  TypeId error_sum(std::vector<TypeId> errors, bool is_open);
  TypeId param(TypeParamId id);
  TypeId infer(std::uint32_t variable);

  bool is_integer(TypeId id) const;
  bool is_number(TypeId id) const;  // an integer or f64
  bool is_text(TypeId id) const;    // String or ref String
  bool is_view(TypeId id) const { return kind(id) == TypeKind::ref; }
  // A sequence that is what a row makes of it: it has no name, and lends from what it walks.
  bool is_unnamed_seq(TypeId id) const { return kind(id) == TypeKind::seq && !types_[id].decl.valid(); }
  // The target of a `ref`, else the type itself.
  TypeId without_ref(TypeId id) const;

  // `id` with every type parameter replaced by `with(parameter)`; an invalid answer keeps it.
  template <class F>
  TypeId substitute(TypeId id, F&& with) {
    if (has_params_[id] == 0) return id;
    if (types_[id].kind == TypeKind::param) {
      const TypeId r = with(TypeParamId(types_[id].index));
      return r.valid() ? r : id;
    }
    std::vector<TypeId> args = types_[id].args;  // a copy: interning moves the table
    bool changed = false;
    for (TypeId& a : args) {
      const TypeId r = substitute(a, with);
      changed |= r != a;
      a = r;
    }
    if (!changed) return id;
    if (types_[id].kind == TypeKind::nullable) return nullable(args[0]);
    Type out = types_[id];
    out.args = std::move(args);
    return intern(std::move(out));
  }

 private:
  IdVector<TypeId, Type> types_;
  IdVector<TypeId, std::uint8_t> has_params_;  // whether a type parameter stands in it
  std::vector<TypeId> basic_;
  std::unordered_multimap<std::size_t, TypeId> by_hash_;
};

// How handing a value on works (03 §1.2).
enum class Handing : std::uint8_t { copies, handle, sequence, moves };

Handing handing_of(const TypeTable& types, const Declarations& decls, TypeId type);
inline bool copies(const TypeTable& types, const Declarations& decls, TypeId type) {
  return handing_of(types, decls, type) == Handing::copies;
}
// Whether a value of `type` is or holds a view.
bool holds_view(const TypeTable& types, const Declarations& decls, TypeId type);
// Whether `==` exists (NK1188), `<` exists (NK1913), `sort` has an order (NK1931), it may be a key (NK1937).
bool compares(const TypeTable& types, const Declarations& decls, TypeId type);
bool orders(const TypeTable& types, const Declarations& decls, TypeId type);
bool sorts(const TypeTable& types, const Declarations& decls, TypeId type);
bool may_be_key(const TypeTable& types, const Declarations& decls, TypeId type);

// As a program spells it: `Vec[i64]`, `ref String`, `collections::HashMap[String, i64]`, `fn(i64) -> bool`.
std::string type_text(const TypeTable& types, const Declarations& decls, const Interner& names, TypeId type);

}  // namespace nikaia::lang
