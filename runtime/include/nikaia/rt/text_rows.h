// The rows of text (language 07 §3). Every view answered points into the text asked and carries its
// buffer.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/maybe.h>
#include <nikaia/rt/numbers.h>
#include <nikaia/rt/run.h>
#include <nikaia/rt/seq.h>
#include <nikaia/rt/text.h>

namespace nikaia {

// A parameter that takes text or a char; a char stands as its UTF-8 inside.
class Pattern {
 public:
  Pattern(Str text) : data_(text.data), size_(text.size) {}
  Pattern(const String& text) : data_(text.data()), size_(text.size()) {}
  Pattern(const TetheredStr& text) : data_(text.data), size_(text.size) {}
  Pattern(char32_t c);
  NIKAIA_INLINE Str text() const { return Str(data_ == nullptr ? inside_ : data_, size_); }

 private:
  const char* data_ = nullptr;
  char inside_[4] = {};
  std::size_t size_ = 0;
};

NIKAIA_INLINE std::int64_t text_len(Str text) {
  return static_cast<std::int64_t>(text.size);
}
NIKAIA_INLINE bool text_is_empty(Str text) {
  return text.size == 0;
}
NIKAIA_INLINE void text_push(String& text, char32_t c) {
  text.append_char(c);
}
NIKAIA_INLINE void text_push_str(String& text, Str more) {
  text.append(more);
}
NIKAIA_INLINE String text_clone(Str text) {
  return clone(text);
}
NIKAIA_INLINE Str text_to_string(Str text) {
  return text;
}

// a + b. The one that takes a String appends to it where it has the room.
String text_concat(Str a, Str b);
NIKAIA_INLINE String text_concat(String&& a, Str b) {
  String joined(static_cast<String&&>(a));
  joined.append(b);
  return joined;
}

String text_to_uppercase(Str text);
String text_to_lowercase(Str text);
String text_repeat(Str text, std::int64_t n, At at = At::here());
bool text_starts_with(Str text, const Pattern& pattern);
bool text_ends_with(Str text, const Pattern& pattern);
bool text_contains(Str text, const Pattern& pattern);
Maybe<std::int64_t> text_find(Str text, Str needle, std::int64_t from = 0, At at = At::here());
String text_replace(Str text, Str from, Str to);
Str text_trim(Str text);
Str text_trim_start(Str text);
Str text_trim_end(Str text);
Str text_trim_start_matches(Str text, const Pattern& pattern);
Str text_trim_end_matches(Str text, const Pattern& pattern);
Maybe<Str> text_strip_prefix(Str text, const Pattern& pattern);
Maybe<Str> text_strip_suffix(Str text, const Pattern& pattern);

// t[a..<b], t[a..b]: both ends within the text and at a character's boundary.
NIKAIA_INLINE bool is_boundary(Str text, std::size_t at) {
  return at == 0 || at >= text.size || (static_cast<unsigned char>(text.data[at]) & 0xC0) != 0x80;
}
template <class I>
NIKAIA_INLINE Str slice(Str text, const Range<I>& range, At at = At::here()) {
  Span span;
  if (__builtin_expect(
          !span_within(range, text.size, span) || !is_boundary(text, span.from) || !is_boundary(text, span.to), 0)) {
    stop_text_range(at, static_cast<std::int64_t>(range.from), static_cast<std::int64_t>(range.to), range.inclusive,
                    text);
  }
  return text.part(span.from, span.to);
}

template <class I>
NIKAIA_INLINE Str text_slice(Str text, const Range<I>& range, At at = At::here()) {
  return slice(text, range, at);
}

// `parse`: the value the text spells, or null. T: an integer type, double, bool, char32_t.
Maybe<std::int64_t> parse_signed(Str text, std::int64_t least_value, std::int64_t greatest_value);
Maybe<std::uint64_t> parse_unsigned(Str text, std::uint64_t greatest_value);
Maybe<double> parse_f64(Str text);
Maybe<bool> parse_bool(Str text);
Maybe<char32_t> parse_char(Str text);
template <class T>
Maybe<T> text_parse(Str text) {
  if constexpr (std::is_same_v<T, double>) {
    return parse_f64(text);
  } else if constexpr (std::is_same_v<T, bool>) {
    return parse_bool(text);
  } else if constexpr (std::is_same_v<T, char32_t>) {
    return parse_char(text);
  } else if constexpr (std::is_signed_v<T>) {
    const auto value = parse_signed(text, least<T>, greatest<T>);
    return value.has() ? Maybe<T>(static_cast<T>(*value)) : Maybe<T>();
  } else {
    const auto value = parse_unsigned(text, greatest<T>);
    return value.has() ? Maybe<T>(static_cast<T>(*value)) : Maybe<T>();
  }
}

// std::text.
NIKAIA_INLINE Maybe<std::int64_t> text_parse_i64(Str text) {
  return text_parse<std::int64_t>(text);
}
NIKAIA_INLINE std::int32_t text_digit_value(char32_t c) {
  return static_cast<std::int32_t>(c) - 48;
}

// ---- the sequences of text

struct CharSeq {
  using Item = char32_t;
  static constexpr bool can_fail = false;
  const char* at = nullptr;
  const char* end = nullptr;

  NIKAIA_INLINE Maybe<char32_t> next() {
    if (at == end) {
      return {};
    }
    const auto lead = static_cast<unsigned char>(*at);
    if (__builtin_expect(lead < 0x80, 1)) {
      ++at;
      return static_cast<char32_t>(lead);
    }
    return next_wide();
  }
  Maybe<char32_t> next_back();

 private:
  Maybe<char32_t> next_wide();
};
struct ByteSeq {
  using Item = std::uint8_t;
  static constexpr bool can_fail = false;
  const char* at = nullptr;
  const char* end = nullptr;

  NIKAIA_INLINE Maybe<std::uint8_t> next() {
    return at == end ? Maybe<std::uint8_t>() : Maybe<std::uint8_t>(static_cast<std::uint8_t>(*at++));
  }
  NIKAIA_INLINE Maybe<std::uint8_t> next_back() {
    return at == end ? Maybe<std::uint8_t>() : Maybe<std::uint8_t>(static_cast<std::uint8_t>(*--end));
  }
  NIKAIA_INLINE std::size_t size() const { return static_cast<std::size_t>(end - at); }
};

struct LineSeq {
  using Item = Str;
  static constexpr bool can_fail = false;
  explicit LineSeq(Str text);
  Maybe<Str> next();
  Maybe<Str> next_back();

 private:
  Maybe<Str> whole_rest();
  Str rest_;  // without the line end behind its last line
  bool done_ = false;
  bool ended_ = false;  // the last line of the rest had a line end
};

struct SplitSeq {
  using Item = Str;
  static constexpr bool can_fail = false;
  SplitSeq(Str text, const Pattern& separator);
  Maybe<Str> next();
  Maybe<Str> next_back();

 private:
  Str rest_;
  Pattern separator_;
  bool done_ = false;
  bool by_character_ = false;  // an empty separator
  bool before_first_ = true;   // the empty piece at the start is still to come
  bool after_last_ = true;     // the one at the end
  bool overlaps_itself_ = false;
};

struct SplitNSeq {
  using Item = Str;
  static constexpr bool can_fail = false;
  SplitNSeq(Str text, std::size_t n, const Pattern& separator);
  Maybe<Str> next();
  Maybe<Str> next_back();

 private:
  Str rest_;
  Pattern separator_;
  std::size_t left_;                     // pieces until the one that is the rest
  std::size_t until_ = ~std::size_t{0};  // pieces still to be handed out; known once asked from the back
  bool done_ = false;
  bool before_first_ = true;
};

struct WordSeq {
  using Item = Str;
  static constexpr bool can_fail = false;
  explicit WordSeq(Str text) : rest_(text) {}
  Maybe<Str> next();
  Maybe<Str> next_back();

 private:
  Str rest_;
};

struct MatchSeq {
  using Item = Str;
  static constexpr bool can_fail = false;
  MatchSeq(Str text, const Pattern& pattern);
  Maybe<Str> next();
  Maybe<Str> next_back();

 private:
  Str rest_;
  Pattern pattern_;
  bool done_ = false;
  bool overlaps_itself_ = false;
};

NIKAIA_INLINE CharSeq text_chars(Str text) {
  return CharSeq{text.data, text.data + text.size};
}
NIKAIA_INLINE ByteSeq text_bytes(Str text) {
  return ByteSeq{text.data, text.data + text.size};
}
NIKAIA_INLINE LineSeq text_lines(Str text) {
  return LineSeq(text);
}
NIKAIA_INLINE SplitSeq text_split(Str text, const Pattern& separator) {
  return SplitSeq(text, separator);
}
NIKAIA_INLINE SplitNSeq text_splitn(Str text, std::int64_t n, const Pattern& separator, At at = At::here()) {
  return SplitNSeq(text, counted(n, at), separator);
}
NIKAIA_INLINE WordSeq text_split_whitespace(Str text) {
  return WordSeq(text);
}
NIKAIA_INLINE MatchSeq text_matches(Str text, const Pattern& pattern) {
  return MatchSeq(text, pattern);
}

}  // namespace nikaia
