// Running another program. Its two outputs are read as they come, each by a branch of an overlap;
// its end is waited for on a descriptor (pidfd), so that no thread waits and no signal handler is
// needed.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nikaia/rt/hash.h>
#include <nikaia/rt/io.h>
#include <nikaia/rt/overlap.h>
#include <nikaia/rt/runtime.h>
#include <nikaia/rt/std_process.h>

#include "lookup.h"
#include "utf8.h"

namespace nikaia {

namespace {

struct Pipe {
  fs::Descriptor read;
  fs::Descriptor write;
};
int open_pipe(Pipe& made) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return errno;
  }
  made.read = fs::Descriptor(ends[0]);
  made.write = fs::Descriptor(ends[1]);
  return ::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 ? 0 : errno;
}

// A child that is waited for; where the task is cancelled before, it is killed.
class Child {
 public:
  Child() = default;
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  // The wait status. Pauses.
  int wait() {
    const fs::Descriptor ended(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (ended.ok()) {
      (void)rt::wait_readable(ended.get());
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return status;
  }

 private:
  pid_t pid_ = 0;
};

// All that comes out of a pipe. Pauses.
int read_all(int fd, String& text) {
  constexpr std::size_t piece_bytes = 16 * 1024;
  while (true) {
    const ssize_t read = ::read(fd, text.reserve(piece_bytes), piece_bytes);
    if (read > 0) {
      text.grown(static_cast<std::size_t>(read));
    } else if (read == 0) {
      return 0;
    } else if (errno == EAGAIN) {
      const int error = rt::wait_readable(fd);
      if (error < 0) {
        return -error;
      }
    } else if (errno != EINTR) {
      return errno;
    }
  }
}

// The attributes and actions of one spawn, freed with it.
struct SpawnPlan {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
};

// Starts it: 0 or an errno.
int start(Str program, const Vec<String>& arguments, const fs::SystemPath& dir, int out, int err, pid_t& pid) {
  SpawnPlan plan;
  // The program gets the signals as they are at a program's start, not as the runtime has set them.
  sigset_t none;
  sigset_t changed;
  sigemptyset(&none);
  sigemptyset(&changed);
  sigaddset(&changed, SIGPIPE);
  ::posix_spawnattr_setsigmask(&plan.attributes, &none);
  ::posix_spawnattr_setsigdefault(&plan.attributes, &changed);
  ::posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawn_file_actions_addopen(&plan.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&plan.actions, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&plan.actions, err, STDERR_FILENO);
  ::posix_spawn_file_actions_addchdir_np(&plan.actions, dir.c_str());

  const fs::SystemPath name(program);
  Vec<fs::SystemPath> texts;
  Vec<char*> words;
  texts.reserve(arguments.size());
  words.push(const_cast<char*>(name.c_str()));
  for (const String& argument : arguments) {
    texts.push(fs::SystemPath(argument));
    words.push(const_cast<char*>(texts.data()[texts.size() - 1].c_str()));
  }
  words.push(nullptr);
  return ::posix_spawnp(&pid, name.c_str(), &plan.actions, &plan.attributes, words.data(), environ);
}

}  // namespace

Output clone(const Output& output) {
  return Output{output.code, output.ok, clone(output.stdout), clone(output.stderr)};
}

Result<Output> process_run(Str program, Vec<String> arguments, Str dir) {
  const fs::SystemPath folder(dir);
  // Before the program starts, so that a missing folder is not taken for a missing program.
  const fs::Descriptor there(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!there.ok()) {
    return io_failure(errno, dir);
  }
  Pipe out;
  Pipe err;
  int error = open_pipe(out);
  error = error != 0 ? error : open_pipe(err);
  if (error != 0) {
    return io_failure(error, program);
  }
  rt::out_flush();
  pid_t pid = 0;
  error = start(program, arguments, folder, out.write.get(), err.write.get(), pid);
  if (error != 0) {
    return io_failure(error, program);
  }
  Child child(pid);
  out.write = fs::Descriptor();
  err.write = fs::Descriptor();
  Output output;
  auto [out_error, err_error] = overlap([&] { return read_all(out.read.get(), output.stdout); },
                                        [&] { return read_all(err.read.get(), output.stderr); });
  const int status = child.wait();
  if (out_error != 0 || err_error != 0) {
    return io_failure(out_error != 0 ? out_error : err_error, program);
  }
  for (const String* text : {&output.stdout, &output.stderr}) {
    if (!utf8::valid(text->data(), text->size())) {
      return Failure::make(IoError::NotText(format("the output of "_s, program)));
    }
  }
  note_foreign_data();
  output.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  output.ok = output.code == 0;
  return output;
}

}  // namespace nikaia
