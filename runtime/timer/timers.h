// Sleeping tasks, ordered by when they wake: a binary heap of deadlines that knows each entry's
// place, so that a cancelled sleep is taken out in logarithmic time. Tasks with the same deadline
// wake in the order in which they went to sleep. The backend sees the nearest deadline and nothing
// else.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/executor/executor.h"

namespace nikaia::rt {

// A wait with a deadline. `place` is kept by the heap.
struct TimerWait : Wait {
  Task* task = nullptr;
  std::int64_t deadline_ns = 0;
  std::uint64_t order = 0;
  std::size_t place = 0;
  bool in_heap = false;
};

[[nodiscard]] std::int64_t now_ns();  // CLOCK_MONOTONIC

void add_timer(TimerWait& timer);
void remove_timer(TimerWait& timer);
[[nodiscard]] bool timers_outstanding();
[[nodiscard]] std::int64_t next_deadline_ns();  // INT64_MAX where nobody sleeps
void fire_timers();                             // makes everybody ready whose time has come

}  // namespace nikaia::rt
