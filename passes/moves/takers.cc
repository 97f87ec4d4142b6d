// Who a value is handed to, in the words of the program.
#include "lang/nir/visit.h"
#include "passes/moves/moves.h"

namespace nikaia::lang::moves {
namespace {

Taker of_call(const Moves& m, const nir::Function& f, const nir::Call& c) {
  if (!c.fn.valid()) return {Taker::Kind::call, nir::shown(m.shown, f, c.callee)};
  const FnDecl& fn = m.decls.fns[c.fn];
  // What a list keeps is handed to the list.
  if (!fn.key.empty() && fn.receiver == ast::Receiver::ref_mut && !c.args.empty() &&
      c.args[0].kind != OperandKind::constant) {
    if (f.locals[c.args[0].place.root].name.valid())
      return {Taker::Kind::receiver, nir::shown(m.shown, f, c.args[0].place)};
  }
  return {Taker::Kind::call, nir::shown(m.shown, c.fn)};
}

}  // namespace

Taker taker_of(const Moves& m, FunctionId id, InstrId i, const IdVector<NirLocal, InstrId>& consumers) {
  const nir::Function& f = m.function(id);
  for (int steps = 0; steps < 8; ++steps) {
    const nir::Node& node = f.instrs[i].node;
    if (auto* c = std::get_if<nir::Call>(&node)) return of_call(m, f, *c);
    if (auto* s = std::get_if<nir::Store>(&node)) return {Taker::Kind::place, nir::shown(m.shown, f, s->to)};
    if (auto* w = std::get_if<nir::MapWrite>(&node)) return {Taker::Kind::receiver, nir::shown(m.shown, f, w->map)};
    if (std::holds_alternative<nir::Spawn>(node)) return {Taker::Kind::task, "the task"};
    if (auto* o = std::get_if<nir::Overlap>(&node))
      return {Taker::Kind::call, o->winner.valid() ? "select" : "overlap"};
    if (std::holds_alternative<nir::Walk>(node)) return {Taker::Kind::loop, "the loop above"};
    auto* a = std::get_if<nir::Assign>(&node);
    if (a == nullptr) break;
    if (auto* s = std::get_if<nir::MakeStruct>(&a->value))
      return {Taker::Kind::literal, type_text(m.types, m.decls, m.shown.names, s->type)};
    if (auto* v = std::get_if<nir::MakeVariant>(&a->value)) {
      const TypeDecl& decl = m.decls.types[m.types[v->type].decl];
      return {Taker::Kind::literal, std::string(m.shown.names.text(decl.name)) +
                                        "::" + std::string(m.shown.names.text(decl.variants[v->variant].name))};
    }
    if (std::holds_alternative<nir::MakeTuple>(a->value)) return {Taker::Kind::literal, "(…)"};
    if (std::holds_alternative<nir::MakeList>(a->value)) return {Taker::Kind::literal, "[…]"};
    if (std::holds_alternative<nir::MakeClosure>(a->value)) return {Taker::Kind::lambda, "fn { … }"};
    if (std::holds_alternative<nir::MakeFailure>(a->value)) return {Taker::Kind::literal, "throw"};
    const NirLocal to = a->to.root;
    if (f.locals[to].name.valid()) return {Taker::Kind::name, std::string(m.shown.names.text(f.locals[to].name))};
    if (!consumers[to].valid() || consumers[to] == i) break;
    i = consumers[to];
  }
  if (std::holds_alternative<nir::Return>(f.instrs[i].node)) return {Taker::Kind::literal, "return"};
  return {Taker::Kind::call, "another owner"};
}

bool can_clone(const Moves& m, TypeId type) {
  const Type& t = m.types[type];
  if (t.kind == TypeKind::seq || t.kind == TypeKind::error_sum) return false;
  if (t.kind != TypeKind::named) return true;
  const TypeDecl& decl = m.decls.types[t.decl];
  return !decl.drop.valid() && !decl.cleanup.valid() && !decl.library.has_cleanup && !decl.library.is_single &&
         !(t.decl == m.decls.locked) && !(t.decl == m.decls.task_handle);
}

}  // namespace nikaia::lang::moves
