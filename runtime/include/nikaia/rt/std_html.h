// std::html (language 07 §16): escaping, markup, and what a template's hole writes.
#pragma once

#include <nikaia/rt/format.h>
#include <nikaia/rt/text.h>

namespace nikaia {

// & < > " ' replaced; text without any of them is a view's own text, not copied.
String html_escape(Str text);
// Appends the escaped text.
void html_escape_into(String& out, Str text);

// html::Raw: text that is markup already.
struct Raw {
  String markup;
};
template <>
inline constexpr bool copies<Raw> = false;
inline Raw raw_new(String markup) {
  return Raw{static_cast<String&&>(markup)};
}
[[nodiscard]] inline Raw clone(const Raw& raw) {
  return Raw{clone(raw.markup)};
}

// A hole of a template: markup as it is, everything else by its text form, escaped.
inline void html_hole(String& out, const Raw& raw) {
  out.append(raw.markup);
}
template <class T>
void html_hole(String& out, const T& value) {
  if constexpr (is_text<T>) {
    html_escape_into(out, value);
  } else {
    html_escape_into(out, to_text(value));
  }
}

}  // namespace nikaia
