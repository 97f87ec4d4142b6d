// The pass `moves`: use after hand-over, giving away what is only lent, changing what is not `mut` (03 §8.4, §2.3,
// §2.7), and what runs side by side and meets on a name (04 §5.3, §8.1).
//
// All are asked of NIR as lowering writes it, generic functions once each. Tracking (tracking.cc) is a forward
// dataflow over each function's flow graph; the others look at single instructions and at closures. Nothing is changed
// or provided: what the pass lets through, later passes may rely on. Cost: near to that of one walk of the module,
// plus, for each function that hands over anything, bits per hand-over and step.
#include "passes/moves/moves.h"

#include "lang/facts/names.h"

namespace nikaia::lang::moves {
namespace {

void run(PassContext& context) {
  const nir::Module& module = context.require(nir_fact);
  const Declarations& decls = context.require(declarations_fact);
  const Moves m{module,
                decls,
                context.types(),
                {context.sources(), context.types(), decls, context.names()},
                nir::closure_sites(module),
                context.sink()};
  check_changes(m);
  check_branches(m);
  check_keys(m);
  track_moves(m);
}

constexpr const char* required[] = {"declarations@1", "nir@1", nullptr};
constexpr const char* codes[] = {"NK1131", "NK1138", "NK1139", "NK1183", "NK2101", "NK2104", "NK2105", "NK2106",
                                 "NK2107", "NK2702", "NK2936", "NK2938", "NK2939", "NK2941", "NK2944", nullptr};
constexpr Pass passes[] = {{"moves", "refuse what uses a value after handing it over", NIKAIA_VERSION,
                            PassKind::analysis, PassStage::nir, false, required, nullptr, nullptr, codes, nullptr,
                            false, run}};

}  // namespace
}  // namespace nikaia::lang::moves

NIKAIA_PASS_PLUGIN(nikaia::lang::moves::passes)
