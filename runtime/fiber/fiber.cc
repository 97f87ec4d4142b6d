#include "runtime/fiber/fiber.h"

#include <cstdint>
#include <new>
#include <pthread.h>

#include "runtime/start/stack_overflow.h"

#ifdef NIKAIA_ASAN_FIBERS
#include <sanitizer/asan_interface.h>
#endif

namespace nikaia::rt {
namespace {

struct Birth {
  void (*entry)(Fiber&);
};

std::size_t record_bytes() {
  return (sizeof(Fiber) + sizeof(Birth) + 63) / 64 * 64;
}

}  // namespace

extern "C" void nikaia_begin_context(void* self) {
  Fiber& fiber = *static_cast<Fiber*>(self);
#ifdef NIKAIA_ASAN_FIBERS
  __sanitizer_finish_switch_fiber(fiber.fake_stack, nullptr, nullptr);
#endif
  // What to run stands behind the record at the top of the stack.
  reinterpret_cast<Birth*>(&fiber + 1)->entry(fiber);
  __builtin_unreachable();
}

Fiber* make_fiber(void (*entry)(Fiber&)) {
  const Stack stack = take_stack();
  std::byte* top = stack.high - record_bytes();
#ifdef NIKAIA_ASAN_FIBERS
  __asan_unpoison_memory_region(stack.low, stack_bytes);
#endif
  auto* fiber = new (top) Fiber;
  new (fiber + 1) Birth{entry};
  fiber->stack = stack;
  fiber->context = make_context(top, static_cast<std::size_t>(top - stack.low), fiber);
#ifdef NIKAIA_TSAN_FIBERS
  fiber->thread = __tsan_create_fiber(0);
#endif
  return fiber;
}

void free_fiber(Fiber* fiber) {
#ifdef NIKAIA_TSAN_FIBERS
  __tsan_destroy_fiber(fiber->thread);
#endif
  const Stack stack = fiber->stack;
#ifdef NIKAIA_ASAN_FIBERS
  __asan_unpoison_memory_region(stack.low, stack_bytes);
#endif
  give_back_stack(stack);
}

void adopt_thread(Fiber& fiber) {
  fiber.stack.is_process_stack = true;
#ifdef NIKAIA_ASAN_FIBERS  // reads /proc/self/maps, which a start without sanitizers need not pay
                           // for
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) == 0) {
    void* low = nullptr;
    std::size_t bytes = 0;
    ::pthread_attr_getstack(&attributes, &low, &bytes);
    ::pthread_attr_destroy(&attributes);
    fiber.stack.low = static_cast<std::byte*>(low);
    fiber.stack.high = fiber.stack.low + bytes;
  }
#endif
#ifdef NIKAIA_TSAN_FIBERS
  fiber.thread = __tsan_get_current_fiber();
#endif
}

void end_overrun(const Fiber& fiber) {
  stack_used_up(fiber);
}

}  // namespace nikaia::rt
