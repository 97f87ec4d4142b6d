// `fs::read_to_string` as it would be without a runtime: plain blocking calls. What the emitted program calls instead,
// where the benchmark asks what the runtime costs a program that never overlaps.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nikaia/rt.h>

namespace plain {

inline bool is_ascii(const char* data, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    if ((data[i] & 0x80) != 0) return false;
  }
  return true;
}

__attribute__((noinline)) inline nikaia::Result<nikaia::String> read_to_string(nikaia::PathRef path, nikaia::RootRef,
                                                                               bool) {
  const nikaia::Str name = path.bytes;
  char* const zero_ended = static_cast<char*>(std::malloc(name.size + 1));
  std::memcpy(zero_ended, name.data, name.size);
  zero_ended[name.size] = '\0';
  const int fd = ::open(zero_ended, O_RDONLY | O_CLOEXEC);
  std::free(zero_ended);
  struct stat about;
  if (fd < 0 || ::fstat(fd, &about) != 0) std::abort();
  const auto size = static_cast<std::size_t>(about.st_size);
  nikaia::CountedBuffer* const buffer = nikaia::new_buffer(size + 1);
  char* const into = nikaia::bytes_of(buffer);
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t count = ::read(fd, into + filled, size + 1 - filled);
    if (count < 0) std::abort();
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  ::close(fd);
  if (!is_ascii(into, filled)) std::abort();
  return nikaia::String::adopt(into, filled, buffer);
}

}  // namespace plain
