// Fills the declarations with what the library declares, from the text of `std/std.contracts`.
#pragma once

#include <string_view>

#include "lang/types/declarations.h"

namespace nikaia::lang {

class Sink;

// Adds every type, trait, function and method of the library, the modules and the prelude. To be called once, on
// declarations that hold nothing of the library yet. What `text` gets wrong is an internal error with its line; the
// rows that are right are there all the same. Cost: about a millisecond.
void load_library(std::string_view text, TypeTable& types, Interner& names, Declarations& decls, Sink& sink);

}  // namespace nikaia::lang
