// Defects of the compiler (08 §4): their log files, and the crash of a pass.
//
// A crash is reported from the signal handler, on a stack of its own, with system calls alone: the
// heap may be in any state. What a message needs was put into fixed memory beforehand.
#ifndef NIKAIA_DRIVER_DEFECT_H
#define NIKAIA_DRIVER_DEFECT_H

#include <filesystem>
#include <string>
#include <string_view>

#include "driver/trouble.h"

namespace nikaia::driver {

// Writes `content` to `FOLDER/internal-HASH.log` and returns that path; an empty one where the file
// can't be written, which must not hide the defect itself.
std::filesystem::path write_defect_log(const std::filesystem::path& folder, std::string_view content);

// The first lines of every log: versions, and what was asked for.
std::string defect_log_head();
void remember_command_line(int argc, const char* const* argv);

inline constexpr std::string_view report_help =
    "Please report this with that file. Until it is mended, writing the statement another way may "
    "help.";

// Installs the handlers for SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT. `json` is the form of the
// message. From then on a crash ends the process with status 70.
void watch_for_crashes(bool json);
void set_crash_log_folder(const std::filesystem::path& folder);

// What is at work, for the message: `The pass `types` (lib/…)`. Empty: the compiler itself.
void now_at_work(std::string_view who);
// What it looks at; both may be empty. Copies at most 255 bytes each.
void now_looking_at(std::string_view function, std::string_view file);
// "while looking at `f` in `main.nika`", or "" where nothing was said.
std::string where_it_looked();

}  // namespace nikaia::driver

#endif
