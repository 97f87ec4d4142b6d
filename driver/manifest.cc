#include "driver/manifest.h"

#define TOML_EXCEPTIONS 0
#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <span>
#include <toml++/toml.h>
#include <utility>

#include "driver/files.h"
#include "lang/text/near_name.h"

namespace nikaia::driver {
namespace fs = std::filesystem;

namespace {

// --- What a manifest may say

enum class Takes { text, texts, flag, level, table };

struct KeyRule {
  std::string_view name;
  Takes takes;
  std::span<const std::string_view> words;  // the only texts accepted, where not empty
};

constexpr std::array<std::string_view, 2> artifact_words = {"program", "c-library"};
constexpr std::array<std::string_view, 2> yes_no = {"no", "yes"};
constexpr std::array<std::string_view, 4> on_off = {"on", "off", "yes", "no"};
constexpr std::array<std::string_view, 2> ordering_words = {"strict", "effects"};
constexpr std::array<std::string_view, 2> refuted_words = {"error", "warn"};
constexpr std::array<std::string_view, 2> foreign_words = {"c", "c++"};
constexpr std::array<std::string_view, 6> level_words = {"0", "1", "2", "3", "s", "z"};

constexpr KeyRule top_rules[] = {
    {"package", Takes::table, {}},
    {"build", Takes::table, {}},
    {"dependencies", Takes::table, {}},
};
constexpr KeyRule package_rules[] = {
    {"name", Takes::text, {}},
    {"version", Takes::text, {}},
    {"authors", Takes::texts, {}},
};
constexpr KeyRule build_rules[] = {
    {"target", Takes::text, known_targets},
    {"artifact", Takes::text, artifact_words},
    {"symbol-prefix", Takes::text, {}},
    {"user-parallelism", Takes::text, yes_no},
    {"reentrancy-check", Takes::text, on_off},
    {"ordering", Takes::text, ordering_words},
    {"passes", Takes::texts, {}},
    {"optimization", Takes::text, {}},
    {"refuted-claims", Takes::text, refuted_words},
    {"cleanup-deadline", Takes::text, {}},  // no key of the manifest: accepted with a note
};
constexpr KeyRule target_rules[] = {
    {"opt-level", Takes::level, level_words},
    {"lto", Takes::flag, {}},
    {"incremental", Takes::flag, {}},
};
constexpr KeyRule package_dependency_rules[] = {
    {"path", Takes::text, {}},
};
constexpr KeyRule foreign_rules[] = {
    {"type", Takes::text, foreign_words}, {"pkg-config", Takes::text, {}},
    {"version", Takes::text, {}},         {"path", Takes::text, {}},
    {"include", Takes::texts, {}},        {"link-path", Takes::texts, {}},
    {"link", Takes::texts, {}},           {"headers", Takes::texts, {}},
    {"namespace", Takes::text, {}},
};

const KeyRule* find_rule(std::span<const KeyRule> rules, std::string_view name) {
  for (const KeyRule& rule : rules) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

// --- Words of the messages

std::string quoted_list(std::span<const std::string_view> words, char quote) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) list += i + 1 == words.size() ? " or " : ", ";
    list += '`';
    if (quote != 0) list += quote;
    list += words[i];
    if (quote != 0) list += quote;
    list += '`';
  }
  return list;
}

std::string_view kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string: return "text";
    case toml::node_type::integer: return "a whole number";
    case toml::node_type::floating_point: return "a number";
    case toml::node_type::boolean: return "`true` or `false`";
    case toml::node_type::array: return "a list";
    case toml::node_type::table: return "a table";
    default: return "a date or time";
  }
}

std::string_view kind_wanted(Takes takes) {
  switch (takes) {
    case Takes::text: return "text in quotes";
    case Takes::texts: return "a list of texts";
    case Takes::flag: return "`true` or `false`";
    case Takes::level: return "`0`, `1`, `2`, `3`, `\"s\"` or `\"z\"`";
    case Takes::table: return "a table";
  }
  return "";
}

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && letter(text.front()) && std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
}

bool is_package_name(std::string_view text) {
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0 &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; });
}

bool is_version(std::string_view text) {
  int parts = 0;
  while (true) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    if (dot == 0 || !std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(dot),
                                 [](char c) { return c >= '0' && c <= '9'; })) {
      return false;
    }
    ++parts;
    if (dot == text.size()) return parts == 3;
    text.remove_prefix(dot + 1);
  }
}

// --- Reading

class Reader {
 public:
  Reader(fs::path file, std::string text) {
    out_.file = std::move(file);
    out_.folder = out_.file.parent_path();
    out_.text = std::make_shared<const std::string>(std::move(text));
    line_begins_.push_back(0);
    for (std::size_t i = 0; i < out_.text->size(); ++i) {
      if ((*out_.text)[i] == '\n') line_begins_.push_back(i + 1);
    }
  }

  tl::expected<Manifest, std::vector<Trouble>> read() {
    toml::parse_result parsed = toml::parse(*out_.text, out_.file.string());
    if (!parsed) {
      const toml::parse_error& error = parsed.error();
      std::string what(error.description());
      const std::size_t where = offset(error.source().begin);
      Trouble& trouble = complain("`nikaia.toml` isn't TOML here: " + what + ".", where,
                                  std::max(where + 1, offset(error.source().end)));
      trouble.help("Write `key = value` lines below a `[table]` line; texts stand in quotes.");
      return tl::unexpected(std::move(troubles_));
    }
    top(parsed.table());
    if (troubles_.empty()) return std::move(out_);
    std::stable_sort(troubles_.begin(), troubles_.end(), [](const Trouble& a, const Trouble& b) {
      return (a.place ? a.place->begin : 0) < (b.place ? b.place->begin : 0);
    });
    return tl::unexpected(std::move(troubles_));
  }

 private:
  // toml++ counts columns in code points; the messages want bytes.
  [[nodiscard]] std::size_t offset(toml::source_position position) const {
    if (position.line == 0) return 0;
    if (position.line > line_begins_.size()) return out_.text->size();
    std::size_t at = line_begins_[position.line - 1];
    for (toml::source_index column = 1; column < position.column && at < out_.text->size(); ++column) {
      ++at;
      while (at < out_.text->size() && ((*out_.text)[at] & 0xc0) == 0x80) ++at;
    }
    return at;
  }

  [[nodiscard]] ManifestPlace place_of(const toml::source_region& region) const {
    return {offset(region.begin), offset(region.end)};
  }

  Trouble& complain(std::string headline, std::size_t begin, std::size_t end) {
    Trouble trouble = refused(std::move(headline));
    trouble.at(Place{out_.file, out_.text, begin, end});
    troubles_.push_back(std::move(trouble));
    return troubles_.back();
  }
  Trouble& complain_at_key(std::string headline, const toml::key& key) {
    const ManifestPlace place = place_of(key.source());
    return complain(std::move(headline), place.begin, place.end);
  }
  Trouble& complain_at_value(std::string headline, const toml::node& value) {
    const ManifestPlace place = place_of(value.source());
    return complain(std::move(headline), place.begin, place.end);
  }
  Trouble& complain_at_file(std::string headline) {
    Trouble trouble = refused(std::move(headline));
    trouble.at(Place{out_.file, nullptr, 0, 0});
    troubles_.push_back(std::move(trouble));
    return troubles_.back();
  }

  void unknown_key(const toml::key& key, std::span<const KeyRule> rules, const std::string& table, bool is_table) {
    std::vector<std::string_view> names;
    for (const KeyRule& rule : rules) {
      if (rule.name != "cleanup-deadline") names.push_back(rule.name);
    }
    const std::string written(key.str());
    std::string headline;
    if (table.empty()) {
      headline = is_table ? "`nikaia.toml` has no table `[" + written + "]`."
                          : "`" + written + "` stands outside the tables of `nikaia.toml`.";
    } else {
      headline = "`[" + table + "]` has no key `" + written + "`.";
    }
    Trouble& trouble = complain_at_key(std::move(headline), key);
    const std::string_view near = lang::near_name(key.str(), names);
    if (!near.empty()) {
      trouble.help("Did you mean `" + std::string(near) + "`? " + known(table, names));
    } else {
      trouble.help(known(table, names));
    }
  }

  static std::string known(const std::string& table, std::span<const std::string_view> names) {
    std::string list = table.empty() ? "The tables are " : "The keys of `[" + table + "]` are ";
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i > 0) list += i + 1 == names.size() ? " and " : ", ";
      list += table.empty() ? "`[" + std::string(names[i]) + "]`" : "`" + std::string(names[i]) + "`";
    }
    return list + ".";
  }

  // Whether `value` is what the rule takes; complains where it is not.
  bool fits(const KeyRule& rule, const toml::node& value) {
    const auto words = rule.words;
    const auto wrong_kind = [&] {
      complain_at_value("`" + std::string(rule.name) + "` takes " + std::string(kind_wanted(rule.takes)) +
                            ", and this is " + std::string(kind_of(value)) + ".",
                        value)
          .help(words.empty() || rule.takes == Takes::level ? "Write " + std::string(kind_wanted(rule.takes)) + " here."
                                                            : "Write " + quoted_list(words, '"') + ".");
      return false;
    };
    switch (rule.takes) {
      case Takes::table: return value.is_table() || wrong_kind();
      case Takes::flag: return value.is_boolean() || wrong_kind();
      case Takes::texts: {
        const toml::array* list = value.as_array();
        if (list == nullptr) return wrong_kind();
        for (const toml::node& entry : *list) {
          if (entry.is_string()) continue;
          complain_at_value("`" + std::string(rule.name) + "` takes a list of texts, and this entry is " +
                                std::string(kind_of(entry)) + ".",
                            entry)
              .help("Put the entry in quotes.");
          return false;
        }
        return true;
      }
      case Takes::text:
        if (!value.is_string()) return wrong_kind();
        break;
      case Takes::level:
        if (value.is_integer()) {
          const std::int64_t level = value.as_integer()->get();
          if (level >= 0 && level <= 3) return true;
          return wrong_value(rule, value, std::to_string(level));
        }
        if (!value.is_string()) return wrong_kind();
        if (value.as_string()->get() != "s" && value.as_string()->get() != "z") {
          return wrong_value(rule, value, value.as_string()->get());
        }
        return true;
    }
    const std::string& written = value.as_string()->get();
    if (words.empty() || std::find(words.begin(), words.end(), written) != words.end()) return true;
    return wrong_value(rule, value, written);
  }

  bool wrong_value(const KeyRule& rule, const toml::node& value, const std::string& written) {
    const bool target = rule.name == "target";
    Trouble& trouble = complain_at_value(target ? "I can't build for the target `" + written + "`."
                                                : "`" + std::string(rule.name) + "` can't be `" + written + "`.",
                                         value);
    const std::string_view near = lang::near_name(written, rule.words);
    std::string accepted =
        rule.takes == Takes::level ? std::string(kind_wanted(rule.takes)) : quoted_list(rule.words, '"');
    trouble.help((near.empty() ? "" : "Did you mean `\"" + std::string(near) + "\"`? ") + std::string("It takes ") +
                 accepted + ".");
    return false;
  }

  // Calls `use` for each known key whose value fits.
  template <typename Use>
  void each(const toml::table& table, std::span<const KeyRule> rules, const std::string& name, Use use) {
    for (auto&& [key, value] : table) {
      const KeyRule* rule = find_rule(rules, key.str());
      if (rule == nullptr) {
        unknown_key(key, rules, name, value.is_table());
      } else if (fits(*rule, value)) {
        use(*rule, key, value);
      }
    }
  }

  static std::string text(const toml::node& value) { return value.as_string()->get(); }
  static std::vector<std::string> texts(const toml::node& value) {
    std::vector<std::string> list;
    for (const toml::node& entry : *value.as_array()) list.push_back(text(entry));
    return list;
  }

  void top(const toml::table& root) {
    bool has_package = false;
    each(root, top_rules, "", [&](const KeyRule& rule, const toml::key& key, const toml::node& value) {
      if (rule.name == "package") {
        has_package = true;
        package(*value.as_table(), key);
      } else if (rule.name == "build") {
        out_.has_build_table = true;
        build(*value.as_table());
      } else {
        dependencies(*value.as_table());
      }
    });
    if (!has_package && root.find("package") == root.end()) {
      complain_at_file("`nikaia.toml` has no table `[package]`.")
          .help("Add one: `[package]`, `name = \"" +
                (is_package_name(out_.folder.filename().string()) ? out_.folder.filename().string()
                                                                  : std::string("my-project")) +
                "\"`, `version = \"0.1.0\"`.");
    }
  }

  void package(const toml::table& table, const toml::key& header) {
    each(table, package_rules, "package", [&](const KeyRule& rule, const toml::key&, const toml::node& value) {
      if (rule.name == "name") {
        out_.name = text(value);
        if (!is_package_name(out_.name)) {
          complain_at_value("`" + out_.name + "` can't be a package's name.", value)
              .help("Use letters, digits, `-` and `_`, beginning with a letter.");
        }
      } else if (rule.name == "version") {
        out_.version = text(value);
        if (!is_version(out_.version)) {
          complain_at_value("`" + out_.version + "` isn't a version.", value)
              .help("A version is three numbers, `MAJOR.MINOR.PATCH`, such as `0.1.0`.");
        }
      } else {
        out_.authors = texts(value);
      }
    });
    for (const char* key : {"name", "version"}) {
      if (table.find(key) != table.end()) continue;
      complain_at_key("`[package]` has no `" + std::string(key) + "`.", header)
          .help("Add it below `[package]`: `" + std::string(key) + " = \"" +
                (std::string_view(key) == "name" ? "my-project" : "0.1.0") + "\"`.");
    }
  }

  void build(const toml::table& table) {
    // The tables of single targets stand among the keys.
    toml::table keys;
    for (auto&& [key, value] : table) {
      const toml::table* inner = value.as_table();
      const bool is_key = find_rule(build_rules, key.str()) != nullptr;
      if (inner == nullptr || is_key) continue;
      const std::string target(key.str());
      if (std::find(std::begin(known_targets), std::end(known_targets), target) == std::end(known_targets)) {
        Trouble& trouble = complain_at_key("`[build." + target + "]` is about a target I don't know.", key);
        trouble.help("The targets are " + quoted_list(known_targets, 0) + ".");
        continue;
      }
      code_generation(*inner, target);
    }
    for (auto&& [key, value] : table) {
      const bool is_key = find_rule(build_rules, key.str()) != nullptr;
      if (value.is_table() && !is_key) continue;
      build_key(key, value);
    }
  }

  void build_key(const toml::key& key, const toml::node& value) {
    const KeyRule* rule = find_rule(build_rules, key.str());
    if (rule == nullptr) {
      unknown_key(key, build_rules, "build", false);
      return;
    }
    if (rule->name == "cleanup-deadline") {
      out_.names_cleanup_deadline = true;
      return;
    }
    if (!fits(*rule, value)) return;
    if (rule->name == "passes") {
      for (const toml::node& entry : *value.as_array()) {
        out_.passes.push_back(text(entry));
        out_.pass_places.push_back(place_of(entry.source()));
      }
      return;
    }
    const std::string word = text(value);
    if (rule->name == "target") out_.target = word;
    if (rule->name == "artifact") out_.c_library = word == "c-library";
    if (rule->name == "symbol-prefix") {
      out_.symbol_prefix = word;
      if (!is_identifier(word)) {
        complain_at_value("`" + word + "` can't begin the names of exported functions.", value)
            .help("Use letters, digits and `_`, beginning with a letter.");
      }
    }
    if (rule->name == "user-parallelism") out_.user_parallelism = word == "yes";
    if (rule->name == "reentrancy-check") out_.reentrancy_check = word == "on" || word == "yes";
    if (rule->name == "ordering") out_.ordering_effects = word == "effects";
    if (rule->name == "refuted-claims") out_.refuted_claims_warn = word == "warn";
    if (rule->name == "optimization") {
      if (const auto wrong = read_optimizations(word, out_.optimization)) {
        complain_at_value(*wrong, value)
            .help("Write for example `\"remove-bounds-checks:on\"`, several separated by commas.");
      }
    }
  }

  void code_generation(const toml::table& table, const std::string& target) {
    CodeGeneration& made = out_.code_generation[target];
    each(table, target_rules, "build." + target, [&](const KeyRule& rule, const toml::key&, const toml::node& value) {
      if (rule.name == "opt-level") {
        made.opt_level = value.is_integer() ? std::to_string(value.as_integer()->get()) : text(value);
      } else if (rule.name == "lto") {
        made.lto = value.as_boolean()->get();
      } else {
        made.incremental = value.as_boolean()->get();
      }
    });
  }

  void dependencies(const toml::table& table) {
    for (auto&& [key, value] : table) {
      const std::string name(key.str());
      if (!is_identifier(name)) {
        complain_at_key("`" + name + "` can't be written in a `use`, so it can't name a dependency.", key)
            .help(
                "Use letters, digits and `_`, beginning with a letter; the package itself may be "
                "called otherwise.");
        continue;
      }
      const toml::table* entry = value.as_table();
      if (entry == nullptr || entry->find("git") != entry->end()) {
        complain_at_value(entry == nullptr ? "Packages by version can't be fetched yet."
                                           : "Packages from a repository can't be fetched yet.",
                          value)
            .help("Name the folder it lies in: `" + name + " = { path = \"../" + name + "\" }`.");
        continue;
      }
      Dependency dependency;
      dependency.key = name;
      dependency.place = place_of(key.source());
      if (entry->find("type") != entry->end()) {
        foreign(*entry, key, dependency);
      } else {
        each(*entry, package_dependency_rules, "dependencies." + name,
             [&](const KeyRule&, const toml::key&, const toml::node& path) {
               dependency.folder = absolute(text(path));
             });
        if (entry->find("path") == entry->end()) {
          complain_at_key("`" + name + "` doesn't say where it comes from.", key)
              .help("A Nikaia package has a `path`; a foreign library has a `type`.");
        }
      }
      out_.dependencies.push_back(std::move(dependency));
    }
  }

  void foreign(const toml::table& entry, const toml::key& key, Dependency& dependency) {
    ForeignLibrary& library = dependency.foreign.emplace();
    library.name_space = dependency.key;
    each(entry, foreign_rules, "dependencies." + dependency.key,
         [&](const KeyRule& rule, const toml::key&, const toml::node& value) {
           if (rule.name == "type") library.cpp = text(value) == "c++";
           if (rule.name == "pkg-config") library.pkg_config = text(value);
           if (rule.name == "version") library.version = text(value);
           if (rule.name == "path") {
             library.include.push_back(absolute(text(value)));
             library.link_path.push_back(absolute(text(value)));
           }
           if (rule.name == "include") add_folders(texts(value), library.include);
           if (rule.name == "link-path") add_folders(texts(value), library.link_path);
           if (rule.name == "link") library.link = texts(value);
           if (rule.name == "headers") library.headers = texts(value);
           if (rule.name == "namespace") library.name_space = text(value);
         });
    if (entry.find("pkg-config") == entry.end() && entry.find("path") == entry.end() &&
        entry.find("link") == entry.end()) {
      complain_at_key("`" + dependency.key + "` doesn't say what to link.", key)
          .help("Give it at least one of `pkg-config`, `path` and `link`.");
    }
  }

  [[nodiscard]] fs::path absolute(const std::string& path) const { return (out_.folder / path).lexically_normal(); }
  void add_folders(const std::vector<std::string>& names, std::vector<fs::path>& out) const {
    for (const std::string& name : names) out.push_back(absolute(name));
  }

  Manifest out_;
  std::vector<std::size_t> line_begins_;
  std::vector<Trouble> troubles_;
};

}  // namespace

std::optional<std::string> read_optimizations(std::string_view text, std::map<std::string, bool>& out) {
  constexpr std::array<std::string_view, 2> names = {"remove-bounds-checks", "remove-overflow-checks"};
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t colon = std::min(part.find(':'), part.size());
    const std::string_view name = part.substr(0, colon);
    const std::string_view word = colon < part.size() ? part.substr(colon + 1) : "";
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const std::string_view near = lang::near_name(name, names);
      return "There is no optimization `" + std::string(name) + "`" +
             (near.empty() ? "" : "; did you mean `" + std::string(near) + "`?") +
             (near.empty() ? "; there are `remove-bounds-checks` and `remove-overflow-checks`." : "");
    }
    if (word != "on" && word != "off") {
      return "`" + std::string(name) + "` is `on` or `off`, not `" + std::string(word) + "`.";
    }
    out[std::string(name)] = word == "on";
  }
  return std::nullopt;
}

fs::path manifest_above(const fs::path& folder) {
  std::error_code error;
  for (fs::path at = fs::absolute(folder, error).lexically_normal();; at = at.parent_path()) {
    fs::path file = at / manifest_name;
    if (fs::exists(file, error)) return file;
    if (at == at.parent_path()) return {};
  }
}

tl::expected<Manifest, std::vector<Trouble>> read_manifest(const fs::path& file) {
  std::optional<std::string> text = read_file(file);
  if (!text) {
    Trouble trouble = refused("I can't read `" + shown(file) + "`: " + std::strerror(errno) + ".");
    trouble.help("Make it a file that you may read.");
    return tl::unexpected(std::vector<Trouble>{std::move(trouble)});
  }
  std::error_code error;
  return Reader(fs::absolute(file, error).lexically_normal(), std::move(*text)).read();
}

}  // namespace nikaia::driver
