#include "runtime/start/backend.h"

#include <cctype>
#include <cstring>
#include <utility>

#include <nikaia/rt/runtime.h>

#include "backends/blocking/linked.h"
#include "runtime/load/backends.h"
#include "runtime/start/signals.h"
#include "runtime/timer/timers.h"

namespace nikaia::rt {
namespace {

void log_line(void*, nikaia_io_log_level level, const char* line) {
  if (level > NIKAIA_IO_LOG_WARN) return;
  const std::string text = std::string(level == NIKAIA_IO_LOG_ERROR ? "error: " : "warning: ") + line + "\n";
  err_write(text.data(), text.size());
}
std::int64_t clock_now(void*) {
  return now_ns();
}

// Lives until the last instance has closed.
constexpr nikaia_io_host host{sizeof(nikaia_io_host), 0, nullptr, log_line, clock_now};

// Opens one that is known to be sound. Null, with `error` set, where it can't be.
nikaia_io_instance* open_instance(const nikaia_io_backend& backend, const nikaia_io_config& config, int& error) {
  const SignalsBlocked blocked;  // inherited by the threads that are started
  nikaia_io_instance* instance = nullptr;
  error = backend.open(&config, &host, &instance);
  return error == 0 ? instance : nullptr;
}

}  // namespace

std::variant<OpenedBackend, StartMessage> open_backend(const Configuration& configuration,
                                                       const char* toolchain_backends) {
  const nikaia_io_config config = load::configuration(configuration.io_workers);
  const load::Backends backends(load::standard_places(toolchain_backends, &nikaia_backend_blocking));
  load::Choice choice = load::choose(backends, configuration.io_method, config);
  StartMessage message = configuration.io_method_place;
  if (choice.chosen.backend == nullptr) {
    message.headline = choice.failure.problem + ".";
    message.headline[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(message.headline[0])));
    message.notes = std::move(choice.failure.notes);
    const std::string& near = choice.failure.suggestion;
    if (!near.empty()) message.helps.push_back("Did you mean `io-method = \"" + near + "\"`?");
    if (near != "auto")
      message.helps.push_back("`io-method = \"auto\"` takes the first of `uring` and `blocking` that can serve.");
    return message;
  }
  int error = 0;
  nikaia_io_instance* instance = open_instance(*choice.chosen.backend, config, error);
  if (instance == nullptr) {
    message.headline =
        std::string("The I/O backend `") + choice.chosen.name + "` can't be opened: " + std::strerror(-error) + ".";
    message.helps.push_back(
        "Look whether the process may start threads, open descriptors and lock memory, or name "
        "another backend with `io-method`.");
    return message;
  }
  return OpenedBackend{choice.chosen.backend, instance, std::move(choice.report), std::move(choice.chosen.library)};
}

}  // namespace nikaia::rt
