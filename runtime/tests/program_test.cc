// Whole programs on the runtime: their output, their status, their system calls.
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <string>

#include "runtime/tests/process.h"

using nikaia::test::Outcome;
using nikaia::test::Run;
using nikaia::test::run;

namespace {

Outcome run_scenario(const std::string& name, Run with = {}) {
  with.command.insert(with.command.end(), {NIKAIA_TEST_PROGRAM, name});
  return run(with);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

Run configured(const std::string& configuration) {
  Run asked;
  asked.configuration = configuration;
  return asked;
}

}  // namespace

TEST_CASE("a program that ends well prints and answers 0") {
  const Outcome outcome = run_scenario("hello");
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "hello\n");
  CHECK(outcome.err.empty());
}

TEST_CASE("a failure that leaves main is told in its long form") {
  const Outcome outcome = run_scenario("fails");
  CHECK(outcome.status == 1);
  CHECK(outcome.out == "before\n");
  CHECK(has(outcome.err, "error: stone 3 is jammed\n  raised at src/mill.nika:18 in `grind` (NK-7QF)\n"));
}

TEST_CASE("a panic writes what was held back, then its line, and aborts without unwinding") {
  const Outcome outcome = run_scenario("panics");
  CHECK(outcome.status == 134);
  CHECK(outcome.out == "held back\n");
  CHECK(outcome.err == "src/kiln.nika:17: program stopped: 7 pots\n");
}

TEST_CASE("the panic hook comes before the line") {
  const Outcome outcome = run_scenario("panics-with-hook");
  CHECK(outcome.status == 134);
  CHECK(outcome.out == "hook: 7 pots at src/kiln.nika:20, trace there\n");
  CHECK(outcome.err == "src/kiln.nika:20: program stopped: 7 pots\n");
}

TEST_CASE("a panic inside the hook aborts at once") {
  const Outcome outcome = run_scenario("panics-in-hook");
  CHECK(outcome.status == 134);
  CHECK(outcome.err.empty());
}

TEST_CASE("a stack that is used up stops the program at the task's spawn") {
  const Outcome task = run_scenario("uses-up-task-stack");
  CHECK(task.status == 134);
  CHECK(task.out == "hook: its stack is used up\n");
  CHECK(task.err == "src/pit.nika:9: program stopped: its stack is used up\n");
#ifndef NIKAIA_TEST_THREAD_SANITIZER  // its own record of calls ends before the process's stack does
  const Outcome main = run_scenario("uses-up-main-stack");
  CHECK(main.status == 134);
  CHECK(main.err == "src/main.nika:3: program stopped: its stack is used up\n");
#endif
}

TEST_CASE("a closed standard output ends the program quietly") {
  Run asked;
  asked.close_output = true;
  const Outcome outcome = run_scenario("prints-for-ever", asked);
  CHECK(outcome.status == 141);
  CHECK(outcome.err.empty());
}

TEST_CASE("SIGINT and SIGTERM unwind main where it waits, then drain") {
  const int signal = GENERATE(SIGINT, SIGTERM);
  Run asked;
  asked.signal = signal;
  const Outcome outcome = run_scenario("waits-for-signal", asked);
  CHECK(outcome.status == 128 + signal);
  CHECK(has(outcome.out, "outer dropped\n"));
  CHECK(has(outcome.out, "diary closed\n"));
  CHECK(has(outcome.out, "detached task ended\n"));
  CHECK(!has(outcome.out, "not reached"));
}

TEST_CASE("a signal ends a program that only ever makes idle operations") {
  Run asked;
  asked.signal = SIGTERM;
  const Outcome outcome = run_scenario("works-until-signal", asked);
  CHECK(outcome.status == 143);
  CHECK(outcome.out == "ready\nouter dropped\n");
}

TEST_CASE("what outlasts the cleanup deadline is cut off and named") {
  const Outcome task = run_scenario("leaves-task-behind", configured("cleanup-deadline = \"50ms\"\n"));
  CHECK(task.status == 70);
  CHECK(task.out == "main is over\nheld dropped\n");
  CHECK(has(task.err, "src/belfry.nika:12"));
  const Outcome cleanup = run_scenario("leaves-diary-behind", configured("cleanup-deadline = \"50ms\"\n"));
  CHECK(cleanup.status == 70);
  CHECK(cleanup.out == "main is over\ndiary dropped\n");
  CHECK(has(cleanup.err, "`Diary`"));
}

#ifndef NIKAIA_TEST_THREAD_SANITIZER  // puts signal handlers off until the next system call
TEST_CASE("the deadline comes also where a task never pauses") {
  const Outcome outcome = run_scenario("leaves-spinning-task", configured("cleanup-deadline = \"50ms\"\n"));
  CHECK(outcome.status == 70);
  CHECK(has(outcome.err, "src/mill.nika:4"));
}
#endif

TEST_CASE("a deadline of 0 runs no cleanup and changes no status") {
  const Outcome outcome = run_scenario("leaves-diary-behind", configured("cleanup-deadline = \"0s\"\n"));
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "main is over\ndiary dropped\n");
  CHECK(outcome.err.empty());
}

TEST_CASE("a cancelled task's cleanup runs in the background while the program goes on") {
  const Outcome outcome = run_scenario("parks-a-diary");
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "inner dropped\ncancelled\ndiary closed\ndiary dropped\nmain is over\n");
}

TEST_CASE("failures without a caller are said and change no status") {
  const Outcome outcome = run_scenario("failures-nobody-takes");
  CHECK(outcome.status == 0);
  CHECK(has(outcome.err, "src/mill.nika:33 failed: stone 5 is jammed"));
  CHECK(has(outcome.err, "cleanup of `Diary` failed: stone 7 is jammed"));
}

TEST_CASE("join hands back the value or the failure") {
  const Outcome outcome = run_scenario("joins");
  CHECK(outcome.out == "piers\nstone 4 is jammed\n");
  CHECK(outcome.status == 0);
}

TEST_CASE("the branches of an overlap run together; the first written failure wins") {
  const Outcome outcome = run_scenario("overlaps");
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out, "1 2 together\nstone 1 is jammed\n"));
  CHECK(has(outcome.out, "together with: stone 2 is jammed"));
  CHECK(has(outcome.out, "first\nsecond\nwhat may pause\nsteady runs after\n"));
}

TEST_CASE("cancelling stops branches first, then their task") {
  const Outcome outcome = run_scenario("cancels-overlap");
  CHECK(outcome.out == "first branch dropped\nsecond branch dropped\nouter dropped\nover\n");
}

TEST_CASE("a cancelled overlap stops its branches wherever they stand, and its task last") {
  const Outcome outcome = run_scenario("cancels-branches");
  CHECK(outcome.status == 0);
  CHECK(outcome.out ==
        "the second is through\nsecond\nfirst dropped\nthird dropped\nits own dropped\n"
        "the last is through\nlast dropped\nfirst dropped\nits own dropped\n"
        "the first is through\nfirst dropped\nlast dropped\nits own dropped\n"
        "one inside the other\nouter dropped\ninner first dropped\ninner last dropped\nbetween dropped\n"
        "its own dropped\n"
        "beside one that cannot pause\nsteady\nfirst dropped\nlast dropped\nits own dropped\n"
        "by its first\ncancelled\nlast dropped\nfirst dropped\nits own dropped\n"
        "by its last\ncancelled\nlast dropped\nfirst dropped\nits own dropped\n"
        "a lost race\nfirst dropped\nlast dropped\narm 1\n");
}

TEST_CASE("channels keep their order, wrap, end, and drop what nobody takes") {
  const Outcome outcome = run_scenario("channels");
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "500500 in order\nkept dropped\nlate dropped\nsecond dropped\nover\nfirst dropped\n");
}

TEST_CASE("select keeps the first arm to finish and unwinds the others") {
  const Outcome outcome = run_scenario("selects");
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "held by the loser dropped\narm 2\narm 0, 7, 0\nfailed\nouter dropped\nheir got 42\n");
}

TEST_CASE("a scope ends with its tasks, fails with the first written and lets nobody else run") {
  const Outcome outcome = run_scenario("scopes");
  CHECK(outcome.status == 0);
  CHECK(outcome.out ==
        "part 3\npart 2\npart 1\n5 106\nscoped\nscope over\nanother task\nheld dropped\n"
        "stone 1 is jammed\n  raised at src/mill.nika:18 in `grind` (NK-7QF)\n"
        "  together with: stone 2 is jammed\n    raised at src/mill.nika:18 in `grind` (NK-7QF)\n"
        "  no stack trace was captured; NIKAIA_TRACE=1 asks for one\n"
        "held dropped\n"
        "stone 3 is jammed\n  raised at src/mill.nika:18 in `grind` (NK-7QF)\n"
        "  together with: stone 2 is jammed\n    raised at src/mill.nika:18 in `grind` (NK-7QF)\n"
        "  no stack trace was captured; NIKAIA_TRACE=1 asks for one\n"
        "inner dropped\nouter dropped\n");
}

TEST_CASE("a supervised task is started again, ignored or escalated by its policy") {
  const Outcome outcome = run_scenario("supervises");
  CHECK(outcome.status == 134);
  CHECK(outcome.out == "4 runs\nhook: src/mill.nika:70, the task it supervises failed: stone 8 is jammed\n");
  CHECK(occurrences(outcome.err, "stone 3 is jammed") == 1);
  CHECK(occurrences(outcome.err, "stone 9 is jammed") == 1);
  CHECK(has(outcome.err, "src/mill.nika:70: program stopped: the task it supervises failed: stone 8 is jammed\n"));
}

TEST_CASE("files of every kind read the same idle and beside a task, on every backend") {
  const std::string method = GENERATE("auto", "blocking", "uring", "uv");
  Run asked = configured("io-method = \"" + method + "\"\n");
  asked.environment.emplace_back("NIKAIA_BACKEND_PATH", NIKAIA_TEST_BACKENDS);
  if (method != "auto" && method != "blocking" &&
      !std::filesystem::exists(std::string(NIKAIA_TEST_BACKENDS) + "/nikaia-io-" + method + ".so")) {
    return;  // not part of this build
  }
  const Outcome outcome = run_scenario("reads-files", asked);
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out ==
        "missing: No such file or directory\n"
        "large: 300000 bytes, 3dcef2fa, Success\n"
        "exact: 16384 bytes, 3f40e284, Success\n"
        "small: 4 bytes, 002d9442, Success\n"
        "empty: 0 bytes, 00000000, Success\n"
        "folder: 0 bytes, 00000000, Is a directory\n"
        "gone: 0 bytes, 00000000, No such file or directory\n"
        "/dev/null: 0 bytes, 00000000, Success\n"
        "large: 300000 bytes, 3dcef2fa, Success\n"
        "exact: 16384 bytes, 3f40e284, Success\n"
        "small: 4 bytes, 002d9442, Success\n"
        "empty: 0 bytes, 00000000, Success\n"
        "folder: 0 bytes, 00000000, Is a directory\n"
        "gone: 0 bytes, 00000000, No such file or directory\n"
        "/dev/null: 0 bytes, 00000000, Success\n"
        "status whole\n"
        "1 0 0\n");
  const Outcome fifo = run_scenario("reads-fifo", asked);
  CHECK(fifo.out == "through a pipe 0\n");
  const Outcome ahead = run_scenario("reads-ahead", asked);
  CHECK(ahead.status == 0);
  CHECK(ahead.out ==
        "fed by the second\nsmall\nsmall\nsmall\nnothing left open\n"
        "while a pipe is waited for\nthe second has read\nits own dropped\n"
        "inside a cleanup\nlate\nits own dropped\nbefore it has begun\nits own dropped\n");
  const Outcome cancelled = run_scenario("cancels-reads", asked);
  CHECK(cancelled.out == "held dropped\nover\n");
}

TEST_CASE("standard input is read to its end, beside a task") {
  Run asked;
  asked.input = std::string(200'000, 'n');
  CHECK(run_scenario("reads-stdin", asked).out == "200000 bytes\n");
}

#ifndef NIKAIA_TEST_SANITIZED  // a sanitizer's shadow and quarantine are not what is measured
TEST_CASE("a hundred thousand sleeping tasks fit in 1 GiB") {
  CHECK(run_scenario("crowd").out == "fits\n4999950000\n");
}

TEST_CASE("tasks one after the other take no more memory") {
  CHECK(run_scenario("one-after-the-other").out == "steady\n");
}
#endif

#ifdef NIKAIA_TEST_STRACE
TEST_CASE("a program that never overlaps does not enter the ring; two overlapped reads enter it once") {
  const auto calls_of = [](const std::string& scenario) {
    Run asked = configured("io-method = \"uring\"\n");
    asked.environment.emplace_back("NIKAIA_BACKEND_PATH", NIKAIA_TEST_BACKENDS);
    asked.environment.emplace_back("ASAN_OPTIONS", "detect_leaks=0");  // it cannot look under strace
    asked.command = {NIKAIA_TEST_STRACE, "-f", "-qq", "-e", "trace=io_uring_enter"};
    return run_scenario(scenario, asked);
  };
  if (!std::filesystem::exists(std::string(NIKAIA_TEST_BACKENDS) + "/nikaia-io-uring.so")) return;
  const Outcome sequence = calls_of("reads-sequence");
  const Outcome overlapped = calls_of("reads-overlapped");
  if (has(sequence.err, "cannot serve")) return;  // a machine that refuses rings
  INFO(overlapped.err);
  CHECK(sequence.status == 0);
  CHECK(occurrences(sequence.err, "io_uring_enter(") == 0);
  CHECK(occurrences(overlapped.err, "io_uring_enter(") == 1);
}
#endif

TEST_CASE("the report states what holds, in one line") {
  Run asked = configured("io-workers = 3\nuser-pool = 5\nio-method = \"blocking\"\ncleanup-deadline = \"45s\"\n");
  asked.environment.emplace_back("NIKAIA_RUNTIME_REPORT", "1");
  CHECK(run_scenario("hello", asked).err ==
        "io-workers=3 io-method=blocking user-pool=5 cleanup-deadline=45s user-code=sequential\n");
}

TEST_CASE("a configuration that is wrong stops the start") {
  const Outcome misspelt = run_scenario("hello", configured("user-pool = 0\nio-method = \"blokking\"\n"));
  CHECK(misspelt.status == 78);
  CHECK(misspelt.out.empty());
  CHECK(has(misspelt.err, "nikaia-runtime.toml:2:13"));
  CHECK(has(misspelt.err, "^^^^^^^^^^"));
  CHECK(has(misspelt.err, "`blocking`"));
  CHECK(has(misspelt.err, "io-method = \"blocking\""));
  Run named;
  named.environment.emplace_back("NIKAIA_RUNTIME_CONFIG", "night-shift.toml");
  const Outcome missing = run_scenario("hello", named);
  CHECK(missing.status == 78);
  CHECK(has(missing.err, "night-shift.toml"));
  named.environment.back().second = "/tmp";
  CHECK(has(run_scenario("hello", named).err, "this is a directory"));
  Run large = configured(std::string(70'000, '#'));
  CHECK(has(run_scenario("hello", large).err, "larger than 64 KiB"));
}
