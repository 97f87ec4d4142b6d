// Needs a function that no library it is loaded with has.
#include <nikaia/pass.h>

extern "C" void nikaia_test_function_that_nobody_defines();

namespace {

const nikaia::Pass passes[] = {{
    .name = "unresolved",
    .purpose = "cannot be loaded",
    .version = "1",
    .kind = nikaia::PassKind::analysis,
    .stage = nikaia::PassStage::tree,
    .is_optional = true,
    .run = [](nikaia::PassContext&) { nikaia_test_function_that_nobody_defines(); },
}};

}  // namespace

NIKAIA_PASS_PLUGIN(passes)
