// Running the branches of an `overlap`. Every branch that may pause is started in written order and
// runs to its first pause before the next one begins; what they began by then travels to the
// backend in one call. Branches that cannot pause run afterwards on the caller's own stack, beside
// what the others wait for.
#include <nikaia/rt/overlap.h>

#include "runtime/executor/executor.h"
#include "runtime/io/activity.h"

namespace nikaia::rt {
namespace {

struct BlockWait : Wait {
  Task* const* branches;
  std::uint32_t count;
};

// The caller is cancelled: its branches are, and it goes on when the last of them has stopped.
void abandon_block(Wait& wait, Task&) {
  const auto& block = static_cast<BlockWait&>(wait);
  for (std::uint32_t at = 0; at < block.count; ++at) cancel_task(*block.branches[at]);
}

bool is_steady(std::uint64_t steady, std::uint32_t at) {
  return at < 64 && (steady >> at & 1) != 0;
}

}  // namespace

void run_branches(Task* const* branches, std::uint32_t count, std::uint64_t steady) {
  pause_point();
  Task& self = *executor.current;
  Group group;
  begin_activity();  // from here on nothing is idle: the first branch must not end before the
                     // second began
  for (std::uint32_t at = 0; at < count; ++at) {
    if (is_steady(steady, at)) continue;
    Task& branch = *branches[at];
    branch.group = &group;
    branch.file = self.file;
    branch.line = self.line;
    ++group.open;
    run_to_first_pause(branch);
  }
  if (steady != 0) {
    begin_collected_operations();
    for (std::uint32_t at = 0; at < count; ++at) {
      if (is_steady(steady, at)) branches[at]->run(*branches[at]);
    }
  }
  if (group.open > 0) {
    BlockWait wait;
    wait.abandon = abandon_block;
    wait.branches = branches;
    wait.count = count;
    group.waiting = &self;
    pause_to_the_end(wait);
  }
  end_activity();
  if (cancelled_now()) unwind();
}

}  // namespace nikaia::rt
