#include "lang/nir/closures.h"

#include "lang/nir/visit.h"

namespace nikaia::lang::nir {

ClosureSites closure_sites(const Module& module) {
  ClosureSites sites(module.functions.size());
  for (std::size_t fi = 0; fi < module.functions.size(); ++fi) {
    const Function& f = module.functions[FunctionId(fi)];
    for (std::size_t ii = 0; ii < f.instrs.size(); ++ii) {
      const Node& node = f.instrs[InstrId(ii)].node;
      const ClosureUse direct = std::holds_alternative<Spawn>(node)     ? ClosureUse::task
                                : std::holds_alternative<Overlap>(node) ? ClosureUse::branch
                                                                        : ClosureUse::none;
      visit_uses(
          node, [](const Operand&) {}, [](const Place&) {},
          [&](const MakeClosure& c) {
            const ClosureUse use = direct != ClosureUse::none ? direct : c.is_kept ? ClosureUse::kept : ClosureUse::immediate;
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
