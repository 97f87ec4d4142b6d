// See branches.h.
#include "passes/types/branches.h"

namespace nikaia::lang::typing {

bool BranchSet::held_to() const {
  if (!want.slot || !want.type.valid()) return false;
  const Variable* v = c.vars.class_of(want.type);
  return !v || v->bound.valid();
}

void BranchSet::add(ExprId value, Span span, TypeId type) {
  if (!want.is_used) {
    branches.push_back({value, span, type});
    return;
  }
  if (held_to() && c.kind(type) != TypeKind::never) {
    if (!value.valid() || c.kind(type) == TypeKind::unit) {
      if (!c.is_error(type)) report_missing(span);
      type = c.error;
    } else {
      type = coerce(c, value, type, want.type, *want.slot) ? want.type : c.error;
    }
  }
  branches.push_back({value, span, type});
}

TypeId BranchSet::result() {
  if (want.is_used && !held_to()) return join_branches(c, branches);
  bool all_never = !branches.empty();
  for (const Branch& b : branches) {
    if (want.is_used && c.is_error(b.type)) return c.error;
    all_never &= c.kind(b.type) == TypeKind::never;
  }
  if (all_never) return c.never;
  return want.is_used ? want.type : c.unit;
}

void BranchSet::report_missing(Span span) {
  switch (want.slot->kind) {
    case Slot::Kind::result:
      c.sink.error(Wording::NK1104_no_value, span, want.slot->owner, spelled(c, want.type));
      return;
    case Slot::Kind::handler: c.sink.error(Wording::NK1940_no_value, span, described(c, want.type)); return;
    default: c.sink.error(Code::NK1911, span, described(c, want.type), "nothing");
  }
}

}  // namespace nikaia::lang::typing
