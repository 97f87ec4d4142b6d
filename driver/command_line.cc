#include "driver/command_line.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <nikaia/version.h>

#include "driver/manifest.h"
#include "lang/text/near_name.h"

namespace nikaia::driver {

namespace {

constexpr const char* version_line = "nikaia " NIKAIA_VERSION "\n";

struct Described {
  const char* name;
  const char* purpose;
};

constexpr std::array<Described, 7> reports = {{
    {"overlaps", "print the program's overlap blocks"},
    {"sharing", "print which count each shared value got"},
    {"tethers", "print where each escaping buffer lives"},
    {"trust", "print where the program's bytes come from"},
    {"comptime", "print what was unrolled at build time"},
    {"asserts", "print every assert and how it is held"},
    {"bounds", "print every index and arithmetic check"},
}};

// Commands of the language's toolchain that this release does not have.
constexpr std::array<std::string_view, 7> later_commands = {"test", "bench",     "fmt",    "describe",
                                                            "bind", "lower-std", "explain"};

constexpr std::array<std::string_view, 8> commands = {"new",   "check",     "build",  "run",
                                                      "lower", "interpret", "passes", "backends"};

// Texts that CLI11 fills in and that become something else afterwards.
struct Raw {
  std::string color = "auto";
  std::string message_format = "text";
  std::string profile = "dev";
  std::string user_parallelism;
  std::string refuted_claims;
  std::vector<std::string> optimizations;
  std::vector<std::string> pass_options;
  std::vector<std::string> plugins;
  std::string file;
  std::string project;
  std::string target;
  std::string allow_read_list;
  std::string output;
  std::string after;
  std::string log_file;
  std::string new_pass;
  std::string new_backend;
  std::vector<std::string> words;  // of `backends`
};

class Grammar {
 public:
  Grammar() : app_("nikaia: builds and runs Nikaia programs", "nikaia") {
    app_.set_help_flag("--help", "print this and end");
    app_.add_flag("--version", version_, "print the version and end");
    app_.require_subcommand(0, 1);
    app_.get_formatter()->column_width(34);

    create();
    CLI::App* check = command("check", "check a project or a file, and write nothing", Verb::check);
    compiling(check);
    on_project(check);
    profiled(check);
    reported(check);
    locked(check);
    CLI::App* build = command("build", "compile the project", Verb::build);
    compiling(build);
    on_project(build);
    profiled(build);
    reported(build);
    locked(build);
    CLI::App* run = command("run", "compile and run a project or a file; -- ARGS go to the program", Verb::run);
    compiling(run);
    on_project(run);
    profiled(run);
    CLI::App* lower = command("lower", "lower one file to C++ and stop", Verb::lower);
    compiling(lower);
    reported(lower);
    lower->add_option("--output", raw_.output, "where the emitted file goes")->type_name("PATH");
    lower->add_option("--after", raw_.after, "stop behind this pass and print what is there")->type_name("PASS");
    CLI::App* interpret = command("interpret", "execute one file in the interpreter", Verb::interpret);
    compiling(interpret);
    for (CLI::App* takes_file : {check, build, run, lower, interpret}) {
      takes_file->add_option("file", raw_.file, "a source file")->type_name("FILE.nika");
    }
    CLI::App* passes = command("passes", "list the pipeline", Verb::passes);
    pass_switches(passes);
    passes->add_option("--project", raw_.project, "the project's directory")->type_name("DIR");
    CLI::App* backends =
        command("backends", "list the I/O backends; `backends check FILE.so` tests one", Verb::backends);
    backends->add_flag("--json", out_.json_backends, "the list for machines");
    backends->add_option("words", raw_.words, "check FILE.so")->type_name("");
  }

  Expected<Reading> read(const std::vector<std::string>& words) {
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    try {
      app_.parse(std::move(reversed));
    } catch (const CLI::CallForHelp&) {
      return Reading{std::nullopt, app_.help()};
    } catch (const CLI::ExtrasError&) {
      return fail(unexpected_word());
    } catch (const CLI::ParseError& error) {
      if (const CLI::App* chosen = chosen_command(); chosen != nullptr && !chosen->remaining().empty()) {
        return fail(unexpected_word());
      }
      return fail(wrong_command_line(sentence(error.what())).help(help_line()));
    }
    if (version_) return Reading{std::nullopt, version_line};
    const CLI::App* chosen = chosen_command();
    if (chosen == nullptr) {
      if (words.empty()) return Reading{std::nullopt, app_.help()};
      return fail(unexpected_word());
    }
    out_.verb = verbs_.at(chosen->get_name());
    if (auto wrong = finish()) return fail(std::move(*wrong));
    return Reading{std::move(out_), {}};
  }

 private:
  CLI::App* command(const std::string& name, const std::string& purpose, Verb verb) {
    CLI::App* sub = app_.add_subcommand(name, purpose);
    sub->set_help_flag("--help", "print this and end");
    verbs_[name] = verb;
    sub->add_flag("--version", version_, "print the version and end");
    sub->add_option("--color", raw_.color, "colour in messages: always, never or auto")->type_name("WHEN");
    sub->add_flag("-v", out_.verbose, "log on standard error what is done");
    sub->add_option("--log-file", raw_.log_file, "log into this file")->type_name("FILE");
    return sub;
  }

  void create() {
    CLI::App* sub = command("new", "create a project, a pass or an I/O backend", Verb::create);
    sub->add_option("name", out_.new_name, "the directory to create")->type_name("NAME");
    sub->add_option("--pass", raw_.new_pass, "create a pass plugin")->type_name("NAME");
    sub->add_option("--backend", raw_.new_backend, "create an I/O backend")->type_name("NAME");
  }

  void on_project(CLI::App* sub) {
    sub->add_option("--project", raw_.project, "the project's directory")->type_name("DIR");
  }

  void profiled(CLI::App* sub) {
    sub->add_option("--profile", raw_.profile, "dev, release or sanitize")->type_name("PROFILE");
  }

  void locked(CLI::App* sub) {
    sub->add_flag("--locked", out_.locked, "verify the committed records instead of updating");
  }

  void compiling(CLI::App* sub) {
    sub->add_option("--target", raw_.target, "override the manifest's target")->type_name("T");
    sub->add_option("--user-parallelism", raw_.user_parallelism, "yes or no")->type_name("WORD");
    sub->add_option("--optimization", raw_.optimizations, "NAME:on or NAME:off")
        ->type_name("NAME:on")
        ->allow_extra_args(false);
    sub->add_option("--refuted-claims", raw_.refuted_claims, "error or warn")->type_name("WORD");
    sub->add_option("--allow-read-from-list", raw_.allow_read_list, "files that may be read while compiling")
        ->type_name("FILE");
    sub->add_option("--message-format", raw_.message_format, "text or json")->type_name("FORM");
    pass_switches(sub);
  }

  void pass_switches(CLI::App* sub) {
    sub->add_option("--pass-plugin", raw_.plugins, "load one more plugin")
        ->type_name("FILE.so")
        ->allow_extra_args(false);
    sub->add_option("--disable-pass", out_.disabled_passes, "leave an optional pass out")
        ->type_name("NAME")
        ->allow_extra_args(false);
    sub->add_option("--pass-option", raw_.pass_options, "give a pass an option")
        ->type_name("NAME:KEY=VALUE")
        ->allow_extra_args(false);
    emit_options_.push_back(sub->add_option("--emit", out_.emit, "the emission pass emit-NAME")->type_name("NAME"));
    sub->add_flag("--time-passes", out_.time_passes, "measure each pass");
  }

  void reported(CLI::App* sub) {
    for (const Described& report : reports) {
      // On parsing, for the order of the switches; otherwise callbacks run in that of the table.
      sub->add_flag_callback(
             std::string("--") + report.name, [this, &report] { ask_for_report(report.name); }, report.purpose)
          ->trigger_on_parse();
    }
  }

  // In the order of the switches, each once.
  void ask_for_report(const std::string& name) {
    std::vector<std::string>& asked = out_.reports;
    if (std::find(asked.begin(), asked.end(), name) == asked.end()) asked.push_back(name);
  }

  [[nodiscard]] const CLI::App* chosen_command() const {
    const auto chosen = app_.get_subcommands();
    return chosen.empty() ? nullptr : chosen.front();
  }

  [[nodiscard]] std::string help_line() const {
    const CLI::App* chosen = chosen_command();
    return chosen == nullptr ? "`nikaia --help` lists the commands."
                             : "`nikaia " + chosen->get_name() + " --help` lists what the command takes.";
  }

  [[nodiscard]] Trouble unexpected_word() const {
    const CLI::App* chosen = chosen_command();
    const CLI::App& where = chosen == nullptr ? app_ : *chosen;
    const std::vector<std::string> left = where.remaining();
    const std::string word = left.empty() ? std::string() : left.front();
    const bool is_switch = word.starts_with("-");
    if (chosen == nullptr && !is_switch) {
      if (std::find(later_commands.begin(), later_commands.end(), word) != later_commands.end()) {
        return wrong_command_line("`nikaia " + word + "` isn't built yet.").help(help_line());
      }
      Trouble trouble = wrong_command_line("There is no command `" + word + "`.");
      const std::string_view near = lang::near_name(word, commands);
      if (!near.empty()) trouble.help("Did you mean `nikaia " + std::string(near) + "`?");
      return trouble.help(help_line());
    }
    const std::string command = chosen == nullptr ? "nikaia" : "nikaia " + chosen->get_name();
    if (!is_switch) {
      return wrong_command_line("`" + command + "` takes nothing more, and you gave it `" + word + "`.")
          .help(help_line());
    }
    const std::string name = word.substr(0, word.find('='));
    Trouble trouble = wrong_command_line("`" + command + "` has no switch `" + name + "`.");
    std::vector<std::string> known;
    for (const CLI::Option* option : where.get_options()) {
      for (const std::string& long_name : option->get_lnames()) known.push_back("--" + long_name);
    }
    const std::string_view near = lang::near_name(name, known);
    if (!near.empty()) trouble.help("Did you mean `" + std::string(near) + "`?");
    return trouble.help(help_line());
  }

  // CLI11's words as a sentence of ours: `--target: 1 required` is about a missing value.
  static std::string sentence(const std::string& said) {
    const std::size_t colon = said.find(':');
    if (said.starts_with("-") && colon != std::string::npos) {
      return "`" + said.substr(0, colon) + "` needs a value behind it.";
    }
    return "I can't make sense of this command line: " + said + ".";
  }

  static Trouble wrong_word(const std::string& name, const std::string& written, const std::string& accepted) {
    return wrong_command_line("`" + name + "` can't be `" + written + "`.").help("It is " + accepted + ".");
  }

  // Turns the texts into what they mean.
  std::optional<Trouble> finish() {
    const auto optional_text = [](const std::string& text) {
      return text.empty() ? std::nullopt : std::optional<std::string>(text);
    };
    out_.file = optional_text(raw_.file);
    out_.project = optional_text(raw_.project);
    out_.output = optional_text(raw_.output);
    out_.after = optional_text(raw_.after);
    out_.allow_read_list = optional_text(raw_.allow_read_list);
    out_.plugins.assign(raw_.plugins.begin(), raw_.plugins.end());
    if (!raw_.log_file.empty()) out_.log_file = raw_.log_file;
    for (const CLI::Option* option : emit_options_) out_.emit_given |= option->count() > 0;

    if (raw_.color == "always") {
      out_.color = Color::always;
    } else if (raw_.color == "never") {
      out_.color = Color::never;
    } else if (raw_.color != "auto") {
      return wrong_word("--color", raw_.color, "`always`, `never` or `auto`");
    }
    if (raw_.message_format != "text" && raw_.message_format != "json") {
      return wrong_word("--message-format", raw_.message_format, "`text` or `json`");
    }
    out_.json_messages = raw_.message_format == "json";
    if (raw_.profile == "release") {
      out_.profile = Profile::release;
    } else if (raw_.profile == "sanitize") {
      out_.profile = Profile::sanitize;
    } else if (raw_.profile != "dev") {
      return wrong_word("--profile", raw_.profile, "`dev`, `release` or `sanitize`");
    }
    if (!raw_.user_parallelism.empty()) {
      if (raw_.user_parallelism != "yes" && raw_.user_parallelism != "no") {
        return wrong_word("--user-parallelism", raw_.user_parallelism, "`yes` or `no`");
      }
      out_.user_parallelism = raw_.user_parallelism == "yes";
    }
    if (!raw_.refuted_claims.empty()) {
      if (raw_.refuted_claims != "error" && raw_.refuted_claims != "warn") {
        return wrong_word("--refuted-claims", raw_.refuted_claims, "`error` or `warn`");
      }
      out_.refuted_claims_warn = raw_.refuted_claims == "warn";
    }
    if (!raw_.target.empty()) {
      if (std::find(std::begin(known_targets), std::end(known_targets), raw_.target) == std::end(known_targets)) {
        return refused("I can't build for the target `" + raw_.target + "`.")
            .help("The targets are `x86_64-linux` and `aarch64-linux`.");
      }
      out_.target = raw_.target;
    }
    for (const std::string& optimization : raw_.optimizations) {
      if (auto wrong = read_optimizations(optimization, out_.optimization)) {
        return wrong_command_line(*wrong).help("Write `--optimization=NAME:on`.");
      }
    }
    for (const std::string& given : raw_.pass_options) {
      const std::size_t colon = given.find(':');
      const std::size_t equals = given.find('=', colon == std::string::npos ? 0 : colon);
      if (colon == std::string::npos || equals == std::string::npos || colon == 0 || equals == colon + 1) {
        return wrong_command_line("`--pass-option` can't be `" + given + "`.")
            .help("Write `--pass-option NAME:KEY=VALUE`.");
      }
      out_.pass_options.push_back(
          {given.substr(0, colon), given.substr(colon + 1, equals - colon - 1), given.substr(equals + 1)});
    }
    return finish_words();
  }

  std::optional<Trouble> finish_words() {
    if (out_.verb == Verb::lower && !out_.file) {
      return wrong_command_line("`nikaia lower` needs the file to lower.").help("Write `nikaia lower FILE.nika`.");
    }
    if (out_.after && !out_.reports.empty()) {
      return wrong_command_line("`--after` and `--" + out_.reports.front() +
                                "` don't go together: a report is made behind the last pass.")
          .help("Leave one of them out.");
    }
    if (out_.verb == Verb::build && out_.file) {
      return wrong_command_line("`nikaia build` builds a project, and you gave it the file `" + *out_.file + "`.")
          .help("Run a single file with `nikaia run " + *out_.file + "`.");
    }
    if (out_.file && out_.project) {
      return wrong_command_line("A file and `--project` don't go together.").help("Leave one of them out.");
    }
    if (out_.verb == Verb::create) {
      const int kinds = static_cast<int>(!out_.new_name.empty()) + static_cast<int>(!raw_.new_pass.empty()) +
                        static_cast<int>(!raw_.new_backend.empty());
      if (kinds != 1) {
        return wrong_command_line("`nikaia new` needs one name.")
            .help(
                "Write `nikaia new NAME`, `nikaia new --pass NAME` or `nikaia new --backend "
                "NAME`.");
      }
      if (!raw_.new_pass.empty()) {
        out_.creation = Creation::pass;
        out_.new_name = raw_.new_pass;
      } else if (!raw_.new_backend.empty()) {
        out_.creation = Creation::backend;
        out_.new_name = raw_.new_backend;
      }
    }
    if (out_.verb == Verb::backends && !raw_.words.empty()) {
      if (raw_.words.front() != "check" || raw_.words.size() != 2) {
        return wrong_command_line("`nikaia backends` takes nothing, or `check` and one file.")
            .help("Write `nikaia backends check FILE.so`.");
      }
      out_.backend_to_check = raw_.words.back();
    }
    return std::nullopt;
  }

  CLI::App app_;
  Raw raw_;
  CommandLine out_;
  bool version_ = false;
  std::map<std::string, Verb> verbs_;
  std::vector<CLI::Option*> emit_options_;
};

}  // namespace

const char* name_of(Profile profile) {
  switch (profile) {
    case Profile::dev: return "dev";
    case Profile::release: return "release";
    case Profile::sanitize: return "sanitize";
  }
  return "";
}

Expected<Reading> read_command_line(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  // What follows `--` is the program's and is not looked at.
  const auto border = std::find(words.begin(), words.end(), "--");
  std::vector<std::string> program_arguments;
  const bool has_border = border != words.end();
  if (has_border) program_arguments.assign(border + 1, words.end());
  words.erase(border, words.end());

  Grammar grammar;
  Expected<Reading> reading = grammar.read(words);
  if (!reading || !reading->command) return reading;
  if (has_border && reading->command->verb != Verb::run) {
    return fail(wrong_command_line("Only `nikaia run` hands arguments to a program.")
                    .help("Leave `--` and what follows it out."));
  }
  reading->command->program_arguments = std::move(program_arguments);
  return reading;
}

bool asks_for_json(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return false;
    if (word == "--message-format=json") return true;
    if (word == "--message-format" && i + 1 < argc) return std::string_view(argv[i + 1]) == "json";
  }
  return false;
}

}  // namespace nikaia::driver
