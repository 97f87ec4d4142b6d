// An `overlap` each of whose branches pauses once, to read a whole file it knows the name of from the start:
//
//     auto both = nikaia::overlap_reads(nikaia::reading(a, root, [&] { return size(a); }),
//                                       nikaia::reading(b, root, [&] { return size(b); }));
//
// Such a branch needs no fiber to wait on. The waiting task begins all the reads, and runs a branch when its read is
// done; the branch's own call of `fs::read` finds the outcome there. What a branch does before that call it does
// only then, so it must be such that nobody can tell. A read with more to it than one operation (a large file, a
// pipe) goes on on a fiber, so that it holds nobody up.
#pragma once

#include <nikaia/rt/overlap.h>
#include <nikaia/rt/path.h>

namespace nikaia {
namespace rt {

// What a branch reads first.
struct FirstRead {
  Str path;
  const Root* root;
};

// Where one read is kept while it is under way.
struct ReadRoom {
  alignas(16) unsigned char bytes[512];
};

// As run_branches. `rooms` and what the reads name outlast the call.
void run_reading_branches(Task* const* branches, const FirstRead* reads, ReadRoom* rooms, std::uint32_t count);

template <class F>
struct Reading {
  FirstRead first;
  F body;
};

}  // namespace rt

template <class F>
rt::Reading<F> reading(PathRef path, RootRef root, F body) {
  return {{path.bytes, root.root}, static_cast<F&&>(body)};
}

template <class... F>
auto overlap_reads(rt::Reading<F>... branches) {
  rt::Branches<std::index_sequence_for<F...>, F...> all(branches.body...);
  const rt::FirstRead reads[] = {branches.first...};
  rt::ReadRoom rooms[sizeof...(F)];
  all.on_tasks(
      [&](rt::Task* const* tasks, std::uint32_t count) { rt::run_reading_branches(tasks, reads, rooms, count); });
  return all.outcome();
}

namespace rt {

// As pair.
template <class A, class B>
auto pair_reads(Reading<A> first, Reading<B> second) {
  if (!files_complete()) return pair_in_order(first.body, second.body);
  Branch<A> one(first.body);
  Branch<B> other(second.body);
  Task* const both[] = {&one, &other};
  const FirstRead reads[] = {first.first, second.first};
  ReadRoom rooms[2];
  run_reading_branches(both, reads, rooms, 2);
  return settled_pair(std::move(one.result.value), std::move(other.result.value));
}

}  // namespace rt
}  // namespace nikaia
