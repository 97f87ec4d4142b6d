// Patterns of `match` arms.
#include "lang/syntax/parser_impl.h"

namespace nikaia::lang::syntax {

using ast::Pattern;

// pattern = single { "|" single }
ast::PatternId Parser::pattern() {
  Nested nested(*this);
  std::uint32_t first = at_;
  PatternId one = single_pattern();
  if (!at(TokenKind::pipe)) return one;
  Gather<PatternId> alternatives(*this, pattern_stack_);
  alternatives.add(one);
  while (accept(TokenKind::pipe)) alternatives.add(single_pattern());
  ast::Pattern either = pattern_of_kind(ast::PatternKind::alternatives);
  either.parts = alternatives.finish();
  either.span = since(first);
  return add_pattern(std::move(either));
}

ast::PatternId Parser::single_pattern() {
  std::uint32_t first = at_;
  switch (kind()) {
    case TokenKind::underscore: take(); return add_pattern(pattern_of_kind(ast::PatternKind::ignore, since(first)));
    case TokenKind::minus:
    case TokenKind::integer:
    case TokenKind::text:
    case TokenKind::character:
    case TokenKind::kw_true:
    case TokenKind::kw_false: return constant_pattern();
    case TokenKind::name: return path_pattern();
    case TokenKind::kw_self: {
      ast::Pattern bind = pattern_of_kind(ast::PatternKind::bind);
      bind.name = ident_of(take());
      bind.span = since(first);
      return add_pattern(std::move(bind));
    }
    case TokenKind::l_paren: return tuple_pattern();
    case TokenKind::ftext_open:
      fail(here(), "An `f\"…\"` is made while the program runs and can't be a pattern.")
          .help(
              "Write a plain `\"…\"`, or bind a name and compare it in a guard: `other if other == "
              "f\"…\"`.");
      break;
    case TokenKind::kw_null:
      fail(here(), "`null` is no pattern.")
          .help("Decide about `null` before the `match`, with `??` or `if value == null`.");
      break;
    case TokenKind::float_number:
      fail(here(), "A number with a fraction is no pattern.")
          .help("Bind a name and compare it in a guard: `x if x > 0.5`.");
      break;
    case TokenKind::kw_mut:
    case TokenKind::kw_ref:
      fail(here(), "A name in a pattern takes no `" + std::string(text_here()) + "`.")
          .help("Write the name alone; to change the value, change what it is a part of.");
      break;
    case TokenKind::l_bracket:
      fail(here(), "A list can't be taken apart by a pattern.")
          .help("Match on `xs.len()`, and read the elements by index.");
      break;
    case TokenKind::dot_dot:
    case TokenKind::dot_dot_less:
    case TokenKind::dot_dot_equal:
      fail(here(), "A range in a pattern has both its ends.").help("Write it like `40..49`.");
      break;
    default:
      if (is_word(kind()) && !current().first_on_line)
        name("a name in a pattern");
      else
        fail_expected("a pattern")
            .help(
                "Write a value, a name, or a variant such as `Cargo::Empty`; for all the rest "
                "write `else`.");
  }
  return add_pattern(pattern_of_kind(ast::PatternKind::error, since(first)));
}

// A number with its `-`, a text, a character, `true` or `false`.
ast::ExprId Parser::pattern_constant() {
  std::uint32_t first = at_;
  if (accept(TokenKind::minus)) {
    if (!at(TokenKind::integer)) {
      fail_expected("a whole number").help("In a pattern a `-` stands before a whole number.");
      return error_expr();
    }
    ExprId number = primary();
    return add(since(first), ast::UnaryExpr{ast::UnaryOp::negate, number});
  }
  return primary();
}

ast::PatternId Parser::constant_pattern() {
  std::uint32_t first = at_;
  auto can_end_range = [&] { return at(TokenKind::integer) || at(TokenKind::character) || at(TokenKind::minus); };
  bool can_begin_range = can_end_range();
  ast::Pattern constant = pattern_of_kind(ast::PatternKind::literal);
  constant.low = pattern_constant();
  if (at(TokenKind::dot_dot_less) || at(TokenKind::dot_dot_equal)) {
    bool excludes = at(TokenKind::dot_dot_less);
    Builder error = fail(here(), "A range in a pattern is written `..`, and includes both its ends.");
    if (excludes)
      error.help("Write `..`, and the end moved by one: for `1..<5` it is `1..4`.");
    else
      error.help_edit("Write `..`.", here(), "..", Applies::exact);
  } else if (at(TokenKind::dot_dot)) {
    Span dots = here();
    take();
    if (!can_begin_range)
      fail(dots, "A range in a pattern is of whole numbers or characters.")
          .help("Write the values one by one, with `|` between them.");
    else if (!can_end_range())
      fail_expected("the end of the range").help("Write it like `40..49`.");
    constant.kind = ast::PatternKind::range;
    constant.high = pattern_constant();
  }
  constant.span = since(first);
  return add_pattern(std::move(constant));
}

// A name that binds, a variant with or without its parts, or a shape.
ast::PatternId Parser::path_pattern() {
  std::uint32_t first = at_;
  ast::Path written = path("a pattern");
  if (at(TokenKind::l_brace)) {
    ast::Pattern shape = pattern_of_kind(ast::PatternKind::shape);
    shape.path = written;
    return shape_pattern(std::move(shape), first);
  }
  if (at(TokenKind::l_paren)) {
    take();
    ast::Pattern variant = pattern_of_kind(ast::PatternKind::variant);
    variant.has_parens = true;
    variant.path = written;
    if (at(TokenKind::r_paren))
      fail(here(), "The brackets of this pattern are empty.")
          .help("A variant that holds nothing is written without brackets.");
    Gather<PatternId> parts(*this, pattern_stack_);
    while (!at(TokenKind::r_paren) && !at(TokenKind::end_of_file)) {
      parts.add(pattern());
      if (!accept(TokenKind::comma)) break;
    }
    expect(TokenKind::r_paren, "that ends the variant's parts");
    variant.parts = parts.finish();
    variant.span = since(first);
    return add_pattern(std::move(variant));
  }
  if (written.segments.count > 1) {
    ast::Pattern variant = pattern_of_kind(ast::PatternKind::variant);
    variant.path = written;
    variant.span = since(first);
    return add_pattern(std::move(variant));
  }
  ast::Pattern bind = pattern_of_kind(ast::PatternKind::bind);
  if (written.segments.count == 1) bind.name = tree_.list(written.segments)[0];
  bind.span = since(first);
  return add_pattern(std::move(bind));
}

// "{" [ part { "," part } [ "," ] ] "}", a part being `name`, `name: pattern`, or `..` in the end.
ast::PatternId Parser::shape_pattern(Pattern shape, std::uint32_t first) {
  take();
  Gather<ast::FieldPattern> parts(*this, field_pattern_stack_);
  while (!at(TokenKind::r_brace) && !at(TokenKind::end_of_file)) {
    if (at(TokenKind::dot_dot)) {
      take();
      shape.has_rest = true;
      accept(TokenKind::comma);
      if (!at(TokenKind::r_brace))
        fail(here(), "The `..` for all other fields stands last.").help("Move it to the end.");
      break;
    }
    ast::FieldPattern part;
    part.field = name_or_self("a field's name");
    if (accept(TokenKind::colon)) part.pattern = pattern();
    parts.add(part);
    if (!accept(TokenKind::comma)) break;
  }
  expect(TokenKind::r_brace, "that ends the pattern's fields");
  shape.fields = parts.finish();
  shape.span = since(first);
  return add_pattern(std::move(shape));
}

ast::PatternId Parser::tuple_pattern() {
  std::uint32_t first = at_;
  take();
  Gather<PatternId> parts(*this, pattern_stack_);
  while (!at(TokenKind::r_paren) && !at(TokenKind::end_of_file)) {
    parts.add(pattern());
    if (!accept(TokenKind::comma)) break;
  }
  expect(TokenKind::r_paren, "that ends the tuple's pattern");
  if (!failed_ && parts.size() < 2)
    fail(since(first), "A tuple has two parts or more.").help("Leave the brackets out.");
  ast::Pattern tuple = pattern_of_kind(ast::PatternKind::tuple);
  tuple.parts = parts.finish();
  tuple.span = since(first);
  return add_pattern(std::move(tuple));
}

}  // namespace nikaia::lang::syntax
