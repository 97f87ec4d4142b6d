// Solving dataflow problems over a flow graph: sets of bits, and the two solvers.
//
// A solver goes over the steps in reverse postorder (a backward one in postorder) until nothing changes. The forward
// one keeps a state only where ways meet or part and works the steps between them out again; the backward one keeps one
// per step. For states that only grow under `join`, which is how both are used, that ends; loops as programs nest them
// take two or three rounds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "lang/nir/flow.h"

namespace nikaia::lang::nir {

// A set of small numbers. Up to 128 of them lie in the object itself: a state per step is then no allocation.
class Bits {
 public:
  Bits() = default;
  explicit Bits(std::size_t count) : words_(static_cast<std::uint32_t>((count + 63) / 64)) {
    if (words_ > near_words) far_ = std::make_unique<std::uint64_t[]>(words_);
  }
  Bits(const Bits& other) : Bits() { *this = other; }
  Bits(Bits&&) noexcept = default;
  Bits& operator=(Bits&&) noexcept = default;
  Bits& operator=(const Bits& other) {
    if (other.words_ > near_words) {
      if (words_ != other.words_ || far_ == nullptr) far_ = std::make_unique<std::uint64_t[]>(other.words_);
      if (this != &other) std::copy_n(other.far_.get(), other.words_, far_.get());
    } else {
      std::copy_n(other.near_, near_words, near_);
    }
    words_ = other.words_;
    return *this;
  }

  bool test(std::size_t i) const { return (data()[i / 64] >> (i % 64) & 1) != 0; }
  void set(std::size_t i) { data()[i / 64] |= std::uint64_t{1} << (i % 64); }
  void reset(std::size_t i) { data()[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  // Adds the other's; whether anything was new.
  bool add(const Bits& other) {
    std::uint64_t fresh = 0;
    std::uint64_t* to = data();
    const std::uint64_t* from = other.data();
    for (std::uint32_t i = 0; i < words_; ++i) {
      fresh |= from[i] & ~to[i];
      to[i] |= from[i];
    }
    return fresh != 0;
  }
  void remove(const Bits& other) {
    for (std::uint32_t i = 0; i < words_; ++i) data()[i] &= ~other.data()[i];
  }
  bool any() const {
    for (std::uint32_t i = 0; i < words_; ++i) {
      if (data()[i] != 0) return true;
    }
    return false;
  }
  // `f(number)` for each in the set, from the smallest.
  template <class F>
  void for_each(F&& f) const {
    for (std::uint32_t i = 0; i < words_; ++i) {
      for (std::uint64_t w = data()[i]; w != 0; w &= w - 1) {
        f(std::size_t{i} * 64 + static_cast<std::size_t>(__builtin_ctzll(w)));
      }
    }
  }

 private:
  static constexpr std::uint32_t near_words = 2;
  const std::uint64_t* data() const { return words_ > near_words ? far_.get() : near_; }
  std::uint64_t* data() { return words_ > near_words ? far_.get() : near_; }

  std::uint32_t words_ = 0;
  std::uint64_t near_[near_words] = {};
  std::unique_ptr<std::uint64_t[]> far_;
};

// Hands the state in front of every step that is reached to `visit(step, state)`, in reverse postorder of the runs of
// steps without a fork. `transfer(step, state)` changes the state in front into the one behind; `join(into, from)`
// unites and says whether `into` grew.
template <class State, class Transfer, class Join, class Visit>
void solve_forward(const Flow& flow, const State& at_entry, const State& nothing, Transfer&& transfer, Join&& join,
                   Visit&& visit) {
  constexpr std::uint32_t inside = ~std::uint32_t{0};  // a run, not at its begin
  IdVector<StepId, std::uint32_t> run_of(flow.steps.size(), inside);
  std::vector<StepId> begins;
  for (StepId s : flow.order) {
    const auto from = flow.predecessors(s);
    if (from.size() == 1 && flow.successors(from[0]).size() == 1) continue;
    run_of[s] = static_cast<std::uint32_t>(begins.size());
    begins.push_back(s);
  }
  std::vector<State> before(begins.size(), nothing);
  std::vector<std::uint8_t> is_due(begins.size(), 1);
  before[run_of[flow.entry]] = at_entry;
  State state = nothing;
  // The last step of the run, its state in front changed into the one behind.
  const auto follow = [&](StepId s, auto&& at_step) {
    while (true) {
      at_step(s);
      transfer(s, state);
      const auto to = flow.successors(s);
      if (to.size() != 1 || run_of[to[0]] != inside) return s;
      s = to[0];
    }
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t run = 0; run < begins.size(); ++run) {
      if (is_due[run] == 0) continue;
      is_due[run] = 0;
      state = before[run];
      const StepId last = follow(begins[run], [](StepId) {});
      for (StepId to : flow.successors(last)) {
        if (!join(before[run_of[to]], state)) continue;
        is_due[run_of[to]] = 1;
        changed = true;
      }
    }
  }
  for (std::size_t run = 0; run < begins.size(); ++run) {
    state = before[run];
    follow(begins[run], [&](StepId s) { visit(s, state); });
  }
}

// The state behind every step. `transfer(step, state)` changes the state behind into the one in front.
template <class State, class Transfer, class Join>
IdVector<StepId, State> solve_backward(const Flow& flow, const State& at_exits, const State& nothing,
                                       Transfer&& transfer, Join&& join) {
  IdVector<StepId, State> after(flow.steps.size(), nothing);
  std::vector<std::uint8_t> is_due(flow.steps.size(), 0);
  after[flow.returned] = at_exits;
  after[flow.failed] = at_exits;
  for (StepId s : flow.order) is_due[s.index] = 1;
  State state = nothing;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = flow.order.rbegin(); it != flow.order.rend(); ++it) {
      if (is_due[it->index] == 0) continue;
      is_due[it->index] = 0;
      state = after[*it];
      transfer(*it, state);
      for (StepId from : flow.predecessors(*it)) {
        if (join(after[from], state)) {
          is_due[from.index] = 1;
          changed = true;
        }
      }
    }
  }
  return after;
}

}  // namespace nikaia::lang::nir
