// `ref` written where the compiler lends anyway (03 §2.6).
#include "passes/effects/events.h"

namespace nikaia::lang::effects {

void refuse_ref(const Program& p, FileId file, ast::ExprId written, const std::string& what) {
  const ast::Tree& tree = p.source.trees[file];
  while (const auto* parens = std::get_if<ast::ParenExpr>(&tree.exprs[written].node)) written = parens->inner;
  const auto* ref = std::get_if<ast::RefExpr>(&tree.exprs[written].node);
  if (!ref) return;
  const TypeId type = p.types[file].exprs[ref->operand];
  if (!type.valid() || copies(p.table, p.decls, type)) return;
  const Span whole = tree.exprs[written].span, operand = tree.exprs[ref->operand].span;
  auto message = p.sink.error(lang::Code::NK1137, whole, what, p.source.sources.text(operand));
  message.help_edit("Leave the word out: `" + std::string(p.source.sources.text(operand)) + "`.",
                    Span{file, whole.begin, operand.begin}, "", Applies::exact);
}

}  // namespace nikaia::lang::effects
