// Which cleanups run where a value dies: its type's, and those of everything it holds (03 §5.2).
#include <algorithm>

#include "lang/types/teardown.h"
#include "passes/effects/events.h"

namespace nikaia::lang::effects {

bool cleanup_can_fail(const Program& program, TypeId type) {
  const std::vector<FnId> cleanups = cleanups_of(program, type);
  return std::any_of(cleanups.begin(), cleanups.end(),
                     [&](FnId f) { return program.decls.fns[f].says_throws || !program.decls.fns[f].throws.empty(); });
}

std::vector<FnId> cleanups_of(const Program& program, TypeId type) {
  return teardown_of(program.table, program.decls, type).cleanups;
}

}  // namespace nikaia::lang::effects
