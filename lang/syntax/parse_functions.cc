// What stands before a function's body: its name, type parameters, receiver, parameters and
// options, result, and effect words.
#include "lang/syntax/parser_impl.h"

namespace nikaia::lang::syntax {

using ast::FnItem;

// fn name [ generics ] [ "(" parameters ")" ] [ "->" type ] { effect }
void Parser::signature(FnItem& fn, FnPlace place) {
  std::uint32_t first = at_;
  Span word = here();
  expect(TokenKind::kw_fn, "");
  if (at(TokenKind::name) || place != FnPlace::own_impl || (!at(TokenKind::l_paren) && !at(TokenKind::l_bracket))) {
    if (at(TokenKind::l_paren) || at(TokenKind::l_brace))
      fail(word, place == FnPlace::trait_impl ? "A function without a name stands in an `impl` that names no trait."
                                              : "A function here needs a name.")
          .help("Write its name behind `fn`.");
    fn.name = name("the name of a function");
    fn.generics = generics("a function");
  } else {
    fn.name.span = word;
    fn.generics = generics("A constructor", false);
  }
  if (at(TokenKind::l_paren)) parameters(fn, place);
  bool had_effects = at(TokenKind::kw_sync) || at(TokenKind::kw_throws);
  Span effects_begin = here();
  effects(fn);
  if (at(TokenKind::arrow)) {
    if (had_effects) {
      fail(effects_begin, "The result comes before `sync` and `throws`.")
          .label(here(), "the result")
          .help("Write it first: `fn name(…) -> Result sync throws { … }`.");
      return;
    }
    take();
    fn.result = type();
    effects(fn);
  } else if (at(TokenKind::colon)) {
    fail(here(), "A function's result is written behind `->`.").help_edit("Write `->`.", here(), " ->");
  }
  fn.signature_span = since(first);
}

// { "throws" | "sync" [ "(" names ")" ] }
void Parser::effects(FnItem& fn) {
  while (at(TokenKind::kw_sync) || at(TokenKind::kw_throws)) {
    bool& said = at(TokenKind::kw_sync) ? fn.is_sync : fn.is_throws;
    if (said) {
      fail(here(), "`" + std::string(text_here()) + "` is said twice.")
          .help_edit("Write it once.", here(), "", Applies::exact);
      return;
    }
    said = true;
    bool is_sync = take().kind == TokenKind::kw_sync;
    if (is_sync && at(TokenKind::l_paren)) {
      take();
      Gather<ast::Ident> names(*this, ident_stack_);
      do names.add(name("the name of a parameter"));
      while (accept(TokenKind::comma));
      expect(TokenKind::r_paren, "that ends the parameters of `sync`");
      fn.sync_params = names.finish();
    } else if (!is_sync && (at(TokenKind::l_paren) || at(TokenKind::name)) && !current().first_on_line) {
      fail(here(), "`throws` lists no errors; which there are is worked out.").help("Write `throws` alone.");
    }
  }
}

// Whether a receiver stands here: `self`, `ref self`, `ref mut self`. Takes it.
bool Parser::receiver(FnItem& fn, FnPlace place) {
  std::uint32_t first = at_;
  TokenKind second = peek(1).kind;
  if (at(TokenKind::kw_self) && second != TokenKind::colon) {
    fn.receiver = ast::Receiver::value;
  } else if (at(TokenKind::kw_ref) && second == TokenKind::kw_self) {
    fn.receiver = ast::Receiver::ref;
  } else if (at(TokenKind::kw_ref) && second == TokenKind::kw_mut && peek(2).kind == TokenKind::kw_self) {
    fn.receiver = ast::Receiver::ref_mut;
  } else {
    if (at(TokenKind::kw_mut) && second == TokenKind::kw_self)
      fail(here(), "A receiver is `self`, `ref self` or `ref mut self`.")
          .help("A method that changes its subject takes `ref mut self`.");
    return false;
  }
  if (place == FnPlace::item || place == FnPlace::test)
    fail(here(), "`self` is the receiver of a method, and this is none.")
        .help(
            "Move the function into an `impl` block, or give the parameter another name and a "
            "type.");
  while (accept(TokenKind::kw_ref) || accept(TokenKind::kw_mut)) {
  }
  take();
  fn.receiver_span = since(first);
  if (at(TokenKind::colon)) fail(here(), "A receiver has no type; it is the type around.").help("Leave the type out.");
  return true;
}

// "(" [ subject [ ";" config ] | options ] ")"
void Parser::parameters(FnItem& fn, FnPlace place) {
  take();
  Gather<ast::Param> params(*this, param_stack_);
  Gather<ast::OptionParam> options(*this, option_param_stack_);
  Zones zones;
  zones.has_subject = receiver(fn, place);
  bool needs_separator = zones.has_subject;
  while (!failed_ && !at(TokenKind::r_paren)) {
    if (at(TokenKind::semicolon)) {
      begin_option_parameters(zones, options.empty());
      needs_separator = false;
    } else if (needs_separator) {
      if (!at(TokenKind::comma))
        fail_expected("a `,` or the `)` that ends the parameters").help("Write a `,` between two parameters.");
      zones.last_comma = at_;
      take();
      needs_separator = false;
    } else {
      if (at(TokenKind::ellipsis))
        spread(fn, zones);
      else
        parameter(params, options, zones);
      needs_separator = true;
    }
  }
  expect(TokenKind::r_paren, "that ends the parameters");
  fn.params = params.finish();
  fn.options = options.finish();
}

void Parser::begin_option_parameters(Zones& zones, bool has_no_options) {
  if (zones.is_in_options)
    fail(here(), "Parameters have one `;`, between the positions and the options.").help("Write a `,` here.");
  else if (!zones.has_subject && has_no_options)
    fail(here(), "There is nothing before this `;` to separate.")
        .help_edit("Leave it out: options alone are `fn audit(depth: i64 = 3)`.", here(), "", Applies::exact);
  else if (!zones.has_subject)
    fail(here(), "What is passed by position comes before the options.")
        .help("Write it first: `(value: T; name: T = …)`.");
  take();
  zones.is_in_options = true;
  if (at(TokenKind::r_paren))
    fail(here(), "Behind the `;` come options, and there is none.").help("Leave the `;` out.");
}

// [ "mut" ] name ":" type, or "_" ":" type, or name ":" type "=" default
void Parser::parameter(Gather<ast::Param>& params, Gather<ast::OptionParam>& options, Zones& zones) {
  std::uint32_t first = at_;
  bool is_mut = accept(TokenKind::kw_mut);
  ast::Ident ident;
  if (at(TokenKind::underscore))
    ident = ast::Ident{{}, span_of(take()), true};
  else if (at(TokenKind::kw_self) || (at(TokenKind::kw_ref) && peek(1).kind == TokenKind::kw_self))
    fail(here(), "`self` is the word for a method's receiver, which comes first.")
        .help("Give the parameter another name.");
  else
    ident = name("the name of a parameter");
  Span place = ident.span.has_text() ? ident.span : here();
  if (at(TokenKind::comma) || at(TokenKind::r_paren))
    fail(place, "A parameter's type is missing.")
        .help("Write it behind the name: `" + std::string(sources_.text(place)) + ": T`.");
  expect(TokenKind::colon, "between a parameter's name and its type");
  TypeExprId written = type();

  if (!at(TokenKind::equal)) {
    if (zones.is_in_options)
      fail(place, "Every option has a default, and this one has none.")
          .help("Write one: `name: T = …`. What must be passed is moved before the `;`.");
    else if (!options.empty())
      fail(place, "What is passed by position comes before the options.")
          .help("Move it to the front, and write a `;` behind it.");
    zones.has_subject = true;
    params.add(ast::Param{ident, written, since(first), is_mut});
    return;
  }
  if (zones.has_subject && !zones.is_in_options) {
    Builder error = fail(place, "Options come behind a `;`, and this one behind a `,`.");
    error.primary_label("has a default, so it is an option");
    if (zones.last_comma != no_token)
      error.help_edit("Write a `;` before the first option.", span_of(tokens_[zones.last_comma]), ";", Applies::exact);
    else
      error.help("Write a `;` before the first option.");
  }
  if (is_mut || ident.is_ignored)
    fail(span_of(tokens_[first]), "An option is passed by its name and can't be changed in place.")
        .help("Move the parameter before the `;`, without a default.");
  take();
  ExprId fallback = option_default(place);
  options.add(ast::OptionParam{ident, written, fallback, since(first)});
}

// A literal, or a variant without parts.
ast::ExprId Parser::option_default(Span option) {
  std::uint32_t first = at_;
  ExprId value;
  auto refuse = [&] {
    Builder error = fail(here(), "A default is a literal or a variant that holds nothing.");
    error.label(option, "the option");
    error.help(
        "Write such a default, or let the option be a `T?` with the default `null` and work the "
        "value out in "
        "the body.");
    return error_expr();
  };
  switch (kind()) {
    case TokenKind::minus: {
      TokenKind next = peek(1).kind;
      if (next != TokenKind::integer && next != TokenKind::float_number) return refuse();
      take();
      ExprId number = primary();
      value = add(since(first), ast::UnaryExpr{ast::UnaryOp::negate, number});
      break;
    }
    case TokenKind::integer:
    case TokenKind::float_number:
    case TokenKind::kw_true:
    case TokenKind::kw_false:
    case TokenKind::character:
    case TokenKind::text:
    case TokenKind::kw_null: value = primary(); break;
    case TokenKind::ftext_open:
      fail(here(), "An `f\"…\"` is made while the program runs and can't be a default.")
          .help(
              "Write a plain `\"…\"`, or let the default be `null` and build the text in the "
              "body.");
      return error_expr();
    case TokenKind::name: {
      ast::Path written = path("a variant");
      if (failed_) return error_expr();
      if (written.segments.count < 2) {
        Builder error = fail(written.span, "A default is a literal or a variant that holds nothing.");
        error.label(option, "the option");
        error.help("A variant is written with its enum: `Speed::Slow`.");
        return error_expr();
      }
      value = add(since(first), ast::PathExpr{written});
      break;
    }
    default: return refuse();
  }
  if (!at(TokenKind::comma) && !at(TokenKind::r_paren) && !at(TokenKind::semicolon)) return refuse();
  return value;
}

// "..." name ":" "Self" "::" "dsl"
void Parser::spread(FnItem& fn, const Zones& zones) {
  std::uint32_t first = at_;
  if (!zones.is_in_options) fail(here(), "`...args: Self::dsl` stands behind the `;`.").help("Write a `;` before it.");
  take();
  fn.has_spread = true;
  fn.spread_name = name("the name of a parameter");
  expect(TokenKind::colon, "between a parameter's name and its type");
  bool is_right = at_word("Self") && peek(1).kind == TokenKind::colon_colon && text_of(peek(2)) == "dsl";
  if (!is_right && !failed_) {
    fail(since(first), "Behind `...` stands `args: Self::dsl` and nothing else.")
        .help("Functions have no other parameter of open length; take a `Vec[T]`.");
    return;
  }
  for (int i = 0; i < 3; ++i) take();
}

// "[" name [ ":" bounds ] { "," … } [ "," ] "]"
ast::List<ast::TypeParam> Parser::generics(std::string_view what, bool are_allowed) {
  if (!at(TokenKind::l_bracket)) {
    if (at(TokenKind::less)) fail(here(), "Type parameters stand in `[…]`.").help("Write `[T]` behind the name.");
    return {};
  }
  if (!are_allowed) {
    fail(here(), std::string(what) + " has no type parameters of its own.")
        .help("Leave them out, or put them on the type or the method.");
    return {};
  }
  take();
  Gather<ast::TypeParam> params(*this, type_param_stack_);
  do {
    if (at(TokenKind::r_bracket) && !params.empty()) break;
    ast::TypeParam param;
    param.name = name("the name of a type parameter");
    if (accept(TokenKind::colon)) param.bounds = bounds();
    params.add(param);
  } while (accept(TokenKind::comma));
  expect(TokenKind::r_bracket, "that ends the type parameters");
  return params.finish();
}

ast::List<ast::Path> Parser::bounds() {
  Gather<ast::Path> paths(*this, path_stack_);
  do paths.add(path("the name of a trait"));
  while (accept(TokenKind::plus));
  return paths.finish();
}

}  // namespace nikaia::lang::syntax
