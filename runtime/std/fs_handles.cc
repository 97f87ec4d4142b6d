// fs::Writer and fs::File. Each operation pauses; a value that dies because its task is cancelled
// is handed to the runtime, which cleans it up in the background.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nikaia/rt/cleanup.h>
#include <nikaia/rt/std_fs.h>

#include "lookup.h"
#include "runtime/io/operations.h"

namespace nikaia {

namespace {

// Writes all of it at the file's own position. 0 or an errno.
int write_all(int fd, const void* data, std::size_t size) {
  const auto* at = static_cast<const char*>(data);
  while (size > 0) {
    nikaia_io_op op{};
    op.kind = NIKAIA_IO_WRITE;
    op.fd = fd;
    op.buffer = const_cast<char*>(at);
    op.length = size;
    op.offset = -1;
    const std::int64_t written = rt::perform(op);
    if (written < 0) {
      return static_cast<int>(-written);
    }
    at += written;
    size -= static_cast<std::size_t>(written);
  }
  return 0;
}

int close_file(int fd) {
  nikaia_io_op op{};
  op.kind = NIKAIA_IO_CLOSE;
  op.fd = fd;
  return static_cast<int>(-rt::perform(op));
}

Result<void> outcome(int error, const Path& path) {
  if (error != 0) {
    return io_failure(error, path.bytes);
  }
  return {};
}

// What a message calls such a value: `the file 'report.txt'`. Lives as long as the program.
const char* name_of_file(const Path& path) {
  static Vec<String> names;
  names.push(format("the file '"_s, path, "'"_s, Str("\0", 1)));
  return names.data()[names.size() - 1].data();
}

}  // namespace

Result<void> Writer::flush() {
  const String held = static_cast<String&&>(held_);
  held_ = String();
  return outcome(write_all(fd_, held.data(), held.size()), path_);
}

Result<void> Writer::cleanup() {
  if (fd_ < 0) {
    return {};
  }
  const rt::Shield shield;
  auto flushed = flush();
  const int fd = fd_;
  fd_ = -1;
  const int closed = close_file(fd);
  return flushed.failed() || closed == 0 ? static_cast<Result<void>&&>(flushed) : outcome(closed, path_);
}

// Emitted code cleans a writer up where it dies; only an unwinding finds it open.
void Writer::die() {
  if (rt::unwinding() && held_.size() != 0) {
    const char* const name = name_of_file(path_);
    rt::park(static_cast<Writer&&>(*this), name);
  }
  if (fd_ >= 0) {
    ::close(fd_);
    fd_ = -1;
  }
}

Result<void> clean_up(Writer& writer) {
  return writer.cleanup();
}

File::~File() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

Result<void> File::cleanup() {
  if (fd_ < 0) {
    return {};
  }
  const rt::Shield shield;
  const int fd = fd_;
  fd_ = -1;
  return outcome(close_file(fd), path_);
}

Result<void> clean_up(File& file) {
  return file.cleanup();
}

Result<std::int64_t> file_read(File& file, Vec<std::uint8_t>& into) {
  if (into.size() == 0) {
    return std::int64_t{0};
  }
  nikaia_io_op op{};
  op.kind = NIKAIA_IO_READ;
  op.fd = file.fd();
  op.buffer = into.data();
  op.length = into.size();
  op.offset = -1;
  const std::int64_t read = rt::perform(op);
  if (read < 0) {
    return io_failure(static_cast<int>(-read), file.path().bytes);
  }
  return read;
}

Result<std::int64_t> file_write(File& file, DataRef data) {
  auto written = outcome(write_all(file.fd(), data.data, data.size), file.path());
  if (written.failed()) {
    return written.take_failure();
  }
  return static_cast<std::int64_t>(data.size);
}

Result<void> file_flush(File&) {
  rt::pause_point();
  return {};
}

Result<std::int64_t> file_seek(File& file, const Seek& to) {
  rt::pause_point();
  std::int64_t by = 0;
  to.sum.visit([&](const auto& held) { by = held.part0; });
  constexpr int from[] = {SEEK_SET, SEEK_CUR, SEEK_END};
  const off_t at = ::lseek(file.fd(), by, from[to.sum.tag()]);
  if (at < 0) {
    return io_failure(errno, file.path().bytes);
  }
  return static_cast<std::int64_t>(at);
}

Result<std::int64_t> file_len(const File& file) {
  rt::pause_point();
  struct stat about;
  if (::fstat(file.fd(), &about) != 0) {
    return io_failure(errno, file.path().bytes);
  }
  return static_cast<std::int64_t>(about.st_size);
}

Result<Writer> fs_create(PathRef path, RootRef root) {
  auto opened = fs::open_path(path.bytes, *root.root, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (opened.failed()) {
    return opened.take_failure();
  }
  return Writer(opened.value().release(), Path(clone(path.bytes)));
}

Result<File> fs_open(PathRef path, RootRef root, bool write, bool append, bool create, bool truncate) {
  const bool writes = write || append;
  if ((create || truncate) && !writes) {
    return io_failure_other("`create` and `truncate` ask for `write` or `append`"_s);
  }
  const int flags =
      (writes ? O_RDWR : O_RDONLY) | (append ? O_APPEND : 0) | (create ? O_CREAT : 0) | (truncate ? O_TRUNC : 0);
  auto opened = fs::open_path(path.bytes, *root.root, flags, create ? 0666 : 0);
  if (opened.failed()) {
    return opened.take_failure();
  }
  return File(opened.value().release(), Path(clone(path.bytes)));
}

}  // namespace nikaia
