// Primaries: literals, names, struct literals, brackets, and the constructs that begin with a word
// of their own.
#include "lang/syntax/literals.h"
#include "lang/syntax/operators.h"
#include "lang/syntax/parser_impl.h"

namespace nikaia::lang::syntax {

// In a head these would take the body's `{` for their own.
void Parser::refuse_in_head(std::string_view construct) {
  fail(here(), "Before the `{` of a body, " + std::string(construct) + " needs brackets.")
      .help("Put it into brackets, or give its value a name on the line before.");
}

ast::ExprId Parser::primary() {
  std::uint32_t first = at_;
  if (is_head_) {
    switch (kind()) {
      case TokenKind::l_brace:
        fail_expected("a condition or a value before the `{`")
            .help("Write it there. A block as a value needs brackets here.");
        return error_expr();
      case TokenKind::kw_if:
      case TokenKind::kw_match:
      case TokenKind::kw_unsafe:
      case TokenKind::kw_overlap:
      case TokenKind::kw_select:
      case TokenKind::kw_dsl: {
        bool has_an = at(TokenKind::kw_if) || at(TokenKind::kw_unsafe) || at(TokenKind::kw_overlap);
        refuse_in_head((has_an ? "an `" : "a `") + std::string(text_here()) + "`");
        return error_expr();
      }
      default: break;
    }
  }
  switch (kind()) {
    case TokenKind::name: return path_or_struct();
    case TokenKind::integer: {
      ast::IntegerLit value = integer_value(text_of(take()));
      return add(since(first), value);
    }
    case TokenKind::float_number: {
      const Token& token = take();
      double value = 0;
      if (!float_value(text_of(token), value))
        complain(span_of(token), "No `f64` is that large.").help("The largest is about `1.79e308`.");
      return add(since(first), ast::FloatLit{value});
    }
    case TokenKind::text: {
      ast::TextId text = text_literal(take());
      return add(since(first), ast::TextLit{text});
    }
    case TokenKind::character: return character();
    case TokenKind::ftext_open: return ftext();
    case TokenKind::kw_true: take(); return add(since(first), ast::BoolLit{true});
    case TokenKind::kw_false: take(); return add(since(first), ast::BoolLit{false});
    case TokenKind::kw_null: take(); return add(since(first), ast::NullLit{});
    case TokenKind::kw_self: take(); return add(since(first), ast::SelfExpr{});
    case TokenKind::l_paren: return paren_or_tuple();
    case TokenKind::l_bracket: return list();
    case TokenKind::l_brace: {
      BlockId body = block("");
      return add(since(first), ast::BlockExpr{body});
    }
    case TokenKind::kw_if: return if_expr();
    case TokenKind::kw_match: return match_expr();
    case TokenKind::kw_fn: return lambda("a lambda");
    case TokenKind::kw_spawn: return spawn();
    case TokenKind::kw_unsafe: {
      take();
      Scoped<bool> scope(is_head_, false);
      BlockId body = block("that begins the `unsafe` block");
      return add(since(first), ast::UnsafeExpr{body});
    }
    case TokenKind::kw_overlap: return overlap();
    case TokenKind::kw_select: return select();
    case TokenKind::kw_dsl: return dsl();
    default: break;
  }
  if (at(TokenKind::plus)) {
    fail(here(), "A `+` stands between two values.")
        .help("To count up, write `n += 1`; a number needs no `+` before it.");
  } else if (at(TokenKind::amp)) {
    fail(here(), "A value is lent without a mark.").help("Leave the `&` out; a parameter that only looks is `ref T`.");
  } else if (at(TokenKind::pipe) || at(TokenKind::pipe_pipe)) {
    fail(here(), "A lambda begins with `fn`.").help("Write `fn(x) { … }`.");
  } else if (at(TokenKind::underscore)) {
    fail(here(), "`_` is no value.").help("Give what you want to use here a name.");
  } else if (at(TokenKind::dot_dot) || at(TokenKind::dot_dot_less) || at(TokenKind::dot_dot_equal)) {
    fail(here(), "A range has both its ends.").help("Write its start, as in `0..<n`.");
  } else if (at(TokenKind::semicolon)) {
    fail(here(), "A `;` ends no statement, and here a value is missing.").help("Write the value, and no `;`.");
  } else if (is_word(kind()) && !current().first_on_line &&
             (kind() == TokenKind::kw_test || kind() == TokenKind::kw_grammar || kind() == TokenKind::kw_extern ||
              kind() == TokenKind::kw_sync || kind() == TokenKind::kw_in || kind() == TokenKind::kw_enum ||
              kind() == TokenKind::kw_struct || kind() == TokenKind::kw_trait || kind() == TokenKind::kw_use)) {
    name("the name of a value");
  } else if (at(TokenKind::kw_let)) {
    fail(here(), "A `let` is a statement, and here a value is wanted.")
        .help(
            "Bind the name on a line before; of what may be absent, `let x = … ?? …`, where a `return` may stand "
            "behind "
            "the `??`.");
  } else {
    fail_expected("an expression").help("Write a value there.");
  }
  return error_expr();
}

ast::ExprId Parser::character() {
  const Token& token = take();
  Span content{file_, token.begin + 1, token.end > token.begin + 1 ? token.end - 1 : token.begin + 1};
  std::size_t coded_before = errors_.coded_count();
  std::string text = decoded(sources_, content, false, errors_);
  char32_t value = 0;
  std::size_t end = 0;
  if (!text.empty()) value = next_scalar(text, end);
  bool has_bad_escape = errors_.coded_count() != coded_before;
  if (text.empty() && !has_bad_escape) {
    complain(span_of(token), "A `'…'` holds one character, and this one holds none.")
        .help("Write the character, as in `'a'`; an empty text is `\"\"`.");
  } else if (end < text.size()) {
    static constexpr std::size_t longest_plausible = 24;
    bool is_far = text.size() > longest_plausible || text.find('\n') != std::string::npos;
    if (is_far)
      fail(Span{file_, token.begin, token.begin + 1}, "A `'…'` holds one character, and this one is long.")
          .primary_label("it opens here")
          .help("Close it behind its character. Text of several characters stands in `\"…\"`.");
    else
      complain(span_of(token), "A `'…'` holds one character, and this one holds several.")
          .help("Text stands in `\"…\"`.");
  }
  return add(span_of(token), ast::CharLit{value});
}

// A name or path, with the fields of a struct literal where `{` follows on its line.
ast::ExprId Parser::path_or_struct() {
  std::uint32_t first = at_;
  ast::Path written = path("a name");
  if (!at_on_line(TokenKind::l_brace) || failed_) return add(since(first), ast::PathExpr{written});
  if (!is_head_) return struct_literal(written, first);
  // In a head the brace opens the body; no body begins with `name:`.
  if (peek(1).kind == TokenKind::name && peek(2).kind == TokenKind::colon)
    fail(since(first), "Before the `{` of a body, a struct literal needs brackets.")
        .help("Put it into brackets: `(" + std::string(sources_.text(written.span)) + " { … })`.");
  return add(since(first), ast::PathExpr{written});
}

ast::ExprId Parser::struct_literal(ast::Path written, std::uint32_t first) {
  TokenKind second = peek(1).kind;
  TokenKind third = peek(2).kind;
  bool looks_like_fields = second == TokenKind::r_brace || third == TokenKind::colon ||
                           (second == TokenKind::name && (third == TokenKind::comma || third == TokenKind::r_brace));
  char initial = source_[written.span.begin];
  bool may_be_word = written.segments.count == 1 && !(initial >= 'A' && initial <= 'Z');
  ast::StructExpr literal{};
  literal.path = written;
  if (looks_like_fields || !may_be_word) {
    literal.fields = field_inits("that ends the fields");
  } else {
    // Statements behind a lower-case name: a word of another language. `names` says so, as the one
    // message.
    JumpScope inside = jumps_;
    inside.is_in_loop = true;
    Scoped<JumpScope> scope(jumps_, inside);
    literal.misread_block = block("");
  }
  return add(since(first), literal);
}

ast::ExprId Parser::paren_or_tuple() {
  std::uint32_t first = at_;
  take();
  if (at(TokenKind::r_paren)) {
    fail(here(), "Empty brackets are no value.")
        .help(
            "A function that hands nothing back needs no value at its end; for a missing value "
            "write `null`.");
    return error_expr();
  }
  ExprId inner = expr_in_brackets();
  if (at(TokenKind::r_paren)) {
    take();
    return add(since(first), ast::ParenExpr{inner});
  }
  Gather<ExprId> parts(*this, expr_stack_);
  parts.add(inner);
  while (accept(TokenKind::comma) && !at(TokenKind::r_paren)) parts.add(expr_in_brackets());
  if (!failed_ && !at(TokenKind::r_paren)) {
    if (at(TokenKind::equal))
      fail(here(), "`=` assigns, and an assignment is a statement.").help("A comparison is written `==`.");
    else
      fail_expected("the `)` that ends the brackets").help("Write the `)`, or a `,` between the parts of a tuple.");
  }
  take();
  if (!failed_ && parts.size() == 1) fail(since(first), "A tuple has two parts or more.").help("Leave the `,` out.");
  return add(since(first), ast::TupleExpr{parts.finish()});
}

ast::ExprId Parser::list() {
  std::uint32_t first = at_;
  take();
  Gather<ExprId> elements(*this, expr_stack_);
  while (!at(TokenKind::r_bracket) && !at(TokenKind::end_of_file)) {
    elements.add(expr_in_brackets());
    if (!accept(TokenKind::comma)) break;
  }
  if (!failed_ && !at(TokenKind::r_bracket)) {
    if (at(TokenKind::semicolon))
      fail(here(), "A list is written element by element.").help("For many equal elements, fill a `Vec` in a loop.");
    else
      fail_expected("a `,` or the `]` that ends the list").help("Write a `,` between two elements.");
  }
  take();
  return add(since(first), ast::ListExpr{elements.finish()});
}

// A chain of `else if` is read by a loop and built from its end, so that its length costs no
// recursion here.
ast::ExprId Parser::if_expr() {
  std::size_t bottom = if_links_.size();
  ExprId otherwise;
  for (;;) {
    Span begin = here();
    take();
    ExprId cond = head();
    if (at(TokenKind::equal))
      fail(here(), "`=` assigns, and here a comparison is meant.")
          .help_edit("Write `==`.", here(), "==", Applies::sketch);
    BlockId body = block("that begins the body of the `if`");
    if_links_.push_back({begin, cond, body});
    if (!at(TokenKind::kw_else) || peek(1).kind == TokenKind::fat_arrow) break;
    take();
    if (at(TokenKind::kw_if)) continue;
    std::uint32_t last = at_;
    BlockId last_body = block("behind the `else`");
    otherwise = add(since(last), ast::BlockExpr{last_body});
    break;
  }
  while (if_links_.size() > bottom) {
    IfLink link = if_links_.back();
    if_links_.pop_back();
    otherwise = add(since(link.begin), ast::IfExpr{link.cond, link.body, otherwise});
  }
  return otherwise;
}

ast::ExprId Parser::match_expr() {
  std::uint32_t first = at_;
  take();
  ExprId subject = head();
  Scoped<bool> scope(is_head_, false);
  expect(TokenKind::l_brace, "that begins the arms of the `match`");
  Gather<ast::Arm> arms(*this, arm_stack_);
  bool had_else = false;
  while (!at(TokenKind::r_brace) && !at(TokenKind::end_of_file)) {
    if (had_else) {
      fail(here(), "The `else` arm stands last, and here another follows.").help("Move the `else` arm to the end.");
      break;
    }
    had_else = at(TokenKind::kw_else);
    arms.add(arm());
  }
  expect(TokenKind::r_brace, "that ends the `match`");
  return add(since(first), ast::MatchExpr{subject, arms.finish()});
}

// ( pattern [ "if" expr ] | "else" ) "=>" ( block | expr ) [ "," ]
ast::Arm Parser::arm() {
  std::uint32_t first = at_;
  ast::Arm arm;
  if (!accept(TokenKind::kw_else)) {
    if (at(TokenKind::fat_arrow)) {
      fail(here(), "Before this `=>` a pattern is missing.")
          .help(
              "Write it. A pattern that begins with a `-` needs a `,` behind the arm above, or it "
              "is subtracted there.");
      return arm;
    }
    arm.pattern = pattern();
    if (!failed_ && tree_.patterns[arm.pattern].kind == ast::PatternKind::ignore) {
      Span place = tree_.patterns[arm.pattern].span;
      if (at(TokenKind::kw_if))
        errors_.finding(Code::NK1150, place).help("Before a guard, write a name: `other if …`.");
      else
        errors_.finding(Code::NK1150, place).help_edit("Write `else`.", place, "else", Applies::exact);
    }
    if (accept(TokenKind::kw_if)) arm.guard = expr();
  }
  if (at(TokenKind::arrow) || at(TokenKind::colon) || at(TokenKind::equal)) {
    fail(here(), "Between a pattern and its value stands `=>`.").help_edit("Write `=>`.", here(), "=>");
    return arm;
  }
  if (!at(TokenKind::fat_arrow)) {
    if (at(TokenKind::comma))
      fail(here(), "Alternatives of a pattern are separated by `|`.").help_edit("Write `|`.", here(), "|");
    else
      fail_expected("the `=>` of the arm").help("Write `=>` between a pattern and its value.");
    return arm;
  }
  take();
  arm.body = arm_body();
  accept(TokenKind::comma);
  arm.span = since(first);
  return arm;
}

ast::ExprId Parser::arm_body() {
  std::uint32_t first = at_;
  if (at(TokenKind::l_brace)) {
    BlockId body = block("");
    return add(since(first), ast::BlockExpr{body});
  }
  ExprId body = expr();
  if (assign_operator(kind()).is_assignment)
    fail(here(), "An assignment is a statement, and an arm's body a value.")
        .help("Put the assignment into a block: `=> { … }`.");
  else if (at(TokenKind::semicolon))
    fail(here(), "An arm doesn't end with a `;`.").help("Write a `,`, or nothing.");
  return body;
}

// fn [ "(" [ name { "," name } [ "," ] ] ")" ] block
ast::ExprId Parser::lambda(std::string_view boundary) {
  std::uint32_t first = at_;
  take();
  ast::LambdaExpr lambda{};
  Gather<ast::Bind> params(*this, bind_stack_);
  if (at(TokenKind::name)) {
    fail(here(), "A lambda has no name.")
        .help(
            "Bind it with a `let`: `let name = fn(…) { … }`; a function with a name stands outside "
            "of others.");
  } else if (at(TokenKind::colon)) {
    fail(here(), "A lambda's body is a block.").help("Write `fn { … }`, or with arguments `fn(x) { … }`.");
  } else if (at(TokenKind::l_paren)) {
    take();
    lambda.has_parens = true;
    while (!at(TokenKind::r_paren) && !at(TokenKind::end_of_file)) {
      ast::Bind bind;
      bind.is_mut = accept(TokenKind::kw_mut);
      if (at(TokenKind::underscore)) {
        if (bind.is_mut) fail(here(), "`_` takes no `mut`, because nothing is kept.").help("Write `_` alone.");
        bind.name = ast::Ident{{}, span_of(take()), true};
      } else if (at(TokenKind::l_paren)) {
        fail(here(), "A lambda's argument is one name and isn't taken apart.")
            .help("Give it a name, and take it apart in the body: `let (a, b) = pair`.");
      } else {
        bind.name = name_or_self("the name of an argument");
      }
      if (at(TokenKind::colon))
        fail(here(), "A lambda's arguments have no types.")
            .help("Write the names alone; the types come from what the lambda is given to.");
      params.add(bind);
      if (!accept(TokenKind::comma)) break;
    }
    expect(TokenKind::r_paren, "that ends the lambda's arguments");
  }
  if (at(TokenKind::kw_sync) || at(TokenKind::kw_throws))
    fail(here(), "A lambda carries no `" + std::string(text_here()) + "`.")
        .help("Leave it out: what a lambda may do says the type it is given to.");
  else if (at(TokenKind::arrow))
    fail(here(), "A lambda doesn't write its result's type.")
        .help("Leave it out; the last expression of the body is the result.");
  else if (at(TokenKind::fat_arrow) || at(TokenKind::colon))
    fail(here(), "A lambda's body is a block.").help("Write `fn(x) { … }`.");
  Scoped<JumpScope> scope(jumps_, behind(boundary, Span{file_, tokens_[first].begin, tokens_[first].end}, false));
  Scoped<bool> in_body(is_head_, false);
  lambda.params = params.finish();
  lambda.body = block("that begins the lambda's body");
  return add(since(first), lambda);
}

ast::ExprId Parser::spawn() {
  std::uint32_t first = at_;
  take();
  if (!at(TokenKind::kw_fn)) {
    fail_expected("the `fn` of the task's body").help("Write the call into the body: `spawn fn { work() }`.");
    return error_expr();
  }
  ExprId body = lambda("a task");
  return add(since(first), ast::SpawnExpr{body});
}

ast::ExprId Parser::overlap() {
  std::uint32_t first = at_;
  Span word = here();
  take();
  Scoped<JumpScope> scope(jumps_, behind("a branch of an `overlap`", word, true));
  Scoped<bool> in_body(is_head_, false);
  BlockId body = block("that begins the branches of the `overlap`");
  if (!failed_) {
    auto branches = tree_.list(tree_.blocks[body].statements);
    if (branches.size() < 2) errors_.finding(Code::NK2942, branches.empty() ? word : tree_.stmts[branches[0]].span);
  }
  return add(since(first), ast::OverlapExpr{body});
}

ast::ExprId Parser::select() {
  static constexpr std::size_t most_arms = 8;
  std::uint32_t first = at_;
  Span word = here();
  take();
  Scoped<bool> in_body(is_head_, false);
  expect(TokenKind::l_brace, "that begins the arms of the `select`");
  Gather<ast::SelectArm> arms(*this, select_arm_stack_);
  while (!at(TokenKind::r_brace) && !at(TokenKind::end_of_file)) arms.add(select_arm());
  expect(TokenKind::r_brace, "that ends the `select`");
  if (!failed_) {
    if (arms.size() < 2)
      errors_.finding(Wording::NK2942_select_few, arms.empty() ? word : arms[0].span);
    else if (arms.size() > most_arms)
      errors_.finding(Wording::NK2942_select_many, arms[most_arms].span);
  }
  return add(since(first), ast::SelectExpr{arms.finish()});
}

// ( name | "_" | names ) "=" expr "=>" ( block | expr ) [ "," ]
ast::SelectArm Parser::select_arm() {
  std::uint32_t first = at_;
  ast::SelectArm arm;
  if (at(TokenKind::l_paren)) {
    arm.is_tuple = true;
    arm.binds = bind_tuple("an arm of a `select`", true, false);
  } else {
    ast::Bind bind;
    if (at(TokenKind::underscore))
      bind.name = ast::Ident{{}, span_of(take()), true};
    else
      bind.name = name_or_self("the name of an arm's result");
    arm.binds = tree_.add_list(std::span<const ast::Bind>(&bind, 1));
  }
  if (at(TokenKind::equal)) {
    take();
  } else {
    fail_expected("the `=` of the arm")
        .help("An arm is written `result = expression => { … }`; a result nobody wants is `_`.");
  }
  {
    Scoped<JumpScope> scope(jumps_,
                            behind("a raced expression", Span{file_, tokens_[first].begin, tokens_[first].end}, true));
    arm.raced = expr();
  }
  expect(TokenKind::fat_arrow, "of the arm");
  arm.body = arm_body();
  accept(TokenKind::comma);
  arm.span = since(first);
  return arm;
}

ast::ExprId Parser::ftext() {
  std::uint32_t first = at_;
  take();
  Gather<ast::FPiece> pieces(*this, piece_stack_);
  while (!at(TokenKind::ftext_close) && !at(TokenKind::end_of_file)) {
    ast::FPiece piece;
    if (at(TokenKind::ftext_run)) {
      const Token& run = take();
      piece.span = span_of(run);
      std::string text = decoded(sources_, piece.span, true, errors_);
      if (text.empty()) continue;  // nothing but escapes that were refused
      piece.text = tree_.texts.add(std::move(text));
      pieces.add(piece);
      continue;
    }
    std::uint32_t opening = at_;
    if (!expect(TokenKind::hole_open, "of a hole")) break;
    if (at(TokenKind::hole_close) || at(TokenKind::hole_spec)) {
      fail(since(opening), "This hole is empty.")
          .help(
              "Write the value it is for. For braces in the text, write each twice: `{{` and "
              "`}}`.");
      break;
    }
    piece.hole = expr_in_brackets();
    if (at(TokenKind::hole_spec)) {
      const Token& token = take();
      piece.spec.present = true;
      piece.spec.span = Span{file_, token.begin + 1, token.end};
      if (!parse_format(sources_.text(piece.spec.span), piece.spec))
        complain(span_of(token), "What stands behind the `:` of this hole is no format.")
            .note(
                "A format is, each part optional and without blanks: fill and `<`, `^` or `>`; "
                "`+`; `#`; `0`; a "
                "width; `.` and a precision; one of `?`, `x`, `X`, `b`, `o`, `e`, `E`.")
            .help("Write it like `{n:>8}` or `{x:.2}`.");
    }
    if (!at(TokenKind::hole_close)) {
      fail_expected("the `}` that ends the hole").help("Write the `}` behind the value.");
      break;
    }
    take();
    piece.span = since(opening);
    pieces.add(piece);
  }
  expect(TokenKind::ftext_close, "");
  return add(since(first), ast::FTextLit{pieces.finish()});
}

// dsl path [ "(" arguments ")" ] body
ast::ExprId Parser::dsl() {
  std::uint32_t first = at_;
  take();
  ast::DslExpr dsl{};
  dsl.path = path("the name of a grammar");
  if (dsl.path.segments.count != 0) dsl.language = tree_.list(dsl.path.segments)[0];
  if (at_word("from")) {
    std::string name(sources_.text(dsl.path.span));
    fail(here(), "A `dsl` is followed by its text, not by where to find one.")
        .help("To read text that comes from elsewhere, call the grammar's entry: `" + name + "::entry(text)`.");
    return error_expr();
  }
  if (at(TokenKind::l_paren)) {
    take();
    Gather<ast::OptionArg> options(*this, option_stack_);
    while (!at(TokenKind::r_paren) && !at(TokenKind::end_of_file)) {
      ast::OptionArg option;
      option.name = name("the name of an argument");
      if (!expect(TokenKind::colon, "between an argument's name and its value")) break;
      option.value = expr_in_brackets();
      options.add(option);
      if (!accept(TokenKind::comma)) break;
    }
    expect(TokenKind::r_paren, "that ends the arguments of the `dsl`");
    dsl.arguments = options.finish();
  }
  if (!at(TokenKind::dsl_body)) {
    fail_expected("the `{` of the `dsl` block").help("Write it like `dsl html { … } eod`.");
    return error_expr();
  }
  const Token& body = take();
  static constexpr std::uint32_t ending = 5;  // of "} eod"
  dsl.body = Span{file_, body.begin + 1, body.end > body.begin + ending ? body.end - ending : body.begin + 1};
  return add(since(first), dsl);
}

}  // namespace nikaia::lang::syntax
