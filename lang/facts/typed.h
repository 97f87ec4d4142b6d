// types@1: the type of every expression, what each call reaches, and where a value is converted.
// Filled by the pass `types`.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "lang/facts/names.h"

namespace nikaia::lang {

using CallId = Id<struct CallTag>;  // dense per tree

enum class CallKind : std::uint8_t {
  fn,       // fn: a free or associated function, or a constructor
  method,   // fn, reached on a receiver
  variant,  // variant_type, variant: a positional variant built like a call
  value,    // a function value is called: the callee expression
  // Members every type of their kind has without a row; `fn` is invalid, the receiver is lent (`close`: taken).
  clone,          // `.clone()` of a type of the program, a tuple, a `T?`
  error_message,  // `error.message()` of what a `catch` caught
  error_full,     // `.full()` of an error, caught or not
  close,          // `.close()` of a value with a cleanup
};

struct Call {
  CallKind kind = CallKind::fn;
  FnId fn;
  std::vector<TypeId> type_args;  // for fn.type_params, in order
  TypeDeclId variant_type;
  std::uint32_t variant = 0;
  ast::ExprId receiver;                 // method: the object; invalid otherwise
  bool is_safe = false;                 // reached with `?.`
  std::vector<ast::ExprId> args;        // one per fn.params, in their order
  std::vector<ast::ExprId> options;     // one per fn.options, in their order; invalid: the default
  std::vector<ast::ExprId> evaluation;  // args and options as written
  std::vector<TypeId> param_types;      // of args, type arguments put in; for `?` rows what was accepted
  TypeId result;                        // before `?.` makes it nullable
};

enum class WalkKind : std::uint8_t { none, range, list, array, run, map, set, seq, bytes };
enum class IndexKind : std::uint8_t { none, list, array, run, map, bytes, text_slice, list_slice, bytes_slice };

struct TreeTypes {
  // The type an expression has by itself, number inference done.
  IdVector<ast::ExprId, TypeId> exprs;
  // What its place wants, where that differs: `T` for a `T?`, a literal for a `String`, a view for a value that
  // copies, a value for a view (it is lent). Invalid: the same. The step between the two is the lowering's.
  IdVector<ast::ExprId, TypeId> wanted;
  // A name a pattern binds has the type of the part, views seen through; whether it takes or views the part is
  // contracts@1. Any other name has the type of what it holds: `ref T` where it holds a view (a `for` over a list of
  // what moves, a `let` over a place, `self` of a `ref self` method).
  IdVector<LocalId, TypeId> locals;
  IdVector<ast::PatternId, TypeId> patterns;  // the type matched at this place, views seen through
  IdVector<ast::ExprId, CallId> call_of;      // CallExpr
  IdVector<CallId, Call> calls;
  IdVector<ast::ExprId, std::uint32_t> field_of;  // MemberExpr that reads a field: its position
  IdVector<ast::ExprId, IndexKind> index_of;      // IndexExpr
  IdVector<ast::StmtId, WalkKind> walk_of;        // ForStmt
  IdVector<ast::ExprId, TypeId> lambda_type;      // LambdaExpr: its function type, parameters and result decided
  // Expressions of literals alone that are more than one literal (`-7`, `2147483648 - 1`): they count by their value
  // (01 §7.6), which fits their type though a step on the way may not. The value's bits, sign-extended to 64.
  std::unordered_map<ast::ExprId, std::uint64_t> constants;
};

using Types = IdVector<FileId, TreeTypes>;
inline constexpr FactKey<Types> types_fact{"types@1"};

}  // namespace nikaia::lang
