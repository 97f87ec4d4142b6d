#include "driver/cxx_failure.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <signal.h>
#include <sstream>
#include <string>
#include <utility>

#include "driver/defect.h"
#include "driver/files.h"

namespace nikaia::driver {
namespace fs = std::filesystem;

namespace {

// How the toolchain says that the machine and not the code stopped it. It runs in the `C` locale.
constexpr std::array<std::string_view, 11> outside_the_code = {
    "No space left on device",
    "Disk quota exceeded",
    "Cannot allocate memory",
    "virtual memory exhausted",
    "out of memory",
    "Killed signal terminated program",
    "Terminated signal terminated program",
    "error trying to exec",
    "cannot execute",
    "Read-only file system",
    "unable to execute command",
};

struct Position {
  std::string file;
  std::uint32_t line = 0;
};

// The position of the first `FILE:LINE:COLUMN: error:` or `fatal error:`.
std::optional<Position> first_error(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::size_t mark = line.find(": error:");
    if (mark == std::string::npos) mark = line.find(": fatal error:");
    if (mark == std::string::npos) continue;
    const std::string_view place(line.data(), mark);
    const std::size_t column = place.rfind(':');
    const std::size_t row = column == std::string_view::npos || column == 0 ? column : place.rfind(':', column - 1);
    if (row == std::string_view::npos || column == std::string_view::npos) continue;
    Position position;
    position.file = std::string(place.substr(0, row));
    const auto [end, error] = std::from_chars(place.data() + row + 1, place.data() + column, position.line);
    if (error == std::errc() && end == place.data() + column) return position;
  }
  return std::nullopt;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The first line of an emitted file that `#line` says came from this place; npos where there is
// none.
std::size_t emitted_line(const std::vector<std::string>& lines, const Position& position) {
  std::string file;
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("#line ")) {
      const char* begin = lines[i].data() + 6;
      const char* end = lines[i].data() + lines[i].size();
      const auto read = std::from_chars(begin, end, number);
      const std::size_t open = lines[i].find('"');
      if (open != std::string::npos) {
        file = lines[i].substr(open + 1, lines[i].rfind('"') - open - 1);
      }
      if (read.ec == std::errc()) --number;  // it names the line after itself
      continue;
    }
    ++number;
    if (file == position.file && number == position.line) return i;
  }
  return std::string::npos;
}

// The emitted function around a line: from the line after the last one that closes a definition to
// the next one that does.
std::string function_around(const std::vector<std::string>& lines, std::size_t at) {
  const auto closes = [&](std::size_t i) { return lines[i].starts_with("}"); };
  std::size_t begin = at;
  while (begin > 0 && !closes(begin - 1)) --begin;
  std::size_t end = at;
  while (end + 1 < lines.size() && !closes(end)) ++end;
  std::string text;
  for (std::size_t i = begin; i <= end && i < lines.size(); ++i) {
    text += (i == at ? "> " : "  ") + lines[i] + "\n";
  }
  return text;
}

const char* what_failed(CxxStep step) {
  switch (step) {
    case CxxStep::precompile: return "precompiling the runtime's header";
    case CxxStep::compile: return "compiling an emitted file";
    case CxxStep::link: return "linking the program";
  }
  return "";
}

// What a linker says about symbols; its other complaints are about files, libraries and disks.
constexpr std::array<std::string_view, 4> about_symbols = {
    "undefined symbol",
    "undefined reference",
    "duplicate symbol",
    "multiple definition",
};

bool stopped_from_outside(const Outcome& outcome, CxxStep step) {
  if (outcome.start_error != 0) return true;
  if (outcome.signal != 0) return true;
  const auto said = [&](std::string_view words) { return outcome.output.find(words) != std::string::npos; };
  if (step == CxxStep::link && std::none_of(about_symbols.begin(), about_symbols.end(), said)) {
    return true;
  }
  return std::any_of(outside_the_code.begin(), outside_the_code.end(), said);
}

}  // namespace

CxxFailure classify_cxx_failure(const CxxRequest& request, const std::vector<EmittedFile>& emitted,
                                const fs::path& emitted_folder, const Words& words, const Outcome& outcome,
                                CxxStep step) {
  std::string content = defect_log_head();
  content += "C++ compiler: " + request.compiler->headline + "\nin: " + request.folder.string() +
             "\nstep: " + what_failed(step) + "\ncommand line: " + shell_line(words) + "\n";
  if (outcome.start_error != 0) {
    content += "could not be started: " + std::string(std::strerror(outcome.start_error)) + "\n";
  } else if (outcome.signal != 0) {
    content += "ended by signal " + std::to_string(outcome.signal) + "\n";
  } else {
    content += "exit status " + std::to_string(outcome.status) + "\n";
  }
  content += "\n" + outcome.output;

  CxxFailure failure;
  const fs::path log_folder = request.output / "log";
  if (stopped_from_outside(outcome, step)) {
    failure.trouble = refused("The C++ toolchain couldn't finish " + std::string(what_failed(step)) +
                              ", for a reason outside the code.");
    const fs::path log = write_defect_log(log_folder, content);
    if (outcome.start_error != 0) {
      failure.trouble.note("`" + words.front() + "` can't be started: " + std::strerror(outcome.start_error) + ".");
    } else if (outcome.signal == SIGKILL) {
      failure.trouble.note("It was killed; often that is the system running out of memory.");
    }
    if (!log.empty()) failure.trouble.note("What it said is kept in `" + shown(log) + "`.");
    failure.trouble.help(
        "See that there is enough memory and free disk space and that the compiler "
        "is whole, then build again; what is built already is kept.");
    return failure;
  }

  failure.is_defect = true;
  const std::optional<Position> position = first_error(outcome.output);
  if (position) {
    for (const EmittedFile& file : emitted) {
      const std::vector<std::string> lines = lines_of(file.contents);
      const bool emitted_place = position->file == (emitted_folder / file.name).string();
      const std::size_t at = emitted_place ? position->line - 1 : emitted_line(lines, *position);
      if (at >= lines.size()) continue;
      if (file.source == position->file) failure.defect.line = position->line;
      failure.defect.source = file.source;
      content += "\nemitted place: " + file.name + ":" + std::to_string(at + 1) + "\nemitted function:\n" +
                 function_around(lines, at);
      break;
    }
  }
  failure.defect.log = write_defect_log(log_folder, content);
  return failure;
}

}  // namespace nikaia::driver
