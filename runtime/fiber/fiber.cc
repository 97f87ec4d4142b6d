#include "runtime/fiber/fiber.h"

#include <pthread.h>

#include <cstdint>
#include <new>

#include "runtime/start/stack_overflow.h"

#ifdef NIKAIA_ASAN_FIBERS
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef NIKAIA_TSAN_FIBERS
#include <sanitizer/tsan_interface.h>
#endif

namespace nikaia::rt {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

// What travels with a jump: who was left, and for a first jump what to run.
struct Crossing {
  Fiber* from;
  Fiber* to;
};

// The other half of a switch, on the stack that was entered.
inline void arrive(const transfer_t& transfer, [[maybe_unused]] Fiber& self) {
  auto* crossing = static_cast<Crossing*>(transfer.data);
  crossing->from->context = transfer.fctx;
#ifdef NIKAIA_ASAN_FIBERS
  __sanitizer_finish_switch_fiber(self.fake_stack, nullptr, nullptr);
#endif
}

struct Birth {
  void (*entry)(Fiber&);
};

void first_arrival(transfer_t transfer) {
  Fiber& self = *static_cast<Crossing*>(transfer.data)->to;
  arrive(transfer, self);
  // The entry is left behind the record at the top of the stack.
  reinterpret_cast<Birth*>(&self + 1)->entry(self);
  __builtin_unreachable();
}

std::size_t record_bytes() { return (sizeof(Fiber) + sizeof(Birth) + 63) / 64 * 64; }

}  // namespace

Fiber* make_fiber(void (*entry)(Fiber&)) {
  const Stack stack = take_stack();
  std::byte* top = stack.high - record_bytes();
#ifdef NIKAIA_ASAN_FIBERS
  __asan_unpoison_memory_region(stack.low, stack_bytes);
#endif
  auto* fiber = new (top) Fiber;
  new (fiber + 1) Birth{entry};
  fiber->stack = stack;
  fiber->context = make_fcontext(top, static_cast<std::size_t>(top - stack.low), first_arrival);
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
#ifdef NIKAIA_ASAN_FIBERS  // reads /proc/self/maps, which a start without sanitizers need not pay for
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

void switch_fiber(Fiber& from, Fiber& to) {
  if (!from.stack.guarded && !watermark_whole(from.stack)) stack_used_up(from);
  Crossing crossing{&from, &to};
#ifdef NIKAIA_ASAN_FIBERS
  __sanitizer_start_switch_fiber(&from.fake_stack, to.stack.low,
                                 static_cast<std::size_t>(to.stack.high - to.stack.low));
#endif
#ifdef NIKAIA_TSAN_FIBERS
  __tsan_switch_to_fiber(to.thread, 0);
#endif
  arrive(jump_fcontext(to.context, &crossing), from);
}

}  // namespace nikaia::rt
