// From the process's start to its exit status: configuration, backend, signals, `main`, drain
// (language 09 §2).
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <signal.h>
#include <string>
#include <unistd.h>
#include <utility>

#include <nikaia/rt/runtime.h>

#include "runtime/executor/executor.h"
#include "runtime/io/operations.h"
#include "runtime/start/backend.h"
#include "runtime/start/config.h"
#include "runtime/start/drain.h"
#include "runtime/start/output.h"
#include "runtime/start/signals.h"
#include "runtime/start/stack_overflow.h"

namespace nikaia::rt {
namespace {

constexpr int status_failed = 1;
constexpr int status_cut_off = 70;
constexpr int status_not_started = 78;
constexpr int status_signal_base = 128;

Arguments program_arguments{0, nullptr};
// Loaded to the end of the process: its threads may be in its code until then. Written only, so that it has to
// be kept where a leak checker looks for what is still reachable.
[[gnu::used]] const OpenedBackend* serving = nullptr;

int refuse_to_start(const StartMessage& message) {
  const std::string text = render(message, error_colour_wanted());
  err_write(text.data(), text.size());
  return status_not_started;
}

void report(const Configuration& configuration, const OpenedBackend& opened, bool concurrent) {
  const char* wanted = std::getenv("NIKAIA_RUNTIME_REPORT");
  if (wanted == nullptr || std::strcmp(wanted, "1") != 0) return;
  const std::uint32_t pool = configuration.user_pool != 0 ? configuration.user_pool : usable_cpus();
  const std::string line = "io-workers=" + std::to_string(configuration.io_workers) + " io-method=" + opened.method +
                           " user-pool=" + std::to_string(pool) +
                           " cleanup-deadline=" + configuration.cleanup_deadline +
                           " user-code=" + (concurrent ? "concurrent" : "sequential") + "\n";
  err_write(line.data(), line.size());
}

// Buffers of up to some MiB come and go; without this each one is taken from the system and given
// back, page by page. A program keeps at most this much that it has freed.
void keep_freed_memory() {
  constexpr int kept_bytes = 16 * 1024 * 1024;
  constexpr int mapped_from_bytes = 4 * 1024 * 1024;
  ::mallopt(M_TRIM_THRESHOLD, kept_bytes);
  ::mallopt(M_MMAP_THRESHOLD, mapped_from_bytes);
}

// What `main` hands back, whichever of its two shapes it has.
struct Program {
  void (*entry)() = nullptr;
  Result<void> (*failing_entry)() = nullptr;
  Failure failure;
};

void call_entry(void* data) {
  auto& program = *static_cast<Program*>(data);
  if (program.entry != nullptr) {
    program.entry();
    return;
  }
  Result<void> outcome = program.failing_entry();
  if (outcome.failed()) program.failure = outcome.take_failure();
}

// The failure that left `main`, in its long form. Answers whether there was one.
bool say_failure(Program& program) {
  if (!program.failure) return false;
  out_flush();
  const String full = program.failure.full();
  std::string text = "error: ";
  text.append(full.data(), full.size());
  if (text.back() != '\n') text += '\n';
  err_write(text.data(), text.size());
  program.failure = Failure();
  return true;
}

int run_program(int argc, char** argv, const Options& options, Program& program) {
  program_arguments = {argc, argv};
  ::signal(SIGPIPE, SIG_IGN);
  keep_freed_memory();
  start_output();

  auto read = read_configuration();
  if (const auto* message = std::get_if<StartMessage>(&read)) return refuse_to_start(*message);
  const auto& configuration = std::get<Configuration>(read);
  auto tried = open_backend(configuration, options.backends);
  if (const auto* message = std::get_if<StartMessage>(&tried)) return refuse_to_start(*message);
  serving = new OpenedBackend(std::move(std::get<OpenedBackend>(tried)));
  const OpenedBackend& opened = *serving;
  report(configuration, opened, options.concurrent);
  open_operations(*opened.backend, opened.instance);

  Task main_task;
  main_task.file = options.main_file;
  main_task.line = options.main_line;
  Fiber main_fiber;
  start_executor(main_task, main_fiber);
  catch_stack_overflow(options);
  catch_signals(main_task);

  run_unwindable(call_entry, &program);
  main_task.ended = true;
  main_task.cancelled = false;
  const bool failed = say_failure(program);
  const bool cut_off = drain(main_task, configuration.cleanup_deadline_ms, configuration.cleanup_deadline);

  out_flush();
  const int signal = ending_signal();
  leave_operations();
  if (cut_off) return status_cut_off;
  if (signal != 0) return status_signal_base + signal;
  return failed ? status_failed : 0;
}

}  // namespace

Arguments arguments() {
  return program_arguments;
}

int run(int argc, char** argv, const Options& options, void (*entry)()) {
  Program program;
  program.entry = entry;
  return run_program(argc, argv, options, program);
}

int run(int argc, char** argv, const Options& options, Result<void> (*entry)()) {
  Program program;
  program.failing_entry = entry;
  return run_program(argc, argv, options, program);
}

}  // namespace nikaia::rt
