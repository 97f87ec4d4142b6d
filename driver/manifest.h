// The manifest `nikaia.toml` (language reference 06 §4): what it may say, and what it says.
//
// One table in manifest.cc lists every table and key with the values it takes; what is not in the
// list is refused at the key, what does not fit at the value. All faults of a file are found at
// once.
#ifndef NIKAIA_DRIVER_MANIFEST_H
#define NIKAIA_DRIVER_MANIFEST_H

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/trouble.h"

namespace nikaia::driver {

// Where a value of the manifest stands, to underline it in a message that is found out later.
struct ManifestPlace {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct ForeignLibrary {
  bool cpp = false;  // `type = "c++"`
  std::string pkg_config;
  std::string version;
  std::vector<std::filesystem::path> include;  // absolute
  std::vector<std::filesystem::path> link_path;
  std::vector<std::string> link;
  std::vector<std::string> headers;
  std::string name_space;
};

struct Dependency {
  std::string key;
  ManifestPlace place;           // of the key
  std::filesystem::path folder;  // of a Nikaia package: absolute; empty for a foreign library
  std::optional<ForeignLibrary> foreign;
};

// What `[build.<target>]` says about the profile `release`.
struct CodeGeneration {
  std::string opt_level = "3";
  bool lto = true;
  bool incremental = true;
};

struct Manifest {
  std::filesystem::path file;    // absolute
  std::filesystem::path folder;  // the one it stands in
  std::shared_ptr<const std::string> text;

  std::string name;
  std::string version;
  std::vector<std::string> authors;

  std::string target;  // empty: the host
  bool c_library = false;
  std::string symbol_prefix;
  bool user_parallelism = false;
  bool reentrancy_check = true;
  bool ordering_effects = false;
  std::vector<std::string> passes;
  std::vector<ManifestPlace> pass_places;
  std::map<std::string, bool> optimization;
  bool refuted_claims_warn = false;
  bool has_build_table = false;
  std::map<std::string, CodeGeneration> code_generation;  // by target
  std::vector<Dependency> dependencies;                   // in the order of their keys

  bool names_cleanup_deadline = false;  // a key that belongs to nikaia-runtime.toml

  [[nodiscard]] Place at(ManifestPlace place) const { return {file, text, place.begin, place.end}; }
};

inline constexpr std::string_view manifest_name = "nikaia.toml";

// Reads one manifest. On failure every fault found in it, in the order of their places.
tl::expected<Manifest, std::vector<Trouble>> read_manifest(const std::filesystem::path& file);

// The nearest `nikaia.toml` at or above `folder`; empty where there is none.
std::filesystem::path manifest_above(const std::filesystem::path& folder);

// Parses "NAME:on,NAME:off" of `optimization`, in the manifest and on the command line. What is
// wrong with it, or nothing.
std::optional<std::string> read_optimizations(std::string_view text, std::map<std::string, bool>& out);

inline constexpr std::string_view known_targets[] = {"x86_64-linux", "aarch64-linux"};

}  // namespace nikaia::driver

#endif
