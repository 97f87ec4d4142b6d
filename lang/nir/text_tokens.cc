// See text_tokens.h.
#include "lang/nir/text_tokens.h"

#include <algorithm>
#include <cctype>

namespace nikaia::lang::nir {
namespace {

bool is_name_byte(char c) {
  const auto u = static_cast<unsigned char>(c);
  return std::isalnum(u) != 0 || c == '_' || u >= 0x80;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

void TextTokens::fail_at(std::size_t at, std::string message) {
  if (failure_) return;
  failure_ = std::move(message);
  failed_at_ = at;
  token_ = {};
  token_.begin = at;
  at_ = text_.size();
}

TextError TextTokens::error() const {
  TextError e;
  e.message = *failure_;
  for (std::size_t i = 0; i < failed_at_ && i < text_.size(); ++i) {
    if (text_[i] == '\n') {
      ++e.line;
      e.column = 1;
    } else {
      ++e.column;
    }
  }
  return e;
}

void TextTokens::next() {
  if (!ok()) return;
  // A position, `.0` or `.Pair#1`, is a whole number; a `.` behind it begins the next part.
  const bool is_position = token_.kind == Token::Kind::sign && (token_.text == "." || token_.text == "#");
  while (at_ < text_.size()) {
    if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else {
      break;
    }
  }
  token_ = {};
  token_.begin = at_;
  if (at_ >= text_.size()) return;
  const char c = text_[at_];
  if (c == '"') return string_token();
  if (is_digit(c)) return number_token(is_position);
  if (is_name_byte(c) || (c == '%' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]) && !is_position)) {
    return name_token();
  }
  token_.kind = Token::Kind::sign;
  const std::size_t size = text_.substr(at_, 2) == "::" || text_.substr(at_, 2) == "->" ? 2 : 1;
  token_.text = text_.substr(at_, size);
  at_ += size;
}

void TextTokens::name_token() {
  token_.kind = Token::Kind::name;
  while (at_ < text_.size() && is_name_byte(text_[at_])) ++at_;
  token_.text = text_.substr(token_.begin, at_ - token_.begin);
  if (at_ + 1 < text_.size() && (text_[at_] == '%' || text_[at_] == '@') && is_digit(text_[at_ + 1])) {
    token_.suffix = text_[at_++];
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    token_.suffix_number = to_number<std::uint32_t>(text_.substr(begin, at_ - begin));
  }
}

void TextTokens::number_token(bool is_position) {
  token_.kind = Token::Kind::number;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  if (!is_position && at_ + 1 < text_.size() && text_[at_] == '.' && is_digit(text_[at_ + 1])) {
    ++at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  }
  if (!is_position && at_ < text_.size() && text_[at_] == 'e') {
    ++at_;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  }
  token_.text = text_.substr(token_.begin, at_ - token_.begin);
}

void TextTokens::string_token() {
  token_.kind = Token::Kind::string;
  for (++at_; at_ < text_.size(); ++at_) {
    char c = text_[at_];
    if (c == '"') {
      ++at_;
      return;
    }
    if (c == '\n') break;
    if (c != '\\') {
      token_.string += c;
      continue;
    }
    if (++at_ >= text_.size()) break;
    c = text_[at_];
    if (c == 'n')
      c = '\n';
    else if (c == 't')
      c = '\t';
    else if (c == 'r')
      c = '\r';
    else if (c == 'x') {
      unsigned value = 0;
      const auto read = std::from_chars(text_.data() + std::min(at_ + 1, text_.size()),
                                        text_.data() + std::min(at_ + 3, text_.size()), value, 16);
      if (read.ec != std::errc() || read.ptr != text_.data() + at_ + 3)
        return fail_at(at_, "two hexadecimal digits belong behind `\\x`");
      c = static_cast<char>(value);
      at_ += 2;
    } else if (c != '"' && c != '\\') {
      return fail_at(at_, "no such escape");
    }
    token_.string += c;
  }
  fail_at(token_.begin, "the string is not closed");
}

std::string TextTokens::shown() const {
  switch (token_.kind) {
    case Token::Kind::end: return "the end";
    case Token::Kind::string: return "a string";
    default: return "`" + std::string(token_.text) + "`";
  }
}

void TextTokens::sign(std::string_view s) {
  if (!take_sign(s)) fail("expected `" + std::string(s) + "` instead of " + shown());
}

void TextTokens::word(std::string_view w) {
  if (!take_word(w)) fail("expected `" + std::string(w) + "` instead of " + shown());
}

std::uint32_t TextTokens::number() {
  if (token_.kind != Token::Kind::number) {
    fail("expected a number instead of " + shown());
    return 0;
  }
  const auto n = to_number<std::uint32_t>(token_.text);
  if (n == Id<struct AnyTag>::none) fail("not a number that fits here");
  next();
  return n;
}

std::string TextTokens::string() {
  if (token_.kind != Token::Kind::string) {
    fail("expected a string instead of " + shown());
    return {};
  }
  std::string s = std::move(token_.string);
  next();
  return s;
}

char32_t TextTokens::scalar() {
  const std::size_t at = token_.begin;
  const std::string s = string();
  if (!ok()) return 0;
  std::size_t offset = 0;
  if (find_bad_utf8(s) == std::string_view::npos && !s.empty()) {
    const char32_t c = next_scalar(s, offset);
    if (offset == s.size()) return c;
  }
  fail_at(at, "expected one character");
  return 0;
}

char TextTokens::letter() {
  const std::size_t at = token_.begin;
  const std::string s = string();
  if (ok() && s.size() != 1) fail_at(at, "expected one letter");
  return s.size() == 1 ? s[0] : '\0';
}

std::string TextTokens::path() {
  std::string s;
  while (ok()) {
    if (token_.kind != Token::Kind::name || token_.suffix == '%') {
      fail("expected a name instead of " + shown());
      break;
    }
    s += token_.text;
    const bool is_last = token_.suffix != 0;
    if (is_last) s += "@" + std::to_string(token_.suffix_number);
    next();
    if (is_last || !(is_sign("::") || is_sign("."))) break;
    s += token_.text;
    next();
  }
  return s;
}

Span TextTokens::span(std::string_view mark) {
  Span s;
  if (!take_sign(mark)) return s;
  s.file = file_;
  s.begin = number();
  sign("-");
  s.end = number();
  if (ok() && (!file_.valid() || s.begin > s.end || s.end == Span::no_offset))
    fail("a place in no file, or an empty one");
  return s;
}

}  // namespace nikaia::lang::nir
