// Bytes: text forms, searching for a byte, and the two checked ways to text.
#include <nikaia/rt/bytes.h>
#include <nikaia/rt/path.h>

#include "utf8.h"

namespace nikaia {

void Bytes::show(String& out) const {
  constexpr char hex[] = "0123456789abcdef";
  Str rest = unchecked();
  while (rest.size != 0) {
    const std::size_t valid = utf8::valid_prefix(rest.data, rest.size);
    out.append(rest.part(0, valid));
    rest = rest.part(valid, rest.size);
    if (rest.size != 0) {
      const auto byte = static_cast<unsigned char>(rest.data[0]);
      out.append("\\x"_s);
      out.append_byte(hex[byte >> 4]);
      out.append_byte(hex[byte & 15]);
      rest = rest.part(1, rest.size);
    }
  }
}

Maybe<std::int64_t> bytes_find(const Bytes& bytes, std::uint8_t part, std::int64_t from, At at) {
  const char byte = static_cast<char>(part);
  return text_find(bytes.unchecked(), Str(&byte, 1), from, at);
}

Result<Str> bytes_text(const Bytes& bytes) {
  const Str text = bytes.unchecked();
  if (!utf8::valid(text.data, text.size)) {
    return Failure::make(IoError::NotText(String::literal("bytes"_s)));
  }
  return text;
}

Maybe<Str> BytesLineSeq::checked(Maybe<Str> line) const {
  if (line.has() && !utf8::valid((*line).data, (*line).size)) {
    stop(at_, "a line is not valid UTF-8"_s);
  }
  return line;
}

}  // namespace nikaia
