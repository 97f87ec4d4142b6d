// Files as the driver needs them: read whole, written whole or not at all, locked across processes.
//
// Everything the driver writes appears under its name by one rename, so that a build that is killed
// or meets a full disk leaves either the old file or the new one, and two builds at once each read
// whole files. Temporary names start with ".tmp-"; a later build removes those left behind.
#ifndef NIKAIA_DRIVER_FILES_H
#define NIKAIA_DRIVER_FILES_H

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "driver/trouble.h"

namespace nikaia::driver {

// The whole file, or nothing with `errno` set.
std::optional<std::string> read_file(const std::filesystem::path& file);

// A name beside `target` that no other process uses, for a file that is renamed over it later.
std::filesystem::path temporary_beside(const std::filesystem::path& target);

// Renames a finished temporary file over `target`.
Done publish(const std::filesystem::path& temporary, const std::filesystem::path& target);

// Writes `content` under a temporary name and renames it over `target`; makes the folders above.
Done write_file(const std::filesystem::path& target, std::string_view content);

// As `write_file`, but leaves a file that already has this content alone (and its time with it).
Done write_file_if_changed(const std::filesystem::path& target, std::string_view content);

Done make_folders(const std::filesystem::path& folder);

// Store entries carry the digest of their content in `FILE.sum`, so that one that was damaged since
// is as good as absent. `publish_sealed` renames a finished temporary file over `target` and seals
// it; `is_sealed` reads the whole file.
Done publish_sealed(const std::filesystem::path& temporary, const std::filesystem::path& target);
bool is_sealed(const std::filesystem::path& file);

// What identifies an installed file without reading it: device, inode, size and time of change.
// Empty where the file is not there.
std::string identity_of(const std::filesystem::path& file);

// Removes temporary files and folders in `folder` that nobody has written to for an hour.
void remove_left_behind(const std::filesystem::path& folder);

// An exclusive lock on a file, held until destruction; the kernel frees it when a process dies.
class FileLock {
 public:
  FileLock() = default;
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  // Waits until the lock is free. The lock file stays behind, empty.
  static Expected<FileLock> take(const std::filesystem::path& file);

 private:
  int descriptor_ = -1;
};

// `path` relative to the working directory where it lies below it, absolutely otherwise (08 §2.2).
std::string shown(const std::filesystem::path& path);

}  // namespace nikaia::driver

#endif
