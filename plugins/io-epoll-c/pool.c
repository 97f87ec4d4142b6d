/* One queue, one lock. A thread's last touch of an instance is counted down under the lock after it
 * has delivered, which is what `pool_withdraw` waits for. */
#include "pool.h"

#include <pthread.h>
#include <signal.h>

#include "calls.h"

enum { threads_max = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_cond_t let_go = PTHREAD_COND_INITIALIZER;
/* Threads are started and ended by one user at a time. */
static pthread_mutex_t membership = PTHREAD_MUTEX_INITIALIZER;

static struct job_list queue;
static pthread_t threads[threads_max];
static const struct nikaia_io_instance* busy_for[threads_max]; /* NULL: the thread is idle */
static uint32_t thread_count;
static uint32_t users;
static int stopping;

static void* run(void* place) {
  const struct nikaia_io_instance** const mine = place;
  pthread_mutex_lock(&lock);
  for (;;) {
    while (queue.first == NULL && !stopping) pthread_cond_wait(&work, &lock);
    struct nikaia_io_op* op = job_pop(&queue);
    if (op == NULL) break;
    struct job* job = job_of(op);
    struct nikaia_io_instance* owner = job->owner;
    job->state = job_running;
    *mine = owner;
    pthread_mutex_unlock(&lock);
    job->result = perform(op, &job->flags);
    deliver(owner, op);
    pthread_mutex_lock(&lock);
    *mine = NULL;
    pthread_cond_broadcast(&let_go);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void end_threads(void) {
  pthread_mutex_lock(&lock);
  stopping = 1;
  pthread_cond_broadcast(&work);
  pthread_mutex_unlock(&lock);
  for (uint32_t i = 0; i < thread_count; ++i) pthread_join(threads[i], NULL);
  thread_count = 0;
  stopping = 0;
}

/* Signals are for the program's own threads. */
static int start_threads(uint32_t count) {
  int error = 0;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (error == 0 && thread_count < count) {
    error = pthread_create(&threads[thread_count], NULL, run, &busy_for[thread_count]);
    if (error == 0) ++thread_count;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return -error;
}

int pool_join(uint32_t count) {
  if (count == 0) count = 1;
  if (count > threads_max) count = threads_max;
  pthread_mutex_lock(&membership);
  const int error = start_threads(count);
  if (error == 0) {
    ++users;
  } else if (users == 0) {
    end_threads();
  }
  pthread_mutex_unlock(&membership);
  return error;
}

void pool_leave(void) {
  pthread_mutex_lock(&membership);
  if (--users == 0) end_threads();
  pthread_mutex_unlock(&membership);
}

void pool_give(struct nikaia_io_op* op) {
  pthread_mutex_lock(&lock);
  job_of(op)->state = job_queued;
  job_push(&queue, op);
  pthread_mutex_unlock(&lock);
  pthread_cond_signal(&work);
}

int pool_take_back(struct nikaia_io_op* op) {
  pthread_mutex_lock(&lock);
  const int taken = job_of(op)->state == job_queued && job_take(&queue, op);
  pthread_mutex_unlock(&lock);
  return taken;
}

static int is_busy_for(const struct nikaia_io_instance* owner) {
  for (uint32_t i = 0; i < threads_max; ++i) {
    if (busy_for[i] == owner) return 1;
  }
  return 0;
}

void pool_withdraw(const struct nikaia_io_instance* owner) {
  pthread_mutex_lock(&lock);
  struct job_list others = {NULL, NULL};
  for (struct nikaia_io_op* op = job_pop(&queue); op != NULL; op = job_pop(&queue)) {
    if (job_of(op)->owner != owner) job_push(&others, op);
  }
  queue = others;
  while (is_busy_for(owner)) pthread_cond_wait(&let_go, &lock);
  pthread_mutex_unlock(&lock);
}
