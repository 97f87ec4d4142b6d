/* Reads files one after the other, again and again, by plain calls: `plain_reads COUNT FILE...`. Each read is what a
 * careful C program writes for a whole file: open, size, a buffer of that size, read, close. */
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static long read_whole(const char* path) {
  struct stat about;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &about) != 0) exit(1);
  size_t size = (size_t)about.st_size;
  char* buffer = malloc(size + 1);
  size_t filled = 0;
  while (filled < size) {
    ssize_t count = read(fd, buffer + filled, size + 1 - filled);
    if (count < 0) exit(1);
    if (count == 0) break;
    filled += (size_t)count;
  }
  close(fd);
  free(buffer);
  return (long)filled;
}

int main(int count, char** words) {
  /* Buffers that are freed stay with the process, so that what is measured is the reading. */
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  long bytes = 0;
  long rounds = count > 1 ? atol(words[1]) : 0;
  for (long i = 0; i < rounds; ++i) {
    for (int n = 2; n < count; ++n) bytes += read_whole(words[n]);
  }
  printf("%ld\n", bytes);
  return 0;
}
