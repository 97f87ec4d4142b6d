// Which loans each holder may hold at one step: pairs, sorted by slot and then by loan. A holder has two slots: for its
// own views, and for those behind another view.
//
// A function may have thousands of both while few are held by what is read later, so that the pairs there are cost less
// than a bit for each that could be.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

#include "lang/nir/dataflow.h"

namespace nikaia::lang::loans {

class Held {
 public:
  struct Pair {
    std::uint32_t slot, loan;
    friend auto operator<=>(const Pair&, const Pair&) = default;  // NOLINT(modernize-use-nullptr)
  };

  const std::vector<Pair>& pairs() const { return pairs_; }

  // `f(loan)` for each in the slot.
  template <class F>
  void each_loan(std::uint32_t slot, F&& f) const {
    for (auto it = begin_of(slot); it != pairs_.end() && it->slot == slot; ++it) f(std::size_t{it->loan});
  }

  void set(std::uint32_t slot, std::uint32_t loan) {
    const Pair pair{slot, loan};
    const auto at = std::lower_bound(pairs_.begin(), pairs_.end(), pair);
    if (at == pairs_.end() || *at != pair) pairs_.insert(at, pair);
  }
  void put(std::uint32_t slot, const nir::Bits& loans, bool replaces) {
    if (replaces) {
      const auto from = pairs_.begin() + (begin_of(slot) - pairs_.begin());
      pairs_.erase(from, std::find_if(from, pairs_.end(), [&](const Pair& p) { return p.slot != slot; }));
    }
    loans.for_each([&](std::size_t loan) { set(slot, static_cast<std::uint32_t>(loan)); });
  }
  // Takes out the pairs of which `is_gone` is true.
  template <class F>
  void remove(F&& is_gone) {
    std::erase_if(pairs_, is_gone);
  }
  // Adds the other's; whether anything was new.
  bool add(const Held& other) {
    if (other.pairs_.empty() || std::includes(pairs_.begin(), pairs_.end(), other.pairs_.begin(), other.pairs_.end()))
      return false;
    std::vector<Pair> both;
    both.reserve(pairs_.size() + other.pairs_.size());
    std::set_union(pairs_.begin(), pairs_.end(), other.pairs_.begin(), other.pairs_.end(), std::back_inserter(both));
    pairs_ = std::move(both);
    return true;
  }

 private:
  std::vector<Pair>::const_iterator begin_of(std::uint32_t slot) const {
    return std::lower_bound(pairs_.begin(), pairs_.end(), Pair{slot, 0});
  }

  std::vector<Pair> pairs_;
};

}  // namespace nikaia::lang::loans
