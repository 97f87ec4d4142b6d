// Runs a program in a fresh folder and collects what became of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace nikaia::test {

struct Outcome {
  int status = 0;  // as a shell says it: 128 + the signal where one ended the program
  std::string out;
  std::string err;
};

struct Run {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;  // beside the inherited one
  std::string input;
  std::string configuration;  // of nikaia-runtime.toml in its folder; empty: none
  // Sent when the program's first output has come; 0: none.
  int signal = 0;
  // The reading end of its standard output is closed after the first bytes.
  bool close_output = false;
};

[[nodiscard]] Outcome run(const Run& asked);

}  // namespace nikaia::test
