// The host's side of the ABI, as strict as a host may be: it checks that each operation ends once,
// and that `wait` keeps its word about what there is to reap.
#include "backends/conformance/drive.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <time.h>
#include <unistd.h>
#include <utility>

namespace nikaia::conformance {
namespace {

std::int64_t host_now_ns(void*) {
  return now_ns();
}

void host_log(void*, enum nikaia_io_log_level level, const char* line) {
  std::fprintf(stderr, "  log %d: %s\n", static_cast<int>(level), line);
}

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, std::strerror(errno));
  std::_Exit(3);
}

}  // namespace

std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * second_ns + time.tv_nsec;
}

// --- Drive ---------------------------------------------------------------------------------------

Drive::Drive(Context& context, std::uint32_t io_workers) : context_(context), backend_(context.backend()) {
  host_.struct_size = sizeof host_;
  host_.log = host_log;
  host_.now_ns = host_now_ns;
  nikaia_io_config config{};
  config.struct_size = sizeof config;
  config.host_abi_version = NIKAIA_IO_ABI_VERSION;
  config.io_workers = io_workers;
  const int error = backend_.open(&config, &host_, &instance_);
  if (error == 0) return;
  errno = -error;
  give_up("open");
}

Drive::~Drive() {
  close();
}

void Drive::close() {
  if (instance_ != nullptr) backend_.close(instance_);
  instance_ = nullptr;
}

void Drive::start(Task& task) {
  start_all({&task, 1});
}

void Drive::start_all(std::span<Task> tasks) {
  std::vector<nikaia_io_op*> ops;
  for (Task& task : tasks) {
    task.op.user_data = reinterpret_cast<std::uintptr_t>(&task);
    // What the words held before must not matter.
    std::memset(task.op.backend, 0xa5, sizeof task.op.backend);
    task.completions = 0;
    ops.push_back(&task.op);
  }
  for (std::size_t at = 0; at < ops.size();) {
    const std::uint32_t before = pending();
    const int count = backend_.submit(instance_, &ops[at], static_cast<std::uint32_t>(ops.size() - at));
    if (count < 0) return context_.fail(__FILE__, __LINE__, "submit says the instance is broken");
    if (pending() != before + static_cast<std::uint32_t>(count)) {
      context_.fail(__FILE__, __LINE__, "pending does not count what submit accepted");
    }
    at += static_cast<std::size_t>(count);
    if (at == ops.size()) return;
    if (before == 0 && count == 0) {
      return context_.fail(__FILE__, __LINE__, "submit is full with nothing in flight");
    }
    turn(no_deadline);
  }
}

void Drive::reap() {
  nikaia_io_completion completions[64];
  for (;;) {
    const std::uint32_t count = backend_.reap(instance_, completions, std::size(completions));
    for (std::uint32_t i = 0; i < count; ++i) {
      Task& task = *reinterpret_cast<Task*>(completions[i].user_data);
      task.completion = completions[i];
      if (++task.completions != 1) {
        context_.fail(__FILE__, __LINE__, "an operation ended more than once");
      }
    }
    if (count < std::size(completions)) return;
  }
}

int Drive::turn(std::int64_t deadline_ns) {
  const int result = backend_.wait(instance_, deadline_ns);
  const std::uint32_t before = pending();
  reap();
  if (result < 0) {
    context_.fail(__FILE__, __LINE__, "wait: " + std::string(std::strerror(-result)));
  }
  if (result == 1 && pending() == before) {
    context_.fail(__FILE__, __LINE__, "wait says there is something to reap, and there is nothing");
  }
  return result;
}

bool Drive::finish_all(std::span<Task> tasks) {
  const std::int64_t deadline_ns = now_ns() + 60 * second_ns;
  for (const Task& task : tasks) {
    while (!task.ended()) {
      if (turn(deadline_ns) < 0) return false;
      if (task.ended() || now_ns() < deadline_ns) continue;
      context_.fail(__FILE__, __LINE__, "an operation of kind " + std::to_string(task.op.kind) + " does not end");
      return false;
    }
  }
  return true;
}

bool Drive::finish(Task& task) {
  return finish_all({&task, 1});
}

std::int64_t Drive::run(Task& task) {
  start(task);
  finish(task);
  return task.result();
}

int Drive::cancel(Task& task) {
  return backend_.cancel(instance_, &task.op);
}

void Drive::wake() {
  backend_.wake(instance_);
}

std::uint32_t Drive::pending() {
  return backend_.pending(instance_);
}

// --- Context -------------------------------------------------------------------------------------

Context::Context(const nikaia_io_backend& backend) : backend_(backend) {
  folder_ = (std::filesystem::temp_directory_path() / "nikaia-backend-XXXXXX").string();
  if (mkdtemp(folder_.data()) == nullptr) give_up("a scratch folder");
}

Context::~Context() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

const char* Context::path(std::string_view name) {
  return names_.emplace_back(folder_ + "/" + std::string(name)).c_str();
}

const char* Context::file(std::string_view name, std::string_view content) {
  const char* where = path(name);
  const int fd = ::open(where, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) give_up(where);
  while (!content.empty()) {
    const ssize_t count = ::write(fd, content.data(), content.size());
    if (count < 0) give_up(where);
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  ::close(fd);
  return where;
}

void Context::fail(const char* where, int line, const std::string& what) {
  const char* name = std::strrchr(where, '/');
  failures_.push_back(std::string(name == nullptr ? where : name + 1) + ":" + std::to_string(line) + ": " + what);
}

// --- Operations ----------------------------------------------------------------------------------

Task of_kind(nikaia_io_kind kind) {
  Task task;
  task.op.kind = kind;
  task.op.fd = AT_FDCWD;
  return task;
}

Task open_file(const char* path, int flags, unsigned mode) {
  Task task = of_kind(NIKAIA_IO_OPEN);
  task.op.path = path;
  task.op.flags = static_cast<std::uint32_t>(flags | O_CLOEXEC);
  task.op.mode = mode;
  return task;
}

Task close_file(int fd) {
  Task task = of_kind(NIKAIA_IO_CLOSE);
  task.op.fd = fd;
  return task;
}

Task read_at(int fd, void* buffer, std::size_t length, std::int64_t offset) {
  Task task = of_kind(NIKAIA_IO_READ);
  task.op.fd = fd;
  task.op.buffer = buffer;
  task.op.length = length;
  task.op.offset = offset;
  return task;
}

Task write_at(int fd, std::string_view text, std::int64_t offset) {
  Task task = read_at(fd, const_cast<char*>(text.data()), text.size(), offset);
  task.op.kind = NIKAIA_IO_WRITE;
  return task;
}

Task read_whole(const char* path, void* buffer, std::size_t length) {
  Task task = open_file(path, O_RDONLY);
  task.op.kind = NIKAIA_IO_READ_WHOLE;
  task.op.buffer = buffer;
  task.op.length = length;
  return task;
}

Task readable(int fd) {
  Task task = of_kind(NIKAIA_IO_READABLE);
  task.op.fd = fd;
  return task;
}

Task writable(int fd) {
  Task task = of_kind(NIKAIA_IO_WRITABLE);
  task.op.fd = fd;
  return task;
}

// --- The other side ------------------------------------------------------------------------------

std::string pattern(std::size_t bytes, unsigned seed) {
  std::string text(bytes, '\0');
  std::uint32_t state = seed * 2654435761u + 1;
  for (char& byte : text) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<char>(state >> 24);
  }
  return text;
}

std::string slurp(const char* path) {
  std::string text;
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) give_up(path);
  char piece[4096];
  for (ssize_t count = 0; (count = ::read(fd, piece, sizeof piece)) > 0;) {
    text.append(piece, static_cast<std::size_t>(count));
  }
  ::close(fd);
  return text;
}

int open_descriptors() {
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr) give_up("/proc/self/fd");
  int count = 0;
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

Ends::Ends(Kind kind) {
  const int error = kind == pipe ? pipe2(fds_, O_CLOEXEC) : socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds_);
  if (error < 0) give_up("a pipe");
}

Ends::Ends(Ends&& other) noexcept {
  std::swap(fds_, other.fds_);
}

Ends::~Ends() {
  close_read_end();
  close_write_end();
}

void Ends::close_read_end() {
  if (fds_[0] >= 0) ::close(std::exchange(fds_[0], -1));
}

void Ends::close_write_end() {
  if (fds_[1] >= 0) ::close(std::exchange(fds_[1], -1));
}

void Ends::put(std::string_view text) const {
  if (::write(fds_[1], text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    give_up("writing to a pipe");
  }
}

std::string Ends::take() const {
  pollfd asked{fds_[0], POLLIN, 0};
  if (poll(&asked, 1, 0) <= 0) return {};
  char piece[4096];
  const ssize_t count = ::read(fds_[0], piece, sizeof piece);
  return count < 0 ? std::string() : std::string(piece, static_cast<std::size_t>(count));
}

void Ends::fill() const {
  const int flags = fcntl(fds_[1], F_GETFL);
  fcntl(fds_[1], F_SETFL, flags | O_NONBLOCK);
  char piece[4096] = {};
  while (::write(fds_[1], piece, sizeof piece) > 0) {
  }
  while (::write(fds_[1], piece, 1) > 0) {
  }
  fcntl(fds_[1], F_SETFL, flags);
}

}  // namespace nikaia::conformance
