// `nikaia new`: a project, a pass plugin or an I/O backend to start from (06 §2.1).
//
// The texts stand in templates.cc; `@NAME@` and `@IDENT@` in them are the name as given and as an
// identifier.
#include <algorithm>
#include <cctype>
#include <string>

#include "driver/files.h"
#include "driver/session.h"
#include "driver/templates.h"

namespace nikaia::driver {
namespace fs = std::filesystem;

namespace {

std::string replace_all(std::string text, std::string_view what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), with);
    at += with.size();
  }
  return text;
}

bool is_name(std::string_view name) {
  return !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0 &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; });
}

}  // namespace

int create_command(Session& session) {
  const fs::path folder = session.command.new_name;
  const std::string name = folder.filename().string();
  if (!is_name(name)) {
    return session.stop(
        refused("`" + name + "` can't be a name.").help("Use letters, digits, `-` and `_`, beginning with a letter."));
  }
  std::error_code error;
  const bool exists = fs::exists(fs::symlink_status(folder, error));
  if (exists && (!fs::is_directory(folder, error) || !fs::is_empty(folder, error))) {
    return session.stop(refused("`" + folder.string() + "` exists already and isn't empty.")
                            .help("Choose another name, or empty the directory."));
  }
  std::string identifier = name;
  std::replace(identifier.begin(), identifier.end(), '-', '_');
  for (const Template& file : templates_of(session.command.creation)) {
    const std::string path = replace_all(file.path, "@NAME@", name);
    std::string text = replace_all(file.text, "@NAME@", name);
    text = replace_all(std::move(text), "@IDENT@", identifier);
    if (Done written = write_file(folder / path, text); !written) {
      return session.stop(written.error());
    }
  }
  return session.messages.finish(status_done);
}

}  // namespace nikaia::driver
