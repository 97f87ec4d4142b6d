// Blocks and statements, and where one statement ends and the next begins.
#include "lang/syntax/operators.h"
#include "lang/syntax/parser_impl.h"

namespace nikaia::lang::syntax {

// "{" { statement } "}". `role` says what the `{` is for, in case there is none.
ast::BlockId Parser::block(std::string_view role) {
  Nested nested(*this);
  Scoped<bool> scope(is_head_, false);
  std::uint32_t opening = at_;
  if (!at(TokenKind::l_brace)) {
    if (at(TokenKind::arrow) || at(TokenKind::fat_arrow) || at(TokenKind::colon))
      fail_expected("the `{` " + std::string(role)).help("Write the body in braces: `{ … }`.");
    else if (at_word("and") || at_word("or")) {
      std::string meant = at_word("and") ? "&&" : "||";
      fail(here(), "Conditions are joined by `&&` and `||`.").help_edit("Write `" + meant + "`.", here(), meant);
    } else
      expect(TokenKind::l_brace, role);
    return builder_.add_block(ast::Block{{}, since(opening)});
  }
  take();
  Gather<StmtId> statements(*this, stmt_stack_);
  StmtId left_behind;  // a `break` or `continue`: whatever follows is never reached
  while (!at(TokenKind::r_brace) && !at(TokenKind::end_of_file)) {
    std::uint32_t first = at_;
    if (begins_item(at_)) {
      item_in_block(opening);
    } else {
      StmtId id = statement();
      if (!failed_) {
        statements.add(id);
        if (left_behind.valid()) refuse_after_jump(left_behind, id);
        const auto* simple = std::get_if<ast::ExprStmt>(&tree_.stmts[id].node);
        left_behind = {};
        if (simple != nullptr && (std::holds_alternative<ast::BreakExpr>(tree_.exprs[simple->expr].node) ||
                                  std::holds_alternative<ast::ContinueExpr>(tree_.exprs[simple->expr].node)))
          left_behind = id;
      }
    }
    if (failed_) {
      if (leaves_block_) break;
      recover_statement(first);
      if (failed_) break;
      statements.add(add_stmt(Span{file_, tokens_[first].begin, last_end_}, ast::ErrorStmt{}));
      left_behind = {};
      if (at(TokenKind::hole_close)) break;
    }
    while (at(TokenKind::semicolon)) {
      complain(here(), "A statement doesn't end with a `;`.")
          .note("A statement ends where the next word can't go on with it; `;` separates arguments.")
          .help_edit("Leave it out.", here(), "", Applies::exact);
      take();
    }
  }
  if (!accept(TokenKind::r_brace) && !failed_) {
    find_partners();
    if (misses_its_brace(opening)) {
      missed_a_brace_ = true;
      fail(span_of(tokens_[opening]), "This `{` is never closed.")
          .label(Span{file_, last_end_, last_end_}, "the file ends here")
          .help(
              "Write the missing `}`. The blocks inside may show where: each line is as deep as "
              "its braces.");
    } else {
      fail_silently();  // this place was reached by skipping, and the error that did it was said
    }
  }
  return builder_.add_block(ast::Block{statements.finish(), since(opening)});
}

// An item where a statement is expected: either a `}` is missing above, or the reader nests items.
void Parser::item_in_block(std::uint32_t opening) {
  find_partners();
  std::string word(text_here());
  std::uint32_t first = at_;
  if (!has_lone_brace_) {
    bool is_use = at(TokenKind::kw_use);
    fail(here(), "`" + word + "` can't stand inside a body.")
        .help(is_use ? "Move the line to the top of the file; it holds for the whole file."
                     : "Move it out of the body, to the level of the file.");
    // The item is skipped whole: to behind its braces, or its line.
    std::uint32_t i = first + 1;
    while (i < end_ && tokens_[i].kind != TokenKind::l_brace && tokens_[i].kind != TokenKind::r_brace &&
           !(is_use && tokens_[i].first_on_line))
      i = skip_group(i);
    if (i < end_ && tokens_[i].kind == TokenKind::l_brace) i = skip_group(i);
    failed_at_ = i;
    return;
  }
  leaves_block_ = true;
  if (missed_a_brace_) {
    fail_silently();
    return;
  }
  missed_a_brace_ = true;
  // The outermost brace without a partner is the one that was forgotten as far as anyone can tell.
  std::uint32_t lone = opening;
  fail(here(), "`" + word + "` can't stand inside a body; is a `}` missing before it?")
      .label(span_of(tokens_[lone]), "this `{` isn't closed yet")
      .help("Close the body above with a `}`.");
}

// NK1133, at the statement after the jump.
void Parser::refuse_after_jump(StmtId jump, StmtId next) {
  Span jump_span = tree_.stmts[jump].span;
  Span place = tree_.stmts[next].span;
  std::string word(sources_.text(jump_span));
  bool is_value = sources_.line_of(file_, jump_span.end) == sources_.line_of(file_, place.begin) &&
                  std::holds_alternative<ast::ExprStmt>(tree_.stmts[next].node);
  errors_.finding(is_value ? MessageText(Wording::NK1133_value) : MessageText(Code::NK1133), place, word)
      .label(jump_span, "leaves here");
}

ast::StmtId Parser::statement() {
  std::uint32_t first = at_;
  switch (kind()) {
    case TokenKind::kw_let: return let(first);
    case TokenKind::kw_while: return while_loop(first);
    case TokenKind::kw_for: return for_loop(first);
    case TokenKind::kw_return:
    case TokenKind::kw_throw:
    case TokenKind::kw_break:
    case TokenKind::kw_continue: return jump_statement(first);
    case TokenKind::kw_comptime:
      if (peek(1).kind == TokenKind::kw_mut ||
          (peek(1).kind == TokenKind::name && (peek(2).kind == TokenKind::equal || peek(2).kind == TokenKind::colon)))
        return comptime_statement(first);
      break;
    default: break;
  }
  if (begins_expr(kind())) return expression_statement(first);
  switch (kind()) {
    case TokenKind::kw_else:
      fail(here(), "This `else` belongs to no `if`.")
          .help("An `else` follows the `}` of an `if`; a condition in it is `else if …`.");
      break;
    case TokenKind::kw_mut: fail(here(), "`mut` stands behind `let`.").help("Write `let mut name = …`."); break;
    case TokenKind::r_paren:
    case TokenKind::r_bracket:
      fail(here(), "This `" + std::string(text_here()) + "` closes nothing.")
          .help("Take it out, or write the bracket that it closes.");
      break;
    case TokenKind::question:
      fail(here(), "An expression takes no `?`.")
          .note("A failure is passed on by itself, and a `?.` reaches into what may be `null`.")
          .help("Leave it out. To choose between two values write `if c { a } else { b }`.");
      break;
    case TokenKind::fat_arrow:
      fail(here(), "A `=>` belongs to a `match`.").help("A lambda is written `fn(x) { … }`.");
      break;
    case TokenKind::semicolon:
      fail(here(), "A `;` alone is no statement.").help_edit("Leave it out.", here(), "", Applies::exact);
      break;
    default:
      if (assign_operator(kind()).is_assignment)
        fail(here(), "Here an assignment begins, with nothing before its `" + std::string(text_here()) + "`.")
            .help(
                "You assign to a name, or to a field or an element reached from one: "
                "`rows[2].total = 5`.");
      else
        fail_expected("a statement").help("Write a statement there, or close the block with a `}`.");
  }
  return add_stmt(since(first), ast::ErrorStmt{});
}

// let [ "mut" ] ( name [ ":" type ] | names ) "=" expr
ast::StmtId Parser::let(std::uint32_t first) {
  take();
  ast::LetStmt let{};
  bool is_mut = accept(TokenKind::kw_mut);
  if (at(TokenKind::l_paren)) {
    let.is_tuple = true;
    let.binds = bind_tuple("a `let`", true, is_mut);
    if (at(TokenKind::colon)) {
      std::uint32_t colon = at_;
      take();
      let.type = type();
      if (!failed_)
        errors_.finding(Code::NK1136, tree_.types[let.type].span)
            .help_edit("Leave the type off; each name takes the type of its part.",
                       Span{file_, tokens_[colon].begin, last_end_}, "", Applies::exact);
    }
  } else {
    ast::Bind bind;
    bind.is_mut = is_mut;
    if (at(TokenKind::underscore)) {
      const Token& token = take();
      bind.name = ast::Ident{{}, span_of(token), true};
      errors_.finding(Code::NK1144, span_of(token));
    } else {
      bind.name = name_or_self("the name of a variable");
    }
    let.binds = tree_.add_list(std::span<const ast::Bind>(&bind, 1));
    if (at(TokenKind::comma))
      fail(here(), "Several names of a `let` stand in brackets.").help("Write `let (a, b) = …`.");
    if (accept(TokenKind::colon)) let.type = type();
  }
  if (!at(TokenKind::equal)) {
    if (!failed_ && !at_on_line(TokenKind::equal) &&
        (current().first_on_line || at(TokenKind::r_brace) || at(TokenKind::semicolon) || at(TokenKind::end_of_file)))
      fail(since(first), "A `let` gives its name a value at once, and this one has none.")
          .help(
              "Write the value behind a `=`. To decide it later, use an `if` or a `match` as the "
              "value.");
    else if (assign_operator(kind()).is_assignment)
      fail(here(), "A `let` binds with a plain `=`.").help_edit("Write `=`.", here(), "=", Applies::exact);
    else
      fail_expected("the `=` before the value").help("Write `let name = value`.");
    return add_stmt(since(first), let);
  }
  take();
  if (at(TokenKind::kw_comptime) && !let.is_tuple && !is_mut && tree_.list(let.binds)[0].name.name.valid()) {
    // `let n = comptime e` is another spelling of `comptime n = e`.
    take();
    ast::ComptimeStmt constant{tree_.list(let.binds)[0].name, let.type, expr()};
    return add_stmt(since(first), constant);
  }
  let.value = expr();
  return add_stmt(since(first), let);
}

// "(" bind "," bind { "," bind } [ "," ] ")", a bind being `name`, `mut name` or `_`.
ast::List<ast::Bind> Parser::bind_tuple(std::string_view where, bool takes_mut, bool all_mut) {
  std::uint32_t first = at_;
  take();
  Gather<ast::Bind> binds(*this, bind_stack_);
  while (!at(TokenKind::r_paren) && !at(TokenKind::end_of_file)) {
    ast::Bind bind;
    bind.is_mut = all_mut;
    if (at(TokenKind::kw_mut)) {
      if (!takes_mut)
        fail(here(), "The names of " + std::string(where) + " take no `mut`.")
            .help(
                "To change the elements, go over their indices: `for i in 0..<xs.len() { xs[i] += "
                "1 }`.");
      take();
      bind.is_mut = true;
      if (at(TokenKind::underscore))
        fail(here(), "`_` takes no `mut`, because nothing is kept.").help("Write `_` alone.");
    }
    if (at(TokenKind::underscore)) {
      bind.is_mut = false;
      bind.name = ast::Ident{{}, span_of(take()), true};
    } else if (at(TokenKind::l_paren)) {
      fail(here(), "The names of " + std::string(where) + " form one flat tuple, and this is one inside another.")
          .help(
              "Give the inner tuple a name, and take it apart on a line of its own: `let (c, d) = "
              "inner`.");
    } else {
      bind.name = name_or_self("the name of a variable");
    }
    binds.add(bind);
    if (!accept(TokenKind::comma)) break;
  }
  expect(TokenKind::r_paren, "that ends the names");
  if (!failed_ && binds.size() < 2)
    fail(since(first), "A tuple has two parts or more.").help("Leave the brackets out.");
  return binds.finish();
}

ast::StmtId Parser::comptime_statement(std::uint32_t first) {
  take();
  if (at(TokenKind::kw_mut))
    fail(here(), "What is worked out while building never changes.").help("Leave the `mut` out, or write `let mut`.");
  ast::ComptimeStmt statement{};
  statement.name = name("the name of a constant");
  if (accept(TokenKind::colon)) statement.type = type();
  expect(TokenKind::equal, "before the value");
  statement.value = expr();
  return add_stmt(since(first), statement);
}

ast::BlockId Parser::loop_body(std::string_view role) {
  JumpScope inside = jumps_;
  inside.is_in_loop = true;
  Scoped<JumpScope> scope(jumps_, inside);
  return block(role);
}

ast::StmtId Parser::while_loop(std::uint32_t first) {
  take();
  ExprId cond = head();
  BlockId body = loop_body("that begins the body of the `while`");
  return add_stmt(since(first), ast::WhileStmt{cond, body});
}

// for ( name | "_" | names ) "in" head block
ast::StmtId Parser::for_loop(std::uint32_t first) {
  take();
  ast::ForStmt loop{};
  if (at(TokenKind::l_paren) && peek(1).kind == TokenKind::kw_let)
    fail(here(), "A `for` walks what it's given, and counts nothing itself.")
        .help("Write `for i in 0..<n { … }`, or a `while`.");
  if (at(TokenKind::l_paren)) {
    loop.is_tuple = true;
    loop.binds = bind_tuple("a `for`", false, false);
  } else {
    if (at(TokenKind::kw_mut))
      fail(here(), "The name of a `for` takes no `mut`.")
          .help(
              "To change the elements, go over their indices: `for i in 0..<xs.len() { xs[i] += 1 "
              "}`.");
    ast::Bind bind;
    if (at(TokenKind::underscore))
      bind.name = ast::Ident{{}, span_of(take()), true};
    else
      bind.name = name_or_self("the name of a loop's binding");
    loop.binds = tree_.add_list(std::span<const ast::Bind>(&bind, 1));
    if (at(TokenKind::comma))
      fail(here(), "Several names of a `for` stand in brackets.").help("Write `for (a, b) in …`.");
  }
  expect(TokenKind::kw_in, "of the `for`");
  loop.subject = head();
  loop.body = loop_body("that begins the body of the `for`");
  return add_stmt(since(first), loop);
}

// Whether a `{` stands before the next line begins. Remembered, so that a long line is looked at
// once.
bool Parser::brace_on_this_line() {
  std::uint32_t i = at_ < no_brace_until_ ? no_brace_until_ : at_ + 1;
  while (i < end_ && !tokens_[i].first_on_line && tokens_[i].kind != TokenKind::l_brace) ++i;
  if (i < end_ && !tokens_[i].first_on_line) return true;
  no_brace_until_ = i;
  return false;
}

// jump [ "if" head ]
ast::StmtId Parser::jump_statement(std::uint32_t first) {
  ExprId jumped = jump(true);
  if (!at_on_line(TokenKind::kw_if)) return add_stmt(since(first), ast::ExprStmt{jumped});
  take();
  ExprId cond = head();
  return add_stmt(since(first), ast::JumpIfStmt{jumped, cond});
}

ast::StmtId Parser::expression_statement(std::uint32_t first) {
  switch (kind()) {
    case TokenKind::kw_if:
      if (!current().first_on_line && first > 0 && tokens_[first - 1].kind != TokenKind::l_brace &&
          tokens_[first - 1].kind != TokenKind::r_brace && !brace_on_this_line()) {
        std::string cond_help = "Write `if … { … }` around the statement.";
        fail(here(), "Only `return`, `throw`, `break` and `continue` take their condition behind them.")
            .help(std::move(cond_help));
        return add_stmt(since(first), ast::ErrorStmt{});
      }
      [[fallthrough]];
    case TokenKind::kw_match:
    case TokenKind::kw_unsafe:
    case TokenKind::kw_overlap:
    case TokenKind::kw_select:
    case TokenKind::l_brace: {
      // A statement that begins so ends at its `}`, unless one of four tokens goes on with it.
      ExprId value = primary();
      switch (kind()) {
        case TokenKind::dot:
        case TokenKind::question_dot: value = finish_expr(postfix(value, first), first); break;
        case TokenKind::question_question:
        case TokenKind::kw_catch: value = finish_expr(value, first); break;
        default: break;
      }
      return add_stmt(since(first), ast::ExprStmt{value});
    }
    default: break;
  }
  ExprId value = expr();
  if (assign_operator(kind()).is_assignment) return assignment(first, value);
  return add_stmt(since(first), ast::ExprStmt{value});
}

// A name or `self`, and fields, parts and elements reached from it.
bool Parser::is_place(ExprId id) const {
  for (;;) {
    const auto& node = tree_.exprs[id].node;
    if (const auto* path = std::get_if<ast::PathExpr>(&node)) return path->path.segments.count == 1;
    if (std::holds_alternative<ast::SelfExpr>(node)) return true;
    if (const auto* member = std::get_if<ast::MemberExpr>(&node)) {
      if (member->is_safe) return false;
      id = member->object;
    } else if (const auto* part = std::get_if<ast::TuplePartExpr>(&node)) {
      if (part->is_safe) return false;
      id = part->object;
    } else if (const auto* index = std::get_if<ast::IndexExpr>(&node)) {
      id = index->object;
    } else {
      return false;
    }
  }
}

ast::StmtId Parser::assignment(std::uint32_t first, ExprId place) {
  Span op_span = here();
  ast::AssignOp op = assign_operator(kind()).op;
  if (!is_place(place)) {
    Builder error = fail(tree_.exprs[place].span, "You can't assign to this.");
    error.label(op_span, "the assignment");
    error.help("You assign to a name, or to a field or an element reached from one: `rows[2].total = 5`.");
    if (op == ast::AssignOp::set) error.help("To compare, write `==`.");
    return add_stmt(since(first), ast::ErrorStmt{});
  }
  take();
  ExprId value = expr();
  if (assign_operator(kind()).is_assignment)
    fail(here(), "An assignment has no value that another could take.").help("Write one assignment a line.");
  return add_stmt(since(first), ast::AssignStmt{place, op, value, op_span});
}

}  // namespace nikaia::lang::syntax
