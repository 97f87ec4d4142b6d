// The operations of files and paths as plain system calls of the calling thread: the idle rule's
// half (language 09 §7). Answers are those backend.h states for each kind, so that a caller cannot
// tell the halves apart.
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/io/operations.h"

namespace nikaia::rt {
namespace {

template <class Call>
std::int64_t retried(Call call) {
  for (;;) {
    const auto result = static_cast<std::int64_t>(call());
    if (result >= 0) return result;
    if (errno != EINTR) return -errno;
  }
}

// A file system that was renamed in while RESOLVE_BENEATH looked at it answers EAGAIN.
constexpr int renames_borne = 100;

std::int64_t open_below(const char* path, Lookup lookup, int flags, std::uint32_t mode) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags);
  how.mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? mode : 0;
  how.resolve = lookup.resolve;
  for (int attempt = 0;; ++attempt) {
    const long result = ::syscall(SYS_openat2, lookup.folder, path, &how, sizeof(how));
    if (result >= 0) return result;
    if (errno != EINTR && !(errno == EAGAIN && attempt < renames_borne)) return -errno;
  }
}

}  // namespace

std::int64_t open_idle(const char* path, Lookup lookup, std::uint32_t asked, std::uint32_t mode) {
  // An open never waits for another process; a regular file does not know the flag, and openat2
  // refuses it beside O_PATH.
  const auto flags = static_cast<int>((asked & O_PATH) != 0 ? asked : asked | O_NONBLOCK);
  if (lookup.resolve != 0) return open_below(path, lookup, flags, mode);
  return retried([&] { return ::openat(lookup.folder, path, flags, static_cast<mode_t>(mode)); });
}

std::int64_t perform_idle(nikaia_io_op& op) {
  const auto bytes = static_cast<std::size_t>(op.length);
  switch (op.kind) {
    case NIKAIA_IO_NOP: return 0;
    case NIKAIA_IO_OPEN: return open_idle(op.path, {op.fd, op.resolve}, op.flags, op.mode);
    case NIKAIA_IO_CLOSE: return ::close(op.fd) == 0 || errno == EINTR ? 0 : -errno;
    case NIKAIA_IO_READ:
      return retried([&] {
        return op.offset < 0 ? ::read(op.fd, op.buffer, bytes) : ::pread(op.fd, op.buffer, bytes, op.offset);
      });
    case NIKAIA_IO_WRITE:
      return retried([&] {
        return op.offset < 0 ? ::write(op.fd, op.buffer, bytes) : ::pwrite(op.fd, op.buffer, bytes, op.offset);
      });
    case NIKAIA_IO_SYNC:
      return retried([&] { return (op.flags & NIKAIA_IO_SYNC_DATA) != 0 ? ::fdatasync(op.fd) : ::fsync(op.fd); });
    case NIKAIA_IO_STAT:
      return retried([&] {
        return ::statx(op.fd, op.path, static_cast<int>(op.flags), op.mode, static_cast<struct statx*>(op.buffer));
      });
    case NIKAIA_IO_RENAME: return retried([&] { return ::renameat2(op.fd, op.path, op.fd2, op.path2, op.flags); });
    case NIKAIA_IO_UNLINK: return retried([&] { return ::unlinkat(op.fd, op.path, static_cast<int>(op.flags)); });
    case NIKAIA_IO_MKDIR: return retried([&] { return ::mkdirat(op.fd, op.path, static_cast<mode_t>(op.mode)); });
    case NIKAIA_IO_SYMLINK: return retried([&] { return ::symlinkat(op.path2, op.fd, op.path); });
    case NIKAIA_IO_LINK:
      return retried([&] { return ::linkat(op.fd, op.path, op.fd2, op.path2, static_cast<int>(op.flags)); });
    case NIKAIA_IO_READLINK:
      return retried([&] { return ::readlinkat(op.fd, op.path, static_cast<char*>(op.buffer), bytes); });
    case NIKAIA_IO_READDIR: return retried([&] { return ::syscall(SYS_getdents64, op.fd, op.buffer, bytes); });
    case NIKAIA_IO_TRUNCATE: return retried([&] { return ::ftruncate(op.fd, op.offset); });
    case NIKAIA_IO_COPY: return retried([&] { return ::copy_file_range(op.fd, nullptr, op.fd2, nullptr, bytes, 0); });
    default: return -ENOSYS;
  }
}

}  // namespace nikaia::rt
