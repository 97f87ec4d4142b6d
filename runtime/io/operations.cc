#include "runtime/io/operations.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <unistd.h>
#include <vector>

#include <nikaia/rt/runtime.h>

#include "runtime/executor/executor.h"
#include "runtime/io/activity.h"
#include "runtime/timer/timers.h"

namespace nikaia::rt {

Activity activity{};

namespace {

using Stage = Operation::Stage;

const nikaia_io_backend* backend = nullptr;
nikaia_io_instance* instance = nullptr;
bool begins_in_wait = false;
std::vector<nikaia_io_op*> collected;  // in the order in which they were asked for
std::uint32_t in_backend = 0;
Operation* first_in_backend = nullptr;
// Not 0 once the backend has lost its mechanism: what every operation answers from then on
// (language 09 §4.6).
int lost = 0;

Operation& operation_of(const nikaia_io_op& op) {
  return *reinterpret_cast<Operation*>(static_cast<std::uintptr_t>(op.user_data));
}

void complete(Operation& operation, std::int64_t result, std::uint32_t flags) {
  operation.result = result;
  operation.flags = flags;
  operation.stage = Stage::done;
  end_activity();
  Task* task = operation.task;
  if (operation.gathering != nullptr) {
    task = operation.gathering->waiting;
    operation.gathering->waiting = nullptr;
    --operation.gathering->open;
  }
  if (task != nullptr) make_ready(*task);
}

void abandon_wait(Wait& wait, Task&) {
  abandon_operation(static_cast<Operation&>(wait));
}

void hand_over(Operation& operation) {
  operation.stage = Stage::in_backend;
  operation.next = first_in_backend;
  if (first_in_backend != nullptr) first_in_backend->previous = &operation;
  first_in_backend = &operation;
  ++in_backend;
}

void take_back(Operation& operation) {
  (operation.previous != nullptr ? operation.previous->next : first_in_backend) = operation.next;
  if (operation.next != nullptr) operation.next->previous = operation.previous;
  --in_backend;
}

void fail_collected() {
  for (nikaia_io_op* op : collected) complete(operation_of(*op), lost, 0);
  collected.clear();
}

// Closing the instance is the one call a broken backend still answers, and after it nobody holds a
// buffer. The program goes on; another method is never chosen behind its back.
void lose_backend(int error) {
  lost = error;
  nikaia_io_instance* closing = instance;
  instance = nullptr;
  backend->close(closing);
  fail_collected();
  while (first_in_backend != nullptr) {
    Operation& operation = *first_in_backend;
    take_back(operation);
    complete(operation, lost, 0);
  }
}

void submit_collected() {
  if (lost != 0) {
    fail_collected();
    return;
  }
  if (collected.empty()) return;
  const auto count = static_cast<std::uint32_t>(collected.size());
  const int accepted = backend->submit(instance, collected.data(), count);
  if (accepted < 0) {
    lose_backend(accepted);
    return;
  }
  for (int at = 0; at < accepted; ++at) hand_over(operation_of(*collected[static_cast<std::size_t>(at)]));
  collected.erase(collected.begin(), collected.begin() + accepted);
}

// Whether any completion was there.
bool reap_completions() {
  nikaia_io_completion completions[64];
  bool any = false;
  for (;;) {
    const std::uint32_t count = backend->reap(instance, completions, 64);
    for (std::uint32_t at = 0; at < count; ++at) {
      auto& operation = *reinterpret_cast<Operation*>(static_cast<std::uintptr_t>(completions[at].user_data));
      take_back(operation);
      complete(operation, completions[at].result, completions[at].flags);
    }
    any = any || count > 0;
    if (count < 64) return any;
  }
}

// What is left without a backend: timers and signals. A signal that comes just before the sleep is
// seen after it.
void sleep_until(std::int64_t deadline_ns) {
  constexpr std::int64_t longest_ns = 50'000'000;
  const std::int64_t until_ns = std::min(deadline_ns, now_ns() + longest_ns);
  const timespec until{until_ns / 1'000'000'000, until_ns % 1'000'000'000};
  ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

bool is_of_files(const nikaia_io_op& op) {
  return op.kind != NIKAIA_IO_READABLE && op.kind != NIKAIA_IO_WRITABLE;
}

}  // namespace

void open_operations(const nikaia_io_backend& with, nikaia_io_instance* opened) {
  backend = &with;
  begins_in_wait = (with.capabilities & NIKAIA_IO_CAP_BATCHING) != 0;
  instance = opened;
  collected.reserve(64);
}

void leave_operations() {
#ifdef __SANITIZE_THREAD__
  constexpr bool every_thread_is_to_be_joined = true;
#else
  constexpr bool every_thread_is_to_be_joined = false;
#endif
  if (instance != nullptr && (every_thread_is_to_be_joined || in_backend > 0)) {
    nikaia_io_instance* closing = instance;
    instance = nullptr;  // a signal that comes now wakes nobody
    backend->close(closing);
  }
}

bool files_complete() {
  return lost == 0 && (backend->capabilities & NIKAIA_IO_CAP_COMPLETES_FILES) != 0;
}

bool operations_outstanding() {
  return in_backend > 0 || !collected.empty();
}

void serve_operations(std::int64_t deadline_ns) {
  submit_collected();
  // What is done without waiting was done while it was submitted, unless the backend begins in `wait`.
  if (in_backend > 0 && !begins_in_wait && reap_completions()) deadline_ns = poll_only;
  if (in_backend == 0 && deadline_ns == poll_only) return;
  if (executor.queue_first != nullptr) deadline_ns = poll_only;  // losing the backend has made some ready
  if (deadline_ns != poll_only) out_flush();
  if (instance == nullptr) {
    sleep_until(deadline_ns);
    return;
  }
  const int answer = backend->wait(instance, deadline_ns);
  if (answer < 0) {
    lose_backend(answer);
  } else {
    reap_completions();
  }
}

void wake_operations() {
  if (instance != nullptr) backend->wake(instance);
}

void begin_operation(Operation& operation, nikaia_io_op& op) {
  operation.op = &op;
  operation.stage = Stage::collected;
  if (operation.gathering != nullptr) ++operation.gathering->open;
  op.user_data = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&operation));
  collected.push_back(&op);
  begin_activity();
}

void abandon_operation(Operation& operation) {
  if (operation.stage == Stage::collected) {
    for (std::size_t at = 0; at < collected.size(); ++at) {
      if (collected[at] == operation.op) {
        collected.erase(collected.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      }
    }
    complete(operation, -ECANCELED, 0);
  } else if (operation.stage == Stage::in_backend) {
    backend->cancel(instance, operation.op);
  }
}

void discard_outcome(const Operation& operation) {
  const nikaia_io_op& op = *operation.op;
  if (op.kind == NIKAIA_IO_OPEN && operation.result >= 0) ::close(static_cast<int>(operation.result));
  const bool more = (operation.flags & NIKAIA_IO_MORE) != 0;
  if (op.kind == NIKAIA_IO_READ_WHOLE && operation.result >= 0 && more) ::close(op.out_fd);
}

std::int64_t perform_overlapped(nikaia_io_op& op, std::uint32_t* flags) {
  pause_point();
  Operation operation;
  operation.abandon = abandon_wait;
  operation.task = executor.current;
  begin_operation(operation, op);
  pause_to_the_end(operation);
  if (cancelled_now()) {
    discard_outcome(operation);
    unwind();
  }
  if (flags != nullptr) *flags = operation.flags;
  return operation.result;
}

std::int64_t perform(nikaia_io_op& op, std::uint32_t* flags) {
  if (idle() && is_of_files(op)) return perform_idle(op);
  return perform_overlapped(op, flags);
}

}  // namespace nikaia::rt
