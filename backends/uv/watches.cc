// libuv says that something happened; what exactly, poll(2) is asked, because libuv reports an
// error of the descriptor as if the descriptor were bad.
#include "backends/uv/watches.h"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>

namespace nikaia::backend {
namespace {

int wanted(const Op& op) {
  return op.kind == NIKAIA_IO_READABLE ? UV_READABLE : UV_WRITABLE;
}

short poll_bit(const Op& op) {
  return op.kind == NIKAIA_IO_READABLE ? POLLIN : POLLOUT;
}

// Making a poll handle makes the descriptor non-blocking, which everybody who shares it would
// notice.
class KeptFlags {
 public:
  explicit KeptFlags(int fd) : fd_(fd), flags_(fcntl(fd, F_GETFL)) {}
  ~KeptFlags() {
    if (flags_ >= 0 && (flags_ & O_NONBLOCK) == 0) fcntl(fd_, F_SETFL, flags_);
  }
  KeptFlags(const KeptFlags&) = delete;
  KeptFlags& operator=(const KeptFlags&) = delete;

 private:
  int fd_;
  int flags_;
};

}  // namespace

struct Watches::Watch {
  uv_poll_t handle{};
  Watches* owner = nullptr;
  int fd = -1;
  int events = 0;
  OpList waiting;
};

Watches::~Watches() {
  for (Watch* watch : spare_) delete watch;
}

void Watches::closed(uv_handle_t* handle) {
  auto* watch = static_cast<Watch*>(handle->data);
  watch->owner->spare_.push_back(watch);
}

Watches::Watch* Watches::make(int fd, int& error) {
  Watch* watch = nullptr;
  if (spare_.empty()) {
    watch = new Watch;
  } else {
    watch = spare_.back();
    spare_.pop_back();
  }
  watch->owner = this;
  watch->fd = fd;
  watch->events = 0;
  watch->handle.data = watch;
  {
    const KeptFlags kept(fd);
    error = uv_poll_init(&loop_, &watch->handle, fd);
  }
  if (error == 0) {
    ++live_;
    return watch;
  }
  spare_.push_back(watch);
  return nullptr;
}

void Watches::end(Watch& watch) {
  by_descriptor_[static_cast<std::size_t>(watch.fd)] = nullptr;
  --live_;
  uv_close(reinterpret_cast<uv_handle_t*>(&watch.handle), closed);
}

void Watches::adjust(Watch& watch) {
  int events = 0;
  for (Op* op = watch.waiting.first(); op != nullptr; op = slot(*op).next) events |= wanted(*op);
  if (events == 0) return end(watch);
  if (events == watch.events && uv_is_active(reinterpret_cast<uv_handle_t*>(&watch.handle)) != 0) {
    return;
  }
  watch.events = events;
  uv_poll_start(&watch.handle, events, happened);
}

void Watches::tell(Watch& watch) {
  pollfd question{watch.fd, POLLIN | POLLOUT, 0};
  if (poll(&question, 1, 0) < 0) return;
  const auto state = static_cast<short>(question.revents);
  for (Op* op = watch.waiting.first(); op != nullptr;) {
    Op* next = slot(*op).next;
    const int about = state & (poll_bit(*op) | POLLERR | POLLHUP);
    const bool bad = (state & POLLNVAL) != 0;
    if (about != 0 || bad) {
      watch.waiting.remove(*op);
      slot(*op).outcome = {bad ? -EBADF : about, 0};
      slot(*op).state = State::done;
      done_.push_back(*op);
    }
    op = next;
  }
}

void Watches::happened(uv_poll_t* handle, int, int) {
  auto* watch = static_cast<Watch*>(handle->data);
  watch->owner->tell(*watch);
  watch->owner->adjust(*watch);
}

void Watches::add(Op& op) {
  const auto index = static_cast<std::size_t>(op.fd);
  int error = op.fd < 0 ? -EBADF : 0;
  if (error == 0 && index >= by_descriptor_.size()) by_descriptor_.resize(index + index / 2 + 16);
  Watch* watch = error == 0 ? by_descriptor_[index] : nullptr;
  if (error == 0 && watch == nullptr) watch = make(op.fd, error);
  if (watch == nullptr) {
    // What epoll refuses with EPERM (regular files, directories) never makes a reader wait.
    slot(op).outcome = {error == -EPERM ? poll_bit(op) : error, 0};
    slot(op).state = State::done;
    return done_.push_back(op);
  }
  by_descriptor_[index] = watch;
  slot(op).state = State::waiting;
  watch->waiting.push_back(op);
  adjust(*watch);
}

void Watches::remove(Op& op) {
  Watch& watch = *by_descriptor_[static_cast<std::size_t>(op.fd)];
  watch.waiting.remove(op);
  adjust(watch);
}

void Watches::close_all() {
  for (Watch* watch : by_descriptor_) {
    if (watch != nullptr) end(*watch);
  }
}

}  // namespace nikaia::backend
