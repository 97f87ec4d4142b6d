// One function's loans: who holds which, who is read later, and what conflicts. The rules are at the top of loans.cc.
#include <algorithm>
#include <optional>

#include "lang/nir/places.h"
#include "lang/nir/visit.h"
#include "passes/loans/held.h"
#include "passes/loans/loans.h"

namespace nikaia::lang::loans {
namespace {

constexpr std::uint32_t no_holder = ~std::uint32_t{0};

// The loans that a value's views have: of those in the value itself, and of those behind another view in it. Reading
// through a view leaves the latter.
struct Origins {
  nir::Bits near, deep;

  void add(const Origins& other) {
    near.add(other.near);
    deep.add(other.deep);
  }
  nir::Bits all() const {
    nir::Bits out = near;
    out.add(deep);
    return out;
  }
};

class Body {
 public:
  Body(Loans& m, FunctionId id) : m_(m), id_(id), f_(m.function(id)) {}

  void run() {
    find_pointers();
    find_holders();
    find_loans();
    Contract& contract = m_.contracts[id_];
    contract.near = contract.deep = contract.away = Sources(f_.params.size());
    contract.stored.assign(f_.params.size(), Sources(f_.params.size()));
    is_door_ = find_door();
    is_scope_ = find_scope();
    if (!has_loans_ && !hands_views_on() && !lends_for_itself()) {
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

 private:
  // ---- temporaries that are pointers are what they were made of

  void find_pointers() {
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
  Place resolved(Place p) const {
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

  void find_holders() {
    holders_.assign(f_.locals.size(), no_holder);
    for (std::size_t i = 0; i < f_.locals.size(); ++i) {
      const TypeId t = f_.locals[NirLocal(i)].type;
      if (m_.views.holds(t)) add_holder(NirLocal(i), m_.views.of(t), m_.views.is_deep(t));
    }
    for (std::size_t i = 0; i < f_.instrs.size(); ++i) {
      const nir::Node& node = f_.instrs[InstrId(i)].node;
      if (auto* a = std::get_if<nir::Assign>(&node);
          a != nullptr && std::holds_alternative<nir::MakeClosure>(a->value)) {
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

  void add_holder(NirLocal local, std::uint8_t views, bool is_deep) {
    holders_[local.index] = holder_count_++;
    views_of_.push_back(views);
    is_deep_.push_back(is_deep ? 1 : 0);
    local_of_.push_back(local);
  }

  std::uint32_t holder_of(NirLocal local) const { return local.valid() ? holders_[local.index] : no_holder; }
  std::uint32_t walker_of(InstrId walk) const {
    for (const auto& [instr, holder] : walkers_) {
      if (instr == walk) return holder;
    }
    return no_holder;
  }

  // ---- the loans

  // What the caller lent comes first: for each parameter and capture that holds a view one, and one more for what lies
  // behind such a view.
  void find_loans() {
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
                add_loan(&part, nir::outer_place(x, part), part.is_changed, id);
              }
            }
          });
    }
  }

  // Whether a view that the instruction makes, or is given, may be put where it outlives every call.
  bool may_go_away(const nir::Node& node) const {
    if (auto* c = std::get_if<nir::Call>(&node)) return puts_away_any(*c);
    auto* a = std::get_if<nir::Assign>(&node);
    if (a == nullptr) return false;
    if (auto* failure = std::get_if<nir::MakeFailure>(&a->value)) return m_.views.holds(failure->value.type);
    auto* made = std::get_if<nir::MakeClosure>(&a->value);
    return made != nullptr && made->is_kept;
  }

  // Whether a view that it makes may be held behind it.
  bool may_hold(const nir::Node& node) const {
    if (auto* a = std::get_if<nir::Assign>(&node)) return holder_of(a->to.root) != no_holder;
    if (auto* s = std::get_if<nir::Store>(&node)) return holder_of(s->to.root) != no_holder;
    if (auto* w = std::get_if<nir::MapWrite>(&node)) return holder_of(w->map.root) != no_holder;
    if (auto* c = std::get_if<nir::Call>(&node)) {
      if (holder_of(c->to) != no_holder) return true;
      for (const nir::Operand& o : c->args) {
        if (lends_for_change(o) && holder_of(o.place.root) != no_holder) return true;
        if (changes_views(o)) return true;
      }
      return false;
    }
    return std::holds_alternative<nir::Walk>(node) || std::holds_alternative<nir::Return>(node);
  }

  void add_loan(const void* key, const Place& given, bool is_change, InstrId i) {
    const Place p = resolved(given);
    Loan loan{p, is_change, i, p.span.has_text() ? p.span : f_.instrs[i].span, is_own(p), is_of_caller(p)};
    loan_at_.emplace(key, loans_.size());
    loans_.push_back(std::move(loan));
    has_loans_ = true;
  }

  bool is_own(const Place& p) const {
    TypeId at = f_.locals[p.root].type;
    for (const nir::Projection& x : p.path) {
      if (x.kind == ProjectionKind::deref && !m_.types[at].is_mut) return false;
      at = x.type;
    }
    return true;
  }

  // Whether the place lies in memory of the caller: behind a pointer that this function was given.
  bool is_of_caller(const Place& p) const {
    const nir::LocalKind kind = f_.locals[p.root].kind;
    if (kind != nir::LocalKind::param && kind != nir::LocalKind::capture) return false;
    return std::any_of(p.path.begin(), p.path.end(),
                       [](const nir::Projection& x) { return x.kind == ProjectionKind::deref; });
  }

  bool hands_views_on() {
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

  static std::uint32_t slot(std::uint32_t holder, bool is_deep) { return holder * 2 + (is_deep ? 1 : 0); }
  static std::uint32_t holder_in(std::uint32_t slot) { return slot / 2; }

  Origins held(const Held& state, std::uint32_t holder) const {
    Origins out = nothing();
    if (holder == no_holder) return out;
    state.each_loan(slot(holder, false), [&](std::size_t l) { out.near.set(l); });
    state.each_loan(slot(holder, true), [&](std::size_t l) { out.deep.set(l); });
    return out;
  }
  template <class F>
  static void each_loan(const Held& state, std::uint32_t holder, F&& f) {
    state.each_loan(slot(holder, false), f);
    state.each_loan(slot(holder, true), f);
  }
  void put(Held& state, std::uint32_t holder, const Origins& loans, bool replaces) const {
    if (holder == no_holder) return;
    state.put(slot(holder, false), loans.near, replaces);
    if (is_deep_[holder] != 0) state.put(slot(holder, true), loans.deep, replaces);
  }
  // Views that get into a part of `p`'s root, or behind a view in it.
  void put_into(Held& state, const Place& p, const Origins& loans) const {
    const std::uint32_t holder = holder_of(p.root);
    if (holder == no_holder) return;
    if (derefs(p) == 0) return put(state, holder, loans, false);
    put_behind(state, p.root, loans.all());
    if (is_deep_[holder] != 0) state.put(slot(holder, true), loans.all(), false);
  }
  // Into what a pointer for change that was handed back looks into: an element of a map, by its entry.
  void put_behind(Held& state, NirLocal pointer, const nir::Bits& views) const {
    if (m_.types.kind(f_.locals[pointer].type) != TypeKind::ref || holder_of(pointer) == no_holder) return;
    held(state, holder_of(pointer)).near.for_each([&](std::size_t l) {
      const NirLocal root = loans_[l].place.root;
      if (l >= callers_.size() ? loans_[l].is_change : m_.types[f_.locals[root].type].is_mut)
        put_anywhere(state, root, views);
    });
  }
  // The same, where it is not known how far behind.
  void put_anywhere(Held& state, NirLocal root, const nir::Bits& loans) const {
    put(state, holder_of(root), {loans, loans}, false);
  }

  static std::size_t derefs(const Place& p) {
    return static_cast<std::size_t>(std::count_if(
        p.path.begin(), p.path.end(), [](const nir::Projection& x) { return x.kind == ProjectionKind::deref; }));
  }

  // What lay in `root` is gone; a view of it holds its own buffer, or was refused.
  void end_of(Held& state, NirLocal root) const {
    state.remove([&](const Held::Pair& p) {
      const Loan& loan = loans_[p.loan];
      return p.loan >= callers_.size() && loan.place.root == root && !loan.of_caller && !goes_through_view(loan.place);
    });
  }

  static bool goes_through_view(const Place& p) {
    return std::any_of(p.path.begin(), p.path.end(),
                       [](const nir::Projection& x) { return x.kind == ProjectionKind::deref; });
  }

  // ---- regions: in which one each local is declared, and which encloses which

  void find_regions() {
    region_of_.assign(f_.instrs.size(), nir::RegionId{});
    outer_.assign(f_.regions.size(), nir::RegionId{});
    declared_in_.assign(f_.locals.size(), f_.body);
    if (f_.body.valid()) walk_region(f_.body);
  }
  void walk_region(nir::RegionId r) {
    for (InstrId i : f_.regions[r]) {
      region_of_[i.index] = r;
      const nir::Node& node = f_.instrs[i].node;
      if (auto* d = std::get_if<nir::Declare>(&node)) declared_in_[d->local.index] = r;
      if (auto* w = std::get_if<nir::Walk>(&node)) {
        for (NirLocal l : w->elements) declared_in_[l.index] = w->body;
      }
      if (auto* g = std::get_if<nir::Guard>(&node)) declared_in_[g->error.index] = g->handler;
      if (const nir::FailEdge* e = nir::fail_edge(node); e != nullptr && e->valid())
        declared_in_[e->error.index] = e->region;
      nir::for_each_region(node, [&](nir::RegionId inner) {
        outer_[inner.index] = r;
        walk_region(inner);
      });
    }
  }
  bool is_there(NirLocal local, InstrId at) const {
    for (nir::RegionId r = region_of_[at.index]; r.valid(); r = outer_[r.index]) {
      if (r == declared_in_[local.index]) return true;
    }
    return false;
  }

  // ---- origins: which loans a value holds

  Origins nothing() const { return {nir::Bits(loans_.size()), nir::Bits(loans_.size())}; }
  // The views that a value of that type can hold.
  Origins fit(Origins from, TypeId type) const {
    if (!m_.views.is_deep(type)) from.deep = nir::Bits(loans_.size());
    return from;
  }

  // The views in the value of a place.
  Origins inside(const Held& state, const Place& p) const {
    Origins out = held(state, holder_of(p.root));
    if (derefs(p) != 0) out.near = out.deep;
    return out;
  }

  // A view of a place: its own loan, unless it is reached through views that only read, and what lies behind it.
  Origins loan_of(const Held& state, const void* key, const Place& p) const {
    const Origins root = held(state, holder_of(p.root));
    const std::size_t behind = derefs(p);
    Origins out = nothing();
    if (behind != 0) out.near = behind == 1 ? root.near : root.deep;
    out.deep = behind == 0 ? root.all() : root.deep;
    const auto it = loan_at_.find(key);
    if (it != loan_at_.end() && loans_[it->second].is_own) out.near.set(it->second);
    return out;
  }

  Origins origins(const Held& state, const nir::Operand& o) const {
    if (o.kind == OperandKind::constant) return nothing();
    if (o.kind == OperandKind::lend || o.kind == OperandKind::lend_mut) return loan_of(state, &o, o.place);
    if (holder_of(o.place.root) == no_holder) return nothing();
    const bool is_lambda = m_.types.kind(f_.locals[o.place.root].type) == TypeKind::function;
    return m_.views.holds(o.type) || is_lambda ? inside(state, o.place) : nothing();
  }

  Origins origins(const Held& state, const nir::Value& v) const {
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
          const Origins view = loan_of(state, &p, p);
          out.add(view);
          // A value that copies is handed out as it is.
          if (std::holds_alternative<nir::MapRead>(v)) out.near.add(view.deep);
        },
        [&](const nir::MakeClosure& c) { out.add(origins(state, c)); });
    return out;
  }

  // How far behind what it captured a lambda reads is not told apart.
  Origins origins(const Held& state, const nir::MakeClosure& c) const {
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

  bool lends_for_change(const nir::Operand& o) const {
    if (o.kind == OperandKind::constant) return false;
    if (o.kind == OperandKind::lend_mut) return true;
    return o.kind == OperandKind::copy && o.type.valid() && m_.types.kind(o.type) == TypeKind::ref &&
           m_.types[o.type].is_mut;
  }

  // The contract of the program's function that is called, which is looked at first; null where there is none yet.
  const Contract* contract_of(const nir::Call& c) const {
    if (!c.fn.valid()) return nullptr;
    const FunctionId callee = m_.by_source[c.fn];
    if (!callee.valid()) return nullptr;
    check(m_, callee);
    const Contract& found = m_.contracts[callee];
    return found.is_known ? &found : nullptr;
  }

  Origins result_of(const Held& state, const nir::Call& c) const {
    Origins out = nothing();
    const Contract* contract = contract_of(c);
    const bool is_row = c.fn.valid() && !m_.decls.fns[c.fn].key.empty();
    // A lambda is handed views of the elements, and what it makes of them may hold them.
    const bool may_hand_on =
        m_.views.holds(c.result) &&
        std::any_of(c.args.begin(), c.args.end(), [&](const nir::Operand& o) { return is_lambda(o); });
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

  static bool is_source(const FnDecl& fn, std::size_t argument) {
    const std::size_t receiver = fn.receiver != ast::Receiver::none ? 1 : 0;
    for (std::uint32_t from : fn.result_from) {
      if (from == FnDecl::from_receiver ? receiver == 1 && argument == 0 : from + receiver == argument) return true;
    }
    return false;
  }

  void store_views(Held& state, const nir::Call& c) const {
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
  void store_by_change(Held& state, const nir::Call& c) const {
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
  bool stores_captures(const nir::Operand& lambda) const {
    const nir::MakeClosure* made = lambda.place.is_local() ? closure_in(lambda.place.root) : nullptr;
    if (made == nullptr) return false;
    check(m_, made->function);
    return m_.contracts[made->function].stores_captures;
  }

  // What a lambda is handed during the call may end up in what it changes outside: views of the other arguments, and
  // what those hold.
  void hand_to_lambdas(Held& state, const nir::Call& c) const {
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
  bool lends_views(const nir::Capture& x) const {
    if (x.mode != nir::CaptureMode::lend_mut) return false;
    const TypeId type = nir::place_type(f_, x.place);
    return m_.views.holds(m_.types[type].is_mut ? m_.types.without_ref(type) : type);
  }
  bool changes_views(const nir::Operand& o) const {
    if (!is_lambda(o) || !o.place.is_local()) return false;
    const nir::MakeClosure* made = closure_in(o.place.root);
    return made != nullptr && std::any_of(made->captures.begin(), made->captures.end(),
                                          [&](const nir::Capture& x) { return lends_views(x); });
  }

  // The closure that a local was made as, or null.
  const nir::MakeClosure* closure_in(NirLocal local) const {
    const auto it = closures_.find(local.index);
    return it == closures_.end() ? nullptr : it->second;
  }

  // ---- forward: one step

  void transfer(const nir::Step& step, Held& state) const {
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
      if (may_take_in(a->to)) assign(state, a->to, origins(state, a->value));
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
  void store_captures(Held& state, const nir::MakeClosure& c) const {
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

  bool may_take_in(const Place& to) const {
    return holder_of(to.root) != no_holder || (!to.is_local() && holder_of(resolved(to).root) != no_holder);
  }
  void assign(Held& state, const Place& to, const Origins& from) const {
    if (to.is_local()) return put(state, holder_of(to.root), from, true);
    put_into(state, to, from);
    put_into(state, resolved(to), from);
  }

  // What the n-th element of a walk holds: a view of an element of the list that is walked, or such an element, where
  // it copies.
  Origins element(const nir::Walk& w, std::size_t n, Origins walked) const {
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

  template <class F>
  void each_read(const nir::Node& node, F&& f) const {
    const auto root = [&](const Place& p) {
      if (holder_of(p.root) != no_holder) f(holder_of(p.root));
    };
    nir::visit_uses(
        node,
        [&](const nir::Operand& o) {
          if (o.kind != OperandKind::constant) root(o.place);
        },
        root,
        [&](const nir::MakeClosure& c) {
          for (const nir::Capture& x : c.captures) root(x.place);
        });
    if (const Place* to = nir::written_place(node); to != nullptr && goes_through_view(*to)) root(*to);
    if (auto* d = std::get_if<nir::Drop>(&node)) {
      for (NirLocal l : d->locals) {
        if (is_read_by_drop(l)) f(holder_of(l));
      }
    }
  }

  bool is_read_by_drop(NirLocal l) const {
    return holder_of(l) != no_holder && m_.views.is_torn_down(f_.locals[l].type);
  }

  template <class F>
  void each_defined(const nir::Node& node, F&& f) const {
    const auto local = [&](NirLocal l) {
      if (holder_of(l) != no_holder) f(holder_of(l));
    };
    if (auto* d = std::get_if<nir::Declare>(&node)) local(d->local);
    if (auto* c = std::get_if<nir::Call>(&node)) local(c->to);
    if (auto* o = std::get_if<nir::Overlap>(&node)) local(o->to);
    if (auto* s = std::get_if<nir::Spawn>(&node)) local(s->to);
    if (const Place* to = nir::written_place(node);
        to != nullptr && to->is_local() && !std::holds_alternative<nir::MapWrite>(node))
      local(to->root);
    if (auto* w = std::get_if<nir::Walk>(&node)) {
      for (NirLocal l : w->elements) local(l);
    }
  }

  void reads(const nir::Step& step, nir::Bits& live) const {
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

  // ---- conflicts

  void conflicts(const nir::Step& step, const Held& state, nir::Bits live) {
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
      if (s->to.is_local())
        ends(i, s->to.root, state, live, node);
      else
        changed(i, s->to, state, live, node);
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
    if (auto* a = std::get_if<nir::Assign>(&node)) {
      if (auto* failure = std::get_if<nir::MakeFailure>(&a->value);
          failure != nullptr && m_.views.holds(failure->value.type))
        put_away(i, span_of(i, failure->value.place), "The error", m_.views.of(failure->value.type),
                 origins(state, failure->value));
    }
    if (auto* r = std::get_if<nir::Return>(&node)) returned(i, *r, state);
  }

  // What a branch of an `overlap` changes or takes of its captures, under a view that is read behind it.
  void branch_changes(InstrId i, const nir::MakeClosure& c, const Held& state, const nir::Bits& live) {
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

  Place behind(const Place& pointer, TypeId type) const {
    Place p = pointer;
    p.path.push_back({ProjectionKind::deref, 0, 0, {}, m_.types[type].args[0]});
    return resolved(std::move(p));
  }

  bool is_element(std::uint32_t h) const {
    if (!local_of_[h].valid()) return true;  // a walker
    for (const auto& [walk, holder] : walkers_) {
      const auto& elements = std::get<nir::Walk>(f_.instrs[walk].node).elements;
      if (std::find(elements.begin(), elements.end(), local_of_[h]) != elements.end()) return true;
    }
    return false;
  }

  // The loan that a holder read later has of something that overlaps `p`; a running loop's first, then a name's.
  std::optional<std::pair<std::uint32_t, std::size_t>> active(const Place& p, const Held& state,
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

  Span span_of(InstrId i, const Place& p) const { return p.span.has_text() ? p.span : f_.instrs[i].span; }

  void changed(InstrId i, const Place& given, const Held& state, const nir::Bits& live, const nir::Node& node) {
    const Place p = resolved(given);
    if (auto a = active(p, state, live)) {
      if (!first_at(i)) return;
      report_change(m_,
                    {f_, p, f_.instrs[i].span, loans_[a->second], local_of_[a->first], is_element(a->first), &node});
    }
  }

  void taken(InstrId i, const Place& p, const Held& state, const nir::Bits& live) {
    if (f_.locals[p.root].kind == nir::LocalKind::temp && p.is_local()) return;  // put where it is used from
    if (auto a = active(p, state, live)) {
      if (first_at(i)) report_taken(m_, {f_, p, span_of(i, p), loans_[a->second], local_of_[a->first], false, nullptr});
    }
  }

  // The value in `root` ends here: a pointer to it that is read later is refused.
  void ends(InstrId i, NirLocal root, const Held& state, const nir::Bits& live, const nir::Node& node) {
    for (const auto& [s, l] : state.pairs()) {
      const std::uint32_t h = holder_in(s);
      if (!live.test(h) || holder_of(root) == h) continue;
      const Loan& loan = loans_[l];
      if (l < callers_.size() || !(loan.place.root == root) || goes_through_view(loan.place)) continue;
      if (!local_of_[h].valid() && std::holds_alternative<nir::Store>(node)) {
        if (first_at(i)) report_change(m_, {f_, Place{root, {}}, f_.instrs[i].span, loan, {}, true, &node});
      } else if (local_of_[h].valid() && !is_plain_lambda(h)) {
        outlives(i, h, loan);
      }
    }
  }

  bool is_plain_lambda(std::uint32_t h) const {
    return m_.types.kind(f_.locals[local_of_[h]].type) == TypeKind::function;
  }

  // A pointer is read where the block of what it looks at has ended.
  void still_there(InstrId i, const nir::Node& node, const Held& state) {
    each_read(node, [&](std::uint32_t h) {
      if (!local_of_[h].valid()) return;
      each_loan(state, h, [&](std::size_t l) {
        const Loan& loan = loans_[l];
        if (l < callers_.size() || loan.of_caller || goes_through_view(loan.place)) return;
        if (!is_there(loan.place.root, i)) outlives(i, h, loan);
      });
    });
  }

  void outlives(InstrId i, std::uint32_t h, const Loan& loan) { outlives(i, h, loan, views_of_[h]); }
  void outlives(InstrId i, std::uint32_t h, const Loan& loan, std::uint8_t views) {
    const std::optional<Code> code = refusal(views, loan);
    if (!code || is_only_returned(local_of_[h]) || !first_at(loan.instr)) return;
    const nir::Local& holder = f_.locals[local_of_[h]];
    const std::string name =
        holder.name.valid() ? "`" + std::string(m_.shown.names.text(holder.name)) + "`" : "This view";
    Builder b = m_.sink.error(*code, loan.span, name, nir::shown_root(m_.shown, f_, loan.place));
    b.primary_label("looks into it from here");
    if (f_.instrs[i].span.has_text()) b.label(f_.instrs[i].span, "and is still used behind its end");
  }

  // A temporary that is made to be returned: `returned` says what is wrong with it.
  bool is_only_returned(NirLocal local) {
    if (f_.locals[local].kind != nir::LocalKind::temp) return false;
    if (consumers_.empty()) consumers_ = nir::consumers(f_);
    const InstrId user = consumers_[local];
    return user.valid() && std::holds_alternative<nir::Return>(f_.instrs[user].node);
  }

  void returned(InstrId i, const nir::Return& r, const Held& state) {
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

  // Whether this is a block that is lent something for its own run: what a lock holds, or a scope of tasks.
  bool lends_for_itself() const { return is_door_ || is_scope_; }

  // It hands out nothing that looks into that, and puts no such thing outside (03 §4.3, 04 §8.1).
  void leaves_block(InstrId i, const nir::Return& r, const Held& state) {
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
  void into_captures(InstrId i, const Held& state) {
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

  bool is_scope(TypeId type) const {
    const Type& t = m_.types[m_.types.without_ref(type)];
    return t.kind == TypeKind::named && t.decl == m_.decls.scope;
  }
  bool find_scope() const {
    return f_.kind == nir::FunctionKind::closure &&
           std::any_of(f_.params.begin(), f_.params.end(), [&](NirLocal p) { return is_scope(f_.locals[p].type); });
  }
  void leaves_scope(Span span, NirLocal scope) {
    m_.sink
        .error(Code::NK2943, span.has_text() ? span : f_.span, std::string(m_.shown.names.text(f_.locals[scope].name)))
        .primary_label("carried out of its scope");
  }

  // What the block of a door puts into the lock is there for others.
  void into_lock(InstrId i, const Held& state) {
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

  // ---- what is put where it may outlive every call: into a shared value, a lock, a channel, an error

  // `views`: the kinds of view in what is put there.
  void put_away(InstrId i, Span span, const std::string& by, std::uint8_t views, const Origins& in) {
    in.near.for_each([&](std::size_t l) { put_away(i, span, by, views, l); });
    in.deep.for_each([&](std::size_t l) { put_away(i, span, by, views, l); });
  }
  void put_away(InstrId i, Span span, const std::string& by, std::uint8_t views, std::size_t l) {
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

  void refuse_away(InstrId i, Span span, const std::string& by, const nir::Local& root) {
    if (!first_at(i)) return;
    m_.sink.error(Code::NK2933, span, by, std::string(m_.shown.names.text(root.name)))
        .primary_label("kept from here on");
  }

  bool is_captured_by_loan(NirLocal inner) const {
    const nir::MakeClosure* made = m_.closures[id_].made;
    if (made == nullptr) return true;
    return std::any_of(made->captures.begin(), made->captures.end(), [&](const nir::Capture& x) {
      return x.inner == inner && (x.mode == nir::CaptureMode::lend || x.mode == nir::CaptureMode::lend_mut);
    });
  }

  // Whether the call may put away the argument's views.
  bool puts_away_argument(const nir::Call& c, std::size_t a) const {
    const nir::Operand& o = c.args[a];
    if (o.kind == OperandKind::constant || !m_.views.holds(o.type)) return false;
    if (c.fn.valid() && !m_.decls.fns[c.fn].key.empty()) return puts_away(m_, m_.decls.fns[c.fn], a);
    const Contract* contract = contract_of(c);
    return contract != nullptr ? contract->away.has(a) : may_put_away(m_, c.fn);
  }
  bool puts_away_any(const nir::Call& c) const {
    for (std::size_t a = 0; a < c.args.size(); ++a) {
      if (puts_away_argument(c, a)) return true;
    }
    return false;
  }

  void call_puts_away(InstrId i, const nir::Call& c, const Held& state) {
    const Contract* contract = contract_of(c);
    const bool is_row = c.fn.valid() && !m_.decls.fns[c.fn].key.empty();
    for (std::size_t a = 0; a < c.args.size(); ++a) {
      if (!puts_away_argument(c, a)) continue;
      const nir::Operand& o = c.args[a];
      Origins given = origins(state, o);
      // A function refuses by itself to put away what it was only lent.
      const bool is_view = m_.types.kind(o.type) == TypeKind::ref;
      if (contract != nullptr ? !contract->away.near.test(a) : !is_row && is_view)
        given.near = nir::Bits(loans_.size());
      if (contract != nullptr && !contract->away.deep.test(a)) given.deep = nir::Bits(loans_.size());
      put_away(i, span_of(i, o.place), "`" + callee(c) + "`", m_.views.of(o.type), given);
    }
  }

  void closure_puts_away(InstrId i, const nir::MakeClosure& c, const Held& state) {
    check(m_, c.function);
    for (const nir::Capture& x : c.captures) {
      const auto& away = m_.contracts[c.function].captures_away;
      if (std::find(away.begin(), away.end(), x.inner) == away.end()) continue;
      put_away(i, span_of(i, x.place), "The lambda", m_.views.of(nir::place_type(f_, x.place)), inside(state, x.place));
    }
  }

  // Whether this is the block of a door.
  bool find_door() const {
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
  void to_task_and_out(InstrId i, const nir::Operand& o, std::size_t l) {
    const NirLocal root = loans_[l].place.root;
    if (l < callers_.size() || std::find(given_to_task_.begin(), given_to_task_.end(), root) == given_to_task_.end())
      return;
    if (!first_at(i)) return;
    m_.sink.error(Code::NK2304, span_of(i, o.place), nir::shown(m_.shown, f_, o.place), "the task", "the result")
        .primary_label("handed out here, and a task keeps the same text");
  }

  // A bare view that is put into what two parameters reach has no one buffer to name (03 §6.3).
  void stored_twice(InstrId i) {
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
          .error(Code::NK2302, given.span,
                 "`" + std::string(m_.shown.names.text(f_.locals[f_.params[last]].name)) + "`",
                 std::string(m_.shown.names.text(given.name)))
          .primary_label("kept in two places, and nothing says by which buffer");
    }
  }

  void note_source(std::size_t loan, Sources& sources) const {
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
  void escapes(InstrId i, const nir::Operand& o, std::size_t l) {
    const Loan& loan = loans_[l];
    if (l < callers_.size() || loan.of_caller || goes_through_view(loan.place)) return;
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
  std::optional<Code> refusal(std::uint8_t views, const Loan& loan) const {
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

  bool is_inline_array(TypeId t) const {
    return m_.types.kind(t) == TypeKind::array && m_.types[t].length != Type::unsized;
  }

  // A task or a lambda that is kept takes views along.
  void kept_away(InstrId i, const nir::MakeClosure& c, const Held& state) {
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

  // ---- one call that is given a place twice

  // Functions without loans that are held are only asked this.
  void same_call_only() {
    for (std::size_t i = 0; i < f_.instrs.size(); ++i) {
      if (auto* c = std::get_if<nir::Call>(&f_.instrs[InstrId(i)].node)) same_call(InstrId(i), *c, nullptr, nullptr);
    }
  }

  void same_call(InstrId i, const nir::Call& c, const Held* state, const nir::Bits* live) {
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
  bool meets(const nir::Operand& o, const Place& q, const Held* state) const {
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

  bool is_lambda(const nir::Operand& o) const {
    return o.kind != OperandKind::constant && o.type.valid() &&
           m_.types.kind(m_.types.without_ref(o.type)) == TypeKind::function;
  }

  std::string callee(const nir::Call& c) const {
    return c.fn.valid() ? nir::shown(m_.shown, c.fn) : nir::shown(m_.shown, f_, c.callee);
  }

  void twice(InstrId i, const nir::Call& c, const Place& q, const nir::Operand& other, std::size_t) {
    if (!first_at(i)) return;
    const std::string name = nir::shown(m_.shown, f_, q);
    const MessageText text = is_lambda(other) ? MessageText(Wording::NK2935_capture) : MessageText(Code::NK2935);
    Builder b = m_.sink.error(text, span_of(i, other.place), name, callee(c));
    b.primary_label("lent to be read, at the same time").label(span_of(i, q), "lent to be changed");
    b.note("While a function changes a value, nobody else is looking at it; that is what keeps its reads true.");
  }

  // A lambda among the arguments that changes what another argument lends, or what a view read later looks at.
  void lambda_changes(InstrId i, const nir::Call& c, std::size_t a, const Held& state, const nir::Bits& live) {
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
  bool first_at(InstrId i) {
    if (std::find(said_.begin(), said_.end(), i) != said_.end()) return false;
    said_.push_back(i);
    return true;
  }

  Loans& m_;
  FunctionId id_;
  const nir::Function& f_;

  std::vector<const nir::Operand*> pointer_of_;  // by local: what a temporary pointer was made of; or null
  std::vector<std::uint32_t> holders_;           // by local
  std::vector<NirLocal> local_of_;               // by holder; invalid for a walker
  std::vector<std::uint8_t> views_of_;           // by holder
  std::vector<std::uint8_t> is_deep_;            // by holder: whether a view in it may lie behind another
  std::vector<std::pair<InstrId, std::uint32_t>> walkers_;
  std::uint32_t holder_count_ = 0;

  struct Given {
    NirLocal local;
    bool is_deep;
  };
  std::vector<Given> callers_;  // whose loans come first
  std::vector<Loan> loans_;
  std::unordered_map<const void*, std::size_t> loan_at_;  // by operand, place or captured part
  bool has_loans_ = false;
  bool is_door_ = false;   // the block of a lock's door
  bool is_scope_ = false;  // the block of a scope of tasks

  std::vector<nir::RegionId> region_of_, outer_, declared_in_;
  std::vector<NirLocal> given_to_task_;  // owners of text and runs that a task looks into
  std::vector<InstrId> said_;
  IdVector<NirLocal, InstrId> consumers_;                                // empty until asked for
  std::unordered_map<std::uint32_t, const nir::MakeClosure*> closures_;  // by local
};

}  // namespace

void check(Loans& m, FunctionId id) {
  if (m.state[id] != 0) return;
  m.state[id] = 1;
  Body(m, id).run();
  m.state[id] = 2;
}

}  // namespace nikaia::lang::loans
