// Natural order (language 02 §4.2): what `sort`, `sort_by_key` and the ordered containers go by.
// order(a, b) is negative, zero or positive. Numbers ascending with NaN last, `false` first, text
// by its bytes, tuples part by part, lists element by element with the shorter first where one
// begins the other.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/run.h>
#include <nikaia/rt/text.h>
#include <nikaia/rt/tuple.h>
#include <nikaia/rt/vec.h>

namespace nikaia {

template <class T>
requires std::is_arithmetic_v<T> NIKAIA_INLINE int order(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b) {
      return (a != a) - (b != b);
    }
  }
  return (a > b) - (a < b);
}
NIKAIA_INLINE int order(Str a, Str b) {
  return compare_text(a, b);
}
NIKAIA_INLINE int order(const String& a, const String& b) {
  return compare_text(a, b);
}
template <class A, class B>
requires(is_text<A>&& is_text<B>) NIKAIA_INLINE int order(const A& a, const B& b) {
  return compare_text(a, b);
}
template <class T>
int order(Run<T> a, Run<T> b);
template <class T>
int order(const Vec<T>& a, const Vec<T>& b) {
  return order(static_cast<Run<T>>(a), static_cast<Run<T>>(b));
}
template <class T>
int order(const TetheredRun<T>& a, const TetheredRun<T>& b) {
  return order(static_cast<Run<T>>(a), static_cast<Run<T>>(b));
}
template <class T>
int order(const T* a, const T* b) {
  return order(*a, *b);
}
inline int order(const Tuple<>&, const Tuple<>&) {
  return 0;
}
template <class A, class... Rest, class B, class... Others>
int order(const Tuple<A, Rest...>& a, const Tuple<B, Others...>& b) {
  const int first = order(a.first, b.first);
  return first != 0 ? first : order(a.rest, b.rest);
}
template <class T>
int order(Run<T> a, Run<T> b) {
  for (std::size_t i = 0; i < a.size && i < b.size; ++i) {
    const int here = order(a.data[i], b.data[i]);
    if (here != 0) {
      return here;
    }
  }
  return order(a.size, b.size);
}

// `a.cmp(b)` (07 §20): the same order as a number, for `sort_by`.
template <class T>
NIKAIA_INLINE std::int64_t int_cmp(T a, T b) {
  return order(a, b);
}
NIKAIA_INLINE std::int64_t f64_cmp(double a, double b) {
  return order(a, b);
}
NIKAIA_INLINE std::int64_t char_cmp(char32_t a, char32_t b) {
  return order(a, b);
}
NIKAIA_INLINE std::int64_t text_cmp(Str a, Str b) {
  return order(a, b);
}

}  // namespace nikaia
