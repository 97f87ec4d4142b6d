// The `uv` backend: libuv. One loop an instance; files on libuv's thread pool, readiness by poll
// handles (watches.h), wakes by an async handle.
//
// As in `blocking`, an operation is tried on the owner's thread first, without waiting
// (posix/calls.h), and only what would wait goes to the pool. The pool is the process's: the first
// instance sizes it.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <sys/eventfd.h>
#include <unistd.h>
#include <uv.h>
#include <vector>

#include <nikaia/version.h>

#include "backends/posix/calls.h"
#include "backends/posix/finished.h"
#include "backends/uv/watches.h"

using nikaia::backend::Finished;
using nikaia::backend::Looks;
using nikaia::backend::Op;
using nikaia::backend::Outcome;
using nikaia::backend::Slot;
using nikaia::backend::slot;
using nikaia::backend::State;
using nikaia::backend::Watches;

namespace {

using Instance = nikaia_io_instance;

constexpr int descriptors_of_loop = 8;

// A request to the pool. `Slot::fixed` of its operation is its place in `Instance::works`.
struct Work {
  uv_work_t request{};
  Instance* instance = nullptr;
  Op* op = nullptr;
};

}  // namespace

struct nikaia_io_instance {
  const nikaia_io_host* host = nullptr;
  Finished finished;
  uv_loop_t loop{};
  uv_async_t bell{};
  uv_timer_t timer{};
  std::atomic<bool> woken{false};
  Watches watches{loop, finished.list()};
  std::vector<Work*> works;
  std::vector<int> free_works;
  std::uint32_t at_pool = 0;
  Looks looks;
};

namespace {

// --- The pool ------------------------------------------------------------------------------------

// libuv reads the size from the environment when the pool is used first, so it is used here, and
// the environment is as before for the program's children.
int size_pool(uv_loop_t& loop, std::uint32_t io_workers) {
  static std::mutex* const lock = new std::mutex;
  static bool sized = false;
  const std::lock_guard<std::mutex> hold(*lock);
  if (sized) return 0;
  constexpr const char* variable = "UV_THREADPOOL_SIZE";
  const char* before = std::getenv(variable);
  const std::string kept = before == nullptr ? "" : before;
  setenv(variable, std::to_string(std::max(io_workers, 1u)).c_str(), 1);
  uv_work_t nothing{};
  const int error = uv_queue_work(
      &loop, &nothing, [](uv_work_t*) {}, [](uv_work_t*, int) {});
  if (error == 0) uv_run(&loop, UV_RUN_DEFAULT);
  if (before == nullptr) {
    unsetenv(variable);
  } else {
    setenv(variable, kept.c_str(), 1);
  }
  sized = error == 0;
  return error;
}

Work& take_work(Instance& instance, Op& op) {
  if (instance.free_works.empty()) {
    instance.free_works.push_back(static_cast<int>(instance.works.size()));
    instance.works.push_back(new Work);
  }
  slot(op).fixed = instance.free_works.back();
  instance.free_works.pop_back();
  Work& work = *instance.works[static_cast<std::size_t>(slot(op).fixed)];
  work.instance = &instance;
  work.op = &op;
  work.request.data = &work;
  return work;
}

void carry_out(uv_work_t* request) {
  Op& op = *static_cast<Work*>(request->data)->op;
  slot(op).outcome = nikaia::backend::perform(op);
}

void carried_out(uv_work_t* request, int status) {
  const Work& work = *static_cast<Work*>(request->data);
  Instance& instance = *work.instance;
  Op& op = *work.op;
  instance.free_works.push_back(slot(op).fixed);
  --instance.at_pool;
  if (status == UV_ECANCELED) {
    nikaia::backend::abandon(op);
    instance.finished.complete(op, {-ECANCELED, 0});
  } else {
    instance.finished.complete(op, slot(op).outcome);
  }
}

void give_to_pool(Instance& instance, Op& op) {
  Work& work = take_work(instance, op);
  slot(op).state = State::queued;
  ++instance.at_pool;
  const int error = uv_queue_work(&instance.loop, &work.request, carry_out, carried_out);
  if (error != 0) carried_out(&work.request, UV_ECANCELED);
}

// --- The calls of the ABI ------------------------------------------------------------------------

void accept(Instance& instance, Op& op) {
  instance.finished.accept(op);
  Outcome outcome;
  if (nikaia::backend::is_readiness(op.kind)) {
    instance.watches.add(op);
  } else if (!nikaia::backend::is_known(op.kind)) {
    instance.finished.complete(op, {-ENOSYS, 0});
  } else if (nikaia::backend::try_now(op, outcome)) {
    instance.finished.complete(op, outcome);
  } else {
    give_to_pool(instance, op);
  }
}

int probe(const nikaia_io_config*, char*, std::size_t) {
  return 0;
}

// Ends what `open` or the program began, and waits for it.
void end(Instance* instance) {
  uv_close(reinterpret_cast<uv_handle_t*>(&instance->timer), nullptr);
  uv_close(reinterpret_cast<uv_handle_t*>(&instance->bell), nullptr);
  uv_run(&instance->loop, UV_RUN_DEFAULT);
  uv_loop_close(&instance->loop);
  for (Work* work : instance->works) delete work;
  delete instance;
}

// libuv ends the program where it cannot have a descriptor of its own: whether there are enough is
// found out first.
int find_descriptors() {
  int found[descriptors_of_loop];
  int count = 0;
  int error = 0;
  while (count < descriptors_of_loop && error == 0) {
    const int fd = eventfd(0, EFD_CLOEXEC);
    error = fd < 0 ? -errno : 0;
    if (fd >= 0) found[count++] = fd;
  }
  while (count > 0) ::close(found[--count]);
  return error;
}

int open(const nikaia_io_config* config, const nikaia_io_host* host, Instance** out) {
  *out = nullptr;
  if (const int error = find_descriptors(); error != 0) return error;
  auto* instance = new (std::nothrow) Instance;
  if (instance == nullptr) return -ENOMEM;
  instance->host = host;
  int error = uv_loop_init(&instance->loop);
  if (error != 0) {
    delete instance;
    return error;
  }
  error = size_pool(instance->loop, config->io_workers);
  if (error == 0) {
    error = uv_async_init(&instance->loop, &instance->bell, [](uv_async_t*) {});
  }
  if (error != 0) {
    uv_loop_close(&instance->loop);
    delete instance;
    return error;
  }
  uv_timer_init(&instance->loop, &instance->timer);  // cannot fail
  *out = instance;
  return 0;
}

int submit(Instance* instance, Op* const* ops, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) accept(*instance, *ops[i]);
  return static_cast<int>(count);
}

std::uint32_t reap(Instance* instance, nikaia_io_completion* completions, std::uint32_t capacity) {
  return instance->finished.hand_out(completions, capacity);
}

// Milliseconds to sleep at most, rounded up; 0: not at all, negative: without limit.
std::int64_t time_left_ms(const Instance& instance, std::int64_t deadline_ns) {
  const std::int64_t left_ns = nikaia::backend::time_left_ns(*instance.host, deadline_ns);
  return left_ns <= 0 ? left_ns : (left_ns + 999'999) / 1'000'000;
}

// A turn of the loop that sleeps. The loop counts in whole milliseconds, so that it may be back
// before the deadline: the caller looks at the clock again. A timer whose time comes before the
// loop has begun to sleep runs first, and would leave nothing to end the sleep: so it ends the
// turn.
void sleep(Instance& instance, std::int64_t timeout_ms) {
  if (timeout_ms > 0) {
    uv_update_time(&instance.loop);
    uv_timer_start(
        &instance.timer, [](uv_timer_t* timer) { uv_stop(timer->loop); }, static_cast<std::uint64_t>(timeout_ms), 0);
  }
  uv_run(&instance.loop, UV_RUN_ONCE);
  if (timeout_ms > 0) uv_timer_stop(&instance.timer);
}

int wait(Instance* instance, std::int64_t deadline_ns) {
  for (;;) {
    const std::int64_t timeout_ms = instance->finished.empty() ? time_left_ms(*instance, deadline_ns) : 0;
    if (timeout_ms != 0 && !instance->woken.load()) {
      sleep(*instance, timeout_ms);
    } else if (instance->looks.owed(instance->at_pool != 0 || !instance->watches.empty(),
                                    instance->finished.is_busy())) {
      uv_run(&instance->loop, UV_RUN_NOWAIT);
    }
    const bool woken = instance->woken.exchange(false);
    if (!instance->finished.empty()) return 1;
    if (woken || timeout_ms == 0) return 0;
  }
}

void wake(Instance* instance) {
  instance->woken.store(true);
  uv_async_send(&instance->bell);
}

int cancel(Instance* instance, Op* op) {
  Slot& own = slot(*op);
  if (own.cancelled || own.state == State::done) return -EALREADY;
  own.cancelled = true;
  if (own.state == State::waiting) {
    instance->watches.remove(*op);
    instance->finished.complete(*op, {-ECANCELED, 0});
  } else {
    // Where a thread has it already, its call ends when it ends.
    uv_cancel(reinterpret_cast<uv_req_t*>(&instance->works[static_cast<std::size_t>(own.fixed)]->request));
  }
  return 0;
}

std::uint32_t pending(Instance* instance) {
  return instance->finished.pending();
}

void close(Instance* instance) {
  instance->watches.close_all();
  std::vector<bool> is_free(instance->works.size());
  for (const int place : instance->free_works) is_free[static_cast<std::size_t>(place)] = true;
  for (std::size_t i = 0; i < instance->works.size(); ++i) {
    if (!is_free[i]) uv_cancel(reinterpret_cast<uv_req_t*>(&instance->works[i]->request));
  }
  while (instance->at_pool != 0) uv_run(&instance->loop, UV_RUN_ONCE);
  instance->finished.discard();
  end(instance);
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

constexpr nikaia_io_backend descriptor = {
    NIKAIA_IO_MAGIC,
    NIKAIA_IO_ABI_VERSION,
    sizeof(nikaia_io_backend),
    "uv",
    NIKAIA_VERSION " (libuv " TEXT(UV_VERSION_MAJOR) "." TEXT(UV_VERSION_MINOR) ")",
    NIKAIA_IO_CAP_READINESS | NIKAIA_IO_CAP_LINKED | NIKAIA_IO_CAP_WAKEABLE,
    probe,
    open,
    submit,
    reap,
    wait,
    wake,
    cancel,
    pending,
    close,
};

}  // namespace

extern "C" const nikaia_io_backend* const nikaia_io_backend_v1 = &descriptor;
