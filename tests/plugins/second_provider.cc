// Provides a fact that the plugin `counts` provides too.
#include <nikaia/pass.h>

namespace {

constexpr const char* counts_name[] = {"counts@1", nullptr};

const nikaia::Pass passes[] = {{
    .name = "other-counts",
    .purpose = "counts as well",
    .version = "1",
    .kind = nikaia::PassKind::analysis,
    .stage = nikaia::PassStage::tree,
    .is_optional = true,
    .provides_facts = counts_name,
    .run = [](nikaia::PassContext&) {},
}};

}  // namespace

NIKAIA_PASS_PLUGIN(passes)
