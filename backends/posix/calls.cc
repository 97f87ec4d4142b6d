// Operations as plain system calls: one function a kind, in one table.
//
// An open adds O_NONBLOCK, so that a FIFO without a peer holds nobody up, and takes the flag away
// again where the host did not ask for it. A whole-file read is open, fstat and reads until the
// size the system gave is there (or the end, where it gave none), and close.
#include "backends/posix/calls.h"

#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <iterator>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace nikaia::backend {
namespace {

// Not in the headers of older distributions.
constexpr std::uint64_t resolve_cached = 0x20;

// What read(2) and write(2) move at most in one call.
constexpr std::uint64_t transfer_max_bytes = 0x7ffff000;

std::int64_t checked(std::int64_t result) {
  return result < 0 ? -errno : result;
}

std::uint64_t clamp(std::uint64_t length) {
  return length < transfer_max_bytes ? length : transfer_max_bytes;
}

bool waits_for_peer(const Op& op) {
  return (op.flags & (O_PATH | O_DIRECTORY | O_NONBLOCK)) == 0;
}

// Opens without waiting for a peer. `lookup` is 0 or `resolve_cached`.
std::int64_t open_descriptor(const Op& op, std::uint64_t lookup) {
  open_how how{};
  how.flags = open_flags(op);
  // openat2 refuses permissions that open would ignore.
  how.mode = (op.flags & (O_CREAT | __O_TMPFILE)) != 0 ? op.mode & 07777u : 0;
  how.resolve = op.resolve | lookup;
  std::int64_t fd = checked(syscall(SYS_openat2, op.fd, op.path, &how, sizeof how));
  if (fd == -ENOSYS && how.resolve == 0) {
    fd = checked(openat(op.fd, op.path, static_cast<int>(how.flags), how.mode));
  }
  return fd;
}

std::int64_t open_blocking(Op& op) {
  const std::int64_t fd = open_descriptor(op, 0);
  if (fd >= 0) restore_blocking(op, static_cast<int>(fd));
  return fd;
}

std::int64_t close_blocking(Op& op) {
  return checked(close(op.fd));
}

std::int64_t read_blocking(Op& op) {
  const std::uint64_t length = clamp(op.length);
  return checked(op.offset < 0 ? read(op.fd, op.buffer, length) : pread(op.fd, op.buffer, length, op.offset));
}

std::int64_t write_blocking(Op& op) {
  const std::uint64_t length = clamp(op.length);
  return checked(op.offset < 0 ? write(op.fd, op.buffer, length) : pwrite(op.fd, op.buffer, length, op.offset));
}

std::int64_t sync_blocking(Op& op) {
  if ((op.flags & ~NIKAIA_IO_SYNC_DATA) != 0) return -EINVAL;
  return checked(op.flags == 0 ? fsync(op.fd) : fdatasync(op.fd));
}

std::int64_t stat_blocking(Op& op) {
  if (op.length < sizeof(struct statx)) return -EINVAL;
  return checked(statx(op.fd, op.path, static_cast<int>(op.flags), op.mode, static_cast<struct statx*>(op.buffer)));
}

std::int64_t rename_blocking(Op& op) {
  return checked(syscall(SYS_renameat2, op.fd, op.path, op.fd2, op.path2, op.flags));
}

std::int64_t unlink_blocking(Op& op) {
  return checked(unlinkat(op.fd, op.path, static_cast<int>(op.flags)));
}

std::int64_t mkdir_blocking(Op& op) {
  return checked(mkdirat(op.fd, op.path, op.mode));
}

std::int64_t symlink_blocking(Op& op) {
  return checked(symlinkat(op.path2, op.fd, op.path));
}

std::int64_t link_blocking(Op& op) {
  return checked(linkat(op.fd, op.path, op.fd2, op.path2, static_cast<int>(op.flags)));
}

std::int64_t readlink_blocking(Op& op) {
  return checked(readlinkat(op.fd, op.path, static_cast<char*>(op.buffer), clamp(op.length)));
}

std::int64_t readdir_blocking(Op& op) {
  return checked(syscall(SYS_getdents64, op.fd, op.buffer, clamp(op.length)));
}

std::int64_t truncate_blocking(Op& op) {
  return checked(ftruncate(op.fd, op.offset));
}

std::int64_t copy_blocking(Op& op) {
  return checked(copy_file_range(op.fd, nullptr, op.fd2, nullptr, clamp(op.length), 0));
}

std::int64_t nop(Op&) {
  return 0;
}

struct Call {
  std::uint32_t kind;
  std::int64_t (*blocking)(Op&);  // null: not one call (whole files, readiness)
};

constexpr Call calls[] = {
    {NIKAIA_IO_NOP, nop},
    {NIKAIA_IO_OPEN, open_blocking},
    {NIKAIA_IO_CLOSE, close_blocking},
    {NIKAIA_IO_READ, read_blocking},
    {NIKAIA_IO_WRITE, write_blocking},
    {NIKAIA_IO_SYNC, sync_blocking},
    {NIKAIA_IO_STAT, stat_blocking},
    {NIKAIA_IO_READ_WHOLE, nullptr},
    {NIKAIA_IO_READABLE, nullptr},
    {NIKAIA_IO_WRITABLE, nullptr},
    {NIKAIA_IO_RENAME, rename_blocking},
    {NIKAIA_IO_UNLINK, unlink_blocking},
    {NIKAIA_IO_MKDIR, mkdir_blocking},
    {NIKAIA_IO_SYMLINK, symlink_blocking},
    {NIKAIA_IO_LINK, link_blocking},
    {NIKAIA_IO_READLINK, readlink_blocking},
    {NIKAIA_IO_READDIR, readdir_blocking},
    {NIKAIA_IO_TRUNCATE, truncate_blocking},
    {NIKAIA_IO_COPY, copy_blocking},
};

constexpr bool in_order() {
  for (std::uint32_t i = 0; i < std::size(calls); ++i) {
    if (calls[i].kind != i) return false;
  }
  return std::size(calls) == NIKAIA_IO_KIND_END;
}
static_assert(in_order(), "the table has one row for each kind, at the kind's place");

// --- Whole files ---------------------------------------------------------------------------------

bool finish_whole(Op& op, std::int64_t result, Outcome& outcome) {
  close(op.out_fd);
  op.out_fd = -1;
  outcome = {result, 0};
  return true;
}

bool hand_out_whole(Op& op, std::uint32_t flags, Outcome& outcome) {
  restore_blocking(op, op.out_fd);
  outcome = {static_cast<std::int64_t>(slot(op).progress), NIKAIA_IO_MORE | flags};
  return true;
}

Outcome perform_whole(Op& op) {
  Outcome outcome;
  if (op.out_fd < 0) {
    const std::int64_t fd = open_descriptor(op, 0);
    if (fd < 0) return {fd, 0};
    if (begin_whole(op, static_cast<int>(fd), outcome)) return outcome;
  }
  for (;;) {
    const std::uint64_t at = slot(op).progress;
    const std::int64_t count =
        checked(pread(op.out_fd, static_cast<char*>(op.buffer) + at, clamp(op.length - at), static_cast<off_t>(at)));
    if (count == -EINTR) continue;
    if (continue_whole(op, count, outcome)) return outcome;
  }
}

// --- Without waiting -----------------------------------------------------------------------------

std::int64_t read_cached(int fd, void* buffer, std::uint64_t length, std::int64_t offset) {
  iovec piece{buffer, clamp(length)};
  return checked(preadv2(fd, &piece, 1, offset < 0 ? -1 : offset, RWF_NOWAIT));
}

bool would_wait(std::int64_t result) {
  return result == -EAGAIN || result == -EOPNOTSUPP;
}

bool try_open(Op& op, Outcome& outcome) {
  const std::int64_t fd = open_cached(op);
  if (fd == -EAGAIN) return false;
  if (fd >= 0) restore_blocking(op, static_cast<int>(fd));
  outcome = {fd, 0};
  return true;
}

// Closing what was written to may write it back first (network file systems), so only a descriptor
// for reading is closed here.
bool try_close(Op& op, Outcome& outcome) {
  const int flags = fcntl(op.fd, F_GETFL);
  if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY) return false;
  outcome = {close_blocking(op), 0};
  return true;
}

bool try_read(Op& op, Outcome& outcome) {
  const std::int64_t count = read_cached(op.fd, op.buffer, op.length, op.offset);
  if (would_wait(count)) return false;
  outcome = {count, 0};
  return true;
}

bool try_write(Op& op, Outcome& outcome) {
  iovec piece{op.buffer, clamp(op.length)};
  const std::int64_t count = checked(pwritev2(op.fd, &piece, 1, op.offset < 0 ? -1 : op.offset, RWF_NOWAIT));
  if (would_wait(count)) return false;
  outcome = {count, 0};
  return true;
}

// A name that the directory cache has is opened as a place only, and the place is asked.
bool try_stat(Op& op, Outcome& outcome) {
  if ((op.flags & (AT_EMPTY_PATH | AT_STATX_FORCE_SYNC)) != 0) return false;
  if (op.length < sizeof(struct statx)) return false;
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC | ((op.flags & AT_SYMLINK_NOFOLLOW) != 0 ? O_NOFOLLOW : 0);
  how.resolve = resolve_cached;
  const std::int64_t place = checked(syscall(SYS_openat2, op.fd, op.path, &how, sizeof how));
  if (place < 0) return false;
  const int flags = static_cast<int>(op.flags & ~static_cast<std::uint32_t>(AT_SYMLINK_NOFOLLOW));
  outcome = {checked(statx(static_cast<int>(place), "", flags | AT_EMPTY_PATH, op.mode,
                           static_cast<struct statx*>(op.buffer))),
             0};
  close(static_cast<int>(place));
  return true;
}

bool try_whole(Op& op, Outcome& outcome) {
  const std::int64_t fd = open_cached(op);
  if (fd == -EAGAIN) return false;
  if (fd < 0) {
    outcome = {fd, 0};
    return true;
  }
  if (begin_whole(op, static_cast<int>(fd), outcome)) return true;
  for (;;) {
    const std::uint64_t at = slot(op).progress;
    const std::int64_t count =
        read_cached(op.out_fd, static_cast<char*>(op.buffer) + at, op.length - at, static_cast<std::int64_t>(at));
    if (would_wait(count)) return false;
    if (continue_whole(op, count, outcome)) return true;
  }
}

}  // namespace

std::uint32_t open_flags(const Op& op) {
  return waits_for_peer(op) ? op.flags | O_NONBLOCK : op.flags;
}

void restore_blocking(const Op& op, int fd) {
  if (!waits_for_peer(op)) return;
  const int flags = fcntl(fd, F_GETFL);
  if (flags >= 0 && (flags & O_NONBLOCK) != 0) fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
}

std::int64_t open_cached(const Op& op) {
  const std::int64_t fd = open_descriptor(op, resolve_cached);
  // Refusals that say nothing about the file: a kernel that does not know the flag, one without the
  // call.
  return fd == -EINVAL || fd == -ENOSYS ? -EAGAIN : fd;
}

bool begin_whole(Op& op, int fd, Outcome& outcome) {
  op.out_fd = fd;
  op.out_size = 0;
  struct stat about {};
  if (fstat(fd, &about) < 0) return finish_whole(op, -errno, outcome);
  if (S_ISDIR(about.st_mode)) return finish_whole(op, -EISDIR, outcome);
  if (!S_ISREG(about.st_mode)) return hand_out_whole(op, NIKAIA_IO_STREAM, outcome);
  slot(op).progress = 0;
  op.out_size = static_cast<std::uint64_t>(about.st_size);
  if (op.length == 0 || op.out_size > op.length) return hand_out_whole(op, 0, outcome);
  return false;
}

bool continue_whole(Op& op, std::int64_t count, Outcome& outcome) {
  if (count < 0) return finish_whole(op, count, outcome);
  Slot& own = slot(op);
  own.progress += static_cast<std::uint64_t>(count);
  // Files of /proc give no size and short reads; only a read of nothing is their end.
  const bool whole = op.out_size != 0 && own.progress == op.out_size;
  if (count == 0 || whole) {
    return finish_whole(op, static_cast<std::int64_t>(own.progress), outcome);
  }
  if (own.progress == op.length) return hand_out_whole(op, 0, outcome);
  return false;
}

bool try_now(Op& op, Outcome& outcome) {
  switch (op.kind) {
    case NIKAIA_IO_NOP: outcome = {0, 0}; return true;
    case NIKAIA_IO_OPEN: return try_open(op, outcome);
    case NIKAIA_IO_CLOSE: return try_close(op, outcome);
    case NIKAIA_IO_READ: return try_read(op, outcome);
    case NIKAIA_IO_WRITE: return try_write(op, outcome);
    case NIKAIA_IO_STAT: return try_stat(op, outcome);
    case NIKAIA_IO_READ_WHOLE: op.out_fd = -1; return try_whole(op, outcome);
    default: return false;
  }
}

Outcome perform(Op& op) {
  if (op.kind == NIKAIA_IO_READ_WHOLE) return perform_whole(op);
  if (!is_known(op.kind) || calls[op.kind].blocking == nullptr) return {-ENOSYS, 0};
  std::int64_t result = calls[op.kind].blocking(op);
  // A signal that is meant for another thread must not fail an operation; a close is never
  // repeated.
  while (result == -EINTR && op.kind != NIKAIA_IO_CLOSE) result = calls[op.kind].blocking(op);
  if (result == -EINTR) result = 0;
  return {result, 0};
}

void abandon(Op& op) {
  if (op.kind != NIKAIA_IO_READ_WHOLE || op.out_fd < 0) return;
  close(op.out_fd);
  op.out_fd = -1;
}

void discard_result(Op& op, const Outcome& outcome) {
  if (op.kind == NIKAIA_IO_OPEN && outcome.result >= 0) close(static_cast<int>(outcome.result));
  if (op.kind == NIKAIA_IO_READ_WHOLE && (outcome.flags & NIKAIA_IO_MORE) != 0) close(op.out_fd);
}

}  // namespace nikaia::backend
