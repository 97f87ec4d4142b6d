// The least solution over the call graph (04 §1.2, §4.2; 06 §7.4): every function starts as one that does nothing, and
// is asked again whenever a function it calls does more than was known. All answers only grow, and there are finitely
// many, so this ends, and the result does not depend on the order; the first round goes from callees to callers, so
// that only functions that call each other are asked more than once.
//
// A function that fails without saying so counts, to its callers, as one that cannot fail; one that promises not to
// pause as one that does not. What it does in truth stands in its collector, for the refusals.
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

void add_step(const Program& p, const Step& step, FnEffects& e) {
  FnEffects own;
  own.may_pause = step.pauses;
  own.can_fail = step.throws;
  if (step.throws) own.throws.push_back(p.table.named(p.decls.io_error));
  add(e, own);
  for (const Code& code : step.codes) add(e, effects_of(p, code));
}

using Arguments = std::vector<std::pair<std::string, std::string>>;

// `file(path)` of the callee with what the caller gives for `path`.
std::string put_in(const std::string& touch, const Arguments& arguments) {
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

void put_in(std::vector<std::string>& touches, const Arguments& arguments) {
  for (std::string& touch : touches) touch = put_in(touch, arguments);
  std::sort(touches.begin(), touches.end());
  touches.erase(std::unique(touches.begin(), touches.end()), touches.end());
}

bool has_argument(const std::string& touch) {
  return touch.find('(') != std::string::npos;
}

// What stands for the arguments that resources are named by: a literal, or a local's name.
Arguments arguments_of(const Program& p, const Event& event) {
  const FileId file = event.span.file;
  const ast::Tree& tree = p.source.trees[file];
  const TreeNames& names = p.names[file];
  const FnDecl& fn = p.decls.fns[event.callee];
  const Call& call = p.types[file].calls[event.call];
  Arguments arguments;
  for (std::size_t i = 0; i < fn.params.size() && i < call.args.size(); ++i) {
    std::string given;
    if (!call.args[i].valid()) {
      // left out
    } else if (const auto* text = std::get_if<ast::TextLit>(&tree.exprs[call.args[i]].node)) {
      given = "\"" + tree.texts[text->text] + "\"";
    } else if (const Resolution& r = names.exprs[call.args[i]]; r.kind == Resolution::Kind::local) {
      // What is bound inside a branch is another thing in each of them.
      const Span bound = names.locals[r.local()].span;
      const bool is_inside =
          event.branch.has_text() && bound.begin >= event.branch.begin && bound.end <= event.branch.end;
      if (!is_inside) given = p.text(names.locals[r.local()].name);
    }
    arguments.emplace_back(std::string(p.text(fn.params[i].name)), std::move(given));
  }
  return arguments;
}

const FnEffects& of_call(const Program& p, const Event& event, FnEffects& e) {
  const FnDecl& fn = p.decls.fns[event.callee];
  const FnEffects& callee = p.out.fns[event.callee];
  const bool names_arguments = std::any_of(callee.touches.begin(), callee.touches.end(), has_argument);
  if (!names_arguments && event.codes.empty() && event.tasks.empty() && !event.step.any() &&
      event.lock_touches.empty() && !event.never_fails) {
    return callee;
  }
  e = callee;
  if (!event.lock_touches.empty()) e.touches = event.lock_touches;
  if (names_arguments) {
    put_in(e.touches, arguments_of(p, event));
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
  if (event.step.any()) add_step(p, event.step, e);
  for (CollectorId task : event.tasks) add_failures(e, p.collectors[task].effects);
  if (event.never_fails) {
    e.can_fail = e.throws_open = false;
    e.throws.clear();
  }
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

const FnEffects& effects_of(const Program& p, const Event& event, FnEffects& e) {
  e = FnEffects();
  switch (event.kind) {
    case Event::Kind::call: return of_call(p, event, e);
    case Event::Kind::value: e = effects_of(p, event.code); break;
    case Event::Kind::step: add_step(p, event.step, e); break;
    case Event::Kind::raise:
      if (event.error.valid()) {
        e.throws.push_back(event.error);
      } else if (event.caught.valid()) {
        add_failures(e, p.collectors[event.caught].effects);
      } else {
        e.throws_open = true;
      }
      e.can_fail = true;
      break;
    case Event::Kind::child: {
      const Collector& child = p.collectors[event.child];
      if (child.kind != Collector::Kind::guarded) return child.effects;
      e = child.effects;
      e.can_fail = e.throws_open = false;
      e.throws.clear();
      break;
    }
    case Event::Kind::closure:
    case Event::Kind::read:
    case Event::Kind::fit: break;
    case Event::Kind::task: add_failures(e, effects_of(p, event.code)); break;
    case Event::Kind::overlap: e.may_pause = true; break;
    case Event::Kind::cleanup:
      for (FnId fn : event.cleanups) add(e, p.out.fns[fn]);
      break;
  }
  return e;
}

namespace {

class Solver {
 public:
  explicit Solver(Program& program)
      : p_(program),
        callers_(program.decls.fns.size()),
        callees_(program.decls.fns.size()),
        methods_(program.decls.fns.size()),
        waits_(program.decls.fns.size(), 0) {}

  void run() {
    for (std::uint32_t f = 0; f < p_.decls.fns.size(); ++f) start(FnId(f));
    for (std::uint32_t f = 0; f < p_.decls.fns.size(); ++f) {
      if (const FnId id(f); p_.body_of[id].valid()) note_callees(id, p_.body_of[id]);
    }
    for (std::uint32_t f = 0; f < p_.decls.fns.size(); ++f) enqueue_from(FnId(f));
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

  // Puts what is reached from `root` behind what it calls, so that a program without recursion is answered in one
  // round.
  void enqueue_from(FnId root) {
    std::vector<std::pair<FnId, std::size_t>> path;
    auto enter = [&](FnId id) {
      if (is_placed_[id]) return;
      is_placed_[id] = 1;
      path.emplace_back(id, 0);
    };
    enter(root);
    while (!path.empty()) {
      auto& [id, next] = path.back();
      if (next < callees_[id].size()) {
        enter(callees_[id][next++]);
        continue;
      }
      if (p_.body_of[id].valid() || !methods_[id].empty()) enqueue(id);
      path.pop_back();
    }
  }

  // `caller` is asked again where `callee` grew.
  void note_call(FnId caller, FnId callee) {
    if (!p_.decls.fns[callee].key.empty()) return;  // a row's answer stands
    if (!callers_[callee].empty() && callers_[callee].back() == caller) return;
    callers_[callee].push_back(caller);
    callees_[caller].push_back(callee);
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
      if (it == methods.end()) return;
      note_call(it->second, id);
      methods_[it->second].push_back(id);
    }
  }

  void note_callees(FnId caller, CollectorId collector) {
    auto code = [&](const Code& c) {
      if (c.kind == Code::Kind::named) note_call(caller, c.fn);
    };
    for (const Event& event : p_.collectors[collector].events) {
      if (event.kind == Event::Kind::call) note_call(caller, event.callee);
      for (const CodeArgument& argument : event.codes) code(argument.code);
      for (const Code& c : event.step.codes) code(c);
      if (event.kind == Event::Kind::value || event.kind == Event::Kind::task) code(event.code);
      for (FnId fn : event.cleanups) note_call(caller, fn);
      if (event.child.valid()) note_callees(caller, event.child);
    }
  }

  void gather(CollectorId id) {
    for (std::size_t i = 0; i < p_.collectors[id].events.size(); ++i) {
      const Event& event = p_.collectors[id].events[i];
      if (event.child.valid()) gather(event.child);
      add(p_.collectors[id].effects, effects_of(p_, event, made_));
    }
  }

  // Asks a function again; says whether it does more than was known.
  bool answer(FnId id) {
    const FnDecl& fn = p_.decls.fns[id];
    if (fn.is_signature) {
      FnEffects joined;
      for (FnId method : methods_[id]) add(joined, p_.out.fns[method]);
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
    if (std::any_of(e.touches.begin(), e.touches.end(), has_argument)) {
      Arguments params;
      for (const ParamInfo& param : fn.params) {
        const std::string name(p_.text(param.name));
        if (!name.empty()) params.emplace_back(name, name);
      }
      put_in(e.touches, params);
    }
    return add(p_.out.fns[id], e);
  }

  Program& p_;
  IdVector<FnId, std::vector<FnId>> callers_, callees_;
  IdVector<FnId, std::vector<FnId>> methods_;  // of a trait's signature: those that answer it
  IdVector<FnId, std::uint8_t> is_placed_ = IdVector<FnId, std::uint8_t>(callers_.size(), 0);
  IdVector<FnId, std::uint8_t> waits_;
  std::deque<FnId> open_;
  FnEffects made_;
};

}  // namespace

void solve(Program& program) {
  Solver(program).run();
}

}  // namespace nikaia::lang::effects
