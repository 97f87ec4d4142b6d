// One walk of a body that writes down, as edges of the graph, what keeping depends on.
//
// Every expression is walked with the question its place asks: a node that is a yes where the place keeps the value
// (03 §1.3). Where the expression is a name, or a part of one whose type moves, a yes takes that name: the parameter is
// kept, the name of a pattern takes its part, and with it the subject of the match. A second question per name, `away`,
// is whether a view of it goes where nothing waits for it: into a task, a kept lambda, a shared value, a channel; it
// keeps a plain parameter as well (03 §2.2), and follows a view back to what it was made from.
#pragma once

#include <unordered_map>
#include <vector>

#include "lang/compilation.h"
#include "lang/facts/effects.h"
#include "passes/contracts/flow.h"

namespace nikaia::lang::contracts {

// What all bodies share.
struct World {
  const Compilation& source;
  const Declarations& decls;
  const Names& names;
  const Types& types;
  TypeTable& table;
  KeepGraph graph;
  IdVector<FnId, Node> keeps;                           // of the first parameter; the others follow
  IdVector<FileId, Node> takes;                         // of the file's first local: a name of a pattern takes its part
  IdVector<FileId, Node> away;                          // of the file's first local
  IdVector<FileId, Node> kept;                          // of the file's first expression: a lambda is kept
  IdVector<FileId, IdVector<ast::ExprId, Node>> asked;  // the question each expression's place asks
};

class BodyWalk {
 public:
  BodyWalk(World& world, FileId file);

  void walk_function(FnId fn);
  void walk_test(ast::ItemId item);

 private:
  bool moves(TypeId type) const;
  bool is_owned(TypeId type) const;  // neither copies nor is a view
  TypeId type_of(ast::ExprId e) const { return types_.exprs[e]; }
  Node take_node(LocalId local) const { return world_.takes[file_] + local.index; }
  Node away_node(LocalId local) const { return world_.away[file_] + local.index; }

  void block(ast::BlockId id, Node tail);
  void stmt(ast::StmtId id, Node tail);
  void let(const ast::LetStmt& s);
  // Notes the names that `value` is bound to; says whether one of them owns what it gets.
  bool bind(ast::List<ast::Bind> binds, ast::ExprId value);
  void for_(const ast::ForStmt& s);
  void assign(const ast::AssignStmt& s);

  void expr(ast::ExprId id, Node asked);
  void exprs(ast::List<ast::ExprId> list, Node asked);
  void name(ast::ExprId id, LocalId local, Node asked);
  void part(ast::ExprId id, ast::ExprId object, Node asked);
  void take_root(ast::ExprId place, Node asked);
  void lambda(ast::ExprId id, const ast::LambdaExpr& e, Node kept);
  void match(const ast::MatchExpr& e, Node asked);
  void with(const ast::WithExpr& e);
  void field_inits(ast::List<ast::FieldInit> list);
  void call(ast::ExprId id, const ast::CallExpr& e);
  void call_of_fn(const Call& c);
  void argument(const Call& c, const FnDecl& fn, std::size_t i);
  void send_away(ast::ExprId e, Node asked);

  // The names a view that `e` comes to may look into.
  void roots(ast::ExprId e, std::vector<LocalId>& out) const;
  void root_of_place(ast::ExprId e, LocalId& out) const;
  void look_into(LocalId view, ast::ExprId made_from);

  // Ties the names of a pattern to what its subject is rooted in.
  void pattern(ast::PatternId id, ast::ExprId subject);
  void bound_names(ast::PatternId id, std::vector<LocalId>& out) const;

  World& world_;
  FileId file_;
  const ast::Tree& tree_;
  const TreeNames& names_;
  const TreeTypes& types_;
  Node result_ = KeepGraph::never;     // what a `return` asks
  std::vector<ast::ExprId> lambdas_;   // the lambdas around, the innermost last
  std::vector<std::size_t> depth_of_;  // of each local: how many lambdas were around where it was declared
};

}  // namespace nikaia::lang::contracts
