// How other threads reach the owner of an instance: finished operations and wakes.
//
// Senders push onto a stack with one exchange and, only where the owner said that it is about to
// sleep, write to an eventfd that the owner's wait includes. Sleeping is a flag both sides change
// by exchange after publishing what they have to say, in one total order: either the owner sees the
// message and stays awake, or a sender sees the flag and writes, and of several senders one does.
#ifndef NIKAIA_BACKENDS_POSIX_MAILBOX_H
#define NIKAIA_BACKENDS_POSIX_MAILBOX_H

#include <atomic>

#include "backends/posix/slot.h"

namespace nikaia::backend {

class Mailbox {
 public:
  Mailbox() = default;
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  // Returns 0 or a negative errno. Before anything else.
  [[nodiscard]] int open();
  // Readable after a message to a sleeper. Non-blocking.
  [[nodiscard]] int descriptor() const { return descriptor_; }

  // Any thread.
  void deliver(Op& op);  // whose slot has its outcome
  void wake();           // safe in a signal handler

  // The owner. `prepare_sleep` is false where there is a message already, and then the owner must
  // not sleep; after true it sleeps until `descriptor` is readable, and calls `end_sleep` in any
  // case.
  [[nodiscard]] bool prepare_sleep();
  void end_sleep() { sleeping_.store(false, std::memory_order_relaxed); }
  void drain_descriptor();
  // Moves what was delivered to the end of `list`; true where there was any.
  bool collect(OpList& list) {
    return delivered_.load(std::memory_order_relaxed) != nullptr && collect_delivered(list);
  }
  // Whether there was a wake since the last call.
  bool take_wake() { return woken_.load(std::memory_order_relaxed) && woken_.exchange(false); }

 private:
  void ring();
  bool collect_delivered(OpList& list);

  int descriptor_ = -1;
  std::atomic<Op*> delivered_{nullptr};  // newest first, chained by `next`
  std::atomic<bool> woken_{false};
  std::atomic<bool> sleeping_{false};
};

}  // namespace nikaia::backend

#endif
