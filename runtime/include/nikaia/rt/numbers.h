// Numbers (language 01 §6, 07 §2): every operation that can stop the program is a function here,
// made of the compiler's overflow builtins; what cannot stop is the C++ operator itself. `u8`
// results are narrowed back.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/maybe.h>
#include <nikaia/rt/text.h>

namespace nikaia {

template <class T>
inline constexpr const char* type_name_of = "";
template <>
inline constexpr const char* type_name_of<std::int64_t> = "i64";
template <>
inline constexpr const char* type_name_of<std::int32_t> = "i32";
template <>
inline constexpr const char* type_name_of<std::uint64_t> = "u64";
template <>
inline constexpr const char* type_name_of<std::uint32_t> = "u32";
template <>
inline constexpr const char* type_name_of<std::uint8_t> = "u8";
template <>
inline constexpr const char* type_name_of<double> = "f64";
template <>
inline constexpr const char* type_name_of<char32_t> = "char";

template <class T>
inline constexpr bool is_number_type =
    std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char32_t>;

template <class T>
using UnsignedOf = std::make_unsigned_t<T>;
template <class T>
inline constexpr T least = std::is_signed_v<T> ? static_cast<T>(UnsignedOf<T>{1} << (sizeof(T) * 8 - 1)) : T{0};
template <class T>
inline constexpr T greatest = static_cast<T>(~static_cast<UnsignedOf<T>>(least<T>));
template <class T>
inline constexpr unsigned width_of = sizeof(T) * 8;

// ---- operators (a + b, a - b, …)

template <class T>
NIKAIA_ALWAYS_INLINE T add(T a, T b, At at = At::here()) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {
    T sum;
    if (__builtin_expect(__builtin_add_overflow(a, b, &sum), 0)) {
      stop_overflow(at, "addition", type_name_of<T>);
    }
    return sum;
  }
}
template <class T>
NIKAIA_ALWAYS_INLINE T sub(T a, T b, At at = At::here()) {
  if constexpr (std::is_floating_point_v<T>) {
    return a - b;
  } else {
    T difference;
    if (__builtin_expect(__builtin_sub_overflow(a, b, &difference), 0)) {
      stop_overflow(at, "subtraction", type_name_of<T>);
    }
    return difference;
  }
}
template <class T>
NIKAIA_ALWAYS_INLINE T mul(T a, T b, At at = At::here()) {
  if constexpr (std::is_floating_point_v<T>) {
    return a * b;
  } else {
    T product;
    if (__builtin_expect(__builtin_mul_overflow(a, b, &product), 0)) {
      stop_overflow(at, "multiplication", type_name_of<T>);
    }
    return product;
  }
}
// True for the one quotient that does not fit.
template <class T>
NIKAIA_ALWAYS_INLINE bool division_overflows(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    return b == T{-1} && a == least<T>;
  } else {
    return false;
  }
}
template <class T>
NIKAIA_ALWAYS_INLINE T div(T a, T b, At at = At::here()) {
  if constexpr (std::is_floating_point_v<T>) {
    return a / b;
  } else {
    if (__builtin_expect(b == 0, 0)) {
      stop_division(at);
    }
    if (__builtin_expect(division_overflows(a, b), 0)) {
      stop_overflow(at, "division", type_name_of<T>);
    }
    return static_cast<T>(a / b);
  }
}
double f64_rem(double a, double b);
template <class T>
NIKAIA_ALWAYS_INLINE T rem(T a, T b, At at = At::here()) {
  if constexpr (std::is_floating_point_v<T>) {
    return f64_rem(a, b);
  } else {
    if (__builtin_expect(b == 0, 0)) {
      stop_division(at);
    }
    if (__builtin_expect(division_overflows(a, b), 0)) {
      stop_overflow(at, "division", type_name_of<T>);
    }
    return static_cast<T>(a % b);
  }
}
template <class T>
NIKAIA_ALWAYS_INLINE T neg(T a, At at = At::here()) {
  if constexpr (std::is_floating_point_v<T>) {
    return -a;
  } else {
    if (__builtin_expect(a == least<T>, 0)) {
      stop_overflow(at, "negation", type_name_of<T>);
    }
    return static_cast<T>(-a);
  }
}
// `<<` loses the bits moved out; the count, of any integer type, is at least zero and below the
// width.
template <class T, class C>
NIKAIA_INLINE T shl(T a, C count, At at = At::here()) {
  if (__builtin_expect(static_cast<std::uint64_t>(count) >= width_of<T>, 0)) {
    stop_overflow(at, "shift", type_name_of<T>);
  }
  return static_cast<T>(static_cast<UnsignedOf<T>>(a) << count);
}
template <class T, class C>
NIKAIA_INLINE T shr(T a, C count, At at = At::here()) {
  if (__builtin_expect(static_cast<std::uint64_t>(count) >= width_of<T>, 0)) {
    stop_overflow(at, "shift", type_name_of<T>);
  }
  return static_cast<T>(a >> count);
}
// `& | ^ !` of `u8` come back from `int`.
template <class T>
NIKAIA_INLINE T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
NIKAIA_INLINE T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
NIKAIA_INLINE T bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
NIKAIA_INLINE T bit_not(T a) {
  return static_cast<T>(~a);
}

// ---- `as`

template <class To, class From>
NIKAIA_ALWAYS_INLINE bool fits(From value) {
  To narrowed;
  return !__builtin_add_overflow(value, From{0}, &narrowed);
}
// Whether the fraction cut off leaves a value of To; not for NaN and infinities. The bounds are
// exact doubles.
template <class To>
NIKAIA_INLINE bool float_fits(double value) {
  constexpr double end = static_cast<double>(UnsignedOf<To>{1} << (width_of<To> - 1)) * (std::is_signed_v<To> ? 1 : 2);
  if constexpr (std::is_signed_v<To> && width_of<To> == 64) {
    return value >= -end && value < end;
  } else if constexpr (std::is_signed_v<To>) {
    return value > -end - 1 && value < end;
  } else {
    return value > -1.0 && value < end;
  }
}

// `value as To`.
template <class To, class From>
NIKAIA_ALWAYS_INLINE To cast(From value, At at = At::here()) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_floating_point_v<From>) {
    if (__builtin_expect(!float_fits<To>(value), 0)) {
      stop_fit_float(at, value, type_name_of<To>);
    }
    return static_cast<To>(value);
  } else if constexpr (std::is_same_v<To, char32_t>) {
    return static_cast<char32_t>(value);  // from a u8: always a character
  } else if constexpr (std::is_same_v<From, char32_t>) {
    return cast<To>(static_cast<std::uint32_t>(value), at);
  } else {
    if (__builtin_expect(!fits<To>(value), 0)) {
      if constexpr (std::is_signed_v<From>) {
        stop_fit(at, value, type_name_of<To>);
      } else {
        stop_fit_unsigned(at, value, type_name_of<To>);
      }
    }
    return static_cast<To>(value);
  }
}

// `value.truncating_To()`: the low bits; of an f64 the fraction cut off, then the nearest end, NaN
// is 0.
template <class To, class From>
NIKAIA_INLINE To truncating(From value) {
  if constexpr (std::is_floating_point_v<From>) {
    if (value != value) {
      return 0;
    }
    return float_fits<To>(value) ? static_cast<To>(value) : value < 0 ? least<To> : greatest<To>;
  } else {
    return static_cast<To>(value);
  }
}
// `value.checked_To()`.
template <class To, class From>
NIKAIA_INLINE Maybe<To> checked(From value) {
  return fits<To>(value) ? Maybe<To>(static_cast<To>(value)) : Maybe<To>();
}

// ---- rows of the integers (07 §2.1, §2.2): int.NAME

template <class T>
NIKAIA_INLINE T int_min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
NIKAIA_INLINE T int_max(T a, T b) {
  return a < b ? b : a;
}
template <class T>
inline T int_pow(T base, std::uint32_t exponent, At at = At::here()) {
  T result = 1;
  // The square that is not used any more may overflow without harm, so it is not made.
  while (true) {
    if ((exponent & 1) != 0) {
      if (__builtin_mul_overflow(result, base, &result)) {
        stop_overflow(at, "multiplication", type_name_of<T>);
      }
    }
    exponent >>= 1;
    if (exponent == 0) {
      return result;
    }
    if (__builtin_mul_overflow(base, base, &base)) {
      // What comes after multiplies by a number of at least two magnitudes: only 0, 1 and -1 never
      // get here.
      stop_overflow(at, "multiplication", type_name_of<T>);
    }
  }
}
template <class T>
NIKAIA_INLINE std::uint32_t int_count_ones(T a) {
  return static_cast<std::uint32_t>(__builtin_popcountll(static_cast<UnsignedOf<T>>(a)));
}
template <class T>
NIKAIA_INLINE std::uint32_t int_leading_zeros(T a) {
  const std::uint64_t bits = static_cast<UnsignedOf<T>>(a);
  return bits == 0 ? width_of<T> : static_cast<std::uint32_t>(__builtin_clzll(bits)) - (64 - width_of<T>);
}
template <class T>
NIKAIA_INLINE std::uint32_t int_trailing_zeros(T a) {
  const std::uint64_t bits = static_cast<UnsignedOf<T>>(a);
  return bits == 0 ? width_of<T> : static_cast<std::uint32_t>(__builtin_ctzll(bits));
}
template <class T>
NIKAIA_INLINE T int_div_euclid(T a, T b, At at = At::here()) {
  const T quotient = div(a, b, at);
  if constexpr (std::is_signed_v<T>) {
    if (a % b < 0) {
      return static_cast<T>(b > 0 ? quotient - 1 : quotient + 1);
    }
  }
  return quotient;
}
template <class T>
NIKAIA_INLINE T int_rem_euclid(T a, T b, At at = At::here()) {
  if (__builtin_expect(b == 0, 0)) {
    stop_division(at);
  }
  if constexpr (std::is_signed_v<T>) {
    if (b == T{-1}) {
      return 0;
    }
    const T rest = static_cast<T>(a % b);
    // Added without overflow: -rest is below |b|, which for the smallest b is not a T itself.
    return rest >= 0 ? rest : static_cast<T>(b < 0 ? rest - b : rest + b);
  } else {
    return static_cast<T>(a % b);
  }
}
template <class T>
NIKAIA_INLINE T int_abs(T a, At at = At::here()) {
  return a < 0 ? neg(a, at) : a;
}
template <class T>
NIKAIA_INLINE T int_signum(T a) {
  return static_cast<T>((a > 0) - (a < 0));
}

template <class T>
NIKAIA_INLINE T int_wrapping_add(T a, T b) {
  T result;
  (void)__builtin_add_overflow(a, b, &result);
  return result;
}
template <class T>
NIKAIA_INLINE T int_wrapping_sub(T a, T b) {
  T result;
  (void)__builtin_sub_overflow(a, b, &result);
  return result;
}
template <class T>
NIKAIA_INLINE T int_wrapping_mul(T a, T b) {
  T result;
  (void)__builtin_mul_overflow(a, b, &result);
  return result;
}
template <class T>
NIKAIA_INLINE T int_wrapping_div(T a, T b, At at = At::here()) {
  if (__builtin_expect(b == 0, 0)) {
    stop_division(at);
  }
  return division_overflows(a, b) ? a : static_cast<T>(a / b);
}
template <class T>
NIKAIA_INLINE T int_wrapping_neg(T a) {
  return int_wrapping_sub(T{0}, a);
}
template <class T>
NIKAIA_INLINE T int_wrapping_abs(T a) {
  return a < 0 ? int_wrapping_neg(a) : a;
}
template <class T, class C>
NIKAIA_INLINE T int_wrapping_shl(T a, C count) {
  return static_cast<T>(static_cast<UnsignedOf<T>>(a) << (static_cast<std::uint64_t>(count) % width_of<T>));
}
template <class T, class C>
NIKAIA_INLINE T int_wrapping_shr(T a, C count) {
  return static_cast<T>(a >> (static_cast<std::uint64_t>(count) % width_of<T>));
}
template <class T>
NIKAIA_INLINE T int_saturating_add(T a, T b) {
  T result;
  if (!__builtin_add_overflow(a, b, &result)) {
    return result;
  }
  return std::is_signed_v<T> && b < 0 ? least<T> : greatest<T>;
}
template <class T>
NIKAIA_INLINE T int_saturating_sub(T a, T b) {
  T result;
  if (!__builtin_sub_overflow(a, b, &result)) {
    return result;
  }
  return std::is_signed_v<T> && b < 0 ? greatest<T> : least<T>;
}
template <class T>
NIKAIA_INLINE T int_saturating_mul(T a, T b) {
  T result;
  if (!__builtin_mul_overflow(a, b, &result)) {
    return result;
  }
  return (a < 0) != (b < 0) ? least<T> : greatest<T>;
}
template <class T>
NIKAIA_INLINE T int_saturating_div(T a, T b, At at = At::here()) {
  if (__builtin_expect(b == 0, 0)) {
    stop_division(at);
  }
  return division_overflows(a, b) ? greatest<T> : static_cast<T>(a / b);
}
template <class T>
NIKAIA_INLINE T int_saturating_neg(T a) {
  return a == least<T> ? greatest<T> : static_cast<T>(-a);
}
template <class T>
NIKAIA_INLINE T int_saturating_abs(T a) {
  return a < 0 ? int_saturating_neg(a) : a;
}
template <class T>
NIKAIA_INLINE Maybe<T> int_checked_add(T a, T b) {
  T result;
  return __builtin_add_overflow(a, b, &result) ? Maybe<T>() : Maybe<T>(result);
}
template <class T>
NIKAIA_INLINE Maybe<T> int_checked_sub(T a, T b) {
  T result;
  return __builtin_sub_overflow(a, b, &result) ? Maybe<T>() : Maybe<T>(result);
}
template <class T>
NIKAIA_INLINE Maybe<T> int_checked_mul(T a, T b) {
  T result;
  return __builtin_mul_overflow(a, b, &result) ? Maybe<T>() : Maybe<T>(result);
}
template <class T>
NIKAIA_INLINE Maybe<T> int_checked_div(T a, T b) {
  return b == 0 || division_overflows(a, b) ? Maybe<T>() : Maybe<T>(static_cast<T>(a / b));
}
template <class T>
NIKAIA_INLINE Maybe<T> int_checked_rem(T a, T b) {
  return b == 0 || division_overflows(a, b) ? Maybe<T>() : Maybe<T>(static_cast<T>(a % b));
}
template <class T>
NIKAIA_INLINE Maybe<T> int_checked_neg(T a) {
  return a == least<T> ? Maybe<T>() : Maybe<T>(static_cast<T>(-a));
}
template <class T>
NIKAIA_INLINE Maybe<T> int_checked_abs(T a) {
  return a < 0 ? int_checked_neg(a) : Maybe<T>(a);
}

// ---- f64, bool, char (07 §2.4, §2.5)

NIKAIA_INLINE double f64_abs(double x) {
  return __builtin_fabs(x);
}
NIKAIA_INLINE double f64_sqrt(double x) {
  return __builtin_sqrt(x);
}
NIKAIA_INLINE double f64_floor(double x) {
  return __builtin_floor(x);
}
NIKAIA_INLINE double f64_ceil(double x) {
  return __builtin_ceil(x);
}
NIKAIA_INLINE double f64_trunc(double x) {
  return __builtin_trunc(x);
}
NIKAIA_INLINE double f64_round(double x) {
  return __builtin_round(x);
}
// The sign of x, zeros included; an infinity has the fraction NaN, as x - x.trunc() says.
NIKAIA_INLINE double f64_fract(double x) {
  return x - __builtin_trunc(x);
}
NIKAIA_INLINE double f64_signum(double x) {
  return x != x ? x : __builtin_copysign(1.0, x);
}
NIKAIA_INLINE double f64_exp(double x) {
  return __builtin_exp(x);
}
NIKAIA_INLINE double f64_ln(double x) {
  return __builtin_log(x);
}
NIKAIA_INLINE double f64_log10(double x) {
  return __builtin_log10(x);
}
NIKAIA_INLINE double f64_log2(double x) {
  return __builtin_log2(x);
}
NIKAIA_INLINE double f64_sin(double x) {
  return __builtin_sin(x);
}
NIKAIA_INLINE double f64_cos(double x) {
  return __builtin_cos(x);
}
NIKAIA_INLINE double f64_tan(double x) {
  return __builtin_tan(x);
}
double f64_powi(double x, std::int32_t n);
NIKAIA_INLINE double f64_powf(double x, double n) {
  return __builtin_pow(x, n);
}
NIKAIA_INLINE double f64_min(double a, double b) {
  return __builtin_fmin(a, b);
}
NIKAIA_INLINE double f64_max(double a, double b) {
  return __builtin_fmax(a, b);
}
NIKAIA_INLINE bool f64_is_nan(double x) {
  return x != x;
}
NIKAIA_INLINE bool f64_is_finite(double x) {
  return x - x == 0;
}

bool char_is_whitespace(char32_t c);
bool char_is_alphabetic(char32_t c);
bool char_is_alphanumeric(char32_t c);
NIKAIA_INLINE bool char_is_ascii_digit(char32_t c) {
  return c >= U'0' && c <= U'9';
}
NIKAIA_INLINE char32_t char_to_ascii_lowercase(char32_t c) {
  return c >= U'A' && c <= U'Z' ? c + 32 : c;
}
NIKAIA_INLINE char32_t char_to_ascii_uppercase(char32_t c) {
  return c >= U'a' && c <= U'z' ? c - 32 : c;
}

// `to_string` of each, as a plain hole writes it.
String i64_to_string(std::int64_t value);
String u64_to_string(std::uint64_t value);
template <class T>
NIKAIA_INLINE String int_to_string(T value) {
  if constexpr (std::is_signed_v<T>) {
    return i64_to_string(value);
  } else {
    return u64_to_string(value);
  }
}
String f64_to_string(double value);
NIKAIA_INLINE String bool_to_string(bool value) {
  return String::literal(value ? "true"_s : "false"_s);
}
String char_to_string(char32_t value);

}  // namespace nikaia
