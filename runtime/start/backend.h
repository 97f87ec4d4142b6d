// Which backend serves this process: the pinned one, or at `auto` the first of uring and blocking
// that can (language 09 §4).
#pragma once

#include <memory>
#include <string>
#include <variant>

#include <nikaia/backend.h>

#include "runtime/start/config.h"

namespace nikaia::rt {

struct OpenedBackend {
  const nikaia_io_backend* backend = nullptr;
  nikaia_io_instance* instance = nullptr;
  std::string method;             // as the report line says it: `uring`, `auto (chose blocking: uring: REASON)`
  std::shared_ptr<void> library;  // keeps it loaded; null for the one that is linked in
};

// Finds, probes and opens it; threads and rings are up afterwards. The threads it starts receive no
// signals. `toolchain_backends` is a folder, or empty.
[[nodiscard]] std::variant<OpenedBackend, StartMessage> open_backend(const Configuration& configuration,
                                                                     const char* toolchain_backends);

}  // namespace nikaia::rt
