// Box<T>: the part of a type that holds its own type, an owning pointer that behaves as the value.
// A chain or tree of boxes is freed without recursion: a box whose value is being freed hands the
// boxes inside it to a list of the thread, and the outermost one works the list off. Dropping a
// list of a million nodes takes no stack.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/maybe.h>

namespace nikaia {

struct BoxHeader {
  BoxHeader* next = nullptr;
  void (*free)(BoxHeader*) = nullptr;
};
void free_box(BoxHeader* box);  // now, or by the box that is being freed on this thread

template <class T>
struct Boxed : BoxHeader {
  T value;
  explicit Boxed(T&& v) : value(static_cast<T&&>(v)) {
    this->free = [](BoxHeader* self) { delete static_cast<Boxed*>(self); };
  }
};

template <class T>
class Box {
 public:
  constexpr Box() = default;
  Box(T value) : boxed_(new Boxed<T>(static_cast<T&&>(value))) {}
  Box(Box&& other) noexcept : boxed_(other.boxed_) { other.boxed_ = nullptr; }
  Box& operator=(Box&& other) noexcept {
    Boxed<T>* taken = other.boxed_;
    other.boxed_ = nullptr;
    Boxed<T>* old = boxed_;  // null where the two are one
    boxed_ = taken;
    if (old != nullptr) {
      free_box(old);
    }
    return *this;
  }
  ~Box() {
    if (boxed_ != nullptr) {
      free_box(boxed_);
    }
  }

  explicit operator bool() const { return boxed_ != nullptr; }
  T& operator*() { return boxed_->value; }
  const T& operator*() const { return boxed_->value; }
  T* operator->() { return &boxed_->value; }
  const T* operator->() const { return &boxed_->value; }
  // The value itself, out of its box.
  T take() {
    Box gone(static_cast<Box&&>(*this));
    return static_cast<T&&>(gone.boxed_->value);
  }
  Box clone() const;

  friend bool operator==(const Box& a, const Box& b) {
    return a.boxed_ == b.boxed_ || (a && b && *a == *b);
  }

 private:
  Boxed<T>* boxed_ = nullptr;
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
  return boxed_ != nullptr ? Box(clone(boxed_->value)) : Box();
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

}  // namespace nikaia
