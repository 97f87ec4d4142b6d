// The least solution over the call graph (04 §1.2, §4.2; 06 §7.4): every function starts as one that does nothing, and is
// asked again whenever a function it calls does more than was known. All answers only grow, and there are finitely many,
// so this ends, and the result does not depend on the order.
//
// A function that fails without saying so counts, to its callers, as one that cannot fail; one that promises not to pause
// as one that does not. What it does in truth stands in its collector, for the refusals.
#include <algorithm>
#include <deque>

#include "passes/effects/events.h"

namespace nikaia::lang::effects {

bool add(FnEffects& to, const FnEffects& from) {
  bool grew = false;
  auto flag = [&](bool& mine, bool theirs) {
    if (theirs && !mine) mine = grew = true;
  };
  flag(to.may_pause, from.may_pause);
  flag(to.can_fail, from.can_fail);
  flag(to.throws_open, from.throws_open);
  flag(to.touches_all, from.touches_all);
  flag(to.takes_lock, from.takes_lock);
  auto insert = [&](auto& mine, const auto& theirs) {
    for (const auto& item : theirs) {
      auto at = std::lower_bound(mine.begin(), mine.end(), item);
      if (at != mine.end() && *at == item) continue;
      mine.insert(at, item);
      grew = true;
    }
  };
  insert(to.throws, from.throws);
  insert(to.touches, from.touches);
  return grew;
}

namespace {

// The failures of `from` alone.
void add_failures(FnEffects& to, const FnEffects& from) {
  FnEffects failures;
  failures.can_fail = from.can_fail;
  failures.throws = from.throws;
  failures.throws_open = from.throws_open;
  add(to, failures);
}

bool has_param(const std::vector<std::uint32_t>& params, std::uint32_t position) {
  return std::find(params.begin(), params.end(), position) != params.end();
}

// A function value nobody can look into does what its type allows.
FnEffects by_type(const Program& p, TypeId type) {
  FnEffects e;
  if (!type.valid() || p.table.kind(type) != TypeKind::function) return e;
  e.may_pause = !p.table[type].is_sync;
  e.can_fail = e.throws_open = p.table[type].is_throws;
  e.touches_all = true;
  return e;
}

// `file(path)` of the callee with what the caller gives for `path`.
std::string put_in(const std::string& touch, const std::vector<std::pair<std::string, std::string>>& arguments) {
  const std::size_t open = touch.find('('), close = touch.find(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return touch;
  const std::string argument = touch.substr(open + 1, close - open - 1);
  if (!argument.empty() && argument.front() == '"') return touch;
  std::string given;
  for (const auto& [param, value] : arguments) {
    if (param == argument) given = value;
  }
  return touch.substr(0, open) + (given.empty() ? "" : "(" + given + ")") + touch.substr(close + 1);
}

FnEffects of_call(const Program& p, const Event& event) {
  const FnDecl& fn = p.decls.fns[event.callee];
  FnEffects e = p.out.fns[event.callee];
  if (!event.touches.empty()) e.touches = event.touches;
  if (fn.key.empty()) {
    std::vector<std::string> touches;
    for (const std::string& t : e.touches) touches.push_back(put_in(t, event.arguments));
    std::sort(touches.begin(), touches.end());
    touches.erase(std::unique(touches.begin(), touches.end()), touches.end());
    e.touches = std::move(touches);
  }
  for (const CodeArgument& argument : event.codes) {
    if (argument.is_detached) continue;
    const FnEffects code = effects_of(p, argument.code);
    if (fn.lambda_decides) {
      add(e, code);
      continue;
    }
    FnEffects answer = code;
    answer.may_pause = code.may_pause && has_param(fn.sync_params, argument.position);
    if (!argument.wanted.valid() || !p.table[argument.wanted].is_throws) {
      answer.can_fail = answer.throws_open = false;
      answer.throws.clear();
    }
    add(e, answer);
  }
  if (event.step.any()) {
    Event step;
    step.kind = Event::Kind::step;
    step.step = event.step;
    add(e, effects_of(p, step));
  }
  for (CollectorId task : event.tasks) add_failures(e, p.collectors[task].effects);
  return e;
}

}  // namespace

FnEffects effects_of(const Program& p, const Code& code) {
  switch (code.kind) {
    case Code::Kind::lambda: return p.collectors[code.collector].effects;
    case Code::Kind::named: return p.out.fns[code.fn];
    case Code::Kind::pure: return {};
    case Code::Kind::by_type: return by_type(p, code.type);
    case Code::Kind::own_param: {
      // Whoever hands the lambda over answers for what it throws and touches (02 §8.5).
      FnEffects e = by_type(p, code.type);
      e.throws_open = e.touches_all = false;
      return e;
    }
  }
  return {};
}

FnEffects effects_of(const Program& p, const Event& event) {
  FnEffects e;
  switch (event.kind) {
    case Event::Kind::call: return of_call(p, event);
    case Event::Kind::value: return effects_of(p, event.code);
    case Event::Kind::step:
      e.may_pause = event.step.pauses;
      e.can_fail = event.step.throws;
      if (event.step.throws) e.throws.push_back(p.table.named(p.decls.io_error));
      for (const Code& code : event.step.codes) add(e, effects_of(p, code));
      return e;
    case Event::Kind::raise:
      e.can_fail = true;
      if (event.error.valid()) {
        e.throws.push_back(event.error);
      } else if (event.caught.valid()) {
        add_failures(e, p.collectors[event.caught].effects);
        e.can_fail = true;
      } else {
        e.throws_open = true;
      }
      return e;
    case Event::Kind::child: {
      const Collector& child = p.collectors[event.child];
      e = child.effects;
      if (child.kind == Collector::Kind::guarded) {
        e.can_fail = e.throws_open = false;
        e.throws.clear();
      }
      return e;
    }
    case Event::Kind::closure: return e;
    case Event::Kind::overlap:
      e.may_pause = true;
      return e;
    case Event::Kind::cleanup:
      for (FnId fn : event.cleanups) add(e, p.out.fns[fn]);
      return e;
  }
  return e;
}

namespace {

class Solver {
 public:
  explicit Solver(Program& program)
      : p_(program), callers_(program.decls.fns.size()), waits_(program.decls.fns.size(), 0) {}

  void run() {
    for (std::uint32_t f = 0; f < p_.decls.fns.size(); ++f) start(FnId(f));
    for (std::uint32_t f = 0; f < p_.decls.fns.size(); ++f) {
      const FnId id(f);
      if (!p_.body_of[id].valid()) continue;
      note_callees(id, p_.body_of[id]);
      enqueue(id);
    }
    while (!open_.empty()) {
      const FnId id = open_.front();
      open_.pop_front();
      waits_[id] = 0;
      if (answer(id)) {
        for (FnId caller : callers_[id]) enqueue(caller);
      }
    }
    for (CollectorId test : p_.tests) gather(test);
  }

 private:
  void enqueue(FnId id) {
    if (waits_[id]) return;
    waits_[id] = 1;
    open_.push_back(id);
  }

  // What is known before any body was looked at.
  void start(FnId id) {
    const FnDecl& fn = p_.decls.fns[id];
    FnEffects& e = p_.out.fns[id];
    if (!fn.key.empty()) {
      e.may_pause = fn.may_pause;
      e.can_fail = fn.says_throws;
      e.throws = fn.throws;
      std::sort(e.throws.begin(), e.throws.end());
      e.throws_open = fn.throws_open;
      e.touches = fn.touches;
      std::sort(e.touches.begin(), e.touches.end());
      e.touches_all = fn.touches_all;
      e.takes_lock = fn.takes_lock;
      return;
    }
    // A call through a bound has the declaration's effects (02 §6.2); the errors are those of the impls there are.
    e.can_fail = fn.says_throws;
    if (fn.is_signature) e.may_pause = !fn.says_sync;
    if (!fn.is_signature && fn.trait.valid()) {
      const auto& methods = p_.decls.traits[fn.trait].methods;
      auto it = methods.find(fn.name);
      if (it != methods.end()) callers_[id].push_back(it->second);
      if (it != methods.end()) impls_.emplace_back(it->second, id);
    }
  }

  void note_callees(FnId caller, CollectorId collector) {
    auto code = [&](const Code& c) {
      if (c.kind == Code::Kind::named) callers_[c.fn].push_back(caller);
    };
    for (const Event& event : p_.collectors[collector].events) {
      if (event.kind == Event::Kind::call) callers_[event.callee].push_back(caller);
      for (const CodeArgument& argument : event.codes) code(argument.code);
      for (const Code& c : event.step.codes) code(c);
      if (event.kind == Event::Kind::value) code(event.code);
      for (FnId fn : event.cleanups) callers_[fn].push_back(caller);
      if (event.child.valid()) note_callees(caller, event.child);
    }
  }

  void gather(CollectorId id) {
    for (std::size_t i = 0; i < p_.collectors[id].events.size(); ++i) {
      const Event& event = p_.collectors[id].events[i];
      if (event.child.valid()) gather(event.child);
      const FnEffects e = effects_of(p_, event);
      add(p_.collectors[id].effects, e);
    }
  }

  // Asks a function again; says whether it does more than was known.
  bool answer(FnId id) {
    const FnDecl& fn = p_.decls.fns[id];
    if (fn.is_signature) {
      FnEffects joined;
      for (const auto& [signature, method] : impls_) {
        if (signature == id) add(joined, p_.out.fns[method]);
      }
      joined.may_pause = joined.can_fail = false;
      if (!fn.says_throws) joined.throws.clear(), joined.throws_open = false;
      return add(p_.out.fns[id], joined);
    }
    gather(p_.body_of[id]);
    FnEffects e = p_.collectors[p_.body_of[id]].effects;
    if (e.can_fail && !fn.says_throws) p_.leaks[id] = 1;
    if (!fn.says_throws) {
      e.can_fail = e.throws_open = false;
      e.throws.clear();
    }
    if (fn.says_sync || !fn.sync_params.empty()) e.may_pause = false;
    // Outside, only parameters have a name.
    std::vector<std::pair<std::string, std::string>> params;
    for (const ParamInfo& param : fn.params) {
      const std::string name(p_.text(param.name));
      if (!name.empty()) params.emplace_back(name, name);
    }
    for (std::string& touch : e.touches) touch = put_in(touch, params);
    std::sort(e.touches.begin(), e.touches.end());
    e.touches.erase(std::unique(e.touches.begin(), e.touches.end()), e.touches.end());
    return add(p_.out.fns[id], e);
  }

  Program& p_;
  IdVector<FnId, std::vector<FnId>> callers_;
  IdVector<FnId, std::uint8_t> waits_;
  std::deque<FnId> open_;
  std::vector<std::pair<FnId, FnId>> impls_;  // a trait's signature and a method that answers it
};

}  // namespace

void solve(Program& program) { Solver(program).run(); }

}  // namespace nikaia::lang::effects
