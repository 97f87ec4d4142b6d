// Two passes that each require what the other provides.
#include <nikaia/pass.h>

namespace {

constexpr const char* chicken[] = {"chicken@1", nullptr};
constexpr const char* egg[] = {"egg@1", nullptr};

const nikaia::Pass passes[] = {
    {
        .name = "hen",
        .purpose = "needs an egg",
        .version = "1",
        .kind = nikaia::PassKind::analysis,
        .stage = nikaia::PassStage::tree,
        .is_optional = true,
        .requires_facts = egg,
        .provides_facts = chicken,
        .run = [](nikaia::PassContext&) {},
    },
    {
        .name = "nest",
        .purpose = "needs a hen",
        .version = "1",
        .kind = nikaia::PassKind::analysis,
        .stage = nikaia::PassStage::tree,
        .is_optional = true,
        .requires_facts = chicken,
        .provides_facts = egg,
        .run = [](nikaia::PassContext&) {},
    },
};

}  // namespace

NIKAIA_PASS_PLUGIN(passes)
