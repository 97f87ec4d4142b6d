// Scopes. A scoped task stands in the queue like any other; when the scope's block is over, those
// that have not begun are taken out of the queue and run one by one, each to its first pause. So
// the wait needs no other task to run unless one of its own pauses.
#include <nikaia/rt/scope.h>

#include "runtime/executor/executor.h"
#include "runtime/io/activity.h"

namespace nikaia {

using rt::executor;
using rt::Task;

struct Scope::Failed {
  std::uint32_t line;
  Failure failure;
  Failed* next;
};

namespace {

struct ScopeWait : rt::Wait {
  Task** tasks;
};

void cancel_tasks(Task* tasks) {
  for (Task* task = tasks; task != nullptr; task = task->live_next) rt::cancel_task(*task);
}

void abandon_scope(rt::Wait& wait, Task&) {
  cancel_tasks(*static_cast<ScopeWait&>(wait).tasks);
}

}  // namespace

Scope::Scope() {
  rt::begin_activity();
}

Scope::~Scope() {
  if (group_.open > 0) {
    cancel_tasks(tasks_);
    wait();
  }
  while (failed_ != nullptr) {
    Failed* next = failed_->next;
    delete failed_;
    failed_ = next;
  }
  rt::end_activity();
}

void Scope::start(Task& task) {
  task.group = &group_;
  ++group_.open;
  group_.tasks = &tasks_;
  task.live_next = tasks_;
  if (tasks_ != nullptr) tasks_->live_previous = &task;
  tasks_ = &task;
  rt::queue_task(task);
}

void Scope::wait() {
  // A task that runs here may start others.
  for (Task* task = rt::take_unbegun(group_); task != nullptr; task = rt::take_unbegun(group_)) {
    while (task != nullptr) {
      Task* next = task->next;
      rt::run_to_first_pause(&task, 1);
      task = next;
    }
  }
  while (group_.open > 0) {
    ScopeWait wait;
    wait.abandon = abandon_scope;
    wait.tasks = &tasks_;
    group_.waiting = executor.current;
    rt::pause_to_the_end(wait);
    group_.waiting = nullptr;
  }
}

void Scope::finish(bool body_failed) {
  if (body_failed) cancel_tasks(tasks_);
  wait();
  if (rt::cancelled_now()) rt::unwind();
}

void Scope::add_failure(const Task& task, Failure failure) {
  Failed** place = &failed_;
  while (*place != nullptr && (*place)->line <= task.line) place = &(*place)->next;
  *place = new Failed{task.line, static_cast<Failure&&>(failure), *place};
}

Failure Scope::take_failure() {
  Failure first;
  while (failed_ != nullptr) {
    Failed* failed = failed_;
    failed_ = failed->next;
    if (first) {
      first.join(static_cast<Failure&&>(failed->failure));
    } else {
      first = static_cast<Failure&&>(failed->failure);
    }
    delete failed;
  }
  return first;
}

}  // namespace nikaia
