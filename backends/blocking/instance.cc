// The `blocking` backend: system calls that may block on threads, readiness by epoll. It serves on
// every kernel the toolchain runs on.
//
// An operation is tried on the owner's thread first, without waiting (posix/calls.h); only what
// would wait for a disk goes to a worker (posix/workers.h), so that a file in the page cache costs
// no thread wake-up. What goes to workers is collected and handed over at the next `wait`: one lock
// and at most one wake-up for everything a turn of the executor began. There are no threads before
// the first operation that needs one.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <new>

#include <nikaia/version.h>

#include "backends/blocking/linked.h"
#include "backends/blocking/readiness.h"
#include "backends/posix/calls.h"
#include "backends/posix/finished.h"
#include "backends/posix/workers.h"

using nikaia::backend::Finished;
using nikaia::backend::Looks;
using nikaia::backend::Mailbox;
using nikaia::backend::Op;
using nikaia::backend::OpList;
using nikaia::backend::Outcome;
using nikaia::backend::Readiness;
using nikaia::backend::Slot;
using nikaia::backend::State;
namespace workers = nikaia::backend::workers;

struct nikaia_io_instance {
  const nikaia_io_host* host = nullptr;
  Finished finished;
  Mailbox mailbox;
  Readiness readiness;
  OpList for_workers;  // begun at the next wait
  std::uint32_t io_workers = 1;
  bool workers_up = false;
  Looks looks;
};

namespace {

using Instance = nikaia_io_instance;

void give_to_worker(Instance& instance, Op& op) {
  if (!instance.workers_up) {
    const int error = workers::acquire(instance.io_workers);
    if (error != 0) return instance.finished.complete(op, {error, 0});
    instance.workers_up = true;
  }
  instance.for_workers.push_back(op);
}

void accept(Instance& instance, Op& op) {
  instance.finished.accept(op);
  nikaia::backend::slot(op).owner = &instance.mailbox;
  Outcome outcome;
  if (nikaia::backend::is_readiness(op.kind)) {
    instance.readiness.add(op, instance.finished.list());
  } else if (!nikaia::backend::is_known(op.kind)) {
    instance.finished.complete(op, {-ENOSYS, 0});
  } else if (nikaia::backend::try_now(op, outcome)) {
    instance.finished.complete(op, outcome);
  } else {
    give_to_worker(instance, op);
  }
}

int probe(const nikaia_io_config*, char*, std::size_t) {
  return 0;
}

int open(const nikaia_io_config* config, const nikaia_io_host* host, Instance** out) {
  *out = nullptr;
  auto* instance = new (std::nothrow) Instance;
  if (instance == nullptr) return -ENOMEM;
  instance->host = host;
  instance->io_workers = std::max(config->io_workers, 1u);
  int error = instance->mailbox.open();
  if (error == 0) error = instance->readiness.open(instance->mailbox.descriptor());
  if (error != 0) {
    delete instance;
    return error;
  }
  *out = instance;
  return 0;
}

int submit(Instance* instance, Op* const* ops, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) accept(*instance, *ops[i]);
  return static_cast<int>(count);
}

std::uint32_t reap(Instance* instance, nikaia_io_completion* completions, std::uint32_t capacity) {
  if (instance->finished.empty()) instance->mailbox.collect(instance->finished.list());
  return instance->finished.hand_out(completions, capacity);
}

// Looks at the descriptors once.
int look(Instance& instance, std::int64_t timeout_ns) {
  bool rang = false;
  const int error = instance.readiness.wait(timeout_ns, instance.finished.list(), rang);
  if (rang) instance.mailbox.drain_descriptor();
  return error == -EINTR ? 0 : error;
}

int wait(Instance* instance, std::int64_t deadline_ns) {
  if (!instance->for_workers.empty()) workers::hand_over(instance->for_workers);
  for (;;) {
    instance->mailbox.collect(instance->finished.list());
    std::int64_t timeout_ns = 0;
    bool sleeps = false;
    if (instance->finished.empty()) {
      timeout_ns = nikaia::backend::time_left_ns(*instance->host, deadline_ns);
      sleeps = timeout_ns != 0 && instance->mailbox.prepare_sleep();
    }
    if (sleeps || instance->looks.owed(instance->readiness.waiting() != 0, instance->finished.is_busy())) {
      const int error = look(*instance, sleeps ? timeout_ns : 0);
      if (sleeps) instance->mailbox.end_sleep();
      if (error != 0) return error;
    }
    instance->mailbox.collect(instance->finished.list());
    const bool woken = instance->mailbox.take_wake();
    if (!instance->finished.empty()) return 1;
    if (woken || timeout_ns == 0) return 0;
  }
}

void wake(Instance* instance) {
  instance->mailbox.wake();
}

int cancel(Instance* instance, Op* op) {
  Slot& own = nikaia::backend::slot(*op);
  if (own.cancelled || own.state == State::done) return -EALREADY;
  own.cancelled = true;
  switch (own.state) {
    case State::waiting: instance->readiness.remove(*op); break;
    case State::fresh:
      instance->for_workers.remove(*op);
      nikaia::backend::abandon(*op);
      break;
    default:
      if (!workers::take_back(*op)) return 0;  // its call ends when it ends
      nikaia::backend::abandon(*op);
      break;
  }
  instance->finished.complete(*op, {-ECANCELED, 0});
  return 0;
}

std::uint32_t pending(Instance* instance) {
  return instance->finished.pending();
}

void close(Instance* instance) {
  while (Op* op = instance->for_workers.pop_front()) nikaia::backend::abandon(*op);
  if (instance->workers_up) {
    workers::withdraw(instance->mailbox);
    workers::release();
  }
  instance->mailbox.collect(instance->finished.list());
  instance->finished.discard();
  delete instance;
}

}  // namespace

extern "C" const nikaia_io_backend nikaia_backend_blocking = {
    NIKAIA_IO_MAGIC,
    NIKAIA_IO_ABI_VERSION,
    sizeof(nikaia_io_backend),
    "blocking",
    NIKAIA_VERSION " (threads and epoll)",
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
