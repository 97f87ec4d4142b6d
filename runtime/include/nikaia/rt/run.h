// Runs of elements: Run<T>, the borrowed view `ref Array[T]`, and TetheredRun<T>, the one that
// counts the buffer it points into; Array<T, N>, N elements inline; Range<T>, a value that copies.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/maybe.h>
#include <nikaia/rt/text.h>

namespace nikaia {

template <class T>
struct Run {
  const T* data = nullptr;
  std::size_t size = 0;
  CountedBuffer* buffer = nullptr;  // what a tethered one counts; null for elements nothing counts

  constexpr Run() = default;
  constexpr Run(const T* elements, std::size_t count, CountedBuffer* in = nullptr)
      : data(elements), size(count), buffer(in) {}
  constexpr const T* begin() const { return data; }
  constexpr const T* end() const { return data + size; }
};

template <class T>
struct TetheredRun {
  const T* data = nullptr;
  std::size_t size = 0;
  CountedBuffer* buffer = nullptr;

  constexpr TetheredRun() = default;
  TetheredRun(Run<T> run) : data(run.data), size(run.size), buffer(run.buffer) { hold(buffer); }
  TetheredRun(const TetheredRun& other) : data(other.data), size(other.size), buffer(other.buffer) { hold(buffer); }
  TetheredRun(TetheredRun&& other) noexcept : data(other.data), size(other.size), buffer(other.buffer) {
    other.data = nullptr;
    other.size = 0;
    other.buffer = nullptr;
  }
  TetheredRun& operator=(TetheredRun other) noexcept {
    std::swap(data, other.data);
    std::swap(size, other.size);
    std::swap(buffer, other.buffer);
    return *this;
  }
  ~TetheredRun() { let_go(buffer); }
  operator Run<T>() const { return Run<T>(data, size, buffer); }
};
template <class T>
struct ViewOf<TetheredRun<T>> {
  using type = Run<T>;
  static NIKAIA_INLINE Run<T> of(const TetheredRun<T>& run) { return run; }
};
template <class T>
struct StoredAs<Run<T>> {
  using type = TetheredRun<T>;
};

template <class T, std::size_t N>
struct Array {
  // Never zero C++ elements, so that Array<T, 0> is an ordinary type.
  T elements[N == 0 ? 1 : N]{};

  constexpr T* data() { return elements; }
  constexpr const T* data() const { return elements; }
  static constexpr std::size_t size() { return N; }
  constexpr const T* begin() const { return elements; }
  constexpr const T* end() const { return elements + N; }
  constexpr operator Run<T>() const { return Run<T>(elements, N); }

  friend constexpr bool operator==(const Array& a, const Array& b) requires Compares<T> {
    for (std::size_t i = 0; i < N; ++i) {
      if (!(a.elements[i] == b.elements[i])) {
        return false;
      }
    }
    return true;
  }
};
template <class T, std::size_t N>
inline constexpr bool copies<Array<T, N>> = copies<T>;
template <class T, std::size_t N>
[[nodiscard]] inline Array<T, N> clone(const Array<T, N>& x) {
  Array<T, N> made;
  for (std::size_t i = 0; i < N; ++i) {
    made.elements[i] = clone(x.elements[i]);
  }
  return made;
}

template <class T, class U>
constexpr bool same_elements(const T* a, std::size_t a_size, const U* b, std::size_t b_size) {
  if (a_size != b_size) {
    return false;
  }
  for (std::size_t i = 0; i < a_size; ++i) {
    if (!(a[i] == b[i])) {
      return false;
    }
  }
  return true;
}
template <class T, class U>
bool operator==(const Run<T>& a, const Run<U>& b) {
  return same_elements(a.data, a.size, b.data, b.size);
}
template <class T, class U>
bool operator==(const TetheredRun<T>& a, const TetheredRun<U>& b) {
  return same_elements(a.data, a.size, b.data, b.size);
}
template <class T, class U>
bool operator==(const Run<T>& a, const TetheredRun<U>& b) {
  return same_elements(a.data, a.size, b.data, b.size);
}

// a..b and a..<b. Kept as written, so that a range in brackets can be checked; a walk asks for
// `first` and `last`.
template <class T>
struct Range {
  T from = 0;
  T to = 0;
  bool inclusive = false;

  constexpr bool empty() const { return inclusive ? from > to : from >= to; }
  // Of a range that is not empty.
  constexpr T last() const { return inclusive ? to : static_cast<T>(to - 1); }
  friend constexpr bool operator==(const Range&, const Range&) = default;
};
template <class T>
NIKAIA_INLINE constexpr Range<T> range_to(T from, T to) {  // from..to
  return Range<T>{from, to, true};
}
template <class T>
NIKAIA_INLINE constexpr Range<T> range_below(T from, T end) {  // from..<end
  return Range<T>{from, end, false};
}

// The positions a range in brackets means, checked against a length. One whose start is past its
// end is empty.
struct Span {
  std::size_t from;
  std::size_t to;
};
template <class T>
NIKAIA_INLINE bool span_within(const Range<T>& range, std::size_t length, Span& span) {
  // A negative bound becomes larger than any length; the end of an inclusive range may be one below
  // zero.
  const auto from = static_cast<std::uint64_t>(range.from);
  const auto to = static_cast<std::uint64_t>(range.to) + (range.inclusive ? 1 : 0);
  span.from = static_cast<std::size_t>(from);
  span.to = static_cast<std::size_t>(to < from ? from : to);
  return from <= length && to <= length && !(range.inclusive && to == 0 && range.to > 0);
}

}  // namespace nikaia
