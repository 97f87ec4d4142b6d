// The words of NIR's text: one token ahead, and the first place that does not fit.
//
// After a failure the end of the text has come, so that whoever reads on ends by itself. Nesting is held to
// `max_depth`.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lang/nir/text.h"
#include "lang/text/source.h"

namespace nikaia::lang::nir {

class TextTokens {
 public:
  explicit TextTokens(std::string_view text) : text_(text) { next(); }

 protected:
  static constexpr int max_depth = 200;

  struct Token {
    enum class Kind : std::uint8_t { end, name, number, string, sign } kind = Kind::end;
    std::string_view text;  // a name, a number's digits (with `.` and exponent), a sign
    std::string string;     // of a string, escapes read
    char suffix = 0;        // of a name: `%` or `@` directly behind it, with a number
    std::uint32_t suffix_number = 0;
    std::size_t begin = 0;
  };

  bool ok() const { return !failure_; }
  void fail(std::string message) { fail_at(token_.begin, std::move(message)); }
  void fail_at(std::size_t at, std::string message);
  TextError error() const;
  void next();
  void name_token();
  void number_token(bool is_position);
  void string_token();
  template <class N>
  N to_number(std::string_view digits) {
    N n = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), n);
    if (read.ec != std::errc() || read.ptr != digits.data() + digits.size())
      fail_at(token_.begin, "not a number that fits here");
    return n;
  }
  std::string shown() const;
  bool is_sign(std::string_view s) const { return token_.kind == Token::Kind::sign && token_.text == s; }
  bool is_word(std::string_view w) const {
    return token_.kind == Token::Kind::name && token_.suffix == 0 && token_.text == w;
  }
  bool take_sign(std::string_view s) {
    if (!is_sign(s)) return false;
    next();
    return true;
  }
  bool take_word(std::string_view w) {
    if (!is_word(w)) return false;
    next();
    return true;
  }
  void sign(std::string_view s);
  void word(std::string_view w);
  std::uint32_t number();
  std::string string();
  char32_t scalar();
  char letter();
  // `A::b.c`, with the number of its last name, as the spelling of a declaration.
  std::string path();
  Span span(std::string_view mark = "!");
  template <class F>
  void list(std::string_view open, std::string_view close, F&& one) {
    sign(open);
    if (take_sign(close)) return;
    while (ok()) {
      one();
      if (!take_sign(",")) break;
    }
    sign(close);
  }
  struct Deeper {
    explicit Deeper(TextTokens& t) : tokens(t) {
      if (++tokens.depth_ > max_depth) tokens.fail("nested too deeply");
    }
    ~Deeper() { --tokens.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    TextTokens& tokens;
  };

  std::string_view text_;
  std::size_t at_ = 0;
  Token token_;
  std::optional<std::string> failure_;
  std::size_t failed_at_ = 0;
  int depth_ = 0;
  FileId file_;  // the one that places are in
};

}  // namespace nikaia::lang::nir
