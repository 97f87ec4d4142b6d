// The rows of a list that walk it through a lambda (language 07 §4.1). Each lends the elements;
// each answers Result<…> where its lambda can fail, and stops at the first failure.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/order.h>
#include <nikaia/rt/result.h>
#include <nikaia/rt/seq.h>
#include <nikaia/rt/vec.h>

namespace nikaia {

template <class T, class F>
auto vec_map(const Vec<T>& list, F&& f) {
  return seq_collect(seq_map(walk(list), [&f](View<T> x) { return f(x); }));
}
// A list of views of those `f` says yes to, of the values where T copies.
template <class T, class F>
auto vec_filter(const Vec<T>& list, F&& f) {
  return seq_collect(seq_filter(walk(list), [&f](View<T> x) { return f(x); }));
}
template <class T, class F>
auto vec_for_each(const Vec<T>& list, F&& f) {
  return seq_for_each(walk(list), f);
}
template <class T, class A, class F>
auto vec_reduce(const Vec<T>& list, A start, F&& f) {
  using Answer = std::invoke_result_t<F&, A, View<T>>;
  const auto run = [&]() -> MayFail<A, is_result<Answer>> {
    A sum = static_cast<A&&>(start);
    for (const T& x : list) {
      if constexpr (is_result<Answer>) {
        Answer answer = f(static_cast<A&&>(sum), view(x));
        if (answer.failed()) {
          return answer.take_failure();
        }
        sum = answer.take();
      } else {
        sum = f(static_cast<A&&>(sum), view(x));
      }
    }
    return sum;
  };
  return run();
}
// The elements that stay move together as the walk goes, so that a failing lambda leaves a whole
// list behind.
template <class T, class F>
auto vec_retain(Vec<T>& list, F&& f) {
  using Answer = std::invoke_result_t<F&, View<T>>;
  const auto run = [&]() -> MayFail<void, is_result<Answer>> {
    const std::size_t size = list.size();
    std::size_t kept = 0;
    std::size_t at = 0;
    T* const data = list.data();
    const auto close = [&] {
      for (; at < size; ++at, ++kept) {
        if (kept != at) {
          data[kept] = static_cast<T&&>(data[at]);
        }
      }
      list.cut(kept);
    };
    for (; at < size; ++at) {
      auto answer = f(view(static_cast<const T&>(data[at])));
      if constexpr (is_result<Answer>) {
        if (answer.failed()) {
          close();
          return answer.take_failure();
        }
      }
      if (answer_of(answer)) {
        if (kept != at) {
          data[kept] = static_cast<T&&>(data[at]);
        }
        ++kept;
      }
    }
    close();
    if constexpr (is_result<Answer>) {
      return {};
    }
  };
  return run();
}

// ---- sorting

// A stable merge sort of n plain values. `less(a, b)`: whether a goes before b; an inconsistent one
// gives some order. Answers where the sorted values lie: `values` or `spare`.
template <class X, class Less>
X* merge_sort(X* values, X* spare, std::size_t n, Less&& less) {
  constexpr std::size_t small = 12;
  for (std::size_t from = 0; from < n; from += small) {
    const std::size_t to = from + small < n ? from + small : n;
    for (std::size_t i = from + 1; i < to; ++i) {
      const X x = values[i];
      std::size_t j = i;
      for (; j > from && less(x, values[j - 1]); --j) {
        values[j] = values[j - 1];
      }
      values[j] = x;
    }
  }
  for (std::size_t width = small; width < n; width *= 2) {
    for (std::size_t from = 0; from < n; from += 2 * width) {
      const std::size_t middle = from + width < n ? from + width : n;
      const std::size_t to = from + 2 * width < n ? from + 2 * width : n;
      if (middle == to || !less(values[middle], values[middle - 1])) {
        std::memcpy(static_cast<void*>(spare + from), static_cast<const void*>(values + from), (to - from) * sizeof(X));
        continue;
      }
      std::size_t a = from;
      std::size_t b = middle;
      for (std::size_t out = from; out < to; ++out) {
        if (a < middle && (b == to || !less(values[b], values[a]))) {
          spare[out] = values[a++];
        } else {
          spare[out] = values[b++];
        }
      }
    }
    X* const sorted = spare;
    spare = values;
    values = sorted;
  }
  return values;
}

// Puts the elements into the order `positions` names; moves each by its bytes.
template <class T>
void arrange(Vec<T>& list, const std::size_t* positions) {
  const std::size_t n = list.size();
  if (n < 2) {
    return;
  }
  auto* const bytes = static_cast<unsigned char*>(take_memory(n * sizeof(T)));
  for (std::size_t i = 0; i < n; ++i) {
    std::memcpy(bytes + i * sizeof(T), static_cast<const void*>(list.data() + positions[i]), sizeof(T));
  }
  std::memcpy(static_cast<void*>(list.data()), bytes, n * sizeof(T));
  std::free(bytes);
}

// Sorts by `less` over two elements' positions. The elements stay where they are until the order is
// known, so that a lambda that is cancelled in the middle leaves the list as it was.
template <class T, class Less>
void sort_positions(Vec<T>& list, Less&& less) {
  const std::size_t n = list.size();
  Vec<std::size_t> positions;
  Vec<std::size_t> spare;
  positions.reserve(n);
  spare.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    positions.push(std::size_t{i});
  }
  arrange(list, merge_sort(positions.data(), spare.data(), n, less));
}

// A text's first eight bytes as a number that orders as they do, beside where the text stands: most
// comparisons are settled without going to the text.
struct TextKey {
  std::uint64_t start;
  std::size_t at;
};
NIKAIA_INLINE std::uint64_t start_of_text(Str text) {
  std::uint64_t word = 0;
  if (text.size != 0) {
    std::memcpy(&word, text.data, text.size < 8 ? text.size : 8);
  }
  return __builtin_bswap64(word);
}
// Sorts by the texts `keys` holds, one an element.
template <class T, class K>
void sort_by_text(Vec<T>& list, const K* keys) {
  const std::size_t n = list.size();
  Vec<TextKey> order_of;
  Vec<TextKey> spare;
  order_of.reserve(n);
  spare.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    order_of.push(TextKey{start_of_text(keys[i]), i});
  }
  const TextKey* const sorted =
      merge_sort(order_of.data(), spare.data(), n, [keys](const TextKey& a, const TextKey& b) {
        return a.start != b.start ? a.start < b.start : compare_text(keys[a.at], keys[b.at]) < 0;
      });
  Vec<std::size_t> positions;
  positions.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    positions.push(std::size_t{sorted[i].at});
  }
  arrange(list, positions.data());
}

// Equal numbers cannot be told apart, so these need not be stable.
void sort_numbers(std::int64_t* values, std::size_t n);
void sort_numbers(std::int32_t* values, std::size_t n);
void sort_numbers(std::uint64_t* values, std::size_t n);
void sort_numbers(std::uint32_t* values, std::size_t n);
void sort_numbers(std::uint8_t* values, std::size_t n);
void sort_numbers(char32_t* values, std::size_t n);

template <class T>
void vec_sort(Vec<T>& list) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    sort_numbers(list.data(), list.size());
  } else if constexpr (is_text<T>) {
    sort_by_text(list, list.data());
  } else if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= 16) {
    Vec<T> spare;
    spare.reserve(list.size());
    T* const sorted =
        merge_sort(list.data(), spare.data(), list.size(), [](const T& a, const T& b) { return order(a, b) < 0; });
    if (list.size() > 1 && sorted != list.data()) {
      std::memcpy(static_cast<void*>(list.data()), static_cast<const void*>(sorted), list.size() * sizeof(T));
    }
  } else {
    const T* const data = list.data();
    sort_positions(list, [data](std::size_t a, std::size_t b) { return order(data[a], data[b]) < 0; });
  }
}

// By the key of each, asked once an element.
template <class T, class F>
auto vec_sort_by_key(Vec<T>& list, F&& f) {
  using Answer = std::invoke_result_t<F&, View<T>>;
  using Key = WithoutFailure<Answer>;
  const auto run = [&]() -> MayFail<void, is_result<Answer>> {
    Vec<Key> keys;
    keys.reserve(list.size());
    for (const T& x : static_cast<const Vec<T>&>(list)) {
      auto answer = f(view(x));
      if constexpr (is_result<Answer>) {
        if (answer.failed()) {
          return answer.take_failure();
        }
      }
      keys.push(answer_of(answer));
    }
    const Key* const data = keys.data();
    if constexpr (is_text<Key>) {
      sort_by_text(list, data);
    } else {
      sort_positions(list, [data](std::size_t a, std::size_t b) { return order(data[a], data[b]) < 0; });
    }
    if constexpr (is_result<Answer>) {
      return {};
    }
  };
  return run();
}

// By the sign of f(a, b). After a failure nothing is asked any more and the list is left as it was.
template <class T, class F>
auto vec_sort_by(Vec<T>& list, F&& f) {
  using Answer = std::invoke_result_t<F&, View<T>, View<T>>;
  const auto run = [&]() -> MayFail<void, is_result<Answer>> {
    const T* const data = list.data();
    if constexpr (is_result<Answer>) {
      Failure failure;
      const std::size_t n = list.size();
      Vec<std::size_t> positions;
      Vec<std::size_t> spare;
      positions.reserve(n);
      spare.reserve(n);
      for (std::size_t i = 0; i < n; ++i) {
        positions.push(std::size_t{i});
      }
      const std::size_t* sorted = merge_sort(positions.data(), spare.data(), n, [&](std::size_t a, std::size_t b) {
        if (failure) {
          return false;
        }
        Answer answer = f(view(data[a]), view(data[b]));
        if (answer.failed()) {
          failure = answer.take_failure();
          return false;
        }
        return answer.take() < 0;
      });
      if (failure) {
        return static_cast<Failure&&>(failure);
      }
      arrange(list, sorted);
      return {};
    } else if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= 16) {
      // Copies are sorted, for the same reason.
      Vec<T> values = vec_of_elements(data, list.size());
      Vec<T> spare;
      spare.reserve(list.size());
      const T* const sorted = merge_sort(values.data(), spare.data(), values.size(),
                                         [&](const T& a, const T& b) { return f(view(a), view(b)) < 0; });
      if (list.size() > 1) {
        std::memcpy(static_cast<void*>(list.data()), static_cast<const void*>(sorted), list.size() * sizeof(T));
      }
    } else {
      sort_positions(list, [&](std::size_t a, std::size_t b) { return f(view(data[a]), view(data[b])) < 0; });
    }
  };
  return run();
}

}  // namespace nikaia
