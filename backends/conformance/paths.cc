// Cases: names and directories, and what works on open files as one blocking call.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/conformance/drive.h"

namespace nikaia::conformance {
namespace {

Task on_path(nikaia_io_kind kind, const char* path) {
  Task task = of_kind(kind);
  task.op.path = path;
  return task;
}

Task on_two(nikaia_io_kind kind, const char* from, const char* to) {
  Task task = on_path(kind, from);
  task.op.path2 = to;
  task.op.fd2 = AT_FDCWD;
  return task;
}

bool there(const char* path) {
  struct stat about {};
  return lstat(path, &about) == 0;
}

void makes_and_removes_directories(Context& context) {
  const char* path = context.path("folder");
  Drive drive(context);
  Task make = on_path(NIKAIA_IO_MKDIR, path);
  make.op.mode = 0700;
  EXPECT_IS(drive.run(make), 0);
  EXPECT(there(path));
  EXPECT_IS(drive.run(make), -EEXIST);
  Task remove = on_path(NIKAIA_IO_UNLINK, path);
  EXPECT_IS(drive.run(remove), -EISDIR);
  context.file("folder/a", "");
  remove.op.flags = AT_REMOVEDIR;
  EXPECT_IS(drive.run(remove), -ENOTEMPTY);
  Task file = on_path(NIKAIA_IO_UNLINK, context.path("folder/a"));
  EXPECT_IS(drive.run(file), 0);
  EXPECT_IS(drive.run(file), -ENOENT);
  EXPECT_IS(drive.run(remove), 0);
  EXPECT(!there(path));
}

void renames(Context& context) {
  const char* from = context.file("from", "content");
  const char* to = context.path("to");
  Drive drive(context);
  Task task = on_two(NIKAIA_IO_RENAME, from, to);
  EXPECT_IS(drive.run(task), 0);
  EXPECT(!there(from));
  EXPECT(slurp(to) == "content");
  EXPECT_IS(drive.run(task), -ENOENT);
  context.file("from", "other");
  task.op.flags = RENAME_NOREPLACE;
  EXPECT_IS(drive.run(task), -EEXIST);
  EXPECT(slurp(to) == "content");
}

void links(Context& context) {
  const char* file = context.file("file", "content");
  const char* hard = context.path("hard");
  const char* soft = context.path("soft");
  Drive drive(context);
  Task link = on_two(NIKAIA_IO_LINK, file, hard);
  EXPECT_IS(drive.run(link), 0);
  EXPECT(slurp(hard) == "content");
  EXPECT_IS(drive.run(link), -EEXIST);
  Task symbolic = on_two(NIKAIA_IO_SYMLINK, soft, "file");
  EXPECT_IS(drive.run(symbolic), 0);
  EXPECT(slurp(soft) == "content");
  char text[16];
  Task read = on_path(NIKAIA_IO_READLINK, soft);
  read.op.buffer = text;
  read.op.length = sizeof text;
  EXPECT_IS(drive.run(read), 4);
  EXPECT(std::string_view(text, 4) == "file");
  read.op.length = 2;
  EXPECT_IS(drive.run(read), 2);
  read.op.path = file;
  EXPECT_IS(drive.run(read), -EINVAL);
}

struct Record {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t length;
  std::uint8_t type;
  char name[1];
};

void lists_directories(Context& context) {
  std::vector<std::string> wanted{".", ".."};
  for (int i = 0; i < 300; ++i) {
    wanted.push_back("entry" + std::to_string(i));
    context.file(wanted.back(), "");
  }
  Drive drive(context);
  const int folder = ::open(context.path(""), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::vector<std::string> names;
  alignas(Record) char buffer[1'024];
  for (;;) {
    Task task = of_kind(NIKAIA_IO_READDIR);
    task.op.fd = folder;
    task.op.buffer = buffer;
    task.op.length = sizeof buffer;
    const std::int64_t bytes = drive.run(task);
    EXPECT(bytes >= 0);
    if (bytes <= 0) break;
    for (std::int64_t at = 0; at < bytes;) {
      std::uint16_t length = 0;
      std::memcpy(&length, buffer + at + offsetof(Record, length), sizeof length);
      names.emplace_back(buffer + at + offsetof(Record, name));
      at += length;
    }
  }
  ::close(folder);
  std::sort(names.begin(), names.end());
  std::sort(wanted.begin(), wanted.end());
  EXPECT(names == wanted);
  Task task = of_kind(NIKAIA_IO_READDIR);
  task.op.fd = 9'999;
  task.op.buffer = buffer;
  task.op.length = sizeof buffer;
  EXPECT_IS(drive.run(task), -EBADF);
}

void truncates(Context& context) {
  const char* path = context.file("file", "0123456789");
  Drive drive(context);
  const int fd = ::open(path, O_RDWR | O_CLOEXEC);
  Task task = of_kind(NIKAIA_IO_TRUNCATE);
  task.op.fd = fd;
  task.op.offset = 4;
  EXPECT_IS(drive.run(task), 0);
  EXPECT(slurp(path) == "0123");
  task.op.offset = 6;
  EXPECT_IS(drive.run(task), 0);
  EXPECT(slurp(path) == std::string("0123\0\0", 6));
  task.op.offset = -1;
  EXPECT_IS(drive.run(task), -EINVAL);
  ::close(fd);
}

void copies(Context& context) {
  const std::string content = pattern(200'000);
  const char* from = context.file("from", content);
  const char* to = context.file("to", "");
  Drive drive(context);
  const int in = ::open(from, O_RDONLY | O_CLOEXEC);
  const int out = ::open(to, O_WRONLY | O_CLOEXEC);
  std::int64_t count = 0;
  do {
    Task task = of_kind(NIKAIA_IO_COPY);
    task.op.fd = in;
    task.op.fd2 = out;
    task.op.length = 1'000'000;
    count = drive.run(task);
  } while (count > 0);
  const bool unsupported = count == -EXDEV || count == -EOPNOTSUPP || count == -EINVAL;
  EXPECT(unsupported || (count == 0 && slurp(to) == content));
  ::close(in);
  ::close(out);
}

constexpr Case cases[] = {
    {"makes and removes directories", makes_and_removes_directories},
    {"renames", renames},
    {"links, and reads links", links},
    {"lists directories", lists_directories},
    {"truncates", truncates},
    {"copies between files", copies},
};

}  // namespace

std::span<const Case> path_cases() {
  return cases;
}

}  // namespace nikaia::conformance
