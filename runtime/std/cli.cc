// What the program was started with. The system's text lives as long as the process, so it is not
// copied.
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

}  // namespace nikaia
