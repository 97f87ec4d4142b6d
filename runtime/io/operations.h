// Operations on their way to the backend and back. A task that asks for one hangs it into a list
// and pauses; the executor's loop hands the whole list over in one `submit`, waits, and makes ready
// whose completion came. The operation stands on the stack of the paused task, which does not move
// and does not end before the completion was reaped, cancelled or not: that is what keeps paths and
// buffers in place for the kernel.
#pragma once

#include <cstdint>

#include <nikaia/backend.h>
#include <nikaia/rt/io.h>
#include <nikaia/rt/task.h>

namespace nikaia::rt {

// Performs one operation and answers its result: a count, a descriptor or 0 as the kind says, or a
// negative errno. Where the runtime is idle and the kind is one of files or paths, the calling
// thread makes the system call; otherwise the backend does, and the task pauses. A pause point.
// `flags`, where given, receives the completion's (NIKAIA_IO_MORE, NIKAIA_IO_STREAM).
std::int64_t perform(nikaia_io_op& op, std::uint32_t* flags = nullptr);

// The same, always through the backend.
std::int64_t perform_overlapped(nikaia_io_op& op, std::uint32_t* flags = nullptr);

// Several operations that one task has begun and waits for.
struct Gathering {
  Task* waiting = nullptr;  // made ready by the next completion
  std::uint32_t open = 0;   // operations that are not done
};

// An operation under way. Neither it nor what it is about moves or ends before it is `done`.
struct Operation : Wait {
  enum class Stage { collected, in_backend, done };

  nikaia_io_op* op = nullptr;
  Task* task = nullptr;  // made ready when it is done; or
  Gathering* gathering = nullptr;
  std::int64_t result = 0;
  std::uint32_t flags = 0;
  Stage stage = Stage::done;
  Operation* next = nullptr;  // in the backend's hands
  Operation* previous = nullptr;
};

// Collects it for the next call of the backend. Does not pause. One of `task` and `gathering` is set.
void begin_operation(Operation& operation, nikaia_io_op& op);
// Takes back what the backend has not seen, and asks for an early end of what it has. The operation is done when
// its completion has come.
void abandon_operation(Operation& operation);
// Closes what an operation that came too late to be stopped has left open.
void discard_outcome(const Operation& operation);

// The same, always by the calling thread. Not a pause point. Not for readiness kinds.
std::int64_t perform_idle(nikaia_io_op& op);
// Its open: a descriptor or a negative errno.
std::int64_t open_idle(const char* path, Lookup lookup, std::uint32_t flags, std::uint32_t mode);

// ---- for the executor

inline constexpr std::int64_t poll_only = 0;

void open_operations(const nikaia_io_backend& backend, nikaia_io_instance* instance);
// At the end of the program. Closes the instance only where the backend still has operations in its
// hands; a thread that sleeps is not waited for, which would cost the end a turn of the scheduler.
void leave_operations();
[[nodiscard]] bool operations_outstanding();
// Hands over what was collected, waits until a completion, a wake or the deadline, and makes the
// tasks of all completions ready. Only the loop calls it.
void serve_operations(std::int64_t deadline_ns);
// Ends the present or next wait. Safe in a signal handler.
void wake_operations();

}  // namespace nikaia::rt
