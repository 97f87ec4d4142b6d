#include "lang/text/near_name.h"

#include <algorithm>
#include <vector>

namespace nikaia::lang {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
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

std::string_view nearest_of(std::string_view written, std::span<const std::string_view> known) {
  constexpr std::size_t shortest_beginning = 3;
  const std::size_t limit = written.size() < 2 ? 0 : std::max<std::size_t>(written.size() / 3, 1);
  std::string_view best, longer;
  std::size_t best_distance = limit + 1;
  for (std::string_view name : known) {
    if (name == written) continue;
    if (written.size() >= shortest_beginning && name.starts_with(written) &&
        (longer.empty() || name.size() < longer.size())) {
      longer = name;
    }
    if (name.size() > written.size() + limit || written.size() > name.size() + limit) continue;
    const std::size_t distance = edit_distance(written, name);
    if (distance < best_distance) {
      best_distance = distance;
      best = name;
    }
  }
  return best.empty() ? longer : best;
}

}  // namespace nikaia::lang
