// Where each closure of a module is written, how it is run, and what its captured names stand for outside.
#pragma once

#include "lang/nir/nir.h"

namespace nikaia::lang::nir {

enum class ClosureUse : std::uint8_t {
  none,       // a function
  immediate,  // runs during the call it is handed to: zero or more turns
  kept,       // stored, or run later
  task,       // of a `spawn`: runs once, beside the function
  branch,     // of an `overlap`: runs once
};

struct ClosureSite {
  ClosureUse use = ClosureUse::none;
  FunctionId parent;
  InstrId instr;                      // in the parent
  const MakeClosure* made = nullptr;  // in the parent's instruction
};

using ClosureSites = IdVector<FunctionId, ClosureSite>;
// The module must not be changed while the result is used.
ClosureSites closure_sites(const Module& module);

// A place of some function.
struct PlaceIn {
  FunctionId function;
  Place place;
};

// What `place` of `function` is outside the closures that captured it by lending: a captured name's place is the
// place it was captured from, up to a name that is no capture, or one that was captured by value.
PlaceIn outside(const Module& module, const ClosureSites& sites, FunctionId function, Place place);

// What a closure, or one written inside it, does with a part of what it captured by lending.
struct CapturedPart {
  LocalId inner;  // the captured local, at which `place` begins
  Place place;
  bool is_changed = false, is_taken = false;
  Span span;
};
using CapturedParts = IdVector<FunctionId, std::vector<CapturedPart>>;
CapturedParts captured_parts(const Module& module, const TypeTable& types);
// `part` of the closure that `capture` belongs to as a place of the function the closure is written in.
Place outer_place(const Capture& capture, const CapturedPart& part);

// Where the value of each local goes: the first instruction that uses it whole as an operand. Invalid: none.
IdVector<LocalId, InstrId> consumers(const Function& function);

}  // namespace nikaia::lang::nir
