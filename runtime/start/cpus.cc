// How many CPUs the process may use: what its affinity mask allows, cut to what the quota of its
// control group and of every group above pays for, rounded up.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <string>

#include "runtime/start/config.h"

namespace nikaia::rt {
namespace {

std::uint32_t cpus_in_affinity_mask() {
  // A machine may have more CPUs than the fixed set holds; the call then asks for a larger one.
  for (int cpus = 1024; cpus <= 1024 * 1024; cpus *= 2) {
    cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(cpus));
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(cpus));
    const int count = ::sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) return static_cast<std::uint32_t>(count);
  }
  return 1;
}

// Version 2: `QUOTA PERIOD` or `max PERIOD` in cpu.max. 0 where there is none.
std::uint32_t quota_of(const std::string& folder) {
  std::FILE* file = std::fopen((folder + "/cpu.max").c_str(), "re");
  if (file == nullptr) return 0;
  long long quota = 0;
  long long period = 0;
  const int read = std::fscanf(file, "%lld %lld", &quota, &period);
  std::fclose(file);
  if (read != 2 || quota <= 0 || period <= 0) return 0;
  return static_cast<std::uint32_t>((quota + period - 1) / period);
}

// The process's folder in the unified hierarchy: the line `0::PATH` of /proc/self/cgroup.
std::string own_group() {
  std::FILE* file = std::fopen("/proc/self/cgroup", "re");
  if (file == nullptr) return "";
  char line[4096];
  std::string group;
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    if (std::strncmp(line, "0::", 3) == 0) {
      group = line + 3;
      if (!group.empty() && group.back() == '\n') group.pop_back();
      break;
    }
  }
  std::fclose(file);
  return group;
}

}  // namespace

std::uint32_t usable_cpus() {
  std::uint32_t most = cpus_in_affinity_mask();
  for (std::string group = own_group(); !group.empty();) {
    if (const std::uint32_t quota = quota_of("/sys/fs/cgroup" + group); quota != 0) most = std::min(most, quota);
    if (group == "/") break;
    const std::size_t slash = group.rfind('/');
    group = slash == 0 ? "/" : group.substr(0, slash);
  }
  return std::max<std::uint32_t>(most, 1);
}

}  // namespace nikaia::rt
