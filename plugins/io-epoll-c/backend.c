/* The I/O backend `epoll-c`: files on threads, readiness by epoll; in plain C, as a third party
 * would write it. Small before fast: every file operation goes to a thread, and comes back through
 * one lock.
 *
 *   calls.c    operations as system calls      pool.c     the threads
 *   watches.c  waits for readiness             this file  the calls of <nikaia/backend.h>
 *
 * Threads deliver into `delivered`, under the instance's lock, and ring an eventfd that the owner's
 * sleep includes. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <nikaia/backend.h>

#include "calls.h"
#include "job.h"
#include "pool.h"
#include "watches.h"

struct nikaia_io_instance {
  const struct nikaia_io_host* host;
  int bell;
  struct watches watches;
  struct job_list done; /* to be reaped */
  pthread_mutex_t lock;
  struct job_list delivered; /* under the lock */
  atomic_int woken;
  uint32_t pending;
};

static void ring(struct nikaia_io_instance* instance) {
  const int kept = errno;
  const uint64_t one = 1;
  /* A full counter is a descriptor that is readable already. */
  const ssize_t ignored = write(instance->bell, &one, sizeof one);
  (void)ignored;
  errno = kept;
}

void deliver(struct nikaia_io_instance* owner, struct nikaia_io_op* op) {
  pthread_mutex_lock(&owner->lock);
  job_push(&owner->delivered, op);
  ring(owner);
  pthread_mutex_unlock(&owner->lock);
}

static void collect(struct nikaia_io_instance* instance) {
  pthread_mutex_lock(&instance->lock);
  struct job_list all = instance->delivered;
  instance->delivered = (struct job_list){NULL, NULL};
  pthread_mutex_unlock(&instance->lock);
  for (struct nikaia_io_op* op = job_pop(&all); op != NULL; op = job_pop(&all)) {
    job_of(op)->state = job_done;
    job_push(&instance->done, op);
  }
}

static void complete(struct nikaia_io_instance* instance, struct nikaia_io_op* op, int64_t result) {
  job_of(op)->result = result;
  job_of(op)->state = job_done;
  job_push(&instance->done, op);
}

static int probe_backend(const struct nikaia_io_config* config, char* reason, size_t reason_size) {
  (void)config;
  (void)reason;
  (void)reason_size;
  return 0;
}

static void end(struct nikaia_io_instance* instance) {
  watches_close(&instance->watches);
  if (instance->bell >= 0) close(instance->bell);
  pthread_mutex_destroy(&instance->lock);
  free(instance);
}

static int open_backend(const struct nikaia_io_config* config, const struct nikaia_io_host* host,
                        struct nikaia_io_instance** out) {
  struct nikaia_io_instance* instance = calloc(1, sizeof *instance);
  *out = NULL;
  if (instance == NULL) return -ENOMEM;
  instance->host = host;
  instance->watches.set = -1;
  pthread_mutex_init(&instance->lock, NULL);
  instance->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  int error = instance->bell < 0 ? -errno : watches_open(&instance->watches, instance->bell);
  if (error == 0) error = pool_join(config->io_workers);
  if (error != 0) {
    end(instance);
    return error;
  }
  *out = instance;
  return 0;
}

static int submit(struct nikaia_io_instance* instance, struct nikaia_io_op* const* ops, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    struct nikaia_io_op* op = ops[i];
    memset(op->backend, 0, sizeof op->backend);
    job_of(op)->owner = instance;
    ++instance->pending;
    if (op->kind == NIKAIA_IO_READABLE || op->kind == NIKAIA_IO_WRITABLE) {
      watches_add(&instance->watches, op, &instance->done);
    } else if (op->kind == NIKAIA_IO_NOP || op->kind >= NIKAIA_IO_KIND_END) {
      complete(instance, op, op->kind == NIKAIA_IO_NOP ? 0 : -ENOSYS);
    } else {
      pool_give(op);
    }
  }
  return (int)count;
}

static uint32_t reap(struct nikaia_io_instance* instance, struct nikaia_io_completion* completions, uint32_t capacity) {
  uint32_t count = 0;
  if (instance->done.first == NULL) collect(instance);
  while (count < capacity) {
    struct nikaia_io_op* op = job_pop(&instance->done);
    if (op == NULL) break;
    const struct job* job = job_of(op);
    completions[count++] = (struct nikaia_io_completion){op->user_data, job->result, job->flags, 0};
  }
  instance->pending -= count;
  return count;
}

/* Milliseconds to sleep, rounded up, since a sleep that ended early would be begun again at once.
 */
static int time_left_ms(const struct nikaia_io_instance* instance, int64_t deadline_ns) {
  if (instance->done.first != NULL || deadline_ns <= 0 || atomic_load(&instance->woken)) return 0;
  if (deadline_ns == INT64_MAX) return -1;
  const int64_t left_ns = deadline_ns - instance->host->now_ns(instance->host->context);
  if (left_ns <= 0) return 0;
  return left_ns > INT64_C(1000000000000) ? 1000000 : (int)((left_ns + 999999) / 1000000);
}

/* One sleep at most: coming back early for no reason is allowed, and the host sleeps again. */
static int wait_for(struct nikaia_io_instance* instance, int64_t deadline_ns) {
  int rang = 0;
  collect(instance);
  const int error = watches_look(&instance->watches, time_left_ms(instance, deadline_ns), &instance->done, &rang);
  if (error != 0) return error;
  if (rang) {
    uint64_t value;
    const ssize_t ignored = read(instance->bell, &value, sizeof value);
    (void)ignored;
  }
  atomic_store(&instance->woken, 0);
  collect(instance);
  return instance->done.first != NULL;
}

static void wake(struct nikaia_io_instance* instance) {
  atomic_store(&instance->woken, 1);
  ring(instance);
}

static int cancel(struct nikaia_io_instance* instance, struct nikaia_io_op* op) {
  struct job* job = job_of(op);
  collect(instance);
  if (job->cancelled || job_take(&instance->done, op)) {
    if (!job->cancelled) job_push(&instance->done, op);
    return -EALREADY;
  }
  job->cancelled = 1;
  if (op->kind == NIKAIA_IO_READABLE || op->kind == NIKAIA_IO_WRITABLE) {
    watches_remove(&instance->watches, op);
  } else if (!pool_take_back(op)) {
    return 0; /* its call ends when it ends */
  }
  complete(instance, op, -ECANCELED);
  return 0;
}

static uint32_t pending(struct nikaia_io_instance* instance) {
  return instance->pending;
}

static void close_backend(struct nikaia_io_instance* instance) {
  pool_withdraw(instance);
  collect(instance);
  for (struct nikaia_io_op* op = job_pop(&instance->done); op != NULL; op = job_pop(&instance->done)) {
    discard(op, job_of(op)->result, job_of(op)->flags);
  }
  pool_leave();
  end(instance);
}

static const struct nikaia_io_backend backend = {
    .magic = NIKAIA_IO_MAGIC,
    .abi_version = NIKAIA_IO_ABI_VERSION,
    .struct_size = sizeof(struct nikaia_io_backend),
    .name = "epoll-c",
    .version = "0.1.0 (threads and epoll)",
    .capabilities = NIKAIA_IO_CAP_READINESS | NIKAIA_IO_CAP_LINKED | NIKAIA_IO_CAP_WAKEABLE,
    .probe = probe_backend,
    .open = open_backend,
    .submit = submit,
    .reap = reap,
    .wait = wait_for,
    .wake = wake,
    .cancel = cancel,
    .pending = pending,
    .close = close_backend,
};

const struct nikaia_io_backend* const nikaia_io_backend_v1 = &backend;
