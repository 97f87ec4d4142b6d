// What each name in a body denotes: one walk per body, with the locals in scope as a stack.
//
// A name is looked up as 02 §7.4 says: a local, a declaration of the package, the prelude. A `let` counts from the next
// statement on; a block, an arm, a loop, a lambda and a handler end what they declare.
#pragma once

#include "passes/names/paths.h"

namespace nikaia::lang::naming {

class BodyResolver {
 public:
  BodyResolver(Program& program, FileId file);

  void resolve_function(ast::ItemId item, const FnDecl& decl);
  void resolve_test(ast::ItemId item);

 private:
  // ---- locals ----
  LocalId declare(const ast::Ident& ident, LocalKind kind, bool is_mut);
  LocalId declare_bind(const ast::Bind& bind, LocalKind kind);
  LocalId find_local(Name name) const;
  std::size_t open() const { return visible_.size(); }
  void close(std::size_t mark);
  std::vector<std::string_view> visible_names() const;
  void declare_binds(ast::List<ast::Bind> binds, LocalKind kind);

  // ---- statements and expressions ----
  void block(ast::BlockId id);
  void stmt(ast::StmtId id);
  void expr(ast::ExprId id);
  void exprs(ast::List<ast::ExprId> list);

  void stmt_node(const ast::ErrorStmt&) {}
  void stmt_node(const ast::LetStmt& s);
  void stmt_node(const ast::ComptimeStmt& s);
  void stmt_node(const ast::AssignStmt& s);
  void stmt_node(const ast::WhileStmt& s);
  void stmt_node(const ast::ForStmt& s);
  void stmt_node(const ast::JumpIfStmt& s);
  void stmt_node(const ast::ExprStmt& s);

  // Kinds without names in them.
  void node(ast::ExprId, const ast::ErrorExpr&) {}
  void node(ast::ExprId, const ast::IntegerLit&) {}
  void node(ast::ExprId, const ast::FloatLit&) {}
  void node(ast::ExprId, const ast::CharLit&) {}
  void node(ast::ExprId, const ast::BoolLit&) {}
  void node(ast::ExprId, const ast::NullLit&) {}
  void node(ast::ExprId, const ast::BreakExpr&) {}
  void node(ast::ExprId, const ast::ContinueExpr&) {}
  void node(ast::ExprId id, const ast::TextLit& e);
  void node(ast::ExprId id, const ast::FTextLit& e);
  void node(ast::ExprId id, const ast::PathExpr& e);
  void node(ast::ExprId id, const ast::SelfExpr& e);
  void node(ast::ExprId id, const ast::ParenExpr& e) { static_cast<void>(id), expr(e.inner); }
  void node(ast::ExprId id, const ast::TupleExpr& e) { static_cast<void>(id), exprs(e.parts); }
  void node(ast::ExprId id, const ast::ListExpr& e) { static_cast<void>(id), exprs(e.elements); }
  void node(ast::ExprId id, const ast::BlockExpr& e) { static_cast<void>(id), block(e.block); }
  void node(ast::ExprId id, const ast::IfExpr& e);
  void node(ast::ExprId id, const ast::MatchExpr& e);
  void node(ast::ExprId id, const ast::LambdaExpr& e);
  void node(ast::ExprId id, const ast::SpawnExpr& e) { static_cast<void>(id), expr(e.lambda); }
  void node(ast::ExprId id, const ast::UnsafeExpr& e);
  void node(ast::ExprId id, const ast::OverlapExpr& e);
  void node(ast::ExprId id, const ast::SelectExpr& e);
  void node(ast::ExprId id, const ast::StructExpr& e);
  void node(ast::ExprId id, const ast::WithExpr& e);
  void node(ast::ExprId id, const ast::UnaryExpr& e) { static_cast<void>(id), expr(e.operand); }
  void node(ast::ExprId id, const ast::RefExpr& e) { static_cast<void>(id), expr(e.operand); }
  void node(ast::ExprId id, const ast::ComptimeExpr& e);
  void node(ast::ExprId id, const ast::BinaryExpr& e) { static_cast<void>(id), expr(e.left), expr(e.right); }
  void node(ast::ExprId id, const ast::RangeExpr& e) { static_cast<void>(id), expr(e.low), expr(e.high); }
  void node(ast::ExprId id, const ast::CastExpr& e);
  void node(ast::ExprId id, const ast::CoalesceExpr& e) { static_cast<void>(id), expr(e.left), expr(e.right); }
  void node(ast::ExprId id, const ast::CatchExpr& e);
  void node(ast::ExprId id, const ast::ReturnExpr& e) { static_cast<void>(id), expr(e.value); }
  void node(ast::ExprId id, const ast::ThrowExpr& e) { static_cast<void>(id), expr(e.value); }
  void node(ast::ExprId id, const ast::MemberExpr& e) { static_cast<void>(id), expr(e.object); }
  void node(ast::ExprId id, const ast::TuplePartExpr& e) { static_cast<void>(id), expr(e.object); }
  void node(ast::ExprId id, const ast::IndexExpr& e) { static_cast<void>(id), expr(e.object), expr(e.index); }
  void node(ast::ExprId id, const ast::CallExpr& e);
  void node(ast::ExprId id, const ast::DslExpr& e);

  // ---- names ----
  void path(ast::ExprId id, const ast::Path& path, bool is_called);
  Resolution single_name(const ast::Ident& ident, bool is_called);
  Resolution of_entity(Entity e, const ast::Ident& ident);
  Resolution of_denoted(const Denoted& d, const ast::Path& path);
  // A type where a value stands: its constructor (NK1190).
  Resolution constructor(TypeDeclId type, Span place);
  // `Tile(side: 3)` (NK1146); says whether it was refused.
  bool refuse_fields_in_call(const ast::CallExpr& call, const ast::PathExpr& callee);
  // `.to_owned()`, `.drop()`; says whether it was refused.
  bool refuse_method_by_name(const ast::CallExpr& call, const ast::MemberExpr& member);
  bool has_own_method(std::string_view name) const;
  Resolution literal_head(const ast::StructExpr& e, Span place);
  void field_inits(ast::List<ast::FieldInit> list, TypeDeclId of);

  // ---- patterns (patterns.cc) ----
  struct PatternNames;
  void pattern(ast::PatternId id);
  void pattern(ast::PatternId id, PatternNames& names);
  LocalId pattern_local(const ast::Ident& ident, PatternNames& names);

  Program& p_;
  FileId file_;
  const ast::Tree& t_;
  TreeNames& out_;
  TypeScope scope_;
  ast::ItemId item_;
  ast::ExprId lambda_;
  LocalId self_;
  struct Visible {
    Name name;
    LocalId hides;  // what the name stood for before
  };
  std::vector<Visible> visible_;
  IdVector<Name, LocalId> latest_;  // what each name stands for here; invalid: no local
};

}  // namespace nikaia::lang::naming
