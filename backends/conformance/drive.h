// What a case of the suite is written with: an instance, operations that know when they ended, a
// scratch folder, and checks that are counted instead of thrown.
#ifndef NIKAIA_BACKENDS_CONFORMANCE_DRIVE_H
#define NIKAIA_BACKENDS_CONFORMANCE_DRIVE_H

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nikaia/backend.h>

namespace nikaia::conformance {

// Nanoseconds of the clock of deadlines.
[[nodiscard]] std::int64_t now_ns();

inline constexpr std::int64_t second_ns = 1'000'000'000;
inline constexpr std::int64_t millisecond_ns = 1'000'000;
inline constexpr std::int64_t no_deadline = INT64_MAX;

// An operation and what became of it. Stays where it is while it is in flight.
struct Task {
  nikaia_io_op op{};
  nikaia_io_completion completion{};
  int completions = 0;

  [[nodiscard]] bool ended() const { return completions != 0; }
  [[nodiscard]] std::int64_t result() const { return completion.result; }
};

class Context;

// One instance of the backend under test, and the host it talks to.
class Drive {
 public:
  explicit Drive(Context& context, std::uint32_t io_workers = 1);
  ~Drive();
  Drive(const Drive&) = delete;
  Drive& operator=(const Drive&) = delete;

  // Submits, reaping where the backend is full.
  void start(Task& task);
  void start_all(std::span<Task> tasks);
  // Waits until it ended. False, and a failed check, where it does not within a minute.
  bool finish(Task& task);
  bool finish_all(std::span<Task> tasks);
  // `start` and `finish`; the result.
  std::int64_t run(Task& task);
  // One `wait` and everything there is to reap afterwards. What `wait` returned.
  int turn(std::int64_t deadline_ns);
  void reap();
  int cancel(Task& task);
  void wake();
  [[nodiscard]] std::uint32_t pending();
  // Ends the instance now instead of in the destructor.
  void close();

 private:
  Context& context_;
  const nikaia_io_backend& backend_;
  nikaia_io_host host_{};
  nikaia_io_instance* instance_ = nullptr;
};

// The case that runs.
class Context {
 public:
  explicit Context(const nikaia_io_backend& backend);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] const nikaia_io_backend& backend() const { return backend_; }
  // A name in the scratch folder, which is there before the case and gone after it. The text lives
  // as long as the context.
  [[nodiscard]] const char* path(std::string_view name);
  // Makes a file there.
  const char* file(std::string_view name, std::string_view content);

  void fail(const char* where, int line, const std::string& what);
  [[nodiscard]] const std::vector<std::string>& failures() const { return failures_; }

 private:
  const nikaia_io_backend& backend_;
  std::string folder_;
  std::deque<std::string> names_;
  std::vector<std::string> failures_;
};

struct Case {
  std::string_view name;  // what the backend does, as a sentence
  void (*run)(Context& context);
};

[[nodiscard]] std::span<const Case> file_cases();
[[nodiscard]] std::span<const Case> whole_file_cases();
[[nodiscard]] std::span<const Case> path_cases();
[[nodiscard]] std::span<const Case> readiness_cases();
[[nodiscard]] std::span<const Case> cancel_cases();
[[nodiscard]] std::span<const Case> wake_cases();
[[nodiscard]] std::span<const Case> load_cases();
[[nodiscard]] std::span<const Case> close_cases();

// --- Operations ----------------------------------------------------------------------------------

[[nodiscard]] Task open_file(const char* path, int flags, unsigned mode = 0);
[[nodiscard]] Task close_file(int fd);
[[nodiscard]] Task read_at(int fd, void* buffer, std::size_t length, std::int64_t offset);
[[nodiscard]] Task write_at(int fd, std::string_view text, std::int64_t offset);
[[nodiscard]] Task read_whole(const char* path, void* buffer, std::size_t length);
[[nodiscard]] Task readable(int fd);
[[nodiscard]] Task writable(int fd);
[[nodiscard]] Task of_kind(nikaia_io_kind kind);

// --- Plain system calls, for the other side ------------------------------------------------------

// `bytes` bytes, each different from its neighbours; the same for the same `seed`.
[[nodiscard]] std::string pattern(std::size_t bytes, unsigned seed = 1);
[[nodiscard]] std::string slurp(const char* path);
// Descriptors this process has open.
[[nodiscard]] int open_descriptors();

// Both ends of a pipe or of a pair of sockets, closed at the end.
class Ends {
 public:
  enum Kind { pipe, sockets };
  explicit Ends(Kind kind = pipe);
  ~Ends();
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
  Ends(Ends&& other) noexcept;

  [[nodiscard]] int read_end() const { return fds_[0]; }
  [[nodiscard]] int write_end() const { return fds_[1]; }
  void put(std::string_view text) const;
  // Reads what is there, if there is anything.
  [[nodiscard]] std::string take() const;
  // Writes until it is full.
  void fill() const;
  void close_read_end();
  void close_write_end();

 private:
  int fds_[2] = {-1, -1};
};

}  // namespace nikaia::conformance

// A check that is counted; the case goes on.
#define EXPECT(condition)                                           \
  do {                                                              \
    if (!(condition)) context.fail(__FILE__, __LINE__, #condition); \
  } while (false)

// The same for two integers, whose values are shown.
#define EXPECT_IS(actual, wanted)                                                                            \
  do {                                                                                                       \
    const std::int64_t actual_value = static_cast<std::int64_t>(actual);                                     \
    const std::int64_t wanted_value = static_cast<std::int64_t>(wanted);                                     \
    if (actual_value != wanted_value) {                                                                      \
      context.fail(__FILE__, __LINE__,                                                                       \
                   #actual " is " + std::to_string(actual_value) + ", not " + std::to_string(wanted_value)); \
    }                                                                                                        \
  } while (false)

#endif
