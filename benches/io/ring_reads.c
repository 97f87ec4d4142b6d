/* Reads files side by side, again and again, by liburing: `ring_reads COUNT FILE...`. One submission a round: for each
 * file a chain of open into the ring's own table, read, close. The size of the files is known beforehand, as it is not
 * to a program that reads whole files, so this is a bound from below. */
#include <fcntl.h>
#include <liburing.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { files_max = 64 };

static long read_round(struct io_uring* ring, char** paths, const size_t* sizes, unsigned files) {
  char* buffers[files_max];
  long bytes = 0;
  for (unsigned i = 0; i < files; ++i) {
    buffers[i] = malloc(sizes[i] + 1);
    struct io_uring_sqe* sqe = io_uring_get_sqe(ring);
    io_uring_prep_openat_direct(sqe, AT_FDCWD, paths[i], O_RDONLY, 0, i);
    sqe->flags |= IOSQE_IO_LINK;
    io_uring_sqe_set_data64(sqe, 0);
    sqe = io_uring_get_sqe(ring);
    io_uring_prep_read(sqe, (int)i, buffers[i], (unsigned)sizes[i], 0);
    sqe->flags |= IOSQE_FIXED_FILE | IOSQE_IO_LINK;
    io_uring_sqe_set_data64(sqe, 1);
    sqe = io_uring_get_sqe(ring);
    io_uring_prep_close_direct(sqe, i);
    io_uring_sqe_set_data64(sqe, 0);
  }
  if (io_uring_submit_and_wait(ring, 3 * files) < 0) exit(1);
  for (unsigned i = 0; i < 3 * files; ++i) {
    struct io_uring_cqe* cqe;
    if (io_uring_wait_cqe(ring, &cqe) != 0 || cqe->res < 0) exit(1);
    if (io_uring_cqe_get_data64(cqe) == 1) bytes += cqe->res;
    io_uring_cqe_seen(ring, cqe);
  }
  for (unsigned i = 0; i < files; ++i) free(buffers[i]);
  return bytes;
}

int main(int count, char** words) {
  /* Buffers that are freed stay with the process, so that what is measured is the reading. */
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  struct io_uring ring;
  size_t sizes[files_max];
  unsigned files = (unsigned)count - 2;
  if (count < 3 || files > files_max) return 2;
  for (unsigned i = 0; i < files; ++i) {
    struct stat about;
    if (stat(words[i + 2], &about) != 0) return 1;
    sizes[i] = (size_t)about.st_size;
  }
  unsigned newest = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
  if (io_uring_queue_init(256, &ring, newest) != 0 && io_uring_queue_init(256, &ring, 0) != 0) return 1;
  if (io_uring_register_files_sparse(&ring, files_max) != 0) return 1;
  long bytes = 0;
  long rounds = atol(words[1]);
  for (long i = 0; i < rounds; ++i) bytes += read_round(&ring, words + 2, sizes, files);
  printf("%ld\n", bytes);
  io_uring_queue_exit(&ring);
  return 0;
}
