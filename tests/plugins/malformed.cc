// Loads, and states something that is no pass: it changes a fact it doesn't require.
#include <nikaia/pass.h>

namespace {

constexpr const char* counts_name[] = {"counts@1", nullptr};

const nikaia::Pass passes[] = {{
    .name = "malformed",
    .purpose = "changes what it doesn't require",
    .version = "1",
    .kind = nikaia::PassKind::transform,
    .stage = nikaia::PassStage::tree,
    .is_optional = true,
    .changes_facts = counts_name,
    .run = [](nikaia::PassContext&) {},
}};

}  // namespace

NIKAIA_PASS_PLUGIN(passes)
