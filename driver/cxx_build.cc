#include "driver/cxx_build.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "driver/cxx_failure.h"
#include "driver/defect.h"
#include "driver/digest.h"
#include "driver/files.h"
#include "driver/log.h"
#include "driver/process.h"
#include "driver/tidy.h"

namespace nikaia::driver {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view runtime_header = "nikaia/rt.h";

CxxFailure ordinary(Trouble trouble) {
  return {false, {}, std::move(trouble)};
}

std::vector<std::string> words_of(const char* variable) {
  const char* value = std::getenv(variable);
  std::istringstream in(value == nullptr ? "" : value);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

// --- Flags

bool can_link_time_optimise(const CxxRequest& request) {
  // clang's own form of objects needs a linker that reads it.
  return request.compiler->family == CxxCompiler::Family::gcc || !find_program("ld.lld").empty();
}

// Tells a program where the toolchain's I/O backends are. Not as a library search path, in which
// the loader would look some forty times for the C library.
std::string backends_word(const Installation& installation) {
  std::string word = "-DNIKAIA_BACKENDS=\"";
  for (const char c : installation.backends().string()) {
    if (c == '"' || c == '\\') word += '\\';
    word += c;
  }
  return word + "\"";
}

// What decides the bytes of an object besides its text. The precompiled header has the same.
Words compile_flags(const CxxRequest& request) {
  const bool gcc = request.compiler->family == CxxCompiler::Family::gcc;
  // `-ffp-contract=off`: an `f64` has the bits the language says, with any compiler.
  Words words = {"-std=c++20", "-ffp-contract=off", "-DNDEBUG", "-pthread", "-w", "-fdiagnostics-color=never"};
  append(words, gcc ? Words{"-fno-diagnostics-show-caret", "-fmax-errors=20"}
                    : Words{"-fno-caret-diagnostics", "-ferror-limit=20"});
  switch (request.profile) {
    // Not `-O1`: an 80-line program then takes 1.1 s of the compiler's time instead of 0.6.
    case Profile::dev: append(words, {"-O0", "-g1"}); break;
    case Profile::release:
      words.push_back("-O" + request.generation.opt_level);
      if (request.generation.lto && can_link_time_optimise(request)) {
        words.emplace_back(gcc ? "-flto=auto" : "-flto=thin");
      }
      break;
    case Profile::sanitize:
      append(words,
             {"-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"});
      break;
  }
  words.push_back(backends_word(*request.installation));
  append(words, request.foreign_compile_words);
  return words;
}

// The fastest linker there is for this kind of object, as the compiler's switch; none for its own.
Words linker_choice(const CxxRequest& request) {
  const bool gcc = request.compiler->family == CxxCompiler::Family::gcc;
  const bool lto = request.profile == Profile::release && request.generation.lto;
  const bool mold = !find_program("ld.mold").empty();
  const bool lld = !find_program("ld.lld").empty();
  if (mold && (!lto || gcc)) return {"-fuse-ld=mold"};
  if (lld && (!lto || !gcc)) return {"-fuse-ld=lld"};
  return {};
}

Words link_words(const CxxRequest& request) {
  Words words = compile_flags(request);
  append(words, linker_choice(request));
  // Loading the shared C++ library is half a millisecond of a program's start. Foreign code may
  // bring it anyway, and a program has one copy of it or the other.
  if (request.profile != Profile::sanitize && request.foreign_link_words.empty()) {
    append(words, {"-static-libstdc++", "-static-libgcc"});
  }
  return words;
}

std::string link_libraries_identity(const CxxRequest& request) {
  const bool sanitize = request.profile == Profile::sanitize;
  return identity_of(request.installation->runtime_library(sanitize));
}

// --- The precompiled header

std::string headers_identity(const Installation& installation) {
  Key key;
  key.add(folder_identity(installation.include() / "nikaia/rt"));
  key.add(identity_of(installation.include() / runtime_header));
  return key.digest();
}

// The words that make a compile use the precompiled header; empty where it is read as text, which
// is so behind a launcher: a compile that may run on another machine can't use this machine's.
struct Precompiled {
  Words words;
  std::string key;
};

// Marks an entry of a store as used now.
void touch(const fs::path& path) {
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
}

// Makes the symbolic link `link` one to `target`; a convenience for readers, so its failure is none of ours.
void point_to(const fs::path& link, const fs::path& target) {
  std::error_code error;
  const fs::path words = target.lexically_relative(link.parent_path());
  if (fs::read_symlink(link, error) == words) return;
  const fs::path temporary = temporary_beside(link);
  fs::create_symlink(words, temporary, error);
  if (!error) fs::rename(temporary, link, error);
  if (error) fs::remove(temporary, error);
}

class Builder {
 public:
  Builder(const CxxRequest& request, const std::vector<EmittedFile>& emitted)
      : request_(request), emitted_(emitted), launcher_(words_of("NIKAIA_CXX_LAUNCHER")) {}

  tl::expected<Built, CxxFailure> build() {
    if (auto failure = write_emitted()) return tl::unexpected(std::move(*failure));
    if (auto failure = precompile()) return tl::unexpected(std::move(*failure));
    if (auto failure = compile()) return tl::unexpected(std::move(*failure));
    auto program = link();
    if (!program) return tl::unexpected(std::move(program.error()));
    return Built{std::move(*program), emitted_folder_};
  }

 private:
  // The emitted files in one folder named by their content: another build with other options writes
  // another one, so that no compiler ever reads a file that changes under it.
  std::optional<CxxFailure> write_emitted() {
    Key key;
    for (const EmittedFile& file : emitted_) key.add(file.name).add(file.contents);
    emitted_folder_ = request_.output / "cache/emitted" / key.digest();
    for (const EmittedFile& file : emitted_) {
      if (Done written = write_file_if_changed(emitted_folder_ / file.name, file.contents); !written) {
        return ordinary(std::move(written.error()));
      }
    }
    touch(emitted_folder_);
    point_to(request_.output / "emitted", emitted_folder_);  // also for who looks at C++ that does not compile
    return std::nullopt;
  }

  [[nodiscard]] Words compiler_words() const {
    Words words = launcher_;
    append(words, request_.compiler->words);
    return words;
  }

  std::optional<CxxFailure> precompile() {
    headers_key_ = headers_identity(*request_.installation);
    if (!launcher_.empty()) return std::nullopt;
    const bool gcc = request_.compiler->family == CxxCompiler::Family::gcc;
    Key key;
    key.add(request_.compiler->identity).add(shell_line(compile_flags(request_))).add(headers_key_);
    const fs::path folder = request_.cache / "headers" / key.digest();
    const fs::path header = folder / runtime_header;
    fs::path made = header;
    made += gcc ? ".gch" : ".pch";
    if (!is_whole(made)) {
      Expected<FileLock> lock = FileLock::take(folder / "lock");
      if (!lock) return ordinary(std::move(lock.error()));
      if (!is_whole(made)) {
        if (auto failure = make_precompiled(header, made)) return failure;
      }
    }
    touch(folder);
    // g++ takes `rt.h.gch` from the first folder that has it; clang is told the file.
    precompiled_ = gcc ? Words{"-I" + folder.string()} : Words{"-include-pch", made.string()};
    return std::nullopt;
  }

  std::optional<CxxFailure> make_precompiled(const fs::path& header, const fs::path& made) {
    // Read in place of the precompiled file only if g++ finds that one unfit for these flags.
    const std::string text = "#include_next <" + std::string(runtime_header) + ">\n";
    if (Done written = write_file(header, text); !written) {
      return ordinary(std::move(written.error()));
    }
    const fs::path temporary = temporary_beside(made);
    Words words = compiler_words();
    append(words, compile_flags(request_));
    append(words, {"-I" + request_.installation->include().string(), "-x", "c++-header",
                   (request_.installation->include() / runtime_header).string(), "-o", temporary.string()});
    log([&] { return "precompile: " + shell_line(words); });
    const Outcome outcome = run(words);
    if (!outcome.ok()) {
      ::unlink(temporary.c_str());
      return classify_cxx_failure(request_, emitted_, emitted_folder_, words, outcome, CxxStep::precompile);
    }
    std::error_code error;
    const std::string size = std::to_string(fs::file_size(temporary, error));
    Done published = write_file(made.string() + ".size", size);
    if (published) published = publish(temporary, made);
    if (!published) return ordinary(std::move(published.error()));
    tidy_headers(request_.cache);
    return std::nullopt;
  }

  // A precompiled header is too large to be read on every compile, so only its size is sealed.
  static bool is_whole(const fs::path& made) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(made, error);
    return !error && read_file(made.string() + ".size") == std::to_string(size);
  }

  // The emitted headers a file includes, itself first, over any number of steps.
  [[nodiscard]] std::vector<const EmittedFile*> included_by(const EmittedFile& file) const {
    std::vector<const EmittedFile*> found = {&file};
    for (std::size_t i = 0; i < found.size(); ++i) {
      std::istringstream lines(found[i]->contents);
      for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("#include \"")) continue;
        const std::size_t end = line.find('"', 10);
        const std::string name = line.substr(10, end == std::string::npos ? end : end - 10);
        const fs::path beside = (fs::path(found[i]->name).parent_path() / name).lexically_normal();
        for (const EmittedFile& other : emitted_) {
          const bool same = other.name == beside.generic_string() || other.name == name;
          if (same && std::find(found.begin(), found.end(), &other) == found.end()) {
            found.push_back(&other);
          }
        }
      }
    }
    return found;
  }

  std::optional<CxxFailure> compile() {
    const std::string flags = shell_line(compile_flags(request_));
    std::vector<Words> commands;
    std::vector<fs::path> temporaries;
    std::vector<fs::path> missing;
    for (const EmittedFile& file : emitted_) {
      if (fs::path(file.name).extension() != ".cc") continue;
      Key key;
      key.add(request_.compiler->identity).add(flags).add(headers_key_);
      key.add(request_.folder.string());
      for (const EmittedFile* part : included_by(file)) key.add(part->name).add(part->contents);
      const std::string digest = key.digest();
      const fs::path object = request_.output / "cache/objects" / digest.substr(0, 2) / (digest.substr(2) + ".o");
      objects_.push_back(object);
      object_keys_.push_back(digest);
      if (is_sealed(object)) {
        touch(object);
        continue;
      }
      if (Done made = make_folders(object.parent_path()); !made) {
        return ordinary(std::move(made.error()));
      }
      temporaries.push_back(temporary_beside(object));
      missing.push_back(object);
      Words words = compiler_words();
      append(words, compile_flags(request_));
      append(words, precompiled_);
      append(words, {"-I" + emitted_folder_.string(), "-I" + request_.installation->include().string(), "-c",
                     (emitted_folder_ / file.name).string(), "-o", temporaries.back().string()});
      log([&] { return "compile: " + shell_line(words); });
      commands.push_back(std::move(words));
    }
    const std::vector<Outcome> outcomes = run_all(commands, processors(), request_.folder);
    std::optional<CxxFailure> failure;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (outcomes[i].ok()) {
        if (Done published = publish_sealed(temporaries[i], missing[i]); !published && !failure) {
          failure = ordinary(std::move(published.error()));
        }
        continue;
      }
      ::unlink(temporaries[i].c_str());
      if (!failure && outcomes[i].status != -1) {
        failure = classify_cxx_failure(request_, emitted_, emitted_folder_, commands[i], outcomes[i], CxxStep::compile);
      }
    }
    return failure;
  }

  tl::expected<fs::path, CxxFailure> link() {
    const bool sanitize = request_.profile == Profile::sanitize;
    const fs::path runtime = request_.installation->runtime_library(sanitize);
    Words tail = link_words(request_);
    Key key;
    for (const std::string& object : object_keys_) key.add(object);
    key.add(shell_line(tail)).add(link_libraries_identity(request_)).add(request_.program_name);
    key.add(shell_line(request_.foreign_link_words));
    const fs::path program = request_.output / "cache/programs" / key.digest() / request_.program_name;
    if (!is_sealed(program)) {
      std::error_code error;
      if (!fs::exists(runtime, error)) {
        return tl::unexpected(
            ordinary(unusable("The installation has no runtime library `" + runtime.string() + "`.")
                         .help("Install Nikaia again, or set `NIKAIA_SYSROOT` to a whole installation.")));
      }
      if (Done made = make_folders(program.parent_path()); !made) {
        return tl::unexpected(ordinary(std::move(made.error())));
      }
      const fs::path temporary = temporary_beside(program);
      Words words = request_.compiler->words;
      append(words, tail);
      for (const fs::path& object : objects_) words.push_back(object.string());
      append(words, {"-o", temporary.string(), runtime.string()});
      append(words, request_.foreign_link_words);
      append(words, {"-ldl"});
      log([&] { return "link: " + shell_line(words); });
      const Outcome outcome = run(words);
      if (!outcome.ok()) {
        ::unlink(temporary.c_str());
        return tl::unexpected(classify_cxx_failure(request_, emitted_, emitted_folder_, words, outcome, CxxStep::link));
      }
      if (Done published = publish_sealed(temporary, program); !published) {
        return tl::unexpected(ordinary(std::move(published.error())));
      }
    }
    return program;
  }

  const CxxRequest& request_;
  const std::vector<EmittedFile>& emitted_;
  Words launcher_;
  fs::path emitted_folder_;
  std::string headers_key_;
  Words precompiled_;
  std::vector<fs::path> objects_;
  std::vector<std::string> object_keys_;
};

}  // namespace

std::string cxx_identity(const CxxRequest& request) {
  Key key;
  key.add(request.compiler->identity)
      .add(shell_line(link_words(request)))
      .add(headers_identity(*request.installation))
      .add(link_libraries_identity(request))
      .add(shell_line(request.foreign_link_words))
      .add(request.program_name);
  return key.digest();
}

tl::expected<Built, CxxFailure> build_program(const CxxRequest& request, const std::vector<EmittedFile>& emitted) {
  return Builder(request, emitted).build();
}

Done show_built(const CxxRequest& request, const Built& built) {
  touch(built.emitted);
  touch(built.program.parent_path());
  point_to(request.output / "emitted", built.emitted);
  const fs::path place = request.output / name_of(request.profile) / request.program_name;
  std::error_code error;
  if (fs::equivalent(built.program, place, error)) return {};
  if (Done made = make_folders(place.parent_path()); !made) return made;
  const fs::path temporary = temporary_beside(place);
  fs::create_hard_link(built.program, temporary, error);
  if (error) fs::copy_file(built.program, temporary, error);
  return publish(temporary, place);
}

}  // namespace nikaia::driver
