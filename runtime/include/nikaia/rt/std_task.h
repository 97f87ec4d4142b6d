// The rows of tasks, scopes and channels (language 07 §10) in the shape emission calls them.
#pragma once

#include <nikaia/rt/channel.h>
#include <nikaia/rt/scope.h>
#include <nikaia/rt/task.h>

namespace nikaia {

template <class T>
NIKAIA_INLINE Result<T> task_join(TaskHandle<T> handle) {
  return handle.join();
}
template <class T>
NIKAIA_INLINE void task_cancel(TaskHandle<T> handle) {
  handle.cancel();
}

// A scope is lent to its body as any value is, by a pointer to const; its tasks are its own.
template <class F>
auto scope_of(F&& body) {
  return task_scope([&body](Scope& scope) { return body(static_cast<const Scope*>(&scope)); });
}
template <class F>
void scope_start(const Scope& scope, F body, At at = At::here()) {
  scope_spawn(const_cast<Scope&>(scope), static_cast<F&&>(body), at);
}

// A channel by the pair of its ends.
template <class Ends>
struct ChannelOf;
template <class T>
struct ChannelOf<Tuple<Sender<T>, Receiver<T>>> {
  static Tuple<Sender<T>, Receiver<T>> bounded(std::int64_t capacity, At at) {
    return channel_bounded<T>(capacity, at);
  }
};
template <class Ends>
[[nodiscard]] Ends channel_of(std::int64_t capacity, At at = At::here()) {
  return ChannelOf<Ends>::bounded(capacity, at);
}

}  // namespace nikaia
