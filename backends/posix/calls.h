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
[[nodiscard]] bool is_readiness(std::uint32_t kind);

// Whether this version knows the kind.
[[nodiscard]] bool is_known(std::uint32_t kind);

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

// The steps of a whole-file read, for a backend that reads by another mechanism. `begin_whole`
// looks at the open descriptor `fd`, which the operation owns from then on. Both return true with
// `outcome` set where the operation is over, with the descriptor closed or handed out as
// NIKAIA_IO_READ_WHOLE says, and false where the next read goes to `buffer + progress`.
[[nodiscard]] bool begin_whole(Op& op, int fd, Outcome& outcome);
// `count` is what a read returned, or a negative errno.
[[nodiscard]] bool continue_whole(Op& op, std::int64_t count, Outcome& outcome);

}  // namespace nikaia::backend

#endif
