// Readiness, and standard input on top of it.
//
// A pipe, a terminal and a socket answer honestly whether a read would block, so the task asks
// first, at once and without the backend, and registers its interest only where there is nothing
// yet. The transfer is the task's own.
#include <cerrno>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nikaia/rt/io.h>

#include "runtime/executor/executor.h"
#include "runtime/io/operations.h"

namespace nikaia::rt {
namespace {

int wait_ready(int fd, short events, std::uint32_t kind) {
  pause_point();
  pollfd asked{fd, events, 0};
  const int count = ::poll(&asked, 1, 0);
  if (count > 0) return (asked.revents & POLLNVAL) != 0 ? -EBADF : 0;
  nikaia_io_op op{};
  op.kind = kind;
  op.fd = fd;
  const std::int64_t result = perform_overlapped(op);
  return result < 0 ? static_cast<int>(result) : 0;
}

enum class InputKind { unknown, file, stream };
InputKind input_kind = InputKind::unknown;

}  // namespace

int wait_readable(int fd) {
  return wait_ready(fd, POLLIN, NIKAIA_IO_READABLE);
}
int wait_writable(int fd) {
  return wait_ready(fd, POLLOUT, NIKAIA_IO_WRITABLE);
}

std::int64_t read_stdin(void* into, std::size_t bytes) {
  if (input_kind == InputKind::unknown) {
    struct stat status;
    if (::fstat(STDIN_FILENO, &status) != 0) return -errno;
    input_kind = S_ISREG(status.st_mode) ? InputKind::file : InputKind::stream;
  }
  if (input_kind == InputKind::file) {
    nikaia_io_op op{};
    op.kind = NIKAIA_IO_READ;
    op.fd = STDIN_FILENO;
    op.buffer = into;
    op.length = bytes;
    op.offset = -1;
    return perform(op);
  }
  for (;;) {
    if (const int ready = wait_readable(STDIN_FILENO); ready < 0) return ready;
    const ssize_t count = ::read(STDIN_FILENO, into, bytes);
    if (count >= 0) return count;
    if (errno != EINTR && errno != EAGAIN) return -errno;
  }
}

}  // namespace nikaia::rt
