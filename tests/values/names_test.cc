// Paths by components, and names under their roots: 07 §12.
#include <catch2/catch.hpp>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include "tests/values/values.h"

using namespace values;

namespace {

namespace files = std::filesystem;

struct Folder {
  files::path path;
  Folder() {
    char name[] = "/tmp/nikaia-names-XXXXXX";
    path = mkdtemp(name);
    files::create_directories(path / "yard/shed");
    files::create_directories(path / "yardstick");
    write("secret.txt", "secret");
    write("yard/gate.txt", "gate");
    write("yard/shed/tool.txt", "tool");
    write("yardstick/rule.txt", "rule");
    files::create_symlink("shed/tool.txt", path / "yard/near");
    files::create_symlink("../secret.txt", path / "yard/out");
    files::create_symlink(path / "yard/shed", path / "yard/back");
    files::create_symlink(path / "secret.txt", path / "yard/away");
    files::create_symlink("loop", path / "yard/loop");
  }
  ~Folder() { files::remove_all(path); }
  void write(const char* name, const char* text) const { std::ofstream(path / name) << text; }
  String name(const char* below) const { return owned((path / below).c_str()); }
  Root yard() const { return Root::Dir(Path(name("yard"))); }
};

// What reading gives, or the error's case.
String read(Str name, const Root& root) {
  auto text = fs_read_to_string(name, root);
  if (text.ok()) {
    return text.take();
  }
  constexpr Str cases[] = {"NotFound"_s, "PermissionDenied"_s, "NotText"_s, "Outside"_s, "Other"_s};
  return String::literal(cases[text.failure().as<IoError>().sum.tag()]);
}

}  // namespace

TEST_CASE("paths by components") {
  CHECK(path_starts_with("/srv/a/b"_s, "/srv/a"_s));
  CHECK_FALSE(path_starts_with("/srv/ab"_s, "/srv/a"_s));
  CHECK(path_ends_with("a//b/./c/"_s, "b/c"_s));
  CHECK(said(path_file_name("a/b.tar.gz/"_s).take()) == "b.tar.gz");
  CHECK(said(path_extension("a/b.tar.gz"_s).take()) == "gz");
  CHECK_FALSE(path_extension("a/.profile"_s).has());
  CHECK_FALSE(path_file_name("/"_s).has());
  CHECK_FALSE(path_file_name("a/.."_s).has());
  CHECK(said(path_parent("/srv/a"_s).take()) == "/srv");
  CHECK(said(path_parent("/srv"_s).take()) == "/");
  CHECK_FALSE(path_parent("srv"_s).has());
  CHECK(said(path_parent("a/b/c"_s).take()) == "a/b");
  CHECK(said(path_with_extension("a.d/b.txt"_s, "md"_s)) == "a.d/b.md");
  CHECK(said(path_with_extension("a/b"_s, "md"_s)) == "a/b.md");
  CHECK(said(path_with_extension("a/b.txt"_s, ""_s)) == "a/b");
  CHECK(said(path_join("a"_s, "b"_s), path_join("a/"_s, "/b"_s)) == "a/b/b");
  CHECK(plain(path_display(Str("a\xFF", 2))) == "a\uFFFD");
  CHECK(path_to_text(Str("a\xFF", 2)).failed());
}

TEST_CASE("names stay under their root") {
  CHECK(program_output([] {
          const Folder folder;
          const Root yard = folder.yard();
          println(read("gate.txt"_s, yard));
          println(read("shed/../gate.txt"_s, yard));
          println(read("near"_s, yard));
          println(read("back/tool.txt"_s, yard));  // an absolute link that leads back
          println(read("back/../gate.txt"_s, yard));
          println(read("out"_s, yard));
          println(read("away"_s, yard));
          println(read("../secret.txt"_s, yard));
          println(read("../yard/gate.txt"_s, yard));
          println(read("back/../../secret.txt"_s, yard));
          println(read(folder.name("yard/gate.txt"), yard));
          println(read(folder.name("yardstick/rule.txt"), yard));
          println(read(folder.name("yard/../secret.txt"), yard));
          println(read("/etc/passwd"_s, yard));
          println(read("nothing"_s, yard));
          println(read("loop"_s, yard));
          println(read(""_s, yard));
          println(read(Str("gate.txt\0x", 10), yard));
          println(read(folder.name("secret.txt"), Root::Anywhere()));
        }) ==
        "gate\ngate\ntool\ntool\ngate\nOutside\nOutside\nOutside\nOutside\nOutside\ngate\nOutside\n"
        "Outside\nOutside\nNotFound\nOther\nNotFound\nOther\nsecret\n");
}

TEST_CASE("whether a name exists") {
  const Folder folder;
  const Root yard = folder.yard();
  CHECK(fs_exists("gate.txt"_s, yard).take());
  CHECK(fs_exists("back"_s, yard).take());
  CHECK_FALSE(fs_exists("no/where"_s, yard).take());
  CHECK(fs_exists("../secret.txt"_s, yard).failed());
  CHECK(fs_exists(folder.name("secret.txt"), Root::Anywhere()).take());
}

TEST_CASE("writing") {
  CHECK(program_output([] {
          const Folder folder;
          const Root yard = folder.yard();
          println(fs_write("new.txt"_s, yard, "one"_s).ok());
          println(fs_write("new.txt"_s, yard, "two"_s, true).ok());
          println(read("new.txt"_s, yard));
          println(fs_write("new.txt"_s, yard, "3"_s).ok());
          println(read("new.txt"_s, yard));
          println(fs_write("absent.txt"_s, yard, "x"_s, false, false).failure().message());
          println(fs_write("../up.txt"_s, yard, "x"_s).failure().message());
          println(files::exists(folder.path / "up.txt"));
          println(fs_write("back/link.txt"_s, yard, Vec<u8>::of(u8{'o'}, u8{'k'})).ok());
          println(read("shed/link.txt"_s, yard));
          folder.write("bytes", "\xFF\xFE");
          println(read(folder.name("bytes"), Root::Anywhere()));
          println(bytes_len(fs_read(folder.name("bytes"), Root::Anywhere()).value()));
        }) ==
        "true\ntrue\nonetwo\ntrue\n3\nno such file or directory: absent.txt\noutside its root: "
        "../up.txt\nfalse\n"
        "true\nok\nNotText\n2\n");
}
