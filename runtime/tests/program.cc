// What an emitted program would look like, written by hand: one scenario a name, the name is the
// first argument. program_test.cc runs each as a process of its own and looks at its output, its
// status and its system calls.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <nikaia/rt/channel.h>
#include <nikaia/rt/cleanup.h>
#include <nikaia/rt/io.h>
#include <nikaia/rt/overlap.h>
#include <nikaia/rt/overlap_reads.h>
#include <nikaia/rt/runtime.h>
#include <nikaia/rt/scope.h>
#include <nikaia/rt/select.h>
#include <nikaia/rt/std_fs.h>
#include <nikaia/rt/supervise.h>
#include <nikaia/rt/task.h>

using nikaia::At;
using nikaia::Failure;
using nikaia::overlap;
using nikaia::Result;
using nikaia::spawn;
using nikaia::String;
using nikaia::TaskHandle;
using nikaia::time_sleep;
namespace rt = nikaia::rt;

namespace {

const nikaia::Root anywhere = nikaia::Root::Anywhere();
constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t hour = std::int64_t{3600} * 1000 * ms;

[[gnu::format(printf, 1, 2)]] void say(const char* form, ...) {
  char line[512];
  va_list parts;
  va_start(parts, form);
  const int length = std::vsnprintf(line, sizeof(line), form, parts);
  va_end(parts);
  rt::out_write(line, static_cast<std::size_t>(length));
}

std::int64_t elapsed_ms(const timespec& since) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec - since.tv_sec) * 1000 + (now.tv_nsec - since.tv_nsec) / 1'000'000;
}
timespec clock_start() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now;
}

struct Jam {
  std::int64_t stone;
  String message() const {
    char text[64];
    const int length = std::snprintf(text, sizeof(text), "stone %lld is jammed", static_cast<long long>(stone));
    String made = String::with_room(static_cast<std::size_t>(length));
    made.append(text, static_cast<std::size_t>(length));
    return made;
  }
};
constexpr nikaia::Site jam_site{"src/mill.nika", 18, "grind", "NK-7QF"};

// Says when it dies.
struct Loud {
  const char* name = nullptr;
  explicit Loud(const char* called) : name(called) {}
  Loud(Loud&& other) noexcept : name(other.name) { other.name = nullptr; }
  Loud(const Loud&) = delete;
  Loud& operator=(const Loud&) = delete;
  ~Loud() {
    if (name != nullptr) say("%s dropped\n", name);
  }
};

// A value with a cleanup that pauses, as the emission writes one.
struct Diary {
  std::int64_t pause_ns = 0;
  bool alive = false;
  bool fails = false;
  explicit Diary(std::int64_t pause, bool failing = false) : pause_ns(pause), alive(true), fails(failing) {}
  Diary(Diary&& other) noexcept : pause_ns(other.pause_ns), alive(other.alive), fails(other.fails) {
    other.alive = false;
  }
  Diary(const Diary&) = delete;
  Diary& operator=(const Diary&) = delete;
  Result<void> cleanup() {
    time_sleep(pause_ns);
    if (fails) return Failure::make(Jam{7}, &jam_site);
    say("diary closed\n");
    return {};
  }
  ~Diary() {
    if (!alive) return;
    if (rt::unwinding()) rt::park(std::move(*this), "Diary");
    if (alive) say("diary dropped\n");
  }
};

Result<void> hello() {
  say("hello\n");
  return {};
}

Result<void> fails() {
  say("before\n");
  return Failure::make(Jam{3}, &jam_site);
}

Result<void> panics() {
  Loud kiln("kiln");
  say("held back\n");
  rt::panic_at(At{"src/kiln.nika", 17}, "7 pots", 6);
}

Result<void> panics_with_hook() {
  rt::set_panic_hook(
      [](void* data, const rt::PanicInfo& info) {
        say("%s %.*s at %s:%u, trace %s\n", static_cast<const char*>(data), static_cast<int>(info.message_bytes),
            info.message, info.at.file, info.at.line, info.trace_bytes > 0 ? "there" : "missing");
      },
      const_cast<char*>("hook:"));
  spawn([] { rt::panic_at(At{"src/kiln.nika", 20}, "7 pots", 6); }).join().take();
  return {};
}

Result<void> panics_in_hook() {
  rt::set_panic_hook([](void*, const rt::PanicInfo&) { rt::panic_at(At{"src/kiln.nika", 5}, "again", 5); }, nullptr);
  rt::panic_at(At{"src/kiln.nika", 17}, "7 pots", 6);
}

[[gnu::noinline]] std::int64_t dig(std::int64_t depth) {
  volatile char frame[200];
  frame[0] = static_cast<char>(depth);
  if (depth == 0) return frame[0];
  return dig(depth - 1) + frame[0];
}

Result<void> uses_up_task_stack() {
  rt::set_panic_hook([](void*, const rt::PanicInfo& info) { say("hook: %s\n", info.message); }, nullptr);
  auto task = spawn([] { return dig(1'000'000'000); }, At{"src/pit.nika", 9});
  say("%lld\n", static_cast<long long>(task.join().take()));
  return {};
}

Result<void> uses_up_main_stack() {
  say("%lld\n", static_cast<long long>(dig(1'000'000'000)));
  return {};
}

Result<void> prints_for_ever() {
  for (;;) say("another line of the many that nobody reads\n");
}

Result<void> waits_for_signal() {
  Loud outer("outer");
  Diary diary(20 * ms);
  spawn([] {
    time_sleep(30 * ms);
    say("detached task ended\n");
  });
  say("ready\n");
  rt::out_flush();
  time_sleep(hour);
  say("not reached\n");
  return {};
}

// Signalled while it works in small idle operations and never waits.
Result<void> works_until_signal() {
  Loud outer("outer");
  say("ready\n");
  rt::out_flush();
  for (;;) std::free(rt::read_file("/etc/passwd").buffer);
}

Result<void> leaves_task_behind() {
  spawn(
      [] {
        Loud held("held");
        time_sleep(hour);
      },
      At{"src/belfry.nika", 12});
  say("main is over\n");
  return {};
}

Result<void> leaves_diary_behind() {
  auto task = spawn([] {
    Diary diary(hour);
    time_sleep(hour);
  });
  time_sleep(1 * ms);
  task.cancel();
  time_sleep(1 * ms);
  say("main is over\n");
  return {};
}

Result<void> leaves_spinning_task() {
  spawn(
      [] {
        for (volatile bool on = true; on;) {
        }
      },
      At{"src/mill.nika", 4});
  return {};
}

Result<void> parks_a_diary() {
  auto task = spawn([] {
    Diary diary(10 * ms);
    Loud inner("inner");
    time_sleep(hour);
    say("not reached\n");
  });
  time_sleep(1 * ms);
  task.cancel();
  time_sleep(1 * ms);
  say("cancelled\n");
  time_sleep(20 * ms);
  say("main is over\n");
  return {};
}

Result<void> failures_nobody_takes() {
  spawn([]() -> Result<void> { return Failure::make(Jam{5}, &jam_site); }, At{"src/mill.nika", 33});
  auto task = spawn([] {
    Diary diary(1 * ms, true);
    time_sleep(hour);
  });
  time_sleep(1 * ms);
  task.cancel();
  return {};
}

Result<void> joins() {
  auto text = spawn([word = std::string("pier")] { return word + "s"; });
  auto failing = spawn([]() -> Result<std::int64_t> { return Failure::make(Jam{4}, &jam_site); });
  say("%s\n", text.join().take().c_str());
  Result<std::int64_t> outcome = failing.join();
  const String message = outcome.failure().message();
  say("%.*s\n", static_cast<int>(message.size()), message.data());
  return {};
}

Result<void> overlaps() {
  const timespec start = clock_start();
  auto [slow, quick] = overlap(
      [] {
        time_sleep(60 * ms);
        return 1;
      },
      [] {
        time_sleep(50 * ms);
        return 2;
      });
  say("%d %d %s\n", slow, quick, elapsed_ms(start) < 100 ? "together" : "apart");
  auto outcome = overlap([]() -> Result<int> { return 1; },
                         []() -> Result<int> {
                           time_sleep(2 * ms);
                           return Failure::make(Jam{1}, &jam_site);
                         },
                         []() -> Result<void> { return Failure::make(Jam{2}, &jam_site); });
  const String full = outcome.failure().full();
  say("%.*s\n", static_cast<int>(full.size()), full.data());
  overlap([] { say("first\n"); }, [] { say("second\n"); });
  overlap<0b01>([] { say("steady runs after\n"); }, [] { say("what may pause\n"); });
  return {};
}

Result<void> cancels_overlap() {
  auto task = spawn([] {
    Loud outer("outer");
    overlap(
        [] {
          Loud branch("first branch");
          time_sleep(hour);
        },
        [] {
          Loud branch("second branch");
          time_sleep(hour);
        });
    say("not reached\n");
  });
  time_sleep(1 * ms);
  task.cancel();
  auto never = spawn([] { say("not reached\n"); });
  never.cancel();
  time_sleep(1 * ms);
  say("over\n");
  return {};
}

int waits(const char* name, std::int64_t how_long) {
  Loud branch(name);
  time_sleep(how_long);
  return 1;
}

// Cancels `body` as a task after `after_ns`, and lets it unwind.
template <class Body>
void cancel_after(const char* title, std::int64_t after_ns, Body body) {
  say("%s\n", title);
  auto task = spawn([&body] {
    Loud own("its own");
    body();
    say("not reached\n");
  });
  time_sleep(after_ns);
  task.cancel();
  time_sleep(1 * ms);
}

Result<void> cancels_branches() {
  cancel_after("the second is through", 20 * ms,
               [] { overlap([] { waits("first", hour); }, [] { say("second\n"); }, [] { waits("third", hour); }); });
  cancel_after("the last is through", 20 * ms,
               [] { overlap([] { waits("first", hour); }, [] { waits("last", 1 * ms); }); });
  cancel_after("the first is through", 20 * ms,
               [] { overlap([] { waits("first", 1 * ms); }, [] { waits("last", hour); }); });
  cancel_after("one inside the other", 1 * ms, [] {
    overlap([] { waits("outer", hour); },
            [] {
              Loud between("between");
              overlap([] { waits("inner first", hour); }, [] { waits("inner last", hour); });
              say("not reached\n");
            });
  });
  cancel_after("beside one that cannot pause", 1 * ms, [] {
    overlap<0b10>([] { waits("first", hour); }, [] { say("steady\n"); }, [] { waits("last", hour); });
  });
  // Its first branch, or its last, cancels the task the block is in: each goes on to its next pause point.
  for (const bool by_the_last : {false, true}) {
    say("by its %s\n", by_the_last ? "last" : "first");
    TaskHandle<void> handle;
    auto stops = [&handle](bool mine) {
      if (mine) {
        handle.cancel();
        say("cancelled\n");
      }
    };
    handle = spawn([&] {
      Loud own("its own");
      overlap(
          [&] {
            stops(!by_the_last);
            waits("first", hour);
          },
          [&] {
            stops(by_the_last);
            waits("last", hour);
          });
      say("not reached\n");
    });
    time_sleep(1 * ms);
  }
  say("a lost race\n");
  std::int32_t winner = -1;
  nikaia::race(
      winner, [] { overlap([] { waits("first", hour); }, [] { waits("last", hour); }); }, [] { time_sleep(1 * ms); });
  say("arm %d\n", winner);
  return {};
}

Result<void> cancels_reads() {
  const char* fifo = "fifo";
  mkfifo(fifo, 0600);
  const int hold = open(fifo, O_RDWR | O_CLOEXEC);
  auto task = spawn([fifo] {
    Loud held("held");
    rt::read_file(fifo);
    say("not reached\n");
  });
  time_sleep(5 * ms);
  task.cancel();
  time_sleep(5 * ms);
  say("over\n");
  close(hold);
  return {};
}

Result<void> reads_fifo() {
  const char* fifo = "fifo";
  mkfifo(fifo, 0600);
  auto [content, written] = overlap([fifo] { return rt::read_file(fifo); },
                                    [fifo] {
                                      time_sleep(5 * ms);
                                      return rt::write_file(fifo, "through a pipe", 14);
                                    });
  say("%.*s %d\n", static_cast<int>(content.size), reinterpret_cast<char*>(content.buffer + 1), written);
  std::free(content.buffer);
  return {};
}

Result<String> text_of(const char* path) {
  return nikaia::fs_read_to_string(nikaia::Str(path, std::strlen(path)), nikaia::Root::Anywhere());
}
template <class Body>
auto reading(const char* path, Body body) {
  return nikaia::reading(nikaia::Str(path, std::strlen(path)), anywhere, body);
}
void show(const String& text) {
  say("%.*s\n", static_cast<int>(text.size()), text.data());
}

// Branches whose reads are begun by the block (overlap_reads.h).
Result<void> reads_ahead() {
  const char* fifo = "fifo";
  mkfifo(fifo, 0600);
  rt::write_file("small", "small", 5);
  // A branch is run when its own read has ended: here the first could not end before the second has run.
  const int writer = open(fifo, O_RDWR | O_CLOEXEC);
  auto fed =
      nikaia::overlap_reads(reading(fifo, [&] { return text_of(fifo); }), reading("small", [&]() -> Result<String> {
                              auto text = text_of("small");
                              if (write(writer, "fed by the second", 17) != 17) say("not written\n");
                              close(writer);
                              return text;
                            }));
  auto both = fed.take();
  show(both.get<0>());
  show(both.get<1>());
  // One that reads something else than what was begun reads for itself.
  auto other = nikaia::overlap_reads(reading("gone", [] { return text_of("small"); }),
                                     reading("small", [] { return text_of("small"); }));
  auto others = other.take();
  show(others.get<0>());
  show(others.get<1>());
  // One that never reads leaves nothing open.
  rt::write_file("large", std::string(600'000, 'x').data(), 600'000);
  const int before = dup(0);
  close(before);
  nikaia::overlap_reads(reading("large", [] { return 1; }), reading("large", [] { return 2; }));
  const int after = dup(0);
  close(after);
  say("%s\n", before == after ? "nothing left open" : "left open");
  const int hold = open(fifo, O_RDWR | O_CLOEXEC);
  cancel_after("while a pipe is waited for", 5 * ms, [fifo] {
    auto never = nikaia::overlap_reads(reading(fifo,
                                               [fifo] {
                                                 auto text = text_of(fifo);
                                                 say("not reached\n");
                                                 return text;
                                               }),
                                       reading("small", [] {
                                         auto text = text_of("small");
                                         say("the second has read\n");
                                         return text;
                                       }));
    never.take();
  });
  say("inside a cleanup\n");
  auto shielded = spawn([fifo] {
    Loud own("its own");
    {
      const rt::Shield shield;
      auto read = nikaia::overlap_reads(reading(fifo, [fifo] { return text_of(fifo); }),
                                        reading("small", [] { return text_of("small"); }));
      show(read.take().get<0>());
    }
    time_sleep(0);
    say("not reached\n");
  });
  time_sleep(5 * ms);
  shielded.cancel();
  if (write(hold, "late", 4) != 4) say("not written\n");
  close(hold);
  time_sleep(5 * ms);
  const int once_more = open(fifo, O_RDWR | O_CLOEXEC);
  cancel_after("before it has begun", 0, [fifo] {
    auto never = nikaia::overlap_reads(reading(fifo, [fifo] { return text_of(fifo); }),
                                       reading("small", [] { return text_of("small"); }));
    never.take();
  });
  close(once_more);
  return {};
}

void show_file(const char* path) {
  const rt::FileContent content = rt::read_file(path);
  unsigned sum = 0;
  for (std::size_t at = 0; at < content.size; ++at)
    sum = sum * 31 + reinterpret_cast<unsigned char*>(content.buffer + 1)[at];
  say("%s: %zu bytes, %08x, %s\n", path, content.size, sum, std::strerror(content.error));
  std::free(content.buffer);
}

// Every kind of file, idle and beside a task.
Result<void> reads_files() {
  std::string large(300'000, 'x');
  for (std::size_t at = 0; at < large.size(); ++at) large[at] = static_cast<char>('a' + at % 23);
  rt::write_file("large", large.data(), large.size());
  rt::write_file("exact", large.data(), std::size_t{16} * 1024);
  rt::write_file("small", "ab", 2);
  rt::write_file("small", "cd", 2, {.append = true});
  rt::write_file("empty", "", 0);
  say("missing: %s\n", std::strerror(rt::write_file("missing", "x", 1, {.create = false})));
  mkdir("folder", 0700);
  const char* files[] = {"large", "exact", "small", "empty", "folder", "gone", "/dev/null"};
  for (const char* file : files) show_file(file);
  auto other = spawn([] { time_sleep(200 * ms); });
  time_sleep(0);
  for (const char* file : files) show_file(file);
  rt::FileContent status = rt::read_file("/proc/self/status");
  say("status %s\n", status.size > 500 ? "whole" : "cut");
  std::free(status.buffer);
  say("%d %d %d\n", rt::path_exists("small"), rt::path_exists("gone"), rt::path_exists("small/below"));
  other.cancel();
  return {};
}

Result<void> reads_sequence() {
  for (int turn = 0; turn < 20; ++turn) std::free(rt::read_file("/etc/passwd").buffer);
  return {};
}
Result<void> reads_overlapped() {
  auto [a, b] = overlap([] { return rt::read_file("/etc/passwd"); }, [] { return rt::read_file("/etc/group"); });
  std::free(a.buffer);
  std::free(b.buffer);
  return {};
}

Result<void> reads_stdin() {
  static char piece[rt::stdin_piece_bytes];
  std::size_t bytes = 0;
  auto ticker = spawn([] {
    for (;;) time_sleep(5 * ms);
  });
  for (;;) {
    const std::int64_t count = rt::read_stdin(piece, sizeof(piece));
    if (count <= 0) break;
    bytes += static_cast<std::size_t>(count);
  }
  ticker.cancel();
  say("%zu bytes\n", bytes);
  return {};
}

std::size_t resident_kib() {
  std::size_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r"); file != nullptr) {
    if (std::fscanf(file, "%*u %zu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * 4;
}

Result<void> crowd() {
  std::vector<TaskHandle<std::int64_t>> asleep;
  for (std::int64_t guest = 0; guest < 100'000; ++guest) {
    asleep.push_back(spawn([guest] {
      time_sleep(1500 * ms);
      return guest;
    }));
  }
  time_sleep(0);
  say("%s\n", resident_kib() < 1024UL * 1024 ? "fits" : "too large");
  std::fprintf(stderr, "resident with 100,000 sleeping: %zu KiB\n", resident_kib());
  std::int64_t sum = 0;
  for (auto& sleeper : asleep) sum += sleeper.join().take();
  say("%lld\n", static_cast<long long>(sum));
  return {};
}

Result<void> one_after_the_other() {
  std::int64_t chain = 7;
  for (std::int64_t round = 0; round < 10'000; ++round)
    chain = spawn([=] { return (chain * 31 + round) % 1'000'003; }).join().take();
  resident_kib();  // what the first look itself touches is not counted
  const std::size_t before = resident_kib();
  for (std::int64_t round = 0; round < 1'000'000; ++round)
    chain = spawn([=] { return (chain * 31 + round) % 1'000'003; }).join().take();
  const std::size_t after = resident_kib();
  say("%s\n", after <= before + 64 ? "steady" : "grows");
  return {};
}

Result<void> channels() {
  // Values arrive in order through a ring that wraps; the receiver sees the end.
  auto ends = nikaia::channel_bounded<std::int64_t>(3);
  auto sending = spawn([out = std::move(ends.get<0>())] {
    for (std::int64_t value = 1; value <= 1000; ++value) out.send(value);
  });
  std::int64_t sum = 0;
  std::int64_t last = 0;
  bool in_order = true;
  for (;;) {
    auto value = ends.get<1>().recv();
    if (!value.has()) break;
    in_order = in_order && value.value() == last + 1;
    last = value.value();
    sum += last;
  }
  say("%lld %s\n", static_cast<long long>(sum), in_order ? "in order" : "mixed up");
  // A receiver that is gone drops what comes.
  auto lonely = nikaia::channel_bounded<Loud>(1);
  {
    auto gone = std::move(lonely.get<1>());
    lonely.get<0>().send(Loud("kept"));
  }
  lonely.get<0>().send(Loud("late"));
  // A cancelled sender's value dies with it.
  auto full = nikaia::channel_bounded<Loud>(1);
  auto stuck = spawn([out = full.get<0>().clone()] {
    out.send(Loud("first"));
    out.send(Loud("second"));
    say("not reached\n");
  });
  time_sleep(1 * ms);
  stuck.cancel();
  time_sleep(1 * ms);
  say("over\n");
  return {};
}

Result<void> selects() {
  auto ends = nikaia::channel_bounded<std::int64_t>(1);
  {
    std::int32_t winner{};
    nikaia::race(
        winner, [&] { return ends.get<1>().recv(); },
        [] {
          Loud held("held by the loser");
          time_sleep(hour);
        },
        [&] { ends.get<0>().send(7); });
    // All three were started; the receiver had been woken, but only the sender had finished.
    say("arm %d\n", winner);
  }
  {
    // A receiver that loses takes nothing out of its channel. Of two that have finished the first
    // written wins.
    std::int32_t winner{};
    auto raced = nikaia::race(
        winner, [&] { return ends.get<1>().recv(); }, [] { return 1; });
    say("arm %d, %lld, %d\n", winner, static_cast<long long>(raced.get<0>().value()), raced.get<1>());
  }
  auto failing = spawn([]() -> Result<void> {
    std::int32_t winner{};
    return nikaia::race(
        winner,
        []() -> Result<void> {
          time_sleep(1 * ms);
          return Failure::make(Jam{6}, &jam_site);
        },
        [] { time_sleep(hour); });
  });
  say("%s\n", failing.join().failed() ? "failed" : "went well");
  auto waiting = spawn([] {
    Loud outer("outer");
    std::int32_t winner{};
    nikaia::race(
        winner, [] { time_sleep(hour); }, [] { time_sleep(2 * hour); });
    say("not reached %d\n", winner);
  });
  time_sleep(1 * ms);
  waiting.cancel();
  time_sleep(1 * ms);
  // The wake-up of a receiver that is cancelled before it runs goes to the next one.
  auto pair = nikaia::channel_bounded<std::int64_t>(4);
  auto& inbox = pair.get<1>();
  auto loser = spawn([&inbox] { return inbox.recv().value(); });
  auto heir = spawn([&inbox] { return inbox.recv().value(); });
  time_sleep(1 * ms);
  pair.get<0>().send(42);
  loser.cancel();
  say("heir got %lld\n", static_cast<long long>(heir.join().take()));
  return {};
}

Result<void> scopes() {
  std::int64_t total = 0;
  const std::int64_t value = nikaia::task_scope([&](nikaia::Scope& scope) {
    for (std::int64_t part = 1; part <= 3; ++part) {
      nikaia::scope_spawn(scope, [&, part] {
        time_sleep((4 - part) * ms);
        say("part %lld\n", static_cast<long long>(part));
        total += part;
      });
    }
    nikaia::scope_spawn(scope, [&] { nikaia::scope_spawn(scope, [&] { total += 100; }); });
    return std::int64_t{5};
  });
  say("%lld %lld\n", static_cast<long long>(value), static_cast<long long>(total));
  // Tasks that do not pause let nobody else run.
  auto other = spawn([] { say("another task\n"); });
  nikaia::task_scope([](nikaia::Scope& scope) { nikaia::scope_spawn(scope, [] { say("scoped\n"); }); });
  say("scope over\n");
  other.join().take();
  auto failing = [](bool body_fails) {
    return nikaia::task_scope([body_fails](nikaia::Scope& scope) -> Result<void> {
      nikaia::scope_spawn(scope, []() -> Result<void> {
        time_sleep(1 * ms);
        return Failure::make(Jam{1}, &jam_site);
      });
      nikaia::scope_spawn(scope, []() -> Result<void> { return Failure::make(Jam{2}, &jam_site); });
      nikaia::scope_spawn(scope, [] {
        Loud held("held");
        time_sleep(3 * ms);
      });
      time_sleep(0);
      if (body_fails) return Failure::make(Jam{3}, &jam_site);
      return {};
    });
  };
  for (const bool body_fails : {false, true}) {
    Result<void> outcome = failing(body_fails);
    const String full = outcome.failure().full();
    say("%.*s\n", static_cast<int>(full.size()), full.data());
  }
  auto cancelled = spawn([] {
    Loud outer("outer");
    nikaia::task_scope([](nikaia::Scope& scope) {
      nikaia::scope_spawn(scope, [] {
        Loud inner("inner");
        time_sleep(hour);
      });
      time_sleep(hour);
    });
  });
  time_sleep(1 * ms);
  cancelled.cancel();
  time_sleep(1 * ms);
  return {};
}

Result<void> supervises() {
  int runs = 0;
  nikaia::supervisor_start_link([&runs]() -> Result<void> {
    if (++runs < 4) return Failure::make(Jam{runs}, &jam_site);
    return {};
  });
  time_sleep(2 * ms);
  say("%d runs\n", runs);
  nikaia::supervisor_start_link([]() -> Result<void> { return Failure::make(Jam{9}, &jam_site); },
                                nikaia::RestartPolicy::Ignore);
  time_sleep(1 * ms);
  nikaia::panic_on_panic([](nikaia::Info info) {
    say("hook: %.*s, %.*s\n", static_cast<int>(info.site.size()), info.site.data(),
        static_cast<int>(info.message.size()), info.message.data());
  });
  nikaia::supervisor_start_link([]() -> Result<void> { return Failure::make(Jam{8}, &jam_site); },
                                nikaia::RestartPolicy::Escalate, At{"src/mill.nika", 70});
  time_sleep(1 * ms);
  return {};
}

struct Scenario {
  const char* name;
  Result<void> (*run)();
};
constexpr Scenario scenarios[] = {
    {"hello", hello},
    {"fails", fails},
    {"panics", panics},
    {"panics-with-hook", panics_with_hook},
    {"panics-in-hook", panics_in_hook},
    {"uses-up-task-stack", uses_up_task_stack},
    {"uses-up-main-stack", uses_up_main_stack},
    {"prints-for-ever", prints_for_ever},
    {"waits-for-signal", waits_for_signal},
    {"works-until-signal", works_until_signal},
    {"leaves-task-behind", leaves_task_behind},
    {"leaves-diary-behind", leaves_diary_behind},
    {"leaves-spinning-task", leaves_spinning_task},
    {"parks-a-diary", parks_a_diary},
    {"failures-nobody-takes", failures_nobody_takes},
    {"joins", joins},
    {"overlaps", overlaps},
    {"cancels-overlap", cancels_overlap},
    {"cancels-branches", cancels_branches},
    {"cancels-reads", cancels_reads},
    {"reads-fifo", reads_fifo},
    {"reads-ahead", reads_ahead},
    {"reads-files", reads_files},
    {"reads-sequence", reads_sequence},
    {"reads-overlapped", reads_overlapped},
    {"reads-stdin", reads_stdin},
    {"channels", channels},
    {"selects", selects},
    {"scopes", scopes},
    {"supervises", supervises},
    {"crowd", crowd},
    {"one-after-the-other", one_after_the_other},
};

const Scenario* chosen = nullptr;
Result<void> run_chosen() {
  return chosen->run();
}

}  // namespace

int main(int argc, char** argv) {
  for (const Scenario& scenario : scenarios) {
    if (argc > 1 && std::strcmp(argv[1], scenario.name) == 0) chosen = &scenario;
  }
  if (chosen == nullptr) return 2;
  return rt::run(argc, argv, {.concurrent = false, .main_file = "src/main.nika", .main_line = 3}, &run_chosen);
}
