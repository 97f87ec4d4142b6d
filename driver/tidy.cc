#include "driver/tidy.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/files.h"

namespace nikaia::driver {
namespace fs = std::filesystem;

namespace {

using Clock = fs::file_time_type::clock;

constexpr auto store_keeps = std::chrono::hours(24 * 14);
constexpr auto store_tidied_every = std::chrono::hours(1);
constexpr auto files_tidied_every = std::chrono::minutes(1);
constexpr auto in_use = std::chrono::hours(1);
constexpr std::size_t headers_kept = 3;
constexpr std::size_t programs_kept = 16;  // and as many texts of emitted C++: a change makes one of each
constexpr std::string_view source_name = "source";

// How long ago it was written or marked as used; nothing where that can't be said.
std::optional<Clock::duration> age_of(const fs::path& path) {
  std::error_code error;
  const fs::file_time_type time = fs::last_write_time(path, error);
  if (error) return std::nullopt;
  return Clock::now() - time;
}

bool is_older(const fs::path& path, Clock::duration limit) {
  const auto age = age_of(path);
  return age && *age > limit;
}

// Whether it is time again; marks it as done now.
bool is_due(const fs::path& mark, Clock::duration every) {
  const auto age = age_of(mark);
  if (age && *age < every) return false;
  return write_file(mark, "").has_value();
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    entries.push_back(it->path());
  }
  return entries;
}

void discard(const fs::path& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

// Leaves the `kept` entries that were used last, and those in use.
void keep_newest(const fs::path& folder, std::size_t kept) {
  std::vector<std::pair<Clock::duration, fs::path>> entries;
  for (const fs::path& entry : entries_of(folder)) {
    if (const auto age = age_of(entry)) entries.emplace_back(*age, entry);
  }
  std::sort(entries.begin(), entries.end());
  for (std::size_t i = kept; i < entries.size(); ++i) {
    if (entries[i].first > in_use) discard(entries[i].second);
  }
}

}  // namespace

void tidy_store(const fs::path& output) {
  const fs::path cache = output / "cache";
  if (!is_due(cache / "tidied", store_tidied_every)) return;
  for (const char* kind : {"emitted", "programs", "builds"}) {
    remove_left_behind(cache / kind);
    for (const fs::path& entry : entries_of(cache / kind)) {
      if (is_older(entry, store_keeps)) discard(entry);
    }
  }
  for (const char* kind : {"emitted", "programs"}) keep_newest(cache / kind, programs_kept);
  for (const fs::path& folder : entries_of(cache / "objects")) {
    remove_left_behind(folder);
    for (const fs::path& entry : entries_of(folder)) {
      // A seal is as old as its object was when it was made, so it goes by the object's age.
      const bool is_seal = entry.extension() == ".sum";
      const fs::path object = is_seal ? fs::path(entry).replace_extension() : entry;
      if (is_older(object, store_keeps) || (is_seal && !fs::exists(object))) discard(entry);
    }
  }
  remove_left_behind(output);
  remove_left_behind(output / "log");
}

void tidy_headers(const fs::path& cache) {
  keep_newest(cache / "headers", headers_kept);
}

void remember_single_file(const fs::path& cache, const fs::path& folder, const fs::path& source) {
  const fs::path mark = folder / source_name;
  std::error_code error;
  if (fs::exists(mark, error) || !write_file(mark, source.string())) return;
  if (!is_due(cache / "files-tidied", files_tidied_every)) return;
  for (const fs::path& entry : entries_of(cache / "files")) {
    const std::optional<std::string> path = read_file(entry / source_name);
    if (path && !fs::exists(*path, error) && is_older(entry / source_name, files_tidied_every)) {
      discard(entry);
    }
  }
}

}  // namespace nikaia::driver
