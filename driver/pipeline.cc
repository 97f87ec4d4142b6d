#include "driver/pipeline.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <set>
#include <utility>

#include <nikaia/plugin_load.h>

#include "driver/files.h"
#include "driver/log.h"
#include "lang/text/near_name.h"

namespace nikaia::driver {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view file_prefix = "nikaia-pass-";
constexpr std::string_view file_suffix = ".so";
constexpr std::string_view nir_fact = "nir@1";
constexpr std::string_view emit_prefix = "emit-";
constexpr std::string_view report_prefix = "report-";

std::vector<std::string_view> names_of(nikaia::NameList list) {
  std::vector<std::string_view> names;
  for (; list != nullptr && *list != nullptr; ++list) names.emplace_back(*list);
  return names;
}

bool has(nikaia::NameList list, std::string_view name) {
  for (; list != nullptr && *list != nullptr; ++list) {
    if (*list == name) return true;
  }
  return false;
}

std::string named(const PlacedPass& placed) {
  return "`" + std::string(placed.pass->name) + "` (" + shown(placed.file->path) + ")";
}

// --- One file

Trouble cannot_load(const PluginFile& file, const plugin::LoadError& error) {
  Trouble trouble = refused("I can't load the pass plugin `" + shown(file.path) + "`: " + error.reason + ".");
  if (!file.given_by.empty()) trouble.note("It was asked for by " + file.given_by + ".");
  switch (error.failure) {
    case plugin::LoadFailure::not_there:
      trouble.help("Look for a typing mistake in the path, or leave the plugin out.");
      break;
    case plugin::LoadFailure::not_readable:
      trouble.help("Name the file `nikaia-pass-NAME.so` itself, and make it readable for you.");
      break;
    case plugin::LoadFailure::not_a_plugin:
      trouble.help("A plugin is a shared object; `nikaia new --pass NAME` makes one that builds.");
      break;
    case plugin::LoadFailure::not_loadable:
      trouble.help("Build the plugin again against this installation's headers and `libnikaia.so`.");
      break;
    case plugin::LoadFailure::no_entry_point:
      trouble.help(
          "End the plugin's source with `NIKAIA_PASS_PLUGIN(passes)` from "
          "`<nikaia/pass.h>`.");
      break;
  }
  return trouble;
}

Trouble not_well_formed(const PluginFile& file, const std::string& what) {
  Trouble trouble = refused("The pass plugin `" + shown(file.path) + "` describes itself wrongly: " + what + ".");
  trouble.help("Correct the plugin's array of `nikaia::Pass` and build it again.");
  return trouble;
}

bool is_plain_name(const char* name) {
  if (name == nullptr || *name == '\0') return false;
  return std::all_of(name, name + std::strlen(name),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; });
}

bool is_fact_name(std::string_view name) {
  const std::size_t at = name.find('@');
  return at != std::string_view::npos && at > 0 && at + 1 < name.size() &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(at) + 1, name.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

// What is wrong with the statement of one pass, or nothing.
std::optional<std::string> fault_of(const nikaia::Pass& pass) {
  if (!is_plain_name(pass.name)) return "a pass has no name of letters, digits, `-` and `_`";
  const std::string who = "the pass `" + std::string(pass.name) + "` ";
  if (pass.run == nullptr) return who + "has no function to run";
  if (pass.purpose == nullptr || pass.version == nullptr) {
    return who + "has no purpose or no version";
  }
  if (pass.kind > PassKind::emission || pass.stage > PassStage::nir) {
    return who + "has a kind or a stage that doesn't exist";
  }
  for (nikaia::NameList list : {pass.requires_facts, pass.provides_facts, pass.changes_facts}) {
    for (const std::string_view fact : names_of(list)) {
      if (!is_fact_name(fact)) {
        return who + "names the fact `" + std::string(fact) + "`, which isn't of the form `name@1`";
      }
    }
  }
  for (const std::string_view fact : names_of(pass.changes_facts)) {
    if (!has(pass.requires_facts, fact)) {
      return who + "changes `" + std::string(fact) + "` without requiring it";
    }
    if (pass.kind != PassKind::transform) {
      return who + "changes `" + std::string(fact) + "` and is no transform";
    }
  }
  for (const std::string_view fact : names_of(pass.provides_facts)) {
    if (has(pass.requires_facts, fact)) {
      return who + "requires `" + std::string(fact) + "`, which it provides itself";
    }
  }
  if (pass.kind == PassKind::emission && !is_report(pass) && !std::string_view(pass.name).starts_with(emit_prefix)) {
    return who + "is an emission pass, and the names of those begin with `emit-` or `report-`";
  }
  if (is_report(pass) && (pass.produces_cpp || !pass.is_optional)) {
    return who + "is a report, and a report produces no C++ and is optional";
  }
  for (const nikaia::PassOption* option = pass.options; option != nullptr && option->key != nullptr; ++option) {
    if (!is_plain_name(option->key) || option->fallback == nullptr || option->purpose == nullptr) {
      return who + "has an option without a name, a default or a purpose";
    }
  }
  return std::nullopt;
}

Expected<const nikaia::PluginDescriptor*> open_plugin(const PluginFile& file, plugin::Library& library) {
  if (auto error = library.open(file.path)) return fail(cannot_load(file, *error));
  auto* function = library.find<const nikaia::PluginDescriptor*()>(NIKAIA_PLUGIN_SYMBOL);
  if (function == nullptr) {
    return fail(cannot_load(
        file, {plugin::LoadFailure::no_entry_point, "it doesn't export the function `" NIKAIA_PLUGIN_SYMBOL "`"}));
  }
  const nikaia::PluginDescriptor* descriptor = function();
  if (descriptor == nullptr || descriptor->abi_tag == nullptr) {
    return fail(not_well_formed(file, "it has no descriptor"));
  }
  constexpr std::size_t longest_tag_bytes = 512;
  const std::string tag(descriptor->abi_tag, ::strnlen(descriptor->abi_tag, longest_tag_bytes));
  if (tag != NIKAIA_PASS_ABI_TAG) {
    Trouble trouble =
        refused("The pass plugin `" + shown(file.path) + "` was built for another `nikaia`, so I don't load it.");
    if (!file.given_by.empty()) trouble.note("It was asked for by " + file.given_by + ".");
    trouble.note("It says `" + tag + "`.\nThis `nikaia` is `" NIKAIA_PASS_ABI_TAG "`.");
    trouble.help("Build the plugin again with this installation's headers and that C++ compiler.");
    return fail(std::move(trouble));
  }
  return descriptor;
}

}  // namespace

// --- The order

class PipelineBuilder {
 public:
  PipelineBuilder(const Installation& installation, const PipelineRequest& request)
      : installation_(installation), request_(request) {}

  Expected<Pipeline> build() {
    if (Done loaded = load(); !loaded) return fail(std::move(loaded.error()));
    if (Done chosen = choose_emission(); !chosen) return fail(std::move(chosen.error()));
    if (Done chosen = choose_reports(); !chosen) return fail(std::move(chosen.error()));
    if (Done disabled = disable(); !disabled) return fail(std::move(disabled.error()));
    if (Done set = set_options(); !set) return fail(std::move(set.error()));
    if (Done facts = check_facts(); !facts) return fail(std::move(facts.error()));
    if (Done ordered = order(); !ordered) return fail(std::move(ordered.error()));
    return std::move(out_);
  }

 private:
  // The stages follow each other; facts and names order within one.
  enum Stage : std::uint8_t { on_tree, to_nir, on_nir, at_end };

  static Stage stage_of(const nikaia::Pass& pass) {
    if (pass.kind == PassKind::emission) return at_end;
    if (pass.stage == PassStage::nir) return on_nir;
    return has(pass.provides_facts, nir_fact) ? to_nir : on_tree;
  }

  Done load() {
    Expected<std::vector<PluginFile>> files = find_plugins(installation_, request_);
    if (!files) return fail(std::move(files.error()));
    for (PluginFile& found : *files) {
      auto file = std::make_unique<PluginFile>(std::move(found));
      auto library = std::make_unique<plugin::Library>();
      Expected<const nikaia::PluginDescriptor*> descriptor = open_plugin(*file, *library);
      if (!descriptor) return fail(std::move(descriptor.error()));
      for (std::size_t i = 0; i < (*descriptor)->pass_count; ++i) {
        const nikaia::Pass& pass = (*descriptor)->passes[i];
        if (auto fault = fault_of(pass)) return fail(not_well_formed(*file, *fault));
        PlacedPass placed;
        placed.pass = &pass;
        placed.file = file.get();
        if (const PlacedPass* taken = out_.find(pass.name)) {
          return fail(refused("Two passes are called `" + std::string(pass.name) + "`.")
                          .note("One is in " + shown(taken->file->path) + ", the other in " + shown(file->path) + ".")
                          .help("Leave one of the two plugins out, or rename its pass."));
        }
        out_.passes_.push_back(std::move(placed));
      }
      log([&] {
        return "loaded " + file->path.string() + " (" + std::to_string((*descriptor)->pass_count) + " passes)";
      });
      out_.files_.push_back(std::move(file));
      out_.libraries_.push_back(std::move(library));
    }
    return {};
  }

  Done choose_emission() {
    const std::string wanted = std::string(emit_prefix) + request_.emit;
    std::vector<std::string> emissions;
    PlacedPass* chosen = nullptr;
    for (PlacedPass& placed : out_.passes_) {
      if (placed.pass->kind != PassKind::emission || is_report(*placed.pass)) continue;
      emissions.emplace_back(placed.pass->name + emit_prefix.size());
      placed.on = wanted == placed.pass->name;
      if (placed.on) chosen = &placed;
    }
    if (chosen == nullptr && !request_.must_have_emission) return {};
    if (chosen == nullptr) {
      return fail(
          refused("There is no emission pass `" + wanted + "`.").help("`--emit` takes " + listed(emissions) + "."));
    }
    if (request_.must_produce_cpp && !chosen->pass->produces_cpp) {
      return fail(refused("The emission pass " + named(*chosen) +
                          " doesn't write C++, so no program can be built from its result.")
                      .help("Use it with `nikaia lower FILE.nika --emit " + request_.emit + "`."));
    }
    return {};
  }

  // Reports are off but for those a switch asks for.
  Done choose_reports() {
    for (PlacedPass& placed : out_.passes_) {
      if (is_report(*placed.pass)) placed.on = false;
    }
    for (const std::string& name : request_.reports) {
      const std::string wanted = std::string(report_prefix) + name;
      PlacedPass* chosen = find(wanted);
      if (chosen == nullptr || !is_report(*chosen->pass)) {
        return fail(refused("There is no pass `" + wanted + "` to make the report `--" + name + "`.")
                        .help("Install Nikaia again: its folder of passes is not whole."));
      }
      chosen->on = true;
    }
    return {};
  }

  Done disable() {
    for (const std::string& name : request_.disabled) {
      PlacedPass* placed = find(name);
      if (placed == nullptr) {
        Trouble trouble = refused("There is no pass `" + name + "` to disable.");
        suggest(name, trouble);
        return fail(std::move(trouble));
      }
      if (!placed->pass->is_optional) {
        return fail(refused("The pass " + named(*placed) + " is required and can't be disabled.")
                        .note("It decides which programs are accepted, or makes what later passes "
                              "need.")
                        .help("`nikaia passes` shows which passes are optional."));
      }
      placed->on = false;
    }
    return {};
  }

  Done set_options() {
    for (const PassOptionValue& given : request_.options) {
      PlacedPass* placed = find(given.pass);
      if (placed == nullptr) {
        Trouble trouble = refused("There is no pass `" + given.pass + "` to give an option.");
        suggest(given.pass, trouble);
        return fail(std::move(trouble));
      }
      std::vector<std::string> keys;
      for (const nikaia::PassOption* option = placed->pass->options; option != nullptr && option->key != nullptr;
           ++option) {
        keys.emplace_back(option->key);
      }
      if (std::find(keys.begin(), keys.end(), given.key) == keys.end()) {
        Trouble trouble = refused("The pass " + named(*placed) + " takes no option `" + given.key + "`.");
        const std::string_view near = lang::near_name(given.key, keys);
        if (!near.empty()) trouble.help("Did you mean `" + std::string(near) + "`?");
        trouble.help(keys.empty() ? "It takes no options; leave `--pass-option` out."
                                  : "Its options are " + listed(keys) + ".");
        return fail(std::move(trouble));
      }
      placed->options[given.key] = given.value;
    }
    return {};
  }

  // One provider for every fact, and one for every requirement, no later than where it is required.
  Done check_facts() {
    for (const PlacedPass& placed : out_.passes_) {
      for (const std::string_view fact : names_of(placed.pass->provides_facts)) {
        const auto [at, fresh] = providers_.emplace(fact, &placed);
        if (fresh) continue;
        const auto& [first, second] = std::minmax(*at->second, placed, [](const PlacedPass& a, const PlacedPass& b) {
          return std::strcmp(a.pass->name, b.pass->name) < 0;
        });
        return fail(refused("Two passes provide the fact `" + std::string(fact) + "`: " + named(first) + " and " +
                            named(second) + ".")
                        .help("Leave one of the two plugins out; a fact has one provider."));
      }
    }
    for (const PlacedPass& placed : out_.passes_) {
      if (!placed.on) continue;
      for (const std::string_view fact : names_of(placed.pass->requires_facts)) {
        const auto at = providers_.find(fact);
        if (at == providers_.end()) return fail(no_provider(placed, fact));
        const PlacedPass& provider = *at->second;
        if (!provider.on) {
          return fail(
              refused("The pass " + named(placed) + " requires the fact `" + std::string(fact) + "`, and " +
                      named(provider) + ", which provides it, is switched off.")
                  .help("Leave out `--disable-pass " + std::string(provider.pass->name) + "`, or disable both."));
        }
        if (stage_of(*provider.pass) > stage_of(*placed.pass)) {
          return fail(refused("The pass " + named(placed) + " requires the fact `" + std::string(fact) + "`, which " +
                              named(provider) + " provides in a later stage.")
                          .help("A pass that needs what is made on NIR has to be a pass on NIR "
                                "itself."));
        }
      }
    }
    return {};
  }

  Trouble no_provider(const PlacedPass& placed, std::string_view fact) {
    Trouble trouble = refused("The pass " + named(placed) + " requires the fact `" + std::string(fact) +
                              "`, and no pass provides it.");
    std::vector<std::string_view> known;
    for (const auto& [name, provider] : providers_) known.push_back(name);
    const std::string_view near = lang::near_name(fact, known);
    if (!near.empty()) {
      trouble.help("`" + std::string(near) + "` is provided by " + named(*providers_.find(near)->second) +
                   "; perhaps that is meant.");
    }
    trouble.help(
        "Load the plugin that provides it with `--pass-plugin` or `[build] passes`, or "
        "leave this one out.");
    return trouble;
  }

  // before_[i] holds the passes that come before pass i.
  void collect_edges() {
    const std::size_t count = out_.passes_.size();
    before_.assign(count, {});
    std::map<std::string_view, std::size_t> position;
    for (std::size_t i = 0; i < count; ++i) position[out_.passes_[i].pass->name] = i;
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::string_view fact : names_of(out_.passes_[i].pass->requires_facts)) {
        const auto provider = providers_.find(fact);
        if (provider != providers_.end()) {
          before_[i].insert(position[provider->second->pass->name]);
        }
      }
    }
    // A reader sees a fact as the transforms left it, unless a transform needs what the reader
    // makes.
    const std::vector<std::set<std::size_t>> by_facts = before_;
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::string_view fact : names_of(out_.passes_[i].pass->requires_facts)) {
        if (has(out_.passes_[i].pass->changes_facts, fact)) continue;
        for (std::size_t k = 0; k < count; ++k) {
          if (k != i && has(out_.passes_[k].pass->changes_facts, fact) && !reaches(by_facts, k, i)) {
            before_[i].insert(k);
          }
        }
      }
    }
  }

  // Whether `target` comes before `from` by `edges`.
  static bool reaches(const std::vector<std::set<std::size_t>>& edges, std::size_t from, std::size_t target) {
    std::vector<std::size_t> open = {from};
    std::set<std::size_t> seen;
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (const std::size_t next : edges[at]) {
        if (next == target) return true;
        if (seen.insert(next).second) open.push_back(next);
      }
    }
    return false;
  }

  Done order() {
    collect_edges();
    const std::size_t count = out_.passes_.size();
    std::vector<std::size_t> order;
    std::vector<bool> placed(count, false);
    while (order.size() < count) {
      std::size_t best = count;
      for (std::size_t i = 0; i < count; ++i) {
        if (placed[i]) continue;
        const bool ready = std::all_of(before_[i].begin(), before_[i].end(), [&](std::size_t k) { return placed[k]; });
        if (ready && (best == count || comes_first(i, best))) best = i;
      }
      if (best == count) return fail(cycle(placed));
      placed[best] = true;
      order.push_back(best);
    }
    // A stage begins when the one before it has ended.
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return stage_of(*out_.passes_[a].pass) < stage_of(*out_.passes_[b].pass);
    });
    std::vector<PlacedPass> sorted;
    sorted.reserve(count);
    for (const std::size_t i : order) sorted.push_back(std::move(out_.passes_[i]));
    out_.passes_ = std::move(sorted);
    return {};
  }

  [[nodiscard]] bool comes_first(std::size_t a, std::size_t b) const {
    const nikaia::Pass& left = *out_.passes_[a].pass;
    const nikaia::Pass& right = *out_.passes_[b].pass;
    if (stage_of(left) != stage_of(right)) return stage_of(left) < stage_of(right);
    return std::strcmp(left.name, right.name) < 0;
  }

  // Walks from an unplaced pass to one it waits for until one comes again.
  Trouble cycle(const std::vector<bool>& placed) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < placed.size(); ++i) {
      if (!placed[i] && (placed[at] || std::strcmp(out_.passes_[i].pass->name, out_.passes_[at].pass->name) < 0)) {
        at = i;
      }
    }
    std::vector<std::size_t> walk;
    while (std::find(walk.begin(), walk.end(), at) == walk.end()) {
      walk.push_back(at);
      for (const std::size_t next : before_[at]) {
        if (!placed[next]) {
          at = next;
          break;
        }
      }
    }
    walk.erase(walk.begin(), std::find(walk.begin(), walk.end(), at));
    std::rotate(walk.begin(),
                std::min_element(walk.begin(), walk.end(),
                                 [&](std::size_t a, std::size_t b) {
                                   return std::strcmp(out_.passes_[a].pass->name, out_.passes_[b].pass->name) < 0;
                                 }),
                walk.end());
    std::string list;
    for (const std::size_t i : walk) {
      if (!list.empty()) list += ", which needs ";
      list += named(out_.passes_[i]);
    }
    Trouble trouble = refused("These passes wait for each other, so none of them can run: " + list + ", which needs `" +
                              std::string(out_.passes_[walk.front()].pass->name) + "`.");
    trouble.help("Leave one of the plugins out, or let one of them require less.");
    return trouble;
  }

  PlacedPass* find(std::string_view name) {
    for (PlacedPass& placed : out_.passes_) {
      if (placed.pass->name == name) return &placed;
    }
    return nullptr;
  }

  void suggest(std::string_view written, Trouble& trouble) const {
    std::vector<std::string_view> known;
    for (const PlacedPass& placed : out_.passes_) known.emplace_back(placed.pass->name);
    const std::string_view near = lang::near_name(written, known);
    if (!near.empty()) trouble.help("Did you mean `" + std::string(near) + "`?");
    trouble.help("`nikaia passes` lists the passes there are.");
  }

  static std::string listed(const std::vector<std::string>& names) {
    std::string list;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i > 0) list += i + 1 == names.size() ? " and " : ", ";
      list += "`" + names[i] + "`";
    }
    return list.empty() ? "nothing, because no emission pass is loaded" : list;
  }

  const Installation& installation_;
  const PipelineRequest& request_;
  Pipeline out_;
  std::map<std::string_view, const PlacedPass*> providers_;
  std::vector<std::set<std::size_t>> before_;
};

bool is_report(const nikaia::Pass& pass) {
  return pass.kind == PassKind::emission && std::string_view(pass.name).starts_with(report_prefix);
}

Pipeline::Pipeline() = default;
Pipeline::Pipeline(Pipeline&&) noexcept = default;
Pipeline& Pipeline::operator=(Pipeline&&) noexcept = default;
Pipeline::~Pipeline() = default;

const PlacedPass* Pipeline::find(std::string_view name) const {
  for (const PlacedPass& placed : passes_) {
    if (placed.pass->name == name) return &placed;
  }
  return nullptr;
}

const PlacedPass* Pipeline::emission() const {
  for (const PlacedPass& placed : passes_) {
    if (placed.pass->kind == PassKind::emission && placed.on && !is_report(*placed.pass)) {
      return &placed;
    }
  }
  return nullptr;
}

Expected<std::vector<PluginFile>> find_plugins(const Installation& installation, const PipelineRequest& request) {
  std::vector<PluginFile> files;
  std::set<fs::path> seen;
  std::error_code error;
  const auto add = [&](fs::path path, bool own, std::string given_by) {
    std::error_code ignored;
    const fs::path real = fs::weakly_canonical(path, ignored);
    if (seen.insert(ignored ? path : real).second) {
      files.push_back({std::move(path), own, std::move(given_by)});
    }
  };
  std::vector<fs::path> own;
  for (fs::directory_iterator it(installation.passes(), error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(file_prefix) && name.ends_with(file_suffix)) own.push_back(it->path());
  }
  std::sort(own.begin(), own.end());
  for (fs::path& path : own) add(std::move(path), true, "");

  std::vector<fs::path> folders = folders_of("NIKAIA_PASS_PATH");
  folders.push_back(installation.passes());
  for (std::size_t i = 0; i < request.names.size(); ++i) {
    const std::string& name = request.names[i];
    const std::string file_name = std::string(file_prefix) + name + std::string(file_suffix);
    fs::path found;
    for (const fs::path& folder : folders) {
      if (!fs::exists(folder / file_name, error)) continue;
      found = folder / file_name;
      break;
    }
    if (found.empty() || !is_plain_name(name.c_str())) {
      Trouble trouble = refused("I find no plugin `" + name + "` for `[build] passes`.");
      if (i < request.name_places.size()) trouble.at(request.name_places[i]);
      std::string list;
      for (const fs::path& folder : folders) list += "\n" + folder.string();
      trouble.note("I looked for `" + file_name + "` in" + list);
      trouble.help("Put the folder the file is in into `NIKAIA_PASS_PATH`, or correct the name.");
      return fail(std::move(trouble));
    }
    add(std::move(found), false, "`[build] passes`");
  }
  for (const fs::path& path : request.plugins) add(path, false, "`--pass-plugin`");
  return files;
}

Expected<Pipeline> load_pipeline(const Installation& installation, const PipelineRequest& request) {
  return PipelineBuilder(installation, request).build();
}

}  // namespace nikaia::driver
