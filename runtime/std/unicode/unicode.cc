// Look-ups in the tables generate.pl writes: binary search, with ASCII answered before it.
#include "unicode.h"

#include <algorithm>
#include <iterator>

namespace nikaia::unicode {

namespace {

struct Range {
  char32_t first;
  char32_t last;
};
struct Mapping {
  char32_t from;
  char32_t to;
};
struct LongMapping {
  char32_t from;
  char32_t to[3];
};

#include "tables.inc"

template <std::size_t n>
bool holds(const Range (&ranges)[n], char32_t c) {
  const auto* const after =
      std::upper_bound(std::begin(ranges), std::end(ranges), c, [](char32_t x, const Range& r) { return x < r.first; });
  return after != std::begin(ranges) && c <= std::prev(after)->last;
}

template <std::size_t n, std::size_t m>
std::size_t mapped(const Mapping (&single)[n], const LongMapping (&several)[m], char32_t c, char32_t (&to)[3]) {
  const auto before = [](const auto& entry, char32_t x) { return entry.from < x; };
  const auto* const one = std::lower_bound(std::begin(single), std::end(single), c, before);
  if (one != std::end(single) && one->from == c) {
    to[0] = one->to;
    return 1;
  }
  const auto* const more = std::lower_bound(std::begin(several), std::end(several), c, before);
  if (more != std::end(several) && more->from == c) {
    std::size_t count = 0;
    while (count < 3 && more->to[count] != 0) {
      to[count] = more->to[count];
      ++count;
    }
    return count;
  }
  to[0] = c;
  return 1;
}

bool is_letter_of_ascii(char32_t c) {
  return (c | 0x20) >= U'a' && (c | 0x20) <= U'z';
}

}  // namespace

bool is_white_space(char32_t c) {
  return c < 0x80 ? c == U' ' || (c >= U'\t' && c <= U'\r') : holds(white_space, c);
}
bool is_alphabetic(char32_t c) {
  return c < 0x80 ? is_letter_of_ascii(c) : holds(alphabetic, c);
}
bool is_number(char32_t c) {
  return c < 0x80 ? c >= U'0' && c <= U'9' : holds(number, c);
}
bool is_cased(char32_t c) {
  return c < 0x80 ? is_letter_of_ascii(c) : holds(cased, c);
}
bool is_case_ignorable(char32_t c) {
  return holds(case_ignorable, c);
}

std::size_t to_upper(char32_t c, char32_t (&to)[3]) {
  if (c < 0x80) {
    to[0] = c >= U'a' && c <= U'z' ? c - 32 : c;
    return 1;
  }
  return mapped(upper, upper_to_several, c, to);
}
std::size_t to_lower(char32_t c, char32_t (&to)[3]) {
  if (c < 0x80) {
    to[0] = c >= U'A' && c <= U'Z' ? c + 32 : c;
    return 1;
  }
  return mapped(lower, lower_to_several, c, to);
}

}  // namespace nikaia::unicode
