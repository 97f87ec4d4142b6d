// The end of a program after `main` (language 09 §11): waiting for parked cleanups and detached
// tasks, at most as long as the operator allows, and saying what was cut off.
#pragma once

#include <cstdint>
#include <string>

namespace nikaia::rt {

struct Task;

// Waits at most `deadline_ms` for every task and cleanup, then cancels what is left and waits until
// it has stopped. 0 does not wait. Answers whether the deadline passed; what was cut off has been
// said then, to standard error and to the panic hook. `deadline` is the time as the operator wrote
// it.
[[nodiscard]] bool drain(Task& main_task, std::int64_t deadline_ms, const std::string& deadline);

// A value that died by its `drop` because the deadline had passed.
void note_cut_off(const char* resource);

// "the task started at FILE:LINE", or which cleanup it is.
[[nodiscard]] std::string task_in_words(const Task& task);

// A type's name in backquotes; a description (`the file 'x'`) as it is.
[[nodiscard]] std::string resource_in_words(const char* resource);

}  // namespace nikaia::rt
