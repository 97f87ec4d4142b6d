// The conformance suite of the backend ABI: drives any backend through every call and every kind of
// operation, and says what it does otherwise than <nikaia/backend.h> asks.
//
//   nikaia-backend-check FILE.so [--list] [--only WORDS]
//
// Status 0: conforms; 1: does not; 2: it does not serve on this machine, the reason is said; 3:
// could not be loaded, or the suite itself could not run.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <signal.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "backends/conformance/drive.h"

namespace {

using nikaia::conformance::Case;
using nikaia::conformance::Context;

// No case takes longer, also where every instruction is checked by a sanitizer. Tests of the suite
// itself, which wait for it, name a shorter time in NIKAIA_BACKEND_CASE_LIMIT.
unsigned case_limit_s() {
  const char* named = std::getenv("NIKAIA_BACKEND_CASE_LIMIT");
  return named == nullptr ? 120 : static_cast<unsigned>(std::max(std::atoi(named), 1));
}

const char* running = "";

void took_too_long(int) {
  constexpr char text[] = "FAIL  does not end: ";
  [[maybe_unused]] ssize_t written = write(STDOUT_FILENO, text, sizeof text - 1);
  written = write(STDOUT_FILENO, running, std::strlen(running));
  written = write(STDOUT_FILENO, "\n", 1);
  _exit(1);
}

const nikaia_io_backend* load(const char* file) {
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return nullptr;
  }
  auto* symbol = static_cast<const nikaia_io_backend* const*>(dlsym(library, NIKAIA_IO_SYMBOL));
  if (symbol == nullptr || *symbol == nullptr) {
    std::fprintf(stderr, "%s does not export `%s`\n", file, NIKAIA_IO_SYMBOL);
    return nullptr;
  }
  const nikaia_io_backend* backend = *symbol;
  if (backend->magic != NIKAIA_IO_MAGIC || backend->abi_version != NIKAIA_IO_ABI_VERSION ||
      backend->struct_size < sizeof(nikaia_io_backend)) {
    std::fprintf(stderr, "%s has a descriptor of another kind, version or size\n", file);
    return nullptr;
  }
  return backend;
}

bool run_case(const nikaia_io_backend& backend, const Case& one) {
  running = one.name.data();
  alarm(case_limit_s());
  Context context(backend);
  one.run(context);
  alarm(0);
  std::printf("%s  %s\n", context.failures().empty() ? "ok  " : "FAIL", one.name.data());
  for (const std::string& failure : context.failures()) std::printf("      %s\n", failure.c_str());
  std::fflush(stdout);
  return context.failures().empty();
}

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const auto group :
       {nikaia::conformance::file_cases(), nikaia::conformance::whole_file_cases(), nikaia::conformance::path_cases(),
        nikaia::conformance::readiness_cases(), nikaia::conformance::cancel_cases(), nikaia::conformance::wake_cases(),
        nikaia::conformance::load_cases(), nikaia::conformance::close_cases()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

int run_suite(const nikaia_io_backend& backend, std::string_view only) {
  char reason[512] = "";
  nikaia_io_config config{};
  config.struct_size = sizeof config;
  config.host_abi_version = NIKAIA_IO_ABI_VERSION;
  config.io_workers = 1;
  if (backend.probe(&config, reason, sizeof reason) != 0) {
    std::printf("%s does not serve on this machine: %s\n", backend.name, reason);
    return 2;
  }
  int failed = 0;
  int count = 0;
  for (const Case& one : all_cases()) {
    if (one.name.find(only) == std::string_view::npos) continue;
    ++count;
    if (!run_case(backend, one)) ++failed;
  }
  std::printf("%s %s: %d of %d cases passed\n", backend.name, backend.version, count - failed, count);
  return failed == 0 && count != 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  const char* file = nullptr;
  std::string_view only;
  bool list = false;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--list") {
      list = true;
    } else if (word == "--only" && i + 1 < count) {
      only = words[++i];
    } else {
      file = words[i];
    }
  }
  if (list) {
    for (const Case& one : all_cases()) std::printf("%s\n", one.name.data());
    return 0;
  }
  if (file == nullptr) {
    std::fprintf(stderr, "usage: nikaia-backend-check FILE.so [--list] [--only WORDS]\n");
    return 3;
  }
  signal(SIGPIPE, SIG_IGN);
  struct sigaction limit {};
  limit.sa_handler = took_too_long;
  sigaction(SIGALRM, &limit, nullptr);
  const nikaia_io_backend* backend = load(file);
  return backend == nullptr ? 3 : run_suite(*backend, only);
}
