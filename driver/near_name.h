// The known name that somebody probably meant: the nearest one by edit distance, where it is near
// (at most a third of the name's length, 08 §7).
#ifndef NIKAIA_DRIVER_NEAR_NAME_H
#define NIKAIA_DRIVER_NEAR_NAME_H

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace nikaia::driver {

// Letters left out, added, replaced, or two neighbours exchanged.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

// Empty where none is near. The first of equally near ones.
template <typename Names>
std::string_view near_name(std::string_view written, const Names& known) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(written.size() / 3, 1) + 1;
  for (const auto& name : known) {
    const std::size_t distance = edit_distance(written, name);
    if (distance < best_distance) {
      best_distance = distance;
      best = name;
    }
  }
  return best;
}

}  // namespace nikaia::driver

#endif
