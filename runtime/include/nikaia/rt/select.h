// `select`: the arms of one block are raced; the first to finish wins (language 04 §6, 09 §8.4).
//
//     nikaia::Select race([&] { return listen(set); }, [&] { nikaia::time_sleep(eight_seconds); });
//     switch (race.winner()) {
//       case 0: { auto words = race.take<0>(); ... }
//       default: { race.take<1>(); ... }
//     }
//
// The constructor starts every arm in written order, waits for the first to finish (of several that
// have, the first in written order) and cancels the others; it returns when these have stopped and
// what they had finished is dropped. `take<i>()` hands back what the winner's arm returned, a
// Result where the arm can fail, and nothing for an arm without a result.
#pragma once

#include <nikaia/rt/overlap.h>

namespace nikaia {
namespace rt {

// Answers the winner's index.
[[nodiscard]] std::uint32_t race_branches(Task* const* branches, std::uint32_t count);

template <class Indices, class... F>
struct Racers;
template <std::size_t... index, class... F>
struct Racers<std::index_sequence<index...>, F...> : BranchAt<index, F>... {
  explicit Racers(F&... bodies) : BranchAt<index, F>(bodies)... {}

  std::uint32_t run() {
    Task* const tasks[] = {&static_cast<BranchAt<index, F>&>(*this).branch...};
    const std::uint32_t winner = race_branches(tasks, sizeof...(F));
    ((index == winner ? void() : static_cast<BranchAt<index, F>&>(*this).branch.drop_result()),
     ...);
    return winner;
  }
  template <std::size_t at, class G>
  static Branch<G>& branch_at(BranchAt<at, G>& part) {
    return part.branch;
  }
};

}  // namespace rt

template <class... F>
class Select {
 public:
  explicit Select(F&&... arms) : racers_(arms...), winner_(racers_.run()) {
    static_assert(sizeof...(F) >= 2 && sizeof...(F) <= 8);
  }
  Select(const Select&) = delete;
  Select& operator=(const Select&) = delete;

  [[nodiscard]] std::uint32_t winner() const { return winner_; }
  template <std::size_t index>
  auto take() {
    return decltype(racers_)::template branch_at<index>(racers_).take_whole();
  }

 private:
  rt::Racers<std::index_sequence_for<F...>, std::remove_reference_t<F>...> racers_;
  std::uint32_t winner_;
};
template <class... F>
Select(F&&...) -> Select<F...>;

}  // namespace nikaia
