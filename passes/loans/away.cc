// Who puts views where they may outlive every call (03 §8.6, *away*): into a shared value, a lock, a channel, an error.
//
// Rows of the library are told by what they are. A function of the program is told by its contract; where that is not
// known yet (in a cycle of calls, behind a trait or a function value), by whether its body, or one that it calls, does
// such a thing at all.
#include "lang/nir/visit.h"
#include "passes/loans/loans.h"

namespace nikaia::lang::loans {

bool puts_away(const Loans& m, const FnDecl& row, std::size_t argument) {
  const std::size_t receiver = row.receiver == ast::Receiver::none ? 0 : 1;
  const bool is_hull = row.owner.valid() &&
                       (row.owner == m.decls.shared || row.owner == m.decls.shared_mut || row.owner == m.decls.locked);
  if (receiver == 0) return is_hull;
  // What is kept by a subject that is only lent lies behind a lock.
  return row.receiver == ast::Receiver::ref && argument >= receiver && argument - receiver < row.params.size() &&
         row.params[argument - receiver].is_kept;
}

namespace {

bool does_by_itself(const Loans& m, const nir::Node& node) {
  if (std::holds_alternative<nir::Spawn>(node)) return true;
  if (auto* c = std::get_if<nir::Call>(&node); c != nullptr && c->fn.valid() && !m.decls.fns[c->fn].key.empty()) {
    const FnDecl& row = m.decls.fns[c->fn];
    if (row.takes_lock && row.lambda_decides) return true;  // a door
    for (std::size_t a = 0; a < c->args.size(); ++a) {
      if (puts_away(m, row, a)) return true;
    }
  }
  auto* a = std::get_if<nir::Assign>(&node);
  if (a == nullptr) return false;
  auto* made = std::get_if<nir::MakeClosure>(&a->value);
  return std::holds_alternative<nir::MakeFailure>(a->value) || (made != nullptr && made->is_kept);
}

// The functions that a call may reach: the one it names, or each that implements a trait's.
template <class F>
void each_reached(const Loans& m, FnId callee, F&& f) {
  const auto one = [&](FnId fn) {
    if (const FunctionId id = m.by_source[fn]; id.valid()) f(id);
  };
  one(callee);
  const FnDecl& decl = m.decls.fns[callee];
  if (!decl.is_signature) return;
  for (const ImplDecl& impl : m.decls.impls) {
    if (!(impl.trait == decl.trait)) continue;
    if (const auto it = impl.methods.find(decl.name); it != impl.methods.end()) one(it->second);
  }
}

void find_all(Loans& m) {
  m.puts_away.assign(m.module.functions.size(), 0);
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (std::size_t n = 0; n < m.module.functions.size(); ++n) {
      if (m.puts_away[n] != 0) continue;
      bool found = false;
      for (const nir::Instr& i : m.module.functions[FunctionId(n)].instrs) {
        found = found || does_by_itself(m, i.node);
        nir::visit_uses(
            i.node, [](const nir::Operand&) {}, [](const Place&) {},
            [&](const nir::MakeClosure& c) { found = found || m.puts_away[c.function.index] != 0; });
        if (auto* c = std::get_if<nir::Call>(&i.node); c != nullptr && c->fn.valid())
          each_reached(m, c->fn, [&](FunctionId f) { found = found || m.puts_away[f.index] != 0; });
        if (found) break;
      }
      if (found) m.puts_away[n] = 1;
      is_new = is_new || found;
    }
  }
}

}  // namespace

bool may_put_away(Loans& m, FnId callee) {
  if (m.puts_away.empty()) find_all(m);
  bool found = false;
  if (callee.valid()) {
    each_reached(m, callee, [&](FunctionId f) { found = found || m.puts_away[f.index] != 0; });
    return found;
  }
  // A function value may be any function that is one; a lambda refuses by itself.
  for (const nir::Function& f : m.module.functions) {
    for (const nir::Instr& i : f.instrs) {
      nir::visit_uses(
          i.node,
          [&](const nir::Operand& o) {
            auto* fn = o.kind == OperandKind::constant ? std::get_if<nir::ConstFn>(&o.constant) : nullptr;
            if (fn != nullptr)
              each_reached(m, fn->fn, [&](FunctionId g) { found = found || m.puts_away[g.index] != 0; });
          },
          [](const Place&) {}, [](const nir::MakeClosure&) {});
    }
  }
  return found;
}

}  // namespace nikaia::lang::loans
