// Has a pass with a name that the plugin `counts` has taken.
#include <nikaia/pass.h>

namespace {

const nikaia::Pass passes[] = {{
    .name = "counts",
    .purpose = "has a name that is taken",
    .version = "1",
    .kind = nikaia::PassKind::analysis,
    .stage = nikaia::PassStage::tree,
    .is_optional = true,
    .run = [](nikaia::PassContext&) {},
}};

}  // namespace

NIKAIA_PASS_PLUGIN(passes)
