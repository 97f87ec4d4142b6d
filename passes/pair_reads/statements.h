// A statement that does nothing but read a file, as it stands in NIR.
//
// `let a = fs::read(p, root)` is either a run of instructions in the block's own region, or a
// `scope` with the temporaries its arguments needed. Either way: declarations and plain assignments
// that make the arguments, the call, and what becomes of its result. Anything else (an argument
// that computes, a `catch`, a method called on the result) is no such statement.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "lang/nir/nir.h"

namespace nikaia::lang::pair_reads {

struct ReadStatement {
  std::vector<nir::InstrId> declares;  // of the program's names, in the block's region
  std::vector<nir::InstrId> before;    // makes the arguments
  nir::InstrId call;
  std::vector<nir::InstrId> after;  // stores the result, drops the temporaries
  nir::InstrId scope;               // the `scope` around all but `declares`; invalid: there is none
  std::size_t begin = 0, end = 0;   // in the block's region
};

// Which functions are reads.
struct Reads {
  FnId bytes, text;  // fs::read, fs::read_to_string
  bool has(FnId fn) const { return fn.valid() && (fn == bytes || fn == text); }
};

// The statement that begins at `at` of `region`, where it is one.
std::optional<ReadStatement> read_statement(const nir::Function& f, const std::vector<nir::InstrId>& region,
                                            std::size_t at, const Reads& reads);

const nir::Call& call_of(const nir::Function& f, const ReadStatement& statement);

}  // namespace nikaia::lang::pair_reads
