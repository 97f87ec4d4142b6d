#include "driver/log.h"

#include <exception>
#include <memory>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <vector>

namespace nikaia::driver {

namespace {

// Never destroyed: a crash handler or an exit in the middle may still log.
spdlog::logger* logger = nullptr;

}  // namespace

namespace detail {

bool logging = false;

void log_line(const std::string& text) {
  logger->info(text);
}

}  // namespace detail

Done start_log(bool to_standard_error, const std::optional<std::filesystem::path>& file) {
  if (!to_standard_error && !file) return {};
  std::vector<spdlog::sink_ptr> sinks;
  if (to_standard_error) sinks.push_back(std::make_shared<spdlog::sinks::stderr_sink_st>());
  if (file) {
    try {
      sinks.push_back(std::make_shared<spdlog::sinks::basic_file_sink_st>(file->string()));
    } catch (const std::exception&) {
      return fail(wrong_command_line("I can't write the log file `" + file->string() + "`.")
                      .help("Give `--log-file` a file in a folder that exists and that you may "
                            "write to."));
    }
  }
  logger = new spdlog::logger("nikaia", sinks.begin(), sinks.end());
  logger->set_pattern("nikaia: [%H:%M:%S.%e] %v");
  logger->flush_on(spdlog::level::info);
  detail::logging = true;
  return {};
}

}  // namespace nikaia::driver
