// Leaving one stack for another.
//
// On x86_64 the switch is ours: it saves the six registers the ABI asks to be preserved and jumps.
// Boost.Context's also saves and loads the control words of both floating-point units, and loading
// a MXCSR that differs from the one in force (it does as soon as one task has rounded a result and
// another has not: the sticky flags are in there) costs 80 ns here. Measured there and back: 6 ns,
// against 11 to 19 ns, and 180 ns once a task has used floating point. No Nikaia code can change a
// control word, and foreign code cannot pause, so there is nothing to preserve. Elsewhere
// Boost.Context switches.
#pragma once

#include <cstddef>

namespace nikaia::rt {

// A place where a stack was left: its stack pointer.
using Context = void*;

// What every new context begins with, on its own stack: fiber.cc's. Never returns.
extern "C" [[noreturn]] void nikaia_begin_context(void* self);

// A context that begins on the stack that ends at `top` (16-byte aligned) when it is first switched
// to.
[[nodiscard]] Context make_context(std::byte* top, std::size_t bytes, void* self);

// Stores the running context into `from` and goes on in `to`, whose `self` it was made with.
// Returns when somebody switches to what is in `from`.
#if defined(__x86_64__)
extern "C" void nikaia_switch_context(Context* from, Context to);
inline void switch_context(Context& from, Context to, void*) {
  nikaia_switch_context(&from, to);
}
#else
void switch_context(Context& from, Context to, void* self_of_to);
#endif

}  // namespace nikaia::rt
