// What the parse pass says about the body of a `grammar`, which otherwise stays text: its literals
// are plain and have known escapes, and the code in it, actions and the functions of folds, is code
// of the language.
//
// The code is read by a parser of its own whose tree is dropped, so that no node of the file's tree
// belongs to nothing.
#include "lang/syntax/literals.h"
#include "lang/syntax/parser_impl.h"

namespace nikaia::lang::syntax {

// Looks at the tokens from `first` to before `last`, the `}` of the grammar.
void Parser::check_grammar(std::uint32_t first, std::uint32_t last) {
  find_partners();
  Parser reader(file_, sources_, names_, errors_, {{Token{}}, {}});
  std::uint32_t depth = 0;  // of brackets around patterns
  for (std::uint32_t i = first; i < last && !failed_;) {
    const Token& token = tokens_[i];
    switch (token.kind) {
      case TokenKind::text: {
        Span content{file_, token.begin + 1, token.end - 1};
        decoded(sources_, content, false, errors_);
        break;
      }
      case TokenKind::ftext_open:
        complain(span_of(token),
                 "A grammar matches texts that are known, and an `f\"…\"` is made while the "
                 "program runs.")
            .help("Write a plain `\"…\"`.");
        break;
      case TokenKind::l_paren:
      case TokenKind::l_bracket: ++depth; break;
      case TokenKind::r_paren:
      case TokenKind::r_bracket: depth -= depth > 0 ? 1 : 0; break;
      case TokenKind::l_brace: {
        std::uint32_t end = partners_[i];
        if (depth != 0 || end == no_token || !ends_alternative(end + 1, last)) break;
        read_code(reader, i, end + 1, false);
        i = end + 1;
        continue;
      }
      case TokenKind::kw_fn: {
        std::uint32_t end = end_of_lambda(i);
        read_code(reader, i, end, true);
        i = end;
        continue;
      }
      default: break;
    }
    ++i;
  }
}

// A `{ … }` is an action where it is the last thing of its alternative.
bool Parser::ends_alternative(std::uint32_t token, std::uint32_t last) const {
  if (token >= last) return true;
  const Token& next = tokens_[token];
  std::string_view text = text_of(next);
  return next.kind == TokenKind::pipe || next.kind == TokenKind::hash || next.kind == TokenKind::at_sign ||
         (next.kind == TokenKind::name && (text == "rule" || text == "entry"));
}

// Behind the `}` of the lambda that begins at `token`, or behind what there is of it.
std::uint32_t Parser::end_of_lambda(std::uint32_t token) {
  std::uint32_t body = token + 1;
  if (tokens_[body].kind == TokenKind::l_paren) body = skip_group(body);
  return tokens_[body].kind == TokenKind::l_brace ? skip_group(body) : body;
}

// Lets `reader` read the block, or the lambda of a fold, that is the tokens from `first` to before
// `last`.
void Parser::read_code(Parser& reader, std::uint32_t first, std::uint32_t last, bool is_lambda) const {
  reader.tokens_.assign(tokens_.begin() + first, tokens_.begin() + last);
  reader.tokens_.push_back(Token{TokenKind::end_of_file, false, tokens_[last].begin, tokens_[last].begin});
  reader.end_ = last - first;
  reader.partners_.clear();
  reader.has_lone_brace_ = reader.missed_a_brace_ = reader.leaves_block_ = false;
  reader.no_brace_until_ = 0;
  reader.resume_at(0);
  if (is_lambda)
    reader.lambda("a fold's step");
  else
    reader.block("");
}

}  // namespace nikaia::lang::syntax
