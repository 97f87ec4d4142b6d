// From the sources of a project to the messages about them and the emitted files: parses every
// source, then runs the pipeline's passes over the compilation.
//
// Which passes run after errors (08 §1.5): after a syntax error none; the passes that `types@1`
// needs run over everything that parsed; the other analyses of the tree run only where those found
// nothing; what makes or reads NIR runs only for a program without any error.
#ifndef NIKAIA_DRIVER_FRONT_END_H
#define NIKAIA_DRIVER_FRONT_END_H

#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "driver/messages.h"
#include "driver/pipeline.h"
#include "driver/project.h"
#include "lang/compilation.h"

namespace nikaia::driver {

struct EmittedFile {
  std::string name;  // relative to where results go
  std::string contents;
  std::string source;  // the stable name of the source it was made from; empty for none
};

// What one report has to say.
struct ReportText {
  const nikaia::Pass* pass;
  std::string text;
};

struct PassTime {
  std::string name;
  std::chrono::nanoseconds time;
};

class FrontEnd {
 public:
  FrontEnd(const Project& project, const Pipeline& pipeline, lang::BuildOptions options,
           std::filesystem::path log_folder);

  // Runs everything, or up to and including the pass `after`; emission only where `emit` is set,
  // reports where they are on.
  // One call. Messages are collected, not printed.
  void run(bool emit, const std::optional<std::string>& after);

  // Prints what was found, files named as seen from the working directory.
  void say(Messages& messages);

  // Prints what the reports wrote on standard output, in the order of `names`. Call where the
  // status is `status_done`, after `say`.
  void print_reports(const std::vector<std::string>& names) const;

  // `status_done`, `status_refused` or `status_defect`.
  [[nodiscard]] int status() const { return status_; }

  // Nothing is made of the program: what serves emission alone is left out.
  bool checks_only = false;

  lang::Compilation compilation;
  std::vector<EmittedFile> results;
  std::vector<ReportText> reports;
  std::vector<PassTime> times;

 private:
  class Context;

  void parse();
  void note_mains_left_out();
  void note_ordering();
  void show_names_for_reports();
  void run_passes(bool emit, const std::optional<std::string>& after);
  // False where the pass failed; the failure is a message then.
  bool run_pass(const PlacedPass& placed);
  void fail_pass(const PlacedPass& placed, const std::string& why);
  [[nodiscard]] std::set<const PlacedPass*> needed_for_types() const;
  [[nodiscard]] std::set<const PlacedPass*> only_for_emission() const;

  const Project& project_;
  const Pipeline& pipeline_;
  std::filesystem::path log_folder_;
  std::vector<const SourceFile*> files_;  // by FileId
  std::vector<std::string> notes_;        // about the whole build
  int status_ = status_done;
};

}  // namespace nikaia::driver

#endif
