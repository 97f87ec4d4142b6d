// Places and callees in the words of the program, for messages.
#pragma once

#include <string>
#include <string_view>

#include "lang/nir/nir.h"

namespace nikaia::lang {
class SourceMap;
}

namespace nikaia::lang::nir {

struct ShownWorld {
  const SourceMap& sources;
  const TypeTable& types;
  const Declarations& decls;
  const Interner& names;
};

// The source under `span` where it is one short line, else "".
std::string short_source(const ShownWorld& world, Span span);
// As it was written, `shop.name`, `rows[i]`; where that is not known, made of the names in it. A value without a
// name is "this value".
std::string shown(const ShownWorld& world, const Function& function, const Place& place);
// The name of the place's root, or what the whole place is where the root has none.
std::string shown_root(const ShownWorld& world, const Function& function, const Place& place);
// As a call names it: `push`, `keep`, `Parcel`.
std::string shown(const ShownWorld& world, FnId fn);

}  // namespace nikaia::lang::nir
