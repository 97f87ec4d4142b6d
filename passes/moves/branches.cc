// What runs beside something else and meets it on a name: branches of an `overlap` (NK2104), arms of a `select`
// (NK2941), tasks of a scope and the rest of its block (NK2944). Two meet where one changes or takes a name that the
// other uses at all (04 §5.3, §6, §8.1); it is said at the later of the two.
//
// Asked of closures and what they do with what they captured (nir::captured_parts), by name: parts are not told apart.
// Modules without such closures are passed over after one look at their instructions.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "lang/nir/visit.h"
#include "passes/moves/moves.h"

namespace nikaia::lang::moves {
namespace {

// One name that something uses.
struct NameUse {
  NirLocal root;
  bool is_changed = false, is_taken = false;
  Span span;
  bool decides() const { return is_changed || is_taken; }
};

// What runs beside the rest: a branch, or a task.
struct Beside {
  InstrId instr;
  Span span;
  std::vector<NameUse> uses;
};

class Branches {
 public:
  explicit Branches(const Moves& m) : m_(m) {}

  void run() {
    for (std::size_t n = 0; n < m_.module.functions.size(); ++n) function(FunctionId(n));
  }

 private:
  void function(FunctionId id) {
    const nir::Function& f = m_.function(id);
    std::vector<Beside> tasks;
    for (std::size_t n = 0; n < f.instrs.size(); ++n) {
      const nir::Node& node = f.instrs[InstrId(n)].node;
      if (auto* o = std::get_if<nir::Overlap>(&node)) {
        overlap(f, InstrId(n), *o);
      } else if (auto* a = std::get_if<nir::Assign>(&node)) {
        auto* c = std::get_if<nir::MakeClosure>(&a->value);
        if (c && is_scope_task(f, id, a->to.root)) tasks.push_back(beside(f, InstrId(n), *c));
      }
    }
    if (!tasks.empty()) scope(f, tasks);
  }

  const nir::CapturedParts& parts() {
    if (!parts_) parts_ = nir::captured_parts(m_.module, m_.types);
    return *parts_;
  }

  Beside beside(const nir::Function& f, InstrId i, const nir::MakeClosure& c) {
    Beside made{i, m_.function(c.function).span, {}};
    for (const nir::Capture& x : c.captures) {
      if (!f.locals[x.place.root].name.valid()) continue;
      NameUse use{x.place.root, false, x.mode == nir::CaptureMode::move, made.span};
      for (const nir::CapturedPart& part : parts()[c.function]) {
        if (!(part.inner == x.inner)) continue;
        const bool is_own = x.mode == nir::CaptureMode::move || x.mode == nir::CaptureMode::dup ||
                            (x.mode == nir::CaptureMode::copy &&
                             m_.types.kind(m_.function(c.function).locals[x.inner].type) != TypeKind::ref);
        if (is_own || use.decides()) continue;
        use.is_changed = part.is_changed;
        use.is_taken = part.is_taken;
        if (use.decides()) use.span = part.span;
      }
      made.uses.push_back(use);
    }
    return made;
  }

  // The name both use and one changes or takes, first as the earlier one uses it.
  static std::optional<std::pair<NameUse, NameUse>> meet(const Beside& a, const Beside& b) {
    for (const NameUse& mine : a.uses) {
      for (const NameUse& theirs : b.uses) {
        if (mine.root == theirs.root && (mine.decides() || theirs.decides())) return std::pair(mine, theirs);
      }
    }
    return std::nullopt;
  }

  std::string name(const nir::Function& f, NirLocal root) const {
    return std::string(m_.shown.names.text(f.locals[root].name));
  }
  static const char* verb(const NameUse& use) { return use.is_taken ? "takes" : "changes"; }

  void overlap(const nir::Function& f, InstrId i, const nir::Overlap& o) {
    std::vector<Beside> all;
    for (const nir::MakeClosure& c : o.branches) all.push_back(beside(f, i, c));
    for (std::size_t later = 1; later < all.size(); ++later) {
      for (std::size_t first = 0; first < later; ++first) {
        const auto met = meet(all[first], all[later]);
        if (!met) continue;
        const NameUse& decides = met->first.decides() ? met->first : met->second;
        Builder b = o.winner.valid()
                        ? m_.sink.error(Code::NK2941, all[later].span, name(f, decides.root), verb(decides))
                        : m_.sink.error(Wording::NK2104_change, all[later].span, name(f, decides.root));
        b.primary_label("this one …").label(all[first].span, "… and this one");
        break;
      }
    }
  }

  // ---- scopes

  bool is_scope_task(const nir::Function& f, FunctionId id, NirLocal closure) {
    auto& to = consumers_[id.index];
    if (to.empty()) to = nir::consumers(f);
    const InstrId user = to[closure];
    auto* call = user.valid() ? std::get_if<nir::Call>(&f.instrs[user].node) : nullptr;
    return call && call->fn.valid() && m_.decls.fns[call->fn].owner.valid() &&
           m_.decls.fns[call->fn].owner == m_.decls.scope;
  }

  void scope(const nir::Function& f, const std::vector<Beside>& tasks) {
    std::vector<nir::RegionId> loop_of(f.instrs.size());
    if (f.body.valid()) loops(f, f.body, {}, loop_of);
    for (std::size_t n = 0; n < tasks.size(); ++n) {
      const Beside& task = tasks[n];
      const auto from_outside = [&](const NameUse& u) { return f.locals[u.root].kind == nir::LocalKind::capture; };
      // A task that a loop starts is two tasks.
      if (loop_of[task.instr.index].valid()) {
        for (const NameUse& u : task.uses) {
          if (!u.decides() || !from_outside(u)) continue;
          m_.sink.error(Code::NK2944, task.span, name(f, u.root), verb(u)).primary_label("started again on every turn");
          return;
        }
      }
      for (std::size_t first = 0; first < n; ++first) {
        const auto met = meet(tasks[first], task);
        if (!met || !from_outside(met->first)) continue;
        const NameUse& decides = met->first.decides() ? met->first : met->second;
        m_.sink.error(Code::NK2944, task.span, name(f, decides.root), verb(decides))
            .primary_label("this one …")
            .label(tasks[first].span, "… and this one");
        return;
      }
      if (meets_block(f, task, loop_of)) return;
    }
  }

  // Which loop's body an instruction stands in.
  void loops(const nir::Function& f, nir::RegionId region, nir::RegionId loop,
             std::vector<nir::RegionId>& loop_of) const {
    for (InstrId i : f.regions[region]) {
      loop_of[i.index] = loop;
      const nir::Node& node = f.instrs[i].node;
      const bool repeats = std::holds_alternative<nir::Walk>(node) || std::holds_alternative<nir::Loop>(node);
      nir::for_each_region(node, [&](nir::RegionId inner) { loops(f, inner, repeats ? inner : loop, loop_of); });
    }
  }

  // The rest of the block, from the task's start on.
  bool meets_block(const nir::Function& f, const Beside& task, const std::vector<nir::RegionId>& loop_of) {
    for (std::size_t n = 0; n < f.instrs.size(); ++n) {
      const bool is_later = n > task.instr.index;
      const bool is_next_turn = loop_of[n].valid() && loop_of[n] == loop_of[task.instr.index];
      if (InstrId(n) == task.instr || (!is_later && !is_next_turn)) continue;
      bool said = false;
      const auto use = [&](const Place& p, bool decides) {
        if (said || f.locals[p.root].kind != nir::LocalKind::capture) return;
        for (const NameUse& u : task.uses) {
          if (!(u.root == p.root) || !(u.decides() || decides)) continue;
          const Span span = is_later ? m_.span_of(f, InstrId(n), p) : task.span;
          m_.sink.error(Wording::NK2944_block, span, name(f, u.root), u.decides() ? verb(u) : "uses")
              .primary_label(is_later ? "used here meanwhile" : "still running on the next turn")
              .label(is_later ? task.span : m_.span_of(f, InstrId(n), p), is_later ? "the task" : "used here");
          said = true;
          return;
        }
      };
      const nir::Node& node = f.instrs[InstrId(n)].node;
      nir::visit_uses(
          node,
          [&](const nir::Operand& o) {
            if (o.kind == OperandKind::constant) return;
            const bool hands_on = o.kind == OperandKind::copy && o.type.valid() && m_.types[o.type].is_mut;
            use(o.place, hands_on || o.kind == OperandKind::lend_mut || o.kind == OperandKind::move);
          },
          [&](const Place& p) { use(p, false); },
          [&](const nir::MakeClosure& c) {
            auto* a = std::get_if<nir::Assign>(&node);
            if (a && is_scope_task(f, m_.closures[c.function].parent, a->to.root)) return;  // asked as a task
            for (const nir::Capture& x : c.captures) {
              for (const nir::CapturedPart& part : parts()[c.function]) {
                if (part.inner == x.inner) use(nir::outer_place(x, part), part.is_changed || part.is_taken);
              }
            }
          });
      if (const Place* to = nir::written_place(node)) use(*to, true);
      if (said) return true;
    }
    return false;
  }

  const Moves& m_;
  std::optional<nir::CapturedParts> parts_;
  std::unordered_map<std::uint32_t, IdVector<NirLocal, InstrId>> consumers_;  // by function
};

}  // namespace

void check_branches(const Moves& m) {
  Branches(m).run();
}

}  // namespace nikaia::lang::moves
