// Cases: sleeping, deadlines, wakes from other threads and signals.
#include <atomic>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <thread>
#include <time.h>
#include <unistd.h>

#include "backends/conformance/drive.h"

namespace nikaia::conformance {
namespace {

void returns_at_once_when_asked_to(Context& context) {
  Drive drive(context);
  EXPECT_IS(drive.turn(0), 0);
  EXPECT_IS(drive.turn(-1), 0);
  EXPECT_IS(drive.turn(now_ns() - second_ns), 0);
}

void keeps_deadlines(Context& context) {
  Drive drive(context);
  for (const std::int64_t sleep_ns : {100'000l, 1'000'000l, 1'700'000l, 5'000'000l, 20'500'000l}) {
    const std::int64_t deadline_ns = now_ns() + sleep_ns;
    // It may come back early; a host sleeps again.
    int rounds = 0;
    while (now_ns() < deadline_ns && ++rounds < 1'000) EXPECT_IS(drive.turn(deadline_ns), 0);
    // Late by more than it may be is a busy machine's right; coming back again and again is not.
    EXPECT(rounds < 100);
  }
}

std::int64_t thread_time_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * second_ns + time.tv_nsec;
}

void sleeps_instead_of_spinning(Context& context) {
  constexpr std::int64_t sleep_ns = 50 * millisecond_ns;
  Drive drive(context);
  const Ends ends;
  Task wait = readable(ends.read_end());
  drive.start(wait);
  const std::int64_t deadline_ns = now_ns() + sleep_ns;
  const std::int64_t before_ns = thread_time_ns();
  int turns = 0;
  for (; now_ns() < deadline_ns; ++turns) drive.turn(deadline_ns);
  EXPECT(thread_time_ns() - before_ns < sleep_ns / 5);
  EXPECT(turns < 100);  // on a busy machine one that comes back at once is given little time
  EXPECT_IS(drive.cancel(wait), 0);
  EXPECT(drive.finish(wait));
}

void keeps_deadlines_beside_waits(Context& context) {
  Drive drive(context);
  const Ends ends;
  Task wait = readable(ends.read_end());
  drive.start(wait);
  const std::int64_t deadline_ns = now_ns() + 5 * millisecond_ns;
  while (now_ns() < deadline_ns) EXPECT_IS(drive.turn(deadline_ns), 0);
  EXPECT(!wait.ended());
  ends.put("x");
  EXPECT(drive.finish(wait));
}

void remembers_a_wake(Context& context) {
  Drive drive(context);
  drive.wake();
  drive.wake();
  EXPECT_IS(drive.turn(no_deadline), 0);
  // Two wakes were one, so nothing ends this wait early but chance, which is allowed once or twice.
  const std::int64_t deadline_ns = now_ns() + 10 * millisecond_ns;
  int rounds = 0;
  while (now_ns() < deadline_ns && ++rounds < 1'000) drive.turn(deadline_ns);
  EXPECT(rounds < 100);
}

void is_woken_by_a_thread(Context& context) {
  Drive drive(context);
  const Ends ends;
  Task wait = readable(ends.read_end());
  drive.start(wait);
  for (int i = 0; i < 100; ++i) {
    int said = 0;
    std::atomic<bool> told{false};
    std::thread waker([&] {
      said = i + 1;
      told.store(true, std::memory_order_relaxed);
      drive.wake();
    });
    while (!told.load(std::memory_order_relaxed)) EXPECT_IS(drive.turn(no_deadline), 0);
    // One wake may still be on its way; it is not lost.
    waker.join();
    EXPECT_IS(said, i + 1);
  }
  EXPECT(!wait.ended());
  ends.put("x");
  EXPECT(drive.finish(wait));
}

// A counter that threads raise and announce: the last announcement must not be missed.
void weathers_a_storm(Context& context) {
  constexpr int threads = 4;
  constexpr int wakes = 10'000;
  const char* path = context.file("a", pattern(10'000));
  Drive drive(context, 2);
  std::atomic<int> count{0};
  std::vector<std::thread> storm;
  storm.reserve(threads);
  for (int i = 0; i < threads; ++i) {
    storm.emplace_back([&] {
      for (int n = 0; n < wakes; ++n) {
        count.fetch_add(1, std::memory_order_relaxed);
        drive.wake();
      }
    });
  }
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  const Ends ends;
  Task wait = readable(ends.read_end());
  drive.start(wait);
  std::vector<char> buffer(10'000);
  char link[16];
  while (count.load(std::memory_order_relaxed) < threads * wakes) {
    Task read = read_at(fd, buffer.data(), buffer.size(), 0);
    Task blocking = of_kind(NIKAIA_IO_READLINK);
    blocking.op.path = path;
    blocking.op.buffer = link;
    blocking.op.length = sizeof link;
    drive.start(read);
    drive.start(blocking);
    EXPECT(drive.finish(read));
    EXPECT(drive.finish(blocking));
    EXPECT_IS(read.result(), 10'000);
    if (count.load(std::memory_order_relaxed) < threads * wakes) drive.turn(no_deadline);
  }
  for (std::thread& thread : storm) thread.join();
  EXPECT(!wait.ended());
  ends.put("x");
  EXPECT(drive.finish(wait));
  ::close(fd);
}

std::atomic<int> signals{0};
std::atomic<Drive*> signalled{nullptr};

void count_signal(int) {
  signals.fetch_add(1);
  if (Drive* drive = signalled.load()) drive->wake();
}

// The thread sanitizer puts a handler off until the thread calls something it knows, which a ring's
// enter is not. A wait that ends now and then gives it the chance.
constexpr std::int64_t patience_ns = 20 * millisecond_ns;

// A handler without SA_RESTART interrupts every system call.
class Signals {
 public:
  explicit Signals(Drive* woken) {
    signals = 0;
    signalled = woken;
    struct sigaction action {};
    action.sa_handler = count_signal;
    sigaction(SIGUSR1, &action, &before_);
  }
  ~Signals() {
    sigaction(SIGUSR1, &before_, nullptr);
    signalled = nullptr;
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  struct sigaction before_ {};
};

void outlives_signals(Context& context) {
  Drive drive(context);
  const Signals handled(nullptr);
  const Ends ends;
  Task wait = readable(ends.read_end());
  drive.start(wait);
  const pthread_t owner = pthread_self();
  std::thread sender([&] {
    for (int sent = 0; sent < 200; ++sent) {
      pthread_kill(owner, SIGUSR1);
      while (signals.load() <= sent) std::this_thread::yield();
    }
    ends.put("x");
  });
  // `turn` checks that no wait fails.
  while (!wait.ended()) drive.turn(now_ns() + patience_ns);
  EXPECT_IS(wait.result(), 1);
  sender.join();
  EXPECT_IS(signals.load(), 200);
}

void is_woken_by_a_signal_handler(Context& context) {
  Drive drive(context);
  const Signals handled(&drive);
  const pthread_t owner = pthread_self();
  for (int round = 1; round <= 50; ++round) {
    std::thread sender([&] { pthread_kill(owner, SIGUSR1); });
    while (signals.load() < round) drive.turn(now_ns() + patience_ns);
    sender.join();
  }
  EXPECT_IS(signals.load(), 50);
}

constexpr Case cases[] = {
    {"returns at once when it must not block", returns_at_once_when_asked_to},
    {"keeps deadlines", keeps_deadlines},
    {"sleeps instead of spinning", sleeps_instead_of_spinning},
    {"keeps deadlines beside waits for readiness", keeps_deadlines_beside_waits},
    {"remembers a wake that comes before the wait", remembers_a_wake},
    {"is woken by another thread", is_woken_by_a_thread},
    {"weathers a storm of wakes", weathers_a_storm},
    {"outlives signals", outlives_signals},
    {"is woken by a signal handler", is_woken_by_a_signal_handler},
};

}  // namespace

std::span<const Case> wake_cases() {
  return cases;
}

}  // namespace nikaia::conformance
