// Classes of shared values: which positions of a program may be one allocation (03 §3.5), and what
// takes one of them to another thread where there is one.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "passes/reports/reports.h"

namespace nikaia::lang::reports {

// What takes a value of a class across, and where.
struct Crossing {
  Span span;
  std::string by;  // "a task"
};

class Classes {
 public:
  explicit Classes(const World& w);

  // Of the handle or lock of type `type` that lies in `local`: what takes it, or another of its
  // class, across; in the order of the places.
  std::vector<Crossing> crossings(FunctionId function, NirLocal local, TypeId type);

 private:
  using Node = std::uint32_t;

  Node node(std::uint32_t function, std::uint32_t local, TypeId type);
  Node root(Node n);
  void unite(FunctionId f, NirLocal a, FunctionId g, NirLocal b);
  // What nobody can tell apart: what function values that are kept are given and hand back.
  void unite_unknown(FunctionId f, NirLocal local);
  void cross(FunctionId f, NirLocal local, Span span, const char* by);

  void unite_all();
  void unite_instr(FunctionId f, const nir::Instr& i);
  void unite_call(FunctionId f, const nir::Instr& i, const nir::Call& c);
  void unite_closure(FunctionId f, const nir::MakeClosure& c, const char* crosses_by);
  void unite_interface(FunctionId closure, FunctionId f, const nir::Call& c);
  template <class F>
  void each_returned(FunctionId function, F&& f) const;
  template <class F>
  void each_interface(FunctionId function, F&& f) const;

  const World& w_;
  Parts shared_;  // a `Shared`, a `SharedMut` or a `Locked`
  std::map<std::tuple<std::uint32_t, std::uint32_t, TypeId>, Node> nodes_;
  std::vector<Node> parent_;
  std::vector<std::pair<Node, Crossing>> crossings_;
  std::unordered_map<std::uint32_t, std::vector<FunctionId>> by_source_;  // instances, by FnId
};

}  // namespace nikaia::lang::reports
