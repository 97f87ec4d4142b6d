// A panic: the hook, what `println` held back, the line, abort (language 04 §2.2, 09 §10).
#include "runtime/start/panic.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <signal.h>
#include <unistd.h>

#include <nikaia/rt/runtime.h>

#include "runtime/start/output.h"

namespace nikaia::rt {
namespace {

void (*hook)(void* data, const PanicInfo& info) = nullptr;
void* hook_data = nullptr;
bool stopping = false;

[[noreturn]] void abort_now() {
  ::signal(SIGABRT, SIG_DFL);
  std::abort();
}

// One write, so that lines of several processes do not mix.
void say_stopped(At at, const char* reason, std::size_t bytes) {
  constexpr std::size_t room_for_number = 16;
  constexpr char words[] = ": program stopped: ";
  char line[4096];
  const std::size_t file_bytes = std::strlen(at.file);
  const std::size_t total = file_bytes + 1 + room_for_number + sizeof(words) + bytes + 1;
  char number[room_for_number];
  const int digits = std::snprintf(number, sizeof(number), ":%u", at.line);
  if (total > sizeof(line)) {
    write_fully(STDERR_FILENO, at.file, file_bytes);
    write_fully(STDERR_FILENO, number, static_cast<std::size_t>(digits));
    write_fully(STDERR_FILENO, words, sizeof(words) - 1);
    write_fully(STDERR_FILENO, reason, bytes);
    write_fully(STDERR_FILENO, "\n", 1);
    return;
  }
  char* end = line;
  const auto add = [&end](const char* text, std::size_t count) {
    std::memcpy(end, text, count);
    end += count;
  };
  add(at.file, file_bytes);
  add(number, static_cast<std::size_t>(digits));
  add(words, sizeof(words) - 1);
  add(reason, bytes);
  add("\n", 1);
  write_fully(STDERR_FILENO, line, static_cast<std::size_t>(end - line));
}

}  // namespace

void tell_hook(At at, const char* message, std::size_t bytes) {
  if (hook == nullptr) return;
  const Trace trace = capture_trace_text();
  hook(hook_data, PanicInfo{message, bytes, at, trace.text, trace.bytes});
}

void stop_program(At at, const char* reason, std::size_t bytes, bool hook_can_run) {
  if (stopping) abort_now();  // inside the hook
  stopping = true;
  if (hook_can_run) tell_hook(at, reason, bytes);
  out_flush_at_stop();
  say_stopped(at, reason, bytes);
  abort_now();
}

void panic_at(At at, const char* reason, std::size_t bytes) {
  stop_program(at, reason, bytes, true);
}

void set_panic_hook(void (*with)(void* data, const PanicInfo& info), void* data) {
  hook = with;
  hook_data = data;
}

void end_out_of_memory(const char* what_for) {
  char line[128];
  const int length = std::snprintf(line, sizeof(line), "error: There is no memory left for %s.\n", what_for);
  if (!stopping) {
    stopping = true;
    tell_hook(At{}, line + 7, static_cast<std::size_t>(length) - 8);
  }
  out_flush_at_stop();
  write_fully(STDERR_FILENO, line, static_cast<std::size_t>(length));
  abort_now();
}

}  // namespace nikaia::rt
