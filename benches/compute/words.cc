// Counts the words of a text in a map, as words.nika does it: the same text, read and written in two steps.
#include <tsl/robin_map.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

static std::string text(std::int64_t count) {
  std::string all;
  std::int64_t seed = 42;
  for (std::int64_t i = 0; i < count; ++i) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    const std::int64_t spread = seed / 65536 % 1000;
    const std::int64_t word = spread * spread / 1000 * (1 + i % 7);
    all += "w";
    all += std::to_string(word);
    all += " ";
  }
  return all;
}

using Counts = tsl::robin_map<std::string_view, std::int64_t>;

static Counts count_words(std::string_view text) {
  Counts counts;
  std::size_t at = 0;
  while (at <= text.size()) {
    std::size_t end = text.find(' ', at);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    const auto found = counts.find(word);
    counts[word] = (found == counts.end() ? 0 : found->second) + 1;
  }
  return counts;
}

int main(int argc, char** argv) {
  const std::int64_t size = argc > 1 ? std::atoll(argv[1]) : 1000;
  const std::string all = text(size);
  std::int64_t sum = 0, distinct = 0;
  for (int turn = 0; turn < 5; ++turn) {
    const Counts counts = count_words(all);
    distinct = static_cast<std::int64_t>(counts.size());
    for (const auto& [word, count] : counts) sum += static_cast<std::int64_t>(word.size()) * count;
  }
  std::printf("%lld words, %lld bytes\n", static_cast<long long>(distinct), static_cast<long long>(sum));
}
