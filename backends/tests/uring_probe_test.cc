// What the `uring` backend says where the system refuses it a ring. The refusals are made with a
// seccomp filter, in a child process each, because a filter is for ever.
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstddef>
#include <dlfcn.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nikaia/backend.h>

namespace {

// Makes `call` fail with `error` in this process from now on.
bool refuse(long call, int error) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{sizeof program / sizeof *program, program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

struct Answer {
  int error = 0;
  std::string reason;
};

Answer probe() {
  void* library = dlopen(URING_FILE, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {1, dlerror()};
  const auto* backend = *static_cast<const nikaia_io_backend* const*>(dlsym(library, NIKAIA_IO_SYMBOL));
  nikaia_io_config config{};
  config.struct_size = sizeof config;
  config.host_abi_version = NIKAIA_IO_ABI_VERSION;
  config.io_workers = 1;
  char reason[512] = "";
  const int error = backend->probe(&config, reason, sizeof reason);
  return {error, reason};
}

Answer probe_where_refused(long call, int error) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    Answer answer{1, "the filter could not be installed"};
    if (refuse(call, error)) answer = probe();
    const std::string line = std::to_string(answer.error) + " " + answer.reason;
    const ssize_t written = write(ends[1], line.data(), line.size());
    _exit(written == static_cast<ssize_t>(line.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string line(1024, '\0');
  const ssize_t count = read(ends[0], line.data(), line.size());
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(count > 0);
  line.resize(static_cast<std::size_t>(count));
  const std::size_t space = line.find(' ');
  return {std::stoi(line.substr(0, space)), line.substr(space + 1)};
}

}  // namespace

TEST_CASE("a container's profile is named") {
  const Answer answer = probe_where_refused(SYS_io_uring_setup, EPERM);
  CHECK(answer.error == -EPERM);
  // A machine on which the setting forbids rings gives that as the reason, which is as right.
  const bool by_setting = answer.reason.find("kernel.io_uring_disabled") != std::string::npos;
  if (!by_setting) {
    CHECK_THAT(answer.reason, Catch::Contains("EPERM"));
    CHECK_THAT(answer.reason, Catch::Contains("the default profile of Docker and containerd does this"));
  }
}

TEST_CASE("a kernel without rings is named") {
  const Answer answer = probe_where_refused(SYS_io_uring_setup, ENOSYS);
  CHECK(answer.error == -ENOSYS);
  CHECK_THAT(answer.reason, Catch::Contains("ENOSYS"));
}

TEST_CASE("too little locked memory is named") {
  const Answer answer = probe_where_refused(SYS_io_uring_setup, ENOMEM);
  CHECK(answer.error == -ENOMEM);
  CHECK_THAT(answer.reason, Catch::Contains("locked memory") && Catch::Contains("ulimit -l"));
}

TEST_CASE("a kernel that is too old is named, with its version") {
  const Answer answer = probe_where_refused(SYS_io_uring_setup, EINVAL);
  CHECK(answer.error == -EINVAL);
  CHECK_THAT(answer.reason, Catch::Contains("too old") && Catch::Contains("5.10"));
}

TEST_CASE("a ring whose operations cannot be asked for is not trusted") {
  const Answer answer = probe_where_refused(SYS_io_uring_register, EPERM);
  // Where rings are refused altogether, that is said first.
  if (answer.error == -ENOSYS) {
    CHECK_THAT(answer.reason, Catch::Contains("does not offer the operation"));
  } else {
    CHECK(answer.error == -EPERM);
  }
}
