// Whether this machine lets a ring serve, and why not.
#ifndef NIKAIA_BACKENDS_URING_PROBE_H
#define NIKAIA_BACKENDS_URING_PROBE_H

#include <cstddef>

namespace nikaia::backend {

// 0, or a negative errno with one line in `reason`. Sets a small ring up and tears it down again.
[[nodiscard]] int probe_ring(char* reason, std::size_t reason_size);

}  // namespace nikaia::backend

#endif
