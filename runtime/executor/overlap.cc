// Running the branches of an `overlap`. Every branch that may pause is started in written order and
// runs to its first pause before the next one begins; what they began by then travels to the
// backend in one call. Branches that cannot pause run afterwards on the caller's own stack, beside
// what the others wait for; where there are none, the last branch does, so that a block of two takes
// one fiber.
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

void join_group(Task& branch, Group& group, const Task& owner) {
  branch.group = &group;
  branch.file = owner.file;
  branch.line = owner.line;
  ++group.open;
}

// Those that may pause, and then, beside what these wait for, those that cannot.
void start_with_steady(Task* const* branches, std::uint32_t count, std::uint64_t steady, Group& group) {
  for (std::uint32_t at = 0; at < count; ++at) {
    if (is_steady(steady, at)) continue;
    join_group(*branches[at], group, *executor.current);
    run_to_first_pause(branches + at, 1);
  }
  begin_collected_operations();
  for (std::uint32_t at = 0; at < count; ++at) {
    if (is_steady(steady, at)) branches[at]->run(*branches[at]);
  }
}

// When the others have been started the block has nothing to do but wait, so it does as its last branch.
void start_all(Task* const* branches, std::uint32_t count, Group& group, BlockWait& wait) {
  for (std::uint32_t at = 0; at < count; ++at) join_group(*branches[at], group, *executor.current);
  run_to_first_pause(branches, count - 1);
  run_here(*branches[count - 1], wait);
}

}  // namespace

void run_branches(Task* const* branches, std::uint32_t count, std::uint64_t steady) {
  pause_point();
  Group group;
  BlockWait wait;
  wait.abandon = abandon_block;
  wait.branches = branches;
  wait.count = count;
  begin_activity();  // from here on nothing is idle: the first branch must not end before the
                     // second began
  if (steady != 0) {
    start_with_steady(branches, count, steady, group);
  } else {
    start_all(branches, count, group, wait);
  }
  if (group.open > 0) {
    group.waiting = executor.current;
    pause_to_the_end(wait);
  }
  end_activity();
  if (cancelled_now()) unwind();
}

}  // namespace nikaia::rt
