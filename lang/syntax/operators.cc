// The tables behind operators.h and the operators' spellings.
#include "lang/syntax/operators.h"

#include <array>
#include <cstddef>

namespace nikaia::lang {
namespace {

using syntax::TokenKind;

constexpr std::size_t kind_count = 256;

constexpr auto infix_table = [] {
  std::array<syntax::InfixOperator, kind_count> table{};
#define NIKAIA_BINARY(name, token, level) \
  table[static_cast<std::size_t>(TokenKind::token)] = {level, ast::BinaryOp::name};
#include "lang/syntax/operators.def"
  return table;
}();

constexpr auto assign_table = [] {
  std::array<syntax::AssignOperator, kind_count> table{};
#define NIKAIA_ASSIGN(name, token) table[static_cast<std::size_t>(TokenKind::token)] = {true, ast::AssignOp::name};
#include "lang/syntax/operators.def"
  return table;
}();

}  // namespace

namespace syntax {

InfixOperator infix_operator(TokenKind kind) {
  return infix_table[static_cast<std::size_t>(kind)];
}
AssignOperator assign_operator(TokenKind kind) {
  return assign_table[static_cast<std::size_t>(kind)];
}

// clang-format off
int level_of(ast::BinaryOp op) {
  switch (op) {
#define NIKAIA_BINARY(name, token, level) \
  case ast::BinaryOp::name:               \
    return level;
#include "lang/syntax/operators.def"
  }
  return not_infix;
}

}  // namespace syntax

namespace ast {

const char* spelling(UnaryOp op) {
  return op == UnaryOp::negate ? "-" : "!";
}

const char* spelling(BinaryOp op) {
  switch (op) {
#define NIKAIA_BINARY(name, token, level) \
  case BinaryOp::name:                    \
    return syntax::spelling(TokenKind::token).data();
#include "lang/syntax/operators.def"
  }
  return "";
}

const char* spelling(AssignOp op) {
  switch (op) {
#define NIKAIA_ASSIGN(name, token) \
  case AssignOp::name:             \
    return syntax::spelling(TokenKind::token).data();
#include "lang/syntax/operators.def"
  }
  return "";
}

}  // namespace ast
// clang-format on
}  // namespace nikaia::lang
