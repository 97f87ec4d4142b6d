// From the text of a file to its tokens.
//
// One pass over the bytes, linear in their number whatever they are. An f"…" may hold code that
// holds an f"…"; the lexer keeps a stack of the literals it is inside of, so that all tokens come
// out in one flat run and nesting costs no recursion. Escapes are only stepped over here;
// literals.h decodes them where their value is wanted.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/syntax/syntax_errors.h"
#include "lang/syntax/token.h"
#include "lang/text/source.h"

namespace nikaia::lang::syntax {

// One `///` line that is first on its line, without the slashes. `next_token` is the token it
// stands in front of.
struct DocLine {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t next_token;
};

struct Tokens {
  std::vector<Token> tokens;  // ends with end_of_file
  std::vector<DocLine> docs;
};

Tokens lex(FileId file, const SourceMap& sources, SyntaxErrors& errors);

}  // namespace nikaia::lang::syntax
