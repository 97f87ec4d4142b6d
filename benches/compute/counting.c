/* Counts allocations, and how often emitted code changes a count, and writes both at the end of the process into the
   file that COMPUTE_COUNTS names. Preloaded by `run`. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);

static unsigned long allocations, count_changes;

void* malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void* realloc(void* old, size_t bytes) {
  ++allocations;
  return __libc_realloc(old, bytes);
}
void nikaia_count_changed(void) {
  ++count_changes;
}

__attribute__((destructor)) static void write_counts(void) {
  const unsigned long made = allocations;
  const char* path = getenv("COMPUTE_COUNTS");
  FILE* out = path != NULL ? fopen(path, "w") : NULL;
  if (out == NULL) return;
  fprintf(out, "%lu %lu\n", made, count_changes);
  fclose(out);
}
