// The messages' order: push or set, then look whether the owner sleeps; the owner: say so, then
// look for messages. All four are sequentially consistent, which is what makes a lost wake
// impossible.
#include "backends/posix/mailbox.h"

#include <cerrno>
#include <sys/eventfd.h>
#include <unistd.h>

namespace nikaia::backend {

Mailbox::~Mailbox() {
  if (descriptor_ >= 0) close(descriptor_);
}

int Mailbox::open() {
  descriptor_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return descriptor_ < 0 ? -errno : 0;
}

void Mailbox::ring() {
  if (!sleeping_.exchange(false)) return;
  const int kept = errno;
  const std::uint64_t one = 1;
  // A full counter is a descriptor that is readable already.
  [[maybe_unused]] const ssize_t written = write(descriptor_, &one, sizeof one);
  errno = kept;
}

void Mailbox::deliver(Op& op) {
  Op* top = delivered_.load(std::memory_order_relaxed);
  do {
    slot(op).next = top;
  } while (!delivered_.compare_exchange_weak(top, &op));
  ring();
}

void Mailbox::wake() {
  woken_.store(true);
  ring();
}

bool Mailbox::prepare_sleep() {
  sleeping_.store(true);
  if (delivered_.load() == nullptr && !woken_.load()) return true;
  end_sleep();
  return false;
}

void Mailbox::drain_descriptor() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t bytes = read(descriptor_, &count, sizeof count);
}

bool Mailbox::collect_delivered(OpList& list) {
  Op* op = delivered_.exchange(nullptr, std::memory_order_acquire);
  Op* oldest = nullptr;
  while (op != nullptr) {
    Op* next = slot(*op).next;
    slot(*op).next = oldest;
    oldest = op;
    op = next;
  }
  while (oldest != nullptr) {
    Op* next = slot(*oldest).next;
    slot(*oldest).state = State::done;
    list.push_back(*oldest);
    oldest = next;
  }
  return true;
}

}  // namespace nikaia::backend
