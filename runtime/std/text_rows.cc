// The rows of text: searching, cutting, trimming, parsing. Searching is memmem; what walks
// backwards gives the pieces of the walk from the left in reverse, which for a separator that
// overlaps itself ("aa" in "aaa") is not what a search from the right would find.
#include <charconv>
#include <cmath>

#include <nikaia/rt/text_rows.h>

#include "unicode/unicode.h"
#include "utf8.h"

namespace nikaia {

namespace {

constexpr std::size_t nowhere = ~std::size_t{0};

std::size_t search(Str text, Str needle, std::size_t from) {
  if (from > text.size || needle.size > text.size - from) {
    return nowhere;
  }
  if (needle.size == 0) {
    return from;
  }
  const auto* const found =
      static_cast<const char*>(memmem(text.data + from, text.size - from, needle.data, needle.size));
  return found == nullptr ? nowhere : static_cast<std::size_t>(found - text.data);
}

bool stands_at(Str text, Str needle, std::size_t at) {
  return needle.size <= text.size - at && std::memcmp(text.data + at, needle.data, needle.size) == 0;
}

// Whether two matches of a text that is not empty can share bytes: a proper prefix of it is its
// suffix.
bool overlaps_itself(Str needle) {
  for (std::size_t shift = 1; shift < needle.size; ++shift) {
    if (std::memcmp(needle.data, needle.data + shift, needle.size - shift) == 0) {
      return true;
    }
  }
  return false;
}

// The last of the matches a walk from the left takes.
std::size_t search_last(Str text, Str needle, bool overlapping) {
  if (needle.size > text.size) {
    return nowhere;
  }
  if (overlapping) {
    std::size_t last = nowhere;
    for (std::size_t at = search(text, needle, 0); at != nowhere; at = search(text, needle, at + needle.size)) {
      last = at;
    }
    return last;
  }
  for (std::size_t end = text.size - needle.size + 1; end > 0;) {
    const auto* const lead = static_cast<const char*>(memrchr(text.data, needle.data[0], end));
    if (lead == nullptr) {
      return nowhere;
    }
    const auto at = static_cast<std::size_t>(lead - text.data);
    if (stands_at(text, needle, at)) {
      return at;
    }
    end = at;
  }
  return nowhere;
}

Str from(Str text, std::size_t at) {
  return text.part(at, text.size);
}

std::size_t first_character(Str text) {
  return utf8::length_of(text.data[0]);
}
std::size_t last_character(Str text) {
  const char* at = text.data + text.size;
  (void)utf8::decode_back(at);
  return static_cast<std::size_t>(text.data + text.size - at);
}

}  // namespace

Pattern::Pattern(char32_t c) : size_(utf8::encode(c, inside_)) {}

String text_concat(Str a, Str b) {
  String joined = String::with_room(a.size + b.size);
  joined.append(a);
  joined.append(b);
  return joined;
}

String text_repeat(Str text, std::int64_t n, At at) {
  const std::size_t times = counted(n, at);
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(text.size, times, &bytes) || bytes > (std::size_t{1} << 62)) {
    stop(at, "the repeated text does not fit the address space"_s);
  }
  if (bytes == 0) {
    return String::literal(""_s);
  }
  String out = String::with_room(bytes);
  out.append(text);
  // Doubling what is there.
  while (out.size() < bytes) {
    const std::size_t more = out.size() < bytes - out.size() ? out.size() : bytes - out.size();
    out.append(out.data(), more);
  }
  return out;
}

bool text_starts_with(Str text, const Pattern& pattern) {
  return stands_at(text, pattern.text(), 0);
}
bool text_ends_with(Str text, const Pattern& pattern) {
  const Str end = pattern.text();
  return end.size <= text.size && stands_at(text, end, text.size - end.size);
}
bool text_contains(Str text, const Pattern& pattern) {
  return search(text, pattern.text(), 0) != nowhere;
}

Maybe<std::int64_t> text_find(Str text, Str needle, std::int64_t from, At at) {
  if (from < 0) {
    stop_text_range(at, from, from, false, text);
  }
  const std::size_t found = search(text, needle, static_cast<std::size_t>(from));
  return found == nowhere ? Maybe<std::int64_t>() : Maybe<std::int64_t>(static_cast<std::int64_t>(found));
}

String text_replace(Str text, Str from, Str to) {
  String out = String::with_room(text.size);
  if (from.size == 0) {
    std::size_t at = 0;
    while (at < text.size) {
      out.append(to);
      const std::size_t next = at + utf8::length_of(text.data[at]);
      out.append(text.part(at, next));
      at = next;
    }
    out.append(to);
    return out;
  }
  std::size_t at = 0;
  for (std::size_t found = search(text, from, 0); found != nowhere; found = search(text, from, at)) {
    out.append(text.part(at, found));
    out.append(to);
    at = found + from.size;
  }
  out.append(text.part(at, text.size));
  return out;
}

Str text_trim_start(Str text) {
  const char* at = text.data;
  const char* const end = text.data + text.size;
  while (at != end) {
    const char* next = at;
    if (!unicode::is_white_space(utf8::decode(next))) {
      break;
    }
    at = next;
  }
  return from(text, static_cast<std::size_t>(at - text.data));
}
Str text_trim_end(Str text) {
  const char* end = text.data + text.size;
  while (end != text.data) {
    const char* before = end;
    if (!unicode::is_white_space(utf8::decode_back(before))) {
      break;
    }
    end = before;
  }
  return text.part(0, static_cast<std::size_t>(end - text.data));
}
Str text_trim(Str text) {
  return text_trim_end(text_trim_start(text));
}

Str text_trim_start_matches(Str text, const Pattern& pattern) {
  const Str off = pattern.text();
  while (off.size != 0 && stands_at(text, off, 0)) {
    text = from(text, off.size);
  }
  return text;
}
Str text_trim_end_matches(Str text, const Pattern& pattern) {
  const Str off = pattern.text();
  while (off.size != 0 && off.size <= text.size && stands_at(text, off, text.size - off.size)) {
    text = text.part(0, text.size - off.size);
  }
  return text;
}
Maybe<Str> text_strip_prefix(Str text, const Pattern& pattern) {
  const Str off = pattern.text();
  return stands_at(text, off, 0) ? Maybe<Str>(from(text, off.size)) : Maybe<Str>();
}
Maybe<Str> text_strip_suffix(Str text, const Pattern& pattern) {
  return text_ends_with(text, pattern) ? Maybe<Str>(text.part(0, text.size - pattern.text().size)) : Maybe<Str>();
}

// ---- case

namespace {

constexpr char32_t capital_sigma = 0x3A3;

// Final where a cased character stands before it and none behind it, case-ignorable ones between
// not counting.
bool is_final_sigma(Str text, const char* sigma, const char* behind) {
  const char* at = sigma;
  bool after_letter = false;
  while (at != text.data) {
    const char32_t c = utf8::decode_back(at);
    if (!unicode::is_case_ignorable(c)) {
      after_letter = unicode::is_cased(c);
      break;
    }
  }
  at = behind;
  while (after_letter && at != text.data + text.size) {
    const char32_t c = utf8::decode(at);
    if (!unicode::is_case_ignorable(c)) {
      return !unicode::is_cased(c);
    }
  }
  return after_letter;
}

}  // namespace

String text_to_uppercase(Str text) {
  String out = String::with_room(text.size);
  const char* at = text.data;
  const char* const end = text.data + text.size;
  while (at != end) {
    char32_t mapped[3];
    const std::size_t count = unicode::to_upper(utf8::decode(at), mapped);
    for (std::size_t i = 0; i < count; ++i) {
      out.append_char(mapped[i]);
    }
  }
  return out;
}
String text_to_lowercase(Str text) {
  String out = String::with_room(text.size);
  const char* at = text.data;
  const char* const end = text.data + text.size;
  while (at != end) {
    const char* const here = at;
    const char32_t c = utf8::decode(at);
    if (c == capital_sigma) {
      out.append_char(is_final_sigma(text, here, at) ? U'\u03C2' : U'\u03C3');
      continue;
    }
    char32_t mapped[3];
    const std::size_t count = unicode::to_lower(c, mapped);
    for (std::size_t i = 0; i < count; ++i) {
      out.append_char(mapped[i]);
    }
  }
  return out;
}

bool char_is_whitespace(char32_t c) {
  return unicode::is_white_space(c);
}
bool char_is_alphabetic(char32_t c) {
  return unicode::is_alphabetic(c);
}
bool char_is_alphanumeric(char32_t c) {
  return unicode::is_alphabetic(c) || unicode::is_number(c);
}

// ---- parse

namespace {

// The digits' value, or null where something else stands there, nothing does, or it passes
// `greatest_value`.
Maybe<std::uint64_t> parse_digits(Str digits, std::uint64_t greatest_value) {
  if (digits.size == 0) {
    return {};
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < digits.size; ++i) {
    const unsigned digit = static_cast<unsigned char>(digits.data[i]) - unsigned{'0'};
    if (digit > 9 || __builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
        __builtin_add_overflow(value, std::uint64_t{digit}, &value) || value > greatest_value) {
      return {};
    }
  }
  return value;
}

bool starts_with_sign(Str text, char sign) {
  return text.size != 0 && text.data[0] == sign;
}

}  // namespace

Maybe<std::int64_t> parse_signed(Str text, std::int64_t least_value, std::int64_t greatest_value) {
  if (starts_with_sign(text, '-')) {
    const auto below = parse_digits(from(text, 1), std::uint64_t{0} - static_cast<std::uint64_t>(least_value));
    return below.has() ? Maybe<std::int64_t>(static_cast<std::int64_t>(std::uint64_t{0} - *below))
                       : Maybe<std::int64_t>();
  }
  const auto value =
      parse_digits(starts_with_sign(text, '+') ? from(text, 1) : text, static_cast<std::uint64_t>(greatest_value));
  return value.has() ? Maybe<std::int64_t>(static_cast<std::int64_t>(*value)) : Maybe<std::int64_t>();
}
Maybe<std::uint64_t> parse_unsigned(Str text, std::uint64_t greatest_value) {
  return parse_digits(starts_with_sign(text, '+') ? from(text, 1) : text, greatest_value);
}

Maybe<double> parse_f64(Str text) {
  const bool negative = starts_with_sign(text, '-');
  const Str number = negative || starts_with_sign(text, '+') ? from(text, 1) : text;
  // The form first: from_chars also takes "inf" and stops at what it does not know.
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t start = at;
    while (at < number.size && number.data[at] >= '0' && number.data[at] <= '9') {
      ++at;
    }
    return at - start;
  };
  std::size_t mantissa = digits();
  if (at < number.size && number.data[at] == '.') {
    ++at;
    mantissa += digits();
  }
  if (mantissa == 0) {
    return {};
  }
  if (at < number.size && (number.data[at] == 'e' || number.data[at] == 'E')) {
    ++at;
    if (at < number.size && (number.data[at] == '+' || number.data[at] == '-')) {
      ++at;
    }
    if (digits() == 0) {
      return {};
    }
  }
  if (at != number.size) {
    return {};
  }
  double value = 0;
  if (std::from_chars(number.data, number.data + number.size, value).ec != std::errc()) {
    // Past the largest is null; below the smallest is the nearest number, zero included. The locale
    // is "C".
    String ended = text_concat(number, Str("\0", 1));
    value = std::strtod(ended.data(), nullptr);
    if (!std::isfinite(value)) {
      return {};
    }
  }
  return negative ? -value : value;
}
Maybe<bool> parse_bool(Str text) {
  if (text == "true"_s) {
    return true;
  }
  return text == "false"_s ? Maybe<bool>(false) : Maybe<bool>();
}
Maybe<char32_t> parse_char(Str text) {
  if (text.size == 0 || first_character(text) != text.size) {
    return {};
  }
  const char* at = text.data;
  return utf8::decode(at);
}

// ---- sequences

Maybe<char32_t> CharSeq::next_wide() {
  return utf8::decode(at);
}
Maybe<char32_t> CharSeq::next_back() {
  return at == end ? Maybe<char32_t>() : Maybe<char32_t>(utf8::decode_back(end));
}

namespace {
Str without_return(Str line) {
  return line.size != 0 && line.data[line.size - 1] == '\r' ? line.part(0, line.size - 1) : line;
}
}  // namespace

LineSeq::LineSeq(Str text) : rest_(text), done_(text.size == 0) {
  if (text.size != 0 && text.data[text.size - 1] == '\n') {
    rest_ = text.part(0, text.size - 1);
    ended_ = true;
  }
}
Maybe<Str> LineSeq::whole_rest() {
  done_ = true;
  return ended_ ? without_return(rest_) : rest_;
}
Maybe<Str> LineSeq::next() {
  if (done_) {
    return {};
  }
  const auto* const end =
      rest_.size == 0 ? nullptr : static_cast<const char*>(std::memchr(rest_.data, '\n', rest_.size));
  if (end == nullptr) {
    return whole_rest();
  }
  const auto length = static_cast<std::size_t>(end - rest_.data);
  const Str line = rest_.part(0, length);
  rest_ = from(rest_, length + 1);
  return without_return(line);
}
Maybe<Str> LineSeq::next_back() {
  if (done_) {
    return {};
  }
  const auto* const end = rest_.size == 0 ? nullptr : static_cast<const char*>(memrchr(rest_.data, '\n', rest_.size));
  if (end == nullptr) {
    return whole_rest();
  }
  const auto length = static_cast<std::size_t>(end - rest_.data);
  const Str line = from(rest_, length + 1);
  rest_ = rest_.part(0, length);
  const bool line_ended = ended_;
  ended_ = true;
  return line_ended ? without_return(line) : line;
}

SplitSeq::SplitSeq(Str text, const Pattern& separator) : rest_(text), separator_(separator) {
  // Empty text is one empty piece, whatever cuts it.
  by_character_ = separator.text().size == 0 && text.size != 0;
  overlaps_itself_ = overlaps_itself(separator.text());
}
Maybe<Str> SplitSeq::next() {
  if (by_character_) {
    if (before_first_) {
      before_first_ = false;
      return rest_.part(0, 0);
    }
    if (rest_.size != 0) {
      const std::size_t length = first_character(rest_);
      const Str piece = rest_.part(0, length);
      rest_ = from(rest_, length);
      return piece;
    }
    const bool last = after_last_;
    after_last_ = false;
    return last ? Maybe<Str>(rest_) : Maybe<Str>();
  }
  if (done_) {
    return {};
  }
  const Str separator = separator_.text();
  const std::size_t found = separator.size == 0 ? nowhere : search(rest_, separator, 0);
  if (found == nowhere) {
    done_ = true;
    return rest_;
  }
  const Str piece = rest_.part(0, found);
  rest_ = from(rest_, found + separator.size);
  return piece;
}
Maybe<Str> SplitSeq::next_back() {
  if (by_character_) {
    if (after_last_) {
      after_last_ = false;
      return from(rest_, rest_.size);
    }
    if (rest_.size != 0) {
      const std::size_t length = last_character(rest_);
      const Str piece = from(rest_, rest_.size - length);
      rest_ = rest_.part(0, rest_.size - length);
      return piece;
    }
    const bool first = before_first_;
    before_first_ = false;
    return first ? Maybe<Str>(rest_) : Maybe<Str>();
  }
  if (done_) {
    return {};
  }
  const Str separator = separator_.text();
  const std::size_t found = separator.size == 0 ? nowhere : search_last(rest_, separator, overlaps_itself_);
  if (found == nowhere) {
    done_ = true;
    return rest_;
  }
  const Str piece = from(rest_, found + separator.size);
  rest_ = rest_.part(0, found);
  return piece;
}

SplitNSeq::SplitNSeq(Str text, std::size_t n, const Pattern& separator)
    : rest_(text), separator_(separator), left_(n), done_(n == 0) {}
Maybe<Str> SplitNSeq::next() {
  if (done_ || until_ == 0) {
    return {};
  }
  --until_;
  const Str separator = separator_.text();
  if (left_-- == 1) {
    done_ = true;
    return rest_;
  }
  if (separator.size == 0 && rest_.size != 0) {
    const std::size_t length = before_first_ ? 0 : first_character(rest_);
    before_first_ = false;
    const Str piece = rest_.part(0, length);
    rest_ = from(rest_, length);
    return piece;
  }
  const std::size_t found = separator.size == 0 ? nowhere : search(rest_, separator, 0);
  if (found == nowhere) {
    done_ = true;
    return rest_;
  }
  const Str piece = rest_.part(0, found);
  rest_ = from(rest_, found + separator.size);
  return piece;
}
// Pieces from the left are what is asked for, so they are walked from there each time; n is small.
Maybe<Str> SplitNSeq::next_back() {
  SplitNSeq walked = *this;
  Maybe<Str> last;
  std::size_t pieces = 0;
  for (Maybe<Str> piece = walked.next(); piece.has(); piece = walked.next()) {
    last = piece;
    ++pieces;
  }
  until_ = pieces == 0 ? 0 : pieces - 1;
  return last;
}

Maybe<Str> WordSeq::next() {
  rest_ = text_trim_start(rest_);
  if (rest_.size == 0) {
    return {};
  }
  const char* at = rest_.data;
  const char* const end = rest_.data + rest_.size;
  while (at != end) {
    const char* next = at;
    if (unicode::is_white_space(utf8::decode(next))) {
      break;
    }
    at = next;
  }
  const auto length = static_cast<std::size_t>(at - rest_.data);
  const Str word = rest_.part(0, length);
  rest_ = from(rest_, length);
  return word;
}
Maybe<Str> WordSeq::next_back() {
  rest_ = text_trim_end(rest_);
  if (rest_.size == 0) {
    return {};
  }
  const char* start = rest_.data + rest_.size;
  while (start != rest_.data) {
    const char* before = start;
    if (unicode::is_white_space(utf8::decode_back(before))) {
      break;
    }
    start = before;
  }
  const auto at = static_cast<std::size_t>(start - rest_.data);
  const Str word = from(rest_, at);
  rest_ = rest_.part(0, at);
  return word;
}

MatchSeq::MatchSeq(Str text, const Pattern& pattern)
    : rest_(text), pattern_(pattern), overlaps_itself_(overlaps_itself(pattern.text())) {}
Maybe<Str> MatchSeq::next() {
  const Str pattern = pattern_.text();
  if (done_) {
    return {};
  }
  if (pattern.size == 0) {  // before every character and at the end
    const Str here = rest_.part(0, 0);
    done_ = rest_.size == 0;
    rest_ = from(rest_, done_ ? 0 : first_character(rest_));
    return here;
  }
  const std::size_t found = search(rest_, pattern, 0);
  if (found == nowhere) {
    done_ = true;
    return {};
  }
  const Str match = rest_.part(found, found + pattern.size);
  rest_ = from(rest_, found + pattern.size);
  return match;
}
Maybe<Str> MatchSeq::next_back() {
  const Str pattern = pattern_.text();
  if (done_) {
    return {};
  }
  if (pattern.size == 0) {
    const Str here = from(rest_, rest_.size);
    done_ = rest_.size == 0;
    rest_ = rest_.part(0, rest_.size - (done_ ? 0 : last_character(rest_)));
    return here;
  }
  const std::size_t found = search_last(rest_, pattern, overlaps_itself_);
  if (found == nowhere) {
    done_ = true;
    return {};
  }
  const Str match = rest_.part(found, found + pattern.size);
  rest_ = rest_.part(0, found);
  return match;
}

}  // namespace nikaia
