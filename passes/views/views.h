// What the parts of the pass `views` share; what it decides stands in views.cc.
#pragma once

#include "lang/compilation.h"
#include "lang/facts/names.h"
#include "lang/nir/instances.h"
#include "lang/nir/view_facts.h"
#include "lang/nir/views.h"

namespace nikaia::lang::views {

using nir::FunctionId;
using nir::LocalId;

// A local of a function, or what a function hands back.
using Node = std::uint32_t;

struct World {
  const nir::Module& module;
  const Declarations& decls;
  const TypeTable& types;
  nir::Views views;
  IdVector<FunctionId, Node> first;  // of the function's nodes: its result, then its locals
  nir::Instances instances;
  Node count = 0;

  World(const nir::Module& m, const Declarations& d, const TypeTable& t);
  Node result(FunctionId f) const { return first[f]; }
  Node local(FunctionId f, LocalId l) const { return first[f] + 1 + l.index; }
};

// flows.cc: from where to where views go, and what starts out as the last that keeps a buffer.
struct Flows {
  std::vector<std::pair<Node, Node>> edges;                        // from, to
  std::vector<Node> kept;                                          // nodes that may hold views which nothing else keeps
  std::vector<std::pair<FunctionId, LocalId>> counted;             // locals that are pointed at as what counts
  std::vector<std::pair<TypeDeclId, std::size_t>> counted_fields;  // fields that are
};
Flows flows(World& w);

}  // namespace nikaia::lang::views
