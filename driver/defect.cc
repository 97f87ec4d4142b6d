#include "driver/defect.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <execinfo.h>
#include <fcntl.h>
#include <sha256.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nikaia/version.h>

#include "driver/digest.h"
#include "driver/files.h"
#include "driver/process.h"

namespace nikaia::driver {
namespace fs = std::filesystem;

namespace {

constexpr std::size_t log_name_digits = 12;
constexpr unsigned trace_seconds = 5;

// Text in fixed memory, which a signal handler may read at any moment.
template <std::size_t capacity>
class FixedText {
 public:
  void set(std::string_view text) {
    length_ = 0;
    add(text);
  }
  void add(std::string_view text) {
    const std::size_t room = capacity - length_;
    const std::size_t count = std::min(text.size(), room);
    if (count != 0) std::memcpy(bytes_.data() + length_, text.data(), count);
    length_ += count;
  }
  void add_number(unsigned value) {
    std::array<char, 12> digits{};
    std::size_t at = digits.size();
    do {
      digits[--at] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
    add({digits.data() + at, digits.size() - at});
  }
  [[nodiscard]] std::string_view view() const { return {bytes_.data(), length_}; }

 private:
  std::array<char, capacity> bytes_{};
  std::size_t length_ = 0;
};

FixedText<512> at_work;
FixedText<256> function_looked_at;
FixedText<256> file_looked_at;
FixedText<2048> command_line;
FixedText<1024> log_folder;
bool json_form = false;
volatile sig_atomic_t crashed = 0;
FixedText<1200> crash_log;  // where the log went, once it is there

alignas(16) std::array<char, std::size_t{64} * 1024> handler_stack;

const char* signal_name(int signal) {
  switch (signal) {
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGILL: return "SIGILL";
    case SIGFPE: return "SIGFPE";
    case SIGABRT: return "SIGABRT";
    default: return "a signal";
  }
}

template <typename Text>
void add_sentence(Text& text) {
  text.add(at_work.view().empty() ? std::string_view("The compiler") : at_work.view());
  text.add(at_work.view().empty() ? " crashed" : " failed");
  if (!function_looked_at.view().empty()) {
    text.add(" while looking at `");
    text.add(function_looked_at.view());
    text.add("`");
    if (!file_looked_at.view().empty()) {
      text.add(" in `");
      text.add(file_looked_at.view());
      text.add("`");
    }
  } else if (!file_looked_at.view().empty()) {
    text.add(" while looking at `");
    text.add(file_looked_at.view());
    text.add("`");
  }
  text.add(". Your program is not at fault.");
}

template <typename Text>
void add_json_text(Text& text, std::string_view raw) {
  text.add("\"");
  for (const char c : raw) {
    if (c == '"' || c == '\\') text.add("\\");
    if (c == '\n') {
      text.add("\\n");
    } else {
      text.add({&c, 1});
    }
  }
  text.add("\"");
}

void write_message(int signal) {
  static FixedText<4096> sentence;
  static FixedText<4096> note;
  static FixedText<8192> plain;
  static FixedText<16384> out;
  static FixedText<512> help;
  sentence.set("");
  add_sentence(sentence);
  note.set("It was ended by ");
  note.add(signal_name(signal));
  note.add(".");
  if (!crash_log.view().empty()) {
    note.add(" Where it was is kept in `");
    note.add(crash_log.view());
    note.add("`.");
  }
  help.set(at_work.view().empty()
               ? "Please report this with that file."
               : "Please report this with that file to whoever wrote the pass; `nikaia passes` shows "
                 "where it comes from.");
  plain.set("internal error: ");
  plain.add(sentence.view());
  plain.add("\n   = note: ");
  plain.add(note.view());
  plain.add("\n   = help: ");
  plain.add(help.view());
  plain.add("\n");
  if (json_form) {
    out.set("{\"type\":\"diagnostic\",\"code\":null,\"severity\":\"internal\",\"message\":");
    add_json_text(out, sentence.view());
    out.add(",\"spans\":[],\"notes\":[");
    add_json_text(out, note.view());
    out.add("],\"helps\":[{\"message\":");
    add_json_text(out, help.view());
    out.add(",\"edits\":[],\"applicability\":\"sketch\"}],\"log\":");
    add_json_text(out, crash_log.view());
    out.add(",\"rendered\":");
    add_json_text(out, plain.view());
    out.add("}\n{\"type\":\"summary\",\"errors\":1,\"warnings\":0,\"status\":70}\n");
  } else {
    out.set(plain.view());
    out.add("nikaia: 1 error\n");
  }
  const std::string_view text = out.view();
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) ::_exit(status_defect);
}

void write_text(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(file, text.data(), text.size());
    if (wrote <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

// The log of a crash: written under a temporary name, read back for its digest, then renamed.
void write_crash_log(int signal) {
  static FixedText<1200> temporary;
  static FixedText<1200> final_name;
  if (log_folder.view().empty()) return;
  temporary.set(log_folder.view());
  temporary.add("/.tmp-crash-");
  temporary.add_number(static_cast<unsigned>(::getpid()));
  temporary.add({"\0", 1});
  const int file = ::open(temporary.view().data(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return;
  write_text(file, "nikaia " NIKAIA_VERSION "\ncommand: ");
  write_text(file, command_line.view());
  write_text(file, "\n");
  static FixedText<4096> sentence;
  sentence.set("");
  add_sentence(sentence);
  write_text(file, sentence.view());
  write_text(file, "\nsignal: ");
  write_text(file, signal_name(signal));
  write_text(file, "\n\n");
  std::array<void*, 128> frames{};
  const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  ::backtrace_symbols_fd(frames.data(), count, file);

  SHA2_CTX context;
  SHA256Init(&context);
  static std::array<std::uint8_t, 4096> piece;
  off_t offset = 0;
  for (;;) {
    const ssize_t got = ::pread(file, piece.data(), piece.size(), offset);
    if (got <= 0) break;
    SHA256Update(&context, piece.data(), static_cast<std::size_t>(got));
    offset += got;
  }
  ::close(file);
  std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
  SHA256Final(digest.data(), &context);
  constexpr std::string_view digits = "0123456789abcdef";
  final_name.set(log_folder.view());
  final_name.add("/internal-");
  for (std::size_t i = 0; i < log_name_digits / 2; ++i) {
    final_name.add(digits.substr(digest[i] >> 4, 1));
    final_name.add(digits.substr(digest[i] & 15, 1));
  }
  final_name.add(".log");
  const std::size_t length = final_name.view().size();
  final_name.add({"\0", 1});
  if (::rename(temporary.view().data(), final_name.view().data()) == 0) {
    crash_log.set(final_name.view().substr(0, length));
  }
}

int signal_seen = 0;

void give_up_on_the_log(int) {
  write_message(signal_seen);
  ::_exit(status_defect);
}

void on_crash(int signal) {
  // A second crash, now inside this handler: the message without a log.
  if (crashed != 0) {
    write_message(signal_seen);
    ::_exit(status_defect);
  }
  crashed = 1;
  signal_seen = signal;
  // Making a trace may wait for a lock that the crashed code holds.
  ::signal(SIGALRM, give_up_on_the_log);
  ::alarm(trace_seconds);
  write_crash_log(signal);
  write_message(signal);
  ::_exit(status_defect);
}

}  // namespace

fs::path write_defect_log(const fs::path& folder, std::string_view content) {
  const fs::path file = folder / ("internal-" + sha256_digest(content).substr(0, log_name_digits) + ".log");
  return write_file(file, content) ? file : fs::path();
}

void remember_command_line(int argc, const char* const* argv) {
  command_line.set(shell_line(Words(argv, argv + argc)));
}

std::string defect_log_head() {
  return "nikaia " NIKAIA_VERSION "\ncommand: " + std::string(command_line.view()) + "\n";
}

void watch_for_crashes(bool json) {
  json_form = json;
  stack_t stack{};
  stack.ss_sp = handler_stack.data();
  stack.ss_size = handler_stack.size();
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = on_crash;
  // A crash inside the handler has to reach it again, and not to end the process unnamed.
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    ::sigaction(signal, &action, nullptr);
  }
}

void set_crash_log_folder(const fs::path& folder) {
  if (make_folders(folder)) log_folder.set(shown(folder));
}

void now_at_work(std::string_view who) {
  at_work.set(who);
  function_looked_at.set("");
  file_looked_at.set("");
}

void now_looking_at(std::string_view function, std::string_view file) {
  function_looked_at.set(function);
  file_looked_at.set(file);
}

std::string where_it_looked() {
  std::string text;
  if (!function_looked_at.view().empty()) {
    text = " while looking at `" + std::string(function_looked_at.view()) + "`";
    if (!file_looked_at.view().empty()) text += " in `" + std::string(file_looked_at.view()) + "`";
  } else if (!file_looked_at.view().empty()) {
    text = " while looking at `" + std::string(file_looked_at.view()) + "`";
  }
  return text;
}

}  // namespace nikaia::driver
