// The printer: one function for each kind of node, writing to one text.
//
// Where a line ends decides how some tokens are read, so a few nodes are laid out with care: a bare
// `return` with a condition that holds a brace, and a `-` behind a bare `return` (see `jump_if` and
// `binary`).
#include "lang/syntax/printer.h"

#include <string_view>

#include "lang/syntax/literals.h"
#include "lang/syntax/operators.h"

namespace nikaia::lang::syntax {
namespace {

using namespace ast;

constexpr std::size_t longest_inline_block = 60;

class Printer {
 public:
  Printer(const Tree& tree, const SourceMap& sources, const Interner& names)
      : tree_(tree), sources_(sources), names_(names) {}

  std::string file() {
    bool was_use = false;
    bool is_first = true;
    for (ItemId id : tree_.roots) {
      bool is_use = std::holds_alternative<UseItem>(tree_.items[id].node);
      if (!is_first && !(was_use && is_use)) out_ += '\n';
      item(id);
      out_ += '\n';
      was_use = is_use;
      is_first = false;
    }
    return std::move(out_);
  }
  std::string only(ExprId id) {
    expr(id);
    return std::move(out_);
  }
  std::string only(TypeExprId id) {
    type(id);
    return std::move(out_);
  }

 private:
  void write(std::string_view text) { out_ += text; }
  void line() {
    out_ += '\n';
    out_.append(indent_ * 4, ' ');
  }
  // `elements`, each written by `each`, with `, ` between them.
  template <class Range, class Each>
  void commas(const Range& elements, Each each) {
    bool is_first = true;
    for (const auto& element : elements) {
      if (!is_first) write(", ");
      is_first = false;
      each(element);
    }
  }

  void name(const Ident& ident) {
    if (ident.is_ignored)
      out_ += '_';
    else
      write(names_.text(ident.name));
  }
  void path(const Path& path) {
    bool is_first = true;
    for (const Ident& segment : tree_.list(path.segments)) {
      if (!is_first) write("::");
      is_first = false;
      name(segment);
    }
  }

  // ---- literals

  void text(TextId id) {
    out_ += '"';
    spell_text(out_, tree_.texts[id], '"', false);
    out_ += '"';
  }

  void node(const ErrorExpr&) { write("/* error */"); }
  void node(const IntegerLit& e) { write(e.overflows ? "18446744073709551616" : std::to_string(e.value)); }
  void node(const FloatLit& e) { spell_float(out_, e.value); }
  void node(const TextLit& e) { text(e.text); }
  void node(const CharLit& e) {
    std::string bytes;
    append_utf8(bytes, e.value);
    out_ += '\'';
    spell_text(out_, bytes, '\'', false);
    out_ += '\'';
  }
  void node(const BoolLit& e) { write(e.value ? "true" : "false"); }
  void node(const NullLit&) { write("null"); }
  void node(const FTextLit& e) {
    write("f\"");
    for (const FPiece& piece : tree_.list(e.pieces)) {
      if (piece.text.valid()) {
        spell_text(out_, tree_.texts[piece.text], '"', true);
        continue;
      }
      out_ += '{';
      std::size_t begin = out_.size();
      expr(piece.hole);
      if (out_[begin] == '{') out_.insert(begin, 1, ' ');  // `{{` would be a brace of the text
      if (piece.spec.present) spell_format(out_, piece.spec);
      out_ += '}';
    }
    out_ += '"';
  }
  // ---- expressions

  void expr(ExprId id) {
    if (!id.valid()) return;
    std::visit([this](const auto& n) { node(n); }, tree_.exprs[id].node);
  }
  void exprs(List<ExprId> list) {
    commas(tree_.list(list), [this](ExprId id) { expr(id); });
  }

  void node(const PathExpr& e) { path(e.path); }
  void node(const SelfExpr&) { write("self"); }
  void node(const ParenExpr& e) {
    out_ += '(';
    expr(e.inner);
    out_ += ')';
  }
  void node(const TupleExpr& e) {
    out_ += '(';
    exprs(e.parts);
    out_ += ')';
  }
  void node(const ListExpr& e) {
    out_ += '[';
    exprs(e.elements);
    out_ += ']';
  }
  void node(const BlockExpr& e) { block(e.block, true); }
  void node(const IfExpr& first) {
    for (const IfExpr* e = &first;;) {
      write("if ");
      expr(e->cond);
      out_ += ' ';
      block(e->then_block, true);
      if (!e->else_branch.valid()) return;
      write(" else ");
      const auto* next = std::get_if<IfExpr>(&tree_.exprs[e->else_branch].node);
      if (next == nullptr) return expr(e->else_branch);
      e = next;
    }
  }
  void node(const MatchExpr& e) {
    write("match ");
    expr(e.subject);
    write(" {");
    ++indent_;
    for (const Arm& arm : tree_.list(e.arms)) {
      line();
      if (arm.pattern.valid())
        pattern(arm.pattern);
      else
        write("else");
      if (arm.guard.valid()) {
        write(" if ");
        expr(arm.guard);
      }
      write(" => ");
      expr(arm.body);
      out_ += ',';
    }
    --indent_;
    line();
    out_ += '}';
  }
  void node(const LambdaExpr& e) {
    write("fn");
    if (e.has_parens) {
      out_ += '(';
      commas(tree_.list(e.params), [this](const Bind& bind) { this->bind(bind); });
      out_ += ')';
    }
    out_ += ' ';
    block(e.body, true);
  }
  void bind(const Bind& bind) {
    if (bind.is_mut) write("mut ");
    name(bind.name);
  }
  void binds(List<Bind> list, bool is_tuple) {
    if (is_tuple) out_ += '(';
    commas(tree_.list(list), [this](const Bind& bind) { this->bind(bind); });
    if (is_tuple) out_ += ')';
  }
  void node(const SpawnExpr& e) {
    write("spawn ");
    expr(e.lambda);
  }
  void node(const UnsafeExpr& e) {
    write("unsafe ");
    block(e.block, true);
  }
  void node(const OverlapExpr& e) {
    write("overlap ");
    block(e.block, false);
  }
  void node(const SelectExpr& e) {
    write("select {");
    ++indent_;
    for (const SelectArm& arm : tree_.list(e.arms)) {
      line();
      binds(arm.binds, arm.is_tuple);
      write(" = ");
      expr(arm.raced);
      write(" => ");
      expr(arm.body);
      out_ += ',';
    }
    --indent_;
    line();
    out_ += '}';
  }
  void field_inits(List<FieldInit> fields) {
    if (fields.empty()) return write("{}");
    write("{ ");
    commas(tree_.list(fields), [this](const FieldInit& field) {
      name(field.field);
      if (!field.value.valid()) return;
      write(": ");
      expr(field.value);
    });
    write(" }");
  }
  void node(const StructExpr& e) {
    path(e.path);
    out_ += ' ';
    if (e.misread_block.valid())
      block(e.misread_block, false);
    else
      field_inits(e.fields);
  }
  void node(const WithExpr& e) {
    expr(e.operand);
    write(" with ");
    field_inits(e.fields);
  }
  void node(const UnaryExpr& e) {
    write(spelling(e.op));
    expr(e.operand);
  }
  void node(const RefExpr& e) {
    write("ref ");
    expr(e.operand);
  }
  void node(const ComptimeExpr& e) {
    write("comptime ");
    expr(e.operand);
  }
  void node(const BinaryExpr& e) {
    expr(e.left);
    // `return - x` on one line would return `-x`.
    if (e.op == BinaryOp::sub && ends_in_bare_return(e.left))
      line();
    else
      out_ += ' ';
    write(spelling(e.op));
    out_ += ' ';
    expr(e.right);
  }
  bool ends_in_bare_return(ExprId id) const {
    for (;;) {
      const auto& n = tree_.exprs[id].node;
      if (const auto* e = std::get_if<ReturnExpr>(&n)) {
        if (!e->value.valid()) return true;
        id = e->value;
      } else if (const auto* thrown = std::get_if<ThrowExpr>(&n)) {
        id = thrown->value;
      } else if (const auto* unary = std::get_if<UnaryExpr>(&n)) {
        id = unary->operand;
      } else if (const auto* reference = std::get_if<RefExpr>(&n)) {
        id = reference->operand;
      } else if (const auto* binary = std::get_if<BinaryExpr>(&n)) {
        id = binary->right;
      } else if (const auto* coalesce = std::get_if<CoalesceExpr>(&n)) {
        id = coalesce->right;
      } else {
        return false;
      }
    }
  }
  void node(const RangeExpr& e) {
    expr(e.low);
    write(e.is_inclusive ? ".." : "..<");
    expr(e.high);
  }
  void node(const CastExpr& e) {
    expr(e.operand);
    write(" as ");
    type(e.type);
  }
  void node(const CoalesceExpr& e) {
    expr(e.left);
    write(" ?? ");
    expr(e.right);
  }
  void node(const CatchExpr& e) {
    expr(e.guarded);
    write(" catch ");
    block(e.handler, true);
  }
  void node(const ReturnExpr& e) {
    write("return");
    if (!e.value.valid()) return;
    out_ += ' ';
    expr(e.value);
  }
  void node(const ThrowExpr& e) {
    write("throw ");
    expr(e.value);
  }
  void node(const BreakExpr&) { write("break"); }
  void node(const ContinueExpr&) { write("continue"); }
  void node(const MemberExpr& e) {
    expr(e.object);
    write(e.is_safe ? "?." : ".");
    name(e.member);
  }
  void node(const TuplePartExpr& e) {
    expr(e.object);
    if (std::holds_alternative<IntegerLit>(tree_.exprs[e.object].node)) out_ += ' ';  // `1.0` is a number
    write(e.is_safe ? "?." : ".");
    write(std::to_string(e.index));
  }
  void node(const IndexExpr& e) {
    expr(e.object);
    out_ += '[';
    expr(e.index);
    out_ += ']';
  }
  void node(const CallExpr& e) {
    expr(e.callee);
    auto positional = tree_.list(e.positional);
    if (e.has_trailing_lambda) positional = positional.first(positional.size() - 1);
    if (e.has_parens) {
      out_ += '(';
      commas(positional, [this](ExprId id) { expr(id); });
      if (!positional.empty() && !e.options.empty()) write("; ");
      options(e.options);
      out_ += ')';
    }
    if (!e.has_trailing_lambda) return;
    out_ += ' ';
    expr(tree_.list(e.positional).back());
  }
  void options(List<OptionArg> list) {
    commas(tree_.list(list), [this](const OptionArg& option) {
      name(option.name);
      write(": ");
      expr(option.value);
    });
  }
  void node(const DslExpr& e) {
    write("dsl ");
    path(e.path);
    if (!e.arguments.empty()) {
      out_ += '(';
      options(e.arguments);
      out_ += ')';
    }
    write(" {");
    write(sources_.text(e.body));
    write("} eod");
  }

  // ---- statements

  // A block whose one statement is an expression stands on one line where it is short.
  void block(BlockId id, bool may_be_inline) {
    if (!id.valid()) return;
    auto statements = tree_.list(tree_.blocks[id].statements);
    if (statements.empty()) return write("{}");
    std::size_t begin = out_.size();
    if (may_be_inline && statements.size() == 1) {
      if (const auto* only = std::get_if<ExprStmt>(&tree_.stmts[statements[0]].node)) {
        write("{ ");
        expr(only->expr);
        write(" }");
        std::string_view written = std::string_view(out_).substr(begin);
        if (written.size() <= longest_inline_block && written.find('\n') == std::string_view::npos) return;
        out_.resize(begin);
      }
    }
    out_ += '{';
    ++indent_;
    for (StmtId statement : statements) {
      line();
      std::visit([this](const auto& n) { node(n); }, tree_.stmts[statement].node);
    }
    --indent_;
    line();
    out_ += '}';
  }

  void node(const ErrorStmt&) { write("/* error */"); }
  void node(const LetStmt& s) {
    write("let ");
    binds(s.binds, s.is_tuple);
    typed_value(s.type, s.value);
  }
  void node(const ComptimeStmt& s) {
    write("comptime ");
    name(s.name);
    typed_value(s.type, s.value);
  }
  void typed_value(TypeExprId type_id, ExprId value) {
    if (type_id.valid()) {
      write(": ");
      type(type_id);
    }
    write(" = ");
    expr(value);
  }
  void node(const AssignStmt& s) {
    expr(s.place);
    out_ += ' ';
    write(spelling(s.op));
    out_ += ' ';
    expr(s.value);
  }
  void node(const WhileStmt& s) {
    write("while ");
    expr(s.cond);
    out_ += ' ';
    block(s.body, false);
  }
  void node(const ForStmt& s) {
    write("for ");
    binds(s.binds, s.is_tuple);
    write(" in ");
    expr(s.subject);
    out_ += ' ';
    block(s.body, false);
  }
  // `return if c { … }` on one line would return the value of an `if`; the condition then stands on
  // the next line.
  void node(const JumpIfStmt& s) {
    expr(s.jump);
    write(" if ");
    std::size_t begin = out_.size();
    expr(s.cond);
    const auto* jump = std::get_if<ReturnExpr>(&tree_.exprs[s.jump].node);
    if (jump == nullptr || jump->value.valid() || out_.find('{', begin) == std::string::npos) return;
    out_.resize(begin - 1);
    ++indent_;
    line();
    expr(s.cond);
    --indent_;
  }
  void node(const ExprStmt& s) { expr(s.expr); }

  // ---- patterns and types

  void patterns(List<PatternId> list) {
    commas(tree_.list(list), [this](PatternId id) { pattern(id); });
  }
  void pattern(PatternId id) {
    const Pattern& p = tree_.patterns[id];
    switch (p.kind) {
      case PatternKind::ignore: out_ += '_'; return;
      case PatternKind::bind: return name(p.name);
      case PatternKind::literal: return expr(p.low);
      case PatternKind::range:
        expr(p.low);
        write("..");
        return expr(p.high);
      case PatternKind::variant:
        path(p.path);
        if (!p.has_parens) return;
        out_ += '(';
        patterns(p.parts);
        out_ += ')';
        return;
      case PatternKind::shape: return shape(p);
      case PatternKind::tuple:
        out_ += '(';
        patterns(p.parts);
        out_ += ')';
        return;
      case PatternKind::alternatives: {
        bool is_first = true;
        for (PatternId part : tree_.list(p.parts)) {
          if (!is_first) write(" | ");
          is_first = false;
          pattern(part);
        }
        return;
      }
      case PatternKind::error: return write("/* error */");
    }
  }
  void shape(const Pattern& p) {
    path(p.path);
    if (p.fields.empty() && !p.has_rest) return write(" {}");
    write(" { ");
    commas(tree_.list(p.fields), [this](const FieldPattern& part) {
      name(part.field);
      if (!part.pattern.valid()) return;
      write(": ");
      pattern(part.pattern);
    });
    if (p.has_rest) write(p.fields.empty() ? ".." : ", ..");
    write(" }");
  }

  void types(List<TypeExprId> list) {
    commas(tree_.list(list), [this](TypeExprId id) { type(id); });
  }
  void type(TypeExprId id) {
    if (!id.valid()) return;
    const TypeExpr& t = tree_.types[id];
    switch (t.kind) {
      case TypeExprKind::path:
        path(t.path);
        if (t.args.empty()) return;
        out_ += '[';
        types(t.args);
        out_ += ']';
        return;
      case TypeExprKind::ref: write(t.is_mut ? "ref mut " : "ref "); return type(t.inner);
      case TypeExprKind::nullable:
        type(t.inner);
        out_ += '?';
        return;
      case TypeExprKind::tuple:
        out_ += '(';
        types(t.args);
        out_ += ')';
        return;
      case TypeExprKind::function:
        write("fn(");
        types(t.args);
        out_ += ')';
        if (t.result.valid()) {
          write(" -> ");
          type(t.result);
        }
        if (t.is_sync) write(" sync");
        if (t.is_throws) write(" throws");
        return;
      case TypeExprKind::number: return write(std::to_string(t.number));
      case TypeExprKind::paren:
        out_ += '(';
        type(t.inner);
        out_ += ')';
        return;
      case TypeExprKind::error: return write("/* error */");
    }
  }

  // ---- items

  void doc(Doc doc) {
    if (!doc.text.valid()) return;
    std::string_view rest = tree_.texts[doc.text];
    for (;;) {
      std::size_t end = rest.find('\n');
      std::string_view one = rest.substr(0, end);
      write(one.empty() ? "///" : "/// ");
      write(one);
      line();
      if (end == std::string_view::npos) return;
      rest.remove_prefix(end + 1);
    }
  }

  void item(ItemId id) {
    const Item& i = tree_.items[id];
    doc(i.doc);
    if (i.is_pub) write("pub ");
    std::visit([this](const auto& n) { node(n); }, i.node);
  }
  void node(const ErrorItem&) { write("/* error */"); }
  void node(const UseItem& i) {
    write("use ");
    path(i.path);
    if (!i.alias.name.valid()) return;
    write(" as ");
    name(i.alias);
  }
  void type_params(List<TypeParam> list) {
    if (list.empty()) return;
    out_ += '[';
    commas(tree_.list(list), [this](const TypeParam& param) { type_param(param); });
    out_ += ']';
  }
  void type_param(const TypeParam& param) {
    name(param.name);
    bool is_first = true;
    for (const Path& bound : tree_.list(param.bounds)) {
      write(is_first ? ": " : " + ");
      is_first = false;
      path(bound);
    }
  }
  void node(const FnItem& f) {
    if (f.is_extern_c) write("extern \"C\" ");
    write("fn");
    if (f.name.name.valid()) {
      out_ += ' ';
      name(f.name);
    }
    type_params(f.generics);
    bool is_constructor = !f.name.name.valid();
    if (f.receiver != Receiver::none || !f.params.empty() || !f.options.empty() || f.has_spread || is_constructor ||
        !f.body.valid())
      parameters(f);
    if (f.result.valid()) {
      write(" -> ");
      type(f.result);
    }
    if (f.is_sync) write(" sync");
    if (!f.sync_params.empty()) {
      out_ += '(';
      commas(tree_.list(f.sync_params), [this](const Ident& ident) { name(ident); });
      out_ += ')';
    }
    if (f.is_throws) write(" throws");
    if (!f.body.valid()) return;
    out_ += ' ';
    block(f.body, false);
  }
  void parameters(const FnItem& f) {
    out_ += '(';
    switch (f.receiver) {
      case Receiver::none: break;
      case Receiver::value: write("self"); break;
      case Receiver::ref: write("ref self"); break;
      case Receiver::ref_mut: write("ref mut self"); break;
    }
    if (f.receiver != Receiver::none && !f.params.empty()) write(", ");
    params(f.params);
    bool has_subject = f.receiver != Receiver::none || !f.params.empty();
    if (has_subject && (!f.options.empty() || f.has_spread)) write("; ");
    commas(tree_.list(f.options), [this](const OptionParam& option) {
      name(option.name);
      write(": ");
      type(option.type);
      write(" = ");
      expr(option.fallback);
    });
    if (f.has_spread) {
      if (!f.options.empty()) write(", ");
      write("...");
      name(f.spread_name);
      write(": Self::dsl");
    }
    out_ += ')';
  }
  void params(List<Param> list) {
    commas(tree_.list(list), [this](const Param& param) {
      if (param.is_mut) write("mut ");
      name(param.name);
      write(": ");
      type(param.type);
    });
  }
  void fields(List<FieldDecl> list) {
    if (list.empty()) return write("{}");
    out_ += '{';
    ++indent_;
    for (const FieldDecl& field : tree_.list(list)) {
      line();
      doc(field.doc);
      if (field.is_pub) write("pub ");
      name(field.name);
      write(": ");
      type(field.type);
      out_ += ',';
    }
    --indent_;
    line();
    out_ += '}';
  }
  void node(const StructItem& i) {
    if (i.is_extern_c) write("extern \"C\" ");
    write("struct ");
    name(i.name);
    type_params(i.generics);
    out_ += ' ';
    fields(i.fields);
  }
  void node(const EnumItem& i) {
    write("enum ");
    name(i.name);
    type_params(i.generics);
    write(" {");
    ++indent_;
    for (const VariantDecl& variant : tree_.list(i.variants)) {
      line();
      doc(variant.doc);
      name(variant.name);
      if (variant.kind == VariantKind::positional) {
        out_ += '(';
        types(variant.types);
        out_ += ')';
      } else if (variant.kind == VariantKind::named) {
        out_ += ' ';
        fields(variant.fields);
      }
      out_ += ',';
    }
    --indent_;
    line();
    out_ += '}';
  }
  void members(List<ItemId> list, bool have_bodies) {
    if (list.empty()) return write("{}");
    out_ += '{';
    ++indent_;
    bool is_first = true;
    for (ItemId id : tree_.list(list)) {
      if (!is_first && have_bodies) out_ += '\n';
      is_first = false;
      line();
      item(id);
    }
    --indent_;
    line();
    out_ += '}';
  }
  void node(const TraitItem& i) {
    write("trait ");
    name(i.name);
    out_ += ' ';
    members(i.signatures, false);
  }
  void node(const ImplItem& i) {
    write("impl ");
    if (i.has_trait) {
      path(i.trait);
      write(" for ");
    }
    path(i.type);
    if (!i.args.empty()) {
      out_ += '[';
      commas(tree_.list(i.args), [this](const HeadArg& arg) {
        if (arg.param.name.name.valid())
          type_param(arg.param);
        else
          type(arg.type);
      });
      out_ += ']';
    }
    out_ += ' ';
    members(i.members, true);
  }
  void node(const ComptimeItem& i) {
    write("comptime ");
    name(i.name);
    typed_value(i.type, i.value);
  }
  void node(const ExternItem& i) {
    write("extern \"C\" {");
    write(sources_.text(i.body));
    out_ += '}';
  }
  void node(const GrammarItem& i) {
    write("grammar ");
    name(i.name);
    write(" {");
    write(sources_.text(i.body));
    out_ += '}';
  }
  void node(const TestItem& i) {
    write(i.is_bench ? "bench " : "test ");
    text(i.name);
    if (!i.params.empty()) {
      write(" (");
      params(i.params);
      out_ += ')';
    }
    out_ += ' ';
    block(i.body, false);
  }

  const Tree& tree_;
  const SourceMap& sources_;
  const Interner& names_;
  std::string out_;
  std::size_t indent_ = 0;
};

}  // namespace

std::string print(const ast::Tree& tree, const SourceMap& sources, const Interner& names) {
  return Printer(tree, sources, names).file();
}
std::string print(const ast::Tree& tree, ast::ExprId expr, const SourceMap& sources, const Interner& names) {
  return Printer(tree, sources, names).only(expr);
}
std::string print(const ast::Tree& tree, ast::TypeExprId type, const SourceMap& sources, const Interner& names) {
  return Printer(tree, sources, names).only(type);
}

}  // namespace nikaia::lang::syntax
