// Box<T>: the part of a type that holds its own type, an owning pointer that behaves as the value.
// A chain or tree of boxes is freed without recursion: a box whose value is being freed hands the
// boxes inside it to a list of the thread, and the outermost one works the list off. Dropping a
// list of a million nodes takes no stack, and a box is no larger than its value.
//
// Beside a pointer and none a Box has a third state, `spare`, which no live value has: a type with a
// box in it uses it to be the `null` of its own `T?` without a flag (emitted as a `Spare`).
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/maybe.h>

namespace nikaia {

// Calls `free` on the box: now, or by the box that is being freed on this thread.
void free_box(void* box, void (*free)(void*));

template <class T>
class Box {
 public:
  constexpr Box() = default;
  // Of a part that may be null and is, an empty box.
  Box(T value) {
    if constexpr (is_maybe<T>) {
      if (!value.has()) {
        return;
      }
    }
    boxed_ = new T(static_cast<T&&>(value));
  }
  // A box whatever the value is.
  static Box around(T value) {
    Box made;
    made.boxed_ = new T(static_cast<T&&>(value));
    return made;
  }
  static Box spare() {
    Box made;
    made.boxed_ = reinterpret_cast<T*>(spare_bits);
    return made;
  }
  Box(Box&& other) noexcept : boxed_(other.boxed_) {
    if (other) {
      other.boxed_ = nullptr;
    }
  }
  Box& operator=(Box&& other) noexcept {
    Box taken(static_cast<Box&&>(other));
    std::swap(boxed_, taken.boxed_);
    return *this;
  }
  ~Box() {
    if (*this) {
      free_box(boxed_, [](void* box) { delete static_cast<T*>(box); });
    }
  }

  explicit operator bool() const { return reinterpret_cast<std::uintptr_t>(boxed_) > spare_bits; }
  bool is_spare() const { return reinterpret_cast<std::uintptr_t>(boxed_) == spare_bits; }
  T& operator*() { return *boxed_; }
  const T& operator*() const { return *boxed_; }
  T* operator->() { return boxed_; }
  const T* operator->() const { return boxed_; }
  // The value itself, out of its box.
  T take() {
    Box gone(static_cast<Box&&>(*this));
    return static_cast<T&&>(*gone.boxed_);
  }
  Box clone() const;

  friend bool operator==(const Box& a, const Box& b) { return a.boxed_ == b.boxed_ || (a && b && *a == *b); }

 private:
  static constexpr std::uintptr_t spare_bits = 1;  // where no value lies

  T* boxed_ = nullptr;
};

template <class T>
inline constexpr bool copies<Box<T>> = false;
template <class T>
struct ViewOf<Box<T>> {
  using type = const T*;
  static NIKAIA_INLINE const T* of(const Box<T>& box) { return box ? &*box : nullptr; }
};
template <class T>
Box<T> Box<T>::clone() const {
  using nikaia::clone;
  return *this ? Box(clone(*boxed_)) : Box();
}
template <class T>
[[nodiscard]] Box<T> clone(const Box<T>& box) {
  return box.clone();
}
template <class T>
struct Spare<Box<T>> {
  static constexpr bool exists = true;
  static Box<T> null() { return {}; }
  static bool is_null(const Box<T>& box) { return !box; }
  static void settle(Box<T>&) {}
};

// Of a type with a box in it, which its `first_box()` is.
template <class T>
struct SpareByBox {
  static constexpr bool exists = true;
  static T null() {
    T made{};
    made.first_box() = std::remove_cvref_t<decltype(made.first_box())>::spare();
    return made;
  }
  static bool is_null(const T& value) { return value.first_box().is_spare(); }
  static void settle(T&) {}
};

}  // namespace nikaia
