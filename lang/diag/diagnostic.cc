#include "lang/diag/diagnostic.h"

namespace nikaia::lang {

Builder& Builder::primary_label(std::string text) {
  diagnostic_->primary.text = std::move(text);
  return *this;
}

Builder& Builder::label(Span span, std::string text) {
  diagnostic_->labels.push_back(Label{span, std::move(text)});
  return *this;
}

Builder& Builder::note(std::string text) {
  diagnostic_->notes.push_back(std::move(text));
  return *this;
}

Builder& Builder::help(std::string message) {
  diagnostic_->helps.push_back(Help{std::move(message), {}, Applies::sketch});
  return *this;
}

Builder& Builder::help_edit(std::string message, Span where, std::string replacement, Applies applies) {
  return help_edits(std::move(message), {Edit{where, std::move(replacement)}}, applies);
}

Builder& Builder::help_edits(std::string message, std::vector<Edit> edits, Applies applies) {
  diagnostic_->helps.push_back(Help{std::move(message), std::move(edits), applies});
  return *this;
}

Builder& Builder::log(std::string path) {
  diagnostic_->log = std::move(path);
  return *this;
}

Builder& Builder::as_warning() {
  diagnostic_->severity = Severity::warning;
  return *this;
}

Builder& Builder::as_lint() {
  diagnostic_->severity = Severity::warning;
  diagnostic_->lint = true;
  return *this;
}

std::string fill_in(std::string_view text, std::span<const std::string> arguments) {
  std::string out;
  out.reserve(text.size() + 16);
  for (std::size_t i = 0; i < text.size(); ++i) {
    // Only a brace pair around one digit is a place for an argument; all other braces are Nikaia's.
    if (text[i] == '{' && i + 2 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9' && text[i + 2] == '}') {
      std::size_t index = static_cast<std::size_t>(text[i + 1] - '0');
      out += index < arguments.size() ? arguments[index] : "…";
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace nikaia::lang
