// The graph that decides what is kept: nodes are questions with the answer yes or no, an edge says that a yes of the
// one makes a yes of the other. The answers are the least solution, found by walking from what is certain.
//
// Cost: linear in nodes and edges.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace nikaia::lang::contracts {

using Node = std::uint32_t;

class KeepGraph {
 public:
  static constexpr Node never = 0;   // a value that is only read
  static constexpr Node always = 1;  // one that is kept whatever else is

  KeepGraph() { add_nodes(2); }

  // `count` nodes in a row; the first one's id.
  Node add_nodes(std::size_t count) {
    const Node first = static_cast<Node>(answers_.size());
    answers_.resize(answers_.size() + count, 0);
    return first;
  }
  // Where `from` is kept, so is `to`.
  void imply(Node from, Node to) {
    if (from != never && to != never && to != always && from != to) edges_.emplace_back(from, to);
  }
  void solve();
  bool is_kept(Node node) const { return answers_[node] != 0; }

 private:
  std::vector<std::uint8_t> answers_;
  std::vector<std::pair<Node, Node>> edges_;
};

}  // namespace nikaia::lang::contracts
