// Parsing a request's head (language 07 §14.2). Every failure begins with the status code to
// answer.
#include <nikaia/rt/format.h>
#include <nikaia/rt/std_http1.h>

#include "utf8.h"

namespace nikaia {

namespace {

// Where the blank line that ends the head ends; 0 while it has not arrived. A line ends with CR LF
// or with LF.
std::size_t end_of_head(Str bytes) {
  std::size_t at = 0;
  while (at < bytes.size) {
    const auto* const end = static_cast<const char*>(std::memchr(bytes.data + at, '\n', bytes.size - at));
    if (end == nullptr) {
      return 0;
    }
    const auto next = static_cast<std::size_t>(end - bytes.data) + 1;
    if (next < bytes.size && bytes.data[next] == '\n') {
      return next + 1;
    }
    if (next + 1 < bytes.size && bytes.data[next] == '\r' && bytes.data[next + 1] == '\n') {
      return next + 2;
    }
    at = next;
  }
  return 0;
}

Failure refused(Str why) {
  return io_failure_other(format("400 "_s, why));
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}
bool same_name(Str a, Str b) {
  if (a.size != b.size) {
    return false;
  }
  for (std::size_t i = 0; i < a.size; ++i) {
    if (lower(a.data[i]) != lower(b.data[i])) {
      return false;
    }
  }
  return true;
}

// The characters of a header's name (RFC 9110, token).
bool is_token(Str text) {
  for (std::size_t i = 0; i < text.size; ++i) {
    const char c = text.data[i];
    const bool word = (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z');
    if (!word && std::strchr("!#$%&'*+-.^_`|~", c) == nullptr) {
      return false;
    }
  }
  return text.size != 0;
}

// Whether one of the comma-separated words of a header is `word`.
bool lists_word(Str value, Str word) {
  for (SplitSeq words = text_split(value, U','); auto one = words.next();) {
    if (same_name(text_trim(*one), word)) {
      return true;
    }
  }
  return false;
}

std::size_t position(Str whole, Str part) {
  return static_cast<std::size_t>(part.data - whole.data);
}

// METHOD TARGET VERSION, one blank between.
Result<void> read_request_line(Str line, Str whole, Head& head, bool& is_1_1) {
  Str words[3];
  std::size_t count = 0;
  for (SplitSeq parts = text_split(line, U' '); auto part = parts.next(); ++count) {
    if (count == 3 || (*part).size == 0) {
      return refused("the request line is not three words"_s);
    }
    words[count] = *part;
  }
  if (count != 3) {
    return refused("the request line is not three words"_s);
  }
  if (words[0] != "GET"_s && words[0] != "POST"_s) {
    return refused("the method is neither GET nor POST"_s);
  }
  is_1_1 = words[2] == "HTTP/1.1"_s;
  if (!is_1_1 && words[2] != "HTTP/1.0"_s) {
    return refused("the version is neither HTTP/1.0 nor HTTP/1.1"_s);
  }
  head.method_to = words[0].size;
  head.target_from = position(whole, words[1]);
  head.target_to = head.target_from + words[1].size;
  return {};
}

Str without_blanks(Str text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (text.size != 0 && blank(text.data[0])) {
    text = text.part(1, text.size);
  }
  while (text.size != 0 && blank(text.data[text.size - 1])) {
    text = text.part(0, text.size - 1);
  }
  return text;
}

Result<void> read_header(Str line, Str whole, Head& head) {
  const auto colon = text_find(line, ":"_s);
  const Str name = colon.has() ? line.part(0, static_cast<std::size_t>(*colon)) : Str();
  if (!is_token(name)) {  // a line that goes on the one before begins with a blank
    return refused("a header line has no name"_s);
  }
  const Str value = without_blanks(line.part(name.size + 1, line.size));
  const std::size_t from = position(whole, name);
  const std::size_t at = position(whole, value);
  head.lines.push(HeaderLine{from, from + name.size, at, at + value.size});
  return {};
}

}  // namespace

Result<std::int64_t> buffer_head_end(const Buffer& buffer, std::int64_t cap) {
  const Str bytes = buffer.bytes();
  const std::size_t end = end_of_head(bytes);
  const auto size = static_cast<std::int64_t>(end == 0 ? bytes.size : end);
  if (size > cap) {
    return io_failure_other("431 the head is too large"_s);
  }
  return static_cast<std::int64_t>(end);
}

Result<Head> buffer_head(const Buffer& buffer) {
  const std::size_t end = end_of_head(buffer.bytes());
  if (end == 0) {
    return refused("the head is not complete"_s);
  }
  Head head;
  head.text.append(buffer.bytes().part(0, end));
  const Str whole = head.text;
  if (!utf8::valid(whole.data, whole.size)) {
    return refused("the head is not valid UTF-8"_s);
  }
  bool is_1_1 = false;
  bool is_first = true;
  for (LineSeq lines = text_lines(whole); auto line = lines.next();) {
    if ((*line).size == 0) {
      break;
    }
    auto read = is_first ? read_request_line(*line, whole, head, is_1_1) : read_header(*line, whole, head);
    if (read.failed()) {
      return read.take_failure();
    }
    is_first = false;
  }
  if (is_first) {
    return refused("the request line is not three words"_s);
  }
  if (head_header(head, "transfer-encoding"_s).has()) {
    return refused("a transfer-encoding is not understood"_s);
  }
  bool has_length = false;
  head.keeps_alive = is_1_1;
  for (const HeaderLine& line : head.lines) {
    const Str name = whole.part(line.name_from, line.name_to);
    const Str value = whole.part(line.value_from, line.value_to);
    if (same_name(name, "content-length"_s)) {
      const auto length = text_starts_with(value, U'+') ? Maybe<std::int64_t>() : text_parse<std::int64_t>(value);
      if (!length.has() || *length < 0 || (has_length && *length != head.length)) {
        return refused("the content-length is not a count"_s);
      }
      head.length = *length;
      has_length = true;
    } else if (same_name(name, "connection"_s)) {
      head.keeps_alive = is_1_1 ? head.keeps_alive && !lists_word(value, "close"_s) : lists_word(value, "keep-alive"_s);
    }
  }
  return head;
}

Result<String> buffer_text_from(const Buffer& buffer, std::int64_t at, At place) {
  const Str bytes = buffer.bytes();
  if (at < 0) {
    stop_index(place, at, bytes.size);
  }
  const auto from = static_cast<std::size_t>(at);
  if (from >= bytes.size) {
    return String::literal(""_s);
  }
  const Str rest = bytes.part(from, bytes.size);
  if (!utf8::valid(rest.data, rest.size)) {
    return Failure::make(IoError::NotText(String::literal("the body"_s)));
  }
  String text = String::with_room(rest.size);
  text.append(rest);
  return text;
}

Str head_path(const Head& head) {
  const Str target = head_target(head);
  const auto mark = text_find(target, "?"_s);
  return mark.has() ? target.part(0, static_cast<std::size_t>(*mark)) : target;
}

Maybe<Str> head_query(const Head& head, Str name) {
  const Str target = head_target(head);
  const auto mark = text_find(target, "?"_s);
  if (!mark.has()) {
    return {};
  }
  const Str query = target.part(static_cast<std::size_t>(*mark) + 1, target.size);
  for (SplitSeq pairs = text_split(query, U'&'); auto pair = pairs.next();) {
    const Str text = *pair;
    const auto equals = text_find(text, "="_s);
    const std::size_t end = equals.has() ? static_cast<std::size_t>(*equals) : text.size;
    if (text.size != 0 && text.part(0, end) == name) {
      return text.part(end + (equals.has() ? 1 : 0), text.size);
    }
  }
  return {};
}

Maybe<Str> head_header(const Head& head, Str name) {
  const Str whole = head.text;
  for (const HeaderLine& line : head.lines) {
    if (same_name(whole.part(line.name_from, line.name_to), name)) {
      return whole.part(line.value_from, line.value_to);
    }
  }
  return {};
}

}  // namespace nikaia
