// Text forms, specifiers and diagnostic forms: 07 §19.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <rapidcheck.h>

#include "tests/values/values.h"

using namespace values;

namespace {

template <class T>
std::string spelled(const T& value, const Spec& how) {
  return said(spec(value, how));
}

struct Point {
  i64 x = 0;
  String name;
  void debug(DebugText& out) const {
    out.begin_struct("Point"_s);
    out.field("x"_s, x);
    out.field("name"_s, name);
    out.end_struct();
  }
};

}  // namespace

TEST_CASE("floats have no exponent and no needless digit") {
  CHECK(said(2.0, " "_s, 1e21, " "_s, 2.5e-7, " "_s, f64_sqrt(-1.0)) == "2 1000000000000000000000 0.00000025 NaN");
  CHECK(said(0.1 + 0.2, " "_s, -0.0, " "_s, 1e16, " "_s, 1e23) ==
        "0.30000000000000004 -0 10000000000000000 100000000000000000000000");
  CHECK(said(1.0 / 0.0, " "_s, -1.0 / 0.0) == "inf -inf");
  CHECK(rc::check([] {
    const auto bits = *rc::gen::arbitrary<u64>();
    double value;
    std::memcpy(&value, &bits, 8);
    if (f64_is_finite(value)) {
      const std::string text = said(value);
      RC_ASSERT(text.find('e') == std::string::npos);
      RC_ASSERT(std::strtod(text.c_str(), nullptr) == value);
      RC_ASSERT(text_parse<double>(Str(text.data(), text.size())) == Maybe<double>(value));
    }
  }));
}

TEST_CASE("specifiers") {
  CHECK(spelled(-42, {.width = 6}) == "   -42");
  CHECK(spelled(-42, {.align = '<', .width = 6}) == "-42   ");
  CHECK(spelled(-42, {.align = '^', .width = 6}) == " -42  ");
  CHECK(spelled(-42, {.zero = true, .width = 6}) == "-00042");
  CHECK(spelled(255, {.plus = true, .width = 6, .kind = 'x'}) == "   +ff");
  CHECK(spelled(255, {.alternate = true, .zero = true, .width = 10, .kind = 'x'}) == "0x000000ff");
  CHECK(spelled(255, {.alternate = true, .kind = 'X'}) == "0xFF");
  CHECK(spelled(i32{-42}, {.kind = 'x'}) == "ffffffd6");
  CHECK(spelled(u8{5}, {.kind = 'b'}) == "101");
  CHECK(spelled("oar"_s, {.fill = U'*', .align = '^', .width = 6}) == "*oar**");
  CHECK(spelled("Ärmel"_s, {.width = 7}) == "Ärmel  ");
  CHECK(spelled("Ärmel"_s, {.precision = 1}) == "Ä");
  CHECK(spelled(U'x', {.align = '^', .width = 3}) == " x ");
  CHECK(spelled(true, {.width = 7}) == "true   ");
  CHECK(spelled(0.125, {.precision = 2}) == "0.12");
  CHECK(spelled(2.5, {.precision = 0}) == "2");
  CHECK(spelled(-0.01, {.precision = 1}) == "-0.0");
  CHECK(spelled(2.0 / 3, {.zero = true, .width = 8, .precision = 3}) == "0000.667");
  CHECK(spelled(1500.0, {.kind = 'e'}) == "1.5e3");
  CHECK(spelled(0.0002, {.kind = 'E'}) == "2E-4");
  CHECK(spelled(2.0 / 3, {.precision = 2, .kind = 'e'}) == "6.67e-1");
  CHECK(spelled(i64{1500}, {.kind = 'e'}) == "1.5e3");
  CHECK(spelled(0.0, {.kind = 'e'}) == "0e0");
  CHECK(spelled(1.0 / 0.0, {.zero = true, .width = 6}) == "   inf");
  CHECK(spelled(f64_sqrt(-1), {.plus = true, .precision = 1}) == "NaN");
  CHECK(spelled(1e300, {.precision = 1}).size() == 303);
}

TEST_CASE("diagnostic forms") {
  CHECK(shown(1e16) == "1e16");
  CHECK(shown(2.0) == "2.0");
  CHECK(shown(2.5e-7) == "2.5e-7");
  CHECK(shown(0.00001) == "0.00001");
  CHECK(shown(-0.0) == "-0.0");
  CHECK(shown("a\"b\n\\\u0001'"_s) == "\"a\\\"b\\n\\\\\\u{1}'\"");
  CHECK(shown(U'\'') == "'\\''");
  CHECK(shown(Maybe<i64>()) == "null");
  CHECK(shown(Maybe<i64>(3)) == "3");
  CHECK(shown(Tuple<i64, String>(1, owned("a"))) == R"((1, "a"))");
  CHECK(shown(Point{1, owned("n")}) == R"(Point { x: 1, name: "n" })");
  CHECK(shown(IoError::NotText(owned("x"))) == R"(NotText("x"))");
  CHECK(shown(Root::Anywhere()) == "Anywhere");
  CHECK(said(debug_form(Vec<Point>::of(Point{1, owned("n")}), {.alternate = true})) ==
        "[\n    Point {\n        x: 1,\n        name: \"n\",\n    },\n]");
  CHECK(said(debug_form(Vec<i64>(), {.alternate = true})) == "[]");
  CHECK(shown(int_millis(1500)) == "1.5s");
}

TEST_CASE("spans of time") {
  CHECK(said(int_seconds(90), " "_s, int_millis(250), " "_s, int_micros(12), " "_s, int_seconds(-5)) ==
        "90s 250ms 12us 0s");
  CHECK(said(int_micros(1500)) == "1.5ms");
  CHECK(duration_in_minutes(int_seconds(90)) == 1);
  CHECK(int_hours(greatest<i64>) == int_minutes(greatest<i64>));
  CHECK(duration_in_micros(int_hours(greatest<i64>)) == greatest<i64>);
  CHECK(said(sub(int_seconds(2), int_millis(1))) == "1.999s");
  CHECK(said(mul(int_millis(3), u8{4}), " "_s, div(int_seconds(1), 3)) == "12ms 333.333333ms");
  CHECK(stop_reason([] { (void)sub(int_seconds(1), int_seconds(2)); }) == "subtraction overflowed Duration");
  CHECK(stop_reason([] { (void)div(int_seconds(1), 0); }) == "division by zero");
  CHECK(stop_reason([] { (void)mul(int_seconds(1), -1); }) == "multiplication overflowed Duration");
}

TEST_CASE("bytes as text") {
  CountedBuffer* const buffer = new_buffer(4);
  std::memcpy(bytes_of(buffer), "a\xFF\xC3\xA9", 4);
  const Bytes bytes(bytes_of(buffer), 4, buffer);
  CHECK(said(bytes) == "a\\xffé");
  CHECK(bytes_text(bytes).failed());
  CHECK(bytes_find(bytes, u8{0xFF}) == Maybe<i64>(1));
  CHECK(bytes_find(bytes, "é"_s) == Maybe<i64>(2));
  CHECK(stop_reason([&] { (void)index_at(bytes, 4); }) == "index 4 is outside a list of 4");
  const TetheredRun<u8> kept = slice(bytes, range_to(1, 1));
  CHECK(buffer->count == 2);
  CHECK(stop_reason([&] { (void)seq_count(bytes_lines(bytes)); }) == "a line is not valid UTF-8");
}
