#include "driver/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace nikaia::driver {

namespace {

// The environment with the locale set to `C`, which only the children see.
std::vector<std::string> plain_environment() {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    if (variable.starts_with("LC_") || variable.starts_with("LANG=") || variable.starts_with("LANGUAGE=") ||
        variable.starts_with("GCC_COLORS=")) {
      continue;
    }
    variables.emplace_back(variable);
  }
  variables.emplace_back("LC_ALL=C");
  return variables;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

struct Child {
  pid_t pid = -1;
  int output = -1;  // where its output arrives
};

int start(const Words& command, const std::vector<std::string>& environment, const std::filesystem::path& folder,
          Child& child) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  const int error = ::posix_spawnp(&child.pid, command.front().c_str(), &actions, nullptr, pointers(command).data(),
                                   pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    return error;
  }
  child.output = ends[0];
  return 0;
}

void finish(Child& child, Outcome& outcome) {
  ::close(child.output);
  child.output = -1;
  int status = 0;
  while (::waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
}

// Reads what is there; false at the end of the output.
bool drain(const Child& child, Outcome& outcome) {
  std::array<char, 16384> piece;
  const ssize_t got = ::read(child.output, piece.data(), piece.size());
  if (got < 0) return errno == EINTR;
  outcome.output.append(piece.data(), static_cast<std::size_t>(got));
  return got > 0;
}

volatile sig_atomic_t foreground_child = 0;

// A terminal sends SIGINT and SIGQUIT to the child as well; only one sent to this process alone is
// handed on, or the child would take the second copy for an order to end at once.
void hand_on(int signal, siginfo_t* info, void*) {
  const bool from_terminal = (signal == SIGINT || signal == SIGQUIT) && info->si_code == SI_KERNEL;
  if (foreground_child > 0 && !from_terminal) ::kill(static_cast<pid_t>(foreground_child), signal);
}

}  // namespace

std::vector<Outcome> run_all(const std::vector<Words>& commands, std::size_t jobs,
                             const std::filesystem::path& folder) {
  const std::vector<std::string> environment = plain_environment();
  std::vector<Outcome> outcomes(commands.size());
  for (Outcome& outcome : outcomes) outcome.status = -1;
  std::vector<Child> children(commands.size());
  std::vector<std::size_t> running;
  std::size_t next = 0;
  bool failed = false;
  while (!running.empty() || (next < commands.size() && !failed)) {
    while (next < commands.size() && !failed && running.size() < std::max<std::size_t>(jobs, 1)) {
      outcomes[next].status = 0;
      outcomes[next].start_error = start(commands[next], environment, folder, children[next]);
      if (outcomes[next].start_error == 0) {
        running.push_back(next);
      } else {
        failed = true;
      }
      ++next;
    }
    std::vector<pollfd> waiting;
    waiting.reserve(running.size());
    for (const std::size_t i : running) waiting.push_back({children[i].output, POLLIN, 0});
    if (waiting.empty()) continue;
    if (::poll(waiting.data(), waiting.size(), -1) < 0) continue;
    std::vector<std::size_t> still_running;
    for (std::size_t k = 0; k < running.size(); ++k) {
      const std::size_t i = running[k];
      if (waiting[k].revents == 0 || drain(children[i], outcomes[i])) {
        still_running.push_back(i);
        continue;
      }
      finish(children[i], outcomes[i]);
      failed = failed || !outcomes[i].ok();
    }
    running = std::move(still_running);
  }
  return outcomes;
}

Outcome run(const Words& command) {
  return run_all({command}, 1).front();
}

std::string shell_line(const Words& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("-_=./,+:@%", c) != nullptr;
    });
    if (plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

int run_in_foreground(const std::filesystem::path& program, const Words& words) {
  struct sigaction action {};
  action.sa_sigaction = hand_on;
  action.sa_flags = SA_SIGINFO;
  constexpr std::array<int, 4> handed_on = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  std::array<struct sigaction, handed_on.size()> before{};
  for (std::size_t i = 0; i < handed_on.size(); ++i) {
    ::sigaction(handed_on[i], nullptr, &before[i]);
    // What the caller had ignored (`nohup`) stays ignored, here and in the child.
    if (before[i].sa_handler != SIG_IGN) ::sigaction(handed_on[i], &action, nullptr);
  }
  // A signal that comes before the child's number is known waits until it is, or it would be lost.
  sigset_t held;
  sigset_t mask_before;
  sigemptyset(&held);
  for (const int signal : handed_on) sigaddset(&held, signal);
  ::sigprocmask(SIG_BLOCK, &held, &mask_before);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &mask_before);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, program.c_str(), nullptr, &attributes, pointers(words).data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (error == 0) foreground_child = child;
  ::sigprocmask(SIG_SETMASK, &mask_before, nullptr);
  int status = 0;
  if (error == 0) {
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    foreground_child = 0;
  }
  for (std::size_t i = 0; i < handed_on.size(); ++i) {
    ::sigaction(handed_on[i], &before[i], nullptr);
  }
  if (error != 0) {
    errno = error;
    return -1;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::size_t processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::size_t>(std::max(CPU_COUNT(&set), 1));
}

}  // namespace nikaia::driver
