// The allocator's own growth reserves the part, so that it lies in the heap and every allocation of the main thread
// comes from it; what is behind the part is as it always was.
#include "driver/heap.h"

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace nikaia::driver {

#if defined(__GLIBC__)

void prefer_huge_pages() {
  constexpr int part = 256 << 20;       // bytes
  constexpr int usual_pad = 128 << 10;  // M_TOP_PAD as glibc sets it
  constexpr std::uintptr_t huge_page = 2 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most it takes, so that large vectors are in the heap too
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  const auto before = reinterpret_cast<std::uintptr_t>(sbrk(0));
  mallopt(M_TOP_PAD, part);
  void* volatile more = std::malloc(std::size_t{2} * usual_pad);  // than there is, so the heap grows
  std::free(more);
  mallopt(M_TOP_PAD, usual_pad);
  const auto after = reinterpret_cast<std::uintptr_t>(sbrk(0));
  const std::uintptr_t first = (before + huge_page - 1) / huge_page * huge_page;
  if (after > first && after - before <= std::uintptr_t{2} * part)
    madvise(reinterpret_cast<void*>(first), (after - first) / huge_page * huge_page, MADV_HUGEPAGE);
}

#else

void prefer_huge_pages() {}

#endif

}  // namespace nikaia::driver
