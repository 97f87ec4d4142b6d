// `nikaia backends`: the I/O backends that programs of this installation would find (09 §4).
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "driver/files.h"
#include "driver/process.h"
#include "driver/session.h"
#include "runtime/load/backends.h"

namespace nikaia::driver {
namespace fs = std::filesystem;

namespace {

constexpr std::uint32_t default_io_workers = 1;

struct Row {
  std::string name;
  std::string version = "-";
  std::uint32_t abi = 0;
  std::string file;
  std::string verdict;  // "runs", "would not run", "shadowed", "refused"
  std::string reason;
  std::vector<std::string> capabilities;
};

Row row_of(const load::Candidate& candidate) {
  Row row;
  row.name = candidate.name;
  row.file = candidate.file.empty() ? "(built in)" : shown(candidate.file);
  row.reason = candidate.reason;
  if (candidate.backend == nullptr) {
    row.verdict = "refused";
    return row;
  }
  row.version = candidate.backend->version;
  row.abi = candidate.backend->abi_version;
  for (const std::string_view name : load::capability_names(candidate.backend->capabilities)) {
    row.capabilities.emplace_back(name);
  }
  if (candidate.standing == load::Standing::shadowed) {
    row.verdict = "shadowed";
    return row;
  }
  const load::Verdict verdict = load::probe(*candidate.backend, load::configuration(default_io_workers));
  row.verdict = verdict.serves ? "runs" : "would not run";
  row.reason = verdict.reason;
  return row;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string line;
  for (const std::string& text : texts) line += (line.empty() ? "" : ",") + text;
  return line.empty() ? "-" : line;
}

void print_json(const std::vector<Row>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    nlohmann::ordered_json entry;
    entry["name"] = row.name;
    entry["version"] = row.version;
    entry["abi"] = row.abi;
    entry["file"] = row.file;
    entry["verdict"] = row.verdict;
    entry["runs"] = row.verdict == "runs";
    entry["reason"] = row.reason;
    entry["capabilities"] = row.capabilities;
    list.push_back(std::move(entry));
  }
  const auto bad_bytes = nlohmann::json::error_handler_t::replace;
  std::printf("%s\n", list.dump(-1, ' ', false, bad_bytes).c_str());
}

void print_table(const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> cells = {
      {"name", "version", "ABI", "verdict", "capabilities", "file", "reason"}};
  for (const Row& row : rows) {
    cells.push_back({row.name, row.version, row.abi == 0 ? "-" : std::to_string(row.abi), row.verdict,
                     joined(row.capabilities), row.file, row.reason});
  }
  std::vector<std::size_t> widths(cells.front().size());
  for (const auto& line : cells) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  for (const auto& line : cells) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      text += line[i] + std::string(widths[i] - line[i].size() + 2, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    std::printf("%s\n", text.c_str());
  }
}

// The conformance suite is a program of its own, so that a backend that crashes takes only it
// along.
int check_backend(Session& session) {
  const fs::path suite = session.installation.root / "lib/nikaia/nikaia-backend-check";
  const std::string& file = *session.command.backend_to_check;
  std::error_code error;
  if (!fs::exists(file, error)) {
    return session.stop(
        wrong_command_line("There is no file `" + file + "`.").help("Name the backend's file, `nikaia-io-NAME.so`."));
  }
  const int status = run_in_foreground(suite, {suite.string(), file});
  if (status >= 0) return status;
  return session.stop(unusable("The installation has no `" + suite.string() + "`.")
                          .help("Install Nikaia again; the suite is part of it."));
}

}  // namespace

int backends_command(Session& session) {
  if (session.command.backend_to_check) return check_backend(session);
  const load::Backends backends(load::standard_places(session.installation.backends(), nullptr));
  std::vector<Row> rows;
  for (const load::Candidate& candidate : backends.all()) rows.push_back(row_of(candidate));
  if (session.command.json_backends) {
    print_json(rows);
  } else {
    print_table(rows);
  }
  std::fflush(stdout);
  return session.messages.finish(status_done);
}

}  // namespace nikaia::driver
