// The parser's class, shared by the files that hold its themes: parser.cc (tokens, errors,
// recovery), parse_items.cc, parse_functions.cc, parse_grammar.cc, parse_statements.cc,
// parse_expressions.cc, parse_constructs.cc, parse_patterns.cc and parse_types.cc.
//
// **Failing.** `fail` reports, remembers where it happened and jumps to the end-of-file token. From
// there nothing can be consumed and every loop ends, so that a failed parser unwinds through
// ordinary code; further errors on the way are dropped. Whoever can go on (the list of statements,
// of members, of items) calls `recover…`, which jumps back and skips to where the next one begins.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/syntax/lexer.h"
#include "lang/syntax/parser.h"
#include "lang/syntax/syntax_errors.h"
#include "lang/syntax/token.h"
#include "lang/syntax/tree_builder.h"

namespace nikaia::lang::syntax {

// Sets a variable for a scope.
template <class T>
class Scoped {
 public:
  Scoped(T& variable, T value) : variable_(variable), before_(std::move(variable)) { variable = std::move(value); }
  ~Scoped() { variable_ = std::move(before_); }
  Scoped(const Scoped&) = delete;
  Scoped& operator=(const Scoped&) = delete;

 private:
  T& variable_;
  T before_;
};

// What a jump meets on its way out of the place being read.
struct JumpScope {
  bool is_in_loop = false;
  // Set inside a lambda, a task or a branch: what stands between here and what is outside, and
  // where it begins.
  std::string_view boundary;
  bool has_loop_outside = false;
  Span boundary_span;
  bool is_branch = false;  // of an `overlap`, or raced: no `return`
};

inline ast::TypeExpr type_of_kind(ast::TypeExprKind kind, Span span = {}) {
  ast::TypeExpr type;
  type.kind = kind;
  type.span = span;
  return type;
}

inline ast::Pattern pattern_of_kind(ast::PatternKind kind, Span span = {}) {
  ast::Pattern pattern;
  pattern.kind = kind;
  pattern.span = span;
  return pattern;
}

class Parser {
 public:
  Parser(FileId file, const SourceMap& sources, Interner& names, SyntaxErrors& errors, Tokens tokens);
  ast::Tree run();

 private:
  using ExprId = ast::ExprId;
  using StmtId = ast::StmtId;
  using BlockId = ast::BlockId;
  using PatternId = ast::PatternId;
  using TypeExprId = ast::TypeExprId;
  using ItemId = ast::ItemId;

  static constexpr std::uint32_t no_token = 0xffffffffu;

  // ---- tokens (parser.cc)
  const Token& current() const { return tokens_[at_]; }
  TokenKind kind() const { return tokens_[at_].kind; }
  const Token& peek(std::uint32_t n) const {
    std::uint32_t i = at_ + n;
    return tokens_[i < end_ ? i : end_];
  }
  bool at(TokenKind wanted) const { return tokens_[at_].kind == wanted; }
  bool at_on_line(TokenKind wanted) const { return at(wanted) && !current().first_on_line; }
  Span span_of(const Token& token) const { return Span{file_, token.begin, token.end}; }
  // The place being read; after a failure, where it happened.
  Span here() const { return span_of(tokens_[failed_ ? failed_at_ : at_]); }
  // From the begin of token `first` to the end of the last token consumed.
  Span since(std::uint32_t first) const {
    std::uint32_t begin = tokens_[first].begin;
    return Span{file_, begin, last_end_ > begin ? last_end_ : begin};
  }
  Span since(Span first) const { return Span{file_, first.begin, last_end_ > first.begin ? last_end_ : first.end}; }
  std::string_view text_of(const Token& token) const { return source_.substr(token.begin, token.end - token.begin); }
  std::string_view text_here() const { return text_of(tokens_[failed_ ? failed_at_ : at_]); }
  bool at_word(std::string_view contextual) const { return at(TokenKind::name) && text_here() == contextual; }
  const Token& take() {
    const Token& token = tokens_[at_];
    if (at_ < end_) {
      ++at_;
      last_end_ = token.end;
    }
    return token;
  }
  bool accept(TokenKind wanted) {
    if (!at(wanted)) return false;
    take();
    return true;
  }
  // Takes `wanted`, or fails saying that it was expected, for what.
  bool expect(TokenKind wanted, std::string_view purpose);

  // ---- errors and recovery (parser.cc)
  Builder fail(Span place, std::string message);
  // "Expected WHAT here, and found FOUND."
  Builder fail_expected(std::string_view what);
  // Fails without a word, where what is to be said was said.
  void fail_silently();
  // An error after which reading simply goes on.
  Builder complain(Span place, std::string message);
  std::string found_here() const;
  void find_partners();
  std::uint32_t skip_group(std::uint32_t token);
  // At the end of the file: whether the group opened at `opening` is to be reported as never
  // closed.
  bool misses_its_brace(std::uint32_t opening) const;
  void resume_at(std::uint32_t token);
  void recover_statement(std::uint32_t first);
  void recover_member(std::uint32_t first);
  void recover_item(std::uint32_t first);
  bool begins_item(std::uint32_t token) const;
  bool begins_member(std::uint32_t token) const;

  // Counts one level of brackets; false, having failed, where there are too many.
  class Nested {
   public:
    explicit Nested(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > deepest_nesting) parser_.fail_nesting();
    }
    ~Nested() { --parser_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    Parser& parser_;
  };
  void fail_nesting();

  // ---- nodes and names (parser.cc)
  template <class Node>
  ExprId add(Span span, Node node) {
    ExprId id = builder_.add_expr(span, std::move(node));
    if (builder_.height(id) > TreeBuilder::highest_tree) fail_height(span);
    return id;
  }
  void fail_height(Span span);
  template <class Node>
  StmtId add_stmt(Span span, Node node) {
    return builder_.add_stmt(span, std::move(node));
  }
  ExprId error_expr() { return builder_.add_expr(here(), ast::ErrorExpr{}); }
  Name intern(std::string_view text);
  ast::Ident ident_of(const Token& token) { return ast::Ident{intern(text_of(token)), span_of(token), false}; }
  // A name in a declaring or referring position; a reserved word there is refused by name. `what`
  // is "the name of a field".
  ast::Ident name(std::string_view what);
  // The same, where `self` is a mistake that names reports (NK1119).
  ast::Ident name_or_self(std::string_view what);
  ast::Path path(std::string_view what);
  ast::TextId text_literal(const Token& token);

  // Lists under construction: nested lists use one stack, and each copies its part to the tree at
  // its end.
  template <class T>
  class Gather {
   public:
    Gather(Parser& parser, std::vector<T>& stack) : parser_(parser), stack_(stack), begin_(stack.size()) {}
    ~Gather() { stack_.resize(begin_, T{}); }
    Gather(const Gather&) = delete;
    Gather& operator=(const Gather&) = delete;
    void add(T element) { stack_.push_back(std::move(element)); }
    std::size_t size() const { return stack_.size() - begin_; }
    bool empty() const { return size() == 0; }
    const T& operator[](std::size_t i) const { return stack_[begin_ + i]; }
    ast::List<T> finish() {
      return parser_.tree_.add_list(std::span<const T>(stack_.data() + begin_, stack_.size() - begin_));
    }

   private:
    Parser& parser_;
    std::vector<T>& stack_;
    std::size_t begin_;
  };

  // ---- items (parse_items.cc)
  enum class FnPlace : std::uint8_t { item, trait, own_impl, trait_impl, test };
  void items();
  ItemId item();
  ItemId use_item(ast::Item item, std::uint32_t first);
  void use_help();
  ItemId fn_item(ast::Item item, std::uint32_t first, bool is_extern_c);
  ItemId struct_item(ast::Item item, std::uint32_t first, bool is_extern_c);
  ItemId enum_item(ast::Item item, std::uint32_t first);
  ItemId trait_item(ast::Item item, std::uint32_t first);
  ItemId impl_item(ast::Item item, std::uint32_t first);
  ItemId comptime_item(ast::Item item, std::uint32_t first);
  ItemId let_as_comptime_item(ast::Item item, std::uint32_t first);
  ItemId extern_item(ast::Item item, std::uint32_t first);
  ItemId grammar_item(ast::Item item, std::uint32_t first);
  ItemId test_item(ast::Item item, std::uint32_t first, bool is_bench);
  ItemId misplaced_item(ast::Item item, std::uint32_t first);
  Span opaque_braces(std::string_view what);
  bool extern_c_string();
  ast::Doc doc_before(std::uint32_t token);
  ast::List<ast::FieldDecl> fields(std::string_view what, bool can_be_pub);
  ast::VariantDecl variant();
  ast::List<ItemId> members(FnPlace place, std::string_view what);
  ast::List<ast::HeadArg> head_arguments();
  BlockId fn_body();

  // ---- heads of functions (parse_functions.cc)
  // How far a parameter list was read.
  struct Zones {
    bool has_subject = false;
    bool is_in_options = false;
    std::uint32_t last_comma = no_token;
  };
  void signature(ast::FnItem& fn, FnPlace place);
  void parameters(ast::FnItem& fn, FnPlace place);
  void begin_option_parameters(Zones& zones, bool has_no_options);
  void parameter(Gather<ast::Param>& params, Gather<ast::OptionParam>& options, Zones& zones);
  bool receiver(ast::FnItem& fn, FnPlace place);
  ExprId option_default(Span option);
  void spread(ast::FnItem& fn, const Zones& zones);
  void effects(ast::FnItem& fn);
  ast::List<ast::TypeParam> generics(std::string_view what, bool are_allowed = true);
  ast::List<ast::Path> bounds();

  // ---- the code in grammars (parse_grammar.cc)
  void check_grammar(std::uint32_t first, std::uint32_t last);
  bool ends_alternative(std::uint32_t token, std::uint32_t last) const;
  std::uint32_t end_of_lambda(std::uint32_t token);
  void read_code(Parser& reader, std::uint32_t first, std::uint32_t last, bool is_lambda) const;

  // ---- statements (parse_statements.cc)
  BlockId block(std::string_view purpose);
  StmtId statement();
  StmtId let(std::uint32_t first);
  StmtId comptime_statement(std::uint32_t first);
  StmtId while_loop(std::uint32_t first);
  StmtId for_loop(std::uint32_t first);
  StmtId jump_statement(std::uint32_t first);
  StmtId expression_statement(std::uint32_t first);
  StmtId assignment(std::uint32_t first, ExprId place);
  bool is_place(ExprId id) const;
  void item_in_block(std::uint32_t opening);
  void refuse_after_jump(StmtId jump, StmtId next);
  // `(a, mut b)` of a `let`, a `for` or a `select`; `all_mut` is `let mut (…)`.
  ast::List<ast::Bind> bind_tuple(std::string_view where, bool takes_mut, bool all_mut);
  bool brace_on_this_line();
  BlockId loop_body(std::string_view purpose);

  // ---- expressions (parse_expressions.cc)
  ExprId expr();
  ExprId head();
  ExprId expr_in_brackets();
  ExprId finish_expr(ExprId left, std::uint32_t first);
  ExprId range(ExprId left, std::uint32_t first);
  ExprId coalesce(ExprId left, std::uint32_t first);
  ExprId fallback(Span op);
  ExprId infix(ExprId left, std::uint32_t first, int loosest);
  ExprId casts(ExprId operand, std::uint32_t first);
  ExprId prefix();
  ExprId postfix(ExprId operand, std::uint32_t first);
  ExprId primary();
  ExprId jump(bool takes_guard);
  void check_loop(const Token& word);
  JumpScope behind(std::string_view boundary, Span begin, bool is_branch) const;
  ExprId member_access(ExprId object, std::uint32_t first);
  ExprId call(ExprId callee, std::uint32_t first);
  ExprId trailing_call(ExprId callee, std::uint32_t first);
  void arguments(ast::CallExpr& call);
  void begin_options(Zones& zones, bool has_no_options);
  ast::OptionArg option_argument(const Zones& zones);
  ExprId positional_argument(const Zones& zones, bool has_no_options);
  ExprId with_fields(ExprId operand, std::uint32_t first);
  ast::List<ast::FieldInit> field_inits(std::string_view what);
  ExprId path_or_struct();
  ExprId struct_literal(ast::Path path, std::uint32_t first);
  ExprId paren_or_tuple();
  ExprId list();
  ExprId if_expr();
  ExprId match_expr();
  ast::Arm arm();
  ExprId arm_body();
  ExprId lambda(std::string_view boundary);
  ExprId spawn();
  ExprId overlap();
  ExprId select();
  ast::SelectArm select_arm();
  ExprId ftext();
  ExprId dsl();
  ExprId character();
  void check_compared(ExprId operand, Span comparison);
  std::string brackets_around(ExprId id) const;
  bool begins_expr(TokenKind kind) const;
  bool can_take_lambda(ExprId id) const;
  void refuse_in_head(std::string_view construct);

  // ---- patterns (parse_patterns.cc)
  PatternId pattern();
  PatternId single_pattern();
  PatternId constant_pattern();
  PatternId path_pattern();
  PatternId tuple_pattern();
  PatternId shape_pattern(ast::Pattern pattern, std::uint32_t first);
  ExprId pattern_constant();
  PatternId add_pattern(ast::Pattern pattern) { return tree_.patterns.add(std::move(pattern)); }

  // ---- types (parse_types.cc)
  TypeExprId type();
  TypeExprId type_without_ref(std::uint32_t first);
  TypeExprId function_type();
  TypeExprId paren_type();
  TypeExprId nullable(TypeExprId inner, std::uint32_t first, std::string_view refused);
  TypeExprId add_type(ast::TypeExpr type) { return tree_.types.add(std::move(type)); }
  ast::List<TypeExprId> type_arguments();

  FileId file_;
  const SourceMap& sources_;
  std::string_view source_;
  Interner& names_;
  SyntaxErrors& errors_;
  std::vector<Token> tokens_;
  std::vector<DocLine> docs_;
  ast::Tree tree_;
  TreeBuilder builder_{tree_};

  std::uint32_t at_ = 0;
  std::uint32_t end_ = 0;  // of the end-of-file token
  std::uint32_t last_end_ = 0;
  int depth_ = 0;
  bool failed_ = false;
  std::uint32_t failed_at_ = 0;
  Diagnostic unused_;                    // what errors on the way out of a failure are written to
  bool leaves_block_ = false;            // an item stands where a statement should: the blocks around are given up
  bool missed_a_brace_ = false;          // said once that a `}` is missing
  std::vector<std::uint32_t> partners_;  // of bracket tokens; made when first asked for
  bool has_lone_brace_ = false;          // some `{` has no `}`

  bool is_head_ = false;
  bool is_cast_ = false;  // reading the type of an `as`, behind which a `<` compares
  JumpScope jumps_;
  std::uint32_t no_brace_until_ = 0;  // tokens before this one on the current line hold no `{`

  std::vector<std::pair<std::string_view, Name>> recent_names_;  // a small cache in front of the interner

  std::vector<ast::Ident> ident_stack_;
  std::vector<ExprId> expr_stack_;
  std::vector<StmtId> stmt_stack_;
  std::vector<PatternId> pattern_stack_;
  std::vector<TypeExprId> type_stack_;
  std::vector<ItemId> item_stack_;
  std::vector<ast::FieldPattern> field_pattern_stack_;
  std::vector<ast::Bind> bind_stack_;
  std::vector<ast::FPiece> piece_stack_;
  std::vector<ast::FieldInit> field_init_stack_;
  std::vector<ast::OptionArg> option_stack_;
  std::vector<ast::Arm> arm_stack_;
  std::vector<ast::SelectArm> select_arm_stack_;
  std::vector<ast::TypeParam> type_param_stack_;
  std::vector<ast::Path> path_stack_;
  std::vector<ast::Param> param_stack_;
  std::vector<ast::OptionParam> option_param_stack_;
  std::vector<ast::FieldDecl> field_decl_stack_;
  std::vector<ast::VariantDecl> variant_stack_;
  std::vector<ast::HeadArg> head_arg_stack_;
  struct IfLink {
    Span begin;
    ExprId cond;
    BlockId body;
  };
  std::vector<IfLink> if_links_;
};

}  // namespace nikaia::lang::syntax
