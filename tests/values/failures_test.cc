// Failures, their long form and chain (04 §1.10-1.13), and values that hold themselves.
#include <catch2/catch.hpp>

#include "tests/values/values.h"

using namespace values;

namespace {

struct NoStation {
  String name;
  String message() const { return format("no tide station is called "_s, name); }
};
struct Spool {
  String message() const { return String::literal("could not flush spool/today.tmp"_s); }
};

constexpr Site raised{"src/tide.nika", 22, "heights", "NK-7QF"};
constexpr Site cleaned{"src/spool.nika", 57, "Spool::cleanup", "NK-3X0"};

struct Node {
  i64 value = 0;
  Maybe<Box<Node>> next;
};

}  // namespace

TEST_CASE("a failure knows its type, its site and what joined it") {
  static_assert(sizeof(Failure) == sizeof(void*));
  Failure failure = Failure::make(NoStation{owned("WICK")}, &raised);
  CHECK(failure.is<NoStation>());
  CHECK_FALSE(failure.is<Spool>());
  CHECK(plain(failure.as<NoStation>().name) == "WICK");
  CHECK(said(failure) == "no tide station is called WICK");
  failure.join(Failure::make(Spool{}, &cleaned));
  failure.join(Failure::make(Spool{}));
  CHECK(plain(failure.full()) ==
        "no tide station is called WICK\n"
        "  raised at src/tide.nika:22 in `heights` (NK-7QF)\n"
        "  together with: could not flush spool/today.tmp\n"
        "    raised at src/spool.nika:57 in `Spool::cleanup` (NK-3X0)\n"
        "  together with: could not flush spool/today.tmp\n"
        "    raised outside Nikaia source (no site)\n"
        "  no stack trace was captured; NIKAIA_TRACE=1 asks for one");
  CHECK(plain(error_full(Spool{})) ==
        "could not flush spool/today.tmp\n"
        "  raised outside Nikaia source (no site)\n"
        "  no stack trace was captured; NIKAIA_TRACE=1 asks for one");
}

TEST_CASE("results carry a value or a failure") {
  const auto parse = [](Str text) -> Result<i64> {
    const auto value = text_parse<i64>(text);
    if (!value.has()) {
      return Failure::make(NoStation{clone(text)}, &raised);
    }
    return *value;
  };
  CHECK(parse("7"_s).take() == 7);
  auto failed = parse("x"_s);
  CHECK(failed.failed());
  Result<void> passed = failed.take_failure();
  CHECK(passed.failed());
  CHECK(passed.take_failure().is<NoStation>());
}

TEST_CASE("a long chain is freed without the stack") {
  static_assert(sizeof(Maybe<Box<Node>>) == sizeof(void*));
  Node first;
  for (i64 i = 0; i < 1000000; ++i) {
    Node link;
    link.value = i;
    link.next = Maybe<Box<Node>>(Box<Node>(static_cast<Node&&>(first)));
    first = static_cast<Node&&>(link);
  }
  CHECK((*first.next.value()).value == 999998);
}

TEST_CASE("sums") {
  using Shape = Sum<double, String, Tuple<>>;
  Shape shape = Shape::make<1>(owned("round"));
  CHECK(shape.tag() == 1);
  CHECK(plain(shape.as<1>()) == "round");
  const Shape copy = clone(shape);
  CHECK(copy == shape);
  shape = Shape::make<0>(2.5);
  CHECK_FALSE(copy == shape);
  static_assert(sizeof(Maybe<Shape>) == sizeof(Shape));
  CHECK_FALSE(Maybe<Shape>().has());
  static_assert(!std::is_copy_constructible_v<Shape>);
  static_assert(std::is_trivially_copyable_v<Sum<i64, double>>);
  static_assert(copies<Maybe<Tuple<i64, Str>>>);
  static_assert(!copies<Vec<i64>> && !copies<Bytes> && !copies<Maybe<Bytes>>);
}

TEST_CASE("function values") {
  String prefix = owned("no ");
  Fn<String(i64)> kept([prefix = static_cast<String&&>(prefix)](i64 n) { return format(prefix, n); });
  const Fn<String(i64)> again = kept;
  kept = Fn<String(i64)>();
  CHECK(plain(again(7)) == "no 7");
  const auto twice = [](FnRef<i64(i64)> f, i64 x) { return f(f(x)); };
  CHECK(twice([](i64 x) { return x + 3; }, 1) == 7);
  const FnRef<Result<void>()> cannot_fail = [] {};
  CHECK(cannot_fail().ok());
}
