// The settings stand in one table, `settings`: name, what is accepted in words, and the function
// that checks and takes a value. Every finding is a message in the layout of language 08; the first
// in the order of the file is the one that is told.
#include "runtime/start/config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <toml++/toml.h>

namespace nikaia::rt {
namespace {

constexpr std::size_t longest_file_bytes = 64 * 1024;
constexpr char default_file[] = "nikaia-runtime.toml";
constexpr std::int64_t longest_deadline_ms = std::int64_t{8760} * 3600 * 1000;

struct Fault {
  std::string headline;
  std::string help;
};
using Taken = std::optional<Fault>;

const char* kind_in_words(toml::node_type kind) {
  switch (kind) {
    case toml::node_type::string: return "text";
    case toml::node_type::integer: return "a whole number";
    case toml::node_type::floating_point: return "a number with a fraction";
    case toml::node_type::boolean: return "a truth value";
    case toml::node_type::date: return "a date";
    case toml::node_type::time: return "a time of day";
    case toml::node_type::date_time: return "a date and time";
    case toml::node_type::array: return "a list";
    case toml::node_type::table: return "a table";
    default: return "nothing";
  }
}

Taken take_count(const toml::node& value, const std::string& name, std::int64_t least, std::int64_t most,
                 const std::string& usual, std::uint32_t& into) {
  const std::string range = "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  const std::string help = "Write one in that range, such as `" + name + " = " + usual + "`.";
  if (!value.is_integer()) {
    return Fault{"`" + name + "` takes " + range + ", and this is " + kind_in_words(value.type()) + ".", help};
  }
  const std::int64_t number = value.as_integer()->get();
  if (number < least || number > most) {
    return Fault{"`" + name + "` takes " + range + ", and " + std::to_string(number) + " is outside.", help};
  }
  into = static_cast<std::uint32_t>(number);
  return {};
}

Taken take_io_workers(const toml::node& value, Configuration& into) {
  return take_count(value, "io-workers", 1, 256, "1", into.io_workers);
}

Taken take_user_pool(const toml::node& value, Configuration& into) {
  return take_count(value, "user-pool", 0, 1024, "0", into.user_pool);
}

bool is_backend_name(const std::string& name) {
  for (const char c : name) {
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-')) return false;
  }
  return !name.empty();
}

Taken take_io_method(const toml::node& value, Configuration& into) {
  const std::string help =
      "Write `io-method = \"auto\"`, or name a backend: \"uring\", \"blocking\", \"uv\", or "
      "another that is installed.";
  if (!value.is_string()) {
    return Fault{std::string("`io-method` takes \"auto\" or the name of a backend, as text, and this is ") +
                     kind_in_words(value.type()) + ".",
                 help};
  }
  const std::string& name = value.as_string()->get();
  if (name.empty()) return Fault{"`io-method` takes \"auto\" or the name of a backend, and this text is empty.", help};
  if (!is_backend_name(name)) {
    return Fault{"No backend can have this name: `io-method` takes lower-case letters, digits and dashes.", help};
  }
  into.io_method = name;
  return {};
}

struct Unit {
  const char* name;
  std::int64_t ms;
};
constexpr Unit units[] = {{"ms", 1}, {"s", 1000}, {"m", 60 * 1000}, {"h", 3600 * 1000}};

// The milliseconds of `30s` and its like; nothing where the text has another form or is too long a
// time.
std::optional<std::int64_t> deadline_in_ms(const std::string& text) {
  if (text == "0") return 0;
  std::int64_t number = 0;
  std::size_t at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    number = number * 10 + (text[at] - '0');
    if (number > longest_deadline_ms) return {};
  }
  if (at == 0) return {};
  for (const Unit& unit : units) {
    if (text.compare(at, std::string::npos, unit.name) != 0) continue;
    if (number > longest_deadline_ms / unit.ms) return {};
    return number * unit.ms;
  }
  return {};
}

Taken take_cleanup_deadline(const toml::node& value, Configuration& into) {
  const std::string accepted =
      "a whole number and `ms`, `s`, `m` or `h` as text, with no space, at most \"8760h\", or "
      "\"0\"";
  const std::string help = "Write it like `cleanup-deadline = \"30s\"`.";
  if (!value.is_string()) {
    return Fault{"`cleanup-deadline` takes " + accepted + ", and this is " + kind_in_words(value.type()) + ".",
                 value.is_integer() && value.as_integer()->get() >= 0
                     ? "Say the unit, and write it as text: `cleanup-deadline = \"" +
                           std::to_string(value.as_integer()->get()) + "s\"`."
                     : help};
  }
  const std::string& text = value.as_string()->get();
  const std::optional<std::int64_t> ms = deadline_in_ms(text);
  if (!ms) return Fault{"`cleanup-deadline` takes " + accepted + ", and this is not of that form.", help};
  into.cleanup_deadline = text;
  into.cleanup_deadline_ms = *ms;
  return {};
}

struct Setting {
  const char* name;
  Taken (*take)(const toml::node& value, Configuration& into);
};
constexpr Setting settings[] = {
    {"io-workers", take_io_workers},
    {"user-pool", take_user_pool},
    {"io-method", take_io_method},
    {"cleanup-deadline", take_cleanup_deadline},
};

// ---- places

std::string line_of(const std::string& text, std::uint32_t line) {
  std::size_t start = 0;
  for (std::uint32_t at = 1; at < line; ++at) {
    const std::size_t end = text.find('\n', start);
    if (end == std::string::npos) return "";
    start = end + 1;
  }
  std::string found = text.substr(start, text.find('\n', start) - start);
  if (!found.empty() && found.back() == '\r') found.pop_back();
  return found;
}

std::uint32_t scalars_in(const std::string& text) {
  std::uint32_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
  return count;
}

// A place that spans lines is underlined to the end of its first.
StartMessage place(const std::string& text, const std::string& file, const toml::source_region& region) {
  StartMessage at;
  at.file = file;
  at.line = region.begin.line;
  at.column = region.begin.column;
  at.source = line_of(text, at.line);
  const std::uint32_t rest = std::max(scalars_in(at.source) + 1, at.column + 1) - at.column;
  at.marks = region.end.line == region.begin.line && region.end.column > region.begin.column
                 ? region.end.column - region.begin.column
                 : rest;
  return at;
}

StartMessage unknown_key(StartMessage at, const std::string& key) {
  at.headline = "`" + key + "` is none of the runtime's settings.";
  std::vector<std::string> names;
  for (const Setting& setting : settings) names.emplace_back(setting.name);
  if (const std::string near = nearest(key, names); !near.empty()) {
    at.helps.push_back("The nearest one is `" + near + "`.");
  }
  at.helps.push_back(
      "The settings are `io-workers`, `user-pool`, `io-method` and `cleanup-deadline`; take this "
      "one out.");
  return at;
}

StartMessage about_file(const std::string& file, std::string headline, std::string help) {
  StartMessage message;
  message.file = file;
  message.headline = std::move(headline);
  message.helps.push_back(std::move(help));
  return message;
}

bool before(const StartMessage& a, const StartMessage& b) {
  return a.line != b.line ? a.line < b.line : a.column < b.column;
}

}  // namespace

std::variant<Configuration, StartMessage> parse_configuration(const std::string& text, const std::string& file) {
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    StartMessage message = place(text, file, error.source());
    message.marks = 1;
    message.headline = "This line is not TOML, the form `" + file + "` is written in.";
    message.notes.push_back(std::string(error.description()));
    message.helps.push_back("A setting is written `name = value`, such as `io-workers = 2` or `io-method = \"auto\"`.");
    return message;
  }
  Configuration configuration;
  std::optional<StartMessage> first;
  const auto tell = [&first](StartMessage message) {
    if (!first || before(message, *first)) first = std::move(message);
  };
  for (auto&& [key, value] : parsed.table()) {
    const Setting* known = nullptr;
    for (const Setting& setting : settings) {
      if (key.str() == setting.name) known = &setting;
    }
    if (known == nullptr) {
      tell(unknown_key(place(text, file, key.source()), std::string(key.str())));
      continue;
    }
    StartMessage at = place(text, file, value.source());
    if (Taken fault = known->take(value, configuration); fault) {
      at.headline = std::move(fault->headline);
      at.helps.push_back(std::move(fault->help));
      tell(std::move(at));
    } else if (known->take == take_io_method) {
      configuration.io_method_place = std::move(at);
    }
  }
  if (first) return *first;
  return configuration;
}

std::variant<Configuration, StartMessage> read_configuration() {
  const char* named = std::getenv("NIKAIA_RUNTIME_CONFIG");
  const bool by_name = named != nullptr && *named != '\0';
  const char* file = by_name ? named : default_file;
  const std::string mend = by_name ? "Put it right, or unset NIKAIA_RUNTIME_CONFIG, which names it."
                                   : "Put it right, or take it away: without the file the defaults hold.";

  const int fd = ::open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    const int error = errno;
    struct stat link;
    if (error == ENOENT && !by_name && ::lstat(file, &link) != 0) return Configuration{};
    if (error == ENOENT) {
      return about_file(file, "The runtime's configuration file is not there.",
                        by_name ? "NIKAIA_RUNTIME_CONFIG names it: create the file, or unset the variable."
                                : "It is a link to a file that is not there: mend the link, or take it away.");
    }
    return about_file(
        file, std::string("The runtime's configuration file can't be read: ") + std::strerror(error) + ".", mend);
  }
  std::string text;
  char piece[4096];
  ssize_t count = 0;
  while (text.size() <= longest_file_bytes) {
    count = ::read(fd, piece, sizeof(piece));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(piece, static_cast<std::size_t>(count));
  }
  const int error = count < 0 ? errno : 0;
  ::close(fd);
  if (error == EISDIR)
    return about_file(file, "The runtime's configuration is to be a file, and this is a directory.", mend);
  if (error != 0) {
    return about_file(
        file, std::string("The runtime's configuration file can't be read: ") + std::strerror(error) + ".", mend);
  }
  if (text.size() > longest_file_bytes) {
    return about_file(file, "The runtime's configuration file is larger than 64 KiB.",
                      "It has four settings at most; look whether the name is that of another file.");
  }
  return parse_configuration(text, file);
}

}  // namespace nikaia::rt
