// The packages of a build and their source files, found from a manifest or a single file.
//
// A project is the package of its `nikaia.toml` and every package it reaches by `path`, in
// dependency order. A file outside every project is a program of its own; what is built of it lies
// in the user's cache under a name made from the file's path.
#ifndef NIKAIA_DRIVER_PROJECT_H
#define NIKAIA_DRIVER_PROJECT_H

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "driver/command_line.h"
#include "driver/manifest.h"
#include "driver/trouble.h"

namespace nikaia::driver {

struct SourceFile {
  std::filesystem::path path;  // absolute
  std::string stable_name;     // from the project's folder: "src/main.nika"; what emitted text says
  std::string given_name;      // as the command line wrote it; empty where it did not
  std::string text;            // read when the project is opened
};

struct ProjectPackage {
  std::string name;
  std::filesystem::path folder;
  std::optional<Manifest> manifest;  // absent for a single file
  std::vector<SourceFile> files;     // by name
  struct Edge {
    std::string key;      // what a `use` writes
    std::size_t package;  // position in `Project::packages`
  };
  std::vector<Edge> dependencies;
};

struct Project {
  std::vector<ProjectPackage> packages;  // in dependency order, the program's own last
  std::filesystem::path folder;          // stable names start here; the C++ compiler runs here
  std::filesystem::path output;          // `target/nikaia`, not made yet
  bool single_file = false;

  [[nodiscard]] const ProjectPackage& program() const { return packages.back(); }
  [[nodiscard]] const Manifest* manifest() const { return program().manifest ? &*program().manifest : nullptr; }
};

using Troubles = std::vector<Trouble>;

// The project a command works on: `file` of the command line where it names one, else that of
// `--project`, else the nearest at or above the working directory. Reads every source.
tl::expected<Project, Troubles> open_project(const CommandLine& command, const std::filesystem::path& cache);

// The manifest whose `[build]` a command that needs no project reads; nothing where there is none.
tl::expected<std::optional<Manifest>, Troubles> manifest_for(const CommandLine& command);

}  // namespace nikaia::driver

#endif
