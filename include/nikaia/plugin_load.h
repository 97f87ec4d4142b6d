// Opens a plugin file and finds its one exported function, over Boost.DLL on std::filesystem.
//
// A plugin is somebody else's file, so nothing about it is believed before it was looked at: the
// image is read first (is it there, a regular file, an ELF shared object of this machine, and
// whole: mapping a truncated one would end the process with SIGBUS), and only then handed to the
// loader. Every way this can fail has a `LoadFailure` and a sentence that a message can quote.
//
// Used by the compiler's driver (passes) and by `runtime/load` (I/O backends). What the exported
// function returns is the business of the caller, who compares an ABI tag or version first.
#ifndef NIKAIA_PLUGIN_LOAD_H
#define NIKAIA_PLUGIN_LOAD_H

#ifndef BOOST_DLL_USE_STD_FS
#define BOOST_DLL_USE_STD_FS
#endif

#include <boost/dll/shared_library.hpp>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace nikaia::plugin {

enum class LoadFailure {
  not_there,       // no file of that name
  not_readable,    // there, but this user may not read it, or it is no regular file
  not_a_plugin,    // no ELF shared object, one of another machine, or a truncated one
  not_loadable,    // the loader refused it: a symbol or a library it needs is missing
  no_entry_point,  // loaded, but the function a plugin exports is not in it
};

struct LoadError {
  LoadFailure failure;
  // A clause in lower case without a full stop, such as "it is a text file, not a shared object".
  std::string reason;
};

namespace detail {

#if defined(__x86_64__)
inline constexpr Elf64_Half this_machine = EM_X86_64;
#elif defined(__aarch64__)
inline constexpr Elf64_Half this_machine = EM_AARCH64;
#else
#error "nikaia runs on x86_64 and aarch64"
#endif

// Whether the file can be mapped as a shared object of this machine without running past its end.
inline std::optional<LoadError> check_image(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) {
    return LoadError{LoadFailure::not_there, "there is no such file"};
  }
  if (status.type() == fs::file_type::directory) {
    return LoadError{LoadFailure::not_readable, "it is a directory"};
  }
  if (status.type() != fs::file_type::regular) {
    return LoadError{LoadFailure::not_readable, error ? error.message() : "it is not a regular file"};
  }
  const std::uintmax_t size = fs::file_size(file, error);
  std::ifstream in(file, std::ios::binary);
  if (!in || error) {
    return LoadError{LoadFailure::not_readable, std::strerror(errno)};
  }
  Elf64_Ehdr header{};
  in.read(reinterpret_cast<char*>(&header), sizeof header);
  const auto read_bytes = static_cast<std::size_t>(in.gcount());
  if (read_bytes < SELFMAG || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return LoadError{LoadFailure::not_a_plugin, size == 0 ? "the file is empty" : "it is not a shared object"};
  }
  const LoadError truncated{LoadFailure::not_a_plugin, "the file is truncated: it ends before the shared object does"};
  if (read_bytes < sizeof header) return truncated;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != this_machine) {
    return LoadError{LoadFailure::not_a_plugin, "it was built for another machine"};
  }
  if (header.e_type != ET_DYN) {
    return LoadError{LoadFailure::not_a_plugin, "it is not a shared object"};
  }
  if (header.e_phentsize != sizeof(Elf64_Phdr)) return truncated;
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  const std::size_t bytes = segments.size() * sizeof(Elf64_Phdr);
  in.seekg(static_cast<std::streamoff>(header.e_phoff));
  in.read(reinterpret_cast<char*>(segments.data()), static_cast<std::streamsize>(bytes));
  if (static_cast<std::size_t>(in.gcount()) < bytes) return truncated;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_filesz > size || segment.p_offset > size - segment.p_filesz) return truncated;
  }
  return std::nullopt;
}

}  // namespace detail

// A loaded plugin file. It stays loaded to the end of the process, also where this object goes: a
// thread or an exit handler that its initialisers started may be in its code. Neither movable nor
// copyable.
class Library {
 public:
  Library() : library_() {}
  ~Library() {}
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // Loads `file` (a path as the user may see it in a message). All symbols are bound at once, so
  // that a missing one is an error here and not a crash later; nothing of the plugin becomes
  // visible to other libraries. Static initialisers of the plugin run inside this call.
  // Thread-safe, blocks on the file system.
  [[nodiscard]] std::optional<LoadError> open(const std::filesystem::path& file) {
    if (auto bad = detail::check_image(file)) return bad;
    std::error_code ignored;
    const std::filesystem::path absolute = std::filesystem::absolute(file, ignored);
    boost::dll::fs::error_code error;
    dlerror();
    library_.load(absolute, error, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    if (!error) return std::nullopt;
    const char* said = dlerror();
    std::string reason = said != nullptr ? said : error.message();
    const std::string prefix = absolute.string() + ": ";
    if (reason.starts_with(prefix)) reason.erase(0, prefix.size());
    return LoadError{LoadFailure::not_loadable, "the loader says: " + reason};
  }

  // The exported function `name`, or null where the file does not have it. `Function` is a function
  // type; that the plugin's function really has it is what the ABI tag behind it has to say.
  template <typename Function>
  [[nodiscard]] Function* find(const char* name) const {
    if (!library_.is_loaded() || !library_.has(name)) return nullptr;
    return std::addressof(library_.get<Function>(name));
  }

  [[nodiscard]] bool loaded() const { return library_.is_loaded(); }

 private:
  union {
    boost::dll::shared_library library_;  // never destroyed, which would unload
  };
};

}  // namespace nikaia::plugin

#endif
