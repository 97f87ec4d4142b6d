// Reading is word by word; a rule is four words at most and ends where the next comma or line end
// is.
#include "script.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include <nikaia/backend.h>

namespace latency {
namespace {

using std::string_view;

constexpr const char* kind_names[] = {"nop",        "open",     "close",    "read",     "write",  "sync",  "stat",
                                      "read_whole", "readable", "writable", "rename",   "unlink", "mkdir", "symlink",
                                      "link",       "readlink", "readdir",  "truncate", "copy"};
static_assert(std::size(kind_names) == NIKAIA_IO_KIND_END);

struct Error {
  const char* name;
  int number;
};
constexpr Error errors[] = {
    {"EACCES", EACCES}, {"EAGAIN", EAGAIN}, {"EBADF", EBADF},   {"EDQUOT", EDQUOT}, {"EEXIST", EEXIST},
    {"EINTR", EINTR},   {"EINVAL", EINVAL}, {"EIO", EIO},       {"EMFILE", EMFILE}, {"ENFILE", ENFILE},
    {"ENOENT", ENOENT}, {"ENOMEM", ENOMEM}, {"ENOSPC", ENOSPC}, {"ENOSYS", ENOSYS}, {"ENOTDIR", ENOTDIR},
    {"EPERM", EPERM},   {"EPIPE", EPIPE},   {"EROFS", EROFS},   {"EISDIR", EISDIR},
};

struct Unit {
  string_view name;
  std::int64_t ns;
};
constexpr Unit units[] = {{"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};

// The next word of `rest`, empty at its end.
string_view take_word(string_view& rest) {
  const std::size_t begin = std::min(rest.find_first_not_of(" \t"), rest.size());
  const std::size_t end = std::min(rest.find_first_of(" \t", begin), rest.size());
  const string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

// The number in front of `text`, which is taken off; false where there is none.
bool take_number(string_view& text, std::uint64_t& number) {
  std::size_t digits = 0;
  number = 0;
  for (; digits < text.size() && digits < 18 && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    number = number * 10 + static_cast<std::uint64_t>(text[digits] - '0');
  }
  text.remove_prefix(digits);
  return digits != 0;
}

bool read_kind(string_view word, Rule& rule) {
  rule.any_kind = word == "any";
  if (rule.any_kind) return true;
  for (std::uint32_t kind = 0; kind < NIKAIA_IO_KIND_END; ++kind) {
    rule.kind = kind;
    if (word == kind_names[kind]) return true;
  }
  return false;
}

bool read_which(string_view word, Rule& rule) {
  if (word == "*") return true;
  return take_number(word, rule.which) && word.empty() && rule.which != 0;
}

bool read_action(string_view word, string_view what, Treatment& asks) {
  std::uint64_t number = 0;
  if (word == "reverse") {
    asks.first = true;
    return what.empty();
  }
  if (word == "fail") {
    for (const Error& error : errors) {
      if (what == error.name) asks.error = error.number;
    }
    return asks.error != 0;
  }
  if (word == "short") {
    return take_number(what, asks.most_bytes) && what.empty() && asks.most_bytes != 0;
  }
  if (word != "delay" || !take_number(what, number)) return false;
  for (const Unit& unit : units) {
    if (what == unit.name) asks.delay_ns = static_cast<std::int64_t>(number) * unit.ns;
  }
  return asks.delay_ns != 0;
}

}  // namespace

const char* kind_name(std::uint32_t kind) {
  return kind < NIKAIA_IO_KIND_END ? kind_names[kind] : "unknown";
}

bool Script::read(const char* text, char* reason, std::size_t reason_size) {
  string_view rest(text);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(",\n"), rest.size());
    const string_view whole = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    string_view line = whole.substr(0, whole.find('#'));
    const string_view kind = take_word(line);
    if (kind.empty()) continue;
    const string_view which = take_word(line);
    const string_view action = take_word(line);
    const string_view what = take_word(line);
    Rule rule;
    const bool is_rule = read_kind(kind, rule) && read_which(which, rule) && read_action(action, what, rule.asks) &&
                         take_word(line).empty();
    if (!is_rule || count_ == rules_max) {
      std::snprintf(reason, reason_size, "NIKAIA_LATENCY_SCRIPT: `%.*s` is no rule, or one too many",
                    static_cast<int>(whole.size()), whole.data());
      return false;
    }
    rules_[count_++] = rule;
  }
  return true;
}

Treatment Script::treatment(std::uint32_t kind, std::uint64_t of_kind, std::uint64_t of_all) const {
  Treatment all;
  for (std::size_t i = 0; i < count_; ++i) {
    const Rule& rule = rules_[i];
    if (!rule.any_kind && rule.kind != kind) continue;
    if (rule.which != 0 && rule.which != (rule.any_kind ? of_all : of_kind)) continue;
    if (rule.asks.error != 0) all.error = rule.asks.error;
    all.most_bytes = std::min(all.most_bytes, rule.asks.most_bytes);
    all.delay_ns = std::max(all.delay_ns, rule.asks.delay_ns);
    all.first = all.first || rule.asks.first;
  }
  return all;
}

}  // namespace latency
