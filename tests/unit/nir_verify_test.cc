// The verifier: what it lets pass, and one broken rule after the other.
#include <catch2/catch.hpp>

#include "lang/nir/verify.h"
#include "tests/unit/nir_world.h"

using namespace nikaia::lang;
using nir_test::World;

namespace {

std::vector<std::string> violations(const std::string& text) {
  World w;
  auto m = nir::parse_module(text, w.types, w.decls, w.names);
  if (!m) FAIL(m.error().line << ":" << m.error().column << ": " << m.error().message);
  std::vector<std::string> out;
  for (const nir::Violation& v : nir::verify(w.texts(), *m)) out.push_back(v.message);
  return out;
}

constexpr const char* locals = R"(  param p: Parcel
  let s: String
  let n: i64
  let b: bool
  let v: ref Parcel
  let xs: Vec[Parcel]
  error e: errors(?)
  let q: String?
  let r: Reply
)";

std::vector<std::string> body(const std::string& text, const std::string& header = "fn main #0 (p) {") {
  return violations(header + "\n" + locals + text + "}\n");
}

using One = std::vector<std::string>;

}  // namespace

TEST_CASE("a sound function has nothing wrong with it") {
  CHECK(body(R"(
    declare s
    declare n
    declare b
    declare xs
    declare q
    declare r
    s = move p.label
    n = add copy p.grams, 1
    b = lt copy n, 12
    q = some move s
    store p.label = move q.?
    r = variant Nothing of Reply ()
    xs = list Vec[Parcel] ()
    if copy b {
      call Vec.push[Parcel](lend_mut xs, move p)
    } else {
      n = call Vec.len[Parcel](lend xs) -> i64
    }
    walk L0 lend xs as v {
      again L0
    }
    drop xs
    return
)")
            .empty());
}

TEST_CASE("locals live from their declaration to the end of its region") {
  CHECK(body("n = 1\n return\n") == One{"uses a local outside the region of its declaration"});
  CHECK(body("scope {\n declare n\n }\n n = 1\n return\n") ==
        One{"uses a local outside the region of its declaration"});
  CHECK(body("declare n\n declare n\n return\n") == One{"declares a local that is declared here already"});
  CHECK(body("scope {\n declare n\n n = 1\n }\n scope {\n declare n\n n = 1\n }\n return\n").empty());
}

TEST_CASE("places have the parts they name, of the types they say") {
  CHECK(body("declare n\n n = copy p.grams<i32>: i64\n return\n").size() == 2);
  CHECK(body("declare b\n b = copy p.grams\n return\n") == One{"assigns `i64` where `bool` belongs"});
  CHECK(body("declare xs\n declare n\n declare b\n n = copy xs[b].grams\n return\n") == One{"an index of type `bool`"});
}

TEST_CASE("operands are used as their types allow") {
  CHECK(body("declare s\n s = copy p.label\n return\n") == One{"copies a `String`"});
  CHECK(body("declare s\n s = dup p.label\n return\n") == One{"duplicates a `String`"});
  CHECK(body("declare v\n v = lend p: ref String\n return\n").size() == 2);
  CHECK(body("declare v\n v = lend_mut p\n return\n").empty());
  CHECK(body("declare s\n s = 1: String\n return\n") == One{"a constant that is no `String`"});
}

TEST_CASE("control is structured") {
  CHECK(body("leave L0\n") == One{"jumps to a label that is not around it, or not of its kind"});
  CHECK(body("block L0 {\n again L0\n }\n return\n") ==
        One{"jumps to a label that is not around it, or not of its kind"});
  CHECK(body("block L0 {\n block L0 {\n leave L0\n }\n leave L0\n }\n return\n").size() == 2);
  CHECK(body("declare n\n n = 1\n") == One{"control runs off the end of the body or of a failure edge behind this"});
  CHECK(body("unreachable\n return\n") == One{"ends its region, and more follows"});
  CHECK(body("if 1 {\n }\n return\n") == One{"a condition has the type `i64`"});
  CHECK(body("switch 1 {\n case 1, 1 {\n }\n }\n return\n") == One{"names one case twice"});
  CHECK(body("switch \"x\" {\n }\n return\n") == One{"switches on `ref String`"});
}

TEST_CASE("failures go where the function can fail") {
  CHECK(body("fail move e\n").size() == 2);  // not declared here either
  CHECK(body("guard L0 {\n raise L0 move e\n } catch e {\n }\n return\n") ==
        One{"uses a local outside the region of its declaration"});
  CHECK(body("cleanup p into p\n return\n").empty());
  CHECK(body("cleanup p into e\n return\n").size() == 1);  // not declared here
}

TEST_CASE("a function hands back what it says") {
  CHECK(body("return\n", "fn main #0 (p) -> i64 {") == One{"returns nothing from a function that hands back `i64`"});
  CHECK(body("return \"x\"\n", "fn main #0 (p) -> i64 {") == One{"returns `ref String` where `i64` belongs"});
  CHECK(body("return 1\n", "fn main #0 (p) -> i64 {").empty());
}

TEST_CASE("calls give what the callee takes") {
  CHECK(body("call keep(move p.label, 1)\n return\n") == One{"calls a function of 1 parameters with 2 arguments"});
  CHECK(body("call keep(1)\n return\n") == One{"passes `i64` where `String` belongs"});
  CHECK(body("call keep(move p.label)\n call look(lend p.label)\n return\n").empty());
  CHECK(body("declare b\n b = call count(1) -> bool\n declare n\n n = call count(1) -> bool\n return\n") ==
        One{"assigns `bool` where `i64` belongs"});
  const std::string failing = "fn count #1 (%0) -> i64 fails of count {\n  param %0: i64\n  return 1\n}\n";
  CHECK(violations("fn main #0 () {\n  temp %0: i64\n  declare %0\n  %0 = call count(1) -> i64\n  return\n}\n" +
                   failing) == One{"has no failure edge for a function that can fail"});
}

TEST_CASE("closures get what they capture") {
  const std::string inner = "closure \"main{closure 1}\" #1 () inside #0 {\n  capture c: ref String\n  return\n}\n";
  const auto captured = [&](const std::string& how) {
    return violations("fn main #0 (s) {\n  param s: String\n  temp %1: fn() -> ()\n  declare %1\n  %1 = closure " +
                      how + "\n  return\n}\n" + inner);
  };
  CHECK(captured("#1 (lend s as %0)").empty());
  CHECK(captured("#1 ()") == One{"captures 0 names for a closure that has 1"});
  CHECK(captured("#1 (lend_mut s as %0)") == One{"lends a captured `String` as `ref String`"});
  CHECK(captured("#1 (move s as %0)") == One{"captures `String` where `ref String` belongs"});
  CHECK(captured("kept #1 (lend s as %0)") == One{"a closure that is kept captures a loan"});
  const std::string other = "closure \"main{closure 1}\" #1 () inside #1 {\n  return\n}\n";
  CHECK(violations("fn main #0 () {\n  temp %0: fn() -> ()\n  declare %0\n  %0 = closure #1 ()\n  return\n}\n" +
                   other) == One{"a closure that is written in another function"});
}

TEST_CASE("making a value names its parts") {
  CHECK(body("declare r\n r = variant Pair of Reply (move p.label)\n return\n") == One{"makes `Reply` of 1 parts"});
  CHECK(body("declare r\n r = variant Text of Reply (1)\n return\n") ==
        One{"makes a part of `i64` where `String` belongs"});
  CHECK(body("declare q\n q = some 1\n return\n") == One{"assigns `i64?` where `String?` belongs"});
  CHECK(body("declare b\n b = is_null p\n return\n") == One{"what is asked for null has the type `Parcel`"});
}

TEST_CASE("a violation is described with its function and instruction") {
  World w;
  auto m = nir::parse_module("fn main #0 () {\n  let b: bool\n  declare b\n  b = 1\n  return\n}\n", w.types, w.decls,
                             w.names);
  REQUIRE(m);
  const auto all = nir::verify(w.texts(), *m);
  REQUIRE(all.size() == 1);
  CHECK(nir::describe(w.texts(), *m, all[0]) ==
        "the NIR of `main` is wrong: assigns `i64` where `bool` belongs, in `b = 1`");
}
