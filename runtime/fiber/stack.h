// Stacks for fibers: 256 KiB of address space each, a guard below, kept for reuse.
//
// Stacks are carved from regions of many, so that the number of mappings does not follow the number
// of tasks: where the kernel has MADV_GUARD_INSTALL (6.13) a guard is an entry in the page table
// and splits no mapping. On an older kernel a guard is a page range without access, two mappings a
// stack, until half of the mappings the process may have are used; stacks beyond that carry a
// watermark instead, which is looked at whenever the stack is left (fiber.h).
#pragma once

#include <cstddef>

namespace nikaia::rt {

inline constexpr std::size_t stack_bytes = std::size_t{256} * 1024;
inline constexpr std::size_t guard_bytes = std::size_t{64} * 1024;  // below the stack, beside its 256 KiB

struct Stack {
  std::byte* low = nullptr;   // the lowest byte that may be used
  std::byte* high = nullptr;  // one past the highest; page aligned
  bool guarded = true;        // false: only the watermark below it tells
  bool is_process_stack = false;
};

// Takes a stack, a used one first. Memory that cannot be had ends the program with a line that says
// so.
[[nodiscard]] Stack take_stack();

// Gives the stack's pages back to the system and keeps its address range for the next take_stack().
// Nothing may run on it.
void give_back_stack(const Stack& stack);

// Where a stack has only a watermark: whether it is still whole.
[[nodiscard]] bool watermark_whole(const Stack& stack);

// For tests: behave as on a kernel without MADV_GUARD_INSTALL, with this many guards to spend.
void use_page_guards_for_test(std::size_t guards);

}  // namespace nikaia::rt
