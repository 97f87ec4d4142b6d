// What runs where a value dies: the cleanups and drops of its type and of everything it holds (03 §5).
#pragma once

#include <vector>

#include "lang/types/declarations.h"
#include "lang/types/types.h"

namespace nikaia::lang {

struct Teardown {
  std::vector<FnId> cleanups;        // of the program's types, each once
  bool has_library_cleanup = false;  // a type of the library with one is in it: it pauses and can fail
  bool has_drop = false;             // of a program's type
  std::vector<TypeParamId> params;   // type parameters of which a value is in it
  bool has_cleanup() const { return !cleanups.empty() || has_library_cleanup; }
  bool runs_code() const { return has_cleanup() || has_drop; }
};

// Cost: a walk of the type's parts, each once.
Teardown teardown_of(TypeTable& types, const Declarations& decls, TypeId type);

}  // namespace nikaia::lang
