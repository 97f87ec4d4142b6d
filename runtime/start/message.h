// What a program says before it starts, in the layout of every Nikaia message (language 08 §2):
// headline, place, the line with the spot underlined, notes, helps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nikaia::rt {

struct StartMessage {
  std::string headline;      // a sentence with its full stop, without `error: `
  std::string file;          // empty: the message has no place
  std::uint32_t line = 0;    // from 1; 0: the file as a whole
  std::uint32_t column = 0;  // from 1, in Unicode scalar values
  std::uint32_t marks = 1;   // how many of them are underlined
  std::string source;        // the line as it stands in the file
  std::vector<std::string> notes;
  std::vector<std::string> helps;
};

// The message as text, ending in a line end.
[[nodiscard]] std::string render(const StartMessage& message, bool colour);

// Whether standard error takes colour: a terminal, neither NO_COLOR nor TERM=dumb.
[[nodiscard]] bool error_colour_wanted();

// The candidate nearest to `word`, or an empty text where none is near.
[[nodiscard]] std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace nikaia::rt
