// Collecting messages, dropping what was said before, and the order of printing.
//
// Severities may change through a builder after a message was taken in, so counts are read off the messages when asked;
// a program that is accepted has none of them.
#include <algorithm>
#include <numeric>
#include <tuple>

#include "lang/diag/diagnostic.h"
#include "lang/text/source.h"

namespace nikaia::lang {
namespace {

// A message without a code and without a place is told from another by its text.
std::string key_text(const Diagnostic& diagnostic) {
  if (diagnostic.code != Code::none) return code_name(diagnostic.code);
  if (!diagnostic.plugin_code.empty()) return diagnostic.plugin_code;
  return diagnostic.primary.span.has_text() ? std::string() : diagnostic.message;
}

std::string_view lint_note =
    "With `user-parallelism = \"yes\"` this is an error, because tasks then run beside each other.";

Diagnostic without_code(Severity severity, Span place, std::string message) {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.message = std::move(message);
  diagnostic.primary.span = place;
  return diagnostic;
}

}  // namespace

std::size_t Sink::KeyHash::operator()(const Key& key) const {
  std::size_t hash = std::hash<std::string>()(key.code);
  for (std::size_t part : {key.place.file.index, key.place.begin, key.place.end})
    hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
  return hash;
}

Builder Sink::report_filled(MessageText text, Span place, std::span<const std::string> arguments) {
  const CodeInfo* row = find_code(text.code);
  Diagnostic diagnostic;
  diagnostic.code = text.code;
  diagnostic.severity = row->severity;
  diagnostic.message = fill_in(text.headline, arguments);
  diagnostic.primary.span = place;
  const std::size_t before = diagnostics_.size();
  Builder builder = add(std::move(diagnostic));
  if (diagnostics_.size() > before && &builder.diagnostic() == &diagnostics_.back() && !text.help.empty())
    usual_helps_.back() = fill_in(text.help, arguments);
  return builder;
}

Builder Sink::syntax_error(Span place, std::string message) {
  return add(without_code(Severity::error, place, std::move(message)));
}

Builder Sink::error_without_code(Span place, std::string message) {
  return add(without_code(Severity::error, place, std::move(message)));
}

Builder Sink::warning_without_code(Span place, std::string message) {
  return add(without_code(Severity::warning, place, std::move(message)));
}

Builder Sink::build_note(std::string message) {
  return add(without_code(Severity::note, Span(), std::move(message)));
}

Builder Sink::internal_error(Span place, std::string message) {
  return add(without_code(Severity::internal, place, std::move(message)));
}

Builder Sink::report_plugin(std::string code, Severity severity, Span place, std::string message) {
  Diagnostic diagnostic = without_code(severity, place, std::move(message));
  diagnostic.plugin_code = std::move(code);
  return add(std::move(diagnostic));
}

bool Sink::accepts(const Diagnostic& diagnostic) const {
  if (!restricted_) return true;
  if (!diagnostic.plugin_code.empty())
    return std::find(accepted_plugin_codes_.begin(), accepted_plugin_codes_.end(), diagnostic.plugin_code) !=
           accepted_plugin_codes_.end();
  if (diagnostic.code == Code::none) return diagnostic.severity == Severity::internal;
  return std::find(accepted_.begin(), accepted_.end(), diagnostic.code) != accepted_.end();
}

Builder Sink::add(Diagnostic diagnostic) {
  if (!accepts(diagnostic)) {
    std::string code = diagnostic.plugin_code.empty() ? code_name(diagnostic.code) : diagnostic.plugin_code;
    Diagnostic defect =
        without_code(Severity::internal, diagnostic.primary.span,
                     "The pass `" + pass_ + "` gave a message it hadn't announced" +
                         (code.empty() ? std::string() : ", `" + code + "`") + ". Your program is not at fault.");
    defect.notes.push_back("Its message was: " + diagnostic.message);
    defect.helps.push_back(Help{"Please report this to whoever wrote the pass; `nikaia passes` shows its file.", {}});
    diagnostic = std::move(defect);
  }
  if (!said_.insert(Key{key_text(diagnostic), diagnostic.primary.span}).second) {
    dropped_ = Diagnostic();
    return Builder(dropped_);
  }
  diagnostics_.push_back(std::move(diagnostic));
  usual_helps_.emplace_back();
  return Builder(diagnostics_.back());
}

void Sink::accept_only(std::string pass, std::span<const Code> codes, std::span<const std::string> plugin_codes) {
  restricted_ = true;
  pass_ = std::move(pass);
  accepted_.assign(codes.begin(), codes.end());
  accepted_plugin_codes_.assign(plugin_codes.begin(), plugin_codes.end());
}

void Sink::accept_all() {
  restricted_ = false;
}

std::size_t Sink::error_count() const {
  return static_cast<std::size_t>(std::count_if(diagnostics_.begin(), diagnostics_.end(), [](const Diagnostic& d) {
    return d.severity == Severity::error || d.severity == Severity::internal;
  }));
}

std::size_t Sink::warning_count() const {
  return static_cast<std::size_t>(std::count_if(diagnostics_.begin(), diagnostics_.end(),
                                                [](const Diagnostic& d) { return d.severity == Severity::warning; }));
}

bool Sink::has_internal_error() const {
  return std::any_of(diagnostics_.begin(), diagnostics_.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::internal; });
}

bool Sink::has_syntax_error(FileId file) const {
  return std::any_of(diagnostics_.begin(), diagnostics_.end(), [file](const Diagnostic& d) {
    return d.code == Code::none && d.plugin_code.empty() && d.severity == Severity::error &&
           d.primary.span.file == file;
  });
}

void Sink::merge(Sink&& other) {
  for (std::size_t i = 0; i < other.diagnostics_.size(); ++i) {
    Diagnostic& diagnostic = other.diagnostics_[i];
    if (!said_.insert(Key{key_text(diagnostic), diagnostic.primary.span}).second) continue;
    diagnostics_.push_back(std::move(diagnostic));
    usual_helps_.push_back(std::move(other.usual_helps_[i]));
  }
  other.diagnostics_.clear();
  other.usual_helps_.clear();
  other.said_.clear();
}

std::vector<Diagnostic> Sink::take_sorted(const SourceMap& sources) {
  for (std::size_t i = 0; i < diagnostics_.size(); ++i) {
    Diagnostic& diagnostic = diagnostics_[i];
    if (diagnostic.helps.empty() && !usual_helps_[i].empty())
      diagnostic.helps.push_back(Help{std::move(usual_helps_[i]), {}, Applies::sketch});
    if (diagnostic.lint) diagnostic.notes.emplace_back(lint_note);
  }

  // Messages about no file stand last among errors of the program: they are about the build as a whole.
  auto rank = [&](const Diagnostic& d) {
    const Span& at = d.primary.span;
    const bool placed = at.has_file();
    return std::tuple(placed ? 0 : 1, placed ? sources.package_rank(at.file) : 0u,
                      placed ? sources.path(at.file) : std::string_view(), at.has_text() ? at.begin + 1u : 0u,
                      static_cast<unsigned>(d.code), std::string_view(d.plugin_code));
  };
  std::vector<std::size_t> order(diagnostics_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(diagnostics_[a]) < rank(diagnostics_[b]); });

  std::vector<Diagnostic> sorted;
  sorted.reserve(order.size());
  for (std::size_t i : order) sorted.push_back(std::move(diagnostics_[i]));
  diagnostics_.clear();
  usual_helps_.clear();
  said_.clear();
  return sorted;
}

}  // namespace nikaia::lang
