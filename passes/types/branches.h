// The branches of an `if` or a `match` whose value is wanted.
//
// Where the place has a type, every branch is held to it by itself, so that each is converted where it stands and a
// message names the branch; where it has none, branches agree among themselves (`join_branches`).
#pragma once

#include <string>
#include <vector>

#include "passes/types/checker.h"

namespace nikaia::lang::typing {

struct BranchSet {
  Checker& c;
  Expect want;
  std::vector<Branch> branches{};

  // `value` is the branch's tail, invalid where it has none; `span` the branch.
  void add(ExprId value, Span span, TypeId type);
  TypeId result();

 private:
  bool held_to() const;
  void report_missing(Span span);
};

}  // namespace nikaia::lang::typing
