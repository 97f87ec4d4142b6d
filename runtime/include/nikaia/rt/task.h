// Tasks in emitted programs: `spawn`, `TaskHandle`, pause points and cancellation.
//
// A task is a record on the heap with the closure and, later, its result; the fiber it runs on is
// the runtime's and is given back when the body ends. All of this runs on one thread (language 09
// §8.6).
//
// A pause is a call that returns when the wait is over. A cancelled task does not return from it:
// its frames are unwound by a private exception that only the runtime throws and stops. So no
// function between a task's entry and a pause may be `noexcept`, and no destructor may pause.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/result.h>

namespace nikaia {
namespace rt {

struct Fiber;
struct Task;

// What a task waits for. `abandon` is called when the waiting task is cancelled: it takes the task
// out of whatever would have woken it and makes it ready, or sees to it that this happens.
struct Wait {
  void (*abandon)(Wait& wait, Task& task) = nullptr;
};

// The tasks of one `overlap`, `select` or scope, and who waits for them.
struct Group {
  std::uint32_t open = 0;  // tasks that have not ended
  bool first_is_enough = false;
  Task* waiting = nullptr;  // set while the owner waits
  Task** tasks = nullptr;   // a scope's: those that have not ended, which the runtime takes out and frees
};

struct Task {
  Task* next = nullptr;    // in the queue of the ready
  Fiber* fiber = nullptr;  // null before it first runs and after it ended
  Wait* wait = nullptr;    // null unless it is paused
  Task* joiner = nullptr;  // the one task that waits for this one's end
  Group* group = nullptr;
  void (*run)(Task&) = nullptr;           // the body: stores the result, destroys the closure
  void (*abandon_body)(Task&) = nullptr;  // destroys the closure of a task that never ran
  void (*free)(Task&) = nullptr;          // destroys what is stored and frees the record; null: not owned here
  // Writes the failure nobody took to standard error; null where the body cannot fail.
  void (*report)(Task&) = nullptr;
  Task* live_next = nullptr;  // all tasks that have not ended; in a scope, those of the scope
  Task* live_previous = nullptr;
  const char* file = "";  // of its `spawn`
  std::uint32_t line = 0;
  std::uint32_t owners = 0;   // the running task and its handle
  std::uint32_t shields = 0;  // > 0: inside a cleanup, which a cancellation does not cut off
  bool cancelled = false;     // asked to stop at its next pause
  bool cut_off = false;       // the end of the program waits no longer, not even for its cleanup
  bool unwinding = false;     // its frames are being unwound
  bool ended = false;
  bool has_result = false;
  bool is_cleanup = false;  // a parked cleanup; `file` is its resource's name then
  bool detached = false;    // its handle is gone
};

void start_task(Task& task);    // queues it; it runs when the running task pauses
void join_task(Task& task);     // returns when `task` has ended with a result
void cancel_task(Task& task);   // asks; does not wait
void release_task(Task& task);  // one owner less
void detach_task(Task& task);   // the handle is gone; the task goes on
void say_unjoined_failure(const Task& task, const Failure& failure);

// A pause point that waits for nothing: where a call that may pause has its answer at once. Unwinds
// the task if it was cancelled.
void pause_point();

// True while the running task is being unwound by a cancellation: a destructor hands a value that
// has not been cleaned up to `park` then.
[[nodiscard]] bool unwinding();

// While one of these lives, the running task is not cut off by a cancellation: around a cleanup
// that may pause. It is delivered at the first pause after it.
struct [[nodiscard]] Shield {
  Shield();
  ~Shield();
  Shield(const Shield&) = delete;
  Shield& operator=(const Shield&) = delete;
};

struct Nothing {};  // stands for `void` where a value is stored

// Storage whose lifetime is seen to by hand.
template <class T>
union Slot {
  Slot() {}
  ~Slot() {}
  T value;
  char unused;
};

template <class R>
struct Returning : Task {
  using Stored = std::conditional_t<std::is_void_v<R>, Nothing, R>;
  Slot<Stored> result;
};

// A spawned task keeps a Result whether its body can fail or not, so that handles of both are one type.
template <class F>
struct Spawned final : Returning<Result<WithoutFailure<std::invoke_result_t<F&>>>> {
  using Outcome = Result<WithoutFailure<std::invoke_result_t<F&>>>;
  Slot<F> body;

  static void run_body(Task& task) {
    auto& self = static_cast<Spawned&>(task);
    // The closure dies at the end of the body, also where that is an unwinding.
    struct Closing {
      F& body;
      ~Closing() { body.~F(); }
    } closing{self.body.value};
    if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
      self.body.value();
      new (&self.result.value) Outcome();
    } else {
      new (&self.result.value) Outcome(self.body.value());
    }
    self.has_result = true;
  }
  static void drop_body(Task& task) { static_cast<Spawned&>(task).body.value.~F(); }
  static void report_unjoined(Task& task) {
    auto& self = static_cast<Spawned&>(task);
    if (self.has_result && self.result.value.failed()) say_unjoined_failure(task, self.result.value.failure());
  }
  static void free_record(Task& task) {
    auto& self = static_cast<Spawned&>(task);
    if (self.has_result) self.result.value.~Outcome();
    delete &self;
  }
};

}  // namespace rt

// What `spawn` hands back; `T` is what the body comes to. Default-constructed and after join, cancel
// or a move it is empty. Dropping it lets the task go on.
template <class T>
class TaskHandle {
 public:
  TaskHandle() = default;
  explicit TaskHandle(rt::Returning<Result<T>>* task) : task_(task) {}
  TaskHandle(TaskHandle&& other) noexcept : task_(other.task_) { other.task_ = nullptr; }
  TaskHandle& operator=(TaskHandle&& other) noexcept {
    rt::Returning<Result<T>>* taken = other.task_;
    other.task_ = nullptr;
    drop();
    task_ = taken;
    return *this;
  }
  ~TaskHandle() { drop(); }

  // Pauses until the task has ended and hands back what its body came to. Takes the handle.
  Result<T> join() {
    // Taken first: where this task is cancelled while it waits, the other one goes on without a
    // handle.
    TaskHandle taken(std::move(*this));
    rt::Returning<Result<T>>& task = *taken.task_;
    rt::join_task(task);
    return std::move(task.result.value);
  }
  // Asks the task to stop at its pause. Does not wait. Takes the handle.
  void cancel() {
    rt::cancel_task(*task_);
    drop();
  }

 private:
  void drop() {
    if (task_ != nullptr) {
      rt::detach_task(*task_);
      task_ = nullptr;
    }
  }
  rt::Returning<Result<T>>* task_ = nullptr;
};

// Queues `body` as a task of its own, which owns what it captured. Does not pause.
template <class F>
TaskHandle<WithoutFailure<std::invoke_result_t<F&>>> spawn(F body, At at = At::here()) {
  using R = std::invoke_result_t<F&>;
  using Record = rt::Spawned<F>;
  auto* task = new Record;
  new (&task->body.value) F(std::move(body));
  task->run = &Record::run_body;
  task->abandon_body = &Record::drop_body;
  task->free = &Record::free_record;
  if constexpr (is_result<R>) task->report = &Record::report_unjoined;
  task->file = at.file;
  task->line = at.line;
  task->owners = 1;  // the handle; start_task adds the running task's own
  rt::start_task(*task);
  return TaskHandle<WithoutFailure<R>>(task);
}

// Pauses for at least this long. Zero or less lets the other tasks that are ready run first.
void time_sleep(std::int64_t nanoseconds);

}  // namespace nikaia
