// Whether a plain text looks as if it was meant to be an `f"…"` (NK1111).
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace nikaia::lang::naming {

// The first thing in `text` that looks like a hole, `{load}` giving "load", or a doubled brace, giving "{" or "}";
// empty where nothing does. A hole starts with a name that `is_in_scope` and has the shape of an expression. `written`
// is the literal as it stands in the source, where an escaped brace is no brace.
std::string looks_like_hole(std::string_view text, std::string_view written,
                            const std::function<bool(std::string_view)>& is_in_scope);

}  // namespace nikaia::lang::naming
