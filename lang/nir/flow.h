// The flow graph of a function: its structured regions as steps with successors and predecessors.
//
// A step is an instruction, or a part of one where control can leave between its parts: a call that can fail reads
// its `operands`, then either hands over its `result` or arrives at its failure edge, where `caught` binds the error.
// A walk reads its subject (`operands`), asks for an element (`turn`), and binds it (`result`) in front of its body.
// Scopes and blocks have no step of their own. Code that is not reached has none either.
//
// Built in one walk of the regions; memory and time in proportion to the instructions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lang/nir/nir.h"

namespace nikaia::lang::nir {

using StepId = Id<struct NirStepTag>;

enum class StepKind : std::uint8_t {
  entry,     // of the function: parameters and captures are there
  whole,     // an instruction, operands and result
  operands,  // what it reads and takes, where its result or its failure comes after
  result,    // what it hands back comes into being; of a walk: the elements of this turn
  head,      // of a loop
  turn,      // of a walk: the next element is asked for
  caught,    // the error of a failure edge or a guard comes into being
  returned,  // the function has returned; `failed`: it has failed
  failed,
};

struct Step {
  StepKind kind = StepKind::whole;
  InstrId instr;  // invalid for entry, returned, failed
};

struct Flow {
  IdVector<StepId, Step> steps;
  StepId entry, returned, failed;
  std::vector<StepId> run_off;  // the last steps of a body or failure edge that runs off its end; a defect
  std::vector<StepId> order;    // reverse postorder from the entry: every step that is reached, once

  std::span<const StepId> successors(StepId s) const { return slice(to_, to_begin_, s); }
  std::span<const StepId> predecessors(StepId s) const { return slice(from_, from_begin_, s); }

 private:
  friend Flow flow_of(const Function& function);
  static std::span<const StepId> slice(const std::vector<StepId>& all, const std::vector<std::uint32_t>& begin,
                                       StepId s) {
    return {all.data() + begin[s.index], all.data() + begin[s.index + 1]};
  }

  // Successors of all steps one after the other, and where each step's begin; predecessors likewise.
  std::vector<StepId> to_, from_;
  std::vector<std::uint32_t> to_begin_, from_begin_;
};

Flow flow_of(const Function& function);

}  // namespace nikaia::lang::nir
