// Operators by token and by name, from operators.def.
#pragma once

#include "lang/syntax/ast.h"
#include "lang/syntax/token.h"

namespace nikaia::lang::syntax {

// Levels that the parser and the printer name.
inline constexpr int comparison_level = 4;
inline constexpr int loosest_level = 2;
inline constexpr int cast_level = 11;  // `as`, and above it prefixes and postfixes
inline constexpr int not_infix = 0;

struct InfixOperator {
  int level = not_infix;
  ast::BinaryOp op{};
};

InfixOperator infix_operator(TokenKind kind);
int level_of(ast::BinaryOp op);

struct AssignOperator {
  bool is_assignment = false;
  ast::AssignOp op{};
};

AssignOperator assign_operator(TokenKind kind);

constexpr bool is_bit_operator(ast::BinaryOp op) {
  return op >= ast::BinaryOp::shl && op <= ast::BinaryOp::bit_or;
}

}  // namespace nikaia::lang::syntax
