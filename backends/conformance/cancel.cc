// Cases: cancelling an operation in every state it can be in.
#include <cerrno>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

#include "backends/conformance/drive.h"

namespace nikaia::conformance {
namespace {

bool stopped_or(std::int64_t result, std::int64_t ordinary) {
  return result == -ECANCELED || result == ordinary;
}

void stops_a_wait(Context& context) {
  Drive drive(context);
  const Ends ends;
  for (const bool begun : {false, true}) {
    Task wait = readable(ends.read_end());
    drive.start(wait);
    if (begun) drive.turn(0);
    EXPECT_IS(drive.cancel(wait), 0);
    EXPECT(drive.finish(wait));
    EXPECT_IS(wait.result(), -ECANCELED);
    EXPECT_IS(drive.pending(), 0);
  }
}

void leaves_the_others_alone(Context& context) {
  Drive drive(context);
  const Ends ends(Ends::sockets);
  std::vector<Task> waits(4, readable(ends.read_end()));
  drive.start_all(waits);
  drive.turn(0);
  EXPECT_IS(drive.cancel(waits[1]), 0);
  EXPECT_IS(drive.cancel(waits[3]), 0);
  EXPECT(drive.finish(waits[1]));
  EXPECT(drive.finish(waits[3]));
  EXPECT(!waits[0].ended() && !waits[2].ended());
  ends.put("x");
  EXPECT(drive.finish_all(waits));
  EXPECT(waits[0].result() > 0 && waits[2].result() > 0);
}

void says_when_it_is_too_late(Context& context) {
  Drive drive(context);
  const Ends ends;
  Task wait = readable(ends.read_end());
  drive.start(wait);
  EXPECT_IS(drive.cancel(wait), 0);
  EXPECT_IS(drive.cancel(wait), -EALREADY);
  EXPECT(drive.finish(wait));
}

// Before the kernel or a thread has seen it.
void stops_what_has_not_begun(Context& context) {
  const std::string content = pattern(100'000);
  const char* path = context.file("a", content);
  Drive drive(context);
  const int fd = ::open(path, O_RDWR | O_CLOEXEC);
  EXPECT_IS(fsync(fd), 0);
  for (const bool cached : {true, false}) {
    if (!cached) EXPECT_IS(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    std::string buffer(1'000, '\0');
    Task read = read_at(fd, buffer.data(), buffer.size(), 50'000);
    drive.start(read);
    const int answer = drive.cancel(read);
    EXPECT(answer == 0 || answer == -EALREADY);
    EXPECT(drive.finish(read));
    EXPECT(stopped_or(read.result(), 1'000));
    if (read.result() == 1'000) EXPECT(content.compare(50'000, 1'000, buffer) == 0);
  }
  ::close(fd);
}

// A read that has begun and cannot end: of a pipe, which a host would not do. With one worker, what
// comes after it waits in a queue, in a backend that has one.
void stops_what_runs_and_what_is_queued(Context& context) {
  Drive drive(context);
  const Ends ends;
  char running_buffer[8];
  Task running = read_at(ends.read_end(), running_buffer, sizeof running_buffer, -1);
  drive.start(running);
  drive.turn(0);
  const int fd = ::open(context.file("a", "text"), O_RDWR | O_CLOEXEC);
  std::vector<Task> queued;
  for (int i = 0; i < 10; ++i) {
    Task task = of_kind(NIKAIA_IO_SYNC);
    task.op.fd = fd;
    queued.push_back(task);
  }
  drive.start_all(queued);
  drive.turn(0);
  for (std::size_t i = 0; i < queued.size(); i += 2) {
    const int answer = drive.cancel(queued[i]);
    EXPECT(answer == 0 || answer == -EALREADY);
  }
  EXPECT_IS(drive.cancel(running), 0);
  std::thread release([&] { ends.put("x"); });
  EXPECT(drive.finish(running));
  EXPECT(stopped_or(running.result(), 1));
  EXPECT(drive.finish_all(queued));
  for (std::size_t i = 0; i < queued.size(); ++i) {
    EXPECT(stopped_or(queued[i].result(), 0));
    if (i % 2 == 1) EXPECT_IS(queued[i].result(), 0);
  }
  release.join();
  ::close(fd);
}

void stops_whole_files(Context& context) {
  const std::string content = pattern(50'000);
  const char* path = context.file("whole", content);
  Drive drive(context);
  const int before = open_descriptors();
  for (const std::size_t offered : {0, 100, 60'000}) {
    for (const bool begun : {false, true}) {
      std::string buffer(offered, '\0');
      Task read = read_whole(path, buffer.data(), offered);
      drive.start(read);
      if (begun) drive.turn(0);
      if (!read.ended()) {
        const int answer = drive.cancel(read);
        EXPECT(answer == 0 || answer == -EALREADY);
      }
      EXPECT(drive.finish(read));
      const bool more = (read.completion.flags & NIKAIA_IO_MORE) != 0;
      EXPECT(read.result() >= 0 || read.result() == -ECANCELED);
      EXPECT(read.result() >= 0 || !more);
      if (more) ::close(read.op.out_fd);
    }
  }
  EXPECT_IS(open_descriptors(), before);
}

// What was opened although it was to be stopped is the host's.
void hands_out_what_it_opened(Context& context) {
  const char* path = context.file("a", "text");
  Drive drive(context);
  const int before = open_descriptors();
  for (int i = 0; i < 100; ++i) {
    Task open = open_file(path, O_RDONLY);
    drive.start(open);
    if (i % 2 == 1) drive.turn(0);
    if (!open.ended()) drive.cancel(open);
    EXPECT(drive.finish(open));
    EXPECT(open.result() >= 0 || open.result() == -ECANCELED);
    if (open.result() >= 0) ::close(static_cast<int>(open.result()));
  }
  EXPECT_IS(open_descriptors(), before);
}

// The same memory serves the next operation as soon as the last one was reaped.
void does_not_stop_the_next_one(Context& context) {
  Drive drive(context);
  const Ends ends;
  Task task;
  for (int i = 0; i < 200; ++i) {
    task = readable(ends.read_end());
    drive.start(task);
    if (i % 3 == 0) drive.turn(0);
    if (i % 2 == 0) ends.put("x");
    EXPECT_IS(drive.cancel(task), 0);
    EXPECT(drive.finish(task));
    EXPECT(stopped_or(task.result(), 1));
    if (i % 2 == 0) EXPECT(ends.take() == "x");
    task = of_kind(NIKAIA_IO_NOP);
    EXPECT_IS(drive.run(task), 0);
    task = writable(ends.write_end());
    EXPECT(drive.run(task) > 0);
  }
}

constexpr Case cases[] = {
    {"stops a wait for readiness", stops_a_wait},
    {"stops one wait of several on a descriptor", leaves_the_others_alone},
    {"says when cancelling is too late", says_when_it_is_too_late},
    {"stops what has not begun, or finishes it", stops_what_has_not_begun},
    {"stops what runs and what is queued", stops_what_runs_and_what_is_queued},
    {"stops whole-file reads without losing a descriptor", stops_whole_files},
    {"hands out what it opened too late to stop", hands_out_what_it_opened},
    {"does not stop the next operation in the same place", does_not_stop_the_next_one},
};

}  // namespace

std::span<const Case> cancel_cases() {
  return cases;
}

}  // namespace nikaia::conformance
