// How an emitted program starts, stops and ends (language 09 §2, 04 §2).
//
// The emitted `main` is
//
//     int main(int argc, char** argv) {
//       return nikaia::rt::run(argc, argv,
//                              {.concurrent = false, .main_file = "src/main.nika", .main_line = 7},
//                              &program_main);
//     }
//
// with `void program_main()` or `nikaia::Result<void> program_main()`.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/result.h>

namespace nikaia::rt {

#ifndef NIKAIA_BACKENDS  // the driver's compiles define it
#define NIKAIA_BACKENDS ""
#endif

struct Options {
  bool concurrent = false;     // the build option user-parallelism
  const char* main_file = "";  // where `fn main` stands, for a main that uses up its stack
  std::uint32_t main_line = 0;
  const char* backends = NIKAIA_BACKENDS;  // the folder of the toolchain's I/O backends; may be empty
};

// Reads the configuration, opens the I/O backend, runs `entry` as the main task, drains, and
// answers the exit status. Called once, by the thread the process started with.
int run(int argc, char** argv, const Options& options, void (*entry)());
int run(int argc, char** argv, const Options& options, Result<void> (*entry)());

// The program's arguments as they came, valid until the end of the process.
struct Arguments {
  int count;
  char** text;
};
[[nodiscard]] Arguments arguments();

// ---- stopping

// Calls the hook, writes what `println` held back and `FILE:LINE: program stopped: REASON`, and
// aborts. A panic inside the hook aborts at once.
NIKAIA_COLD void panic_at(At at, const char* reason, std::size_t bytes);

// What a panic hook is told. The text lives until the hook returns.
struct PanicInfo {
  const char* message;
  std::size_t message_bytes;
  At at;
  const char* trace;  // one frame a line
  std::size_t trace_bytes;
};

// The one hook of the program; a second one replaces it. `data` is the hook's own and is never
// freed.
void set_panic_hook(void (*hook)(void* data, const PanicInfo& info), void* data);

// Memory that cannot be had: says so and ends the program, the hook first where it can run.
NIKAIA_COLD void end_out_of_memory(const char* what_for);

// ---- printing

// Standard output. Held back while it is no terminal: written when 64 KiB have come together, when
// every task waits, and at the end of the program, whichever end it is. A reader that has gone ends
// the program with status 141, without a word.
void out_write(const char* bytes, std::size_t count);
void out_flush();
// Standard error, at once. What `println` held back is not written first.
void err_write(const char* bytes, std::size_t count);

}  // namespace nikaia::rt
