// What the rest of the runtime needs of standard output and of saying things at the very end.
#pragma once

#include <cstddef>

#include <nikaia/rt/runtime.h>

namespace nikaia::rt {

void start_output();  // looks once whether standard output is a terminal

// Writes what `println` held back, whatever comes of it: for a program that is ending anyway. Safe
// in a signal handler.
void out_flush_at_stop();

// The whole of `bytes` to a descriptor, by plain system calls. False where it could not be. Safe in
// a signal handler.
bool write_fully(int fd, const char* bytes, std::size_t count);

}  // namespace nikaia::rt
