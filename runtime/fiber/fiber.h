// A fiber: a stack and the place where it was left. Switching is one call of Boost.Context's jump, which saves
// the callee-saved registers on the stack it leaves and loads those of the one it enters.
//
// The record of a fiber stands at the top of its own stack, in the page that is touched anyway. Fibers that
// have nothing to run wait suspended inside their main function and are handed their next task by assigning
// it and switching to them: starting a task makes no new context.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

#include "runtime/fiber/stack.h"

#if defined(__SANITIZE_ADDRESS__)
#define NIKAIA_ASAN_FIBERS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NIKAIA_ASAN_FIBERS 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define NIKAIA_TSAN_FIBERS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NIKAIA_TSAN_FIBERS 1
#endif
#endif

namespace nikaia::rt {

struct Task;

struct Fiber {
  boost::context::detail::fcontext_t context = nullptr;  // valid while the fiber is not running
  Task* task = nullptr;                                  // what it runs, or null while it is idle
  Fiber* next_idle = nullptr;
  Stack stack;
#ifdef NIKAIA_ASAN_FIBERS
  void* fake_stack = nullptr;
#endif
#ifdef NIKAIA_TSAN_FIBERS
  void* thread = nullptr;
#endif
};

// A fiber that will run `entry(self)` when it is first switched to. `entry` never returns.
[[nodiscard]] Fiber* make_fiber(void (*entry)(Fiber& self));

// Frees a suspended fiber with its stack. Nothing on that stack is destroyed.
void free_fiber(Fiber* fiber);

// Makes `fiber` stand for the stack this thread runs on, the process's own.
void adopt_thread(Fiber& fiber);

// Leaves `from`, which is running, and goes on in `to`. Returns when somebody switches back to `from`.
// Costs about 3 ns. `from` with an overrun watermark ends the program here.
void switch_fiber(Fiber& from, Fiber& to);

}  // namespace nikaia::rt
