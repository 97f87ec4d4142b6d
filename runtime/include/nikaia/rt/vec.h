// Vec<T>: a list that owns its elements and grows. Its elements lie behind a counted buffer header,
// so that a tethered run outlives the list: a list that dies, or moves to a larger buffer, while
// such a run counts the buffer leaves it to the run. Elements move by their bytes; no emitted type
// holds a pointer into itself. The rows of language 07 §4.1 are the free functions vec_NAME; those
// that walk through a lambda stand in vec_rows.h.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/maybe.h>
#include <nikaia/rt/run.h>
#include <nikaia/rt/text.h>

namespace nikaia {

template <class T>
class Vec {
 public:
  using Element = T;

  constexpr Vec() = default;
  Vec(const Vec&) = delete;
  Vec& operator=(const Vec&) = delete;
  NIKAIA_INLINE Vec(Vec&& other) noexcept : data_(other.data_), size_(other.size_), room_(other.room_) {
    other.forget();
  }
  NIKAIA_INLINE Vec& operator=(Vec&& other) noexcept {
    T* data = other.data_;
    const std::size_t size = other.size_;
    const std::size_t room = other.room_;
    other.forget();
    Vec old;
    old.data_ = data_;
    old.size_ = size_;
    old.room_ = room_;
    data_ = data;
    size_ = size;
    room_ = room;
    return *this;
  }
  NIKAIA_INLINE ~Vec() {
    if (data_ != nullptr) {
      leave();
    }
  }
  // A list literal: `Vec<T>::of(a, b, c)`, elements moved in written order.
  template <class... E>
  static Vec of(E&&... elements) {
    Vec made;
    made.reserve(sizeof...(E));
    (made.push(static_cast<T>(static_cast<E&&>(elements))), ...);
    return made;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  NIKAIA_ALWAYS_INLINE std::size_t size() const { return size_; }
  std::size_t room() const { return room_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  CountedBuffer* buffer() const { return data_ == nullptr ? nullptr : header(data_); }
  operator Run<T>() const { return Run<T>(data_, size_, buffer()); }

  NIKAIA_INLINE void push(T&& value) {
    if (__builtin_expect(size_ == room_, 0)) {
      grow(size_ + 1);
    }
    new (static_cast<void*>(data_ + size_)) T(static_cast<T&&>(value));
    ++size_;
  }
  void reserve(std::size_t count) {
    if (count > room_) {
      move_to(count);
    }
  }
  // Opens a gap of one at `at` (at most size()); the caller constructs there.
  T* open(std::size_t at) {
    if (size_ == room_) {
      grow(size_ + 1);
    }
    std::memmove(static_cast<void*>(data_ + at + 1), static_cast<const void*>(data_ + at), (size_ - at) * sizeof(T));
    ++size_;
    return data_ + at;
  }
  // Closes the gap left by an element whose value was moved out.
  void close(std::size_t at) {
    data_[at].~T();
    std::memmove(static_cast<void*>(data_ + at), static_cast<const void*>(data_ + at + 1),
                 (size_ - at - 1) * sizeof(T));
    --size_;
  }
  void cut(std::size_t size) {
    while (size_ > size) {  // the last one dies first
      --size_;
      data_[size_].~T();
    }
  }
  // The elements' bytes were taken over by someone else, or put there by someone else.
  void set_size(std::size_t size) { size_ = size; }

  // The state Maybe<Vec> uses for `null`.
  static Vec spare() {
    Vec made;
    made.room_ = spare_room;
    return made;
  }
  bool is_spare() const { return data_ == nullptr && room_ == spare_room; }

  friend bool operator==(const Vec& a, const Vec& b) requires Compares<T> {
    return same_elements(a.data_, a.size_, b.data_, b.size_);
  }

 private:
  static constexpr std::size_t spare_room = ~std::size_t{0};
  // Rounded up so that the elements are aligned as malloc aligns.
  static constexpr std::size_t header_bytes = (sizeof(CountedBuffer) + 15) / 16 * 16;

  static CountedBuffer* header(const T* data) {
    return reinterpret_cast<CountedBuffer*>(reinterpret_cast<char*>(const_cast<T*>(data)) - header_bytes);
  }
  void forget() {
    data_ = nullptr;
    size_ = 0;
    room_ = 0;
  }
  static void destroy(T* data, std::size_t size) {
    static_assert(alignof(T) <= 16);  // here, because T may be incomplete until it is used
    if constexpr (!std::is_trivially_destructible_v<T>) {
      while (size > 0) {
        data[--size].~T();
      }
    }
  }
  static void release(CountedBuffer* buffer) {
    destroy(reinterpret_cast<T*>(reinterpret_cast<char*>(buffer) + header_bytes), buffer->size);
    std::free(buffer);
  }
  void leave() {
    CountedBuffer* buffer = header(data_);
    if (__builtin_expect(only_holder(buffer->count), 1)) {
      destroy(data_, size_);
      std::free(buffer);
    } else {
      buffer->size = size_;  // the last run destroys them
      let_go(buffer);
    }
  }
  [[gnu::noinline]] void grow(std::size_t least) {
    const std::size_t doubled = room_ * 2;
    const std::size_t smallest = sizeof(T) >= 64 ? 1 : 64 / sizeof(T);
    std::size_t room = doubled > least ? doubled : least;
    move_to(room > smallest ? room : smallest);
  }
  [[gnu::noinline]] void move_to(std::size_t room) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(room, sizeof(T), &bytes) || __builtin_add_overflow(bytes, header_bytes, &bytes)) {
      bytes = ~std::size_t{0};  // take_memory ends the program
    }
    CountedBuffer* buffer = nullptr;
    if (data_ != nullptr && only_holder(header(data_)->count)) {
      buffer = static_cast<CountedBuffer*>(retake_memory(header(data_), bytes));
    } else {
      buffer = static_cast<CountedBuffer*>(take_memory(bytes));
      *buffer = CountedBuffer{1, 0, &release};
      if (data_ != nullptr) {
        std::memcpy(static_cast<void*>(reinterpret_cast<char*>(buffer) + header_bytes), static_cast<const void*>(data_),
                    size_ * sizeof(T));
        header(data_)->size = 0;  // left without elements
        let_go(header(data_));
      }
    }
    data_ = reinterpret_cast<T*>(reinterpret_cast<char*>(buffer) + header_bytes);
    room_ = room;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
};

template <class T, class U>
requires(!std::is_same_v<T, U>) bool operator==(const Vec<T>& a, const Vec<U>& b) {
  return same_elements(a.data(), a.size(), b.data(), b.size());
}
template <class T, class U>
bool operator==(const Vec<T>& a, const Run<U>& b) {
  return same_elements(a.data(), a.size(), b.data, b.size);
}

template <class T>
inline constexpr bool copies<Vec<T>> = false;
template <class T>
struct Spare<Vec<T>> {
  static constexpr bool exists = true;
  static Vec<T> null() { return Vec<T>::spare(); }
  static bool is_null(const Vec<T>& list) { return list.is_spare(); }
  static void settle(Vec<T>&) {}
};

template <class T>
[[nodiscard]] Vec<T> vec_of_elements(const T* data, std::size_t size) {
  Vec<T> made;
  made.reserve(size);
  if constexpr (std::is_trivially_copyable_v<T>) {
    if (size != 0) {
      std::memcpy(static_cast<void*>(made.data()), static_cast<const void*>(data), size * sizeof(T));
      made.set_size(size);
    }
  } else {
    for (std::size_t i = 0; i < size; ++i) {
      made.push(clone(data[i]));
    }
  }
  return made;
}
template <class T>
[[nodiscard]] Vec<T> clone(const Vec<T>& list) {
  return vec_of_elements(list.data(), list.size());
}
template <class T>
[[nodiscard]] Vec<T> clone(const Run<T>& run) {
  return vec_of_elements(run.data, run.size);
}

// `.clone()` of what is written Array: of an array an array, of a view a list.
template <class T, std::size_t N>
[[nodiscard]] Array<T, N> array_clone(const Array<T, N>& array) {
  return clone(array);
}
template <class T>
[[nodiscard]] Vec<T> array_clone(Run<T> run) {
  return vec_of_elements(run.data, run.size);
}
template <class T>
[[nodiscard]] Vec<T> array_clone(const TetheredRun<T>& run) {
  return vec_of_elements(run.data, run.size);
}

// ---- reading by index: lists, runs and arrays alike

// xs[i] as a place; the caller copies, lends or moves out of it.
template <class T, class I>
NIKAIA_ALWAYS_INLINE const T& index_at(const Vec<T>& list, I index, At at = At::here()) {
  return list.data()[index_within(index, list.size(), at)];
}
template <class T, class I>
NIKAIA_ALWAYS_INLINE T& index_at(Vec<T>& list, I index, At at = At::here()) {
  return list.data()[index_within(index, list.size(), at)];
}
template <class T, class I>
NIKAIA_ALWAYS_INLINE const T& index_at(Run<T> run, I index, At at = At::here()) {
  return run.data[index_within(index, run.size, at)];
}
template <class T, class I>
NIKAIA_ALWAYS_INLINE const T& index_at(const TetheredRun<T>& run, I index, At at = At::here()) {
  return run.data[index_within(index, run.size, at)];
}
template <class T, std::size_t N, class I>
NIKAIA_ALWAYS_INLINE const T& index_at(const Array<T, N>& array, I index, At at = At::here()) {
  return array.elements[index_within(index, N, at)];
}
template <class T, std::size_t N, class I>
NIKAIA_ALWAYS_INLINE T& index_at(Array<T, N>& array, I index, At at = At::here()) {
  return array.elements[index_within(index, N, at)];
}

// xs[a..<b], xs[a..b].
template <class T, class I>
NIKAIA_INLINE Run<T> slice(Run<T> run, const Range<I>& range, At at = At::here()) {
  Span span;
  if (__builtin_expect(!span_within(range, run.size, span), 0)) {
    stop_range(at, static_cast<std::int64_t>(range.from), static_cast<std::int64_t>(range.to), range.inclusive,
               run.size);
  }
  return Run<T>(run.data + span.from, span.to - span.from, run.buffer);
}
template <class T, class I>
NIKAIA_INLINE Run<T> slice(const Vec<T>& list, const Range<I>& range, At at = At::here()) {
  return slice(static_cast<Run<T>>(list), range, at);
}
template <class T, std::size_t N, class I>
NIKAIA_INLINE Run<T> slice(const Array<T, N>& array, const Range<I>& range, At at = At::here()) {
  return slice(static_cast<Run<T>>(array), range, at);
}

// Any of the four as a run.
template <class T>
NIKAIA_INLINE Run<T> run_of(const Vec<T>& list) {
  return list;
}
template <class T>
NIKAIA_INLINE Run<T> run_of(Run<T> run) {
  return run;
}
template <class T>
NIKAIA_INLINE Run<T> run_of(const TetheredRun<T>& run) {
  return run;
}
template <class T, std::size_t N>
NIKAIA_INLINE Run<T> run_of(const Array<T, N>& array) {
  return array;
}

template <class C>
NIKAIA_INLINE std::int64_t run_len(const C& xs) {
  return static_cast<std::int64_t>(run_of(xs).size);
}
template <class C>
NIKAIA_INLINE bool run_is_empty(const C& xs) {
  return run_of(xs).size == 0;
}
// By ==; a list of text is asked with any text.
template <class C, class V>
bool run_contains(const C& xs, const V& value) {
  for (const auto& x : run_of(xs)) {
    if (x == seen(value)) {
      return true;
    }
  }
  return false;
}

// ---- rows that change a list

template <class T>
NIKAIA_INLINE std::int64_t vec_len(const Vec<T>& list) {
  return static_cast<std::int64_t>(list.size());
}
template <class T>
NIKAIA_INLINE bool vec_is_empty(const Vec<T>& list) {
  return list.size() == 0;
}
template <class T, class V>
NIKAIA_INLINE void vec_push(Vec<T>& list, V&& value) {
  list.push(static_cast<T>(static_cast<V&&>(value)));
}
template <class T>
NIKAIA_INLINE OrNull<T> vec_pop(Vec<T>& list) {
  if (list.size() == 0) {
    return {};
  }
  T& last = list.data()[list.size() - 1];
  T value = static_cast<T&&>(last);
  last.~T();
  list.set_size(list.size() - 1);
  return OrNull<T>(static_cast<T&&>(value));
}
template <class T, class V>
void vec_insert(Vec<T>& list, std::int64_t at, V&& value, At place = At::here()) {
  if (static_cast<std::uint64_t>(at) > list.size()) {
    stop_index(place, at, list.size());
  }
  T made(static_cast<V&&>(value));  // it may be made of something in the list
  new (static_cast<void*>(list.open(static_cast<std::size_t>(at)))) T(static_cast<T&&>(made));
}
template <class T>
T vec_remove(Vec<T>& list, std::int64_t at, At place = At::here()) {
  const std::size_t i = index_within(at, list.size(), place);
  T value = static_cast<T&&>(list.data()[i]);
  list.close(i);
  return value;
}
template <class T>
T vec_swap_remove(Vec<T>& list, std::int64_t at, At place = At::here()) {
  const std::size_t i = index_within(at, list.size(), place);
  const std::size_t last = list.size() - 1;
  T value = static_cast<T&&>(list.data()[i]);
  if (i != last) {
    list.data()[i] = static_cast<T&&>(list.data()[last]);
  }
  list.cut(last);
  return value;
}
template <class T>
NIKAIA_INLINE void swap_places(T& a, T& b) {
  T held = static_cast<T&&>(a);
  a = static_cast<T&&>(b);
  b = static_cast<T&&>(held);
}
template <class T>
void vec_swap(Vec<T>& list, std::int64_t i, std::int64_t j, At place = At::here()) {
  const std::size_t a = index_within(i, list.size(), place);
  const std::size_t b = index_within(j, list.size(), place);
  if (a != b) {
    swap_places(list.data()[a], list.data()[b]);
  }
}
template <class T>
void vec_truncate(Vec<T>& list, std::int64_t length, At at = At::here()) {
  list.cut(counted(length, at));
}
template <class T, class V>
void vec_resize(Vec<T>& list, std::int64_t length, V&& value, At at = At::here()) {
  const std::size_t size = counted(length, at);
  const T last(static_cast<V&&>(value));
  list.cut(size);
  list.reserve(size);
  while (list.size() < size) {
    list.push(clone(last));
  }
}
template <class T>
void vec_clear(Vec<T>& list) {
  list.cut(0);
}
template <class T>
void vec_extend(Vec<T>& list, Vec<T> items) {
  if (list.size() == 0) {
    list = static_cast<Vec<T>&&>(items);
    return;
  }
  const std::size_t size = list.size() + items.size();
  if (size > list.room()) {
    list.reserve(size > 2 * list.room() ? size : 2 * list.room());
  }
  for (T& item : items) {
    list.push(static_cast<T&&>(item));
  }
}

// A list of text only.
template <class C>
String run_join(const C& pieces, Str separator) {
  const auto run = run_of(pieces);
  std::size_t bytes = 0;
  for (const auto& piece : run) {
    bytes += static_cast<Str>(piece).size + separator.size;
  }
  String joined = String::with_room(bytes);
  bool first = true;
  for (const auto& piece : run) {
    if (!first) {
      joined.append(separator);
    }
    first = false;
    joined.append(static_cast<Str>(piece));
  }
  return joined;
}

}  // namespace nikaia
