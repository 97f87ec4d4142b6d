#include "lang/nir/views.h"

#include <algorithm>

namespace nikaia::lang::nir {

bool is_buffer_view(const TypeTable& types, TypeId type) {
  const Type& t = types[type];
  if (t.kind != TypeKind::ref) return false;
  const Type& target = types[t.args[0]];
  return (target.kind == TypeKind::string && !t.is_mut) ||
         (target.kind == TypeKind::array && target.length == Type::unsized);
}

std::uint8_t Views::of(TypeId type) {
  return type.valid() ? know(type).views : std::uint8_t{0};
}

bool Views::is_deep(TypeId type) {
  return type.valid() && know(type).is_deep;
}

// What was found for a part while a type around it was open may lack what that one adds: only whole answers are kept.
Views::Found Views::know(TypeId type) {
  if (type.index < known_.size() && known_[type.index].is_known) return known_[type.index];
  std::vector<TypeId> open;
  Found found = find(type, open);
  found.is_known = true;
  if (type.index >= known_.size()) known_.resize(type.index + 1);
  return known_[type.index] = found;
}

Views::Found Views::find(TypeId type, std::vector<TypeId>& open) {
  Found out;
  if (!type.valid()) return out;
  if (type.index < known_.size() && known_[type.index].is_known) return known_[type.index];
  if (std::find(open.begin(), open.end(), type) != open.end()) {
    out.is_cut = true;
    return out;
  }
  const auto add = [&](TypeId part, unsigned without = 0) {
    const Found found = find(part, open);
    out.views = static_cast<std::uint8_t>(out.views | (found.views & ~without));
    out.is_deep = out.is_deep || found.is_deep;
    out.is_cut = out.is_cut || found.is_cut;
    return found;
  };
  const auto see = [&](unsigned views) { out.views = static_cast<std::uint8_t>(out.views | views); };
  open.push_back(type);
  const Type& t = types_[type];
  switch (t.kind) {
    case TypeKind::ref: {
      if (!is_buffer_view(types_, type))
        see(view_pointer);
      else
        see(types_.kind(t.args[0]) == TypeKind::string ? view_text : view_run);
      const Found behind = add(t.args[0]);
      out.is_deep = behind.views != 0 || behind.is_deep || behind.is_cut;
      break;
    }
    case TypeKind::param:
      see(view_open);
      out.is_deep = true;
      break;
    case TypeKind::function: out.is_deep = true; break;  // what it captured is seen through a view of it
    case TypeKind::error_sum: break;
    case TypeKind::seq:
    case TypeKind::named: {
      const TypeDecl* decl = t.kind == TypeKind::named ? &decls_.types[t.decl] : nullptr;
      const bool is_lazy = decl == nullptr || t.decl == decls_.entry || t.decl == decls_.par || t.decl == decls_.scope;
      if (is_lazy) see(view_pointer);
      // Its lambdas may have captured any view.
      out.is_deep = out.is_deep || is_lazy;
      // The parameters of a declaration are answered by the arguments.
      const auto field = [&](const FieldInfo& f) {
        if (f.type.valid() && types_.kind(f.type) != TypeKind::param) add(f.type, view_open);
      };
      if (decl != nullptr) {
        for (const FieldInfo& f : decl->fields) field(f);
        for (const VariantInfo& v : decl->variants) {
          for (const FieldInfo& f : v.parts) field(f);
        }
      }
      for (TypeId a : t.args) add(a);
      break;
    }
    default:
      for (TypeId a : t.args) add(a);
      break;
  }
  open.pop_back();
  return out;
}

bool Views::is_torn_down(TypeId type) const {
  if (!type.valid() || types_.kind(type) != TypeKind::named) return false;
  const TypeDecl& decl = decls_.types[types_[type].decl];
  return decl.drop.valid() || decl.cleanup.valid();
}

}  // namespace nikaia::lang::nir
