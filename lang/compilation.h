// One compilation as a value: everything the steps read and write. Two can live in one process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lang/diag/diagnostic.h"
#include "lang/facts/facts.h"
#include "lang/syntax/ast.h"
#include "lang/text/names.h"
#include "lang/text/source.h"
#include "lang/types/types.h"

namespace nikaia::lang {

// The options that decide what is accepted or emitted; from the manifest and the command line.
struct BuildOptions {
  bool user_parallelism = false;
  bool reentrancy_check = true;
  bool ordering_effects = false;
  std::string target = "x86_64-linux";
  std::string library_ledger;  // text of std.contracts
  bool needs_main = true;      // a program, not only a package to check
  bool with_tests = false;     // `test` and `bench` blocks are part of the program; otherwise they are left unchecked
};

// A package as the driver found it: its files and what its manifest calls its dependencies.
struct SourcePackage {
  std::string name;           // `[package] name`; of a single file its stem
  std::string root;           // its folder, as shown to the user
  std::vector<FileId> files;  // by path
  struct Dependency {
    std::string key;        // what a `use` writes
    std::uint32_t package;  // position in `Compilation::packages`, before this one
  };
  std::vector<Dependency> dependencies;
  std::vector<std::string> foreign;  // keys of the foreign libraries its manifest declares
  bool is_program = false;           // the one whose `main` runs; the last
};

struct Compilation {
  BuildOptions options;
  std::vector<SourcePackage> packages;  // in dependency order; the position is `SourceMap::package_rank`
  SourceMap sources;
  Interner names;
  IdVector<FileId, ast::Tree> trees;  // by file; a file that is no source of the program has an empty tree
  TypeTable types;
  Facts facts;  // the declarations and NIR among them
  Sink sink;
};

}  // namespace nikaia::lang
