// std::cli (language 07 §13.1): what the program was started with.
#pragma once

#include <nikaia/rt/hash.h>
#include <nikaia/rt/maybe.h>
#include <nikaia/rt/text.h>

namespace nikaia {

struct Args {};
NIKAIA_INLINE Args cli_args(bool trusted = true) {
  note_trust(trusted);
  return {};
}
// One that is not UTF-8 stops the program.
Maybe<String> args_nth(const Args& args, std::int64_t at, At place = At::here());
std::int64_t args_len(const Args& args);

// Null where it is not set. One that is not UTF-8 stops the program.
Maybe<String> cli_env(Str name, At place = At::here());

// Plain text where standard output is not a terminal.
enum class Colour { Black, Red, Green, Yellow, Blue, Magenta, Cyan, White };
String cli_paint(Str text, Colour colour);

}  // namespace nikaia
