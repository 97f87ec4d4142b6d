// Which loans a value holds, what a call does with them, and one step of the two dataflows.
#include "passes/loans/body.h"

namespace nikaia::lang::loans {

// ---- origins: which loans a value holds

// The views that a value of that type can hold.
Origins Body::fit(Origins from, TypeId type) const {
  if (!m_.views.is_deep(type)) from.deep = nir::Bits(loans_.size());
  return from;
}

// The views in the value of a place.
Origins Body::inside(const Held& state, const Place& p) const {
  Origins out = held(state, holder_of(p.root));
  if (derefs(p) != 0) out.near = out.deep;
  return out;
}

// A view of a place: its own loan, unless it is reached through views that only read, and what lies behind it.
Origins Body::loan_of(const Held& state, const void* key, const Place& p) const {
  const Origins root = held(state, holder_of(p.root));
  const std::size_t behind = derefs(p);
  Origins out = nothing();
  if (behind != 0) out.near = behind == 1 ? root.near : root.deep;
  out.deep = behind == 0 ? root.all() : root.deep;
  const auto it = loan_at_.find(key);
  if (it != loan_at_.end() && loans_[it->second].is_own) out.near.set(it->second);
  return out;
}

Origins Body::origins(const Held& state, const nir::Operand& o) const {
  if (o.kind == OperandKind::constant) return nothing();
  if (o.kind == OperandKind::lend || o.kind == OperandKind::lend_mut) return loan_of(state, &o, o.place);
  if (holder_of(o.place.root) == no_holder) return nothing();
  const bool is_lambda = m_.types.kind(f_.locals[o.place.root].type) == TypeKind::function;
  return m_.views.holds(o.type) || is_lambda ? inside(state, o.place) : nothing();
}

// Whether what is read from the map under a key is handed out as it is, and not a view of it.
bool Body::is_copied_out(const nir::MapRead& read, TypeId to) const {
  const Type& map = m_.types[m_.types.without_ref(nir::place_type(f_, read.map))];
  return m_.types.kind(to) == TypeKind::nullable && !map.args.empty() && m_.types[to].args[0] == map.args.back();
}

// `to`: the type of the place that takes it.
Origins Body::origins(const Held& state, const nir::Value& v, TypeId to) const {
  Origins out = nothing();
  if (std::holds_alternative<nir::Format>(v) || std::holds_alternative<nir::ToText>(v) ||
      std::holds_alternative<nir::Binary>(v) || std::holds_alternative<nir::MakeFailure>(v)) {
    return out;
  }
  const bool is_view = std::holds_alternative<nir::Slice>(v) || std::holds_alternative<nir::MapRead>(v) ||
                       std::holds_alternative<nir::ErrorAs>(v);
  nir::visit_value(
      v,
      [&](const nir::Operand& o) {
        if (!is_view) out.add(origins(state, o));
      },
      [&](const Place& p) {
        if (!is_view) return;
        // A part of a view looks where the view does.
        const bool is_seen_through = m_.types.kind(nir::place_type(f_, p)) == TypeKind::ref;
        const Origins view = is_seen_through ? inside(state, p) : loan_of(state, &p, p);
        if (auto* read = std::get_if<nir::MapRead>(&v); read != nullptr && is_copied_out(*read, to))
          out.add({view.deep, view.deep});
        else
          out.add(view);
      },
      [&](const nir::MakeClosure& c) { out.add(origins(state, c)); });
  return out;
}

// How far behind what it captured a lambda reads is not told apart.
Origins Body::origins(const Held& state, const nir::MakeClosure& c) const {
  nir::Bits out(loans_.size());
  for (const nir::Capture& x : c.captures) {
    out.add(held(state, holder_of(x.place.root)).all());
    for (const CapturedPart& part : m_.captured[c.function]) {
      if (!(part.inner == x.inner)) continue;
      if (auto it = loan_at_.find(&part); it != loan_at_.end()) out.set(it->second);
    }
  }
  return {out, out};
}

// ---- calls

bool Body::lends_for_change(const nir::Operand& o) const {
  if (o.kind == OperandKind::constant) return false;
  if (o.kind == OperandKind::lend_mut) return true;
  return o.kind == OperandKind::copy && o.type.valid() && m_.types.kind(o.type) == TypeKind::ref &&
         m_.types[o.type].is_mut;
}

// The contract of the program's function that is called, which is looked at first; null where there is none yet.
const Contract* Body::contract_of(const nir::Call& c) const {
  if (!c.fn.valid()) return nullptr;
  const FunctionId callee = m_.by_source[c.fn];
  if (!callee.valid()) return nullptr;
  check(m_, callee);
  const Contract& found = m_.contracts[callee];
  return found.is_known ? &found : nullptr;
}

Origins Body::result_of(const Held& state, const nir::Call& c) const {
  Origins out = nothing();
  const Contract* contract = contract_of(c);
  const bool is_row = c.fn.valid() && !m_.decls.fns[c.fn].key.empty();
  // A lambda is handed views of the elements, and what it makes of them may hold them.
  const bool may_hand_on = m_.views.holds(c.result) && std::any_of(c.args.begin(), c.args.end(),
                                                                   [&](const nir::Operand& o) { return is_lambda(o); });
  for (std::size_t i = 0; i < c.args.size(); ++i) {
    const nir::Operand& o = c.args[i];
    const bool is_lent = o.kind == OperandKind::lend || o.kind == OperandKind::lend_mut;
    Origins from = origins(state, o);
    if (is_row) {
      // What it holds may come out again: an element of a list of views, a step of a sequence.
      if (is_lent && !may_hand_on && !is_source(m_.decls.fns[c.fn], i)) from.near = from.deep;
      from.near.add(from.deep);
      out.add(from);
    } else if (contract == nullptr) {
      from.near.add(from.deep);
      out.add(from);
    } else {
      const auto add = [&](nir::Bits& to, const Sources& sources) {
        if (sources.near.test(i)) to.add(from.near);
        if (sources.deep.test(i)) to.add(from.deep);
      };
      add(out.near, contract->near);
      add(out.deep, contract->deep);
    }
  }
  // A view of a view is one in a generic function and the view itself for its caller.
  if (contract != nullptr && !m_.function(m_.by_source[c.fn]).type_params.empty()) out.near.add(out.deep);
  if (!c.fn.valid()) {
    const nir::Bits all = inside(state, c.callee).all();  // what it captured, not the function value itself
    out.add({all, all});
  }
  return fit(std::move(out), c.result);
}

bool Body::is_source(const FnDecl& fn, std::size_t argument) {
  const std::size_t receiver = fn.receiver != ast::Receiver::none ? 1 : 0;
  for (std::uint32_t from : fn.result_from) {
    if (from == FnDecl::from_receiver ? receiver == 1 && argument == 0 : from + receiver == argument) return true;
  }
  return false;
}

void Body::store_views(Held& state, const nir::Call& c) const {
  store_by_change(state, c);
  const Contract* contract = contract_of(c);
  for (std::size_t to = 0; to < c.args.size(); ++to) {
    const nir::Operand& into = c.args[to];
    if (!lends_for_change(into)) continue;
    // A temporary that is a parameter's pointer once more puts views into what the parameter reaches.
    const NirLocal reached =
        (into.kind == OperandKind::lend_mut ? resolved(into.place) : behind(into.place, into.type)).root;
    if (holder_of(into.place.root) == no_holder && holder_of(reached) == no_holder) continue;
    if (!m_.views.holds(m_.types.without_ref(into.type))) continue;
    for (std::size_t from = 0; from < c.args.size(); ++from) {
      nir::Bits views(loans_.size());
      if (from == to) continue;
      if (is_lambda(c.args[from])) {
        if (stores_captures(c.args[from])) views = origins(state, c.args[from]).all();
      } else if (m_.views.holds(c.args[from].type)) {
        const Origins given = origins(state, c.args[from]);
        if (contract == nullptr || contract->stored[to].near.test(from)) views.add(given.near);
        if (contract == nullptr || contract->stored[to].deep.test(from)) views.add(given.deep);
      }
      if (!views.any()) continue;
      put_anywhere(state, into.place.root, views);
      put_anywhere(state, reached, views);
      put_behind(state, into.place.root, views);
    }
  }
}

// What an argument changes by a loan of its own, as the entry of a map does.
void Body::store_by_change(Held& state, const nir::Call& c) const {
  for (std::size_t to = 0; to < c.args.size(); ++to) {
    const nir::Operand& into = c.args[to];
    if (into.kind == OperandKind::constant || lends_for_change(into) || holder_of(into.place.root) == no_holder ||
        is_lambda(into) || m_.types.kind(into.type) == TypeKind::ref)
      continue;
    origins(state, into).near.for_each([&](std::size_t l) {
      const Loan& loan = loans_[l];
      // A pointer for change that was passed in is the caller's loan.
      const bool is_change = l < callers_.size() ? m_.types[f_.locals[loan.place.root].type].is_mut : loan.is_change;
      const TypeId changed = m_.types.without_ref(nir::place_type(f_, loan.place));
      if (!is_change || holder_of(loan.place.root) == no_holder || !m_.views.holds(changed)) return;
      for (std::size_t from = 0; from < c.args.size(); ++from) {
        const nir::Operand& o = c.args[from];
        if (from == to || o.kind == OperandKind::constant) continue;
        if (is_lambda(o) ? !stores_captures(o) : !m_.views.holds(o.type)) continue;
        nir::Bits views = origins(state, o).all();
        views.reset(l);
        put_anywhere(state, loan.place.root, views);
      }
    });
  }
}

// Whether the lambda puts views that it captured into what it is handed.
bool Body::stores_captures(const nir::Operand& lambda) const {
  const nir::MakeClosure* made = lambda.place.is_local() ? closure_in(lambda.place.root) : nullptr;
  if (made == nullptr) return false;
  check(m_, made->function);
  return m_.contracts[made->function].stores_captures;
}

// What a lambda is handed during the call may end up in what it changes outside: views of the other arguments, and
// what those hold.
void Body::hand_to_lambdas(Held& state, const nir::Call& c) const {
  for (const nir::Operand& lambda : c.args) {
    if (!changes_views(lambda)) continue;
    for (const nir::Capture& x : closure_in(lambda.place.root)->captures) {
      if (!lends_views(x)) continue;
      for (const nir::Operand& from : c.args) {
        if (&from == &lambda || from.kind == OperandKind::constant) continue;
        const nir::Bits views = origins(state, from).all();
        put_anywhere(state, x.place.root, views);
        put_anywhere(state, resolved(x.place).root, views);
      }
    }
  }
}

// Whether the capture lets the lambda change something that holds views.
bool Body::lends_views(const nir::Capture& x) const {
  if (x.mode != nir::CaptureMode::lend_mut) return false;
  const TypeId type = nir::place_type(f_, x.place);
  return m_.views.holds(m_.types[type].is_mut ? m_.types.without_ref(type) : type);
}

bool Body::changes_views(const nir::Operand& o) const {
  if (!is_lambda(o) || !o.place.is_local()) return false;
  const nir::MakeClosure* made = closure_in(o.place.root);
  return made != nullptr && std::any_of(made->captures.begin(), made->captures.end(),
                                        [&](const nir::Capture& x) { return lends_views(x); });
}

// The closure that a local was made as, or null.
const nir::MakeClosure* Body::closure_in(NirLocal local) const {
  const auto it = closures_.find(local.index);
  return it == closures_.end() ? nullptr : it->second;
}

// ---- forward: one step

void Body::transfer(const nir::Step& step, Held& state) const {
  if (!step.instr.valid()) return;
  const nir::Node& node = f_.instrs[step.instr].node;
  const bool reads_now = step.kind == nir::StepKind::whole || step.kind == nir::StepKind::operands;
  const bool gives_now = step.kind == nir::StepKind::whole || step.kind == nir::StepKind::result;
  if (auto* c = std::get_if<nir::Call>(&node)) {
    const Origins result = gives_now && holder_of(c->to) != no_holder ? result_of(state, *c) : nothing();
    if (reads_now) store_views(state, *c);
    if (reads_now) hand_to_lambdas(state, *c);
    if (gives_now) put(state, holder_of(c->to), result, true);
  } else if (auto* w = std::get_if<nir::Walk>(&node)) {
    const std::uint32_t walker = walker_of(step.instr);
    if (step.kind == nir::StepKind::operands) put(state, walker, origins(state, w->subject), true);
    if (step.kind == nir::StepKind::result) {
      for (std::size_t n = 0; n < w->elements.size(); ++n) {
        const NirLocal l = w->elements[n];
        end_of(state, l);
        if (holder_of(l) != no_holder) put(state, holder_of(l), element(*w, n, held(state, walker)), true);
      }
    }
  } else if (auto* d = std::get_if<nir::Declare>(&node)) {
    end_of(state, d->local);
    put(state, holder_of(d->local), nothing(), true);
  } else if (auto* a = std::get_if<nir::Assign>(&node)) {
    if (may_take_in(a->to)) assign(state, a->to, origins(state, a->value, nir::place_type(f_, a->to)));
    if (auto* made = std::get_if<nir::MakeClosure>(&a->value)) store_captures(state, *made);
  } else if (auto* s = std::get_if<nir::Store>(&node)) {
    const bool takes_in = may_take_in(s->to);
    const Origins from = takes_in ? origins(state, s->value) : nothing();
    if (s->to.is_local()) end_of(state, s->to.root);
    if (takes_in) assign(state, s->to, from);
  } else if (auto* mw = std::get_if<nir::MapWrite>(&node)) {
    Origins from = origins(state, mw->key);
    from.add(origins(state, mw->value));
    put_into(state, mw->map, from);
    put_into(state, resolved(mw->map), from);
  } else if (auto* o = std::get_if<nir::Overlap>(&node); o != nullptr && gives_now) {
    Origins all = nothing();
    for (const nir::MakeClosure& b : o->branches) {
      all.add(origins(state, b));
      store_captures(state, b);
    }
    put(state, holder_of(o->to), all, true);
  }
}

// What the lambda will put from one capture into another.
void Body::store_captures(Held& state, const nir::MakeClosure& c) const {
  check(m_, c.function);
  for (const Contract::Stored& stored : m_.contracts[c.function].captures_stored) {
    nir::Bits views(loans_.size());
    const nir::Capture* into = nullptr;
    for (const nir::Capture& x : c.captures) {
      if (x.inner == stored.into) into = &x;
      if (!(x.inner == stored.from)) continue;
      views.add(held(state, holder_of(x.place.root)).all());
      for (const CapturedPart& part : m_.captured[c.function]) {
        if (!(part.inner == x.inner)) continue;
        if (auto it = loan_at_.find(&part); it != loan_at_.end()) views.set(it->second);
      }
    }
    if (into == nullptr || !views.any()) continue;
    put_anywhere(state, into->place.root, views);
    put_anywhere(state, resolved(into->place).root, views);
  }
}

bool Body::may_take_in(const Place& to) const {
  return holder_of(to.root) != no_holder || (!to.is_local() && holder_of(resolved(to).root) != no_holder);
}

void Body::assign(Held& state, const Place& to, const Origins& from) const {
  if (to.is_local()) return put(state, holder_of(to.root), from, true);
  put_into(state, to, from);
  put_into(state, resolved(to), from);
}

// What the n-th element of a walk holds: a view of an element of the list that is walked, or such an element, where
// it copies.
Origins Body::element(const nir::Walk& w, std::size_t n, Origins walked) const {
  const TypeId type = f_.locals[w.elements[n]].type;
  const Type& list = m_.types[m_.types.without_ref(w.subject.type)];
  const TypeId held = list.kind != TypeKind::seq && n < list.args.size() ? list.args[n] : TypeId{};
  if (held.valid() && type == held) {
    walked.near = walked.deep;
  } else if (!held.valid() || m_.types.kind(held) == TypeKind::ref || m_.types.kind(held) == TypeKind::param ||
             m_.types.kind(type) != TypeKind::ref || m_.types[type].args[0] != held) {
    walked.near.add(walked.deep);
  }
  return fit(std::move(walked), type);
}

// ---- backward: who is read

bool Body::is_read_by_drop(NirLocal l) const {
  return holder_of(l) != no_holder && m_.views.is_torn_down(f_.locals[l].type);
}

void Body::reads(const nir::Step& step, nir::Bits& live) const {
  if (!step.instr.valid()) return;
  const nir::Node& node = f_.instrs[step.instr].node;
  if (step.kind == nir::StepKind::whole || step.kind == nir::StepKind::result)
    each_defined(node, [&](std::uint32_t h) { live.reset(h); });
  if (step.kind == nir::StepKind::turn) live.set(walker_of(step.instr));
  if (step.kind == nir::StepKind::operands && std::holds_alternative<nir::Walk>(node))
    live.reset(walker_of(step.instr));
  if (step.kind == nir::StepKind::whole || step.kind == nir::StepKind::operands)
    each_read(node, [&](std::uint32_t h) { live.set(h); });
}

}  // namespace nikaia::lang::loans
