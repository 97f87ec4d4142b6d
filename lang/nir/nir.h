// NIR: the typed, structured, three-address form that analyses of ownership read and emission writes from.
//
// A module holds functions; a function holds locals, and regions of instructions in vectors. Control flow is
// structured: `if`, `switch`, `loop`, labelled blocks left forward by `leave`. An operand is a constant or a
// place; a place is a local and projections. What the language does behind the reader's back is an
// instruction: copies, moves, duplications and loans (the operand says which), drops, cleanups,
// failure edges (`on_fail`), checks (`checked` operators, checked index projections). Types are the
// compilation's `TypeId`s; `ref T` is a pointer, with `is_mut` where it is lent for change.
//
// The text form is in text.h, the verifier in verify.h, the flow graph in flow.h.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lang/facts/facts.h"
#include "lang/nir/thin_list.h"
#include "lang/syntax/ast.h"
#include "lang/text/ids.h"
#include "lang/text/names.h"
#include "lang/text/span.h"
#include "lang/types/declarations.h"
#include "lang/types/types.h"

namespace nikaia::lang::nir {

using FunctionId = Id<struct NirFunctionTag>;
using LocalId = Id<struct NirLocalTag>;    // dense per function
using RegionId = Id<struct NirRegionTag>;  // dense per function
using InstrId = Id<struct NirInstrTag>;    // dense per function
using LabelId = Id<struct NirLabelTag>;    // dense per function

enum class LocalKind : std::uint8_t { param, named, temp, capture, error };

struct Local {
  Name name;  // invalid for a temporary
  TypeId type;
  LocalKind kind = LocalKind::temp;
  Span span;
  bool is_mut = false;
};

// ---- places and operands -----------------------------------------------------------------------

enum class ProjectionKind : std::uint8_t {
  field,    // index: of a struct
  part,     // index: of a tuple
  payload,  // variant, index: what a variant carries; the variant is known to be there
  some,     // the value of a nullable that is known not to be null
  deref,    // through a `ref`
  inside,   // through a `Shared`
  index,    // operand local `at`, checked against the length
};

struct Projection {
  ProjectionKind kind = ProjectionKind::field;
  std::uint32_t index = 0;
  std::uint32_t variant = 0;
  LocalId at;
  TypeId type;  // of the place up to and with this projection
};

struct Place {
  LocalId root;
  Span span = {};  // the expression it was written as; none where the program does not write it
  ThinList<Projection> path = {};
  bool is_local() const { return path.empty(); }
};

// clang-format off
struct ConstInt { std::uint64_t bits; };  // of the operand's type, sign-extended
struct ConstFloat { double value; };
struct ConstBool { bool value; };
struct ConstChar { char32_t value; };
struct ConstText { Name text; };          // a view of text in the program; any text has a name
struct ConstNull {};
struct ConstUnit {};
struct ConstFn { FnId fn; ThinList<TypeId> type_args; };  // a declared function as a value
// clang-format on
using Constant = std::variant<ConstUnit, ConstInt, ConstFloat, ConstBool, ConstChar, ConstText, ConstNull, ConstFn>;

enum class OperandKind : std::uint8_t {
  constant,
  copy,      // of a type that copies
  move,      // the place is gone afterwards
  dup,       // of a handle: one owner more
  lend,      // a view of the place for this instruction (or, in a Lend, for as long as it is used); type is `ref`
  lend_mut,  // the same, for change
};

struct Operand {
  OperandKind kind = OperandKind::constant;
  TypeId type;
  Place place;
  Constant constant;
};

// ---- values ------------------------------------------------------------------------------------

enum class BinaryOp : std::uint8_t {
  add,
  sub,
  mul,
  div,
  rem,
  shl,
  shr,  // checked on integers
  bit_and,
  bit_or,
  bit_xor,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,      // any type that compares; operands of == are lent places
  concat,  // text + text
};
enum class UnaryOp : std::uint8_t { negate, not_, bit_not };

// clang-format off
struct Use { Operand value; };
struct Binary { BinaryOp op; Operand left, right; };
struct Unary { UnaryOp op; Operand value; };
struct Cast { Operand value; TypeId to; };              // checked
struct Wrap { Operand value; };                         // T to T?
struct IsNull { Place place; };                         // bool
struct VariantOf { Place place; };                      // which variant: an i32
struct MakeStruct { TypeId type; std::vector<Operand> fields; };
struct MakeVariant { TypeId type; std::uint32_t variant; std::vector<Operand> parts; };
struct MakeTuple { std::vector<Operand> parts; };
struct MakeList { TypeId type; std::vector<Operand> elements; };  // Vec or Array
struct MakeRange { Operand low, high; bool is_inclusive; };
struct ToText { Operand text; };                        // an owned String of a view: shares its buffer, or a literal's
struct MapRead { Place map; Operand key; };             // V? copied out, or a `ref V?`
struct Slice { Place subject; Operand range; };         // text, list, bytes by a range; checked; a view
enum class CaptureMode : std::uint8_t { lend, lend_mut, copy, move, dup };
struct Capture { CaptureMode mode; Place place; LocalId inner; };  // inner: the local in the closure's function
struct MakeClosure { FunctionId function; std::vector<Capture> captures; bool is_kept = false; };
struct FormatPiece { std::string text; Operand value; bool is_hole = false; ast::FormatSpec spec; };
struct Format { std::vector<FormatPiece> pieces; };     // a String
struct ErrorIs { Place error; TypeId type; };           // bool: whether the failure's value is of that type
struct ErrorAs { Place error; TypeId type; };           // `ref type`: the failure's value, known to be of it
// What every value of its kind has without a row: a copy of its data, the text of an error, short or long.
enum class MemberKind : std::uint8_t { clone, error_message, error_full };
// clang-format on
inline constexpr std::pair<MemberKind, const char*> member_names[] = {
    {MemberKind::clone, "clone"}, {MemberKind::error_message, "error_message"}, {MemberKind::error_full, "error_full"}};
struct Member {
  MemberKind kind = MemberKind::clone;
  Place of;
  TypeId type;
};  // type: of the result
struct MakeFailure {
  Operand value;
  std::uint32_t site;
};  // site: index into Module::sites

using Value =
    std::variant<Use, Binary, Unary, Cast, Wrap, IsNull, VariantOf, MakeStruct, MakeVariant, MakeTuple, MakeList,
                 MakeRange, ToText, MapRead, Slice, MakeClosure, Format, ErrorIs, ErrorAs, Member, MakeFailure>;

// ---- instructions ------------------------------------------------------------------------------

// Entered when a call fails: `error` holds the failure; the region drops what dies and ends in Fail or Raise.
struct FailEdge {
  LocalId error;
  RegionId region;
  bool valid() const { return region.valid(); }
};

// clang-format off
struct Declare { LocalId local; };                 // a binding comes into being, each turn anew
struct Assign { Place to; Value value; };          // the old value of `to` has been dropped or was never there
struct Store { Place to; Operand value; };         // `x = v`: the old value dies, then the new one is stored
struct MapWrite { Place map; Operand key, value; };
// clang-format on
struct Call {
  LocalId to;    // invalid where nothing is handed back or wanted
  FnId fn;       // a function of the program or a row of the library
  Place callee;  // else a function value, when fn is invalid
  std::vector<TypeId> type_args;
  std::vector<Operand> args;  // receiver first, options last, defaults written out
  TypeId result;
  bool may_pause = false;
  FailEdge on_fail;  // valid exactly where the call can fail
};
// clang-format off
struct Drop { std::vector<LocalId> locals; };  // their values die, one after the other, where they are still there
// The cleanups of the local's value and of what it holds, if it is still there. One that fails joins `error`,
// an error_sum that is empty at first; whoever ends the scope asks it with IsNull.
struct Cleanup { LocalId local; bool may_pause = false; LocalId error; };
struct If { Operand cond; RegionId then_region, else_region; };  // else may be invalid
struct SwitchCase { std::vector<std::int64_t> values; RegionId region; };
struct Switch { Operand on; std::vector<SwitchCase> cases; RegionId otherwise; };  // otherwise invalid: all cases named
struct Loop { LabelId label; RegionId body; };     // repeats until left; Again goes to its head
struct Block { LabelId label; RegionId body; };    // left forward by Leave
struct Scope { RegionId body; };                   // temporaries of one statement
struct Leave { LabelId label; };                   // out of a Block or a Loop
struct Again { LabelId label; };
struct Guard { LabelId label; RegionId body; LocalId error; RegionId handler; };  // `catch`
struct Raise { LabelId label; Operand error; };    // to a Guard's handler
struct Return { Operand value; bool has_value; };
struct Fail { Operand error; };                    // the function fails
// clang-format on
struct Overlap {
  LocalId to;      // tuple of results; invalid where nothing is wanted
  LocalId winner;  // valid: a race, which `select` is. The position of the branch that ended first; the others are
                   // cancelled, their parts of `to` stay empty
  bool is_pair = false;  // two reads the compiler joined: in written order where the backend has no completions
  std::vector<MakeClosure> branches;
  std::vector<std::uint8_t> branch_fails;
  FailEdge on_fail;
};
struct Spawn {
  LocalId to;
  MakeClosure task;
  bool can_fail = false;
  std::uint32_t line = 0;
};
struct Walk {                     // for: the elements are declared anew each turn
  LabelId label;                  // Leave and Again
  Operand subject;                // a range, a sequence (moved), a lent list, map, set or run
  std::vector<LocalId> elements;  // one; of a map two, key and value
  RegionId body;
  bool step_fails = false, step_pauses = false;
  FailEdge on_fail;
};
struct Panic {
  Operand text;
};
struct Unreachable {};

using Node = std::variant<Declare, Assign, Store, MapWrite, Call, Drop, Cleanup, If, Switch, Loop, Block, Scope, Leave,
                          Again, Guard, Raise, Return, Fail, Overlap, Spawn, Walk, Panic, Unreachable>;

struct Instr {
  Node node;
  Span span;  // the source it was written for

  Instr() = default;
  Instr(Node&& what, Span where) : node(std::move(what)), span(where) {}  // made in place: a node is large
};

enum class FunctionKind : std::uint8_t { fn, closure };

struct Function {
  FunctionKind kind = FunctionKind::fn;
  std::string name;  // unique in the module: "Parcel::is_heavy", "main", "main{closure 2}"
  FnId source;       // fn: the declaration
  FileId file;
  Span span;
  std::vector<TypeParamId> type_params;
  std::vector<TypeId> type_args;  // after instantiation
  std::vector<LocalId> params;    // receiver first, options last
  TypeId result;
  bool can_fail = false;
  bool may_pause = false;
  FunctionId parent;   // closure: the function it is written in
  FunctionId made_of;  // after instantiation: the function of generic NIR
  IdVector<LocalId, Local> locals;
  IdVector<RegionId, std::vector<InstrId>> regions;
  IdVector<InstrId, Instr> instrs;
  std::uint32_t label_count = 0;
  RegionId body;
};

// Where a `throw` stands (04 §1.10).
struct Site {
  Span span;
  std::string function;
  std::string code;  // NK-7QF
};

struct Module {
  IdVector<FunctionId, Function> functions;
  std::vector<Site> sites;
  FunctionId main;
};

}  // namespace nikaia::lang::nir

namespace nikaia::lang {
inline constexpr FactKey<nir::Module> nir_fact{"nir@1"};
inline constexpr FactKey<nir::Module> mono_fact{"mono@1"};  // without type parameters
}  // namespace nikaia::lang
