// `overlap`: the branches of one block, started together (language 04 §5, 09 §8.3).
//
//     auto [tide, wind] = nikaia::overlap([&] { return tides_next(station); },
//                                         [&] { return weather_wind(station); });
//
// Each branch is called on a fiber of its own. The block answers a Tuple with one part a branch, in
// written order; a branch without a result has the part rt::Nothing, and a block whose branches all
// have none answers nothing. Where a branch answers a Result, so does the block: the first failure
// in written order, which the others have joined.
#pragma once

#include <nikaia/rt/io.h>
#include <nikaia/rt/result.h>
#include <nikaia/rt/task.h>
#include <nikaia/rt/tuple.h>

namespace nikaia {
namespace rt {

// Starts every branch in written order, each up to its first pause, then those of `steady`, which
// cannot pause and run on the caller's stack; answers when all have ended. Where the caller is
// cancelled the branches are cancelled first, and the call unwinds when the last has stopped.
void run_branches(Task* const* branches, std::uint32_t count, std::uint64_t steady);

template <class F>
struct Branch final : Returning<std::invoke_result_t<F&>> {
  using R = std::invoke_result_t<F&>;
  F* body;

  explicit Branch(F& branch) : body(&branch) {
    this->run = &run_body;
    this->abandon_body = [](Task&) {};
  }
  ~Branch() { drop_result(); }
  Branch(const Branch&) = delete;
  Branch& operator=(const Branch&) = delete;

  static void run_body(Task& task) {
    auto& self = static_cast<Branch&>(task);
    if constexpr (std::is_void_v<R>) {
      (*self.body)();
    } else {
      new (&self.result.value) R((*self.body)());
    }
    self.has_result = true;
  }

  void drop_result() {
    if constexpr (!std::is_void_v<R>) {
      if (this->has_result) this->result.value.~R();
      this->has_result = false;
    }
  }
  // Of a branch that has ended: the empty result, whatever it had come to.
  void empty_result() {
    if constexpr (!std::is_void_v<R>) {
      drop_result();
      new (&this->result.value) R();
      this->has_result = true;
    }
  }
  void take_failure(Failure& first) {
    if constexpr (is_result<R>) {
      if (!this->result.value.failed()) return;
      if (first) {
        first.join(this->result.value.take_failure());
      } else {
        first = this->result.value.take_failure();
      }
    }
  }
  auto take() {
    if constexpr (std::is_void_v<WithoutFailure<R>>) {
      return Nothing{};
    } else if constexpr (is_result<R>) {
      return this->result.value.take();
    } else {
      return static_cast<R&&>(this->result.value);
    }
  }
};

template <std::size_t index, class F>
struct BranchAt {
  Branch<F> branch;
  explicit BranchAt(F& body) : branch(body) {}
};
template <class Indices, class... F>
struct Branches;
template <std::size_t... index, class... F>
struct Branches<std::index_sequence<index...>, F...> : BranchAt<index, F>... {
  explicit Branches(F&... bodies) : BranchAt<index, F>(bodies)... {}

  static constexpr bool can_fail = (is_result<std::invoke_result_t<F&>> || ...);
  static constexpr bool has_value = !(std::is_void_v<WithoutFailure<std::invoke_result_t<F&>>> && ...);

  template <class Run>
  auto on_tasks(Run run) {
    Task* const tasks[] = {&static_cast<BranchAt<index, F>&>(*this).branch...};
    return run(tasks, static_cast<std::uint32_t>(sizeof...(F)));
  }
  void run(std::uint64_t steady) {
    on_tasks([&](Task* const* tasks, std::uint32_t count) { run_branches(tasks, count, steady); });
  }
  auto take() { return Tuple{static_cast<BranchAt<index, F>&>(*this).branch.take()...}; }
  auto outcome() {
    if constexpr (can_fail) {
      Failure first;
      (static_cast<BranchAt<index, F>&>(*this).branch.take_failure(first), ...);
      if constexpr (has_value) {
        using Value = decltype(take());
        return first ? Result<Value>(static_cast<Failure&&>(first)) : Result<Value>(take());
      } else {
        return first ? Result<void>(static_cast<Failure&&>(first)) : Result<void>();
      }
    } else if constexpr (has_value) {
      return take();
    }
  }
};

}  // namespace rt

// Where bit i of `steady` is set, branch i is known not to pause. Only the first 64 branches can
// be.
template <std::uint64_t steady = 0, class... F>
auto overlap(F&&... branches) {
  static_assert(sizeof...(F) >= 2);
  rt::Branches<std::index_sequence_for<F...>, std::remove_reference_t<F>...> all(branches...);
  all.run(steady);
  return all.outcome();
}

namespace rt {

// Two reads that the compiler has joined (language 06 §4.3). They are begun together where the backend has
// completions, and one behind the other where it has none. The first failure in written order is the
// pair's; what the other had is dropped.
template <class One, class Other>
auto settled_pair(One one, Other other) {
  using Both = decltype(Tuple{one.take(), other.take()});
  if (one.failed()) return Result<Both>(one.take_failure());
  if (other.failed()) return Result<Both>(other.take_failure());
  return Result<Both>(Tuple{one.take(), other.take()});
}

template <class A, class B>
auto pair_in_order(A& first, B& second) {
  using Other = decltype(second());
  auto one = first();
  if (one.failed()) return settled_pair(std::move(one), Other());
  return settled_pair(std::move(one), second());
}

template <class A, class B>
auto pair(A&& first, B&& second) {
  if (!files_complete()) return pair_in_order(first, second);
  Branch<std::remove_reference_t<A>> one(first);
  Branch<std::remove_reference_t<B>> other(second);
  Task* const both[] = {&one, &other};
  run_branches(both, 2, 0);
  return settled_pair(std::move(one.result.value), std::move(other.result.value));
}

}  // namespace rt
}  // namespace nikaia
