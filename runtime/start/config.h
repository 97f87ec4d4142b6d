// `nikaia-runtime.toml`: what the operator sets, read once when the program starts (language 09
// §3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "runtime/start/message.h"

namespace nikaia::rt {

struct Configuration {
  std::uint32_t io_workers = 1;
  std::uint32_t user_pool = 0;  // 0: one per CPU the process may use
  std::string io_method = "auto";
  std::string cleanup_deadline = "30s";       // as written
  std::int64_t cleanup_deadline_ms = 30'000;  // 0: no drain

  // Where `io-method` stands, for a message about the backend it names: without a line where no
  // file says it.
  StartMessage io_method_place;
};

// The configuration a text states, or the one message about the first thing in it that is wrong.
// `file` is how messages name it. Pure.
[[nodiscard]] std::variant<Configuration, StartMessage> parse_configuration(const std::string& text,
                                                                            const std::string& file);

// Reads the file that holds in this process: the one NIKAIA_RUNTIME_CONFIG names, else
// `nikaia-runtime.toml` in the working directory, else the defaults.
[[nodiscard]] std::variant<Configuration, StartMessage> read_configuration();

// The CPUs this process may use: its affinity mask, at most what its control group's quota pays
// for; at least 1.
[[nodiscard]] std::uint32_t usable_cpus();

}  // namespace nikaia::rt
