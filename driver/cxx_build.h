// From emitted C++ to a program: precompiled runtime header, object store, link.
//
// Everything is addressed by content. An object's key covers the text of its file and of the
// emitted headers it includes, the compiler, the flags and the runtime's headers; a program's key
// covers its objects, the runtime library and the link's words. So nothing is ever out of date, two
// builds at once can at worst do the same work twice, and a build that is killed leaves whole
// entries only.
#ifndef NIKAIA_DRIVER_CXX_BUILD_H
#define NIKAIA_DRIVER_CXX_BUILD_H

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "driver/cxx_compiler.h"
#include "driver/front_end.h"
#include "driver/installation.h"
#include "driver/manifest.h"
#include "driver/trouble.h"

namespace nikaia::driver {

struct CxxRequest {
  const Installation* installation = nullptr;
  const CxxCompiler* compiler = nullptr;
  std::filesystem::path cache;   // the user's
  std::filesystem::path output;  // target/nikaia
  std::filesystem::path folder;  // stable names start here
  Profile profile = Profile::dev;
  CodeGeneration generation;
  std::string program_name;
  std::vector<std::string> foreign_compile_words;
  std::vector<std::string> foreign_link_words;
};

// The C++ compiler refused emitted code, or the linker missed a symbol: our defect.
struct CxxDefect {
  std::string source;  // stable name of the source; empty where no place maps
  std::uint32_t line = 0;
  std::filesystem::path log;
};

struct CxxFailure {
  bool is_defect = false;
  CxxDefect defect;
  Trouble trouble;
};

// What identifies every tool and flag of a build apart from the emitted text; part of the key by
// which an unchanged build is recognised without running anything.
std::string cxx_identity(const CxxRequest& request);

// What a build made, below `OUTPUT/cache`, where it stays while other builds go on.
struct Built {
  std::filesystem::path program;
  std::filesystem::path emitted;  // the folder of the C++ it was made from
};

// Runs compilers; blocks.
tl::expected<Built, CxxFailure> build_program(const CxxRequest& request, const std::vector<EmittedFile>& emitted);

// Puts the program where a person looks for it, at `OUTPUT/PROFILE/NAME`, and its C++ at `OUTPUT/emitted`.
Done show_built(const CxxRequest& request, const Built& built);

}  // namespace nikaia::driver

#endif
