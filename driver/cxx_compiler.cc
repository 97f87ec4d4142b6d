#include "driver/cxx_compiler.h"

#include <cctype>
#include <cstdlib>
#include <sstream>
#include <sys/utsname.h>
#include <unistd.h>

#include "driver/digest.h"
#include "driver/files.h"
#include "driver/process.h"

namespace nikaia::driver {
namespace fs = std::filesystem;

namespace {

constexpr int oldest_gcc = 12;
constexpr int oldest_clang = 14;
constexpr const char* install_help = "Install one, for example with `apt install g++`, or name one with `NIKAIA_CXX`.";

struct Candidate {
  std::string name;    // as written, arguments included
  std::string origin;  // the variable it comes from, or empty
};

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

Expected<Candidate> candidate_for(const std::string& target) {
  for (const char* variable : {"NIKAIA_CXX", "CXX"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && !split_words(value).empty()) return Candidate{value, variable};
  }
  std::vector<std::string> names;
  if (target == host_target()) {
    names = {"g++", "clang++"};
  } else {
    names = {target.substr(0, target.find('-')) + "-linux-gnu-g++"};
  }
  for (const std::string& name : names) {
    if (!find_program(name).empty()) return Candidate{name, ""};
  }
  std::string headline =
      "I found no C++ compiler to build the program with: neither `g++` nor "
      "`clang++` is on the search path.";
  if (target != host_target()) {
    headline = "I found no C++ compiler for `" + target + "`: `" + names.front() + "` is not on the search path.";
  }
  return fail(refused(headline).note("The oldest ones that do are g++ 12 and clang++ 14.").help(install_help));
}

// Fills family and version from what `--version` printed; false where it is neither compiler.
bool read_version(const std::string& answer, CxxCompiler& compiler) {
  compiler.headline = answer.substr(0, answer.find('\n'));
  std::size_t from = answer.find("clang version ");
  if (from != std::string::npos) {
    compiler.family = CxxCompiler::Family::clang;
    from += std::string_view("clang version ").size();
  } else {
    // `g++ (Debian 12.2.0-14) 12.2.0`: the version is the word behind the last bracket.
    const std::string name = compiler.headline.substr(0, compiler.headline.find(' '));
    if (name.find("g++") == std::string::npos && name.find("c++") == std::string::npos &&
        name.find("gcc") == std::string::npos) {
      return false;
    }
    compiler.family = CxxCompiler::Family::gcc;
    const std::size_t bracket = compiler.headline.rfind(')');
    from = bracket == std::string::npos ? compiler.headline.find(' ') : bracket + 1;
    if (from == std::string::npos) return false;
    while (from < compiler.headline.size() && compiler.headline[from] == ' ') ++from;
  }
  std::size_t to = from;
  while (to < answer.size() && (std::isdigit(static_cast<unsigned char>(answer[to])) != 0 || answer[to] == '.')) {
    ++to;
  }
  compiler.version = answer.substr(from, to - from);
  if (compiler.version.empty() || compiler.version.front() == '.') return false;
  compiler.major = std::atoi(compiler.version.c_str());
  return true;
}

std::string described(const Candidate& candidate) {
  return candidate.origin.empty() ? "`" + candidate.name + "`"
                                  : "`" + candidate.name + "`, which `" + candidate.origin + "` names,";
}

}  // namespace

fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return ::access(name.c_str(), X_OK) == 0 && !fs::is_directory(name) ? fs::path(name) : fs::path();
  }
  for (const char* rest = std::getenv("PATH"); rest != nullptr && *rest != '\0';) {
    const std::string_view all = rest;
    const std::size_t colon = std::min(all.find(':'), all.size());
    fs::path file = fs::path(all.substr(0, colon)) / name;
    std::error_code error;
    if (colon > 0 && ::access(file.c_str(), X_OK) == 0 && !fs::is_directory(file, error)) {
      return file;
    }
    rest += std::min(colon + 1, all.size());
  }
  return {};
}

std::string host_target() {
  struct utsname machine {};
  ::uname(&machine);
  return std::string(machine.machine) + "-linux";
}

Expected<CxxCompiler> choose_cxx_compiler(const std::string& target, const fs::path& cache) {
  Expected<Candidate> candidate = candidate_for(target);
  if (!candidate) return fail(std::move(candidate.error()));
  CxxCompiler compiler;
  compiler.words = split_words(candidate->name);
  const fs::path program = find_program(compiler.words.front());
  if (program.empty()) {
    return fail(
        refused("The C++ compiler " + described(*candidate) + " is not there or can't be run.").help(install_help));
  }
  compiler.words.front() = program.string();

  std::error_code error;
  const fs::path real = fs::canonical(program, error);
  Key key;
  key.add(candidate->name).add(real.string()).add(identity_of(real)).add(identity_of(program));
  compiler.identity = key.digest();
  const fs::path remembered = cache / "compilers" / compiler.identity;
  std::optional<std::string> answer = read_file(remembered);
  if (!answer || !read_version(*answer, compiler)) {
    Words command = compiler.words;
    command.emplace_back("--version");
    const Outcome outcome = run(command);
    if (!outcome.ok() || !read_version(outcome.output, compiler)) {
      return fail(refused("The C++ compiler " + described(*candidate) + " doesn't answer like `g++` or `clang++`.")
                      .note("I asked it for its version with `" + shell_line(command) + "`.")
                      .help(install_help));
    }
    if (Done kept = write_file(remembered, outcome.output); !kept) {
      return fail(std::move(kept.error()));
    }
  }
  const int oldest = compiler.family == CxxCompiler::Family::gcc ? oldest_gcc : oldest_clang;
  if (compiler.major < oldest) {
    return fail(refused("The C++ compiler " + described(*candidate) + " is version " + compiler.version +
                        ", and version " + std::to_string(oldest) + " is the oldest that can build a Nikaia program.")
                    .help("Install `" + std::string(compiler.family_name()) + "` " + std::to_string(oldest) +
                          " or later, or name another compiler with `NIKAIA_CXX`."));
  }
  return compiler;
}

}  // namespace nikaia::driver
