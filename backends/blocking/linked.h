// The descriptor of the `blocking` backend, where it is linked into a program instead of loaded. A
// name of its own, so that nothing in the program answers to the name a file's symbol has.
#ifndef NIKAIA_BACKENDS_BLOCKING_LINKED_H
#define NIKAIA_BACKENDS_BLOCKING_LINKED_H

#include <nikaia/backend.h>

extern "C" const nikaia_io_backend nikaia_backend_blocking;

#endif
