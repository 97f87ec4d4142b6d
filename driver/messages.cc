#include "driver/messages.h"

#include <string_view>
#include <unistd.h>
#include <utility>

#include "driver/files.h"
#include "lang/diag/render.h"

namespace nikaia::driver {

namespace {

// One write a message, so that those of two processes don't mix within a line.
void to_standard_error(std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(STDERR_FILENO, text.data(), text.size());
    if (wrote <= 0) return;  // nobody is listening
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

lang::ColourMode mode_of(Color color) {
  switch (color) {
    case Color::automatic: return lang::ColourMode::automatic;
    case Color::always: return lang::ColourMode::always;
    case Color::never: return lang::ColourMode::never;
  }
  return lang::ColourMode::never;
}

}  // namespace

Messages::Messages(Color color, bool json)
    : json_(json), colour_(!json && lang::wants_colour(mode_of(color), STDERR_FILENO)) {}

void Messages::say(const lang::Diagnostic& diagnostic, const lang::SourceMap& sources) {
  ++said_;
  switch (diagnostic.severity) {
    case lang::Severity::error:
    case lang::Severity::internal: ++errors_; break;
    case lang::Severity::warning: ++warnings_; break;
    case lang::Severity::note: break;
  }
  to_standard_error(json_ ? lang::render_json(diagnostic, sources) + "\n"
                          : lang::render_text(diagnostic, sources, colour_));
}

void Messages::say(const Trouble& trouble, lang::Severity severity) {
  lang::SourceMap sources;
  lang::Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.message = trouble.headline;
  diagnostic.notes = trouble.notes;
  for (const std::string& help : trouble.helps) diagnostic.helps.push_back({help, {}, {}});
  if (trouble.place) {
    const Place& place = *trouble.place;
    const bool shows_text = place.text != nullptr && lang::find_bad_utf8(*place.text) == std::string::npos;
    const lang::FileId file = sources.add(shown(place.file), shows_text ? *place.text : std::string());
    diagnostic.primary.span =
        shows_text ? lang::Span{file, static_cast<std::uint32_t>(place.begin), static_cast<std::uint32_t>(place.end)}
                   : lang::Span::whole_file(file);
  }
  say(diagnostic, sources);
}

void Messages::error(const Trouble& trouble) {
  say(trouble, lang::Severity::error);
}
void Messages::warning(const Trouble& trouble) {
  say(trouble, lang::Severity::warning);
}

void Messages::note(const std::string& text, const std::vector<std::string>& helps) {
  Trouble trouble;
  trouble.headline = text;
  trouble.helps = helps;
  say(trouble, lang::Severity::note);
}

int Messages::finish(int status) {
  if (std::exchange(finished_, true)) return status;
  to_standard_error(json_ ? lang::summary_json(errors_, warnings_, status) + "\n"
                          : lang::summary_text(errors_, warnings_));
  return status;
}

}  // namespace nikaia::driver
