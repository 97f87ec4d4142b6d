// Cases: a great many operations in flight, and several instances at once.
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <thread>
#include <unistd.h>

#include "backends/conformance/drive.h"

namespace nikaia::conformance {
namespace {

constexpr std::size_t many = 10'000;

void reads_ten_thousand_at_once(Context& context) {
  constexpr std::size_t piece = 64;
  const std::string content = pattern(many * piece);
  const char* path = context.file("big", content);
  Drive drive(context);
  const int fd = ::open(path, O_RDWR | O_CLOEXEC);
  // Half of it from the disk, half from the cache.
  EXPECT_IS(fsync(fd), 0);
  EXPECT_IS(posix_fadvise(fd, 0, static_cast<off_t>(content.size() / 2), POSIX_FADV_DONTNEED), 0);
  std::string read(content.size(), '\0');
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < many; ++i) {
    tasks.push_back(read_at(fd, &read[i * piece], piece, static_cast<std::int64_t>(i * piece)));
  }
  drive.start_all(tasks);
  EXPECT(drive.finish_all(tasks));
  std::int64_t bytes = 0;
  for (const Task& task : tasks) bytes += task.result();
  EXPECT_IS(bytes, content.size());
  EXPECT(read == content);
  EXPECT_IS(drive.pending(), 0);
  ::close(fd);
}

void waits_ten_thousand_times(Context& context) {
  constexpr std::size_t pipes = 200;
  Drive drive(context);
  std::vector<Ends> ends(pipes);
  std::vector<Task> waits;
  for (std::size_t i = 0; i < many; ++i) waits.push_back(readable(ends[i % pipes].read_end()));
  drive.start_all(waits);
  EXPECT_IS(drive.pending(), many);
  // A file beside them makes progress.
  char buffer[8];
  const int fd = ::open(context.file("a", "text"), O_RDONLY | O_CLOEXEC);
  Task read = read_at(fd, buffer, sizeof buffer, 0);
  EXPECT_IS(drive.run(read), 4);
  ::close(fd);
  // One of a hundred is cancelled, half of the rest become ready, the other half reach their end.
  for (std::size_t i = 0; i < many; i += 100) EXPECT_IS(drive.cancel(waits[i]), 0);
  for (std::size_t i = 0; i < pipes; ++i) {
    if (i % 2 == 0) {
      ends[i].put("x");
    } else {
      ends[i].close_write_end();
    }
  }
  EXPECT(drive.finish_all(waits));
  std::size_t stopped = 0;
  std::size_t ready = 0;
  for (const Task& task : waits) {
    if (task.result() == -ECANCELED) ++stopped;
    if (task.result() > 0) ++ready;
  }
  EXPECT_IS(stopped, many / 100);
  EXPECT_IS(ready, many - many / 100);
}

void mixes_everything(Context& context) {
  const std::string content = pattern(5'000);
  const char* path = context.file("a", content);
  Drive drive(context, 3);
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  const Ends ends;
  struct Buffers {
    char piece[256];
    char whole[6'000];
    char link[16];
  };
  constexpr std::size_t rounds = 500;
  std::vector<Buffers> buffers(rounds);
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < rounds; ++i) {
    tasks.push_back(read_at(fd, buffers[i].piece, sizeof buffers[i].piece, 100));
    tasks.push_back(read_whole(path, buffers[i].whole, sizeof buffers[i].whole));
    tasks.push_back(writable(ends.write_end()));
    Task link = of_kind(NIKAIA_IO_READLINK);
    link.op.path = path;
    link.op.buffer = buffers[i].link;
    link.op.length = sizeof buffers[i].link;
    tasks.push_back(link);
    tasks.push_back(of_kind(NIKAIA_IO_NOP));
  }
  drive.start_all(tasks);
  EXPECT(drive.finish_all(tasks));
  const std::int64_t wanted[] = {256, 5'000, POLLOUT, -EINVAL, 0};
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].result() != wanted[i % 5]) ++wrong;
  }
  EXPECT_IS(wrong, 0);
  for (const Buffers& one : buffers) EXPECT(content.compare(0, 5'000, one.whole, 5'000) == 0);
  ::close(fd);
}

void serves_several_threads(Context& context) {
  constexpr std::size_t threads = 4;
  const std::string content = pattern(20'000);
  const char* path = context.file("a", content);
  std::vector<std::thread> owners;
  std::vector<std::size_t> right(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    owners.emplace_back([&, i] {
      Context own(context.backend());
      Drive drive(own, 2);
      for (int round = 0; round < 200; ++round) {
        std::string buffer(30'000, '\0');
        Task whole = read_whole(path, buffer.data(), buffer.size());
        Task link = of_kind(NIKAIA_IO_READLINK);
        char text[16];
        link.op.path = path;
        link.op.buffer = text;
        link.op.length = sizeof text;
        drive.start(whole);
        drive.start(link);
        drive.finish(whole);
        drive.finish(link);
        buffer.resize(content.size());
        if (whole.result() == 20'000 && link.result() == -EINVAL && buffer == content) ++right[i];
      }
      if (!own.failures().empty()) right[i] = 0;
    });
  }
  for (std::thread& thread : owners) thread.join();
  for (const std::size_t count : right) EXPECT_IS(count, 200);
}

constexpr Case cases[] = {
    {"reads ten thousand pieces at once", reads_ten_thousand_at_once},
    {"waits ten thousand times at once", waits_ten_thousand_times},
    {"mixes every sort of operation", mixes_everything},
    {"serves several instances in several threads", serves_several_threads},
};

}  // namespace

std::span<const Case> load_cases() {
  return cases;
}

}  // namespace nikaia::conformance
