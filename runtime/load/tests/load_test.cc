// Finding, checking and choosing backends, among files that are wrong in every way a file can be.
// None of the wrong ones may be called: each of their functions ends the process.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <stdlib.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/load/backends.h"

namespace fs = std::filesystem;
using nikaia::load::Backends;
using nikaia::load::Candidate;
using nikaia::load::Choice;
using nikaia::load::Places;
using nikaia::load::Standing;

namespace {

// Folders that only their owner can write to, whatever the umask.
class Scratch {
 public:
  Scratch() : root_((fs::temp_directory_path() / "nikaia-load-XXXXXX").string()) {
    REQUIRE(mkdtemp(root_.data()) != nullptr);
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  fs::path folder(const std::string& name) const {
    fs::path path = fs::path(root_) / name;
    fs::create_directories(path);
    REQUIRE(chmod(path.c_str(), 0755) == 0);
    return path;
  }

 private:
  std::string root_;
};

fs::path odd(const std::string& what) {
  return fs::path(ODD_FOLDER) / ("odd_" + what + ".so");
}

fs::path file_of(const fs::path& folder, const std::string& name) {
  return folder / ("nikaia-io-" + name + ".so");
}

// Puts a copy of `from` there as the backend `name`.
fs::path put(const fs::path& folder, const std::string& name, const fs::path& from,
             std::uintmax_t bytes = UINTMAX_MAX) {
  fs::path to = file_of(folder, name);
  fs::copy_file(from, to, fs::copy_options::overwrite_existing);
  REQUIRE(chmod(to.c_str(), 0755) == 0);
  if (bytes != UINTMAX_MAX) fs::resize_file(to, bytes);
  return to;
}

void put_text(const fs::path& folder, const std::string& name, const std::string& text) {
  std::ofstream(file_of(folder, name)) << text;
  REQUIRE(chmod(file_of(folder, name).c_str(), 0644) == 0);
}

Places places(std::vector<fs::path> folders) {
  Places places;
  places.folders = std::move(folders);
  return places;
}

const nikaia_io_config config = nikaia::load::configuration(1);

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

Candidate only_one(const fs::path& folder, const std::string& name) {
  const std::vector<Candidate> found = Backends(places({folder})).named(name);
  REQUIRE(found.size() == 1);
  return found.front();
}

struct Refusal {
  const char* what;
  const char* words;
};

}  // namespace

TEST_CASE("a right file is loaded and probed") {
  const Scratch scratch;
  const fs::path folder = scratch.folder("backends");
  put(folder, "mine", odd("right"));
  const Candidate candidate = only_one(folder, "mine");
  CHECK(candidate.standing == Standing::serves);
  CHECK(candidate.name == "mine");
  CHECK(candidate.file == file_of(folder, "mine"));
  REQUIRE(candidate.backend != nullptr);
  CHECK(nikaia::load::probe(*candidate.backend, config).serves);
}

TEST_CASE("a file that is wrong in one way is refused with that reason, and never called") {
  const Refusal refusals[] = {
      {"magic", "its magic number is wrong"},
      {"newer", "it has version 2 of the backend ABI, and version 1 is understood"},
      {"zero", "it has version 0 of the backend ABI"},
      {"small", "bytes, and version 1 has"},
      {"function", "its descriptor has no function `wait`"},
      {"null", "does not point to a descriptor"},
      {"elsewhere", "does not point to a descriptor"},
      {"symbol", "it does not export `nikaia_io_backend_v1`"},
      {"library", "nikaia_is_not_defined_anywhere"},
  };
  const Scratch scratch;
  const fs::path folder = scratch.folder("backends");
  for (const Refusal& refusal : refusals) {
    put(folder, refusal.what, odd(refusal.what));
    const Candidate candidate = only_one(folder, refusal.what);
    INFO(refusal.what << ": " << candidate.reason);
    CHECK(candidate.standing == Standing::refused);
    CHECK(candidate.backend == nullptr);
    CHECK_THAT(candidate.reason, Catch::Contains(refusal.words));
  }
}

TEST_CASE("a larger descriptor of the same version is understood") {
  const Scratch scratch;
  const fs::path folder = scratch.folder("backends");
  put(folder, "large", odd("large"));
  CHECK(only_one(folder, "large").standing == Standing::serves);
}

TEST_CASE("what is no shared object is refused") {
  const Scratch scratch;
  const fs::path folder = scratch.folder("backends");
  put_text(folder, "text", "int main() {}\n");
  CHECK_THAT(only_one(folder, "text").reason, Catch::Contains("not a shared object"));
  put_text(folder, "empty", "");
  CHECK_THAT(only_one(folder, "empty").reason, Catch::Contains("empty"));
  fs::create_directory(file_of(folder, "folder"));
  REQUIRE(chmod(file_of(folder, "folder").c_str(), 0755) == 0);
  CHECK_THAT(only_one(folder, "folder").reason, Catch::Contains("directory"));
  fs::create_symlink("nowhere", file_of(folder, "dangling"));
  CHECK(only_one(folder, "dangling").standing == Standing::refused);
}

TEST_CASE("a file cut off at any place is refused or loaded, and does not crash") {
  const Scratch scratch;
  const fs::path folder = scratch.folder("backends");
  const std::uintmax_t whole = fs::file_size(odd("right"));
  int refused = 0;
  for (std::uintmax_t bytes = 0; bytes < whole; bytes += 1 + whole / 97) {
    // A name of its own each time: the loader knows files by their place.
    const std::string name = "cut" + std::to_string(bytes);
    put(folder, name, odd("right"), bytes);
    const Candidate candidate = only_one(folder, name);
    if (candidate.standing == Standing::refused) ++refused;
    INFO(bytes << " of " << whole << ": " << candidate.reason);
    CHECK((candidate.standing == Standing::serves || !candidate.reason.empty()));
  }
  CHECK(refused > 10);
}

TEST_CASE("what others can write to is refused, unless it is trusted") {
  const Scratch scratch;
  const fs::path folder = scratch.folder("backends");
  const fs::path file = put(folder, "mine", odd("right"));
  for (const mode_t mode : {0775u, 0757u}) {
    REQUIRE(chmod(file.c_str(), mode) == 0);
    const Candidate candidate = only_one(folder, "mine");
    CHECK(candidate.standing == Standing::refused);
    CHECK_THAT(candidate.reason, Catch::Contains(mode == 0775u ? "0775" : "0757") && Catch::Contains(file.string()) &&
                                     Catch::Contains("NIKAIA_BACKEND_TRUST=1"));
  }
  REQUIRE(chmod(file.c_str(), 0755) == 0);
  REQUIRE(chmod(folder.c_str(), 0777) == 0);
  const Candidate candidate = only_one(folder, "mine");
  CHECK(candidate.standing == Standing::refused);
  CHECK_THAT(candidate.reason,
             Catch::Contains("folder") && Catch::Contains(folder.string()) && Catch::Contains("0777"));

  Places trusting = places({folder});
  trusting.trust = true;
  CHECK(Backends(trusting).named("mine").front().standing == Standing::serves);
}

TEST_CASE("a link out of a safe folder into an open one is refused") {
  const Scratch scratch;
  const fs::path safe = scratch.folder("safe");
  const fs::path open = scratch.folder("open");
  const fs::path file = put(open, "mine", odd("right"));
  fs::create_symlink(file, file_of(safe, "mine"));
  CHECK(only_one(safe, "mine").standing == Standing::serves);
  REQUIRE(chmod(open.c_str(), 0777) == 0);
  CHECK(only_one(safe, "mine").standing == Standing::refused);
}

TEST_CASE("the first file that can be loaded wins, and the others are listed") {
  const Scratch scratch;
  const fs::path first = scratch.folder("first");
  const fs::path second = scratch.folder("second");
  const fs::path third = scratch.folder("third");
  put_text(first, "mine", "no backend");
  put(second, "mine", odd("right"));
  put(third, "mine", odd("probe"));
  put(third, "other", odd("probe"));
  put_text(third, "README", "not a backend's name");
  fs::rename(file_of(third, "README"), third / "README");

  const Backends backends(places({first, second, third}));
  const std::vector<Candidate> named = backends.named("mine");
  REQUIRE(named.size() == 2);
  CHECK(named[0].standing == Standing::refused);
  CHECK(named[1].standing == Standing::serves);

  const std::vector<Candidate> all = backends.all();
  REQUIRE(all.size() == 4);
  CHECK(all[0].standing == Standing::refused);
  CHECK(all[1].standing == Standing::serves);
  CHECK(all[1].file == file_of(second, "mine"));
  CHECK(all[2].standing == Standing::shadowed);
  CHECK(all[3].name == "other");
}

TEST_CASE("a folder that is not there, or named twice, is passed over") {
  const Scratch scratch;
  const fs::path folder = scratch.folder("backends");
  put(folder, "mine", odd("right"));
  const Backends backends(places({folder / "nothing", folder, folder / ".", folder}));
  CHECK(backends.all().size() == 1);
}

TEST_CASE("names are not paths") {
  const Scratch scratch;
  const fs::path folder = scratch.folder("backends");
  scratch.folder("backends/nikaia-io-x");
  put(folder, "mine", odd("right"));
  const Backends backends(places({folder}));
  CHECK(backends.named("").empty());
  CHECK(backends.named("x/../mine").empty());
  CHECK(backends.named("missing").empty());
}

TEST_CASE("a pinned backend serves or says why not") {
  const Scratch scratch;
  const fs::path folder = scratch.folder("backends");
  put(folder, "mine", odd("right"));
  put(folder, "moody", odd("probe"));
  put(folder, "silent", odd("reasonless"));
  put(folder, "future", odd("newer"));
  const Backends backends(places({folder}));

  const Choice right = nikaia::load::choose(backends, "mine", config);
  REQUIRE(right.chosen.backend != nullptr);
  CHECK(right.report == "mine");

  const Choice moody = nikaia::load::choose(backends, "moody", config);
  CHECK(moody.chosen.backend == nullptr);
  CHECK(moody.failure.problem == "the I/O backend `moody` cannot serve: the moon is full");
  CHECK(moody.failure.suggestion.empty());

  const Choice silent = nikaia::load::choose(backends, "silent", config);
  CHECK_THAT(silent.failure.problem, Catch::Contains("Permission denied"));

  const Choice future = nikaia::load::choose(backends, "future", config);
  CHECK_THAT(future.failure.problem,
             Catch::Contains(file_of(folder, "future").string()) && Catch::Contains("version 2"));
  CHECK_THAT(joined(future.failure.notes), Catch::Contains("`mine`") && Catch::Contains("would run") &&
                                               Catch::Contains("would not run here: the moon is full") &&
                                               Catch::Contains("could not be loaded"));
}

TEST_CASE("a misspelt name is recognised, and everything found is listed") {
  const Scratch scratch;
  const fs::path folder = scratch.folder("backends");
  put(folder, "uring", odd("right"));
  put(folder, "uv", odd("right"));
  const Backends backends(places({folder}));
  const Choice choice = nikaia::load::choose(backends, "urnig", config);
  CHECK(choice.chosen.backend == nullptr);
  CHECK(choice.failure.problem == "no I/O backend is called `urnig`");
  CHECK(choice.failure.suggestion == "uring");
  CHECK(choice.failure.notes.size() == 2);
  CHECK(nikaia::load::choose(backends, "atuo", config).failure.suggestion == "auto");
  CHECK(nikaia::load::choose(backends, "ub", config).failure.suggestion == "uv");
  CHECK(nikaia::load::choose(backends, "completely", config).failure.suggestion.empty());
}

TEST_CASE("auto takes uring, then blocking, and no other") {
  const Scratch scratch;
  const fs::path folder = scratch.folder("backends");
  const Backends backends(places({folder}));
  put(folder, "uv", odd("right"));
  const Choice none = nikaia::load::choose(backends, "auto", config);
  CHECK(none.chosen.backend == nullptr);
  CHECK(none.failure.problem == "no I/O backend can serve here");
  CHECK(none.failure.notes.size() == 1);

  put(folder, "blocking", odd("right"));
  CHECK(nikaia::load::choose(backends, "auto", config).report == "auto (chose blocking: uring: it was not found)");

  put(folder, "uring", odd("probe"));
  CHECK(nikaia::load::choose(backends, "auto", config).report == "auto (chose blocking: uring: the moon is full)");
}

TEST_CASE("auto says which file of uring could not be loaded, and takes the next") {
  const Scratch scratch;
  const fs::path first = scratch.folder("first");
  const fs::path second = scratch.folder("second");
  put_text(first, "uring", "text");
  put(second, "blocking", odd("right"));
  const Choice choice = nikaia::load::choose(Backends(places({first, second})), "auto", config);
  CHECK(choice.chosen.name == "blocking");
  CHECK_THAT(choice.report,
             Catch::Contains(file_of(first, "uring").string()) && Catch::Contains("could not be loaded"));

  put(second, "uring", odd("right"));
  CHECK(nikaia::load::choose(Backends(places({first, second})), "auto", config).report == "auto (chose uring)");
}

TEST_CASE("the linked backend comes after every file of its name") {
  const Scratch scratch;
  const fs::path folder = scratch.folder("backends");
  put(folder, "uv", UV_FILE);
  const Candidate file = only_one(folder, "uv");
  REQUIRE(file.backend != nullptr);

  // The same descriptor, as if it were linked into the program.
  Places with_linked = places({scratch.folder("empty")});
  with_linked.linked = file.backend;
  const std::vector<Candidate> alone = Backends(with_linked).named("uv");
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].file.empty());
  CHECK(alone[0].standing == Standing::serves);

  with_linked.folders = {folder};
  const std::vector<Candidate> all = Backends(with_linked).all();
  REQUIRE(all.size() == 2);
  CHECK(all[0].standing == Standing::serves);
  CHECK(all[1].standing == Standing::shadowed);
  CHECK(Backends(with_linked).named("uv").size() == 1);
}

TEST_CASE("the choice keeps its backend loaded") {
  const Scratch scratch;
  const fs::path folder = scratch.folder("backends");
  put(folder, "mine", odd("right"));
  Choice choice;
  {
    const Backends backends(places({folder}));
    choice = nikaia::load::choose(backends, "mine", config);
  }
  REQUIRE(choice.chosen.backend != nullptr);
  CHECK(std::string(choice.chosen.backend->name) == "odd");
}

TEST_CASE("the environment and the toolchain say where to look") {
  setenv("NIKAIA_BACKEND_PATH", "/one::/two:", 1);
  setenv("NIKAIA_BACKEND_TRUST", "1", 1);
  const Places with = nikaia::load::standard_places("/toolchain", nullptr);
  REQUIRE(with.folders.size() == 4);
  CHECK(with.folders[0] == "/one");
  CHECK(with.folders[1] == "/two");
  CHECK(with.folders[2].filename() == "backends");
  CHECK(with.folders[3] == "/toolchain");
  CHECK(with.trust);

  unsetenv("NIKAIA_BACKEND_PATH");
  setenv("NIKAIA_BACKEND_TRUST", "yes", 1);
  const Places without = nikaia::load::standard_places({}, nullptr);
  CHECK(without.folders.size() == 1);
  CHECK(!without.trust);
  unsetenv("NIKAIA_BACKEND_TRUST");
}

TEST_CASE("every capability has a name") {
  CHECK(nikaia::load::capability_names(0).empty());
  CHECK(nikaia::load::capability_names(~std::uint64_t{0}).size() == 7);
}
