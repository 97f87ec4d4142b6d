// Which cleanups run where a value dies: its type's, and those of everything it holds (03 §5.2).
#include "lang/types/teardown.h"
#include "passes/effects/events.h"

namespace nikaia::lang::effects {

std::vector<FnId> cleanups_of(const Program& program, TypeId type) {
  return teardown_of(program.table, program.decls, type).cleanups;
}

}  // namespace nikaia::lang::effects
