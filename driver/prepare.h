// What `check`, `build`, `run` and `lower` begin with: the project, its options, and the notes that
// follow from its manifests.
#ifndef NIKAIA_DRIVER_PREPARE_H
#define NIKAIA_DRIVER_PREPARE_H

#include <optional>

#include "driver/pipeline.h"
#include "driver/project.h"
#include "driver/session.h"
#include "lang/compilation.h"

namespace nikaia::driver {

struct Prepared {
  Project project;
  lang::BuildOptions options;
};

// Fills `prepared`. Where that fails, what is wrong was said, and the exit status is the result.
std::optional<int> prepare(Session& session, Prepared& prepared);

// The pass switches of the command line, with the plugins of a manifest where there is one.
PipelineRequest pipeline_request(const CommandLine& command, const Manifest* manifest);

}  // namespace nikaia::driver

#endif
