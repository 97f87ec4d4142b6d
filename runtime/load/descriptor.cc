// Loads one file over <nikaia/plugin_load.h>, which brings in Boost.DLL: only here.
#include "runtime/load/descriptor.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <sys/stat.h>
#include <utility>

#include <nikaia/plugin_load.h>

namespace nikaia::load {
namespace {

constexpr mode_t others_write = S_IWGRP | S_IWOTH;

// "its folder `/x` (mode 0777)" where others can write to it.
std::string open_to_others(const std::filesystem::path& path, const char* what) {
  struct stat about {};
  if (stat(path.c_str(), &about) < 0 || (about.st_mode & others_write) == 0) return {};
  char mode[16];
  std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(about.st_mode & 07777u));
  return std::string(what) + " `" + path.string() + "` (mode " + mode + ")";
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  return folder.empty() ? std::filesystem::path(".") : folder;
}

// Whether an address lies in the object that `symbol` was found in. A symbol of the right name that
// holds something else than a pointer must not be followed.
bool in_same_object(const void* address, const void* symbol) {
  Dl_info of_address{};
  Dl_info of_symbol{};
  return dladdr(address, &of_address) != 0 && dladdr(symbol, &of_symbol) != 0 &&
         of_address.dli_fbase == of_symbol.dli_fbase;
}

struct Entry {
  const char* name;
  bool (*there)(const nikaia_io_backend&);
};

constexpr Entry functions[] = {
    {"probe", [](const nikaia_io_backend& b) { return b.probe != nullptr; }},
    {"open", [](const nikaia_io_backend& b) { return b.open != nullptr; }},
    {"submit", [](const nikaia_io_backend& b) { return b.submit != nullptr; }},
    {"reap", [](const nikaia_io_backend& b) { return b.reap != nullptr; }},
    {"wait", [](const nikaia_io_backend& b) { return b.wait != nullptr; }},
    {"wake", [](const nikaia_io_backend& b) { return b.wake != nullptr; }},
    {"cancel", [](const nikaia_io_backend& b) { return b.cancel != nullptr; }},
    {"pending", [](const nikaia_io_backend& b) { return b.pending != nullptr; }},
    {"close", [](const nikaia_io_backend& b) { return b.close != nullptr; }},
};

}  // namespace

std::string distrust(const std::filesystem::path& file) {
  std::string who = open_to_others(file, "the file");
  if (who.empty()) who = open_to_others(folder_of(file), "its folder");
  if (who.empty()) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(file, error);
    if (!error) who = open_to_others(folder_of(real), "its folder");
  }
  if (who.empty()) return {};
  return "others than its owner can write to " + who +
         "; take that right away (chmod go-w), or set NIKAIA_BACKEND_TRUST=1 to accept it";
}

std::string misunderstood(const nikaia_io_backend* descriptor) {
  if (descriptor->magic != NIKAIA_IO_MAGIC) {
    return "`" NIKAIA_IO_SYMBOL
           "` in it is not the descriptor of a backend: its magic number is "
           "wrong";
  }
  if (descriptor->abi_version < 1 || descriptor->abi_version > NIKAIA_IO_ABI_VERSION) {
    const std::string understood = NIKAIA_IO_ABI_VERSION == 1
                                       ? std::string("version 1 is")
                                       : "versions 1 to " + std::to_string(NIKAIA_IO_ABI_VERSION) + " are";
    return "it has version " + std::to_string(descriptor->abi_version) + " of the backend ABI, and " + understood +
           " understood";
  }
  if (descriptor->struct_size < sizeof(nikaia_io_backend)) {
    return "its descriptor has " + std::to_string(descriptor->struct_size) + " bytes, and version " +
           std::to_string(descriptor->abi_version) + " has " + std::to_string(sizeof(nikaia_io_backend));
  }
  if (descriptor->name == nullptr || descriptor->version == nullptr) {
    return "its descriptor has no name or no version";
  }
  for (const Entry& function : functions) {
    if (!function.there(*descriptor)) {
      return std::string("its descriptor has no function `") + function.name + "`";
    }
  }
  return {};
}

Loaded load_file(const std::filesystem::path& file, bool trust) {
  Loaded result;
  if (!trust) {
    result.reason = distrust(file);
    if (!result.reason.empty()) return result;
  }
  auto library = std::make_shared<plugin::Library>();
  if (auto error = library->open(file)) {
    result.reason = std::move(error->reason);
    return result;
  }
  using Symbol = const nikaia_io_backend* const;
  Symbol* symbol = library->find<Symbol>(NIKAIA_IO_SYMBOL);
  if (symbol == nullptr) {
    result.reason = "it does not export `" NIKAIA_IO_SYMBOL "`, which every backend does";
    return result;
  }
  if (*symbol == nullptr || !in_same_object(*symbol, symbol)) {
    result.reason = "`" NIKAIA_IO_SYMBOL "` in it does not point to a descriptor";
    return result;
  }
  result.reason = misunderstood(*symbol);
  if (!result.reason.empty()) return result;
  result.backend = *symbol;
  result.library = std::move(library);
  return result;
}

}  // namespace nikaia::load
