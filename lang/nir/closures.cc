#include "lang/nir/closures.h"

#include "lang/nir/visit.h"

namespace nikaia::lang::nir {

ClosureSites closure_sites(const Module& module) {
  ClosureSites sites(module.functions.size());
  IdVector<FunctionId, std::uint8_t> makes_some(module.functions.size());
  for (const Function& f : module.functions) {
    if (f.kind == FunctionKind::closure && f.parent.valid()) makes_some[f.parent] = 1;
  }
  for (std::size_t fi = 0; fi < module.functions.size(); ++fi) {
    if (!makes_some[FunctionId(fi)]) continue;
    const Function& f = module.functions[FunctionId(fi)];
    for (std::size_t ii = 0; ii < f.instrs.size(); ++ii) {
      const Node& node = f.instrs[InstrId(ii)].node;
      const ClosureUse direct = std::holds_alternative<Spawn>(node)     ? ClosureUse::task
                                : std::holds_alternative<Overlap>(node) ? ClosureUse::branch
                                                                        : ClosureUse::none;
      visit_uses(
          node, [](const Operand&) {}, [](const Place&) {},
          [&](const MakeClosure& c) {
            const ClosureUse use = direct != ClosureUse::none ? direct
                                   : c.is_kept                ? ClosureUse::kept
                                                              : ClosureUse::immediate;
            sites[c.function] = {use, FunctionId(fi), InstrId(ii), &c};
          });
    }
  }
  return sites;
}

PlaceIn outside(const Module& module, const ClosureSites& sites, FunctionId function, Place place) {
  while (true) {
    const Local& root = module.functions[function].locals[place.root];
    const ClosureSite& site = sites[function];
    if (root.kind != LocalKind::capture || site.made == nullptr) break;
    const Capture* capture = nullptr;
    for (const Capture& c : site.made->captures) {
      if (c.inner == place.root) capture = &c;
    }
    if (capture == nullptr) break;
    const bool is_lent = capture->mode == CaptureMode::lend || capture->mode == CaptureMode::lend_mut;
    // A copied pointer is the same pointer; anything else by value is the closure's own.
    const bool runs_here = site.use == ClosureUse::immediate || site.use == ClosureUse::branch;
    if (!is_lent && !(runs_here && capture->mode == CaptureMode::copy)) break;
    Place outer = capture->place;
    auto from = place.path.begin();
    if (is_lent && from != place.path.end() && from->kind == ProjectionKind::deref) ++from;
    outer.path.insert(outer.path.end(), from, place.path.end());
    outer.span = place.span;
    place = std::move(outer);
    function = site.parent;
  }
  return {function, std::move(place)};
}

Place outer_place(const Capture& capture, const CapturedPart& part) {
  const bool is_lent = capture.mode == CaptureMode::lend || capture.mode == CaptureMode::lend_mut;
  Place outer = capture.place;
  auto from = part.place.path.begin();
  if (is_lent && from != part.place.path.end() && from->kind == ProjectionKind::deref) ++from;
  outer.path.insert(outer.path.end(), from, part.place.path.end());
  outer.span = part.span;
  return outer;
}

// Inner closures first: their numbers are the greater ones.
CapturedParts captured_parts(const Module& module, const TypeTable& types) {
  CapturedParts captured(module.functions.size());
  for (std::size_t n = module.functions.size(); n-- > 0;) {
    const FunctionId id(n);
    const Function& f = module.functions[id];
    if (f.kind != FunctionKind::closure) continue;
    auto& parts = captured[id];
    for (const Instr& i : f.instrs) {
      const auto add = [&](const Place& p, bool is_changed, bool is_taken) {
        if (f.locals.contains(p.root) && f.locals[p.root].kind == LocalKind::capture) {
          parts.push_back({p.root, p, is_changed, is_taken, p.span.has_text() ? p.span : i.span});
        }
      };
      visit_uses(
          i.node,
          [&](const Operand& o) {
            if (o.kind == OperandKind::constant) return;
            // A pointer for change that is handed on lends what it points to for change.
            const bool hands_on = o.kind == OperandKind::copy && o.type.valid() && types[o.type].is_mut;
            Place p = o.place;
            if (hands_on) p.path.push_back({ProjectionKind::deref, 0, 0, {}, types[o.type].args[0]});
            add(p, hands_on || o.kind == OperandKind::lend_mut, o.kind == OperandKind::move);
          },
          [&](const Place& p) { add(p, false, false); },
          [&](const MakeClosure& c) {
            for (const Capture& x : c.captures) {
              for (const CapturedPart& part : captured[c.function]) {
                if (part.inner == x.inner) add(outer_place(x, part), part.is_changed, part.is_taken);
              }
            }
          });
      if (const Place* to = written_place(i.node)) add(*to, true, false);
    }
  }
  return captured;
}

IdVector<LocalId, InstrId> consumers(const Function& function) {
  IdVector<LocalId, InstrId> to(function.locals.size());
  for (std::size_t i = 0; i < function.instrs.size(); ++i) {
    visit_uses(
        function.instrs[InstrId(i)].node,
        [&](const Operand& o) {
          if (o.kind == OperandKind::constant || !o.place.is_local()) return;
          if (!to[o.place.root].valid()) to[o.place.root] = InstrId(i);
        },
        [](const Place&) {}, [](const MakeClosure&) {});
  }
  return to;
}

}  // namespace nikaia::lang::nir
