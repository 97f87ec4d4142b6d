// The pass `loans`: whether every view is read only while what it looks at is there and unchanged (03 §8.5 to §8.9).
//
// Asked of generic NIR, each function once, those it calls before it. Per function, two dataflows over its flow graph:
//
// * forward, which loans each local may hold. A loan is a place lent at one instruction; a local holds those of every
//   view that may be in it, positions not told apart. Parameters hold a loan that stands for what the caller lent.
// * backward, which locals are read later. A loop's walker is read at every turn.
//
// A step that changes, hands over or ends a place conflicts with a loan of an overlapping place that a local holds
// which is read later, or that another operand of the step holds. What it is then called depends on the step
// (NK2301, NK2931, NK2932, NK2935). Where the owner ends first, a view of text or of a run is tethered, which the
// emitted types do by themselves, and a pointer is refused (NK2933); what lies in an inline array is, too (NK2934).
//
// For callers a function is a contract: which arguments the views in its result come from, and which it stores where.
// In a cycle of calls, and for what has no body here, the widest answer holds.
//
// It runs behind `moves`, whose refusals stop it. Cost: functions in which no view is kept are passed over after one
// walk; else, per step, a bit for each local that holds views and the loans of those that are read later (held.h).
#include "passes/loans/loans.h"

#include "lang/facts/names.h"
#include "lang/nir/visit.h"

namespace nikaia::lang::loans {
namespace {

void run(PassContext& context) {
  const nir::Module& module = context.require(nir_fact);
  const Declarations& decls = context.require(declarations_fact);
  const std::size_t count = module.functions.size();
  Loans m{module,
          decls,
          context.types(),
          {context.sources(), context.types(), decls, context.names()},
          nir::closure_sites(module),
          context.sink(),
          Views(context.types(), decls),
          IdVector<FnId, FunctionId>(decls.fns.size()),
          IdVector<FunctionId, Contract>(count),
          IdVector<FunctionId, std::uint8_t>(count, 0),
          nir::captured_parts(module, context.types()),
          context.provide(escapes_fact),
          {}};
  m.escapes.locals.resize(count);
  m.escapes.results.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const nir::Function& f = m.function(FunctionId(i));
    if (f.kind == nir::FunctionKind::fn && f.source.valid()) m.by_source[f.source] = FunctionId(i);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const nir::Function& f = m.function(FunctionId(i));
    context.looking_at(f.name, f.file.valid() ? context.sources().path(f.file) : std::string_view());
    check(m, FunctionId(i));
  }
}

constexpr const char* required[] = {"declarations@1", "nir@1", nullptr};
constexpr const char* provided[] = {"escapes@1", nullptr};
constexpr const char* codes[] = {"NK2301", "NK2302", "NK2304", "NK2931", "NK2932", "NK2933",
                                 "NK2934", "NK2935", "NK2937", "NK2943", nullptr};
constexpr Pass passes[] = {{"loans", "refuse views that would outlive what they look at", NIKAIA_VERSION,
                            PassKind::analysis, PassStage::nir, false, required, provided, nullptr, codes, nullptr,
                            false, run}};

}  // namespace
}  // namespace nikaia::lang::loans

NIKAIA_PASS_PLUGIN(nikaia::lang::loans::passes)
