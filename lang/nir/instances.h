// The functions of monomorphic NIR by what they were made of: a declaration and its type arguments.
#pragma once

#include <map>
#include <vector>

#include "lang/nir/nir.h"

namespace nikaia::lang::nir {

class Instances {
 public:
  Instances() = default;
  // Closures are among none. Good as long as no function of the module is added.
  explicit Instances(const Module& module);

  // Invalid where the program has none: a row of the library, or what nothing calls. Cost: a look into a map.
  template <class TypeArgs>
  FunctionId find(FnId fn, const TypeArgs& type_args) const {
    return find(std::vector<TypeId>(type_args.begin(), type_args.end()), fn);
  }
  FunctionId find(FnId fn) const { return find({}, fn); }

  // `f(FunctionId)` for every instance of the declaration.
  template <class F>
  void each(FnId fn, F&& f) const {
    for (auto it = made_.lower_bound({fn, {}}); it != made_.end() && it->first.first == fn; ++it) f(it->second);
  }

 private:
  using Key = std::pair<FnId, std::vector<TypeId>>;
  struct Less {
    bool operator()(const Key& a, const Key& b) const;
  };
  FunctionId find(std::vector<TypeId> type_args, FnId fn) const;

  std::map<Key, FunctionId, Less> made_;
};

}  // namespace nikaia::lang::nir
