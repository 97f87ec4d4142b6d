// Threads that carry out operations which may block, shared by all instances of a process: there
// are as many as `io-workers` says, however many instances there are.
//
// One queue, one lock. Operations are handed over as a list and cost one wake-up at most for each
// worker that is asleep and needed; a result goes to the mailbox its operation names.
#ifndef NIKAIA_BACKENDS_POSIX_WORKERS_H
#define NIKAIA_BACKENDS_POSIX_WORKERS_H

#include <cstdint>

#include "backends/posix/mailbox.h"

namespace nikaia::backend::workers {

// One user more. Starts threads up to `count`; those that run stay. 0 or a negative errno, and then
// there is no user more.
[[nodiscard]] int acquire(std::uint32_t count);
// One user less; the last one ends the threads and waits for them.
void release();

// Takes over all of `jobs` (occupied, `owner` set) and leaves it empty. One job at least.
void hand_over(OpList& jobs);

// True where `op` had not been begun: it is the caller's again and will not be delivered.
[[nodiscard]] bool take_back(Op& op);

// Waits until no worker touches anything of `owner`, dropping the jobs that have not begun. What
// was delivered is in the mailbox afterwards.
void withdraw(Mailbox& owner);

}  // namespace nikaia::backend::workers

#endif
