// One io_uring, set up with the best the kernel has, and the few ways this backend enters it.
#ifndef NIKAIA_BACKENDS_URING_RING_H
#define NIKAIA_BACKENDS_URING_RING_H

#include <cstddef>
#include <cstdint>
#include <liburing.h>
#include <vector>

namespace nikaia::backend {

class Ring {
 public:
  Ring() = default;
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // At least `entries` submissions at once. 0 or a negative errno. The calling thread becomes the
  // only one that may use the ring.
  [[nodiscard]] int open(unsigned entries);

  // What the kernel offers.
  [[nodiscard]] std::uint32_t features() const { return features_; }
  [[nodiscard]] bool offers(int operation) const;
  // Entries of the table of descriptors that operations of the ring open into; 0: it has none.
  [[nodiscard]] unsigned fixed_entries() const { return fixed_entries_; }

  // Makes room for `count` submissions in one call of the kernel, entering it where the queue is
  // full. 0, or a negative errno and then there is no room: what the kernel has finished must be
  // looked at first.
  [[nodiscard]] int reserve(unsigned count) {
    return io_uring_sq_space_left(&ring_) >= count ? 0 : reserve_by_entering(count);
  }
  // The next submission, to be prepared in full. There is room, so that nothing is asked here.
  [[nodiscard]] io_uring_sqe& next() { return ring_.sq.sqes[ring_.sq.sqe_tail++ & ring_.sq.ring_mask]; }
  // Where the next submission may keep what the kernel reads when it is submitted.
  [[nodiscard]] open_how& open_how_of(const io_uring_sqe& sqe);

  [[nodiscard]] unsigned queued() const { return io_uring_sq_ready(&ring_); }
  // Whether the kernel has something that only shows when it is entered.
  [[nodiscard]] bool holds_back() const;

  // Submits what is queued and lets the kernel finish what needs no waiting, up to `expected`
  // completions. 0 or a negative errno.
  [[nodiscard]] int enter(unsigned expected);
  // Submits what is queued and waits for a completion; `timeout_ns` negative: without limit. 0 or a
  // negative errno: -ETIME, -EINTR, -EAGAIN, -EBUSY are of the moment, others are for good.
  [[nodiscard]] int sleep(std::int64_t timeout_ns);

  // Calls `see(user_data, result)` for every completion that is there. Each is given back before
  // `see` is called, which may therefore submit, enter and call `each` itself.
  template <typename See>
  void each(const See& see) {
    io_uring_cq& queue = ring_.cq;
    for (;;) {
      const unsigned head = *queue.khead;  // nobody else moves it
      if (head == __atomic_load_n(queue.ktail, __ATOMIC_ACQUIRE)) return;
      const io_uring_cqe& entry = queue.cqes[head & queue.ring_mask];
      const std::uint64_t data = entry.user_data;
      const int result = entry.res;
      __atomic_store_n(queue.khead, head + 1, __ATOMIC_RELEASE);
      if (data != LIBURING_UDATA_TIMEOUT) see(data, result);
    }
  }

 private:
  [[nodiscard]] int reserve_by_entering(unsigned count);
  [[nodiscard]] int enter_kernel(unsigned least, unsigned flags, const void* argument, std::size_t argument_bytes);

  bool open_ = false;
  unsigned ring_fd_flag_ = 0;  // says how `enter_ring_fd` names the ring
  std::uint32_t features_ = 0;
  unsigned fixed_entries_ = 0;
  io_uring ring_{};
  std::vector<bool> operations_;
  std::vector<open_how> open_hows_;  // by the submission's place in the queue
};

}  // namespace nikaia::backend

#endif
