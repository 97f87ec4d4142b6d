// Adjacent reads of files, which `ordering = "effects"` may join into a pair (06 §4.3).
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lang/facts/typed.h"
#include "passes/reports/reports.h"

namespace nikaia::lang::reports {

// The places of calls that were joined, each by file and begin: the first read's.
using Joined = std::set<std::pair<std::uint32_t, std::uint32_t>>;

struct AdjacentReads {
  Span first, second;  // the calls
  std::string why;     // they stay in written order; empty: they are a pair
};

// Every two statements that stand next to each other in one block, each a `let`, an assignment or
// an expression that reads a file, in the order of the files. `joined` says which the pass made
// pairs of.
std::vector<AdjacentReads> adjacent_reads(const World& w, const Names& names, const Types& types, const Joined& joined);

}  // namespace nikaia::lang::reports
