// Text: buffers and who holds them, and the rows of 07 §3.
#include <algorithm>
#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <vector>

#include "tests/values/values.h"

using namespace values;

TEST_CASE("literals are never copied") {
  const Str literal = "harbour"_s;
  const String copied = clone(literal);
  CHECK(copied.data() == literal.data);
  CHECK(copied.buffer() == nullptr);
  String grown = clone(literal);
  grown.append("s"_s);
  CHECK(plain(grown) == "harbours");
  CHECK(plain(literal) == "harbour");
}

TEST_CASE("a tethered view outlives its owner") {
  TetheredStr kept;
  {
    String page = owned("one two three");
    kept = text_trim(page).part(4, 7);
    CHECK(page.buffer()->count == 2);
    page = String();  // the owner is gone
  }
  CHECK(plain(kept) == "two");
  CHECK(kept.buffer->count == 1);
}

TEST_CASE("text that is held by a view is not changed in place") {
  String text = owned("abc");
  const TetheredStr kept = static_cast<Str>(text);
  text.append("def"_s);
  CHECK(plain(text) == "abcdef");
  CHECK(plain(kept) == "abc");
}

TEST_CASE("appending text to itself") {
  String text = owned("ab");
  for (int i = 0; i < 6; ++i) {
    text_push_str(text, text);
  }
  CHECK(text.size() == 128);
  CHECK(plain(text).find("ba") == 1);
}

TEST_CASE("null needs no flag, and empty text is not null") {
  static_assert(sizeof(Maybe<String>) == sizeof(String));
  static_assert(sizeof(Maybe<Str>) == sizeof(Str));
  CHECK_FALSE(Maybe<String>().has());
  CHECK(Maybe<String>(String()).has());
  CHECK(Maybe<Str>(Str()).has());
  Maybe<TetheredStr> kept = Maybe<Str>("x"_s);
  CHECK(plain(kept.value()) == "x");
}

TEST_CASE("lengths and characters") {
  CHECK(text_len("grün"_s) == 5);
  CHECK(seq_count(text_chars("grün"_s)) == 4);
  CHECK(walked(seq_rev(text_chars("aß€😀"_s))) == "['😀', '€', 'ß', 'a']");
  CHECK(walked(text_bytes("é"_s)) == "[195, 169]");
  String text;
  text_push(text, U'😀');
  CHECK(plain(text) == "😀");
}

TEST_CASE("slices stop outside and inside a character") {
  CHECK(plain(slice("grün"_s, range_below(0, 2))) == "gr");
  CHECK(plain(slice("grün"_s, range_to(2, 3))) == "ü");
  CHECK(plain(slice("grün"_s, range_below(5, 5))) == "");
  CHECK(plain(slice("abc"_s, range_below(2, 1))) == "");
  CHECK(stop_reason([] { (void)slice("grün"_s, range_below(2, 3)); }) == "position 3 is inside a character");
  CHECK(stop_reason([] { (void)slice("grün"_s, range_below(0, 6)); }) == "position 6 is outside a text of 5 bytes");
  CHECK(stop_reason([] { (void)slice("grün"_s, range_below(-1, 2)); }) == "position -1 is outside a text of 5 bytes");
}

TEST_CASE("case") {
  CHECK(plain(text_to_uppercase("straße ﬁ ǆ"_s)) == "STRASSE FI Ǆ");
  CHECK(plain(text_to_lowercase("ΟΔΟΣ ΣΑΣ. Σ İ"_s)) == "οδος σας. σ i̇");
  CHECK(char_is_alphabetic(U'ª'));
  CHECK(char_is_alphabetic(0x345));  // Other_Alphabetic
  CHECK_FALSE(char_is_alphabetic(U'5'));
  CHECK(char_is_alphanumeric(U'½'));
  CHECK(char_is_alphanumeric(U'٣'));
  CHECK_FALSE(char_is_alphanumeric(U'-'));
  CHECK(char_is_whitespace(0x2003));
  CHECK_FALSE(char_is_whitespace(0x200B));
  CHECK(char_to_ascii_lowercase(U'Ä') == U'Ä');
}

TEST_CASE("searching") {
  CHECK(or_else(text_find("banana"_s, "na"_s), i64{-1}) == 2);
  CHECK(or_else(text_find("banana"_s, "na"_s, 3), i64{-1}) == 4);
  CHECK(or_else(text_find("abc"_s, ""_s, 3), i64{-1}) == 3);
  CHECK_FALSE(text_find("abc"_s, ""_s, 4).has());
  CHECK_FALSE(text_find("abc"_s, "a"_s, 3).has());
  CHECK(stop_reason([] { (void)text_find("abc"_s, "a"_s, -1); }) != "");
  CHECK(text_contains("abc"_s, U'b'));
  CHECK(text_starts_with("abc"_s, ""_s));
  CHECK(text_ends_with("añ"_s, U'ñ'));
  CHECK(plain(text_replace("aXbX"_s, "X"_s, "--"_s)) == "a--b--");
  CHECK(plain(text_replace("aé"_s, ""_s, "."_s)) == ".a.é.");
  CHECK(plain(text_trim("\u2003 a b\t\n"_s)) == "a b");
  CHECK(plain(text_trim_start_matches("xxaxx"_s, U'x')) == "axx");
  CHECK(plain(text_trim_end_matches("aabab"_s, "ab"_s)) == "a");
  CHECK(text_strip_prefix("key=v"_s, "key="_s) == Maybe<Str>("v"_s));
  CHECK_FALSE(text_strip_suffix("key"_s, "v"_s).has());
  CHECK(plain(text_repeat("ab"_s, 3)) == "ababab");
  CHECK(text_repeat("ab"_s, 0).size() == 0);
  CHECK(stop_reason([] { (void)text_repeat("ab"_s, -2); }) == "a count was negative: -2");
  CHECK(stop_reason([] { (void)text_repeat("ab"_s, greatest<i64>); }) != "");
}

TEST_CASE("lines and pieces") {
  CHECK(walked(text_lines("a\r\nb\n"_s)) == R"(["a", "b"])");
  CHECK(walked(text_lines(""_s)) == "[]");
  CHECK(walked(text_lines("\n"_s)) == R"([""])");
  CHECK(walked(text_lines("a\n\nb\r"_s)) == R"(["a", "", "b\r"])");
  CHECK(walked(text_split(""_s, ","_s)) == R"([""])");
  CHECK(walked(text_split("a,b,"_s, U',')) == R"(["a", "b", ""])");
  CHECK(walked(text_split("aé"_s, ""_s)) == R"(["", "a", "é", ""])");
  CHECK(walked(text_splitn("k=v=w"_s, 2, "="_s)) == R"(["k", "v=w"])");
  CHECK(walked(text_splitn("k=v"_s, 0, "="_s)) == "[]");
  CHECK(walked(text_split_whitespace(" a\u2003b  c "_s)) == R"(["a", "b", "c"])");
  CHECK(walked(text_split_whitespace("  "_s)) == "[]");
  CHECK(walked(text_matches("abcabc"_s, "bc"_s)) == R"(["bc", "bc"])");
}

// From the back come the same pieces in reverse.
TEST_CASE("text sequences walk both ways alike") {
  CHECK(rc::check([] {
    const auto letter = rc::gen::element('a', 'b', ',', '\n', '\r', ' ');
    const auto bytes = *rc::gen::container<std::string>(letter);
    const auto cut = *rc::gen::element<std::string>("a", "ab", "aa", "aba", ",", "");
    const i64 n = *rc::gen::inRange(0, 5);
    const String text = owned(bytes.c_str());
    const String separator = owned(cut.c_str());
    const auto both = [](const auto& make) {
      std::vector<std::string> there;
      std::vector<std::string> back;
      for (auto seq = make(); auto x = seq.next();) {
        there.push_back(plain(x.take()));
      }
      for (auto seq = make(); auto x = seq.next_back();) {
        back.push_back(plain(x.take()));
      }
      std::reverse(back.begin(), back.end());
      RC_ASSERT(there == back);
      // From both ends in turn: each piece once.
      auto seq = make();
      std::size_t taken = 0;
      for (bool front = true;; front = !front) {
        if (!(front ? seq.next() : seq.next_back()).has()) {
          break;
        }
        ++taken;
      }
      RC_ASSERT(taken == there.size());
    };
    both([&] { return text_lines(text); });
    both([&] { return text_split(text, separator); });
    both([&] { return text_splitn(text, n, separator); });
    both([&] { return text_split_whitespace(text); });
    both([&] { return text_matches(text, separator); });
  }));
}

TEST_CASE("parse") {
  CHECK(text_parse<i64>("-9223372036854775808"_s) == Maybe<i64>(least<i64>));
  CHECK(text_parse<i64>("+7"_s) == Maybe<i64>(7));
  for (const Str bad : {""_s, " 1"_s, "1_0"_s, "9223372036854775808"_s, "-"_s, "+-1"_s, "0x1"_s, "1 "_s}) {
    CHECK_FALSE(text_parse<i64>(bad).has());
  }
  CHECK(text_parse<u8>("255"_s).has());
  CHECK_FALSE(text_parse<u8>("256"_s).has());
  CHECK_FALSE(text_parse<u8>("-1"_s).has());
  CHECK(text_parse<double>("-2.5e-7"_s) == Maybe<double>(-2.5e-7));
  CHECK(text_parse<double>("1e-400"_s) == Maybe<double>(0.0));
  for (const Str bad : {""_s, "."_s, "inf"_s, "nan"_s, "1e"_s, "1e400"_s, "0x1p3"_s, "1.5 "_s, "e5"_s}) {
    CHECK_FALSE(text_parse<double>(bad).has());
  }
  CHECK(text_parse<bool>("true"_s) == Maybe<bool>(true));
  CHECK_FALSE(text_parse<bool>("True"_s).has());
  CHECK(text_parse<char32_t>("€"_s) == Maybe<char32_t>(U'€'));
  CHECK_FALSE(text_parse<char32_t>("ab"_s).has());
}
