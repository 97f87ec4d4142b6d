// Requires a fact that nobody provides.
#include <nikaia/pass.h>

namespace {

constexpr const char* needed[] = {"weather@1", nullptr};

const nikaia::Pass passes[] = {{
    .name = "forecast",
    .purpose = "needs what is not there",
    .version = "1",
    .kind = nikaia::PassKind::analysis,
    .stage = nikaia::PassStage::tree,
    .is_optional = true,
    .requires_facts = needed,
    .run = [](nikaia::PassContext&) {},
}};

}  // namespace

NIKAIA_PASS_PLUGIN(passes)
