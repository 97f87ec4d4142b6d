// The pass `pair-reads`: two adjacent, independent reads of files become a pair that is submitted
// together and awaited together (language 06 §4.3). It works only where the manifest says `ordering
// = "effects"`.
//
// In each region, from its start, two statements that stand behind one another and are reads
// (statements.h) form a pair where the second needs nothing the first makes and both fail into the
// same place. The pair is an `overlap` of two branches that lend the arguments, marked `pair`: the
// runtime runs it in written order where the backend has no completions. The second statement's
// arguments are made before the first call; making them does nothing else, so nobody can tell. A
// failure of the first is the pair's, and the second's result or failure is dropped.
//
// What it costs: one walk over all regions.
#include <algorithm>
#include <set>

#include <nikaia/pass.h>

#include "lang/compilation.h"
#include "lang/facts/names.h"
#include "lang/nir/visit.h"
#include "passes/pair_reads/statements.h"

namespace nikaia::lang::pair_reads {
namespace {

using nir::Function;
using nir::FunctionId;
using nir::InstrId;
using nir::LocalId;
using nir::RegionId;

class Pairing {
 public:
  explicit Pairing(PassContext& context) : types_(context.types()), module_(context.change(mono_fact)) {
    const auto& fns = context.require(declarations_fact).fns;
    for (std::uint32_t i = 0; i < fns.size(); ++i) {
      if (fns[FnId(i)].key == "fs::read") reads_.bytes = FnId(i);
      if (fns[FnId(i)].key == "fs::read_to_string") reads_.text = FnId(i);
    }
  }

  void run() {
    const std::size_t count = module_.functions.size();  // without the branches made here
    for (std::uint32_t i = 0; i < count; ++i) {
      const FunctionId id(i);
      const std::size_t regions = module_.functions[id].regions.size();
      for (std::uint32_t r = 0; r < regions; ++r) walk(id, RegionId(r));
    }
  }

 private:
  Function& function() { return module_.functions[id_]; }

  void walk(FunctionId id, RegionId region) {
    id_ = id;
    for (std::size_t at = 0; at < function().regions[region].size(); ++at) {
      const auto first = read_statement(function(), function().regions[region], at, reads_);
      if (!first) continue;
      const auto second = read_statement(function(), function().regions[region], first->end, reads_);
      if (!second || !are_independent(*first, *second) || !fail_alike(*first, *second)) continue;
      join(region, *first, *second);
    }
  }

  // What a statement makes: the program's names and its own temporaries.
  std::set<std::uint32_t> made_by(const ReadStatement& statement) {
    std::set<std::uint32_t> made = {call_of(function(), statement).to.index};
    const auto add = [&](const std::vector<InstrId>& instrs) {
      for (const InstrId id : instrs) {
        const nir::Node& node = function().instrs[id].node;
        if (auto* declare = std::get_if<nir::Declare>(&node)) made.insert(declare->local.index);
        if (const nir::Place* to = nir::written_place(node)) made.insert(to->root.index);
      }
    };
    add(statement.declares);
    add(statement.before);
    add(statement.after);
    return made;
  }

  bool reads_any(const ReadStatement& statement, const std::set<std::uint32_t>& made) {
    bool found = false;
    const auto look = [&](const nir::Place& place) { found = found || made.count(place.root.index) != 0; };
    const auto at = [&](InstrId id) {
      nir::visit_uses(
          function().instrs[id].node,
          [&](const nir::Operand& o) {
            if (o.kind != nir::OperandKind::constant) look(o.place);
          },
          look, [](const nir::MakeClosure&) {});
    };
    for (const InstrId id : statement.before) at(id);
    at(statement.call);
    return found;
  }

  bool are_independent(const ReadStatement& first, const ReadStatement& second) {
    std::set<std::uint32_t> of_first = made_by(first);
    std::set<std::uint32_t> of_second = made_by(second);
    // Its own temporaries are what a statement's arguments are.
    for (const InstrId id : second.before) erase_declared(id, of_second);
    return !reads_any(second, of_first) && !reads_any(first, of_second);
  }

  void erase_declared(InstrId id, std::set<std::uint32_t>& made) {
    if (auto* declare = std::get_if<nir::Declare>(&function().instrs[id].node)) made.erase(declare->local.index);
  }

  // Both failures leave the function, or both go to the same handler.
  bool fail_alike(const ReadStatement& first, const ReadStatement& second) {
    const nir::Node& a = last_of_edge(first);
    const nir::Node& b = last_of_edge(second);
    auto* raise = std::get_if<nir::Raise>(&a);
    auto* other = std::get_if<nir::Raise>(&b);
    if (raise != nullptr || other != nullptr)
      return raise != nullptr && other != nullptr && raise->label == other->label;
    return std::holds_alternative<nir::Fail>(a) && std::holds_alternative<nir::Fail>(b);
  }

  const nir::Node& last_of_edge(const ReadStatement& statement) {
    return function().instrs[function().regions[call_of(function(), statement).on_fail.region].back()].node;
  }

  InstrId instr(nir::Node node, Span span) { return function().instrs.add({std::move(node), span}); }

  LocalId temporary(TypeId type, Span span) {
    return function().locals.add({Name(), type, nir::LocalKind::temp, span, false});
  }

  // Drops what the second statement has made by then, and goes where the first one's failure goes.
  RegionId failing(const ReadStatement& first, const ReadStatement& second) {
    std::set<std::uint32_t> made;
    for (const InstrId id : second.before) {
      if (auto* declare = std::get_if<nir::Declare>(&function().instrs[id].node)) made.insert(declare->local.index);
    }
    std::vector<InstrId> out;
    const std::vector<InstrId> of_second = function().regions[call_of(function(), second).on_fail.region];
    for (const InstrId id : of_second) {
      auto* drop = std::get_if<nir::Drop>(&function().instrs[id].node);
      if (drop == nullptr) continue;
      std::vector<nir::LocalId> here;
      for (const nir::LocalId l : drop->locals) {
        if (made.count(l.index) != 0) here.push_back(l);
      }
      const Span span = function().instrs[id].span;
      if (!here.empty()) out.push_back(instr(nir::Drop{std::move(here)}, span));
    }
    const std::vector<InstrId>& of_first = function().regions[call_of(function(), first).on_fail.region];
    out.insert(out.end(), of_first.begin(), of_first.end());
    return function().regions.add(std::move(out));
  }

  // A branch that does the call; what the arguments stand on is lent to it.
  nir::MakeClosure branch(const ReadStatement& statement) {
    nir::Call call = call_of(function(), statement);
    const Span span = function().instrs[statement.call].span;
    Function inner;
    inner.kind = nir::FunctionKind::closure;
    inner.name = function().name + "{read " + std::to_string(module_.functions.size()) + "}";
    inner.file = function().file;
    inner.span = span;
    inner.result = call.result;
    inner.can_fail = inner.may_pause = true;
    inner.parent = id_;
    nir::MakeClosure made;
    for (nir::Operand& argument : call.args) {
      if (argument.kind == nir::OperandKind::constant) continue;
      const LocalId outer = argument.place.root;
      const nir::Local& local = function().locals[outer];
      const LocalId lent = inner.locals.add({local.name, types_.ref(local.type), nir::LocalKind::capture, span, false});
      made.captures.push_back({nir::CaptureMode::lend, nir::Place{outer, {}, {}}, lent});
      nir::Projection behind;
      behind.kind = nir::ProjectionKind::deref;
      behind.type = local.type;
      argument.place.path.insert(argument.place.path.begin(), behind);
      argument.place.root = lent;
    }
    const LocalId error =
        inner.locals.add({Name(), function().locals[call.on_fail.error].type, nir::LocalKind::error, span, false});
    call.to = inner.locals.add({Name(), call.result, nir::LocalKind::temp, span, false});
    nir::Operand failure{nir::OperandKind::move, inner.locals[error].type, nir::Place{error, {}, {}}, {}};
    call.on_fail = {error, inner.regions.add({inner.instrs.add({nir::Fail{std::move(failure)}, span})})};
    nir::Operand result{nir::OperandKind::move, call.result, nir::Place{call.to, {}, {}}, {}};
    const InstrId declare = inner.instrs.add({nir::Declare{call.to}, span});
    const InstrId calls = inner.instrs.add({std::move(call), span});
    const InstrId returns = inner.instrs.add({nir::Return{std::move(result), true}, span});
    inner.body = inner.regions.add({declare, calls, returns});
    made.function = module_.functions.add(std::move(inner));
    return made;
  }

  InstrId part_to(LocalId to, LocalId tuple, std::uint32_t index, TypeId type, Span span) {
    nir::Projection part;
    part.kind = nir::ProjectionKind::part;
    part.index = index;
    part.type = type;
    nir::Operand value{nir::OperandKind::move, type, nir::Place{.root = tuple, .path = {part}}, {}};
    return instr(nir::Assign{nir::Place{to, {}, {}}, nir::Use{std::move(value)}}, span);
  }

  void join(RegionId region, const ReadStatement& first, const ReadStatement& second) {
    const Span span = function().instrs[first.call].span;
    const LocalId to_first = call_of(function(), first).to;
    const LocalId to_second = call_of(function(), second).to;
    const TypeId of_first = call_of(function(), first).result;
    const TypeId of_second = call_of(function(), second).result;
    const LocalId error = call_of(function(), first).on_fail.error;
    const LocalId both = temporary(types_.tuple({of_first, of_second}), span);

    nir::Overlap pair;
    pair.to = both;
    pair.is_pair = true;
    pair.branch_fails = {1, 1};
    pair.on_fail = {error, failing(first, second)};
    pair.branches.push_back(branch(first));
    pair.branches.push_back(branch(second));

    std::vector<InstrId> body = first.before;
    const auto add = [&](const std::vector<InstrId>& more) { body.insert(body.end(), more.begin(), more.end()); };
    add(second.before);
    body.push_back(instr(nir::Declare{both}, span));
    body.push_back(instr(std::move(pair), span));
    body.push_back(part_to(to_first, both, 0, of_first, span));
    body.push_back(part_to(to_second, both, 1, of_second, span));
    add(first.after);
    add(second.after);
    body.push_back(instr(nir::Drop{{both}}, span));

    std::vector<InstrId> out = first.declares;
    out.insert(out.end(), second.declares.begin(), second.declares.end());
    if (first.scope.valid() && second.scope.valid()) {
      const RegionId inside = function().regions.add(std::move(body));
      out.push_back(instr(nir::Scope{inside}, span));
    } else {
      out.insert(out.end(), body.begin(), body.end());
    }
    std::vector<InstrId>& list = function().regions[region];
    const auto begin = list.begin() + static_cast<std::ptrdiff_t>(first.begin);
    list.insert(list.erase(begin, list.begin() + static_cast<std::ptrdiff_t>(second.end)), out.begin(), out.end());
  }

  TypeTable& types_;
  nir::Module& module_;
  Reads reads_;
  FunctionId id_;
};

void run(PassContext& context) {
  if (context.build_options().ordering_effects) Pairing(context).run();
}

constexpr const char* required[] = {"declarations@1", "mono@1", nullptr};
constexpr const char* changed[] = {"mono@1", nullptr};
constexpr Pass passes[] = {{"pair-reads", "submit adjacent file reads together (ordering = \"effects\")",
                            NIKAIA_VERSION, PassKind::transform, PassStage::nir, true, required, nullptr, changed,
                            nullptr, nullptr, false, run}};

}  // namespace
}  // namespace nikaia::lang::pair_reads

NIKAIA_PASS_PLUGIN(nikaia::lang::pair_reads::passes)
