// One compilation as a value: everything the steps read and write. Two can live in one process.
#pragma once

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
};

struct Compilation {
  BuildOptions options;
  SourceMap sources;
  Interner names;
  IdVector<FileId, ast::Tree> trees;  // by file; a file that is no source of the program has an empty tree
  TypeTable types;
  Facts facts;  // the declarations and NIR among them
  Sink sink;
};

}  // namespace nikaia::lang
