// Arithmetic against 128-bit numbers, and the rows of 07 §2.
#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "tests/values/values.h"

using namespace values;

namespace {

__extension__ using Wide = __int128;

template <class T>
bool holds(Wide value) {
  return value >= static_cast<Wide>(least<T>) && value <= static_cast<Wide>(greatest<T>);
}

// Values near the ends and near zero, where things go wrong, as often as any others.
template <class T>
rc::Gen<T> number() {
  return rc::gen::oneOf(rc::gen::arbitrary<T>(),
                        rc::gen::map(rc::gen::inRange(0, 4), [](int n) { return static_cast<T>(least<T> + n); }),
                        rc::gen::map(rc::gen::inRange(0, 4), [](int n) { return static_cast<T>(greatest<T> - n); }),
                        rc::gen::map(rc::gen::inRange(-2, 3), [](int n) { return static_cast<T>(n); }));
}

template <class T>
void agree_with_wide() {
  CHECK(rc::check([] {
    const T a = *number<T>();
    const T b = *number<T>();
    const Wide x = a;
    const Wide y = b;
    const auto agree = [](Maybe<T> got, Wide exact) {
      RC_ASSERT(got.has() == holds<T>(exact));
      if (got.has()) {
        RC_ASSERT(static_cast<Wide>(*got) == exact);
      }
    };
    agree(int_checked_add(a, b), x + y);
    agree(int_checked_sub(a, b), x - y);
    // A product of two u64 need not fit 128 bits; clamped, it is still outside.
    Wide product;
    if (__builtin_mul_overflow(x, y, &product)) {
      product = static_cast<Wide>(greatest<u64>) + 1;
    } else {
      RC_ASSERT(int_wrapping_mul(a, b) == static_cast<T>(product));
    }
    agree(int_checked_mul(a, b), product);
    RC_ASSERT(int_checked_div(a, b).has() == (b != 0 && holds<T>(y == 0 ? Wide{0} : x / y)));
    RC_ASSERT(int_wrapping_add(a, b) == static_cast<T>(x + y));
    const auto nearest = [](Wide exact) {
      return exact < static_cast<Wide>(least<T>)      ? least<T>
             : exact > static_cast<Wide>(greatest<T>) ? greatest<T>
                                                      : static_cast<T>(exact);
    };
    RC_ASSERT(int_saturating_add(a, b) == nearest(x + y));
    RC_ASSERT(int_saturating_sub(a, b) == nearest(x - y));
    RC_ASSERT(int_saturating_mul(a, b) == nearest(product));
    if (holds<T>(x + y)) {
      RC_ASSERT(static_cast<Wide>(add(a, b)) == x + y);
    }
    if (b != 0 && holds<T>(x / y)) {
      const T quotient = int_div_euclid(a, b);
      const T rest = int_rem_euclid(a, b);
      RC_ASSERT(rest >= 0);
      RC_ASSERT(static_cast<Wide>(quotient) * y + rest == x);
    }
  }));
}

}  // namespace

TEST_CASE("arithmetic agrees with wider numbers") {
  agree_with_wide<i64>();
  agree_with_wide<i32>();
  agree_with_wide<u64>();
  agree_with_wide<u32>();
  agree_with_wide<u8>();
}

TEST_CASE("what does not fit stops with its reason") {
  volatile i32 most = greatest<i32>;
  volatile i32 fewest = least<i32>;
  volatile i64 zero = 0;
  volatile u8 byte = 200;
  volatile i64 large = 300;
  volatile double huge = 1e20;
  CHECK(stop_reason([&] { (void)add<i32>(most, 1); }) == "addition overflowed i32");
  CHECK(stop_reason([&] { (void)sub<i32>(fewest, 1); }) == "subtraction overflowed i32");
  CHECK(stop_reason([&] { (void)mul<u8>(byte, 2); }) == "multiplication overflowed u8");
  CHECK(stop_reason([&] { (void)div<i64>(1, zero); }) == "division by zero");
  CHECK(stop_reason([&] { (void)rem<i64>(1, zero); }) == "division by zero");
  CHECK(stop_reason([&] { (void)div<i32>(fewest, -1); }) == "division overflowed i32");
  CHECK(stop_reason([&] { (void)rem<i32>(fewest, -1); }) == "division overflowed i32");
  CHECK(stop_reason([&] { (void)neg<i32>(fewest); }) == "negation overflowed i32");
  CHECK(stop_reason([&] { (void)int_abs<i32>(fewest); }) == "negation overflowed i32");
  CHECK(stop_reason([&] { (void)shl<i32>(1, large); }) == "shift overflowed i32");
  CHECK(stop_reason([&] { (void)shr<i32>(1, -1); }) == "shift overflowed i32");
  CHECK(stop_reason([&] { (void)cast<u8>(static_cast<i64>(large)); }) == "300 does not fit u8");
  CHECK(stop_reason([&] { (void)cast<i32>(static_cast<double>(huge)); }) == "100000000000000000000 does not fit i32");
  CHECK(stop_reason([&] { (void)int_pow<i32>(2, 31); }) == "multiplication overflowed i32");
  CHECK(stop_reason([&] { (void)int_wrapping_div<i32>(1, static_cast<i32>(zero)); }) == "division by zero");
  CHECK(stop_reason([] {}) == "");
}

TEST_CASE("powers, bits and signs") {
  CHECK(int_pow<i32>(-2, 31) == least<i32>);
  CHECK(int_pow<i64>(0, 0) == 1);
  CHECK(int_pow<i64>(3, 39) == 4052555153018976267);
  CHECK(int_count_ones<i32>(-1) == 32);
  CHECK(int_leading_zeros<u8>(1) == 7);
  CHECK(int_leading_zeros<i64>(0) == 64);
  CHECK(int_trailing_zeros<u32>(0) == 32);
  CHECK(int_trailing_zeros<i32>(8) == 3);
  CHECK(int_div_euclid<i64>(-7, 2) == -4);
  CHECK(int_rem_euclid<i64>(-7, 2) == 1);
  CHECK(int_rem_euclid<i32>(least<i32>, -1) == 0);
  CHECK(int_wrapping_shl<i32>(1, 33) == 2);
  CHECK(int_wrapping_shl<i32>(1, -1) == least<i32>);
  CHECK(int_wrapping_abs(least<i32>) == least<i32>);
  CHECK(int_saturating_abs(least<i32>) == greatest<i32>);
  CHECK_FALSE(int_checked_abs(least<i32>).has());
  CHECK_FALSE(int_checked_rem<i32>(least<i32>, -1).has());
}

TEST_CASE("conversions") {
  CHECK(truncating<i32>(1e20) == greatest<i32>);
  CHECK(truncating<i32>(-3.9) == -3);
  CHECK(truncating<i32>(__builtin_nan("")) == 0);
  CHECK(truncating<u64>(-1.0) == 0);
  CHECK(truncating<u64>(i32{-1}) == greatest<u64>);
  CHECK(or_else(checked<i32>(i64{5000000000}), 7) == 7);
  CHECK(cast<i64>(-9223372036854775808.0) == least<i64>);
  CHECK(cast<i32>(-2147483648.9) == least<i32>);
  CHECK(cast<u8>(255.9) == 255);
  CHECK(stop_reason([] { (void)cast<u8>(256.0); }) == "256 does not fit u8");
  CHECK(stop_reason([] { (void)cast<u64>(-1.0); }) == "-1 does not fit u64");
  CHECK(stop_reason([] { (void)cast<i64>(9223372036854775808.0); }) == "9223372036854776000 does not fit i64");
  CHECK(cast<double>(i64{9007199254740993}) == 9007199254740992.0);
  CHECK(cast<char32_t>(u8{65}) == U'A');
  CHECK(cast<i64>(U'\u00E9') == 0xE9);
}

TEST_CASE("floats") {
  CHECK(f64_round(2.5) == 3);
  CHECK(f64_round(-2.5) == -3);
  CHECK(f64_max(__builtin_nan(""), 1.0) == 1);
  CHECK(f64_is_nan(f64_sqrt(-1)));
  CHECK(f64_signum(-0.0) == -1);
  CHECK(f64_powi(2, -1) == 0.5);
  CHECK(rem(5.5, 2.0) == 1.5);
  CHECK_FALSE(f64_is_finite(1.0 / 0.0));
}
