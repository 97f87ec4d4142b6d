// Escaping for a text node and a quoted attribute (language 07 §16.1).
#include <nikaia/rt/std_html.h>

namespace nikaia {

namespace {

Str replacement(char c) {
  switch (c) {
    case '&': return "&amp;"_s;
    case '<': return "&lt;"_s;
    case '>': return "&gt;"_s;
    case '"': return "&quot;"_s;
    case '\'': return "&#39;"_s;
    default: return {};
  }
}

}  // namespace

void html_escape_into(String& out, Str text) {
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size; ++i) {
    const Str instead = replacement(text.data[i]);
    if (instead.size != 0) {
      out.append(text.part(plain, i));
      out.append(instead);
      plain = i + 1;
    }
  }
  out.append(text.part(plain, text.size));
}

String html_escape(Str text) {
  for (std::size_t i = 0; i < text.size; ++i) {
    if (replacement(text.data[i]).size != 0) {
      String out = String::with_room(text.size + text.size / 8 + 8);
      html_escape_into(out, text);
      return out;
    }
  }
  hold(text.buffer);
  return String::adopt(text.data, text.size, text.buffer);
}

}  // namespace nikaia
