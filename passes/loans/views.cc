#include "passes/loans/views.h"

namespace nikaia::lang::loans {

std::uint8_t Views::of(TypeId type) {
  if (!type.valid()) return 0;
  auto [it, is_new] = known_.try_emplace(type, std::uint8_t{0});  // a type met inside itself adds nothing
  if (!is_new) return it->second;
  const std::uint8_t found = find(type);
  known_[type] = found;
  return found;
}

std::uint8_t Views::find(TypeId type) {
  const Type& t = types_[type];
  unsigned out = 0;
  switch (t.kind) {
    case TypeKind::ref: {
      const Type& target = types_[t.args[0]];
      if (target.kind == TypeKind::string && !t.is_mut)
        out = view_text;
      else if (target.kind == TypeKind::array && target.length == Type::unsized)
        out = view_run;
      else
        out = view_pointer;
      return static_cast<std::uint8_t>(out | of(t.args[0]));
    }
    case TypeKind::param: return view_open;
    case TypeKind::seq: out = view_pointer; break;
    case TypeKind::function:
    case TypeKind::error_sum: return 0;
    case TypeKind::named: {
      const TypeDecl& decl = decls_.types[t.decl];
      if (t.decl == decls_.entry || t.decl == decls_.par || t.decl == decls_.scope) out = view_pointer;
      // The parameters of a declaration are answered by the arguments.
      for (const FieldInfo& f : decl.fields) out |= of(f.type) & ~unsigned{view_open};
      for (const VariantInfo& v : decl.variants) {
        for (const FieldInfo& f : v.parts) out |= of(f.type) & ~unsigned{view_open};
      }
      break;
    }
    default: break;
  }
  for (TypeId a : t.args) out |= of(a);
  return static_cast<std::uint8_t>(out);
}

bool Views::is_torn_down(TypeId type) const {
  if (!type.valid() || types_.kind(type) != TypeKind::named) return false;
  const TypeDecl& decl = decls_.types[types_[type].decl];
  return decl.drop.valid() || decl.cleanup.valid();
}

}  // namespace nikaia::lang::loans
