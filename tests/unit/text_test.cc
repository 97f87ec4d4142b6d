// Sources, lines and columns, names, typed ids.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <string>

#include "lang/text/ids.h"
#include "lang/text/names.h"
#include "lang/text/source.h"

using namespace nikaia::lang;

namespace {

// A folder that goes away with the test.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = "/tmp/nikaia-text-XXXXXX";
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~ScratchFolder() { static_cast<void>(std::system(("rm -rf " + path_).c_str())); }
  std::string file(const std::string& name, const std::string& content) const {
    std::string path = path_ + "/" + name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("ids of different kinds are different types, and none is invalid") {
  using ExprId = Id<struct ExprTag>;
  CHECK_FALSE(ExprId().valid());
  CHECK(ExprId(0u).valid());
  CHECK(ExprId(3u) == ExprId(3u));
  CHECK(ExprId(3u) < ExprId(4u));
  STATIC_REQUIRE_FALSE(std::is_convertible_v<Name, ExprId>);

  IdVector<ExprId, std::string> items;
  ExprId first = items.add("a");
  ExprId second = items.add("b");
  CHECK(first.index == 0);
  CHECK(items[second] == "b");
  CHECK(items.next_id().index == 2);
  CHECK_FALSE(items.contains(ExprId()));
}

TEST_CASE("an id vector of bools is a side table too") {
  IdVector<Name, bool> flags(2);
  flags[Name(1u)] = true;
  CHECK_FALSE(flags[Name(0u)]);
  CHECK(flags[Name(1u)]);
}

TEST_CASE("equal texts have equal names, and the text stays where it is") {
  Interner names;
  Name berth = names.intern("berth");
  std::string_view text = names.text(berth);
  for (int i = 0; i < 5000; ++i) names.intern("name" + std::to_string(i));
  CHECK(names.intern(std::string("ber") + "th") == berth);
  CHECK(names.text(berth).data() == text.data());
  CHECK(names.find("name4999").valid());
  CHECK_FALSE(names.find("nobody").valid());
  CHECK(names.text(Name()).empty());
}

TEST_CASE("lines and columns count from 1, columns in scalar values") {
  SourceMap sources;
  FileId file = sources.add("x.nika", "ab\n\tä€😀z\n\nlast");
  auto at = [&](std::uint32_t offset) { return sources.line_column(file, offset); };
  CHECK(at(0) == LineColumn{1, 1});
  CHECK(at(2) == LineColumn{1, 3});  // the line break belongs to its line
  CHECK(at(3) == LineColumn{2, 1});
  CHECK(at(4) == LineColumn{2, 2});   // a tab counts as one
  CHECK(at(6) == LineColumn{2, 3});   // ä is two bytes
  CHECK(at(9) == LineColumn{2, 4});   // € three
  CHECK(at(13) == LineColumn{2, 5});  // 😀 four
  CHECK(at(15) == LineColumn{3, 1});
  CHECK(at(20) == LineColumn{4, 5});
  CHECK(sources.line_count(file) == 4);
  CHECK(sources.line_text(file, 2) == "\tä€😀z");
  CHECK(sources.line_text(file, 3).empty());
  CHECK(sources.line_text(file, 4) == "last");
}

TEST_CASE("a carriage return before the line break is not part of the line") {
  SourceMap sources;
  FileId file = sources.add("x.nika", "one\r\ntwo\r");
  CHECK(sources.line_text(file, 1) == "one");
  CHECK(sources.line_text(file, 2) == "two\r");
}

TEST_CASE("an empty file has one empty line") {
  SourceMap sources;
  FileId file = sources.add("x.nika", "");
  CHECK(sources.line_count(file) == 1);
  CHECK(sources.line_text(file, 1).empty());
  CHECK(sources.line_column(file, 0) == LineColumn{1, 1});
}

TEST_CASE("well-formed UTF-8 is told from everything else") {
  auto bad = [](std::string_view text) { return find_bad_utf8(text); };
  CHECK(bad("plain äöü € 😀 \xef\xbf\xbf \xed\x9f\xbf \xf4\x8f\xbf\xbf") == std::string_view::npos);
  CHECK(bad("ab\xff") == 2);
  CHECK(bad("a\x80") == 1);
  CHECK(bad("a\xc0\x80") == 1);          // overlong
  CHECK(bad("a\xe0\x9f\xbf") == 1);      // overlong
  CHECK(bad("a\xed\xa0\x80") == 1);      // a surrogate
  CHECK(bad("a\xf4\x90\x80\x80") == 1);  // above U+10FFFF
  CHECK(bad("a\xe2\x82") == 1);          // cut off
  CHECK(bad("a\xc3\x41") == 1);          // second byte is none
}

TEST_CASE("a file is loaded under the name it is shown by") {
  ScratchFolder folder;
  SourceMap sources;
  auto file = sources.load(folder.file("a.nika", "fn main() { }\n"), "src/a.nika");
  REQUIRE(file.has_value());
  CHECK(sources.path(*file) == "src/a.nika");
  CHECK(sources.text(*file) == "fn main() { }\n");
}

TEST_CASE("what cannot be loaded says why and what to do") {
  ScratchFolder folder;
  SourceMap sources;

  auto missing = sources.load(folder.path() + "/none.nika", "none.nika");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().kind == LoadError::Kind::not_there);
  CHECK(missing.error().message == "There is no file `none.nika`.");

  auto directory = sources.load(folder.path(), "here");
  REQUIRE_FALSE(directory.has_value());
  CHECK(directory.error().message == "`here` is a folder, not a file.");

  auto latin = sources.load(folder.file("l.nika",
                                        "ok\nStra\xdf"
                                        "e\n"),
                            "l.nika");
  REQUIRE_FALSE(latin.has_value());
  CHECK(latin.error().kind == LoadError::Kind::not_utf8);
  CHECK(latin.error().message ==
        "`l.nika` is not UTF-8 text: the byte at offset 7, in line 2, belongs to no character.");
  CHECK_FALSE(latin.error().help.empty());

  std::string huge = folder.path() + "/huge.nika";
  int fd = ::open(huge.c_str(), O_CREAT | O_WRONLY, 0600);
  REQUIRE(fd >= 0);
  REQUIRE(::ftruncate(fd, static_cast<off_t>(1) << 32) == 0);
  ::close(fd);
  auto large = sources.load(huge, "huge.nika");
  REQUIRE_FALSE(large.has_value());
  CHECK(large.error().message == "`huge.nika` is larger than 4 GiB.");

  CHECK(sources.size() == 0);
}

TEST_CASE("spans join, and an empty one adds nothing") {
  FileId file(0u);
  CHECK(join(Span{file, 3, 5}, Span{file, 8, 9}) == Span{file, 3, 9});
  CHECK(join(Span(), Span{file, 8, 9}) == Span{file, 8, 9});
  CHECK_FALSE(Span::whole_file(file).has_text());
  CHECK(Span::whole_file(file).has_file());
  CHECK_FALSE(Span().has_file());
}
