// Parked cleanups: background tasks of the runtime, started in the order in which the values died.
// And what is said about failures that have no caller: those of a cleanup, and of a task nobody
// joined.
#include <string>

#include <nikaia/rt/cleanup.h>
#include <nikaia/rt/runtime.h>

#include "runtime/executor/executor.h"
#include "runtime/start/drain.h"

namespace nikaia::rt {
namespace {

void say(std::string text, const Failure& failure) {
  const String full = failure.full();
  text.append(full.data(), full.size());
  if (text.back() != '\n') text += '\n';
  err_write(text.data(), text.size());
}

}  // namespace

bool may_park(const char* name) {
  if (!executor.cleanups_cut_off) return true;
  // The value of a cleanup that is cut off itself is named by its task.
  if (!executor.current->is_cleanup) note_cut_off(name);
  return false;
}

void start_cleanup(Task& task, const char* name) {
  task.file = name;
  task.is_cleanup = true;
  task.detached = true;
  start_task(task);
}

void say_cleanup_failure(const Task& task, const Failure& failure) {
  say(std::string("error: The cleanup of ") + resource_in_words(task.file) + " failed: ", failure);
}

void say_unjoined_failure(const Task& task, const Failure& failure) {
  say("error: The task started at " + std::string(task.file) + ":" + std::to_string(task.line) + " failed: ", failure);
}

}  // namespace nikaia::rt
