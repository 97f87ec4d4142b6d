// What nikaia-io-blocking.so exports.
#include "backends/blocking/linked.h"

extern "C" const nikaia_io_backend* const nikaia_io_backend_v1 = &nikaia_backend_blocking;
