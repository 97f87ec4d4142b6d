#include "driver/foreign.h"

#include <sstream>
#include <utility>

#include "driver/cxx_compiler.h"
#include "driver/process.h"

namespace nikaia::driver {

namespace {

std::vector<std::string> split(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

Done ask_pkg_config(const Manifest& manifest, const Dependency& dependency, ForeignWords& words) {
  const ForeignLibrary& library = *dependency.foreign;
  const Place place = manifest.at(dependency.place);
  if (find_program("pkg-config").empty()) {
    return fail(refused("`" + dependency.key + "` is found with `pkg-config`, which isn't installed.")
                    .at(place)
                    .help("Install it, for example with `apt install pkg-config`, or give "
                          "`include`, `link-path` and `link` instead."));
  }
  const Outcome known = run({"pkg-config", "--modversion", library.pkg_config});
  if (!known.ok()) {
    return fail(refused("`pkg-config` knows no module `" + library.pkg_config + "`.")
                    .at(place)
                    .help("Install the library's development package, or correct the module's "
                          "name."));
  }
  if (!library.version.empty() &&
      !run({"pkg-config", "--atleast-version=" + library.version, library.pkg_config}).ok()) {
    return fail(refused("`" + dependency.key + "` needs `" + library.pkg_config + "` in version " + library.version +
                        ", and version " + known.output.substr(0, known.output.find('\n')) + " is installed.")
                    .at(place)
                    .help("Install a later version, or lower `version` in the manifest."));
  }
  append(words.compile, split(run({"pkg-config", "--cflags", library.pkg_config}).output));
  append(words.link, split(run({"pkg-config", "--libs", library.pkg_config}).output));
  return {};
}

}  // namespace

Expected<ForeignWords> foreign_words(const Project& project) {
  ForeignWords words;
  for (const ProjectPackage& package : project.packages) {
    if (!package.manifest) continue;
    for (const Dependency& dependency : package.manifest->dependencies) {
      if (!dependency.foreign) continue;
      const ForeignLibrary& library = *dependency.foreign;
      for (const auto& folder : library.include) words.compile.push_back("-I" + folder.string());
      for (const auto& folder : library.link_path) {
        append(words.link, {"-L" + folder.string(), "-Wl,-rpath," + folder.string()});
      }
      for (const std::string& name : library.link) words.link.push_back("-l" + name);
      if (library.pkg_config.empty()) continue;
      if (Done asked = ask_pkg_config(*package.manifest, dependency, words); !asked) {
        return fail(std::move(asked.error()));
      }
    }
  }
  return words;
}

}  // namespace nikaia::driver
