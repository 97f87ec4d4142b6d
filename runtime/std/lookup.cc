// Names under roots. The kernel resolves (openat2 with RESOLVE_BENEATH): what it opened is what it
// checked. It refuses absolute links altogether, though, also those that lead back under the root;
// for them the name is walked here, one descriptor a component, each opened relative to the one
// before and without following links.
#include "lookup.h"

#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/io/operations.h"

namespace nikaia::fs {

namespace {

constexpr int link_limit = 40;  // as the kernel's

Str root_path(const Root& root) {
  return root.sum.as<0>().part0.bytes;
}

Result<Descriptor> open_root(const Root& root) {
  const SystemPath path(root_path(root));
  Descriptor opened(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!opened.ok()) {
    return failure_of(errno, root_path(root));
  }
  return opened;
}

// Where the root lies, without links.
Result<String> real_root(const Root& root) {
  const SystemPath path(root_path(root));
  char* const real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) {
    return failure_of(errno, root_path(root));
  }
  String found;
  found.append(real, std::strlen(real));
  std::free(real);
  return found;
}

Failure outside(Str path) {
  return Failure::make(IoError::Outside(Path(clone(path))));
}

bool is_absolute(Str path) {
  return path.size != 0 && path.data[0] == '/';
}

// The first component of `rest`, and `rest` behind it.
Str take_component(Str& rest) {
  std::size_t from = 0;
  while (from < rest.size && rest.data[from] == '/') {
    ++from;
  }
  std::size_t to = from;
  while (to < rest.size && rest.data[to] != '/') {
    ++to;
  }
  const Str component = rest.part(from, to);
  rest = rest.part(to, rest.size);
  return component;
}

// An absolute name has to lead to the root first: answers what is left of it below the root.
bool below_root(Str name, Str real, Str& rest) {
  Str wanted = real;
  while (true) {
    const Str component = take_component(wanted);
    if (component.size == 0) {
      rest = name;
      return true;
    }
    Str mine = take_component(name);
    while (mine == "."_s) {
      mine = take_component(name);
    }
    if (mine != component) {
      return false;
    }
  }
}

String without_leading_slashes(Str rest) {
  while (rest.size != 0 && rest.data[0] == '/') {
    rest = rest.part(1, rest.size);
  }
  return clone(rest.size == 0 ? "."_s : rest);
}

// The name relative to the root, for an absolute one after the root's own components.
Result<String> name_below(Str path, const Root& root) {
  if (!is_absolute(path)) {
    return clone(path.size == 0 ? ""_s : path);
  }
  // The root as written, or as it really is.
  Str rest;
  if (is_absolute(root_path(root)) && below_root(path, root_path(root), rest)) {
    return without_leading_slashes(rest);
  }
  auto real = real_root(root);
  if (real.failed()) {
    return real.take_failure();
  }
  if (!below_root(path, real.value(), rest)) {
    return outside(path);
  }
  return without_leading_slashes(rest);
}

int open_beneath(int folder, const char* name, std::uint64_t flags, std::uint64_t resolve = RESOLVE_BENEATH) {
  open_how how{};
  how.flags = flags;
  how.resolve = resolve;
  return static_cast<int>(::syscall(SYS_openat2, folder, name, &how, sizeof how));
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

int open_at(const Place& place, int flags, unsigned mode) {
  nikaia_io_op op{};
  op.kind = NIKAIA_IO_OPEN;
  op.fd = place.lookup.folder;
  op.path = place.name.c_str();
  op.flags = static_cast<std::uint32_t>(flags | O_CLOEXEC);
  op.mode = mode;
  op.resolve = place.lookup.resolve;
  return static_cast<int>(rt::perform(op));
}

Result<Descriptor> open_path(Str path, const Root& root, int flags, unsigned mode) {
  Descriptor opened;
  auto done = at_place(path, root, [&](const Place& place) {
    const int fd = open_at(place, flags, mode);
    if (fd < 0) {
      return -fd;
    }
    opened = Descriptor(fd);
    return 0;
  });
  if (done.failed()) {
    return done.take_failure();
  }
  return opened;
}

int can_be_found(const Place& place) {
  if (place.lookup.resolve == 0) {
    return ::faccessat(place.lookup.folder, place.name.c_str(), F_OK, 0) == 0 ? 0 : errno;
  }
  const Descriptor found(
      open_beneath(place.lookup.folder, place.name.c_str(), O_PATH | O_CLOEXEC, place.lookup.resolve));
  return found.ok() ? 0 : errno;
}

Failure failure_of(int error, Str path) {
  return error == EXDEV ? outside(path) : io_failure(error, path);
}

Result<Place> place_of(Str path, const Root& root) {
  if (holds_zero(path)) {
    return io_failure(EINVAL, path);
  }
  if (root.sum.tag() != 0) {
    return Place{Descriptor(), SystemPath(path), rt::Lookup{}};
  }
  auto name = name_below(path, root);
  if (name.failed()) {
    return name.take_failure();
  }
  auto opened = open_root(root);
  if (opened.failed()) {
    return opened.take_failure();
  }
  rt::Lookup lookup;
  lookup.folder = opened.value().get();
  lookup.resolve = RESOLVE_BENEATH;
  return Place{opened.take(), SystemPath(name.value()), lookup};
}

Result<Place> walked_place(Str path, const Root& root, bool follow_last) {
  auto name = name_below(path, root);
  if (name.failed()) {
    return name.take_failure();
  }
  auto real = real_root(root);
  if (real.failed()) {
    return real.take_failure();
  }
  auto opened = open_root(root);
  if (opened.failed()) {
    return opened.take_failure();
  }
  Vec<int> above;  // the directories above the one we are in, the root first; closed below
  Descriptor here = opened.take();
  struct Closing {
    Vec<int>& fds;
    ~Closing() {
      for (const int fd : fds) {
        ::close(fd);
      }
    }
  } closing{above};
  String rest = name.take();
  int links = 0;
  while (true) {
    Str left = rest;
    const Str component = take_component(left);
    Str behind = left;
    const bool last = take_component(behind).size == 0;
    if (component.size == 0 || component == "."_s) {
      if (last) {
        rt::Lookup lookup;
        lookup.folder = here.get();
        lookup.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
        return Place{static_cast<Descriptor&&>(here), SystemPath("."_s), lookup};
      }
      rest = clone(left);
      continue;
    }
    if (component == ".."_s) {
      if (above.size() == 0) {
        return outside(path);
      }
      here = Descriptor(vec_pop(above).take());
      rest = clone(left.size == 0 ? "."_s : left);
      continue;
    }
    const SystemPath part(component);
    char target[PATH_MAX];
    const ssize_t length = last && !follow_last ? -1 : ::readlinkat(here.get(), part.c_str(), target, sizeof target);
    if (length < 0) {
      if (last) {
        rt::Lookup lookup;
        lookup.folder = here.get();
        lookup.resolve = RESOLVE_BENEATH | (follow_last ? RESOLVE_NO_SYMLINKS : 0);
        return Place{static_cast<Descriptor&&>(here), SystemPath(component), lookup};
      }
      Descriptor inside(::openat(here.get(), part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (!inside.ok()) {
        return failure_of(errno, path);
      }
      above.push(here.release());
      here = static_cast<Descriptor&&>(inside);
      rest = clone(left);
      continue;
    }
    if (++links > link_limit) {
      return failure_of(ELOOP, path);
    }
    // What the link says, before what is left of the name.
    String joined;
    const Str said(target, static_cast<std::size_t>(length));
    if (is_absolute(said)) {
      Str below;
      if (!below_root(said, real.value(), below)) {
        return outside(path);
      }
      joined.append("."_s);
      joined.append(below);
      while (above.size() > 0) {  // back to the root
        here = Descriptor(vec_pop(above).take());
      }
    } else {
      joined.append(said);
    }
    joined.append("/"_s);
    joined.append(left);
    rest = static_cast<String&&>(joined);
  }
}

Result<Place> parent_place(Str path, const Root& root) {
  auto name = path_file_name(path);
  if (!name.has()) {
    return io_failure(EINVAL, path);
  }
  auto parent = path_parent(path);
  const Str above = parent.has() ? static_cast<Str>(parent.value().bytes) : "."_s;
  auto place = place_of(above, root);
  if (place.failed()) {
    return place.take_failure();
  }
  Place& found = place.value();
  Descriptor folder;
  if (root.sum.tag() != 0) {
    folder = Descriptor(::open(found.name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  } else {
    folder = Descriptor(open_beneath(found.root.get(), found.name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder.ok() && errno == EXDEV) {
      auto walked = walked_place(above, root, true);
      if (walked.failed()) {
        Failure failure = walked.take_failure();
        if (failure.is<IoError>() && failure.as<IoError>().sum.tag() == 3) {
          return outside(path);
        }
        return failure;
      }
      folder = Descriptor(
          open_beneath(walked.value().root.get(), walked.value().name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    }
  }
  if (!folder.ok()) {
    return failure_of(errno, path);
  }
  rt::Lookup lookup;
  lookup.folder = folder.get();
  return Place{static_cast<Descriptor&&>(folder), SystemPath(name.value().bytes), lookup};
}

}  // namespace nikaia::fs
