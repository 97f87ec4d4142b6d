// The parser's ground: tokens, failing and going on, names and literals.
#include "lang/syntax/parser.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "lang/syntax/literals.h"
#include "lang/syntax/parser_impl.h"

namespace nikaia::lang::syntax {
namespace {

constexpr std::size_t recent_count = 1024;  // a power of two

std::size_t recent_place(std::string_view text) {
  auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(text[i])); };
  std::size_t hash = byte(0) * 131 + byte(text.size() - 1) * 31 + byte(text.size() / 2) * 7 + text.size() * 17;
  return hash & (recent_count - 1);
}

}  // namespace

ast::Tree parse(FileId file, const SourceMap& sources, Interner& names, Sink& sink) {
  SyntaxErrors errors;
  Tokens tokens = lex(file, sources, errors);
  ast::Tree tree = Parser(file, sources, names, errors, std::move(tokens)).run();
  tree.has_syntax_error = errors.flush(sink);
  return tree;
}

Parser::Parser(FileId file, const SourceMap& sources, Interner& names, SyntaxErrors& errors, Tokens tokens)
    : file_(file),
      sources_(sources),
      source_(sources.text(file)),
      names_(names),
      errors_(errors),
      tokens_(std::move(tokens.tokens)),
      docs_(std::move(tokens.docs)),
      end_(static_cast<std::uint32_t>(tokens_.size() - 1)),
      recent_names_(recent_count) {
  tree_.file = file;
  tree_.exprs.reserve(tokens_.size() / 2);
  tree_.stmts.reserve(tokens_.size() / 8);
}

ast::Tree Parser::run() {
  items();
  return std::move(tree_);
}

// ---- tokens

bool Parser::expect(TokenKind wanted, std::string_view role) {
  if (accept(wanted)) return true;
  std::string what = "the " + std::string(described(wanted));
  if (!role.empty()) what += " " + std::string(role);
  fail_expected(what).help("Write " + std::string(described(wanted)) + " there.");
  return false;
}

// ---- errors

Builder Parser::fail(Span place, std::string message) {
  if (failed_) {
    unused_ = Diagnostic{};
    return Builder(unused_);
  }
  fail_silently();
  return errors_.add(place, std::move(message));
}

void Parser::fail_silently() {
  if (failed_) return;
  failed_ = true;
  failed_at_ = at_;
  at_ = end_;
}

Builder Parser::complain(Span place, std::string message) {
  if (failed_) return fail(place, std::move(message));
  Builder error = errors_.add(place, std::move(message));
  if (errors_.is_full()) fail_silently();
  return error;
}

std::string Parser::found_here() const {
  switch (kind()) {
    case TokenKind::name: return "the name `" + std::string(text_here()) + "`";
    case TokenKind::integer:
    case TokenKind::float_number: return "the number `" + std::string(text_here()) + "`";
    default: return std::string(described(kind()));
  }
}

Builder Parser::fail_expected(std::string_view what) {
  Span place = at(TokenKind::end_of_file) ? Span{file_, last_end_, last_end_} : here();
  bool is_opening = (at(TokenKind::l_paren) || at(TokenKind::l_bracket)) && current().first_on_line;
  Builder error = fail(place, "Expected " + std::string(what) + ", found " + found_here() + ".");
  if (is_opening)
    error.note("At the start of a line `" + std::string(text_here()) +
               "` begins a new value. That of a call or an index is on the line of what it belongs to.");
  return error;
}

void Parser::fail_nesting() {
  fail(here(), "This is nested more than " + std::to_string(deepest_nesting) + " levels deep.")
      .help("Give an inner part a name with a `let`, or move it into a function of its own.");
  errors_.stop();
}

void Parser::fail_height(Span span) {
  fail(Span{file_, span.begin, span.begin + 1},
       "The expression that begins here is more than " + std::to_string(TreeBuilder::highest_tree) + " steps deep.")
      .note("Each operator, call or `else if` of a chain counts as a step.")
      .help("Cut it into several statements.");
}

// ---- recovery

// Pairs up brackets. A `}` ends the nearest `{`, whatever `(` was left open in between; a `)` or
// `]` pairs only with its own kind directly before it.
void Parser::find_partners() {
  if (!partners_.empty()) return;
  partners_.assign(tokens_.size(), no_token);
  std::vector<std::uint32_t> open;
  auto pair_up = [&](std::uint32_t closing) {
    partners_[open.back()] = closing;
    partners_[closing] = open.back();
    open.pop_back();
  };
  auto close_brace = [&](TokenKind opening, std::uint32_t closing) {
    while (!open.empty()) {
      TokenKind top = tokens_[open.back()].kind;
      if (top == opening) return pair_up(closing);
      if (top == TokenKind::l_brace || top == TokenKind::hole_open) return;
      open.pop_back();
    }
  };
  for (std::uint32_t i = 0; i < end_; ++i) {
    switch (tokens_[i].kind) {
      case TokenKind::l_paren:
      case TokenKind::l_bracket:
      case TokenKind::l_brace:
      case TokenKind::hole_open: open.push_back(i); break;
      case TokenKind::r_paren:
        if (!open.empty() && tokens_[open.back()].kind == TokenKind::l_paren) pair_up(i);
        break;
      case TokenKind::r_bracket:
        if (!open.empty() && tokens_[open.back()].kind == TokenKind::l_bracket) pair_up(i);
        break;
      case TokenKind::r_brace: close_brace(TokenKind::l_brace, i); break;
      case TokenKind::hole_close: close_brace(TokenKind::hole_open, i); break;
      default: break;
    }
  }
  for (std::uint32_t i = 0; i < end_ && !has_lone_brace_; ++i)
    has_lone_brace_ = tokens_[i].kind == TokenKind::l_brace && partners_[i] == no_token;
}

// The token behind `token`, or behind the group it opens.
std::uint32_t Parser::skip_group(std::uint32_t token) {
  std::uint32_t partner = partners_[token];
  return partner != no_token && partner > token ? partner + 1 : token + 1;
}

bool Parser::misses_its_brace(std::uint32_t opening) const {
  if (missed_a_brace_ || errors_.has_unclosed()) return false;
  return partners_[opening] == no_token || errors_.empty();
}

void Parser::resume_at(std::uint32_t token) {
  at_ = std::min(token, end_);
  last_end_ = at_ > 0 ? tokens_[at_ - 1].end : 0;
  failed_ = false;
}

// From a statement that failed to the next line that can begin one, or to the end of its block.
// Groups opened by the statement are skipped whole, so that a line in their middle is not taken for
// a statement.
void Parser::recover_statement(std::uint32_t first) {
  if (errors_.is_full() || failed_at_ == end_) return;
  find_partners();
  std::uint32_t i = first;
  while (i < end_) {
    TokenKind kind = tokens_[i].kind;
    if (kind == TokenKind::r_brace || kind == TokenKind::hole_close) break;
    if (i > first && i >= failed_at_) {
      if (tokens_[i].first_on_line && (begins_expr(kind) || kind == TokenKind::kw_let || kind == TokenKind::kw_while ||
                                       kind == TokenKind::kw_for || begins_item(i)))
        break;
    }
    i = skip_group(i);
  }
  resume_at(i);
}

bool Parser::begins_item(std::uint32_t token) const {
  TokenKind next = token < end_ ? tokens_[token + 1].kind : TokenKind::end_of_file;
  switch (tokens_[token].kind) {
    case TokenKind::kw_fn: return next == TokenKind::name;
    case TokenKind::kw_struct:
    case TokenKind::kw_enum:
    case TokenKind::kw_trait:
    case TokenKind::kw_impl:
    case TokenKind::kw_use:
    case TokenKind::kw_extern:
    case TokenKind::kw_grammar:
    case TokenKind::kw_test:
    case TokenKind::kw_pub: return true;
    case TokenKind::name: return next == TokenKind::text && text_of(tokens_[token]) == "bench";
    default: return false;
  }
}

bool Parser::begins_member(std::uint32_t token) const {
  return tokens_[token].kind == TokenKind::kw_fn || tokens_[token].kind == TokenKind::kw_pub;
}

void Parser::recover_member(std::uint32_t first) {
  if (errors_.is_full()) return;
  find_partners();
  std::uint32_t i = leaves_block_ ? failed_at_ : first;
  bool is_behind = leaves_block_;  // an item stands here: it is looked at itself
  leaves_block_ = false;
  while (i < end_) {
    if (tokens_[i].kind == TokenKind::r_brace) break;
    if ((is_behind || (i > first && i >= failed_at_)) && tokens_[i].first_on_line &&
        (begins_member(i) || begins_item(i)))
      break;
    i = skip_group(i);
  }
  resume_at(i);
}

void Parser::recover_item(std::uint32_t first) {
  if (errors_.is_full()) return;
  find_partners();
  std::uint32_t i = leaves_block_ ? failed_at_ : first;
  bool is_behind = leaves_block_;
  leaves_block_ = false;
  while (i < end_) {
    TokenKind kind = tokens_[i].kind;
    bool is_item =
        begins_item(i) || kind == TokenKind::kw_comptime || kind == TokenKind::kw_fn || kind == TokenKind::kw_let;
    if ((is_behind || (i > first && i >= failed_at_)) && is_item &&
        (tokens_[i].first_on_line || tokens_[i - 1].kind == TokenKind::r_brace))
      break;
    i = skip_group(i);
  }
  resume_at(i);
}

// ---- names and literals

Name Parser::intern(std::string_view text) {
  auto& [known, id] = recent_names_[recent_place(text)];
  if (known != text) {
    known = text;
    id = names_.intern(text);
  }
  return id;
}

ast::Ident Parser::name(std::string_view what) {
  if (at(TokenKind::name)) return ident_of(take());
  if (is_word(kind()) && !current().first_on_line) {
    std::string word(text_here());
    fail(here(), "`" + word + "` is a reserved word and can't be " + std::string(what) + ".")
        .help("Choose another name, such as `" + word + "_`.");
  } else if (at(TokenKind::underscore)) {
    fail(here(), "`_` is no name and can't be " + std::string(what) + ".")
        .note("It stands where a value arrives that nobody wants.")
        .help("Give it a name.");
  } else {
    fail_expected(what).help("Write a name there.");
  }
  return {};
}

ast::Ident Parser::name_or_self(std::string_view what) {
  if (at(TokenKind::kw_self)) return ident_of(take());
  return name(what);
}

ast::Path Parser::path(std::string_view what) {
  std::uint32_t first = at_;
  Gather<ast::Ident> segments(*this, ident_stack_);
  segments.add(name(what));
  while (at(TokenKind::colon_colon)) {
    take();
    segments.add(name("a name"));
  }
  return ast::Path{segments.finish(), since(first)};
}

ast::TextId Parser::text_literal(const Token& token) {
  Span content{file_, token.begin + 1, std::max(token.begin + 1, token.end - 1)};
  return tree_.texts.add(decoded(sources_, content, false, errors_));
}

}  // namespace nikaia::lang::syntax
