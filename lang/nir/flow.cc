#include "lang/nir/flow.h"

#include <algorithm>

#include "lang/nir/visit.h"

namespace nikaia::lang::nir {
namespace {

using Edge = std::pair<StepId, StepId>;

// Steps whose next step is not known yet, as a chain of links that one builder keeps for all of them: joining two is
// one write, and none has memory of its own.
struct Open {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t first = none, last = none;
  bool empty() const { return first == none; }
};

class FlowBuilder {
 public:
  FlowBuilder(const Function& f, IdVector<StepId, Step>& steps) : f_(f), steps_(steps), labels_(f.label_count) {
    steps_.reserve(f.instrs.size() + f.instrs.size() / 4 + 4);
    edges.reserve(f.instrs.size() + f.instrs.size() / 2 + 4);
    links_.reserve(f.instrs.size() + f.instrs.size() / 4 + 4);
  }

  void build(StepId entry, StepId returned, StepId failed) {
    returned_ = returned;
    failed_ = failed;
    Open open = only(entry);
    if (f_.body.valid()) region(f_.body, open);
    close(open, returned);
    note_run_off(open);
  }

  std::vector<Edge> edges;
  std::vector<StepId> run_off;

 private:
  struct Link {
    StepId step;
    std::uint32_t next;
  };
  struct Label {
    Open left;     // by `leave`, or `raise`
    StepId again;  // where `again` goes
  };

  Open only(StepId s) {
    links_.push_back({s, Open::none});
    const auto at = static_cast<std::uint32_t>(links_.size() - 1);
    return {at, at};
  }
  void join(Open& into, Open from) {
    if (from.empty()) return;
    if (into.empty()) {
      into = from;
      return;
    }
    links_[into.last].next = from.first;
    into.last = from.last;
  }
  void close(Open open, StepId to) {
    for (std::uint32_t i = open.first; i != Open::none; i = links_[i].next) edges.emplace_back(links_[i].step, to);
  }
  void note_run_off(Open open) {
    for (std::uint32_t i = open.first; i != Open::none; i = links_[i].next) run_off.push_back(links_[i].step);
  }

  // A step behind everything open, which it becomes the only one of.
  StepId step(StepKind kind, InstrId i, Open& open) {
    const StepId s = steps_.add({kind, i});
    close(open, s);
    open = only(s);
    return s;
  }

  void region(RegionId r, Open& open) {
    for (InstrId i : f_.regions[r]) {
      if (open.empty()) return;
      instr(i, open);
    }
  }

  void failure(InstrId i, const FailEdge& edge, StepId from) {
    Open open = only(from);
    step(StepKind::caught, i, open);
    region(edge.region, open);
    note_run_off(open);
  }

  Label* label(LabelId id) { return id.index < labels_.size() ? &labels_[id.index] : nullptr; }

  void instr(InstrId i, Open& open) {
    const Node& node = f_.instrs[i].node;
    if (auto* n = std::get_if<If>(&node)) {
      const StepId asked = step(StepKind::whole, i, open);
      Open other = only(asked);
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
      open = {};
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
    const Open ended = open;
    open = {};
    if (auto* l = std::get_if<Leave>(&node)) {
      if (Label* at = label(l->label)) join(at->left, ended);
    } else if (auto* r = std::get_if<Raise>(&node)) {
      if (Label* at = label(r->label)) join(at->left, ended);
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
      at->left = {};
    }
  }

  void switch_(InstrId i, const Switch& s, Open& open) {
    const StepId asked = step(StepKind::whole, i, open);
    open = {};
    const auto arm = [&](RegionId r) {
      Open from = only(asked);
      region(r, from);
      join(open, from);
    };
    for (const SwitchCase& c : s.cases) arm(c.region);
    if (s.otherwise.valid()) arm(s.otherwise);
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
    open = only(turn);
    take_left(w.label, open);
  }

  const Function& f_;
  IdVector<StepId, Step>& steps_;
  std::vector<Link> links_;
  std::vector<Label> labels_;
  StepId returned_, failed_;
};

// Sorts the far ends of `edges` by their near ends, by counting. `begin` is first kept one place ahead, so that placing
// an end moves the begin of its row to where it belongs.
void sort_edges(const std::vector<Edge>& edges, std::size_t count, bool forward, std::vector<StepId>& ends,
                std::vector<std::uint32_t>& begin) {
  begin.assign(count + 2, 0);
  for (const auto& [from, to] : edges) ++begin[(forward ? from : to).index + 2];
  for (std::size_t i = 2; i < begin.size(); ++i) begin[i] += begin[i - 1];
  ends.resize(edges.size());
  for (const auto& [from, to] : edges) ends[begin[(forward ? from : to).index + 1]++] = forward ? to : from;
}

void find_order(Flow& flow) {
  flow.order.reserve(flow.steps.size());
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
