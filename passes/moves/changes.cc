// Changes of what may not change (03 §2.1, §2.3): a name without `mut`, what lies behind a view, what is outside a
// lambda that may run again.
//
// A change is an assignment into a place, a write into a map, or a loan of a place for change; each is asked
// about the name its place begins with, outside the lambdas that captured it by lending.
#include <algorithm>
#include <set>
#include <utility>

#include "lang/nir/places.h"
#include "lang/nir/visit.h"
#include "passes/moves/moves.h"

namespace nikaia::lang::moves {
namespace {

// How a local came into being.
struct Binding {
  enum class Kind : std::uint8_t { let, loop, pattern } kind = Kind::let;
  Place from;  // loop: what is walked; a view: what it looks at
  bool has_from = false;
};

class Changes {
 public:
  explicit Changes(const Moves& m) : m_(m), consumers_(m.module.functions.size()) {}

  void run() {
    for (std::size_t fi = 0; fi < m_.module.functions.size(); ++fi) {
      const nir::Function& f = m_.function(FunctionId(fi));
      for (std::size_t ii = 0; ii < f.instrs.size(); ++ii) {
        const nir::Node& node = f.instrs[InstrId(ii)].node;
        if (!std::holds_alternative<nir::Assign>(node)) {
          if (const Place* to = nir::written_place(node)) change(FunctionId(fi), InstrId(ii), *to);
        }
        nir::visit_uses(
            node,
            [&](const nir::Operand& o) {
              if (o.kind == OperandKind::lend_mut) change(FunctionId(fi), InstrId(ii), o.place);
              // A pointer for change that is handed on: a captured name, or a parameter.
              if (o.kind != OperandKind::copy || !o.type.valid() || !m_.types[o.type].is_mut) return;
              Place behind = o.place;
              behind.path.push_back({ProjectionKind::deref, 0, 0, {}, m_.types[o.type].args[0]});
              change(FunctionId(fi), InstrId(ii), behind);
            },
            [](const Place&) {}, [](const nir::MakeClosure&) {});
      }
    }
  }

 private:
  void change(FunctionId id, InstrId i, const Place& place) {
    const nir::Function& inner = m_.function(id);
    const Span span = m_.span_of(inner, i, place);
    const nir::PlaceIn at = nir::outside(m_.module, m_.closures, id, place);
    if (!(at.function == id) && crosses_refused_lambda(id, at.function, span, inner, place)) return;
    const nir::Function& f = m_.function(at.function);
    const nir::Local& root = f.locals[at.place.root];
    switch (root.kind) {
      case nir::LocalKind::param:
        if (!root.is_mut && !m_.types[root.type].is_mut) return param(at, span);
        break;
      case nir::LocalKind::named:
      case nir::LocalKind::error:
        if (!root.is_mut) return name(at, span);
        break;
      case nir::LocalKind::capture:
        if (m_.closures[at.function].use == nir::ClosureUse::kept) return kept(f, at.place, span);
        if (!root.is_mut) return name(at, span);
        break;
      case nir::LocalKind::temp: break;
    }
    through_view(f, at.place, span);
  }

  // ---- NK2939

  void through_view(const nir::Function& f, const Place& place, Span span) {
    TypeId at = f.locals[place.root].type;
    for (std::size_t n = 0; n < place.path.size(); ++n) {
      const nir::Projection& x = place.path[n];
      if (x.kind == ProjectionKind::deref && m_.types.kind(at) == TypeKind::ref && !m_.types[at].is_mut) {
        Place view = place;
        view.path.resize(n);
        if (n == 0) view.span = {};
        const std::string name = nir::shown(m_.shown, f, view);
        const Binding b = binding(f, place.root);
        Builder out = m_.sink.error(Code::NK2939, span, name, b.has_from ? nir::shown(m_.shown, f, b.from) : name);
        out.primary_label("changed through a view here");
        const nir::Local& root = f.locals[place.root];
        if (n == 0 && root.span.has_text() && root.name.valid()) out.label(root.span, "a view");
        if (!b.has_from) out.help("Change what it looks at, through the name that owns it.");
        return;
      }
      at = x.type;
    }
  }

  // ---- NK1138

  void param(const nir::PlaceIn& at, Span span) {
    if (!said_.insert({at.function.index, at.place.root.index}).second) return;
    const nir::Function& f = m_.function(at.function);
    const nir::Local& root = f.locals[at.place.root];
    const bool is_lambda = f.kind == nir::FunctionKind::closure;
    if (is_lambda && may_change_argument(at.function, at.place.root)) return;
    const std::string name(m_.shown.names.text(root.name));
    const Span place = root.span.has_text() ? root.span : span;
    Builder b = m_.sink.error(is_lambda ? MessageText(Wording::NK1138_lambda) : MessageText(Code::NK1138), place, name);
    b.primary_label("taken here without `mut`").label(span, "changed here");
    if (name == "self") {
      b.help("Take the subject for change: `ref mut self`.");
    } else if (root.span.has_text()) {
      b.note("With `mut`, what changes is the caller's own; the call itself looks the same either way.");
      b.help_edit("Write `mut " + name + "` here, or change a copy: `let mut mine = " + name + ".clone()`.",
                  root.span.start(), "mut ", Applies::sketch);
    }
  }

  // A fold's accumulator and a map entry's value are changed in place.
  bool may_change_argument(FunctionId closure, NirLocal local) {
    const nir::Function& f = m_.function(closure);
    const std::string_view key = runner_of(closure);
    const bool is_first = !f.params.empty() && f.params[0] == local;
    return is_first && (key.ends_with(".and_modify") || key.ends_with(".fold") || key.ends_with(".reduce"));
  }

  // ---- NK1139

  void name(const nir::PlaceIn& at, Span span) {
    const nir::Function& f = m_.function(at.function);
    const nir::Local& root = f.locals[at.place.root];
    const std::string name(m_.shown.names.text(root.name));
    const Binding b = binding(f, at.place.root);
    switch (b.kind) {
      case Binding::Kind::loop: {
        const std::string list = b.has_from ? nir::shown(m_.shown, f, b.from) : "list";
        m_.sink.error(Wording::NK1139_loop, span, name, list)
            .primary_label("changed here")
            .label(root.span, "one element of `" + list + "`");
        return;
      }
      case Binding::Kind::pattern:
        m_.sink.error(Wording::NK1139_pattern, span, name).primary_label("changed here").label(root.span, "bound here");
        return;
      case Binding::Kind::let: break;
    }
    Builder out = m_.sink.error(Code::NK1139, span, name);
    out.primary_label("changed here");
    if (!root.span.has_text()) return;
    out.label(root.span, "declared here without `mut`");
    out.note("A `let` keeps the value it was given unless it says that it may change.");
    out.help_edit("Add the word where it's declared: `let mut " + name + "`.", root.span.start(), "mut ",
                  Applies::exact);
  }

  Binding binding(const nir::Function& f, NirLocal local) const {
    Binding b;
    if (f.locals[local].kind == nir::LocalKind::error) b.kind = Binding::Kind::pattern;
    for (const nir::Instr& i : f.instrs) {
      if (auto* w = std::get_if<nir::Walk>(&i.node)) {
        if (std::find(w->elements.begin(), w->elements.end(), local) == w->elements.end()) continue;
        b.kind = Binding::Kind::loop;
        b.from = w->subject.place;
        b.has_from = w->subject.kind != OperandKind::constant;
        return b;
      }
      if (auto* d = std::get_if<nir::Declare>(&i.node); d != nullptr && d->local == local) {
        const std::string_view written = i.span.has_text() ? m_.shown.sources.text(i.span) : std::string_view("let");
        if (written.starts_with("for"))
          b.kind = Binding::Kind::loop;
        else if (!written.starts_with("let"))
          b.kind = Binding::Kind::pattern;
      }
      if (auto* a = std::get_if<nir::Assign>(&i.node);
          a != nullptr && a->to.is_local() && a->to.root == local && !b.has_from) {
        auto* use = std::get_if<nir::Use>(&a->value);
        if (use == nullptr || use->value.kind == OperandKind::constant) continue;
        b.from = use->value.place;
        b.has_from = use->value.kind == OperandKind::lend || use->value.place.span.has_text();
      }
    }
    return b;
  }

  // ---- lambdas

  void kept(const nir::Function& f, const Place& place, Span span) {
    const std::string name = nir::shown_root(m_.shown, f, place);
    m_.sink.error(Code::NK2938, span, name)
        .primary_label("changed here")
        .label(f.locals[place.root].span, "declared outside the lambda");
  }

  // The row of the library, or "", that runs the closure.
  std::string_view runner_of(FunctionId closure) {
    const nir::ClosureSite& site = m_.closures[closure];
    if (site.made == nullptr) return {};
    const nir::Function& parent = m_.function(site.parent);
    auto* a = std::get_if<nir::Assign>(&parent.instrs[site.instr].node);
    if (a == nullptr) return {};
    auto& to = consumers_[site.parent];
    if (to.empty()) to = nir::consumers(parent);
    const InstrId user = to[a->to.root];
    if (!user.valid()) return {};
    auto* call = std::get_if<nir::Call>(&parent.instrs[user].node);
    return call != nullptr && call->fn.valid() ? std::string_view(m_.decls.fns[call->fn].key) : std::string_view();
  }

  bool is_parallel(FunctionId closure) {
    const nir::ClosureSite& site = m_.closures[closure];
    const nir::Function& parent = m_.function(site.parent);
    auto* a = std::get_if<nir::Assign>(&parent.instrs[site.instr].node);
    if (a == nullptr) return false;
    const InstrId user = consumers_[site.parent][a->to.root];
    auto* call = user.valid() ? std::get_if<nir::Call>(&parent.instrs[user].node) : nullptr;
    if (call == nullptr || !call->fn.valid() || call->args.empty()) return false;
    const TypeId receiver = m_.types.without_ref(call->args[0].type);
    return m_.types.kind(receiver) == TypeKind::named && m_.types[receiver].decl == m_.decls.par;
  }

  // Whether the change leaves a lambda that may run again or beside itself; reports it.
  bool crosses_refused_lambda(FunctionId from, FunctionId to, Span span, const nir::Function& f, const Place& place) {
    for (FunctionId id = from; !(id == to); id = m_.closures[id].parent) {
      const std::string_view key = runner_of(id);
      const std::string name = nir::shown_root(m_.shown, f, place);
      if (key.ends_with(".update") || key == "update_all") {
        m_.sink.error(Wording::NK2938_door, span, name, key == "update_all" ? "update_all" : "update")
            .primary_label("changed here");
        return true;
      }
      if (!key.empty() && is_parallel(id)) {
        m_.sink.error(Code::NK2107, span, name).primary_label("changed here, by every turn");
        return true;
      }
    }
    return false;
  }

  const Moves& m_;
  IdVector<FunctionId, IdVector<NirLocal, InstrId>> consumers_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> said_;  // parameters: function and local
};

}  // namespace

void check_changes(const Moves& m) {
  Changes(m).run();
}

}  // namespace nikaia::lang::moves
