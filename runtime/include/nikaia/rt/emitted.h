// Small shapes that only emitted code uses.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/box.h>
#include <nikaia/rt/maybe.h>
#include <nikaia/rt/run.h>
#include <nikaia/rt/text.h>
#include <nikaia/rt/vec.h>

namespace nikaia {

// What emission knows to be out of reach: a match that covers every case, the end of a function that returned.
[[noreturn]] NIKAIA_INLINE void unreachable() {
  __builtin_unreachable();
}

// The part of a value that holds its own type, out of its box. A part that may be null is boxed with its null,
// and an empty box stands for it, so that null costs no allocation.
template <class T>
NIKAIA_INLINE const T& unboxed(const Box<T>& box) {
  return *box;
}
template <class T>
NIKAIA_INLINE const Maybe<T>& unboxed(const Box<Maybe<T>>& box) {
  static const Maybe<T> none{};
  return box ? *box : none;
}
template <class T>
NIKAIA_INLINE bool holds(const Box<Maybe<T>>& box) {
  return box && box->has();
}
template <class T>
NIKAIA_INLINE Maybe<View<T>> lent(const Box<Maybe<T>>& box) {
  return box ? box->lent() : Maybe<View<T>>();
}
// The same, to be changed or taken.
template <class T>
NIKAIA_INLINE T& unbox(Box<T>& box) {
  if constexpr (is_maybe<T>) {
    if (!box) box = Box<T>::around(T());
  }
  return *box;
}
template <class T>
NIKAIA_INLINE const T& unbox(const Box<T>& box) {
  return unboxed(box);
}

// `[a, b]`
template <class T, class... Elements>
[[nodiscard]] Vec<T> vec_of(Elements&&... elements) {
  Vec<T> made;
  if constexpr (sizeof...(elements) > 0) {
    made.reserve(sizeof...(elements));
    (vec_push(made, static_cast<T>(static_cast<Elements&&>(elements))), ...);
  }
  return made;
}

// A view of text kept where text of its own may stand: shares the buffer the view points into.
[[nodiscard]] NIKAIA_INLINE String text_kept(Str text) {
  hold(text.buffer);
  return String::adopt(text.data, text.size, text.buffer);
}

// The numbers of a range for a C++ `for`. Stops on equality before it steps, so that the last value of a type
// can be the last of a range.
template <class T>
struct EachOf {
  struct Step {
    T value;
    std::uint64_t left;
    NIKAIA_INLINE T operator*() const { return value; }
    NIKAIA_INLINE void operator++() {
      --left;
      value = static_cast<T>(static_cast<std::uint64_t>(value) + 1);
    }
    NIKAIA_INLINE bool operator!=(const Step& end) const { return left != end.left; }
  };
  Range<T> range;
  NIKAIA_INLINE Step begin() const {
    const std::uint64_t width = static_cast<std::uint64_t>(range.to) - static_cast<std::uint64_t>(range.from);
    return Step{range.from, range.empty() ? 0 : width + (range.inclusive ? 1 : 0)};
  }
  NIKAIA_INLINE Step end() const { return Step{range.to, 0}; }
};
template <class T>
NIKAIA_INLINE EachOf<T> each(const Range<T>& range) {
  return EachOf<T>{range};
}

}  // namespace nikaia
