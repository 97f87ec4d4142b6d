// Standard output and standard error of emitted programs. See runtime.h for what is promised.
#include "runtime/start/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <unistd.h>

namespace nikaia::rt {
namespace {

constexpr std::size_t held_back_bytes = std::size_t{64} * 1024;
char held_back[held_back_bytes];
std::size_t held_back_count = 0;
bool to_terminal = false;

constexpr int status_closed_output = 141;

// The reader has gone: the end is quiet (language 09 §9.3). Anything else an operator has to hear
// of.
[[noreturn]] void end_unwritable(int error) {
  if (error == EPIPE) ::_exit(status_closed_output);
  char line[256];
  const int length =
      std::snprintf(line, sizeof(line), "error: Standard output can't be written: %s.\n", std::strerror(error));
  write_fully(STDERR_FILENO, line, static_cast<std::size_t>(length));
  ::_exit(1);
}

void write_out(const char* bytes, std::size_t count) {
  if (!write_fully(STDOUT_FILENO, bytes, count)) end_unwritable(errno);
}

}  // namespace

void start_output() {
  to_terminal = ::isatty(STDOUT_FILENO) == 1;
}

bool write_fully(int fd, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(fd, bytes, count);
    if (written > 0) {
      bytes += written;
      count -= static_cast<std::size_t>(written);
    } else if (written < 0 && errno == EAGAIN) {
      // Somebody made the descriptor non-blocking; printing does not pause.
      pollfd ready{fd, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (written < 0 && errno != EINTR) {
      return false;
    }
  }
  return true;
}

void out_write(const char* bytes, std::size_t count) {
  if (count > held_back_bytes - held_back_count) {
    out_flush();
    if (count >= held_back_bytes) {
      write_out(bytes, count);
      return;
    }
  }
  std::memcpy(held_back + held_back_count, bytes, count);
  held_back_count += count;
  if (to_terminal) out_flush();
}

void out_flush() {
  if (held_back_count == 0) return;
  const std::size_t count = held_back_count;
  held_back_count = 0;  // first, so that an end on the way does not write it again
  write_out(held_back, count);
}

void out_flush_at_stop() {
  const std::size_t count = held_back_count;
  held_back_count = 0;
  write_fully(STDOUT_FILENO, held_back, count);
}

void err_write(const char* bytes, std::size_t count) {
  write_fully(STDERR_FILENO, bytes, count);
}

}  // namespace nikaia::rt
