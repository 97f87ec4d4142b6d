#include "lang/nir/flow.h"

#include <algorithm>

#include "lang/nir/visit.h"

namespace nikaia::lang::nir {
namespace {

using Edge = std::pair<StepId, StepId>;
// The steps whose next step is not known yet.
using Open = std::vector<StepId>;

class FlowBuilder {
 public:
  FlowBuilder(const Function& f, IdVector<StepId, Step>& steps) : f_(f), steps_(steps), labels_(f.label_count) {}

  void build(StepId entry, StepId returned, StepId failed) {
    returned_ = returned;
    failed_ = failed;
    Open open{entry};
    if (f_.body.valid()) region(f_.body, open);
    close(open, returned);
    join(run_off, open);
  }

  std::vector<Edge> edges;
  Open run_off;

 private:
  struct Label {
    Open left;      // by `leave`, or `raise`
    StepId again;   // where `again` goes
  };

  void close(const Open& open, StepId to) {
    for (StepId s : open) edges.emplace_back(s, to);
  }

  // A step behind everything open, which it becomes the only one of.
  StepId step(StepKind kind, InstrId i, Open& open) {
    const StepId s = steps_.add({kind, i});
    close(open, s);
    open.assign(1, s);
    return s;
  }

  static void join(Open& into, const Open& from) { into.insert(into.end(), from.begin(), from.end()); }

  void region(RegionId r, Open& open) {
    for (InstrId i : f_.regions[r]) {
      if (open.empty()) return;
      instr(i, open);
    }
  }

  void failure(InstrId i, const FailEdge& edge, StepId from) {
    Open open{from};
    step(StepKind::caught, i, open);
    region(edge.region, open);
    join(run_off, open);
  }

  Label* label(LabelId id) { return id.index < labels_.size() ? &labels_[id.index] : nullptr; }

  void instr(InstrId i, Open& open) {
    const Node& node = f_.instrs[i].node;
    if (auto* n = std::get_if<If>(&node)) {
      step(StepKind::whole, i, open);
      Open other = open;
      region(n->then_region, open);
      if (n->else_region.valid()) region(n->else_region, other);
      join(open, other);
    } else if (auto* s = std::get_if<Switch>(&node)) {
      switch_(i, *s, open);
    } else if (auto* l = std::get_if<Loop>(&node)) {
      const StepId head = step(StepKind::head, i, open);
      if (Label* at = label(l->label)) *at = {{}, head};
      region(l->body, open);
      close(open, head);
      open.clear();
      take_left(l->label, open);
    } else if (auto* b = std::get_if<Block>(&node)) {
      if (Label* at = label(b->label)) *at = {};
      region(b->body, open);
      take_left(b->label, open);
    } else if (auto* sc = std::get_if<Scope>(&node)) {
      region(sc->body, open);
    } else if (auto* g = std::get_if<Guard>(&node)) {
      guard(i, *g, open);
    } else if (auto* w = std::get_if<Walk>(&node)) {
      walk(i, *w, open);
    } else {
      plain(i, node, open);
    }
  }

  void plain(InstrId i, const Node& node, Open& open) {
    if (const FailEdge* edge = fail_edge(node); edge != nullptr && edge->valid()) {
      const StepId read = step(StepKind::operands, i, open);
      failure(i, *edge, read);
      step(StepKind::result, i, open);
      return;
    }
    const StepId s = step(StepKind::whole, i, open);
    if (!is_terminator(node)) return;
    open.clear();
    if (auto* l = std::get_if<Leave>(&node)) {
      if (Label* at = label(l->label)) at->left.push_back(s);
    } else if (auto* r = std::get_if<Raise>(&node)) {
      if (Label* at = label(r->label)) at->left.push_back(s);
    } else if (auto* a = std::get_if<Again>(&node)) {
      if (Label* at = label(a->label); at != nullptr && at->again.valid()) edges.emplace_back(s, at->again);
    } else if (std::holds_alternative<Return>(node)) {
      edges.emplace_back(s, returned_);
    } else if (std::holds_alternative<Fail>(node)) {
      edges.emplace_back(s, failed_);
    }
  }

  void take_left(LabelId id, Open& open) {
    if (Label* at = label(id)) {
      join(open, at->left);
      at->left.clear();
    }
  }

  void switch_(InstrId i, const Switch& s, Open& open) {
    step(StepKind::whole, i, open);
    const Open before = open;
    open.clear();
    for (const SwitchCase& c : s.cases) {
      Open arm = before;
      region(c.region, arm);
      join(open, arm);
    }
    if (s.otherwise.valid()) {
      Open arm = before;
      region(s.otherwise, arm);
      join(open, arm);
    }
  }

  void guard(InstrId i, const Guard& g, Open& open) {
    if (Label* at = label(g.label)) *at = {};
    region(g.body, open);
    Open handler;
    take_left(g.label, handler);
    if (handler.empty()) return;
    step(StepKind::caught, i, handler);
    region(g.handler, handler);
    join(open, handler);
  }

  void walk(InstrId i, const Walk& w, Open& open) {
    step(StepKind::operands, i, open);
    const StepId turn = step(StepKind::turn, i, open);
    if (Label* at = label(w.label)) *at = {{}, turn};
    if (w.on_fail.valid()) failure(i, w.on_fail, turn);
    step(StepKind::result, i, open);
    region(w.body, open);
    close(open, turn);
    open.assign(1, turn);
    take_left(w.label, open);
  }

  const Function& f_;
  IdVector<StepId, Step>& steps_;
  std::vector<Label> labels_;
  StepId returned_, failed_;
};

// Sorts the far ends of `edges` by their near ends, by counting.
void sort_edges(const std::vector<Edge>& edges, std::size_t count, bool forward, std::vector<StepId>& ends,
                std::vector<std::uint32_t>& begin) {
  begin.assign(count + 1, 0);
  for (const auto& [from, to] : edges) ++begin[(forward ? from : to).index + 1];
  for (std::size_t i = 0; i < count; ++i) begin[i + 1] += begin[i];
  std::vector<std::uint32_t> at(begin.begin(), begin.end() - 1);
  ends.resize(edges.size());
  for (const auto& [from, to] : edges) ends[at[(forward ? from : to).index]++] = forward ? to : from;
}

void find_order(Flow& flow) {
  std::vector<std::uint8_t> seen(flow.steps.size(), 0);
  std::vector<std::pair<StepId, std::size_t>> path{{flow.entry, 0}};  // a step, and which successor is next
  seen[flow.entry.index] = 1;
  while (!path.empty()) {
    auto& [step, next] = path.back();
    const auto successors = flow.successors(step);
    if (next == successors.size()) {
      flow.order.push_back(step);
      path.pop_back();
      continue;
    }
    const StepId to = successors[next++];
    if (seen[to.index] == 0) {
      seen[to.index] = 1;
      path.emplace_back(to, 0);
    }
  }
  std::reverse(flow.order.begin(), flow.order.end());
}

}  // namespace

Flow flow_of(const Function& function) {
  Flow flow;
  flow.entry = flow.steps.add({StepKind::entry, {}});
  flow.returned = flow.steps.add({StepKind::returned, {}});
  flow.failed = flow.steps.add({StepKind::failed, {}});
  FlowBuilder builder(function, flow.steps);
  builder.build(flow.entry, flow.returned, flow.failed);
  flow.run_off = std::move(builder.run_off);
  sort_edges(builder.edges, flow.steps.size(), true, flow.to_, flow.to_begin_);
  sort_edges(builder.edges, flow.steps.size(), false, flow.from_, flow.from_begin_);
  find_order(flow);
  return flow;
}

}  // namespace nikaia::lang::nir
