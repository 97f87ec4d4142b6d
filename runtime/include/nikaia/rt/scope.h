// `task::scope`: tasks that borrow from the block that starts them (language 04 §8).
//
//     auto deepest = nikaia::task_scope([&](nikaia::Scope& s) {
//       nikaia::scope_spawn(s, [&] { println(deepest(depths)); });
//       return depths.size();
//     });
//
// The scope answers what its body returns, and a Result of it where the body or a task can fail;
// which of the two the body's own type says (a task that can fail makes its scope's body one). It
// is over when its last task is. Tasks that do not pause are run by the waiting task without
// letting anybody else run, so that such a scope may stand in a function that may not pause.
#pragma once

#include <nikaia/rt/result.h>
#include <nikaia/rt/task.h>

namespace nikaia {

// What the body starts its tasks through. It does not outlive the body's call of task_scope.
class Scope {
 public:
  Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  // Where the body was unwound: cancels the tasks and waits until they have stopped.
  ~Scope();

  void start(rt::Task& task);
  // Waits for every task. `body_failed`: they are cancelled first.
  void finish(bool body_failed);
  // The failure of the first in written order that failed, which the others have joined.
  [[nodiscard]] Failure take_failure();
  void add_failure(const rt::Task& task, Failure failure);

 private:
  struct Failed;
  void wait();

  rt::Group group_;
  rt::Task* tasks_ = nullptr;  // those that have not ended, newest first
  Failed* failed_ = nullptr;   // in written order
};

namespace rt {

template <class F, class R>
struct Scoped final : Returning<R> {
  Slot<F> body;
  Scope* scope = nullptr;

  static void run_body(Task& task) {
    auto& self = static_cast<Scoped&>(task);
    struct Closing {
      F& body;
      ~Closing() { body.~F(); }
    } closing{self.body.value};
    if constexpr (is_result<R>) {
      R outcome = self.body.value();
      if (outcome.failed()) self.scope->add_failure(task, outcome.take_failure());
    } else {
      self.body.value();
    }
  }
  static void drop_body(Task& task) { static_cast<Scoped&>(task).body.value.~F(); }
  static void free_record(Task& task) { delete &static_cast<Scoped&>(task); }
};

}  // namespace rt

// Queues `body` as a task of the scope. Does not pause.
template <class F>
void scope_spawn(Scope& scope, F body, At at = At::here()) {
  using Record = rt::Scoped<F, std::invoke_result_t<F&>>;
  auto* task = new Record;
  new (&task->body.value) F(std::move(body));
  task->scope = &scope;
  task->run = &Record::run_body;
  task->abandon_body = &Record::drop_body;
  task->free = &Record::free_record;
  task->file = at.file;
  task->line = at.line;
  scope.start(*task);
}

template <class F>
auto task_scope(F&& body) -> std::invoke_result_t<F&, Scope&> {
  using R = std::invoke_result_t<F&, Scope&>;
  Scope scope;
  if constexpr (is_result<R>) {
    R outcome = body(scope);
    scope.finish(outcome.failed());
    if (Failure failure = scope.take_failure()) {
      if (!outcome.failed()) return failure;
      outcome.failure().join(static_cast<Failure&&>(failure));
    }
    return outcome;
  } else if constexpr (std::is_void_v<R>) {
    body(scope);
    scope.finish(false);
  } else {
    R value = body(scope);
    scope.finish(false);
    return value;
  }
}

}  // namespace nikaia
