// `nikaia check`, `build`, `run` and `lower`: from a project to messages, to a program, to its run.
//
// A build is recognised as unchanged by one key over everything it reads: the sources, the
// manifests, the options, the plugins and the toolchain. Under that key lies what it made; nothing
// else has to be loaded or looked at.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

#include "driver/cxx_build.h"
#include "driver/cxx_compiler.h"
#include "driver/defect.h"
#include "driver/digest.h"
#include "driver/files.h"
#include "driver/foreign.h"
#include "driver/front_end.h"
#include "driver/log.h"
#include "driver/prepare.h"
#include "driver/process.h"
#include "driver/project.h"
#include "driver/session.h"
#include "driver/tidy.h"

namespace nikaia::driver {
namespace fs = std::filesystem;

namespace {

// --- Building

// Makes the folder for build output, or says that it can't be used.
Done open_output(const fs::path& output) {
  std::error_code error;
  fs::create_directories(output / "cache", error);
  if (fs::is_directory(output / "cache") && ::access((output / "cache").c_str(), W_OK | X_OK) == 0) {
    return {};
  }
  const std::string why = error ? error.message() : std::strerror(errno);
  return fail(unusable("I can't use `" + shown(output) + "` for build output: " + why + ".")
                  .help("Make it a folder you may write to, or set `NIKAIA_TARGET_DIR` to one."));
}

std::string build_key(const Session& session, const Prepared& prepared, const CxxRequest& cxx,
                      const std::vector<PluginFile>& plugins) {
  Key key;
  key.add(cxx_identity(cxx)).add(identity_of("/proc/self/exe"));
  key.add(identity_of(session.installation.root / "lib/libnikaia.so"));
  for (const PluginFile& plugin : plugins) {
    key.add(plugin.path.string()).add(identity_of(plugin.path));
  }
  for (const std::string& name : session.command.disabled_passes) key.add(name);
  for (const PassOptionValue& option : session.command.pass_options) {
    key.add(option.pass).add(option.key).add(option.value);
  }
  const lang::BuildOptions& options = prepared.options;
  key.add(session.command.emit).add(options.target).add(options.library_ledger);
  key.add(options.user_parallelism ? "yes" : "no");
  key.add(options.reentrancy_check ? "on" : "off");
  key.add(options.ordering_effects ? "effects" : "strict");
  for (const ProjectPackage& package : prepared.project.packages) {
    key.add("package").add(package.name);
    if (package.manifest) key.add(*package.manifest->text);
    for (const SourceFile& file : package.files) key.add(file.stable_name).add(file.text);
  }
  return key.digest();
}

// The record of a build: the program and the folder of its C++, a line each, from the output folder.
std::string record_of(const Built& built, const fs::path& output) {
  return built.program.lexically_relative(output).string() + "\n" + built.emitted.lexically_relative(output).string() +
         "\n";
}

// What a record names, where all of it is still there and whole.
std::optional<Built> recorded(const fs::path& record, const fs::path& output) {
  const std::optional<std::string> text = read_file(record);
  if (!text) return std::nullopt;
  const std::size_t line = text->find('\n');
  if (line == std::string::npos || text->back() != '\n' || line + 1 == text->size()) return std::nullopt;
  const Built built = {output / text->substr(0, line), output / text->substr(line + 1, text->size() - line - 2)};
  std::error_code error;
  const bool is_there = ::access(built.program.c_str(), X_OK) == 0 && fs::is_directory(built.emitted, error);
  return is_there && is_sealed(built.program) ? std::optional(built) : std::nullopt;
}

int say_defect(Session& session, const Prepared& prepared, const CxxDefect& defect) {
  lang::SourceMap sources;
  lang::Diagnostic diagnostic;
  diagnostic.severity = lang::Severity::internal;
  diagnostic.message = "The compiler wrote C++ that does not compile. Your program is not at fault.";
  for (const ProjectPackage& package : prepared.project.packages) {
    for (const SourceFile& file : package.files) {
      if (file.stable_name != defect.source) continue;
      const lang::FileId id = sources.add(file.given_name.empty() ? shown(file.path) : file.given_name, file.text);
      diagnostic.primary.span = lang::Span::whole_file(id);
      if (defect.line == 0 || defect.line > sources.line_count(id)) continue;
      const std::string_view line = sources.line_text(id, defect.line);
      const std::size_t first = line.find_first_not_of(" \t");
      if (first == std::string_view::npos) continue;
      const std::size_t last = line.find_last_not_of(" \t");
      const std::uint32_t begin = sources.line_begin(id, defect.line);
      diagnostic.primary.span = {id, begin + static_cast<std::uint32_t>(first),
                                 begin + static_cast<std::uint32_t>(last) + 1};
    }
  }
  if (defect.log.empty()) {
    diagnostic.notes.emplace_back("The C++ compiler's own words couldn't be kept in a file.");
  } else {
    diagnostic.log = shown(defect.log);
    diagnostic.notes.push_back("The C++ compiler's own words are kept in `" + diagnostic.log + "`.");
  }
  diagnostic.helps.push_back({std::string(report_help), {}, {}});
  session.messages.say(diagnostic, sources);
  return session.messages.finish(status_defect);
}

// A compilation is kept to the end of the process: to take it apart would cost a tenth of what it cost to make.
FrontEnd& kept(std::unique_ptr<FrontEnd> made) {
  static FrontEnd* const the_one = made.release();  // one command, one compilation
  return *the_one;
}

// Builds, or finds built, the program of the session. On failure the exit status.
tl::expected<fs::path, int> build(Session& session) {
  Prepared prepared;
  if (auto status = prepare(session, prepared)) return tl::unexpected(*status);
  const Project& project = prepared.project;
  const auto stop = [&](const Trouble& trouble) { return tl::unexpected(session.stop(trouble)); };

  Expected<CxxCompiler> compiler = choose_cxx_compiler(prepared.options.target, session.cache);
  if (!compiler) return stop(compiler.error());
  Expected<ForeignWords> foreign = foreign_words(project);
  if (!foreign) return stop(foreign.error());
  if (Done opened = open_output(project.output); !opened) return stop(opened.error());
  set_crash_log_folder(project.output / "log");
  const char* named_output = std::getenv("NIKAIA_TARGET_DIR");
  const bool shares_cache = named_output == nullptr || *named_output == '\0';
  if (project.single_file && shares_cache) {
    remember_single_file(session.cache, project.output.parent_path().parent_path(),
                         project.program().files.front().path);
  }

  CxxRequest cxx;
  cxx.installation = &session.installation;
  cxx.compiler = &*compiler;
  cxx.cache = shares_cache ? session.cache : project.output / "cache";
  cxx.output = project.output;
  cxx.folder = project.folder;
  cxx.profile = session.command.profile;
  cxx.program_name = project.program().name;
  cxx.foreign_compile_words = std::move(foreign->compile);
  cxx.foreign_link_words = std::move(foreign->link);
  if (const Manifest* manifest = project.manifest()) {
    const auto made = manifest->code_generation.find(prepared.options.target);
    if (made != manifest->code_generation.end()) cxx.generation = made->second;
  }

  PipelineRequest request = pipeline_request(session.command, project.manifest());
  request.must_produce_cpp = true;
  Expected<std::vector<PluginFile>> plugins = find_plugins(session.installation, request);
  if (!plugins) return stop(plugins.error());
  const std::string key = build_key(session, prepared, cxx, *plugins);
  const fs::path record = project.output / "cache/builds" / key;
  // An unchanged program has no times, and nothing to report from.
  if (!session.command.time_passes && session.command.reports.empty()) {
    if (const std::optional<Built> known = recorded(record, project.output)) {
      log([&] { return "unchanged: " + known->program.string(); });
      if (Done shown_too = show_built(cxx, *known); !shown_too) return stop(shown_too.error());
      return known->program;
    }
  }

  Expected<Pipeline> pipeline = load_pipeline(session.installation, request);
  if (!pipeline) return stop(pipeline.error());
  FrontEnd& front_end =
      kept(std::make_unique<FrontEnd>(project, *pipeline, std::move(prepared.options), project.output / "log"));
  front_end.run(true, std::nullopt);
  const bool found_something = !front_end.compilation.sink.diagnostics().empty();
  front_end.say(session.messages);
  show_times(session, front_end.times);
  if (front_end.status() != status_done) {
    return tl::unexpected(session.messages.finish(front_end.status()));
  }
  front_end.print_reports(session.command.reports);
  const auto built = build_program(cxx, front_end.results);
  if (!built) {
    const CxxFailure& failure = built.error();
    return tl::unexpected(failure.is_defect ? say_defect(session, prepared, failure.defect)
                                            : session.stop(failure.trouble));
  }
  if (Done shown_too = show_built(cxx, *built); !shown_too) return stop(shown_too.error());
  tidy_store(project.output);
  // What was found in an unchanged program has to be said again next time, so that build is no
  // match.
  if (!found_something) {
    if (Done kept = write_file(record, record_of(*built, project.output)); !kept) {
      return stop(kept.error());
    }
  }
  return built->program;
}

}  // namespace

int check_command(Session& session) {
  Prepared prepared;
  if (auto status = prepare(session, prepared)) return *status;
  const PipelineRequest request = pipeline_request(session.command, prepared.project.manifest());
  Expected<Pipeline> pipeline = load_pipeline(session.installation, request);
  if (!pipeline) return session.stop(pipeline.error());
  // `check` writes nothing into the project, so a defect's log lies in the user's cache.
  const fs::path log_folder = session.cache / "log";
  set_crash_log_folder(log_folder);
  FrontEnd& front_end =
      kept(std::make_unique<FrontEnd>(prepared.project, *pipeline, std::move(prepared.options), log_folder));
  front_end.checks_only = session.command.reports.empty();  // a report reads what emission does
  front_end.run(false, std::nullopt);
  front_end.say(session.messages);
  show_times(session, front_end.times);
  if (front_end.status() == status_done) front_end.print_reports(session.command.reports);
  return session.messages.finish(front_end.status());
}

int build_command(Session& session) {
  const auto program = build(session);
  return program ? session.messages.finish(status_done) : program.error();
}

int run_command(Session& session) {
  const auto program = build(session);
  if (!program) return program.error();
  session.messages.finish(status_done);
  Words words = {program->string()};
  const CommandLine& command = session.command;
  words.insert(words.end(), command.program_arguments.begin(), command.program_arguments.end());
  const int status = run_in_foreground(*program, words);
  if (status >= 0) return status;
  return session.stop(refused("The program was built and can't be started: " + std::string(std::strerror(errno)) + ".")
                          .help("Its file is `" + shown(*program) +
                                "`; see that the file system "
                                "it lies on lets programs run."));
}

}  // namespace nikaia::driver
