// Cases: waiting until a descriptor is ready.
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "backends/conformance/drive.h"

namespace nikaia::conformance {
namespace {

void waits_for_data(Context& context) {
  Drive drive(context);
  for (const Ends::Kind kind : {Ends::pipe, Ends::sockets}) {
    const Ends ends(kind);
    Task wait = readable(ends.read_end());
    drive.start(wait);
    drive.turn(0);
    EXPECT(!wait.ended());
    ends.put("x");
    EXPECT(drive.finish(wait));
    EXPECT_IS(wait.result(), POLLIN);
    EXPECT(ends.take() == "x");
    EXPECT((fcntl(ends.read_end(), F_GETFL) & O_NONBLOCK) == 0);
  }
}

void finds_data_that_is_there(Context& context) {
  Drive drive(context);
  const Ends ends;
  ends.put("x");
  for (int i = 0; i < 3; ++i) {
    Task wait = readable(ends.read_end());
    EXPECT_IS(drive.run(wait), POLLIN);
  }
}

void waits_for_room(Context& context) {
  Drive drive(context);
  const Ends ends;
  Task wait = writable(ends.write_end());
  EXPECT_IS(drive.run(wait), POLLOUT);
  ends.fill();
  drive.start(wait);
  drive.turn(0);
  EXPECT(!wait.ended());
  while (!ends.take().empty() && !wait.ended()) drive.turn(0);
  EXPECT(drive.finish(wait));
  EXPECT_IS(wait.result(), POLLOUT);
}

void tells_of_the_end(Context& context) {
  Drive drive(context);
  for (const Ends::Kind kind : {Ends::pipe, Ends::sockets}) {
    Ends ends(kind);
    Task wait = readable(ends.read_end());
    drive.start(wait);
    drive.turn(0);
    EXPECT(!wait.ended());
    ends.close_write_end();
    EXPECT(drive.finish(wait));
    EXPECT((wait.result() & (POLLIN | POLLHUP)) != 0);
  }
}

void tells_of_a_broken_pipe(Context& context) {
  Drive drive(context);
  Ends ends;
  ends.fill();
  Task wait = writable(ends.write_end());
  drive.start(wait);
  drive.turn(0);
  EXPECT(!wait.ended());
  ends.close_read_end();
  EXPECT(drive.finish(wait));
  EXPECT((wait.result() & POLLERR) != 0);
}

void serves_many_waits_on_one(Context& context) {
  Drive drive(context);
  const Ends ends(Ends::sockets);
  ends.fill();
  const Ends other(Ends::sockets);
  std::vector<Task> readers(3, readable(ends.read_end()));
  std::vector<Task> others(2, readable(other.read_end()));
  std::vector<Task> writers(3, writable(ends.write_end()));
  drive.start_all(others);
  drive.start_all(writers);
  drive.start_all(readers);
  // One end of the pair can be read, which must not end the waits for room on its peer.
  EXPECT(drive.finish_all(readers));
  for (const Task& task : readers) EXPECT_IS(task.result(), POLLIN);
  for (const Task& task : writers) EXPECT(!task.ended());
  while (!writers[0].ended() && !ends.take().empty()) drive.turn(0);
  EXPECT(drive.finish_all(writers));
  for (const Task& task : writers) EXPECT_IS(task.result(), POLLOUT);
  for (const Task& task : others) EXPECT(!task.ended());
  other.put("x");
  EXPECT(drive.finish_all(others));
}

void serves_both_directions_of_one(Context& context) {
  Drive drive(context);
  const Ends ends(Ends::sockets);
  const int both = ends.read_end();
  Task reader = readable(both);
  Task writer = writable(both);
  drive.start(reader);
  drive.start(writer);
  EXPECT(drive.finish(writer));
  EXPECT_IS(writer.result(), POLLOUT);
  EXPECT(!reader.ended());
  ends.put("x");
  EXPECT(drive.finish(reader));
  EXPECT_IS(reader.result(), POLLIN);
}

void takes_files_as_ready(Context& context) {
  Drive drive(context);
  const int fd = ::open(context.file("a", ""), O_RDWR | O_CLOEXEC);
  Task reader = readable(fd);
  EXPECT_IS(drive.run(reader), POLLIN);
  Task writer = writable(fd);
  EXPECT_IS(drive.run(writer), POLLOUT);
  ::close(fd);
}

void refuses_what_is_not_open(Context& context) {
  Drive drive(context);
  Task wait = readable(9'999);
  EXPECT_IS(drive.run(wait), -EBADF);
  wait = writable(-1);
  EXPECT_IS(drive.run(wait), -EBADF);
}

// The number of a closed descriptor soon belongs to another file.
void follows_descriptors_that_are_reused(Context& context) {
  Drive drive(context);
  int number = -1;
  for (int round = 0; round < 20; ++round) {
    Ends ends(round % 3 == 0 ? Ends::sockets : Ends::pipe);
    if (number >= 0) EXPECT_IS(ends.read_end(), number);
    number = ends.read_end();
    Task wait = readable(number);
    drive.start(wait);
    drive.turn(0);
    EXPECT(!wait.ended());
    if (round % 2 == 0) {
      ends.put("x");
      EXPECT(drive.finish(wait));
      EXPECT_IS(wait.result(), POLLIN);
    } else {
      EXPECT_IS(drive.cancel(wait), 0);
      EXPECT(drive.finish(wait));
      EXPECT_IS(wait.result(), -ECANCELED);
    }
    if (round % 5 == 4) {
      // A file in between, with the number that was waited for.
      ends.close_read_end();
      const int fd = ::open(context.file("a", "text"), O_RDONLY | O_CLOEXEC);
      EXPECT_IS(fd, number);
      Task ready = readable(fd);
      EXPECT_IS(drive.run(ready), POLLIN);
      ::close(fd);
    }
  }
}

// A program that always has something to reap still hears of its connections.
void does_not_starve(Context& context) {
  Drive drive(context);
  const Ends ends;
  Task wait = readable(ends.read_end());
  drive.start(wait);
  const int fd = ::open(context.file("a", "text"), O_RDONLY | O_CLOEXEC);
  ends.put("x");
  int rounds = 0;
  while (!wait.ended() && rounds < 1'000) {
    char buffer[8];
    Task read = read_at(fd, buffer, sizeof buffer, 0);
    drive.start(read);
    EXPECT(drive.finish(read));
    ++rounds;
  }
  EXPECT(wait.ended());
  ::close(fd);
}

constexpr Case cases[] = {
    {"waits for data", waits_for_data},
    {"finds data that is there already", finds_data_that_is_there},
    {"waits for room", waits_for_room},
    {"tells of the end of a stream", tells_of_the_end},
    {"tells of a broken pipe", tells_of_a_broken_pipe},
    {"serves many waits on one descriptor", serves_many_waits_on_one},
    {"serves both directions of one descriptor", serves_both_directions_of_one},
    {"takes regular files as ready", takes_files_as_ready},
    {"refuses descriptors that are not open", refuses_what_is_not_open},
    {"follows descriptors whose number is reused", follows_descriptors_that_are_reused},
    {"does not starve a wait behind reads", does_not_starve},
};

}  // namespace

std::span<const Case> readiness_cases() {
  return cases;
}

}  // namespace nikaia::conformance
