// The slow half of a lock: waiting for another thread's door, and stopping at a poisoned one.
#include <sched.h>

#include <nikaia/rt/shared.h>

namespace nikaia {

void wait_for_lock(LockState& state, At at) {
  for (int turn = 0;; ++turn) {
    LockState seen_state = lock_closed;
    if (__atomic_compare_exchange_n(&state, &seen_state, lock_open, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      return;
    }
    if (seen_state == lock_poisoned) {
      stop_lock(seen_state, at);
    }
    if (turn >= 64) {
      ::sched_yield();
    }
  }
}

void stop_lock(LockState state, At at) {
  stop(at, state == lock_poisoned ? "this lock was left half-changed by a task that stopped"_s
                                  : "this lock is opened inside itself"_s);
}

}  // namespace nikaia
