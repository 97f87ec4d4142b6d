// Stopping the program, for the parts of the runtime that know more about the moment than a check
// does.
#pragma once

#include <cstddef>

#include <nikaia/rt/runtime.h>

namespace nikaia::rt {

// As panic_at. Where `hook_can_run` is false the hook is left out: the stop came in the middle of
// something that may not be entered again, such as an allocation.
[[noreturn]] void stop_program(At at, const char* reason, std::size_t bytes, bool hook_can_run);

// Calls the hook, if there is one.
void tell_hook(At at, const char* message, std::size_t bytes);

// The frames above the caller, one a line: file and offset in it, and the function's name where it
// is known. The text is overwritten by the next call.
struct Trace {
  const char* text;
  std::size_t bytes;
};
Trace capture_trace_text();

}  // namespace nikaia::rt
