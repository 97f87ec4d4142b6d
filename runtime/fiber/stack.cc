#include "runtime/fiber/stack.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

#include "runtime/start/output.h"

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

namespace nikaia::rt {
namespace {

constexpr std::size_t slot_bytes = guard_bytes + stack_bytes;
constexpr std::size_t slots_per_region = 64;
// Untouched, the words just below an unguarded stack read as zero, and reading them takes no
// memory.
constexpr std::size_t watermark_words = 32;

enum class Guards { unknown, page_table, page_access };

// A stack that is not in use remembers its successor here, outside of its own pages, which are
// given back.
struct Free {
  Free* next;
  Stack stack;
};

struct StackPool {
  Free* free = nullptr;
  Free* spare = nullptr;  // list cells without a stack
  std::byte* region = nullptr;
  std::size_t slots_left = 0;
  Guards guards = Guards::unknown;
  std::size_t page_guards_left = 0;
};
StackPool pool;

std::size_t half_of_allowed_mappings() {
  std::size_t most = 65530;  // the kernel's default
  if (std::FILE* file = std::fopen("/proc/sys/vm/max_map_count", "re"); file != nullptr) {
    if (std::fscanf(file, "%zu", &most) != 1) most = 65530;
    std::fclose(file);
  }
  return most / 4;  // a guard makes two mappings
}

void take_region() {
  const std::size_t bytes = slot_bytes * slots_per_region;
  void* start =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (start == MAP_FAILED) end_out_of_memory("a task's stack");
  // A huge page would make every stack resident as a whole.
  ::madvise(start, bytes, MADV_NOHUGEPAGE);
  pool.region = static_cast<std::byte*>(start);
  pool.slots_left = slots_per_region;
}

void guard(Stack& stack) {
  std::byte* start = stack.low - guard_bytes;
  if (pool.guards == Guards::unknown) {
    pool.guards = Guards::page_table;
    if (::madvise(start, guard_bytes, MADV_GUARD_INSTALL) == 0) return;
    pool.guards = Guards::page_access;
    pool.page_guards_left = half_of_allowed_mappings();
  }
  if (pool.guards == Guards::page_table) {
    if (::madvise(start, guard_bytes, MADV_GUARD_INSTALL) == 0) return;
  } else if (pool.page_guards_left > 0) {
    --pool.page_guards_left;
    if (::mprotect(start, guard_bytes, PROT_NONE) == 0) return;
    pool.page_guards_left = 0;
  }
  stack.guarded = false;
}

}  // namespace

Stack take_stack() {
  Stack stack;
  if (Free* cell = pool.free; cell != nullptr) {
    pool.free = cell->next;
    stack = cell->stack;
    cell->next = pool.spare;
    pool.spare = cell;
  } else {
    if (pool.slots_left == 0) take_region();
    std::byte* slot = pool.region + slot_bytes * (slots_per_region - pool.slots_left);
    --pool.slots_left;
    stack.low = slot + guard_bytes;
    stack.high = slot + slot_bytes;
    guard(stack);
  }
  return stack;
}

void give_back_stack(const Stack& stack) {
  ::madvise(stack.low, stack_bytes, MADV_DONTNEED);
  Free* cell = pool.spare;
  if (cell != nullptr) {
    pool.spare = cell->next;
  } else {
    cell = static_cast<Free*>(std::malloc(sizeof(Free)));
    if (cell == nullptr) end_out_of_memory("a task's stack");
  }
  *cell = Free{pool.free, stack};
  pool.free = cell;
}

bool watermark_whole(const Stack& stack) {
  const auto* words = reinterpret_cast<const std::uint64_t*>(stack.low) - watermark_words;
  std::uint64_t seen = 0;
  for (std::size_t at = 0; at < watermark_words; ++at) seen |= words[at];
  return seen == 0;
}

void use_page_guards_for_test(std::size_t guards) {
  pool.guards = Guards::page_access;
  pool.page_guards_left = guards;
}

}  // namespace nikaia::rt
