/* The set is level-triggered and holds, for each descriptor, the union of what its operations want;
 * it is changed with every operation that comes or goes, which is simple, and costs a system call
 * each. */
#define _GNU_SOURCE
#include "watches.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

struct watch {
  struct job_list waiting;
  uint32_t registered; /* events in the set; 0: not there */
};

enum { events_at_once = 64 };

int watches_open(struct watches* watches, int bell) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = bell};
  watches->bell = bell;
  watches->set = epoll_create1(EPOLL_CLOEXEC);
  if (watches->set < 0) return -errno;
  return epoll_ctl(watches->set, EPOLL_CTL_ADD, bell, &event) == 0 ? 0 : -errno;
}

void watches_close(struct watches* watches) {
  if (watches->set >= 0) close(watches->set);
  free(watches->by_descriptor);
}

static uint32_t wanted(const struct nikaia_io_op* op) {
  return op->kind == NIKAIA_IO_READABLE ? EPOLLIN : EPOLLOUT;
}

static void finish(struct nikaia_io_op* op, int64_t result, struct job_list* done) {
  job_of(op)->result = result;
  job_of(op)->state = job_done;
  job_push(done, op);
}

/* Brings the set up to what `watch` waits for. */
static int update(struct watches* watches, int fd, struct watch* watch) {
  struct epoll_event event = {.events = 0, .data.fd = fd};
  for (struct nikaia_io_op* op = watch->waiting.first; op != NULL; op = job_of(op)->next) event.events |= wanted(op);
  if (event.events == watch->registered) return 0;
  const int change = event.events == 0 ? EPOLL_CTL_DEL : watch->registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  if (epoll_ctl(watches->set, change, fd, &event) != 0 && change != EPOLL_CTL_DEL) return -errno;
  watch->registered = event.events;
  return 0;
}

static int make_room(struct watches* watches, size_t index) {
  if (index < watches->size) return 0;
  const size_t size = index + index / 2 + 16;
  struct watch* grown = realloc(watches->by_descriptor, size * sizeof *grown);
  if (grown == NULL) return -ENOMEM;
  memset(grown + watches->size, 0, (size - watches->size) * sizeof *grown);
  watches->by_descriptor = grown;
  watches->size = size;
  return 0;
}

void watches_add(struct watches* watches, struct nikaia_io_op* op, struct job_list* done) {
  int error = op->fd < 0 ? -EBADF : make_room(watches, (size_t)op->fd);
  if (error == 0) {
    struct watch* watch = &watches->by_descriptor[op->fd];
    job_push(&watch->waiting, op);
    job_of(op)->state = job_watched;
    error = update(watches, op->fd, watch);
    if (error == 0) return;
    job_take(&watch->waiting, op);
  }
  /* What epoll refuses with EPERM (regular files, directories) never makes a reader wait. */
  finish(op, error == -EPERM ? (int64_t)wanted(op) : error, done);
}

void watches_remove(struct watches* watches, struct nikaia_io_op* op) {
  struct watch* watch = &watches->by_descriptor[op->fd];
  job_take(&watch->waiting, op);
  update(watches, op->fd, watch);
}

static void happened(struct watches* watches, int fd, uint32_t events, struct job_list* done) {
  struct watch* watch = &watches->by_descriptor[fd];
  struct job_list all = watch->waiting;
  watch->waiting = (struct job_list){NULL, NULL};
  for (struct nikaia_io_op* op = job_pop(&all); op != NULL; op = job_pop(&all)) {
    const uint32_t about = events & (wanted(op) | EPOLLERR | EPOLLHUP);
    if (about != 0) {
      finish(op, about, done);
    } else {
      job_push(&watch->waiting, op);
    }
  }
  update(watches, fd, watch);
}

int watches_look(struct watches* watches, int milliseconds, struct job_list* done, int* rang) {
  struct epoll_event events[events_at_once];
  const int count = epoll_wait(watches->set, events, events_at_once, milliseconds);
  if (count < 0) return errno == EINTR ? 0 : -errno;
  for (int i = 0; i < count; ++i) {
    if (events[i].data.fd == watches->bell) {
      *rang = 1;
    } else {
      happened(watches, events[i].data.fd, events[i].events, done);
    }
  }
  return 0;
}
