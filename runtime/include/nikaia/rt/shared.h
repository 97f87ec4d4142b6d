// Shared values and locks (language 03 §3, §4): Shared<T>, several owners of one value nobody
// changes; SharedMut<T>, several owners of a value changed through its lock's doors; Locked<T>, the
// lock alone.
//
// The lock is a cell with an "open" flag. Where user code runs on one thread the flag only notices
// a lock opened inside itself, which no accepted program does. Where it runs on several the flag is
// what they contend for: a door is short, runs no code that pauses and opens no second lock, so a
// waiter yields its thread until it is its turn. A task that is unwound out of a door by a panic
// leaves the lock poisoned; the next door panics.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/format.h>
#include <nikaia/rt/maybe.h>
#include <nikaia/rt/result.h>

namespace nikaia {

// A counted value on the heap.
template <class T>
struct Held {
  std::size_t count;
  T value;
};

template <class T>
class Shared {
 public:
  constexpr Shared() = default;
  Shared(T value) : held_(new Held<T>{1, static_cast<T&&>(value)}) {}
  Shared(const Shared& other) : held_(other.held_) {
    if (held_ != nullptr) {
      count_up(held_->count);
    }
  }
  Shared(Shared&& other) noexcept : held_(other.held_) { other.held_ = nullptr; }
  Shared& operator=(Shared other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~Shared() {
    if (held_ != nullptr && count_down(held_->count)) {
      delete held_;
    }
  }

  explicit operator bool() const { return held_ != nullptr; }
  // The value, for its last owner; null while there are others.
  T* only_owner() { return held_ != nullptr && only_holder(held_->count) ? &held_->value : nullptr; }
  const T& operator*() const { return held_->value; }
  const T* operator->() const { return &held_->value; }
  friend bool operator==(const Shared& a, const Shared& b) requires Compares<T> {
    return a.held_ == b.held_ || *a == *b;
  }

 private:
  Held<T>* held_ = nullptr;
};
template <class T>
inline constexpr bool is_handle<Shared<T>> = true;
template <class T>
struct Spare<Shared<T>> {
  static constexpr bool exists = true;
  static Shared<T> null() { return {}; }
  static bool is_null(const Shared<T>& shared) { return !shared; }
  static void settle(Shared<T>&) {}
};
template <class T>
NIKAIA_INLINE Shared<T> shared_new(T value) {
  return Shared<T>(static_cast<T&&>(value));
}
template <class T>
struct Show<Shared<T>> {
  static void to(String& out, const Shared<T>& value) { show(out, *value); }
};
template <class T>
struct Debug<Shared<T>> {
  static void to(DebugText& out, const Shared<T>& value) { debug(out, *value); }
};

// ---- the lock

using LockState = std::uint8_t;
inline constexpr LockState lock_closed = 0;
inline constexpr LockState lock_open = 1;
inline constexpr LockState lock_poisoned = 2;

void wait_for_lock(LockState& state,
                   At at);  // until it was closed and is now open for the caller, or stops
NIKAIA_COLD void stop_lock(LockState state, At at);

template <class T>
struct LockCell {
  LockState state = lock_closed;
  T value;
};

// Open from its making to its end; an end that is an unwinding poisons.
class Door {
 public:
  NIKAIA_INLINE Door(LockState& state, At at) : state_(state) {
    if (__builtin_expect(counts_are_atomic, 0)) {
      wait_for_lock(state, at);
    } else if (__builtin_expect(state != lock_closed, 0)) {
      stop_lock(state, at);
    } else {
      state = lock_open;
    }
  }
  NIKAIA_INLINE ~Door() { __atomic_store_n(&state_, passed_ ? lock_closed : lock_poisoned, __ATOMIC_RELEASE); }
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  NIKAIA_INLINE void pass() { passed_ = true; }

 private:
  LockState& state_;
  bool passed_ = false;
};

// Locked<T> moves with what holds it; it is not moved while it is open.
template <class T>
class Locked {
 public:
  Locked() = default;
  explicit Locked(T value) : cell_{lock_closed, static_cast<T&&>(value)} {}
  Locked(Locked&&) noexcept = default;
  Locked& operator=(Locked&&) noexcept = default;
  LockCell<T>& cell() const { return cell_; }

 private:
  mutable LockCell<T> cell_{};
};

template <class T>
class SharedMut {
 public:
  constexpr SharedMut() = default;
  explicit SharedMut(T value) : held_(new Held<LockCell<T>>{1, {lock_closed, static_cast<T&&>(value)}}) {}
  SharedMut(const SharedMut& other) : held_(other.held_) {
    if (held_ != nullptr) {
      count_up(held_->count);
    }
  }
  SharedMut(SharedMut&& other) noexcept : held_(other.held_) { other.held_ = nullptr; }
  SharedMut& operator=(SharedMut other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~SharedMut() {
    if (held_ != nullptr && count_down(held_->count)) {
      delete held_;
    }
  }
  explicit operator bool() const { return held_ != nullptr; }
  LockCell<T>& cell() const { return held_->value; }
  // The value, for its last owner; null while there are others.
  T* only_owner() { return held_ != nullptr && only_holder(held_->count) ? &held_->value.value : nullptr; }

 private:
  Held<LockCell<T>>* held_ = nullptr;
};
template <class T>
inline constexpr bool is_handle<SharedMut<T>> = true;
template <class T>
struct Spare<SharedMut<T>> {
  static constexpr bool exists = true;
  static SharedMut<T> null() { return {}; }
  static bool is_null(const SharedMut<T>& shared) { return !shared; }
  static void settle(SharedMut<T>&) {}
};
template <class T>
NIKAIA_INLINE SharedMut<T> shared_mut_new(T value) {
  return SharedMut<T>(static_cast<T&&>(value));
}
template <class T>
NIKAIA_INLINE Locked<T> locked_new(T value) {
  return Locked<T>(static_cast<T&&>(value));
}

// What a lock hands out reads like the value; the stamp is the compiler's alone.
template <class T>
using Seen = T;

struct Overtaken {
  String message() const { return String::literal("the value changed after it was read"_s); }
  friend bool operator==(const Overtaken&, const Overtaken&) = default;
};
inline String overtaken_message(const Overtaken& error) {
  return error.message();
}

template <class L>
using LockedValue = std::remove_reference_t<decltype(std::declval<const L&>().cell().value)>;

// A copy of what the lock holds.
template <class L>
LockedValue<L> lock_get(const L& lock, At at = At::here()) {
  auto& cell = lock.cell();
  Door door(cell.state, at);
  auto copied = clone(cell.value);
  door.pass();
  return copied;
}
template <class L, class V>
void lock_set(const L& lock, V&& value, At at = At::here()) {
  LockedValue<L> made(static_cast<V&&>(value));
  auto& cell = lock.cell();
  {
    Door door(cell.state, at);
    std::swap(cell.value, made);
    door.pass();
  }  // the old value dies outside the door
}
// Stores only where the lock still holds `after`.
template <class L, class V, class W>
Result<void> lock_set_after(const L& lock, V&& value, const W& after, At at = At::here()) {
  LockedValue<L> made(static_cast<V&&>(value));
  auto& cell = lock.cell();
  bool stored = false;
  {
    Door door(cell.state, at);
    if (cell.value == seen(after)) {
      std::swap(cell.value, made);
      stored = true;
    }
    door.pass();
  }
  if (!stored) {
    return Failure::make(Overtaken{});
  }
  return {};
}
// The row as the ledger has it: `after` may be absent.
template <class L, class V, class W>
Result<void> lock_set(const L& lock, V&& value, const Maybe<W>& after, At at = At::here()) {
  if (after.has()) return lock_set_after(lock, static_cast<V&&>(value), after.value(), at);
  lock_set(lock, static_cast<V&&>(value), at);
  return {};
}
// Runs `f` on the value in place, once.
template <class L, class F>
auto lock_update(const L& lock, F&& f, At at = At::here()) {
  using Answer = std::invoke_result_t<F&, LockedValue<L>&>;
  auto& cell = lock.cell();
  Door door(cell.state, at);
  if constexpr (is_result<Answer>) {
    Result<void> outcome;
    Answer answer = f(cell.value);
    if (answer.failed()) {
      outcome = answer.take_failure();
    }
    door.pass();
    return outcome;
  } else {
    (void)f(cell.value);
    door.pass();
  }
}
// Runs `body` and closes the door behind it; what the body came to is made before that.
template <class D, class F>
auto through(D& door, F&& body) {
  if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
    body();
    door.pass();
  } else {
    auto answer = body();
    door.pass();
    return answer;
  }
}
template <class L, class F>
auto lock_access(const L& lock, F&& f, At at = At::here()) {
  auto& cell = lock.cell();
  Door door(cell.state, at);
  return through(door, [&] { return f(view(static_cast<const LockedValue<L>&>(cell.value))); });
}

// Two locks, opened in the order of their addresses.
struct TwoDoors {
  Door first;
  Door second;
  TwoDoors(LockState& a, LockState& b, At at) : first(&a < &b ? a : b, at), second(&a < &b ? b : a, at) {}
  void pass() {
    first.pass();
    second.pass();
  }
};
template <class A, class B, class F>
void update_all(const A& a, const B& b, F&& f, At at = At::here()) {
  auto& first = a.cell();
  auto& second = b.cell();
  TwoDoors doors(first.state, second.state, at);  // one lock twice stops at its second door
  (void)f(first.value, second.value);
  doors.pass();
}
template <class A, class B, class F>
auto access_all(const A& a, const B& b, F&& f, At at = At::here()) {
  using X = LockedValue<A>;
  using Y = LockedValue<B>;
  auto& first = a.cell();
  auto& second = b.cell();
  if constexpr (std::is_same_v<X, Y>) {
    if (&first == &second) {
      Door door(first.state, at);
      return through(
          door, [&] { return f(view(static_cast<const X&>(first.value)), view(static_cast<const Y&>(first.value))); });
    }
  }
  TwoDoors doors(first.state, second.state, at);
  return through(
      doors, [&] { return f(view(static_cast<const X&>(first.value)), view(static_cast<const Y&>(second.value))); });
}

}  // namespace nikaia
