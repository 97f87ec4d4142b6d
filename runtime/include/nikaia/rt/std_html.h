// std::html (language 07 §16): escaping.
#pragma once

#include <nikaia/rt/text.h>

namespace nikaia {

// & < > " ' replaced; text without any of them is a view's own text, not copied.
String html_escape(Str text);
// Appends the escaped text.
void html_escape_into(String& out, Str text);

}  // namespace nikaia
