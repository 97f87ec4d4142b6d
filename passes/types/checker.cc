// The checker's own small questions about types, and the writing of what it decides. See checker.h.
#include "passes/types/checker.h"

namespace nikaia::lang::typing {

Checker::Checker(PassContext& pass, Types& table)
    : context(pass),
      compilation(pass.compilation()),
      decls(pass.require(declarations_fact)),
      all_names(pass.require(names_fact)),
      facts(table),
      types(pass.types()),
      names(pass.names()),
      sink(pass.sink()),
      vars(types, decls) {
  error = types.basic(TypeKind::error);
  never = types.basic(TypeKind::never);
  unit = types.basic(TypeKind::unit);
  i32 = types.basic(TypeKind::i32);
  i64 = types.basic(TypeKind::i64);
  u8 = types.basic(TypeKind::u8);
  u32 = types.basic(TypeKind::u32);
  u64 = types.basic(TypeKind::u64);
  f64 = types.basic(TypeKind::f64);
  bool_ = types.basic(TypeKind::bool_);
  char_ = types.basic(TypeKind::char_);
  string = types.basic(TypeKind::string);
  text_view = types.ref(string);
  for (std::size_t i = 0; i < decls.impls.size(); ++i) {
    const ImplDecl& impl = decls.impls[ImplId(i)];
    if (impl.trait.valid() && impl.type.valid()) impls_by_head_[head_key(impl.type)].push_back(ImplId(i));
  }
}

std::uint64_t Checker::head_key(TypeId type) const {
  const Type& t = types[type];
  const std::uint64_t rest = t.kind == TypeKind::named ? t.decl.index : 0;
  return static_cast<std::uint64_t>(t.kind) << 32 | rest;
}

std::span<const ImplId> Checker::impls_for(TypeId type) const {
  auto it = impls_by_head_.find(head_key(type));
  if (it == impls_by_head_.end()) return {};
  return it->second;
}

TypeDeclId Checker::decl_of(TypeId t) {
  const Type& type = types[vars.shallow(t)];
  return type.kind == TypeKind::named ? type.decl : TypeDeclId();
}

TypeId Checker::seen_through(TypeId t) {
  for (;;) {
    t = vars.shallow(t);
    const Type& type = types[t];
    if (type.kind == TypeKind::ref) {
      t = type.args[0];
    } else if (type.kind == TypeKind::named && (type.decl == decls.shared || type.decl == decls.seen) &&
               !type.args.empty()) {
      t = type.args[0];
    } else {
      return t;
    }
  }
}

TypeId Checker::as_value(TypeId t) {
  for (;;) {
    t = vars.shallow(t);
    const Type& type = types[t];
    if (type.args.empty()) return t;
    const TypeId inner = type.args[0];
    const bool is_seen = type.kind == TypeKind::named && type.decl == decls.seen;
    if (!is_seen && !(type.kind == TypeKind::ref && vars.copies(inner))) return t;
    t = inner;
  }
}

TypeId Checker::view_of(TypeId t) {
  t = vars.shallow(t);
  const TypeKind k = types.kind(t);
  if (k == TypeKind::error || k == TypeKind::never || k == TypeKind::ref || k == TypeKind::unit) return t;
  // A class of texts may yet turn out to own them; the view is settled with it.
  if (k == TypeKind::infer && vars.class_of(t)->kind == VarKind::text) return types.ref(t);
  return vars.copies(t) ? t : types.ref(t);
}

TypeId Checker::lent(TypeId t) {
  t = vars.shallow(t);
  if (!vars.has_infer(t) && handing_of(types, decls, t) == Handing::handle) return t;
  return view_of(t);
}

TypeId Checker::nullable_of(TypeId t) {
  t = vars.shallow(t);
  return types.nullable(t);
}

void Checker::set_type(ExprId e, TypeId t) {
  out->exprs[e] = t;
  if (vars.has_infer(t)) open_exprs.push_back(e);
}

void Checker::set_wanted(ExprId e, TypeId t) {
  out->wanted[e] = t;
  open_wanted.push_back(e);
}

void Checker::set_local(LocalId l, TypeId t) {
  if (!l.valid()) return;
  out->locals[l] = t;
  if (vars.has_infer(t)) open_locals.push_back(l);
}

void Checker::set_pattern(PatternId p, TypeId t) {
  out->patterns[p] = t;
  if (vars.has_infer(t)) open_patterns.push_back(p);
}

}  // namespace nikaia::lang::typing
