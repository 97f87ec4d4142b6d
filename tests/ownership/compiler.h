// The compiler as a library, for tests that check thousands of programs in one process: the passes
// of the build tree are loaded once, and each text is a program of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "driver/front_end.h"

namespace nikaia::ownership {

struct Refusal {
  std::string code;  // "NK2105"; empty for a message without one
  std::uint32_t line = 0;
  std::string message;
  bool is_internal = false;
};

// One program behind the front end. The compilation is that of a program without error where
// nothing was refused.
struct Checked {
  driver::Project project;
  std::unique_ptr<driver::FrontEnd> front_end;
  std::vector<Refusal> refusals;
  bool is_accepted() const { return refusals.empty(); }
};

class Compiler {
 public:
  Compiler();  // ends the process with a message where the installation cannot be used
  ~Compiler();

  // Runs every pass over `text`; the emission too where `emit`.
  std::unique_ptr<Checked> check(const std::string& text, bool emit = false) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace nikaia::ownership
