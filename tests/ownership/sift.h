// Which programs of a file the compiler accepts.
//
// Checking stops behind the first pass that refuses something, so a file is checked again without
// the refused programs until nothing is refused. What is left is accepted as it stands together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/ownership/compiler.h"
#include "tests/ownership/generator.h"

namespace nikaia::ownership {

struct Candidate {
  std::string name;
  std::vector<std::string> lines;
  std::vector<Refusal> refusals;  // of the round that refused it
  bool is_accepted() const { return refusals.empty(); }
};

struct Sifted {
  std::string text;                  // of the accepted ones
  std::unique_ptr<Checked> checked;  // that text; null where no program is left
  std::string trouble;               // an internal error of the compiler, or a message outside all programs
};

Sifted sift(const Compiler& compiler, std::vector<Candidate>& candidates, bool emit = false);

}  // namespace nikaia::ownership
