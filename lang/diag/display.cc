#include "lang/diag/display.h"

#include <algorithm>
#include <span>

#include "lang/diag/display_width_ranges.h"
#include "lang/text/source.h"

namespace nikaia::lang {
namespace {

bool within(std::span<const ScalarRange> ranges, char32_t scalar) {
  auto after = std::upper_bound(ranges.begin(), ranges.end(), scalar,
                                [](char32_t wanted, const ScalarRange& range) { return wanted < range.first; });
  return after != ranges.begin() && scalar <= std::prev(after)->last;
}

bool steers_terminal(char32_t scalar) {
  return scalar < 0x20 || (scalar >= 0x7f && scalar < 0xa0) ||       // C0, DEL, C1
         scalar == 0x2028 || scalar == 0x2029 ||                     // line and paragraph separators
         scalar == 0x200e || scalar == 0x200f || scalar == 0x61c ||  // direction marks
         (scalar >= 0x202a && scalar <= 0x202e) || (scalar >= 0x2066 && scalar <= 0x2069);  // embeddings, isolates
}

constexpr std::string_view tab_shown = "    ";
constexpr std::string_view steering_shown = "\xef\xbf\xbd";

}  // namespace

std::size_t display_width(char32_t scalar) {
  if (scalar < 0x300) return 1;
  if (within(combining_ranges, scalar)) return 0;
  return within(wide_ranges, scalar) ? 2 : 1;
}

std::string shown(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    const char32_t scalar = next_scalar(text, i);
    if (scalar == '\t')
      out += tab_shown;
    else if (steers_terminal(scalar))
      out += steering_shown;
    else
      out += text.substr(begin, i - begin);
  }
  return out;
}

std::size_t shown_width(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char32_t scalar = next_scalar(text, i);
    if (scalar == '\t')
      columns += tab_shown.size();
    else
      columns += steers_terminal(scalar) ? 1 : display_width(scalar);
  }
  return columns;
}

}  // namespace nikaia::lang
