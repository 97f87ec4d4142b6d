// Messages as the user sees them: the text form and the JSON form.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lang/diag/diagnostic.h"
#include "lang/text/source.h"

namespace nikaia::lang {

// The message with its source lines, ending in a line break. Colour only adds SGR sequences: with them removed the
// bytes are those of the plain form.
std::string render_text(const Diagnostic& diagnostic, const SourceMap& sources, bool colour = false);

// One JSON object without a line break in or after it.
std::string render_json(const Diagnostic& diagnostic, const SourceMap& sources);

// The last line: "nikaia: 2 errors, 1 warning\n", or "" where there were none.
std::string summary_text(std::size_t errors, std::size_t warnings);
// {"type":"summary",…} without a line break; printed also after a clean build. `status` is the exit status.
std::string summary_json(std::size_t errors, std::size_t warnings, int status);

enum class ColourMode : std::uint8_t { automatic, always, never };
// Whether to colour what goes to file descriptor `fd`, by `--color`, NO_COLOR, TERM and whether it is a terminal.
bool wants_colour(ColourMode mode, int fd);

// The places of one file, by position; the first of several blocks holds the primary place unless its code puts the
// change before the caller.
struct PlaceBlock {
  struct Place {
    Span span;
    const std::string* text;
    bool primary;
  };
  FileId file;
  std::vector<Place> places;
};
std::vector<PlaceBlock> place_blocks(const Diagnostic& diagnostic);

}  // namespace nikaia::lang
