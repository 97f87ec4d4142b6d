// Operations as plain system calls.
//
// `try_now` does what can be done without waiting for a disk or a peer: it looks names up in the
// directory cache only (RESOLVE_CACHED) and reads what is in the page cache only (RWF_NOWAIT). What
// it does not finish, `perform` does by ordinary calls that may block, on a thread that may.
#ifndef NIKAIA_BACKENDS_POSIX_CALLS_H
#define NIKAIA_BACKENDS_POSIX_CALLS_H

#include "backends/posix/slot.h"

namespace nikaia::backend {

// Whether the kind is a registration for readiness, which neither function below takes.
[[nodiscard]] constexpr bool is_readiness(std::uint32_t kind) {
  return kind == NIKAIA_IO_READABLE || kind == NIKAIA_IO_WRITABLE;
}

// Whether this version knows the kind.
[[nodiscard]] constexpr bool is_known(std::uint32_t kind) {
  return kind < NIKAIA_IO_KIND_END;
}

// Returns true with `outcome` set where the operation is over. False: it would have to wait; what
// was begun (a whole-file read) is kept in the operation and `perform` goes on from there. Needs an
// occupied slot. Any thread, never blocks.
[[nodiscard]] bool try_now(Op& op, Outcome& outcome);

// Carries the operation out. Any thread; blocks as the system calls do.
[[nodiscard]] Outcome perform(Op& op);

// Gives up a whole-file read that `try_now` began: closes what it opened.
void abandon(Op& op);

// Closes the descriptor that a finished operation opened and that nobody will collect.
void discard_result(Op& op, const Outcome& outcome);

// --- Pieces, for a backend that reads and opens by another mechanism

// What an open passes to the kernel: the host's flags, with O_NONBLOCK where that keeps it from
// waiting for a peer. `restore_blocking` takes it away again on the descriptor.
[[nodiscard]] std::uint32_t open_flags(const Op& op);
void restore_blocking(const Op& op, int fd);

// Opens where the directory cache knows every name: the descriptor, a negative errno, or -EAGAIN
// where it would have to wait.
[[nodiscard]] std::int64_t open_cached(const Op& op);

// The steps of a whole-file read. `begin_whole` looks at the open descriptor `fd`, which the
// operation owns from then on; `progress` is what was taken from it already, in case it is a
// stream. Both return true with `outcome` set where the operation is over, with the descriptor
// closed or handed out as NIKAIA_IO_READ_WHOLE says, and false where the next read goes to `buffer
// + progress`.
[[nodiscard]] bool begin_whole(Op& op, int fd, Outcome& outcome);
// `count` is what a read returned, or a negative errno.
[[nodiscard]] bool continue_whole(Op& op, std::int64_t count, Outcome& outcome);

}  // namespace nikaia::backend

#endif
