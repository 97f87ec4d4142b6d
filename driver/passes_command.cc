// `nikaia passes`: the pipeline as it would run, and what `--time-passes` measured.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "driver/files.h"
#include "driver/front_end.h"
#include "driver/prepare.h"
#include "driver/project.h"
#include "driver/session.h"

namespace nikaia::driver {
namespace fs = std::filesystem;

namespace {

std::string times_text(std::chrono::nanoseconds time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f ms", static_cast<double>(time.count()) / 1e6);
  return text.data();
}

std::map<std::string, std::string> remembered_times(const fs::path& cache) {
  std::map<std::string, std::string> times;
  std::istringstream in(read_file(cache / "pass-times").value_or(""));
  for (std::string line; std::getline(in, line);) {
    const std::size_t tab = line.find('\t');
    if (tab != std::string::npos) times[line.substr(0, tab)] = line.substr(tab + 1);
  }
  return times;
}

std::string joined(nikaia::NameList list) {
  std::string text;
  for (; list != nullptr && *list != nullptr; ++list) {
    if (!text.empty()) text += ",";
    text += *list;
  }
  return text.empty() ? "-" : text;
}

const char* kind_name(PassKind kind) {
  switch (kind) {
    case PassKind::analysis: return "analysis";
    case PassKind::transform: return "transform";
    case PassKind::emission: return "emission";
  }
  return "";
}

void print_times(const std::vector<PassTime>& times) {
  std::size_t width = 5;
  std::chrono::nanoseconds total{};
  for (const PassTime& time : times) {
    width = std::max(width, time.name.size());
    total += time.time;
  }
  for (const PassTime& time : times) {
    std::fprintf(stderr, "%-*s %12s\n", static_cast<int>(width), time.name.c_str(), times_text(time.time).c_str());
  }
  std::fprintf(stderr, "%-*s %12s\n", static_cast<int>(width), "total", times_text(total).c_str());
}

void remember_times(const fs::path& cache, const std::vector<PassTime>& times) {
  std::map<std::string, std::string> known = remembered_times(cache);
  for (const PassTime& time : times) known[time.name] = times_text(time.time);
  std::string text;
  for (const auto& [name, time] : known) text.append(name).append("\t").append(time).append("\n");
  // A measurement that can't be kept is shown as never made; it is no reason to fail.
  (void)write_file(cache / "pass-times", text);
}

}  // namespace

void show_times(const Session& session, const std::vector<PassTime>& times) {
  if (!session.command.time_passes) return;
  print_times(times);
  remember_times(session.cache, times);
}

int passes_command(Session& session) {
  auto manifest = manifest_for(session.command);
  if (!manifest) return session.stop(manifest.error());
  const PipelineRequest request = pipeline_request(session.command, manifest->has_value() ? &**manifest : nullptr);
  Expected<Pipeline> pipeline = load_pipeline(session.installation, request);
  if (!pipeline) return session.stop(pipeline.error());
  const std::map<std::string, std::string> times = remembered_times(session.cache);

  using Row = std::vector<std::string>;
  std::vector<Row> rows = {{"#", "pass", "kind", "stage", "", "", "file", "version", "requires", "provides", "time"}};
  std::size_t position = 0;
  for (const PlacedPass& placed : pipeline->passes()) {
    const nikaia::Pass& pass = *placed.pass;
    const auto time = times.find(pass.name);
    rows.push_back({std::to_string(++position), pass.name, kind_name(pass.kind),
                    pass.stage == PassStage::tree ? "tree" : "nir", pass.is_optional ? "optional" : "required",
                    placed.on ? "on" : "off", shown(placed.file->path), pass.version, joined(pass.requires_facts),
                    joined(pass.provides_facts), time == times.end() ? "-" : time->second});
  }
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line += std::string(widths[i] - row[i].size() + 2, ' ');
    }
    std::printf("%s\n", line.c_str());
  }
  std::fflush(stdout);
  return session.messages.finish(status_done);
}

}  // namespace nikaia::driver
