// The state of type checking: one `Checker` per compilation, refilled for every file and every body.
//
// Checking is one walk of each body, top down with what a place wants and bottom up with what an expression is
// ("bidirectional"): `infer` gives the type an expression has by itself, `check` does the same for an expression in a
// place of known type and records the step between the two. What is not known yet is a variable (infer.h), decided by
// whichever use meets it first. When the walk of a body ends, number classes take their defaults, constants are folded,
// and the checks that need finished types (comparison, order, text forms, keys, bounds) run from a list; then every
// type that held a variable is written out. A body is walked once and each node touched a constant number of times.
//
// A refused expression has the error type, which fits everywhere, so that one cause gives one message.
//
// The rules stand in files by theme, as free functions over the `Checker`:
//   infer         variables and unification            convert       what fits a place; agreement of branches
//   body          a function from signature to facts   statements    let, assignment, loops, blocks
//   expressions   literals, control flow               operators     the operator table, casts, `??`
//   calls         arguments, options, generic calls    methods       members and how they are found
//   lambdas       lambdas, tasks, overlaps             data          struct literals, `with`, lists, indexes
//   match         patterns and arms                    numbers       folding and the number rule
//   deferred      checks of finished types             rows          library rows that take more than one type
//   published     `String` places another package sees
//   impls         declarations: impls against traits, written types
//   report        wording of messages
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nikaia/pass.h>

#include "lang/compilation.h"
#include "lang/diag/diagnostic.h"
#include "lang/facts/typed.h"
#include "passes/types/infer.h"
#include "passes/types/published.h"

namespace nikaia::lang::typing {

using ast::BlockId;
using ast::ExprId;
using ast::PatternId;
using ast::StmtId;

// The entry of a table kept by position in a pool of the tree; none where names had to leave it out.
template <class T>
T entry(const std::vector<T>& table, std::size_t position) {
  return position < table.size() ? table[position] : T();
}

// What an integer literal or a folded expression comes to.
__extension__ using Wide = __int128;

// A place a value goes into, for the message where it does not fit.
struct Slot {
  enum class Kind : std::uint8_t { argument, let, result, assign, field, branch, handler, element, silent };
  Kind kind = Kind::silent;
  std::string_view owner{};             // callee, struct, function
  std::string_view name{};              // parameter, field, binding
  Span declared{};                      // of the parameter, field, result or binding
  FnId fn{};                            // argument: the callee, for the note
  ExprId place{};                       // assign: the target
  Span head{};                          // field: the shorthand, which is no expression of its own
  Id<struct PublishedTag> published{};  // field, argument, result of a `pub` declaration: which (published.h)
  std::uint32_t published_part = 0;     // its field or parameter
};

struct Expect {
  TypeId type{};               // invalid: nothing is known
  const Slot* slot = nullptr;  // set: branches are held to `type` one by one
  bool is_used = true;         // whether anybody wants the value
};

// A function or a lambda whose body is being walked.
struct Frame {
  TypeId result;  // invalid: no result is wanted
  Slot slot;
  Name name;
  bool is_lambda = false;
  bool returned = false;
  std::vector<bool> loops;  // one per loop around: whether a `break` leaves it
};

// A check of a finished type, run when the body's variables are settled.
struct Deferred {
  enum class Kind : std::uint8_t {
    compares,
    orders,
    text,
    sorts,
    adds,
    key,
    ordered_key,
    bound,
    joinable,
    second,
    second_in_lock,
    exists_on,
    capacity,
    walked_assigned,  // it itself is none
    walked_value,     // nothing in it, or it itself where branches give it, is a sequence without a name
  };
  Kind kind;
  ExprId expr;  // of the value asked about
  TypeId type;
  Span span;
  std::uint32_t extra =
      0;    // text: position in the pool of FPiece, or none; bound: the type parameter; orders: operator
  FnId fn;  // bound: the callee
};

// One number that folds. Numbers of a body live in a pool; `Checker::fold_of` points into it.
struct Folded {
  Wide value = 0;
  ExprId expr;
  bool is_known = true;
  bool is_literal_only = false;
  bool is_consumed = false;  // part of a larger literal-only expression, which counts as one value
  bool is_beside = false;    // beside a name, whose type it takes without widening it
};

// What a body's numbers went through, in the order of the walk, parts before wholes.
struct NumberStep {
  enum class Kind : std::uint8_t { literal, paren, negate, binary, path, let, operands };
  Kind kind;
  ExprId expr;   // operands: the left one
  ExprId other;  // operands: the right one
  LocalId local;
};

class Checker {
 public:
  Checker(PassContext& context, Types& facts);

  PassContext& context;
  const Compilation& compilation;
  const Declarations& decls;
  const Names& all_names;
  Types& facts;
  TypeTable& types;
  Interner& names;
  Sink& sink;
  Variables vars;
  PublishedTexts published;

  // Of the file at hand.
  const ast::Tree* tree = nullptr;
  const TreeNames* resolved = nullptr;
  TreeTypes* out = nullptr;

  // Of the body at hand.
  Frame* frame = nullptr;
  FnId fn;
  std::vector<ExprId> open_exprs, open_wanted, open_lambdas;
  std::vector<LocalId> open_locals;
  std::vector<PatternId> open_patterns;
  std::vector<Deferred> deferred;
  std::vector<NumberStep> number_steps;
  std::vector<Folded> folds;
  IdVector<ExprId, std::uint32_t> fold_of;  // position in `folds` or none
  IdVector<LocalId, std::uint32_t> local_fold;
  std::vector<std::pair<ExprId, TypeId>> text_sites;  // texts put into a class that may become a `String`
  std::uint32_t first_call = 0;
  std::vector<TypeId> refused_keys;  // said already; of the file

  // Basic types, for reading ease.
  TypeId error, never, unit, i32, i64, u8, u32, u64, f64, bool_, char_, string, text_view;

  const ast::Expr& node(ExprId e) const { return tree->exprs[e]; }
  Span span(ExprId e) const { return tree->exprs[e].span; }
  template <class T>
  const T* as(ExprId e) const {
    return std::get_if<T>(&tree->exprs[e].node);
  }
  template <class T>
  std::span<const T> list(ast::List<T> l) const {
    return tree->list(l);
  }
  std::string_view text(Name name) const { return names.text(name); }

  TypeId shallow(TypeId t) { return vars.shallow(t); }
  TypeKind kind(TypeId t) { return types.kind(vars.shallow(t)); }
  bool is_error(TypeId t) { return kind(t) == TypeKind::error; }
  // The declaration of a named type, else an invalid id.
  TypeDeclId decl_of(TypeId t);
  bool is_named(TypeId t, TypeDeclId d) { return d.valid() && decl_of(t) == d; }
  TypeId argument_of(TypeId t, std::size_t i) { return types[vars.shallow(t)].args[i]; }
  // `t` seen through `ref`, `Shared` and `Seen` (07 §1.4).
  TypeId seen_through(TypeId t);
  // The value an operand of type `t` is used as: a view of what copies is the value, `Seen[T]` is a `T`.
  TypeId as_value(TypeId t);
  // A view of a `t` that stays where it is: `t` itself where it copies (03 §1.2).
  TypeId view_of(TypeId t);
  // What reading a place of type `t` without keeping it gives: a copy, a handle, or a view.
  TypeId lent(TypeId t);
  TypeId nullable_of(TypeId t);

  void set_type(ExprId e, TypeId t);
  void set_wanted(ExprId e, TypeId t);
  void set_local(LocalId l, TypeId t);
  void set_pattern(PatternId p, TypeId t);
  TypeId type_of(ExprId e) const { return out->exprs[e]; }
  TypeId open(Origin origin, Span at) { return vars.make(VarKind::open, origin, at); }

  // Impls of a trait by the head of the type they are for, so that a bound is answered without a search.
  std::span<const ImplId> impls_for(TypeId type) const;

  static constexpr std::uint32_t no_fold = 0xffffffffu;

 private:
  std::unordered_map<std::uint64_t, std::vector<ImplId>> impls_by_head_;
  std::uint64_t head_key(TypeId type) const;
};

// ---- body.cc
void check_file(Checker& c, FileId file);

// ---- expressions.cc
TypeId infer(Checker& c, ExprId e, Expect x = {});
TypeId check(Checker& c, ExprId e, TypeId wanted, const Slot& slot);
TypeId check_condition(Checker& c, ExprId e, std::string_view fix_hint = {});
TypeId infer_block(Checker& c, BlockId b, Expect x);
ExprId tail_of(const Checker& c, BlockId b);   // the expression a block's value comes from, or invalid
ExprId unwrapped(const Checker& c, ExprId e);  // without parentheses

// ---- convert.cc
// Whether a value of `actual`, written `e`, goes into a place of `wanted`; records the step. Says why not.
bool coerce(Checker& c, ExprId e, TypeId actual, TypeId wanted, const Slot& slot);
// The same without a message.
bool fits(Checker& c, ExprId e, TypeId actual, TypeId wanted);
struct Branch {
  ExprId value;  // the branch's tail, or invalid where it has none
  Span span;
  TypeId type;
};
TypeId join_branches(Checker& c, std::span<const Branch> branches);
// Makes the literals in `e` what `wanted` asks for, where they alone decide: texts of their own, `f64`s.
bool adapt(Checker& c, ExprId e, TypeId wanted);
bool is_place(const Checker& c, ExprId e);       // a name, or a part reached from one
bool is_deep_place(const Checker& c, ExprId e);  // a part, position or element of a name
bool is_text_literal(const Checker& c, ExprId e);

// ---- statements.cc
// A change of what lies in a `Shared` (NK2947): `place` is, or is reached through, one. True where it is refused.
bool refuse_change_in_shared(Checker& c, ExprId place, bool itself);
void check_statement(Checker& c, StmtId s, bool& diverges);
void bind_names(Checker& c, ast::List<ast::Bind> binds, bool is_tuple, TypeId type, bool views);

// ---- operators.cc
TypeId infer_unary(Checker& c, ExprId e, const ast::UnaryExpr& u, Expect x);
TypeId infer_binary(Checker& c, ExprId e, const ast::BinaryExpr& b, Expect x);
TypeId infer_cast(Checker& c, ExprId e, const ast::CastExpr& x);
TypeId infer_range(Checker& c, ExprId e, const ast::RangeExpr& r);
TypeId infer_coalesce(Checker& c, ExprId e, const ast::CoalesceExpr& x, Expect want);
// `place op= value`.
void check_compound(Checker& c, const ast::AssignStmt& a, Span span, TypeId place);

// ---- calls.cc
TypeId infer_call(Checker& c, ExprId e, const ast::CallExpr& call, Expect x);
// A function or constructor as a value.
TypeId value_of_fn(Checker& c, Span at, FnId fn);
TypeId value_of_variant(Checker& c, ExprId e, TypeDeclId decl, std::uint32_t variant, Expect x);
struct Arguments {
  Span call;
  std::span<const ExprId> positional;
  ast::List<ast::OptionArg> options;
  bool has_trailing = false;  // the last positional one is a trailing lambda
  Expect expect;
};
TypeId call_function(Checker& c, ExprId e, FnId fn, const Arguments& args, CallKind kind, ExprId receiver,
                     TypeId receiver_type, bool is_safe);
TypeId call_value(Checker& c, ExprId e, ExprId callee, TypeId type, const Arguments& args, bool is_safe);
// Of a positional variant built like a call.
TypeId call_variant(Checker& c, ExprId e, TypeDeclId decl, std::uint32_t variant, const Arguments& args);
// Gives every argument a type though nothing is known of what it is for.
void infer_arguments(Checker& c, const Arguments& args);
void finish_calls(Checker& c);
// The type of a field or part of `decl` in a value whose type arguments are `args`.
TypeId part_type(Checker& c, TypeDeclId decl, TypeId declared, std::span<const TypeId> args);
// Fresh variables for what `fn` is generic over.
std::vector<TypeId> fresh_arguments(Checker& c, FnId fn, Span at);
TypeId instantiate(Checker& c, TypeId type, std::span<const TypeParamId> params, std::span<const TypeId> args);

// ---- methods.cc
struct FoundMember {
  enum class Kind : std::uint8_t { none, method, field, refused } kind = Kind::none;
  FnId fn;
  std::uint32_t field = 0;
  TypeId field_type;
  TypeId owner;  // the type it was found on, seen through
};
FoundMember find_method(Checker& c, TypeId receiver, Name name, Span at);
FoundMember find_field(Checker& c, TypeId receiver, Name name);
TypeId infer_member(Checker& c, ExprId e, const ast::MemberExpr& m);
TypeId infer_tuple_part(Checker& c, ExprId e, const ast::TuplePartExpr& m);
TypeId infer_method_call(Checker& c, ExprId e, const ast::CallExpr& call, const ast::MemberExpr& m, Expect x);
bool implements(Checker& c, TypeId type, TraitId trait);
// The method that answers a trait's signature for `type`, or an invalid id.
FnId implementation(Checker& c, TypeId type, FnId signature);

// ---- lambdas.cc
TypeId infer_lambda(Checker& c, ExprId e, const ast::LambdaExpr& l, Expect x);
TypeId infer_spawn(Checker& c, ExprId e, const ast::SpawnExpr& s);
TypeId infer_overlap(Checker& c, ExprId e, const ast::OverlapExpr& o, Expect x);
TypeId infer_select(Checker& c, const ast::SelectExpr& s, Expect x);

// ---- data.cc
TypeId infer_list(Checker& c, ExprId e, const ast::ListExpr& l, Expect x);
TypeId infer_tuple(Checker& c, ExprId e, const ast::TupleExpr& t, Expect x);
TypeId infer_struct(Checker& c, ExprId e, const ast::StructExpr& s, Expect x);
TypeId infer_with(Checker& c, ExprId e, const ast::WithExpr& w);
TypeId infer_index(Checker& c, ExprId e, const ast::IndexExpr& i);

// ---- match.cc
TypeId infer_match(Checker& c, ExprId e, const ast::MatchExpr& m, Expect x);
void check_pattern(Checker& c, PatternId p, TypeId subject);

// ---- numbers.cc
TypeId infer_integer(Checker& c, ExprId e, const ast::IntegerLit& lit);
void note_number(Checker& c, NumberStep::Kind kind, ExprId e, LocalId local = {});
// An operand that is a literal takes the type of the name or value beside it and does not widen its class.
void note_operands(Checker& c, ExprId left, ExprId right);
// Gives every number class its type, folds constants and refuses those that do not fit.
void finish_numbers(Checker& c);

// ---- deferred.cc
void defer(Checker& c, Deferred d);
void run_deferred(Checker& c);
void check_hole(Checker& c, std::uint32_t piece_position);

// ---- rows.cc
// A parameter of a library row that takes more than one type. False: nothing is known about this row.
bool check_row_argument(Checker& c, FnId fn, std::size_t param, ExprId arg, TypeId receiver, TypeId& accepted);
// What a row's result is beyond its signature: words of a sequence, the type a `collect` builds.
TypeId row_result(Checker& c, ExprId e, FnId fn, TypeId result, TypeId receiver, std::span<const ExprId> args,
                  Expect x);
// Checks a row asks beyond its signature: orders for `sort`, keys of a map, a back end for `rev`.
bool check_row(Checker& c, ExprId e, FnId fn, TypeId receiver, std::span<const TypeId> type_args, Span member);
std::uint8_t words_of(Checker& c, TypeId type);

// ---- impls.cc
// Impls against their traits, constructors, fields and results of a shape no type has.
void check_declarations(Checker& c);
// Of the file at hand: what a written type holds that it may not (NK1123, NK1937, NK1939).
void check_written_types(Checker& c);

// ---- report.cc
std::string spelled(Checker& c, TypeId t);         // Vec[i64]
std::string quoted(Checker& c, TypeId t);          // `Vec[i64]`
std::string described(Checker& c, TypeId t);       // a `Vec[i64]`, text, a number
std::string described_open(Checker& c, TypeId t);  // the same, with a number or text literal by its kind
std::string capitalised(std::string text);
std::string source_text(const Checker& c, Span span);
std::string signature_text(Checker& c, FnId fn);
std::string fn_text(const Checker& c, FnId fn);             // Parcel::is_heavy
std::string counted(std::size_t n, std::string_view one);   // 2 arguments
std::string quoted_source(const Checker& c, Span span);     // `text`
std::string_view nearest_number(std::string_view written);  // usize: u64
std::string near_name(const Checker& c, std::string_view wrong, std::span<const Name> among);
void report_mismatch(Checker& c, ExprId e, TypeId actual, TypeId wanted, const Slot& slot);
void report_two_asks(Checker& c, const Variable& v, TypeId other, Span at);
TypeId not_built(Checker& c, Span at, std::string_view what);

}  // namespace nikaia::lang::typing
