/* What registered buffers would save: `fixed_buffers FILE FILE BYTES`. Two cached files are read by plain calls, by the
 * chain the backend `uring` submits (open into the ring's table, read, a read of one byte more), and by the same chain
 * into buffers that are registered with the ring; BYTES is what the reads ask for. The three run in turn within the
 * process; printed is a pair's processor time in nanoseconds, the lowest tenth of 300 samples. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { files = 2, samples = 300, pairs_a_sample = 30, buffer_bytes = 1 << 20 };
enum way { plain, chain, fixed, ways };

static struct io_uring ring;
static char* paths[files];
static char* buffers[files];
static char tails[files];
static unsigned asked_bytes;

static void read_plainly(const char* path) {
  struct stat about;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &about) != 0) exit(1);
  char* buffer = malloc((size_t)about.st_size + 1);
  if (read(fd, buffer, (size_t)about.st_size + 1) != about.st_size) exit(1);
  close(fd);
  free(buffer);
}

static void read_by_ring(enum way way) {
  for (int i = 0; i < files; ++i) {
    struct io_uring_sqe* sqe = io_uring_get_sqe(&ring);
    io_uring_prep_openat_direct(sqe, AT_FDCWD, paths[i], O_RDONLY, 0, (unsigned)i);
    sqe->flags |= IOSQE_IO_LINK | IOSQE_CQE_SKIP_SUCCESS;
    sqe = io_uring_get_sqe(&ring);
    if (way == fixed) {
      io_uring_prep_read_fixed(sqe, i, buffers[i], asked_bytes, (__u64)-1, i);
    } else {
      io_uring_prep_read(sqe, i, buffers[i], asked_bytes, (__u64)-1);
    }
    sqe->flags |= IOSQE_FIXED_FILE | IOSQE_IO_HARDLINK;
    sqe = io_uring_get_sqe(&ring);
    io_uring_prep_read(sqe, i, &tails[i], 1, (__u64)-1);
    sqe->flags |= IOSQE_FIXED_FILE;
  }
  if (io_uring_submit_and_wait(&ring, 2 * files) < 0) exit(1);
  for (int i = 0; i < 2 * files; ++i) {
    struct io_uring_cqe* cqe;
    if (io_uring_wait_cqe(&ring, &cqe) != 0 || cqe->res < 0) exit(1);
    io_uring_cqe_seen(&ring, cqe);
  }
}

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

int main(int count, char** words) {
  if (count != 4) return 2;
  asked_bytes = (unsigned)atoi(words[3]);
  if (asked_bytes > buffer_bytes) return 2;
  struct iovec registered[files];
  for (int i = 0; i < files; ++i) {
    paths[i] = words[i + 1];
    buffers[i] = aligned_alloc(4096, buffer_bytes);
    registered[i] = (struct iovec){buffers[i], buffer_bytes};
  }
  if (io_uring_queue_init(64, &ring, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN) != 0) return 1;
  if (io_uring_register_files_sparse(&ring, files) != 0) return 1;
  if (io_uring_register_buffers(&ring, registered, files) != 0) return 1;
  static double pair_ns[ways][samples];
  for (int sample = 0; sample < samples; ++sample) {
    for (enum way way = plain; way < ways; ++way) {
      const double begin_ns = now_ns();
      for (int i = 0; i < pairs_a_sample; ++i) {
        if (way == plain) {
          for (int n = 0; n < files; ++n) read_plainly(paths[n]);
        } else {
          read_by_ring(way);
        }
      }
      pair_ns[way][sample] = (now_ns() - begin_ns) / pairs_a_sample;
    }
  }
  static const char* const names[ways] = {"plain calls", "chain", "chain, registered buffers"};
  for (enum way way = plain; way < ways; ++way) {
    qsort(pair_ns[way], samples, sizeof pair_ns[way][0], compare);
    printf("%s %.0f%s", names[way], pair_ns[way][samples / 10], way + 1 < ways ? "; " : "\n");
  }
  io_uring_queue_exit(&ring);
  return 0;
}
