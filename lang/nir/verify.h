// The verifier: what must hold of every NIR module, whoever wrote it. A violation is a defect of the pass that
// wrote the module, never of the program being compiled.
//
// Checked for each function, in one walk of its regions:
//
// * ids: of locals, regions, labels, functions, declarations; each region stands at one place, each instruction too;
// * structure: terminators end regions, labels are in scope and of the right kind, failure edges and the body do not
//   run off their end, a function that cannot fail does not fail;
// * locals: declared before they are used, within the region of their declaration and nowhere twice in one path;
// * places: each projection exists on the type before it and has the type it says;
// * types: of what is assigned, handed over, lent, returned, compared, captured;
// * operands: `copy` of what copies, `dup` of a handle, loans of the type their place has;
// * calls: as many arguments as the callee takes, of its types; a failure edge exactly where the callee can fail.
//
// Cost: about that of printing the module, without the texts.
#pragma once

#include <string>
#include <vector>

#include "lang/nir/text.h"

namespace nikaia::lang::nir {

struct Violation {
  FunctionId function;
  InstrId instr;        // invalid: of the function as a whole
  std::string message;  // "assigns `i64` to `bool`"
};

std::vector<Violation> verify(const TextWorld& world, const Module& module);

// "the NIR of `main` is wrong: assigns … in `x = copy y`", for the message of a defect.
std::string describe(const TextWorld& world, const Module& module, const Violation& violation);

}  // namespace nikaia::lang::nir
