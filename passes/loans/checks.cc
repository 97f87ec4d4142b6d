// What is wrong where loans are known: a change, a hand-over or an end under a view, and a call given a place twice.
#include "passes/loans/body.h"

namespace nikaia::lang::loans {

// ---- conflicts

void Body::conflicts(const nir::Step& step, const Held& state, nir::Bits live) {
  const nir::Node& node = f_.instrs[step.instr].node;
  const InstrId i = step.instr;
  if (step.kind == nir::StepKind::result) {
    if (auto* w = std::get_if<nir::Walk>(&node)) {
      for (NirLocal l : w->elements) ends(i, l, state, live, node);
    }
    return;
  }
  if (step.kind != nir::StepKind::whole && step.kind != nir::StepKind::operands) return;
  if (step.kind == nir::StepKind::whole) each_defined(node, [&](std::uint32_t h) { live.reset(h); });
  still_there(i, node, state);
  if (auto* d = std::get_if<nir::Declare>(&node)) return ends(i, d->local, state, live, node);
  if (auto* d = std::get_if<nir::Drop>(&node)) {
    // What dies behind another is read later than that.
    for (auto it = d->locals.rbegin(); it != d->locals.rend(); ++it) {
      ends(i, *it, state, live, node);
      if (is_read_by_drop(*it)) live.set(holder_of(*it));
    }
    return;
  }
  if (auto* s = std::get_if<nir::Store>(&node)) {
    if (s->to.is_local()) {
      ends(i, s->to.root, state, live, node);
      looks_into_old(*s, state);
    } else {
      changed(i, s->to, state, live, node);
    }
  }
  if (auto* w = std::get_if<nir::MapWrite>(&node)) changed(i, w->map, state, live, node);
  auto* call = std::get_if<nir::Call>(&node);
  nir::visit_uses(
      node,
      [&](const nir::Operand& o) {
        if (o.kind == OperandKind::move) taken(i, o.place, state, live);
        if (o.kind == OperandKind::lend_mut)
          changed(i, o.place, state, live, node);
        else if (call != nullptr && lends_for_change(o))
          changed(i, behind(o.place, o.type), state, live, node);
      },
      [](const Place&) {},
      [&](const nir::MakeClosure& c) {
        for (const nir::Capture& x : c.captures) {
          if (x.mode == nir::CaptureMode::move) taken(i, x.place, state, live);
        }
        if (m_.closures[c.function].use == nir::ClosureUse::task || c.is_kept) kept_away(i, c, state);
        closure_puts_away(i, c, state);
        if (m_.closures[c.function].use == nir::ClosureUse::branch) branch_changes(i, c, state, live);
      });
  if (call != nullptr) {
    same_call(i, *call, &state, &live);
    call_puts_away(i, *call, state);
  }
  keeps_text(i, node);
  if (auto* a = std::get_if<nir::Assign>(&node)) {
    note_text(*a, state);
    if (auto* failure = std::get_if<nir::MakeFailure>(&a->value);
        failure != nullptr && m_.views.holds(failure->value.type))
      put_away(i, span_of(i, failure->value.place), "The error", m_.views.of(failure->value.type),
               origins(state, failure->value));
  }
  if (auto* r = std::get_if<nir::Return>(&node)) returned(i, *r, state);
}

// What a branch of an `overlap` changes or takes of its captures, under a view that is read behind it.
void Body::branch_changes(InstrId i, const nir::MakeClosure& c, const Held& state, const nir::Bits& live) {
  for (const nir::Capture& x : c.captures) {
    if (x.mode != nir::CaptureMode::lend && x.mode != nir::CaptureMode::lend_mut) continue;
    for (const CapturedPart& part : m_.captured[c.function]) {
      if (!(part.inner == x.inner) || (!part.is_changed && !part.is_taken)) continue;
      Place outer = x.place;
      auto from = part.place.path.begin();
      if (from != part.place.path.end() && from->kind == ProjectionKind::deref) ++from;
      outer.path.insert(outer.path.end(), from, part.place.path.end());
      outer.span = part.span;
      const Place p = resolved(outer);
      const auto a = active(p, state, live);
      if (!a || !first_at(i)) continue;
      const Conflict found{f_, p, part.span, loans_[a->second], local_of_[a->first], is_element(a->first), nullptr};
      if (part.is_taken)
        report_taken(m_, found);
      else
        report_change(m_, found);
    }
  }
}

Place Body::behind(const Place& pointer, TypeId type) const {
  Place p = pointer;
  p.path.push_back({ProjectionKind::deref, 0, 0, {}, m_.types[type].args[0]});
  return resolved(std::move(p));
}

bool Body::is_element(std::uint32_t h) const {
  if (!local_of_[h].valid()) return true;  // a walker
  for (const auto& [walk, holder] : walkers_) {
    const auto& elements = std::get<nir::Walk>(f_.instrs[walk].node).elements;
    if (std::find(elements.begin(), elements.end(), local_of_[h]) != elements.end()) return true;
  }
  return false;
}

// The loan that a holder read later has of something that overlaps `p`; a running loop's first, then a name's.
std::optional<std::pair<std::uint32_t, std::size_t>> Body::active(const Place& p, const Held& state,
                                                                  const nir::Bits& live) const {
  std::optional<std::pair<std::uint32_t, std::size_t>> found;
  int best = -1;
  for (const auto& [s, l] : state.pairs()) {
    const std::uint32_t h = holder_in(s);
    if (!live.test(h) || l < callers_.size() || !overlap(loans_[l].place, p)) continue;
    const int rank = !local_of_[h].valid() ? 3 : is_element(h) ? 2 : f_.locals[local_of_[h]].name.valid() ? 1 : 0;
    if (rank > best) {
      best = rank;
      found = {h, l};
    }
  }
  return found;
}

void Body::changed(InstrId i, const Place& given, const Held& state, const nir::Bits& live, const nir::Node& node) {
  const Place p = resolved(given);
  if (auto a = active(p, state, live)) {
    if (!first_at(i)) return;
    report_change(m_, {f_, p, f_.instrs[i].span, loans_[a->second], local_of_[a->first], is_element(a->first), &node});
  }
}

void Body::taken(InstrId i, const Place& p, const Held& state, const nir::Bits& live) {
  // A view that goes on beside its owner, or in it.
  for (const auto& [s, l] : state.pairs()) {
    const Loan& loan = loans_[l];
    if (l >= callers_.size() && loan.place.root == p.root && !loan.of_caller && !goes_through_view(loan.place))
      note_outliving(holder_in(s));
  }
  if (f_.locals[p.root].kind == nir::LocalKind::temp && p.is_local()) return;  // put where it is used from
  if (auto a = active(p, state, live)) {
    if (first_at(i)) report_taken(m_, {f_, p, span_of(i, p), loans_[a->second], local_of_[a->first], false, nullptr});
  }
}

// The value in `root` ends here: a pointer to it that is read later is refused.
void Body::ends(InstrId i, NirLocal root, const Held& state, const nir::Bits& live, const nir::Node& node) {
  for (const auto& [s, l] : state.pairs()) {
    const std::uint32_t h = holder_in(s);
    if (!live.test(h) || holder_of(root) == h) continue;
    const Loan& loan = loans_[l];
    if (l < callers_.size() || !(loan.place.root == root) || goes_through_view(loan.place)) continue;
    if (!local_of_[h].valid() && std::holds_alternative<nir::Store>(node)) {
      if (first_at(i)) report_change(m_, {f_, Place{root, {}}, f_.instrs[i].span, loan, {}, true, &node});
    } else if (local_of_[h].valid() && !is_plain_lambda(h)) {
      outlives(i, h, loan, views_in(s));
    } else if (local_of_[h].valid()) {
      note_outliving(h);
    }
  }
}

// A new value that looks into what the name held before.
void Body::looks_into_old(const nir::Store& s, const Held& state) {
  if (holder_of(s.to.root) == no_holder) return;
  origins(state, s.value).all().for_each([&](std::size_t l) {
    if (l >= callers_.size() && loans_[l].place.root == s.to.root) note_outliving(holder_of(s.to.root));
  });
}

// What the holder holds may be read behind the end of its owner; of a lambda, what that captured.
void Body::note_outliving(std::uint32_t holder) {
  const NirLocal local = local_of_[holder];
  if (!local.valid()) return;
  auto& noted = m_.escapes.locals[id_];
  const auto note = [&](NirLocal l) {
    if (std::find(noted.begin(), noted.end(), l) == noted.end()) noted.push_back(l);
  };
  note(local);
  if (const nir::MakeClosure* made = closure_in(local)) {
    for (const nir::Capture& x : made->captures) note(x.place.root);
  }
}

bool Body::is_plain_lambda(std::uint32_t h) const {
  return m_.types.kind(f_.locals[local_of_[h]].type) == TypeKind::function;
}

// A pointer is read where the block of what it looks at has ended.
void Body::still_there(InstrId i, const nir::Node& node, const Held& state) {
  each_read(node, [&](std::uint32_t h) {
    if (!local_of_[h].valid()) return;
    for (const bool is_deep : {false, true}) {
      state.each_loan(slot(h, is_deep), [&](std::size_t l) {
        const Loan& loan = loans_[l];
        if (l < callers_.size() || loan.of_caller || goes_through_view(loan.place)) return;
        if (!is_there(loan.place.root, i)) outlives(i, h, loan, views_in(slot(h, is_deep)));
      });
    }
  });
}

// The kinds of view in a slot: behind a pointer those of what it points at.
std::uint8_t Body::views_in(std::uint32_t slot) const {
  const std::uint32_t h = holder_in(slot);
  const TypeId type = f_.locals[local_of_[h]].type;
  const bool is_pointer = m_.types.kind(type) == TypeKind::ref;
  return is_pointer && slot % 2 != 0 ? m_.views.of(m_.types[type].args[0]) : views_of_[h];
}

void Body::outlives(InstrId i, std::uint32_t h, const Loan& loan, std::uint8_t views) {
  const std::optional<Code> code = refusal(views, loan);
  note_outliving(h);
  if (!code) loses_entries(i, h, loan);
  if (!code || is_only_returned(local_of_[h]) || !first_at(loan.instr)) return;
  const nir::Local& holder = f_.locals[local_of_[h]];
  const std::string name =
      holder.name.valid() ? "`" + std::string(m_.shown.names.text(holder.name)) + "`" : "This view";
  Builder b = m_.sink.error(*code, loan.span, name, nir::shown_root(m_.shown, f_, loan.place));
  b.primary_label("looks into it from here");
  if (f_.instrs[i].span.has_text()) b.label(f_.instrs[i].span, "and is still used behind its end");
}

// A temporary that is made to be returned: `returned` says what is wrong with it.
bool Body::is_only_returned(NirLocal local) {
  if (f_.locals[local].kind != nir::LocalKind::temp) return false;
  if (consumers_.empty()) consumers_ = nir::consumers(f_);
  const InstrId user = consumers_[local];
  return user.valid() && std::holds_alternative<nir::Return>(f_.instrs[user].node);
}

void Body::returned(InstrId i, const nir::Return& r, const Held& state) {
  Contract& contract = m_.contracts[id_];
  if (lends_for_itself()) leaves_block(i, r, state);
  if (f_.kind == nir::FunctionKind::closure) into_captures(i, state);
  if (is_door_) return into_lock(i, state);
  if (r.has_value && m_.views.holds(r.value.type)) {
    const Origins out = origins(state, r.value);
    out.near.for_each([&](std::size_t l) { note_source(l, contract.near); });
    out.deep.for_each([&](std::size_t l) { note_source(l, contract.deep); });
    out.all().for_each([&](std::size_t l) {
      escapes(i, r.value, l);
      to_task_and_out(i, r.value, l);
    });
    handed_back_beside(i, r, out);
  }
  for (std::size_t q = 0; q < f_.params.size(); ++q) {
    const NirLocal local = f_.params[q];
    const Type& t = m_.types[f_.locals[local].type];
    if (holder_of(local) == no_holder || t.kind != TypeKind::ref || !t.is_mut) continue;
    each_loan(state, holder_of(local), [&](std::size_t l) {
      const NirLocal from = loans_[l].place.root;
      if (!(from == local)) note_source(l, contract.stored[q]);
      if (f_.locals[from].kind == nir::LocalKind::capture) contract.stores_captures = true;
      const bool is_own = l >= callers_.size() && !loans_[l].of_caller && !goes_through_view(loans_[l].place);
      if (is_own) outlives(i, holder_of(local), loans_[l], m_.views.of(t.args[0]));
    });
  }
  stored_twice(i);
}

// It hands out nothing that looks into that, and puts no such thing outside (03 §4.3, 04 §8.1).
void Body::leaves_block(InstrId i, const nir::Return& r, const Held& state) {
  bool is_said = false;
  const auto carries = [&](const nir::Bits& held, Span span) {
    held.for_each([&](std::size_t l) {
      const NirLocal root = loans_[l].place.root;
      const bool is_inside = f_.locals[root].kind == nir::LocalKind::param &&
                             std::find(f_.params.begin(), f_.params.end(), root) != f_.params.end();
      if (!is_inside || is_said || (is_scope_ && !is_scope(f_.locals[root].type)) || !first_at(i)) return;
      is_said = true;
      if (is_scope_) return leaves_scope(span, root);
      std::string what = nir::short_source(m_.shown, span);
      if (what.empty()) what = std::string(m_.shown.names.text(f_.locals[root].name));
      m_.sink.error(Code::NK2937, span.has_text() ? span : f_.span, what).primary_label("looks into the lock");
    });
  };
  if (r.has_value && m_.views.holds(r.value.type)) carries(origins(state, r.value).all(), span_of(i, r.value.place));
  for (const Given& out : callers_) {
    const nir::Local& l = f_.locals[out.local];
    if (l.kind != nir::LocalKind::capture || !m_.types[l.type].is_mut) continue;
    carries(held(state, holder_of(out.local)).all(), f_.span);
  }
}

// What is put into a name outside: other captures' views, for whoever makes the lambda, and none of its own.
void Body::into_captures(InstrId i, const Held& state) {
  for (const Given& out : callers_) {
    const nir::Local& l = f_.locals[out.local];
    if (l.kind != nir::LocalKind::capture || !m_.types[l.type].is_mut || out.is_deep) continue;
    each_loan(state, holder_of(out.local), [&](std::size_t n) {
      const NirLocal from = loans_[n].place.root;
      if (n < callers_.size() || loans_[n].of_caller) {
        if (!(from == out.local) && f_.locals[from].kind == nir::LocalKind::capture)
          m_.contracts[id_].captures_stored.push_back({out.local, from});
      } else if (!goes_through_view(loans_[n].place)) {
        outlives(i, holder_of(out.local), loans_[n], m_.views.of(m_.types[l.type].args[0]));
      }
    });
  }
}

bool Body::is_scope(TypeId type) const {
  const Type& t = m_.types[m_.types.without_ref(type)];
  return t.kind == TypeKind::named && t.decl == m_.decls.scope;
}

bool Body::find_scope() const {
  return f_.kind == nir::FunctionKind::closure &&
         std::any_of(f_.params.begin(), f_.params.end(), [&](NirLocal p) { return is_scope(f_.locals[p].type); });
}

void Body::leaves_scope(Span span, NirLocal scope) {
  m_.sink.error(Code::NK2943, span.has_text() ? span : f_.span, std::string(m_.shown.names.text(f_.locals[scope].name)))
      .primary_label("carried out of its scope");
}

// What the block of a door puts into the lock is there for others.
void Body::into_lock(InstrId i, const Held& state) {
  for (NirLocal p : f_.params) {
    const Type& t = m_.types[f_.locals[p].type];
    if (holder_of(p) == no_holder || t.kind != TypeKind::ref || !t.is_mut) continue;
    Origins in = held(state, holder_of(p));
    for (NirLocal own : f_.params) {
      for (std::size_t l = 0; l < callers_.size(); ++l) {
        if (callers_[l].local == own) in.deep.reset(l);
      }
    }
    in.near = nir::Bits(loans_.size());
    put_away(i, f_.span, "The lock", m_.views.of(t.args[0]), in);
  }
}

// ---- one call that is given a place twice

// Functions without loans that are held are only asked this.
void Body::same_call_only() {
  for (std::size_t i = 0; i < f_.instrs.size(); ++i) {
    if (auto* c = std::get_if<nir::Call>(&f_.instrs[InstrId(i)].node)) same_call(InstrId(i), *c, nullptr, nullptr);
  }
}

void Body::same_call(InstrId i, const nir::Call& c, const Held* state, const nir::Bits* live) {
  for (std::size_t a = 0; state != nullptr && a < c.args.size(); ++a) lambda_changes(i, c, a, *state, *live);
  for (std::size_t a = 0; a < c.args.size(); ++a) {
    const nir::Operand& changes = c.args[a];
    if (!lends_for_change(changes)) continue;
    const Place q =
        changes.kind == OperandKind::lend_mut ? resolved(changes.place) : behind(changes.place, changes.type);
    for (std::size_t b = 0; b < c.args.size(); ++b) {
      if (a == b) continue;
      if (meets(c.args[b], q, state)) return twice(i, c, q, c.args[b], b);
    }
  }
}

// Whether the argument is, or holds, a view of something that overlaps `q`.
bool Body::meets(const nir::Operand& o, const Place& q, const Held* state) const {
  if (o.kind == OperandKind::constant) return false;
  if (o.kind == OperandKind::lend || o.kind == OperandKind::lend_mut) {
    if (overlap(resolved(o.place), q)) return true;
  } else if (o.kind == OperandKind::copy && o.type.valid() && m_.types.kind(o.type) == TypeKind::ref) {
    if (overlap(behind(o.place, o.type), q)) return true;
  }
  if (state == nullptr) return false;
  bool found = false;
  origins(*state, o).all().for_each(
      [&](std::size_t l) { found = found || (l >= callers_.size() && overlap(loans_[l].place, q)); });
  return found;
}

bool Body::is_lambda(const nir::Operand& o) const {
  return o.kind != OperandKind::constant && o.type.valid() &&
         m_.types.kind(m_.types.without_ref(o.type)) == TypeKind::function;
}

std::string Body::callee(const nir::Call& c) const {
  return c.fn.valid() ? nir::shown(m_.shown, c.fn) : nir::shown(m_.shown, f_, c.callee);
}

void Body::twice(InstrId i, const nir::Call& c, const Place& q, const nir::Operand& other, std::size_t) {
  if (!first_at(i)) return;
  const std::string name = nir::shown(m_.shown, f_, q);
  const MessageText text = is_lambda(other) ? MessageText(Wording::NK2935_capture) : MessageText(Code::NK2935);
  Builder b = m_.sink.error(text, span_of(i, other.place), name, callee(c));
  b.primary_label("lent to be read, at the same time").label(span_of(i, q), "lent to be changed");
  b.note("While a function changes a value, nobody else is looking at it; that is what keeps its reads true.");
}

// A lambda among the arguments that changes what another argument lends, or what a view read later looks at.
void Body::lambda_changes(InstrId i, const nir::Call& c, std::size_t a, const Held& state, const nir::Bits& live) {
  const nir::Operand& lambda = c.args[a];
  if (!is_lambda(lambda) || lambda.kind == OperandKind::lend) return;
  const bool is_row = c.fn.valid() && !m_.decls.fns[c.fn].key.empty();
  origins(state, lambda).all().for_each([&](std::size_t l) {
    const Loan& loan = loans_[l];
    if (l < callers_.size() || !loan.is_change) return;
    for (std::size_t b = 0; b < c.args.size(); ++b) {
      if (b == a || !meets(c.args[b], loan.place, &state) || !first_at(i)) continue;
      const std::string name = nir::shown_root(m_.shown, f_, loan.place);
      const MessageText text =
          is_row && b == 0 ? MessageText(Wording::NK2301_lambda) : MessageText(Wording::NK2935_capture);
      m_.sink.error(text, loan.span, name, callee(c))
          .primary_label("changed here")
          .label(span_of(i, c.args[b].place), "lent to the same call");
      return;
    }
    nir::Bits others = live;
    if (holder_of(lambda.place.root) != no_holder) others.reset(holder_of(lambda.place.root));
    if (auto found = active(loan.place, state, others); found && first_at(i)) {
      report_change(m_, {f_, loan.place, loan.span, loans_[found->second], local_of_[found->first],
                         is_element(found->first), nullptr});
    }
  });
}

// One report for an instruction.
bool Body::first_at(InstrId i) {
  if (std::find(said_.begin(), said_.end(), i) != said_.end()) return false;
  said_.push_back(i);
  return true;
}

}  // namespace nikaia::lang::loans
