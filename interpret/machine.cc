// Regions, instructions and calls.
#include "interpret/machine.h"

#include "lang/facts/names.h"

namespace nikaia::interpret {

using namespace lang::nir;
using lang::FnId;
using lang::TypeId;
using lang::TypeKind;

Machine::Machine(lang::Compilation& compilation, std::uint64_t steps)
    : compilation_(compilation),
      decls_(*compilation.facts.find(lang::declarations_fact)),
      module_(*compilation.facts.find(lang::mono_fact)),
      instances_(module_),
      steps_left_(steps) {}

void Machine::stop(Ending ending, std::string message) {
  if (is_stopped_) return;
  is_stopped_ = true;
  outcome_.ending = ending;
  outcome_.message = std::move(message);
  outcome_.span = span_;
}

Outcome Machine::run(std::string_view name) {
  FunctionId id = module_.main;
  for (std::size_t i = 0; !name.empty() && i < module_.functions.size(); ++i) {
    if (module_.functions[FunctionId(i)].name == name) id = FunctionId(i);
  }
  if (!id.valid()) {
    stop(Ending::not_built, "there is no such function");
  } else {
    Cell* error = nullptr;
    call_function(id, {}, nullptr, error);
    while (!stopped() && !waiting_.empty()) {
      const std::shared_ptr<Task> next = waiting_.front();
      join(*next);
    }
    if (!stopped() && error != nullptr) {
      std::string text;
      print(error, text);
      stop(Ending::failed, text);
    }
  }
  outcome_.output = std::move(output_);
  return std::move(outcome_);
}

// ---- calls

Cell* Machine::call_function(FunctionId id, std::vector<Cell*> args, const Closure* closure, Cell*& error) {
  if (stopped()) return unit();
  if (!id.valid()) {
    stop(Ending::not_built, "a function without a body");
    return unit();
  }
  const Function& f = module_.functions[id];
  if (++depth_ > 400) {
    stop(Ending::not_built, "a recursion as deep as this");
    return unit();
  }
  Frame fr{f, id, std::vector<Cell*>(f.locals.size(), nullptr), {}, nullptr, nullptr};
  for (std::size_t i = 0; i < f.params.size() && i < args.size(); ++i) fr.slots[f.params[i].index] = args[i];
  if (closure != nullptr) {
    for (const auto& [local, cell] : closure->captured) fr.slots[local.index] = cell;
  }
  const lang::Span caller = span_;
  const Signal s = region(fr, f.body);
  span_ = caller;
  --depth_;
  if (stopped()) return unit();
  end_of_region(fr, f.params);
  if (s.way == Way::failed) {
    error = fr.error;
    return unit();
  }
  if (s.way != Way::returned) finding("`" + f.name + "` runs off its end");
  return fr.result != nullptr ? fr.result : unit();
}

Cell* Machine::call_closure(Cell* function, std::vector<Cell*> args) {
  function = reached(function);
  if (stopped()) return unit();
  const std::shared_ptr<Closure> closure = function->closure;
  Cell* error = nullptr;
  Cell* result = call_function(closure->function, std::move(args), closure.get(), error);
  if (error != nullptr) stop(Ending::not_built, "a lambda that fails");
  return result;
}

Cell* Machine::join(Task& task) {
  while (!task.is_done && !waiting_.empty() && !stopped()) {
    const std::shared_ptr<Task> next = waiting_.front();
    waiting_.pop_front();
    Cell* error = nullptr;
    next->result = call_function(next->body->function, {}, next->body.get(), error);
    if (error != nullptr) stop(Ending::not_built, "a task that fails");
    for (auto x = next->body->captured.rbegin(); x != next->body->captured.rend(); ++x) {
      if (holds_code(x->second))
        finding("a task ends with `" + name_of_captured(*next->body, x->first) + "` undropped");
      kill(x->second);
    }
    next->is_done = true;
  }
  if (stopped() || task.result == nullptr) return unit();
  return moved_out(task.result);
}

std::string Machine::name_of_captured(const Closure& c, LocalId l) const {
  return std::string(compilation_.names.text(module_.functions[c.function].locals[l].name));
}

std::shared_ptr<Closure> Machine::closure(Frame& fr, const MakeClosure& c) {
  auto out = std::make_shared<Closure>();
  out->function = c.function;
  const Function& inner = module_.functions[c.function];
  for (const Capture& x : c.captures) {
    Cell* v = nullptr;
    const TypeId type = inner.locals[x.inner].type;
    switch (x.mode) {
      case CaptureMode::lend:
        v = lend_cell(at(fr, x.place), type, false);  // what is used of it is asked where it is used
        break;
      case CaptureMode::lend_mut: v = lend_cell(at(fr, x.place), type, true); break;  // and what is changed of it, too
      case CaptureMode::copy:
      case CaptureMode::dup: v = copied(read(fr, x.place)); break;
      case CaptureMode::move: v = moved_out(read(fr, x.place)); break;
    }
    if (stopped()) break;
    out->captured.emplace_back(x.inner, v);
  }
  return out;
}

Machine::Signal Machine::fail_edge(Frame& fr, const FailEdge& edge, Cell* error) {
  fr.slots[edge.error.index] = error;
  return region(fr, edge.region);
}

Machine::Signal Machine::call(Frame& fr, const Call& c) {
  std::vector<Cell*> args;
  Cell* callee = nullptr;
  if (!c.fn.valid()) callee = reached(at(fr, c.callee));
  for (const Operand& o : c.args) args.push_back(operand(fr, o));
  if (stopped()) return {};
  Cell* error = nullptr;
  Cell* result = nullptr;
  if (!c.fn.valid()) {
    const std::shared_ptr<Closure> closure = callee->closure;
    if (closure == nullptr)
      stop(Ending::not_built, "a call of this value");
    else
      result = call_function(closure->function, std::move(args), closure.get(), error);
  } else if (decls_.fns[c.fn].key.empty()) {
    result = call_function(instances_.find(c.fn, c.type_args), std::move(args), nullptr, error);
  } else if (!run_library(decls_.fns[c.fn].key, args, c, result)) {
    stop(Ending::not_built, "`" + decls_.fns[c.fn].key + "`");
  }
  if (stopped()) return {};
  if (error != nullptr) {
    if (!c.on_fail.valid()) {
      finding("a call fails that cannot");
      return {};
    }
    return fail_edge(fr, c.on_fail, error);
  }
  if (c.to.valid() && result != nullptr)
    set_local(fr, c.to, result);
  else if (result != nullptr && holds_code(result))
    kill(result);
  return {};
}

// ---- regions

void Machine::declare(Frame& fr, LocalId l) {
  Cell* c = make(Kind::none);
  c->life = Life::absent;
  if (types().kind(fr.f.locals[l].type) == TypeKind::error_sum) {
    c->kind = Kind::failure;
    c->life = Life::live;
  }
  fr.slots[l.index] = c;
}

void Machine::end_of_region(Frame& fr, const std::vector<LocalId>& declared) {
  for (auto l = declared.rbegin(); l != declared.rend(); ++l) {
    Cell* c = fr.slots[l->index];
    if (c == nullptr || stopped()) continue;
    if (holds_code(c)) finding("`" + name_of(fr, *l) + "` in `" + fr.f.name + "` leaves its region undropped");
    kill(c);
    fr.slots[l->index] = nullptr;
  }
}

void Machine::drop_local(Frame& fr, LocalId l) {
  Cell* c = fr.slots[l.index];
  if (c == nullptr || c->life == Life::absent || c->life == Life::moved) return;
  if (c->life == Life::dead) {
    finding("`" + name_of(fr, l) + "` in `" + fr.f.name + "` is dropped twice");
    return;
  }
  kill(c);
}

Machine::Signal Machine::region(Frame& fr, RegionId r) {
  std::vector<LocalId> declared;
  Signal s;
  for (InstrId i : fr.f.regions[r]) {
    if (steps_left_-- == 0) stop(Ending::too_long, "more steps than allowed");
    span_ = fr.f.instrs[i].span;
    s = instruction(fr, i, declared);
    if (stopped()) return {};
    if (s.way != Way::on) break;
  }
  end_of_region(fr, declared);
  return s;
}

Machine::Signal Machine::instruction(Frame& fr, InstrId id, std::vector<LocalId>& declared) {
  const Node& node = fr.f.instrs[id].node;
  if (auto* d = std::get_if<Declare>(&node)) {
    declare(fr, d->local);
    declared.push_back(d->local);
  } else if (auto* a = std::get_if<Assign>(&node)) {
    const TypeId type = a->to.path.empty() ? fr.f.locals[a->to.root].type : a->to.path.back().type;
    Cell* v = value(fr, a->value, type);
    if (!stopped()) write_to(fr, a->to, v, false);
  } else if (auto* s = std::get_if<Store>(&node)) {
    Cell* v = operand(fr, s->value);
    if (!stopped()) write_to(fr, s->to, v, true);
  } else if (auto* w = std::get_if<MapWrite>(&node)) {
    Cell* v = operand(fr, w->value);
    Cell* key = operand(fr, w->key);
    Cell* map = at(fr, w->map, true);
    if (!stopped()) put(map, key, v);
  } else if (auto* c = std::get_if<Call>(&node)) {
    return call(fr, *c);
  } else if (auto* d2 = std::get_if<Drop>(&node)) {
    for (LocalId l : d2->locals) {
      end_walks_before(fr, l);
      drop_local(fr, l);
    }
  } else if (auto* i = std::get_if<If>(&node)) {
    const Cell* cond = reached(operand(fr, i->cond));
    if (stopped()) return {};
    if (cond->number != 0) return region(fr, i->then_region);
    if (i->else_region.valid()) return region(fr, i->else_region);
  } else if (auto* sw = std::get_if<Switch>(&node)) {
    const Cell* on = reached(operand(fr, sw->on));
    if (stopped()) return {};
    for (const SwitchCase& x : sw->cases) {
      for (std::int64_t v : x.values) {
        if (v == on->number) return region(fr, x.region);
      }
    }
    if (sw->otherwise.valid()) return region(fr, sw->otherwise);
    finding("a switch that no case answers");
  } else if (auto* l = std::get_if<Loop>(&node)) {
    while (!stopped()) {
      const Signal turn = region(fr, l->body);
      if (turn.way == Way::leave && turn.label == l->label.index) return {};
      if (turn.way == Way::again && turn.label == l->label.index) continue;
      if (turn.way != Way::on) return turn;
      if (steps_left_-- == 0) stop(Ending::too_long, "more steps than allowed");
    }
  } else if (auto* b = std::get_if<Block>(&node)) {
    const Signal inner = region(fr, b->body);
    if (inner.way == Way::leave && inner.label == b->label.index) return {};
    return inner;
  } else if (auto* sc = std::get_if<Scope>(&node)) {
    return region(fr, sc->body);
  } else if (auto* le = std::get_if<Leave>(&node)) {
    return {Way::leave, le->label.index};
  } else if (auto* ag = std::get_if<Again>(&node)) {
    return {Way::again, ag->label.index};
  } else if (auto* g = std::get_if<Guard>(&node)) {
    const Signal inner = region(fr, g->body);
    if (inner.way != Way::raise || inner.label != g->label.index) return inner;
    fr.slots[g->error.index] = fr.error;
    return region(fr, g->handler);
  } else if (auto* ra = std::get_if<Raise>(&node)) {
    fr.error = operand(fr, ra->error);
    return {Way::raise, ra->label.index};
  } else if (auto* re = std::get_if<Return>(&node)) {
    fr.result = re->has_value ? operand(fr, re->value) : unit();
    return {Way::returned, 0};
  } else if (auto* fa = std::get_if<Fail>(&node)) {
    fr.error = operand(fr, fa->error);
    return {Way::failed, 0};
  } else if (auto* o = std::get_if<Overlap>(&node)) {
    Cell* tuple = make(Kind::tuple);
    for (const MakeClosure& branch : o->branches) {
      const auto body = closure(fr, branch);
      if (stopped()) return {};
      Cell* error = nullptr;
      tuple->parts.push_back(call_function(body->function, {}, body.get(), error));
      if (error != nullptr) return fail_edge(fr, o->on_fail, error);
    }
    if (o->to.valid()) set_local(fr, o->to, tuple);
  } else if (auto* sp = std::get_if<Spawn>(&node)) {
    Cell* handle = make(Kind::task);
    handle->task = std::make_shared<Task>();
    handle->task->body = closure(fr, sp->task);
    waiting_.push_back(handle->task);
    if (sp->to.valid()) set_local(fr, sp->to, handle);
  } else if (auto* wa = std::get_if<Walk>(&node)) {
    return walk(fr, *wa);
  } else if (auto* pa = std::get_if<Panic>(&node)) {
    Cell* text = operand(fr, pa->text);
    stop(Ending::panicked, std::string(text_of(text)));
  } else if (std::holds_alternative<Unreachable>(node)) {
    finding("what cannot be reached is reached");
  } else {
    stop(Ending::not_built, "a cleanup");
  }
  return {};
}

// ---- walks

Machine::Signal Machine::walk(Frame& fr, const Walk& w) {
  Cell* subject = operand(fr, w.subject);
  if (stopped()) return {};
  if (w.subject.kind != OperandKind::move) return walk_over(fr, w, subject);
  Walked walked{subject, {}};
  for (const Cell* c : fr.slots) walked.was_there.push_back(c != nullptr && c->life == Life::live ? 1 : 0);
  fr.walks.push_back(std::move(walked));
  const Signal s = walk_over(fr, w, subject);
  if (fr.walks.back().subject != nullptr) kill(subject);
  fr.walks.pop_back();
  return s;
}

// The loops that are left where this local is dropped.
void Machine::end_walks_before(Frame& fr, LocalId dropped) {
  for (auto w = fr.walks.rbegin(); w != fr.walks.rend(); ++w) {
    if (w->subject == nullptr || w->was_there[dropped.index] == 0) continue;
    kill(w->subject);
    w->subject = nullptr;
  }
}

Machine::Signal Machine::walk_over(Frame& fr, const Walk& w, Cell* subject) {
  Cell* walked = reached(subject);
  if (stopped()) return {};
  const std::uint32_t seen = walked->version;
  Cell* owner = walked->kind == Kind::run ? walked->target : walked;
  const std::uint32_t owner_seen = owner != nullptr ? owner->version : 0;
  const auto element = [&](LocalId l, Cell* c) {
    const TypeId type = fr.f.locals[l].type;
    const bool is_view = c->kind == Kind::view || c->kind == Kind::pointer || c->kind == Kind::run;
    if (types().kind(type) == TypeKind::ref && !is_view)
      fr.slots[l.index] = lend_cell(c, type, false);
    else
      fr.slots[l.index] = walked->kind == Kind::sequence ? c : copied(c);
  };
  std::size_t n = 0;
  for (;; ++n) {
    if (stopped()) return {};
    if (walked->kind == Kind::run && owner->life == Life::dead) {
      stop(Ending::not_built, "a run that outlives its list");
      return {};
    }
    if (owner != nullptr && (owner->life != Life::live || owner->version != owner_seen || walked->version != seen)) {
      finding("a loop goes on over what was changed, handed over or is dead");
      return {};
    }
    if (walked->kind == Kind::range) {
      const std::int64_t at = walked->number + static_cast<std::int64_t>(n);
      if (walked->is_inclusive ? at > walked->high : at >= walked->high) break;
      element(w.elements[0], integer(at));
    } else if (walked->kind == Kind::list) {
      if (n >= walked->parts.size()) break;
      element(w.elements[0], walked->parts[n]);
    } else if (walked->kind == Kind::run) {
      if (n >= walked->size) break;
      element(w.elements[0], owner->parts[walked->at + n]);
    } else if (walked->kind == Kind::map) {
      if (walked->variant == 0 && walked->parts.size() > 2) {
        stop(Ending::not_built, "the order of a `HashMap`");
        return {};
      }
      if (2 * n + 1 >= walked->parts.size()) break;
      element(w.elements[0], walked->parts[2 * n]);
      if (w.elements.size() > 1) element(w.elements[1], walked->parts[2 * n + 1]);
    } else if (walked->kind == Kind::sequence) {
      Cell* next = walked->sequence->next();
      if (stopped()) return {};
      if (next == nullptr) break;
      if (w.elements.size() == 2) {
        element(w.elements[0], next->parts[0]);
        element(w.elements[1], next->parts[1]);
      } else {
        element(w.elements[0], next);
      }
    } else {
      stop(Ending::not_built, "a loop over this");
      return {};
    }
    const Signal turn = region(fr, w.body);
    if (stopped()) return {};
    if (walked->kind == Kind::sequence) end_of_region(fr, w.elements);
    if (turn.way == Way::leave && turn.label == w.label.index) return {};
    if (turn.way == Way::again && turn.label == w.label.index) continue;
    if (turn.way != Way::on) return turn;
  }
  return {};
}

}  // namespace nikaia::interpret
