// Bounded channels (language 04 §10, 07 §10): a ring of values with a sender's and a receiver's
// end.
//
// Who finds no room, or nothing there, waits in a queue and looks again when it is woken: a wake-up
// says that something may be there and carries nothing. So a receiver that is cancelled after its
// wake-up (it lost a `select`) leaves the value where the next one finds it, and hands its wake-up
// on.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/maybe.h>
#include <nikaia/rt/task.h>
#include <nikaia/rt/tuple.h>

namespace nikaia {
namespace rt {

struct Waiting;

// Tasks that wait for the same thing, oldest first.
struct WaitQueue {
  Waiting* first = nullptr;
  Waiting* last = nullptr;

  // Pauses the running task until it is woken. A cancelled task is unwound and its wake-up, if it
  // had one, goes to the next in the queue.
  void wait();
  void wake_one();
  void wake_all();
};

// The values of one channel and the two kinds of waiting. The ring grows up to the capacity as it
// is needed.
template <class T>
struct Channel {
  Slot<T>* ring = nullptr;
  std::size_t room = 0;  // slots in the ring
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t capacity = 0;
  std::size_t senders = 1;
  bool receiver_there = true;
  WaitQueue for_room;
  WaitQueue for_value;

  ~Channel() {
    drop_values();
    std::free(ring);
  }
  void push(T&& value) {
    if (count == room) grow();
    std::size_t at = first + count;
    if (at >= room) at -= room;
    new (&ring[at].value) T(static_cast<T&&>(value));
    ++count;
  }
  T pop() {
    T& oldest = ring[first].value;
    T value(static_cast<T&&>(oldest));
    oldest.~T();
    if (++first == room) first = 0;
    --count;
    return value;
  }
  void drop_values() {
    while (count > 0) {
      [[maybe_unused]] const T dead(pop());
    }
  }
  [[gnu::noinline]] void grow() {
    const std::size_t wanted = room == 0 ? 8 : room * 2;
    const std::size_t more = wanted < capacity ? wanted : capacity;
    auto* larger = static_cast<Slot<T>*>(take_memory(more * sizeof(Slot<T>)));
    for (std::size_t at = 0; at < count; ++at) {
      T& old = ring[(first + at) % room].value;
      new (&larger[at].value) T(static_cast<T&&>(old));
      old.~T();
    }
    std::free(ring);
    ring = larger;
    room = more;
    first = 0;
  }
  // One end less; the last of both frees the channel.
  void sender_gone() {
    if (--senders > 0) return;
    if (receiver_there) {
      for_value.wake_all();
    } else {
      delete this;
    }
  }
  void receiver_gone() {
    receiver_there = false;
    drop_values();
    if (senders > 0) {
      for_room.wake_all();
    } else {
      delete this;
    }
  }
};

}  // namespace rt

template <class T>
class Sender {
 public:
  Sender() = default;
  explicit Sender(rt::Channel<T>* channel) : channel_(channel) {}
  Sender(Sender&& other) noexcept : channel_(other.channel_) { other.channel_ = nullptr; }
  Sender& operator=(Sender&& other) noexcept {
    std::swap(channel_, other.channel_);
    return *this;
  }
  ~Sender() {
    if (channel_ != nullptr) channel_->sender_gone();
  }

  // Pauses while the channel is full. Where the receiver is gone the value is dropped.
  void send(T value) const {
    rt::pause_point();
    rt::Channel<T>& channel = *channel_;
    while (channel.receiver_there && channel.count == channel.capacity) channel.for_room.wait();
    if (!channel.receiver_there) return;
    channel.push(static_cast<T&&>(value));
    if (channel.for_value.first != nullptr) channel.for_value.wake_one();
  }
  [[nodiscard]] Sender clone() const {
    ++channel_->senders;
    return Sender(channel_);
  }

 private:
  rt::Channel<T>* channel_ = nullptr;
};

template <class T>
class Receiver {
 public:
  // A channel of `T?` reads as one `T?`.
  using Received = std::conditional_t<is_maybe<T>, T, Maybe<T>>;

  Receiver() = default;
  explicit Receiver(rt::Channel<T>* channel) : channel_(channel) {}
  Receiver(Receiver&& other) noexcept : channel_(other.channel_) { other.channel_ = nullptr; }
  Receiver& operator=(Receiver&& other) noexcept {
    std::swap(channel_, other.channel_);
    return *this;
  }
  ~Receiver() {
    if (channel_ != nullptr) channel_->receiver_gone();
  }

  // The oldest value. Pauses until there is one; null once every sender is gone and nothing is
  // left.
  [[nodiscard]] Received recv() const {
    rt::pause_point();
    rt::Channel<T>& channel = *channel_;
    while (channel.count == 0 && channel.senders > 0) channel.for_value.wait();
    if (channel.count == 0) return Received();
    Received value(channel.pop());
    if (channel.for_room.first != nullptr) channel.for_room.wake_one();
    return value;
  }

 private:
  rt::Channel<T>* channel_ = nullptr;
};

template <class T>
inline constexpr bool copies<Sender<T>> = false;
template <class T>
inline constexpr bool copies<Receiver<T>> = false;

// ---- the rows

template <class T>
[[nodiscard]] Tuple<Sender<T>, Receiver<T>> channel_bounded(std::int64_t capacity, At at = At::here()) {
  auto* channel = new rt::Channel<T>;
  channel->capacity = counted_from_one(capacity, at);
  return Tuple<Sender<T>, Receiver<T>>(Sender<T>(channel), Receiver<T>(channel));
}
template <class T>
void sender_send(const Sender<T>& sender, std::type_identity_t<T> value) {
  sender.send(static_cast<T&&>(value));
}
template <class T>
[[nodiscard]] Sender<T> sender_clone(const Sender<T>& sender) {
  return sender.clone();
}
template <class T>
[[nodiscard]] typename Receiver<T>::Received receiver_recv(const Receiver<T>& receiver) {
  return receiver.recv();
}

}  // namespace nikaia
