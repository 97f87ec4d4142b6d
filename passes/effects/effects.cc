// The pass `effects`: what every function and lambda does beyond its value: pause, fail and with what, touch resources,
// take a lock; and what follows from that for promises, handlers and lambdas.
//
// Bodies are walked once and become lists of events (events.h, collect.cc); the least solution over the call graph is
// found on these lists (solve.cc); then they are read once more for facts and refusals (report.cc). What was read out
// of a lock is followed on the trees (stale.cc). Cost: linear in the program, times how often a function's answer
// grows, which is bounded by the number of error types and resources.
#include <nikaia/pass.h>

#include "passes/effects/events.h"

namespace nikaia::lang::effects {

namespace {

void run(PassContext& context) {
  Program program{context.compilation(),
                  context.require(declarations_fact),
                  context.require(names_fact),
                  context.require(types_fact),
                  context.require(contracts_fact),
                  context.types(),
                  context.sink(),
                  context.provide(effects_fact),
                  {},
                  {},
                  {},
                  {},
                  false};
  program.out.fns.resize(program.decls.fns.size());
  collect_bodies(program);
  solve(program);
  report(program);
  check_stale(program);
  check_open_cleanups(program);
}

constexpr const char* requires_[] = {"declarations@1", "names@1", "types@1", "contracts@1", nullptr};
constexpr const char* provides[] = {"effects@1", nullptr};
constexpr const char* codes[] = {"NK1105", "NK1106", "NK1129", "NK1134", "NK1137", "NK1140", "NK1194", "NK1900",
                                 "NK2102", "NK2104", "NK2201", "NK2202", "NK2203", "NK2205", "NK2206", "NK2207",
                                 "NK2209", "NK2210", "NK2605", "NK2606", "NK2701", nullptr};

const Pass passes[] = {{
    .name = "effects",
    .purpose = "decides what may pause, fail, touch something and take a lock",
    .version = NIKAIA_VERSION,
    .kind = PassKind::analysis,
    .stage = PassStage::tree,
    .is_optional = false,
    .requires_facts = requires_,
    .provides_facts = provides,
    .changes_facts = nullptr,
    .codes = codes,
    .options = nullptr,
    .produces_cpp = false,
    .run = run,
}};

}  // namespace

}  // namespace nikaia::lang::effects

namespace {
using nikaia::lang::effects::passes;
}

NIKAIA_PASS_PLUGIN(passes)
