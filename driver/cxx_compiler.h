// The C++ compiler that turns emitted code into a program: which one, and whether it is new enough.
//
// The choice is `NIKAIA_CXX`, else `CXX`, else the first of `g++` and `clang++` on the search path
// (06 §1.1). Its version is asked for before it is given any file; the answer is kept in the cache
// under the identity of the compiler's file, so that a build normally runs no extra process.
#ifndef NIKAIA_DRIVER_CXX_COMPILER_H
#define NIKAIA_DRIVER_CXX_COMPILER_H

#include <filesystem>
#include <string>
#include <vector>

#include "driver/trouble.h"

namespace nikaia::driver {

struct CxxCompiler {
  enum class Family { gcc, clang };

  std::vector<std::string> words;  // the program's path, then arguments that came with its name
  Family family = Family::gcc;
  int major = 0;
  std::string version;   // "12.2.0"
  std::string headline;  // the first line of `--version`
  std::string identity;  // changes whenever another compiler would answer under this name

  [[nodiscard]] const char* family_name() const { return family == Family::gcc ? "g++" : "clang++"; }
};

// Refused where there is none, where it does not answer and where it is older than g++ 12 or
// clang++ 14. May run the compiler with `--version`.
Expected<CxxCompiler> choose_cxx_compiler(const std::string& target, const std::filesystem::path& cache);

// The program `name` as the shell would find it; empty where there is none.
std::filesystem::path find_program(const std::string& name);

// The machine this runs on, as a manifest's `target` writes it.
std::string host_target();

}  // namespace nikaia::driver

#endif
