// Tokens: their kinds, and how a message calls them.
#pragma once

#include <cstdint>
#include <string_view>

namespace nikaia::lang::syntax {

enum class TokenKind : std::uint8_t {
#define NIKAIA_TOKEN(kind, described) kind,
#define NIKAIA_MARK(kind, spelling) kind,
#define NIKAIA_WORD(kind, spelling) kind,
#include "lang/syntax/tokens.def"
};

// 12 bytes, because a file is as many of them as it has words and marks.
struct Token {
  TokenKind kind = TokenKind::end_of_file;
  bool first_on_line = false;  // a line ends between the token before and this one
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

constexpr bool is_word(TokenKind kind) {
  return kind >= TokenKind::kw_as;
}

// The spelling of a mark or a word; empty for the kinds whose text varies.
std::string_view spelling(TokenKind kind);

// How a message calls the kind: "a name", "`)`", "the end of the file".
std::string_view described(TokenKind kind);

// The reserved word that `text` is, or TokenKind::name.
TokenKind word_kind(std::string_view text);

}  // namespace nikaia::lang::syntax
