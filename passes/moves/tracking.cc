// Move tracking (03 §8.4): a forward analysis over sets of hand-overs, united at joins.
//
// A function's hand-overs are numbered; the state in front of a step is the set of those that have happened on
// some path to it and have not been undone by an assignment or a new binding. A use of a place that overlaps one in the
// set is refused. A hand-over that is in the set in front of itself has met its own next turn.
//
// Places are roots and parts here: all elements of a list are one part, what lies behind a view is none of this
// body. A name that a closure captured by lending is a root like any other, its pointer looked through. What a
// branch of an `overlap` takes of its captures is gone behind the overlap; what a closure uses of them is
// used where it is written.
#include <algorithm>
#include <optional>

#include "lang/nir/dataflow.h"
#include "lang/nir/places.h"
#include "lang/nir/visit.h"
#include "passes/moves/moves.h"

namespace nikaia::lang::moves {
namespace {

// A place without what does not tell parts apart.
struct Part {
  NirLocal root;
  std::vector<std::uint32_t> path;

  bool is_prefix_of(const Part& other) const {
    return root == other.root && path.size() <= other.path.size() &&
           std::equal(path.begin(), path.end(), other.path.begin());
  }
};

std::uint32_t step_of(const nir::Projection& x) {
  if (x.kind == ProjectionKind::index) return static_cast<std::uint32_t>(x.kind);
  return static_cast<std::uint32_t>(x.kind) | x.index << 4 | x.variant << 18;
}

struct Taken {
  Part part;
  Place place;
  InstrId instr;
  Span span;
  TypeId type;
  bool by_task = false;
  bool is_refused = false;  // it was refused where it was taken, and is still there behind that
};

// What a closure does with one capture, in parts of the captured local.
struct CaptureUse {
  std::vector<Place> used;   // from the inner local on, its pointer left out
  std::vector<Place> taken;  // gone when a branch has ended
};

struct Summary {
  std::vector<std::pair<NirLocal, CaptureUse>> captures;
};

class Tracker {
 public:
  Tracker(const Moves& m, FunctionId id, IdVector<FunctionId, Summary>& summaries)
      : m_(m), id_(id), f_(m.function(id)), summaries_(summaries), use_(m.closures[id].use) {}

  void run() {
    find_lent_captures();
    const bool is_summed_up = m_.closures[id_].made != nullptr;
    if (!hands_over_anything() && !is_summed_up) return;
    number();
    if (is_summed_up) sum_up_uses();
    if (taken_.empty() || (use_ != nir::ClosureUse::branch && !may_be_used_again())) return;
    const nir::Flow flow = nir::flow_of(f_);
    said_.assign(taken_.size(), 0);
    nir::Bits at_end(taken_.size());
    nir::solve_forward(
        flow, nir::Bits(taken_.size()), nir::Bits(taken_.size()),
        [&](nir::StepId s, nir::Bits& gone) { step(flow.steps[s], gone, false); },
        [](nir::Bits& into, const nir::Bits& from) { return into.add(from); },
        [&](nir::StepId s, nir::Bits gone) {
          if (s == flow.returned) at_end = gone;
          step(flow.steps[s], gone, true);
        });
    if (use_ == nir::ClosureUse::branch) sum_up_taken(at_end);
  }

 private:
  // ---- what there is

  void find_lent_captures() {
    is_lent_capture_.assign(f_.locals.size(), 0);
    const nir::ClosureSite& site = m_.closures[id_];
    if (site.made == nullptr) return;
    for (const nir::Capture& c : site.made->captures) {
      if (c.mode == nir::CaptureMode::lend || c.mode == nir::CaptureMode::lend_mut) is_lent_capture_[c.inner.index] = 1;
    }
  }

  bool hands_over_anything() const {
    for (const nir::Instr& i : f_.instrs) {
      bool found = false;
      nir::visit_uses(
          i.node,
          [&](const nir::Operand& o) { found = found || (o.kind == OperandKind::move && !is_plain_temp(o.place)); },
          [](const Place&) {}, [&](const nir::MakeClosure&) { found = true; });
      if (found) return true;
    }
    return false;
  }

  // A temporary that is handed on whole, which lowering does once with each.
  bool is_plain_temp(const Place& p) const { return p.is_local() && f_.locals[p.root].kind == nir::LocalKind::temp; }

  // The part of this body that a place is in: up to the first view.
  Part part_of(const Place& p) const {
    Part part{p.root, {}};
    for (std::size_t i = 0; i < p.path.size(); ++i) {
      const nir::Projection& x = p.path[i];
      if (x.kind == ProjectionKind::deref) {
        if (i == 0 && is_lent_capture_[p.root.index] != 0) continue;
        break;
      }
      part.path.push_back(step_of(x));
    }
    return part;
  }

  void number() {
    for (std::size_t n = 0; n < f_.instrs.size(); ++n) {
      const InstrId i{n};
      const nir::Node& node = f_.instrs[i].node;
      const bool is_task = std::holds_alternative<nir::Spawn>(node);
      first_.emplace_back(taken_.size());
      nir::visit_uses(
          node,
          [&](const nir::Operand& o) {
            if (o.kind == OperandKind::move && !is_plain_temp(o.place)) add_taken(i, o.place, false);
          },
          [](const Place&) {},
          [&](const nir::MakeClosure& c) {
            for (const nir::Capture& x : c.captures) {
              if (x.mode == nir::CaptureMode::move && !is_plain_temp(x.place)) add_taken(i, x.place, is_task);
            }
            if (m_.closures[c.function].use != nir::ClosureUse::branch) return;
            for (const auto& [inner, use] : summaries_[c.function].captures) {
              for (const Place& p : use.taken) {
                add_taken(i, outer_place(c, inner, p), false);
              }
            }
          });
    }
    first_.emplace_back(taken_.size());
    of_root_.resize(f_.locals.size());
    for (std::uint32_t n = 0; n < taken_.size(); ++n) of_root_[taken_[n].part.root].push_back(n);
  }

  // Whether anything that was taken may be asked for again: the take lies in a loop, or its name stands behind it.
  // Where not, which is most functions, no flow graph is made. Without loops, control only goes forward through the
  // regions.
  bool may_be_used_again() {
    Order order{std::vector<Seen>(f_.locals.size()), std::vector<std::uint32_t>(f_.instrs.size()),
                std::vector<std::uint8_t>(f_.instrs.size())};
    walk(order, f_.body, false);
    return std::any_of(taken_.begin(), taken_.end(), [&](const Taken& t) {
      const Seen& seen = order.seen[t.part.root.index];
      return order.in_loop[t.instr.index] != 0 || seen.last > order.at[t.instr.index] || seen.is_twice;
    });
  }
  struct Seen {
    std::uint32_t last = 0;  // the last instruction that names the local, in the order they are written
    bool is_twice = false;   // one instruction names it more than once
  };
  struct Order {
    std::vector<Seen> seen;  // by local
    std::vector<std::uint32_t> at;
    std::vector<std::uint8_t> in_loop;  // by instruction
    std::uint32_t count = 0;
  };
  void walk(Order& order, nir::RegionId region, bool in_loop) const {
    if (!region.valid()) return;
    for (InstrId i : f_.regions[region]) {
      const nir::Node& node = f_.instrs[i].node;
      const std::uint32_t at = ++order.count;
      order.at[i.index] = at;
      order.in_loop[i.index] = in_loop ? 1 : 0;
      if (!std::holds_alternative<nir::Drop>(node) && !std::holds_alternative<nir::Cleanup>(node)) {
        const auto name = [&](const Place& p) {
          Seen& s = order.seen[p.root.index];
          s.is_twice = s.is_twice || s.last == at;
          s.last = at;
        };
        nir::visit_uses(
            node,
            [&](const nir::Operand& o) {
              if (o.kind != OperandKind::constant) name(o.place);
            },
            name,
            [&](const nir::MakeClosure& c) {
              for (const nir::Capture& x : c.captures) name(x.place);
            });
        if (const Place* to = nir::written_place(node); to != nullptr && !to->is_local()) name(*to);
        if (auto* m = std::get_if<nir::MapWrite>(&node); m != nullptr && m->map.is_local()) name(m->map);
      }
      const bool is_loop = std::holds_alternative<nir::Walk>(node) || std::holds_alternative<nir::Loop>(node);
      nir::for_each_region(node, [&](nir::RegionId inner) { walk(order, inner, in_loop || is_loop); });
    }
  }

  void add_taken(InstrId i, const Place& place, bool by_task) {
    Taken t{part_of(place), place, i, m_.span_of(f_, i, place), nir::place_type(f_, place), by_task, false};
    if (only_dies(i))
      t.is_refused = true;  // the place has its new value before anything else happens
    else if (m_.handing(t.type) != Handing::copies && needs_asking(place))
      t.is_refused = !may_be_taken(m_, id_, i, place, taker(i));
    taken_.push_back(std::move(t));
  }

  bool needs_asking(const Place& p) const {
    return !p.path.empty() || (use_ == nir::ClosureUse::kept && f_.locals[p.root].kind == nir::LocalKind::capture);
  }

  // What an assignment replaces is taken out only to be cleaned up: nobody gets it.
  bool only_dies(InstrId i) {
    auto* a = std::get_if<nir::Assign>(&f_.instrs[i].node);
    if (a == nullptr || !a->to.is_local() || f_.locals[a->to.root].kind != nir::LocalKind::temp) return false;
    if (consumers_.empty()) consumers_ = nir::consumers(f_);
    return !consumers_[a->to.root].valid() && !is_read(a->to.root);
  }
  bool is_read(NirLocal local) const {
    for (const nir::Instr& i : f_.instrs) {
      bool found = false;
      const auto at = [&](const Place& p) { found = found || p.root == local; };
      if (std::holds_alternative<nir::Drop>(i.node) || std::holds_alternative<nir::Cleanup>(i.node)) continue;
      nir::visit_uses(
          i.node,
          [&](const nir::Operand& o) {
            if (o.kind != OperandKind::constant) at(o.place);
          },
          at,
          [&](const nir::MakeClosure& c) {
            for (const nir::Capture& x : c.captures) at(x.place);
          });
      if (found) return true;
    }
    return false;
  }

  Taker taker(InstrId i) {
    if (consumers_.empty()) consumers_ = nir::consumers(f_);
    return taker_of(m_, id_, i, consumers_);
  }

  // ---- closures

  // The place of this function that `p`, a place of the closure's captured local without its pointer, stands for.
  static Place outer_place(const nir::MakeClosure& c, NirLocal inner, const Place& p) {
    Place out;
    for (const nir::Capture& x : c.captures) {
      if (x.inner == inner) out = x.place;
    }
    out.path.insert(out.path.end(), p.path.begin(), p.path.end());
    out.span = p.span;
    return out;
  }

  CaptureUse& use_of(NirLocal inner) {
    auto& all = summaries_[id_].captures;
    for (auto& [local, use] : all) {
      if (local == inner) return use;
    }
    all.emplace_back(inner, CaptureUse{});
    return all.back().second;
  }

  // `p` of this closure without its root's pointer, or nothing where it is no lent capture's. The pointer itself,
  // handed on, is the whole.
  std::optional<Place> captured_part(const Place& p) const {
    if (is_lent_capture_[p.root.index] == 0) return std::nullopt;
    Place part = p;
    if (!part.path.empty() && part.path[0].kind == ProjectionKind::deref) part.path.erase(part.path.begin());
    return part;
  }

  void sum_up_uses() {
    const auto used = [&](const Place& p) {
      if (auto part = captured_part(p)) use_of(p.root).used.push_back(*part);
    };
    for (std::size_t n = 0; n < f_.instrs.size(); ++n) {
      const nir::Node& node = f_.instrs[InstrId(n)].node;
      nir::visit_uses(
          node,
          [&](const nir::Operand& o) {
            if (o.kind != OperandKind::constant) used(with_span(o.place, InstrId(n)));
          },
          [&](const Place& p) { used(with_span(p, InstrId(n))); },
          [&](const nir::MakeClosure& c) {
            for (const nir::Capture& x : c.captures) {
              const bool is_lent = x.mode == nir::CaptureMode::lend || x.mode == nir::CaptureMode::lend_mut;
              if (!is_lent) {
                used(with_span(x.place, InstrId(n)));
                continue;
              }
              for (const auto& [inner, use] : summaries_[c.function].captures) {
                if (!(inner == x.inner)) continue;
                for (const Place& p : use.used) used(outer_place(c, inner, p));
              }
            }
          });
    }
  }

  Place with_span(Place p, InstrId i) const {
    if (!p.span.has_text()) p.span = f_.instrs[i].span;
    return p;
  }

  void sum_up_taken(const nir::Bits& at_end) {
    at_end.for_each([&](std::size_t n) {
      if (auto part = captured_part(taken_[n].place)) use_of(taken_[n].place.root).taken.push_back(*part);
    });
  }

  // ---- the steps

  void step(const nir::Step& step, nir::Bits& gone, bool reports) {
    if (!step.instr.valid()) return;
    const nir::Node& node = f_.instrs[step.instr].node;
    switch (step.kind) {
      case nir::StepKind::whole:
        uses(step.instr, node, gone, reports);
        results(step.instr, node, gone, reports);
        break;
      case nir::StepKind::operands: uses(step.instr, node, gone, reports); break;
      case nir::StepKind::result: results(step.instr, node, gone, reports); break;
      case nir::StepKind::caught:
        if (auto* g = std::get_if<nir::Guard>(&node))
          fresh(g->error, gone);
        else if (const nir::FailEdge* e = nir::fail_edge(node))
          fresh(e->error, gone);
        break;
      case nir::StepKind::entry:
      case nir::StepKind::head:
      case nir::StepKind::turn:
      case nir::StepKind::returned:
      case nir::StepKind::failed: break;
    }
  }

  void uses(InstrId i, const nir::Node& node, nir::Bits& gone, bool reports) {
    if (std::holds_alternative<nir::Drop>(node) || std::holds_alternative<nir::Cleanup>(node)) return;
    std::size_t next = first_[i.index];
    const bool is_call = std::holds_alternative<nir::Call>(node);
    const auto use = [&](const Place& p) {
      if (reports) check_use(i, p, gone);
    };
    const auto take = [&](const Place& p) {
      // What was handed over before is replaced without anything to clean up.
      if (!reports || !only_dies(i)) use(p);
      if (is_plain_temp(p)) return;
      if (!taken_[next].is_refused) gone.set(next);
      ++next;
    };
    if (!reports && first_[i.index] == first_[i.index + 1]) return;  // takes nothing
    // Each branch starts from what is gone before all of them; branches that meet are refused elsewhere.
    const bool is_overlap = std::holds_alternative<nir::Overlap>(node);
    const nir::Bits entry = is_overlap ? gone : nir::Bits();
    nir::Bits all = entry;
    // Loans for a call's arguments begin when all of them have been evaluated.
    std::vector<const Place*> lent;
    nir::visit_uses(
        node,
        [&](const nir::Operand& o) {
          if (o.kind == OperandKind::constant) return;
          if (o.kind == OperandKind::move)
            take(o.place);
          else if (is_call && (o.kind == OperandKind::lend || o.kind == OperandKind::lend_mut))
            lent.push_back(&o.place);
          else
            use(o.place);
        },
        use,
        [&](const nir::MakeClosure& c) {
          if (is_overlap) gone = entry;
          closure(i, c, use, take, next, gone);
          if (is_overlap) all.add(gone);
        });
    if (is_overlap) gone = all;
    for (const Place* p : lent) use(*p);
  }

  template <class Use, class Take>
  void closure(InstrId, const nir::MakeClosure& c, Use&& use, Take&& take, std::size_t& next, nir::Bits& gone) {
    for (const nir::Capture& x : c.captures) {
      if (x.mode == nir::CaptureMode::move) {
        take(x.place);
      } else if (x.mode == nir::CaptureMode::lend || x.mode == nir::CaptureMode::lend_mut) {
        for (const auto& [inner, part] : summaries_[c.function].captures) {
          if (!(inner == x.inner)) continue;
          for (const Place& p : part.used) use(outer_place(c, inner, p));
        }
      } else {
        use(x.place);
      }
    }
    if (m_.closures[c.function].use != nir::ClosureUse::branch) return;
    for (const auto& [inner, part] : summaries_[c.function].captures) {
      for (std::size_t n = 0; n < part.taken.size(); ++n, ++next) {
        if (!taken_[next].is_refused) gone.set(next);
      }
    }
  }

  void results(InstrId i, const nir::Node& node, nir::Bits& gone, bool reports) {
    if (auto* d = std::get_if<nir::Declare>(&node)) return fresh(d->local, gone);
    if (auto* c = std::get_if<nir::Call>(&node)) return fresh(c->to, gone);
    if (auto* o = std::get_if<nir::Overlap>(&node)) return fresh(o->to, gone);
    if (auto* s = std::get_if<nir::Spawn>(&node)) return fresh(s->to, gone);
    if (auto* w = std::get_if<nir::Walk>(&node)) {
      for (NirLocal l : w->elements) fresh(l, gone);
      return;
    }
    if (std::holds_alternative<nir::MapWrite>(node)) {
      if (reports) check_use(i, *nir::written_place(node), gone);
      return;
    }
    if (const Place* to = nir::written_place(node)) set(i, *to, gone, reports);
  }

  void fresh(NirLocal local, nir::Bits& gone) {
    if (!local.valid()) return;
    for (std::uint32_t n : of_root_[local]) gone.reset(n);
  }

  void set(InstrId i, const Place& to, nir::Bits& gone, bool reports) {
    if (of_root_[to.root].empty()) return;
    const Part part = part_of(to);
    const bool is_behind_view =
        part.path.size() != to.path.size() - (is_lent_capture_[to.root.index] != 0 && !to.path.empty() ? 1 : 0);
    for (std::uint32_t n : of_root_[to.root]) {
      if (!gone.test(n)) continue;
      const Part& q = taken_[n].part;
      const bool is_strict = q.path.size() < part.path.size() || is_behind_view;
      if (q.is_prefix_of(part) && is_strict) {
        if (reports) say(i, to, n, true);
      } else if (part.is_prefix_of(q)) {
        gone.reset(n);
      }
    }
  }

  void check_use(InstrId i, const Place& p, const nir::Bits& gone) {
    if (of_root_[p.root].empty()) return;
    const Part part = part_of(p);
    for (std::uint32_t n : of_root_[p.root]) {
      if (!gone.test(n)) continue;
      const Part& q = taken_[n].part;
      if (q.is_prefix_of(part)) return say(i, p, n, true);
      if (part.is_prefix_of(q)) return say(i, p, n, false);
    }
  }

  // ---- messages

  // `is_inside`: what is used lies in what was handed over; else that was a part of it.
  void say(InstrId i, const Place& used, std::size_t n, bool is_inside) {
    if (said_[n] != 0) return;
    said_[n] = 1;
    const Taken& t = taken_[n];
    const Span span = m_.span_of(f_, i, used);
    const bool meets_itself = t.instr == i && span == t.span;
    std::string gone = f_.locals[t.part.root].name.valid() && t.part.path.empty()
                           ? nir::shown_root(m_.shown, f_, t.place)
                           : nir::shown(m_.shown, f_, t.place);
    const Taker by = taker(t.instr);
    if (m_.handing(t.type) == Handing::sequence) {
      const std::string who = meets_itself                   ? "its first turn"
                              : by.kind == Taker::Kind::loop ? by.name
                                                             : "`" + by.name + "`";
      Builder b = m_.sink.error(Code::NK2702, span, gone, who);
      b.primary_label(meets_itself ? "used up on the first turn" : "nothing is left here");
      if (!meets_itself) b.label(t.span, "used up here");
      b.note("A sequence hands out each element once. A range or a list can be walked as often as you like.");
      return;
    }
    if (t.by_task) {
      Builder b = m_.sink.error(Code::NK2101, span, gone);
      b.primary_label(meets_itself ? "taken again on the next turn" : "used again here");
      if (!meets_itself) b.label(t.span, "taken by the task here");
      b.note("A task may still run when this function is over, so it takes along the data it uses.");
      return;
    }
    if (meets_itself) {
      Builder b = m_.sink.error(Wording::NK2105_next_turn, span, gone);
      b.primary_label("handed over here, on every turn");
      help(b, t, gone, true);
      return;
    }
    if (!is_inside) {
      Builder b = m_.sink.error(Wording::NK2105_part, span, nir::shown(m_.shown, f_, used), gone);
      b.primary_label("no longer whole");
      b.label(t.span, "`" + gone + "` is taken out here");
      return;
    }
    const MessageText text =
        by.kind == Taker::Kind::name ? MessageText(Wording::NK2105_renamed) : MessageText(Code::NK2105);
    Builder b = m_.sink.error(text, span, gone, by.name);
    b.primary_label("no longer yours");
    b.label(t.span, by.kind == Taker::Kind::name ? "handed to `" + by.name + "` here"
                                                 : "`" + by.name + "` keeps it from here on");
    help(b, t, gone, false);
  }

  void help(Builder& b, const Taken& t, const std::string& gone, bool is_turn) const {
    if (!can_clone(m_, t.type)) {
      b.help(is_turn ? "Make a new one on each turn."
                     : "Do with `" + gone + "` what you need before it's handed over.");
    } else if (nir::short_source(m_.shown, t.span) == gone) {
      b.help_edit("Hand over a copy: `" + gone + ".clone()`.", t.span.finish(), ".clone()", Applies::exact);
    }
  }

  const Moves& m_;
  FunctionId id_;
  const nir::Function& f_;
  IdVector<FunctionId, Summary>& summaries_;
  nir::ClosureUse use_;
  IdVector<NirLocal, InstrId> consumers_;  // worked out for the first message
  std::vector<std::uint8_t> is_lent_capture_;
  std::vector<Taken> taken_;
  IdVector<NirLocal, std::vector<std::uint32_t>> of_root_;  // the numbers in `taken_` of what is taken from a local
  std::vector<std::size_t> first_;                          // by instruction: its first number in `taken_`
  std::vector<std::uint8_t> said_;
};

}  // namespace

void track_moves(const Moves& m) {
  // A closure's number is greater than its parent's, so that its summary is there when the parent asks.
  IdVector<FunctionId, Summary> summaries(m.module.functions.size());
  for (std::size_t i = m.module.functions.size(); i-- > 0;) Tracker(m, FunctionId(i), summaries).run();
}

}  // namespace nikaia::lang::moves
