// `--overlaps`: every `overlap` and `select`, its branches, what each touches, and which of them
// meet (04 §5.3); and the reads that `ordering = "effects"` paired, or did not.
//
// What a branch touches is the fact `effects@1`. Two branches of an `overlap` meet where both reach
// one resource and one writes it, or where one changes a name that the other uses; names are those
// the branches' closures captured. The arms of a `select` take turns whatever they touch (04 §6).
#include <algorithm>
#include <map>

#include "lang/facts/effects.h"
#include "lang/nir/visit.h"
#include "passes/reports/reads.h"

namespace nikaia::lang::reports {
namespace {

// "file(path) write": the resource, and whether it is written.
std::pair<std::string_view, bool> resource_of(std::string_view touch) {
  const std::size_t space = touch.rfind(' ');
  if (space == std::string_view::npos) return {touch, true};
  return {touch.substr(0, space), touch.substr(space + 1) != "read"};
}

// Whether the resource names which one of its kind: a lock or a file without an argument may be any
// of them.
bool is_one(std::string_view resource) {
  return resource.find('(') != std::string_view::npos || resource.starts_with("std");
}

struct Overlaps {
  World w;
  const Effects& effects;
  Report report{w.shown.sources};
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<std::uint32_t, const FnEffects*>>
      branches{};  // file, begin; end
  std::size_t blocks = 0, races = 0, pairs = 0;
  Joined joined{};

  explicit Overlaps(PassContext& context) : w(context), effects(context.require(effects_fact)) {
    for (std::size_t i = 0; i < effects.trees.size(); ++i) {
      const ast::Tree& tree = context.compilation().trees[FileId(i)];
      for (const auto& [expr, does] : effects.trees[FileId(i)].branches) {
        const Span span = tree.exprs[expr].span;
        branches[{span.file.index, span.begin}][span.end] = &does;
      }
    }
  }

  const FnEffects* effects_of(Span span) const {
    const auto at = branches.find({span.file.index, span.begin});
    if (at == branches.end()) return nullptr;
    const auto found = at->second.find(span.end);
    return found == at->second.end() ? nullptr : found->second;
  }

  std::string touches(const FnEffects* does) const {
    if (does == nullptr) return "touches nothing that is known";
    std::string list;
    for (const std::string& touch : does->touches) list += (list.empty() ? "" : ", ") + touch;
    if (does->touches_all) list += (list.empty() ? "" : ", ") + std::string("and calls what may reach anything");
    return (list.empty()            ? "touches nothing"
            : does->touches.empty() ? list.substr(4)
                                    : "touches " + list) +
           (does->may_pause ? "; can pause" : "; never pauses");
  }

  // ---- whether two branches meet

  std::string common_resource(const FnEffects* a, const FnEffects* b) const {
    if (a == nullptr || b == nullptr) return {};
    for (const std::string& left : a->touches) {
      for (const std::string& right : b->touches) {
        const auto [resource, writes] = resource_of(left);
        const auto [other, writes_too] = resource_of(right);
        if (resource == other && is_one(resource) && (writes || writes_too)) return std::string(resource);
      }
    }
    return {};
  }

  // Whether `closure` changes, or hands on for change, what it captured as `inner`; or takes it.
  bool changes(const nir::MakeClosure& closure, const nir::Capture& capture) const {
    if (capture.mode == nir::CaptureMode::move) return true;
    const nir::Function& f = w.function(closure.function);
    const auto is_mut_pointer = [&](TypeId t) {
      return t.valid() && w.types.kind(t) == TypeKind::ref && w.types[t].is_mut;
    };
    bool found = false;
    for (const nir::Instr& i : f.instrs) {
      if (const Place* to = nir::written_place(i.node)) found = found || to->root == capture.inner;
      nir::visit_uses(
          i.node,
          [&](const nir::Operand& o) {
            if (o.kind == OperandKind::constant || !(o.place.root == capture.inner)) return;
            found = found || o.kind == OperandKind::lend_mut || (o.kind == OperandKind::copy && is_mut_pointer(o.type));
          },
          [](const Place&) {},
          [&](const nir::MakeClosure& c) {
            for (const nir::Capture& x : c.captures) found = found || (x.place.root == capture.inner && changes(c, x));
          });
    }
    return found;
  }

  static bool overlap(const Place& a, const Place& b) {
    if (!(a.root == b.root)) return false;
    for (std::size_t i = 0; i < std::min(a.path.size(), b.path.size()); ++i) {
      if (a.path[i].kind != b.path[i].kind || a.path[i].index != b.path[i].index ||
          a.path[i].variant != b.path[i].variant)
        return false;
    }
    return true;
  }

  std::string common_name(FunctionId id, const nir::MakeClosure& a, const nir::MakeClosure& b) const {
    for (const nir::Capture& x : a.captures) {
      for (const nir::Capture& y : b.captures) {
        if (overlap(x.place, y.place) && (changes(a, x) || changes(b, y))) return w.root_name(id, x.place);
      }
    }
    return {};
  }

  // ---- the lines

  void branch_lines(Span block, const nir::Overlap& made, const char* word) {
    for (std::size_t i = 0; i < made.branches.size(); ++i) {
      const Span span = w.function(made.branches[i].function).span;
      report.add_under(block, span, 1 + static_cast<int>(i),
                       "    " + std::string(word) + " " + std::to_string(i + 1) + ", " + w.first_line(span) + ": " +
                           touches(effects_of(span)));
    }
  }

  // The pairs that meet, each with what they meet on.
  std::vector<std::string> meetings(FunctionId id, const nir::Overlap& made) const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < made.branches.size(); ++i) {
      for (std::size_t k = i + 1; k < made.branches.size(); ++k) {
        const Span a = w.function(made.branches[i].function).span, b = w.function(made.branches[k].function).span;
        std::string what = common_resource(effects_of(a), effects_of(b));
        if (what.empty()) what = common_name(id, made.branches[i], made.branches[k]);
        if (what.empty()) continue;
        out.push_back("branches " + std::to_string(i + 1) + " and " + std::to_string(k + 1) + " meet on " + what);
      }
    }
    return out;
  }

  void block(FunctionId id, const nir::Instr& instr, const nir::Overlap& made) {
    const std::string in = " in " + w.function_name(id) + ": ";
    if (made.winner.valid()) {
      report.add(
          instr.span, 0,
          "select of " + counted(made.branches.size(), "arm", "arms") + in + "the arms take turns on one thread");
      branch_lines(instr.span, made, "arm");
      return;
    }
    const std::vector<std::string> met = meetings(id, made);
    report.add(instr.span, 0,
               "overlap of " + counted(made.branches.size(), "branch", "branches") + in +
                   (met.empty() ? "no two meet, so they may run in parallel" : "they may not run in parallel"));
    branch_lines(instr.span, made, "branch");
    for (const std::string& pair : met)
      report.add_under(instr.span, instr.span, 1 + static_cast<int>(made.branches.size()), "    " + pair);
  }

  // With `ordering = "effects"`: the reads that became pairs, and the others that stand together.
  void read_lines() {
    const auto all = adjacent_reads(w, w.context.require(names_fact), w.context.require(types_fact), joined);
    for (const AdjacentReads& reads : all) {
      const std::string both = w.first_line(reads.first) + " and " + w.first_line(reads.second);
      if (reads.why.empty()) {
        ++pairs;
        report.add(reads.first, 0,
                   "pair of reads, " + both +
                       ": submitted together, in written order where the I/O backend has no completions");
      } else {
        report.add(reads.first, 0, "reads in written order, " + both + ": " + reads.why);
      }
    }
  }

  void run() {
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;  // instances of one block are one
    for (std::size_t n = 0; n < w.module.functions.size(); ++n) {
      const nir::Function& f = w.function(FunctionId(n));
      w.context.looking_at(f.name, f.file.valid() ? w.shown.sources.path(f.file) : std::string_view());
      for (const nir::Instr& i : f.instrs) {
        auto* made = std::get_if<nir::Overlap>(&i.node);
        if (made == nullptr || !i.span.has_text()) continue;
        if (made->is_pair) {
          const Span first = w.function(made->branches.front().function).span;
          joined.insert({first.file.index, first.begin});
          continue;
        }
        if (!seen.insert({i.span.file.index, i.span.begin}).second) continue;
        ++(made->winner.valid() ? races : blocks);
        block(FunctionId(n), i, *made);
      }
    }
  }
};

}  // namespace

void report_overlaps(PassContext& context) {
  Overlaps m(context);
  m.run();
  std::string end =
      "overlaps: " + counted(m.blocks, "overlap", "overlaps") + " and " + counted(m.races, "select", "selects");
  if (m.blocks > 0) {
    end += m.w.is_user_parallel() ? "; this release runs all branches on one thread, interleaved"
                                  : "; at `user-parallelism = \"no\"` all branches run on one thread, interleaved";
  }
  if (context.build_options().ordering_effects) {
    m.read_lines();
    end += "; " + counted(m.pairs, "pair of reads", "pairs of reads");
  }
  context.write_result("overlaps", m.report.text() + end + "\n", "");
}

}  // namespace nikaia::lang::reports
