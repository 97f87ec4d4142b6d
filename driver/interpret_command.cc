// `nikaia interpret`: executes one file without writing a file or compiling anything (06 §3.2).
//
// The front end runs as for `check`; what `instantiate` made is then executed. A program that needs
// a row of the library or a part of the runtime that the interpreter does not have ends with a
// message that names it.
#include <cstdio>
#include <string>

#include "driver/defect.h"
#include "driver/front_end.h"
#include "driver/prepare.h"
#include "driver/session.h"
#include "interpret/machine.h"

namespace nikaia::driver {
namespace {

constexpr int status_panicked = 134;  // as a program that aborts

std::string where(const lang::Compilation& compilation, lang::Span span) {
  if (!span.has_text()) return {};
  return " (" + std::string(compilation.sources.path(span.file)) + ":" +
         std::to_string(compilation.sources.line_of(span.file, span.begin)) + ")";
}

}  // namespace

int interpret_command(Session& session) {
  if (!session.command.file) {
    return session.stop(wrong_command_line("`nikaia interpret` executes one file, and none is named.")
                            .help("Write `nikaia interpret FILE.nika`."));
  }
  Prepared prepared;
  if (auto status = prepare(session, prepared)) return *status;
  const PipelineRequest request = pipeline_request(session.command, prepared.project.manifest());
  Expected<Pipeline> pipeline = load_pipeline(session.installation, request);
  if (!pipeline) return session.stop(pipeline.error());
  const std::filesystem::path log_folder = session.cache / "log";
  set_crash_log_folder(log_folder);
  FrontEnd front_end(prepared.project, *pipeline, std::move(prepared.options), log_folder);
  front_end.run(false, std::nullopt);
  front_end.say(session.messages);
  if (front_end.status() != status_done) return session.messages.finish(front_end.status());

  interpret::Machine machine(front_end.compilation);
  const interpret::Outcome outcome = machine.run();
  std::fwrite(outcome.output.data(), 1, outcome.output.size(), stdout);
  std::fflush(stdout);
  const std::string at = where(front_end.compilation, outcome.span);
  switch (outcome.ending) {
    case interpret::Ending::done: break;
    case interpret::Ending::failed: {
      std::fprintf(stderr, "error: %s\n", outcome.message.c_str());
      return session.messages.finish(status_refused);
    }
    case interpret::Ending::panicked: {
      Trouble trouble = refused("The program panics: " + outcome.message + at + ".");
      trouble.status = status_panicked;
      return session.stop(trouble);
    }
    case interpret::Ending::not_built:
    case interpret::Ending::too_long:
      return session.stop(refused("The interpreter doesn't have " + outcome.message + " yet" + at + ".")
                              .help("`nikaia run` compiles the program and runs it."));
    case interpret::Ending::finding: {
      Trouble trouble = refused("The checks let pass what they must refuse: " + outcome.message + at + ".");
      trouble.status = status_defect;
      return session.stop(trouble.note("Your program is not at fault.").help(std::string(report_help)));
    }
  }
  return session.messages.finish(status_done);
}

}  // namespace nikaia::driver
