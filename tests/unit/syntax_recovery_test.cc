// Going on after an error, and the limits that keep any input cheap.
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "tests/unit/syntax_support.h"

using namespace nikaia::lang;
using testing::parse_text;

namespace {

std::vector<std::uint32_t> lines_of_errors(const testing::Parsed& parsed) {
  std::vector<std::uint32_t> lines;
  for (const Diagnostic& message : parsed.messages) lines.push_back(parsed.line(message));
  return lines;
}

std::string repeated(std::string_view text, std::size_t bytes) {
  std::string out;
  out.reserve(bytes + text.size());
  while (out.size() < bytes) out += text;
  return out;
}

bool mentions(const testing::Parsed& parsed, std::string_view words) {
  for (const Diagnostic& message : parsed.messages)
    if (message.message.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("Independent errors are reported in the order of the source") {
  auto parsed = parse_text(R"(fn a {
    let = 1
    let b = 2
    f(1 2)
    if x {
        y = = z
        ok()
    }
    ok()
}
struct S { a }
fn c() throws -> i64 { }
enum E { A = 1 }
fn d {
    let x = (
        1 +
        * 3
    )
    let y =
}
)");
  CHECK(lines_of_errors(parsed) == std::vector<std::uint32_t>{2, 4, 6, 11, 12, 13, 17, 20});
  CHECK(parsed.tree.roots.size() == 5);
}

TEST_CASE("What stands around an error stays in the tree") {
  auto parsed = parse_text("fn a { b()\nlet = 1\nc() }\nfn d { }");
  REQUIRE(parsed.tree.roots.size() == 2);
  CHECK(testing::Structure(parsed).first_body() == "(call b [] []) (error) (call c [] [])");
}

TEST_CASE("A missing brace is one error, and the items behind it are read") {
  auto parsed = parse_text("fn a {\n    if b {\n    c()\n}\n\nfn d {\n    let = 1\n}\n");
  CHECK(lines_of_errors(parsed) == std::vector<std::uint32_t>{6, 7});
  CHECK(mentions(parsed, "is a `}` missing"));

  parsed = parse_text(
      "impl A {\n    fn a(self) {\n        if b {\n    }\n    fn c(self) { }\n}\n\nstruct S { a: "
      "i64 }\n");
  CHECK(parsed.messages.size() == 1);

  parsed = parse_text("impl A {\n    fn a(self) { }\n\nstruct S { a: i64 }\nfn f { }\n");
  CHECK(lines_of_errors(parsed) == std::vector<std::uint32_t>{4});

  parsed = parse_text("fn a {\n    b()\n");
  CHECK(lines_of_errors(parsed) == std::vector<std::uint32_t>{1});

  parsed = parse_text("fn a {\n    f(b\n    c()\n}\nfn d { }\n");
  CHECK(lines_of_errors(parsed) == std::vector<std::uint32_t>{3});
}

TEST_CASE("A bracket too many is one error") {
  CHECK(lines_of_errors(parse_text("fn a { b()) \n c() }")) == std::vector<std::uint32_t>{1});
  CHECK(lines_of_errors(parse_text("fn a { }\n}\nfn b { }")) == std::vector<std::uint32_t>{2});
}

TEST_CASE("A literal that is never closed is the only error behind its opening") {
  auto parsed = parse_text("fn a {\n let = 1\n print(\"x)\n let = 2\n}\n");
  CHECK(lines_of_errors(parsed) == std::vector<std::uint32_t>{2, 3});
  parsed = parse_text("fn a {\n f\"{b(f\"{c\n}\n");
  CHECK(lines_of_errors(parsed) == std::vector<std::uint32_t>{2});
}

TEST_CASE("Coded findings wait until the syntax is right") {
  auto parsed = parse_text("fn a {\n break\n let = 1\n}\n");
  CHECK(lines_of_errors(parsed) == std::vector<std::uint32_t>{3});
}

TEST_CASE("A file shows twenty syntax errors and says that it stopped") {
  auto parsed = parse_text("fn a {\n" + repeated("let = 1\n", 800) + "}\n");
  CHECK(parsed.messages.size() == 20);
  REQUIRE(parsed.messages.back().notes.size() == 1);
  CHECK(parsed.messages.back().notes[0].find("20") != std::string::npos);
}

TEST_CASE("Nesting is bounded, and the message names the limit") {
  auto nested = [](std::size_t levels) {
    return "fn a { let x = " + std::string(levels, '(') + "1" + std::string(levels, ')') + " }";
  };
  CHECK(parse_text(nested(200)).is_clean());
  for (std::string text :
       {nested(300), "fn a " + repeated("{", 300) + repeated("}", 300), "fn a(x: " + repeated("A[", 800) + "B",
        "fn a { match x { " + repeated("A::B(", 2000) + "x", "fn a { " + repeated("-", 400) + "x }",
        "fn a { " + repeated("f\"{", 1200) + "x" + repeated("}\"", 800) + " }"}) {
    auto parsed = parse_text(text);
    REQUIRE(!parsed.messages.empty());
    CHECK(mentions(parsed, "256"));
    CHECK(parsed.messages.size() == 1);
  }
}

TEST_CASE("Chains that make a high tree are bounded, long lists are not") {
  for (std::string text :
       {"fn a { let x = " + repeated("b + ", 8000) + "c }", "fn a { b" + repeated(".c()", 8000) + " }",
        "fn a { " + repeated("if b { } else ", 20000) + "{ } }", "fn a { b" + repeated(" ?? c", 8000) + " }",
        "fn a { b" + repeated(" as c", 8000) + " }"}) {
    auto parsed = parse_text(text);
    REQUIRE(parsed.messages.size() == 1);
    CHECK(mentions(parsed, "1000"));
  }
  CHECK(parse_text("fn a { let x = " + repeated("b + ", 3600) + "c }").is_clean());
  CHECK(parse_text("fn a { let x = [" + repeated("b + c, ", 100000) + "] }").is_clean());
  CHECK(parse_text("fn a { " + repeated("b()\n", 100000) + "}").is_clean());
  CHECK(parse_text("fn a { match x { " + repeated("b => c\n", 100000) + "} }").is_clean());
}

// A pass over the file that is repeated for each error or each nested block would take minutes
// here.
TEST_CASE("Hostile files take time in proportion to their size") {
  constexpr std::size_t bytes = 4'000'000;
  constexpr auto far_too_long = std::chrono::seconds(60);
  for (std::string_view text : {"(",
                                "[",
                                "{",
                                "\"",
                                "'",
                                "f\"",
                                "f\"{",
                                "f\"{{",
                                "f\"{(",
                                "f\"{a:",
                                "/*",
                                "dsl x { ",
                                "if a { ",
                                "return if a ",
                                "match x { ",
                                "select { a = ",
                                "overlap { ",
                                "fn { ",
                                "a fn { ",
                                "a ?? ",
                                "a<",
                                "-",
                                "ref ",
                                "break ",
                                "else ",
                                "$",
                                "`",
                                "\xc3\xa9 ",
                                ";",
                                ",",
                                "@",
                                "fn a {",
                                "fn a { let \n",
                                "impl A { fn a {",
                                "struct A {",
                                "grammar G {",
                                "A[",
                                "A::",
                                "loop { ",
                                "let = 3\n",
                                "///\n",
                                "\r\n",
                                "\\u{",
                                "a.",
                                "f\"{ {",
                                "grammar G { fn(",
                                "grammar G { fn {",
                                "grammar G { { a } | }"}) {
    for (bool is_in_function : {false, true}) {
      CAPTURE(text, is_in_function);
      std::string file = is_in_function ? "fn main {\n" + repeated(text, bytes) : repeated(text, bytes);
      auto begin = std::chrono::steady_clock::now();
      auto parsed = parse_text(std::move(file));
      CHECK(std::chrono::steady_clock::now() - begin < far_too_long);
      CHECK(parsed.messages.size() <= 21);
    }
  }
}
