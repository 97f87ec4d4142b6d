// One file that may hold an I/O backend: whether it is trusted, loaded and understood.
#ifndef NIKAIA_RUNTIME_LOAD_DESCRIPTOR_H
#define NIKAIA_RUNTIME_LOAD_DESCRIPTOR_H

#include <filesystem>
#include <memory>
#include <string>

#include <nikaia/backend.h>

namespace nikaia::load {

// Why nobody but its owner or root must be able to write to `file` and to the folder it is in, and
// who can: empty where that holds. A symbolic link is followed; the folders of the link and of its
// target both count.
[[nodiscard]] std::string distrust(const std::filesystem::path& file);

// Why a descriptor is not one this toolchain understands; empty where it is. Reads magic, ABI
// version and structure size, in this order and nothing before they agree, then looks for functions
// that are missing.
[[nodiscard]] std::string misunderstood(const nikaia_io_backend* descriptor);

struct Loaded {
  const nikaia_io_backend* backend = nullptr;  // null: refused, and `reason` says why
  std::string reason;                          // a clause in lower case, without a full stop
  std::shared_ptr<void> library;               // keeps `backend` valid
};

// Loads the file and finds its descriptor. No function of the backend is called, only initialisers
// of its file run. `trust` leaves `distrust` out. Any thread; blocks on the file system.
[[nodiscard]] Loaded load_file(const std::filesystem::path& file, bool trust);

}  // namespace nikaia::load

#endif
