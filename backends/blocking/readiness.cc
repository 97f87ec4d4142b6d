// The table behind the epoll set. Invariant: a descriptor with waiting operations is registered and
// armed for the union of what they want; one without is disarmed or not in the set.
#include "backends/blocking/readiness.h"

#include <cerrno>
#include <climits>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace nikaia::backend {
namespace {

static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT && EPOLLERR == POLLERR && EPOLLHUP == POLLHUP);

constexpr std::uint32_t always_told = EPOLLERR | EPOLLHUP;
constexpr int events_at_once = 128;

std::uint32_t wanted(const Op& op) {
  return op.kind == NIKAIA_IO_READABLE ? std::uint32_t{EPOLLIN} : std::uint32_t{EPOLLOUT};
}

void complete(Op& op, std::int64_t result, OpList& done) {
  slot(op).outcome = {result, 0};
  slot(op).state = State::done;
  done.push_back(op);
}

std::uint32_t wanted_by(const OpList& ops) {
  std::uint32_t events = 0;
  for (Op* op = ops.first(); op != nullptr; op = slot(*op).next) events |= wanted(*op);
  return events;
}

}  // namespace

Readiness::~Readiness() {
  if (set_ >= 0) close(set_);
}

int Readiness::open(int bell) {
  set_ = epoll_create1(EPOLL_CLOEXEC);
  if (set_ < 0) return -errno;
  bell_ = bell;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = bell;
  return epoll_ctl(set_, EPOLL_CTL_ADD, bell, &event) < 0 ? -errno : 0;
}

// Arms for `events`, whether the set knows the descriptor or not: its number may have been closed,
// and even opened again, since it was seen last.
int Readiness::arm(int fd, Entry& entry, std::uint32_t events) {
  epoll_event event{};
  event.events = events | EPOLLONESHOT;
  event.data.fd = fd;
  if (entry.registered && epoll_ctl(set_, EPOLL_CTL_MOD, fd, &event) == 0) {
    entry.armed = events;
    return 0;
  }
  entry.registered = epoll_ctl(set_, EPOLL_CTL_ADD, fd, &event) == 0 ||
                     (errno == EEXIST && epoll_ctl(set_, EPOLL_CTL_MOD, fd, &event) == 0);
  entry.armed = entry.registered ? events : 0;
  return entry.registered ? 0 : -errno;
}

void Readiness::add(Op& op, OpList& done) {
  if (op.fd < 0) return complete(op, -EBADF, done);
  const auto index = static_cast<std::size_t>(op.fd);
  if (index >= entries_.size()) entries_.resize(index + index / 2 + 16);
  Entry& entry = entries_[index];
  const std::uint32_t events = entry.armed | wanted(op);
  if (events != entry.armed) {
    const int error = arm(op.fd, entry, events);
    // What epoll refuses with EPERM (regular files, directories) never makes a reader wait.
    if (error == -EPERM) return complete(op, wanted(op), done);
    if (error != 0) return complete(op, error, done);
  }
  slot(op).state = State::waiting;
  entry.waiting.push_back(op);
  ++waiting_;
}

void Readiness::remove(Op& op) {
  Entry& entry = entries_[static_cast<std::size_t>(op.fd)];
  entry.waiting.remove(op);
  --waiting_;
  const std::uint32_t events = wanted_by(entry.waiting);
  if (events == entry.armed) return;
  if (events != 0) {
    arm(op.fd, entry, events);
    return;
  }
  // Out of the set: a new file with this number must not meet an entry that looks armed.
  epoll_ctl(set_, EPOLL_CTL_DEL, op.fd, nullptr);
  entry.armed = 0;
  entry.registered = false;
}

void Readiness::happened(int fd, std::uint32_t events, OpList& done) {
  Entry& entry = entries_[static_cast<std::size_t>(fd)];
  entry.armed = 0;
  for (Op* op = entry.waiting.first(); op != nullptr;) {
    Op* next = slot(*op).next;
    const std::uint32_t about = events & (wanted(*op) | always_told);
    if (about != 0) {
      entry.waiting.remove(*op);
      --waiting_;
      complete(*op, about, done);
    }
    op = next;
  }
  const std::uint32_t left = wanted_by(entry.waiting);
  if (left == 0) return;
  const int error = arm(fd, entry, left);
  if (error == 0) return;
  while (Op* op = entry.waiting.pop_front()) {
    --waiting_;
    complete(*op, error, done);
  }
}

int Readiness::sleep(epoll_event* events, int capacity, std::int64_t timeout_ns) {
  if (timeout_ns != 0 && !coarse_) {
    timespec limit{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
    const long count =
        syscall(SYS_epoll_pwait2, set_, events, capacity, timeout_ns < 0 ? nullptr : &limit, nullptr, std::size_t{0});
    if (count >= 0 || errno != ENOSYS) return static_cast<int>(count);
    coarse_ = true;
  }
  // Rounded up: a wait that ended early would be repeated at once, and spin.
  const std::int64_t timeout_ms = timeout_ns <= 0 ? timeout_ns : (timeout_ns + 999'999) / 1'000'000;
  return epoll_wait(set_, events, capacity, timeout_ms > INT_MAX ? INT_MAX : static_cast<int>(timeout_ms));
}

int Readiness::wait(std::int64_t timeout_ns, OpList& done, bool& rang) {
  epoll_event events[events_at_once];
  const int count = sleep(events, events_at_once, timeout_ns < 0 ? -1 : timeout_ns);
  if (count < 0) return -errno;
  for (int i = 0; i < count; ++i) {
    if (events[i].data.fd == bell_) {
      rang = true;
    } else {
      happened(events[i].data.fd, events[i].events, done);
    }
  }
  return 0;
}

}  // namespace nikaia::backend
