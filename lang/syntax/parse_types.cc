// Types as they are written: views, nullable types, type arguments, tuples and function types.
#include "lang/syntax/literals.h"
#include "lang/syntax/parser_impl.h"

namespace nikaia::lang::syntax {

using ast::TypeExpr;

// type = [ "ref" ] base [ "?" ] | tuple | function | "(" function ")" [ "?" ]
ast::TypeExprId Parser::type() {
  Nested nested(*this);
  std::uint32_t first = at_;
  if (!at(TokenKind::kw_ref)) return type_without_ref(first);
  take();
  ast::TypeExpr view = type_of_kind(ast::TypeExprKind::ref);
  if (at(TokenKind::kw_mut)) {
    take();
    view.is_mut = true;
    errors_.finding(Code::NK1158, since(first))
        .help("A parameter that is changed in place has the word before its name: `mut name: T`.");
  }
  if (!at(TokenKind::name)) {
    if (at(TokenKind::l_paren) || at(TokenKind::kw_fn))
      fail(since(first), "`ref` stands before a type with a name.")
          .help("Leave the `ref` out; what is only read is lent without it.");
    else
      fail_expected("the name of a type").help("Write the type that is viewed, as in `ref String`.");
    return add_type(type_of_kind(ast::TypeExprKind::error, since(first)));
  }
  std::uint32_t base = at_;
  ast::TypeExpr named = type_of_kind(ast::TypeExprKind::path);
  named.path = path("a type");
  named.args = type_arguments();
  named.span = since(base);
  view.inner = add_type(std::move(named));
  view.span = since(first);
  return nullable(add_type(std::move(view)), first, {});
}

ast::TypeExprId Parser::type_without_ref(std::uint32_t first) {
  switch (kind()) {
    case TokenKind::name: {
      ast::TypeExpr named = type_of_kind(ast::TypeExprKind::path);
      named.path = path("a type");
      named.args = type_arguments();
      named.span = since(first);
      return nullable(add_type(std::move(named)), first, {});
    }
    case TokenKind::kw_fn: return function_type();
    case TokenKind::l_paren: return paren_type();
    case TokenKind::l_bracket:
      fail(here(), "A list's type is written `Vec[T]`.")
          .note("`Array[T, N]` has exactly `N` elements, and `ref Array[T]` is a view of a run.")
          .help("Write `Vec[…]` around the element's type.");
      break;
    case TokenKind::amp:
    case TokenKind::star: fail(here(), "A view is written with the word `ref`.").help("Write `ref T`."); break;
    case TokenKind::kw_mut:
      fail(here(), "`mut` stands before a parameter's name, not before its type.").help("Write `mut name: T`.");
      break;
    case TokenKind::kw_self:
      fail(here(), "`self` is a value; the type around is called `Self`.").help("Write `Self`.");
      break;
    default:
      if (is_word(kind()) && !current().first_on_line)
        name("a type");
      else
        fail_expected("a type").help("Write a type there, such as `i64`, `String` or `Vec[i64]`.");
  }
  return add_type(type_of_kind(ast::TypeExprKind::error, since(first)));
}

// A `?` behind `inner`. `refused` says why it can't stand there, where it can't.
ast::TypeExprId Parser::nullable(TypeExprId inner, std::uint32_t first, std::string_view refused) {
  if (at(TokenKind::question_question) && !current().first_on_line) {
    // `T??` would be one token; in `x as T ?? y` it belongs to the expression, which a value behind
    // it shows.
    TokenKind next = peek(1).kind;
    if (begins_expr(next)) return inner;
    fail(here(), "A type has at most one `?`.").help("A `T?` is a `T` or `null`; write the `?` once.");
    return inner;
  }
  if (!at(TokenKind::question)) return inner;
  if (!refused.empty()) {
    fail(here(), std::string(refused)).help("Put the values into a struct, and write `Name?`.");
    return inner;
  }
  take();
  ast::TypeExpr maybe = type_of_kind(ast::TypeExprKind::nullable);
  maybe.inner = inner;
  maybe.span = since(first);
  TypeExprId id = add_type(std::move(maybe));
  if (at(TokenKind::question))
    fail(here(), "A type has at most one `?`.").help("A `T?` is a `T` or `null`; write the `?` once.");
  return id;
}

ast::List<ast::TypeExprId> Parser::type_arguments() {
  if (at(TokenKind::less) && !is_cast_)
    fail(here(), "A type's arguments stand in `[…]`.").help("Write it like `Vec[i64]`.");
  if (!at_on_line(TokenKind::l_bracket)) return {};
  take();
  Gather<TypeExprId> arguments(*this, type_stack_);
  do {
    if (at(TokenKind::integer)) {
      const Token& token = take();
      ast::IntegerLit value = integer_value(text_of(token));
      if (value.overflows)
        fail(span_of(token), "No array has that many elements.").help("Write the number of elements.");
      TypeExpr length = type_of_kind(ast::TypeExprKind::number, span_of(token));
      length.number = value.value;
      arguments.add(add_type(std::move(length)));
    } else {
      arguments.add(type());
    }
  } while (accept(TokenKind::comma));
  expect(TokenKind::r_bracket, "that ends the type's arguments");
  return arguments.finish();
}

// fn "(" [ types ] ")" [ "->" type ] { "sync" | "throws" }
ast::TypeExprId Parser::function_type() {
  std::uint32_t first = at_;
  take();
  ast::TypeExpr function = type_of_kind(ast::TypeExprKind::function);
  expect(TokenKind::l_paren, "of the function type's parameters");
  Gather<TypeExprId> parameters(*this, type_stack_);
  if (!at(TokenKind::r_paren)) {
    do {
      if (at(TokenKind::name) && peek(1).kind == TokenKind::colon)
        fail(here(), "A function type lists types alone, without names.").help("Leave the name and its `:` out.");
      parameters.add(type());
    } while (accept(TokenKind::comma));
  }
  expect(TokenKind::r_paren, "that ends the function type's parameters");
  function.args = parameters.finish();
  auto effect_words = [&] {
    bool any = false;
    while (at(TokenKind::kw_sync) || at(TokenKind::kw_throws)) {
      bool& said = at(TokenKind::kw_sync) ? function.is_sync : function.is_throws;
      if (said) {
        fail(here(), "`" + std::string(text_here()) + "` is said twice.").help("Write it once.");
        return any;
      }
      said = true;
      any = true;
      take();
    }
    return any;
  };
  bool has_effects = effect_words();
  if (at(TokenKind::arrow)) {
    if (has_effects) {
      fail(here(), "The result comes before `sync` and `throws`.")
          .help("Write the result first: `fn(A) -> R sync throws`.");
      return add_type(type_of_kind(ast::TypeExprKind::error, since(first)));
    }
    take();
    function.result = type();
    // A result that is a function type took the words behind it, which then are its own.
    effect_words();
  }
  function.span = since(first);
  return add_type(std::move(function));
}

// "(" types ")", of two or more, or a function type in brackets.
ast::TypeExprId Parser::paren_type() {
  std::uint32_t first = at_;
  take();
  if (at(TokenKind::r_paren)) {
    fail(here(), "There is no empty tuple.")
        .help(
            "A function that hands nothing back has no `->`; a value that may be missing is a "
            "`T?`.");
    return add_type(type_of_kind(ast::TypeExprKind::error, since(first)));
  }
  Gather<TypeExprId> parts(*this, type_stack_);
  do parts.add(type());
  while (accept(TokenKind::comma));
  expect(TokenKind::r_paren, "that ends the tuple's types");
  if (failed_) return add_type(type_of_kind(ast::TypeExprKind::error, since(first)));
  if (parts.size() == 1) {
    TypeExprId inner = parts[0];
    if (tree_.types[inner].kind != ast::TypeExprKind::function) {
      fail(since(first), "A tuple has two parts or more; a single type takes no brackets.")
          .help("Leave the brackets out.");
      return inner;
    }
    ast::TypeExpr paren = type_of_kind(ast::TypeExprKind::paren);
    paren.inner = inner;
    paren.span = since(first);
    return nullable(add_type(std::move(paren)), first, {});
  }
  ast::TypeExpr tuple = type_of_kind(ast::TypeExprKind::tuple);
  tuple.args = parts.finish();
  tuple.span = since(first);
  return nullable(add_type(std::move(tuple)), first, "A tuple's type takes no `?`.");
}

}  // namespace nikaia::lang::syntax
