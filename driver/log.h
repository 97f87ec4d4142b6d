// The driver's own log: what was decided and how long it took, for `-v` and `--log-file`. Off, it
// costs one branch a line. Nothing a user has to know is said only here.
#ifndef NIKAIA_DRIVER_LOG_H
#define NIKAIA_DRIVER_LOG_H

#include <filesystem>
#include <optional>
#include <string>

#include "driver/trouble.h"

namespace nikaia::driver {

namespace detail {
extern bool logging;
void log_line(const std::string& text);
}  // namespace detail

// Switches the log on: to `file`, to standard error, or to both.
Done start_log(bool to_standard_error, const std::optional<std::filesystem::path>& file);

// Logs the text that `make` returns, which is called only where the log is on.
template <typename Make>
void log(Make make) {
  if (detail::logging) detail::log_line(make());
}

}  // namespace nikaia::driver

#endif
