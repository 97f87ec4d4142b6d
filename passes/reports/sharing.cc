// `--sharing`: where shared values are made, how each is counted and locked, and where a handle
// becomes two (03 §3.5).
//
// This release counts every shared value plainly, because all tasks run on one thread, and every
// lock is a cell with an "open" flag. What takes a value across where there are several threads is
// answered by classes.h.
#include "lang/nir/visit.h"
#include "passes/reports/classes.h"

namespace nikaia::lang::reports {
namespace {

struct Sharing {
  World w;
  Classes classes;
  Report report;
  std::set<std::tuple<std::uint32_t, std::uint32_t>> made, duplicated;  // places, by file and begin

  explicit Sharing(PassContext& context) : w(context), classes(w), report(w.shown.sources) {}

  const char* why_plain() const {
    return w.is_user_parallel() ? "all tasks of this release run on one thread"
                                : "at `user-parallelism = \"no\"` the program runs on one thread";
  }

  // ---- where one is made

  void creation(FunctionId id, const nir::Instr& i, const nir::Call& c) {
    const std::string& row = w.row(c);
    if (row != "Shared::new" && row != "SharedMut::new" && row != "Locked::new") return;
    if (!c.to.valid() || !i.span.has_text()) return;
    made.insert({i.span.file.index, i.span.begin});
    const TypeId type = c.result;
    const bool is_counted = row != "Locked::new", is_locked = row != "Shared::new";
    std::string head = w.type(type) + " made in " + w.function_name(id) + ": ";
    head +=
        is_counted ? "count plain, because " + std::string(why_plain()) : "no count, because a `Locked` has one owner";
    report.add(i.span, 0, head);
    if (is_locked) report.add(i.span, 1, "    lock: a cell with an \"open\" flag, because " + std::string(why_plain()));
    const std::vector<Crossing> taken = classes.crossings(id, c.to, type);
    const std::string what = is_counted && is_locked ? "the count and the lock" : is_counted ? "the count" : "the lock";
    if (taken.empty()) {
      report.add(i.span, 2,
                 "    with tasks on several threads " + what + " could stay so: no task, branch or channel takes it");
      return;
    }
    const std::string atomic =
        is_counted ? " would have to be atomic: " : " would have to be an atomic word or a mutex: ";
    report.add(i.span, 2,
               "    with tasks on several threads " + what + atomic + taken.front().by + " takes it at " +
                   w.at(taken.front().span));
  }

  // ---- where a handle becomes two

  void duplication(Span span, std::string name, TypeId type, const std::string& keeper) {
    if (!span.has_text()) return;
    duplicated.insert({span.file.index, span.begin});
    report.add(span, 3, "handle duplicated: " + std::move(name) + ", a " + w.type(type) + ", for " + keeper);
  }

  std::string taker(FunctionId closure) const {
    switch (w.closures[closure].use) {
      case nir::ClosureUse::task: return "a task";
      case nir::ClosureUse::branch: return "a branch";
      default: return "a lambda that is kept";
    }
  }

  void instruction(FunctionId id, const nir::Instr& i) {
    if (auto* c = std::get_if<nir::Call>(&i.node)) {
      creation(id, i, *c);
      const std::string& row = w.row(*c);
      if ((row == "Shared.clone" || row == "SharedMut.clone") && !c->args.empty() &&
          c->args[0].kind != OperandKind::constant) {
        duplication(i.span, w.place_name(id, c->args[0].place), c->result, "`.clone()`");
      }
    }
    nir::visit_uses(
        i.node,
        [&](const nir::Operand& o) {
          if (o.kind != OperandKind::dup) return;
          duplication(w.span_of(i, o.place), w.place_name(id, o.place), o.type, keeper_of(w, id, i, o));
        },
        [](const Place&) {},
        [&](const nir::MakeClosure& c) {
          for (const nir::Capture& x : c.captures) {
            if (x.mode != nir::CaptureMode::dup) continue;
            const Span span = x.place.span.has_text() ? x.place.span : w.function(c.function).span;
            const TypeId type = w.function(c.function).locals[x.inner].type;
            duplication(span, w.root_name(id, x.place), type, taker(c.function));
          }
        });
  }

  void run() {
    w.each_instruction([&](FunctionId id, const nir::Instr& i) { instruction(id, i); });
  }
};

}  // namespace

void report_sharing(PassContext& context) {
  Sharing m(context);
  m.run();
  const std::string end =
      "sharing: " + counted(m.made.size(), "place that makes a shared value", "places that make a shared value") +
      ", " + counted(m.duplicated.size(), "place that duplicates a handle", "places that duplicate a handle");
  context.write_result("sharing", m.report.text() + end + "\n", "");
}

}  // namespace nikaia::lang::reports
