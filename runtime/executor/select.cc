// Racing the arms of a `select`. All of them are started before the task looks for a winner, so
// that what wins does not depend on how far down an arm stands. The losers are cancelled and waited
// for: their frames borrow from the block.
#include <nikaia/rt/select.h>

#include "runtime/executor/executor.h"
#include "runtime/io/activity.h"

namespace nikaia::rt {
namespace {

struct RaceWait : Wait {
  Group* group;
  Task* const* branches;
  std::uint32_t count;
};

void cancel_branches(const RaceWait& race) {
  for (std::uint32_t at = 0; at < race.count; ++at) cancel_task(*race.branches[at]);
}

// The task itself is cancelled: its arms are, and it goes on when the last of them has stopped.
void abandon_race(Wait& wait, Task&) {
  auto& race = static_cast<RaceWait&>(wait);
  race.group->first_is_enough = false;
  cancel_branches(race);
}

std::uint32_t first_finished(const RaceWait& race) {
  std::uint32_t at = 0;
  while (at < race.count && !race.branches[at]->has_result) ++at;
  return at;
}

void wait_for_arms(RaceWait& race) {
  race.group->waiting = executor.current;
  pause_to_the_end(race);
  race.group->waiting = nullptr;
}

}  // namespace

std::uint32_t race_branches(Task* const* branches, std::uint32_t count) {
  pause_point();
  Task& self = *executor.current;
  Group group;
  begin_activity();
  for (std::uint32_t at = 0; at < count; ++at) {
    Task& branch = *branches[at];
    branch.group = &group;
    branch.file = self.file;
    branch.line = self.line;
  }
  group.open = count;
  run_to_first_pause(branches, count);
  RaceWait race;
  race.abandon = abandon_race;
  race.group = &group;
  race.branches = branches;
  race.count = count;
  group.first_is_enough = true;
  while (group.open > 0 && first_finished(race) == count && !cancelled_now()) wait_for_arms(race);
  const std::uint32_t winner = first_finished(race);
  cancel_branches(race);
  group.first_is_enough = false;
  while (group.open > 0) wait_for_arms(race);
  end_activity();
  if (cancelled_now()) unwind();
  return winner;
}

}  // namespace nikaia::rt
