// The `nikaia` executable: reads the command line, finds the installation, runs the command.
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "driver/command_line.h"
#include "driver/defect.h"
#include "driver/log.h"
#include "driver/session.h"

namespace {

using namespace nikaia::driver;

int run_verb(Session& session) {
  switch (session.command.verb) {
    case Verb::create: return create_command(session);
    case Verb::check: return check_command(session);
    case Verb::build: return build_command(session);
    case Verb::run: return run_command(session);
    case Verb::lower: return lower_command(session);
    case Verb::interpret: return interpret_command(session);
    case Verb::passes: return passes_command(session);
    case Verb::backends: return backends_command(session);
  }
  return status_defect;
}

int stop(Messages& messages, const Trouble& trouble) {
  messages.error(trouble);
  return messages.finish(trouble.status);
}

}  // namespace

int main(int argc, char** argv) {
  remember_command_line(argc, argv);
  watch_for_crashes(asks_for_json(argc, argv));
  Expected<Reading> reading = read_command_line(argc, argv);
  if (!reading) {
    Messages messages(Color::automatic, asks_for_json(argc, argv));
    return stop(messages, reading.error());
  }
  if (!reading->command) {
    std::fputs(reading->answer.c_str(), stdout);
    return std::fflush(stdout) == 0 ? status_done : status_refused;
  }
  CommandLine command = std::move(*reading->command);
  Messages messages(command.color, command.json_messages);
  if (Done logging = start_log(command.verbose, command.log_file); !logging) {
    return stop(messages, logging.error());
  }
  Session session{std::move(command), std::move(messages), {}, {}};
  if (session.command.verb != Verb::create) {
    Expected<Installation> installation = find_installation();
    if (!installation) return session.stop(installation.error());
    session.installation = std::move(*installation);
    Expected<std::filesystem::path> cache = find_cache();
    if (!cache) return session.stop(cache.error());
    session.cache = std::move(*cache);
  }
  return run_verb(session);
}
