#include "passes/emit_cpp/first_read.h"

#include <algorithm>

#include "passes/emit_cpp/emission.h"

namespace nikaia::lang::emit_cpp {

using nir::OperandKind;
using nir::ProjectionKind;

namespace {

using Origins = std::unordered_map<std::uint32_t, Origin>;  // of temporaries, parameters and captures, by local

std::optional<Origin> origin(const nir::Operand& operand, const Origins& made) {
  if (operand.kind == OperandKind::constant) {
    const auto* text = std::get_if<nir::ConstText>(&operand.constant);
    if (text == nullptr) return std::nullopt;
    return Origin{Origin::Kind::text, text->text, {}};
  }
  if (operand.kind != OperandKind::copy && operand.kind != OperandKind::lend) return std::nullopt;
  const auto& path = operand.place.path;
  if (!std::all_of(path.begin(), path.end(), [](const auto& p) { return p.kind == ProjectionKind::deref; }))
    return std::nullopt;
  auto it = made.find(operand.place.root.index);
  if (it == made.end()) return std::nullopt;
  return it->second;
}

// The call that everything in front of it is for, where there is such a call.
const nir::Call* first_call(const nir::Function& f, nir::RegionId region, Origins& made) {
  for (const nir::InstrId id : f.regions[region]) {
    const nir::Node& node = f.instrs[id].node;
    if (std::holds_alternative<nir::Declare>(node)) continue;
    if (auto* scope = std::get_if<nir::Scope>(&node)) return first_call(f, scope->body, made);
    if (auto* guard = std::get_if<nir::Guard>(&node)) return first_call(f, guard->body, made);
    if (auto* call = std::get_if<nir::Call>(&node)) return call->may_pause && call->fn.valid() ? call : nullptr;
    auto* assign = std::get_if<nir::Assign>(&node);
    if (assign == nullptr || !assign->to.is_local()) return nullptr;
    auto* variant = std::get_if<nir::MakeVariant>(&assign->value);
    if (variant == nullptr || !variant->parts.empty()) return nullptr;
    made[assign->to.root.index] = Origin{Origin::Kind::anywhere, {}, {}};
  }
  return nullptr;
}

bool pauses_once(const nir::Function& f) {
  int pauses = 0;
  for (std::uint32_t i = 0; i < f.instrs.size(); ++i) {
    const nir::Node& node = f.instrs[nir::InstrId(i)].node;
    if (auto* call = std::get_if<nir::Call>(&node)) {
      pauses += call->may_pause ? 1 : 0;
    } else if (auto* cleanup = std::get_if<nir::Cleanup>(&node)) {
      pauses += cleanup->may_pause ? 2 : 0;
    } else if (auto* walk = std::get_if<nir::Walk>(&node)) {
      pauses += walk->step_pauses ? 2 : 0;
    } else if (std::holds_alternative<nir::Overlap>(node)) {
      pauses += 2;
    }
  }
  return pauses == 1;
}

Origins given_to(const nir::Function& f) {
  Origins given;
  for (std::uint32_t i = 0; i < f.locals.size(); ++i) {
    const nir::LocalKind kind = f.locals[nir::LocalId(i)].kind;
    if (kind == nir::LocalKind::param || kind == nir::LocalKind::capture)
      given[i] = Origin{Origin::Kind::local, {}, nir::LocalId(i)};
  }
  return given;
}

std::optional<FirstRead> both(std::optional<Origin> path, std::optional<Origin> root) {
  if (!path || !root || path->kind == Origin::Kind::anywhere || root->kind == Origin::Kind::text) return std::nullopt;
  return FirstRead{std::move(*path), std::move(*root)};
}

std::optional<FirstRead> find(Emission& e, const nir::Function& f) {
  if (!f.body.valid() || !pauses_once(f)) return std::nullopt;
  Origins made = given_to(f);
  const nir::Call* call = first_call(f, f.body, made);
  if (call == nullptr) return std::nullopt;
  const std::string& key = e.decls.fns[call->fn].key;
  if (key == "fs::read" || key == "fs::read_to_string")
    return both(origin(call->args[0], made), origin(call->args[1], made));
  if (!key.empty()) return std::nullopt;
  const nir::FunctionId target = e.instances.find(call->fn, call->type_args);
  if (!target.valid()) return std::nullopt;
  const FirstRead* inner = e.first_read(target);
  if (inner == nullptr) return std::nullopt;
  // What the callee tells of its parameters, told of what is given for them.
  const auto& params = e.module.functions[target].params;
  const auto told = [&](const Origin& o) -> std::optional<Origin> {
    if (o.kind != Origin::Kind::local) return o;
    for (std::size_t i = 0; i < params.size() && i < call->args.size(); ++i) {
      if (params[i] == o.local) return origin(call->args[i], made);
    }
    return std::nullopt;
  };
  return both(told(inner->path), told(inner->root));
}

}  // namespace

const FirstRead* Emission::first_read(nir::FunctionId id) {
  auto entry = first_reads.find(id.index);
  if (entry == first_reads.end()) {
    first_reads[id.index] = std::nullopt;  // while it is being looked at: a recursive function has none
    std::optional<FirstRead> found = find(*this, module.functions[id]);
    entry = first_reads.find(id.index);
    entry->second = std::move(found);
  }
  return entry->second ? &*entry->second : nullptr;
}

}  // namespace nikaia::lang::emit_cpp
