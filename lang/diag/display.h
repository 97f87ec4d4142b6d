// How source text is shown on a terminal: a tab as four spaces, control characters as `�`, and how many columns a
// character takes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nikaia::lang {

// Columns of one character: 0 for combining marks, 2 for wide characters, 1 otherwise.
std::size_t display_width(char32_t scalar);

// `text` (well-formed UTF-8) as it is shown. Characters that could steer a terminal, those that reverse the direction
// of text among them, become `�`.
std::string shown(std::string_view text);

// Columns of `shown(text)`.
std::size_t shown_width(std::string_view text);

}  // namespace nikaia::lang
