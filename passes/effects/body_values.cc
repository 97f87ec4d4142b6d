#include "passes/effects/body_values.h"

#include <algorithm>
#include <utility>

namespace nikaia::lang::effects {

using namespace ast;

ExprId BodyValues::bare(ExprId e) const {
  while (const auto* p = std::get_if<ParenExpr>(&t_.exprs[e].node)) e = p->inner;
  return e;
}

Code BodyValues::code_of(ExprId e) const {
  e = bare(e);
  Code code;
  code.type = p_.table.without_ref(type_of(e));
  if (auto it = lambdas_.find(e.index); it != lambdas_.end()) {
    code.kind = Code::Kind::lambda;
    code.collector = it->second;
    return code;
  }
  const Resolution& r = names_.exprs[e];
  switch (r.kind) {
    case Resolution::Kind::fn:
      code.kind = Code::Kind::named;
      code.fn = r.fn();
      break;
    case Resolution::Kind::type:
      if (const FnId made = p_.decls.types[r.type()].constructor; made.valid()) {
        code.kind = Code::Kind::named;
        code.fn = made;
      }
      break;
    case Resolution::Kind::type_param_member:
      code.kind = Code::Kind::named;
      code.fn = FnId(r.part);
      break;
    case Resolution::Kind::variant: code.kind = Code::Kind::pure; break;
    case Resolution::Kind::local: own_param(r.local(), code); break;
    default: break;
  }
  return code;
}

void BodyValues::own_param(LocalId local, Code& code) const {
  if (!fn_.valid() || names_.locals[local].kind != LocalKind::param) return;
  for (std::uint32_t i = 0; i < params_of_.count; ++i) {
    if (!(names_.params[params_of_.begin + i] == local)) continue;
    code.type = p_.decls.fns[fn_].params[i].type;
    if (p_.contracts.detached[fn_][i]) return;
    code.kind = Code::Kind::own_param;
    code.param = i;
    // What `sync(f)` names decides for the caller, not here.
    const auto& sync_params = p_.decls.fns[fn_].sync_params;
    if (std::find(sync_params.begin(), sync_params.end(), i) != sync_params.end() &&
        is_kind(code.type, TypeKind::function)) {
      const Type type = p_.table[code.type];
      std::vector<TypeId> params(type.args.begin(), type.args.end() - 1);
      code.type = p_.table.function(std::move(params), type.args.back(), true, type.is_throws);
    }
  }
}

bool BodyValues::is_sequence(TypeId type) const {
  if (!type.valid()) return false;
  type = p_.table.without_ref(type);
  return is_kind(type, TypeKind::seq) || (is_kind(type, TypeKind::named) && p_.table[type].decl == p_.decls.par);
}

void BodyValues::merge(Step& into, Step from) const {
  into.pauses |= from.pauses;
  into.throws |= from.throws;
  for (Code& code : from.codes) into.codes.push_back(std::move(code));
}

Step BodyValues::walked_by(const FnDecl& fn, const Call& c) const {
  Step step;
  if (fn.key.empty() || is_sequence(c.result) || fn.receiver != Receiver::value) return step;
  if (c.receiver.valid() && is_sequence(type_of(c.receiver))) merge(step, step_of(c.receiver));
  return step;
}

Step BodyValues::step_of(ExprId e) const {
  Step step;
  e = bare(e);
  const TypeId type = type_of(e);
  if (!is_sequence(type)) return step;
  if (names_.exprs[e].kind == Resolution::Kind::local) {
    const ExprId initial = initial_[names_.exprs[e].local().index];
    if (initial.valid()) return step_of(initial);
  }
  const CallId call_id = std::holds_alternative<CallExpr>(t_.exprs[e].node) ? types_.call_of[e] : CallId();
  bool is_adapter = false;
  if (call_id.valid()) {
    const Call& c = types_.calls[call_id];
    if (c.receiver.valid() && is_sequence(type_of(c.receiver))) {
      is_adapter = true;
      merge(step, step_of(c.receiver));
    }
    for (ExprId arg : c.args) {
      if (arg.valid() && is_sequence(type_of(arg))) merge(step, step_of(arg));
      if (arg.valid() && is_adapter && is_kind(type_of(arg), TypeKind::function)) step.codes.push_back(code_of(arg));
    }
    if (c.fn.valid() && c.receiver.valid() && !is_adapter &&
        is_kind(p_.table.without_ref(type_of(c.receiver)), TypeKind::range)) {
      for (ExprId arg : c.args) {
        if (arg.valid() && is_kind(type_of(arg), TypeKind::function)) step.codes.push_back(code_of(arg));
      }
    }
  }
  if (!is_adapter && is_kind(p_.table.without_ref(type), TypeKind::seq)) {
    const std::uint8_t words = p_.table[p_.table.without_ref(type)].words;
    step.pauses |= (words & seq_pauses) != 0;
    step.throws |= (words & seq_throws) != 0;
  }
  return step;
}

std::vector<CollectorId> BodyValues::tasks_of(ExprId handle) const {
  handle = bare(handle);
  std::vector<CollectorId> found;
  if (names_.exprs[handle].kind == Resolution::Kind::local) {
    const LocalId local = names_.exprs[handle].local();
    const ExprId initial = names_.locals[local].is_mut ? ExprId() : initial_[local.index];
    for (const auto& [spawn, task] : tasks_) {
      if (initial.valid() && spawn == bare(initial)) return {task};
    }
  }
  for (const auto& [spawn, task] : tasks_) {
    if (spawn == handle) return {task};
    if (type_of(spawn) == p_.table.without_ref(type_of(handle))) found.push_back(task);
  }
  return found;
}

}  // namespace nikaia::lang::effects
