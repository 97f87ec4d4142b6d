// Asks the kernel by setting a small ring up. Why it refuses is read from the error and from what
// the system says about itself, since one number (EPERM) has several causes with different ways
// out.
#include "backends/uring/probe.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <liburing.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "backends/uring/ring.h"

namespace nikaia::backend {
namespace {

constexpr unsigned probe_entries = 8;

// Features of kernel 5.10 this backend is written on.
constexpr unsigned needed_features =
    IORING_FEAT_NODROP | IORING_FEAT_SUBMIT_STABLE | IORING_FEAT_RW_CUR_POS | IORING_FEAT_FAST_POLL;

struct Needed {
  int operation;
  const char* name;
};

constexpr Needed needed_operations[] = {
    {IORING_OP_OPENAT, "openat"}, {IORING_OP_OPENAT2, "openat2"}, {IORING_OP_CLOSE, "close"},
    {IORING_OP_READ, "read"},     {IORING_OP_WRITE, "write"},     {IORING_OP_FSYNC, "fsync"},
    {IORING_OP_STATX, "statx"},   {IORING_OP_POLL_ADD, "poll"},   {IORING_OP_ASYNC_CANCEL, "cancel"},
};

// The number in kernel.io_uring_disabled, or -1 where the kernel has no such setting.
int disabled_setting() {
  const int fd = open("/proc/sys/kernel/io_uring_disabled", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  char digit = '?';
  const bool there = read(fd, &digit, 1) == 1 && digit >= '0' && digit <= '9';
  close(fd);
  return there ? digit - '0' : -1;
}

void explain_kernel(char* reason, std::size_t size) {
  utsname system{};
  uname(&system);
  std::snprintf(reason, size, "this kernel (%s) is too old: io_uring as of 5.10 is needed", system.release);
}

void explain_refusal(char* reason, std::size_t size) {
  switch (disabled_setting()) {
    case 1:
      std::snprintf(reason, size,
                    "kernel.io_uring_disabled is 1: io_uring is for privileged processes and the group "
                    "in kernel.io_uring_group only (sysctl -w kernel.io_uring_disabled=0)");
      return;
    case 2:
      std::snprintf(reason, size,
                    "kernel.io_uring_disabled is 2: io_uring is switched off for every process "
                    "(sysctl -w kernel.io_uring_disabled=0)");
      return;
    default:
      std::snprintf(reason, size,
                    "io_uring_setup is refused (EPERM) by a sandbox or container profile; the default "
                    "profile of Docker and containerd does this");
      return;
  }
}

void explain_memory(char* reason, std::size_t size) {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  std::snprintf(reason, size, "the limit of locked memory is too small for a ring: %llu KiB (raise it with ulimit -l)",
                static_cast<unsigned long long>(limit.rlim_cur) / 1024);
}

void explain(int error, char* reason, std::size_t size) {
  switch (error) {
    case -EPERM:
    case -EACCES: return explain_refusal(reason, size);
    case -ENOSYS:
      std::snprintf(reason, size,
                    "the system call io_uring_setup is not there (ENOSYS): the kernel is older than 5.1 or "
                    "built without it, or a sandbox hides it");
      return;
    case -ENOMEM: return explain_memory(reason, size);
    case -EINVAL: return explain_kernel(reason, size);
    default: std::snprintf(reason, size, "io_uring_setup fails: %s", std::strerror(-error)); return;
  }
}

}  // namespace

int probe_ring(char* reason, std::size_t reason_size) {
  Ring ring;
  const int error = ring.open(probe_entries);
  if (error != 0) {
    explain(error, reason, reason_size);
    return error;
  }
  if ((ring.features() & needed_features) != needed_features) {
    explain_kernel(reason, reason_size);
    return -ENOSYS;
  }
  for (const Needed& needed : needed_operations) {
    if (ring.offers(needed.operation)) continue;
    std::snprintf(reason, reason_size, "the ring does not offer the operation `%s`, which is needed", needed.name);
    return -ENOSYS;
  }
  return 0;
}

}  // namespace nikaia::backend
