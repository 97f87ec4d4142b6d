#include "lang/text/near_name.h"

#include <algorithm>

namespace nikaia::lang {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

std::string_view near_name(std::string_view written, const std::vector<std::string_view>& known) {
  const std::size_t limit = written.size() / 3;
  std::string_view best;
  std::size_t best_distance = limit + 1;
  for (std::string_view name : known) {
    if (name.size() > written.size() + limit || written.size() > name.size() + limit || name == written) continue;
    const std::size_t distance = edit_distance(written, name);
    if (distance < best_distance) {
      best_distance = distance;
      best = name;
    }
  }
  return best;
}

}  // namespace nikaia::lang
