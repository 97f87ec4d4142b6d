#include "passes/contracts/flow.h"

namespace nikaia::lang::contracts {

void KeepGraph::solve() {
  // Edges in rows by their source.
  std::vector<std::uint32_t> begin(answers_.size() + 1, 0);
  for (const auto& [from, to] : edges_) ++begin[from + 1];
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  std::vector<Node> targets(edges_.size());
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (const auto& [from, to] : edges_) targets[next[from]++] = to;

  std::vector<Node> open{always};
  answers_[always] = 1;
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    for (std::uint32_t i = begin[node]; i < begin[node + 1]; ++i) {
      if (answers_[targets[i]]) continue;
      answers_[targets[i]] = 1;
      open.push_back(targets[i]);
    }
  }
}

}  // namespace nikaia::lang::contracts
