#include "lang/nir/places.h"

namespace nikaia::lang::nir {
namespace {

TypeId put_arguments(TypeTable& types, TypeId declared, const std::vector<TypeParamId>& params,
                     std::vector<TypeId> args) {  // a copy: interning moves the table
  if (!declared.valid()) return declared;
  return types.substitute(declared, [&](TypeParamId p) {
    for (std::size_t i = 0; i < params.size() && i < args.size(); ++i) {
      if (params[i] == p) return args[i];
    }
    return TypeId{};
  });
}

}  // namespace

TypeId element_type(const TypeTable& types, const Declarations& decls, TypeId base) {
  const Type& t = types[base];
  if (t.kind == TypeKind::array) return t.args[0];
  if (t.kind == TypeKind::ref && types.kind(t.args[0]) == TypeKind::array) return types[t.args[0]].args[0];
  if (t.kind == TypeKind::named) {
    if (t.decl == decls.vec && !t.args.empty()) return t.args[0];
    if (t.decl == decls.bytes || t.decl == decls.mapped) return types.basic(TypeKind::u8);
  }
  return {};
}

TypeId projected_type(TypeTable& types, const Declarations& decls, TypeId base, const Projection& projection) {
  if (!base.valid()) return {};
  const Type& t = types[base];
  switch (projection.kind) {
    case ProjectionKind::field: {
      if (t.kind != TypeKind::named) return {};
      const TypeDecl& decl = decls.types[t.decl];
      if (projection.index >= decl.fields.size()) return {};
      const TypeId field = decl.fields[projection.index].type;
      return decl.params.empty() ? field : put_arguments(types, field, decl.params, t.args);
    }
    case ProjectionKind::part:
      return t.kind == TypeKind::tuple && projection.index < t.args.size() ? t.args[projection.index] : TypeId{};
    case ProjectionKind::payload: {
      if (t.kind != TypeKind::named) return {};
      const TypeDecl& decl = decls.types[t.decl];
      if (projection.variant >= decl.variants.size()) return {};
      const auto& parts = decl.variants[projection.variant].parts;
      if (projection.index >= parts.size()) return {};
      const TypeId part = parts[projection.index].type;
      return decl.params.empty() ? part : put_arguments(types, part, decl.params, t.args);
    }
    case ProjectionKind::some: return t.kind == TypeKind::nullable ? t.args[0] : TypeId{};
    case ProjectionKind::deref: return t.kind == TypeKind::ref ? t.args[0] : TypeId{};
    case ProjectionKind::inside:
      return t.kind == TypeKind::named && t.decl == decls.shared && !t.args.empty() ? t.args[0] : TypeId{};
    case ProjectionKind::index: return element_type(types, decls, base);
  }
  return {};
}

}  // namespace nikaia::lang::nir
