// Where the toolchain's own files and this user's cache lie.
//
// The layout is that of an installation, and the build tree has the same: bin/nikaia,
// lib/libnikaia.so, lib/libnikaia-rt.a, lib/nikaia/passes, lib/nikaia/backends, lib/nikaia/std,
// include. It is found from the executable itself, or is what `NIKAIA_SYSROOT` names.
#ifndef NIKAIA_DRIVER_INSTALLATION_H
#define NIKAIA_DRIVER_INSTALLATION_H

#include <filesystem>
#include <string>
#include <vector>

#include "driver/trouble.h"

namespace nikaia::driver {

struct Installation {
  std::filesystem::path root;

  [[nodiscard]] std::filesystem::path passes() const { return root / "lib/nikaia/passes"; }
  [[nodiscard]] std::filesystem::path backends() const { return root / "lib/nikaia/backends"; }
  [[nodiscard]] std::filesystem::path include() const { return root / "include"; }
  [[nodiscard]] std::filesystem::path library_ledger() const { return root / "lib/nikaia/std/std.contracts"; }
  [[nodiscard]] std::filesystem::path runtime_library(bool sanitize) const {
    return root / "lib" / (sanitize ? "libnikaia-rt-sanitize.a" : "libnikaia-rt.a");
  }
};

// The installation of this executable, or the one `NIKAIA_SYSROOT` names.
Expected<Installation> find_installation();

// The user's cache folder, made if need be: `NIKAIA_CACHE_DIR`, else `$XDG_CACHE_HOME/nikaia`, else
// `~/.cache/nikaia`.
Expected<std::filesystem::path> find_cache();

// The folders of a variable such as `NIKAIA_PASS_PATH`: separated by colons, empty entries ignored.
std::vector<std::filesystem::path> folders_of(const char* variable);

// The digest of everything below `folder` by name, size and time, and of nothing's content. Follows
// links. Costs one `stat` a file.
std::string folder_identity(const std::filesystem::path& folder);

}  // namespace nikaia::driver

#endif
