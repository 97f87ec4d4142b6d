// What the tests of values share: short names, text forms to compare, and programs that stop.
#pragma once

#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <nikaia/rt.h>

namespace values {

using namespace nikaia;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

inline std::string plain(Str text) {
  return std::string(text.data, text.size);
}

// What `f"{…}"` would print.
template <class... Pieces>
std::string said(const Pieces&... pieces) {
  return plain(format(pieces...));
}
// What `f"{x:?}"` would print.
template <class T>
std::string shown(const T& value) {
  return said(debug_form(value));
}
// The elements of a sequence, as `[a, b]`.
template <class S>
std::string walked(S&& seq) {
  return shown(seq_collect(static_cast<S&&>(seq)));
}

inline String owned(const char* text) {
  String made;
  made.append(text, std::strlen(text));
  return made;
}

// Runs `body` in a process of its own; the reason it stopped with, or "" where it did not stop.
template <class Body>
std::string stop_reason(Body&& body) {
  int ends[2];
  if (pipe(ends) != 0) {
    return "no pipe";
  }
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    body();
    _exit(0);
  }
  close(ends[1]);
  std::string written;
  char bytes[512];
  for (ssize_t n; (n = read(ends[0], bytes, sizeof bytes)) > 0;) {
    written.append(bytes, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT) {
    return "";
  }
  const std::string words = "program stopped: ";
  const std::size_t at = written.find(words);
  const std::string reason = at == std::string::npos ? written : written.substr(at + words.size());
  return reason.substr(0, reason.find('\n'));
}

// Runs `entry` as the main of a program of its own, with its runtime; what it printed.
inline std::string program_output(void (*entry)()) {
  int ends[2];
  if (pipe(ends) != 0) {
    return "no pipe";
  }
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    char name[] = "program";
    char* arguments[] = {name, nullptr};
    _exit(rt::run(1, arguments, {}, entry));
  }
  close(ends[1]);
  std::string written;
  char bytes[512];
  for (ssize_t n; (n = read(ends[0], bytes, sizeof bytes)) > 0;) {
    written.append(bytes, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? written : written + "(failed)";
}

}  // namespace values
