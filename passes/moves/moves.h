// What the checks of the pass `moves` share.
#pragma once

#include <nikaia/pass.h>

#include "lang/compilation.h"
#include "lang/diag/diagnostic.h"
#include "lang/nir/closures.h"
#include "lang/nir/shown.h"
#include "lang/text/source.h"

namespace nikaia::lang::moves {

using nir::FunctionId;
using nir::InstrId;
using nir::OperandKind;
using nir::Place;
using nir::ProjectionKind;
using NirLocal = nir::LocalId;

struct Moves {
  const nir::Module& module;
  const Declarations& decls;
  const TypeTable& types;
  const nir::ShownWorld shown;
  const nir::ClosureSites closures;
  Sink& sink;

  const nir::Function& function(FunctionId id) const { return module.functions[id]; }
  Handing handing(TypeId type) const { return handing_of(types, decls, type); }
  // Where `place` was written, else where the instruction was.
  Span span_of(const nir::Function& f, InstrId i, const Place& place) const {
    return place.span.has_text() ? place.span : f.instrs[i].span;
  }
};

// ---- takers.cc: who a value is handed to

struct Taker {
  enum class Kind : std::uint8_t { call, receiver, name, literal, place, lambda, task, loop } kind = Kind::call;
  std::string name;  // the callee, the list, the new name …
};
// Who the operand that `i` takes goes to, temporaries of the compiler looked through.
Taker taker_of(const Moves& m, FunctionId f, InstrId i, const IdVector<NirLocal, InstrId>& consumers);
// Whether `.clone()` can make a second one (03 §1.3).
bool can_clone(const Moves& m, TypeId type);

// ---- the checks; each reports for itself

// Whether `place`, which `i` takes, is its function's to give. Reports where it is not: NK1131, NK2106, NK2936, and
// NK2105 where a lambda that may run again takes what it captured.
bool may_be_taken(const Moves& m, FunctionId f, InstrId i, const Place& place, const Taker& taker);

// NK2105, NK2101, NK2702.
void track_moves(const Moves& m);
// NK1138, NK1139, NK2939, NK2938, NK2107.
void check_changes(const Moves& m);
// NK2106 for a map's key.
void check_keys(const Moves& m);
// NK2104, NK2941, NK2944.
void check_branches(const Moves& m);

}  // namespace nikaia::lang::moves
