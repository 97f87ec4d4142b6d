// Which names with a cleanup may still hold their value, on the way through a body that is being walked.
//
// A walk in the order of evaluation tells what happens; where ways part, `now` is kept and `join`ed behind them. A name
// is *owed* its cleanup where a way leaves its block with the value there: by the block's end, by a jump out of it, or
// by an assignment that replaces it. Names are kept as a stack, since blocks nest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lang/facts/names.h"

namespace nikaia::lang::effects {

class Ways {
 public:
  struct State {
    std::vector<std::uint8_t> is_gone;  // by name of the stack
    bool has_ended = false;             // the way has left
  };

  void begin() { *this = Ways(); }

  std::size_t depth() const { return names_.size(); }
  const State& now() const { return now_; }
  void go_on_from(State state) { now_ = std::move(state); }

  void bind(LocalId local) {
    names_.push_back({local, false});
    now_.is_gone.resize(names_.size(), 0);
    now_.is_gone.back() = 0;
  }
  void hand_over(LocalId local) {
    if (const std::size_t at = find(local); at < names_.size()) now_.is_gone[at] = 1;
  }
  void replace(LocalId local) {
    const std::size_t at = find(local);
    if (at >= names_.size()) return;
    leave_one(at);
    now_.is_gone[at] = 0;
  }

  // The way jumps out of the blocks of the names from `depth` up.
  void jump(std::size_t depth) {
    for (std::size_t i = depth; i < names_.size(); ++i) leave_one(i);
    now_.has_ended = true;
  }
  // Ways meet: what is gone on both is gone.
  void join(const State& other) {
    if (other.has_ended) return;
    if (now_.has_ended) {
      const std::size_t bound = names_.size();
      now_ = other;
      now_.is_gone.resize(bound, 0);
      return;
    }
    for (std::size_t i = 0; i < now_.is_gone.size(); ++i) {
      if (i >= other.is_gone.size() || other.is_gone[i] == 0) now_.is_gone[i] = 0;
    }
  }

  // The last name's block ends; whether it is owed its cleanup.
  bool unbind() {
    leave_one(names_.size() - 1);
    const bool is_owed = names_.back().is_owed;
    names_.pop_back();
    now_.is_gone.resize(names_.size());
    return is_owed;
  }
  LocalId last() const { return names_.empty() ? LocalId() : names_.back().local; }

 private:
  struct Name {
    LocalId local;
    bool is_owed;
  };

  std::size_t find(LocalId local) const {
    std::size_t at = names_.size();
    while (at-- > 0) {
      if (names_[at].local == local) return at;
    }
    return names_.size();
  }
  void leave_one(std::size_t at) {
    if (!now_.has_ended && now_.is_gone[at] == 0) names_[at].is_owed = true;
  }

  std::vector<Name> names_;
  State now_;
};

}  // namespace nikaia::lang::effects
