#include "driver/project.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include "driver/digest.h"
#include "driver/files.h"
#include "lang/text/source.h"

namespace nikaia::driver {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view source_suffix = ".nika";

tl::unexpected<Troubles> all(Trouble trouble) {
  return tl::unexpected(Troubles{std::move(trouble)});
}

Expected<SourceFile> read_source(const fs::path& path, const fs::path& base) {
  SourceFile file;
  file.path = path;
  file.stable_name = path.lexically_relative(base).generic_string();
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > lang::SourceMap::max_file_bytes) {
    return fail(refused("`" + shown(path) + "` is longer than 4 GiB, which no source may be.")
                    .help("Cut the file into several; the files of a package share one namespace."));
  }
  std::optional<std::string> text = read_file(path);
  if (!text) {
    return fail(refused("I can't read `" + shown(path) + "`: " + std::strerror(errno) + ".")
                    .help("Make it a file that you may read."));
  }
  const std::size_t bad = lang::find_bad_utf8(*text);
  if (bad != std::string::npos) {
    return fail(
        refused("`" + shown(path) + "` isn't UTF-8: its byte " + std::to_string(bad) + " belongs to no character.")
            .at(Place{path, nullptr, 0, 0})
            .help("Save the file as UTF-8."));
  }
  file.text = std::move(*text);
  return file;
}

class Opener {
 public:
  explicit Opener(fs::path base) : base_(std::move(base)) {}

  // Adds the package of `manifest` behind those it depends on; its position.
  std::optional<std::size_t> add(Manifest manifest) {
    const fs::path folder = manifest.folder;
    open_.push_back(folder);
    ProjectPackage package;
    package.name = manifest.name;
    package.folder = folder;
    for (const Dependency& dependency : manifest.dependencies) {
      if (dependency.foreign) continue;
      if (const auto position = depend(manifest, dependency)) {
        package.dependencies.push_back({dependency.key, *position});
      }
    }
    read_sources(manifest, package);
    package.manifest = std::move(manifest);
    open_.pop_back();
    packages_.push_back(std::move(package));
    const std::size_t position = packages_.size() - 1;
    positions_[folder] = position;
    return position;
  }

  std::vector<ProjectPackage> packages_;
  Troubles troubles_;

 private:
  std::optional<std::size_t> depend(const Manifest& from, const Dependency& dependency) {
    const Place place = from.at(dependency.place);
    const fs::path file = dependency.folder / manifest_name;
    std::error_code error;
    if (!fs::exists(file, error)) {
      troubles_.push_back(refused("`" + dependency.key + "` is said to lie in `" + shown(dependency.folder) +
                                  "`, and no `nikaia.toml` is there.")
                              .at(place)
                              .help("Correct the `path`; it starts at the folder of this "
                                    "manifest."));
      return std::nullopt;
    }
    const fs::path folder = fs::canonical(dependency.folder, error);
    const auto ring = std::find(open_.begin(), open_.end(), folder);
    if (ring != open_.end()) {
      std::string walk;
      for (auto at = ring; at != open_.end(); ++at) walk += "`" + at->filename().string() + "` → ";
      troubles_.push_back(
          refused("These packages depend on each other in a ring: " + walk + "`" + folder.filename().string() + "`.")
              .at(place)
              .help("Move what both need into a third package."));
      return std::nullopt;
    }
    if (const auto known = positions_.find(folder); known != positions_.end()) {
      return known->second;
    }
    auto manifest = read_manifest(folder / manifest_name);
    if (!manifest) {
      for (Trouble& trouble : manifest.error()) troubles_.push_back(std::move(trouble));
      return std::nullopt;
    }
    return add(std::move(*manifest));
  }

  void read_sources(const Manifest& manifest, ProjectPackage& package) {
    std::vector<fs::path> paths;
    std::error_code error;
    for (fs::directory_iterator it(package.folder / "src", error), end; !error && it != end; it.increment(error)) {
      if (it->path().extension() == source_suffix && !it->is_directory(error)) {
        paths.push_back(it->path());
      }
    }
    std::sort(paths.begin(), paths.end());
    if (paths.empty()) {
      troubles_.push_back(refused("The package `" + manifest.name + "` has no source file.")
                              .at(Place{manifest.file, nullptr, 0, 0})
                              .note("I looked for `.nika` files in `" + shown(package.folder / "src") + "`.")
                              .help("Write `src/main.nika` for a program, or any other file in "
                                    "`src` for a package that others use."));
    }
    for (const fs::path& path : paths) {
      Expected<SourceFile> file = read_source(path, base_);
      if (file) {
        package.files.push_back(std::move(*file));
      } else {
        troubles_.push_back(std::move(file.error()));
      }
    }
  }

  fs::path base_;
  std::vector<fs::path> open_;
  std::map<fs::path, std::size_t> positions_;
};

// The canonical folder a manifest stands in, so that a package is one package by whatever path.
fs::path canonical_manifest(const fs::path& file) {
  std::error_code error;
  const fs::path real = fs::canonical(file.parent_path(), error);
  return (error ? file.parent_path() : real) / manifest_name;
}

fs::path output_below(const fs::path& folder) {
  const char* named = std::getenv("NIKAIA_TARGET_DIR");
  if (named != nullptr && *named != '\0') {
    std::error_code error;
    return fs::absolute(named, error).lexically_normal() / "nikaia";
  }
  return folder / "target/nikaia";
}

tl::expected<Project, Troubles> open_packages(Manifest manifest) {
  Project project;
  project.folder = manifest.folder;
  project.output = output_below(manifest.folder);
  Opener opener(project.folder);
  opener.add(std::move(manifest));
  if (!opener.troubles_.empty()) return tl::unexpected(std::move(opener.troubles_));
  project.packages = std::move(opener.packages_);
  return project;
}

// A file that belongs to no package's `src`: alone, or with the manifest and dependencies above it.
tl::expected<Project, Troubles> open_file(const fs::path& path, const std::string& given_name,
                                          std::optional<Manifest> manifest, const fs::path& cache) {
  Project project;
  project.single_file = true;
  project.folder = path.parent_path();
  project.output = output_below(cache / "files" / fast_digest(path.string()));
  ProjectPackage program;
  program.name = path.stem().string();
  program.folder = project.folder;
  if (manifest) {
    // Only what the package above depends on takes part, not its own files.
    Opener opener(project.folder);
    opener.add(*manifest);
    if (!opener.troubles_.empty()) return tl::unexpected(std::move(opener.troubles_));
    project.packages = std::move(opener.packages_);
    program.dependencies = project.packages.back().dependencies;
    project.packages.pop_back();
    program.manifest = std::move(manifest);
  }
  Expected<SourceFile> file = read_source(path, project.folder);
  if (!file) return all(std::move(file.error()));
  file->given_name = given_name;
  program.files.push_back(std::move(*file));
  project.packages.push_back(std::move(program));
  return project;
}

tl::expected<Manifest, Troubles> read_canonical(const fs::path& file) {
  return read_manifest(canonical_manifest(file));
}

// The manifest of `--project`, or the nearest one; empty path where there is none.
tl::expected<fs::path, Troubles> find_manifest(const CommandLine& command) {
  std::error_code error;
  if (!command.project) return manifest_above(fs::current_path(error));
  const fs::path folder = *command.project;
  if (!fs::is_directory(folder, error)) {
    return all(wrong_command_line("`--project` names `" + *command.project + "`, and there is no such directory.")
                   .help("Give it the directory that holds the `nikaia.toml`."));
  }
  const fs::path file = fs::absolute(folder, error) / manifest_name;
  if (!fs::exists(file, error)) {
    return all(refused("There is no `nikaia.toml` in `" + *command.project + "`.")
                   .help("Make a project with `nikaia new NAME`, or name another directory."));
  }
  return file;
}

}  // namespace

tl::expected<std::optional<Manifest>, Troubles> manifest_for(const CommandLine& command) {
  tl::expected<fs::path, Troubles> file = find_manifest(command);
  if (!file) return tl::unexpected(std::move(file.error()));
  if (file->empty()) return std::nullopt;
  auto manifest = read_canonical(*file);
  if (!manifest) return tl::unexpected(std::move(manifest.error()));
  return std::optional<Manifest>(std::move(*manifest));
}

tl::expected<Project, Troubles> open_project(const CommandLine& command, const fs::path& cache) {
  std::error_code error;
  if (!command.file) {
    tl::expected<fs::path, Troubles> file = find_manifest(command);
    if (!file) return tl::unexpected(std::move(file.error()));
    if (file->empty()) {
      return all(refused("There is no project here: no `nikaia.toml` in this directory or above.")
                     .help("Make one with `nikaia new NAME`, name one with `--project DIR`, or "
                           "give the command a file: `nikaia run FILE.nika`."));
    }
    auto manifest = read_canonical(*file);
    if (!manifest) return tl::unexpected(std::move(manifest.error()));
    return open_packages(std::move(*manifest));
  }

  const fs::path given = *command.file;
  if (!fs::exists(given, error) || fs::is_directory(given, error)) {
    Trouble trouble = wrong_command_line(fs::is_directory(given, error)
                                             ? "`" + *command.file + "` is a directory, and I need a source file."
                                             : "There is no file `" + *command.file + "`.");
    trouble.help("Name a `.nika` file, or work on a project with `--project DIR`.");
    return all(std::move(trouble));
  }
  if (given.extension() != source_suffix) {
    return all(wrong_command_line("`" + *command.file + "` isn't called `….nika`.")
                   .help("Sources of the language have that ending; rename the file."));
  }
  const fs::path path = fs::canonical(given, error);
  const fs::path manifest_file = manifest_above(path.parent_path());
  if (manifest_file.empty()) return open_file(path, *command.file, std::nullopt, cache);

  auto manifest = read_canonical(manifest_file);
  if (!manifest) return tl::unexpected(std::move(manifest.error()));
  const fs::path entry = manifest->folder / "src/main.nika";
  if (command.verb == Verb::run && path != entry) {
    return all(
        refused("`" + *command.file + "` belongs to the project `" + manifest->name + "` and isn't its entry point.")
            .help("Run the project's entry point `" + shown(entry) + "` with `nikaia run`."));
  }
  if (path.parent_path() == manifest->folder / "src") {
    auto project = open_packages(std::move(*manifest));
    if (project) {
      for (SourceFile& file : project->packages.back().files) {
        if (file.path == path) file.given_name = *command.file;
      }
    }
    return project;
  }
  return open_file(path, *command.file, std::move(*manifest), cache);
}

}  // namespace nikaia::driver
