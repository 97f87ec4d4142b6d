// Random programs that own, lend, hand over and view values, and what would break each of them.
//
// A program is made from its seed alone. The generator keeps track of what the language reference's
// chapter 03 keeps track of, roughly: which name still holds its value, which views look into which
// owner, which list a loop walks. So most of what it writes is accepted. Some programs are
// reckless: now and then they forget what they know, and the compiler decides; what it then accepts
// is run all the same.
//
// Beside the program stand its mutations: lines put into it that use what was handed over, keep a
// view past its owner's end, hand one value over twice, or change what is lent. Each must be
// refused.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nikaia::ownership {

struct Mutation {
  const char* kind;
  std::vector<std::pair<std::size_t, std::string>> inserts;  // in front of which line, ascending
};

struct Program {
  std::string name;                // of the function without parameters that is the program
  std::vector<std::string> lines;  // functions whose names begin with `name`
  std::vector<Mutation> mutations;
  bool is_reckless = false;
};

// `number` tells the programs of one file apart.
Program generate(std::uint64_t seed, unsigned number);
std::vector<std::string> mutated(const Program& program, const Mutation& mutation);

// Types and functions that every program uses.
extern const char* const prelude;

// A file of programs: the prelude, their lines, and a `main` that runs them in turn behind a line
// `== NAME`. `first_line` gets where each program begins, from 1.
std::string file_of(const std::vector<const std::vector<std::string>*>& programs, const std::vector<std::string>& names,
                    std::vector<std::uint32_t>& first_line);

}  // namespace nikaia::ownership
