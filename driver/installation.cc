#include "driver/installation.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "driver/digest.h"
#include "driver/files.h"

namespace nikaia::driver {
namespace fs = std::filesystem;

Expected<Installation> find_installation() {
  std::error_code error;
  if (const char* named = std::getenv("NIKAIA_SYSROOT"); named != nullptr && *named != '\0') {
    if (!fs::is_directory(fs::path(named) / "lib/nikaia/passes", error)) {
      return fail(
          unusable("`NIKAIA_SYSROOT` names `" + std::string(named) + "`, which holds no installation of Nikaia.")
              .help("Name the folder that has `bin/nikaia` and `lib/nikaia/passes` in it, "
                    "or unset `NIKAIA_SYSROOT` to use the one this command came with."));
    }
    return Installation{fs::absolute(named, error).lexically_normal()};
  }
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path root = self.parent_path().parent_path();
  if (error || !fs::is_directory(root / "lib/nikaia/passes", error)) {
    return fail(unusable("The files that belong to this `nikaia` are not beside it.")
                    .note("I looked for `" + (root / "lib/nikaia/passes").string() + "`.")
                    .help("Install Nikaia again, or set `NIKAIA_SYSROOT` to the folder that has "
                          "`lib/nikaia/passes` in it."));
  }
  return Installation{root};
}

Expected<fs::path> find_cache() {
  fs::path folder;
  const char* origin = "NIKAIA_CACHE_DIR";
  if (const char* named = std::getenv("NIKAIA_CACHE_DIR"); named != nullptr && *named != '\0') {
    folder = named;
  } else if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg == '/') {
    folder = fs::path(xdg) / "nikaia";
    origin = "XDG_CACHE_HOME";
  } else if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    folder = fs::path(home) / ".cache/nikaia";
    origin = "HOME";
  } else {
    return fail(unusable("I don't know where to keep my cache: `HOME` is not set.")
                    .help("Set `NIKAIA_CACHE_DIR` to a folder I may write to."));
  }
  std::error_code error;
  folder = fs::absolute(folder, error).lexically_normal();
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder) || ::access(folder.c_str(), W_OK | X_OK) != 0) {
    const std::string why = error ? error.message() : std::strerror(errno);
    return fail(unusable("I can't use the cache folder `" + folder.string() + "`: " + why + ".")
                    .note(std::string("It comes from `") + origin + "`.")
                    .help("Set `NIKAIA_CACHE_DIR` to a folder I may write to."));
  }
  return folder;
}

std::vector<fs::path> folders_of(const char* variable) {
  std::vector<fs::path> folders;
  const char* value = std::getenv(variable);
  if (value == nullptr) return folders;
  std::string_view rest = value;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) folders.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return folders;
}

std::string folder_identity(const fs::path& folder) {
  std::vector<std::string> entries;
  std::error_code error;
  const auto follow = fs::directory_options::follow_directory_symlink;
  for (fs::recursive_directory_iterator it(folder, follow, error), end; !error && it != end; it.increment(error)) {
    if (it->is_directory(error)) continue;
    entries.push_back(it->path().string() + "=" + identity_of(it->path()));
  }
  std::sort(entries.begin(), entries.end());
  Key key;
  for (const std::string& entry : entries) key.add(entry);
  return key.digest();
}

}  // namespace nikaia::driver
