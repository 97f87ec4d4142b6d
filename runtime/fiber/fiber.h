// A fiber: a stack and the place where it was left (switch.h), with what the sanitizers have to be
// told.
//
// The record of a fiber stands at the top of its own stack, in the page that is touched anyway.
// Fibers that have nothing to run wait suspended inside their main function and are handed their
// next task by assigning it and switching to them: starting a task makes no new context.
#pragma once

#include <cstddef>

#include "runtime/fiber/stack.h"
#include "runtime/fiber/switch.h"

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

#ifdef NIKAIA_ASAN_FIBERS
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef NIKAIA_TSAN_FIBERS
#include <sanitizer/tsan_interface.h>
#endif

namespace nikaia::rt {

struct Task;

struct Fiber {
  Context context = nullptr;  // valid while the fiber is not running
  Task* task = nullptr;       // what it runs, or null while it is idle
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

// `fiber` was found to have run over the end of its unguarded stack.
[[noreturn]] void end_overrun(const Fiber& fiber);

// Leaves `from`, which is running, and goes on in `to`. Returns when somebody switches back to
// `from`. Costs about 3 ns. Inline, because a return after a switch is one the processor predicts
// wrongly.
[[gnu::always_inline]] inline void switch_fiber(Fiber& from, Fiber& to) {
  if (__builtin_expect(!from.stack.guarded, 0) && !watermark_whole(from.stack)) end_overrun(from);
#ifdef NIKAIA_ASAN_FIBERS
  __sanitizer_start_switch_fiber(&from.fake_stack, to.stack.low,
                                 static_cast<std::size_t>(to.stack.high - to.stack.low));
#endif
#ifdef NIKAIA_TSAN_FIBERS
  __tsan_switch_to_fiber(to.thread, 0);
#endif
  switch_context(from.context, to.context, &to);
#ifdef NIKAIA_ASAN_FIBERS
  __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
#endif
}

}  // namespace nikaia::rt
