/* Threads that carry out operations which may block, shared by all instances of the process. */
#ifndef EPOLL_C_POOL_H
#define EPOLL_C_POOL_H

#include "job.h"

/* Where a finished job goes: called by a thread of the pool. */
void deliver(struct nikaia_io_instance* owner, struct nikaia_io_op* op);

/* One user more; starts threads up to `count`. 0 or a negative errno. */
int pool_join(uint32_t count);
/* One user less; the last one ends the threads. */
void pool_leave(void);

void pool_give(struct nikaia_io_op* op);
/* 1 where it had not begun: it will not be delivered. */
int pool_take_back(struct nikaia_io_op* op);
/* Drops the jobs of `owner` that have not begun and waits for those that have. */
void pool_withdraw(const struct nikaia_io_instance* owner);

#endif
