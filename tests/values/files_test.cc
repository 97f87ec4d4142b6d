// Directories, handles, other programs and standard input, each in a program with its runtime: 07
// §11-13.
#include <catch2/catch.hpp>
#include <fcntl.h>
#include <filesystem>
#include <fstream>

#include "tests/values/values.h"

using namespace values;

namespace {

namespace files = std::filesystem;

// Several values on a line.
template <class... More>
void println(const More&... more) requires(sizeof...(More) > 1) {
  String line;
  bool first = true;
  ((line.append(first ? ""_s : " "_s), first = false, show(line, more)), ...);
  nikaia::println(static_cast<Str>(line));
}
// The same with its parts evaluated as they are written, which a call leaves open.
struct Line {
  template <class... More>
  explicit Line(const More&... more) {
    println(more...);
  }
};
using nikaia::println;

// The message of what failed, or what there is.
template <class T>
String outcome(Result<T> result) {
  return result.failed() ? result.failure().message() : format(debug_form(result.value()));
}
template <>
String outcome(Result<void> result) {
  return result.failed() ? result.failure().message() : String::literal("done"_s);
}

void write(const files::path& path, const std::string& text) {
  files::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

// A fresh directory, as a Root and as a path.
struct Scratch {
  Root root = fs_scratch().take();
  files::path path = plain(root.sum.as<0>().part0.bytes);
  ~Scratch() { files::remove_all(path); }
};

}  // namespace

TEST_CASE("walking lists files once, in the order of their names") {
  CHECK(program_output([] {
          const Scratch scratch;
          for (const char* name : {"b.txt", "a/one.txt", "a/deep/two.txt", "a-b/x.txt", "c/z.txt", "d/k.txt"}) {
            write(scratch.path / name, "x");
          }
          files::create_directory(scratch.path / "empty");
          files::create_directory_symlink("..", scratch.path / "a/up");
          files::create_directory_symlink("../d", scratch.path / "c/first");  // before d itself
          files::create_symlink("../b.txt", scratch.path / "a/link");
          files::create_symlink("/etc/hostname", scratch.path / "out");
          files::create_directory_symlink("/etc", scratch.path / "c/etc");
          files::create_symlink("nowhere", scratch.path / "dangling");
          println(outcome(fs_walk("."_s, scratch.root)));
          println(outcome(fs_walk("a"_s, scratch.root)));
          println(outcome(fs_walk("missing"_s, scratch.root)));
          println(outcome(fs_walk("../x"_s, scratch.root)));
          println(outcome(fs_read_dir("a"_s, scratch.root)));
          write(scratch.path / "c/\xFF", "x");
          println(outcome(fs_walk("c"_s, scratch.root)));
        }) ==
        "[\"a-b/x.txt\", \"a/deep/two.txt\", \"a/link\", \"a/one.txt\", \"b.txt\", "
        "\"c/first/k.txt\", \"c/z.txt\"]\n"
        "[\"deep/two.txt\", \"link\", \"one.txt\", \"up/a-b/x.txt\", \"up/b.txt\", "
        "\"up/c/first/k.txt\", \"up/c/z.txt\"]\n"
        "no such file or directory: missing\noutside its root: ../x\n"
        "[\"deep\", \"link\", \"one.txt\", \"up\"]\nnot valid UTF-8: \uFFFD\n");
}

TEST_CASE("making, removing, renaming and copying") {
  CHECK(
      program_output([] {
        const Scratch scratch;
        const Root& root = scratch.root;
        println(outcome(fs_create_dir("a"_s, root)));
        println(outcome(fs_create_dir("a"_s, root)));
        println(outcome(fs_create_dir("x/y"_s, root)));
        println(outcome(fs_create_dir("x/y/z"_s, root, true)));
        println(outcome(fs_create_dir("x/y/z"_s, root, true)));
        println(outcome(fs_create_dir("../up"_s, root, true)));
        println(outcome(fs_write("x/y/t.txt"_s, root, "text"_s)));
        println(outcome(fs_copy("x/y/t.txt"_s, "a/t.txt"_s, root)));
        Line{outcome(fs_copy("a/t.txt"_s, "a/t.txt"_s, root)).size() != 0, fs_metadata("a/t.txt"_s, root).value().size};
        files::create_symlink("t.txt", scratch.path / "a/l");
        Line{outcome(fs_rename("a/l"_s, "a/m"_s, root)), files::is_symlink(scratch.path / "a/m")};
        Line{outcome(fs_remove("a/m"_s, root)), files::exists(scratch.path / "a/t.txt")};
        println(outcome(fs_remove("x"_s, root)));
        files::create_directory_symlink(scratch.path / "a", scratch.path / "x/y/to_a");
        Line{outcome(fs_remove("x"_s, root, true)), files::exists(scratch.path / "x"),
             files::exists(scratch.path / "a/t.txt")};
        println(outcome(fs_remove("nothing"_s, root)));
        const auto about = fs_metadata("a"_s, root);
        println(metadata_is_dir(about.value()), metadata_is_file(about.value()),
                duration_in_hours(metadata_modified(about.value())) > 400000);
      }) ==
      "done\nFile exists\nno such file or directory: x/y\ndone\ndone\noutside its root: "
      "../up\ndone\n4\n"
      "true 4\ndone true\ndone true\nDirectory not empty\ndone false true\nno such file or "
      "directory: nothing\n"
      "true false true\n");
}

TEST_CASE("writers and files") {
  CHECK(program_output([] {
          const Scratch scratch;
          Writer writer = fs_create("log.txt"_s, scratch.root).take();
          writer_write(writer, "one\n"_s);
          println(files::file_size(scratch.path / "log.txt"));
          Line{outcome(writer_flush(writer)), files::file_size(scratch.path / "log.txt")};
          writer_write(writer, "two\n"_s);
          Line{outcome(clean_up(writer)), outcome(clean_up(writer))};
          println(fs_read_to_string("log.txt"_s, scratch.root).take());
          println(outcome(writer_close(fs_create("log.txt"_s, scratch.root).take())));
          println(fs_open("log.txt"_s, scratch.root, false, false, true).failure().is<IoError>());
          File file = fs_open("f"_s, scratch.root, true, false, true).take();
          Line{outcome(file_write(file, "abcdef"_s)), outcome(file_seek(file, Seek::Start(2)))};
          auto into = Vec<u8>::of(u8{0}, u8{0}, u8{0});
          Line{outcome(file_read(file, into)), false, into.data()[0]};
          Line{outcome(file_seek(file, Seek::End(-1))), outcome(file_read(file, into)), outcome(file_read(file, into))};
          println(outcome(file_seek(file, Seek::Start(-1))));
          Line{outcome(file_len(file)), outcome(file_close(static_cast<File&&>(file)))};
          const Mapped mapped = fs_map("f"_s, scratch.root).take();
          println(bytes_text(mapped).take());
          println(bytes_len(fs_map("log.txt"_s, scratch.root).value()));
        }) ==
        "0\ndone 4\ndone done\none\ntwo\n\ndone\ntrue\n6 2\n3 false 99\n5 1 0\nInvalid argument\n6 "
        "done\nabcdef\n0\n");
}

TEST_CASE("running other programs") {
  CHECK(program_output([] {
          auto words = [](const auto&... text) { return Vec<String>::of(owned(text)...); };
          auto echo = process_run("echo"_s, words("a", "b c")).take();
          println(echo.code, echo.ok, echo.stdout);
          auto failed = process_run("sh"_s, words("-c", "echo oops >&2; exit 3")).take();
          println(failed.code, failed.ok, failed.stderr);
          println(process_run("sh"_s, words("-c", "kill -9 $$")).take().code);
          println(process_run("no-such-program"_s, Vec<String>()).failure().message());
          println(process_run("pwd"_s, Vec<String>(), "/"_s).take().stdout);
          println(process_run("printf"_s, words("\\377")).failure().message());
          println(process_run("cat"_s, Vec<String>()).take().stdout.size());
          // More than a pipe holds, on both outputs at once.
          auto much = process_run("sh"_s, words("-c", "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero")).take();
          println(much.stdout.size(), much.stderr.size());
        }) ==
        "0 true a b c\n\n3 false oops\n\n-1\nno such file or directory: no-such-program\n/\n\n"
        "not valid UTF-8: the output of printf\n0\n300000 300000\n");
}

TEST_CASE("standard input") {
  const auto with_input = [](const std::string& text, void (*entry)()) {
    char name[] = "/tmp/nikaia-input-XXXXXX";
    const int fd = mkstemp(name);
    (void)!::write(fd, text.data(), text.size());
    lseek(fd, 0, SEEK_SET);
    const int before = dup(STDIN_FILENO);
    dup2(fd, STDIN_FILENO);
    const std::string output = program_output(entry);
    dup2(before, STDIN_FILENO);
    close(before);
    close(fd);
    unlink(name);
    return output;
  };
  const auto lines = [] {
    auto seq = io_lines();
    while (true) {
      auto step = seq.next();
      if (step.failed()) {
        println(step.failure().message());
        return;
      }
      if (!step.value().has()) {
        return;
      }
      println(format(debug_form(step.value())));
    }
  };
  CHECK(with_input("a\r\n\nb\r", lines) == "\"a\"\n\"\"\n\"b\\r\"\n");
  CHECK(with_input("", lines) == "");
  CHECK(with_input("ok\n\xFF\n", lines) == "\"ok\"\nnot valid UTF-8: standard input\n");
  CHECK(with_input(std::string(200000, 'x') + "\ny", [] { println(seq_collect(io_lines()).take().size()); }) == "2\n");
  CHECK(with_input("one\ntwo\nthree", [] {
          auto first = io_lines().next();
          println(first.value().take());
          println(io_read_to_string().take());
          println(bytes_len(io_read().value()));
        }) == "one\ntwo\nthree\n0\n");
}
