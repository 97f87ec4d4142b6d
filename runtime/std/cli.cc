// What the program was started with. The system's text lives as long as the process, so it is not
// copied.
#include <cstdlib>
#include <unistd.h>

#include <nikaia/rt/format.h>
#include <nikaia/rt/runtime.h>
#include <nikaia/rt/std_cli.h>

#include "utf8.h"

namespace nikaia {

Maybe<String> args_nth(const Args&, std::int64_t at, At place) {
  const rt::Arguments given = rt::arguments();
  const std::size_t position = counted(at, place);
  if (position >= static_cast<std::size_t>(given.count)) {
    return {};
  }
  const char* const bytes = given.text[position];
  const std::size_t size = std::strlen(bytes);
  if (!utf8::valid(bytes, size)) {
    stop(place, format("argument "_s, at, " is not valid UTF-8"_s));
  }
  return String::literal(size == 0 ? ""_s : Str(bytes, size));
}

std::int64_t args_len(const Args&) {
  return rt::arguments().count;
}

Maybe<String> cli_env(Str name, At place) {
  if (name.size == 0 || std::memchr(name.data, '\0', name.size) != nullptr) {
    return {};
  }
  String zero_ended = clone(name);
  zero_ended.append_byte('\0');
  const char* const bytes = std::getenv(zero_ended.data());
  if (bytes == nullptr) {
    return {};
  }
  const Str value(bytes, std::strlen(bytes));
  if (!utf8::valid(value.data, value.size)) {
    stop(place, format("the environment variable "_s, name, " is not valid UTF-8"_s));
  }
  return clone(value);
}

String cli_paint(Str text, Colour colour) {
  static const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  if (!is_terminal) {
    return clone(text);
  }
  char start[] = "\x1b[30m";
  start[3] = static_cast<char>('0' + static_cast<int>(colour));
  String painted;
  painted.append(start, sizeof start - 1);
  painted.append(text);
  painted.append("\x1b[0m"_s);
  return painted;
}

}  // namespace nikaia
