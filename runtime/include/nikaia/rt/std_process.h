// std::process (language 07 §13.2).
#pragma once

#include <nikaia/rt/path.h>
#include <nikaia/rt/vec.h>

namespace nikaia {

struct Output {
  std::int64_t code = 0;
  bool ok = false;
  // Named as the language names them; <stdio.h> defines each as itself.
  String stdout;
  String stderr;
};
template <>
inline constexpr bool copies<Output> = false;
[[nodiscard]] Output clone(const Output& output);

// Runs the program to its end. `arguments` are taken. Pauses; the program dies with a task that is
// cancelled.
Result<Output> process_run(Str program, Vec<String> arguments, Str dir = "."_s);

}  // namespace nikaia
