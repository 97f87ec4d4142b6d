// Waits for readiness as registrations with one epoll set.
//
// epoll knows a descriptor once, while any number of operations may wait for it. So each descriptor
// has an entry with the operations that wait, and is armed, one-shot, for what they want together.
// An event completes those it is about and arms the descriptor again for the others. A descriptor
// stays in the set disarmed, so that the next wait on it is one call; that its number may have gone
// to another file by then shows in that call.
#ifndef NIKAIA_BACKENDS_BLOCKING_READINESS_H
#define NIKAIA_BACKENDS_BLOCKING_READINESS_H

#include <cstdint>
#include <sys/epoll.h>
#include <vector>

#include "backends/posix/slot.h"

namespace nikaia::backend {

class Readiness {
 public:
  Readiness() = default;
  ~Readiness();
  Readiness(const Readiness&) = delete;
  Readiness& operator=(const Readiness&) = delete;

  // `bell` is a descriptor whose readiness ends a wait. 0 or a negative errno.
  [[nodiscard]] int open(int bell);

  // Registers `op` (readable or writable), or appends it to `done` where its answer is known.
  void add(Op& op, OpList& done);
  // Takes a registered operation out.
  void remove(Op& op);
  [[nodiscard]] std::uint32_t waiting() const { return waiting_; }

  // Blocks until an event or `timeout_ns` has passed; negative: no limit. Appends what became ready
  // to `done`. Sets `rang` where the bell was readable. 0 or a negative errno, -EINTR among them.
  [[nodiscard]] int wait(std::int64_t timeout_ns, OpList& done, bool& rang);

 private:
  struct Entry {
    OpList waiting;
    std::uint32_t armed = 0;  // events
    bool registered = false;  // in the set, as far as is known
  };

  int arm(int fd, Entry& entry, std::uint32_t events);
  void happened(int fd, std::uint32_t events, OpList& done);
  int sleep(epoll_event* events, int capacity, std::int64_t timeout_ns);

  int set_ = -1;
  int bell_ = -1;
  bool coarse_ = false;  // the kernel has no epoll_pwait2
  std::uint32_t waiting_ = 0;
  std::vector<Entry> entries_;  // by descriptor
};

}  // namespace nikaia::backend

#endif
