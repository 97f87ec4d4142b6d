// What a function reads before it does anything else.
//
// A branch of an `overlap` whose one pause is the read of a whole file needs no fiber, where the block can begin that
// read for it (runtime: overlap_reads.h). That holds of a function that, from its start, makes nothing but the
// read's arguments, calls `fs::read` or `fs::read_to_string`, or another such function, and pauses nowhere else. Its
// path and root are told in terms of its parameters and captures, so that a caller can tell them in terms of its own.
//
// What it costs: each function that a branch reaches is looked at once, one walk over its instructions.
#pragma once

#include <cstdint>

#include "lang/nir/nir.h"

namespace nikaia::lang::emit_cpp {

// Where an argument of the read comes from.
struct Origin {
  enum class Kind : std::uint8_t { text, anywhere, local };
  Kind kind = Kind::local;
  Name text;
  nir::LocalId local;  // a parameter or a capture, whose value it is or views
};

struct FirstRead {
  Origin path, root;
};

}  // namespace nikaia::lang::emit_cpp
