// The timer is an executor's timer like any other. Behind it stands one of the process's: where a
// task computes on without a pause, so that the executor never runs again, the end comes all the
// same, from the signal handler, with the same words and status.
#include "runtime/start/drain.h"

#include <cstdio>
#include <cstring>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
#include <vector>

#include <nikaia/rt/runtime.h>

#include "runtime/executor/executor.h"
#include "runtime/start/output.h"
#include "runtime/start/panic.h"
#include "runtime/timer/timers.h"

namespace nikaia::rt {
namespace {

constexpr int status_cut_off = 70;
// How long what was cancelled may take to reach its next pause before the process is ended over it.
constexpr std::int64_t grace_ms = 1000;

std::vector<std::string> cut_off;

void abandon_quiet(Wait&, Task&) {}  // main has ended; nobody cancels its waiting

// Whether everything ended before the deadline.
bool wait_for_quiet(Task& main_task, std::int64_t deadline_ns) {
  if (executor.live_count == 0) return true;
  TimerWait timer;
  timer.abandon = abandon_quiet;
  timer.task = &main_task;
  timer.deadline_ns = deadline_ns;
  executor.waiting_for_quiet = &main_task;
  add_timer(timer);
  pause_to_the_end(timer);
  if (timer.in_heap) remove_timer(timer);
  executor.waiting_for_quiet = nullptr;
  return executor.live_count == 0;
}

void note_live_tasks() {
  std::vector<std::string> names;
  for (const Task* task = executor.live; task != nullptr; task = task->live_next) names.push_back(task_in_words(*task));
  cut_off.insert(cut_off.end(), names.rbegin(), names.rend());  // oldest first
}

void say_cut_off(const std::string& deadline) {
  std::string text = "`cleanup-deadline` (" + deadline + ") has passed, and this was cut off:\n";
  for (const std::string& name : cut_off) text += "  " + name + "\n";
  const std::string message = text.substr(0, text.size() - 1);
  tell_hook(At{executor.current->file, executor.current->line}, message.data(), message.size());
  text.insert(0, "error: ");
  out_flush();
  err_write(text.data(), text.size());
}

// ---- where a task never pauses again

char overdue_deadline[32];

void say_plainly(const char* text) {
  write_fully(STDERR_FILENO, text, std::strlen(text));
}

void on_overdue(int) {
  out_flush_at_stop();
  say_plainly("error: `cleanup-deadline` (");
  say_plainly(overdue_deadline);
  say_plainly(") has passed, and this was cut off:\n");
  for (const Task* task = executor.live_is_changing ? nullptr : executor.live; task != nullptr;
       task = task->live_next) {
    char line[512];
    const int length = task->is_cleanup
                           ? std::snprintf(line, sizeof(line), "  the cleanup of `%s`\n", task->file)
                           : std::snprintf(line, sizeof(line), "  the task started at %s:%u\n", task->file, task->line);
    if (length > 0) say_plainly(line);
  }
  ::_exit(status_cut_off);
}

void end_overdue_after(std::int64_t ms, const std::string& deadline) {
  std::snprintf(overdue_deadline, sizeof(overdue_deadline), "%s", deadline.c_str());
  struct sigaction with {};
  with.sa_handler = on_overdue;
  sigemptyset(&with.sa_mask);
  ::sigaction(SIGALRM, &with, nullptr);
  itimerval timer{};
  timer.it_value.tv_sec = ms / 1000;
  timer.it_value.tv_usec = ms % 1000 * 1000;
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

std::string task_in_words(const Task& task) {
  if (task.is_cleanup) return "the cleanup of " + resource_in_words(task.file);
  return "the task started at " + std::string(task.file) + ":" + std::to_string(task.line);
}

bool drain(Task& main_task, std::int64_t deadline_ms, const std::string& deadline) {
  if (executor.live_count == 0) return false;
  if (deadline_ms > 0) {
    end_overdue_after(deadline_ms + grace_ms, deadline);
    if (wait_for_quiet(main_task, now_ns() + deadline_ms * 1'000'000)) {
      const itimerval off{};
      ::setitimer(ITIMER_REAL, &off, nullptr);
      return false;
    }
    note_live_tasks();
  }
  cut_off_all();
  wait_for_quiet(main_task, INT64_MAX);
  const itimerval off{};
  ::setitimer(ITIMER_REAL, &off, nullptr);
  if (deadline_ms == 0) return false;
  say_cut_off(deadline);
  return true;
}

void note_cut_off(const char* resource) {
  cut_off.push_back("the cleanup of " + resource_in_words(resource));
}

std::string resource_in_words(const char* resource) {
  return std::strchr(resource, ' ') != nullptr ? resource : "`" + std::string(resource) + "`";
}

}  // namespace nikaia::rt
