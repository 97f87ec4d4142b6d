// What every instance keeps account of: the operations it answers for, those that are finished and
// wait to be handed out, how long a wait may last, and when it has to look around although it need
// not sleep.
#ifndef NIKAIA_BACKENDS_POSIX_FINISHED_H
#define NIKAIA_BACKENDS_POSIX_FINISHED_H

#include <cstdint>

#include "backends/posix/slot.h"

namespace nikaia::backend {

class Finished {
 public:
  // The instance answers for `op` from here on.
  void accept(Op& op) {
    occupy(op);
    ++pending_;
  }
  void complete(Op& op, Outcome outcome) {
    slot(op).outcome = outcome;
    slot(op).state = State::done;
    done_.push_back(op);
  }
  [[nodiscard]] bool empty() const { return done_.empty(); }
  [[nodiscard]] std::uint32_t pending() const { return pending_; }
  // Whether there is something to hand out, or was since this was asked last: the program has work.
  [[nodiscard]] bool is_busy() {
    const bool handed_out = handed_out_;
    handed_out_ = false;
    return handed_out || !done_.empty();
  }
  // For who finishes operations elsewhere (a mailbox, a table of descriptors) and moves them here.
  [[nodiscard]] OpList& list() { return done_; }

  // The calls `reap` and, of what nobody will collect any more, `close`.
  std::uint32_t hand_out(nikaia_io_completion* completions, std::uint32_t capacity);
  void discard();

 private:
  OpList done_;
  std::uint32_t pending_ = 0;
  bool handed_out_ = false;
};

// How long until the deadline of a `wait`; 0: it must not sleep, negative: without limit.
[[nodiscard]] std::int64_t time_left_ns(const nikaia_io_host& host, std::int64_t deadline_ns);

// A program that always has something to reap must not starve its connections; asking about them
// every time would cost each of its reads a system call. So a turn that has something goes without
// a look, but not many in a row.
class Looks {
 public:
  [[nodiscard]] bool owed(bool anything_waits, bool is_busy) {
    if (!anything_waits) return false;
    if (is_busy && ++unlooked_ < turns_between_looks) return false;
    unlooked_ = 0;
    return true;
  }

 private:
  static constexpr unsigned turns_between_looks = 16;
  unsigned unlooked_ = 0;
};

}  // namespace nikaia::backend

#endif
