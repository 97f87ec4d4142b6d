// What the parts of the pass `loans` share; what it decides stands in loans.cc.
#pragma once

#include <nikaia/pass.h>

#include "lang/compilation.h"
#include "lang/diag/diagnostic.h"
#include "lang/nir/closures.h"
#include "lang/nir/dataflow.h"
#include "lang/nir/shown.h"
#include "lang/nir/view_facts.h"
#include "lang/text/source.h"
#include "lang/nir/views.h"

namespace nikaia::lang::loans {

using nir::CapturedPart;
using nir::FunctionId;
using nir::InstrId;
using nir::OperandKind;
using nir::Place;
using nir::ProjectionKind;
using nir::view_open;
using nir::view_pointer;
using nir::view_run;
using nir::view_text;
using nir::Views;
using NirLocal = nir::LocalId;

// Arguments of a call (receiver first), by their own views and by those behind a view in them.
struct Sources {
  nir::Bits near, deep;

  Sources() = default;
  explicit Sources(std::size_t arguments) : near(arguments), deep(arguments) {}
  bool has(std::size_t argument) const { return near.test(argument) || deep.test(argument); }
};

// What a call of a function does with the views it is given.
struct Contract {
  Sources near, deep;           // whose views, or views of which, the result holds itself and behind a view
  std::vector<Sources> stored;  // by argument: whose views are put into it
  Sources away;                 // whose views are put where they may outlive every call (03 §8.6, *away*)
  bool is_known = false;

  // Of a closure: captures whose views are put away, and whether others are put into what it is handed.
  std::vector<NirLocal> captures_away;
  struct Stored {
    NirLocal into, from;
  };
  std::vector<Stored> captures_stored;  // captures whose views are put into another
  bool stores_captures = false;
};

struct Loans {
  const nir::Module& module;
  const Declarations& decls;
  const TypeTable& types;
  const nir::ShownWorld shown;
  const nir::ClosureSites closures;
  Sink& sink;
  Views views;
  IdVector<FnId, FunctionId> by_source;  // the program's; invalid for rows
  IdVector<FunctionId, Contract> contracts;
  IdVector<FunctionId, std::uint8_t> state;  // 0 not looked at, 1 in the middle of it, 2 done
  nir::CapturedParts captured;
  nir::Escapes& escapes;
  std::vector<std::uint8_t> puts_away;  // away.cc: by function; empty until it is asked

  const nir::Function& function(FunctionId id) const { return module.functions[id]; }
};

// body.cc: looks at one function, those it calls first, and reports what is wrong with it.
void check(Loans& m, FunctionId id);

// ---- away.cc: what is put where it may outlive every call, where no contract says it

// The arguments that a row of the library puts away: those that a shared value, a lock or a channel keeps.
bool puts_away(const Loans& m, const FnDecl& row, std::size_t argument);
// Whether a call of the function, or of an unknown one, may put away what it is given by value.
bool may_put_away(Loans& m, FnId callee);

// ---- conflicts.cc: places and messages

// Whether one is the other or a part of it. All elements of a list are the same part.
bool overlap(const Place& a, const Place& b);

struct Loan {
  Place place;
  bool is_change = false;
  InstrId instr;  // where it is made
  Span span;
  bool is_own = true;      // not reached through a view that only reads, whose own loans then are all there is
  bool of_caller = false;  // the memory is the caller's: behind a parameter lent for change, or a capture
};

struct Conflict {
  const nir::Function& f;
  Place place;  // what is changed or handed over
  Span span;    // where
  const Loan& loan;
  NirLocal holder;       // invalid: a loop's walker, or a temporary
  bool in_loop = false;  // the holder is a running loop's
  const nir::Node* node = nullptr;
};
void report_change(Loans& m, const Conflict& c);  // NK2301, NK2931
void report_taken(Loans& m, const Conflict& c);   // NK2932

}  // namespace nikaia::lang::loans
