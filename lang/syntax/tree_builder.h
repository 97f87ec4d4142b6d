// Makes the nodes of a tree and knows how high each subtree is.
//
// Passes walk trees by recursion, so the parser bounds their height. Counting the parser's own
// recursion isn't enough: `a + b + c …` and `x.f().g() …` are read by a loop and still make a tree
// as high as they are long. Each node's height is therefore kept beside it while the tree is built,
// one step from its children's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "lang/syntax/ast.h"

namespace nikaia::lang::syntax {

class TreeBuilder {
 public:
  using Height = std::uint32_t;
  // Enough for any program a person or a generator writes in good faith; walks of this depth fit
  // every stack.
  static constexpr Height highest_tree = 1000;

  explicit TreeBuilder(ast::Tree& tree) : tree_(tree) {}

  template <class Node>
  ast::ExprId add_expr(Span span, Node node) {
    expr_heights_.push_back(top(node) + 1);
    return tree_.exprs.add(ast::Expr{span, std::move(node)});
  }
  template <class Node>
  ast::StmtId add_stmt(Span span, Node node) {
    stmt_heights_.push_back(top(node) + 1);
    return tree_.stmts.add(ast::Stmt{span, std::move(node)});
  }
  ast::BlockId add_block(ast::Block block) {
    Height highest = 0;
    for (ast::StmtId id : tree_.list(block.statements)) highest = std::max(highest, stmt_heights_[id.index]);
    block_heights_.push_back(highest + 1);
    return tree_.blocks.add(block);
  }

  Height height(ast::ExprId id) const { return id.valid() ? expr_heights_[id.index] : 0; }
  Height height(ast::BlockId id) const { return id.valid() ? block_heights_[id.index] : 0; }

 private:
  using ExprId = ast::ExprId;

  Height height(ast::List<ExprId> list) const {
    Height highest = 0;
    for (ExprId id : tree_.list(list)) highest = std::max(highest, height(id));
    return highest;
  }
  template <class Part>
  Height highest_value(ast::List<Part> list) const {
    Height highest = 0;
    for (const Part& part : tree_.list(list)) highest = std::max(highest, height(part.value));
    return highest;
  }
  template <class... Ids>
  Height highest(Ids... ids) const {
    return std::max({height(ids)...});
  }

  // The height of a node's highest child. One line for each node with children.
  template <class Leaf>
  Height top(const Leaf&) const {
    return 0;
  }
  Height top(const ast::FTextLit& e) const {
    Height highest = 0;
    for (const ast::FPiece& piece : tree_.list(e.pieces)) highest = std::max(highest, height(piece.hole));
    return highest;
  }
  Height top(const ast::ParenExpr& e) const { return height(e.inner); }
  Height top(const ast::TupleExpr& e) const { return height(e.parts); }
  Height top(const ast::ListExpr& e) const { return height(e.elements); }
  Height top(const ast::BlockExpr& e) const { return height(e.block); }
  Height top(const ast::IfExpr& e) const { return highest(e.cond, e.then_block, e.else_branch); }
  Height top(const ast::MatchExpr& e) const {
    Height highest_arm = height(e.subject);
    for (const ast::Arm& arm : tree_.list(e.arms))
      highest_arm = std::max({highest_arm, height(arm.guard), height(arm.body)});
    return highest_arm;
  }
  Height top(const ast::LambdaExpr& e) const { return height(e.body); }
  Height top(const ast::SpawnExpr& e) const { return height(e.lambda); }
  Height top(const ast::UnsafeExpr& e) const { return height(e.block); }
  Height top(const ast::OverlapExpr& e) const { return height(e.block); }
  Height top(const ast::SelectExpr& e) const {
    Height highest_arm = 0;
    for (const ast::SelectArm& arm : tree_.list(e.arms))
      highest_arm = std::max({highest_arm, height(arm.raced), height(arm.body)});
    return highest_arm;
  }
  Height top(const ast::StructExpr& e) const { return std::max(highest_value(e.fields), height(e.misread_block)); }
  Height top(const ast::WithExpr& e) const { return std::max(height(e.operand), highest_value(e.fields)); }
  Height top(const ast::UnaryExpr& e) const { return height(e.operand); }
  Height top(const ast::RefExpr& e) const { return height(e.operand); }
  Height top(const ast::ComptimeExpr& e) const { return height(e.operand); }
  Height top(const ast::BinaryExpr& e) const { return highest(e.left, e.right); }
  Height top(const ast::RangeExpr& e) const { return highest(e.low, e.high); }
  Height top(const ast::CastExpr& e) const { return height(e.operand); }
  Height top(const ast::CoalesceExpr& e) const { return highest(e.left, e.right); }
  Height top(const ast::CatchExpr& e) const { return highest(e.guarded, e.handler); }
  Height top(const ast::ReturnExpr& e) const { return height(e.value); }
  Height top(const ast::ThrowExpr& e) const { return height(e.value); }
  Height top(const ast::MemberExpr& e) const { return height(e.object); }
  Height top(const ast::TuplePartExpr& e) const { return height(e.object); }
  Height top(const ast::IndexExpr& e) const { return highest(e.object, e.index); }
  Height top(const ast::CallExpr& e) const {
    return std::max({height(e.callee), height(e.positional), highest_value(e.options)});
  }
  Height top(const ast::DslExpr& e) const { return highest_value(e.arguments); }

  Height top(const ast::LetStmt& s) const { return height(s.value); }
  Height top(const ast::ComptimeStmt& s) const { return height(s.value); }
  Height top(const ast::AssignStmt& s) const { return highest(s.place, s.value); }
  Height top(const ast::WhileStmt& s) const { return highest(s.cond, s.body); }
  Height top(const ast::ForStmt& s) const { return highest(s.subject, s.body); }
  Height top(const ast::JumpIfStmt& s) const { return highest(s.jump, s.cond); }
  Height top(const ast::ExprStmt& s) const { return height(s.expr); }

  ast::Tree& tree_;
  std::vector<Height> expr_heights_;
  std::vector<Height> stmt_heights_;
  std::vector<Height> block_heights_;
};

}  // namespace nikaia::lang::syntax
