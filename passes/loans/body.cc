// What a function has: temporaries that stand for places, holders, loans, regions; and the order of looking at it.
#include "passes/loans/body.h"

namespace nikaia::lang::loans {

void Body::run() {
  find_pointers();
  find_holders();
  find_loans();
  Contract& contract = m_.contracts[id_];
  contract.near = contract.deep = contract.away = Sources(f_.params.size());
  contract.stored.assign(f_.params.size(), Sources(f_.params.size()));
  is_door_ = find_door();
  is_scope_ = find_scope();
  if (!has_loans_ && !hands_views_on() && !lends_for_itself() && !may_keep_as_text()) {
    same_call_only();
    contract.is_known = true;
    return;
  }
  find_regions();
  const nir::Flow flow = nir::flow_of(f_);
  nir::Bits at_exits(holder_count_);
  for (NirLocal p : f_.params) {
    if (holder_of(p) != no_holder && m_.types[f_.locals[p].type].is_mut) at_exits.set(holder_of(p));
  }
  // What the block puts outside is looked at where it ends.
  for (const Given& given : callers_) {
    const nir::Local& l = f_.locals[given.local];
    const bool is_outside = l.kind == nir::LocalKind::capture && m_.types[l.type].is_mut;
    if (is_outside) at_exits.set(holder_of(given.local));
  }
  const auto live = nir::solve_backward(
      flow, at_exits, nir::Bits(holder_count_), [&](nir::StepId s, nir::Bits& state) { reads(flow.steps[s], state); },
      [](nir::Bits& into, const nir::Bits& from) { return into.add(from); });
  Held entry;
  for (std::size_t p = 0; p < callers_.size(); ++p) {
    entry.set(slot(holder_of(callers_[p].local), callers_[p].is_deep), static_cast<std::uint32_t>(p));
  }
  nir::solve_forward(
      flow, entry, Held(),
      [&](nir::StepId s, Held& state) {
        transfer(flow.steps[s], state);
        // What nobody reads later is not asked for, except by the result of the same call.
        if (flow.steps[s].kind != nir::StepKind::operands)
          state.remove([&](const Held::Pair& p) { return !live[s].test(holder_in(p.slot)); });
      },
      [](Held& into, const Held& from) { return into.add(from); },
      [&](nir::StepId s, const Held& state) {
        if (flow.steps[s].instr.valid()) conflicts(flow.steps[s], state, live[s]);
      });
  contract.is_known = true;
}

// ---- temporaries that are pointers are what they were made of

void Body::find_pointers() {
  pointer_of_.assign(f_.locals.size(), nullptr);
  std::vector<std::uint8_t> count(f_.locals.size(), 0);
  for (const nir::Instr& i : f_.instrs) {
    auto* a = std::get_if<nir::Assign>(&i.node);
    if (a == nullptr || !a->to.is_local()) continue;
    const nir::Local& l = f_.locals[a->to.root];
    auto* use = std::get_if<nir::Use>(&a->value);
    if (count[a->to.root.index] < 2) ++count[a->to.root.index];
    const bool is_pointer = l.kind == nir::LocalKind::temp && m_.types.kind(l.type) == TypeKind::ref;
    const bool is_known =
        is_pointer && use != nullptr && use->value.kind != OperandKind::constant && count[a->to.root.index] == 1;
    pointer_of_[a->to.root.index] = is_known ? &use->value : nullptr;
  }
}

// `p` with such a pointer at its root replaced.
Place Body::resolved(Place p) const {
  for (int steps = 0; steps < 16; ++steps) {
    if (p.path.empty() || p.path[0].kind != ProjectionKind::deref) break;
    const nir::Operand* from = pointer_of_[p.root.index];
    if (from == nullptr || from->place.root == p.root) break;
    const bool is_loan = from->kind == OperandKind::lend || from->kind == OperandKind::lend_mut;
    Place out = from->place;
    out.path.insert(out.path.end(), p.path.begin() + (is_loan ? 1 : 0), p.path.end());
    if (p.span.has_text()) out.span = p.span;
    p = std::move(out);
  }
  return p;
}

// ---- who may hold a loan: locals whose type holds a view, lambdas, and each walk

void Body::find_holders() {
  holders_.assign(f_.locals.size(), no_holder);
  for (std::size_t i = 0; i < f_.locals.size(); ++i) {
    const TypeId t = f_.locals[NirLocal(i)].type;
    if (m_.views.holds(t)) add_holder(NirLocal(i), m_.views.of(t), m_.views.is_deep(t));
  }
  for (std::size_t i = 0; i < f_.instrs.size(); ++i) {
    const nir::Node& node = f_.instrs[InstrId(i)].node;
    if (auto* a = std::get_if<nir::Assign>(&node); a != nullptr && std::holds_alternative<nir::MakeClosure>(a->value)) {
      if (holder_of(a->to.root) == no_holder) add_holder(a->to.root, 0, true);
      closures_[a->to.root.index] = &std::get<nir::MakeClosure>(a->value);
    }
    if (std::holds_alternative<nir::Walk>(node)) {
      walkers_.emplace_back(InstrId(i), holder_count_);
      views_of_.push_back(view_pointer);
      is_deep_.push_back(1);
      local_of_.emplace_back();
      ++holder_count_;
    }
  }
}

void Body::add_holder(NirLocal local, std::uint8_t views, bool is_deep) {
  holders_[local.index] = holder_count_++;
  views_of_.push_back(views);
  is_deep_.push_back(is_deep ? 1 : 0);
  local_of_.push_back(local);
}

std::uint32_t Body::walker_of(InstrId walk) const {
  for (const auto& [instr, holder] : walkers_) {
    if (instr == walk) return holder;
  }
  return no_holder;
}

// ---- the loans

// What the caller lent comes first: for each parameter and capture that holds a view one, and one more for what lies
// behind such a view.
void Body::find_loans() {
  for (std::size_t i = 0; i < f_.locals.size(); ++i) {
    const nir::Local& l = f_.locals[NirLocal(i)];
    const bool is_given = l.kind == nir::LocalKind::param || l.kind == nir::LocalKind::capture;
    if (!is_given || holder_of(NirLocal(i)) == no_holder) continue;
    for (int is_deep = 0; is_deep <= is_deep_[holder_of(NirLocal(i))]; ++is_deep) {
      callers_.push_back({NirLocal(i), is_deep != 0});
      loans_.push_back({Place{NirLocal(i), {}}, false, {}, l.span, true, true});
    }
  }
  for (std::size_t i = 0; i < f_.instrs.size(); ++i) {
    const InstrId id(i);
    const nir::Node& node = f_.instrs[id].node;
    const bool goes_away = may_go_away(node), keeps = goes_away || may_hold(node);
    has_loans_ = has_loans_ || goes_away;
    nir::visit_uses(
        node,
        [&](const nir::Operand& o) {
          if (!keeps || (o.kind != OperandKind::lend && o.kind != OperandKind::lend_mut)) return;
          add_loan(&o, o.place, o.kind == OperandKind::lend_mut, id);
        },
        [&](const Place& p) {
          if (keeps && std::holds_alternative<nir::Assign>(node)) add_loan(&p, p, false, id);
        },
        [&](const nir::MakeClosure& c) {
          for (const nir::Capture& x : c.captures) {
            const bool is_lent = x.mode == nir::CaptureMode::lend || x.mode == nir::CaptureMode::lend_mut;
            for (const CapturedPart& part : m_.captured[c.function]) {
              if (!(part.inner == x.inner) || (!is_lent && !part.is_changed)) continue;
              add_loan(&part, nir::outer_place(x, part), part.is_changed, id, true);
            }
          }
        });
  }
}

// Whether a view that the instruction makes, or is given, may be put where it outlives every call.
bool Body::may_go_away(const nir::Node& node) const {
  if (auto* c = std::get_if<nir::Call>(&node)) return puts_away_any(*c);
  auto* a = std::get_if<nir::Assign>(&node);
  if (a == nullptr) return false;
  if (auto* failure = std::get_if<nir::MakeFailure>(&a->value)) return m_.views.holds(failure->value.type);
  auto* made = std::get_if<nir::MakeClosure>(&a->value);
  return made != nullptr && made->is_kept;
}

// Whether a view that it makes may be held behind it.
bool Body::may_hold(const nir::Node& node) const {
  if (auto* a = std::get_if<nir::Assign>(&node)) return holder_of(a->to.root) != no_holder;
  if (auto* s = std::get_if<nir::Store>(&node)) return holder_of(s->to.root) != no_holder;
  if (auto* w = std::get_if<nir::MapWrite>(&node)) return holder_of(w->map.root) != no_holder;
  if (auto* c = std::get_if<nir::Call>(&node)) {
    if (holder_of(c->to) != no_holder) return true;
    for (const nir::Operand& o : c->args) {
      if (lends_for_change(o) && holder_of(o.place.root) != no_holder && m_.views.holds(m_.types.without_ref(o.type)))
        return true;
      if (changes_views(o)) return true;
    }
    return false;
  }
  return std::holds_alternative<nir::Walk>(node) || std::holds_alternative<nir::Return>(node);
}

void Body::add_loan(const void* key, const Place& given, bool is_change, InstrId i, bool is_captured) {
  const Place p = resolved(given);
  // What a view only reads is held by that view.
  if (!is_captured && !is_own(p)) return;
  Loan loan{p, is_change, i, p.span.has_text() ? p.span : f_.instrs[i].span, is_own(p), is_of_caller(p)};
  loan_at_.emplace(key, loans_.size());
  loans_.push_back(std::move(loan));
  has_loans_ = true;
}

bool Body::is_own(const Place& p) const {
  TypeId at = f_.locals[p.root].type;
  for (const nir::Projection& x : p.path) {
    if (x.kind == ProjectionKind::deref && !m_.types[at].is_mut) return false;
    at = x.type;
  }
  return true;
}

// Whether the place lies in memory of the caller: behind a pointer that this function was given.
bool Body::is_of_caller(const Place& p) const {
  const nir::LocalKind kind = f_.locals[p.root].kind;
  if (kind != nir::LocalKind::param && kind != nir::LocalKind::capture) return false;
  return std::any_of(p.path.begin(), p.path.end(),
                     [](const nir::Projection& x) { return x.kind == ProjectionKind::deref; });
}

bool Body::hands_views_on() {
  if (m_.views.holds(f_.result)) return true;
  for (NirLocal p : f_.params) {
    const Type& t = m_.types[f_.locals[p].type];
    if (t.kind == TypeKind::ref && t.is_mut && m_.views.holds(t.args[0])) return true;
  }
  for (const nir::Instr& i : f_.instrs) {
    if (std::holds_alternative<nir::Spawn>(i.node)) return true;
  }
  return std::any_of(callers_.begin(), callers_.end(), [&](const Given& given) {
    const nir::Local& l = f_.locals[given.local];
    return l.kind == nir::LocalKind::capture && m_.types[l.type].is_mut && m_.views.holds(m_.types[l.type].args[0]);
  });
}

Origins Body::held(const Held& state, std::uint32_t holder) const {
  Origins out = nothing();
  if (holder == no_holder) return out;
  state.each_loan(slot(holder, false), [&](std::size_t l) { out.near.set(l); });
  state.each_loan(slot(holder, true), [&](std::size_t l) { out.deep.set(l); });
  return out;
}

void Body::put(Held& state, std::uint32_t holder, const Origins& loans, bool replaces) const {
  if (holder == no_holder) return;
  state.put(slot(holder, false), loans.near, replaces);
  if (is_deep_[holder] != 0) state.put(slot(holder, true), loans.deep, replaces);
}

// Views that get into a part of `p`'s root, or behind a view in it.
void Body::put_into(Held& state, const Place& p, const Origins& loans) const {
  const std::uint32_t holder = holder_of(p.root);
  if (holder == no_holder) return;
  if (derefs(p) == 0) return put(state, holder, loans, false);
  put_behind(state, p.root, loans.all());
  if (is_deep_[holder] != 0) state.put(slot(holder, true), loans.all(), false);
}

// Into what a pointer for change that was handed back looks into: an element of a map, by its entry.
void Body::put_behind(Held& state, NirLocal pointer, const nir::Bits& views) const {
  if (m_.types.kind(f_.locals[pointer].type) != TypeKind::ref || holder_of(pointer) == no_holder) return;
  held(state, holder_of(pointer)).near.for_each([&](std::size_t l) {
    const NirLocal root = loans_[l].place.root;
    if (l < callers_.size() && root == pointer) {
      if (is_deep_[holder_of(pointer)] != 0) state.put(slot(holder_of(pointer), true), views, false);
    } else if (l >= callers_.size() ? loans_[l].is_change : m_.types[f_.locals[root].type].is_mut) {
      put_anywhere(state, root, views);
    }
  });
}

// The same, where it is not known how far behind.
void Body::put_anywhere(Held& state, NirLocal root, const nir::Bits& loans) const {
  put(state, holder_of(root), {loans, loans}, false);
}

std::size_t Body::derefs(const Place& p) {
  return static_cast<std::size_t>(std::count_if(
      p.path.begin(), p.path.end(), [](const nir::Projection& x) { return x.kind == ProjectionKind::deref; }));
}

// What lay in `root` is gone; a view of it holds its own buffer, or was refused.
void Body::end_of(Held& state, NirLocal root) const {
  state.remove([&](const Held::Pair& p) {
    const Loan& loan = loans_[p.loan];
    return p.loan >= callers_.size() && loan.place.root == root && !loan.of_caller && !goes_through_view(loan.place);
  });
}

bool Body::goes_through_view(const Place& p) {
  return std::any_of(p.path.begin(), p.path.end(),
                     [](const nir::Projection& x) { return x.kind == ProjectionKind::deref; });
}

// ---- regions: in which one each local is declared, and which encloses which

void Body::find_regions() {
  region_of_.assign(f_.instrs.size(), nir::RegionId{});
  outer_.assign(f_.regions.size(), nir::RegionId{});
  declared_in_.assign(f_.locals.size(), f_.body);
  if (f_.body.valid()) walk_region(f_.body);
}

void Body::walk_region(nir::RegionId r) {
  for (InstrId i : f_.regions[r]) {
    region_of_[i.index] = r;
    const nir::Node& node = f_.instrs[i].node;
    if (auto* d = std::get_if<nir::Declare>(&node)) declared_in_[d->local.index] = r;
    if (auto* w = std::get_if<nir::Walk>(&node)) {
      for (NirLocal l : w->elements) declared_in_[l.index] = w->body;
      loops_.push_back(w->body);
    }
    if (auto* l = std::get_if<nir::Loop>(&node)) loops_.push_back(l->body);
    if (auto* g = std::get_if<nir::Guard>(&node)) declared_in_[g->error.index] = g->handler;
    if (const nir::FailEdge* e = nir::fail_edge(node); e != nullptr && e->valid())
      declared_in_[e->error.index] = e->region;
    nir::for_each_region(node, [&](nir::RegionId inner) {
      outer_[inner.index] = r;
      walk_region(inner);
    });
  }
}

bool Body::is_there(NirLocal local, InstrId at) const {
  for (nir::RegionId r = region_of_[at.index]; r.valid(); r = outer_[r.index]) {
    if (r == declared_in_[local.index]) return true;
  }
  return false;
}

void check(Loans& m, FunctionId id) {
  if (m.state[id] != 0) return;
  m.state[id] = 1;
  Body(m, id).run();
  m.state[id] = 2;
}

}  // namespace nikaia::lang::loans
