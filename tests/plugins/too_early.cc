// A pass on the tree that requires what is made on NIR; it brings the provider along.
#include <nikaia/pass.h>

namespace {

constexpr const char* depth[] = {"depth@1", nullptr};

const nikaia::Pass passes[] = {
    {
        .name = "impatient",
        .purpose = "wants NIR's facts on the tree",
        .version = "1",
        .kind = nikaia::PassKind::analysis,
        .stage = nikaia::PassStage::tree,
        .is_optional = true,
        .requires_facts = depth,
        .run = [](nikaia::PassContext&) {},
    },
    {
        .name = "sounding",
        .purpose = "provides depth on NIR",
        .version = "1",
        .kind = nikaia::PassKind::analysis,
        .stage = nikaia::PassStage::nir,
        .is_optional = true,
        .provides_facts = depth,
        .run = [](nikaia::PassContext&) {},
    },
};

}  // namespace

NIKAIA_PASS_PLUGIN(passes)
