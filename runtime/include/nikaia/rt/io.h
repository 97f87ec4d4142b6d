// Input and output as the library's rows ask for it (language 09 §6, §7): whole files, streams,
// standard input.
//
// A regular file is read by the calling thread with plain system calls where the runtime is idle,
// and by the backend otherwise. Whatever is not a regular file waits for readiness and is then read
// by the calling task. Every function here may pause and is a pause point, except where it says
// otherwise. Errors are numbers of <errno.h>; their text is the caller's to make.
#pragma once

#include <nikaia/rt/base.h>

namespace nikaia::rt {

// The idle rule's one counter. `count` is what is under way: tasks that have not ended, blocks that
// are being run, operations outstanding, parked cleanups. `signal` is set by a signal that asks for
// the end.
union Activity {
  std::uint64_t all;
  struct {
    std::uint32_t count;
    std::uint32_t signal;
  } parts;
};
extern Activity activity;

// Whether nothing but the caller, `main` itself, is under way.
NIKAIA_INLINE bool idle() {
  return __builtin_expect(__atomic_load_n(&activity.all, __ATOMIC_RELAXED) == 0, 1);
}

inline constexpr int current_folder = -100;  // AT_FDCWD

// Where a path is looked up: below the directory `folder`, with the RESOLVE_ bits of openat2(2).
struct Lookup {
  int folder = current_folder;
  std::uint64_t resolve = 0;
};

// A file's bytes in a buffer whose count is one, ready to be adopted by a String or Bytes; null
// where there are none. `error` is 0 or an errno, and then there is no buffer.
struct FileContent {
  CountedBuffer* buffer = nullptr;
  std::size_t size = 0;
  int error = 0;
};
FileContent read_file_idle(const char* path, Lookup lookup);
FileContent read_file_overlapped(const char* path, Lookup lookup);
NIKAIA_INLINE FileContent read_file(const char* path, Lookup lookup = {}) {
  return idle() ? read_file_idle(path, lookup) : read_file_overlapped(path, lookup);
}

// Whether the backend reads files without a thread that waits.
bool files_complete();

// Writes all of `data`. Answers 0 or an errno; what was written before a failure stays written.
struct WriteMode {
  bool append = false;
  bool create = true;  // false: a file that is not there is ENOENT
};
int write_file(const char* path, const void* data, std::size_t bytes, WriteMode mode = {}, Lookup lookup = {});

// Whether the path can be looked up: 1 yes, 0 no (ENOENT, ENOTDIR), or the negative errno. Does not
// pause.
int path_exists(const char* path, Lookup lookup = {});

// ---- streams

// Pauses until a read (a write) on `fd` would not block. 0 or a negative errno.
int wait_readable(int fd);
int wait_writable(int fd);

// At most `bytes` bytes of standard input, as they come; 0 at its end; or a negative errno. A
// regular file is read as one, everything else when it is ready.
std::int64_t read_stdin(void* into, std::size_t bytes);
inline constexpr std::size_t stdin_piece_bytes = std::size_t{64} * 1024;

}  // namespace nikaia::rt
