// Signals that ask for an orderly end (language 09 §2.5).
//
// The first SIGINT or SIGTERM sets a flag, makes the runtime look busy so that no call goes around
// its pause point, and wakes the backend. The executor then cancels `main` like any other task. A
// second one ends the process at once. A signal that was ignored when the program started stays
// ignored.
#pragma once

#include <nikaia/rt/io.h>

namespace nikaia::rt {

struct Task;

void catch_signals(Task& main_task);
[[nodiscard]] inline bool signal_waiting() {
  return __atomic_load_n(&activity.parts.signal, __ATOMIC_RELAXED) != 0;
}
// Cancels `main` where a signal asked for it and it was not done yet.
void deliver_signal();
// The signal that asked for the end, or 0.
[[nodiscard]] int ending_signal();

// While one of these lives no thread that is started receives the program's signals.
struct SignalsBlocked {
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  alignas(8) unsigned char before_[128];
};

}  // namespace nikaia::rt
