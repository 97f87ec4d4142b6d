// The executor: which task runs next on this thread, and when the backend is asked.
//
// Tasks that are ready stand in one FIFO queue. A task that pauses or ends switches straight to the
// next one; there is no scheduler in between. Only when nobody is ready, or after
// `turns_between_polls` tasks while something is outstanding, does the thread go to the *loop*, which
// fires timers, hands what was collected in the meantime to the backend in one call, and waits. So
// operations begun in one turn travel together. The loop has a fiber of its own, so that a backend
// never runs on a task's small stack; where `main` waits it runs on the process's.
//
// `main` runs on the process's stack and is otherwise a task like any other.
#pragma once

#include <cstdint>

#include <nikaia/rt/task.h>

#include "runtime/fiber/fiber.h"

namespace nikaia::rt {

struct Executor {
  Task* queue_first = nullptr;
  Task* queue_last = nullptr;
  Task* resume_first = nullptr;  // who started a branch and goes on before the queue, newest first
  Task* current = nullptr;
  Task* main = nullptr;
  Task* live = nullptr;  // all tasks that have not ended, newest first, without main and branches
  std::uint32_t live_count = 0;
  std::uint32_t turns = 0;  // since the last poll
  Fiber* idle_fibers = nullptr;
  std::uint32_t idle_fiber_count = 0;
  Fiber* loop = nullptr;
  Task* waiting_for_quiet = nullptr;       // wakes when the last live task has ended
  bool cleanups_cut_off = false;           // the deadline has passed: what is left dies by its `drop`
  volatile bool live_is_changing = false;  // for a signal handler that wants to walk `live`
};
extern Executor executor;

inline constexpr std::uint32_t turns_between_polls = 61;
// Fibers kept for reuse; what a burst used beyond them is given back to the system.
inline constexpr std::uint32_t idle_fibers_kept = 2048;

// Makes the calling thread's own stack the fiber of `main_task`, which becomes the current task.
void start_executor(Task& main_task, Fiber& main_fiber);

// Runs `body(data)` as the main task. False where a cancellation unwound it.
bool run_unwindable(void (*body)(void* data), void* data);

// Puts a task that is paused, or new, at the end of the queue.
void make_ready(Task& task);

// The same for a task that is new and belongs to a group.
void queue_task(Task& task);

// Takes the tasks of `group` that have not begun out of the queue, linked by `next` in the order
// they stood in.
[[nodiscard]] Task* take_unbegun(const Group& group);

// Pauses the running task until somebody makes it ready. Where it is cancelled, before or
// meanwhile, `wait` is abandoned and the task unwound: the call does not return. The caller has
// hung `wait` wherever it will be found.
void pause(Wait& wait);
// The same without unwinding: the caller looks at `cancelled_now` itself.
void pause_to_the_end(Wait& wait);

// Whether the running task is to be unwound at this pause point.
[[nodiscard]] bool cancelled_now();
[[noreturn]] void unwind();

// Puts the running task at the end of the queue and runs the others first.
void yield();

// Stops the program, whose tasks all wait and which nothing is under way for (stuck.cc).
[[noreturn]] void stop_stuck();

// Runs tasks that are new at once, one after the other, each up to its first pause or its end; then the caller
// goes on. Each hands over to the next, so that the caller is switched to once.
void run_to_first_pause(Task* const* tasks, std::uint32_t count);

// Runs `task`, which is new, to its end on the stack of the running task, which takes no fiber. Where that one is
// cancelled, before or meanwhile, `wait` is abandoned; the caller looks at `cancelled_now` itself.
void run_here(Task& task, Wait& wait);

// Lets the backend begin what was collected, before the running task turns to long work. It goes on
// at once.
void begin_collected_operations();

// The end of the program has waited long enough: cancels every live task, also one inside a
// cleanup, and lets values that would be parked from here on die by their `drop`. Does not wait.
void cut_off_all();

}  // namespace nikaia::rt
