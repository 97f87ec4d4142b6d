// `nikaia lower`: writes what the emission pass makes of one file, or prints what is there behind a
// pass (06 §3.2).
#include <cstdio>
#include <string>
#include <utility>

#include "driver/defect.h"
#include "driver/dump.h"
#include "driver/files.h"
#include "driver/front_end.h"
#include "lang/text/near_name.h"
#include "driver/prepare.h"
#include "driver/project.h"
#include "driver/session.h"

namespace nikaia::driver {
namespace fs = std::filesystem;

namespace {

Trouble no_such_pass(const Pipeline& pipeline, const std::string& name) {
  Trouble trouble = refused("There is no pass `" + name + "` to stop behind.");
  std::vector<std::string_view> known;
  for (const PlacedPass& placed : pipeline.passes()) known.emplace_back(placed.pass->name);
  const std::string_view near = lang::near_name(name, known);
  if (!near.empty()) trouble.help("Did you mean `" + std::string(near) + "`?");
  return trouble.help("`nikaia passes` lists the passes there are.");
}

// The result made from the file goes to where it was asked for, with the folder of that file the
// headers and the results of the package's other files.
Done write_results(const FrontEnd& front_end, const SourceFile& source, const fs::path& target) {
  for (const EmittedFile& file : front_end.results) {
    const bool is_header = file.source.empty() && fs::path(file.name).extension() != ".cc";
    if (file.source != source.stable_name && !is_header) continue;
    const fs::path path = is_header ? target.parent_path() / fs::path(file.name) : target;
    if (Done written = write_file_if_changed(path, file.contents); !written) return written;
  }
  return {};
}

}  // namespace

int lower_command(Session& session) {
  Prepared prepared;
  if (auto status = prepare(session, prepared)) return *status;
  const Project& project = prepared.project;
  const PipelineRequest request = pipeline_request(session.command, project.manifest());
  Expected<Pipeline> pipeline = load_pipeline(session.installation, request);
  if (!pipeline) return session.stop(pipeline.error());
  const std::optional<std::string>& after = session.command.after;
  const PlacedPass* last = after ? pipeline->find(*after) : nullptr;
  if (after && last == nullptr) return session.stop(no_such_pass(*pipeline, *after));
  if (last != nullptr && !last->on) {
    return session.stop(refused("The pass `" + *after +
                                "` is switched off, so nothing comes behind "
                                "it.")
                            .help("`--emit NAME` switches an emission pass on."));
  }

  const fs::path log_folder = session.cache / "log";
  set_crash_log_folder(log_folder);
  FrontEnd front_end(project, *pipeline, std::move(prepared.options), log_folder);
  front_end.run(true, after);
  front_end.say(session.messages);
  show_times(session, front_end.times);
  if (front_end.status() == status_done && last != nullptr) {
    std::fputs(dump_after(*last, front_end).c_str(), stdout);
    std::fflush(stdout);
  } else if (front_end.status() == status_done) {
    for (const SourceFile& source : project.program().files) {
      if (source.given_name.empty()) continue;
      const fs::path target = session.command.output ? fs::path(*session.command.output)
                                                     : fs::path(source.given_name).replace_extension(".cc");
      if (Done written = write_results(front_end, source, target); !written) {
        return session.stop(written.error());
      }
    }
    front_end.print_reports(session.command.reports);
  }
  return session.messages.finish(front_end.status());
}

}  // namespace nikaia::driver
