// Search and listing. A backend's name is its file's: nikaia-io-NAME.so. Among files of one name
// the first that can be loaded serves, in the order of the folders; the one linked into the program
// comes after all files.
#include "runtime/load/backends.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <system_error>
#include <utility>

#include "runtime/load/descriptor.h"

namespace nikaia::load {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view file_prefix = "nikaia-io-";
constexpr std::string_view file_suffix = ".so";

std::string text_of_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// The NAME of nikaia-io-NAME.so, or empty.
std::string name_of(const fs::path& file) {
  const std::string whole = file.filename().string();
  if (whole.size() <= file_prefix.size() + file_suffix.size()) return {};
  if (!whole.starts_with(file_prefix) || !whole.ends_with(file_suffix)) return {};
  return whole.substr(file_prefix.size(), whole.size() - file_prefix.size() - file_suffix.size());
}

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (!name_of(at->path()).empty()) files.push_back(at->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Candidate load_candidate(const fs::path& file, std::string name, bool trust) {
  Loaded loaded = load_file(file, trust);
  Candidate candidate;
  candidate.name = std::move(name);
  candidate.file = file;
  candidate.standing = loaded.backend == nullptr ? Standing::refused : Standing::serves;
  candidate.reason = std::move(loaded.reason);
  candidate.backend = loaded.backend;
  candidate.library = std::move(loaded.library);
  return candidate;
}

Candidate linked_candidate(const nikaia_io_backend& backend) {
  Candidate candidate;
  candidate.name = backend.name;
  candidate.standing = Standing::serves;
  candidate.backend = &backend;
  return candidate;
}

struct CapabilityName {
  std::uint64_t bit;
  std::string_view name;
};

constexpr CapabilityName capability_table[] = {
    {NIKAIA_IO_CAP_COMPLETES_FILES, "completes files without threads"},
    {NIKAIA_IO_CAP_READINESS, "readiness"},
    {NIKAIA_IO_CAP_BATCHING, "batching"},
    {NIKAIA_IO_CAP_LINKED, "linked operations"},
    {NIKAIA_IO_CAP_REGISTERED_BUFFERS, "registered buffers"},
    {NIKAIA_IO_CAP_CANCELLATION, "cancellation"},
    {NIKAIA_IO_CAP_WAKEABLE, "wakeable"},
};

}  // namespace

Places standard_places(const fs::path& toolchain, const nikaia_io_backend* linked) {
  Places places;
  const std::string path = text_of_environment("NIKAIA_BACKEND_PATH");
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    if (end > at) places.folders.emplace_back(path.substr(at, end - at));
    at = end + 1;
  }
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (!error) places.folders.push_back(executable.parent_path() / "backends");
  if (!toolchain.empty()) places.folders.push_back(toolchain);
  places.linked = linked;
  places.trust = text_of_environment("NIKAIA_BACKEND_TRUST") == "1";
  return places;
}

nikaia_io_config configuration(std::uint32_t io_workers) {
  nikaia_io_config config{};
  config.struct_size = sizeof config;
  config.host_abi_version = NIKAIA_IO_ABI_VERSION;
  config.io_workers = io_workers;
  return config;
}

Verdict probe(const nikaia_io_backend& backend, const nikaia_io_config& config) {
  char reason[512] = "";
  const int error = backend.probe(&config, reason, sizeof reason);
  if (error == 0) return {true, {}};
  reason[sizeof reason - 1] = '\0';
  if (reason[0] != '\0') return {false, reason};
  return {false, std::string("it gives no reason but the error ") + std::strerror(-error)};
}

std::vector<std::string_view> capability_names(std::uint64_t capabilities) {
  std::vector<std::string_view> names;
  for (const CapabilityName& row : capability_table) {
    if ((capabilities & row.bit) != 0) names.push_back(row.name);
  }
  return names;
}

Backends::Backends(Places places) : places_(std::move(places)) {
  // A folder that is named twice is searched once, where it was named first.
  std::set<fs::path> seen;
  std::erase_if(places_.folders, [&](const fs::path& folder) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    return error || !seen.insert(real).second;
  });
}

std::vector<Candidate> Backends::all() const {
  std::vector<Candidate> found;
  std::set<std::string> served;
  const auto add = [&](Candidate candidate) {
    if (candidate.backend != nullptr && !served.insert(candidate.name).second) {
      candidate.standing = Standing::shadowed;
    }
    found.push_back(std::move(candidate));
  };
  for (const fs::path& folder : places_.folders) {
    for (const fs::path& file : files_of(folder)) {
      add(load_candidate(file, name_of(file), places_.trust));
    }
  }
  if (places_.linked != nullptr) add(linked_candidate(*places_.linked));
  return found;
}

std::vector<Candidate> Backends::named(std::string_view name) const {
  std::vector<Candidate> found;
  if (name.empty() || name.find('/') != std::string_view::npos) return found;
  const std::string file_name = std::string(file_prefix).append(name).append(file_suffix);
  for (const fs::path& folder : places_.folders) {
    const fs::path file = folder / file_name;
    std::error_code error;
    if (!fs::exists(fs::symlink_status(file, error))) continue;
    found.push_back(load_candidate(file, std::string(name), places_.trust));
    if (found.back().backend != nullptr) return found;
  }
  if (places_.linked != nullptr && places_.linked->name == name) {
    found.push_back(linked_candidate(*places_.linked));
  }
  return found;
}

}  // namespace nikaia::load
