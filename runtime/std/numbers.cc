// What numbers do that is too long to stand in a header.
#include <algorithm>
#include <cmath>

#include <nikaia/rt/format.h>
#include <nikaia/rt/numbers.h>
#include <nikaia/rt/vec_rows.h>

namespace nikaia {

double f64_rem(double a, double b) {
  return std::fmod(a, b);
}

double f64_powi(double x, std::int32_t n) {
  return std::pow(x, static_cast<double>(n));
}

void sort_numbers(std::int64_t* values, std::size_t n) {
  std::sort(values, values + n);
}
void sort_numbers(std::int32_t* values, std::size_t n) {
  std::sort(values, values + n);
}
void sort_numbers(std::uint64_t* values, std::size_t n) {
  std::sort(values, values + n);
}
void sort_numbers(std::uint32_t* values, std::size_t n) {
  std::sort(values, values + n);
}
void sort_numbers(std::uint8_t* values, std::size_t n) {
  std::sort(values, values + n);
}
void sort_numbers(char32_t* values, std::size_t n) {
  std::sort(values, values + n);
}

String i64_to_string(std::int64_t value) {
  String out;
  show_i64(out, value);
  return out;
}
String u64_to_string(std::uint64_t value) {
  String out;
  show_u64(out, value);
  return out;
}
String f64_to_string(double value) {
  String out;
  show_f64(out, value);
  return out;
}
String char_to_string(char32_t value) {
  String out;
  out.append_char(value);
  return out;
}

}  // namespace nikaia
