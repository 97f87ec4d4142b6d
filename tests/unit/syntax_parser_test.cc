// The parser: how statements, expressions, patterns, types and items are read, and what is refused
// where.
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "lang/syntax/parser.h"
#include "tests/unit/syntax_support.h"

using namespace nikaia::lang;
using testing::parse_text;

namespace {

// The structure of statements in a function's body.
std::string body(std::string_view statements) {
  auto parsed = parse_text("fn f {\n" + std::string(statements) + "\n}");
  std::string said;
  for (const Diagnostic& message : parsed.messages) said += message.message + " ";
  INFO(statements);
  INFO(said);
  CHECK(parsed.is_clean());
  return testing::Structure(parsed).first_body();
}

void accepts(std::string_view text) {
  auto parsed = parse_text(std::string(text));
  INFO(text);
  INFO((parsed.messages.empty() ? std::string() : parsed.messages[0].message));
  CHECK(parsed.is_clean());
}

// Exactly one message: of `code` (none: a syntax error), in `line`, with `words` in its headline or
// a help.
void refuses(std::string_view text, Code code, std::uint32_t line, std::string_view words) {
  auto parsed = parse_text(std::string(text));
  INFO(text);
  for (const Diagnostic& message : parsed.messages) UNSCOPED_INFO(message.message);
  REQUIRE(parsed.messages.size() == 1);
  const Diagnostic& message = parsed.messages[0];
  CHECK(message.code == code);
  CHECK(parsed.line(message) == line);
  CHECK(parsed.tree.has_syntax_error == (code == Code::none));
  std::string all = message.message;
  for (const Help& help : message.helps) all += "\n" + help.message;
  CHECK(all.find(words) != std::string::npos);
  CHECK(message.message.back() == '.');
  CHECK(!message.helps.empty());
}
void refuses(std::string_view text, std::uint32_t line, std::string_view words) {
  refuses(text, Code::none, line, words);
}
void refuses_statement(std::string_view statement, std::string_view words) {
  refuses("fn f {\n" + std::string(statement) + "\n}", Code::none, 2, words);
}
void finds(std::string_view statement, Code code) {
  refuses("fn f {\n" + std::string(statement) + "\n}", code, 2, "");
}

}  // namespace

TEST_CASE("Operators bind by the table") {
  CHECK(body("a + b * c") == "(+ a (* b c))");
  CHECK(body("a - b - c") == "(- (- a b) c)");
  CHECK(body("a << b + c") == "(<< a (+ b c))");
  CHECK(body("a | b ^ c & d << e") == "(| a (^ b (& c (<< d e))))");
  CHECK(body("a || b && c == d") == "(|| a (&& b (== c d)))");
  CHECK(body("a < b && c >= d || e") == "(|| (&& (< a b) (>= c d)) e)");
  CHECK(body("a * b % c / d") == "(/ (% (* a b) c) d)");
  CHECK(body("-x as i64") == "(as (- x) (type no no no i64 [] - - 0))");
  CHECK(body("!a && -b == ref c") == "(&& (! a) (== (- b) (ref c)))");
  CHECK(body("-x.abs()") == "(- (call (. x abs) [] []))");
  CHECK(body("1..<k - 2") == "(..< 1 (- k 2))");
  CHECK(body("a ?? b..c") == "(.. (?? a b) c)");
  CHECK(body("left() + right() catch { 0 }") == "(catch (+ (call left [] []) (call right [] [])) (block [0]))");
  CHECK(body("a as f64 / b as f64").substr(0, 8) == "(/ (as a");
  CHECK(body("a ?? return b + c") == "(?? a (return (+ b c)))");
  CHECK(body("(a & 8) == 8") == "(== (paren (& a 8)) 8)");
}

TEST_CASE("Postfixes chain to the left") {
  CHECK(body("a.b(c)[d]?.e.0.1") == "(. (. (?. (index (call (. a b) [c] []) d) e) 0) 1)");
  CHECK(body("p with { a: 1, b }") == "(with p [(field a 1) (field b -)])");
  CHECK(body("p with { a: 1 } with { b: 2 }.c") == "(. (with (with p [(field a 1)]) [(field b 2)]) c)");
  CHECK(body("pick()(3)") == "(call (call pick [] []) [3] [])");
  CHECK(body("Relay::select.test.crew") == "(. (. Relay::select test) crew)");
}

TEST_CASE("Calls have positions and options") {
  CHECK(body("f(a, b; n: 1, m: 2)") == "(call f [a b] [(option n 1) (option m 2)])");
  CHECK(body("f(n: 1)") == "(call f [] [(option n 1)])");
  CHECK(body("f(a,)") == "(call f [a] [])");
  CHECK(body("f(a; n: 1,)") == "(call f [a] [(option n 1)])");
  CHECK(body("xs.map fn(x) { x }") == "(call-bare (. xs map) [(fn() [x] (block [x]))] [])");
  CHECK(body("f(a; n: 1) fn { b }") == "(call-fn f [a (fn [] (block [b]))] [(option n 1)])");
  CHECK(body("xs.map fn(x) { x }.len()") == "(call (. (call-bare (. xs map) [(fn() [x] (block [x]))] []) len) [] [])");
}

TEST_CASE("Lines decide where a call, an index, a value and a lambda belong") {
  CHECK(body("let t = gauge()\n(low, high)") == "(let [t] - (call gauge [] [])) (tuple [low high])");
  CHECK(body("gauge\n[1]") == "gauge (list [1])");
  CHECK(body("open() run()") == "(call open [] []) (call run [] [])");
  CHECK(body("return\na") == "(return -) a");
  CHECK(body("let w = x ?? return\na") == "(let [w] - (?? x (return -))) a");
  CHECK(body("f()\nfn { a }") == "(call f [] []) (fn [] (block [a]))");
  CHECK(body("a\n.b()\n?.c\n- d\n+ e") == "(+ (- (?. (call (. a b) [] []) c) d) e)");
  CHECK(body("a\n{ b }") == "a (block [b])");
  CHECK(body("a\nas i64\n+ 1").substr(0, 7) == "(+ (as ");
  CHECK(body("a /* \n */ (b)") == "a (paren b)");
  CHECK(body("a catch\n{ b }") == "(catch a (block [b]))");
}

TEST_CASE("Brackets do not lift the rules of lines") {
  refuses("fn f {\ng(a\n(b))\n}", 3, "Expected");
  refuses("fn f {\n(a\n[1])\n}", 3, "Expected");
}

TEST_CASE("Statements that begin with a brace or its word end at their brace") {
  CHECK(body("if a { b } - c") == "(if a (block [b]) -) (- c)");
  CHECK(body("if a { b } else { c } (d)") == "(if a (block [b]) (block [c])) (paren d)");
  CHECK(body("if a { b } else { c }.len() + d") == "(+ (call (. (if a (block [b]) (block [c])) len) [] []) d)");
  CHECK(body("match a { b => c } ?? d") == "(?? (match a [(arm (bind no no b  - - [] []) - c)]) d)");
  CHECK(body("{ a } catch { b }") == "(catch (block [a]) (block [b]))");
  CHECK(body("while a { } -b") == "(while a (block [])) (- b)");
  CHECK(body("let x = if a { b } else { c } - d").substr(0, 11) == "(let [x] - ");
}

TEST_CASE("In a head the first brace opens the body") {
  CHECK(body("if a == b { c }") == "(if (== a b) (block [c]) -)");
  CHECK(body("if a == (B { c: 1 }) { d }") == "(if (== a (paren (struct B [(field c 1)] -))) (block [d]) -)");
  CHECK(body("while xs.any fn(x) { x } { a }") ==
        "(while (call-bare (. xs any) [(fn() [x] (block [x]))] []) (block [a]))");
  CHECK(body("for x in f([B { c: 1 }]) { }").empty() == false);
  refuses_statement("if a == B { c: 1 } { d }", "brackets");
  refuses_statement("if match a { b => c } { d }", "brackets");
  refuses_statement("while a catch { b } { c }", "brackets");
  refuses_statement("if p with { a: 1 } { c }", "brackets");
  refuses_statement("for x in if a { b } else { c } { d }", "brackets");
  refuses_statement("if { a } { b }", "condition");
}

TEST_CASE("Jumps carry a condition where they begin a statement") {
  CHECK(body("return 0 if n < 1") == "(jump-if (return 0) (< n 1))");
  CHECK(body("return if c") == "(jump-if (return -) c)");
  CHECK(body("return if c { a } else { b }") == "(return (if c (block [a]) (block [b])))");
  CHECK(body("throw e if c") == "(jump-if (throw e) c)");
  CHECK(body("while a { break if c continue if d x() }").find("(jump-if break c) (jump-if continue d)") !=
        std::string::npos);
  CHECK(body("return 1\nif c { a }") == "(return 1) (if c (block [a]) -)");
  refuses_statement("horn() if fog", "break");
  refuses_statement("throw\n", "throw");
  refuses_statement("throw", "throw");
}

TEST_CASE("Range forms") {
  refuses_statement("for i in 1..=3 { }", "..");
  refuses_statement("a..b..c", "range");
  refuses_statement("xs[1..]", "xs.len()");
  refuses_statement("let a = ..5", "both its ends");
  refuses_statement("match a { 1..<5 => b, else => c }", "moved by one");
  refuses_statement("match a { 1..=5 => b, else => c }", "`..`");
}

TEST_CASE("The operand and the fallback of ??") {
  CHECK(body("load ?? -1") == "(?? load (- 1))");
  CHECK(body("load ?? spare.at(2)") == "(?? load (call (. spare at) [2] []))");
  CHECK(body("a ?? b ?? throw e") == "(?? (?? a b) (throw e))");
  CHECK(body("-a ?? B { c }") == "(?? (- a) (struct B [(field c -)] -))");
  CHECK(body("a ?? [] ?? (b + c)") == "(?? (?? a (list [])) (paren (+ b c)))");
  CHECK(body("a ?? f\"x\" ?? xs.map fn(x) { x }").empty() == false);
  refuses_statement("load??", "panic");
  refuses("fn f {\nlet a = load ??\nlet b = 1\n}", 2, "panic");
  refuses_statement("load ?? 1 < 9", "brackets");
  refuses_statement("1 + load ?? 1", "brackets");
  refuses_statement("load as i64 ?? 1", "brackets");
  refuses_statement("load ?? 1 as i64", "brackets");
  refuses_statement("load ?? if c { 1 } else { 2 }", "brackets");
  for (std::string word : {"{ 1 }", "match a { b => c }", "fn { 1 }", "spawn fn { 1 }", "unsafe { 1 }",
                           "overlap { a b }", "select { a = b => c, d = e => f }", "!a", "-a", "ref a"})
    refuses_statement("load ?? " + word, "brackets");
}

TEST_CASE("catch ends its expression") {
  refuses_statement("f() catch { 0 } + 1", "brackets");
  refuses_statement("f() catch { 0 }.len()", "brackets");
  refuses_statement("f() catch { 0 } catch { 1 }", "handler");
  CHECK(body("n += f() catch { 0 }") == "(+= n (catch (call f [] []) (block [0])))");
  CHECK(body("return f() catch { 0 }") == "(return (catch (call f [] []) (block [0])))");
}

TEST_CASE("Comparisons don't chain") {
  refuses_statement("a < b < c", "&&");
  refuses_statement("a == b != c", "&&");
}

TEST_CASE("NK1197: a bit operator bare beside a comparison") {
  finds("let x = flags & 8 == 8", Code::NK1197);
  finds("let x = 8 != a << 1", Code::NK1197);
  accepts("fn f { let x = (flags & 8) == 8 && a + 1 < b }");
}

TEST_CASE("let") {
  CHECK(body("let a = 1") == "(let [a] - 1)");
  CHECK(body("let mut a: i64 = 1") == "(let [(mut a)] (type no no no i64 [] - - 0) 1)");
  CHECK(body("let (a, mut b, _) = t") == "(let() [a (mut b) _] - t)");
  CHECK(body("let mut (a, _) = t") == "(let() [(mut a) _] - t)");
  CHECK(body("let self = 1") == "(let [self] - 1)");
  CHECK(body("let n = comptime a + b") == "(comptime n - (+ a b))");
  CHECK(body("comptime n: i64 = 1").substr(0, 12) == "(comptime n ");
  refuses_statement("let while = 1", "`while` is a reserved word");
  refuses_statement("let a", "value");
  refuses_statement("let (a, (b, c)) = t", "flat");
  refuses_statement("let (a) = t", "two parts");
  refuses_statement("let a, b = t", "let (a, b)");
  refuses_statement("let a += 1", "=");
  refuses_statement("let a b = 1", "=");
  refuses_statement("let (a, mut _) = t", "mut");
  finds("let (a, b): (i64, i64) = p", Code::NK1136);
  finds("let _ = f()", Code::NK1144);
  accepts("fn f { let (_, b) = p }");
}

TEST_CASE("Assignments") {
  CHECK(body("a.b[1].0 <<= c") == "(<<= (. (index (. a b) 1) 0) c)");
  CHECK(body("self.a = b") == "(= (. self a) b)");
  CHECK(body("a = 1 b -= 2") == "(= a 1) (-= b 2)");
  refuses_statement("a + b = 1", "assign");
  refuses_statement("f() = 1", "assign");
  refuses_statement("(a) = 1", "assign");
  refuses_statement("a?.b = 1", "assign");
  refuses_statement("A::b = 1", "assign");
  refuses_statement("a = b = 1", "assignment");
  refuses_statement("if a = b { c }", "==");
  refuses_statement("match a { b => c = 1 }", "block");
}

TEST_CASE("A semicolon ends nothing") {
  refuses_statement("let a = 1;", "doesn't end with a `;`");
  refuses_statement("f(); g()", "doesn't end with a `;`");
}

TEST_CASE("Loops") {
  CHECK(body("for (k, v) in m { }") == "(for() [k v] m (block []))");
  CHECK(body("for _ in 0..<3 { a }") == "(for [_] (..< 0 3) (block [a]))");
  refuses_statement("for mut x in xs { }", "mut");
  refuses_statement("for (a, mut b) in xs { }", "mut");
  refuses_statement("for a, b in xs { }", "brackets");
  refuses_statement("for x of xs { }", "in");
}

TEST_CASE("NK1132: jumps that meet no loop") {
  finds("break", Code::NK1132);
  finds("if a { continue }", Code::NK1132);
  finds("for x in xs { ys.each fn(y) { continue } }", Code::NK1132);
  finds("for x in xs { spawn fn { break } }", Code::NK1132);
  finds("for x in xs { overlap { { break } f() } }", Code::NK1132);
  finds("for x in xs { select { a = { break } => b, c = d => e } }", Code::NK1132);
  accepts("fn f { for x in xs { let y = g(x) catch { break } } }");
  accepts("fn f { for x in xs { select { a = b => { break }, c = d => { continue } } } }");
  accepts("fn f { xs.each fn(x) { while a { break } } }");
  accepts("fn f { for x in xs { if a { break } else { match b { c => continue } } } }");
  auto parsed = parse_text("fn f {\nfor x in xs {\nys.each fn(y) {\nbreak } } }");
  REQUIRE(parsed.messages.size() == 1);
  REQUIRE(parsed.messages[0].labels.size() == 1);
  CHECK(parsed.sources.line_of(parsed.tree.file, parsed.messages[0].labels[0].span.begin) == 3);
}

TEST_CASE("NK1133: a statement after break or continue") {
  refuses("fn f { while a {\nbreak\ntotal\n} }", Code::NK1133, 3, "");
  refuses("fn f { while a {\nbreak total\n} }", Code::NK1133, 2, "value");
  refuses("fn f { while a {\ncontinue\nlet b = 1\nb\n} }", Code::NK1133, 3, "");
  accepts("fn f { while a { break if c d() } }");
  accepts("fn f { return 1 g() }");
}

TEST_CASE("match") {
  CHECK(body("match a { 1 => b, else => c }") == "(match a [(arm (literal no no -  1 - [] []) - b) (arm - - c)])");
  CHECK(body("match a { x if x > 1 => { b } y => if c { d } else => e }").find("(arm - - e)") != std::string::npos);
  CHECK(body("match a { A::B(x, _) | A::C { y: 1, .. } => z }").find("(either") != std::string::npos);
  CHECK(body("match a { -7..-1 => b 'a'..'f' => c }").find("(range no no -  (- 7) (- 1)") != std::string::npos);
  CHECK(body("match a { self => b }").find("(bind no no self") != std::string::npos);
  finds("match a { _ => b }", Code::NK1150);
  finds("match a { _ if c => b, else => d }", Code::NK1150);
  accepts("fn f { match a { (_, 1) => b, A::B(_) => c, else => d } }");
  refuses_statement("match a { else => b, c => d }", "last");
  refuses_statement("match a { 1 -> b }", "=>");
  refuses_statement("match a { 1, 2 => b }", "|");
  refuses_statement("match a { f\"x\" => b }", "pattern");
  refuses_statement("match a { null => b }", "??");
  refuses_statement("match a { 1.5 => b }", "guard");
  refuses_statement("match a { mut x => b }", "mut");
  refuses_statement("match a { [x] => b }", "index");
  refuses_statement("match a { A::B() => b }", "without brackets");
  refuses_statement("match a { (x) => b }", "two parts");
  refuses_statement("match a { A { .., b } => c }", "last");
  refuses("fn f {\nmatch a { true => 7\n-1 => 8 }\n}", 3, "`-`");
}

TEST_CASE("Lambdas and tasks") {
  CHECK(body("let g = fn(a, mut b, _) { a }") == "(let [g] - (fn() [a (mut b) _] (block [a])))");
  CHECK(body("spawn fn { a }") == "(spawn (fn [] (block [a])))");
  CHECK(body("spawn fn(a) { a }") == "(spawn (fn() [a] (block [a])))");
  CHECK(body("fn(self) { 1 }") == "(fn() [self] (block [1]))");
  refuses_statement("let g = fn: x", "fn { … }");
  refuses_statement("let g = fn(x): x", "fn(x)");
  refuses_statement("let g = fn(x) sync { x }", "sync");
  refuses_statement("let g = fn(x) throws { x }", "throws");
  refuses_statement("let g = fn(x) -> i64 { x }", "result");
  refuses_statement("let g = fn(x: i64) { x }", "types");
  refuses_statement("let g = fn((a, b)) { a }", "taken apart");
  refuses_statement("let g = fn(x) => x", "block");
  refuses_statement("spawn(f)", "fn");
  refuses_statement("spawn f", "fn");
}

TEST_CASE("overlap and select") {
  finds("overlap { a() }", Code::NK2942);
  finds("overlap { }", Code::NK2942);
  finds("select { a = b => c }", Code::NK2942);
  finds("select { }", Code::NK2942);
  accepts("fn f { overlap { a() b() } }");
  accepts("fn f { select { a = b => c, (d, _) = e => { f } } }");
  std::string arms;
  for (int i = 0; i < 9; ++i) arms += "_ = a() => b\n";
  refuses("fn f { select {\n" + arms + "} }", Code::NK2942, 10, "");
  finds("overlap { { return 1 } b() }", Code::NK2945);
  finds("overlap { if a { return } b() }", Code::NK2945);
  finds("select { a = { return } => c, d = e => f }", Code::NK2945);
  accepts("fn f { overlap { xs.map fn(x) { return x } b() } }");
  accepts("fn f { select { a = b => { return a }, d = e => f } }");
}

TEST_CASE("Arguments") {
  refuses_statement("f(a, n: 1)", "`;`");
  refuses_statement("f(; n: 1)", "Leave it out");
  refuses_statement("f(a; 3)", "named");
  refuses_statement("f(n: 1, a)", "before the options");
  refuses_statement("f(a;)", "none");
  refuses_statement("f(a b)", "`,`");
  refuses_statement("f(a; n: 1; m: 2)", "one `;`");
}

TEST_CASE("Names") {
  accepts("fn f { let class = 1 let template = 2 let loop = 3 let const = 4 loop + class }");
  refuses_statement("let x = _", "`_` is no value");
  refuses("fn match() { }", 1, "`match` is a reserved word");
  refuses("struct S { pub: i64 }", 1, "");
  refuses("fn f(in: i64) { }", 1, "`in` is a reserved word");
}

TEST_CASE("Braces behind a lower-case name hold statements, for names to refuse") {
  CHECK(body("loop { step() break }") == "(struct loop [] (block [(call step [] []) break]))");
  CHECK(body("lamp { a = 1 }") == "(struct lamp [] (block [(= a 1)]))");
  CHECK(body("lamp { a: 1 }") == "(struct lamp [(field a 1)] -)");
  CHECK(body("Lamp {}") == "(struct Lamp [] -)");
  CHECK(body("const X = 1") == "const (= X 1)");
  refuses_statement("Lamp { a = 1 }", "`:`");
}

TEST_CASE("Habits from other languages are answered") {
  refuses_statement("let m = HashMap[String, i64]()", "type's arguments");
  refuses_statement("let x: Vec<i64> = []", "Vec[i64]");
  refuses_statement("x++", "n += 1");
  refuses_statement("f()?", "takes no `?`");
  refuses_statement("let y = c ? a : b", "if c { a } else { b }");
  refuses_statement("if a and b { }", "&&");
  CHECK(body("a as i64 < b").substr(0, 6) == "(< (as");
}

TEST_CASE("with") {
  finds("p with {}", Code::NK1174);
  refuses("fn f {\np with\n{ a: 1 }\n}", 3, "line");
}

TEST_CASE("f-texts") {
  CHECK(body("f\"a{b:>8}{{c}}\"") == "(ftext [\"a\" (hole b :32>8) \"{c}\"])");
  CHECK(body("f\"{ {a} }\"") == "(ftext [(hole (block [a]) )])");
  refuses_statement("f\"{}\"", "empty");
  refuses_statement("f\"{ }\"", "empty");
  refuses_statement("f\"{:>8}\"", "empty");
  refuses_statement("f\"{n:q}\"", "format");
  refuses_statement("f\"}\"", "}}");
  refuses_statement("f\"{a b}\"", "}");
  refuses_statement("f\"{label(\\\"east\\\")}\"", "plain quotes");
}

TEST_CASE("dsl") {
  CHECK(body("dsl html { <p> } eod") == "(dsl html []  <p> )");
  CHECK(body("dsl db::sql(schema: S) { x } eod") == "(dsl db::sql [(option schema S)]  x )");
  refuses_statement("dsl X from e", "entry");
  refuses("fn f {\n\ndsl html { x }\n}", 3, "never closed");
}

TEST_CASE("ref mut and comptime have their places") {
  refuses("fn f(x: ref mut i64) { }", Code::NK1158, 1, "");
  finds("g(ref mut x)", Code::NK1158);
  accepts("impl T { fn f(ref mut self) { } }");
  accepts("extern \"C\" { fn f(x: ref mut i64) }");
  refuses_statement("g(comptime x)", "comptime");
}

TEST_CASE("Types") {
  accepts(
      "fn f(a: ref String?, b: Vec[bool?]?, c: (i64, A[B, 4]), d: fn(i64) -> i64? sync throws, e: "
      "(fn() -> A)?) { }");
  for (auto [type, words] : std::initializer_list<std::pair<std::string, std::string>>{{"(A, B)?", "struct"},
                                                                                       {"T??", "one"},
                                                                                       {"T? ?", "one"},
                                                                                       {"[T]", "Vec[T]"},
                                                                                       {"(A)", "brackets"},
                                                                                       {"&T", "ref"},
                                                                                       {"mut T", "mut"},
                                                                                       {"self", "Self"},
                                                                                       {"()", "->"},
                                                                                       {"fn(a: i64)", "names"},
                                                                                       {"fn() throws -> i64", "first"},
                                                                                       {"ref (A, B)", "ref"},
                                                                                       {"fn() sync sync", "once"},
                                                                                       {"while", "reserved"}})
    refuses("fn f(a: " + type + ") { }", 1, words);
}

TEST_CASE("Functions") {
  accepts("fn go { }");
  accepts(
      "fn f(a: i64, mut b: i64, _: C; n: i64 = -2, s: String = \"x\", v: S = S::Slow, z: i64? = "
      "null,) -> i64 sync(a) throws { }");
  accepts("fn f(n: i64 = 3) throws sync { }");
  accepts("fn pick() -> (fn(i64) -> i64) sync { }");
  accepts("fn f(a: i64; ...args: Self::dsl) { }");
  refuses("fn f() throws -> i64 { }", 1, "Write it first");
  refuses("fn f() sync -> i64 { }", 1, "Write it first");
  refuses("fn f() throws throws { }", 1, "once");
  refuses("fn f(; n: i64 = 3) { }", 1, "Leave it out");
  refuses("fn f(a: i64;) { }", 1, "none");
  refuses("fn f(a: i64, n: i64 = 3) { }", 1, "`;`");
  refuses("fn f(a: i64; n: i64) { }", 1, "default");
  refuses("fn f(n: i64 = 3, a: i64) { }", 1, "before the options");
  refuses("fn f(n: String = f\"x\") { }", 1, "f\"…\"");
  refuses("fn f(n: i64 = g()) { }", 1, "literal");
  refuses("fn f(n: i64 = 1 + 2) { }", 1, "literal");
  refuses("fn f(n: S = Slow) { }", 1, "enum");
  refuses("fn f(a) { }", 1, "type");
  refuses("fn f(a: i64, self) { }", 1, "self");
  refuses("fn f(self) { }", 1, "impl");
  refuses("fn f(self: i64) { }", 1, "self");
  refuses("impl T { fn f(mut self) { } }", 1, "ref mut self");
  refuses("impl T { fn f(a: i64, ref self) { } }", 1, "first");
  refuses("fn (a: i64) { }", 1, "name");
  refuses("fn f<T>() { }", 1, "[T]");
  refuses("fn f() { fn g() { } }", 1, "level of the file");
  refuses("fn f() {\nuse std::time\n}", 2, "top of the file");
  refuses("fn f() throws(A) { }", 1, "throws");
}

TEST_CASE("Structs and enums") {
  accepts("pub struct P[T: A + b::C] { pub a: T, b: fn(i64) -> bool sync }");
  accepts("struct M {}");
  accepts("struct S { self: i64, class: i64 }");
  accepts("enum E { A, B(i64, C), D { a: i64, }, }");
  refuses("struct P { a: i64 = 3 }", 1, "default");
  refuses("struct P { a: i64; b: i64 }", 1, "`,`");
  refuses("struct P { a }", 1, "type");
  refuses("struct P(i64)", 1, "braces");
  refuses("struct P { fn f() { } }", 1, "impl");
  refuses("enum E { }", 1, "at least one");
  refuses("enum E { pub A }", 1, "pub");
  refuses("enum E { A { pub a: i64 } }", 1, "pub");
  refuses("enum E { A = 3 }", 1, "number");
  refuses("enum E { A() }", 1, "without brackets");
}

TEST_CASE("Traits and impls") {
  accepts("trait T { fn a(ref self) -> i64 sync fn b fn c[A](x: A; n: i64 = 1) throws }");
  accepts("impl Tagged[T: Priced + Named, i64, 3] { pub fn(a: i64) -> Tagged[T] { } fn m(self) { } }");
  accepts("impl a::Tr for b::Ty[i64] { fn m(ref mut self, x: i64) { } }");
  accepts("impl T { pub extern \"C\" fn m(ref self) { } }");
  refuses("trait T { fn a(ref self) { } }", 1, "no body");
  refuses("trait T { pub fn a(ref self) }", 1, "pub");
  refuses("trait T[A] { }", 1, "type parameters");
  refuses("trait T: A { }", 1, "[T: A + B]");
  refuses("impl A for B { pub fn a(ref self) { } }", 1, "pub");
  refuses("impl A for B { fn(a: i64) -> B { } }", 1, "names no trait");
  refuses("impl A { fn[T](a: i64) -> A { } }", 1, "type parameters");
  refuses("impl A { let a = 1 }", 1, "method");
  refuses("pub impl A { }", 1, "pub");
}

TEST_CASE("Other items") {
  accepts("use tariff use tariff as t use std::time use std::fs::Mapped as m");
  accepts("comptime A: i64 = 3 pub comptime B = f(1)\nlet C = comptime 4");
  accepts("test \"a\" { } test \"b\" (n: i64) { } bench \"c\" { } fn bench() { bench }");
  accepts(
      "extern \"C\" { opaque type H released by f fn g(x: usize) } pub extern \"C\" fn f() { } pub "
      "extern \"C\" struct S { a: i64 }");
  accepts("pub grammar G { rule A = \"{\" { 1 } rule B = x:A { x } }");
  refuses("use tariff::Item", 1, "use tariff as p");
  refuses("use tariff::{A}", 1, "use tariff");
  refuses("use tariff::*", 1, "use tariff");
  refuses("use std::{time}", 1, "std::time");
  refuses("use tariff;", 1, "`;`");
  refuses("pub use tariff", 1, "pub");
  refuses("pub test \"a\" { }", 1, "pub");
  refuses("pub extern \"C\" { }", 1, "pub");
  refuses("extern \"D\" { }", 1, "\"C\"");
  refuses("extern \"C\" fn f() { }", 1, "pub");
  refuses("const A = 3", 1, "comptime");
  refuses("let a = 3", 1, "comptime");
  refuses("let = comptime 3", 1, "comptime");
  refuses("let mut a = comptime 3", 1, "comptime");
  refuses("println(1)", 1, "function");
  refuses("fn f { } }", 1, "closes nothing");
  refuses("class A { }", 1, "struct");
  refuses("test name { }", 1, "test \"adds up\"");
}

TEST_CASE("The code and the literals of a grammar") {
  accepts(
      "grammar G { rule a = \"{\" { b } c:d{2,3} { e } | { \"x\" } { } rule f = n:fold(g, z, fn(a, "
      "b) { a + b }) { n } }");
  refuses("grammar G { rule a = n:fold(b, z, fn(c, d) {\nbreak }) { n } }", Code::NK1132, 2, "");
  refuses("grammar G { rule a = b {\nbreak } }", Code::NK1132, 2, "");
  refuses("grammar G { rule a =\n\"\\d\" { } }", Code::NK1184, 2, "");
  refuses("grammar G { rule a =\nf\"x\" { } }", 2, "plain");
  refuses("grammar G { rule a = b {\nlet = 1 } | c { d } }", 2, "");
  accepts("grammar G { rule a = n:fold(b, z, fn(c, d) { for e in f { break } c }) { n } }");
}

TEST_CASE("Documentation belongs to items, members, fields and variants") {
  CHECK(testing::Structure(parse_text("/// a\n///b\n\n// c\npub fn f { }")).file().find("(doc \"a\nb\")") !=
        std::string::npos);
  CHECK(testing::Structure(parse_text("struct S {\n/// a\npub b: i64, /// c\nd: i64 }")).file().find("(doc \"a\") b") !=
        std::string::npos);
  CHECK(testing::Structure(parse_text("struct S {\n/// a\npub b: i64, /// c\nd: i64 }")).file().find("\"c\"") ==
        std::string::npos);
  CHECK(testing::Structure(parse_text("fn f {\n/// a\nb\n}")).file().find("doc") == std::string::npos);
  CHECK(testing::Structure(parse_text("trait T {\n/// a\nfn f }\nenum E {\n/// b\nA }")).file().find("(doc \"b\")") !=
        std::string::npos);
}
