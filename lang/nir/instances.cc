#include "lang/nir/instances.h"

#include <algorithm>

namespace nikaia::lang::nir {

bool Instances::Less::operator()(const Key& a, const Key& b) const {
  if (!(a.first == b.first)) return a.first.index < b.first.index;
  return std::lexicographical_compare(a.second.begin(), a.second.end(), b.second.begin(), b.second.end(),
                                      [](TypeId x, TypeId y) { return x.index < y.index; });
}

Instances::Instances(const Module& module) {
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    const Function& f = module.functions[FunctionId(i)];
    if (f.kind == FunctionKind::fn && f.source.valid()) made_[{f.source, f.type_args}] = FunctionId(i);
  }
}

FunctionId Instances::find(std::vector<TypeId> type_args, FnId fn) const {
  const auto found = made_.find({fn, std::move(type_args)});
  return found == made_.end() ? FunctionId() : found->second;
}

}  // namespace nikaia::lang::nir
