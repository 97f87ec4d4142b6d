// What a part of the driver gives back when it cannot go on: a message without a code (language
// reference 08 §16) and the exit status it stands for. Whoever runs the command turns it into a
// diagnostic; nothing below prints.
#ifndef NIKAIA_DRIVER_TROUBLE_H
#define NIKAIA_DRIVER_TROUBLE_H

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace nikaia::driver {

// Exit statuses of `nikaia` (06 §3.5).
inline constexpr int status_done = 0;
inline constexpr int status_refused = 1;
inline constexpr int status_wrong_command_line = 2;
inline constexpr int status_defect = 70;
inline constexpr int status_unusable_configuration = 78;

// A spot in a file that the driver read itself, such as the manifest. Without `text` the message
// names the file alone.
struct Place {
  std::filesystem::path file;
  std::shared_ptr<const std::string> text;
  std::size_t begin = 0;  // bytes, [begin, end)
  std::size_t end = 0;
};

struct Trouble {
  int status = status_refused;
  std::string headline;  // one sentence with its full stop
  std::optional<Place> place;
  std::vector<std::string> notes;
  std::vector<std::string> helps;

  Trouble& note(std::string text) {
    notes.push_back(std::move(text));
    return *this;
  }
  Trouble& help(std::string text) {
    helps.push_back(std::move(text));
    return *this;
  }
  Trouble& at(Place where) {
    place = std::move(where);
    return *this;
  }
};

inline Trouble refused(std::string headline) {
  return Trouble{status_refused, std::move(headline), {}, {}, {}};
}
inline Trouble wrong_command_line(std::string headline) {
  return Trouble{status_wrong_command_line, std::move(headline), {}, {}, {}};
}
inline Trouble unusable(std::string headline) {
  return Trouble{status_unusable_configuration, std::move(headline), {}, {}, {}};
}

template <typename T>
using Expected = tl::expected<T, Trouble>;
using Done = Expected<void>;

inline tl::unexpected<Trouble> fail(Trouble trouble) {
  return tl::unexpected<Trouble>(std::move(trouble));
}

}  // namespace nikaia::driver

#endif
