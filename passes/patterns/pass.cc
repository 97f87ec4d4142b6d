// The pass `patterns`: whether patterns can fit their values, and whether a `match` covers every case.
//
// Every `match`, tuple `let` and tuple `for` is looked at once. See fit.cc and coverage.cc for the two questions.
#include <nikaia/pass.h>

#include "passes/patterns/patterns.h"

namespace {

using namespace nikaia::lang;

void check_file(coverage::File& f, TreePatterns& out) {
  out.is_exhaustive_without_else.resize(f.tree.exprs.size(), 0);
  for (std::size_t i = 0; i < f.tree.exprs.size(); ++i) {
    const ast::ExprId e(i);
    auto* match = std::get_if<ast::MatchExpr>(&f.tree.exprs[e].node);
    if (!match || !f.typed.exprs[e].valid()) continue;
    const TypeId subject = f.subject_type(match->subject);
    if (f.types.kind(subject) == TypeKind::error || f.types.kind(subject) == TypeKind::never) continue;
    if (!coverage::patterns_fit(f, *match, subject)) continue;
    if (coverage::check_coverage(f, *match, f.tree.exprs[e].span, subject)) out.is_exhaustive_without_else[e] = 1;
  }
  for (std::size_t i = 0; i < f.tree.stmts.size(); ++i) {
    const ast::Stmt& s = f.tree.stmts[ast::StmtId(i)];
    if (auto* let = std::get_if<ast::LetStmt>(&s.node); let && let->is_tuple) {
      const TypeId t = f.typed.exprs[let->value];
      if (t.valid()) coverage::check_names_of_tuple(f, let->binds.count, f.tree.list(let->binds)[0].name.span, t);
    }
    if (auto* loop = std::get_if<ast::ForStmt>(&s.node); loop && loop->is_tuple) {
      const TypeId t = f.typed.exprs[loop->subject];
      const TypeId element = t.valid() ? coverage::element_of(f, t) : TypeId();
      if (element.valid()) {
        coverage::check_names_of_tuple(f, loop->binds.count, f.tree.list(loop->binds)[0].name.span, element);
      }
    }
  }
}

void run(nikaia::PassContext& context) {
  const Compilation& compilation = context.compilation();
  const Declarations& decls = context.require(declarations_fact);
  const Names& names = context.require(names_fact);
  const Types& types = context.require(types_fact);
  const Effects& effects = context.require(effects_fact);
  Patterns& out = context.provide(patterns_fact);
  out.resize(compilation.trees.size());
  static const TreeEffects no_effects;
  for (std::size_t i = 0; i < compilation.trees.size() && i < types.size(); ++i) {
    const FileId file(i);
    const ast::Tree& tree = compilation.trees[file];
    if (tree.has_syntax_error || types[file].exprs.size() != tree.exprs.size()) continue;
    context.looking_at({}, compilation.sources.path(file));
    const TreeEffects& arrived = file.index < effects.trees.size() ? effects.trees[file] : no_effects;
    coverage::File f{compilation,     decls,           tree,           names[file], types[file], arrived,
                     context.types(), context.names(), context.sink(), {}};
    f.catch_of_error.resize(names[file].locals.size());
    for (std::size_t e = 0; e < tree.exprs.size(); ++e) {
      const LocalId error = names[file].error_of[ast::ExprId(e)];
      if (error.valid()) f.catch_of_error[error.index] = ast::ExprId(e);
    }
    check_file(f, out[file]);
  }
}

const char* const required[] = {"declarations@1", "effects@1", "names@1", "types@1", nullptr};
const char* const provided[] = {"patterns@1", nullptr};
const char* const codes[] = {"NK1151", "NK1155", "NK1193", "NK1205", "NK1914", nullptr};

const nikaia::Pass passes[] = {{
    "patterns",
    "Checks that every `match` covers every case",
    "0.1.0",
    nikaia::PassKind::analysis,
    nikaia::PassStage::tree,
    false,
    required,
    provided,
    nullptr,
    codes,
    nullptr,
    false,
    run,
}};

}  // namespace

NIKAIA_PASS_PLUGIN(passes)
