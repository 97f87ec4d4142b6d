// Move tracking and changes on NIR written as text. A message is "CODE headline"; what NIR alone cannot show, such
// as the words of the source, is left to the file tests.
#include <catch2/catch.hpp>

#include "passes/moves/moves.h"
#include "tests/unit/nir_world.h"

using namespace nikaia::lang;
using nir_test::World;

namespace {

using Said = std::vector<std::string>;

Said said(const std::string& text) {
  World w;
  SourceMap sources;
  std::string lines;
  for (int i = 0; i < 200; ++i) lines += "x\n";
  const FileId file = sources.add("a.nika", lines);
  auto module = nir::parse_module(text, w.types, w.decls, w.names);
  if (!module) FAIL(module.error().line << ":" << module.error().column << ": " << module.error().message);
  // A place of its own for each instruction, since messages at one place are said once.
  std::uint32_t line = 0;
  for (nir::Function& f : module->functions) {
    for (nir::Instr& i : f.instrs) {
      i.span = Span{file, line * 2, line * 2 + 1};
      ++line;
    }
  }
  Sink sink;
  const moves::Moves m{*module, w.decls, w.types, {sources, w.types, w.decls, w.names}, nir::closure_sites(*module),
                       sink};
  moves::check_changes(m);
  moves::track_moves(m);
  Said out;
  for (const Diagnostic& d : sink.take_sorted(sources)) out.push_back(code_name(d.code) + " " + d.message);
  return out;
}

constexpr const char* locals = R"(fn main #0 (s, p, r, b) {
  param s: String
  param p: Parcel
  param r: ref Parcel
  param mut b: ref mut Parcel
  let t: String
  let n: i64
  let mut xs: Vec[String]
  let q: String?
  let l: Log
  let e: Reply
  temp %10: String
  let q2: Seq[i64]
)";

Said body(const std::string& text) {
  return said(std::string(locals) + text + "}\n");
}

}  // namespace

TEST_CASE("a value is gone behind its hand-over") {
  CHECK(body("call keep(move s)\n call look(lend s)\n return\n") ==
        Said{"NK2105 You're using `s` after handing it to `keep`."});
  CHECK(body("call look(lend s)\n call keep(move s)\n return\n").empty());
  CHECK(body("t = move s\n call look(lend s)\n return\n") == Said{"NK2105 You're using `s`, which is `t` now."});
  CHECK(body("call Vec.push[String](lend_mut xs, move s)\n call look(lend s)\n return\n") ==
        Said{"NK2105 You're using `s` after handing it to `xs`."});
}

TEST_CASE("an assignment gives a value back, and a new binding is a new value") {
  CHECK(body("call keep(move s)\n s = \"x\": String\n call look(lend s)\n return\n").empty());
  CHECK(body("loop L0 {\n declare t\n t = \"x\": String\n call keep(move t)\n }\n").empty());
  CHECK(body("%10 = call grow(move s) -> String\n s = move %10\n call look(lend s)\n return\n").empty());
}

TEST_CASE("parts are told apart") {
  CHECK(body("call keep(move p.label)\n n = copy p.grams\n return\n").empty());
  CHECK(body("call keep(move p.label)\n call keep(move p.label)\n return\n") ==
        Said{"NK2105 You're using `p.label` after handing it to `keep`."});
  CHECK(body("call keep(move p.label)\n call Vec.len[Parcel](lend p: ref Vec[Parcel]) -> i64\n return\n") ==
        Said{"NK2105 You're using `p` after `p.label` was taken out of it."});
  CHECK(body("call keep(move p.label)\n p.label = \"x\": String\n call keep(move p.label)\n return\n").empty());
  CHECK(body("call keep(move e.Text#0)\n n = variant of e\n return\n").size() == 1);
}

TEST_CASE("within one statement, what is evaluated first counts first") {
  CHECK(body("call keep2(move s, move s)\n return\n").size() == 1);
  CHECK(body("call keep2(lend s: String, move s)\n return\n").size() == 1);  // a loan begins at the call
}

TEST_CASE("a hand-over in a loop meets itself unless the path leaves or assigns") {
  const std::string itself = "NK2105 You're handing over `s` on every turn, and after the first it's gone.";
  CHECK(body("loop L0 {\n call keep(move s)\n }\n") == Said{itself});
  CHECK(body("loop L0 {\n call keep(move s)\n leave L0\n }\n return\n").empty());
  CHECK(body("loop L0 {\n call keep(move s)\n s = \"x\": String\n }\n").empty());
  CHECK(body("walk L0 lend xs as t {\n if true {\n again L0\n }\n call keep(move s)\n }\n return\n") == Said{itself});
}

TEST_CASE("arms do not see each other, and one that leaves takes its hand-overs along") {
  CHECK(body("if true {\n call keep(move s)\n } else {\n call keep(move s)\n }\n return\n").empty());
  CHECK(body("if true {\n call keep(move s)\n return\n }\n call look(lend s)\n return\n").empty());
  CHECK(body("if true {\n call keep(move s)\n }\n call look(lend s)\n return\n").size() == 1);
}

TEST_CASE("an argument of a call that fails is gone in the handler") {
  const std::string text = R"(fn main #0 (s) fails {
  param s: String
  error e: errors(?)
  error f: errors(?)
  guard L0 {
    call keep(move s) on e {
      raise L0 move e
    }
  } catch f {
    call look(lend s)
  }
  return
}
)";
  CHECK(said(text) == Said{"NK2105 You're using `s` after handing it to `keep`."});
}

TEST_CASE("what is only lent is not given away") {
  CHECK(body("call keep(move r.*.label)\n return\n") ==
        Said{"NK2106 `r.label` is only lent here, and `keep` would keep it."});
  CHECK(body("call keep(move xs[n])\n return\n") ==
        Said{"NK2106 `xs[…]` belongs to the list, and `keep` would keep it."});
  CHECK(body("call keep(move b.*: String)\n return\n") ==
        Said{"NK1131 `b` is only lent here, so you can't give it away."});
  CHECK(body("call keep(move b.*.label)\n return\n") ==
        Said{"NK2106 `b.label` is only lent here, and `keep` would keep it."});
  CHECK(body("call keep(move l.text)\n return\n") ==
        Said{"NK2936 `l.text` can't be taken out of `l`: `l` still needs it when it is cleaned up."});
  CHECK(said("fn main #0 (self) {\n  param self: ref Parcel\n  call keep(move self.*.label)\n  return\n}\n") ==
        Said{"NK1131 `self.label` is only lent here, so you can't give it away."});
}

TEST_CASE("a sequence is used up") {
  CHECK(body("walk L0 move q2 as n {\n }\n walk L1 move q2 as n {\n }\n return\n") ==
        Said{"NK2702 `q2` was used up by the loop above."});
  CHECK(body("loop L0 {\n walk L1 move q2 as n {\n }\n }\n") == Said{"NK2702 `q2` was used up by its first turn."});
}

namespace {

Said captured(const std::string& how, const std::string& capture, const std::string& inner,
              const std::string& after = "") {
  return said(
      "fn main #0 (s, mut_s) {\n  param s: String\n  param mut mut_s: ref mut String\n  temp %2: fn() -> ()\n  temp "
      "%3: i64\n" +
      how + after + "  return\n}\n\nclosure \"c\" #1 () inside #0 {\n  capture c: " + capture + "\n" + inner +
      "  return\n}\n");
}

}  // namespace

TEST_CASE("a task takes what it captures") {
  CHECK(captured("%3 = spawn #1 (move s as %0) line 1\n", "String", "call keep(move c)\n", "call look(lend s)\n") ==
        Said{"NK2101 You're using `s` after a task took it."});
  CHECK(captured("%3 = spawn #1 (move s as %0) line 1\n", "String", "call keep(move c)\n").empty());
}

TEST_CASE("a lambda that may run again takes nothing it captured") {
  const std::string again = "NK2105 You're handing over `c` on every turn, and after the first it's gone.";
  CHECK(captured("%2 = closure #1 (lend s as %0)\n", "ref String", "call keep(move c.*)\n") == Said{again});
  CHECK(captured("%2 = closure kept #1 (move s as %0)\n", "String", "call keep(move c)\n") == Said{again});
  CHECK(captured("%2 = closure #1 (lend s as %0)\n", "ref String", "call look(lend c.*)\n", "call keep(move s)\n")
            .empty());
  CHECK(captured("call keep(move s)\n %2 = closure #1 (lend s as %0)\n", "ref String", "call look(lend c.*)\n") ==
        Said{"NK2105 You're using `s` after handing it to `keep`."});
}

TEST_CASE("what a branch takes is gone behind the overlap") {
  const std::string branch = "overlap (branch #1 (lend s as %0))\n";
  CHECK(captured(branch, "ref String", "call keep(move c.*)\n", "call look(lend s)\n").size() == 1);
  CHECK(captured(branch, "ref String", "call look(lend c.*)\n", "call look(lend s)\n").empty());
}

TEST_CASE("a change needs `mut`") {
  CHECK(body("store s = \"x\": String\n return\n") ==
        Said{"NK1138 This function changes `s`, but doesn't say so where it takes it."});
  CHECK(body("store p.grams = 1\n store p.grams = 2\n return\n").size() == 1);  // once for a parameter
  CHECK(body("store n = 1\n return\n") ==
        Said{"NK1139 You're changing `n`, but it was declared as a value that stays."});
  CHECK(body("call Vec.push[String](lend_mut xs, move s)\n store b.*.grams = 1\n return\n").empty());
  CHECK(said("fn main #0 () {\n  let xs: Vec[i64]\n  let n: i64\n  walk L0 lend xs as n {\n    store n = 1\n  }\n  "
             "return\n}\n") == Said{"NK1139 You're changing `n`, but the loop only shows you each element."});
  CHECK(said("fn main #0 () {\n  let mut v: ref Parcel\n  store v.*.grams = 1\n  return\n}\n") ==
        Said{"NK2939 `v` is a view, and a view only looks."});
  CHECK(said("fn main #0 () {\n  let mut v: ref String\n  store v = \"x\"\n  return\n}\n").empty());
}

TEST_CASE("a lambda changes outer names as it is run") {
  const auto changed = [](const std::string& how, const std::string& type, const std::string& change) {
    return said("fn main #0 () {\n  let mut n: i64\n  temp %1: fn() -> ()\n  %1 = closure " + how +
                "\n  return\n}\n\nclosure \"c\" #1 () inside #0 {\n  capture mut n: " + type + "\n" + change +
                "  return\n}\n");
  };
  CHECK(changed("#1 (lend_mut n as %0)", "ref mut i64", "store n.* = 1\n").empty());
  CHECK(changed("kept #1 (copy n as %0)", "i64", "store n = 1\n") ==
        Said{"NK2938 This lambda may run again, or beside other code, and it changes `n` outside itself."});
}
