// Setting the ring up, and entering it.
//
// Where the kernel has it, completions are worked off by the owner inside its own calls
// (DEFER_TASKRUN): nothing interrupts the program, and a chain of operations runs through within
// the call that submits it. That only happens while the kernel is asked for completions, and it
// stops at the number asked for. Hence `enter`: it asks for all that the submissions of this turn
// are expected to give, with no time to wait, so that what is cached is finished in one call, and
// what is not costs a second call that sleeps until the first completion.
#include "backends/uring/ring.h"

#include <cerrno>
#include <cstddef>
#include <iterator>

namespace nikaia::backend {
namespace {

constexpr unsigned descriptors_max = 256;
constexpr unsigned completions_per_entry = 4;
constexpr unsigned signal_set_bytes = 64 / 8;  // the kernel's, not the C library's

// From the newest kernel to the oldest: 6.1, 5.19, 5.10. A kernel refuses flags it does not know.
constexpr unsigned setups[] = {
    IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER |
        IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
    IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN |
        IORING_SETUP_TASKRUN_FLAG,
    IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
};

// A build for tests that takes the ways written for the oldest kernel, on whatever kernel it runs.
#ifdef NIKAIA_URING_AS_ON_OLDEST_KERNEL
constexpr std::size_t first_setup = std::size(setups) - 1;
constexpr std::uint32_t hidden_features = IORING_FEAT_EXT_ARG | IORING_FEAT_LINKED_FILE;
constexpr int last_operation = IORING_OP_TEE;
#else
constexpr std::size_t first_setup = 0;
constexpr std::uint32_t hidden_features = 0;
constexpr int last_operation = IORING_OP_LAST;
#endif

}  // namespace

Ring::~Ring() {
  if (open_) io_uring_queue_exit(&ring_);
}

int Ring::open(unsigned entries) {
  int error = -EINVAL;
  for (std::size_t i = first_setup; i < std::size(setups); ++i) {
    io_uring_params parameters{};
    parameters.flags = setups[i];
    parameters.cq_entries = entries * completions_per_entry;
    error = io_uring_queue_init_params(entries, &ring_, &parameters);
    features_ = parameters.features & ~hidden_features;
    if (error != -EINVAL) break;
  }
  if (error != 0) return error;
  open_ = true;
  ring_.features = features_;
  // Spares a look-up of the ring's descriptor at every enter; older kernels refuse it, and nothing
  // is lost.
  if (io_uring_register_ring_fd(&ring_) == 1) ring_fd_flag_ = IORING_ENTER_REGISTERED_RING;
  open_hows_.resize(ring_.sq.ring_entries);

  if (io_uring_probe* probe = io_uring_get_probe_ring(&ring_)) {
    operations_.resize(static_cast<std::size_t>(probe->last_op) + 1);
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      operations_[i] = io_uring_opcode_supported(probe, static_cast<int>(i)) != 0;
    }
    io_uring_free_probe(probe);
  }
  // Linked operations may name a descriptor that an earlier one opens only where the kernel looks
  // it up when the operation's turn comes.
  if ((features_ & IORING_FEAT_LINKED_FILE) != 0 && io_uring_register_files_sparse(&ring_, descriptors_max) == 0) {
    fixed_entries_ = descriptors_max;
  }
  return 0;
}

bool Ring::offers(int operation) const {
  const auto index = static_cast<std::size_t>(operation);
  return operation <= last_operation && index < operations_.size() && operations_[index];
}

int Ring::reserve_by_entering(unsigned count) {
  const int submitted = io_uring_submit(&ring_);
  if (io_uring_sq_space_left(&ring_) >= count) return 0;
  return submitted < 0 ? submitted : -EBUSY;
}

open_how& Ring::open_how_of(const io_uring_sqe& sqe) {
  return open_hows_[static_cast<std::size_t>(&sqe - ring_.sq.sqes)];
}

bool Ring::holds_back() const {
  const unsigned flags = __atomic_load_n(ring_.sq.kflags, __ATOMIC_RELAXED);
  return (flags & (IORING_SQ_CQ_OVERFLOW | IORING_SQ_TASKRUN)) != 0;
}

// One call of the kernel for what is queued. liburing's own look at the completion queue before and behind the
// call, and choose among its kinds meanwhile, which is a tenth of what a pair of cached reads costs in user space.
inline int Ring::enter_kernel(unsigned least, unsigned flags, const void* argument, std::size_t argument_bytes) {
  io_uring_sq& queue = ring_.sq;
  queue.sqe_head = queue.sqe_tail;  // liburing's note of what the kernel has been told
  __atomic_store_n(queue.ktail, queue.sqe_tail, __ATOMIC_RELEASE);
  return io_uring_enter2(static_cast<unsigned>(ring_.enter_ring_fd), io_uring_sq_ready(&ring_), least,
                         flags | ring_fd_flag_, const_cast<sigset_t*>(static_cast<const sigset_t*>(argument)),
                         argument_bytes);
}

int Ring::enter(unsigned expected) {
  int result = 0;
  if (expected != 0 && (features_ & IORING_FEAT_EXT_ARG) != 0) {
    const __kernel_timespec no_time{};
    io_uring_getevents_arg argument{};
    argument.sigmask_sz = signal_set_bytes;
    argument.ts = reinterpret_cast<std::uintptr_t>(&no_time);
    result = enter_kernel(expected, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &argument, sizeof argument);
  } else {
    result = enter_kernel(0, IORING_ENTER_GETEVENTS, nullptr, signal_set_bytes);
  }
  const bool of_no_interest = result == -ETIME || result == -EINTR;
  return result < 0 && !of_no_interest ? result : 0;
}

int Ring::sleep(std::int64_t timeout_ns) {
  __kernel_timespec limit{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  io_uring_cqe* first = nullptr;
  const int result = io_uring_submit_and_wait_timeout(&ring_, &first, 1, timeout_ns < 0 ? nullptr : &limit, nullptr);
  return result < 0 ? result : 0;
}

}  // namespace nikaia::backend
