#include "driver/prepare.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "driver/cxx_compiler.h"
#include "driver/files.h"

namespace nikaia::driver {
namespace fs = std::filesystem;

namespace {

// Each is a pass `report-NAME`.
constexpr std::array<std::string_view, 3> built_reports = {"overlaps", "sharing", "tethers"};

std::string target_of(const CommandLine& command, const Manifest* manifest) {
  if (command.target) return *command.target;
  if (manifest != nullptr && !manifest->target.empty()) return manifest->target;
  return host_target();
}

Expected<lang::BuildOptions> build_options(const Session& session, const Manifest* manifest) {
  lang::BuildOptions options;
  if (manifest != nullptr) {
    options.user_parallelism = manifest->user_parallelism;
    options.reentrancy_check = manifest->reentrancy_check;
    options.ordering_effects = manifest->ordering_effects;
  }
  if (session.command.user_parallelism) {
    options.user_parallelism = *session.command.user_parallelism;
  }
  options.target = target_of(session.command, manifest);
  const fs::path ledger = session.installation.library_ledger();
  std::optional<std::string> text = read_file(ledger);
  if (!text) {
    return fail(unusable("The installation has no `" + ledger.string() + "`.")
                    .help("Install Nikaia again, or set `NIKAIA_SYSROOT` to a whole installation."));
  }
  options.library_ledger = std::move(*text);
  return options;
}

// Notes that follow from the manifests alone.
void say_notes(Messages& messages, const Project& project) {
  for (const ProjectPackage& package : project.packages) {
    if (!package.manifest) continue;
    const bool own = &package == &project.program();
    if (own && package.manifest->names_cleanup_deadline) {
      messages.note("`cleanup-deadline` in `nikaia.toml` has no effect.",
                    {"It belongs to `nikaia-runtime.toml`, which is read when the program starts."});
    }
    if (!own && package.manifest->has_build_table) {
      messages.note("`[build]` of the package `" + package.name + "` has no effect here: the options of `" +
                        project.program().name + "` apply to all of its packages.",
                    {});
    }
  }
}

Done refuse_what_is_not_built(const CommandLine& command, const Manifest* manifest) {
  const auto not_built = [](const std::string& what, const std::string& help) {
    return fail(refused(what + " isn't built yet.").help(help));
  };
  for (const std::string& report : command.reports) {
    if (std::find(built_reports.begin(), built_reports.end(), report) != built_reports.end()) {
      continue;
    }
    return not_built("The report `--" + report + "`", "Leave the switch out.");
  }
  if (command.locked) return not_built("`--locked`", "Leave the switch out.");
  if (command.allow_read_list) {
    return not_built("Reading files while compiling", "Leave `--allow-read-from-list` out.");
  }
  if (manifest != nullptr && manifest->c_library) {
    return not_built("A library for C", "Build a program: leave `artifact` out of `[build]`.");
  }
  return {};
}

}  // namespace

std::optional<int> prepare(Session& session, Prepared& prepared) {
  auto project = open_project(session.command, session.cache);
  if (!project) return session.stop(project.error());
  prepared.project = std::move(*project);
  const Manifest* manifest = prepared.project.manifest();
  if (Done done = refuse_what_is_not_built(session.command, manifest); !done) {
    return session.stop(done.error());
  }
  Expected<lang::BuildOptions> options = build_options(session, manifest);
  if (!options) return session.stop(options.error());
  prepared.options = std::move(*options);
  say_notes(session.messages, prepared.project);
  return std::nullopt;
}

PipelineRequest pipeline_request(const CommandLine& command, const Manifest* manifest) {
  PipelineRequest request;
  request.plugins = command.plugins;
  request.disabled = command.disabled_passes;
  request.options = command.pass_options;
  request.reports = command.reports;
  request.emit = command.emit;
  request.must_have_emission =
      command.emit_given || command.verb == Verb::build || command.verb == Verb::run || command.verb == Verb::lower;
  if (manifest != nullptr) {
    request.names = manifest->passes;
    for (const ManifestPlace place : manifest->pass_places) {
      request.name_places.push_back(manifest->at(place));
    }
  }
  return request;
}

}  // namespace nikaia::driver
