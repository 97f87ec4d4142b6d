// Text forms of numbers and the specifiers of a hole (language 07 §19). An f64 is made from its
// shortest decimal digits, which <charconv> gives in scientific notation; where the point goes is
// decided here, so that no locale and no exponent gets in.
#include <charconv>
#include <cmath>

#include <nikaia/rt/format.h>

#include "utf8.h"

namespace nikaia {

namespace {

// The shortest digits d.ddd × 10^exponent of a finite number that is not zero; without sign and
// point.
struct Digits {
  char digits[20];
  std::size_t count = 0;
  int exponent = 0;
};

Digits shortest_digits(double value) {
  Digits made;
  char bytes[40];
  const char* const end =
      std::to_chars(bytes, bytes + sizeof bytes, std::fabs(value), std::chars_format::scientific).ptr;
  const char* at = bytes;
  for (; at != end && *at != 'e'; ++at) {
    if (*at != '.') {
      made.digits[made.count++] = *at;
    }
  }
  ++at;
  const bool below = *at == '-';
  for (++at; at != end; ++at) {
    made.exponent = made.exponent * 10 + (*at - '0');
  }
  made.exponent = below ? -made.exponent : made.exponent;
  while (made.count > 1 && made.digits[made.count - 1] == '0') {
    --made.count;
  }
  return made;
}

void write_plain(String& out, const Digits& made) {
  if (made.exponent < 0) {
    out.append("0."_s);
    out.append_repeated(U'0', static_cast<std::size_t>(-made.exponent - 1));
    out.append(made.digits, made.count);
    return;
  }
  const auto whole = static_cast<std::size_t>(made.exponent) + 1;
  if (made.count <= whole) {
    out.append(made.digits, made.count);
    out.append_repeated(U'0', whole - made.count);
    return;
  }
  out.append(made.digits, whole);
  out.append_byte('.');
  out.append(made.digits + whole, made.count - whole);
}

void write_with_exponent(String& out, const Digits& made, char letter) {
  out.append_byte(made.digits[0]);
  if (made.count > 1) {
    out.append_byte('.');
    out.append(made.digits + 1, made.count - 1);
  }
  out.append_byte(letter);
  show_i64(out, made.exponent);
}

// The words for what has no digits; false for a finite number.
bool write_without_digits(String& out, double value) {
  if (value != value) {
    out.append("NaN"_s);
    return true;
  }
  if (!std::isfinite(value)) {
    out.append("inf"_s);
    return true;
  }
  return false;
}

std::size_t characters(Str text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size; ++i) {
    count += utf8::is_continuation(text.data[i]) ? 0 : 1;
  }
  return count;
}

void pad(String& out, Str text, std::size_t length, const Spec& spec, char own_side) {
  const std::size_t blanks = spec.width > length ? spec.width - length : 0;
  const char align = spec.align == 0 ? own_side : spec.align;
  const std::size_t left = align == '<' ? 0 : align == '>' ? blanks : blanks / 2;
  out.append_repeated(spec.fill, left);
  out.append(text);
  out.append_repeated(spec.fill, blanks - left);
}

// A number in its parts: sign, prefix, and the ASCII digits behind them.
void write_number(String& out, bool negative, Str prefix, Str digits, const Spec& spec, bool zeros) {
  char front[4];
  std::size_t front_size = 0;
  if (negative) {
    front[front_size++] = '-';
  } else if (spec.plus) {
    front[front_size++] = '+';
  }
  for (std::size_t i = 0; i < prefix.size; ++i) {
    front[front_size++] = prefix.data[i];
  }
  const std::size_t length = front_size + digits.size;
  if (spec.zero && zeros) {
    out.append(front, front_size);
    out.append_repeated(U'0', spec.width > length ? spec.width - length : 0);
    out.append(digits);
    return;
  }
  String whole = String::with_room(length);
  whole.append(front, front_size);
  whole.append(digits);
  pad(out, whole, length, spec, '>');
}

void write_integer(String& out, bool negative, std::uint64_t magnitude, const Spec& spec) {
  char bytes[72];
  char* const end = std::to_chars(bytes, bytes + sizeof bytes, magnitude).ptr;
  const auto count = static_cast<std::size_t>(end - bytes);
  if (spec.kind != 'e' && spec.kind != 'E') {
    write_number(out, negative, Str(), Str(bytes, count), spec, true);
    return;
  }
  std::size_t kept = count;
  while (kept > 1 && bytes[kept - 1] == '0') {
    --kept;
  }
  String digits;
  digits.append_byte(bytes[0]);
  if (kept > 1) {
    digits.append_byte('.');
    digits.append(bytes + 1, kept - 1);
  }
  digits.append_byte(spec.kind);
  show_u64(digits, count - 1);
  write_number(out, negative, Str(), digits, spec, true);
}

bool write_bits(String& out, std::uint64_t value, const Spec& spec) {
  int base = 0;
  Str prefix;
  switch (spec.kind) {
    case 'x':
    case 'X':
      base = 16;
      prefix = "0x"_s;
      break;
    case 'o':
      base = 8;
      prefix = "0o"_s;
      break;
    case 'b':
      base = 2;
      prefix = "0b"_s;
      break;
    default: return false;
  }
  char bytes[72];
  char* const end = std::to_chars(bytes, bytes + sizeof bytes, value, base).ptr;
  if (spec.kind == 'X') {
    for (char* c = bytes; c != end; ++c) {
      *c = *c >= 'a' ? static_cast<char>(*c - 32) : *c;
    }
  }
  write_number(out, false, spec.alternate ? prefix : Str(), Str(bytes, static_cast<std::size_t>(end - bytes)), spec,
               true);
  return true;
}

}  // namespace

void show_u64(String& out, std::uint64_t value) {
  char bytes[24];
  out.append(bytes, static_cast<std::size_t>(std::to_chars(bytes, bytes + sizeof bytes, value).ptr - bytes));
}
void show_i64(String& out, std::int64_t value) {
  char bytes[24];
  out.append(bytes, static_cast<std::size_t>(std::to_chars(bytes, bytes + sizeof bytes, value).ptr - bytes));
}

void show_f64(String& out, double value) {
  if (std::signbit(value) && value == value) {
    out.append_byte('-');
  }
  if (write_without_digits(out, value)) {
    return;
  }
  if (value == 0) {
    out.append_byte('0');
    return;
  }
  write_plain(out, shortest_digits(value));
}

void debug_f64(String& out, double value) {
  const double magnitude = std::fabs(value);
  if (value == value && std::isfinite(value) && (magnitude >= 1e16 || (magnitude < 1e-5 && magnitude != 0))) {
    if (std::signbit(value)) {
      out.append_byte('-');
    }
    write_with_exponent(out, shortest_digits(value), 'e');
    return;
  }
  show_f64(out, value);
  if (std::isfinite(value) && value == std::trunc(value)) {
    out.append(".0"_s);
  }
}

void show_spec_text(String& out, Str text, const Spec& spec) {
  if (spec.precision >= 0) {
    std::size_t at = 0;
    for (std::int32_t left = spec.precision; left > 0 && at < text.size; --left) {
      at += utf8::length_of(text.data[at]);
    }
    text.size = at;
  }
  pad(out, text, characters(text), spec, '<');
}

void show_spec_i64(String& out, std::int64_t value, unsigned bits, const Spec& spec) {
  const auto wide = static_cast<std::uint64_t>(value);
  const std::uint64_t own_width = bits == 64 ? wide : wide & ((std::uint64_t{1} << bits) - 1);
  if (!write_bits(out, own_width, spec)) {
    write_integer(out, value < 0, value < 0 ? 0 - wide : wide, spec);
  }
}

void show_spec_u64(String& out, std::uint64_t value, const Spec& spec) {
  if (!write_bits(out, value, spec)) {
    write_integer(out, false, value, spec);
  }
}

void show_spec_f64(String& out, double value, const Spec& spec) {
  String digits;
  if (write_without_digits(digits, value)) {
    Spec without_plus = spec;
    without_plus.plus = spec.plus && value == value;
    write_number(out, value < 0, Str(), digits, without_plus, false);
    return;
  }
  const bool negative = std::signbit(value);
  const bool with_exponent = spec.kind == 'e' || spec.kind == 'E';
  if (spec.precision >= 0) {
    // Room for 309 digits before the point, the decimals, point and exponent.
    char* const bytes = digits.reserve(static_cast<std::size_t>(spec.precision) + 330);
    const char* const end =
        std::to_chars(bytes, bytes + spec.precision + 330, std::fabs(value),
                      with_exponent ? std::chars_format::scientific : std::chars_format::fixed, spec.precision)
            .ptr;
    digits.grown(static_cast<std::size_t>(end - bytes));
    if (with_exponent) {
      // 6.67e-01 becomes 6.67e-1.
      std::size_t mantissa = 0;
      int exponent = 0;
      while (bytes[mantissa] != 'e') {
        ++mantissa;
      }
      for (const char* c = bytes + mantissa + 2; c != end; ++c) {
        exponent = exponent * 10 + (*c - '0');
      }
      const bool below = bytes[mantissa + 1] == '-';
      digits.cut(mantissa);
      digits.append_byte(spec.kind);
      show_i64(digits, below ? -exponent : exponent);
    }
  } else if (value == 0) {
    digits.append_byte('0');
    if (with_exponent) {
      digits.append_byte(spec.kind);
      digits.append_byte('0');
    }
  } else if (with_exponent) {
    write_with_exponent(digits, shortest_digits(value), spec.kind);
  } else {
    write_plain(digits, shortest_digits(value));
  }
  write_number(out, negative, Str(), digits, spec, true);
}

// ---- the diagnostic form

namespace {

void write_escaped(String& out, char32_t c, char32_t quote) {
  switch (c) {
    case U'\n': out.append("\\n"_s); return;
    case U'\r': out.append("\\r"_s); return;
    case U'\t': out.append("\\t"_s); return;
    case U'\0': out.append("\\0"_s); return;
    case U'\\': out.append("\\\\"_s); return;
    default: break;
  }
  if (c == quote) {
    out.append_byte('\\');
    out.append_char(c);
  } else if (c < 0x20 || (c >= 0x7F && c < 0xA0)) {
    char bytes[8];
    const char* const end = std::to_chars(bytes, bytes + sizeof bytes, static_cast<std::uint32_t>(c), 16).ptr;
    out.append("\\u{"_s);
    out.append(bytes, static_cast<std::size_t>(end - bytes));
    out.append_byte('}');
  } else {
    out.append_char(c);
  }
}

}  // namespace

void debug_text(String& out, Str text) {
  out.append_byte('"');
  const char* at = text.data;
  const char* const end = text.data + text.size;
  while (at != end) {
    write_escaped(out, utf8::decode(at), U'"');
  }
  out.append_byte('"');
}

void debug_char(String& out, char32_t c) {
  out.append_byte('\'');
  write_escaped(out, c, U'\'');
  out.append_byte('\'');
}

void DebugText::new_line() {
  out_.append_byte('\n');
  out_.append_repeated(U' ', std::size_t{4} * depth_);
}

void DebugText::begin(Str open) {
  out_.append(open);
  first_ = true;
  blank_inside_ = false;
  ++depth_;
}

void DebugText::part() {
  if (!first_) {
    out_.append_byte(',');
  }
  if (one_a_line_) {
    new_line();
  } else if (!first_ || blank_inside_) {
    out_.append_byte(' ');
  }
  first_ = false;
}

void DebugText::end(Str close) {
  --depth_;
  if (!first_) {
    if (one_a_line_) {
      out_.append_byte(',');
      new_line();
    } else if (blank_inside_) {
      out_.append_byte(' ');
    }
  }
  out_.append(close);
  first_ = false;
  blank_inside_ = false;
}

}  // namespace nikaia
