// Maybe<T>, the language's `T?`: a T or nothing. Where T has a spare state (Spare<T>) that state is
// `null` and there is no flag; otherwise a flag stands behind the value. Copies where T does, moves
// where T does.
#pragma once

#include <nikaia/rt/base.h>

namespace nikaia {

struct Null {};
// What emitted code writes for `null`.
inline constexpr Null null{};

template <class T>
struct Spare<const T*> {
  static constexpr bool exists = true;
  static constexpr const T* null() { return nullptr; }
  static constexpr bool is_null(const T* p) { return p == nullptr; }
  static constexpr void settle(const T*&) {}
};
template <class T>
struct Spare<T*> {
  static constexpr bool exists = true;
  static constexpr T* null() { return nullptr; }
  static constexpr bool is_null(T* p) { return p == nullptr; }
  static constexpr void settle(T*&) {}
};
// No scalar value is above U+10FFFF.
template <>
struct Spare<char32_t> {
  static constexpr bool exists = true;
  static constexpr char32_t null() { return 0xFFFFFFFF; }
  static constexpr bool is_null(char32_t c) { return c == 0xFFFFFFFF; }
  static constexpr void settle(char32_t&) {}
};

template <class T, bool has_spare = Spare<T>::exists>
struct MaybeStore {
  T value{};
  bool full = false;
  constexpr MaybeStore() = default;
  constexpr explicit MaybeStore(T&& v) : value(static_cast<T&&>(v)), full(true) {}
  constexpr bool has() const { return full; }
  constexpr void clear() {
    value = T{};
    full = false;
  }
};
template <class T>
struct MaybeStore<T, true> {
  T value = Spare<T>::null();
  constexpr MaybeStore() = default;
  // `settle` turns a live value that happens to look like the spare state (a text that was never
  // given bytes) into an equal one that does not.
  constexpr explicit MaybeStore(T&& v) : value(static_cast<T&&>(v)) { Spare<T>::settle(value); }
  constexpr bool has() const { return !Spare<T>::is_null(value); }
  constexpr void clear() { value = Spare<T>::null(); }
};

template <class T>
class [[nodiscard]] Maybe {
 public:
  using Value = T;

  constexpr Maybe() = default;
  constexpr Maybe(Null) {}
  constexpr Maybe(T value) : store_(static_cast<T&&>(value)) {}
  // A view stored as a counted one, text of its own where a view of it is kept, and the like.
  template <class U>
  requires(!std::is_same_v<U, T> && std::is_convertible_v<U, T>) constexpr Maybe(Maybe<U> other) {
    if (other.has()) {
      *this = Maybe(static_cast<T>(other.take()));
    }
  }
  template <class U>
  requires(!std::is_same_v<std::remove_cvref_t<U>, T> && std::is_convertible_v<U, T> &&
           !std::is_same_v<std::remove_cvref_t<U>, Null>) constexpr Maybe(U&& value)
      : store_(T(static_cast<U&&>(value))) {}

  constexpr bool has() const { return store_.has(); }
  explicit constexpr operator bool() const { return store_.has(); }

  // The value; only asked where has().
  constexpr const T& value() const& { return store_.value; }
  constexpr T& value() & { return store_.value; }
  constexpr T take() { return static_cast<T&&>(store_.value); }
  constexpr const T& operator*() const { return store_.value; }
  constexpr T& operator*() { return store_.value; }

  // `x ?? fallback` where the fallback is a value already there. One that is computed, fails or
  // jumps is an `if` in emitted code.
  template <class U>
  constexpr T or_else(U&& fallback) && {
    return has() ? static_cast<T&&>(store_.value) : static_cast<T>(static_cast<U&&>(fallback));
  }
  template <class U>
  constexpr T or_else(U&& fallback) const& {
    return has() ? store_.value : static_cast<T>(static_cast<U&&>(fallback));
  }

  // A view of what is inside, for `ref (T?)` read as `(ref T)?`.
  constexpr Maybe<View<T>> lent() const { return has() ? Maybe<View<T>>(view(store_.value)) : Maybe<View<T>>(); }

  constexpr void clear() { store_.clear(); }

  friend constexpr bool operator==(const Maybe& a, const Maybe& b) requires Compares<T> {
    return a.has() == b.has() && (!a.has() || a.value() == b.value());
  }
  friend constexpr bool operator==(const Maybe& a, Null) { return !a.has(); }

 private:
  MaybeStore<T> store_;
};

// Of what is kept one way and what is kept another, text and a view of text.
template <class T, class U>
requires(!std::is_same_v<T, U>) constexpr bool operator==(const Maybe<T>& a, const Maybe<U>& b) {
  return a.has() == b.has() && (!a.has() || a.value() == b.value());
}

template <class T>
inline constexpr bool copies<Maybe<T>> = copies<T>;
template <class T>
struct StoredAs<Maybe<T>> {
  using type = Maybe<Stored<T>>;
};

template <class T>
inline constexpr bool is_maybe = false;
template <class T>
inline constexpr bool is_maybe<Maybe<T>> = true;

template <class T>
[[nodiscard]] inline Maybe<T> clone(const Maybe<T>& x) {
  return x.has() ? Maybe<T>(clone(x.value())) : Maybe<T>();
}

// The `T?` of a row's answer where T may be nullable itself: one level, never two.
template <class T>
using OrNull = std::conditional_t<is_maybe<T>, T, Maybe<T>>;

// `a ?? b` with both there. The answer is a T.
template <class T, class U>
NIKAIA_INLINE T or_else(Maybe<T> x, U&& fallback) {
  return static_cast<Maybe<T>&&>(x).or_else(static_cast<U&&>(fallback));
}

}  // namespace nikaia
