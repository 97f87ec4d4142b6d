// Cases: whole-file reads, around every boundary of the offered buffer, and of what is no ordinary
// file.
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "backends/conformance/drive.h"

namespace nikaia::conformance {
namespace {

struct Read {
  std::int64_t result = 0;
  bool more = false;  // the first operation did not come to the end
  std::uint64_t size = 0;
  std::string content;
};

// Reads as a host does that offers `offered` bytes first and goes on with what it is told.
Read read_all(Context& context, Drive& drive, const char* path, std::size_t offered) {
  Read read;
  std::string first(offered + 1, '#');
  Task task = read_whole(path, first.data(), offered);
  read.result = drive.run(task);
  EXPECT(first[offered] == '#');
  if (read.result < 0) {
    EXPECT_IS(task.completion.flags, 0);
    return read;
  }
  EXPECT(read.result <= static_cast<std::int64_t>(offered));
  read.content = first.substr(0, static_cast<std::size_t>(read.result));
  read.more = (task.completion.flags & NIKAIA_IO_MORE) != 0;
  read.size = task.op.out_size;
  if (!read.more) {
    EXPECT_IS(task.op.out_fd, -1);
    return read;
  }
  const int fd = task.op.out_fd;
  EXPECT(fd >= 0);
  struct stat about {};
  EXPECT_IS(fstat(fd, &about), 0);
  const bool stream = (task.completion.flags & NIKAIA_IO_STREAM) != 0;
  EXPECT_IS(stream, !S_ISREG(about.st_mode));
  for (;;) {
    char piece[10'000];
    if (stream) {
      Task wait = readable(fd);
      EXPECT(drive.run(wait) > 0);
    }
    const auto at = stream ? -1 : static_cast<std::int64_t>(read.content.size());
    Task next = read_at(fd, piece, sizeof piece, at);
    const std::int64_t count = drive.run(next);
    EXPECT(count >= 0);
    if (count <= 0) break;
    read.content.append(piece, static_cast<std::size_t>(count));
  }
  Task end = close_file(fd);
  EXPECT_IS(drive.run(end), 0);
  return read;
}

void reads_every_size(Context& context) {
  constexpr std::size_t offered = 4'096;
  Drive drive(context);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{5}, offered - 2, offered - 1, offered,
                                 offered + 1, 2 * offered, std::size_t{65'536}, std::size_t{1'000'000}}) {
    const std::string content = pattern(size);
    const char* path = context.file("whole", content);
    const int before = open_descriptors();
    const Read read = read_all(context, drive, path, offered);
    EXPECT(read.content == content);
    EXPECT(read.more || size <= offered);
    EXPECT(!read.more || size >= offered);
    if (read.more) EXPECT_IS(read.size, size);
    EXPECT_IS(open_descriptors(), before);
  }
}

void reads_into_little(Context& context) {
  Drive drive(context);
  const char* path = context.file("whole", "hello");
  for (const std::size_t offered : {0, 1, 2, 3, 5, 6}) {
    const Read read = read_all(context, drive, path, offered);
    EXPECT(read.content == "hello");
  }
}

void reads_many_at_once(Context& context) {
  constexpr std::size_t count = 600;
  constexpr std::size_t size = 2'000;
  std::vector<Task> tasks;
  std::vector<std::string> contents;
  std::vector<std::string> buffers;
  for (std::size_t i = 0; i < count; ++i) {
    contents.push_back(pattern(i % size, static_cast<unsigned>(i)));
    buffers.emplace_back(size, '\0');
    const char* path = context.file("f" + std::to_string(i), contents.back());
    tasks.push_back(read_whole(path, nullptr, size));
  }
  for (std::size_t i = 0; i < count; ++i) tasks[i].op.buffer = buffers[i].data();
  Drive drive(context);
  const int before = open_descriptors();
  drive.start_all(tasks);
  EXPECT(drive.finish_all(tasks));
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_IS(tasks[i].result(), contents[i].size());
    EXPECT_IS(tasks[i].completion.flags, 0);
    EXPECT(buffers[i].compare(0, contents[i].size(), contents[i]) == 0);
  }
  EXPECT_IS(open_descriptors(), before);
}

void says_why_it_cannot(Context& context) {
  Drive drive(context);
  const int before = open_descriptors();
  EXPECT_IS(read_all(context, drive, context.path("missing"), 100).result, -ENOENT);
  EXPECT_IS(read_all(context, drive, context.path(""), 100).result, -EISDIR);
  EXPECT_IS(read_all(context, drive, context.path(""), 0).result, -EISDIR);
  context.file("a", "");
  EXPECT_IS(read_all(context, drive, context.path("a/b"), 100).result, -ENOTDIR);
  EXPECT_IS(open_descriptors(), before);
}

// Files of /proc state no size, and a short read of them is not their end.
void reads_files_without_a_size(Context& context) {
  Drive drive(context);
  for (const std::size_t offered : {64, 5'000, 200'000}) {
    const Read read = read_all(context, drive, "/proc/kallsyms", offered);
    EXPECT(read.content == slurp("/proc/kallsyms"));
    EXPECT(read_all(context, drive, "/proc/version", offered).content == slurp("/proc/version"));
  }
}

// A reader that let go of a FIFO between two reads would break the pipe of its writer.
void reads_a_fifo_to_its_end(Context& context) {
  const std::string content = pattern(500'000);
  for (const std::size_t offered : {0, 1, 1'000, 300'000}) {
    const char* path = context.path("fifo" + std::to_string(offered));
    EXPECT_IS(mkfifo(path, 0600), 0);
    bool written = false;
    std::thread writer([&] {
      const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
      std::size_t at = 0;
      while (at < content.size()) {
        const ssize_t count = ::write(fd, content.data() + at, content.size() - at);
        if (count <= 0) break;
        at += static_cast<std::size_t>(count);
      }
      written = at == content.size();
      ::close(fd);
    });
    {
      Drive drive(context);
      EXPECT(read_all(context, drive, path, offered).content == content);
    }
    writer.join();
    EXPECT(written);
  }
}

void reads_a_device(Context& context) {
  Drive drive(context);
  EXPECT(read_all(context, drive, "/dev/null", 100).content.empty());
}

constexpr Case cases[] = {
    {"reads whole files of every size", reads_every_size},
    {"reads whole files into little room", reads_into_little},
    {"reads many whole files at once", reads_many_at_once},
    {"says why it cannot read a whole file", says_why_it_cannot},
    {"reads whole files that state no size", reads_files_without_a_size},
    {"reads a FIFO to its end", reads_a_fifo_to_its_end},
    {"reads a device to its end", reads_a_device},
};

}  // namespace

std::span<const Case> whole_file_cases() {
  return cases;
}

}  // namespace nikaia::conformance
