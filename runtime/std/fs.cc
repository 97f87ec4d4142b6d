// std::fs over whole files. The runtime reads and writes; what a name may reach is decided in lookup.cc.
#include <nikaia/rt/std_fs.h>

#include <cerrno>

#include "lookup.h"
#include "utf8.h"

namespace nikaia {

namespace {

// Runs `act` on the place of `path`, again by hand where an absolute link was in the way. `act` answers an errno.
template <class Act>
Result<void> at_place(Str path, const Root& root, Act&& act) {
  auto place = fs::place_of(path, root);
  if (place.failed()) {
    return place.take_failure();
  }
  int error = act(place.value());
  if (error == EXDEV && root.sum.tag() == 0) {
    auto walked = fs::walked_place(path, root, true);
    if (walked.failed()) {
      return walked.take_failure();
    }
    error = act(walked.value());
  }
  if (error != 0) {
    return root.sum.tag() == 0 ? fs::failure_of(error, path) : io_failure(error, path);
  }
  return {};
}

Result<rt::FileContent> content_of(Str path, const Root& root) {
  rt::FileContent content;
  auto read = at_place(path, root, [&](const fs::Place& place) {
    content = rt::read_file(place.name.c_str(), place.lookup);
    return content.error;
  });
  if (read.failed()) {
    return read.take_failure();
  }
  return content;
}

const char* start_of(const rt::FileContent& content) {
  return content.buffer == nullptr ? "" : bytes_of(content.buffer);
}

}  // namespace

Result<Bytes> fs_read(PathRef path, RootRef root, bool) {
  auto content = content_of(path.bytes, *root.root);
  if (content.failed()) {
    return content.take_failure();
  }
  return Bytes(start_of(content.value()), content.value().size, content.value().buffer);
}

Result<String> fs_read_to_string(PathRef path, RootRef root, bool) {
  auto content = content_of(path.bytes, *root.root);
  if (content.failed()) {
    return content.take_failure();
  }
  String text = String::adopt(start_of(content.value()), content.value().size, content.value().buffer);
  if (!utf8::valid(text.data(), text.size())) {
    return Failure::make(IoError::NotText(path_display(path)));
  }
  return text;
}

Result<void> fs_write(PathRef path, RootRef root, DataRef data, bool append, bool create) {
  return at_place(path.bytes, *root.root, [&](const fs::Place& place) {
    return rt::write_file(place.name.c_str(), data.data, data.size, rt::WriteMode{append, create}, place.lookup);
  });
}

Result<bool> fs_exists(PathRef path, RootRef root) {
  bool found = false;
  auto asked = at_place(path.bytes, *root.root, [&](const fs::Place& place) {
    const int error = fs::can_be_found(place);
    found = error == 0;
    return error == ENOENT || error == ENOTDIR ? 0 : error;
  });
  if (asked.failed()) {
    return asked.take_failure();
  }
  return found;
}

}  // namespace nikaia
