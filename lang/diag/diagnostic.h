// Findings about the user's program, and the sink that passes put them into.
//
// A finding's severity, headline and usual help stand in one table, codes.def, beside its code. A pass gives the
// arguments of the headline and the places, and may add labels, notes and helps:
//
//     sink.report(Code::NK1139, target_span, name_text)
//         .primary_label("changed here")
//         .label(let_name, "declared here without `mut`")
//         .note("A `let` keeps the value it was given unless it says that it may change.")
//         .help_edit("Add the word where it's declared: `let mut turns = 0`.", let_name.start(), "mut ",
//                    Applies::exact);
//
// The usual help is added only where the pass gives none of its own. A second message with the same code and primary
// place is dropped. `take_sorted` gives the order of printing. Rendering is in render_text.h and render_json.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "lang/diag/code.h"
#include "lang/text/span.h"

namespace nikaia::lang {

class SourceMap;

// A place and what it contributes; the text may be empty.
struct Label {
  Span span;
  std::string text;
};

// Whether the edits of a help leave a file that parses and no longer raises the message, or only show the idea.
enum class Applies : std::uint8_t { exact, sketch };

struct Edit {
  Span span;
  std::string replacement;
};

struct Help {
  std::string message;
  std::vector<Edit> edits;
  Applies applies = Applies::sketch;
};

struct Diagnostic {
  Code code = Code::none;
  std::string plugin_code;  // the code of a third party's pass, such as "ACME0007"; then `code` is none
  Severity severity = Severity::error;
  bool lint = false;  // a warning that would be an error at `user-parallelism = "yes"`
  std::string message;
  Label primary;  // without a place for a message about nothing in a file
  std::vector<Label> labels;
  std::vector<std::string> notes;
  std::vector<Help> helps;
  std::string log;  // of an internal error: the file that holds the details
};

// Adds to the message just reported. Good until the sink's next report.
class Builder {
 public:
  explicit Builder(Diagnostic& diagnostic) : diagnostic_(&diagnostic) {}

  // The text beside `^^^`.
  Builder& primary_label(std::string text);
  // A further place, underlined with `---`.
  Builder& label(Span span, std::string text = {});
  Builder& note(std::string text);
  Builder& help(std::string message);
  Builder& help_edit(std::string message, Span where, std::string replacement, Applies applies = Applies::sketch);
  Builder& help_edits(std::string message, std::vector<Edit> edits, Applies applies);
  // Severity other than the table's: `user-parallelism = "no"` turns an error into a lint, an option into a warning.
  Builder& as_warning();
  Builder& as_lint();
  Builder& log(std::string path);

  const Diagnostic& diagnostic() const { return *diagnostic_; }

 private:
  Diagnostic* diagnostic_;
};

// Puts `arguments` in the place of {0}, {1} … in `text`. An argument that was not given becomes `…`.
std::string fill_in(std::string_view text, std::span<const std::string> arguments);

namespace detail {
inline std::string message_argument(std::string_view text) {
  return std::string(text);
}
inline std::string message_argument(char32_t) = delete;
template <class T>
requires std::is_integral_v<T> std::string message_argument(T number) {
  return std::to_string(number);
}
}  // namespace detail

// Collects the messages of one compilation. Not for several threads at once: give each a sink and `merge`.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  Sink(Sink&&) = default;
  Sink& operator=(Sink&&) = default;

  // A message of the table, with the table's severity. The arguments are texts or integers.
  template <class... Arguments>
  Builder report(MessageText text, Span place, const Arguments&... arguments) {
    if constexpr (sizeof...(Arguments) == 0) {
      return report_filled(text, place, {});
    } else {
      const std::string filled[] = {detail::message_argument(arguments)...};
      return report_filled(text, place, filled);
    }
  }
  // The same, under the name that reads better where the code is an error.
  template <class... Arguments>
  Builder error(MessageText text, Span place, const Arguments&... arguments) {
    return report(text, place, arguments...);
  }

  // Messages without a code: syntax errors, and trouble outside the program's text (a file that is not there).
  Builder syntax_error(Span place, std::string message);
  Builder error_without_code(Span place, std::string message);
  Builder warning_without_code(Span place, std::string message);
  Builder build_note(std::string message);
  // A defect of the compiler; `place` may be none.
  Builder internal_error(Span place, std::string message);
  // Of a third party's pass: `code` is its own, two to four capitals other than NK and four digits.
  Builder report_plugin(std::string code, Severity severity, Span place, std::string message);
  // A finished message from elsewhere.
  Builder add(Diagnostic diagnostic);

  // From here on only these codes are taken; any other becomes an internal error that names the pass.
  void accept_only(std::string pass, std::span<const Code> codes, std::span<const std::string> plugin_codes = {});
  void accept_all();

  std::size_t error_count() const;  // internal errors count
  std::size_t warning_count() const;
  bool has_errors() const { return error_count() != 0; }
  bool has_internal_error() const;
  // Whether a syntax error was found in `file`; it then contributes nothing further.
  bool has_syntax_error(FileId file) const;

  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  // Moves the other's messages here, dropping those already said.
  void merge(Sink&& other);
  // Empties the sink. The order is by package, path, primary place and code; usual helps and lint notes are complete.
  std::vector<Diagnostic> take_sorted(const SourceMap& sources);

 private:
  struct Key {
    std::string code;
    Span place;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  Builder report_filled(MessageText text, Span place, std::span<const std::string> arguments);
  bool accepts(const Diagnostic& diagnostic) const;

  std::vector<Diagnostic> diagnostics_;
  std::vector<std::string> usual_helps_;  // beside `diagnostics_`: the table's help, filled in, or ""
  std::unordered_set<Key, KeyHash> said_;
  Diagnostic dropped_;  // what a builder writes to when its message was said before
  bool restricted_ = false;
  std::string pass_;
  std::vector<Code> accepted_;
  std::vector<std::string> accepted_plugin_codes_;
};

}  // namespace nikaia::lang
