// One run of `nikaia`: what was asked, where the toolchain lies, and what was said so far.
#ifndef NIKAIA_DRIVER_SESSION_H
#define NIKAIA_DRIVER_SESSION_H

#include <filesystem>
#include <utility>
#include <vector>

#include "driver/command_line.h"
#include "driver/installation.h"
#include "driver/messages.h"

namespace nikaia::driver {

struct Session {
  CommandLine command;
  Messages messages;
  Installation installation;
  std::filesystem::path cache;

  // Says why the command ends, and gives its exit status.
  int stop(const Trouble& trouble) {
    messages.error(trouble);
    return messages.finish(trouble.status);
  }
  int stop(const std::vector<Trouble>& troubles) {
    int status = status_refused;
    for (const Trouble& trouble : troubles) {
      messages.error(trouble);
      status = trouble.status;
    }
    return messages.finish(status);
  }
};

// The commands; each returns the exit status of `nikaia`.
int create_command(Session& session);
int check_command(Session& session);
int build_command(Session& session);
int run_command(Session& session);
int lower_command(Session& session);
int interpret_command(Session& session);
int passes_command(Session& session);
int backends_command(Session& session);

// Where `--time-passes` asks for it, prints the times on standard error and keeps them for
// `nikaia passes`.
struct PassTime;
void show_times(const Session& session, const std::vector<PassTime>& times);

}  // namespace nikaia::driver

#endif
