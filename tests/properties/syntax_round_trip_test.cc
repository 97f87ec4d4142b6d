// Printing and parsing are each other's inverse, and the parser ends on whatever it is given:
// programs made from the grammar at random, and the programs of the fuzzer's corpus with tokens
// taken out, doubled, swapped and put in.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <rapidcheck.h>
#include <sstream>
#include <string>
#include <vector>

#include "lang/syntax/lexer.h"
#include "tests/unit/syntax_support.h"

using namespace nikaia::lang;

namespace {

std::vector<std::string> seeds() {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(NIKAIA_CORPORA "/parser/corpus")) {
    std::stringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

// The file's tokens, each with the white space and comments before it.
std::vector<std::string> pieces_of(const std::string& text) {
  SourceMap sources;
  syntax::SyntaxErrors errors;
  FileId file = sources.add("seed.nika", text);
  syntax::Tokens tokens = syntax::lex(file, sources, errors);
  std::vector<std::string> pieces;
  std::size_t begin = 0;
  for (const syntax::Token& token : tokens.tokens) {
    pieces.push_back(text.substr(begin, token.end - begin));
    begin = token.end;
  }
  return pieces;
}

int below(int end) {
  return *rc::gen::inRange(0, end);
}

std::string mutated(std::vector<std::string> pieces, const std::vector<std::string>& pool) {
  auto any = [&](const auto& list) { return static_cast<std::size_t>(below(static_cast<int>(list.size()))); };
  for (int changes = 1 + below(4); changes > 0 && pieces.size() > 1; --changes) {
    std::size_t at = any(pieces);
    switch (below(5)) {
      case 0: pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(at)); break;
      case 1: pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(at), " " + pool[any(pool)]); break;
      case 2: pieces[at] = " " + pool[any(pool)]; break;
      case 3: std::swap(pieces[at], pieces[any(pieces)]); break;
      default: pieces[at] = "\n" + pieces[at];
    }
  }
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  return text;
}

// Programs from the grammar. `fuel` bounds their size.
class Writer {
 public:
  std::string program() {
    std::string text;
    for (int items = 1 + below(3); items > 0; --items) text += item() + "\n";
    return text;
  }

 private:
  template <class... Options>
  std::string one_of(Options... options) {
    std::string list[] = {options...};
    return list[below(static_cast<int>(sizeof...(options)))];
  }
  std::string name() { return one_of("a", "b2", "_c", "loop", "Thing"); }
  bool is_out_of_fuel() { return --fuel_ < 0; }

  std::string item() {
    switch (below(5)) {
      case 0: return "struct S { a: " + type() + ", pub b: " + type() + " }";
      case 1: return "enum E { A, B(" + type() + "), C { d: " + type() + " } }";
      case 2: return "comptime N: " + type() + " = " + expr();
      case 3: return "impl T { fn m(ref self, a: " + type() + "; n: i64 = -3) -> " + type() + " sync " + block() + " }";
      default: return "fn f(a: " + type() + ") " + block();
    }
  }
  std::string type() {
    if (is_out_of_fuel()) return "i64";
    switch (below(6)) {
      case 0: return "ref " + name() + "?";
      case 1: return "Vec[" + type() + "]";
      case 2: return "(" + type() + ", " + type() + ")";
      case 3: return "fn(" + type() + ") -> " + type() + one_of("", " sync", " throws");
      case 4: return "a::B[" + type() + ", 3]?";
      default: return name();
    }
  }
  std::string block() {
    std::string text = "{ ";
    for (int statements = below(4); statements > 0; --statements) text += statement() + one_of("\n", "\n", " ");
    return text + "}";
  }
  std::string statement() {
    if (is_out_of_fuel()) return name();
    switch (below(11)) {
      case 0: return "let " + one_of("", "mut ") + name() + " = " + expr();
      case 1: return "let (a, mut b, _) = " + expr();
      case 2: return name() + one_of(".x", "[1]", ".0", "") + one_of(" = ", " += ", " <<= ") + expr();
      case 3: return "while " + head() + " " + block();
      case 4: return "for x in " + head() + " " + block();
      case 5: return "return " + expr();
      case 6: return one_of("return", "return 1", "throw e") + " if " + head();
      case 7: return "comptime n = " + expr();
      default: return expr();
    }
  }
  std::string head() { return is_out_of_fuel() ? name() : one_of(name(), "(" + expr() + ")", name() + " < " + name()); }
  std::string expr() {
    if (is_out_of_fuel()) return one_of("1", "a", "\"t\"", "2.5", "'c'", "null", "self");
    switch (below(22)) {
      case 0: return "(" + expr() + ") + (" + expr() + ") * c";
      case 1: return "-" + postfix();
      case 2: return "!" + postfix() + " && b || c";
      case 3: return "ref " + postfix();
      case 4: return postfix() + " ?? " + postfix();
      case 5: return postfix() + " ?? return";
      case 6: return postfix() + ".." + postfix();
      case 7: return postfix() + " as " + name();
      case 8: return postfix() + " catch " + block();
      case 9: return "if " + head() + " " + block() + " else " + block();
      case 10: return "match " + head() + " { " + pattern() + " => " + expr() + ", else => " + block() + " }";
      case 11: return "fn(x) " + block();
      case 12: return "spawn fn " + block();
      case 13: return "f\"t{" + expr() + one_of("", ":>8", ":.2") + "}\\n{{\"";
      case 14: return "[" + expr() + ", " + expr() + "]";
      case 15: return "(" + expr() + ", " + expr() + ")";
      case 16: return "overlap { a() " + block() + " }";
      case 17: return "select { a = b() => " + expr() + ", _ = c() => " + block() + " }";
      case 18: return postfix() + " < " + postfix();
      case 19: return "unsafe " + block();
      default: return postfix();
    }
  }
  std::string postfix() {
    if (is_out_of_fuel()) return name();
    switch (below(9)) {
      case 0: return postfix() + "." + name();
      case 1: return postfix() + "?.0";
      case 2: return postfix() + "(" + expr() + "; n: " + expr() + ")";
      case 3: return postfix() + "[" + expr() + "]";
      case 4: return name() + ".map fn(x) " + block();
      case 5: return name() + " with { a: " + expr() + ", b }";
      case 6: return "Thing { a: " + expr() + " }";
      case 7: return "(" + expr() + ")";
      default: return name();
    }
  }
  std::string pattern() {
    if (is_out_of_fuel()) return "_x";
    switch (below(7)) {
      case 0: return "A::B(" + pattern() + ", _)";
      case 1: return "A::C { x: " + pattern() + ", .. }";
      case 2: return "(" + pattern() + ", " + pattern() + ")";
      case 3: return pattern() + " | 3";
      case 4: return "-5..7";
      case 5: return "\"t\"";
      default: return name();
    }
  }

  int fuel_ = 60;
};

}  // namespace

TEST_CASE("A program written from the grammar is printed and read back as itself") {
  int without_error = 0;
  CHECK(rc::check([&] {
    std::string text = Writer().program();
    without_error += testing::parse_text(text).tree.has_syntax_error ? 0 : 1;
    RC_LOG(text);
    std::string fault = testing::round_trip_fault(text);
    if (!fault.empty()) RC_FAIL(fault);
  }));
  CHECK(without_error > 50);  // of 100: the writer knows the grammar, not every rule of lines
}

TEST_CASE("A program with tokens changed is refused or read back as itself") {
  std::vector<std::vector<std::string>> programs;
  std::vector<std::string> pool;
  for (const std::string& text : seeds()) {
    programs.push_back(pieces_of(text));
    pool.insert(pool.end(), programs.back().begin(), programs.back().end());
  }
  REQUIRE(programs.size() > 5);
  CHECK(rc::check([&] {
    std::string text = mutated(programs[static_cast<std::size_t>(below(static_cast<int>(programs.size())))], pool);
    RC_LOG(text);
    std::string fault = testing::round_trip_fault(text);
    if (!fault.empty()) RC_FAIL(fault);
  }));
}
