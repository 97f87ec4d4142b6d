// The lexer: tokens of chapter 01 §2, and the literals' values.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "lang/syntax/lexer.h"
#include "lang/syntax/literals.h"
#include "tests/unit/syntax_support.h"

using namespace nikaia::lang;
using syntax::TokenKind;

namespace {

struct Lexed {
  SourceMap sources;
  syntax::SyntaxErrors errors;
  syntax::Tokens tokens;
};

Lexed lex(std::string text) {
  Lexed lexed;
  FileId file = lexed.sources.add("test.nika", std::move(text));
  lexed.tokens = syntax::lex(file, lexed.sources, lexed.errors);
  return lexed;
}

// The tokens' texts, one line end before each that is first on its line.
std::string shown(std::string text) {
  Lexed lexed = lex(text);
  std::string out;
  for (const syntax::Token& token : lexed.tokens.tokens) {
    if (token.kind == TokenKind::end_of_file) break;
    if (!out.empty()) out += token.first_on_line ? "\n" : " ";
    out += text.substr(token.begin, token.end - token.begin);
  }
  if (!lexed.errors.empty()) out += " ERROR";
  return out;
}

std::vector<TokenKind> kinds(const std::string& text) {
  std::vector<TokenKind> out;
  for (const syntax::Token& token : lex(text).tokens.tokens) out.push_back(token.kind);
  out.pop_back();
  return out;
}

bool is_refused(std::string text) {
  return !lex(std::move(text)).errors.empty();
}

}  // namespace

TEST_CASE("Block comments nest, and know nothing of quotes and line comments") {
  CHECK(shown("a /* x /* y */ /* z */ w */ b") == "a b");
  CHECK(shown("a /* \" // */ b") == "a b");
  CHECK(shown("a /*! doc */ b /** doc */ c") == "a b c");
  CHECK(shown("a // b\nc") == "a\nc");
  CHECK(shown("a /* \n */ c") == "a\nc");
}

TEST_CASE("An unclosed comment is reported where it opens") {
  auto parsed = testing::parse_text("fn f { }\n/* a /* b */\nfn g { }\n");
  REQUIRE(parsed.messages.size() == 1);
  CHECK(parsed.line(parsed.messages[0]) == 2);
  CHECK(parsed.messages[0].message.find("comment") != std::string::npos);
  CHECK(!parsed.messages[0].helps.empty());
}

TEST_CASE("Every reserved word has its kind, and is a name after a dot or a double colon") {
  for (std::string_view word :
       {"as",      "break",  "catch",   "comptime", "continue", "dsl",  "else",  "enum",   "extern", "false",
        "fn",      "for",    "grammar", "if",       "impl",     "in",   "let",   "match",  "mut",    "null",
        "overlap", "pub",    "ref",     "return",   "select",   "self", "spawn", "struct", "sync",   "test",
        "throw",   "throws", "trait",   "true",     "unsafe",   "use",  "while", "with"}) {
    CAPTURE(word);
    std::string text(word);
    REQUIRE(kinds(text).size() == 1);
    CHECK(syntax::is_word(kinds(text)[0]));
    CHECK(syntax::spelling(kinds(text)[0]) == word);
    CHECK(kinds("a." + text)[2] == TokenKind::name);
    CHECK(kinds("a?." + text)[2] == TokenKind::name);
    CHECK(kinds("a::" + text)[2] == TokenKind::name);
    CHECK(kinds(text + "_") == std::vector{TokenKind::name});
  }
  for (std::string text :
       {"loop", "const", "macro", "quote", "from", "seq", "class", "int", "_12", "Self", "entry", "eod"})
    CHECK(kinds(text) == std::vector{TokenKind::name});
  CHECK(kinds("_") == std::vector{TokenKind::underscore});
}

TEST_CASE("Marks are taken by longest match") {
  CHECK(shown("a<<=b>>=c<<d>>e<=f>=g==h!=i&&j||k") == "a <<= b >>= c << d >> e <= f >= g == h != i && j || k");
  CHECK(shown("a..<b..c...d..=e") == "a ..< b .. c ... d ..= e");
  CHECK(shown("a?.b??c?d->e=>f::g:h") == "a ?. b ?? c ? d -> e => f :: g : h");
  CHECK(shown("a+=b-=c*=d/=e%=f&=g|=h^=i") == "a += b -= c *= d /= e %= f &= g |= h ^= i");
  CHECK(shown("@#;,") == "@ # ; ,");
}

TEST_CASE("Numbers") {
  for (std::string text : {"4_096", "0xA0", "0xaF_1", "0b110", "0o71", "007", "0"}) {
    CAPTURE(text);
    CHECK(kinds(text) == std::vector{TokenKind::integer});
    CHECK(!is_refused(text));
  }
  for (std::string text : {"7.25e-3", "6e2", "1_0.5_0", "1E+9", "2.0"}) {
    CAPTURE(text);
    CHECK(kinds(text) == std::vector{TokenKind::float_number});
    CHECK(!is_refused(text));
  }
  CHECK(shown("4.minutes()") == "4 . minutes ( )");
  CHECK(shown("1..9") == "1 .. 9");
  CHECK(shown("1..<9") == "1 ..< 9");
  CHECK(shown("t.0.1") == "t . 0 . 1");
  CHECK(shown("t?.0.1e5") == "t ?. 0 . 1 e5");
  CHECK(shown("7u8") == "7 u8");
  CHECK(shown("1e") == "1 e");
  CHECK(shown("1e+") == "1 e +");
  CHECK(shown("_12") == "_12");
  for (std::string text :
       {"1_", "1__0", "0x_F", "0xF_", "0b13", "0o78", "0x", "0b", "0x1.5", "0b1e5", "1_.5", "1.5_"}) {
    CAPTURE(text);
    CHECK(is_refused(text));
    CHECK(kinds(text).size() == 1);
  }
}

TEST_CASE("Values of numbers") {
  CHECK(syntax::integer_value("0xFF").value == 255);
  CHECK(syntax::integer_value("1_000").value == 1000);
  CHECK(syntax::integer_value("0b1010").value == 10);
  CHECK(syntax::integer_value("0o17").value == 15);
  CHECK(syntax::integer_value("007").value == 7);
  CHECK(syntax::integer_value("18446744073709551615").value == 18446744073709551615u);
  CHECK(!syntax::integer_value("18446744073709551615").overflows);
  CHECK(syntax::integer_value("18446744073709551616").overflows);
  CHECK(syntax::integer_value("0x1_0000_0000_0000_0000").overflows);
  double value = 0;
  CHECK(syntax::float_value("7.25e-3", value));
  CHECK(value == 0.00725);
  CHECK(syntax::float_value("1_0.5E+1", value));
  CHECK(value == 105.0);
  CHECK(syntax::float_value("1e-999", value));
  CHECK(value == 0.0);
  CHECK(!syntax::float_value("1e999", value));
}

TEST_CASE("Texts and characters may hold line ends") {
  CHECK(kinds("\"a\nb\" c") == std::vector{TokenKind::text, TokenKind::name});
  CHECK(kinds("\"a\\\"b\"") == std::vector{TokenKind::text});
  CHECK(kinds("'\\''") == std::vector{TokenKind::character});
  CHECK(kinds("f \"x\"") == std::vector{TokenKind::name, TokenKind::text});
  CHECK(is_refused("\"abc"));
  CHECK(is_refused("'abc"));
}

TEST_CASE("An f-text's holes are tokens of the code") {
  CHECK(shown("f\"a{b}c\"") == "f\" a { b } c \"");
  CHECK(shown("f\"{label(\"east\")}\"") == "f\" { label ( \"east\" ) } \"");
  CHECK(shown("f\"{if up { 1 } else { 2 }}\"") == "f\" { if up { 1 } else { 2 } } \"");
  CHECK(shown("f\"{dock(berth: 2)}\"") == "f\" { dock ( berth : 2 ) } \"");
  CHECK(shown("f\"{2.345:.2}\"") == "f\" { 2.345 :.2 } \"");
  CHECK(shown("f\"{a::b:>8}\"") == "f\" { a :: b :>8 } \"");
  CHECK(shown("f\"{x:}>8}\" y").find("ERROR") != std::string::npos);
  CHECK(shown("f\"{f\"{f\"{a}\"}\"}\"") == "f\" { f\" { f\" { a } \" } \" } \"");
  CHECK(kinds("f\"{{ }} \\u{2693}\"") ==
        std::vector{TokenKind::ftext_open, TokenKind::ftext_run, TokenKind::ftext_close});
  CHECK(kinds("f\"\"") == std::vector{TokenKind::ftext_open, TokenKind::ftext_close});
  CHECK(is_refused("f\"}\""));
  CHECK(is_refused("f\"{label(\\\"east\\\")}\""));
  CHECK(is_refused("f\"{a"));
  CHECK(is_refused("f\"{a:b\" c"));
}

TEST_CASE("A dsl's body is one token up to its end") {
  CHECK(shown("dsl html { a } b } eod c") == "dsl html { a } b } eod c");
  CHECK(kinds("dsl html { a } b \" } eod c") ==
        std::vector{TokenKind::kw_dsl, TokenKind::name, TokenKind::dsl_body, TokenKind::name});
  CHECK(kinds("dsl a::b(x: f(1)) { } eodx } eod").back() == TokenKind::dsl_body);
  CHECK(kinds("x.dsl { } eod").size() == 6);
  CHECK(is_refused("dsl html { a } eo"));
}

TEST_CASE("Documentation lines are kept with the token behind them") {
  Lexed lexed = lex("/// one\n//// not\n///two\nfn f { } /// trailing\n/* */ /// three\nfn");
  REQUIRE(lexed.tokens.docs.size() == 3);
  CHECK(lexed.tokens.docs[0].next_token == 0);
  CHECK(lexed.tokens.docs[1].next_token == 0);
  CHECK(lexed.tokens.docs[2].next_token == 4);
}

TEST_CASE("Other characters are refused by name, once a run") {
  auto parsed = testing::parse_text("fn f { $$$ }\n");
  REQUIRE(parsed.messages.size() == 1);
  CHECK(parsed.messages[0].message == "The character `$` has no meaning here.");
  parsed = testing::parse_text("fn f { \x01 }\n");
  REQUIRE(parsed.messages.size() == 1);
  CHECK(parsed.messages[0].message == "The character U+0001 has no meaning here.");
  parsed = testing::parse_text("fn f { let größe = 1 }\n");
  REQUIRE(parsed.messages.size() == 1);
  CHECK(parsed.messages[0].primary.span.size() == 7);
  parsed = testing::parse_text("fn f { print(“x”) }\n");
  CHECK(parsed.messages[0].helps[0].message.find("plain quotes") != std::string::npos);
}

TEST_CASE("A byte order mark at the start is skipped, and CR LF ends a line") {
  CHECK(testing::parse_text("\xef\xbb\xbf"
                            "fn f { }\r\n")
            .is_clean());
  CHECK(!testing::parse_text("fn f { }\xef\xbb\xbf").is_clean());
  CHECK(shown("a\r\nb") == "a\nb");
}

namespace {

// What the text of `let a = LITERAL` decodes to.
std::string text_of(const std::string& literal) {
  auto parsed = testing::parse_text("fn f { let a = " + literal + " }");
  REQUIRE(parsed.is_clean());
  return parsed.tree.texts.raw().at(0);
}

void check_escape(const std::string& literal, bool is_known) {
  CAPTURE(literal);
  auto parsed = testing::parse_text("fn f {\n let a = " + literal + "\n}");
  if (is_known) {
    CHECK(parsed.is_clean());
    return;
  }
  REQUIRE(parsed.messages.size() == 1);
  CHECK(parsed.messages[0].code == Code::NK1184);
  CHECK(parsed.line(parsed.messages[0]) == 2);
  CHECK(!parsed.tree.has_syntax_error);
}

}  // namespace

TEST_CASE("The set of escapes is closed") {
  CHECK(text_of(R"("\n\r\t\0\\\'\"\x41\u{2693}")") == std::string("\n\r\t\0\\'\"A\u2693", 11));
  CHECK(text_of("\"{{ } {x}\"") == "{{ } {x}");
  CHECK(text_of("\"a\r\nb\"") == "a\r\nb");
  CHECK(text_of("f\"{{a}}\"") == "{a}");
  for (std::string good : {R"("\x7F")", R"("\u{0}")", R"("\u{10FFFF}")", R"('\u{2693}')", R"('\\')", "'\xe2\x9a\x93'"})
    check_escape(good, true);
  for (std::string bad :
       {R"("\q")", R"("\x80")", R"("\x4")", R"("\xg1")", R"("\u2693")", R"("\u{}")", R"("\u{1234567}")",
        R"("\u{110000}")", R"("\u{D800}")", R"('\q')", R"(f"\q")", "\"a\\\nb\"", R"("\u{12")"})
    check_escape(bad, false);
}

TEST_CASE("A character is exactly one") {
  CHECK(!testing::parse_text("fn f { '' }").is_clean());
  CHECK(!testing::parse_text("fn f { 'ab' }").is_clean());
  CHECK(!testing::parse_text("fn f { '\\n\\n' }").is_clean());
  CHECK(testing::parse_text("fn f { '\n' }").is_clean());
}

TEST_CASE("Formats of holes") {
  auto parse = [](std::string_view spec) {
    ast::FormatSpec format;
    bool is_good = syntax::parse_format(spec, format);
    return std::pair(is_good, format);
  };
  for (std::string_view good : {"", "8", "08", ".2", ">8", "*^10", "<", "+#010.3e", "?", "#?", "x", "X", "b", "o", "E",
                                "<<8", ">>", "\xe2\x9a\x93^4"}) {
    CAPTURE(good);
    CHECK(parse(good).first);
  }
  for (std::string_view bad : {"q", " 8", "8 ", "x8", ".", "2.", "#+", "0+", "{>8", "}>8", "99999999999", "ab<"}) {
    CAPTURE(bad);
    CHECK(!parse(bad).first);
  }
  ast::FormatSpec all = parse("*^+#010.3e").second;
  CHECK(all.fill == U'*');
  CHECK(all.align == '^');
  CHECK((all.plus && all.alternate && all.zero && all.has_width && all.has_precision));
  CHECK(all.width == 10);
  CHECK(all.precision == 3);
  CHECK(all.kind == 'e');
}
