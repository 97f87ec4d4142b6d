// Decoding of literals and spelling of values.
#include "lang/syntax/literals.h"

#include <charconv>
#include <limits>
#include <system_error>

namespace nikaia::lang::syntax {
namespace {

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

struct SimpleEscape {
  char letter;
  char meaning;
};
constexpr SimpleEscape simple_escapes[] = {{'n', '\n'},  {'r', '\r'},  {'t', '\t'}, {'0', '\0'},
                                           {'\\', '\\'}, {'\'', '\''}, {'"', '"'}};

// One escape of `text`, whose `\` is at `i`. Moves `i` past it.
class EscapeReader {
 public:
  EscapeReader(std::string_view text, Span place, SyntaxErrors& errors) : text_(text), place_(place), errors_(errors) {}

  void read(std::size_t& i, std::string& out) {
    char letter = i + 1 < text_.size() ? text_[i + 1] : '\0';
    for (const SimpleEscape& escape : simple_escapes)
      if (escape.letter == letter && i + 1 < text_.size()) {
        out += escape.meaning;
        i += 2;
        return;
      }
    if (letter == 'x') return hex_byte(i, out);
    if (letter == 'u') return scalar(i, out);
    std::size_t after = i + 1;
    if (after < text_.size()) next_scalar(text_, after);
    bool at_line_end = letter == '\n' || letter == '\r';
    refuse(Code::NK1184, i, after,
           at_line_end ? "A text goes on over a line end as it is, and keeps it; leave the backslash out."
                       : "For a backslash in the text, write it twice: `\\\\" +
                             std::string(text_.substr(i + 1, after - i - 1)) + "`.");
    i = after;
  }

 private:
  std::string shown(std::size_t begin, std::size_t end) const {
    std::string_view part = text_.substr(begin, end - begin);
    for (char c : part)
      if (static_cast<unsigned char>(c) < 0x20) return "\\";
    return std::string(part);
  }

  void refuse(MessageText headline, std::size_t begin, std::size_t end, std::string help) {
    Span where{place_.file, place_.begin + static_cast<std::uint32_t>(begin),
               place_.begin + static_cast<std::uint32_t>(end)};
    errors_.finding(headline, where, shown(begin, end)).help(std::move(help));
  }

  void hex_byte(std::size_t& i, std::string& out) {
    std::size_t end = i + 2;
    int value = 0;
    while (end < text_.size() && end < i + 4 && digit_value(text_[end]) >= 0)
      value = value * 16 + digit_value(text_[end++]);
    if (end != i + 4) {
      refuse(Wording::NK1184_hex, i, end,
             "Write two hex digits after `\\x`, as in `\\x41`, or the character itself as `\\u{41}`.");
    } else if (value >= 0x80) {
      refuse(Wording::NK1184_hex, i, end,
             "Write the character by its number: `\\u{" + std::string(text_.substr(i + 2, 2)) + "}`.");
    } else {
      out += static_cast<char>(value);
    }
    i = end;
  }

  void scalar(std::size_t& i, std::string& out) {
    static constexpr char32_t last_scalar = 0x10ffff;
    std::size_t end = i + 2;
    bool is_well_formed = end < text_.size() && text_[end] == '{';
    char32_t value = 0;
    if (is_well_formed) {
      std::size_t first = ++end;
      while (end < text_.size() && digit_value(text_[end]) >= 0 && end < first + 6)
        value = value * 16 + static_cast<char32_t>(digit_value(text_[end++]));
      is_well_formed = end > first && end < text_.size() && text_[end] == '}';
      if (is_well_formed) ++end;
    }
    if (!is_well_formed) {
      refuse(Wording::NK1184_unicode, i, end, "Write one to six hex digits in braces, as in `\\u{2693}`.");
    } else if (value > last_scalar) {
      refuse(Wording::NK1184_unicode, i, end,
             "The largest is `\\u{10FFFF}`; write the number of the character you mean.");
    } else if (value >= 0xd800 && value <= 0xdfff) {
      refuse(Wording::NK1184_unicode, i, end,
             "The numbers `D800` to `DFFF` are no characters; write the number of the one you mean, "
             "as in `\\u{1F600}`.");
    } else {
      append_utf8(out, value);
    }
    i = end;
  }

  std::string_view text_;
  Span place_;
  SyntaxErrors& errors_;
};

}  // namespace

void append_utf8(std::string& out, char32_t c) {
  auto put = [&](char32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | (c >> 6));
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3f));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

ast::IntegerLit integer_value(std::string_view spelled) {
  std::uint64_t radix = 10;
  if (spelled.size() > 2 && spelled[0] == '0') {
    if (spelled[1] == 'x') radix = 16;
    if (spelled[1] == 'b') radix = 2;
    if (spelled[1] == 'o') radix = 8;
    if (radix != 10) spelled.remove_prefix(2);
  }
  std::uint64_t value = 0;
  for (char c : spelled) {
    int digit = digit_value(c);
    if (digit < 0) continue;  // `_`, or what the lexer refused
    std::uint64_t next = 0;
    if (__builtin_mul_overflow(value, radix, &next) ||
        __builtin_add_overflow(next, static_cast<std::uint64_t>(digit), &value))
      return {0, true};
  }
  return {value, false};
}

bool float_value(std::string_view spelled, double& value) {
  std::string digits;
  digits.reserve(spelled.size());
  for (char c : spelled)
    if (c != '_' && c != '+') digits += c;  // from_chars takes no `+` in an exponent
  value = 0;
  auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec != std::errc::result_out_of_range) return true;
  // Out of range says nothing about the direction; the exponent's sign does, for a number with an
  // integer part of one digit or more, unless all its weight is in leading zeros. Those are tiny,
  // too.
  bool is_tiny = digits.find("e-") != std::string::npos || digits.find("E-") != std::string::npos ||
                 digits.find_first_not_of("0.") > digits.find('.');
  value = is_tiny ? 0.0 : std::numeric_limits<double>::infinity();
  return is_tiny;
}

std::string decoded(const SourceMap& sources, Span content, bool holds_holes, SyntaxErrors& errors) {
  std::string_view text = sources.text(content);
  std::string out;
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size();) {
    char c = text[i];
    if (c == '\\') {
      out.append(text, plain, i - plain);
      EscapeReader(text, content, errors).read(i, out);
      plain = i;
    } else if (holds_holes && (c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
      out.append(text, plain, i + 1 - plain);
      i += 2;
      plain = i;
    } else {
      ++i;
    }
  }
  out.append(text, plain, text.size() - plain);
  return out;
}

// spec = [ [ fill ] align ] [ "+" ] [ "#" ] [ "0" ] [ width ] [ "." precision ] [ kind ]
bool parse_format(std::string_view spec, ast::FormatSpec& format) {
  auto is_align = [](char c) { return c == '<' || c == '^' || c == '>'; };
  std::size_t i = 0;
  auto next = [&] { return i < spec.size() ? spec[i] : '\0'; };
  if (!spec.empty()) {
    std::size_t after_first = 0;
    char32_t first = next_scalar(spec, after_first);
    if (after_first < spec.size() && is_align(spec[after_first]) && first != U'{' && first != U'}') {
      format.fill = first;
      format.align = spec[after_first];
      i = after_first + 1;
    } else if (is_align(spec[0])) {
      format.align = spec[0];
      i = 1;
    }
  }
  auto number = [&](std::uint32_t& value) {
    static constexpr std::uint32_t most = 0xffffffu;  // far beyond any line; keeps `width * 10` in range
    if (next() < '0' || next() > '9') return false;
    while (next() >= '0' && next() <= '9') {
      value = value * 10 + static_cast<std::uint32_t>(spec[i++] - '0');
      if (value > most) return false;
    }
    return true;
  };
  if (next() == '+') format.plus = true, ++i;
  if (next() == '#') format.alternate = true, ++i;
  if (next() == '0') format.zero = true, ++i;
  if (next() >= '0' && next() <= '9') {
    format.has_width = true;
    if (!number(format.width)) return false;
  }
  if (next() == '.') {
    ++i;
    format.has_precision = true;
    if (!number(format.precision)) return false;
  }
  if (next() != '\0' && std::string_view("?xXboeE").find(next()) != std::string_view::npos) format.kind = spec[i++];
  return i == spec.size();
}

void spell_text(std::string& out, std::string_view text, char quote, bool doubles_braces) {
  static constexpr char digits[] = "0123456789abcdef";
  for (char c : text) {
    const SimpleEscape* known = nullptr;
    for (const SimpleEscape& escape : simple_escapes)
      if (escape.meaning == c && (c != '"' || quote == '"') && (c != '\'' || quote == '\'')) known = &escape;
    auto byte = static_cast<unsigned char>(c);
    if (known != nullptr) {
      out += '\\';
      out += known->letter;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += digits[byte >> 4];
      out += digits[byte & 15u];
    } else {
      if (doubles_braces && (c == '{' || c == '}')) out += c;
      out += c;
    }
  }
}

void spell_float(std::string& out, double value) {
  char digits[64];
  auto result = std::to_chars(digits, digits + sizeof digits, value);
  std::string_view spelled(digits, static_cast<std::size_t>(result.ptr - digits));
  out += spelled;
  if (spelled.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void spell_format(std::string& out, const ast::FormatSpec& format) {
  out += ':';
  if (format.align != 0) {
    if (format.fill != U' ') append_utf8(out, format.fill);
    out += format.align;
  }
  if (format.plus) out += '+';
  if (format.alternate) out += '#';
  if (format.zero) out += '0';
  if (format.has_width) out += std::to_string(format.width);
  if (format.has_precision) out += "." + std::to_string(format.precision);
  if (format.kind != 0) out += format.kind;
}

}  // namespace nikaia::lang::syntax
