// What inference does not know yet: variables that stand for types, joined into classes by union-find.
//
// A type that holds a variable is an ordinary interned type with `TypeKind::infer` in it, so that a list whose
// elements are still open is `Vec[?3]` and everything joined to it later decides all of its uses at once. A variable
// is of one of three kinds: `open` takes any type; `number` (a class of 01 §7) takes an integer type, or `f64` while
// no name belongs to it; `text` (a `let mut` of a text literal) is a `ref String` until a use asks for text of its own.
//
// Variables belong to one function body: `clear` forgets them, and their numbers, and with them the interned types
// that hold them, are used again for the next body. Union by index with path halving; every operation is near constant.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/text/names.h"
#include "lang/text/span.h"
#include "lang/types/declarations.h"
#include "lang/types/types.h"

namespace nikaia::lang::typing {

enum class VarKind : std::uint8_t { open, number, text };

// Where a variable came from; says which code is raised when nothing ever decides it.
enum class Origin : std::uint8_t { none, list, null_value, type_argument, lambda_param };

// The greatest value a class is given (01 §7.5).
enum class Room : std::uint8_t { i32, i64, u64 };

struct Variable {
  std::uint32_t parent = 0;  // its own index: a root
  VarKind kind = VarKind::open;
  Origin origin = Origin::none;
  Room room = Room::i32;
  bool is_named = false;    // number: a name, or a position of one, belongs to the class
  bool index_asks = false;  // number: used as an index, which asks for `i64` where nothing else does
  TypeId bound;
  Span origin_span;
  Name name;  // of the first name that belongs to it
  Span name_span;
  Span ask_span;  // the use that decided `bound`
  FnId fn;        // type_argument: whose
  std::uint32_t fn_param = 0;
};

class Variables {
 public:
  Variables(TypeTable& types, const Declarations& decls) : types_(types), decls_(decls) {}

  void clear() { vars_.clear(); }
  std::uint32_t count() const { return static_cast<std::uint32_t>(vars_.size()); }

  TypeId make(VarKind kind, Origin origin, Span span);
  Variable& root(std::uint32_t index) { return vars_[find(index)]; }
  // The class of a type that is a variable by itself, decided or not; null for any other type.
  Variable* class_of(TypeId type);

  // `type` with a decided variable at its head replaced by what it was decided to be.
  TypeId shallow(TypeId type);
  // The same all the way down. A variable still open stays.
  TypeId resolve(TypeId type);
  // The same, when nothing more is to come: open number classes take their default, text is a view, what else is
  // open becomes the error type. A `ref` of a variable that turned out to copy is the value (03 §1.2).
  TypeId settle(TypeId type);

  bool has_infer(TypeId type) { return (flags(type) & flag_infer) != 0; }
  bool has_param(TypeId type) { return (flags(type) & flag_param) != 0; }
  bool copies(TypeId type);

  // Makes two types equal by deciding variables. On failure what was decided on the way stays decided. `at` is the use
  // that asks. A number class that was decided otherwise before is left in `conflict()`.
  bool unify(TypeId a, TypeId b, Span at);
  // Of the last failing `unify`: the class that two uses ask two number types of.
  Variable* conflict() { return conflict_ == none ? nullptr : &vars_[conflict_]; }
  TypeId conflict_type() const { return conflict_type_; }

  // Says that a name is bound to `type`: its number classes are those of a name from here on.
  void name_classes(TypeId type, Name name, Span span);

  // Everything open in `type` belongs to something refused: nothing is asked of it any more.
  void silence(TypeId type);

  TypeId default_of(const Variable& v) const;
  // Every number class nobody asked anything of takes its default.
  void decide_numbers();

 private:
  static constexpr std::uint32_t none = 0xffffffffu;
  static constexpr std::uint8_t flag_known = 1, flag_infer = 2, flag_param = 4, flag_copies_known = 8, flag_copies = 16;

  std::uint32_t find(std::uint32_t index);
  std::uint8_t flags(TypeId type);
  bool bind(std::uint32_t root, TypeId type, Span at);
  bool join(std::uint32_t a, std::uint32_t b);
  bool occurs(std::uint32_t root, TypeId type);
  void note_conflict(TypeId a, TypeId b);
  bool is_value_behind_view(TypeId target);
  bool is_view_of_open(const Type& t) const;
  bool is_seen_nothing(const Type& t) const;

  TypeTable& types_;
  const Declarations& decls_;
  std::vector<Variable> vars_;
  std::vector<std::uint8_t> flags_;  // by TypeId
  std::uint32_t conflict_ = none;
  TypeId conflict_type_;
};

}  // namespace nikaia::lang::typing
