// Which buffers a value may hold: for each local of each function, the values whose buffers its
// views point into.
#pragma once

#include <set>
#include <unordered_map>
#include <vector>

#include "passes/reports/reports.h"

namespace nikaia::lang::reports {

// Locals of one function that a buffer belongs to: what was read, made or given there. A parameter
// or capture stands for whatever the caller's value points into.
using Owners = std::set<NirLocal>;

class Buffers {
 public:
  explicit Buffers(const World& w);

  // What the operand of an instruction of `f` holds; empty where it names no buffer, as literals
  // do.
  Owners of(FunctionId f, const nir::Operand& operand);
  const Owners& of(FunctionId f, NirLocal local) const { return owners_[f][local]; }
  // Whether the operand keeps its buffer where it is stored: text or a run, bare or in what holds
  // it; or text that was made of a view and shares its buffer.
  bool counts(FunctionId f, const nir::Operand& operand);
  bool is_text_of_view(FunctionId f, NirLocal local) const {
    return !owners_[f][local].empty() && is_own_text(f, local);
  }
  // Views of text or runs, in a value of `type`.
  bool has_views(TypeId type) { return views_.has(type); }

 private:
  bool is_own_text(FunctionId f, NirLocal local) const {
    return w_.types.kind(w_.function(f).locals[local].type) == TypeKind::string;
  }
  Owners behind(FunctionId f, const Place& place);
  Owners of(FunctionId f, const nir::Value& value);
  Owners of_call(FunctionId f, const nir::Call& c);
  void into_arguments(FunctionId f, const nir::Call& c);
  FunctionId callee(const nir::Call& c) const;
  void add(FunctionId f, NirLocal local, const Owners& owners);
  void instruction(FunctionId f, const nir::Instr& i);

  const World& w_;
  Parts views_, texts_;
  IdVector<FunctionId, IdVector<NirLocal, Owners>> owners_;
  IdVector<FunctionId, Owners> returned_;                                 // in terms of the function's own locals
  std::unordered_map<std::uint32_t, std::vector<FunctionId>> by_source_;  // instances, by FnId
  bool grew_ = false;
};

}  // namespace nikaia::lang::reports
