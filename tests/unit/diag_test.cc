// The table of codes, the builder, and what the sink keeps, drops and sorts.
#include <catch2/catch.hpp>
#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "lang/diag/diagnostic.h"
#include "lang/diag/habits.h"
#include "lang/text/source.h"

using namespace nikaia::lang;

namespace {

struct Texts {
  Code code;
  std::string_view headline;
  std::string_view help;
};

// Every headline and help of the table, further wordings included.
std::vector<Texts> all_texts() {
  std::vector<Texts> texts;
  for (const CodeInfo& row : all_codes())
    if (!row.retired) texts.push_back({row.code, row.headline, row.help});
#define NIKAIA_WORDING(number, name, headline, help) texts.push_back({Code::NK##number, headline, help});
#include "lang/diag/codes.def"
  return texts;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

TEST_CASE("codes are found by number and name") {
  REQUIRE(find_code(Code::NK1139) != nullptr);
  CHECK(find_code(Code::NK1139)->pass == "ownership");
  CHECK(find_code(Code::NK2402)->severity == Severity::warning);
  CHECK(find_code(static_cast<Code>(1099)) == nullptr);
  CHECK(code_name(Code::NK2935) == "NK2935");
  CHECK(code_name(Code::none).empty());
  CHECK(parse_code("NK1139") == Code::NK1139);
  CHECK(parse_code("NK0001") == Code::none);
  CHECK(parse_code("NKabcd") == Code::none);
  CHECK(parse_code("XX1139") == Code::none);
  CHECK(find_code(Code::NK1114)->retired);
}

TEST_CASE("every message is one sentence, offers a way out and uses no forbidden word") {
  const std::vector<std::string_view> forbidden{"lifetime",
                                                "borrow checker",
                                                "undefined behaviour",
                                                "rvalue",
                                                "overload resolution",
                                                "dangling",
                                                "segmentation fault",
                                                "c++"};
  for (const Texts& texts : all_texts()) {
    INFO(code_name(texts.code) << ": " << texts.headline);
    REQUIRE_FALSE(texts.headline.empty());
    CHECK((texts.headline.back() == '.' || texts.headline.back() == '}'));
    CHECK_FALSE(texts.help.empty());
    for (std::string_view text : {texts.headline, texts.help}) {
      CHECK(text.find('\n') == std::string_view::npos);
      CHECK(std::count(text.begin(), text.end(), '`') % 2 == 0);
      for (std::string_view word : forbidden) CHECK(lower(text).find(word) == std::string::npos);
    }
  }
}

TEST_CASE("a help asks for no argument its headline does not have, or the next one") {
  // Arguments are numbered without a gap over headline and help, so that a pass can count them by reading the row.
  for (const Texts& texts : all_texts()) {
    INFO(code_name(texts.code) << ": " << texts.headline);
    std::string both = std::string(texts.headline) + std::string(texts.help);
    int highest = -1;
    for (int i = 0; i < 10; ++i)
      if (both.find("{" + std::to_string(i) + "}") != std::string::npos) highest = i;
    for (int i = 0; i <= highest; ++i) CHECK(both.find("{" + std::to_string(i) + "}") != std::string::npos);
  }
}

TEST_CASE("every row says who owns the code and when it is raised") {
  const std::vector<std::string_view> passes{"manifest", "parse",   "names",     "types",    "patterns", "grammar",
                                             "comptime", "effects", "ownership", "crossing", "overlap",  "contracts"};
  for (const CodeInfo& row : all_codes()) {
    INFO(code_name(row.code));
    CHECK_FALSE(row.doc.empty());
    if (!row.retired) CHECK(std::find(passes.begin(), passes.end(), row.pass) != passes.end());
  }
}

TEST_CASE("arguments go where their number stands, and other braces stay") {
  const std::string arguments[] = {"tank", "40"};
  CHECK(fill_in("`{0}` holds {1}, write `{ {0} }`", arguments) == "`tank` holds 40, write `{ tank }`");
  CHECK(fill_in("text with {{0}} in it", arguments) == "text with {tank} in it");
  CHECK(fill_in("{2}", arguments) == "…");
  CHECK(fill_in("`{ … }` {", arguments) == "`{ … }` {");
}

TEST_CASE("the table's help is given only where the pass gives none") {
  SourceMap sources;
  FileId file = sources.add("a.nika", "let turns = 0\nturns = 1\n");
  Sink sink;
  sink.error(Code::NK1139, Span{file, 14, 19}, "turns");
  sink.error(Code::NK1139, Span{file, 4, 9}, "turns").help("Mine.");
  std::vector<Diagnostic> sorted = sink.take_sorted(sources);
  REQUIRE(sorted.size() == 2);
  REQUIRE(sorted[0].helps.size() == 1);
  CHECK(sorted[0].helps[0].message == "Mine.");
  CHECK(sorted[0].message == "You're changing `turns`, but it was declared as a value that stays.");
  REQUIRE(sorted[1].helps.size() == 1);
  CHECK(sorted[1].helps[0].message == "Add the word where it's declared: `let mut turns`.");
}

TEST_CASE("one code at one place is said once, and its builder harms nobody") {
  SourceMap sources;
  FileId file = sources.add("a.nika", "abc def");
  Sink sink;
  sink.error(Code::NK1117, Span{file, 0, 3}, "abc").note("first");
  sink.error(Code::NK1117, Span{file, 0, 3}, "abc").note("second").as_warning();
  sink.error(Code::NK1117, Span{file, 4, 7}, "def");
  sink.error(Code::NK1135, Span{file, 0, 3}, "abc");
  sink.error(Wording::NK1117_near, Span{file, 4, 7}, "def", "abc");
  sink.syntax_error(Span{file, 0, 3}, "One.");
  sink.syntax_error(Span{file, 0, 3}, "Another at the same place.");
  CHECK(sink.error_count() == 4);
  CHECK(sink.warning_count() == 0);
  std::vector<Diagnostic> sorted = sink.take_sorted(sources);
  REQUIRE(sorted.size() == 4);
  CHECK(sorted[1].notes == std::vector<std::string>{"first"});
  CHECK_FALSE(sink.has_errors());
}

TEST_CASE("messages about no place are told apart by their text") {
  Sink sink;
  sink.error_without_code(Span(), "One.");
  sink.error_without_code(Span(), "Two.");
  sink.error_without_code(Span(), "One.");
  CHECK(sink.error_count() == 2);
}

TEST_CASE("printing goes by package, path, place, code") {
  SourceMap sources;
  FileId own = sources.add("b.nika", "0123456789", 1);
  FileId earlier = sources.add("a.nika", "0123456789", 1);
  FileId dependency = sources.add("z.nika", "0123456789", 0);
  Sink sink;
  sink.error_without_code(Span(), "Of nothing.");
  sink.error(Code::NK1135, Span{own, 5, 6}, "x");
  sink.error(Code::NK1117, Span{own, 5, 6}, "x");
  sink.error(Code::NK2931, Span{own, 1, 2}, "x", "y");
  sink.error(Code::NK1951, Span::whole_file(own));
  sink.error(Code::NK1117, Span{earlier, 9, 9}, "x");
  sink.error(Code::NK1117, Span{dependency, 9, 9}, "x");
  std::vector<std::string> order;
  for (const Diagnostic& d : sink.take_sorted(sources))
    order.push_back((d.primary.span.has_file() ? std::string(sources.path(d.primary.span.file)) : "") + " " +
                    code_name(d.code));
  CHECK(order == std::vector<std::string>{"z.nika NK1117", "a.nika NK1117", "b.nika NK1951", "b.nika NK2931",
                                          "b.nika NK1117", "b.nika NK1135", " "});
}

TEST_CASE("a lint is a warning whose last note names the option") {
  SourceMap sources;
  FileId file = sources.add("a.nika", "x");
  Sink sink;
  sink.report(Code::NK2501, Span{file, 0, 1}, "x").as_lint().note("A first note.");
  CHECK_FALSE(sink.has_errors());
  CHECK(sink.warning_count() == 1);
  Diagnostic lint = sink.take_sorted(sources).at(0);
  CHECK(lint.lint);
  REQUIRE(lint.notes.size() == 2);
  CHECK(lint.notes[1].find("user-parallelism") != std::string::npos);
}

TEST_CASE("a pass that gives a message it has not announced is named") {
  SourceMap sources;
  FileId file = sources.add("a.nika", "x");
  Sink sink;
  const Code announced[] = {Code::NK1117};
  const std::string plugin_codes[] = {"ACME0007"};
  sink.accept_only("names", announced, plugin_codes);
  sink.error(Code::NK1117, Span{file, 0, 1}, "x");
  sink.report_plugin("ACME0007", Severity::warning, Span{file, 0, 1}, "Ours.");
  CHECK_FALSE(sink.has_internal_error());
  sink.error(Code::NK1135, Span{file, 0, 1}, "x").note("stays harmless");
  CHECK(sink.has_internal_error());
  sink.accept_all();
  sink.error(Code::NK1150, Span{file, 0, 1});
  std::vector<Diagnostic> sorted = sink.take_sorted(sources);
  REQUIRE(sorted.size() == 4);
  auto defect = std::find_if(sorted.begin(), sorted.end(), [](auto& d) { return d.severity == Severity::internal; });
  CHECK(defect->message ==
        "The pass `names` gave a message it hadn't announced, `NK1135`. Your program is not at fault.");
  CHECK_FALSE(defect->helps.empty());
}

TEST_CASE("a coded finding is no syntax error") {
  SourceMap sources;
  FileId coded = sources.add("a.nika", "x");
  FileId broken = sources.add("b.nika", "x");
  Sink sink;
  sink.error(Code::NK1150, Span{coded, 0, 1});
  sink.syntax_error(Span{broken, 0, 1}, "A statement was expected here.");
  CHECK_FALSE(sink.has_syntax_error(coded));
  CHECK(sink.has_syntax_error(broken));
}

TEST_CASE("merging drops what was said already and keeps usual helps") {
  SourceMap sources;
  FileId file = sources.add("a.nika", "xy");
  Sink one;
  Sink two;
  one.error(Code::NK1150, Span{file, 0, 1});
  two.error(Code::NK1150, Span{file, 0, 1});
  two.error(Code::NK1150, Span{file, 1, 2});
  one.merge(std::move(two));
  CHECK(one.error_count() == 2);
  CHECK(one.take_sorted(sources).at(1).helps.size() == 1);
}

TEST_CASE("a word brought along from another language is answered with what stands in its place") {
  CHECK(habit_help(Habit::value, "None") == "What is absent is `null`.");
  CHECK(habit_help(Habit::list, "size", "names") == "Write `names.len()`.");
  CHECK(habit_help(Habit::maybe, "is_some", "at") == "Write `at != null`.");
  CHECK(habit_help(Habit::list, "is_some", "at").empty());
  CHECK(habit_help(Habit::value, "Non").empty());  // a whole word, not a part of one
  CHECK(habit_help(Habit::value, "None nil").empty());
  CHECK(habit_help(Habit::value, "").empty());
}
