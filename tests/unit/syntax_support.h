// For the tests of lang/syntax: parsing a text, and the structure of a tree as a text without
// places.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/diag/diagnostic.h"
#include "lang/syntax/ast.h"
#include "lang/syntax/operators.h"
#include "lang/syntax/parser.h"
#include "lang/syntax/printer.h"
#include "lang/text/names.h"
#include "lang/text/source.h"

namespace nikaia::lang::testing {

struct Parsed {
  SourceMap sources;
  Interner names;
  ast::Tree tree;
  std::vector<Diagnostic> messages;

  bool is_clean() const { return messages.empty() && !tree.has_syntax_error; }
  std::string printed() const { return syntax::print(tree, sources, names); }
  std::uint32_t line(const Diagnostic& message) const {
    return sources.line_of(message.primary.span.file, message.primary.span.begin);
  }
};

inline Parsed parse_text(std::string text) {
  Parsed parsed;
  FileId file = parsed.sources.add("test.nika", std::move(text));
  Sink sink;
  parsed.tree = syntax::parse(file, parsed.sources, parsed.names, sink);
  parsed.messages = sink.take_sorted(parsed.sources);
  return parsed;
}

// The tree as nested lists, `(binary + (int 1) (path a))`. Two trees have one structure where these
// texts are equal.
class Structure {
 public:
  explicit Structure(const Parsed& parsed) : tree_(parsed.tree), names_(parsed.names), sources_(parsed.sources) {}

  std::string file() {
    for (ast::ItemId id : tree_.roots) item(id);
    return std::move(out_);
  }
  // The statements of the first item, a function.
  std::string first_body() {
    const auto& fn = std::get<ast::FnItem>(tree_.items[tree_.roots.at(0)].node);
    for (ast::StmtId id : tree_.list(tree_.blocks[fn.body].statements)) stmt(id);
    return std::move(out_);
  }

 private:
  void space() {
    if (!out_.empty() && out_.back() != '(' && out_.back() != '[') out_ += ' ';
  }
  void word(std::string_view text) {
    space();
    out_ += text;
  }
  template <class... Parts>
  void group(std::string_view head, Parts&&... parts) {
    space();
    out_ += '(';
    out_ += head;
    (part(parts), ...);
    out_ += ')';
  }
  void part(std::string_view text) { word(text); }
  void part(const char* text) { word(text); }
  void part(const std::string& text) { word(text); }
  void part(bool value) { word(value ? "yes" : "no"); }
  void part(const ast::Ident& ident) {
    word(ident.is_ignored ? "_" : ident.name.valid() ? names_.text(ident.name) : "-");
  }
  void part(const ast::Path& path) {
    std::string text;
    for (const ast::Ident& ident : tree_.list(path.segments)) {
      if (!text.empty()) text += "::";
      text += names_.text(ident.name);
    }
    word(text);
  }
  void part(ast::ExprId id) { id.valid() ? expr(id) : word("-"); }
  void part(ast::BlockId id) { id.valid() ? block(id) : word("-"); }
  void part(ast::TypeExprId id) { id.valid() ? type(id) : word("-"); }
  void part(ast::PatternId id) { id.valid() ? pattern(id) : word("-"); }
  void part(ast::StmtId id) { stmt(id); }
  void part(ast::ItemId id) { item(id); }
  void part(ast::TextId id) { word(id.valid() ? '"' + tree_.texts[id] + '"' : "-"); }
  void part(ast::Doc doc) {
    if (doc.text.valid()) group("doc", doc.text);
  }
  void part(const ast::Bind& bind) { bind.is_mut ? group("mut", bind.name) : part(bind.name); }
  void part(const ast::FieldInit& field) { group("field", field.field, field.value); }
  void part(const ast::OptionArg& option) { group("option", option.name, option.value); }
  void part(const ast::Arm& arm) { group("arm", arm.pattern, arm.guard, arm.body); }
  void part(const ast::SelectArm& arm) { group("arm", arm.is_tuple, arm.binds, arm.raced, arm.body); }
  void part(const ast::FieldPattern& field) { group("field", field.field, field.pattern); }
  void part(const ast::TypeParam& param) { group("param", param.name, param.bounds); }
  void part(const ast::Param& param) { group(param.is_mut ? "mut" : "param", param.name, param.type); }
  void part(const ast::OptionParam& option) { group("option", option.name, option.type, option.fallback); }
  void part(const ast::FieldDecl& field) {
    group(field.is_pub ? "pub-field" : "field", field.doc, field.name, field.type);
  }
  void part(const ast::VariantDecl& variant) {
    group("variant", variant.doc, std::to_string(static_cast<int>(variant.kind)), variant.name, variant.types,
          variant.fields);
  }
  void part(const ast::HeadArg& arg) { group("head", arg.param.name, arg.param.bounds, arg.type); }
  void part(const ast::FPiece& piece) {
    if (piece.text.valid()) return part(piece.text);
    const ast::FormatSpec& s = piece.spec;
    std::string spec;
    if (s.present) {
      spec = ":";
      if (s.align != 0) spec += std::to_string(s.fill) + s.align;
      spec += std::string(s.plus ? "+" : "") + (s.alternate ? "#" : "") + (s.zero ? "0" : "");
      if (s.has_width) spec += std::to_string(s.width);
      if (s.has_precision) spec += "." + std::to_string(s.precision);
      if (s.kind != 0) spec += s.kind;
    }
    group("hole", piece.hole, spec);
  }
  template <class T>
  void part(ast::List<T> list) {
    space();
    out_ += '[';
    for (const T& element : tree_.list(list)) part(element);
    out_ += ']';
  }

  void expr(ast::ExprId id) {
    std::visit([this](const auto& n) { node(n); }, tree_.exprs[id].node);
  }
  void node(const ast::ErrorExpr&) { group("error"); }
  void node(const ast::IntegerLit& e) { word(e.overflows ? "overflow" : std::to_string(e.value)); }
  void node(const ast::FloatLit& e) { group("float", std::to_string(e.value)); }
  void node(const ast::TextLit& e) { part(e.text); }
  void node(const ast::CharLit& e) { group("char", std::to_string(static_cast<std::uint32_t>(e.value))); }
  void node(const ast::BoolLit& e) { word(e.value ? "true" : "false"); }
  void node(const ast::NullLit&) { word("null"); }
  void node(const ast::FTextLit& e) { group("ftext", e.pieces); }
  void node(const ast::PathExpr& e) { part(e.path); }
  void node(const ast::SelfExpr&) { word("self"); }
  void node(const ast::ParenExpr& e) { group("paren", e.inner); }
  void node(const ast::TupleExpr& e) { group("tuple", e.parts); }
  void node(const ast::ListExpr& e) { group("list", e.elements); }
  void node(const ast::BlockExpr& e) { part(e.block); }
  void node(const ast::IfExpr& e) { group("if", e.cond, e.then_block, e.else_branch); }
  void node(const ast::MatchExpr& e) { group("match", e.subject, e.arms); }
  void node(const ast::LambdaExpr& e) { group(e.has_parens ? "fn()" : "fn", e.params, e.body); }
  void node(const ast::SpawnExpr& e) { group("spawn", e.lambda); }
  void node(const ast::UnsafeExpr& e) { group("unsafe", e.block); }
  void node(const ast::OverlapExpr& e) { group("overlap", e.block); }
  void node(const ast::SelectExpr& e) { group("select", e.arms); }
  void node(const ast::StructExpr& e) { group("struct", e.path, e.fields, e.misread_block); }
  void node(const ast::WithExpr& e) { group("with", e.operand, e.fields); }
  void node(const ast::UnaryExpr& e) { group(spelling(e.op), e.operand); }
  void node(const ast::RefExpr& e) { group("ref", e.operand); }
  void node(const ast::ComptimeExpr& e) { group("comptime", e.operand); }
  void node(const ast::BinaryExpr& e) { group(spelling(e.op), e.left, e.right); }
  void node(const ast::RangeExpr& e) { group(e.is_inclusive ? ".." : "..<", e.low, e.high); }
  void node(const ast::CastExpr& e) { group("as", e.operand, e.type); }
  void node(const ast::CoalesceExpr& e) { group("??", e.left, e.right); }
  void node(const ast::CatchExpr& e) { group("catch", e.guarded, e.handler); }
  void node(const ast::ReturnExpr& e) { group("return", e.value); }
  void node(const ast::ThrowExpr& e) { group("throw", e.value); }
  void node(const ast::BreakExpr&) { word("break"); }
  void node(const ast::ContinueExpr&) { word("continue"); }
  void node(const ast::MemberExpr& e) { group(e.is_safe ? "?." : ".", e.object, e.member); }
  void node(const ast::TuplePartExpr& e) { group(e.is_safe ? "?." : ".", e.object, std::to_string(e.index)); }
  void node(const ast::IndexExpr& e) { group("index", e.object, e.index); }
  void node(const ast::CallExpr& e) {
    group(e.has_trailing_lambda ? (e.has_parens ? "call-fn" : "call-bare") : "call", e.callee, e.positional, e.options);
  }
  void node(const ast::DslExpr& e) { group("dsl", e.path, e.arguments, std::string(sources_.text(e.body))); }

  void stmt(ast::StmtId id) {
    std::visit([this](const auto& n) { node(n); }, tree_.stmts[id].node);
  }
  void node(const ast::ErrorStmt&) { group("error"); }
  void node(const ast::LetStmt& s) { group(s.is_tuple ? "let()" : "let", s.binds, s.type, s.value); }
  void node(const ast::ComptimeStmt& s) { group("comptime", s.name, s.type, s.value); }
  void node(const ast::AssignStmt& s) { group(spelling(s.op), s.place, s.value); }
  void node(const ast::WhileStmt& s) { group("while", s.cond, s.body); }
  void node(const ast::ForStmt& s) { group(s.is_tuple ? "for()" : "for", s.binds, s.subject, s.body); }
  void node(const ast::JumpIfStmt& s) { group("jump-if", s.jump, s.cond); }
  void node(const ast::ExprStmt& s) { part(s.expr); }
  void block(ast::BlockId id) { group("block", tree_.blocks[id].statements); }

  void pattern(ast::PatternId id) {
    const ast::Pattern& p = tree_.patterns[id];
    static constexpr const char* kinds[] = {"ignore", "bind",  "literal", "range", "variant",
                                            "shape",  "tuple", "either",  "error"};
    group(kinds[static_cast<int>(p.kind)], p.has_rest, p.has_parens, p.name, p.path, p.low, p.high, p.parts, p.fields);
  }
  void type(ast::TypeExprId id) {
    const ast::TypeExpr& t = tree_.types[id];
    static constexpr const char* kinds[] = {"type", "ref", "maybe", "tuple", "fn", "number", "paren", "error"};
    group(kinds[static_cast<int>(t.kind)], t.is_mut, t.is_sync, t.is_throws, t.path, t.args, t.inner, t.result,
          std::to_string(t.number));
  }
  void item(ast::ItemId id) {
    const ast::Item& i = tree_.items[id];
    group(i.is_pub ? "pub-item" : "item", i.doc);
    std::visit([this](const auto& n) { node(n); }, i.node);
  }
  void node(const ast::ErrorItem&) { group("error"); }
  void node(const ast::UseItem& i) { group("use", i.path, i.alias); }
  void node(const ast::FnItem& f) {
    group(f.is_extern_c ? "extern-fn" : "fn", f.name, f.generics, std::to_string(static_cast<int>(f.receiver)),
          f.params, f.options, f.has_spread, f.spread_name, f.result, f.is_sync, f.sync_params, f.is_throws, f.body);
  }
  void node(const ast::StructItem& i) {
    group(i.is_extern_c ? "extern-struct" : "struct", i.name, i.generics, i.fields);
  }
  void node(const ast::EnumItem& i) { group("enum", i.name, i.generics, i.variants); }
  void node(const ast::TraitItem& i) { group("trait", i.name, i.signatures); }
  void node(const ast::ImplItem& i) { group("impl", i.has_trait, i.trait, i.type, i.args, i.members); }
  void node(const ast::ComptimeItem& i) { group("comptime", i.name, i.type, i.value); }
  void node(const ast::ExternItem& i) { group("extern", std::string(sources_.text(i.body))); }
  void node(const ast::GrammarItem& i) { group("grammar", i.name, std::string(sources_.text(i.body))); }
  void node(const ast::TestItem& i) { group(i.is_bench ? "bench" : "test", i.name, i.params, i.body); }

  const ast::Tree& tree_;
  const Interner& names_;
  const SourceMap& sources_;
  std::string out_;
};

// Empty, or why printing and reading again does not give `text`'s tree. A text with syntax errors
// has no tree to ask.
inline std::string round_trip_fault(const std::string& text) {
  Parsed first = parse_text(text);
  if (first.tree.has_syntax_error) return {};
  std::string printed = first.printed();
  Parsed second = parse_text(printed);
  if (second.tree.has_syntax_error)
    return "what was printed does not parse (" + second.messages.at(0).message + "):\n" + printed;
  if (Structure(first).file() != Structure(second).file()) return "what was printed has another structure:\n" + printed;
  std::string again = second.printed();
  if (again != printed) return "printed again, it differs:\n" + printed + "\n--- again ---\n" + again;
  return {};
}

}  // namespace nikaia::lang::testing
