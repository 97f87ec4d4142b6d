// A view of text that is written as a map's `String` key (02 §4.4): the map's keys are text of its own.
//
// Lowering makes a `String` of the view in front of the write. Asked of each write whose key is such a temporary; a
// literal is text in the program, and nobody's.
#include "passes/moves/moves.h"

namespace nikaia::lang::moves {
namespace {

// The key that the instruction writes into a map, and the map; null where it writes none.
struct KeyWrite {
  const nir::Operand* key = nullptr;
  const Place* map = nullptr;
};

KeyWrite key_written(const Moves& m, const nir::Node& node) {
  if (auto* w = std::get_if<nir::MapWrite>(&node)) return {&w->key, &w->map};
  auto* c = std::get_if<nir::Call>(&node);
  if (c == nullptr || !c->fn.valid() || c->args.size() < 2 || m.decls.fns[c->fn].key.empty()) return {};
  const FnDecl& row = m.decls.fns[c->fn];
  if (!row.owner.valid() || !(row.owner == m.decls.hash_map || row.owner == m.decls.btree_map)) return {};
  const std::string_view name = m.shown.names.text(row.name);
  if (name != "insert" && name != "entry") return {};
  return {&c->args[1], &c->args[0].place};
}

void check_keys_of(const Moves& m, const nir::Function& f) {
  std::vector<InstrId> made_by;  // by local: where it was made of a view; empty until there is one
  for (std::size_t n = 0; n < f.instrs.size(); ++n) {
    const nir::Instr& i = f.instrs[InstrId(n)];
    auto* a = std::get_if<nir::Assign>(&i.node);
    auto* text = a != nullptr ? std::get_if<nir::ToText>(&a->value) : nullptr;
    if (text == nullptr || !a->to.is_local() || text->text.kind == OperandKind::constant) continue;
    made_by.resize(f.locals.size());
    made_by[a->to.root.index] = InstrId(n);
  }
  if (made_by.empty()) return;
  for (std::size_t n = 0; n < f.instrs.size(); ++n) {
    const KeyWrite write = key_written(m, f.instrs[InstrId(n)].node);
    if (write.key == nullptr || write.key->kind != OperandKind::move || !write.key->place.is_local()) continue;
    const nir::Local& made = f.locals[write.key->place.root];
    const InstrId by = made_by[write.key->place.root.index];
    if (!by.valid() || made.kind != nir::LocalKind::temp) continue;
    const Place& view = std::get<nir::ToText>(std::get<nir::Assign>(f.instrs[by].node).value).text.place;
    const Span span = view.span.has_text() ? view.span : f.instrs[by].span;
    std::string name = nir::short_source(m.shown, span);
    if (name.empty()) name = nir::shown(m.shown, f, view);
    Builder b = m.sink.error(Wording::NK2106_key, span, name, nir::shown(m.shown, f, *write.map));
    b.primary_label("a view of somebody else's text");
    b.help_edit("Write a copy: `" + name + ".clone()`.", span.finish(), ".clone()", Applies::exact);
  }
}

}  // namespace

void check_keys(const Moves& m) {
  for (const nir::Function& f : m.module.functions) check_keys_of(m, f);
}

}  // namespace nikaia::lang::moves
