#include "lang/nir/view_facts.h"

namespace nikaia::lang::nir {

std::optional<FieldOf> field_of(const Function& f, const TypeTable& types, const Declarations& decls,
                                const Place& place) {
  if (place.is_local()) return std::nullopt;
  const Projection& last = place.path.back();
  const std::size_t steps = place.path.size();
  const TypeId in = steps > 1 ? place.path[steps - 2].type : f.locals[place.root].type;
  const Type& t = types[types.without_ref(in)];
  if (t.kind != TypeKind::named) return std::nullopt;
  if (last.kind == ProjectionKind::field) return FieldOf{t.decl, last.index};
  if (last.kind != ProjectionKind::payload) return std::nullopt;
  return FieldOf{t.decl, first_part(decls.types[t.decl], last.variant) + last.index};
}

}  // namespace nikaia::lang::nir
