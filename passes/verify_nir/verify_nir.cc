// The passes `verify-nir` and `verify-mono`: whether NIR is what its analyses and emission rely on.
//
// They decide nothing about a program: what they find is a defect of the pass that wrote the NIR, reported as
// such with the function and the instruction. At most `most_reported` a run, since one defect often shows in many
// places. Both are optional; they cost about a tenth of what lowering does. The rules are in lang/nir/verify.h.
#include <nikaia/pass.h>

#include "lang/compilation.h"
#include "lang/facts/names.h"
#include "lang/nir/verify.h"

namespace nikaia::lang::verify_nir {
namespace {

constexpr std::size_t most_reported = 5;

void verify_module(PassContext& context, const nir::Module& module) {
  const nir::TextWorld world{context.types(), context.require(declarations_fact), context.names()};
  const auto violations = nir::verify(world, module);
  for (std::size_t i = 0; i < violations.size() && i < most_reported; ++i) {
    const nir::Violation& v = violations[i];
    const nir::Function& f = module.functions[v.function];
    const Span place = v.instr.valid() && f.instrs[v.instr].span.has_text() ? f.instrs[v.instr].span : f.span;
    context.sink().internal_error(place, nir::describe(world, module, v));
  }
}

void verify_generic(PassContext& context) {
  verify_module(context, context.require(nir_fact));
}
void verify_mono(PassContext& context) {
  verify_module(context, context.require(mono_fact));
}

constexpr const char* nir_required[] = {"declarations@1", "nir@1", nullptr};
constexpr const char* mono_required[] = {"declarations@1", "mono@1", nullptr};
constexpr Pass passes[] = {
    {"verify-nir", "check that lowering wrote sound NIR", NIKAIA_VERSION, PassKind::analysis, PassStage::nir, true,
     nir_required, nullptr, nullptr, nullptr, nullptr, false, verify_generic},
    {"verify-mono", "check that instantiating wrote sound NIR", NIKAIA_VERSION, PassKind::analysis, PassStage::nir,
     true, mono_required, nullptr, nullptr, nullptr, nullptr, false, verify_mono}};

}  // namespace
}  // namespace nikaia::lang::verify_nir

NIKAIA_PASS_PLUGIN(nikaia::lang::verify_nir::passes)
