#include "runtime/tests/process.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nikaia::test {
namespace {

constexpr int longest_silence_ms = 60'000;

struct Pipe {
  int read = -1;
  int write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
    read = ends[0];
    write = ends[1];
  }
};

void close_end(int& end) {
  if (end >= 0) ::close(end);
  end = -1;
}

[[noreturn]] void become(const Run& asked, const std::string& folder, Pipe& in, Pipe& out, Pipe& err) {
  ::dup2(in.read, STDIN_FILENO);
  ::dup2(out.write, STDOUT_FILENO);
  ::dup2(err.write, STDERR_FILENO);
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  for (const auto& [name, value] : asked.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& part : asked.command) arguments.push_back(const_cast<char*>(part.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

// Feeds the input and reads both outputs until they are closed.
void converse(const Run& asked, pid_t child, Pipe& in, Pipe& out, Pipe& err, Outcome& outcome) {
  std::size_t fed = 0;
  bool signalled = false;
  while (out.read >= 0 || err.read >= 0) {
    if (fed == asked.input.size()) close_end(in.write);
    pollfd ends[3] = {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}, {in.write, POLLOUT, 0}};
    const int ready = ::poll(ends, 3, longest_silence_ms);
    if (ready < 0 && errno != EINTR) break;
    if (ready == 0) {
      ::kill(child, SIGKILL);  // hangs; the status tells
      break;
    }
    char piece[4096];
    if (ends[0].revents != 0) {
      const ssize_t count = ::read(out.read, piece, sizeof(piece));
      if (count > 0) outcome.out.append(piece, static_cast<std::size_t>(count));
      if (count <= 0 || asked.close_output) close_end(out.read);
      if (count > 0 && asked.signal != 0 && !signalled) {
        signalled = true;
        ::kill(child, asked.signal);
      }
    }
    if (ends[1].revents != 0) {
      const ssize_t count = ::read(err.read, piece, sizeof(piece));
      if (count > 0) outcome.err.append(piece, static_cast<std::size_t>(count));
      if (count <= 0) close_end(err.read);
    }
    if (ends[2].revents != 0 && in.write >= 0) {
      const ssize_t count = ::write(in.write, asked.input.data() + fed, asked.input.size() - fed);
      if (count > 0) fed += static_cast<std::size_t>(count);
      if (count < 0 && errno != EINTR) close_end(in.write);
    }
  }
  close_end(in.write);
}

}  // namespace

Outcome run(const Run& asked) {
  ::signal(SIGPIPE, SIG_IGN);
  char name[] = "/tmp/nikaia-rt-test-XXXXXX";
  const std::string folder = ::mkdtemp(name);
  if (!asked.configuration.empty()) std::ofstream(folder + "/nikaia-runtime.toml") << asked.configuration;
  Pipe in;
  Pipe out;
  Pipe err;
  const pid_t child = ::fork();
  if (child == 0) become(asked, folder, in, out, err);
  close_end(in.read);
  close_end(out.write);
  close_end(err.write);
  Outcome outcome;
  converse(asked, child, in, out, err, outcome);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::filesystem::remove_all(folder);
  return outcome;
}

}  // namespace nikaia::test
