// Runs random programs and says what is wrong with any of them.
//
//     random_programs interpret [--seed N] [--count N] [--batch N]
//     random_programs compile   [--seed N] [--count N] [--batch N] [--nikaia FILE] [--folder
//     FOLDER] random_programs mutate    [--seed N] [--count N] [--batch N]
//
//     random_programs show      [--seed N] [--count N]
//
// `interpret`: each accepted program runs in the interpreter, which finds a value that is used
// after its life, dropped twice or not at all. `compile`: each file of programs is built with the
// sanitizers as well, and prints what the interpreter printed. `mutate`: each mutation of an
// accepted program is refused with a code of ownership. The seed of the k-th program is N + k;
// without one it is made from the time, and printed.
//
// Exit status 0: nothing was found. A finding is printed with the program's seed and text.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/files.h"
#include "interpret/machine.h"
#include "tests/ownership/sift.h"

namespace nikaia::ownership {
namespace {

namespace fs = std::filesystem;

struct Request {
  std::string mode;
  std::uint64_t seed = 0;
  std::size_t count = 1000, batch = 50;
  std::string cxx = "clang++";
  fs::path root;    // of the installation that programs are built against
  fs::path folder;  // where they are built
};

struct Tally {
  std::size_t programs = 0, refused = 0, findings = 0, panicked = 0, mutations = 0;
  std::map<std::string, std::size_t> codes, kinds;
  std::map<std::string, std::size_t> not_built;
};

void print_lines(const std::vector<std::string>& lines) {
  for (const std::string& l : lines) std::printf("    | %s\n", l.c_str());
}

void finding(Tally& tally, std::uint64_t seed, const std::string& what, const std::vector<std::string>& lines) {
  ++tally.findings;
  std::printf("FINDING seed %llu: %s\n", static_cast<unsigned long long>(seed), what.c_str());
  print_lines(lines);
  std::fflush(stdout);
}

struct Batch {
  std::vector<Program> programs;
  std::vector<std::uint64_t> seeds;
  std::vector<Candidate> candidates;
};

Batch batch_of(std::uint64_t seed, std::size_t count) {
  Batch out;
  for (std::size_t i = 0; i < count; ++i) {
    out.programs.push_back(generate(seed + i, static_cast<unsigned>(i)));
    out.seeds.push_back(seed + i);
    out.candidates.push_back({out.programs[i].name, out.programs[i].lines, {}});
  }
  return out;
}

// Sifts; a program that the compiler fails on is found by halves.
Sifted sift_all(const Compiler& compiler, Batch& batch, Tally& tally) {
  Sifted sifted = sift(compiler, batch.candidates);
  if (sifted.trouble.empty()) return sifted;
  for (std::size_t i = 0; i < batch.candidates.size(); ++i) {
    std::vector<Candidate> one{{batch.programs[i].name, batch.programs[i].lines, {}}};
    const Sifted alone = sift(compiler, one);
    if (!alone.trouble.empty()) {
      finding(tally, batch.seeds[i], "the compiler fails: " + alone.trouble, batch.programs[i].lines);
      batch.candidates[i].refusals = {{"", 0, "internal", true}};
    } else {
      batch.candidates[i].refusals = one[0].refusals;
    }
  }
  return sift(compiler, batch.candidates);
}

// What an accepted program prints; false where it is not to be compared, and why is in the tally.
bool interpreted(Batch& batch, std::size_t i, Checked& checked, Tally& tally, std::string& output) {
  interpret::Machine machine(checked.front_end->compilation, 200000);
  const interpret::Outcome o = machine.run(batch.programs[i].name);
  output = o.output;
  std::string where;
  if (o.span.has_text()) {
    const auto& sources = checked.front_end->compilation.sources;
    where = " at `" + std::string(sources.text(o.span)).substr(0, 60) + "`";
  }
  switch (o.ending) {
    case interpret::Ending::done: return true;
    case interpret::Ending::panicked:
    case interpret::Ending::too_long: ++tally.panicked; return false;
    case interpret::Ending::not_built: ++tally.not_built[o.message]; return false;
    case interpret::Ending::failed:
      finding(tally, batch.seeds[i], "an error leaves: " + o.message, batch.programs[i].lines);
      return false;
    case interpret::Ending::finding:
      finding(tally, batch.seeds[i], o.message + where, batch.programs[i].lines);
      return false;
  }
  return false;
}

void count_refusals(const Batch& batch, Tally& tally) {
  for (const Candidate& c : batch.candidates) {
    ++tally.programs;
    if (c.is_accepted()) continue;
    ++tally.refused;
    ++tally.codes[c.refusals[0].code.empty() ? c.refusals[0].message : c.refusals[0].code];
  }
}

void interpret_batch(const Compiler& compiler, Batch& batch, Tally& tally) {
  Sifted sifted = sift_all(compiler, batch, tally);
  count_refusals(batch, tally);
  for (std::size_t i = 0; i < batch.candidates.size(); ++i) {
    std::string output;
    if (batch.candidates[i].is_accepted()) interpreted(batch, i, *sifted.checked, tally, output);
  }
}

// The exit status of `command`, its output in `out`.
int run_command(const std::string& command, std::string& out) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return -1;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  const int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Writes what emission made, compiles it and runs it. What it says is in `out`.
int build_and_run(const Request& request, const Checked& checked, const fs::path& folder, std::string& out) {
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  std::string sources;
  for (const driver::EmittedFile& file : checked.front_end->results) {
    const fs::path path = folder / file.name;
    fs::create_directories(path.parent_path(), ignored);
    if (!driver::write_file_if_changed(path, file.contents)) {
      std::fprintf(stderr, "cannot write %s\n", path.c_str());
      std::exit(2);
    }
    if (path.extension() == ".cc") sources += " " + path.string();
  }
  const std::string root = request.root.string();
  const std::string program = (folder / "program").string();
  const int status = run_command(
      request.cxx +
          " -std=c++20 -O0 -w -DNDEBUG -DNIKAIA_ALWAYS_INLINE=inline -pthread -ffp-contract=off -fno-omit-frame-pointer"
          " -fsanitize=address,undefined -fno-sanitize=null,alignment -fno-sanitize-recover=all "
          "-I" +
          root + "/include -I" + folder.string() + sources + " -o " + program + " " + root +
          "/lib/libnikaia-rt-sanitize.a -ldl",
      out);
  if (status != 0) return status;
  out.clear();
  return run_command(
      "NIKAIA_BACKEND_PATH=" + root + "/lib/nikaia/backends ASAN_OPTIONS=detect_stack_use_after_return=1 " + program,
      out);
}

void compile_batch(const Compiler& compiler, const Request& request, Batch& batch, Tally& tally) {
  Sifted sifted = sift_all(compiler, batch, tally);
  // Those that panic or cannot be interpreted are left out of the compiled file.
  std::map<std::string, std::string> expected;
  for (std::size_t i = 0; i < batch.candidates.size(); ++i) {
    std::string output;
    if (!batch.candidates[i].is_accepted()) continue;
    if (interpreted(batch, i, *sifted.checked, tally, output))
      expected[batch.programs[i].name] = output;
    else
      batch.candidates[i].refusals = {{"", 0, "not to be compared", false}};
  }
  count_refusals(batch, tally);
  sifted = sift(compiler, batch.candidates, true);
  if (expected.empty() || sifted.checked == nullptr) return;
  const fs::path folder = request.folder / ("batch" + std::to_string(batch.seeds[0]));
  std::string out;
  const int status = build_and_run(request, *sifted.checked, folder, out);
  std::size_t at = 0;
  for (std::size_t i = 0; i < batch.candidates.size(); ++i) {
    if (!batch.candidates[i].is_accepted()) continue;
    const std::string want = "== " + batch.programs[i].name + "\n" + expected[batch.programs[i].name];
    if (out.compare(at, want.size(), want) != 0) {
      finding(tally, batch.seeds[i],
              "the compiled program (" + folder.string() + ", status " + std::to_string(status) +
                  ") goes another way:\n--- expected\n" + want + "--- printed\n" +
                  (at < out.size() ? out.substr(at, want.size() + 2500) : ""),
              batch.programs[i].lines);
      return;
    }
    at += want.size();
  }
  if (status != 0 || at != out.size()) {
    finding(tally, batch.seeds[0],
            "the program in " + folder.string() + " ends with " + std::to_string(status) + ": " + out.substr(at, 6000),
            {});
    return;
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

bool is_of_ownership(const std::string& code) {
  return code.starts_with("NK21") || code.starts_with("NK22") || code.starts_with("NK23") || code.starts_with("NK29") ||
         code == "NK1131" || code == "NK1183" || code == "NK1138" || code == "NK1139" || code == "NK2702";
}

void mutate_batch(const Compiler& compiler, const Request& request, Batch& batch, Tally& tally) {
  sift_all(compiler, batch, tally);
  count_refusals(batch, tally);
  struct Mutant {
    std::size_t program;
    const Mutation* mutation;
  };
  std::vector<Mutant> mutants;
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < batch.candidates.size(); ++i) {
    if (!batch.candidates[i].is_accepted()) continue;
    for (const Mutation& m : batch.programs[i].mutations) {
      // Names of functions begin with the program's: each mutant gets its own.
      Candidate c{batch.programs[i].name, mutated(batch.programs[i], m), {}};
      const std::string to = "m" + std::to_string(mutants.size()) + "x";
      for (std::string& l : c.lines) {
        for (std::size_t at = 0; (at = l.find(c.name, at)) != std::string::npos;) {
          const bool is_name =
              (at == 0 || (!std::isalnum(static_cast<unsigned char>(l[at - 1])) && l[at - 1] != '_')) &&
              at + c.name.size() < l.size() && (l[at + c.name.size()] == '(' || l[at + c.name.size()] == '_');
          if (is_name) l.replace(at, c.name.size(), to);
          at += is_name ? to.size() : c.name.size();
        }
      }
      c.name = to;
      mutants.push_back({i, &m});
      candidates.push_back(std::move(c));
    }
  }
  for (std::size_t from = 0; from < candidates.size(); from += request.batch) {
    std::vector<Candidate> some(
        candidates.begin() + static_cast<std::ptrdiff_t>(from),
        candidates.begin() + static_cast<std::ptrdiff_t>(std::min(candidates.size(), from + request.batch)));
    const Sifted sifted = sift(compiler, some);
    if (!sifted.trouble.empty())
      finding(tally, batch.seeds[0], "the compiler fails on a mutation: " + sifted.trouble, {});
    for (std::size_t k = 0; k < some.size(); ++k) {
      const Mutant& m = mutants[from + k];
      ++tally.mutations;
      ++tally.kinds[m.mutation->kind];
      if (some[k].is_accepted()) {
        if (sifted.trouble.empty())
          finding(tally, batch.seeds[m.program], std::string("a mutation is accepted: ") + m.mutation->kind,
                  some[k].lines);
        continue;
      }
      ++tally.codes[some[k].refusals[0].code];
      bool is_right = false;
      for (const Refusal& r : some[k].refusals) is_right |= is_of_ownership(r.code);
      if (!is_right) {
        finding(tally, batch.seeds[m.program],
                std::string("a mutation (") + m.mutation->kind +
                    ") is refused for another reason: " + some[k].refusals[0].code + " " + some[k].refusals[0].message,
                some[k].lines);
      }
    }
  }
}

// The programs as one file, for reading.
int show(const Request& request) {
  const Batch batch = batch_of(request.seed, request.count);
  std::vector<const std::vector<std::string>*> lines;
  std::vector<std::string> names;
  std::vector<std::uint32_t> first;
  for (const Program& p : batch.programs) {
    lines.push_back(&p.lines);
    names.push_back(p.name);
  }
  std::fputs(file_of(lines, names, first).c_str(), stdout);
  return 0;
}

int run(const Request& request) {
  if (request.mode == "show") return show(request);
  const Compiler compiler;
  Tally tally;
  std::printf("%s: seed %llu, %zu programs\n", request.mode.c_str(), static_cast<unsigned long long>(request.seed),
              request.count);
  std::fflush(stdout);
  std::time_t said = std::time(nullptr);
  for (std::size_t done = 0; done < request.count; done += request.batch) {
    if (std::time(nullptr) - said >= 30) {
      said = std::time(nullptr);
      std::printf("... %zu programs, %zu accepted, %zu mutations, %zu findings\n", tally.programs,
                  tally.programs - tally.refused, tally.mutations, tally.findings);
      std::fflush(stdout);
    }
    Batch batch = batch_of(request.seed + done, std::min(request.batch, request.count - done));
    if (request.mode == "interpret")
      interpret_batch(compiler, batch, tally);
    else if (request.mode == "compile")
      compile_batch(compiler, request, batch, tally);
    else
      mutate_batch(compiler, request, batch, tally);
  }
  std::printf("%zu programs, %zu accepted (%zu%%), %zu panicked; %zu mutations; %zu findings\n", tally.programs,
              tally.programs - tally.refused,
              tally.programs == 0 ? 0 : (tally.programs - tally.refused) * 100 / tally.programs, tally.panicked,
              tally.mutations, tally.findings);
  for (const auto& [code, n] : tally.codes) std::printf("  %s %zu\n", code.c_str(), n);
  for (const auto& [kind, n] : tally.kinds) std::printf("  mutation: %s %zu\n", kind.c_str(), n);
  for (const auto& [what, n] : tally.not_built) std::printf("  not interpreted: %s %zu\n", what.c_str(), n);
  return tally.findings == 0 ? 0 : 1;
}

}  // namespace
}  // namespace nikaia::ownership

int main(int argc, char** argv) {
  nikaia::ownership::Request request;
  if (argc < 2) {
    std::fprintf(stderr,
                 "random_programs interpret|compile|mutate|show [--seed N] [--count N] [--batch N] "
                 "[--cxx COMPILER] [--folder FOLDER]\n");
    return 2;
  }
  request.mode = argv[1];
  request.seed = static_cast<std::uint64_t>(std::time(nullptr)) * 1000000;
  request.folder = std::filesystem::temp_directory_path();
  request.root = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string key = argv[i], value = argv[i + 1];
    if (key == "--seed") request.seed = std::strtoull(value.c_str(), nullptr, 10);
    if (key == "--count") request.count = std::strtoull(value.c_str(), nullptr, 10);
    if (key == "--batch") request.batch = std::strtoull(value.c_str(), nullptr, 10);
    if (key == "--cxx") request.cxx = value;
    if (key == "--folder") request.folder = value;
  }
  return nikaia::ownership::run(request);
}
