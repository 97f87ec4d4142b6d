// Whole files. Read by the calling thread while the runtime is idle, by the backend otherwise;
// either way what turns out not to be a regular file is read as its readiness allows.
//
// The size a file states is a hint: it may shrink or grow while it is read, and files of /proc
// state none. So a buffer has one byte more than the size, and only a read that fills exactly the
// size of a regular file, or one that answers 0, is taken for the end.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

#include <nikaia/rt/io.h>
#include <nikaia/rt/runtime.h>

#include "runtime/executor/executor.h"
#include "runtime/io/operations.h"
#include "runtime/io/whole_read.h"

namespace nikaia::rt {
namespace {

constexpr std::size_t least_offered_bytes = 4 * 1024;
constexpr std::size_t most_offered_bytes = 256 * 1024 + 1;
constexpr std::size_t unstated_bytes = 64 * 1024;
constexpr std::size_t copied_bytes = 8 * 1024;

// The room a file of unknown size is offered. A file it does not hold costs a second operation; a
// file it holds just so is handed out as it was read. So it follows the largest file of the last
// few, at once where a larger one comes, and is small for a program whose files it cannot hold.
class Offer {
 public:
  std::size_t bytes() const { return bytes_; }
  void learn(std::size_t size) {
    if (size > largest_) largest_ = size;
    if (size >= bytes_ && size < most_offered_bytes) bytes_ = size + 1;
    if (++seen_ < window) return;
    bytes_ = largest_ < most_offered_bytes ? std::max(largest_ + 1, least_offered_bytes) : least_offered_bytes;
    seen_ = 0;
    largest_ = 0;
  }

 private:
  static constexpr unsigned window = 32;
  std::size_t bytes_ = 4 * least_offered_bytes;
  std::size_t largest_ = 0;
  unsigned seen_ = 0;
};
Offer offer;

CountedBuffer* with_room(CountedBuffer* buffer, std::size_t bytes) {
  auto* grown = static_cast<CountedBuffer*>(std::realloc(buffer, sizeof(CountedBuffer) + bytes));
  if (grown == nullptr) end_out_of_memory("a file's content");
  grown->size = bytes;
  return grown;
}

// Buffers that were offered and not handed out, for the next file of unknown size. A file that is
// small beside its buffer is copied out of it, which is cheaper than cutting the buffer down.
class Offered {
 public:
  CountedBuffer* take() {
    while (first_ != nullptr) {
      Cell* cell = first_;
      first_ = cell->next;
      --count_;
      if (cell->bytes >= offer.bytes()) return reinterpret_cast<CountedBuffer*>(cell);
      std::free(cell);
    }
    return nullptr;
  }
  void give_back(CountedBuffer* buffer) {
    if (count_ == most_kept) {
      std::free(buffer);
      return;
    }
    const std::size_t bytes = buffer->size;
    first_ = new (buffer) Cell{first_, bytes};
    ++count_;
  }

 private:
  static constexpr std::size_t most_kept = 32;
  struct Cell {
    Cell* next;
    std::size_t bytes;
  };
  static_assert(sizeof(Cell) <= sizeof(CountedBuffer));
  Cell* first_ = nullptr;
  std::size_t count_ = 0;
};
Offered offered;

}  // namespace

Filling::~Filling() {
  if (buffer_ != nullptr && is_offered_) {
    offered.give_back(buffer_);
  } else {
    std::free(buffer_);
  }
}

void Filling::make_room(std::size_t bytes) {
  if (buffer_ != nullptr && buffer_->size >= bytes) return;
  buffer_ = with_room(buffer_, bytes);
  is_offered_ = false;
}

// Inline here, where they are used: each stands on the way of every read.
inline void Filling::make_offered_room() {
  buffer_ = offered.take();
  if (buffer_ != nullptr) {
    buffer_->size = offer.bytes();
  } else {
    make_room(offer.bytes());
  }
  is_offered_ = true;
}

inline FileContent Filling::copy_out() const {
  auto* exact = static_cast<CountedBuffer*>(std::malloc(sizeof(CountedBuffer) + filled_));
  if (exact == nullptr) end_out_of_memory("a file's content");
  *exact = CountedBuffer{1, filled_, nullptr};
  std::memcpy(exact + 1, buffer_ + 1, filled_);
  return {exact, filled_, 0};
}

void Filling::cut_to_size() {
  if (room() <= buffer_->size / 2 || room() <= 256) return;
  auto* smaller = static_cast<CountedBuffer*>(std::realloc(buffer_, sizeof(CountedBuffer) + filled_));
  if (smaller == nullptr) return;
  buffer_ = smaller;
  buffer_->size = filled_;
}

inline FileContent Filling::hand_out() {
  if (filled_ == 0) return {};
  if (is_offered_ && filled_ <= copied_bytes && filled_ <= buffer_->size / 2) return copy_out();
  cut_to_size();
  buffer_->count = 1;
  buffer_->release = nullptr;
  FileContent content{buffer_, filled_, 0};
  buffer_ = nullptr;
  return content;
}

namespace {

FileContent failed(std::int64_t negative_errno) {
  return {nullptr, 0, static_cast<int>(-negative_errno)};
}

// An open descriptor, closed also by an unwinding.
struct OpenFile {
  int fd;
  ~OpenFile() {
    if (fd >= 0) ::close(fd);
  }
};

std::int64_t read_piece(int fd, void* into, std::size_t bytes, std::size_t from) {
  nikaia_io_op op{};
  op.kind = NIKAIA_IO_READ;
  op.fd = fd;
  op.buffer = into;
  op.length = bytes;
  op.offset = static_cast<std::int64_t>(from);
  return perform(op);
}

// What is behind the bytes read so far, to the end, waiting for readiness where `streams`.
FileContent read_rest(int fd, Filling& filling, bool streams, std::size_t stated) {
  for (;;) {
    filling.grow_when_full();
    if (streams) {
      const int ready = wait_readable(fd);
      if (ready < 0) return failed(ready);
    }
    const std::int64_t count = streams ? ::read(fd, filling.end(), filling.room())
                                       : read_piece(fd, filling.end(), filling.room(), filling.filled());
    if (count < 0) {
      const std::int64_t error = streams ? -errno : count;
      if (error == -EINTR || error == -EAGAIN) continue;
      return failed(error);
    }
    if (count == 0) return filling.hand_out();
    filling.add(static_cast<std::size_t>(count));
    if (stated != 0 && filling.filled() == stated) return filling.hand_out();
  }
}

int open_plainly(const char* path, Lookup lookup, std::uint32_t flags, std::uint32_t mode) {
  nikaia_io_op op{};
  op.kind = NIKAIA_IO_OPEN;
  op.fd = lookup.folder;
  op.path = path;
  op.flags = flags | O_CLOEXEC;
  op.mode = mode;
  op.resolve = lookup.resolve;
  return static_cast<int>(perform(op));
}

// A regular file of `stated` bytes by plain calls. Nothing here pauses, so nothing unwinds.
FileContent read_regular(int fd, std::size_t stated) {
  auto* buffer = with_room(nullptr, stated != 0 ? stated + 1 : unstated_bytes);
  for (std::size_t filled = 0;;) {
    const ssize_t count = ::read(fd, reinterpret_cast<char*>(buffer + 1) + filled, buffer->size - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      std::free(buffer);
      return {nullptr, 0, error};
    }
    filled += static_cast<std::size_t>(count);
    if (count != 0 && filled != stated) {
      if (filled == buffer->size) buffer = with_room(buffer, 2 * filled);
      continue;
    }
    if (filled == 0) {
      std::free(buffer);
      return {};
    }
    if (filled < buffer->size / 2) buffer = with_room(buffer, filled);
    buffer->count = 1;
    buffer->release = nullptr;
    return {buffer, filled, 0};
  }
}

}  // namespace

// Plain calls, without an operation's record around them: what is left of the runtime in a program
// that never overlaps is counted in instructions.
FileContent read_file_idle(const char* path, Lookup lookup) {
  const std::int64_t fd = open_idle(path, lookup, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return failed(fd);
  const OpenFile file{static_cast<int>(fd)};
  struct stat status;
  if (::fstat(file.fd, &status) != 0) return failed(-errno);
  if (S_ISREG(status.st_mode)) {
    return read_regular(file.fd, static_cast<std::size_t>(status.st_size));
  }
  if (S_ISDIR(status.st_mode)) return failed(-EISDIR);
  Filling filling;
  filling.make_room(unstated_bytes);
  return read_rest(file.fd, filling, true, 0);
}

void WholeRead::prepare(const char* path, Lookup lookup) {
  filling_.make_offered_room();
  // Every word the header gives the host is set; zeroing the backend's as well costs more than all of them.
  op.kind = NIKAIA_IO_READ_WHOLE;
  op.fd = lookup.folder;
  op.user_data = 0;
  op.buffer = filling_.end();
  op.length = filling_.room();
  op.offset = 0;
  op.path = path;
  op.path2 = nullptr;
  op.fd2 = -1;
  op.flags = O_RDONLY | O_CLOEXEC;
  op.mode = 0;
  op.unused = 0;
  op.resolve = lookup.resolve;
}

FileContent WholeRead::finish(std::int64_t count, std::uint32_t flags) {
  if (count < 0) return failed(count);
  filling_.add(static_cast<std::size_t>(count));
  const bool more = (flags & NIKAIA_IO_MORE) != 0;
  offer.learn(more ? static_cast<std::size_t>(op.out_size) : filling_.filled());
  if (!more) return filling_.hand_out();

  const OpenFile file{op.out_fd};
  if ((flags & NIKAIA_IO_STREAM) != 0) return read_rest(file.fd, filling_, true, 0);
  const auto stated = static_cast<std::size_t>(op.out_size);
  filling_.make_room(stated > filling_.filled() ? stated + 1 : unstated_bytes);
  return read_rest(file.fd, filling_, false, stated > filling_.filled() ? stated : 0);
}

FileContent read_file_overlapped(const char* path, Lookup lookup) {
  WholeRead read;
  read.prepare(path, lookup);
  std::uint32_t flags = 0;
  const std::int64_t count = perform_overlapped(read.op, &flags);
  return read.finish(count, flags);
}

int write_file(const char* path, const void* data, std::size_t bytes, WriteMode mode, Lookup lookup) {
  pause_point();
  const std::uint32_t flags =
      static_cast<std::uint32_t>(O_WRONLY | (mode.create ? O_CREAT : 0) | (mode.append ? O_APPEND : O_TRUNC));
  const int fd = open_plainly(path, lookup, flags, mode.create ? 0666 : 0);
  if (fd < 0) return -fd;
  const OpenFile file{fd};
  const auto* from = static_cast<const char*>(data);
  for (std::size_t written = 0; written < bytes;) {
    nikaia_io_op op{};
    op.kind = NIKAIA_IO_WRITE;
    op.fd = fd;
    op.buffer = const_cast<char*>(from + written);
    op.length = bytes - written;
    op.offset = -1;
    const std::int64_t count = perform(op);
    if (count == -EAGAIN) {
      // No regular file: its reader is slower than we are.
      if (const int ready = wait_writable(fd); ready < 0) return -ready;
    } else if (count < 0) {
      return static_cast<int>(-count);
    } else {
      written += static_cast<std::size_t>(count);
    }
  }
  return 0;
}

int path_exists(const char* path, Lookup lookup) {
  int result;
  if (lookup.resolve == 0) {
    result = ::faccessat(lookup.folder, path, F_OK, 0) == 0 ? 1 : -errno;
  } else {
    nikaia_io_op op{};
    op.kind = NIKAIA_IO_OPEN;
    op.fd = lookup.folder;
    op.path = path;
    op.flags = O_PATH | O_CLOEXEC;
    op.resolve = lookup.resolve;
    const std::int64_t fd = perform_idle(op);
    if (fd >= 0) ::close(static_cast<int>(fd));
    result = fd >= 0 ? 1 : static_cast<int>(fd);
  }
  return result == -ENOENT || result == -ENOTDIR ? 0 : result;
}

}  // namespace nikaia::rt
