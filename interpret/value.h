// Values of an interpreted program, each with its life.
//
// A cell is one value at one place: a local, a field, an element. It is absent until something is
// put there, live, then moved away or dead; no cell comes back to life, a new value at the same
// place is a new cell. So whatever still points at an old one is found out when it is used. Parts
// that lie inside a value (fields, parts of a tuple, what a variant or a `T?` holds) move with it,
// into new cells; what lies on the heap (elements, entries, the inside of a `Shared`) keeps its
// cells.
//
// Every cell has a version, raised by each change of it or of a part of it. A view remembers the
// version it saw.
//
// Cells belong to the machine and are freed with it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lang/nir/nir.h"

namespace nikaia::interpret {

enum class Kind : std::uint8_t {
  none,
  unit,
  integer,
  real,
  boolean,
  character,
  text,     // buffer: an owned text
  view,     // buffer, at, size: a view of text; target: whose, null for a literal
  pointer,  // target: `ref T` of anything else
  run,      // target, at, size: `ref Array[T]`
  structure,
  variant,
  tuple,
  nullable,  // no part, or one
  list,      // parts
  map,       // parts: key, value, key, value …
  range,     // number, high, is_inclusive
  sequence,
  function,
  shared,
  task,
  failure,  // no part, or one: the error
};

enum class Life : std::uint8_t { absent, live, moved, dead };

struct Cell;

// The parts of a shared value: several cells of kind `shared` have one.
struct SharedBox {
  Cell* inner = nullptr;
};

struct Closure {
  lang::nir::FunctionId function;  // of the module; invalid where a function of the program is the value
  lang::FnId declared;
  std::vector<std::pair<lang::nir::LocalId, Cell*>> captured;
};

struct Task {
  std::shared_ptr<Closure> body;
  Cell* result = nullptr;
  bool is_done = false;
};

// Hands out elements until null.
struct Sequence {
  std::function<Cell*()> next;
};

struct Cell {
  Kind kind = Kind::none;
  Life life = Life::absent;
  bool is_inclusive = false;
  bool is_mut = false;  // pointer: lent for change
  std::uint32_t version = 0;
  std::uint32_t seen = 0;  // view, pointer, run: the target's version when it was made
  std::uint32_t variant = 0;
  lang::TypeId type;  // structure, variant; pointer: of the target
  std::int64_t number = 0, high = 0;
  double real = 0;
  std::size_t at = 0, size = 0;
  std::shared_ptr<const std::string> buffer;
  Cell* target = nullptr;
  std::vector<Cell*> parts;
  std::shared_ptr<SharedBox> shared;
  std::shared_ptr<Closure> closure;
  std::shared_ptr<Sequence> sequence;
  std::shared_ptr<Task> task;

  bool has_inner_parts() const {
    return kind == Kind::structure || kind == Kind::variant || kind == Kind::tuple || kind == Kind::nullable ||
           kind == Kind::failure;
  }
};

}  // namespace nikaia::interpret
