// The I/O backends of this machine: where they are looked for, which were found, which one serves.
//
// Used by a program's start (`choose`) and by `nikaia backends` (`all`). Knows nothing of the
// runtime: it returns descriptors and sentences, and whoever calls prints. Nothing here throws for
// what can be wrong with a folder, a file or a name. One thread at a time for one `Backends`.
#ifndef NIKAIA_RUNTIME_LOAD_BACKENDS_H
#define NIKAIA_RUNTIME_LOAD_BACKENDS_H

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nikaia/backend.h>

namespace nikaia::load {

struct Places {
  // Searched in this order; a folder that is not there is passed over.
  std::vector<std::filesystem::path> folders;
  // The backend that is linked into the program, found after all files; null: none.
  const nikaia_io_backend* linked = nullptr;
  // Files and folders that others can write to are accepted.
  bool trust = false;
};

// The folders of NIKAIA_BACKEND_PATH, `backends` beside the running executable, then `toolchain`
// (empty: none); and whether NIKAIA_BACKEND_TRUST is 1.
[[nodiscard]] Places standard_places(const std::filesystem::path& toolchain, const nikaia_io_backend* linked);

// A configuration for `probe` and `open`: this header's version, `io_workers` threads.
[[nodiscard]] nikaia_io_config configuration(std::uint32_t io_workers);

enum class Standing {
  serves,    // what its name stands for
  shadowed,  // loaded, but another of its name comes before it
  refused,   // not loaded, `reason` says why
};

struct Candidate {
  std::string name;            // of the file's name
  std::filesystem::path file;  // empty: linked into the program
  Standing standing = Standing::refused;
  std::string reason;
  const nikaia_io_backend* backend = nullptr;  // null: refused
  std::shared_ptr<void> library;               // keeps `backend` loaded
};

struct Verdict {
  bool serves = false;
  std::string reason;  // why not
};

// Asks the backend whether it can serve here, now.
[[nodiscard]] Verdict probe(const nikaia_io_backend& backend, const nikaia_io_config& config);

// The names of the capability bits that are set: "readiness", "batching", ...
[[nodiscard]] std::vector<std::string_view> capability_names(std::uint64_t capabilities);

class Backends {
 public:
  explicit Backends(Places places);

  // Every file of every folder, loaded where that can be done, in order of search and by name
  // within a folder; the linked one last.
  [[nodiscard]] std::vector<Candidate> all() const;

  // The same for one name, loading no file of another and stopping at the one that serves.
  [[nodiscard]] std::vector<Candidate> named(std::string_view name) const;

 private:
  Places places_;
};

// Why no backend could be chosen, in the pieces a message is laid out from.
struct Failure {
  std::string problem;             // one sentence without a full stop
  std::string suggestion;          // what to write instead; empty: nothing is near
  std::vector<std::string> notes;  // one line for each backend found and each file that could not be loaded
};

struct Choice {
  // The chosen one; its `backend` is null where there is none, and then `failure` says why.
  Candidate chosen;
  // For the report line: "uring", "auto (chose uring)", "auto (chose blocking: uring: REASON)".
  std::string report;
  Failure failure;
};

// `method` is "auto" or a backend's name. The choice keeps its backend loaded, whatever becomes of
// `backends`.
[[nodiscard]] Choice choose(const Backends& backends, std::string_view method, const nikaia_io_config& config);

}  // namespace nikaia::load

#endif
