// `select`: the arms of one block are raced; the first to finish wins (language 04 §6, 09 §8.4).
//
//     std::int32_t winner{};
//     auto raced = nikaia::race(winner, [&] { return listen(set); }, [&] { nikaia::time_sleep(wait); });
//     if (raced.failed()) return raced.take_failure();
//     auto [words, slept] = raced.take();
//     switch (winner) { ... }
//
// Every arm is started in written order. The call waits for the first to finish (of several that have,
// the first in written order), cancels the others and returns when these have stopped and what they
// had finished is dropped. It answers what an overlap of the arms would, with the losers' parts left
// empty; it fails where the winner did.
#pragma once

#include <nikaia/rt/overlap.h>

namespace nikaia {
namespace rt {

// Answers the winner's index.
[[nodiscard]] std::uint32_t race_branches(Task* const* branches, std::uint32_t count);

template <class Indices, class... F>
struct Racers;
template <std::size_t... index, class... F>
struct Racers<std::index_sequence<index...>, F...> : Branches<std::index_sequence<index...>, F...> {
  using Branches<std::index_sequence<index...>, F...>::Branches;

  std::uint32_t run() {
    Task* const tasks[] = {&static_cast<BranchAt<index, F>&>(*this).branch...};
    const std::uint32_t winner = race_branches(tasks, sizeof...(F));
    ((index == winner ? void() : static_cast<BranchAt<index, F>&>(*this).branch.empty_result()), ...);
    return winner;
  }
};

}  // namespace rt

template <class... F>
auto race(std::int32_t& winner, F&&... arms) {
  static_assert(sizeof...(F) >= 2 && sizeof...(F) <= 8);
  rt::Racers<std::index_sequence_for<F...>, std::remove_reference_t<F>...> all(arms...);
  winner = static_cast<std::int32_t>(all.run());
  return all.outcome();
}

}  // namespace nikaia
