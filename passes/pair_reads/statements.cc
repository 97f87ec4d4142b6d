#include "passes/pair_reads/statements.h"

#include <algorithm>

namespace nikaia::lang::pair_reads {
namespace {

using nir::Function;
using nir::InstrId;

// Reading it neither computes nor stops: an index is checked.
bool is_plain(const nir::Place& place) {
  return std::none_of(place.path.begin(), place.path.end(),
                      [](const nir::Projection& p) { return p.kind == nir::ProjectionKind::index; });
}
bool is_plain(const nir::Operand& operand) {
  return operand.kind == nir::OperandKind::constant || is_plain(operand.place);
}
bool is_plain(const std::vector<nir::Operand>& operands) {
  return std::all_of(operands.begin(), operands.end(), [](const nir::Operand& o) { return is_plain(o); });
}

bool makes_argument(const Function& f, const nir::Assign& assign) {
  if (!assign.to.is_local() || f.locals[assign.to.root].kind != nir::LocalKind::temp) return false;
  if (auto* use = std::get_if<nir::Use>(&assign.value)) return is_plain(use->value);
  if (auto* variant = std::get_if<nir::MakeVariant>(&assign.value)) return is_plain(variant->parts);
  if (auto* text = std::get_if<nir::ToText>(&assign.value)) return is_plain(text->text);
  return false;
}

const nir::Operand* moved_value(const nir::Node& node) {
  if (auto* assign = std::get_if<nir::Assign>(&node)) {
    auto* use = std::get_if<nir::Use>(&assign->value);
    return use != nullptr && assign->to.is_local() ? &use->value : nullptr;
  }
  auto* store = std::get_if<nir::Store>(&node);
  return store != nullptr && store->to.is_local() ? &store->value : nullptr;
}

// Whether the instruction puts the call's result where the statement wants it, or drops it.
bool takes_result(const nir::Node& node, nir::LocalId result) {
  if (auto* drop = std::get_if<nir::Drop>(&node)) {
    return std::find(drop->locals.begin(), drop->locals.end(), result) != drop->locals.end();
  }
  const nir::Operand* value = moved_value(node);
  return value != nullptr && value->kind == nir::OperandKind::move && value->place.is_local() &&
         value->place.root == result;
}

bool is_declared_in(const Function& f, const std::vector<InstrId>& instrs, nir::LocalId local) {
  return std::any_of(instrs.begin(), instrs.end(), [&](InstrId id) {
    auto* declare = std::get_if<nir::Declare>(&f.instrs[id].node);
    return declare != nullptr && declare->local == local;
  });
}

// Everything but the block's own declarations, from `at` of `list`; false where it is no read and
// nothing else.
bool take_read(const Function& f, const std::vector<InstrId>& list, std::size_t& at, const Reads& reads,
               ReadStatement& out) {
  for (; at < list.size(); ++at) {
    const nir::Node& node = f.instrs[list[at]].node;
    if (auto* declare = std::get_if<nir::Declare>(&node)) {
      const bool is_temporary = f.locals[declare->local].kind == nir::LocalKind::temp;
      (is_temporary || out.scope.valid() ? out.before : out.declares).push_back(list[at]);
    } else if (auto* assign = std::get_if<nir::Assign>(&node); assign != nullptr && makes_argument(f, *assign)) {
      out.before.push_back(list[at]);
    } else {
      break;
    }
  }
  if (at == list.size()) return false;
  auto* call = std::get_if<nir::Call>(&f.instrs[list[at]].node);
  if (call == nullptr || !reads.has(call->fn) || !call->on_fail.valid() || !call->to.valid() || !is_plain(call->args)) {
    return false;
  }
  out.call = list[at++];
  // A name that the statement binds may hold the result at once; else the next instruction takes it.
  if (f.locals[call->to].kind != nir::LocalKind::named || !is_declared_in(f, out.declares, call->to)) {
    const bool is_taken = at < list.size() && takes_result(f.instrs[list[at]].node, call->to);
    if (!is_taken) return false;
    if (!std::holds_alternative<nir::Drop>(f.instrs[list[at]].node)) out.after.push_back(list[at++]);
  }
  for (; at < list.size(); ++at) {
    auto* drop = std::get_if<nir::Drop>(&f.instrs[list[at]].node);
    const bool is_own = drop != nullptr && std::all_of(drop->locals.begin(), drop->locals.end(), [&](nir::LocalId l) {
                          return l == call->to || is_declared_in(f, out.before, l);
                        });
    if (!is_own) break;
    out.after.push_back(list[at]);
  }
  return true;
}

}  // namespace

std::optional<ReadStatement> read_statement(const Function& f, const std::vector<InstrId>& region, std::size_t at,
                                            const Reads& reads) {
  ReadStatement out;
  out.begin = at;
  while (at < region.size()) {
    auto* declare = std::get_if<nir::Declare>(&f.instrs[region[at]].node);
    if (declare == nullptr || f.locals[declare->local].kind != nir::LocalKind::named) break;
    out.declares.push_back(region[at++]);
  }
  if (at == region.size()) return std::nullopt;
  if (auto* scope = std::get_if<nir::Scope>(&f.instrs[region[at]].node)) {
    out.scope = region[at];
    std::size_t inside = 0;
    const auto& list = f.regions[scope->body];
    if (!take_read(f, list, inside, reads, out) || inside != list.size()) return std::nullopt;
    out.end = at + 1;
    return out;
  }
  if (!take_read(f, region, at, reads, out)) return std::nullopt;
  out.end = at;
  return out;
}

const nir::Call& call_of(const Function& f, const ReadStatement& statement) {
  return std::get<nir::Call>(f.instrs[statement.call].node);
}

}  // namespace nikaia::lang::pair_reads
