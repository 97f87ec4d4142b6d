// Running other programs: a child with its output collected, many of them a few at a time, and the
// replacement of this process by the program that was built.
#ifndef NIKAIA_DRIVER_PROCESS_H
#define NIKAIA_DRIVER_PROCESS_H

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace nikaia::driver {

// The program, found on the search path, and its arguments.
using Words = std::vector<std::string>;

struct Outcome {
  int start_error = 0;  // errno where the program could not be started at all
  int status = 0;       // exit status, where it exited
  int signal = 0;       // the signal that ended it, or 0
  std::string output;   // standard output and standard error, as they came
  [[nodiscard]] bool ok() const { return start_error == 0 && status == 0 && signal == 0; }
};

// Runs one command to its end, in the `C` locale, with nothing on its standard input. Blocks.
Outcome run(const Words& command);

// Runs commands, at most `jobs` at a time, and returns an outcome for each in their order. A failed
// one keeps those not started yet from starting (their `status` is -1).
// They run in `folder`; empty: in the working directory.
std::vector<Outcome> run_all(const std::vector<Words>& commands, std::size_t jobs,
                             const std::filesystem::path& folder = {});

// The words as one line that a shell would read back.
std::string shell_line(const Words& words);

// Runs `program` as a child with this process's streams, environment and working directory, handing
// on the signals that ask for an end, and returns its exit status, 128+n where signal n ended it.
// Blocks. -1 with `errno` where it cannot be started.
int run_in_foreground(const std::filesystem::path& program, const Words& words);

// How many compilers to run at once: the processors this process may use.
std::size_t processors();

}  // namespace nikaia::driver

#endif
