// time::Duration (language 07 §8): whole seconds and nanoseconds below one billion. Copies,
// compares, orders.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/format.h>
#include <nikaia/rt/numbers.h>
#include <nikaia/rt/text.h>

namespace nikaia {

struct Duration {
  std::uint64_t seconds = 0;
  std::uint32_t nanoseconds = 0;

  friend constexpr bool operator==(const Duration&, const Duration&) = default;
  friend constexpr bool operator<(const Duration& a, const Duration& b) {
    return a.seconds != b.seconds ? a.seconds < b.seconds : a.nanoseconds < b.nanoseconds;
  }
  friend constexpr bool operator>(const Duration& a, const Duration& b) { return b < a; }
  friend constexpr bool operator<=(const Duration& a, const Duration& b) { return !(b < a); }
  friend constexpr bool operator>=(const Duration& a, const Duration& b) { return !(a < b); }
  void show(String& out) const;
};
NIKAIA_INLINE int order(const Duration& a, const Duration& b) {
  return (b < a) - (a < b);
}

// `count` units of `unit` nanoseconds; a negative count is no time, one too large the longest span.
Duration span_of(std::int64_t count, std::uint64_t unit_ns);
NIKAIA_INLINE Duration int_hours(std::int64_t n) {
  return span_of(n, 3'600'000'000'000);
}
NIKAIA_INLINE Duration int_minutes(std::int64_t n) {
  return span_of(n, 60'000'000'000);
}
NIKAIA_INLINE Duration int_seconds(std::int64_t n) {
  return span_of(n, 1'000'000'000);
}
NIKAIA_INLINE Duration int_millis(std::int64_t n) {
  return span_of(n, 1'000'000);
}
NIKAIA_INLINE Duration int_micros(std::int64_t n) {
  return span_of(n, 1'000);
}

std::int64_t whole_units(const Duration& span, std::uint64_t unit_ns);
NIKAIA_INLINE std::int64_t duration_in_hours(const Duration& d) {
  return whole_units(d, 3'600'000'000'000);
}
NIKAIA_INLINE std::int64_t duration_in_minutes(const Duration& d) {
  return whole_units(d, 60'000'000'000);
}
NIKAIA_INLINE std::int64_t duration_in_seconds(const Duration& d) {
  return whole_units(d, 1'000'000'000);
}
NIKAIA_INLINE std::int64_t duration_in_millis(const Duration& d) {
  return whole_units(d, 1'000'000);
}
NIKAIA_INLINE std::int64_t duration_in_micros(const Duration& d) {
  return whole_units(d, 1'000);
}

// d + e, d - e, d * n, d / n; each stops where the answer is below zero or past the type.
Duration add(Duration a, Duration b, At at = At::here());
Duration sub(Duration a, Duration b, At at = At::here());
Duration span_times(Duration span, bool negative, std::uint64_t n, At at);
Duration span_over(Duration span, bool negative, std::uint64_t n, At at);
template <class N>
NIKAIA_INLINE Duration mul(Duration span, N n, At at = At::here()) {
  return span_times(span, n < 0, static_cast<std::uint64_t>(n), at);
}
template <class N>
NIKAIA_INLINE Duration div(Duration span, N n, At at = At::here()) {
  return span_over(span, n < 0, static_cast<std::uint64_t>(n), at);
}

NIKAIA_INLINE Duration duration_add(Duration a, Duration b, At at = At::here()) {
  return add(a, b, at);
}
NIKAIA_INLINE Duration duration_sub(Duration a, Duration b, At at = At::here()) {
  return sub(a, b, at);
}
template <class N>
NIKAIA_INLINE Duration duration_mul(Duration span, N n, At at = At::here()) {
  return mul(span, n, at);
}
template <class N>
NIKAIA_INLINE Duration duration_div(Duration span, N n, At at = At::here()) {
  return div(span, n, at);
}

// time::sleep. Pauses.
void time_sleep(Duration span);

}  // namespace nikaia
