// Cases: opening, closing, reading, writing, syncing and asking about files, with every error that
// can be had without special rights.
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/conformance/drive.h"

namespace nikaia::conformance {
namespace {

int opened(Drive& drive, const char* path, int flags, unsigned mode = 0) {
  Task task = open_file(path, flags, mode);
  return static_cast<int>(drive.run(task));
}

void closed(Context& context, Drive& drive, int fd) {
  Task task = close_file(fd);
  EXPECT_IS(drive.run(task), 0);
  EXPECT(fcntl(fd, F_GETFD) < 0);
}

void does_nothing(Context& context) {
  Drive drive(context);
  Task task = of_kind(NIKAIA_IO_NOP);
  EXPECT_IS(drive.run(task), 0);
  EXPECT_IS(task.completion.flags, 0);
  EXPECT_IS(drive.pending(), 0);
}

void reads_to_the_end(Context& context) {
  const std::string content = pattern(100'000);
  const char* path = context.file("a", content);
  Drive drive(context);
  const int fd = opened(drive, path, O_RDONLY);
  EXPECT(fd >= 0);
  EXPECT((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
  EXPECT((fcntl(fd, F_GETFL) & O_NONBLOCK) == 0);
  std::string read;
  for (;;) {
    char piece[7'000];
    Task task = read_at(fd, piece, sizeof piece, static_cast<std::int64_t>(read.size()));
    const std::int64_t count = drive.run(task);
    EXPECT(count >= 0);
    if (count <= 0) break;
    read.append(piece, static_cast<std::size_t>(count));
  }
  EXPECT(read == content);
  closed(context, drive, fd);
}

// What is not in the page cache takes the other way through every backend.
void reads_what_is_not_cached(Context& context) {
  const std::string content = pattern(3'000'000);
  const char* path = context.file("cold", content);
  Drive drive(context);
  const int fd = opened(drive, path, O_RDWR);
  EXPECT_IS(fsync(fd), 0);
  EXPECT_IS(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
  std::string read(content.size(), '\0');
  for (std::size_t at = 0; at < read.size();) {
    Task task = read_at(fd, &read[at], read.size() - at, static_cast<std::int64_t>(at));
    const std::int64_t count = drive.run(task);
    EXPECT(count > 0);
    if (count <= 0) break;
    at += static_cast<std::size_t>(count);
  }
  EXPECT(read == content);
  EXPECT_IS(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
  std::string whole(content.size() + 1, '\0');
  Task task = read_whole(path, whole.data(), whole.size());
  EXPECT_IS(drive.run(task), content.size());
  whole.resize(content.size());
  EXPECT(whole == content);
  closed(context, drive, fd);
}

void reads_short_at_the_end(Context& context) {
  const char* path = context.file("a", "0123456789");
  Drive drive(context);
  const int fd = opened(drive, path, O_RDONLY);
  char buffer[64];
  std::memset(buffer, '#', sizeof buffer);
  Task task = read_at(fd, buffer, sizeof buffer, 7);
  EXPECT_IS(drive.run(task), 3);
  EXPECT(std::string_view(buffer, 3) == "789");
  task = read_at(fd, buffer, sizeof buffer, 10);
  EXPECT_IS(drive.run(task), 0);
  task = read_at(fd, buffer, sizeof buffer, 1'000'000);
  EXPECT_IS(drive.run(task), 0);
  task = read_at(fd, buffer, 0, 0);
  EXPECT_IS(drive.run(task), 0);
  closed(context, drive, fd);
}

void keeps_a_position(Context& context) {
  const char* path = context.file("a", "abcdef");
  Drive drive(context);
  const int fd = opened(drive, path, O_RDWR);
  char buffer[4] = {};
  Task task = read_at(fd, buffer, 2, -1);
  EXPECT_IS(drive.run(task), 2);
  EXPECT(std::string_view(buffer, 2) == "ab");
  task = read_at(fd, buffer, 1, 5);  // leaves the position alone
  EXPECT_IS(drive.run(task), 1);
  task = read_at(fd, buffer, 2, -1);
  EXPECT_IS(drive.run(task), 2);
  EXPECT(std::string_view(buffer, 2) == "cd");
  task = write_at(fd, "XY", -1);
  EXPECT_IS(drive.run(task), 2);
  closed(context, drive, fd);
  EXPECT(slurp(path) == "abcdXY");
}

void writes(Context& context) {
  const char* path = context.path("new");
  Drive drive(context);
  const int fd = opened(drive, path, O_WRONLY | O_CREAT | O_EXCL, 0640);
  EXPECT(fd >= 0);
  struct stat about {};
  EXPECT_IS(fstat(fd, &about), 0);
  EXPECT_IS(about.st_mode & 07700, 0600);
  const std::string content = pattern(300'000);
  std::size_t at = 0;
  while (at < content.size()) {
    Task task = write_at(fd, std::string_view(content).substr(at), static_cast<std::int64_t>(at));
    const std::int64_t count = drive.run(task);
    EXPECT(count > 0);
    if (count <= 0) break;
    at += static_cast<std::size_t>(count);
  }
  Task task = write_at(fd, "behind a hole", 400'000);
  EXPECT_IS(drive.run(task), 13);
  closed(context, drive, fd);
  EXPECT(slurp(path) == content + std::string(100'000, '\0') + "behind a hole");
}

void appends(Context& context) {
  const char* path = context.file("log", "one\n");
  Drive drive(context);
  const int fd = opened(drive, path, O_WRONLY | O_APPEND);
  Task task = write_at(fd, "two\n", -1);
  EXPECT_IS(drive.run(task), 4);
  task = write_at(fd, "three\n", -1);
  EXPECT_IS(drive.run(task), 6);
  closed(context, drive, fd);
  EXPECT(slurp(path) == "one\ntwo\nthree\n");
}

void syncs(Context& context) {
  const char* path = context.file("a", "text");
  Drive drive(context);
  const int fd = opened(drive, path, O_RDWR);
  Task task = of_kind(NIKAIA_IO_SYNC);
  task.op.fd = fd;
  EXPECT_IS(drive.run(task), 0);
  task.op.flags = NIKAIA_IO_SYNC_DATA;
  EXPECT_IS(drive.run(task), 0);
  task.op.fd = -1;
  EXPECT_IS(drive.run(task), -EBADF);
  closed(context, drive, fd);
}

void stats(Context& context) {
  const char* path = context.file("a", "12345");
  const char* link = context.path("link");
  EXPECT_IS(symlink("a", link), 0);
  Drive drive(context);
  struct statx about {};
  Task task = of_kind(NIKAIA_IO_STAT);
  task.op.path = path;
  task.op.mode = STATX_BASIC_STATS;
  task.op.buffer = &about;
  task.op.length = sizeof about;
  EXPECT_IS(drive.run(task), 0);
  EXPECT(S_ISREG(about.stx_mode));
  EXPECT_IS(about.stx_size, 5);
  about = {};
  task.op.path = link;
  EXPECT_IS(drive.run(task), 0);
  EXPECT(S_ISREG(about.stx_mode));
  about = {};
  task.op.flags = AT_SYMLINK_NOFOLLOW;
  EXPECT_IS(drive.run(task), 0);
  EXPECT(S_ISLNK(about.stx_mode));
  about = {};
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  task.op.fd = fd;
  task.op.path = "";
  task.op.flags = AT_EMPTY_PATH;
  EXPECT_IS(drive.run(task), 0);
  EXPECT_IS(about.stx_size, 5);
  ::close(fd);
  task.op.fd = AT_FDCWD;
  task.op.flags = 0;
  task.op.path = context.path("missing");
  EXPECT_IS(drive.run(task), -ENOENT);
}

void opens_from_a_directory(Context& context) {
  context.file("inside", "here");
  const char* folder = context.path("");
  Drive drive(context);
  const int directory = opened(drive, folder, O_RDONLY | O_DIRECTORY);
  EXPECT(directory >= 0);
  Task task = open_file("inside", O_RDONLY);
  task.op.fd = directory;
  const std::int64_t fd = drive.run(task);
  EXPECT(fd >= 0);
  ::close(static_cast<int>(fd));
  task.op.path = "../elsewhere";
  task.op.resolve = RESOLVE_BENEATH;
  EXPECT_IS(drive.run(task), -EXDEV);
  closed(context, drive, directory);
}

void says_why_it_cannot_open(Context& context) {
  const char* path = context.file("a", "text");
  const char* loop = context.path("loop");
  EXPECT_IS(symlink(loop, loop), 0);
  Drive drive(context);
  EXPECT_IS(opened(drive, context.path("missing"), O_RDONLY), -ENOENT);
  EXPECT_IS(opened(drive, context.path("missing/below"), O_WRONLY | O_CREAT, 0600), -ENOENT);
  EXPECT_IS(opened(drive, context.path("a/below"), O_RDONLY), -ENOTDIR);
  EXPECT_IS(opened(drive, path, O_RDONLY | O_DIRECTORY), -ENOTDIR);
  EXPECT_IS(opened(drive, path, O_WRONLY | O_CREAT | O_EXCL, 0600), -EEXIST);
  EXPECT_IS(opened(drive, context.path(""), O_WRONLY), -EISDIR);
  EXPECT_IS(opened(drive, loop, O_RDONLY), -ELOOP);
  EXPECT_IS(opened(drive, context.path(std::string(300, 'x')), O_RDONLY), -ENAMETOOLONG);
  Task task = open_file("relative", O_RDONLY);
  task.op.fd = 9'999;
  EXPECT_IS(drive.run(task), -EBADF);
  if (geteuid() != 0) {
    EXPECT_IS(chmod(path, 0), 0);
    EXPECT_IS(opened(drive, path, O_RDONLY), -EACCES);
  }
}

void says_why_it_cannot_transfer(Context& context) {
  const char* path = context.file("a", "text");
  Drive drive(context);
  char buffer[16];
  Task task = read_at(9'999, buffer, sizeof buffer, 0);
  EXPECT_IS(drive.run(task), -EBADF);
  task = close_file(9'999);
  EXPECT_IS(drive.run(task), -EBADF);
  const int fd = opened(drive, path, O_RDONLY);
  task = write_at(fd, "x", 0);
  EXPECT_IS(drive.run(task), -EBADF);
  closed(context, drive, fd);
  const int folder = opened(drive, context.path(""), O_RDONLY);
  task = read_at(folder, buffer, sizeof buffer, 0);
  EXPECT_IS(drive.run(task), -EISDIR);
  closed(context, drive, folder);
  const int full = opened(drive, "/dev/full", O_WRONLY);
  task = write_at(full, "x", -1);
  EXPECT_IS(drive.run(task), -ENOSPC);
  closed(context, drive, full);
}

// The limit of a file's size, within one write: what fits is written, and only the next one fails.
void writes_short_at_a_limit(Context& context) {
  const char* path = context.path("limited");
  rlimit before{};
  EXPECT_IS(getrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_IGN);
  Drive drive(context);
  const int fd = opened(drive, path, O_WRONLY | O_CREAT, 0600);
  rlimit limit = before;
  limit.rlim_cur = 1'000;
  EXPECT_IS(setrlimit(RLIMIT_FSIZE, &limit), 0);
  const std::string content = pattern(3'000);
  Task task = write_at(fd, content, 0);
  const std::int64_t first = drive.run(task);
  task = write_at(fd, content, 1'000);
  const std::int64_t second = drive.run(task);
  EXPECT_IS(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_DFL);
  EXPECT_IS(first, 1'000);
  EXPECT_IS(second, -EFBIG);
  closed(context, drive, fd);
  EXPECT(slurp(path) == content.substr(0, 1'000));
}

void refuses_unknown_kinds(Context& context) {
  Drive drive(context);
  Task task;
  task.op.kind = NIKAIA_IO_KIND_END;
  EXPECT_IS(drive.run(task), -ENOSYS);
  task.op.kind = 0xffffffff;
  EXPECT_IS(drive.run(task), -ENOSYS);
}

// A FIFO opened for reading waits for nobody; for writing, nobody is told.
void opens_a_fifo_without_a_peer(Context& context) {
  const char* path = context.path("fifo");
  EXPECT_IS(mkfifo(path, 0600), 0);
  Drive drive(context);
  EXPECT_IS(opened(drive, path, O_WRONLY), -ENXIO);
  const int reader = opened(drive, path, O_RDONLY);
  EXPECT(reader >= 0);
  EXPECT((fcntl(reader, F_GETFL) & O_NONBLOCK) == 0);
  const int writer = opened(drive, path, O_WRONLY);
  EXPECT(writer >= 0);
  closed(context, drive, writer);
  closed(context, drive, reader);
}

void gives_user_data_back(Context& context) {
  const char* path = context.file("a", "text");
  Drive drive(context);
  std::vector<Task> tasks;
  std::vector<char> buffers(std::size_t{100} * 8);
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  for (std::size_t i = 0; i < 100; ++i) tasks.push_back(read_at(fd, &buffers[i * 8], 8, 0));
  drive.start_all(tasks);
  EXPECT_IS(drive.pending(), 100);
  EXPECT(drive.finish_all(tasks));
  for (const Task& task : tasks) EXPECT_IS(task.result(), 4);
  EXPECT_IS(drive.pending(), 0);
  ::close(fd);
}

constexpr Case cases[] = {
    {"does nothing when asked to", does_nothing},
    {"reads a file in pieces, to its end", reads_to_the_end},
    {"reads what is not cached", reads_what_is_not_cached},
    {"reads short at the end of a file", reads_short_at_the_end},
    {"keeps a file's own position", keeps_a_position},
    {"creates and writes a file", writes},
    {"appends", appends},
    {"writes short at a limit", writes_short_at_a_limit},
    {"syncs", syncs},
    {"says what a file is", stats},
    {"opens from a directory, and keeps below it", opens_from_a_directory},
    {"says why it cannot open", says_why_it_cannot_open},
    {"says why it cannot read, write or close", says_why_it_cannot_transfer},
    {"refuses kinds it does not know", refuses_unknown_kinds},
    {"opens a FIFO without waiting for a peer", opens_a_fifo_without_a_peer},
    {"gives the user data back, once for each operation", gives_user_data_back},
};

}  // namespace

std::span<const Case> file_cases() {
  return cases;
}

}  // namespace nikaia::conformance
