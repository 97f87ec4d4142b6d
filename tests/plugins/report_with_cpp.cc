// Loads, and states a report that says its results are C++.
#include <nikaia/pass.h>

namespace {

const nikaia::Pass passes[] = {{
    .name = "report-with-cpp",
    .purpose = "says what no report may",
    .version = "1",
    .kind = nikaia::PassKind::emission,
    .stage = nikaia::PassStage::nir,
    .is_optional = true,
    .produces_cpp = true,
    .run = [](nikaia::PassContext&) {},
}};

}  // namespace

NIKAIA_PASS_PLUGIN(passes)
