// Overlaps whose branches read a whole file each (overlap_reads.h). All reads are begun by the waiting task, which
// then pauses once for all that end together. A branch is run when its read has ended, in written order among those
// that have: on the waiting task's stack where the read was all, and on a fiber where there is more to read.
//
// What a branch asks for is compared with what was begun for it. The two are the same by what the compiler knows;
// if they were not, the branch would read for itself and be right.
#include <cstring>
#include <new>

#include <nikaia/rt/overlap_reads.h>

#include "runtime/executor/executor.h"
#include "runtime/io/activity.h"
#include "runtime/io/operations.h"
#include "runtime/io/system_path.h"
#include "runtime/io/whole_read.h"

namespace nikaia::rt {
namespace {

struct ReadAhead {
  explicit ReadAhead(Str path) : name(path), original(path) {}
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead() {
    if (!is_taken) discard_outcome(operation);
  }
  bool is_of(Str path) const {
    if (path.size != original.size) return false;
    return path.data == original.data || std::memcmp(path.data, name.c_str(), path.size) == 0;
  }
  bool is_done() const { return operation.stage == Operation::Stage::done; }
  bool has_more() const { return operation.result >= 0 && (operation.flags & NIKAIA_IO_MORE) != 0; }

  WholeRead read;
  Operation operation;
  SystemPath name;
  Str original;
  bool has_begun_branch = false;
  bool is_taken = false;
};
static_assert(sizeof(ReadAhead) <= sizeof(ReadRoom));
static_assert(alignof(ReadAhead) <= alignof(ReadRoom));

// What the branch that is begun right now will ask for first.
ReadAhead* for_the_branch = nullptr;

struct Block : Wait {
  Task* const* branches;
  ReadRoom* rooms;
  std::uint32_t count;
  std::uint32_t begun = 0;  // branches in front that have
  Group group;
  Gathering gathering;

  ReadAhead& read(std::uint32_t at) const { return *std::launder(reinterpret_cast<ReadAhead*>(rooms[at].bytes)); }
};

// The waiting task is cancelled: reads that are under way are, and branches that have begun.
void abandon_block(Wait& wait, Task&) {
  const auto& block = static_cast<Block&>(wait);
  for (std::uint32_t at = 0; at < block.count; ++at) {
    if (ReadAhead& read = block.read(at); read.has_begun_branch) {
      cancel_task(*block.branches[at]);
    } else if (!read.is_done()) {
      abandon_operation(read.operation);
    }
  }
}

void begin_reads(Block& block, const FirstRead* reads) {
  for (std::uint32_t at = 0; at < block.count; ++at) {
    auto& ahead = *new (block.rooms[at].bytes) ReadAhead(reads[at].path);
    ahead.read.prepare(ahead.name.c_str(), Lookup{});
    ahead.operation.gathering = &block.gathering;
    begin_operation(ahead.operation, ahead.read.op);
  }
}

void run_branch(Block& block, std::uint32_t at) {
  ReadAhead& ahead = block.read(at);
  Task& branch = *block.branches[at];
  ahead.has_begun_branch = true;
  branch.group = &block.group;
  branch.file = executor.current->file;
  branch.line = executor.current->line;
  ++block.group.open;
  for_the_branch = &ahead;
  if (ahead.has_more()) {
    run_to_first_pause(&block.branches[at], 1);
  } else {
    run_here(branch, block);
  }
  for_the_branch = nullptr;
}

// Whether a branch could be run: one whose read has ended. Reads end while a branch runs, so that who asks asks again.
bool run_next_branch(Block& block) {
  while (block.begun < block.count && block.read(block.begun).has_begun_branch) ++block.begun;
  for (std::uint32_t at = block.begun; at < block.count; ++at) {
    const ReadAhead& ahead = block.read(at);
    if (ahead.has_begun_branch || !ahead.is_done()) continue;
    run_branch(block, at);
    return true;
  }
  return false;
}

}  // namespace

bool take_read_ahead(FileContent& content, Str path) {
  ReadAhead* const ahead = for_the_branch;
  if (ahead == nullptr) return false;
  for_the_branch = nullptr;
  pause_point();
  if (!ahead->is_of(path)) return false;
  ahead->is_taken = true;
  content = ahead->read.finish(ahead->operation.result, ahead->operation.flags);
  return true;
}

void run_reading_branches(Task* const* branches, const FirstRead* reads, ReadRoom* rooms, std::uint32_t count) {
  for (std::uint32_t at = 0; at < count; ++at) {
    // A name that is looked up under a root takes steps that pause.
    const bool is_anywhere = reads[at].root->sum.tag() != 0;
    if (!is_anywhere || holds_zero(reads[at].path)) return run_branches(branches, count, 0);
  }
  pause_point();
  Task& self = *executor.current;
  Block block;
  block.abandon = abandon_block;
  block.branches = branches;
  block.rooms = rooms;
  block.count = count;
  begin_activity();
  begin_reads(block, reads);
  for (;;) {
    while (!cancelled_now() && run_next_branch(block)) {
    }
    if (block.gathering.open == 0) break;
    block.gathering.waiting = &self;
    pause_to_the_end(block);
  }
  if (block.group.open > 0) {
    block.group.waiting = &self;
    pause_to_the_end(block);
  }
  for (std::uint32_t at = 0; at < count; ++at) block.read(at).~ReadAhead();
  end_activity();
  if (cancelled_now()) unwind();
}

}  // namespace nikaia::rt
