// The flow graph of structured NIR, and the solvers over it.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "lang/nir/dataflow.h"
#include "lang/nir/flow.h"
#include "lang/nir/visit.h"
#include "tests/unit/nir_world.h"

using namespace nikaia::lang;
using nir_test::World;

namespace {

struct Case {
  World w;
  nir::Module m;
  nir::Flow flow;

  explicit Case(std::string body) {
    const std::string text =
        "fn main #0 (a) fails {\n  param a: String\n  let x: i64\n  let y: i64\n  let xs: Vec[i64]\n  error e: "
        "errors(?)\n" +
        body + "}\n";
    auto parsed = nir::parse_module(text, w.types, w.decls, w.names);
    if (!parsed) FAIL(parsed.error().line << ": " << parsed.error().message);
    m = std::move(*parsed);
    flow = nir::flow_of(fn());
  }
  const nir::Function& fn() const { return m.functions[nir::FunctionId(0u)]; }

  std::string name(nir::StepId s) {
    static constexpr const char* kinds[] = {"entry",    "",           "operands of ", "result of ", "head of ",
                                            "turn of ", "caught of ", "returned",     "failed"};
    const nir::Step& step = flow.steps[s];
    std::string text = kinds[static_cast<std::size_t>(step.kind)];
    return step.instr.valid() ? text + nir::print_instr(w.texts(), fn(), step.instr) : text;
  }
  // The names of the steps behind the one called so.
  std::set<std::string> behind(const std::string& called) {
    std::set<std::string> out;
    for (nir::StepId s : flow.order) {
      if (name(s) != called) continue;
      for (nir::StepId to : flow.successors(s)) out.insert(name(to));
    }
    return out;
  }
};

using Names = std::set<std::string>;

}  // namespace

TEST_CASE("branches part and meet") {
  Case c("if true {\n x = 1\n} else {\n x = 2\n}\n if true {\n x = 3\n }\n return\n");
  CHECK(c.behind("entry") == Names{"if true { … } else { … }"});
  CHECK(c.behind("if true { … } else { … }") == Names{"x = 1", "x = 2"});
  CHECK(c.behind("x = 1") == Names{"if true { … }"});
  CHECK(c.behind("if true { … }") == Names{"x = 3", "return"});
  CHECK(c.behind("return") == Names{"returned"});
}

TEST_CASE("a loop goes round until it is left, and a block is left forward") {
  Case c("loop L0 {\n block L1 {\n if true {\n leave L1\n }\n leave L0\n }\n x = 1\n }\n y = 1\n return\n");
  CHECK(c.behind("head of loop L0 { … }") == Names{"if true { … }"});
  CHECK(c.behind("leave L1") == Names{"x = 1"});
  CHECK(c.behind("leave L0") == Names{"y = 1"});
  CHECK(c.behind("x = 1") == Names{"head of loop L0 { … }"});
}

TEST_CASE("a failing call arrives at its edge without a result") {
  Case c("guard L0 {\n x = call count(1) -> i64 on e {\n raise L0 move e\n }\n } catch e {\n y = 1\n }\n return\n");
  CHECK(c.behind("operands of x = call count(1) -> i64 on e { … }") ==
        Names{"caught of x = call count(1) -> i64 on e { … }", "result of x = call count(1) -> i64 on e { … }"});
  CHECK(c.behind("raise L0 move e") == Names{"caught of guard L0 { … } catch e { … }"});
  CHECK(c.behind("result of x = call count(1) -> i64 on e { … }") == Names{"return"});
  CHECK(c.behind("y = 1") == Names{"return"});
}

TEST_CASE("a walk asks for an element at every turn") {
  Case c("walk L0 lend xs as x fails on e {\n fail move e\n } {\n if true {\n again L0\n }\n leave L0\n }\n return\n");
  const std::string walk = "walk L0 lend xs as x fails on e { … } { … }";
  CHECK(c.behind("operands of " + walk) == Names{"turn of " + walk});
  CHECK(c.behind("turn of " + walk) == Names{"result of " + walk, "caught of " + walk, "return"});
  CHECK(c.behind("again L0") == Names{"turn of " + walk});
  CHECK(c.behind("leave L0") == Names{"return"});
  CHECK(c.behind("fail move e") == Names{"failed"});
}

TEST_CASE("what is not reached has no step") {
  Case c("call stop() -> never\n unreachable\n x = 1\n return\n");
  CHECK(c.behind("unreachable").empty());
  for (nir::StepId s : c.flow.order) CHECK(c.name(s) != "x = 1");
}

TEST_CASE("predecessors mirror successors, and the order begins each step behind one before it") {
  Case c(
      "loop L0 {\n switch copy x {\n case 1 {\n again L0\n }\n case 2 {\n leave L0\n }\n otherwise {\n x = 1\n }\n }\n "
      "}\n return\n");
  std::map<std::uint32_t, std::size_t> place;
  for (std::size_t i = 0; i < c.flow.order.size(); ++i) place[c.flow.order[i].index] = i;
  for (nir::StepId s : c.flow.order) {
    for (nir::StepId to : c.flow.successors(s)) {
      bool found = false;
      for (nir::StepId from : c.flow.predecessors(to)) found = found || from == s;
      CHECK(found);
    }
    if (s == c.flow.entry) continue;
    bool has_earlier = false;
    for (nir::StepId from : c.flow.predecessors(s)) has_earlier = has_earlier || place[from.index] < place[s.index];
    CHECK(has_earlier);
  }
}

TEST_CASE("a forward problem is solved around a loop, a backward one against it") {
  Case c("x = 1\n loop L0 {\n if true {\n leave L0\n }\n y = copy x\n x = 2\n }\n return copy y\n");
  const auto join = [](nir::Bits& into, const nir::Bits& from) { return into.add(from); };
  // Which locals have been assigned on some path.
  std::map<std::uint32_t, nir::Bits> assigned;  // in front of each step
  nir::solve_forward(
      c.flow, nir::Bits(8), nir::Bits(8),
      [&](nir::StepId s, nir::Bits& state) {
        if (!c.flow.steps[s].instr.valid()) return;
        if (const nir::Place* to = nir::written_place(c.fn().instrs[c.flow.steps[s].instr].node))
          state.set(to->root.index);
      },
      join, [&](nir::StepId s, const nir::Bits& state) { CHECK(assigned.emplace(s.index, state).second); });
  CHECK(assigned.size() == c.flow.order.size());
  // Which locals are read later.
  const auto live = nir::solve_backward(
      c.flow, nir::Bits(8), nir::Bits(8),
      [&](nir::StepId s, nir::Bits& state) {
        if (!c.flow.steps[s].instr.valid()) return;
        const nir::Node& node = c.fn().instrs[c.flow.steps[s].instr].node;
        if (const nir::Place* to = nir::written_place(node)) state.reset(to->root.index);
        nir::visit_uses(
            node,
            [&](const nir::Operand& o) {
              if (o.kind != nir::OperandKind::constant) state.set(o.place.root.index);
            },
            [](const nir::Place&) {}, [](const nir::MakeClosure&) {});
      },
      join);
  const std::uint32_t x = 1, y = 2;
  for (nir::StepId s : c.flow.order) {
    if (c.name(s) == "if true { … }") {
      CHECK(assigned[s.index].test(x));
      CHECK(assigned[s.index].test(y));
      CHECK(live[s].test(x));
    }
    if (c.name(s) == "x = 1") {
      CHECK_FALSE(assigned[s.index].test(x));
      CHECK(live[s].test(y));
    }
    if (c.name(s) == "return copy y") CHECK_FALSE(live[s].any());
  }
}
