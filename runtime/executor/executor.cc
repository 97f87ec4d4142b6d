#include "runtime/executor/executor.h"

#include "runtime/io/activity.h"
#include "runtime/io/operations.h"
#include "runtime/start/signals.h"
#include "runtime/timer/timers.h"

namespace nikaia::rt {

Executor executor;

namespace {

// The one exception of a program: the unwinding of a cancelled task.
struct Unwinding {};

void enqueue(Task& task) {
  task.next = nullptr;
  if (executor.queue_last != nullptr) {
    executor.queue_last->next = &task;
  } else {
    executor.queue_first = &task;
  }
  executor.queue_last = &task;
}

// `task` goes on, or begins, before the queue and before those this was said of earlier.
void resume_next(Task& task) {
  task.next = executor.resume_first;
  executor.resume_first = &task;
}

bool something_outstanding() {
  return operations_outstanding() || timers_outstanding() || signal_waiting();
}

// The next task in order, or null where the loop has to be asked first.
Task* next_ready() {
  if (Task* task = executor.resume_first; task != nullptr) {
    executor.resume_first = task->next;
    return task;
  }
  Task* task = executor.queue_first;
  if (task == nullptr) return nullptr;
  if (++executor.turns >= turns_between_polls) {
    executor.turns = 0;
    if (something_outstanding()) return nullptr;
  }
  executor.queue_first = task->next;
  if (executor.queue_first == nullptr) executor.queue_last = nullptr;
  return task;
}

inline bool to_be_unwound(const Task& task) {
  return __builtin_expect(task.cancelled, 0) && (task.shields == 0 || task.cut_off) && !task.unwinding;
}

void push_idle(Fiber& fiber) {
  fiber.task = nullptr;
  fiber.next_idle = executor.idle_fibers;
  executor.idle_fibers = &fiber;
  ++executor.idle_fiber_count;
}

void take_out_of(Task*& tasks, Task& task) {
  (task.live_previous != nullptr ? task.live_previous->live_next : tasks) = task.live_next;
  if (task.live_next != nullptr) task.live_next->live_previous = task.live_previous;
}

void end_live(Task& task) {
  executor.live_is_changing = true;
  take_out_of(executor.live, task);
  executor.live_is_changing = false;
  --executor.live_count;
  end_activity();
  if (executor.live_count == 0 && executor.waiting_for_quiet != nullptr) {
    Task* waiting = executor.waiting_for_quiet;
    executor.waiting_for_quiet = nullptr;
    if (waiting->wait != nullptr) make_ready(*waiting);  // its deadline may have come in the same turn
  }
}

// Ends at a pause point where `task` is cancelled.
void run_begun(Task& task) {
  try {
    task.run(task);
  } catch (const Unwinding&) {
    task.unwinding = false;
  }
}

void run_body(Task& task) {
  if (task.cancelled) {
    // It has not begun, and stops where it stands.
    task.abandon_body(task);
  } else {
    run_begun(task);
  }
}

// Tells whoever waits for it that `task` is over. Its record may be gone afterwards.
void end_task(Task& task) {
  task.ended = true;
  task.fiber = nullptr;
  if (Group* group = task.group; group != nullptr) {
    if (group->tasks != nullptr) {
      take_out_of(*group->tasks, task);
      task.free(task);
    }
    --group->open;
    if (group->waiting != nullptr && (group->open == 0 || group->first_is_enough)) {
      Task* waiting = group->waiting;
      group->waiting = nullptr;
      make_ready(*waiting);
    }
    return;
  }
  if (task.joiner != nullptr) {
    make_ready(*task.joiner);
    task.joiner = nullptr;
  } else if (task.detached && task.report != nullptr && !task.cancelled) {
    task.report(task);
  }
  end_live(task);
  release_task(task);
}

// What every fiber but main's runs: tasks, one after the other, for ever. A task that ends hands
// its stack to the next one in the queue if that one is new.
[[noreturn]] void fiber_main(Fiber& self) {
  for (;;) {
    Task& task = *self.task;
    run_body(task);
    self.task = nullptr;
    end_task(task);
    Task* next = next_ready();
    executor.current = next;
    if (next != nullptr && next->fiber == nullptr) {
      next->fiber = &self;
      self.task = next;
      continue;
    }
    push_idle(self);
    switch_fiber(self, next != nullptr ? *next->fiber : *executor.loop);
  }
}

[[gnu::always_inline]] inline void enter(Fiber& from, Task& task) {
  executor.current = &task;
  if (task.fiber == nullptr) {
    Fiber* fiber = executor.idle_fibers;
    if (fiber != nullptr) {
      executor.idle_fibers = fiber->next_idle;
      --executor.idle_fiber_count;
    } else {
      fiber = make_fiber(fiber_main);
    }
    fiber->task = &task;
    task.fiber = fiber;
  }
  switch_fiber(from, *task.fiber);
}

void trim_idle_fibers() {
  while (executor.idle_fiber_count > idle_fibers_kept) {
    Fiber* fiber = executor.idle_fibers;
    executor.idle_fibers = fiber->next_idle;
    --executor.idle_fiber_count;
    free_fiber(fiber);
  }
}

// Asks signals, timers and the backend until a task is ready, and takes it out of the queue.
Task& next_from_loop() {
  for (;;) {
    trim_idle_fibers();
    if (signal_waiting()) deliver_signal();
    fire_timers();
    const bool nobody_ready = executor.queue_first == nullptr && executor.resume_first == nullptr;
    if (nobody_ready && !something_outstanding()) stop_stuck();
    serve_operations(nobody_ready ? next_deadline_ns() : poll_only);
    if (signal_waiting()) deliver_signal();
    fire_timers();
    executor.turns = 0;
    if (Task* task = next_ready(); task != nullptr) return *task;
  }
}

[[noreturn]] void loop_main(Fiber& self) {
  for (;;) enter(self, next_from_loop());
}

// Leaves the running task, which is paused or stands in the queue, for whoever comes next. Inline
// like the switch itself: every return behind it is predicted wrongly.
[[gnu::always_inline]] inline void leave(Task& self) {
  Task* next = next_ready();
  if (next == nullptr) {
    executor.current = nullptr;
    if (!self.fiber->stack.is_process_stack) {
      switch_fiber(*self.fiber, *executor.loop);
      return;
    }
    next = &next_from_loop();
  }
  if (next != &self) {
    enter(*self.fiber, *next);
  } else {
    executor.current = &self;
  }
}

}  // namespace

void start_executor(Task& main_task, Fiber& main_fiber) {
  adopt_thread(main_fiber);
  main_fiber.task = &main_task;
  main_task.fiber = &main_fiber;
  executor.current = executor.main = &main_task;
  executor.loop = make_fiber(loop_main);
}

void make_ready(Task& task) {
  task.wait = nullptr;
  enqueue(task);
}

void queue_task(Task& task) {
  enqueue(task);
}

Task* take_unbegun(const Group& group) {
  Task* taken = nullptr;
  Task** end_of_taken = &taken;
  Task* last_left = nullptr;
  for (Task** place = &executor.queue_first; *place != nullptr;) {
    Task* task = *place;
    if (task->group == &group && task->fiber == nullptr) {
      *place = task->next;
      task->next = nullptr;
      *end_of_taken = task;
      end_of_taken = &task->next;
    } else {
      last_left = task;
      place = &task->next;
    }
  }
  executor.queue_last = last_left;
  return taken;
}

bool cancelled_now() {
  return to_be_unwound(*executor.current);
}

void pause_to_the_end(Wait& wait) {
  Task& self = *executor.current;
  self.wait = &wait;
  if (to_be_unwound(self)) wait.abandon(wait, self);
  leave(self);
}

void pause(Wait& wait) {
  Task& self = *executor.current;
  self.wait = &wait;
  if (to_be_unwound(self)) wait.abandon(wait, self);
  leave(self);
  if (to_be_unwound(self)) unwind();
}

void unwind() {
  executor.current->unwinding = true;
  throw Unwinding{};
}

bool run_unwindable(void (*body)(void* data), void* data) {
  try {
    body(data);
    return true;
  } catch (const Unwinding&) {
    executor.current->unwinding = false;
    return false;
  }
}

void pause_point() {
  if (__builtin_expect(signal_waiting(), 0)) deliver_signal();
  if (to_be_unwound(*executor.current)) unwind();
}

bool unwinding() {
  return executor.current != nullptr && executor.current->unwinding;
}

void yield() {
  pause_point();
  Task& self = *executor.current;
  enqueue(self);
  leave(self);
  if (to_be_unwound(self)) unwind();
}

void run_to_first_pause(Task* const* tasks, std::uint32_t count) {
  if (count == 0) return;
  Task& self = *executor.current;
  resume_next(self);
  for (std::uint32_t at = count - 1; at > 0; --at) resume_next(*tasks[at]);
  enter(*self.fiber, *tasks[0]);
}

void run_here(Task& task, Wait& wait) {
  Task& self = *executor.current;
  self.wait = &wait;
  if (to_be_unwound(self)) wait.abandon(wait, self);  // `task` begins all the same, as those before it did
  task.fiber = self.fiber;
  executor.current = &task;
  run_begun(task);
  executor.current = &self;
  self.wait = nullptr;
  end_task(task);
}

void begin_collected_operations() {
  if (!operations_outstanding()) return;
  Task& self = *executor.current;
  resume_next(self);
  executor.turns = 0;
  switch_fiber(*self.fiber, *executor.loop);
}

Shield::Shield() {
  ++executor.current->shields;
}
Shield::~Shield() {
  --executor.current->shields;
}

// ---- tasks

void start_task(Task& task) {
  ++task.owners;
  executor.live_is_changing = true;
  task.live_next = executor.live;
  if (executor.live != nullptr) executor.live->live_previous = &task;
  executor.live = &task;
  executor.live_is_changing = false;
  ++executor.live_count;
  begin_activity();
  enqueue(task);
}

namespace {

struct JoinWait : Wait {
  Task* target;
};
void abandon_join(Wait& wait, Task& self) {
  static_cast<JoinWait&>(wait).target->joiner = nullptr;
  make_ready(self);
}

}  // namespace

void join_task(Task& task) {
  pause_point();
  if (!task.ended) {
    JoinWait wait;
    wait.abandon = abandon_join;
    wait.target = &task;
    task.joiner = executor.current;
    pause(wait);
  }
  if (!task.has_result) {
    // It was cancelled by the end of the program, which cancels this task too.
    executor.current->cancelled = true;
    executor.current->cut_off = true;
    unwind();
  }
}

void cancel_task(Task& task) {
  if (task.ended || task.cancelled) return;
  task.cancelled = true;
  if (task.wait != nullptr && task.shields == 0) task.wait->abandon(*task.wait, task);
}

void cut_off_all() {
  executor.cleanups_cut_off = true;
  for (Task* task = executor.live; task != nullptr; task = task->live_next) {
    const bool asked = task->cancelled && task->shields == 0;
    task->cancelled = true;
    task->cut_off = true;
    if (task->wait != nullptr && !asked) task->wait->abandon(*task->wait, *task);
  }
}

void release_task(Task& task) {
  if (--task.owners == 0) task.free(task);
}

void detach_task(Task& task) {
  task.detached = true;
  if (task.ended && task.report != nullptr && !task.cancelled) task.report(task);
  release_task(task);
}

}  // namespace nikaia::rt
