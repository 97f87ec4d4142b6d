/* Operations as system calls that may block. */
#ifndef EPOLL_C_CALLS_H
#define EPOLL_C_CALLS_H

#include <nikaia/backend.h>

/* Carries `op` out, which is none of readiness, and gives its result; `flags` are the completion's.
 * Any thread. */
int64_t perform(struct nikaia_io_op* op, uint32_t* flags);

/* Closes what a finished operation opened and nobody will collect. */
void discard(const struct nikaia_io_op* op, int64_t result, uint32_t flags);

#endif
