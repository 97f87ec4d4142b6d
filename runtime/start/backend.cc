#include "runtime/start/backend.h"

#include <nikaia/rt/runtime.h>

#include <cstring>

#include "backends/blocking/linked.h"
#include "runtime/start/signals.h"
#include "runtime/timer/timers.h"

namespace nikaia::rt {
namespace {

void log_line(void*, nikaia_io_log_level level, const char* line) {
  if (level > NIKAIA_IO_LOG_WARN) return;
  const std::string text = std::string(level == NIKAIA_IO_LOG_ERROR ? "error: " : "warning: ") + line + "\n";
  err_write(text.data(), text.size());
}
std::int64_t clock_now(void*) { return now_ns(); }

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

std::variant<OpenedBackend, StartMessage> open_backend(const Configuration& configuration) {
  const nikaia_io_config config{sizeof(nikaia_io_config), NIKAIA_IO_ABI_VERSION, configuration.io_workers, 0};
  StartMessage message = configuration.io_method_place;
  if (configuration.io_method != "auto" && configuration.io_method != "blocking") {
    message.headline = "There is no backend `" + configuration.io_method + "` here.";
    message.helps.push_back("Write `io-method = \"auto\"`.");
    return message;
  }
  int error = 0;
  nikaia_io_instance* instance = open_instance(nikaia_backend_blocking, config, error);
  if (instance == nullptr) {
    message.headline = std::string("The backend `blocking` can't be opened: ") + std::strerror(-error) + ".";
    message.helps.push_back("Look whether the process may start threads and open descriptors.");
    return message;
  }
  return OpenedBackend{&nikaia_backend_blocking, instance,
                       configuration.io_method == "auto" ? "auto (chose blocking)" : "blocking"};
}

}  // namespace nikaia::rt
