/* Waits for readiness, on one epoll set. A descriptor is in the set while anybody waits for it. */
#ifndef EPOLL_C_WATCHES_H
#define EPOLL_C_WATCHES_H

#include "job.h"

struct watches {
  int set;
  int bell; /* a descriptor of the instance's own that ends a sleep */
  struct watch* by_descriptor;
  size_t size;
};

int watches_open(struct watches* watches, int bell);
void watches_close(struct watches* watches);

/* What is there already, or cannot be waited for, goes to `done` at once. */
void watches_add(struct watches* watches, struct nikaia_io_op* op, struct job_list* done);
void watches_remove(struct watches* watches, struct nikaia_io_op* op);

/* Sleeps for `milliseconds` at most (-1: without limit) and moves what happened to `done`; `rang`
 * where the bell did. 0 or a negative errno. */
int watches_look(struct watches* watches, int milliseconds, struct job_list* done, int* rang);

#endif
