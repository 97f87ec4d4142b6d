// Tuple<A, B, …>: a fixed group of values, read by position. Copies where all parts do.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/maybe.h>
#include <nikaia/rt/text.h>

namespace nikaia {

template <class... Parts>
struct Tuple;

template <>
struct Tuple<> {
  friend constexpr bool operator==(const Tuple&, const Tuple&) { return true; }
};

template <class First, class... Rest>
struct Tuple<First, Rest...> {
  First first{};
  [[no_unique_address]] Tuple<Rest...> rest{};

  constexpr Tuple() = default;
  constexpr Tuple(First head, Rest... tail) : first(static_cast<First&&>(head)), rest(static_cast<Rest&&>(tail)...) {}
  // Part by part into a tuple that stores what this one views.
  template <class F, class... R>
  requires(sizeof...(R) == sizeof...(Rest) && !std::is_same_v<Tuple<F, R...>, Tuple> &&
           std::is_convertible_v<F, First>) constexpr Tuple(Tuple<F, R...> other)
      : first(static_cast<F&&>(other.first)), rest(static_cast<Tuple<R...>&&>(other.rest)) {}

  template <std::size_t i>
  constexpr auto& get() {
    if constexpr (i == 0) {
      return first;
    } else {
      return rest.template get<i - 1>();
    }
  }
  template <std::size_t i>
  constexpr const auto& get() const {
    if constexpr (i == 0) {
      return first;
    } else {
      return rest.template get<i - 1>();
    }
  }

  friend constexpr bool operator==(const Tuple& a,
                                   const Tuple& b) requires(Compares<First> && (Compares<Rest> && ...)) {
    return a.first == b.first && a.rest == b.rest;
  }
};
template <class... Parts>
Tuple(Parts...) -> Tuple<Parts...>;

template <class A, class... As, class B, class... Bs>
requires(sizeof...(As) == sizeof...(Bs) && !std::is_same_v<Tuple<A, As...>, Tuple<B, Bs...>>) constexpr bool operator==(
    const Tuple<A, As...>& a, const Tuple<B, Bs...>& b) {
  return a.first == b.first && a.rest == b.rest;
}

template <class... Parts>
inline constexpr bool copies<Tuple<Parts...>> = (copies<Parts> && ...);
template <class... Parts>
struct StoredAs<Tuple<Parts...>> {
  using type = Tuple<Stored<Parts>...>;
};
inline Tuple<> clone(const Tuple<>&) {
  return {};
}
template <class First, class... Rest>
[[nodiscard]] inline Tuple<First, Rest...> clone(const Tuple<First, Rest...>& x) {
  Tuple<First, Rest...> made;
  made.first = clone(x.first);
  made.rest = clone(x.rest);
  return made;
}

template <class T>
inline constexpr bool is_tuple = false;
template <class... Parts>
inline constexpr bool is_tuple<Tuple<Parts...>> = true;

}  // namespace nikaia

// `let (a, b) = t` as a structured binding.
template <class... Parts>
struct std::tuple_size<nikaia::Tuple<Parts...>> : std::integral_constant<std::size_t, sizeof...(Parts)> {};
template <std::size_t i, class First, class... Rest>
struct std::tuple_element<i, nikaia::Tuple<First, Rest...>> : std::tuple_element<i - 1, nikaia::Tuple<Rest...>> {};
template <class First, class... Rest>
struct std::tuple_element<0, nikaia::Tuple<First, Rest...>> {
  using type = First;
};
