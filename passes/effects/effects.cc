// The pass `effects`: what each body does: whether it can pause, with which errors it can fail, what it
// touches (language 04 §1.2, §1.6, §3, §4).
//
// Each function starts from nothing and is walked again until nothing grows; all sets only grow, so the result
// is the least solution over the call graph. A walk adds up the effects of a body: those of the library's rows
// as the ledger has them, those of the program's functions as far as they are known, those of a lambda where
// the row says that the lambda decides. A `catch` collects the failures of what it guards in a set of its own.
// A last walk writes the facts of single expressions and the refusals.
//
// A function that does not say `throws` counts as one that cannot fail for its callers; the one call that
// contradicts it is refused. Cost: one walk of all bodies per round; rounds are bounded by the longest chain
// of calls along which something new is learnt.
#include <algorithm>
#include <unordered_map>

#include <nikaia/pass.h>

#include "lang/compilation.h"
#include "lang/facts/effects.h"

namespace nikaia::lang::effects {
namespace {

using namespace ast;

// The effects of one piece of code.
struct Sum {
  bool pauses = false;
  bool fails = false;       // also where no error can be named
  bool open = false;        // `"?"` is one of them
  std::vector<TypeId> throws;
  bool touches_all = false;
  std::vector<std::string> touches;
  bool locks = false;
  ExprId first_failure;     // where it comes from, for the message
  ExprId first_pause;

  void add_error(TypeId t) {
    fails = true;
    if (std::find(throws.begin(), throws.end(), t) == throws.end()) throws.push_back(t);
  }
  void add_failures(const Sum& other, ExprId at) {
    if (!other.fails) return;
    if (!fails) first_failure = other.first_failure.valid() ? other.first_failure : at;
    fails = true;
    open = open || other.open;
    for (TypeId t : other.throws) add_error(t);
  }
  void add_rest(const Sum& other, ExprId at) {
    if (other.pauses && !pauses) first_pause = other.first_pause.valid() ? other.first_pause : at;
    pauses = pauses || other.pauses;
    touches_all = touches_all || other.touches_all;
    locks = locks || other.locks;
    for (const std::string& t : other.touches) {
      if (std::find(touches.begin(), touches.end(), t) == touches.end()) touches.push_back(t);
    }
  }
  void add(const Sum& other, ExprId at) {
    add_failures(other, at);
    add_rest(other, at);
  }
};

class Inference {
 public:
  explicit Inference(PassContext& context)
      : compilation_(context.compilation()), table_(context.types()), decls_(context.require(declarations_fact)),
        names_(context.require(names_fact)), types_(context.require(types_fact)), out_(context.provide(effects_fact)),
        sink_(context.sink()), context_(context) {}

  void run() {
    out_.fns.resize(decls_.fns.size());
    out_.trees.resize(compilation_.trees.size());
    for (std::size_t i = 0; i < compilation_.trees.size(); ++i) {
      const FileId file(i);
      const std::size_t count = compilation_.trees[file].exprs.size();
      out_.trees[file].exprs.resize(count, 0);
      out_.trees[file].lambdas.resize(count);
      out_.trees[file].error_type.resize(count);
    }
    for (std::size_t i = 0; i < decls_.fns.size(); ++i) library_row(FnId(i));
    do {
      changed_ = false;
      for (std::size_t i = 0; i < decls_.fns.size(); ++i) function(FnId(i), false);
    } while (changed_);
    for (std::size_t i = 0; i < decls_.fns.size(); ++i) function(FnId(i), true);
    check_impls();
  }

 private:
  void library_row(FnId id) {
    const FnDecl& fn = decls_.fns[id];
    FnEffects& e = out_.fns[id];
    if (!fn.key.empty()) {
      e.may_pause = fn.may_pause;
      e.can_fail = !fn.throws.empty();
      e.throws = fn.throws;
      e.touches = fn.touches;
      e.touches_all = fn.touches_all;
      e.takes_lock = fn.takes_lock;
    } else {
      e.can_fail = fn.says_throws;
      if (fn.is_signature) {  // a call through a bound has the declaration's effects
        e.may_pause = !fn.says_sync;
        e.throws_open = fn.says_throws;
        e.touches_all = true;
      }
    }
  }

  void function(FnId id, bool is_last) {
    const FnDecl& fn = decls_.fns[id];
    if (!fn.item.valid() || fn.is_signature) return;
    file_ = fn.item.file;
    tree_ = &compilation_.trees[file_];
    const auto* item = std::get_if<FnItem>(&tree_->items[fn.item.node].node);
    if (!item || !item->body.valid()) return;
    context_.looking_at(compilation_.names.text(fn.name), compilation_.sources.path(file_));
    is_last_ = is_last;
    fn_ = id;
    values_.clear();
    error_sets_.clear();
    lambda_reported_ = false;
    Sum s;
    block(item->body, s);
    FnEffects& e = out_.fns[id];
    if (is_last) {
      if (s.fails && !fn.says_throws && !lambda_reported_) undeclared_failure(fn, s);
      if (s.pauses && fn.says_sync && fn.sync_params.empty()) undeclared_pause(fn, s);
      return;
    }
    auto grow = [&](bool& slot, bool value) {
      if (value && !slot) {
        slot = true;
        changed_ = true;
      }
    };
    grow(e.may_pause, s.pauses && !fn.says_sync);
    grow(e.touches_all, s.touches_all);
    grow(e.takes_lock, s.locks);
    if (fn.says_throws) {
      grow(e.throws_open, s.open);
      std::sort(s.throws.begin(), s.throws.end());
      if (s.throws != e.throws) {
        e.throws = s.throws;
        changed_ = true;
      }
    }
    if (e.touches.size() != s.touches.size()) {
      e.touches = s.touches;
      changed_ = true;
    }
  }

  // ---- refusals ------------------------------------------------------------------------------------

  std::string source(ExprId e) const { return std::string(compilation_.sources.text(tree_->exprs[e].span)); }

  // What a call is called by: its callee as written.
  std::string called(ExprId e) const {
    if (auto* c = std::get_if<CallExpr>(&tree_->exprs[e].node)) {
      if (auto* m = std::get_if<MemberExpr>(&tree_->exprs[c->callee].node)) {
        return std::string(compilation_.names.text(m->member.name));
      }
      return source(c->callee);
    }
    std::string s = source(e);
    const auto line = s.find('\n');
    return line == std::string::npos ? s : s.substr(0, line);
  }

  std::string signature(const FnDecl& fn) const {
    const auto& item = std::get<FnItem>(compilation_.trees[fn.item.file].items[fn.item.node].node);
    return std::string(compilation_.sources.text(item.signature_span));
  }

  std::string error_names(const std::vector<TypeId>& errors) const {
    std::string s;
    for (std::size_t i = 0; i < errors.size(); ++i) {
      if (i) s += i + 1 == errors.size() ? " or " : ", ";
      s += "`" + type_text(table_, decls_, compilation_.names, errors[i]) + "`";
    }
    return s;
  }

  void undeclared_failure(const FnDecl& fn, const Sum& s) {
    const std::string name(compilation_.names.text(fn.name));
    const ExprId at = s.first_failure;
    const Span span = tree_->exprs[at].span;
    if (step_failures_.count(at.index)) {
      auto message = sink_.error(Code::NK2701, span, source(at), name, signature(fn));
      message.primary_label("a step of this can fail");
      if (!s.throws.empty()) message.note("A step fails with " + error_names(s.throws) + ".");
      return;
    }
    if (std::holds_alternative<ThrowExpr>(tree_->exprs[at].node)) {
      sink_.error(Wording::NK2605_throws_here, span, name, signature(fn)).primary_label("thrown here");
      return;
    }
    Sum own = call_failures(at);
    auto message = sink_.error(Code::NK2605, span, name, called(at), signature(fn));
    message.primary_label("this call can fail");
    if (!own.throws.empty()) message.note("`" + called(at) + "` fails with " + error_names(own.throws) + ".");
    message.note("A failure you don't handle here leaves `" + name + "`; the call itself doesn't show it.");
  }

  void undeclared_pause(const FnDecl& fn, const Sum& s) {
    const std::string name(compilation_.names.text(fn.name));
    const ExprId at = s.first_pause;
    const auto& node = tree_->exprs[at].node;
    if (std::holds_alternative<OverlapExpr>(node) || std::holds_alternative<SelectExpr>(node)) {
      sink_.error(Wording::NK2202_construct, tree_->exprs[at].span, name,
                  std::holds_alternative<OverlapExpr>(node) ? "an `overlap`" : "a `select`");
      return;
    }
    sink_.error(Code::NK2202, tree_->exprs[at].span, name, called(at)).primary_label("this can pause");
  }

  void check_impls() {
    for (const ImplDecl& impl : decls_.impls) {
      if (!impl.trait.valid() || !impl.item.valid()) continue;
      for (const auto& [name, method] : impl.methods) {
        const auto& declared = decls_.traits[impl.trait].methods;
        auto it = declared.find(name);
        if (it == declared.end()) continue;
        const FnDecl& promise = decls_.fns[it->second];
        const FnDecl& own = decls_.fns[method];
        const std::string text(compilation_.names.text(name)), trait(compilation_.names.text(decls_.traits[impl.trait].name));
        if (promise.says_sync && out_.fns[method].may_pause) sink_.error(Code::NK1129, own.span, text, trait);
        if (!promise.says_throws && own.says_throws) sink_.error(Code::NK1140, own.span, text, trait);
      }
    }
  }

  // ---- the walk --------------------------------------------------------------------------------------

  const TreeNames& names() const { return names_[file_]; }
  const TreeTypes& typed() const { return types_[file_]; }

  void mark(ExprId e, std::uint8_t bits) {
    if (is_last_) out_.trees[file_].exprs[e] |= bits;
  }

  void block(BlockId b, Sum& s) {
    for (StmtId id : tree_->list(tree_->blocks[b].statements)) statement(id, s);
  }

  void statement(StmtId id, Sum& s) {
    const Stmt& x = tree_->stmts[id];
    if (auto* n = std::get_if<LetStmt>(&x.node)) {
      expr(n->value, s);
      if (!n->is_tuple && names().binds[n->binds.begin].valid()) values_[names().binds[n->binds.begin].index] = n->value;
    } else if (auto* n = std::get_if<AssignStmt>(&x.node)) {
      expr(n->value, s);
      expr(n->place, s);
    } else if (auto* n = std::get_if<WhileStmt>(&x.node)) {
      expr(n->cond, s);
      block(n->body, s);
    } else if (auto* n = std::get_if<ForStmt>(&x.node)) {
      expr(n->subject, s);
      Sum step = step_of(n->subject);
      if (step.fails) {
        mark(n->subject, effect_step_fails);
        step.first_failure = n->subject;
        step_failures_.insert({n->subject.index, true});
      }
      if (step.pauses) mark(n->subject, effect_step_pauses);
      s.add(step, n->subject);
      block(n->body, s);
    } else if (auto* n = std::get_if<JumpIfStmt>(&x.node)) {
      expr(n->cond, s);
      expr(n->jump, s);
    } else if (auto* n = std::get_if<ExprStmt>(&x.node)) {
      expr(n->expr, s);
    }
  }

  // What one step of the sequence `e` comes to can do.
  Sum step_of(ExprId e, int depth = 0) {
    Sum s;
    if (depth > 64) return s;
    const TypeId type = table_.without_ref(typed().exprs[e]);
    if (table_.kind(type) != TypeKind::seq) return s;
    const auto& node = tree_->exprs[e].node;
    if (auto* p = std::get_if<ParenExpr>(&node)) return step_of(p->inner, depth + 1);
    if (std::holds_alternative<PathExpr>(node) && names().exprs[e].kind == Resolution::Kind::local) {
      auto it = values_.find(names().exprs[e].index);
      if (it != values_.end()) return step_of(it->second, depth + 1);
    }
    const std::uint8_t words = table_[type].words;
    if (std::holds_alternative<CallExpr>(node) && typed().call_of[e].valid()) {
      const Call& c = typed().calls[typed().call_of[e]];
      if (c.receiver.valid()) s.add(step_of(c.receiver, depth + 1), e);
      for (ExprId a : c.args) {
        if (!a.valid()) continue;
        if (std::holds_alternative<LambdaExpr>(tree_->exprs[a].node)) {
          s.add(lambda_sum(a), a);
        } else {
          s.add(step_of(a, depth + 1), a);
        }
      }
    }
    if (words & seq_pauses) {
      s.pauses = true;
      if (!s.first_pause.valid()) s.first_pause = e;
    }
    if ((words & seq_throws) && !s.fails) {
      if (decls_.io_error.valid()) s.add_error(table_.named(decls_.io_error));
      s.fails = true;
    }
    return s;
  }

  Sum lambda_sum(ExprId lambda) const {
    const FnEffects& e = out_.trees[file_].lambdas[lambda];
    Sum s;
    s.pauses = e.may_pause;
    s.fails = e.can_fail;
    s.open = e.throws_open;
    s.throws = e.throws;
    s.touches = e.touches;
    s.touches_all = e.touches_all;
    s.locks = e.takes_lock;
    return s;
  }

  Sum sum_of(FnId fn) const {
    const FnEffects& e = out_.fns[fn];
    Sum s;
    s.pauses = e.may_pause;
    s.fails = e.can_fail;
    s.open = e.throws_open;
    s.throws = e.throws;
    s.touches = e.touches;
    s.touches_all = e.touches_all;
    s.locks = e.takes_lock;
    return s;
  }

  Sum lambda_body(ExprId e) {
    const auto& l = std::get<LambdaExpr>(tree_->exprs[e].node);
    Sum s;
    block(l.body, s);
    FnEffects made;
    made.may_pause = s.pauses;
    made.can_fail = s.fails;
    made.throws = s.throws;
    std::sort(made.throws.begin(), made.throws.end());
    made.throws_open = s.open;
    made.touches = s.touches;
    made.touches_all = s.touches_all;
    made.takes_lock = s.locks;
    out_.trees[file_].lambdas[e] = std::move(made);
    return s;
  }

  // The lambda behind a task's handle, where the handle is a name or the `spawn` itself.
  ExprId task_lambda(ExprId handle, int depth = 0) const {
    if (depth > 64) return {};
    const auto& node = tree_->exprs[handle].node;
    if (auto* p = std::get_if<ParenExpr>(&node)) return task_lambda(p->inner, depth + 1);
    if (auto* s = std::get_if<SpawnExpr>(&node)) return s->lambda;
    if (std::holds_alternative<PathExpr>(node) && names().exprs[handle].kind == Resolution::Kind::local) {
      auto it = values_.find(names().exprs[handle].index);
      if (it != values_.end()) return task_lambda(it->second, depth + 1);
    }
    return {};
  }

  // What the call `e` itself does, its arguments aside.
  Sum call_failures(ExprId e) {
    Sum own;
    if (!std::holds_alternative<CallExpr>(tree_->exprs[e].node)) return own;
    const CallId id = typed().call_of[e];
    if (!id.valid()) return own;
    const Call& c = typed().calls[id];
    if (c.kind == CallKind::variant) return own;
    if (c.kind == CallKind::value) {
      const auto& syntax = std::get<CallExpr>(tree_->exprs[e].node);
      const Type& t = table_[table_.without_ref(typed().exprs[syntax.callee])];
      own.fails = own.open = t.is_throws;
      own.pauses = !t.is_sync;
      own.touches_all = true;
      return own;
    }
    const FnDecl& fn = decls_.fns[c.fn];
    own = sum_of(c.fn);
    const bool makes_seq = table_.kind(table_.without_ref(c.result)) == TypeKind::seq;
    if (fn.key == "TaskHandle.join") {
      if (ExprId l = task_lambda(c.receiver); l.valid()) {
        Sum task = lambda_sum(l);
        own.fails = task.fails;
        own.open = task.open;
        own.throws = task.throws;
      }
    }
    if (!fn.key.empty() && c.receiver.valid() && !makes_seq) {
      Sum step = step_of(c.receiver);  // an eager row over a sequence whose step fails
      if (fn.receiver == Receiver::value) own.add(step, e);
    }
    for (std::size_t i = 0; i < c.args.size(); ++i) {
      const ExprId a = c.args[i];
      if (!a.valid()) continue;
      const bool is_lambda = std::holds_alternative<LambdaExpr>(tree_->exprs[a].node);
      if (is_lambda && fn.lambda_decides && !makes_seq) {
        own.add(lambda_sum(a), e);
      } else if (is_lambda && fn.key.empty()) {
        // The program's own function: what a lambda it only runs touches and throws is added at the call.
        const TypeId pt = i < fn.params.size() ? fn.params[i].type : TypeId{};
        if (pt.valid() && table_.kind(pt) == TypeKind::function && table_[pt].is_throws) {
          Sum l = lambda_sum(a);
          for (TypeId t : l.throws) own.add_error(t);
          if (l.fails && own.fails && own.throws.size() == l.throws.size()) own.open = l.open;
        }
      } else if (fn.lambda_decides && table_.kind(table_.without_ref(typed().exprs[a])) == TypeKind::function && !makes_seq) {
        const Type& t = table_[table_.without_ref(typed().exprs[a])];
        own.fails = own.fails || t.is_throws;
        own.open = own.open || t.is_throws;
        own.pauses = own.pauses || !t.is_sync;
      }
    }
    return own;
  }

  void call(ExprId e, const CallExpr& syntax, Sum& s) {
    if (auto* m = std::get_if<MemberExpr>(&tree_->exprs[syntax.callee].node)) expr(m->object, s);
    else if (!std::holds_alternative<PathExpr>(tree_->exprs[syntax.callee].node)) expr(syntax.callee, s);
    const CallId id = typed().call_of[e];
    const FnDecl* fn = id.valid() && typed().calls[id].kind != CallKind::value && typed().calls[id].kind != CallKind::variant
                           ? &decls_.fns[typed().calls[id].fn] : nullptr;
    std::size_t position = 0;
    for (ExprId a : tree_->list(syntax.positional)) {
      if (std::holds_alternative<LambdaExpr>(tree_->exprs[a].node)) {
        Sum l = lambda_body(a);
        if (is_last_) check_lambda(a, l, fn, position);
      } else {
        expr(a, s);
      }
      ++position;
    }
    for (const OptionArg& o : tree_->list(syntax.options)) expr(o.value, s);
    Sum own = call_failures(e);
    if (own.fails) {
      own.first_failure = e;
      mark(e, effect_fails);
    }
    if (own.pauses) {
      own.first_pause = e;
      mark(e, effect_pauses);
    }
    s.add(own, e);
  }

  // A lambda for a parameter whose type does not say `throws`, or says `sync`.
  void check_lambda(ExprId lambda, const Sum& l, const FnDecl* fn, std::size_t position) {
    if (!fn || fn->lambda_decides || position >= fn->params.size()) return;
    const TypeId pt = fn->params[position].type;
    if (!pt.valid() || table_.kind(pt) != TypeKind::function) return;
    const std::string name(compilation_.names.text(fn->name));
    if (l.fails && !table_[pt].is_throws) {
      sink_.error(Code::NK2606, tree_->exprs[l.first_failure.valid() ? l.first_failure : lambda].span, name,
                  l.first_failure.valid() ? called(l.first_failure) : source(lambda));
    } else if (l.pauses && table_[pt].is_sync) {
      sink_.error(Code::NK2206, tree_->exprs[l.first_pause.valid() ? l.first_pause : lambda].span, name,
                  l.first_pause.valid() ? called(l.first_pause) : source(lambda));
    }
  }

  void expr(ExprId e, Sum& s) {
    const auto& node = tree_->exprs[e].node;
    if (auto* x = std::get_if<ParenExpr>(&node)) return expr(x->inner, s);
    if (auto* x = std::get_if<FTextLit>(&node)) {
      for (const FPiece& p : tree_->list(x->pieces)) {
        if (p.hole.valid()) expr(p.hole, s);
      }
    } else if (auto* x = std::get_if<TupleExpr>(&node)) {
      for (ExprId p : tree_->list(x->parts)) expr(p, s);
    } else if (auto* x = std::get_if<ListExpr>(&node)) {
      for (ExprId p : tree_->list(x->elements)) expr(p, s);
    } else if (auto* x = std::get_if<BlockExpr>(&node)) {
      block(x->block, s);
    } else if (auto* x = std::get_if<UnsafeExpr>(&node)) {
      block(x->block, s);
    } else if (auto* x = std::get_if<IfExpr>(&node)) {
      expr(x->cond, s);
      block(x->then_block, s);
      if (x->else_branch.valid()) expr(x->else_branch, s);
    } else if (auto* x = std::get_if<MatchExpr>(&node)) {
      expr(x->subject, s);
      for (const Arm& arm : tree_->list(x->arms)) {
        if (arm.guard.valid()) expr(arm.guard, s);
        expr(arm.body, s);
      }
    } else if (std::holds_alternative<LambdaExpr>(node)) {
      lambda_body(e);  // kept: whoever calls it answers for what it does
    } else if (auto* x = std::get_if<SpawnExpr>(&node)) {
      lambda_body(x->lambda);  // a task of its own
    } else if (auto* x = std::get_if<OverlapExpr>(&node)) {
      for (StmtId id : tree_->list(tree_->blocks[x->block].statements)) {
        if (auto* branch = std::get_if<ExprStmt>(&tree_->stmts[id].node)) {
          Sum b;
          expr(branch->expr, b);
          if (b.fails) mark(branch->expr, effect_branch_fails);
          s.add(b, branch->expr);
        } else {
          statement(id, s);
        }
      }
      pause_at(e, s);
    } else if (auto* x = std::get_if<SelectExpr>(&node)) {
      for (const SelectArm& arm : tree_->list(x->arms)) {
        expr(arm.raced, s);
        expr(arm.body, s);
      }
      pause_at(e, s);
    } else if (auto* x = std::get_if<StructExpr>(&node)) {
      for (const FieldInit& f : tree_->list(x->fields)) {
        if (f.value.valid()) expr(f.value, s);
      }
    } else if (auto* x = std::get_if<WithExpr>(&node)) {
      expr(x->operand, s);
      for (const FieldInit& f : tree_->list(x->fields)) {
        if (f.value.valid()) expr(f.value, s);
      }
    } else if (auto* x = std::get_if<UnaryExpr>(&node)) {
      expr(x->operand, s);
    } else if (auto* x = std::get_if<RefExpr>(&node)) {
      expr(x->operand, s);
    } else if (auto* x = std::get_if<ComptimeExpr>(&node)) {
      expr(x->operand, s);
    } else if (auto* x = std::get_if<BinaryExpr>(&node)) {
      expr(x->left, s);
      expr(x->right, s);
    } else if (auto* x = std::get_if<RangeExpr>(&node)) {
      expr(x->low, s);
      expr(x->high, s);
    } else if (auto* x = std::get_if<CastExpr>(&node)) {
      expr(x->operand, s);
    } else if (auto* x = std::get_if<CoalesceExpr>(&node)) {
      expr(x->left, s);
      expr(x->right, s);
    } else if (auto* x = std::get_if<CatchExpr>(&node)) {
      Sum guarded;
      expr(x->guarded, guarded);
      if (is_last_ && !guarded.fails) cannot_fail(e, *x);
      std::sort(guarded.throws.begin(), guarded.throws.end());
      error_sets_[names().error_of[e].index] = guarded;
      out_.trees[file_].error_type[e] = table_.error_sum(guarded.throws, guarded.open || guarded.throws.empty());
      s.add_rest(guarded, e);
      block(x->handler, s);
    } else if (auto* x = std::get_if<ReturnExpr>(&node)) {
      if (x->value.valid()) expr(x->value, s);
    } else if (auto* x = std::get_if<ThrowExpr>(&node)) {
      expr(x->value, s);
      thrown(e, x->value, s);
    } else if (auto* x = std::get_if<MemberExpr>(&node)) {
      expr(x->object, s);
    } else if (auto* x = std::get_if<TuplePartExpr>(&node)) {
      expr(x->object, s);
    } else if (auto* x = std::get_if<IndexExpr>(&node)) {
      expr(x->object, s);
      expr(x->index, s);
    } else if (auto* x = std::get_if<CallExpr>(&node)) {
      call(e, *x, s);
    }
  }

  void pause_at(ExprId e, Sum& s) {
    mark(e, effect_pauses);
    if (!s.pauses) s.first_pause = e;
    s.pauses = true;
  }

  void thrown(ExprId e, ExprId value, Sum& s) {
    Sum own;
    if (names().exprs[value].kind == Resolution::Kind::local) {
      auto it = error_sets_.find(names().exprs[value].index);
      if (it != error_sets_.end()) {
        own = it->second;  // `throw error` hands on the whole set
        own.fails = true;
        own.first_failure = e;
        s.add_failures(own, e);
        return;
      }
    }
    const TypeId t = table_.without_ref(typed().exprs[value]);
    own.fails = true;
    own.first_failure = e;
    if (table_.kind(t) == TypeKind::named) own.throws.push_back(t);
    else own.open = true;
    s.add_failures(own, e);
  }

  void cannot_fail(ExprId e, const CatchExpr& x) {
    // Never refused over a call that hands a lambda to a parameter whose type says `throws`.
    if (auto* c = std::get_if<CallExpr>(&tree_->exprs[x.guarded].node)) {
      const CallId id = typed().call_of[x.guarded];
      if (id.valid() && typed().calls[id].kind != CallKind::value && typed().calls[id].kind != CallKind::variant) {
        for (const ParamInfo& p : decls_.fns[typed().calls[id].fn].params) {
          if (p.type.valid() && table_.kind(p.type) == TypeKind::function && table_[p.type].is_throws) return;
        }
      }
      if (!id.valid()) return;
      (void)c;
    }
    if (table_.kind(typed().exprs[x.guarded]) == TypeKind::error) return;
    // The word stands between what is guarded and the handler.
    const Span guarded = tree_->exprs[x.guarded].span;
    const Span handler = tree_->blocks[x.handler].span;
    const std::string_view between = compilation_.sources.text(Span{guarded.file, guarded.end, handler.begin});
    const auto at = between.find("catch");
    Span word = at == std::string_view::npos ? tree_->exprs[e].span
                                             : Span{guarded.file, static_cast<std::uint32_t>(guarded.end + at),
                                                    static_cast<std::uint32_t>(guarded.end + at + 5)};
    sink_.error(Code::NK1134, word, source(x.guarded));
  }

  const Compilation& compilation_;
  TypeTable& table_;
  const Declarations& decls_;
  const Names& names_;
  const Types& types_;
  Effects& out_;
  Sink& sink_;
  PassContext& context_;
  FileId file_;
  const Tree* tree_ = nullptr;
  FnId fn_;
  bool is_last_ = false;
  bool changed_ = false;
  bool lambda_reported_ = false;
  std::unordered_map<std::uint32_t, ExprId> values_;       // what a `let` bound, by LocalId
  std::unordered_map<std::uint32_t, Sum> error_sets_;      // what arrives at a `catch`, by its `error`
  std::unordered_map<std::uint32_t, bool> step_failures_;  // subjects whose step fails, by ExprId
};

void run(PassContext& context) { Inference(context).run(); }

constexpr const char* required[] = {"declarations@1", "names@1", "types@1", nullptr};
constexpr const char* provided[] = {"effects@1", nullptr};
constexpr const char* codes[] = {"NK1129", "NK1134", "NK1140", "NK2202", "NK2206", "NK2605", "NK2606", "NK2701", nullptr};
constexpr Pass passes[] = {{"effects", "infer what pauses, fails and touches", NIKAIA_VERSION, PassKind::analysis, PassStage::tree,
                            false, required, provided, nullptr, codes, nullptr, false, run}};

}  // namespace
}  // namespace nikaia::lang::effects

NIKAIA_PASS_PLUGIN(nikaia::lang::effects::passes)
