// Sum<V0, V1, …>: an enum's value, one of several variants, each a struct of what it carries (an
// empty one for a variant that carries nothing). The tag counts from 0 in written order. The
// default, empty state has no variant; it is what a moved-from value is in, and what Maybe<Sum>
// uses for `null`.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/maybe.h>

namespace nikaia {

template <std::size_t i, class First, class... Rest>
struct PartAt {
  using type = typename PartAt<i - 1, Rest...>::type;
};
template <class First, class... Rest>
struct PartAt<0, First, Rest...> {
  using type = First;
};

constexpr std::size_t largest(std::size_t one) {
  return one;
}
template <class... More>
constexpr std::size_t largest(std::size_t one, std::size_t two, More... more) {
  return largest(one > two ? one : two, more...);
}

// The bytes and the tag; with copy and move where the variants have them, trivially so where all
// are trivial.
template <bool trivial, class... Variants>
struct SumStore;

template <class... Variants>
struct SumStore<true, Variants...> {
  alignas(Variants...) unsigned char bytes[largest(sizeof(Variants)...)];
  std::uint8_t tag = 255;
  SumStore() = default;
  void clear() { tag = 255; }
};

template <class... Variants>
struct SumStore<false, Variants...> {
  alignas(Variants...) unsigned char bytes[largest(sizeof(Variants)...)];
  std::uint8_t tag = 255;

  SumStore() {}
  SumStore(SumStore&& other) noexcept { take(other); }
  SumStore(const SumStore& other) {
    std::uint8_t i = 0;
    ((i++ == other.tag ? (void)copy_construct<Variants>(other) : (void)0), ...);
    tag = other.tag;
  }
  SumStore& operator=(SumStore&& other) noexcept {
    if (this != &other) {
      SumStore old(static_cast<SumStore&&>(*this));
      take(other);
    }
    return *this;
  }
  SumStore& operator=(const SumStore& other) {
    if (this != &other) {
      *this = SumStore(other);
    }
    return *this;
  }
  ~SumStore() { clear(); }

  void clear() {
    if (tag != 255) {
      const std::uint8_t had = tag;
      tag = 255;
      std::uint8_t i = 0;
      ((i++ == had ? reinterpret_cast<Variants*>(bytes)->~Variants() : (void)0), ...);
    }
  }
  void take(SumStore& other) {
    std::uint8_t i = 0;
    ((i++ == other.tag ? (void)move_construct<Variants>(other) : (void)0), ...);
    tag = other.tag;
    other.clear();
  }

 private:
  template <class V>
  void move_construct(SumStore& other) {
    new (bytes) V(static_cast<V&&>(*reinterpret_cast<V*>(other.bytes)));
  }
  template <class V>
  void copy_construct(const SumStore& other) {
    if constexpr (std::is_copy_constructible_v<V>) {
      new (bytes) V(*reinterpret_cast<const V*>(other.bytes));
    } else {
      __builtin_unreachable();  // Sum has no copy constructor then
    }
  }
};

struct MayCopy {};
struct OnlyMoves {
  OnlyMoves() = default;
  OnlyMoves(OnlyMoves&&) = default;
  OnlyMoves& operator=(OnlyMoves&&) = default;
};

template <class... Variants>
class Sum {
  static constexpr bool trivial = (std::is_trivially_copyable_v<Variants> && ...);
  static constexpr bool copyable = (std::is_copy_constructible_v<Variants> && ...);

 public:
  template <std::size_t i>
  using Variant = typename PartAt<i, Variants...>::type;
  static constexpr std::size_t variants = sizeof...(Variants);

  Sum() = default;

  template <std::size_t i>
  static Sum make(Variant<i> value) {
    Sum made;
    new (made.store_.bytes) Variant<i>(static_cast<Variant<i>&&>(value));
    made.store_.tag = static_cast<std::uint8_t>(i);
    return made;
  }

  // 0, 1, … in written order; 255 where the value was moved out.
  std::uint8_t tag() const { return store_.tag; }
  template <std::size_t i>
  bool is() const {
    return store_.tag == i;
  }
  template <std::size_t i>
  Variant<i>& as() {
    return *reinterpret_cast<Variant<i>*>(store_.bytes);
  }
  template <std::size_t i>
  const Variant<i>& as() const {
    return *reinterpret_cast<const Variant<i>*>(store_.bytes);
  }
  void clear() { store_.clear(); }

  // Runs `f` with the variant that is there.
  template <class F>
  void visit(F&& f) const {
    std::uint8_t i = 0;
    ((i++ == store_.tag ? (void)f(*reinterpret_cast<const Variants*>(store_.bytes)) : (void)0), ...);
  }

  friend bool operator==(const Sum& a, const Sum& b) requires(Compares<Variants>&&...) {
    if (a.store_.tag != b.store_.tag) {
      return false;
    }
    bool same = true;
    std::uint8_t i = 0;
    ((i++ == a.store_.tag ? (void)(same = *reinterpret_cast<const Variants*>(a.store_.bytes) ==
                                          *reinterpret_cast<const Variants*>(b.store_.bytes))
                          : (void)0),
     ...);
    return same;
  }

 private:
  SumStore<trivial, Variants...> store_;
  [[no_unique_address]] std::conditional_t<copyable, MayCopy, OnlyMoves> kind_;
};

template <class... Variants>
inline constexpr bool copies<Sum<Variants...>> = (copies<Variants> && ...);

template <class... Variants>
[[nodiscard]] Sum<Variants...> clone(const Sum<Variants...>& x) {
  return clone_variant(x, std::index_sequence_for<Variants...>{});
}
template <class... Variants, std::size_t... i>
Sum<Variants...> clone_variant(const Sum<Variants...>& x, std::index_sequence<i...>) {
  Sum<Variants...> made;
  ((x.tag() == i ? (void)(made = Sum<Variants...>::template make<i>(clone(x.template as<i>()))) : (void)0), ...);
  return made;
}

template <class... Variants>
struct Spare<Sum<Variants...>> {
  static constexpr bool exists = true;
  static Sum<Variants...> null() { return {}; }
  static bool is_null(const Sum<Variants...>& x) { return x.tag() == 255; }
  static void settle(Sum<Variants...>&) {}
};

}  // namespace nikaia
