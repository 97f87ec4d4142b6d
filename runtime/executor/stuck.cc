// A program whose tasks all wait for one another: nobody is ready, no operation and no timer is under way, so
// nothing but a signal could ever change that. It stops with who waits, rather than standing still for ever.
#include <string>

#include "runtime/executor/executor.h"
#include "runtime/start/drain.h"
#include "runtime/start/panic.h"

namespace nikaia::rt {
namespace {

constexpr std::uint32_t tasks_named = 8;

}  // namespace

void stop_stuck() {
  std::string reason = "every task waits for another, and nothing is left that could wake one: `main`";
  std::uint32_t named = 0;
  for (const Task* task = executor.live; task != nullptr && named < tasks_named; task = task->live_next) {
    ++named;
    reason += ", " + task_in_words(*task);
  }
  if (executor.live_count > named) reason += " and " + std::to_string(executor.live_count - named) + " more tasks";
  const Task& main = *executor.main;
  // On the loop's stack, where a hook of the program could not pause.
  stop_program(At{main.file, main.line}, reason.data(), reason.size(), false);
}

}  // namespace nikaia::rt
