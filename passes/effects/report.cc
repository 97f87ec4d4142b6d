// The answers as facts, and what they refuse: failures nobody declares (NK2605, NK2606, NK2701), pauses where none may
// be (NK2202, NK2206), handlers for what cannot fail (NK1134), impls that do more than their trait allows (NK1129,
// NK1140), claims that do something (NK1194), `sync(f)` that names no code (NK2210), what a lock's block may not do
// (NK2201, NK2203, NK2207), and branches that meet on a resource (NK2104).
//
// Events are walked with two policies, for failing and for pausing. A collector hands its policy on to what happens in
// it; a lambda gets the one its place asks for.
#include <algorithm>

#include "passes/effects/events.h"

namespace nikaia::lang::effects {

namespace {

struct Policy {
  enum class Fail : std::uint8_t {
    allowed,
    function,  // NK2605, once, then allowed
    lambda,    // NK2606
    silent,    // a message for the whole answers for it
  } fail = Fail::allowed;
  enum class Pause : std::uint8_t {
    allowed,
    function,     // NK2202: the function promises `sync`
    conditional,  // NK2202: it promises `sync(f)`
    run_lambda,   // NK2202: in a lambda that a `sync` caller hands to `sync(f)`
    lambda,       // NK2206
    door,         // NK2202: a lock is open
    walk,         // NK2209: a parallel walk runs it
    scope_task,   // NK2102: it runs beside the scope that lends to it
  } pause = Pause::allowed;
  std::string taker;   // who takes the lambda, for NK2606
  std::string runner;  // who calls it, for NK2206
  std::string door;    // the lock that is open, as written; empty: none
};

class Reporter {
 public:
  explicit Reporter(Program& program) : p_(program) {}

  void run() {
    make_tables();
    for (std::uint32_t f = 0; f < p_.decls.fns.size(); ++f) {
      const FnId id(f);
      if (p_.body_of[id].valid()) function(id);
    }
    for (CollectorId test : p_.tests) collector(test, Policy());
  }

 private:
  void make_tables() {
    p_.out.trees.resize(p_.source.trees.size());
    for (std::uint32_t f = 0; f < p_.source.trees.size(); ++f) {
      TreeEffects& tree = p_.out.trees[FileId(f)];
      const std::size_t count = p_.source.trees[FileId(f)].exprs.size();
      tree.exprs.resize(count);
      tree.lambdas.resize(count);
      tree.error_type.resize(count);
    }
  }

  const ast::FnItem& item_of(const FnDecl& fn) const {
    return std::get<ast::FnItem>(p_.source.trees[fn.item.file].items[fn.item.node].node);
  }

  // ---- functions ----

  void function(FnId id) {
    const FnDecl& fn = p_.decls.fns[id];
    const FnEffects& truth = p_.collectors[p_.body_of[id]].effects;
    fn_ = id;
    said_failure_ = false;
    Policy policy;
    if (!fn.says_throws) policy.fail = Policy::Fail::function;
    if (fn.says_sync) policy.pause = Policy::Pause::function;
    if (!fn.sync_params.empty()) policy.pause = Policy::Pause::conditional;
    const FnDecl* declared = trait_signature(fn);
    if (declared && !declared->says_throws && (fn.says_throws || truth.can_fail)) {
      p_.sink.error(lang::Code::NK1140, fn.span, trait_method(fn));
      policy.fail = Policy::Fail::silent;
    }
    if (declared && declared->says_sync && truth.may_pause && !fn.says_sync) {
      p_.sink.error(lang::Code::NK1129, fn.span, trait_method(fn));
    }
    check_sync_params(id, fn);
    collector(p_.body_of[id], policy);
  }

  const FnDecl* trait_signature(const FnDecl& fn) const {
    if (!fn.trait.valid() || fn.is_signature) return nullptr;
    const auto& methods = p_.decls.traits[fn.trait].methods;
    auto it = methods.find(fn.name);
    return it == methods.end() ? nullptr : &p_.decls.fns[it->second];
  }

  std::string trait_method(const FnDecl& fn) const {
    return std::string(p_.text(p_.decls.traits[fn.trait].name)) + "." + std::string(p_.text(fn.name));
  }

  void check_sync_params(FnId id, const FnDecl& fn) {
    for (const ast::Ident& named : p_.source.trees[fn.item.file].list(item_of(fn).sync_params)) {
      bool is_run = false;
      for (std::size_t i = 0; i < fn.params.size(); ++i) {
        is_run |= fn.params[i].name == named.name && p_.table.kind(fn.params[i].type) == TypeKind::function &&
                  !p_.contracts.detached[id][i];
      }
      if (!is_run) p_.sink.error(lang::Code::NK2210, named.span, p_.text(named.name));
    }
  }

  // ---- collectors ----

  void collector(CollectorId id, const Policy& policy) {
    const Collector& c = p_.collectors[id];
    TreeEffects& tree = p_.out.trees[c.file];
    switch (c.kind) {
      case Collector::Kind::lambda: tree.lambdas[c.expr] = c.effects; break;
      case Collector::Kind::branch:
        tree.branches[c.expr] = c.effects;
        if (c.effects.can_fail) tree.exprs[c.expr] |= effect_branch_fails;
        break;
      case Collector::Kind::guarded:
        tree.error_type[c.expr] = p_.table.error_sum(c.effects.throws, c.effects.throws_open);
        check_guarded(c);
        break;
      case Collector::Kind::function:
      case Collector::Kind::test:
      case Collector::Kind::claim: break;
    }
    // What a lambda is handed to decides what it may do; that call stands behind it.
    for (std::size_t i = 0; i < c.events.size(); ++i) {
      const Event& e = c.events[i];
      if (e.kind == Event::Kind::closure) {
        collector(e.child, lambda_policy(c, i, policy));
      } else if (e.kind == Event::Kind::child) {
        Policy inner = policy;
        const Collector::Kind kind = p_.collectors[e.child].kind;
        if (kind == Collector::Kind::guarded) inner.fail = Policy::Fail::allowed;
        if (kind == Collector::Kind::claim) {
          // What a claim does is refused as a claim.
          if (check_claim(p_.collectors[e.child]))
            inner = Policy{Policy::Fail::silent, Policy::Pause::allowed, {}, {}, {}};
        }
        collector(e.child, inner);
      } else {
        event(c, e, policy);
      }
    }
  }

  void event(const Collector& c, const Event& e, const Policy& policy) {
    if (e.kind == Event::Kind::fit) return check_fit(e);
    FnEffects made;
    const FnEffects& does = effects_of(p_, e, made);
    if (e.expr.valid()) set_bits(c, e, does);
    if (does.can_fail) refuse_failure(e, policy);
    if (pauses_for_check(e, does))
      refuse_pause(e, policy);
    else if (!policy.door.empty())
      in_door(e, does, policy.door);
    if (e.kind == Event::Kind::overlap && !is_select(e)) check_branches(c, e);
    if (e.kind == Event::Kind::call && policy.pause == Policy::Pause::allowed && runs_beside(p_.decls.fns[e.callee]))
      check_scope_task(c, e);
    if (e.kind == Event::Kind::call && walks_in_parallel(p_.decls.fns[e.callee])) {
      for (const CodeArgument& argument : e.codes) {
        if (argument.code.kind != effects::Code::Kind::named || !effects_of(p_, argument.code).may_pause) continue;
        p_.sink.error(lang::Code::NK2209, e.span, "This parallel walk", p_.text(p_.decls.fns[argument.code.fn].name));
      }
    }
    if (e.door.empty()) return;
    for (LocalId value : e.unread) {
      const Local& local = p_.names[c.file].locals[value];
      p_.sink.error(lang::Code::NK2207, local.span, p_.text(local.name), e.door);
    }
    // Code that stands elsewhere is asked as a whole.
    for (const CodeArgument& argument : e.codes) {
      if (argument.code.kind != effects::Code::Kind::named) continue;
      const FnEffects code = effects_of(p_, argument.code);
      const std::string name(p_.text(p_.decls.fns[argument.code.fn].name));
      if (code.may_pause)
        p_.sink.error(Wording::NK2202_door, e.span, e.door, name);
      else if (code.takes_lock)
        p_.sink.error(Wording::NK2203_chain, e.span, e.door, name, lock_taker(argument.code.fn));
    }
  }

  void set_bits(const Collector& c, const Event& e, const FnEffects& does) {
    std::uint8_t& bits = p_.out.trees[c.file].exprs[e.expr];
    const bool is_step = e.kind == Event::Kind::step;
    if (does.can_fail) bits |= is_step ? effect_step_fails : effect_fails;
    if (does.may_pause) bits |= is_step ? effect_step_pauses : effect_pauses;
    if (e.kind != Event::Kind::overlap) return;
    // Waiting for the branches fails where one of them does.
    for (const Event& branch : c.events) {
      if (branch.kind == Event::Kind::child && branch.child.valid() &&
          p_.collectors[branch.child].kind == Collector::Kind::branch && p_.collectors[branch.child].effects.can_fail &&
          is_branch_of(c, branch, e)) {
        bits |= effect_fails;
      }
    }
  }

  bool is_branch_of(const Collector& c, const Event& branch, const Event& block) const {
    const ast::Tree& tree = p_.source.trees[c.file];
    if (const auto* select = std::get_if<ast::SelectExpr>(&tree.exprs[block.expr].node)) {
      for (const ast::SelectArm& arm : tree.list(select->arms)) {
        if (arm.raced == branch.expr) return true;
      }
      return false;
    }
    const Span inner = tree.exprs[branch.expr].span;
    return inner.begin >= block.span.begin && inner.end <= block.span.end;
  }

  bool is_select(const Event& block) const {
    return std::holds_alternative<ast::SelectExpr>(p_.source.trees[block.span.file].exprs[block.expr].node);
  }
  std::string block_word(const Event& block) const { return is_select(block) ? "select" : "overlap"; }

  // Another package's function pauses unless it promises not to (04 §4.5).
  bool pauses_for_check(const Event& e, const FnEffects& does) const {
    if (does.may_pause) return true;
    if (e.kind != Event::Kind::call) return false;
    const FnDecl& callee = p_.decls.fns[e.callee];
    if (!callee.key.empty() || !fn_.valid() || callee.package == p_.decls.fns[fn_].package) return false;
    return !callee.says_sync && callee.sync_params.empty();
  }

  // ---- lambdas ----

  // The policy for the lambda made by event `at`: that of the call it is an argument of, or of its own type.
  Policy lambda_policy(const Collector& c, std::size_t at, const Policy& outer) const {
    const CollectorId made = c.events[at].child;
    if (p_.collectors[made].is_task) return Policy();
    if (p_.collectors[made].handed_at != Collector::not_handed) {
      const Event& e = c.events[p_.collectors[made].handed_at];
      for (const CodeArgument& argument : e.codes) {
        if (argument.code.kind == effects::Code::Kind::lambda && argument.code.collector == made) {
          return argument_policy(e, argument, outer);
        }
      }
      Policy policy;  // the walk fails and pauses as it does, and is asked there
      if (e.kind == Event::Kind::call && walks_in_parallel(p_.decls.fns[e.callee])) policy.pause = Policy::Pause::walk;
      return policy;
    }
    return own_policy(c, c.events[at].expr);
  }

  Policy argument_policy(const Event& call, const CodeArgument& argument, const Policy& outer) const {
    const FnDecl& fn = p_.decls.fns[call.callee];
    Policy policy;
    policy.taker = policy.runner = call.name;
    if (!call.door.empty()) {
      policy.pause = Policy::Pause::door;
      policy.door = call.door;
      return policy;
    }
    if (outer.pause == Policy::Pause::allowed && runs_beside(fn)) {
      policy.pause = Policy::Pause::scope_task;
      return policy;
    }
    if (fn.lambda_decides && !(fn.owner.valid() && fn.owner == p_.decls.par)) {
      policy.pause = outer.pause;  // its body counts as part of the function that writes it (04 §4.3)
      policy.runner = outer.runner;
      policy.door = outer.door;
      return policy;
    }
    const Type& wanted = p_.table[argument.wanted];
    if (!wanted.is_throws) policy.fail = Policy::Fail::lambda;
    if (walks_in_parallel(fn)) {
      policy.pause = Policy::Pause::walk;
    } else if (wanted.is_sync) {
      policy.pause = Policy::Pause::lambda;
    } else if (std::find(fn.sync_params.begin(), fn.sync_params.end(), argument.position) != fn.sync_params.end() &&
               outer.pause == Policy::Pause::function) {
      policy.pause = Policy::Pause::run_lambda;
    }
    return policy;
  }

  bool walks_in_parallel(const FnDecl& fn) const { return fn.owner.valid() && fn.owner == p_.decls.par; }

  // What the row `fn` takes becomes a task beside the scope that lends to it (04 §8.2).
  bool runs_beside(const FnDecl& fn) const {
    return p_.source.options.user_parallelism && fn.owner.valid() && fn.owner == p_.decls.scope && fn.lambda_decides;
  }

  // A lambda that is kept, or given to something no row describes: its place's type says.
  Policy own_policy(const Collector& c, ast::ExprId lambda) const {
    Policy policy;
    TypeId type = p_.types[c.file].wanted[lambda];
    if (!type.valid() || p_.table.kind(type) != TypeKind::function) type = p_.types[c.file].lambda_type[lambda];
    if (!type.valid() || p_.table.kind(type) != TypeKind::function) return policy;
    policy.taker = policy.runner = type_text(p_.table, p_.decls, p_.source.names, type);
    if (!p_.table[type].is_throws) policy.fail = Policy::Fail::lambda;
    if (p_.table[type].is_sync) policy.pause = Policy::Pause::lambda;
    return policy;
  }

  // ---- refusals ----

  // A function by its name, or a function value, where one that does less is asked for (02 §8.4).
  void check_fit(const Event& e) {
    const Type& wanted = p_.table[e.wanted];
    const FnEffects does = effects_of(p_, e.code);
    const std::string place = type_text(p_.table, p_.decls, p_.source.names, e.wanted);
    if (does.can_fail && !wanted.is_throws) p_.sink.error(Wording::NK2606_value, e.span, e.name, place);
    if (does.may_pause && wanted.is_sync) p_.sink.error(Wording::NK2206_value, e.span, e.name, place);
  }

  std::string fn_name() const { return std::string(p_.text(p_.decls.fns[fn_].name)); }

  std::string signature() const {
    const FnDecl& fn = p_.decls.fns[fn_];
    return std::string(p_.source.sources.text(item_of(fn).signature_span));
  }

  void refuse_failure(const Event& e, const Policy& policy) {
    switch (policy.fail) {
      case Policy::Fail::allowed:
      case Policy::Fail::silent: return;
      case Policy::Fail::lambda:
        p_.sink.error(lang::Code::NK2606, e.span, policy.taker, what(e)).primary_label("this can fail");
        return;
      case Policy::Fail::function: break;
    }
    if (said_failure_) return;
    said_failure_ = true;
    switch (e.kind) {
      case Event::Kind::step: {
        auto message = p_.sink.error(lang::Code::NK2701, e.span, e.name, fn_name(), signature());
        note_errors(message, e);
        return;
      }
      case Event::Kind::cleanup:
        if (!e.expr.valid()) {
          auto message = p_.sink.error(Wording::NK2605_cleanup, e.span, fn_name(), e.name, signature());
          note_errors(message, e);
          return;
        }
        break;
      case Event::Kind::raise:
        p_.sink.error(Wording::NK2605_throws_here, e.span, fn_name(), signature()).primary_label("thrown here");
        return;
      default: break;
    }
    auto message = p_.sink.error(lang::Code::NK2605, e.span, fn_name(), what(e), signature());
    message.primary_label("this call can fail");
    note_errors(message, e);
    message.note("A failure you don't handle here leaves `" + fn_name() + "`; the call itself doesn't show it.");
  }

  static std::string what(const Event& e) { return std::string(e.kind == Event::Kind::raise ? "throw" : e.name); }

  // The set as the callee has it (04 §1.6).
  void note_errors(Builder& message, const Event& e) const {
    FnEffects made;
    const FnEffects& does = effects_of(p_, e, made);
    std::string errors;
    for (TypeId error : does.throws) {
      errors += (errors.empty() ? "`" : " or `") + type_text(p_.table, p_.decls, p_.source.names, error) + "`";
    }
    if (does.throws_open)
      errors += errors.empty() ? "an error nobody can name here" : " or an error nobody can name here";
    if (errors.empty()) return;
    const std::string who = e.kind == Event::Kind::cleanup && !e.expr.valid()
                                ? "The cleanup of `" + std::string(e.name) + "`"
                            : e.kind == Event::Kind::step ? "A step"
                                                          : "`" + std::string(e.name) + "`";
    message.note(who + " fails with " + errors + ".");
  }

  void refuse_pause(const Event& e, const Policy& policy) {
    const std::string waits = e.kind == Event::Kind::step      ? std::string(e.name)
                              : e.kind == Event::Kind::overlap ? block_word(e)
                                                               : what(e);
    switch (policy.pause) {
      case Policy::Pause::allowed: return;
      case Policy::Pause::lambda:
        if (e.kind == Event::Kind::cleanup && !e.expr.valid()) {
          p_.sink.error(Wording::NK2206_cleanup, e.span, policy.runner, e.name);
        } else {
          p_.sink.error(lang::Code::NK2206, e.span, policy.runner, waits);
        }
        return;
      case Policy::Pause::door:
        if (runs_lambda_that_pauses(e)) return;  // said in the lambda
        if (e.kind == Event::Kind::cleanup && !e.expr.valid()) {
          p_.sink.error(Wording::NK2202_cleanup, e.span, policy.door, e.name);
        } else {
          p_.sink.error(Wording::NK2202_door, e.span, policy.door, waits);
        }
        return;
      case Policy::Pause::walk:
        if (runs_lambda_that_pauses(e)) return;  // said in the lambda
        if (e.kind == Event::Kind::cleanup && !e.expr.valid()) {
          p_.sink.error(Wording::NK2209_cleanup, e.span, "This parallel walk", e.name);
        } else {
          p_.sink.error(lang::Code::NK2209, e.span, "This parallel walk", waits);
        }
        return;
      case Policy::Pause::scope_task:
        if (runs_lambda_that_pauses(e)) return;  // said in the lambda
        if (e.kind == Event::Kind::cleanup && !e.expr.valid()) {
          p_.sink.error(Wording::NK2102_cleanup, e.span, e.name);
        } else {
          refuse_scope_task(e.span, waits);
        }
        return;
      case Policy::Pause::run_lambda: p_.sink.error(Wording::NK2202_lambda, e.span, fn_name(), waits); return;
      case Policy::Pause::conditional:
        if (is_named_param(e)) return;
        p_.sink.error(Wording::NK2202_conditional, e.span, fn_name(), waits, sync_names());
        return;
      case Policy::Pause::function: break;
    }
    if (e.kind == Event::Kind::overlap) {
      const auto length = static_cast<std::uint32_t>(waits.size());
      p_.sink.error(Wording::NK2202_construct, Span{e.span.file, e.span.begin, e.span.begin + length}, fn_name(),
                    (is_select(e) ? "a `" : "an `") + waits + "`");
    } else if (e.kind == Event::Kind::cleanup && !e.expr.valid()) {
      p_.sink.error(Wording::NK2202_cleanup, e.span, fn_name(), e.name);
    } else if (runs_lambda_that_pauses(e)) {
      return;  // said in the lambda
    } else {
      auto message = p_.sink.error(lang::Code::NK2202, e.span, fn_name(), waits);
      message.primary_label("this can pause");
      FnEffects made;
      if (e.kind == Event::Kind::call && !effects_of(p_, e, made).may_pause) {
        message.help("Its package doesn't promise that it never pauses: write `sync` there, behind the result of `" +
                     waits + "`.");
      }
    }
  }

  // A task whose code stands elsewhere is asked as a whole.
  void check_scope_task(const Collector& c, const Event& e) const {
    for (const CodeArgument& argument : e.codes) {
      if (argument.code.kind == effects::Code::Kind::lambda || !effects_of(p_, argument.code).may_pause) continue;
      const ast::ExprId written = p_.types[c.file].calls[e.call].args[argument.position];
      const Span span = p_.source.trees[c.file].exprs[written].span;
      refuse_scope_task(span, std::string(p_.source.sources.text(span)));
    }
  }

  void refuse_scope_task(Span span, const std::string& waits) const {
    p_.sink.error(lang::Code::NK2102, span, waits)
        .primary_label("this can pause")
        .note(
            "The scope lends your variables to its tasks and has to wait for them. While tasks run in parallel, it "
            "can wait only for work that ends by itself.");
  }

  bool is_named_param(const Event& e) const {
    const auto& named = p_.decls.fns[fn_].sync_params;
    return e.kind == Event::Kind::value && e.code.kind == effects::Code::Kind::own_param &&
           std::find(named.begin(), named.end(), e.code.param) != named.end();
  }

  std::string sync_names() const {
    std::string names;
    for (std::uint32_t i : p_.decls.fns[fn_].sync_params) {
      names += (names.empty() ? "" : ", ") + std::string(p_.text(p_.decls.fns[fn_].params[i].name));
    }
    return names;
  }

  // Whether the call pauses only as a lambda written there does.
  bool runs_lambda_that_pauses(const Event& e) const {
    if (e.kind != Event::Kind::call || p_.out.fns[e.callee].may_pause || e.step.pauses) return false;
    bool by_lambda = false;
    for (const CodeArgument& argument : e.codes) {
      if (!effects_of(p_, argument.code).may_pause) continue;
      if (argument.code.kind != effects::Code::Kind::lambda) return false;
      by_lambda = true;
    }
    return by_lambda;
  }

  // ---- doors and branches ----

  // What does not pause, where the lock `door` is open: it takes no lock, and it does not wait for the disk (03 §4.6).
  void in_door(const Event& e, const FnEffects& does, const std::string& door) {
    if (!e.waits_for.empty()) {
      p_.sink.error(lang::Code::NK2201, e.span, e.waits_for, door).primary_label("read here");
      return;
    }
    if (e.kind == Event::Kind::cleanup && !e.expr.valid()) {
      if (does.takes_lock) p_.sink.error(Wording::NK2203_cleanup, e.span, door, e.name);
      return;
    }
    if (e.kind != Event::Kind::call) {
      if (does.takes_lock) p_.sink.error(Wording::NK2203_chain, e.span, door, what(e), what(e));
      return;
    }
    const FnDecl& callee = p_.decls.fns[e.callee];
    if (callee.key == "task::scope") {
      p_.sink.error(Wording::NK2203_scope, e.span, door).primary_label("opened here");
    } else if (!callee.key.empty() && callee.takes_lock) {
      const bool is_lock = std::any_of(does.touches.begin(), does.touches.end(),
                                       [](const std::string& t) { return t.starts_with("lock"); });
      const bool is_output = !is_lock && std::any_of(callee.touches.begin(), callee.touches.end(),
                                                     [](const std::string& t) { return t.starts_with("std"); });
      if (is_output)
        p_.sink.error(Wording::NK2203_output, e.span, door).primary_label("printed here");
      else if (is_lock)
        p_.sink.error(lang::Code::NK2203, e.span, door).primary_label("taken here");
      else
        p_.sink.error(Wording::NK2203_chain, e.span, door, e.name, callee.key);
    } else if (p_.out.fns[e.callee].takes_lock) {
      p_.sink.error(Wording::NK2203_chain, e.span, door, e.name, lock_taker(e.callee)).primary_label("takes a lock");
    } else {
      for (const CodeArgument& argument : e.codes) {
        const auto& code = argument.code;
        if (code.kind != effects::Code::Kind::named || !p_.out.fns[code.fn].takes_lock) continue;
        p_.sink.error(Wording::NK2203_chain, e.span, door, p_.text(p_.decls.fns[code.fn].name), lock_taker(code.fn));
        return;
      }
    }
  }

  // The function in which a chain of calls that begins with `fn` takes a lock.
  std::string lock_taker(FnId fn) const {
    std::vector<FnId> way{fn};
    for (std::size_t i = 0; i < way.size(); ++i) {
      const CollectorId body = p_.body_of[way[i]];
      if (!body.valid()) continue;
      if (takes_lock_itself(body, way)) return std::string(p_.text(p_.decls.fns[way[i]].name));
    }
    return std::string(p_.text(p_.decls.fns[fn].name));
  }

  bool takes_lock_itself(CollectorId id, std::vector<FnId>& way) const {
    for (const Event& e : p_.collectors[id].events) {
      if (e.child.valid() && takes_lock_itself(e.child, way)) return true;
      if (e.kind != Event::Kind::call) continue;
      const FnDecl& callee = p_.decls.fns[e.callee];
      if (!callee.key.empty() && callee.takes_lock) return true;
      if (p_.out.fns[e.callee].takes_lock && std::find(way.begin(), way.end(), e.callee) == way.end())
        way.push_back(e.callee);
    }
    return false;
  }

  // Branches of an `overlap` that reach one resource which one of them writes (04 §5.3).
  void check_branches(const Collector& c, const Event& block) {
    std::vector<const Event*> branches;
    for (const Event& e : c.events) {
      if (e.kind == Event::Kind::child && p_.collectors[e.child].kind == Collector::Kind::branch &&
          is_branch_of(c, e, block))
        branches.push_back(&e);
    }
    for (std::size_t later = 1; later < branches.size(); ++later) {
      for (std::size_t first = 0; first < later; ++first) {
        const std::string met =
            meets_on(p_.collectors[branches[first]->child].effects, p_.collectors[branches[later]->child].effects);
        if (met.empty()) continue;
        p_.sink.error(lang::Code::NK2104, branches[later]->span, met)
            .primary_label("this branch …")
            .label(branches[first]->span, "… and this one");
        break;
      }
    }
  }

  // What both reach and one of them writes, as a message names it. A file, a socket or a lock without a name is one
  // that nobody can tell from another.
  static std::string meets_on(const FnEffects& a, const FnEffects& b) {
    const auto split = [](const std::string& touch) {
      const std::size_t space = touch.rfind(' ');
      return std::pair(touch.substr(0, space), touch.substr(space + 1) == "write");
    };
    for (const std::string& mine : a.touches) {
      const auto [name, writes] = split(mine);
      if (name == "file" || name == "socket" || name == "lock") continue;
      for (const std::string& theirs : b.touches) {
        const auto [other, other_writes] = split(theirs);
        if (other != name || !(writes || other_writes)) continue;
        if (name == "stdout") return "standard output";
        if (name == "stderr") return "standard error";
        if (name == "stdin") return "standard input";
        const std::size_t open = name.find('(');
        if (open == std::string::npos) return "the " + name + " of the program";
        std::string argument = name.substr(open + 1, name.size() - open - 2);
        if (argument.starts_with('"')) argument = argument.substr(1, argument.size() - 2);
        return "`" + argument + "`";
      }
    }
    return {};
  }

  // ---- handlers and claims ----

  // Whether nothing is known to keep what is guarded from failing.
  bool may_fail(const Collector& c) const {
    if (c.effects.can_fail) return true;
    for (const Event& e : c.events) {
      if (e.kind == Event::Kind::child) {
        if (may_fail(p_.collectors[e.child])) return true;
        continue;
      }
      if (e.kind != Event::Kind::call) continue;
      if (p_.leaks[e.callee]) return true;  // its own message answers
      for (const CodeArgument& argument : e.codes) {
        if (argument.wanted.valid() && p_.table[argument.wanted].is_throws) return true;
      }
    }
    return false;
  }

  void check_guarded(const Collector& c) {
    if (may_fail(c)) return;
    const auto& tree = p_.source.trees[c.file];
    const auto& e = std::get<ast::CatchExpr>(tree.exprs[c.expr].node);
    const Span guarded = tree.exprs[e.guarded].span, handler = tree.blocks[e.handler].span;
    const std::string_view between = p_.source.sources.text(Span{c.file, guarded.end, handler.begin});
    const std::size_t word = between.find("catch");
    Span place = guarded;
    if (word != std::string_view::npos) {
      place = Span{c.file, guarded.end + static_cast<std::uint32_t>(word),
                   guarded.end + static_cast<std::uint32_t>(word) + 5};
    }
    p_.sink.error(lang::Code::NK1134, place, p_.source.sources.text(guarded)).label(guarded, "this can't fail");
  }

  // The condition of an `assert`; says whether it was refused.
  bool check_claim(const Collector& claim) {
    for (const Event& e : claim.events) {
      if (e.kind == Event::Kind::child && check_claim(p_.collectors[e.child])) return true;
      FnEffects made;
      const FnEffects& does = effects_of(p_, e, made);
      const char* can = does.may_pause                              ? "pause"
                        : does.can_fail                             ? "fail"
                        : e.changes                                 ? "change something"
                        : does.touches_all || !does.touches.empty() ? "reach outside the program"
                                                                    : nullptr;
      if (!can) continue;
      p_.sink.error(lang::Code::NK1194, e.span, what(e), can);
      return true;
    }
    return false;
  }

  Program& p_;
  FnId fn_;
  bool said_failure_ = false;
};

}  // namespace

void report(Program& program) {
  Reporter(program).run();
}

}  // namespace nikaia::lang::effects
