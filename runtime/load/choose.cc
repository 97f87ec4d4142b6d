// Which backend serves. `auto` tries a fixed order and passes over what does not serve, saying why;
// a pinned name serves or is a failure, whose message lists everything that was found.
#include <algorithm>
#include <utility>

#include "runtime/load/backends.h"

namespace nikaia::load {
namespace {

constexpr std::string_view auto_method = "auto";
constexpr std::string_view auto_order[] = {"uring", "blocking"};

std::string in_quotes(std::string_view text) {
  return "`" + std::string(text) + "`";
}

// The file that can be loaded, or null.
const Candidate* serving(const std::vector<Candidate>& found) {
  for (const Candidate& candidate : found) {
    if (candidate.standing == Standing::serves) return &candidate;
  }
  return nullptr;
}

// Optimal string alignment: insertions, deletions, replacements and swaps of neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({replaced, cost[i - 1][j] + 1, cost[i][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

// The name that a misspelt one is likely to mean, or empty.
std::string nearest(std::string_view method, const std::vector<Candidate>& found) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, method.size() / 3) + 1;
  const auto consider = [&](std::string_view name) {
    const std::size_t away = distance(method, name);
    if (away < best_distance) {
      best_distance = away;
      best = name;
    }
  };
  consider(auto_method);
  for (const Candidate& candidate : found) consider(candidate.name);
  return best;
}

std::string place_of(const Candidate& candidate) {
  return candidate.file.empty() ? "linked into the program" : candidate.file.string();
}

std::string describe(const Candidate& candidate, const nikaia_io_config& config) {
  if (candidate.standing == Standing::refused) {
    return in_quotes(candidate.name) + " (" + place_of(candidate) + ") could not be loaded: " + candidate.reason;
  }
  const Verdict verdict = probe(*candidate.backend, config);
  return in_quotes(candidate.name) + " (" + place_of(candidate) + ")" +
         (verdict.serves ? std::string(" would run") : " would not run here: " + verdict.reason);
}

std::vector<std::string> describe_all(const std::vector<Candidate>& found, const nikaia_io_config& config) {
  std::vector<std::string> lines;
  for (const Candidate& candidate : found) {
    if (candidate.standing != Standing::shadowed) lines.push_back(describe(candidate, config));
  }
  return lines;
}

// Why `name` does not serve, or empty with `chosen` set.
std::string reason_against(const Backends& backends, std::string_view name, const nikaia_io_config& config,
                           Candidate& chosen) {
  const std::vector<Candidate> found = backends.named(name);
  const Candidate* candidate = serving(found);
  if (candidate == nullptr) {
    if (found.empty()) return "it was not found";
    std::string reason;
    for (const Candidate& refused : found) {
      reason += (reason.empty() ? "" : "; ") + place_of(refused) + " could not be loaded: " + refused.reason;
    }
    return reason;
  }
  const Verdict verdict = probe(*candidate->backend, config);
  if (!verdict.serves) return verdict.reason;
  chosen = *candidate;
  return {};
}

Choice choose_automatically(const Backends& backends, const nikaia_io_config& config) {
  Choice choice;
  std::string passed_over;
  for (const std::string_view name : auto_order) {
    const std::string reason = reason_against(backends, name, config, choice.chosen);
    if (reason.empty()) {
      choice.report = "auto (chose " + std::string(name) + passed_over + ")";
      return choice;
    }
    passed_over.append(": ").append(name).append(": ").append(reason);
  }
  choice.failure.problem = "no I/O backend can serve here";
  choice.failure.notes = describe_all(backends.all(), config);
  return choice;
}

Choice choose_pinned(const Backends& backends, std::string_view method, const nikaia_io_config& config) {
  Choice choice;
  const std::string reason = reason_against(backends, method, config, choice.chosen);
  if (reason.empty()) {
    choice.report = method;
    return choice;
  }
  const std::vector<Candidate> found = backends.all();
  const bool known = std::any_of(found.begin(), found.end(), [&](const Candidate& one) { return one.name == method; });
  Failure& failure = choice.failure;
  failure.problem = known ? "the I/O backend " + in_quotes(method) + " cannot serve: " + reason
                          : "no I/O backend is called " + in_quotes(method);
  if (!known) failure.suggestion = nearest(method, found);
  failure.notes = describe_all(found, config);
  return choice;
}

}  // namespace

Choice choose(const Backends& backends, std::string_view method, const nikaia_io_config& config) {
  return method == auto_method ? choose_automatically(backends, config) : choose_pinned(backends, method, config);
}

}  // namespace nikaia::load
