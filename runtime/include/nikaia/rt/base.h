// What every other header of the value library stands on: where a check stands in the source, the
// counted buffer behind text, lists and bytes, and the traits that say of which kind a type is.
//
// Everything under nikaia/rt/ that emitted programs include is kept light on purpose: the
// precompiled header is read by every compilation of every program. The few standard headers below
// are the whole list; what needs more stands in runtime/std/*.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#ifdef NIKAIA_SEES_COUNTS
#include <dlfcn.h>
#endif

// What a program's loops are made of, arithmetic and indexing: inlined in every profile, so that a
// `dev` build does not pay a call for an addition.
#ifndef NIKAIA_ALWAYS_INLINE  // the random programs build faster with a mere `inline`
#define NIKAIA_ALWAYS_INLINE __attribute__((always_inline)) inline
#endif
// Every other row that is a handful of instructions. Inlined where the compiler optimises; a `dev`
// build calls them, because a fifth of its time went into copies of them.
#ifdef __OPTIMIZE__
#define NIKAIA_INLINE NIKAIA_ALWAYS_INLINE
#else
#define NIKAIA_INLINE inline
#endif
// The way out of a check: never inlined, placed away from the code that runs.
#define NIKAIA_COLD [[noreturn, gnu::cold, gnu::noinline]]

namespace nikaia {

// The place of a call, filled in by a defaulted last parameter of every function that can stop the
// program. Under `#line` it is the `.nika` file and line. Two constants, read on the path that
// stops and nowhere else. (std::source_location would do, but clang 14 has no builtin for it.)
struct At {
  const char* file = "";
  std::uint32_t line = 0;
  static constexpr At here(const char* file = __builtin_FILE(), std::uint32_t line = __builtin_LINE()) {
    return At{file, line};
  }
};

// ---- kinds of type (language 03 §1.2)

// Specialised to true for the types that hand on a handle (Shared, SharedMut, Bytes, Mapped, Fn):
// they have a copy constructor and yet are not of the kind that copies.
template <class T>
inline constexpr bool is_handle = false;

// Whether a value of T copies when it is handed on. Containers of parts specialise it to ask their
// parts.
template <class T>
inline constexpr bool copies = std::is_copy_constructible_v<T> && !is_handle<T>;

// What a lent T is in emitted code: the value where T copies, a view of text for text, else a
// pointer.
template <class T>
struct ViewOf {
  using type = std::conditional_t<copies<T>, T, const T*>;
  static NIKAIA_INLINE type of(const T& value) {
    if constexpr (copies<T>) {
      return value;
    } else {
      return &value;
    }
  }
};
template <class T>
using View = typename ViewOf<T>::type;
template <class T>
NIKAIA_INLINE View<T> view(const T& value) {
  return ViewOf<T>::of(value);
}

// What a view becomes where it is stored: a view of text counts its buffer there.
template <class T>
struct StoredAs {
  using type = T;
};
template <class T>
using Stored = typename StoredAs<T>::type;

// A state of T that no live value has, so that Maybe<T> needs no flag beside it.
template <class T>
struct Spare {
  static constexpr bool exists = false;
};

// The only copy of data there is: `.clone()`. Emitted structs that do not copy give a member
// `clone() const` or an overload of this function beside them.
template <class T>
[[nodiscard]] inline T clone(const T& value) {
  if constexpr (std::is_copy_constructible_v<T>) {
    return value;
  } else {
    return value.clone();
  }
}

// Sees through a view given where the value is wanted.
template <class T>
NIKAIA_INLINE const T& seen(const T& value) {
  return value;
}
template <class T>
NIKAIA_INLINE const T& seen(const T* value) {
  return *value;
}
template <class T>
NIKAIA_INLINE const T& seen(T* value) {
  return *value;
}

template <class T>
concept Compares = requires(const T& x, const T& y) {
  static_cast<bool>(x == y);
};

// ---- counted buffers

// True where user code may run on several threads at once; set before `main`, never changed after.
// Counts are atomic then and plain otherwise.
extern bool counts_are_atomic;

// What stands in front of the bytes of a text, a list or a `Bytes`, and what a mapping has of its
// own. The holder that brings the count to zero calls `release`, which frees the buffer and, for a
// list that was left to its views, destroys the elements; null stands for std::free.
struct CountedBuffer {
  std::size_t count;
  std::size_t size;  // text, bytes: the room in it; a list left to its views: how many elements
  void (*release)(CountedBuffer*);
};

#ifdef NIKAIA_SEES_COUNTS
// A program that is built to show how often its code changes a count, where that is preloaded
// (benches/compute).
inline void (*const count_hook)() = reinterpret_cast<void (*)()>(::dlsym(RTLD_DEFAULT, "nikaia_count_changed"));
NIKAIA_INLINE void count_changed() {
  if (count_hook != nullptr) {
    count_hook();
  }
}
#else
NIKAIA_INLINE void count_changed() {}
#endif

NIKAIA_INLINE void count_up(std::size_t& count) {
  count_changed();
  if (__builtin_expect(counts_are_atomic, 0)) {
    __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  } else {
    ++count;
  }
}
// True for the last holder.
NIKAIA_INLINE bool count_down(std::size_t& count) {
  count_changed();
  if (__builtin_expect(counts_are_atomic, 0)) {
    return __atomic_fetch_sub(&count, 1, __ATOMIC_ACQ_REL) == 1;
  }
  return --count == 0;
}
NIKAIA_INLINE bool only_holder(const std::size_t& count) {
  return __atomic_load_n(&count, __ATOMIC_ACQUIRE) == 1;
}

void release_buffer(CountedBuffer* buffer);  // the count is zero
NIKAIA_INLINE void hold(CountedBuffer* buffer) {
  if (buffer != nullptr) {
    count_up(buffer->count);
  }
}
NIKAIA_INLINE void let_go(CountedBuffer* buffer) {
  if (buffer != nullptr && count_down(buffer->count)) {
    release_buffer(buffer);
  }
}

// Memory, or a message and the end of the program. `malloc` never answers null to emitted code.
[[nodiscard]] void* take_memory(std::size_t bytes);
[[nodiscard]] void* retake_memory(void* old, std::size_t bytes);

// ---- stops (language 04 §2.3)

struct Str;

NIKAIA_COLD void stop(At at, Str reason);
NIKAIA_COLD void stop_overflow(At at, const char* operation,
                               const char* type);  // addition overflowed i32
NIKAIA_COLD void stop_division(At at);             // division by zero
NIKAIA_COLD void stop_index(At at, std::int64_t index,
                            std::size_t length);  // index 9 is outside a list of 4
NIKAIA_COLD void stop_index_unsigned(At at, std::uint64_t index, std::size_t length);
NIKAIA_COLD void stop_range(At at, std::int64_t from, std::int64_t to, bool inclusive, std::size_t length);
NIKAIA_COLD void stop_text_range(At at, std::int64_t from, std::int64_t to, bool inclusive, Str text);
NIKAIA_COLD void stop_count(At at, std::int64_t count);  // a count was negative: -2
NIKAIA_COLD void stop_count_zero(At at);
NIKAIA_COLD void stop_fit(At at, std::int64_t value, const char* type);  // 300 does not fit u8
NIKAIA_COLD void stop_fit_unsigned(At at, std::uint64_t value, const char* type);
NIKAIA_COLD void stop_fit_float(At at, double value, const char* type);

// A count a row takes: negative stops.
NIKAIA_INLINE std::size_t counted(std::int64_t count, At at) {
  if (__builtin_expect(count < 0, 0)) {
    stop_count(at, count);
  }
  return static_cast<std::size_t>(count);
}
// The same where zero makes no sense either: `chunks`, `windows`, `step_by`.
NIKAIA_INLINE std::size_t counted_from_one(std::int64_t count, At at) {
  if (__builtin_expect(count <= 0, 0)) {
    if (count < 0) {
      stop_count(at, count);
    }
    stop_count_zero(at);
  }
  return static_cast<std::size_t>(count);
}

// An index of any integer type against a length.
template <class I>
NIKAIA_ALWAYS_INLINE std::size_t index_within(I index, std::size_t length, At at) {
  static_assert(std::is_integral_v<I>);
  const auto wide = static_cast<std::uint64_t>(index);  // a negative one becomes larger than any length
  if (__builtin_expect(wide >= length, 0)) {
    if constexpr (std::is_signed_v<I>) {
      stop_index(at, index, length);
    } else {
      stop_index_unsigned(at, index, length);
    }
  }
  return static_cast<std::size_t>(wide);
}

}  // namespace nikaia
