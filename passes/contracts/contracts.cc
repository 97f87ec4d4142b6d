// The pass `contracts`: which parameters each function keeps, which lambdas are kept, and which parts a match
// takes (language 03 §2.2, §2.5; 02 §8.3).
//
// Every expression stands where its value is kept (stored, handed back, given to a task or to a callee that
// keeps it) or where it is only read; which of the two follows from the place alone, except for an argument,
// where the callee's contract says it. So the pass walks each body with that one bit, and marks what the kept
// values are rooted in: a parameter is then kept, a pattern's name takes its part, and the subject of that
// match is kept in turn. Contracts only grow, so walking all bodies until nothing changes gives the least
// solution; the order of functions has no part in it.
//
// * A part that moves counts as the whole. A value that copies keeps nothing.
// * A method's plain parameter of a type that moves is always handed over (03 §2.4).
// * Every name that a kept lambda or a task uses from outside is kept.
//
// Cost: one walk of all bodies per round; rounds are bounded by the longest chain of calls that keep.
#include <nikaia/pass.h>

#include "lang/compilation.h"
#include "lang/facts/effects.h"

namespace nikaia::lang::contracts {
namespace {

using namespace ast;

class Inference {
 public:
  explicit Inference(PassContext& context)
      : compilation_(context.compilation()), table_(context.types()), decls_(context.require(declarations_fact)),
        names_(context.require(names_fact)), types_(context.require(types_fact)),
        out_(context.provide(contracts_fact)), context_(context) {}

  void run() {
    out_.keeps.resize(decls_.fns.size());
    out_.detached.resize(decls_.fns.size());
    out_.trees.resize(compilation_.trees.size());
    for (std::size_t i = 0; i < compilation_.trees.size(); ++i) {
      const FileId file(i);
      out_.trees[file].takes.resize(names_[file].locals.size(), 0);
      out_.trees[file].is_kept.resize(compilation_.trees[file].exprs.size(), 0);
      out_.trees[file].is_kept_value.resize(compilation_.trees[file].exprs.size(), 0);
    }
    for (std::size_t i = 0; i < decls_.fns.size(); ++i) {
      const FnDecl& fn = decls_.fns[FnId(i)];
      auto& keeps = out_.keeps[FnId(i)];
      keeps.resize(fn.params.size(), false);
      out_.detached[FnId(i)].resize(fn.params.size(), false);
      for (std::size_t p = 0; p < fn.params.size(); ++p) {
        if (!fn.key.empty()) {
          keeps[p] = fn.params[p].is_kept;
          out_.detached[FnId(i)][p] = fn.params[p].is_detached;
        } else if (fn.receiver != Receiver::none || fn.is_signature) {
          keeps[p] = is_plain_moving(fn.params[p]);
        }
      }
    }
    do {
      changed_ = false;
      for (std::size_t i = 0; i < decls_.fns.size(); ++i) function(FnId(i));
    } while (changed_);
  }

 private:
  bool is_plain_moving(const ParamInfo& p) const {
    if (!p.type.valid() || p.is_mut) return false;
    const TypeKind k = table_.kind(p.type);
    return k != TypeKind::ref && k != TypeKind::function && moves(p.type);
  }

  bool moves(TypeId t) const {
    if (!t.valid()) return false;
    switch (table_.kind(t)) {
      case TypeKind::error: case TypeKind::never: case TypeKind::unit: return false;
      default: return handing_of(table_, decls_, t) != Handing::copies;
    }
  }

  void function(FnId id) {
    const FnDecl& fn = decls_.fns[id];
    if (!fn.item.valid()) return;
    const Tree& tree = compilation_.trees[fn.item.file];
    const auto* item = std::get_if<FnItem>(&tree.items[fn.item.node].node);
    if (!item || !item->body.valid()) return;
    context_.looking_at(compilation_.names.text(fn.name), compilation_.sources.path(fn.item.file));
    tree_ = &tree;
    file_ = fn.item.file;
    fn_ = id;
    item_ = item;
    lambdas_.clear();
    result_is_view_ = table_.kind(fn.result) == TypeKind::ref;
    block(item->body, table_.kind(fn.result) != TypeKind::unit && !result_is_view_);
  }

  const TreeNames& names() const { return names_[file_]; }
  const TreeTypes& typed() const { return types_[file_]; }
  TypeId wanted(ExprId e) const {
    TypeId w = typed().wanted[e];
    return w.valid() ? w : typed().exprs[e];
  }

  template <class T>
  void set(T&& slot) {
    if (!slot) {
      slot = true;
      changed_ = true;
    }
  }

  // ---- what a kept value is rooted in ------------------------------------------------------------

  void keep_local(LocalId id, bool is_function_value) {
    const Local& local = names().locals[id];
    if (local.kind == LocalKind::pattern) {
      auto& takes = out_.trees[file_].takes[id];
      if (!takes) {
        takes = 1;
        changed_ = true;
      }
      return;
    }
    if (local.kind != LocalKind::param) return;
    for (std::size_t i = 0; i < item_->params.count; ++i) {
      if (!(names().params[item_->params.begin + i] == id)) continue;
      const ParamInfo& p = decls_.fns[fn_].params[i];
      if (is_function_value && table_.kind(p.type) == TypeKind::function) set(out_.detached[fn_][i]);
      else if (is_plain_moving(p)) set(out_.keeps[fn_][i]);
    }
  }

  void keep_root(ExprId e) {
    const auto& node = tree_->exprs[e].node;
    if (auto* x = std::get_if<ParenExpr>(&node)) return keep_root(x->inner);
    if (auto* x = std::get_if<MemberExpr>(&node)) return keep_root(x->object);
    if (auto* x = std::get_if<TuplePartExpr>(&node)) return keep_root(x->object);
    if (auto* x = std::get_if<IndexExpr>(&node)) return keep_root(x->object);
    if (names().exprs[e].kind == Resolution::Kind::local &&
        (std::holds_alternative<PathExpr>(node) || std::holds_alternative<SelfExpr>(node))) {
      const LocalId id = names().exprs[e].local();
      keep_local(id, table_.kind(typed().locals[id]) == TypeKind::function);
    }
  }

  // ---- the walk ------------------------------------------------------------------------------------

  void block(BlockId b, bool keep) {
    const auto statements = tree_->list(tree_->blocks[b].statements);
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const Stmt& s = tree_->stmts[statements[i]];
      if (auto* x = std::get_if<ExprStmt>(&s.node)) {
        expr(x->expr, keep && i + 1 == statements.size());
      } else {
        statement(s);
      }
    }
  }

  void statement(const Stmt& s) {
    if (auto* x = std::get_if<LetStmt>(&s.node)) return let(*x);
    if (auto* x = std::get_if<AssignStmt>(&s.node)) {
      const bool is_compound = x->op != AssignOp::set;
      expr(x->value, !is_compound && table_.kind(typed().exprs[x->place]) != TypeKind::ref);
      if (auto* index = std::get_if<IndexExpr>(&tree_->exprs[x->place].node)) {
        expr(index->object, false);
        expr(index->index, typed().index_of[x->place] == IndexKind::map);
      } else {
        expr(x->place, false);
      }
      return;
    }
    if (auto* x = std::get_if<WhileStmt>(&s.node)) {
      expr(x->cond, false);
      return block(x->body, false);
    }
    if (auto* x = std::get_if<ForStmt>(&s.node)) {
      expr(x->subject, table_.kind(typed().exprs[x->subject]) == TypeKind::seq);
      return block(x->body, false);
    }
    if (auto* x = std::get_if<JumpIfStmt>(&s.node)) {
      expr(x->cond, false);
      return expr(x->jump, false);
    }
    if (auto* x = std::get_if<ExprStmt>(&s.node)) return expr(x->expr, false);
  }

  void let(const LetStmt& l) {
    bool keeps = false;
    for (std::size_t i = 0; i < l.binds.count; ++i) {
      const LocalId id = names().binds[l.binds.begin + i];
      if (!id.valid()) continue;
      const TypeId t = typed().locals[id];
      keeps = keeps || table_.kind(t) != TypeKind::ref;
    }
    if (l.is_tuple && is_projected(l.value)) keeps = false;  // over a place the parts are viewed
    expr(l.value, keeps);
  }

  bool is_projected(ExprId e) const {
    const auto& node = tree_->exprs[e].node;
    if (auto* x = std::get_if<ParenExpr>(&node)) return is_projected(x->inner);
    return std::holds_alternative<MemberExpr>(node) || std::holds_alternative<TuplePartExpr>(node) ||
           std::holds_alternative<IndexExpr>(node);
  }

  void lambda(ExprId e, bool is_kept) {
    const auto& l = std::get<LambdaExpr>(tree_->exprs[e].node);
    if (is_kept) set_expr(out_.trees[file_].is_kept, e);
    lambdas_.push_back({e, out_.trees[file_].is_kept[e] != 0});
    const TypeId type = typed().lambda_type[e];
    bool keeps_result = true;
    if (type.valid() && table_.kind(type) == TypeKind::function) {
      const TypeKind r = table_.kind(table_[type].args.back());
      keeps_result = r != TypeKind::unit && r != TypeKind::ref;
    }
    const bool saved = result_is_view_;
    result_is_view_ = !keeps_result;
    block(l.body, keeps_result);
    result_is_view_ = saved;
    lambdas_.pop_back();
  }

  void set_expr(IdVector<ExprId, std::uint8_t>& table, ExprId e) {
    if (!table[e]) {
      table[e] = 1;
      changed_ = true;
    }
  }

  // A name used inside a kept lambda that is declared outside of it goes with the lambda.
  void captured(ExprId e) {
    const LocalId id = names().exprs[e].local();
    const Local& local = names().locals[id];
    for (auto it = lambdas_.rbegin(); it != lambdas_.rend(); ++it) {
      if (local.lambda == it->lambda) return;  // its own
      if (it->is_kept && moves(typed().locals[id])) {
        keep_local(id, table_.kind(typed().locals[id]) == TypeKind::function);
      }
    }
  }

  void argument(ExprId e, bool keep, bool detached) {
    if (std::holds_alternative<LambdaExpr>(tree_->exprs[e].node)) return lambda(e, detached);
    expr(e, keep);
  }

  void call(ExprId e, const CallExpr& syntax) {
    const CallId id = typed().call_of[e];
    if (!id.valid()) {
      expr(syntax.callee, false);
      for (ExprId a : tree_->list(syntax.positional)) expr(a, false);
      for (const OptionArg& o : tree_->list(syntax.options)) expr(o.value, false);
      return;
    }
    const Call& c = typed().calls[id];
    if (c.kind == CallKind::value) {
      callee(syntax.callee);
      for (ExprId a : c.args) argument(a, true, true);
      return;
    }
    if (c.kind == CallKind::variant) {
      for (ExprId a : c.args) argument(a, true, true);
      return;
    }
    const FnDecl& fn = decls_.fns[c.fn];
    if (c.receiver.valid()) expr(c.receiver, fn.receiver == Receiver::value);
    for (std::size_t i = 0; i < c.args.size(); ++i) {
      if (!c.args[i].valid()) continue;
      const bool keep = i < out_.keeps[c.fn].size() && out_.keeps[c.fn][i];
      const bool detached = i < out_.detached[c.fn].size() && out_.detached[c.fn][i];
      argument(c.args[i], keep || detached, detached);
    }
    for (ExprId o : c.options) {
      if (o.valid()) expr(o, true);
    }
  }

  // Calling a function value only reads the name it is called by.
  void callee(ExprId e) {
    if (std::holds_alternative<PathExpr>(tree_->exprs[e].node)) {
      if (names().exprs[e].kind == Resolution::Kind::local) captured(e);
      return;
    }
    expr(e, false);
  }

  void patterns_taken(PatternId p, bool& any) {
    const Pattern& x = tree_->patterns[p];
    if (x.kind == PatternKind::bind && names().patterns[p].kind == Resolution::Kind::local) {
      any = any || out_.trees[file_].takes[names().patterns[p].local()] != 0;
    }
    for (PatternId part : tree_->list(x.parts)) patterns_taken(part, any);
    std::uint32_t pool = x.fields.begin;
    for (const FieldPattern& f : tree_->list(x.fields)) {
      if (f.pattern.valid()) patterns_taken(f.pattern, any);
      else if (names().field_patterns[pool].valid()) any = any || out_.trees[file_].takes[names().field_patterns[pool]] != 0;
      ++pool;
    }
  }

  void expr(ExprId e, bool keep) {
    const auto& node = tree_->exprs[e].node;
    if (table_.kind(wanted(e)) == TypeKind::ref) keep = false;  // what is handed on is a view
    if (keep) set_expr(out_.trees[file_].is_kept_value, e);
    if (std::holds_alternative<PathExpr>(node) || std::holds_alternative<SelfExpr>(node)) {
      if (names().exprs[e].kind == Resolution::Kind::local) {
        captured(e);
        if (keep && moves(typed().exprs[e])) keep_root(e);
      }
      return;
    }
    if (auto* x = std::get_if<ParenExpr>(&node)) return expr(x->inner, keep);
    if (auto* x = std::get_if<MemberExpr>(&node)) {
      expr(x->object, false);
      if (keep && !x->is_safe && moves(typed().exprs[e])) keep_root(x->object);
      return;
    }
    if (auto* x = std::get_if<TuplePartExpr>(&node)) {
      expr(x->object, false);
      if (keep && !x->is_safe && moves(typed().exprs[e])) keep_root(x->object);
      return;
    }
    if (auto* x = std::get_if<IndexExpr>(&node)) {
      expr(x->object, false);
      expr(x->index, false);
      return;
    }
    if (auto* x = std::get_if<FTextLit>(&node)) {
      for (const FPiece& p : tree_->list(x->pieces)) {
        if (p.hole.valid()) expr(p.hole, false);
      }
      return;
    }
    if (auto* x = std::get_if<TupleExpr>(&node)) {
      for (ExprId part : tree_->list(x->parts)) stored(part, keep);
      return;
    }
    if (auto* x = std::get_if<ListExpr>(&node)) {
      for (ExprId element : tree_->list(x->elements)) stored(element, true);
      return;
    }
    if (auto* x = std::get_if<BlockExpr>(&node)) return block(x->block, keep);
    if (auto* x = std::get_if<UnsafeExpr>(&node)) return block(x->block, keep);
    if (auto* x = std::get_if<IfExpr>(&node)) {
      expr(x->cond, false);
      block(x->then_block, keep);
      if (x->else_branch.valid()) expr(x->else_branch, keep);
      return;
    }
    if (auto* x = std::get_if<MatchExpr>(&node)) {
      bool takes = false;
      for (const Arm& arm : tree_->list(x->arms)) {
        if (arm.guard.valid()) expr(arm.guard, false);
        expr(arm.body, keep);
        if (arm.pattern.valid()) patterns_taken(arm.pattern, takes);
      }
      expr(x->subject, false);
      if (takes) {
        if (auto* tuple = std::get_if<TupleExpr>(&tree_->exprs[x->subject].node)) {
          for (ExprId part : tree_->list(tuple->parts)) keep_root(part);
        } else {
          keep_root(x->subject);
        }
      }
      return;
    }
    if (std::holds_alternative<LambdaExpr>(node)) return lambda(e, true);
    if (auto* x = std::get_if<SpawnExpr>(&node)) return lambda(x->lambda, true);
    if (auto* x = std::get_if<OverlapExpr>(&node)) {
      for (StmtId s : tree_->list(tree_->blocks[x->block].statements)) {
        if (auto* branch = std::get_if<ExprStmt>(&tree_->stmts[s].node)) expr(branch->expr, true);
        else statement(tree_->stmts[s]);
      }
      return;
    }
    if (auto* x = std::get_if<SelectExpr>(&node)) {
      for (const SelectArm& arm : tree_->list(x->arms)) {
        expr(arm.raced, true);
        expr(arm.body, keep);
      }
      return;
    }
    if (auto* x = std::get_if<StructExpr>(&node)) return field_inits(x->fields);
    if (auto* x = std::get_if<WithExpr>(&node)) {
      expr(x->operand, false);
      field_inits(x->fields);
      keep_root(x->operand);
      return;
    }
    if (auto* x = std::get_if<UnaryExpr>(&node)) return expr(x->operand, false);
    if (auto* x = std::get_if<RefExpr>(&node)) return expr(x->operand, false);
    if (auto* x = std::get_if<ComptimeExpr>(&node)) return expr(x->operand, keep);
    if (auto* x = std::get_if<BinaryExpr>(&node)) {
      expr(x->left, false);
      return expr(x->right, false);
    }
    if (auto* x = std::get_if<RangeExpr>(&node)) {
      expr(x->low, false);
      return expr(x->high, false);
    }
    if (auto* x = std::get_if<CastExpr>(&node)) return expr(x->operand, false);
    if (auto* x = std::get_if<CoalesceExpr>(&node)) {
      expr(x->left, keep);
      return expr(x->right, keep);
    }
    if (auto* x = std::get_if<CatchExpr>(&node)) {
      expr(x->guarded, keep);
      return block(x->handler, keep);
    }
    if (auto* x = std::get_if<ReturnExpr>(&node)) {
      if (x->value.valid()) expr(x->value, !result_is_view_);
      return;
    }
    if (auto* x = std::get_if<ThrowExpr>(&node)) return expr(x->value, true);
    if (auto* x = std::get_if<CallExpr>(&node)) return call(e, *x);
  }

  // A part of a literal: kept, unless its slot is declared a view.
  void stored(ExprId e, bool keep) {
    if (std::holds_alternative<LambdaExpr>(tree_->exprs[e].node)) return lambda(e, true);
    expr(e, keep);
  }

  void field_inits(List<FieldInit> fields) {
    std::uint32_t pool = fields.begin;
    for (const FieldInit& f : tree_->list(fields)) {
      if (f.value.valid()) {
        stored(f.value, true);
      } else if (names().field_inits[pool].kind == Resolution::Kind::local) {
        const LocalId id = names().field_inits[pool].local();
        if (moves(typed().locals[id])) keep_local(id, table_.kind(typed().locals[id]) == TypeKind::function);
        for (const auto& l : lambdas_) {
          if (l.is_kept && !(names().locals[id].lambda == l.lambda) && moves(typed().locals[id])) keep_local(id, false);
        }
      }
      ++pool;
    }
  }

  struct OpenLambda {
    ExprId lambda;
    bool is_kept;
  };

  const Compilation& compilation_;
  const TypeTable& table_;
  const Declarations& decls_;
  const Names& names_;
  const Types& types_;
  Contracts& out_;
  PassContext& context_;
  const Tree* tree_ = nullptr;
  FileId file_;
  FnId fn_;
  const FnItem* item_ = nullptr;
  std::vector<OpenLambda> lambdas_;
  bool result_is_view_ = false;
  bool changed_ = false;
};

void run(PassContext& context) { Inference(context).run(); }

constexpr const char* required[] = {"declarations@1", "names@1", "types@1", nullptr};
constexpr const char* provided[] = {"contracts@1", nullptr};
constexpr Pass passes[] = {{"contracts", "infer which parameters are kept", NIKAIA_VERSION, PassKind::analysis, PassStage::tree,
                            false, required, provided, nullptr, nullptr, nullptr, false, run}};

}  // namespace
}  // namespace nikaia::lang::contracts

NIKAIA_PASS_PLUGIN(nikaia::lang::contracts::passes)
