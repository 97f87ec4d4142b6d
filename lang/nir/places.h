// The type of a place, and of each projection, as its declarations give it.
#pragma once

#include "lang/nir/nir.h"

namespace nikaia::lang::nir {

// What `projection` reaches in a value of type `base`; invalid where there is no such part. Parts of a
// generic type have its arguments put in.
TypeId projected_type(TypeTable& types, const Declarations& decls, TypeId base, const Projection& projection);

// The type a place says it has: its last projection's, or its root's.
inline TypeId place_type(const Function& f, const Place& place) {
  return place.path.empty() ? f.locals[place.root].type : place.path.back().type;
}

// What indexing a value of `base` reaches: the element of a list, array, run or bytes; else invalid.
TypeId element_type(const TypeTable& types, const Declarations& decls, TypeId base);

}  // namespace nikaia::lang::nir
