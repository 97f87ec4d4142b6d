// Expressions: operators, postfixes and their special cases. Primaries that begin with a word of
// their own (`if`, `match`, lambdas, branches, literals with holes) are in parse_constructs.cc.
//
//   expr      range [ "catch" block ]
//   range     coalesce [ ".." coalesce ]
//   coalesce  infix, or prefix { "??" fallback }
//   infix     by the levels of operators.def, over casts
//   cast      prefix { "as" type }
//   prefix    { "-" | "!" | "ref" | "comptime" } ( jump | primary { postfix } )
#include <array>

#include "lang/syntax/operators.h"
#include "lang/syntax/parser_impl.h"

namespace nikaia::lang::syntax {
namespace {

constexpr auto beginners = [] {
  std::array<bool, 256> table{};
  for (TokenKind kind : {TokenKind::name,        TokenKind::integer,    TokenKind::float_number, TokenKind::text,
                         TokenKind::character,   TokenKind::ftext_open, TokenKind::l_paren,      TokenKind::l_bracket,
                         TokenKind::l_brace,     TokenKind::minus,      TokenKind::bang,         TokenKind::kw_ref,
                         TokenKind::kw_comptime, TokenKind::kw_return,  TokenKind::kw_throw,     TokenKind::kw_break,
                         TokenKind::kw_continue, TokenKind::kw_self,    TokenKind::kw_true,      TokenKind::kw_false,
                         TokenKind::kw_null,     TokenKind::kw_if,      TokenKind::kw_match,     TokenKind::kw_fn,
                         TokenKind::kw_spawn,    TokenKind::kw_unsafe,  TokenKind::kw_overlap,   TokenKind::kw_select,
                         TokenKind::kw_dsl})
    table[static_cast<std::size_t>(kind)] = true;
  return table;
}();

bool is_jump(TokenKind kind) {
  return kind == TokenKind::kw_return || kind == TokenKind::kw_throw || kind == TokenKind::kw_break ||
         kind == TokenKind::kw_continue;
}

}  // namespace

bool Parser::begins_expr(TokenKind kind) const {
  return beginners[static_cast<std::size_t>(kind)];
}

ast::ExprId Parser::expr() {
  Nested nested(*this);
  std::uint32_t first = at_;
  return finish_expr(prefix(), first);
}

// The condition of an `if`, the subject of a `match`: the first `{` behind it opens the body.
ast::ExprId Parser::head() {
  Scoped<bool> scope(is_head_, true);
  return expr();
}

ast::ExprId Parser::expr_in_brackets() {
  Scoped<bool> scope(is_head_, false);
  return expr();
}

// Everything that can follow the operand `left`, loosest last.
ast::ExprId Parser::finish_expr(ExprId left, std::uint32_t first) {
  left = infix(casts(left, first), first, loosest_level);
  if (at(TokenKind::question_question)) left = coalesce(left, first);
  if (at(TokenKind::dot_dot) || at(TokenKind::dot_dot_less) || at(TokenKind::dot_dot_equal)) left = range(left, first);
  if (!at(TokenKind::kw_catch)) return left;

  if (is_head_) {
    refuse_in_head("a `catch`");
    return left;
  }
  take();
  if (at(TokenKind::l_paren))
    fail(here(), "A `catch` takes no name for its error.")
        .help("Write `catch { … }`; the error is called `error` in it.");
  BlockId handler = block("that begins the handler of the `catch`");
  left = add(since(first), ast::CatchExpr{left, handler});
  if (at(TokenKind::kw_catch))
    fail(here(), "A `catch` doesn't follow another.")
        .help("Put a `catch` into the handler where the handler itself can fail.");
  else if (infix_operator(kind()).level != not_infix || at(TokenKind::question_question) || at(TokenKind::dot) ||
           at(TokenKind::question_dot) || at(TokenKind::kw_as))
    fail(here(), "An expression ends at the `}` of its `catch`, and here it goes on.")
        .help("Put brackets around the part that the `catch` guards: `(… catch { … })`.");
  return left;
}

ast::ExprId Parser::range(ExprId left, std::uint32_t first) {
  const Token& dots = take();
  if (dots.kind == TokenKind::dot_dot_equal) {
    fail(span_of(dots), "A range that includes its end is written `..`.")
        .help_edit("Leave the `=` out: `a..b` goes from `a` to `b`, `b` included.", span_of(dots), "..",
                   Applies::exact);
    return left;
  }
  if (!begins_expr(kind()) || (is_head_ && at(TokenKind::l_brace))) {
    fail_expected("the end of the range")
        .note("A range has both its ends; `a..b` includes `b`, and `a..<b` ends before it.")
        .help("Write the end; of a list's indices it is `xs.len()`, as in `xs[2..<xs.len()]`.");
    return left;
  }
  std::uint32_t second = at_;
  ExprId high = infix(casts(prefix(), second), second, loosest_level);
  if (at(TokenKind::question_question)) high = coalesce(high, second);
  left = add(since(first), ast::RangeExpr{left, high, dots.kind == TokenKind::dot_dot});
  if (at(TokenKind::dot_dot) || at(TokenKind::dot_dot_less) || at(TokenKind::dot_dot_equal))
    fail(here(), "A range has two ends, and this one goes on.").help("Write one range; a step is `(a..b).step_by(n)`.");
  return left;
}

// left "??" fallback { "??" fallback }, with no operator beside it.
ast::ExprId Parser::coalesce(ExprId left, std::uint32_t first) {
  const auto& node = tree_.exprs[left].node;
  if (std::holds_alternative<ast::BinaryExpr>(node) || std::holds_alternative<ast::CastExpr>(node)) {
    fail(here(), "An operator and a `??` stand side by side without brackets.")
        .label(tree_.exprs[left].span, "this is not one value")
        .help("Put brackets around what belongs together: `(a + b) ?? c` or `a + (b ?? c)`.");
    return left;
  }
  while (at(TokenKind::question_question)) {
    Span op = here();
    take();
    ExprId right = fallback(op);
    left = add(since(first), ast::CoalesceExpr{left, right, op});
  }
  if (infix_operator(kind()).level != not_infix || at(TokenKind::kw_as))
    fail(here(), "An operator and a `??` stand side by side without brackets.")
        .help("Put brackets around what belongs together, as in `(a ?? b) " + std::string(text_here()) + " …`.");
  return left;
}

// `op` is the `??`: one with nothing behind it is the place of the error.
ast::ExprId Parser::fallback(Span op) {
  std::uint32_t first = at_;
  switch (kind()) {
    case TokenKind::minus: {
      TokenKind next = peek(1).kind;
      if (next != TokenKind::integer && next != TokenKind::float_number) break;
      take();
      ExprId number = primary();
      return add(since(first), ast::UnaryExpr{ast::UnaryOp::negate, number});
    }
    case TokenKind::bang:
    case TokenKind::kw_ref:
    case TokenKind::kw_comptime:
    case TokenKind::l_brace:
    case TokenKind::kw_if:
    case TokenKind::kw_match:
    case TokenKind::kw_fn:
    case TokenKind::kw_spawn:
    case TokenKind::kw_unsafe:
    case TokenKind::kw_overlap:
    case TokenKind::kw_select:
    case TokenKind::kw_dsl: break;
    default:
      if (is_jump(kind())) return jump(false);
      if (!begins_expr(kind())) {
        fail(op, "Nothing stands behind this `??`.")
            .help("Write a value: `a ?? 0`.")
            .help("Or leave: `a ?? return`, `a ?? throw …`.")
            .help("Or stop where it can't be missing: `a ?? panic(\"…\")`.");
        return error_expr();
      }
      return postfix(primary(), first);
  }
  if (is_head_ && at(TokenKind::l_brace)) {
    fail(op, "Nothing stands behind this `??`.").help("Write a value: `a ?? 0`.");
    return error_expr();
  }
  fail(here(), "What begins with " + std::string(described(kind())) + " needs brackets behind a `??`.")
      .help("Put it into brackets: `a ?? (…)`.");
  return error_expr();
}

// Precedence climbing: takes operators of level `loosest` and tighter.
ast::ExprId Parser::infix(ExprId left, std::uint32_t first, int loosest) {
  for (;;) {
    InfixOperator op = infix_operator(kind());
    if (op.level < loosest) return left;  // a token that is no operator has a level below all
    Span place = here();
    take();
    std::uint32_t second = at_;
    ExprId right = casts(prefix(), second);
    if (infix_operator(kind()).level > op.level) right = infix(right, second, op.level + 1);
    if (op.level == comparison_level) {
      check_compared(left, place);
      check_compared(right, place);
    }
    left = add(since(first), ast::BinaryExpr{op.op, left, right, place});
    if (op.level == comparison_level && infix_operator(kind()).level == comparison_level) {
      fail(here(), "Comparisons don't chain.")
          .label(place, "the first comparison")
          .help("Compare each pair, and join the answers: `a < b && b < c`.");
      return left;
    }
  }
}

std::string Parser::brackets_around(ExprId id) const {
  std::string_view text = sources_.text(tree_.exprs[id].span);
  static constexpr std::size_t longest_shown = 60;
  bool is_short = text.size() <= longest_shown && text.find('\n') == std::string_view::npos;
  return is_short ? "(" + std::string(text) + ")" : "(…)";
}

// NK1197: a bit operator bare beside a comparison.
void Parser::check_compared(ExprId operand, Span comparison) {
  const auto* binary = std::get_if<ast::BinaryExpr>(&tree_.exprs[operand].node);
  if (binary == nullptr || !is_bit_operator(binary->op)) return;
  Span whole = tree_.exprs[operand].span;
  errors_.finding(Code::NK1197, binary->op_span, spelling(binary->op), sources_.text(comparison))
      .label(comparison, "compares with this")
      .help_edits("Put brackets where you mean them: `" + brackets_around(operand) + "`.",
                  {Edit{whole.start(), "("}, Edit{whole.finish(), ")"}}, Applies::exact);
}

ast::ExprId Parser::casts(ExprId operand, std::uint32_t first) {
  while (at(TokenKind::kw_as)) {
    take();
    Scoped<bool> scope(is_cast_, true);
    TypeExprId to = type();
    operand = add(since(first), ast::CastExpr{operand, to});
  }
  return operand;
}

ast::ExprId Parser::prefix() {
  std::uint32_t first = at_;
  switch (kind()) {
    case TokenKind::minus:
    case TokenKind::bang: {
      Nested nested(*this);
      ast::UnaryOp op = at(TokenKind::minus) ? ast::UnaryOp::negate : ast::UnaryOp::not_;
      take();
      ExprId operand = prefix();
      return add(since(first), ast::UnaryExpr{op, operand});
    }
    case TokenKind::kw_ref: {
      Nested nested(*this);
      take();
      if (accept(TokenKind::kw_mut))
        errors_.finding(Code::NK1158, since(first)).help("Leave both words out: a call lends its arguments by itself.");
      ExprId operand = prefix();
      return add(since(first), ast::RefExpr{operand});
    }
    case TokenKind::kw_comptime: {
      Nested nested(*this);
      complain(here(), "`comptime` declares a value, and here one is used.")
          .help("Bind the value on a line before: `comptime limit = …`.");
      take();
      ExprId operand = prefix();
      return add(since(first), ast::ComptimeExpr{operand});
    }
    default:
      if (is_jump(kind())) {
        Nested nested(*this);
        return jump(false);
      }
      return postfix(primary(), first);
  }
}

// NK1132: a `break` or `continue` that meets no loop before it meets a boundary.
void Parser::check_loop(const Token& word) {
  if (jumps_.is_in_loop) return;
  std::string_view spelled = spelling(word.kind);
  if (jumps_.boundary.empty() || !jumps_.has_loop_outside) {
    errors_.finding(Code::NK1132, span_of(word), spelled);
    return;
  }
  Builder error = errors_.finding(Wording::NK1132_boundary, span_of(word), spelled, jumps_.boundary);
  error.label(jumps_.boundary_span, std::string(jumps_.boundary) + " begins here");
  if (jumps_.is_branch)
    error.help("Let the branch hand back a `bool`, and `" + std::string(spelled) +
               "` after the block where it says so.");
}

// What a jump meets inside a lambda, a task or a branch that stands where this is called.
JumpScope Parser::behind(std::string_view boundary, Span begin, bool is_branch) const {
  JumpScope scope;
  scope.boundary = boundary;
  scope.boundary_span = begin;
  scope.has_loop_outside = jumps_.is_in_loop || jumps_.has_loop_outside;
  scope.is_branch = is_branch;
  return scope;
}

// `takes_guard`: the jump begins a statement, so an `if` on its line without a `{` is its
// condition.
ast::ExprId Parser::jump(bool takes_guard) {
  std::uint32_t first = at_;
  const Token& word = take();
  bool has_value = !current().first_on_line && begins_expr(kind()) && !(is_head_ && at(TokenKind::l_brace)) &&
                   !(takes_guard && at(TokenKind::kw_if) && !brace_on_this_line());
  switch (word.kind) {
    case TokenKind::kw_return: {
      if (jumps_.is_branch)
        errors_.finding(Code::NK2945, span_of(word))
            .label(jumps_.boundary_span, std::string(jumps_.boundary) + " begins here");
      ExprId value;
      if (has_value) value = expr();
      return add(since(first), ast::ReturnExpr{value});
    }
    case TokenKind::kw_throw: {
      if (!has_value) {
        fail(span_of(word), "A `throw` needs the error it throws.")
            .help("Write it on the same line: `throw PortError::Full`.");
        return error_expr();
      }
      ExprId value = expr();
      return add(since(first), ast::ThrowExpr{value});
    }
    case TokenKind::kw_break: check_loop(word); return add(since(first), ast::BreakExpr{});
    default: check_loop(word); return add(since(first), ast::ContinueExpr{});
  }
}

// ---- postfixes

ast::ExprId Parser::postfix(ExprId operand, std::uint32_t first) {
  for (;;) {
    switch (kind()) {
      case TokenKind::dot:
      case TokenKind::question_dot: operand = member_access(operand, first); break;
      case TokenKind::l_paren:
        if (current().first_on_line) return operand;
        operand = call(operand, first);
        break;
      case TokenKind::l_bracket: {
        if (current().first_on_line) return operand;
        take();
        if (at(TokenKind::r_bracket))
          fail(here(), "An index is missing.").help("Write it between the brackets: `xs[0]`.");
        ExprId index = expr_in_brackets();
        if (at(TokenKind::comma))
          fail(here(), "An index is one value, and a type's arguments aren't written in an expression.")
              .help("Write them where the type is declared: `let m: HashMap[K, V] = HashMap()`.");
        expect(TokenKind::r_bracket, "that ends the index");
        operand = add(since(first), ast::IndexExpr{operand, index});
        break;
      }
      case TokenKind::kw_fn:
        if (current().first_on_line || !can_take_lambda(operand)) return operand;
        operand = trailing_call(operand, first);
        break;
      case TokenKind::kw_with:
        if (is_head_) {
          refuse_in_head("a `with`");
          return operand;
        }
        operand = with_fields(operand, first);
        break;
      default: return operand;
    }
  }
}

bool Parser::can_take_lambda(ExprId id) const {
  const auto& node = tree_.exprs[id].node;
  return std::holds_alternative<ast::PathExpr>(node) || std::holds_alternative<ast::MemberExpr>(node) ||
         std::holds_alternative<ast::TuplePartExpr>(node);
}

ast::ExprId Parser::member_access(ExprId object, std::uint32_t first) {
  bool is_safe = take().kind == TokenKind::question_dot;
  if (at(TokenKind::name)) {
    ast::Ident member = ident_of(take());
    return add(since(first), ast::MemberExpr{object, member, is_safe});
  }
  if (at(TokenKind::integer)) {
    const Token& token = take();
    std::uint32_t index = 0;
    for (char c : text_of(token)) {
      static constexpr std::uint32_t far_too_many = 1000000;
      index = index * 10 + static_cast<std::uint32_t>(c - '0');
      if (index > far_too_many) {
        fail(span_of(token), "No tuple has a part of that number.").help("The first part is `.0`.");
        return object;
      }
    }
    return add(since(first), ast::TuplePartExpr{object, index, span_of(token), is_safe});
  }
  fail_expected("the name of a member").help("Write a field, a method, or a tuple's part such as `.0`.");
  return object;
}

ast::ExprId Parser::call(ExprId callee, std::uint32_t first) {
  take();
  ast::CallExpr call{};
  call.callee = callee;
  call.has_parens = true;
  arguments(call);
  return add(since(first), call);
}

// From behind the `(` to behind the call's end, a trailing lambda included.
void Parser::arguments(ast::CallExpr& call) {
  Gather<ExprId> positional(*this, expr_stack_);
  Gather<ast::OptionArg> options(*this, option_stack_);
  {
    Scoped<bool> scope(is_head_, false);
    Zones zones;
    while (!at(TokenKind::r_paren) && !at(TokenKind::end_of_file)) {
      zones.has_subject = !positional.empty();
      if (at(TokenKind::semicolon)) {
        begin_options(zones, options.empty());
        continue;
      }
      if (peek(1).kind == TokenKind::colon && (at(TokenKind::name) || is_word(kind())))
        options.add(option_argument(zones));
      else
        positional.add(positional_argument(zones, options.empty()));
      if (at(TokenKind::comma)) {
        zones.last_comma = at_;
        take();
      } else if (!at(TokenKind::semicolon)) {
        break;
      }
    }
    if (!failed_ && !at(TokenKind::r_paren))
      fail_expected("a `,` or the `)` that ends the arguments").help("Write a `,` between two arguments.");
    take();
  }
  if (at_on_line(TokenKind::kw_fn)) {
    call.has_trailing_lambda = true;
    positional.add(lambda("a lambda"));
  }
  call.positional = positional.finish();
  call.options = options.finish();
}

void Parser::begin_options(Zones& zones, bool has_no_options) {
  if (zones.is_in_options)
    fail(here(), "Arguments have one `;`, between the positions and the options.").help("Write a `,` here.");
  else if (!zones.has_subject && has_no_options)
    fail(here(), "There is nothing before this `;` to separate.")
        .help_edit("Leave it out: a call with options alone is `f(name: value)`.", here(), "", Applies::exact);
  else if (!zones.has_subject)
    fail(here(), "What is passed by position comes before the options.")
        .help("Write it first: `f(value; name: value)`.");
  take();
  zones.is_in_options = true;
  if (at(TokenKind::r_paren))
    fail(here(), "Behind the `;` of a call come options, and there is none.").help("Leave the `;` out.");
}

ast::OptionArg Parser::option_argument(const Zones& zones) {
  if (!zones.is_in_options && zones.has_subject) {
    Builder error = fail(here(), "Options come behind a `;`, and this one behind a `,`.");
    error.primary_label("an option");
    if (zones.last_comma != no_token)
      error.help_edit("Write a `;` before the first option.", span_of(tokens_[zones.last_comma]), ";", Applies::exact);
    else
      error.help("Write a `;` before the first option.");
  }
  ast::OptionArg option;
  option.name = name("the name of an option");
  take();
  option.value = expr();
  return option;
}

ast::ExprId Parser::positional_argument(const Zones& zones, bool has_no_options) {
  if (zones.is_in_options)
    fail(here(), "Behind the `;` every argument is named.")
        .help("Write the option's name before it, `name: value`, or move it before the `;`.");
  else if (!has_no_options)
    fail(here(), "What is passed by position comes before the options.")
        .help("Write it first: `f(value; name: value)`.");
  return expr();
}

// `xs.map fn(x) { … }`
ast::ExprId Parser::trailing_call(ExprId callee, std::uint32_t first) {
  ExprId block = lambda("a lambda");
  ast::CallExpr call{};
  call.callee = callee;
  call.positional = tree_.add_list(std::span<const ExprId>(&block, 1));
  call.has_trailing_lambda = true;
  return add(since(first), call);
}

ast::ExprId Parser::with_fields(ExprId operand, std::uint32_t first) {
  std::uint32_t word = at_;
  take();
  if (!at_on_line(TokenKind::l_brace)) {
    fail_expected("the `{` of the changed fields, on the line of the `with`")
        .help("Write it like `p with { label: name }`.");
    find_partners();
    if (failed_at_ == word + 1) failed_at_ = skip_group(failed_at_);
    return operand;
  }
  ast::List<ast::FieldInit> fields = field_inits("that ends the fields of the `with`");
  if (fields.empty() && !failed_) errors_.finding(Code::NK1174, since(word));
  return add(since(first), ast::WithExpr{operand, fields});
}

// "{" [ field { "," field } [ "," ] ] "}", a field being `name` or `name: value`.
ast::List<ast::FieldInit> Parser::field_inits(std::string_view role) {
  Scoped<bool> scope(is_head_, false);
  take();
  Gather<ast::FieldInit> fields(*this, field_init_stack_);
  while (!at(TokenKind::r_brace) && !at(TokenKind::end_of_file)) {
    ast::FieldInit field;
    field.field = name("the name of a field");
    if (accept(TokenKind::colon)) {
      field.value = expr();
    } else if (at(TokenKind::equal)) {
      fail(here(), "A field's value follows a `:`.").help_edit("Write `name: value`.", here(), ":", Applies::sketch);
    }
    fields.add(field);
    if (!accept(TokenKind::comma)) break;
  }
  if (!failed_ && !at(TokenKind::r_brace))
    fail_expected("a `,` or the `}` " + std::string(role)).help("Write a `,` between two fields.");
  take();
  return fields.finish();
}

}  // namespace nikaia::lang::syntax
