// The pool. A job's state changes under the lock only, so that taking one back is exact.
//
// A worker delivers outside the lock, since delivering may write to a descriptor, and takes its
// mailbox off `busy` under the lock afterwards: that is its last touch of an instance, and what
// `withdraw` waits for.
#include "backends/posix/workers.h"

#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <signal.h>
#include <vector>

#include "backends/posix/calls.h"

namespace nikaia::backend::workers {
namespace {

struct Pool {
  std::mutex lock;
  std::condition_variable work;
  std::condition_variable left;  // a worker has let go of a mailbox
  OpList queue;
  std::vector<pthread_t> threads;
  std::vector<const Mailbox*> busy;  // one entry for each job that runs
  std::uint32_t asleep = 0;
  std::uint32_t users = 0;
  bool stop = false;
};

// Never destroyed: a worker of a program that exits with an instance open still looks at it.
Pool& pool() {
  static Pool* const made = new Pool;
  return *made;
}

// Starting and ending threads, which a user that comes while the last one leaves has to wait for.
std::mutex& membership() {
  static std::mutex* const made = new std::mutex;
  return *made;
}

void let_go(Pool& pool, const Mailbox* owner) {
  for (const Mailbox*& entry : pool.busy) {
    if (entry != owner) continue;
    entry = pool.busy.back();
    pool.busy.pop_back();
    break;
  }
  pool.left.notify_all();
}

void* run(void*) {
  // By the thread itself, which is one prctl(2). Another thread would write to a file below
  // /proc/self/task, and a process that has looked there takes tens of milliseconds to end.
  pthread_setname_np(pthread_self(), "nikaia-io");
  Pool& pool = workers::pool();
  std::unique_lock<std::mutex> hold(pool.lock);
  for (;;) {
    while (pool.queue.empty() && !pool.stop) {
      ++pool.asleep;
      pool.work.wait(hold);
      --pool.asleep;
    }
    Op* op = pool.queue.pop_front();
    if (op == nullptr) return nullptr;
    Slot& own = slot(*op);
    Mailbox* owner = own.owner;
    own.state = State::running;
    pool.busy.push_back(owner);
    hold.unlock();
    own.outcome = perform(*op);
    owner->deliver(*op);
    hold.lock();
    let_go(pool, owner);
  }
}

// Signals are for the program's own threads.
int start_thread(pthread_t& thread) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{256} * 1024);
  const int error = pthread_create(&thread, &attributes, run, nullptr);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return -error;
}

// The lock of `membership` is held.
void end_threads(Pool& pool) {
  {
    const std::lock_guard<std::mutex> hold(pool.lock);
    pool.stop = true;
  }
  pool.work.notify_all();
  for (const pthread_t thread : pool.threads) pthread_join(thread, nullptr);
  pool.threads.clear();
  pool.stop = false;
}

}  // namespace

int acquire(std::uint32_t count) {
  const std::lock_guard<std::mutex> hold(membership());
  Pool& pool = workers::pool();
  while (pool.threads.size() < count) {
    pthread_t thread{};
    const int error = start_thread(thread);
    if (error != 0) {
      if (pool.users == 0) end_threads(pool);
      return error;
    }
    pool.threads.push_back(thread);
  }
  ++pool.users;
  return 0;
}

void release() {
  const std::lock_guard<std::mutex> hold(membership());
  Pool& pool = workers::pool();
  if (--pool.users == 0) end_threads(pool);
}

void hand_over(OpList& jobs) {
  Pool& pool = workers::pool();
  std::uint32_t wake = 0;
  {
    const std::lock_guard<std::mutex> hold(pool.lock);
    std::uint32_t count = 0;
    for (Op* op = jobs.first(); op != nullptr; op = slot(*op).next) {
      slot(*op).state = State::queued;
      ++count;
    }
    wake = pool.asleep < count ? pool.asleep : count;
    pool.queue.splice_back(jobs);
  }
  for (; wake > 0; --wake) pool.work.notify_one();
}

bool take_back(Op& op) {
  Pool& pool = workers::pool();
  const std::lock_guard<std::mutex> hold(pool.lock);
  if (slot(op).state != State::queued) return false;
  pool.queue.remove(op);
  return true;
}

void withdraw(Mailbox& owner) {
  Pool& pool = workers::pool();
  std::unique_lock<std::mutex> hold(pool.lock);
  for (Op* op = pool.queue.first(); op != nullptr;) {
    Op* next = slot(*op).next;
    if (slot(*op).owner == &owner) {
      pool.queue.remove(*op);
      abandon(*op);
    }
    op = next;
  }
  const auto touched = [&] {
    for (const Mailbox* entry : pool.busy) {
      if (entry == &owner) return true;
    }
    return false;
  };
  while (touched()) pool.left.wait(hold);
}

}  // namespace nikaia::backend::workers
