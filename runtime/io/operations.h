// Operations on their way to the backend and back. A task that asks for one hangs it into a list
// and pauses; the executor's loop hands the whole list over in one `submit`, waits, and makes ready
// whose completion came. The operation stands on the stack of the paused task, which does not move
// and does not end before the completion was reaped, cancelled or not: that is what keeps paths and
// buffers in place for the kernel.
#pragma once

#include <cstdint>

#include <nikaia/backend.h>
#include <nikaia/rt/io.h>

namespace nikaia::rt {

// Performs one operation and answers its result: a count, a descriptor or 0 as the kind says, or a
// negative errno. Where the runtime is idle and the kind is one of files or paths, the calling
// thread makes the system call; otherwise the backend does, and the task pauses. A pause point.
// `flags`, where given, receives the completion's (NIKAIA_IO_MORE, NIKAIA_IO_STREAM).
std::int64_t perform(nikaia_io_op& op, std::uint32_t* flags = nullptr);

// The same, always through the backend.
std::int64_t perform_overlapped(nikaia_io_op& op, std::uint32_t* flags = nullptr);

// The same, always by the calling thread. Not a pause point. Not for readiness kinds.
std::int64_t perform_idle(nikaia_io_op& op);
// Its open: a descriptor or a negative errno.
std::int64_t open_idle(const char* path, Lookup lookup, std::uint32_t flags, std::uint32_t mode);

// ---- for the executor
// ---------------------------------------------------------------------------------------

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
