#include "runtime/fiber/switch.h"

#include <cstdint>
#include <new>

#if defined(__x86_64__)

// The registers are pushed in this order, the return address above them; make_context lays out the
// same. The jump through a register, where one would expect `ret`, is predicted by its history; a
// `ret` would be predicted to return to the caller on the stack that was left, and always wrongly.
asm(R"(
        .text
        .p2align 4
        .globl  nikaia_switch_context
        .hidden nikaia_switch_context
        .type   nikaia_switch_context, @function
nikaia_switch_context:
        .cfi_startproc
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        popq    %r15
        .cfi_adjust_cfa_offset -8
        popq    %r14
        .cfi_adjust_cfa_offset -8
        popq    %r13
        .cfi_adjust_cfa_offset -8
        popq    %r12
        .cfi_adjust_cfa_offset -8
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        popq    %rcx
        .cfi_adjust_cfa_offset -8
        .cfi_register %rip, %rcx
        jmp     *%rcx
        .cfi_endproc
        .size   nikaia_switch_context, .-nikaia_switch_context

        .p2align 4
        .type   nikaia_first_entry, @function
nikaia_first_entry:
        .cfi_startproc
        .cfi_undefined %rip
        movq    %r12, %rdi
        callq   nikaia_begin_context@PLT
        ud2
        .cfi_endproc
        .size   nikaia_first_entry, .-nikaia_first_entry
)");

extern "C" void nikaia_first_entry() __attribute__((visibility("hidden")));

namespace nikaia::rt {
namespace {

struct Saved {
  std::uint64_t r15, r14, r13;
  void* r12;
  std::uint64_t rbx;
  std::uint64_t rbp;
  void (*return_address)();  // above it the stack is empty, and aligned for a call
};

}  // namespace

Context make_context(std::byte* top, std::size_t, void* self) {
  return new (top - sizeof(Saved)) Saved{0, 0, 0, self, 0, 0, nikaia_first_entry};
}

}  // namespace nikaia::rt

#else

#include <boost/context/detail/fcontext.hpp>

namespace nikaia::rt {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

// Travels with a jump. The context that was left is known on the other side only.
struct Crossing {
  Context* from;
  void* self_of_to;
};

void arrive(const transfer_t& transfer) {
  *static_cast<Crossing*>(transfer.data)->from = transfer.fctx;
}

void first_entry(transfer_t transfer) {
  void* self = static_cast<Crossing*>(transfer.data)->self_of_to;
  arrive(transfer);
  nikaia_begin_context(self);
}

}  // namespace

Context make_context(std::byte* top, std::size_t bytes, void*) {
  return make_fcontext(top, bytes, first_entry);
}

void switch_context(Context& from, Context to, void* self_of_to) {
  Crossing crossing{&from, self_of_to};
  arrive(jump_fcontext(to, &crossing));
}

}  // namespace nikaia::rt

#endif
