// What the command line asks for (language reference 06 §3).
#ifndef NIKAIA_DRIVER_COMMAND_LINE_H
#define NIKAIA_DRIVER_COMMAND_LINE_H

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/trouble.h"

namespace nikaia::driver {

// clang-format off
enum class Verb { create, check, build, run, lower, interpret, passes, backends };
enum class Profile { dev, release, sanitize };
enum class Color { automatic, always, never };
enum class Creation { project, pass, backend };
// clang-format on

const char* name_of(Profile profile);

struct PassOptionValue {
  std::string pass;
  std::string key;
  std::string value;
};

struct CommandLine {
  Verb verb = Verb::check;

  // Every command.
  Color color = Color::automatic;
  bool verbose = false;
  std::optional<std::filesystem::path> log_file;
  bool json_messages = false;

  // What is worked on.
  std::optional<std::string> file;     // as written
  std::optional<std::string> project;  // `--project`, as written
  std::vector<std::string> program_arguments;

  // Compiling.
  std::optional<std::string> target;
  std::optional<bool> user_parallelism;
  std::map<std::string, bool> optimization;
  std::optional<bool> refuted_claims_warn;
  std::optional<std::string> allow_read_list;
  Profile profile = Profile::dev;
  bool locked = false;
  std::vector<std::string> reports;  // "overlaps", ..., in the order of the switches

  // Passes.
  std::vector<std::filesystem::path> plugins;
  std::vector<std::string> disabled_passes;
  std::vector<PassOptionValue> pass_options;
  std::string emit = "cpp";
  bool emit_given = false;
  bool time_passes = false;

  // `lower`
  std::optional<std::string> output;
  std::optional<std::string> after;

  // `new`
  Creation creation = Creation::project;
  std::string new_name;

  // `backends`
  bool json_backends = false;
  std::optional<std::string> backend_to_check;
};

// A command line either asks for something, or is answered on the spot (`--help`, `--version`).
struct Reading {
  std::optional<CommandLine> command;
  std::string answer;  // for standard output, where there is no command
};

// Refused with status 2 where it is wrong. Costs well under a millisecond.
Expected<Reading> read_command_line(int argc, const char* const* argv);

// Whether `--message-format json` stands in the command line, for messages about the line itself.
bool asks_for_json(int argc, const char* const* argv);

}  // namespace nikaia::driver

#endif
