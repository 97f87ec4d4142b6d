// Cases: opening, probing, and closing with operations in every state.
#include <cstring>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

#include "backends/conformance/drive.h"

namespace nikaia::conformance {
namespace {

void probes_without_a_trace(Context& context) {
  nikaia_io_config config{};
  config.struct_size = sizeof config;
  config.host_abi_version = NIKAIA_IO_ABI_VERSION;
  config.io_workers = 1;
  const int before = open_descriptors();
  for (int i = 0; i < 10; ++i) {
    char reason[256];
    EXPECT_IS(context.backend().probe(&config, reason, sizeof reason), 0);
  }
  EXPECT_IS(open_descriptors(), before);
  EXPECT(std::strlen(context.backend().name) != 0);
  EXPECT(std::strlen(context.backend().version) != 0);
}

void opens_and_closes(Context& context) {
  const int before = open_descriptors();
  for (int i = 0; i < 50; ++i) Drive drive(context, 1 + static_cast<std::uint32_t>(i % 3));
  EXPECT_IS(open_descriptors(), before);
}

void closes_with_waits(Context& context) {
  const int before = open_descriptors();
  {
    const Ends ends;
    Drive drive(context);
    std::vector<Task> begun(100, readable(ends.read_end()));
    std::vector<Task> fresh(100, readable(ends.read_end()));
    drive.start_all(begun);
    drive.turn(0);
    drive.start_all(fresh);
    drive.close();
    for (const Task& task : begun) EXPECT(!task.ended());
  }
  EXPECT_IS(open_descriptors(), before);
}

void closes_with_file_operations(Context& context) {
  const std::string content = pattern(1'000'000);
  const char* path = context.file("a", content);
  const int before = open_descriptors();
  const int fd = ::open(path, O_RDWR | O_CLOEXEC);
  EXPECT_IS(fsync(fd), 0);
  for (const bool begun : {false, true}) {
    EXPECT_IS(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    std::string buffer(content.size(), '\0');
    std::string wholes(std::size_t{20} * 100'000, '\0');
    std::vector<Task> tasks;
    for (std::size_t i = 0; i < 100; ++i) {
      tasks.push_back(read_at(fd, &buffer[i * 10'000], 10'000, static_cast<std::int64_t>(i * 10'000)));
    }
    for (std::size_t i = 0; i < 20; ++i) {
      tasks.push_back(read_whole(path, &wholes[i * 100'000], 100'000));
      tasks.push_back(open_file(path, O_RDONLY));
      Task sync = of_kind(NIKAIA_IO_SYNC);
      sync.op.fd = fd;
      tasks.push_back(sync);
    }
    Drive drive(context);
    drive.start_all(tasks);
    if (begun) drive.turn(0);
    drive.close();
    // Nothing may write here any more: a backend that let go too early is found by the next write,
    // or by a sanitizer.
    std::memset(buffer.data(), 0, buffer.size());
    for (const Task& task : tasks) {
      if (task.ended() && task.op.kind == NIKAIA_IO_OPEN) ::close(static_cast<int>(task.result()));
      if ((task.completion.flags & NIKAIA_IO_MORE) != 0) ::close(task.op.out_fd);
    }
    EXPECT(buffer == std::string(buffer.size(), '\0'));
  }
  ::close(fd);
  EXPECT_IS(open_descriptors(), before);
}

void closes_with_what_was_not_reaped(Context& context) {
  const char* path = context.file("a", "text");
  const int before = open_descriptors();
  {
    Drive drive(context);
    std::vector<Task> tasks(20, open_file(path, O_RDONLY));
    std::vector<Task> wholes(20, read_whole(path, nullptr, 0));
    drive.start_all(tasks);
    drive.start_all(wholes);
    drive.close();
  }
  EXPECT_IS(open_descriptors(), before);
}

// A thread is inside a call that only somebody else can end; closing waits for it, or has it
// stopped. Another instance keeps what instances share alive, so that nothing but `close` can do
// the waiting. A backend that let go too early writes to memory that is gone, which the address
// sanitizer sees.
void closes_with_a_call_that_runs(Context& context) {
  Drive other(context);
  const int fd = ::open(context.file("a", "text"), O_RDWR | O_CLOEXEC);
  for (int round = 0; round < 20; ++round) {
    const Ends ends;
    std::thread release;
    {
      std::vector<char> buffer(8);
      Task running = read_at(ends.read_end(), buffer.data(), buffer.size(), -1);
      std::vector<Task> queued(3, of_kind(NIKAIA_IO_SYNC));
      for (Task& task : queued) task.op.fd = fd;
      Drive drive(context);
      drive.start(running);
      drive.start_all(queued);
      drive.turn(0);
      release = std::thread([&] { ends.put("x"); });
      drive.close();
    }
    release.join();
  }
  Task still = of_kind(NIKAIA_IO_SYNC);
  still.op.fd = fd;
  EXPECT_IS(other.run(still), 0);
  ::close(fd);
}

constexpr Case cases[] = {
    {"probes without a trace", probes_without_a_trace},
    {"opens and closes again and again", opens_and_closes},
    {"closes with waits for readiness pending", closes_with_waits},
    {"closes with file operations pending", closes_with_file_operations},
    {"closes with completions nobody has reaped", closes_with_what_was_not_reaped},
    {"closes with a call that runs", closes_with_a_call_that_runs},
};

}  // namespace

std::span<const Case> close_cases() {
  return cases;
}

}  // namespace nikaia::conformance
