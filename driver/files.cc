#include "driver/files.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "driver/digest.h"

namespace nikaia::driver {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view temporary_prefix = ".tmp-";

tl::unexpected<Trouble> cannot(const char* doing, const fs::path& file, int error) {
  Trouble trouble = refused(std::string("I can't ") + doing + " `" + shown(file) + "`: " + std::strerror(error) + ".");
  if (error == ENOSPC || error == EDQUOT) {
    trouble.help("Free some space on that disk and build again; what is there already is kept.");
  } else if (error == EACCES || error == EPERM || error == EROFS) {
    trouble.help("Make the folder writable for you, or set `NIKAIA_TARGET_DIR` to one that is.");
  } else {
    trouble.help("Look at the folder `" + shown(file.parent_path()) + "`, then build again.");
  }
  return fail(std::move(trouble));
}

int write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t wrote = ::write(descriptor, content.data(), content.size());
    if (wrote < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    content.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return 0;
}

}  // namespace

std::optional<std::string> read_file(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  struct stat status {};
  std::string content;
  int error = ::fstat(descriptor, &status) != 0 ? errno : 0;
  if (error == 0 && S_ISDIR(status.st_mode)) error = EISDIR;
  if (error == 0) content.resize(static_cast<std::size_t>(status.st_size));
  std::size_t filled = 0;
  while (error == 0) {
    // A pipe or a file that grows has more than `fstat` said.
    if (filled == content.size()) content.resize(content.size() + 4096);
    const ssize_t got = ::read(descriptor, content.data() + filled, content.size() - filled);
    if (got < 0) {
      if (errno != EINTR) error = errno;
      continue;
    }
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  ::close(descriptor);
  if (error != 0) {
    errno = error;
    return std::nullopt;
  }
  content.resize(filled);
  return content;
}

fs::path temporary_beside(const fs::path& target) {
  static std::atomic<unsigned> counter{0};
  return target.parent_path() / (std::string(temporary_prefix) + std::to_string(::getpid()) + "-" +
                                 std::to_string(counter++) + "-" + target.filename().string());
}

Done publish(const fs::path& temporary, const fs::path& target) {
  if (::rename(temporary.c_str(), target.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return cannot("write", target, error);
  }
  return {};
}

Done make_folders(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error && !fs::is_directory(folder)) return cannot("create", folder, error.value());
  return {};
}

Done write_file(const fs::path& target, std::string_view content) {
  const fs::path temporary = temporary_beside(target);
  int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno == ENOENT) {
    if (Done made = make_folders(target.parent_path()); !made) return made;
    descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  if (descriptor < 0) return cannot("write", target, errno);
  int error = write_all(descriptor, content);
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    return cannot("write", target, error);
  }
  return publish(temporary, target);
}

Done write_file_if_changed(const fs::path& target, std::string_view content) {
  if (const auto old = read_file(target); old && *old == content) return {};
  return write_file(target, content);
}

Done publish_sealed(const fs::path& temporary, const fs::path& target) {
  const std::optional<std::string> content = read_file(temporary);
  if (!content) return cannot("read", temporary, errno);
  // The seal comes first: an entry without its file is no entry, and one with another's seal
  // neither.
  if (Done sealed = write_file(target.string() + ".sum", fast_digest(*content)); !sealed) {
    ::unlink(temporary.c_str());
    return sealed;
  }
  return publish(temporary, target);
}

bool is_sealed(const fs::path& file) {
  const std::optional<std::string> sum = read_file(file.string() + ".sum");
  if (!sum) return false;
  const std::optional<std::string> content = read_file(file);
  return content && fast_digest(*content) == *sum;
}

std::string identity_of(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {};
  return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) + ":" + std::to_string(status.st_size) +
         ":" + std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
}

void remove_left_behind(const fs::path& folder) {
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (!it->path().filename().string().starts_with(temporary_prefix)) continue;
    std::error_code ignored;
    const auto written = fs::last_write_time(it->path(), ignored);
    if (!ignored && now - written > std::chrono::hours(1)) fs::remove_all(it->path(), ignored);
  }
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Expected<FileLock> FileLock::take(const fs::path& file) {
  if (Done made = make_folders(file.parent_path()); !made) return fail(std::move(made.error()));
  FileLock lock;
  lock.descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock.descriptor_ < 0) return cannot("lock", file, errno);
  while (::flock(lock.descriptor_, LOCK_EX) != 0) {
    if (errno != EINTR) return cannot("lock", file, errno);
  }
  return lock;
}

std::string shown(const fs::path& path) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error || path.is_relative()) return path.lexically_normal().string();
  const fs::path relative = path.lexically_normal().lexically_relative(here);
  if (relative.empty() || *relative.begin() == "..") return path.lexically_normal().string();
  return relative.string();
}

}  // namespace nikaia::driver
