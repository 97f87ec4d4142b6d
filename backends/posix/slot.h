// What the shipped backends keep in `nikaia_io_op::backend` while an operation is theirs, and lists
// of operations threaded through it.
//
// An operation is in at most one list at a time, so a list costs no memory and taking an operation
// out of the middle of it (cancelling) is a few stores. Which list that is, the state says.
#ifndef NIKAIA_BACKENDS_POSIX_SLOT_H
#define NIKAIA_BACKENDS_POSIX_SLOT_H

#include <cstdint>
#include <new>

#include <nikaia/backend.h>

namespace nikaia::backend {

using Op = nikaia_io_op;

class Mailbox;

enum class State : std::uint8_t {
  fresh,    // accepted, not begun
  queued,   // waits for a worker
  running,  // a worker or the kernel has it
  waiting,  // registered for readiness
  done,     // has its result, waits to be reaped
};

struct Outcome {
  std::int64_t result = 0;
  std::uint32_t flags = 0;  // of the completion
};

struct Slot {
  Op* previous = nullptr;
  Op* next = nullptr;
  Mailbox* owner = nullptr;    // where a worker delivers
  std::uint64_t progress = 0;  // bytes of a whole-file read that are in the buffer
  Outcome outcome;
  State state = State::fresh;
  bool cancelled = false;    // an early end was asked for
  std::uint8_t step = 0;     // the backend's own
  std::uint8_t waiting = 0;  // the backend's own
  std::int32_t fixed = -1;   // the backend's own: an entry of a table of descriptors
};
static_assert(sizeof(Slot) <= sizeof(nikaia_io_op::backend));

// Begins the backend's use of an operation. What stood in the words before is not looked at.
inline Slot& occupy(Op& op) {
  return *new (static_cast<void*>(op.backend)) Slot;
}

inline Slot& slot(Op& op) {
  return *std::launder(reinterpret_cast<Slot*>(static_cast<void*>(op.backend)));
}

class OpList {
 public:
  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  [[nodiscard]] Op* first() const { return first_; }

  void push_back(Op& op) {
    Slot& own = slot(op);
    own.previous = last_;
    own.next = nullptr;
    (last_ == nullptr ? first_ : slot(*last_).next) = &op;
    last_ = &op;
  }

  void remove(Op& op) {
    Slot& own = slot(op);
    (own.previous == nullptr ? first_ : slot(*own.previous).next) = own.next;
    (own.next == nullptr ? last_ : slot(*own.next).previous) = own.previous;
    own.previous = own.next = nullptr;
  }

  Op* pop_front() {
    Op* op = first_;
    if (op != nullptr) remove(*op);
    return op;
  }

  // Moves everything in `other` behind what is here.
  void splice_back(OpList& other) {
    if (other.first_ == nullptr) return;
    slot(*other.first_).previous = last_;
    (last_ == nullptr ? first_ : slot(*last_).next) = other.first_;
    last_ = other.last_;
    other.first_ = other.last_ = nullptr;
  }

 private:
  Op* first_ = nullptr;
  Op* last_ = nullptr;
};

}  // namespace nikaia::backend

#endif
