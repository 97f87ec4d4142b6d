// `--overlaps`: every `overlap` and `select`, its branches and what each touches; and the reads that
// `ordering = "effects"` paired, or did not.
//
// What a branch touches is the fact `effects@1`. Branches that meet are refused before (04 §5.3); the
// arms of a `select` take turns whatever they touch (04 §6).
#include <algorithm>
#include <map>

#include "lang/facts/effects.h"
#include "lang/nir/visit.h"
#include "passes/reports/reads.h"

namespace nikaia::lang::reports {
namespace {

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

  // ---- the lines

  void branch_lines(Span block, const nir::Overlap& made, const char* word) {
    for (std::size_t i = 0; i < made.branches.size(); ++i) {
      const Span span = w.function(made.branches[i].function).span;
      report.add_under(block, span, 1 + static_cast<int>(i),
                       "    " + std::string(word) + " " + std::to_string(i + 1) + ", " + w.first_line(span) + ": " +
                           touches(effects_of(span)));
    }
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
    // Two that meet are refused (NK2104), so none are left here.
    report.add(instr.span, 0,
               "overlap of " + counted(made.branches.size(), "branch", "branches") + in +
                   "no two meet, so they may run in parallel");
    branch_lines(instr.span, made, "branch");
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
