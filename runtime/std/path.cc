// Paths by their components, and the words of an io::IoError.
#include <cerrno>

#include <nikaia/rt/path.h>

#include "utf8.h"

namespace nikaia {

namespace {

// The components of a path, from either end. Repeated and trailing slashes and `.` count for
// nothing; a leading slash is a component of its own.
class Components {
 public:
  explicit Components(Str path) : rest_(path), rooted_(path.size != 0 && path.data[0] == '/') { trim(); }

  bool next(Str& component) {
    if (rooted_) {
      rooted_ = false;
      component = "/"_s;
      return true;
    }
    if (rest_.size == 0) {
      return false;
    }
    std::size_t end = 0;
    while (end < rest_.size && rest_.data[end] != '/') {
      ++end;
    }
    component = rest_.part(0, end);
    rest_ = rest_.part(end, rest_.size);
    trim();
    return true;
  }
  bool next_back(Str& component) {
    if (rest_.size == 0) {
      component = "/"_s;
      const bool root = rooted_;
      rooted_ = false;
      return root;
    }
    std::size_t start = rest_.size;
    while (start > 0 && rest_.data[start - 1] != '/') {
      --start;
    }
    component = rest_.part(start, rest_.size);
    rest_ = rest_.part(0, start);
    trim();
    return true;
  }
  // What is before the components taken from the back, as it was written.
  Str rest() const { return rest_.size == 0 && rooted_ ? "/"_s : rest_; }

 private:
  void trim() {
    while (rest_.size != 0 &&
           (rest_.data[0] == '/' || (rest_.data[0] == '.' && (rest_.size == 1 || rest_.data[1] == '/')))) {
      rest_ = rest_.part(1, rest_.size);
    }
    while (rest_.size != 0) {
      const char last = rest_.data[rest_.size - 1];
      if (last != '/' && !(last == '.' && (rest_.size == 1 || rest_.data[rest_.size - 2] == '/'))) {
        break;
      }
      rest_ = rest_.part(0, rest_.size - 1);
    }
  }
  Str rest_;
  bool rooted_;
};

Path owned(Str bytes) {
  return Path(clone(bytes));
}

// Where the extension's dot stands in a file name: not first, and not in `..`.
Maybe<std::int64_t> dot_of(Str name) {
  for (std::size_t i = name.size; i > 1; --i) {
    if (name.data[i - 1] == '.') {
      return name == ".."_s ? Maybe<std::int64_t>() : Maybe<std::int64_t>(static_cast<std::int64_t>(i - 1));
    }
  }
  return {};
}

bool file_name_of(Str path, Str& name) {
  Components components(path);
  return components.next_back(name) && name != "/"_s && name != ".."_s;
}

}  // namespace

bool path_starts_with(PathRef path, PathRef part) {
  Components all(path.bytes);
  Components wanted(part.bytes);
  Str mine;
  Str theirs;
  while (wanted.next(theirs)) {
    if (!all.next(mine) || mine != theirs) {
      return false;
    }
  }
  return true;
}
bool path_ends_with(PathRef path, PathRef part) {
  Components all(path.bytes);
  Components wanted(part.bytes);
  Str mine;
  Str theirs;
  while (wanted.next_back(theirs)) {
    if (!all.next_back(mine) || mine != theirs) {
      return false;
    }
  }
  return true;
}
Maybe<Path> path_file_name(PathRef path) {
  Str name;
  return file_name_of(path.bytes, name) ? Maybe<Path>(owned(name)) : Maybe<Path>();
}
Maybe<Path> path_extension(PathRef path) {
  Str name;
  if (!file_name_of(path.bytes, name)) {
    return {};
  }
  const auto dot = dot_of(name);
  return dot.has() ? Maybe<Path>(owned(name.part(static_cast<std::size_t>(*dot) + 1, name.size))) : Maybe<Path>();
}
Maybe<Path> path_parent(PathRef path) {
  Components components(path.bytes);
  Str last;
  if (!components.next_back(last) || last == "/"_s || components.rest().size == 0) {
    return {};
  }
  Str parent = components.rest();
  if (path.bytes.data[0] == '/' && parent != "/"_s) {
    // The slash the components left out.
    parent = path.bytes.part(0, static_cast<std::size_t>(parent.data + parent.size - path.bytes.data));
  }
  return owned(parent);
}
Path path_with_extension(PathRef path, PathRef extension) {
  Str name;
  if (!file_name_of(path.bytes, name)) {
    return owned(path.bytes);
  }
  const auto dot = dot_of(name);
  const auto start = static_cast<std::size_t>(name.data - path.bytes.data);
  String made = clone(path.bytes.part(0, start + (dot.has() ? static_cast<std::size_t>(*dot) : name.size)));
  if (extension.bytes.size != 0) {
    made.append_byte('.');
    made.append(extension.bytes);
  }
  return made;
}
Path path_join(PathRef path, PathRef part) {
  if (part.bytes.size != 0 && part.bytes.data[0] == '/') {
    return owned(part.bytes);
  }
  String made = clone(path.bytes);
  if (made.size() != 0 && made.data()[made.size() - 1] != '/') {
    made.append_byte('/');
  }
  made.append(part.bytes);
  return made;
}
String path_display(PathRef path) {
  String out;
  Str rest = path.bytes;
  while (rest.size != 0) {
    const std::size_t valid = utf8::valid_prefix(rest.data, rest.size);
    out.append(rest.part(0, valid));
    rest = rest.part(valid, rest.size);
    if (rest.size != 0) {
      out.append_char(U'\uFFFD');
      rest = rest.part(1, rest.size);
    }
  }
  return out;
}
Result<String> path_to_text(PathRef path) {
  if (!utf8::valid(path.bytes.data, path.bytes.size)) {
    return Failure::make(IoError::NotText(path_display(path)));
  }
  return clone(path.bytes);
}
void Path::show(String& out) const {
  out.append(path_display(*this));
}
void Path::debug(DebugText& out) const {
  debug_text(out.out(), path_display(*this));
}

IoError IoError::clone() const {
  IoError made;
  switch (sum.tag()) {
    case 0: return NotFound(sum.as<0>().part0.clone());
    case 1: return PermissionDenied(sum.as<1>().part0.clone());
    case 2: return NotText(nikaia::clone(sum.as<2>().part0));
    case 3: return Outside(sum.as<3>().part0.clone());
    case 4: return Other(nikaia::clone(sum.as<4>().part0));
    default: return made;
  }
}
String IoError::message() const {
  switch (sum.tag()) {
    case 0: return format("no such file or directory: "_s, sum.as<0>().part0);
    case 1: return format("permission denied: "_s, sum.as<1>().part0);
    case 2: return format("not valid UTF-8: "_s, sum.as<2>().part0);
    case 3: return format("outside its root: "_s, sum.as<3>().part0);
    default: return sum.tag() == 4 ? nikaia::clone(sum.as<4>().part0) : String();
  }
}
void IoError::debug(DebugText& out) const {
  constexpr Str names[] = {"NotFound"_s, "PermissionDenied"_s, "NotText"_s, "Outside"_s, "Other"_s};
  if (sum.tag() < 5) {
    out.begin_variant(names[sum.tag()]);
    sum.visit([&](const auto& held) { out.item(held.part0); });
    out.end_variant();
  }
}
void Root::debug(DebugText& out) const {
  if (sum.tag() == 0) {
    out.begin_variant("Dir"_s);
    out.item(sum.as<0>().part0);
    out.end_variant();
  } else {
    out.out().append("Anywhere"_s);
  }
}

Failure io_failure(int error, Str path) {
  switch (error) {
    case ENOENT: return Failure::make(IoError::NotFound(owned(path)));
    case EACCES:
    case EPERM: return Failure::make(IoError::PermissionDenied(owned(path)));
    default: {
      const char* const words = std::strerror(error);
      return io_failure_other(Str(words, std::strlen(words)));
    }
  }
}
Failure io_failure_other(Str words) {
  String own = String::with_room(words.size);
  own.append(words);
  return Failure::make(IoError::Other(static_cast<String&&>(own)));
}

}  // namespace nikaia
