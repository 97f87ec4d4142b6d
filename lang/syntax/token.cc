// Names of token kinds, and the lookup of reserved words: a table of 256 places with a hash that is
// checked, while compiling, to give every word a place of its own.
#include "lang/syntax/token.h"

#include <array>
#include <cstddef>

namespace nikaia::lang::syntax {
namespace {

constexpr std::string_view spellings[] = {
#define NIKAIA_TOKEN(kind, described) "",
#define NIKAIA_MARK(kind, spelling) spelling,
#define NIKAIA_WORD(kind, spelling) spelling,
#include "lang/syntax/tokens.def"
};

constexpr std::string_view descriptions[] = {
#define NIKAIA_TOKEN(kind, described) described,
#define NIKAIA_MARK(kind, spelling) "`" spelling "`",
#define NIKAIA_WORD(kind, spelling) "the word `" spelling "`",
#include "lang/syntax/tokens.def"
};

constexpr std::size_t shortest_word = 2;
constexpr std::size_t longest_word = 8;

constexpr std::size_t place_of(std::string_view word) {
  auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(word[i])); };
  return (byte(0) * 62 + byte(word.size() / 2) * 28 + byte(word.size() - 1) * 33 + word.size() * 54) & 255;
}

struct WordTable {
  std::array<TokenKind, 256> kinds{};
  bool is_perfect = true;
};

constexpr WordTable make_word_table() {
  WordTable table;
  for (auto& kind : table.kinds) kind = TokenKind::name;
  auto put = [&](TokenKind kind, std::string_view word) {
    TokenKind& at = table.kinds[place_of(word)];
    if (at != TokenKind::name) table.is_perfect = false;
    at = kind;
  };
#define NIKAIA_WORD(kind, spelling) put(TokenKind::kind, spelling);
#include "lang/syntax/tokens.def"
  return table;
}

constexpr WordTable words = make_word_table();
static_assert(words.is_perfect, "two reserved words meet: change the factors of place_of");

}  // namespace

std::string_view spelling(TokenKind kind) {
  return spellings[static_cast<std::size_t>(kind)];
}
std::string_view described(TokenKind kind) {
  return descriptions[static_cast<std::size_t>(kind)];
}

TokenKind word_kind(std::string_view text) {
  if (text.size() < shortest_word || text.size() > longest_word) return TokenKind::name;
  TokenKind kind = words.kinds[place_of(text)];
  return kind != TokenKind::name && spelling(kind) == text ? kind : TokenKind::name;
}

}  // namespace nikaia::lang::syntax
