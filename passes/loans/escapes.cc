// Views that would outlive what they look at: handed back, kept by a task or a lambda, put into a shared value.
#include "passes/loans/body.h"

namespace nikaia::lang::loans {

// ---- what is put where it may outlive every call: into a shared value, a lock, a channel, an error

// `views`: the kinds of view in what is put there.
void Body::put_away(InstrId i, Span span, const std::string& by, std::uint8_t views, const Origins& in) {
  in.near.for_each([&](std::size_t l) { put_away(i, span, by, views, l); });
  in.deep.for_each([&](std::size_t l) { put_away(i, span, by, views, l); });
}

void Body::put_away(InstrId i, Span span, const std::string& by, std::uint8_t views, std::size_t l) {
  const Loan& loan = loans_[l];
  const nir::Local& root = f_.locals[loan.place.root];
  if (l >= callers_.size() && !loan.of_caller) {
    const auto code =
        goes_through_view(loan.place) && (views & view_pointer) == 0 ? std::nullopt : refusal(views, loan);
    if (!code || !first_at(i)) return;
    Builder b = m_.sink.error(*code, span, by, nir::shown_root(m_.shown, f_, loan.place));
    b.primary_label("kept from here on").label(loan.span, "looks into it");
    return;
  }
  if (l < callers_.size() && is_scope(root.type)) {
    if (first_at(i)) leaves_scope(span, loan.place.root);
    return;
  }
  const bool is_deep = l < callers_.size() && callers_[l].is_deep;
  const bool is_lent = !is_deep && m_.types.kind(root.type) == TypeKind::ref;
  if (root.kind == nir::LocalKind::capture) {
    // A lent name: what it stands for outside is asked where the closure is made, if that is text.
    if ((views & view_pointer) != 0 && is_lent && is_captured_by_loan(loan.place.root))
      return refuse_away(i, span, by, root);
    m_.contracts[id_].captures_away.push_back(loan.place.root);
    return;
  }
  if (f_.kind == nir::FunctionKind::closure) {
    // Nobody asks what the lambda was handed.
    if ((views & (view_pointer | view_open)) != 0) refuse_away(i, span, by, root);
    return;
  }
  if (!is_lent || ((views & view_pointer) == 0 && m_.views.of(root.type) == view_open)) {
    note_source(l, m_.contracts[id_].away);
    return;
  }
  if (!first_at(i)) return;
  const Type& target = m_.types[m_.types.without_ref(root.type)];
  const bool is_bare = target.kind == TypeKind::string || target.kind == TypeKind::array;
  const Code code = is_bare && (views & view_pointer) == 0 ? Code::NK2302 : Code::NK2933;
  m_.sink.error(code, span, by, std::string(m_.shown.names.text(root.name)))
      .primary_label("kept from here on")
      .label(root.span, "lent here, and nothing says by which buffer");
}

void Body::refuse_away(InstrId i, Span span, const std::string& by, const nir::Local& root) {
  if (!first_at(i)) return;
  m_.sink.error(Code::NK2933, span, by, std::string(m_.shown.names.text(root.name))).primary_label("kept from here on");
}

bool Body::is_captured_by_loan(NirLocal inner) const {
  const nir::MakeClosure* made = m_.closures[id_].made;
  if (made == nullptr) return true;
  return std::any_of(made->captures.begin(), made->captures.end(), [&](const nir::Capture& x) {
    return x.inner == inner && (x.mode == nir::CaptureMode::lend || x.mode == nir::CaptureMode::lend_mut);
  });
}

// Whether the call may put away the argument's views.
bool Body::puts_away_argument(const nir::Call& c, std::size_t a) const {
  const nir::Operand& o = c.args[a];
  if (o.kind == OperandKind::constant || !m_.views.holds(o.type)) return false;
  if (c.fn.valid() && !m_.decls.fns[c.fn].key.empty()) return puts_away(m_, m_.decls.fns[c.fn], a);
  const Contract* contract = contract_of(c);
  return contract != nullptr ? contract->away.has(a) : may_put_away(m_, c.fn);
}

bool Body::puts_away_any(const nir::Call& c) const {
  for (std::size_t a = 0; a < c.args.size(); ++a) {
    if (puts_away_argument(c, a)) return true;
  }
  return false;
}

void Body::call_puts_away(InstrId i, const nir::Call& c, const Held& state) {
  const Contract* contract = contract_of(c);
  const bool is_row = c.fn.valid() && !m_.decls.fns[c.fn].key.empty();
  for (std::size_t a = 0; a < c.args.size(); ++a) {
    if (!puts_away_argument(c, a)) continue;
    const nir::Operand& o = c.args[a];
    Origins given = origins(state, o);
    // A function refuses by itself to put away what it was only lent.
    const bool is_view = m_.types.kind(o.type) == TypeKind::ref;
    if (contract != nullptr ? !contract->away.near.test(a) : !is_row && is_view) given.near = nir::Bits(loans_.size());
    if (contract != nullptr && !contract->away.deep.test(a)) given.deep = nir::Bits(loans_.size());
    put_away(i, span_of(i, o.place), "`" + callee(c) + "`", m_.views.of(o.type), given);
  }
}

void Body::closure_puts_away(InstrId i, const nir::MakeClosure& c, const Held& state) {
  check(m_, c.function);
  for (const nir::Capture& x : c.captures) {
    const auto& away = m_.contracts[c.function].captures_away;
    if (std::find(away.begin(), away.end(), x.inner) == away.end()) continue;
    put_away(i, span_of(i, x.place), "The lambda", m_.views.of(nir::place_type(f_, x.place)), inside(state, x.place));
  }
}

// Whether this is the block of a door.
bool Body::find_door() const {
  const nir::ClosureSite& site = m_.closures[id_];
  if (site.made == nullptr || site.use != nir::ClosureUse::immediate) return false;
  const nir::Function& parent = m_.function(site.parent);
  auto* a = std::get_if<nir::Assign>(&parent.instrs[site.instr].node);
  if (a == nullptr) return false;
  const InstrId user = nir::consumers(parent)[a->to.root];
  auto* call = user.valid() ? std::get_if<nir::Call>(&parent.instrs[user].node) : nullptr;
  if (call == nullptr || !call->fn.valid() || m_.decls.fns[call->fn].key.empty()) return false;
  const FnDecl& row = m_.decls.fns[call->fn];
  if (row.owner.valid()) return row.owner == m_.decls.shared_mut || row.owner == m_.decls.locked;
  return row.takes_lock && row.lambda_decides;
}

// One buffer can be kept by a task or by the caller (03 §6.4).
void Body::to_task_and_out(InstrId i, const nir::Operand& o, std::size_t l) {
  const NirLocal root = loans_[l].place.root;
  if (l < callers_.size() || std::find(given_to_task_.begin(), given_to_task_.end(), root) == given_to_task_.end())
    return;
  if (!first_at(i)) return;
  m_.sink.error(Code::NK2304, span_of(i, o.place), nir::shown(m_.shown, f_, o.place), "the task", "the result")
      .primary_label("handed out here, and a task keeps the same text");
}

// A bare view that is put into what two parameters reach has no one buffer to name (03 §6.3).
void Body::stored_twice(InstrId i) {
  for (std::size_t p = 0; p < f_.params.size(); ++p) {
    const nir::Local& given = f_.locals[f_.params[p]];
    if (m_.types.kind(given.type) != TypeKind::ref || (m_.views.of(given.type) & (view_text | view_run)) == 0 ||
        m_.types[given.type].is_mut)
      continue;
    std::size_t into = 0, last = 0;
    for (std::size_t q = 0; q < f_.params.size(); ++q) {
      if (!m_.contracts[id_].stored[q].has(p)) continue;
      ++into;
      last = q;
    }
    if (into < 2 || !first_at(i)) continue;
    m_.sink
        .error(Code::NK2302, given.span, "`" + std::string(m_.shown.names.text(f_.locals[f_.params[last]].name)) + "`",
               std::string(m_.shown.names.text(given.name)))
        .primary_label("kept in two places, and nothing says by which buffer");
  }
}

bool Body::is_bare(const nir::Local& local) const {
  return local.kind == nir::LocalKind::param && nir::is_buffer_view(m_.types, local.type) &&
         !m_.types[local.type].is_mut;
}

// A bare view in a struct or a container that looks into another buffer too (03 §6.3).
void Body::handed_back_beside(InstrId i, const nir::Return& r, const Origins& out) {
  if (f_.kind != nir::FunctionKind::fn) return;
  TypeId type = r.value.type;
  if (m_.types.kind(type) == TypeKind::nullable) type = m_.types[type].args[0];
  if (m_.types.kind(type) == TypeKind::ref || m_.types.kind(type) == TypeKind::seq) return;
  NirLocal bare;
  bool is_beside = false;
  out.all().for_each([&](std::size_t l) {
    const NirLocal root = loans_[l].place.root;
    if (l < callers_.size() && !callers_[l].is_deep && is_bare(f_.locals[root])) {
      is_beside = is_beside || bare.valid();
      bare = root;
    } else {
      is_beside = true;
    }
  });
  if (!bare.valid() || !is_beside || !first_at(i)) return;
  const nir::Local& given = f_.locals[bare];
  m_.sink.error(Code::NK2302, span_of(i, r.value.place), "The result", std::string(m_.shown.names.text(given.name)))
      .primary_label("handed back beside a view of something else")
      .label(given.span, "lent here, and nothing says by which buffer");
}

// A container of structs, outside of a loop, that takes in views of what the loop makes, and loses entries there (03
// §6.4). A list of structs of text is held; so is what holds bare views.
void Body::loses_entries(InstrId i, std::uint32_t holder, const Loan& loan) {
  const NirLocal container = local_of_[holder];
  const Type& t = m_.types[m_.types.without_ref(f_.locals[container].type)];
  if (t.kind != TypeKind::named || !m_.decls.types[t.decl].is_of_library() || t.args.empty()) return;
  const TypeId entry = t.args.back();
  const bool is_struct =
      m_.types.kind(entry) == TypeKind::named && !m_.decls.types[m_.types[entry].decl].is_of_library();
  if (!is_struct || (t.decl == m_.decls.vec && m_.views.of(entry) == view_text)) return;
  for (nir::RegionId r = declared_in_[loan.place.root.index]; r.valid(); r = outer_[r.index]) {
    if (r == declared_in_[container.index]) return;
    if (std::find(loops_.begin(), loops_.end(), r) == loops_.end() || !is_pruned_in(r, container)) continue;
    if (!first_at(i)) return;
    m_.sink.error(Wording::NK2304_pruned, loan.span, std::string(m_.shown.names.text(f_.locals[container].name)))
        .primary_label("looks into it from here");
    return;
  }
}

bool Body::is_pruned_in(nir::RegionId loop, NirLocal container) const {
  static constexpr std::string_view pruning[] = {"remove", "swap_remove", "pop",   "pop_first", "pop_last",
                                                 "retain", "clear",       "drain", "truncate"};
  for (std::size_t n = 0; n < f_.instrs.size(); ++n) {
    auto* c = std::get_if<nir::Call>(&f_.instrs[InstrId(n)].node);
    if (c == nullptr || !c->fn.valid() || c->args.empty() || m_.decls.fns[c->fn].key.empty()) continue;
    if (!lends_for_change(c->args[0])) continue;
    const nir::Operand& o = c->args[0];
    const Place p = o.kind == OperandKind::lend_mut ? resolved(o.place) : behind(o.place, o.type);
    const std::string_view name = m_.shown.names.text(m_.decls.fns[c->fn].name);
    if (!(p.root == container) || std::find(std::begin(pruning), std::end(pruning), name) == std::end(pruning))
      continue;
    for (nir::RegionId r = region_of_[n]; r.valid(); r = outer_[r.index]) {
      if (r == loop) return true;
    }
  }
  return false;
}

// ---- a bare view that is kept as text, which shares its buffer (03 §6.3, §6.6)

// Whether the function could put text of a bare view where its caller sees it.
bool Body::may_keep_as_text() {
  if (f_.kind != nir::FunctionKind::fn) return false;
  bool has_bare = false, has_place = false;
  for (NirLocal p : f_.params) {
    const Type& t = m_.types[f_.locals[p].type];
    has_bare = has_bare || is_bare(f_.locals[p]);
    has_place = has_place || (t.kind == TypeKind::ref && t.is_mut && !m_.views.holds(t.args[0]));
  }
  if (!has_bare || !has_place) return false;
  return std::any_of(f_.instrs.begin(), f_.instrs.end(), [](const nir::Instr& i) {
    auto* a = std::get_if<nir::Assign>(&i.node);
    return a != nullptr && std::holds_alternative<nir::ToText>(a->value);
  });
}

void Body::note_text(const nir::Assign& a, const Held& state) {
  if (f_.kind != nir::FunctionKind::fn || !a.to.is_local()) return;
  if (auto* made = std::get_if<nir::ToText>(&a.value)) {
    if (made->text.kind == OperandKind::constant || m_.types.kind(made->text.type) != TypeKind::ref) return;
    origins(state, made->text).near.for_each([&](std::size_t l) {
      const NirLocal root = loans_[l].place.root;
      if (l < callers_.size() && !callers_[l].is_deep && is_bare(f_.locals[root]))
        text_of_bare_.emplace_back(a.to.root, root);
    });
    return;
  }
  if (text_of_bare_.empty()) return;
  nir::visit_value(
      a.value,
      [&](const nir::Operand& o) {
        if (o.kind != OperandKind::move) return;
        for (std::size_t n = text_of_bare_.size(); n-- > 0;) {
          if (text_of_bare_[n].first == o.place.root) text_of_bare_.emplace_back(a.to.root, text_of_bare_[n].second);
        }
      },
      [](const Place&) {}, [](const nir::MakeClosure&) {});
}

void Body::keeps_text(InstrId i, const nir::Node& node) {
  if (text_of_bare_.empty()) return;
  const auto kept = [&](const nir::Operand& o, const Place& into) {
    if (o.kind != OperandKind::move) return;
    const Place p = resolved(into);
    const Type& t = m_.types[f_.locals[p.root].type];
    if (f_.locals[p.root].kind != nir::LocalKind::param || t.kind != TypeKind::ref || !t.is_mut ||
        m_.views.holds(t.args[0]))
      return;
    for (const auto& [text, param] : text_of_bare_) {
      if (!(text == o.place.root) || !first_at(i)) continue;
      const nir::Local& given = f_.locals[param];
      m_.sink
          .error(Code::NK2302, f_.instrs[i].span, "`" + nir::shown(m_.shown, f_, into) + "`",
                 std::string(m_.shown.names.text(given.name)))
          .primary_label("kept past the call")
          .label(given.span, "lent here, and nothing says by which buffer");
    }
  };
  if (auto* s = std::get_if<nir::Store>(&node)) kept(s->value, s->to);
  if (auto* a = std::get_if<nir::Assign>(&node); a != nullptr && !a->to.is_local()) {
    if (auto* use = std::get_if<nir::Use>(&a->value)) kept(use->value, a->to);
  }
  if (auto* w = std::get_if<nir::MapWrite>(&node)) kept(w->value, w->map);
  auto* c = std::get_if<nir::Call>(&node);
  if (c == nullptr || c->args.empty() || !lends_for_change(c->args[0])) return;
  const Place into =
      c->args[0].kind == OperandKind::lend_mut ? c->args[0].place : behind(c->args[0].place, c->args[0].type);
  for (std::size_t a = 1; a < c->args.size(); ++a) kept(c->args[a], into);
}

void Body::note_source(std::size_t loan, Sources& sources) const {
  const Place& place = loans_[loan].place;
  if (loan >= callers_.size() && !loans_[loan].of_caller) return;
  for (std::size_t p = 0; p < f_.params.size(); ++p) {
    if (!(f_.params[p] == place.root)) continue;
    if (loan < callers_.size()) (callers_[loan].is_deep ? sources.deep : sources.near).set(p);
    if (loan >= callers_.size()) sources.near.set(p);
    if (loan >= callers_.size() && derefs(place) > 1) sources.deep.set(p);
  }
}

// A view that is handed back: of text or a run it holds its buffer, unless the buffer ends with the call.
void Body::escapes(InstrId i, const nir::Operand& o, std::size_t l) {
  const Loan& loan = loans_[l];
  if (l < callers_.size() || loan.of_caller || goes_through_view(loan.place)) return;
  m_.escapes.results[id_] = 1;
  const std::string owner = nir::shown_root(m_.shown, f_, loan.place);
  const auto refuse = [&](Code code) {
    if (!first_at(i)) return;
    m_.sink.error(code, span_of(i, o.place), "The result", owner)
        .primary_label("handed out here")
        .label(f_.locals[loan.place.root].span, "ends with this call");
  };
  if (auto code = refusal(m_.views.of(o.type), loan)) refuse(*code);
}

// Why views of these kinds may not outlive the owner of what they look at; nothing where they hold its buffer.
std::optional<Code> Body::refusal(std::uint8_t views, const Loan& loan) const {
  TypeId at = f_.locals[loan.place.root].type;
  bool is_inline = is_inline_array(at), is_torn_down = m_.views.is_torn_down(at);
  for (const nir::Projection& x : loan.place.path) {
    at = x.type;
    is_inline = is_inline || is_inline_array(at);
    is_torn_down = is_torn_down || m_.views.is_torn_down(at);
  }
  if ((views & view_pointer) != 0 || is_torn_down) return Code::NK2933;
  if ((views & view_run) != 0 && is_inline) return Code::NK2934;
  return std::nullopt;
}

bool Body::is_inline_array(TypeId t) const {
  return m_.types.kind(t) == TypeKind::array && m_.types[t].length != Type::unsized;
}

// A task or a lambda that is kept takes views along.
void Body::kept_away(InstrId i, const nir::MakeClosure& c, const Held& state) {
  const bool is_task = m_.closures[c.function].use == nir::ClosureUse::task;
  for (const nir::Capture& x : c.captures) {
    const TypeId type = nir::place_type(f_, x.place);
    const std::uint8_t views = m_.views.of(type);
    if (views == 0 || holder_of(x.place.root) == no_holder) continue;
    if (views == view_open)
      put_away(i, f_.instrs[i].span, is_task ? "The task" : "The lambda", views, inside(state, x.place));
    if ((views & (view_text | view_run | view_pointer)) == 0) continue;
    inside(state, x.place).all().for_each([&](std::size_t l) {
      const Loan& loan = loans_[l];
      const std::string name = nir::shown_root(m_.shown, f_, x.place);
      if (l < callers_.size()) {
        // Nothing names the buffer of a bare view that was passed in.
        const nir::Local& given = f_.locals[loan.place.root];
        if (is_scope(given.type)) {
          if (first_at(i)) leaves_scope(span_of(i, x.place), loan.place.root);
          return;
        }
        if (given.kind != nir::LocalKind::param || m_.types.kind(given.type) != TypeKind::ref || !first_at(i)) return;
        if ((views & view_pointer) == 0) {
          m_.sink
              .error(Code::NK2302, f_.instrs[i].span, is_task ? "The task" : "The lambda",
                     std::string(m_.shown.names.text(given.name)))
              .primary_label("kept from here on")
              .label(given.span, "lent here, and nothing says by which buffer");
        } else {
          m_.sink.error(Code::NK2933, f_.instrs[i].span, is_task ? "The task" : "The lambda", name)
              .primary_label("kept from here on");
        }
      } else if (is_task && (views & view_pointer) == 0 && !goes_through_view(loan.place)) {
        given_to_task_.push_back(loan.place.root);
      } else if (!goes_through_view(loan.place) && (views & view_pointer) != 0 && first_at(i)) {
        m_.sink
            .error(Code::NK2933, f_.instrs[i].span, is_task ? "The task" : "The lambda",
                   nir::shown_root(m_.shown, f_, loan.place))
            .primary_label("kept from here on")
            .label(loan.span, "looks into it");
      }
    });
  }
}

}  // namespace nikaia::lang::loans
