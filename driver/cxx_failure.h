// What a failed step of the C++ toolchain means (08 §4): our defect, or something outside the code.
//
// Of the toolchain's own words only the position of its first error is used, and whether it could
// work at all. The complete output, the command line and the emitted function go into a log.
#ifndef NIKAIA_DRIVER_CXX_FAILURE_H
#define NIKAIA_DRIVER_CXX_FAILURE_H

#include <filesystem>
#include <string_view>
#include <vector>

#include "driver/cxx_build.h"
#include "driver/process.h"

namespace nikaia::driver {

enum class CxxStep { precompile, compile, link };

CxxFailure classify_cxx_failure(const CxxRequest& request, const std::vector<EmittedFile>& emitted,
                                const std::filesystem::path& emitted_folder, const Words& words, const Outcome& outcome,
                                CxxStep step);

}  // namespace nikaia::driver

#endif
