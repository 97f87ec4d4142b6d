// A task that runs into the guard below its stack stops the program with the line of its `spawn`
// (language 09 §8.2).
#pragma once

namespace nikaia::rt {

struct Fiber;
struct Options;

// Installs the handler for faults, on a stack of its own. A fault that is none of a guard is handed
// on.
void catch_stack_overflow(const Options& options);

// The stack of `fiber` was found to be overrun.
[[noreturn]] void stack_used_up(const Fiber& fiber);

}  // namespace nikaia::rt
