#include "backends/posix/finished.h"

#include "backends/posix/calls.h"

namespace nikaia::backend {

std::uint32_t Finished::hand_out(nikaia_io_completion* completions, std::uint32_t capacity) {
  std::uint32_t count = 0;
  while (count < capacity) {
    Op* op = done_.pop_front();
    if (op == nullptr) break;
    const Outcome& outcome = slot(*op).outcome;
    completions[count++] = {op->user_data, outcome.result, outcome.flags, 0};
  }
  pending_ -= count;
  handed_out_ = handed_out_ || count != 0;
  return count;
}

void Finished::discard() {
  while (Op* op = done_.pop_front()) discard_result(*op, slot(*op).outcome);
}

std::int64_t time_left_ns(const nikaia_io_host& host, std::int64_t deadline_ns) {
  if (deadline_ns == INT64_MAX) return -1;
  if (deadline_ns <= 0) return 0;
  const std::int64_t now_ns = host.now_ns(host.context);
  return deadline_ns > now_ns ? deadline_ns - now_ns : 0;
}

}  // namespace nikaia::backend
