#include "driver/front_end.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>
#include <variant>

#include <nikaia/pass.h>

#include "driver/defect.h"
#include "driver/files.h"
#include "driver/heap.h"
#include "driver/log.h"
#include "lang/facts/typed.h"
#include "lang/nir/nir.h"
#include "lang/syntax/parser.h"

namespace nikaia::driver {
namespace fs = std::filesystem;
using lang::Code;
using lang::FileId;

namespace {

// What a pass did that its statement doesn't allow. Thrown through the pass to the driver.
struct PassMisuse {
  std::string what;
};

bool has(nikaia::NameList list, std::string_view name) {
  for (; list != nullptr && *list != nullptr; ++list) {
    if (*list == name) return true;
  }
  return false;
}

std::string who(const PlacedPass& placed) {
  return "The pass `" + std::string(placed.pass->name) + "` (" + shown(placed.file->path) + ")";
}

bool is_inside(const std::string& name) {
  const fs::path path = fs::path(name).lexically_normal();
  return !name.empty() && path.is_relative() && path.has_filename() && *path.begin() != "..";
}

}  // namespace

// --- What a pass sees

class FrontEnd::Context final : public nikaia::PassContext {
 public:
  Context(FrontEnd& front_end, const PlacedPass& placed)
      : front_end_(front_end), compilation_(front_end.compilation), placed_(placed) {}

  const lang::SourceMap& sources() const override { return compilation_.sources; }
  const lang::Compilation& compilation() const override { return compilation_; }
  const lang::BuildOptions& build_options() const override { return compilation_.options; }
  lang::Interner& names() override { return compilation_.names; }
  lang::TypeTable& types() override { return compilation_.types; }
  lang::Sink& sink() override { return compilation_.sink; }

  std::string_view option(std::string_view key) const override {
    if (const auto given = placed_.options.find(std::string(key)); given != placed_.options.end()) {
      return given->second;
    }
    for (const nikaia::PassOption* option = placed_.pass->options; option != nullptr && option->key != nullptr;
         ++option) {
      if (key == option->key) return option->fallback;
    }
    throw PassMisuse{"it asked for the option `" + std::string(key) + "`, which it didn't announce"};
  }

  void looking_at(std::string_view function, std::string_view file) override { now_looking_at(function, file); }

  void write_result(std::string name, std::string contents, std::string_view source) override {
    if (placed_.pass->kind != PassKind::emission) {
      throw PassMisuse{"it wrote the result `" + name + "` and is no emission pass"};
    }
    if (!is_inside(name)) {
      throw PassMisuse{"it wrote the result `" + name + "`, which isn't below the results' folder"};
    }
    if (is_report(*placed_.pass)) {
      front_end_.reports.push_back({placed_.pass, std::move(contents)});
      return;
    }
    for (const EmittedFile& file : front_end_.results) {
      if (file.name == name) throw PassMisuse{"it wrote the result `" + name + "` twice"};
    }
    front_end_.results.push_back({std::move(name), std::move(contents), std::string(source)});
  }

 protected:
  void* fact(const char* name, Access access, void* (*make)(), void (*destroy)(void*)) override {
    const nikaia::Pass& pass = *placed_.pass;
    const std::string quoted = "`" + std::string(name) + "`";
    if (access == Access::provide) {
      if (!has(pass.provides_facts, name)) {
        throw PassMisuse{"it provided the fact " + quoted + ", which it didn't announce"};
      }
      if (compilation_.facts.raw(name) == nullptr) compilation_.facts.put(name, make(), destroy);
      return compilation_.facts.raw(name);
    }
    const bool allowed = has(access == Access::change ? pass.changes_facts : pass.requires_facts, name);
    if (!allowed) {
      throw PassMisuse{(access == Access::change ? "it changed the fact " : "it read the fact ") + quoted +
                       ", which it didn't announce"};
    }
    void* table = compilation_.facts.raw(name);
    if (table == nullptr) throw PassMisuse{"the fact " + quoted + " isn't there"};
    return table;
  }

 private:
  FrontEnd& front_end_;
  lang::Compilation& compilation_;
  const PlacedPass& placed_;
};

// --- The run

FrontEnd::FrontEnd(const Project& project, const Pipeline& pipeline, lang::BuildOptions options, fs::path log_folder)
    : project_(project), pipeline_(pipeline), log_folder_(std::move(log_folder)) {
  compilation.options = std::move(options);
}

void FrontEnd::parse() {
  prefer_huge_pages();
  for (std::size_t rank = 0; rank < project_.packages.size(); ++rank) {
    const ProjectPackage& package = project_.packages[rank];
    lang::SourcePackage& made = compilation.packages.emplace_back();
    made.name = package.name;
    made.root = shown(package.folder);
    made.is_program = rank + 1 == project_.packages.size();
    for (const ProjectPackage::Edge& edge : package.dependencies) {
      made.dependencies.push_back({edge.key, static_cast<std::uint32_t>(edge.package)});
    }
    if (package.manifest) {
      for (const Dependency& dependency : package.manifest->dependencies) {
        if (dependency.foreign) made.foreign.push_back(dependency.key);
      }
    }
    for (const SourceFile& source : package.files) {
      made.files.push_back(compilation.sources.add(source.stable_name, source.text, static_cast<std::uint32_t>(rank)));
      files_.push_back(&source);
    }
  }
  now_at_work("The parser");
  for (std::size_t i = 0; i < files_.size(); ++i) {
    now_looking_at("", files_[i]->stable_name);
    compilation.trees.add(lang::syntax::parse(FileId(i), compilation.sources, compilation.names, compilation.sink));
  }
  now_at_work("");
  note_mains_left_out();
}

void FrontEnd::note_mains_left_out() {
  const lang::Name main = compilation.names.find("main");
  if (!main.valid()) return;
  for (const lang::SourcePackage& package : compilation.packages) {
    if (package.is_program) continue;
    for (const FileId file : package.files) {
      const lang::ast::Tree& tree = compilation.trees[file];
      for (const lang::ast::ItemId item : tree.roots) {
        const auto* function = std::get_if<lang::ast::FnItem>(&tree.items[item].node);
        if (function == nullptr || function->name.name != main) continue;
        notes_.push_back("`fn main` of the package `" + package.name +
                         "` is left out: only the program's own `main` runs.");
      }
    }
  }
}

std::set<const PlacedPass*> FrontEnd::needed_for_types() const {
  std::set<const PlacedPass*> needed;
  std::vector<std::string_view> open = {lang::types_fact.name};
  while (!open.empty()) {
    const std::string_view fact = open.back();
    open.pop_back();
    for (const PlacedPass& placed : pipeline_.passes()) {
      if (!has(placed.pass->provides_facts, fact) || !needed.insert(&placed).second) continue;
      for (nikaia::NameList list = placed.pass->requires_facts; list != nullptr && *list != nullptr; ++list) {
        open.emplace_back(*list);
      }
    }
  }
  return needed;
}

// Transforms of which no fact is required but by emission and by passes that refuse no program, and those passes.
std::set<const PlacedPass*> FrontEnd::only_for_emission() const {
  std::set<const PlacedPass*> found;
  const auto reads = [](const PlacedPass& reader, const PlacedPass& maker) {
    for (nikaia::NameList list = maker.pass->provides_facts; list != nullptr && *list != nullptr; ++list) {
      if (has(reader.pass->requires_facts, *list)) return true;
    }
    return false;
  };
  // A pass whose facts emission alone reads.
  const auto serves_emission = [&](const PlacedPass& pass) {
    bool is_read = false;
    for (const PlacedPass& reader : pipeline_.passes()) {
      if (!reads(reader, pass)) continue;
      if (reader.pass->kind != PassKind::emission) return false;
      is_read = true;
    }
    return is_read;
  };
  for (const PlacedPass& maker : pipeline_.passes()) {
    if (maker.pass->kind != PassKind::transform) continue;
    bool is_emitted = false, is_asked_for = false;
    for (const PlacedPass& reader : pipeline_.passes()) {
      if (!reads(reader, maker)) continue;
      const nikaia::Pass& pass = *reader.pass;
      const bool refuses = pass.codes != nullptr && *pass.codes != nullptr;
      if (pass.kind == PassKind::emission) {
        is_emitted = true;
      } else if (refuses || (!pass.is_optional && !serves_emission(reader))) {
        is_asked_for = true;
      }
    }
    if (!is_emitted || is_asked_for) continue;
    found.insert(&maker);
    for (const PlacedPass& reader : pipeline_.passes()) {
      if (reads(reader, maker)) found.insert(&reader);
    }
  }
  return found;
}

void FrontEnd::run(bool emit, const std::optional<std::string>& after) {
  run_passes(emit, after);
  if (compilation.sink.has_errors() && status_ == status_done) status_ = status_refused;
}

// `ordering = "effects"` is carried out by an optional pass; without it nothing is wrong.
void FrontEnd::note_ordering() {
  constexpr std::string_view name = "pair-reads";
  if (!compilation.options.ordering_effects) return;
  const PlacedPass* pass = pipeline_.find(name);
  if (pass != nullptr && pass->on) return;
  notes_.push_back("`ordering = \"effects\"` has no effect: the pass `" + std::string(name) +
                   (pass == nullptr ? "` is not installed." : "` is switched off."));
}

void FrontEnd::run_passes(bool emit, const std::optional<std::string>& after) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  parse();
  note_ordering();
  times.push_back({"parse", Clock::now() - start});
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (compilation.sink.has_syntax_error(FileId(i))) return;
  }
  const std::set<const PlacedPass*> first = needed_for_types();
  const std::set<const PlacedPass*> left_out = checks_only ? only_for_emission() : std::set<const PlacedPass*>();
  const std::size_t coded_by_parser = compilation.sink.error_count();
  std::size_t errors_in_first = coded_by_parser;
  for (const PlacedPass& placed : pipeline_.passes()) {
    if (!placed.on || left_out.contains(&placed)) continue;
    const nikaia::Pass& pass = *placed.pass;
    const bool is_first = first.contains(&placed);
    const bool on_tree = pass.stage == PassStage::tree && pass.kind == PassKind::analysis;
    const std::size_t errors = compilation.sink.error_count();
    if (!is_first && errors_in_first > coded_by_parser) continue;
    if (!is_first && !on_tree && errors > 0) continue;
    if (pass.kind == PassKind::emission && !emit && !is_report(pass)) continue;
    if (is_report(pass)) show_names_for_reports();
    const Clock::time_point began = Clock::now();
    const bool worked = run_pass(placed);
    times.push_back({pass.name, Clock::now() - began});
    log([&] {
      const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(times.back().time);
      return "pass " + std::string(pass.name) + ": " + std::to_string(micros.count()) + " us, " +
             std::to_string(compilation.sink.error_count() - errors) + " errors";
    });
    if (!worked || (after && *after == pass.name)) return;
    if (is_first) errors_in_first = compilation.sink.error_count();
  }
}

// What was emitted holds the names that don't depend on the working directory, and is there by now.
// A report names files as messages do, so that an editor finds them; but never by an absolute path.
void FrontEnd::show_names_for_reports() {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const SourceFile& file = *files_[i];
    const fs::path seen = file.given_name.empty() ? shown(file.path) : file.given_name;
    compilation.sources.show_as(FileId(i), seen.is_relative() ? seen.string() : file.stable_name);
  }
}

void FrontEnd::print_reports(const std::vector<std::string>& names) const {
  for (const std::string& name : names) {
    for (const ReportText& report : reports) {
      if (report.pass->name != "report-" + name) continue;
      std::fwrite(report.text.data(), 1, report.text.size(), stdout);
    }
  }
  std::fflush(stdout);
}

bool FrontEnd::run_pass(const PlacedPass& placed) {
  const nikaia::Pass& pass = *placed.pass;
  std::vector<Code> codes;
  std::vector<std::string> plugin_codes;
  for (nikaia::NameList list = pass.codes; list != nullptr && *list != nullptr; ++list) {
    const Code code = lang::parse_code(*list);
    if (code != Code::none) {
      codes.push_back(code);
    } else {
      plugin_codes.emplace_back(*list);
    }
  }
  const std::size_t errors = compilation.sink.error_count();
  compilation.sink.accept_only(pass.name, codes, plugin_codes);
  now_at_work(who(placed));
  Context context(*this, placed);
  std::string why;
  try {
    pass.run(context);
  } catch (const PassMisuse& misuse) {
    why = misuse.what;
  } catch (const std::exception& error) {
    why = std::string("it threw an exception: ") + error.what();
  } catch (...) {
    why = "it threw an exception that says nothing";
  }
  compilation.sink.accept_all();
  if (why.empty() && compilation.sink.error_count() == errors) {
    for (nikaia::NameList list = pass.provides_facts; list != nullptr && *list != nullptr; ++list) {
      if (compilation.facts.raw(*list) == nullptr) {
        why = "it ended without providing the fact `" + std::string(*list) + "`";
      }
    }
  }
  if (!why.empty()) fail_pass(placed, why);
  now_at_work("");
  if (compilation.sink.has_internal_error()) status_ = status_defect;
  return status_ != status_defect;
}

void FrontEnd::fail_pass(const PlacedPass& placed, const std::string& why) {
  status_ = status_defect;
  const std::string headline = who(placed) + " failed" + where_it_looked() + ". Your program is not at fault.";
  const fs::path file = write_defect_log(log_folder_, defect_log_head() + headline + "\n" + why + "\n");
  lang::Builder message = compilation.sink.internal_error(lang::Span(), headline);
  std::string note = "The reason is that " + why + ".";
  if (!file.empty()) {
    note += "\nIt is kept in `" + shown(file) + "`.";
    message.log(shown(file));
  }
  message.note(std::move(note))
      .help(placed.file->own ? std::string(report_help)
                             : "Please report this with that file to whoever wrote the pass, or "
                               "leave its plugin out.");
}

void FrontEnd::say(Messages& messages) {
  std::vector<lang::Diagnostic> sorted = compilation.sink.take_sorted(compilation.sources);
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const SourceFile& file = *files_[i];
    compilation.sources.show_as(FileId(i), file.given_name.empty() ? shown(file.path) : file.given_name);
  }
  // One internal error, and nothing beside it: what else was found may be its consequence.
  const auto internal = std::find_if(sorted.begin(), sorted.end(),
                                     [](const lang::Diagnostic& d) { return d.severity == lang::Severity::internal; });
  if (internal != sorted.end()) {
    messages.say(*internal, compilation.sources);
    return;
  }
  for (const std::string& note : notes_) messages.note(note, {});
  const std::uint32_t own_rank = static_cast<std::uint32_t>(project_.packages.size() - 1);
  for (const lang::Diagnostic& diagnostic : sorted) {
    const lang::Span place = diagnostic.primary.span;
    const bool of_dependency = place.has_file() && compilation.sources.package_rank(place.file) != own_rank;
    if (of_dependency && diagnostic.severity != lang::Severity::error) continue;
    messages.say(diagnostic, compilation.sources);
  }
}

}  // namespace nikaia::driver
