// The text and JSON forms, against the worked examples of the language reference.
#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "lang/diag/display.h"
#include "lang/diag/render.h"

using namespace nikaia::lang;

namespace {

// One file, and places in it found by line and text.
class Page {
 public:
  Page(SourceMap& sources, std::string path, std::string text) : sources_(sources), id_(sources.add(path, text)) {}

  Span at(std::uint32_t line, std::string_view text, int occurrence = 1) const {
    std::string_view whole = sources_.line_text(id_, line);
    std::size_t found = whole.find(text);
    for (int i = 1; i < occurrence; ++i) found = whole.find(text, found + 1);
    REQUIRE(found != std::string_view::npos);
    std::uint32_t begin = sources_.line_begin(id_, line) + static_cast<std::uint32_t>(found);
    return Span{id_, begin, begin + static_cast<std::uint32_t>(text.size())};
  }
  FileId id() const { return id_; }

 private:
  SourceMap& sources_;
  FileId id_;
};

std::string rendered(Sink& sink, const SourceMap& sources, bool colour = false) {
  std::string out;
  for (const Diagnostic& diagnostic : sink.take_sorted(sources)) out += render_text(diagnostic, sources, colour);
  return out;
}

std::string without_sgr(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      while (text[i] != 'm') ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

constexpr const char* dial =
    "fn spin(step: i64) {\n"
    "    let turns = 0\n"
    "\n"
    "    // one more step\n"
    "    turns += step\n"
    "}\n";

void report_dial(Sink& sink, const Page& page) {
  Span name = page.at(2, "turns");
  sink.error(Code::NK1139, page.at(5, "turns"), "turns")
      .primary_label("changed here")
      .label(name, "declared here without `mut`")
      .note("A `let` keeps the value it was given unless it says that it may change.")
      .help_edit("Add the word where it's declared: `let mut turns = 0`.", name.start(), "mut ", Applies::exact);
}

}  // namespace

TEST_CASE("a message with two places in one file") {
  SourceMap sources;
  Page page(sources, "src/dial.nika", dial);
  Sink sink;
  report_dial(sink, page);
  CHECK(rendered(sink, sources) == R"(error[NK1139]: You're changing `turns`, but it was declared as a value that stays.
  --> src/dial.nika:5:5
   |
 2 |     let turns = 0
   |         ----- declared here without `mut`
  ...
 5 |     turns += step
   |     ^^^^^ changed here
   |
   = note: A `let` keeps the value it was given unless it says that it may change.
   = help: Add the word where it's declared: `let mut turns = 0`.
)");
}

TEST_CASE("two-digit line numbers widen the gutter, and a help of several lines stands under its text") {
  SourceMap sources;
  Page page(sources, "stickers.nika",
            "trait Labelled { fn label(ref self) -> String }\n\nstruct Parcel { kilos: i64 }\n\n"
            "fn sticker[T: Labelled](item: T) -> String {\n    return item.label()\n}\n\nfn main() {\n"
            "    println(sticker(Parcel { kilos: 4 }))\n}\n");
  Sink sink;
  sink.error(Code::NK1164, page.at(10, "Parcel { kilos: 4 }"), "sticker", "Labelled", "Parcel")
      .primary_label("no `impl Labelled for Parcel` anywhere")
      .label(page.at(5, "T: Labelled"), "asked for here")
      .help(
          "Write the methods `Labelled` asks for:\nimpl Labelled for Parcel {\n"
          "    fn label(ref self) -> String { … }\n}");
  CHECK(rendered(sink, sources) == R"(error[NK1164]: `sticker` needs something `Labelled`, and `Parcel` isn't.
   --> stickers.nika:10:21
    |
  5 | fn sticker[T: Labelled](item: T) -> String {
    |            ----------- asked for here
   ...
 10 |     println(sticker(Parcel { kilos: 4 }))
    |                     ^^^^^^^^^^^^^^^^^^^ no `impl Labelled for Parcel` anywhere
    |
    = help: Write the methods `Labelled` asks for:
            impl Labelled for Parcel {
                fn label(ref self) -> String { … }
            }
)");
}

TEST_CASE("two places on one line have a row each, in column order, and adjacent lines have no gap") {
  SourceMap sources;
  Page page(sources, "blend.nika",
            "fn pour(mut into: Vec[i64], from: Vec[i64]) {\n    for n in from { into.push(n) }\n}\n\nfn main() {\n"
            "    let mut jar = [1, 2]\n    pour(jar, jar)\n}\n");
  Sink sink;
  sink.error(Code::NK2935, page.at(7, "jar", 2), "jar", "pour")
      .primary_label("lent to be read, at the same time")
      .label(page.at(1, "mut into"), "changed by `pour`")
      .label(page.at(7, "jar"), "lent to be changed")
      .note("While a function changes a value, nobody else is looking at it; that is what keeps its reads true.")
      .help("Read from a copy: `let before = jar.clone()`, then `pour(jar, before)`.");
  CHECK(rendered(sink, sources) ==
        R"(error[NK2935]: You're lending `jar` twice to one call, and `pour` changes one of the two.
  --> blend.nika:7:15
   |
 1 | fn pour(mut into: Vec[i64], from: Vec[i64]) {
   |         -------- changed by `pour`
  ...
 7 |     pour(jar, jar)
   |          --- lent to be changed
   |               ^^^ lent to be read, at the same time
   |
   = note: While a function changes a value, nobody else is looking at it; that is what keeps its reads true.
   = help: Read from a copy: `let before = jar.clone()`, then `pour(jar, before)`.
)");
}

TEST_CASE("a changed contract shows the change first and the caller second") {
  SourceMap sources;
  Page caller(sources, "main.nika",
              "fn file(title: String, remark: String, mut kept: Vec[String]) {\n"
              "    let best = shorter(title, remark)\n    kept.push(remark)\n    println(best)\n}\n");
  Page change(sources, "shorten.nika",
              "pub fn shorter(a: ref String, b: ref String) -> ref String {\n    return b if b.len() < a.len()\n"
              "    return a\n}\n");
  Sink sink;
  sink.error(Code::NK2401, caller.at(4, "best"), "shorter", "file")
      .primary_label("may point into `remark`, which is no longer here")
      .label(caller.at(3, "remark"), "`remark` is handed to `kept` here")
      .label(change.at(2, "b"), "the result may point into `b` now, and before only into `a`")
      .help("Print `best` before the `push`.");
  CHECK(rendered(sink, sources) == R"(error[NK2401]: A change in `shorter` broke `file`, which calls it.
  --> shorten.nika:2:12
   |
 2 |     return b if b.len() < a.len()
   |            - the result may point into `b` now, and before only into `a`
   |
  --> main.nika:4:13
   |
 3 |     kept.push(remark)
   |               ------ `remark` is handed to `kept` here
 4 |     println(best)
   |             ^^^^ may point into `remark`, which is no longer here
   |
   = help: Print `best` before the `push`.
)");
}

TEST_CASE("any other code shows the block of its primary place first") {
  SourceMap sources;
  Page other(sources, "a.nika", "pub struct Box { side: i64 }\n");
  Page own(sources, "b.nika", "\n\n\n\n\n\n\n\n\n\n\n\nlet b = Box(3)\n");
  Sink sink;
  sink.error(Code::NK1190, own.at(13, "Box(3)"), "Box").label(other.at(1, "Box"), "declared here");
  CHECK(rendered(sink, sources) == R"(error[NK1190]: `Box` has no constructor to call.
   --> b.nika:13:9
    |
 13 | let b = Box(3)
    |         ^^^^^^
    |
   --> a.nika:1:12
    |
  1 | pub struct Box { side: i64 }
    |            --- declared here
    |
    = help: Write its fields in braces: `Box { … }`.
)");
}

TEST_CASE("a place over several lines is marked to the end of its first line's code") {
  SourceMap sources;
  Page page(sources, "a.nika", "let n = match s {   // a \"choice\"\n    1 => \"// no comment\",\n}\n");
  Sink sink;
  Span whole = join(page.at(1, "match s {"), page.at(3, "}"));
  sink.error(Code::NK1151, whole, "`2`", "`2 => …`").help("H.");
  sink.error(Code::NK1154, join(page.at(2, "1 => "), page.at(3, "}")), "a number", "text").help("H.");
  CHECK(rendered(sink, sources) == R"(error[NK1151]: This `match` has no answer for `2`.
  --> a.nika:1:9
   |
 1 | let n = match s {   // a "choice"
   |         ^^^^^^^^^
   |
   = help: H.
error[NK1154]: A list holds one type of thing, and this one has a number beside text.
  --> a.nika:2:5
   |
 2 |     1 => "// no comment",
   |     ^^^^^^^^^^^^^^^^^^^^^
   |
   = help: H.
)");
}

TEST_CASE("tabs, control characters, wide and combining characters keep the underline under its text") {
  SourceMap sources;
  Page page(sources, "a.nika", "\tf(\"語\x1b[2J e\u0301\", bad)\t \n");
  Sink sink;
  sink.error(Code::NK1117, page.at(1, "bad"), "bad").help("H.");
  CHECK(rendered(sink, sources) ==
        "error[NK1117]: There's nothing called `bad` here.\n"
        "  --> a.nika:1:16\n"
        "   |\n"
        " 1 |     f(\"語\uFFFD[2J e\u0301\", bad)\n"
        "   |                   ^^^\n"
        "   |\n"
        "   = help: H.\n");
  CHECK(shown_width("語\x1b[2J e\u0301") == 2 + 4 + 1 + 1);
  CHECK(display_width(U'ä') == 1);
  CHECK(display_width(U'😀') == 2);
  CHECK(shown("\u202e") == "\uFFFD");
}

TEST_CASE("a place of no width has one mark, also behind the end of the line and of the file") {
  SourceMap sources;
  Page page(sources, "a.nika", "f(1\n");
  Sink sink;
  sink.syntax_error(Span{page.id(), 3, 3}, "A `)` was expected here.").help("H.");
  sink.syntax_error(Span{page.id(), 4, 4}, "The file ends here.").help("H.");
  CHECK(rendered(sink, sources) == R"(error: A `)` was expected here.
  --> a.nika:1:4
   |
 1 | f(1
   |    ^
   |
   = help: H.
error: The file ends here.
  --> a.nika:2:1
   |
 2 |
   | ^
   |
   = help: H.
)");
}

TEST_CASE("a place without a source to show, and none at all") {
  SourceMap sources;
  Page page(sources, "nikaia.toml", "[package]\n");
  Sink sink;
  sink.error(Code::NK1951, Span::whole_file(page.id()));
  sink.error_without_code(Span(), "There is no file `none.nika`.").help("Check the path.");
  sink.build_note("The program's options count for its dependencies too.").help("Leave `[build]` out.");
  CHECK(rendered(sink, sources) == R"(error[NK1951]: This program has no `main` to start with.
  --> nikaia.toml
   = help: Add `fn main() { … }`.
error: There is no file `none.nika`.
   = help: Check the path.
note: The program's options count for its dependencies too.
  help: Leave `[build]` out.
)");
}

TEST_CASE("an internal error") {
  SourceMap sources;
  Page page(sources, "src/main.nika", "\n\n\n\n    seen[3] = \"three\"\n");
  Sink sink;
  sink.internal_error(page.at(5, "seen[3] = \"three\""),
                      "The compiler made a mistake here. Your program is not at fault.")
      .log("target/nikaia/log/internal-5c1e09.log")
      .help("Please report this.");
  Diagnostic diagnostic = sink.take_sorted(sources).at(0);
  CHECK(render_text(diagnostic, sources) ==
        R"(internal error: The compiler made a mistake here. Your program is not at fault.
  --> src/main.nika:5:5
   |
 5 |     seen[3] = "three"
   |     ^^^^^^^^^^^^^^^^^
   |
   = help: Please report this.
)");
  auto json = nlohmann::json::parse(render_json(diagnostic, sources));
  CHECK(json["severity"] == "internal");
  CHECK(json["code"].is_null());
  CHECK(json["log"] == "target/nikaia/log/internal-5c1e09.log");
}

TEST_CASE("colour adds sequences and changes nothing else") {
  SourceMap sources;
  Page page(sources, "src/dial.nika", dial);
  Sink sink;
  report_dial(sink, page);
  sink.report(Code::NK1111, page.at(1, "step"), "step");
  sink.build_note("A note.").help("A help.");
  std::vector<Diagnostic> all = sink.take_sorted(sources);
  std::string plain;
  std::string coloured;
  for (const Diagnostic& d : all) {
    plain += render_text(d, sources);
    coloured += render_text(d, sources, true);
  }
  CHECK(without_sgr(coloured) == plain);
  CHECK(plain.find('\x1b') == std::string::npos);
  CHECK(coloured.find("\x1b[1;31merror[NK1139]\x1b[0m") != std::string::npos);
  CHECK(coloured.find("\x1b[1;31m^^^^^ changed here\x1b[0m") != std::string::npos);
  CHECK(coloured.find("\x1b[34m----- declared here without `mut`\x1b[0m") != std::string::npos);
  CHECK(coloured.find("\x1b[1;33mwarning[NK1111]\x1b[0m") != std::string::npos);
  CHECK(coloured.find("\x1b[1;36mnote:\x1b[0m") != std::string::npos);
  CHECK(coloured.find("\x1b[1;32mhelp:\x1b[0m") != std::string::npos);
}

TEST_CASE("no line ends in a space") {
  SourceMap sources;
  Page page(sources, "a.nika", "x   \n\n   \ny \n");
  Sink sink;
  sink.error(Code::NK1117, page.at(1, "x"), "x")
      .label(Span{page.id(), 5, 5})
      .label(Span{page.id(), 6, 6}, "here")
      .label(page.at(4, "y"))
      .note("A note.\n\nWith an empty line. ");
  std::string text = rendered(sink, sources);
  CHECK(text.find(" \n") == std::string::npos);
}

TEST_CASE("the JSON form of the first example") {
  SourceMap sources;
  // The places of the reference: the name at bytes 20 to 25, the use at 75 to 80.
  Page page(sources, "src/dial.nika",
            "fn f() {\n    let turns = 0\n                                       \n\n    turns += step\n}\n");
  Sink sink;
  report_dial(sink, page);
  Diagnostic diagnostic = sink.take_sorted(sources).at(0);
  std::string line = render_json(diagnostic, sources);
  CHECK(line.find('\n') == std::string::npos);
  std::string before_rendered = line.substr(0, line.find(",\"rendered\":"));
  CHECK(
      before_rendered ==
      R"({"type":"diagnostic","code":"NK1139","severity":"error","message":"You're changing `turns`, but it was declared as a value that stays.","spans":[{"file":"src/dial.nika","line":5,"column":5,"end_line":5,"end_column":10,"byte_start":72,"byte_end":77,"primary":true,"label":"changed here"},{"file":"src/dial.nika","line":2,"column":9,"end_line":2,"end_column":14,"byte_start":17,"byte_end":22,"primary":false,"label":"declared here without `mut`"}],"notes":["A `let` keeps the value it was given unless it says that it may change."],"helps":[{"message":"Add the word where it's declared: `let mut turns = 0`.","edits":[{"file":"src/dial.nika","byte_start":17,"byte_end":17,"replacement":"mut "}],"applicability":"exact"}])");
  auto json = nlohmann::json::parse(line);
  CHECK(json["rendered"] == render_text(diagnostic, sources));
}

TEST_CASE("JSON spans cut the marked text out of the file, and their order is that of the text form") {
  SourceMap sources;
  Page caller(sources, "main.nika", "é kept\nbest\n");
  Page change(sources, "shorten.nika", "b\n");
  Sink sink;
  sink.error(Code::NK2401, caller.at(2, "best"), "shorter", "file")
      .label(caller.at(1, "kept"), "K")
      .label(change.at(1, "b"));
  auto json = nlohmann::json::parse(render_json(sink.take_sorted(sources).at(0), sources));
  REQUIRE(json["spans"].size() == 3);
  CHECK(json["spans"][0]["primary"] == true);
  CHECK(json["spans"][1]["file"] == "shorten.nika");
  CHECK(json["spans"][1]["label"].is_null());
  CHECK(json["spans"][2]["column"] == 3);
  CHECK(json["spans"][2]["byte_start"] == 3);
  CHECK_FALSE(json.contains("lint"));
  CHECK_FALSE(json.contains("log"));
}

TEST_CASE("the last line") {
  CHECK(summary_text(0, 0).empty());
  CHECK(summary_text(1, 0) == "nikaia: 1 error\n");
  CHECK(summary_text(2, 1) == "nikaia: 2 errors, 1 warning\n");
  CHECK(summary_text(0, 3) == "nikaia: 3 warnings\n");
  CHECK(summary_json(1, 0, 1) == R"({"type":"summary","errors":1,"warnings":0,"status":1})");
}

TEST_CASE("colour is for terminals, unless somebody says otherwise") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  CHECK_FALSE(wants_colour(ColourMode::automatic, ends[1]));
  CHECK(wants_colour(ColourMode::always, ends[1]));
  CHECK_FALSE(wants_colour(ColourMode::never, ends[1]));
  ::close(ends[0]);
  ::close(ends[1]);

  int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal >= 0 && ::isatty(terminal) == 1) {
    ::unsetenv("NO_COLOR");
    ::setenv("TERM", "xterm", 1);
    CHECK(wants_colour(ColourMode::automatic, terminal));
    ::setenv("NO_COLOR", "1", 1);
    CHECK_FALSE(wants_colour(ColourMode::automatic, terminal));
    ::unsetenv("NO_COLOR");
    ::setenv("TERM", "dumb", 1);
    CHECK_FALSE(wants_colour(ColourMode::automatic, terminal));
    ::close(terminal);
  }
}
