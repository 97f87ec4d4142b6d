// A backend file that is wrong in one way, chosen when it is compiled. None of its functions may
// ever be called but `probe`, by which the right one is recognised.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <nikaia/backend.h>

namespace {

int probe(const nikaia_io_config*, char* reason, std::size_t size) {  // NOLINT(readability-non-const-parameter)
#if defined(ODD_PROBE)
  std::snprintf(reason, size, "the moon is full");
  return -1;
#elif defined(ODD_REASONLESS)
  (void)reason;
  (void)size;
  return -13;
#elif defined(ODD_RIGHT)
  (void)reason;
  (void)size;
  return 0;
#else
  (void)reason;
  (void)size;
  std::abort();
#endif
}

template <typename... Parameters>
int never(Parameters...) {
  std::abort();
}
std::uint32_t never_reap(nikaia_io_instance*, nikaia_io_completion*, std::uint32_t) {
  std::abort();
}
std::uint32_t never_pending(nikaia_io_instance*) {
  std::abort();
}
void never_void(nikaia_io_instance*) {
  std::abort();
}

}  // namespace

[[maybe_unused]] static const nikaia_io_backend descriptor = {
#if defined(ODD_MAGIC)
    NIKAIA_IO_MAGIC + 1,
#else
    NIKAIA_IO_MAGIC,
#endif
#if defined(ODD_NEWER)
    NIKAIA_IO_ABI_VERSION + 1,
#elif defined(ODD_ZERO)
    0,
#else
    NIKAIA_IO_ABI_VERSION,
#endif
#if defined(ODD_SMALL)
    sizeof(nikaia_io_backend) - 8,
#elif defined(ODD_LARGE)
    sizeof(nikaia_io_backend) + 64,
#else
    sizeof(nikaia_io_backend),
#endif
    "odd",
    "1.0",
    NIKAIA_IO_CAP_READINESS,
    probe,
    never,
    never,
    never_reap,
#if defined(ODD_FUNCTION)
    nullptr,
#else
    never,
#endif
    never_void,
    never,
    never_pending,
    never_void,
};

#if defined(ODD_NULL)
extern "C" const nikaia_io_backend* const nikaia_io_backend_v1 = nullptr;
#elif defined(ODD_ELSEWHERE)
// Memory of nobody's: the name is there, and holds something else than a pointer to a descriptor.
extern "C" const nikaia_io_backend* const nikaia_io_backend_v1 =
    reinterpret_cast<const nikaia_io_backend*>(0x4141414141414141);
#elif !defined(ODD_SYMBOL)
extern "C" const nikaia_io_backend* const nikaia_io_backend_v1 = &descriptor;
#endif

#if defined(ODD_LIBRARY)
extern "C" void nikaia_is_not_defined_anywhere();
extern "C" __attribute__((visibility("default"))) void use() {
  nikaia_is_not_defined_anywhere();
}
#endif
