// The lexer. Code, the text of an f"…" and the body of a dsl block are read by three routines;
// `run` is the loop of the first, which calls the second when an f"…" opens or a hole ends, and the
// third at the `{` of a dsl.
#include "lang/syntax/lexer.h"

#include <array>
#include <cassert>
#include <string>
#include <string_view>

namespace nikaia::lang::syntax {
namespace {

enum CharClass : std::uint8_t {
  letter = 1,       // a name may begin with it; `_` included
  digit = 2,        //
  hex = 4,          //
  blank = 8,        // white space that ends no line
  plain_text = 16,  // neither `"`, `\`, `{`, `}` nor the end
};

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<std::size_t>(c)] |= letter;
  for (int c = 'A'; c <= 'Z'; ++c) classes[static_cast<std::size_t>(c)] |= letter;
  classes['_'] |= letter;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<std::size_t>(c)] |= digit | hex;
  for (int c = 'a'; c <= 'f'; ++c) classes[static_cast<std::size_t>(c)] |= hex;
  for (int c = 'A'; c <= 'F'; ++c) classes[static_cast<std::size_t>(c)] |= hex;
  classes[' '] |= blank;
  classes['\t'] |= blank;
  classes['\r'] |= blank;
  for (std::size_t c = 1; c < 256; ++c)
    if (c != '"' && c != '\\' && c != '{' && c != '}') classes[c] |= plain_text;
  return classes;
}

constexpr auto classes = make_classes();

bool has_class(char c, int wanted) {
  return (classes[static_cast<unsigned char>(c)] & wanted) != 0;
}
bool is_name_part(char c) {
  return has_class(c, letter | digit);
}

// Outside ASCII: whether a reader would take the character for a letter. Wrong guesses only change
// the message.
bool looks_like_letter(char32_t c) {
  if (c < 0xc0 || c == 0xd7 || c == 0xf7) return false;
  if (c >= 0x2000 && c <= 0x2bff) return false;  // punctuation, arrows, mathematics
  if (c >= 0x3000 && c <= 0x303f) return false;
  if (c >= 0xe000 && c <= 0xfeff) return false;
  return c < 0x1f000 || c > 0x1faff;
}

std::string shown(char32_t c, std::string_view bytes) {
  if (c >= 0x20 && c != 0x7f && (c < 0x80 || c >= 0xa1)) return "`" + std::string(bytes) + "`";
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string hex_form;
  for (int shift = 20; shift >= 0; shift -= 4) {
    unsigned part = (static_cast<unsigned>(c) >> shift) & 15u;
    if (part != 0 || !hex_form.empty() || shift <= 12) hex_form += digits[part];
  }
  return "U+" + hex_form;
}

class Lexer {
 public:
  Lexer(FileId file, const SourceMap& sources, SyntaxErrors& errors)
      : file_(file), view_(sources.text(file)), text_(view_.data()), errors_(errors) {
    size_ = static_cast<std::uint32_t>(view_.size());
    assert(text_[size_] == '\0' && "the text of a source is that of a std::string");
    out_.tokens.reserve(size_ / 5 + 8);
  }

  Tokens run();

 private:
  // An f"…" the lexer is inside a hole of.
  struct Literal {
    std::uint32_t opening;       // of the `f"`
    std::uint32_t hole_opening;  // of the `{`
    std::size_t brackets;        // how many brackets were open outside the hole
  };

  // How far a `dsl` head was read: the body's `{` is not a brace of the language.
  enum class DslHead : std::uint8_t { none, wants_name, has_name, in_arguments, complete };

  char at(std::uint32_t i) const { return i < size_ ? text_[i] : '\0'; }
  // The same for the current place: a source's text ends with a zero byte of its std::string, which
  // is in no class.
  char here() const { return text_[pos_]; }
  bool is_at(std::uint32_t i, std::string_view what) const { return view_.substr(i, what.size()) == what; }
  Span span(std::uint32_t begin, std::uint32_t end) const { return Span{file_, begin, end}; }

  void emit(TokenKind kind, std::uint32_t begin, std::uint32_t end);
  void mark(TokenKind kind, std::uint32_t length) {
    emit(kind, pos_, pos_ + length);
    pos_ += length;
  }
  void follow_dsl_head(TokenKind kind);

  void skip_white_space();
  void line_comment();
  void block_comment();
  void token();
  void word();
  void number();
  std::uint32_t digits(std::uint32_t from, int wanted, bool& is_well_formed) const;
  void bad_number(std::uint32_t begin, std::uint32_t end, std::string headline, std::string label);
  void quoted(char quote, TokenKind kind);
  void escaped_quote();
  void open_ftext();
  void ftext();
  void hole_format();
  void close_bracket(char bracket, TokenKind kind);
  bool open_bracket();
  void close_bracket() { open_count_ -= open_count_ > 0 ? 1 : 0; }
  void dsl_body();
  void other_mark();
  void stray_character();

  FileId file_;
  std::string_view view_;
  const char* text_;
  std::uint32_t size_ = 0;
  SyntaxErrors& errors_;
  Tokens out_;
  static constexpr std::uint32_t most_open = 10'000;
  std::uint32_t open_count_ = 0;
  std::uint32_t pos_ = 0;
  bool line_ended_ = true;  // since the last token; true at the start of the file
  TokenKind last_ = TokenKind::end_of_file;
  std::vector<Literal> literals_;
  std::vector<char> brackets_;  // open ones inside holes, with the literals' own counts as boundaries
  DslHead dsl_head_ = DslHead::none;
  std::uint32_t dsl_word_ = 0;
  int dsl_parens_ = 0;
  bool has_no_eod_ = false;  // from here to the end of the file there is no `} eod`
};

Tokens Lexer::run() {
  if (view_.substr(0, 3) == "\xef\xbb\xbf") pos_ = 3;
  while (!errors_.is_full()) {
    skip_white_space();
    if (pos_ >= size_) break;
    token();
  }
  if (!literals_.empty())
    errors_.add_unclosed(span(literals_[0].opening, literals_[0].opening + 2), "This `f\"…\"` is never closed.")
        .primary_label("it opens here")
        .help("Close it with a `\"`; a hole in it ends with a `}`.");
  emit(TokenKind::end_of_file, size_, size_);
  return std::move(out_);
}

[[gnu::always_inline]] inline void Lexer::emit(TokenKind kind, std::uint32_t begin, std::uint32_t end) {
  out_.tokens.push_back(Token{kind, line_ended_, begin, end});
  line_ended_ = false;
  last_ = kind;
  if (dsl_head_ != DslHead::none) follow_dsl_head(kind);
}

void Lexer::follow_dsl_head(TokenKind kind) {
  switch (dsl_head_) {
    case DslHead::wants_name: dsl_head_ = kind == TokenKind::name ? DslHead::has_name : DslHead::none; return;
    case DslHead::has_name:
      if (kind == TokenKind::colon_colon) {
        dsl_head_ = DslHead::wants_name;
      } else if (kind == TokenKind::l_paren) {
        dsl_head_ = DslHead::in_arguments;
        dsl_parens_ = 1;
      } else {
        dsl_head_ = DslHead::none;
      }
      return;
    case DslHead::in_arguments:
      if (kind == TokenKind::l_paren) ++dsl_parens_;
      if (kind == TokenKind::r_paren && --dsl_parens_ == 0) dsl_head_ = DslHead::complete;
      return;
    default: dsl_head_ = DslHead::none;
  }
}

void Lexer::skip_white_space() {
  for (;;) {
    char c = here();
    if (has_class(c, blank)) {
      ++pos_;
    } else if (c == '\n') {
      line_ended_ = true;
      ++pos_;
    } else if (c == '/' && at(pos_ + 1) == '/') {
      line_comment();
    } else if (c == '/' && at(pos_ + 1) == '*') {
      block_comment();
    } else {
      return;
    }
  }
}

void Lexer::line_comment() {
  std::size_t found = view_.find('\n', pos_);
  auto end = found == std::string_view::npos ? size_ : static_cast<std::uint32_t>(found);
  if (line_ended_ && at(pos_ + 2) == '/' && at(pos_ + 3) != '/') {
    std::uint32_t text_end = end > pos_ + 3 && text_[end - 1] == '\r' ? end - 1 : end;
    out_.docs.push_back(DocLine{pos_ + 3, text_end, static_cast<std::uint32_t>(out_.tokens.size())});
  }
  pos_ = end;
}

void Lexer::block_comment() {
  std::uint32_t opening = pos_;
  std::uint32_t depth = 0;
  while (pos_ < size_) {
    char c = text_[pos_];
    if (c == '/' && at(pos_ + 1) == '*') {
      ++depth;
      pos_ += 2;
    } else if (c == '*' && at(pos_ + 1) == '/') {
      pos_ += 2;
      if (--depth == 0) return;
    } else {
      if (c == '\n') line_ended_ = true;
      ++pos_;
    }
  }
  errors_.add_unclosed(span(opening, opening + 2), "This comment is never closed.")
      .primary_label("it opens here")
      .note("Block comments nest, so each `/*` inside needs a `*/` of its own.")
      .help("Write the missing `*/`.");
}

void Lexer::token() {
  char c = text_[pos_];
  if (has_class(c, letter)) return word();
  if (has_class(c, digit)) return number();
  bool in_hole = !literals_.empty();
  switch (c) {
    case '"': return quoted('"', TokenKind::text);
    case '\'': return quoted('\'', TokenKind::character);
    case '(':
      if (!open_bracket()) return;
      if (in_hole) brackets_.push_back(c);
      return mark(TokenKind::l_paren, 1);
    case '[':
      if (!open_bracket()) return;
      if (in_hole) brackets_.push_back(c);
      return mark(TokenKind::l_bracket, 1);
    case '{':
      if (dsl_head_ == DslHead::has_name || dsl_head_ == DslHead::complete) return dsl_body();
      if (!open_bracket()) return;
      if (in_hole) brackets_.push_back(c);
      return mark(TokenKind::l_brace, 1);
    case ')': close_bracket(); return in_hole ? close_bracket('(', TokenKind::r_paren) : mark(TokenKind::r_paren, 1);
    case ']':
      close_bracket();
      return in_hole ? close_bracket('[', TokenKind::r_bracket) : mark(TokenKind::r_bracket, 1);
    case '}': close_bracket(); return in_hole ? close_bracket('{', TokenKind::r_brace) : mark(TokenKind::r_brace, 1);
    case ':':
      if (at(pos_ + 1) == ':') return mark(TokenKind::colon_colon, 2);
      if (in_hole && brackets_.size() == literals_.back().brackets) return hole_format();
      return mark(TokenKind::colon, 1);
    case '\\':
      if (in_hole && at(pos_ + 1) == '"') return escaped_quote();
      return stray_character();
    default: return other_mark();
  }
}

// What is nested deeper than this no later step would take, and reading it whole would cost what a stranger wishes.
bool Lexer::open_bracket() {
  if (++open_count_ <= most_open) return true;
  errors_.add(span(pos_, pos_ + 1), "Here more than " + std::to_string(most_open) + " brackets are open at once.")
      .note("What stands behind this was not read.")
      .help("Give the inner parts names of their own.");
  errors_.stop();
  return false;
}

void Lexer::word() {
  std::uint32_t begin = pos_;
  if (text_[pos_] == 'f' && at(pos_ + 1) == '"') return open_ftext();
  while (is_name_part(here())) ++pos_;
  if (static_cast<unsigned char>(here()) >= 0x80) {
    std::size_t after = pos_;
    if (looks_like_letter(next_scalar(view_, after))) {
      pos_ = begin;
      return stray_character();
    }
  }
  std::string_view text(text_ + begin, pos_ - begin);
  if (text == "_") return emit(TokenKind::underscore, begin, pos_);
  TokenKind kind = word_kind(text);
  if (kind != TokenKind::name &&
      (last_ == TokenKind::dot || last_ == TokenKind::question_dot || last_ == TokenKind::colon_colon))
    kind = TokenKind::name;
  emit(kind, begin, pos_);
  if (kind == TokenKind::kw_dsl) {
    dsl_head_ = DslHead::wants_name;
    dsl_word_ = begin;
  }
}

// The end of a run of digits with single `_` between them, from `from`.
std::uint32_t Lexer::digits(std::uint32_t from, int wanted, bool& is_well_formed) const {
  std::uint32_t i = from;
  bool last_was_digit = false;
  for (;; ++i) {
    if (has_class(text_[i], wanted)) {
      last_was_digit = true;
    } else if (text_[i] == '_') {
      if (!last_was_digit) is_well_formed = false;
      last_was_digit = false;
    } else {
      break;
    }
  }
  if (!last_was_digit) is_well_formed = false;
  return i;
}

void Lexer::bad_number(std::uint32_t begin, std::uint32_t end, std::string headline, std::string label) {
  errors_.add(span(begin, end), std::move(headline))
      .primary_label(std::move(label))
      .note(
          "A number is written `1_000`, `0xFF`, `0b1010` or `0o17`, and with a fraction `2.5` or "
          "`6e3`.")
      .help("Write the number in one of these forms.");
}

void Lexer::number() {
  std::uint32_t begin = pos_;
  if (last_ == TokenKind::dot || last_ == TokenKind::question_dot) {  // a tuple's part: `t.0.1`
    while (has_class(here(), digit)) ++pos_;
    return emit(TokenKind::integer, begin, pos_);
  }
  bool is_well_formed = true;
  char prefix = text_[pos_] == '0' ? at(pos_ + 1) : '\0';
  if (prefix == 'x' || prefix == 'b' || prefix == 'o') {
    std::uint32_t end = digits(pos_ + 2, prefix == 'x' ? hex : digit, is_well_formed);
    bool is_float = at(end) == '.' && has_class(at(end + 1), digit);
    bool has_exponent = prefix != 'x' && (at(end) == 'e' || at(end) == 'E') &&
                        (has_class(at(end + 1), digit) ||
                         ((at(end + 1) == '+' || at(end + 1) == '-') && has_class(at(end + 2), digit)));
    if (is_float || has_exponent) {
      ++end;
      while (is_name_part(at(end))) ++end;
      bad_number(begin, end, "A number with a fraction is written in decimal, without `0x`, `0b` or `0o`.", "has both");
      pos_ = end;
      return emit(TokenKind::integer, begin, pos_);
    }
    if (!is_well_formed) {
      bad_number(begin, end,
                 end == begin + 2 ? "Digits are missing after the prefix of this number."
                                  : "A `_` in a number stands between two digits.",
                 "this number");
    } else if (char limit = prefix == 'b' ? '1' : '7'; prefix != 'x') {
      for (std::uint32_t i = begin + 2; i < end; ++i)
        if (text_[i] > limit && text_[i] != '_') {
          bad_number(i, i + 1,
                     std::string(prefix == 'b' ? "A binary number has only the digits `0` and `1`."
                                               : "An octal number has only the digits `0` to `7`."),
                     std::string("`") + text_[i] + "` is no digit of it");
          break;
        }
    }
    pos_ = end;
    return emit(TokenKind::integer, begin, pos_);
  }

  std::uint32_t end = digits(pos_, digit, is_well_formed);
  TokenKind kind = TokenKind::integer;
  if (at(end) == '.' && has_class(at(end + 1), digit)) {
    kind = TokenKind::float_number;
    end = digits(end + 1, digit, is_well_formed);
  }
  if (at(end) == 'e' || at(end) == 'E') {
    std::uint32_t exponent = end + (at(end + 1) == '+' || at(end + 1) == '-' ? 2 : 1);
    if (has_class(at(exponent), digit)) {
      kind = TokenKind::float_number;
      end = digits(exponent, digit, is_well_formed);
    }
  }
  if (!is_well_formed) bad_number(begin, end, "A `_` in a number stands between two digits.", "here it doesn't");
  pos_ = end;
  emit(kind, begin, pos_);
}

void Lexer::quoted(char quote, TokenKind kind) {
  std::uint32_t begin = pos_++;
  while (pos_ < size_) {
    char c = text_[pos_];
    if (c == quote) {
      ++pos_;
      return emit(kind, begin, pos_);
    }
    pos_ += c == '\\' ? 2 : 1;
  }
  pos_ = size_;
  bool is_text = quote == '"';
  errors_
      .add_unclosed(span(begin, begin + 1), is_text ? "This text is never closed." : "This character is never closed.")
      .primary_label("it opens here")
      .help(is_text ? "Close it with a `\"`. To have a `\"` in the text, write `\\\"`."
                    : "Close it with a `'`, as in `'a'`. Text of several characters stands in `\"…\"`.");
  emit(kind, begin, pos_);
}

// `f"{label(\"east\")}"`: the text is read as if its quotes were plain, so that this is the only
// error.
void Lexer::escaped_quote() {
  std::uint32_t begin = pos_;
  errors_.add(span(begin, begin + 2), "A hole holds code, so a text in it has plain quotes.")
      .primary_label("this quote is escaped")
      .help("Leave the backslashes out: `f\"{label(\"east\")}\"`.");
  pos_ += 2;
  while (pos_ < size_ && text_[pos_] != '"' && text_[pos_] != '\n') ++pos_;
  if (at(pos_) == '"') ++pos_;
  emit(TokenKind::text, begin, pos_);
}

void Lexer::open_ftext() {
  literals_.push_back(Literal{pos_, 0, brackets_.size()});
  mark(TokenKind::ftext_open, 2);
  ftext();
}

// From where the text of an f"…" goes on to its next hole or its end.
void Lexer::ftext() {
  std::uint32_t begin = pos_;
  auto end_run = [&] {
    if (pos_ > begin) emit(TokenKind::ftext_run, begin, pos_);
  };
  for (;;) {
    while (pos_ < size_ && has_class(text_[pos_], plain_text)) ++pos_;
    if (pos_ >= size_) {
      end_run();
      return;
    }
    switch (text_[pos_]) {
      case '"':
        end_run();
        mark(TokenKind::ftext_close, 1);
        literals_.pop_back();
        return;
      case '{':
        if (at(pos_ + 1) == '{') {
          pos_ += 2;
          break;
        }
        end_run();
        literals_.back().hole_opening = pos_;
        mark(TokenKind::hole_open, 1);
        return;
      case '}':
        if (at(pos_ + 1) == '}') {
          pos_ += 2;
          break;
        }
        errors_.add(span(pos_, pos_ + 1), "A `}` alone in an `f\"…\"` ends no hole.")
            .primary_label("no `{` before it")
            .help_edit("For a brace in the text, write it twice: `}}`.", span(pos_, pos_ + 1), "}}", Applies::exact);
        ++pos_;
        break;
      case '\\': {
        // The brace of `\u{…}` belongs to the escape.
        static constexpr std::uint32_t longest_escape = 12;
        std::uint32_t after = pos_ + 2;
        if (at(pos_ + 1) == 'u' && at(pos_ + 2) == '{')
          for (std::uint32_t i = pos_ + 3; i < size_ && i < pos_ + longest_escape && text_[i] != '"'; ++i)
            if (text_[i] == '}') {
              after = i + 1;
              break;
            }
        pos_ = after < size_ ? after : size_;
        break;
      }
      default: ++pos_;  // a zero byte
    }
  }
}

// From the `:` of a hole to the `}` that ends it.
void Lexer::hole_format() {
  std::uint32_t begin = pos_++;
  for (; pos_ < size_ && text_[pos_] != '}'; ++pos_) {
    char next = at(pos_ + 1);
    if (text_[pos_] == '"' && next != '<' && next != '^' && next != '>') break;
  }
  emit(TokenKind::hole_spec, begin, pos_);
  if (at(pos_) == '"') {
    std::uint32_t opening = literals_.back().hole_opening;
    errors_.add(span(opening, opening + 1), "This hole is never closed.")
        .primary_label("it opens here")
        .help("Write the `}` that ends it.");
    emit(TokenKind::hole_close, pos_, pos_);
    return ftext();
  }
  if (pos_ >= size_) return;
  mark(TokenKind::hole_close, 1);
  ftext();
}

// A closing bracket inside a hole. A `}` that meets no `{` of the hole ends it, whatever else was
// left open there.
void Lexer::close_bracket(char opening, TokenKind kind) {
  std::size_t outside = literals_.back().brackets;
  if (opening != '{') {
    if (brackets_.size() > outside && brackets_.back() == opening) brackets_.pop_back();
    return mark(kind, 1);
  }
  while (brackets_.size() > outside) {
    char open = brackets_.back();
    brackets_.pop_back();
    if (open == '{') return mark(kind, 1);
  }
  mark(TokenKind::hole_close, 1);
  ftext();
}

void Lexer::dsl_body() {
  std::uint32_t begin = pos_;
  dsl_head_ = DslHead::none;
  std::size_t from = pos_ + 1;
  while (!has_no_eod_) {
    std::size_t found = view_.find("} eod", from);
    if (found == std::string_view::npos) {
      has_no_eod_ = true;
      break;
    }
    from = found + 5;
    if (!is_name_part(at(static_cast<std::uint32_t>(from)))) {
      pos_ = static_cast<std::uint32_t>(from);
      return emit(TokenKind::dsl_body, begin, pos_);
    }
  }
  errors_.add_unclosed(span(dsl_word_, dsl_word_ + 3), "This `dsl` block is never closed.")
      .primary_label("it begins here")
      .note("The body goes to the first `} eod`, with one space before the word.")
      .help("End the block with `} eod`.");
  pos_ = size_;
  emit(TokenKind::dsl_body, begin, pos_);
}

void Lexer::other_mark() {
  char next = at(pos_ + 1);
  char third = at(pos_ + 2);
  auto with_equal = [&](TokenKind plain, TokenKind assigning) { next == '=' ? mark(assigning, 2) : mark(plain, 1); };
  switch (text_[pos_]) {
    case ',': return mark(TokenKind::comma, 1);
    case ';': return mark(TokenKind::semicolon, 1);
    case '@': return mark(TokenKind::at_sign, 1);
    case '#': return mark(TokenKind::hash, 1);
    case '.':
      if (next != '.') return mark(TokenKind::dot, 1);
      if (third == '<') return mark(TokenKind::dot_dot_less, 3);
      if (third == '=') return mark(TokenKind::dot_dot_equal, 3);
      if (third == '.') return mark(TokenKind::ellipsis, 3);
      return mark(TokenKind::dot_dot, 2);
    case '?':
      if (next == '?') return mark(TokenKind::question_question, 2);
      if (next == '.') return mark(TokenKind::question_dot, 2);
      return mark(TokenKind::question, 1);
    case '=':
      if (next == '=') return mark(TokenKind::equal_equal, 2);
      if (next == '>') return mark(TokenKind::fat_arrow, 2);
      return mark(TokenKind::equal, 1);
    case '-':
      if (next == '>') return mark(TokenKind::arrow, 2);
      return with_equal(TokenKind::minus, TokenKind::minus_equal);
    case '+': return with_equal(TokenKind::plus, TokenKind::plus_equal);
    case '*': return with_equal(TokenKind::star, TokenKind::star_equal);
    case '/': return with_equal(TokenKind::slash, TokenKind::slash_equal);
    case '%': return with_equal(TokenKind::percent, TokenKind::percent_equal);
    case '^': return with_equal(TokenKind::caret, TokenKind::caret_equal);
    case '!': return with_equal(TokenKind::bang, TokenKind::bang_equal);
    case '&':
      if (next == '&') return mark(TokenKind::amp_amp, 2);
      return with_equal(TokenKind::amp, TokenKind::amp_equal);
    case '|':
      if (next == '|') return mark(TokenKind::pipe_pipe, 2);
      return with_equal(TokenKind::pipe, TokenKind::pipe_equal);
    case '<':
      if (next == '<') return third == '=' ? mark(TokenKind::less_less_equal, 3) : mark(TokenKind::less_less, 2);
      return with_equal(TokenKind::less, TokenKind::less_equal);
    case '>':
      if (next == '>')
        return third == '=' ? mark(TokenKind::greater_greater_equal, 3) : mark(TokenKind::greater_greater, 2);
      return with_equal(TokenKind::greater, TokenKind::greater_equal);
    default: return stray_character();
  }
}

// A character outside every token, or a name with letters outside ASCII (which stays a name, so
// that it is the only error).
void Lexer::stray_character() {
  std::uint32_t begin = pos_;
  if (is_name_part(text_[pos_]) || static_cast<unsigned char>(text_[pos_]) >= 0x80) {
    std::size_t after = pos_;
    char32_t first = next_scalar(view_, after);
    if (first < 0x80 || looks_like_letter(first)) {
      std::size_t i = pos_;
      while (i < size_ && (is_name_part(text_[i]) || static_cast<unsigned char>(text_[i]) >= 0x80))
        next_scalar(view_, i);
      pos_ = static_cast<std::uint32_t>(i);
      errors_.add(span(begin, pos_), "A name is made of the letters `a` to `z` and `A` to `Z`, digits and `_`.")
          .primary_label("has other letters")
          .help("Spell the name without them; texts and comments may hold any character.");
      return emit(TokenKind::name, begin, pos_);
    }
  }
  std::size_t after = pos_;
  char32_t c = next_scalar(view_, after);
  pos_ = static_cast<std::uint32_t>(after);
  std::string_view bytes = view_.substr(begin, pos_ - begin);
  Builder error = errors_.add(span(begin, pos_), "The character " + shown(c, bytes) + " has no meaning here.");
  if (c >= 0x2018 && c <= 0x201f) {
    error.help("Text stands in plain quotes: `\"…\"`. Your editor may have changed them.");
  } else if (c == 0xa0 || c == 0x200b || c == 0xfeff) {
    error.help("It can't be seen, and isn't white space here: delete it, or replace it by a space.");
  } else if (c == '`') {
    error.help("Text stands in `\"…\"`, one character in `'…'`.");
  } else {
    error.help("Leave it out. In a text, a character or a comment it may stand.");
  }
  while (pos_ < size_ && view_.substr(pos_, bytes.size()) == bytes) pos_ += static_cast<std::uint32_t>(bytes.size());
}

}  // namespace

Tokens lex(FileId file, const SourceMap& sources, SyntaxErrors& errors) {
  return Lexer(file, sources, errors).run();
}

}  // namespace nikaia::lang::syntax
