/* What this backend keeps in the eight words an operation has for it, and lists of operations
 * threaded through them. An operation is in one list at a time. */
#ifndef EPOLL_C_JOB_H
#define EPOLL_C_JOB_H

#include <stddef.h>

#include <nikaia/backend.h>

enum job_state { job_queued, job_running, job_watched, job_done };

struct job {
  struct nikaia_io_op* next;
  struct nikaia_io_instance* owner;
  int64_t result;
  uint32_t flags;
  uint16_t state;     /* enum job_state; of a job of the pool, read and written under its lock */
  uint16_t cancelled; /* an early end was asked for */
};
_Static_assert(sizeof(struct job) <= sizeof(((struct nikaia_io_op*)0)->backend), "fits the operation's words");

static inline struct job* job_of(struct nikaia_io_op* op) {
  return (struct job*)(void*)op->backend;
}

/* First in, first out. */
struct job_list {
  struct nikaia_io_op* first;
  struct nikaia_io_op* last;
};

static inline void job_push(struct job_list* list, struct nikaia_io_op* op) {
  job_of(op)->next = NULL;
  if (list->first == NULL) {
    list->first = op;
  } else {
    job_of(list->last)->next = op;
  }
  list->last = op;
}

static inline struct nikaia_io_op* job_pop(struct job_list* list) {
  struct nikaia_io_op* op = list->first;
  if (op != NULL) list->first = job_of(op)->next;
  return op;
}

/* 1 where it was there. Looks through the list. */
static inline int job_take(struct job_list* list, struct nikaia_io_op* wanted) {
  struct nikaia_io_op* before = NULL;
  for (struct nikaia_io_op* op = list->first; op != NULL; before = op, op = job_of(op)->next) {
    if (op != wanted) continue;
    if (before == NULL) {
      list->first = job_of(op)->next;
    } else {
      job_of(before)->next = job_of(op)->next;
    }
    if (list->last == op) list->last = before;
    return 1;
  }
  return 0;
}

#endif
