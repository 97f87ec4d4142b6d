// Bodies become events. One walk of each body, in the order of evaluation.
#include <algorithm>
#include <utility>

#include "lang/types/teardown.h"
#include "passes/effects/body_values.h"
#include "passes/effects/ways.h"

namespace nikaia::lang::effects {

using namespace ast;

namespace {

class BodyCollector : BodyValues {
 public:
  BodyCollector(Program& program, FileId file) : BodyValues(program, file), caught_(names_.locals.size()) {}

  void function(FnId id) {
    const FnDecl& fn = p_.decls.fns[id];
    const auto& item = std::get<FnItem>(t_.items[fn.item.node].node);
    if (!item.body.valid()) return;
    begin(id);
    here_ = body_ = open(Collector::Kind::function, ExprId());
    p_.collectors[here_].fn = id;
    p_.body_of[id] = here_;
    params_of_ = item.params;
    const LocalId self = fn.receiver == Receiver::value ? names_.self_of[fn.item.node] : LocalId();
    bind(self);
    std::vector<LocalId> kept;
    for (std::size_t i = 0; i < item.params.count && i < p_.contracts.keeps[id].size(); ++i) {
      if (p_.contracts.keeps[id][i]) kept.push_back(names_.params[item.params.begin + i]);
    }
    for (LocalId param : kept) bind(param);
    block(item.body);
    const auto statements = t_.list(t_.blocks[item.body].statements);
    if (const auto* tail = statements.empty() ? nullptr : std::get_if<ExprStmt>(&t_.stmts[statements.back()].node))
      returned(tail->expr);
    for (auto it = kept.rbegin(); it != kept.rend(); ++it) die(*it);
    die(self);
  }

  void test(ItemId item) {
    const auto& test = std::get<TestItem>(t_.items[item].node);
    if (!test.body.valid()) return;
    begin(FnId());
    here_ = body_ = open(Collector::Kind::test, ExprId());
    p_.tests.push_back(here_);
    block(test.body);
  }

 private:
  void begin(FnId id) {
    fn_ = id;
    ways_.begin();
    body_depth_ = loop_depth_ = 0;
    mentioned_.clear();
    replaced_.clear();
    branch_ = Span();
    lambdas_.clear();
    tasks_.clear();
  }

  CollectorId open(Collector::Kind kind, ExprId expr) {
    Collector c;
    c.kind = kind;
    c.file = file_;
    c.expr = expr;
    return p_.collectors.add(std::move(c));
  }

  Event& event(Event::Kind kind, ExprId expr) {
    Event e;
    e.kind = kind;
    e.expr = expr;
    e.branch = branch_;
    if (expr.valid()) e.span = t_.exprs[expr].span;
    return p_.collectors[here_].events.emplace_back(std::move(e));
  }

  template <class F>
  CollectorId inside(Collector::Kind kind, ExprId expr, F&& body) {
    const CollectorId outer = here_;
    const CollectorId made = open(kind, expr);
    here_ = made;
    body();
    here_ = outer;
    return made;
  }

  // ---- statements ----

  void block(BlockId id) {
    std::vector<LocalId> bound;
    for (StmtId s : t_.list(t_.blocks[id].statements)) stmt(s, bound);
    for (auto it = bound.rbegin(); it != bound.rend(); ++it) die(*it);
  }

  // What runs only sometimes.
  template <class F>
  void sometimes(F&& body) {
    const Ways::State before = ways_.now();
    body();
    ways_.join(before);
  }

  // What may run again, and may be left from within.
  template <class F>
  void in_turns(F&& body) {
    const std::size_t outer = std::exchange(loop_depth_, ways_.depth());
    sometimes(body);
    loop_depth_ = outer;
  }

  void bind(LocalId local) {
    if (!local.valid()) return;
    const TypeId type = types_.locals[local];
    if (!type.valid() || p_.table.kind(type) == TypeKind::ref) return;
    const Teardown ends = teardown_of(p_.table, p_.decls, type);
    if (!ends.cleanups.empty() || !ends.params.empty()) ways_.bind(local);
  }

  // A name stands where its value is kept. What a `catch` guards may have failed before, unless nothing there can.
  void hand_over(LocalId local) {
    ways_.hand_over(local);
    const Collector& c = p_.collectors[here_];
    if (c.kind == Collector::Kind::guarded && c.events.empty()) first_handed_.push_back(local);
  }

  // The cleanup of a name, where its block ends and it is not handed over on every way there.
  void die(LocalId local) {
    if (!local.valid() || !(ways_.last() == local) || !ways_.unbind()) return;
    note_open(types_.locals[local]);
    if (cleanups_of(p_, types_.locals[local]).empty()) return;
    Event& e = event(Event::Kind::cleanup, ExprId());
    e.span = names_.locals[local].span;
    e.name = p_.text(names_.locals[local].name);
    e.cleanups = cleanups_of(p_, types_.locals[local]);
  }

  // A value of the type ends in this function: in a generic one, whatever its type parameters stand for.
  void note_open(TypeId type) {
    if (!fn_.valid()) return;
    auto& all = p_.ends_params[fn_];
    for (TypeParamId p : teardown_of(p_.table, p_.decls, type).params) {
      if (std::find(all.begin(), all.end(), p) == all.end()) all.push_back(p);
    }
  }

  // A value that nobody keeps dies at the end of its statement.
  void note_temporary(ExprId id) {
    if (p_.contracts.trees[file_].is_kept_value[id]) return;
    const TypeId type = type_of(id);
    if (!type.valid() || p_.table.kind(type) == TypeKind::ref) return;
    note_open(type);
    if (!cleanups_of(p_, type).empty()) temporaries_.push_back(id);
  }
  // What a place or a container held before ends in the middle of the block.
  void ends(ExprId place, TypeId type) {
    if (!type.valid() || p_.table.kind(type) == TypeKind::ref) return;
    note_open(type);
    std::vector<FnId> cleanups = cleanups_of(p_, type);
    if (cleanups.empty()) return;
    Event& e = event(Event::Kind::cleanup, ExprId());
    e.span = t_.exprs[place].span;
    e.name = p_.source.sources.text(e.span);
    e.cleanups = std::move(cleanups);
  }
  void temporaries_die(std::size_t from) {
    for (std::size_t i = from; i < temporaries_.size(); ++i) {
      const ExprId id = temporaries_[i];
      Event& e = event(Event::Kind::cleanup, ExprId());
      e.span = t_.exprs[id].span;
      e.name = p_.source.sources.text(e.span);
      e.cleanups = cleanups_of(p_, type_of(id));
    }
    temporaries_.resize(from);
  }

  void stmt(StmtId id, std::vector<LocalId>& bound) {
    const std::size_t temporaries = temporaries_.size();
    stmt_itself(id, bound);
    temporaries_die(temporaries);
  }

  void stmt_itself(StmtId id, std::vector<LocalId>& bound) {
    const auto& node = t_.stmts[id].node;
    if (const auto* let = std::get_if<LetStmt>(&node)) {
      expr(let->value);
      for (std::size_t i = 0; i < let->binds.count; ++i) {
        const LocalId local = names_.binds[let->binds.begin + i];
        if (!local.valid()) continue;
        bound.push_back(local);
        bind(local);
        if (!let->is_tuple) initial_[local.index] = let->value;
      }
    } else if (const auto* assign = std::get_if<AssignStmt>(&node)) {
      expr(assign->value);
      const ExprId target = bare(assign->place);
      const bool is_whole = assign->op == AssignOp::set && std::holds_alternative<PathExpr>(t_.exprs[target].node) &&
                            names_.exprs[target].kind == Resolution::Kind::local;
      if (is_whole) {
        replaced_.push_back(names_.exprs[target].local());
        ways_.replace(names_.exprs[target].local());
      } else {
        expr(assign->place);
        if (assign->op == AssignOp::set) {
          const auto* index = std::get_if<IndexExpr>(&t_.exprs[target].node);
          const bool is_map = index != nullptr && types_.index_of[target] == IndexKind::map;
          const TypeId map = is_map ? p_.table.without_ref(type_of(index->object)) : TypeId();
          ends(assign->place, is_map ? p_.table[map].args.back() : type_of(assign->place));
        }
      }
    } else if (const auto* loop = std::get_if<WhileStmt>(&node)) {
      in_turns([&] {
        expr(loop->cond);
        block(loop->body);
      });
    } else if (const auto* walk = std::get_if<ForStmt>(&node)) {
      expr(walk->subject);
      refuse_ref(p_, file_, walk->subject, "a `for`");
      if (Step step = step_of(walk->subject); step.any()) {
        Event& e = event(Event::Kind::step, walk->subject);
        e.name = p_.source.sources.text(t_.exprs[walk->subject].span);
        e.step = std::move(step);
        for (const Code& code : e.step.codes) note_handed(code);
      }
      in_turns([&] {
        for (std::size_t i = 0; i < walk->binds.count; ++i) bind(names_.binds[walk->binds.begin + i]);
        block(walk->body);
        for (std::size_t i = walk->binds.count; i-- > 0;) die(names_.binds[walk->binds.begin + i]);
      });
    } else if (const auto* jump = std::get_if<JumpIfStmt>(&node)) {
      expr(jump->cond);
      sometimes([&] { expr(jump->jump); });
    } else if (const auto* e = std::get_if<ExprStmt>(&node)) {
      expr(e->expr);
    }
  }

  // ---- expressions ----

  void exprs(List<ExprId> list) {
    for (ExprId e : t_.list(list)) expr(e);
  }

  void inits(List<FieldInit> list) {
    std::size_t at = list.begin;
    for (const FieldInit& init : t_.list(list)) {
      const std::size_t position = at++;
      expr(init.value);
      if (init.value.valid() || position >= names_.field_inits.size()) continue;
      const Resolution& r = names_.field_inits[position];
      if (r.kind == Resolution::Kind::local) hand_over(r.local());
    }
  }

  void expr(ExprId id) {
    if (!id.valid()) return;
    walk(id);
    fit(id);
    const auto& node = t_.exprs[id].node;
    if (std::holds_alternative<CallExpr>(node) || std::holds_alternative<StructExpr>(node) ||
        std::holds_alternative<ListExpr>(node) || std::holds_alternative<TupleExpr>(node))
      note_temporary(id);
  }

  // A function value that is no lambda stands where another function type is asked for.
  void fit(ExprId id) {
    TypeId wanted = types_.wanted[id];
    if (is_kind(wanted, TypeKind::nullable)) wanted = p_.table[wanted].args[0];
    if (!is_kind(wanted, TypeKind::function) || id == followed_ ||
        std::holds_alternative<LambdaExpr>(t_.exprs[bare(id)].node))
      return;
    const Code code = code_of(id);
    Event& made = event(Event::Kind::fit, id);
    made.name = p_.source.sources.text(t_.exprs[id].span);
    made.code = code;
    made.wanted = wanted;
  }

  void walk(ExprId id) {
    std::visit(
        [&](const auto& e) {
          using T = std::decay_t<decltype(e)>;
          if constexpr (std::is_same_v<T, PathExpr> || std::is_same_v<T, SelfExpr>) {
            const Resolution& r = names_.exprs[id];
            if (r.kind == Resolution::Kind::local) {
              mentioned_.push_back(r.local());
              if (p_.contracts.trees[file_].is_kept_value[id]) hand_over(r.local());
            }
          } else if constexpr (std::is_same_v<T, FTextLit>) {
            for (const FPiece& piece : t_.list(e.pieces)) expr(piece.hole);
          } else if constexpr (std::is_same_v<T, ParenExpr>) {
            expr(e.inner);
          } else if constexpr (std::is_same_v<T, TupleExpr>) {
            exprs(e.parts);
          } else if constexpr (std::is_same_v<T, ListExpr>) {
            exprs(e.elements);
          } else if constexpr (std::is_same_v<T, BlockExpr> || std::is_same_v<T, UnsafeExpr>) {
            block(e.block);
          } else if constexpr (std::is_same_v<T, IfExpr>) {
            expr(e.cond);
            const Ways::State before = ways_.now();
            block(e.then_block);
            const Ways::State after = ways_.now();
            ways_.go_on_from(before);
            expr(e.else_branch);
            ways_.join(after);
          } else if constexpr (std::is_same_v<T, MatchExpr>) {
            expr(e.subject);
            const Ways::State before = ways_.now();
            Ways::State after{{}, true};
            for (const Arm& arm : t_.list(e.arms)) {
              ways_.go_on_from(before);
              expr(arm.guard);
              expr(arm.body);
              ways_.join(after);
              after = ways_.now();
            }
          } else if constexpr (std::is_same_v<T, LambdaExpr>) {
            lambda(id, e, false);
          } else if constexpr (std::is_same_v<T, SpawnExpr>) {
            lambda(e.lambda, std::get<LambdaExpr>(t_.exprs[e.lambda].node), true);
            tasks_.emplace_back(id, lambdas_[e.lambda.index]);
          } else if constexpr (std::is_same_v<T, OverlapExpr>) {
            overlap(id, e);
          } else if constexpr (std::is_same_v<T, SelectExpr>) {
            select(id, e);
          } else if constexpr (std::is_same_v<T, StructExpr>) {
            inits(e.fields);
          } else if constexpr (std::is_same_v<T, WithExpr>) {
            expr(e.operand);
            inits(e.fields);
          } else if constexpr (std::is_same_v<T, UnaryExpr> || std::is_same_v<T, RefExpr> ||
                               std::is_same_v<T, ComptimeExpr> || std::is_same_v<T, CastExpr>) {
            expr(e.operand);
          } else if constexpr (std::is_same_v<T, BinaryExpr> || std::is_same_v<T, CoalesceExpr>) {
            expr(e.left);
            sometimes([&] { expr(e.right); });
          } else if constexpr (std::is_same_v<T, RangeExpr>) {
            expr(e.low);
            expr(e.high);
          } else if constexpr (std::is_same_v<T, CatchExpr>) {
            catch_(id, e);
          } else if constexpr (std::is_same_v<T, ReturnExpr>) {
            expr(e.value);
            if (here_ == body_) returned(e.value);
            ways_.jump(body_depth_);
          } else if constexpr (std::is_same_v<T, BreakExpr> || std::is_same_v<T, ContinueExpr>) {
            ways_.jump(loop_depth_);
          } else if constexpr (std::is_same_v<T, ThrowExpr>) {
            throw_(id, e);
            ways_.jump(body_depth_);
          } else if constexpr (std::is_same_v<T, MemberExpr> || std::is_same_v<T, TuplePartExpr>) {
            expr(e.object);
          } else if constexpr (std::is_same_v<T, IndexExpr>) {
            expr(e.object);
            expr(e.index);
            if (is_mapped(type_of(e.object)))
              event(Event::Kind::read, id).waits_for = p_.source.sources.text(t_.exprs[e.object].span);
          } else if constexpr (std::is_same_v<T, CallExpr>) {
            call(id, e);
          }
        },
        t_.exprs[id].node);
  }

  void lambda(ExprId id, const LambdaExpr& e, bool is_task) {
    const std::size_t before = mentioned_.size();
    const CollectorId outer = body_;
    const CollectorId made = inside(Collector::Kind::lambda, id, [&] {
      body_ = here_;
      const std::size_t depth = std::exchange(body_depth_, ways_.depth());
      in_turns([&] { block(e.body); });
      body_depth_ = depth;
    });
    body_ = outer;
    // A lambda that is kept takes along what it mentions.
    for (std::size_t i = before; i < mentioned_.size() && p_.contracts.trees[file_].is_kept[id]; ++i)
      hand_over(mentioned_[i]);
    p_.collectors[made].is_task = is_task;
    p_.collectors[made].made_in = here_;
    lambdas_[id.index] = made;
    event(Event::Kind::closure, id).child = made;
  }

  void overlap(ExprId id, const OverlapExpr& e) {
    std::vector<LocalId> bound;
    for (StmtId s : t_.list(t_.blocks[e.block].statements)) {
      const auto* branch = std::get_if<ExprStmt>(&t_.stmts[s].node);
      if (!branch) {
        stmt(s, bound);
        continue;
      }
      started(branch->expr);
    }
    event(Event::Kind::overlap, id);
    for (auto it = bound.rbegin(); it != bound.rend(); ++it) die(*it);
  }

  void select(ExprId id, const SelectExpr& e) {
    for (const SelectArm& arm : t_.list(e.arms)) started(arm.raced);
    event(Event::Kind::overlap, id);
    for (const SelectArm& arm : t_.list(e.arms)) sometimes([&] { expr(arm.body); });
  }

  // A result that is a view lends what lies in something the caller lent.
  void returned(ExprId value) {
    if (!value.valid() || !fn_.valid() || p_.collectors[body_].kind != Collector::Kind::function) return;
    const FnDecl& fn = p_.decls.fns[fn_];
    const auto* ref = std::get_if<RefExpr>(&t_.exprs[bare(value)].node);
    if (!ref || !is_kind(fn.result, TypeKind::ref)) return;
    const LocalId root = root_of(ref->operand);
    if (!root.valid() || !is_kind(types_.locals[root], TypeKind::ref)) return;
    const LocalKind kind = names_.locals[root].kind;
    if (kind != LocalKind::param && kind != LocalKind::self) return;
    refuse_ref(p_, file_, value, "a result that is a view");
  }

  LocalId root_of(ExprId place) const {
    place = bare(place);
    const auto& node = t_.exprs[place].node;
    if (const auto* m = std::get_if<MemberExpr>(&node)) return root_of(m->object);
    if (const auto* t = std::get_if<TuplePartExpr>(&node)) return root_of(t->object);
    if (const auto* i = std::get_if<IndexExpr>(&node)) return root_of(i->object);
    return names_.exprs[place].kind == Resolution::Kind::local ? names_.exprs[place].local() : LocalId();
  }

  // What runs on a fiber of its own while the block waits.
  void started(ExprId branch) {
    const Span outer = std::exchange(branch_, t_.exprs[branch].span);
    const CollectorId made = inside(Collector::Kind::branch, branch, [&] { sometimes([&] { expr(branch); }); });
    branch_ = outer;
    event(Event::Kind::child, branch).child = made;
  }

  void catch_(ExprId id, const CatchExpr& e) {
    Ways::State before = ways_.now();
    const std::vector<LocalId> outer = std::exchange(first_handed_, {});
    const CollectorId guarded = inside(Collector::Kind::guarded, id, [&] { expr(e.guarded); });
    event(Event::Kind::child, id).child = guarded;
    if (const LocalId error = names_.error_of[id]; error.valid()) caught_[error.index] = guarded;
    // The handler is entered from any call that failed.
    const Ways::State after = ways_.now();
    ways_.go_on_from(std::move(before));
    for (LocalId local : std::exchange(first_handed_, outer)) ways_.hand_over(local);
    block(e.handler);
    ways_.join(after);
  }

  void throw_(ExprId id, const ThrowExpr& e) {
    expr(e.value);
    Event& raise = event(Event::Kind::raise, id);
    const TypeId type = type_of(e.value).valid() ? p_.table.without_ref(type_of(e.value)) : TypeId();
    if (is_kind(type, TypeKind::named)) {
      raise.error = type;
    } else if (names_.exprs[e.value].kind == Resolution::Kind::local) {
      raise.caught = caught_[names_.exprs[e.value].local().index];
    }
  }

  // ---- calls ----

  std::string_view callee_name(const CallExpr& e) const {
    const Expr& callee = t_.exprs[e.callee];
    if (const auto* member = std::get_if<MemberExpr>(&callee.node)) return p_.text(member->member.name);
    return p_.source.sources.text(callee.span);
  }

  void call(ExprId id, const CallExpr& e) {
    const CallId call_id = types_.call_of[id];
    if (!call_id.valid()) {
      expr(e.callee);
      exprs(e.positional);
      for (const OptionArg& option : t_.list(e.options)) expr(option.value);
      return;
    }
    const Call& c = types_.calls[call_id];
    switch (c.kind) {
      case CallKind::variant:
        for (ExprId arg : c.evaluation) expr(arg);
        return;
      case CallKind::clone:
      case CallKind::error_message:
      case CallKind::error_full: expr(c.receiver); return;
      case CallKind::close: {
        expr(c.receiver);
        Event& made = event(Event::Kind::cleanup, id);
        made.name = callee_name(e);
        made.cleanups = cleanups_of(p_, p_.table.without_ref(type_of(c.receiver)));
        return;
      }
      case CallKind::value: {
        expr(e.callee);
        for (ExprId arg : c.args) expr(arg);
        const Code code = code_of(e.callee);
        Event& made = event(Event::Kind::value, id);
        made.name = callee_name(e);
        made.code = code;
        return;
      }
      case CallKind::fn:
      case CallKind::method: call_of_fn(id, e, c); return;
    }
  }

  // Rows that end some of a list's values and could not say that a cleanup failed.
  void ends_within(ExprId id, const FnDecl& fn, const Call& c) {
    if (fn.key != "Vec.truncate" && fn.key != "Vec.retain" && fn.key != "Vec.resize") return;
    const TypeId list = p_.table.without_ref(type_of(c.receiver));
    note_open(list);
    if (cleanup_can_fail(p_, list))
      p_.sink.error(lang::Code::NK1900, t_.exprs[id].span,
                    "`" + std::string(p_.text(fn.name)) + "` of values whose cleanup can fail");
  }

  void call_of_fn(ExprId id, const CallExpr& e, const Call& c) {
    const FnDecl& fn = p_.decls.fns[c.fn];
    expr(c.receiver);
    std::vector<CodeArgument> codes;
    CollectorId claim;
    for (ExprId arg : c.evaluation) {
      const auto at = std::find(c.args.begin(), c.args.end(), arg);
      const auto position = static_cast<std::uint32_t>(at - c.args.begin());
      const TypeId wanted = at == c.args.end() ? TypeId() : function_type(fn, c, position);
      if (fn.key == "assert" && position == 0) {
        claim = inside(Collector::Kind::claim, id, [&] { expr(arg); });
        event(Event::Kind::child, arg).child = claim;
      } else if (wanted.valid()) {
        // What a row of the library does follows the code it is given.
        if (fn.lambda_decides && !(fn.owner.valid() && fn.owner == p_.decls.par)) followed_ = arg;
        expr(arg);
        const auto& detached = p_.contracts.detached[c.fn];
        codes.push_back({code_of(arg), position, wanted, position < detached.size() && detached[position]});
      } else {
        expr(arg);
        const bool is_lent = c.kind == CallKind::fn && at != c.args.end() && position < fn.params.size() &&
                             !fn.params[position].is_mut &&
                             !(fn.key.empty() ? p_.contracts.keeps[c.fn][position] : fn.params[position].is_kept);
        if (is_lent) refuse_ref(p_, file_, arg, "`" + std::string(callee_name(e)) + "`");
      }
    }
    ends_within(id, fn, c);
    if (fn.key.empty() && !c.type_args.empty())
      p_.generic_calls.push_back({fn_, c.fn, {c.type_args.begin(), c.type_args.end()}, t_.exprs[id].span});
    if (fn.key.ends_with(".clear")) ends(c.receiver, p_.table.without_ref(type_of(c.receiver)));
    Step step = walked_by(fn, c);
    const bool is_lazy = is_sequence(c.result) && fn.lambda_decides;
    const bool starts_task = fn.owner.valid() && fn.owner == p_.decls.scope && !codes.empty();
    if (starts_task) {
      Event task;
      task.kind = Event::Kind::task;
      task.span = t_.exprs[id].span;
      task.name = callee_name(e);
      task.code = codes[0].code;
      p_.collectors[body_].events.push_back(std::move(task));
    }
    Event& made = event(Event::Kind::call, id);
    made.name = callee_name(e);
    made.callee = c.fn;
    made.call = types_.call_of[id];
    // What the lambda of a lazy row does, the walk does.
    if (!is_lazy) made.codes = std::move(codes);
    made.step = std::move(step);
    made.never_fails = starts_task || (is_lock_set(c.fn) && std::none_of(c.options.begin(), c.options.end(),
                                                                         [](ExprId o) { return o.valid(); }));
    if (fn.key == "TaskHandle.join") made.tasks = tasks_of(c.receiver);
    made.changes = fn.receiver == Receiver::ref_mut ||
                   std::any_of(fn.params.begin(), fn.params.end(), [](const ParamInfo& p) { return p.is_mut; });
    if (is_mapped(c.receiver.valid() ? type_of(c.receiver) : TypeId()) && fn.owner == p_.decls.mapped &&
        fn.receiver == Receiver::ref) {
      made.waits_for = p_.source.sources.text(t_.exprs[c.receiver].span);
    }
    if (fn.takes_lock) door(fn, c, made);
    for (const CodeArgument& argument : made.codes) note_handed(argument.code);
    for (const Code& code : made.step.codes) note_handed(code);
  }

  // A row that takes a lock. Which lock it is stands in the touches of the call; where it opens the lock around a
  // lambda, what that lambda does is another matter than it would be elsewhere.
  void door(const FnDecl& fn, const Call& c, Event& made) const {
    const bool is_method = fn.owner.valid() && (fn.owner == p_.decls.shared_mut || fn.owner == p_.decls.locked);
    const bool is_pair = !fn.owner.valid() && fn.lambda_decides;
    if (!is_method && !is_pair) return;
    p_.opens_locks = true;
    std::vector<ExprId> locks;
    if (is_method)
      locks.push_back(c.receiver);
    else
      locks.assign(c.args.begin(), c.args.begin() + 2);
    made.lock_touches.clear();
    for (ExprId lock : locks) {
      if (!lock.valid()) return;
      const std::string text(p_.source.sources.text(t_.exprs[lock].span));
      const bool has_name = names_outside(lock);
      for (const std::string& touch : fn.touches)
        made.lock_touches.push_back(has_name ? "lock(" + text + touch.substr(4).insert(0, ")") : touch);
    }
    std::sort(made.lock_touches.begin(), made.lock_touches.end());
    if (!fn.lambda_decides) return;
    made.door = p_.source.sources.text(t_.exprs[locks.front()].span);
    if (fn.touches.empty() || !fn.touches.front().ends_with("write")) return;
    for (const CodeArgument& argument : made.codes) {
      if (argument.code.kind != Code::Kind::lambda) continue;
      const Collector& block = p_.collectors[argument.code.collector];
      const auto& lambda = std::get<LambdaExpr>(t_.exprs[block.expr].node);
      for (std::size_t i = 0; i < lambda.params.count; ++i) {
        const LocalId value = names_.binds[lambda.params.begin + i];
        if (value.valid() && has(replaced_, value) && !has(mentioned_, value)) made.unread.push_back(value);
      }
    }
  }

  static bool has(const std::vector<LocalId>& all, LocalId local) {
    return std::find(all.begin(), all.end(), local) != all.end();
  }

  bool is_mapped(TypeId type) const {
    return type.valid() && p_.decls.mapped.valid() && is_kind(p_.table.without_ref(type), TypeKind::named) &&
           p_.table[p_.table.without_ref(type)].decl == p_.decls.mapped;
  }

  // Whether a place begins with a name that is bound outside the branch at hand, so that it is one thing to all
  // branches.
  bool names_outside(ExprId place) const {
    const LocalId root = root_of(place);
    if (!root.valid()) return false;
    const Span bound = names_.locals[root].span;
    return !branch_.has_text() || bound.begin < branch_.begin || bound.end > branch_.end;
  }

  // `set` of a lock: only with `after:` it can come too late.
  bool is_lock_set(FnId id) const {
    const FnDecl& fn = p_.decls.fns[id];
    return fn.owner.valid() && (fn.owner == p_.decls.shared_mut || fn.owner == p_.decls.locked) && !fn.options.empty();
  }

  // The newest event is handed `code`.
  void note_handed(const Code& code) {
    if (code.kind != Code::Kind::lambda) return;
    Collector& lambda = p_.collectors[code.collector];
    if (lambda.made_in != here_ || lambda.handed_at != Collector::not_handed) return;
    lambda.handed_at = static_cast<std::uint32_t>(p_.collectors[here_].events.size() - 1);
  }

  TypeId function_type(const FnDecl& fn, const Call& c, std::uint32_t position) const {
    if (position >= fn.params.size() || !is_kind(fn.params[position].type, TypeKind::function)) return {};
    const TypeId exact = position < c.param_types.size() ? c.param_types[position] : TypeId();
    return is_kind(exact, TypeKind::function) ? exact : fn.params[position].type;
  }

  CollectorId here_;
  CollectorId body_;  // the function's or the innermost lambda's
  ExprId followed_;   // code given to a row that does as it does
  Ways ways_;
  std::vector<ExprId> temporaries_;              // that die at the end of the statement
  std::size_t body_depth_ = 0, loop_depth_ = 0;  // of `ways_`, where the body and the innermost loop begin
  std::vector<LocalId> first_handed_;            // in what a `catch` guards, before anything could fail
  std::vector<LocalId> mentioned_;               // every mention of a local, in order
  std::vector<LocalId> replaced_;                // every assignment of a whole local, which is no mention
  Span branch_;                                  // of an `overlap` or a `select`, that is being walked
  std::vector<CollectorId> caught_;              // by local: the `catch` an `error` is of
};

}  // namespace

void collect_bodies(Program& p) {
  p.body_of.resize(p.decls.fns.size());
  p.leaks.resize(p.decls.fns.size());
  p.ends_params.resize(p.decls.fns.size());
  for (const Package& package : p.decls.packages) {
    for (FileId file : package.files) {
      BodyCollector collector(p, file);
      const Tree& tree = p.source.trees[file];
      for (std::uint32_t i = 0; i < tree.items.size(); ++i) {
        const ItemId item(i);
        if (const FnId fn = p.names[file].fn_of[item]; fn.valid()) {
          collector.function(fn);
        } else if (p.source.options.with_tests && std::holds_alternative<TestItem>(tree.items[item].node)) {
          collector.test(item);
        }
      }
    }
  }
}

}  // namespace nikaia::lang::effects
