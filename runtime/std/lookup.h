// Resolving a name under its root (language 07 §12.2): from a path and a root to a look-up the
// runtime's file operations take, or the failure.
#pragma once

#include <cerrno>

#include <nikaia/rt/io.h>
#include <nikaia/rt/path.h>

#include "runtime/io/system_path.h"

namespace nikaia::fs {

using rt::SystemPath;

// A descriptor, closed also where the task is unwound.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_ = -1;
};

// Where to look a name up. Under `Anywhere` the name itself; under `Dir` the root's descriptor and
// the name below it, resolved by the kernel without leaving (RESOLVE_BENEATH).
struct Place {
  Descriptor root;  // none under Anywhere
  SystemPath name;
  rt::Lookup lookup;
};
Result<Place> place_of(Str path, const Root& root);

using rt::holds_zero;

// `Outside` for EXDEV, which a look-up under a root ends with; else as io_failure.
Failure failure_of(int error, Str path);

// After the kernel answered EXDEV: it does not follow absolute links, which may lead back under the
// root. Walks the name by hand; answers the directory that holds the last component and that
// component, links followed, or `Outside`. `follow_last` false leaves a link that is the last
// component alone.
Result<Place> walked_place(Str path, const Root& root, bool follow_last);

// The directory a name stands in, resolved under the root, and the name's own last component: for
// what acts on a link and not on its target.
Result<Place> parent_place(Str path, const Root& root);

inline bool is_anywhere(const Root& root) {
  return root.sum.tag() != 0;
}

// Runs `act` on the place of `path`, once more by hand where an absolute link was in the way. `act`
// answers an errno.
template <class Act>
Result<void> at_place(Str path, const Root& root, Act&& act) {
  if (is_anywhere(root) && !holds_zero(path)) {
    const Place place{Descriptor(), SystemPath(path), rt::Lookup{}};
    const int error = act(place);
    return error == 0 ? Result<void>() : io_failure(error, path);
  }
  auto place = place_of(path, root);
  if (place.failed()) {
    return place.take_failure();
  }
  int error = act(place.value());
  if (error == EXDEV) {
    auto walked = walked_place(path, root, true);
    if (walked.failed()) {
      return walked.take_failure();
    }
    error = act(walked.value());
  }
  return error == 0 ? Result<void>() : failure_of(error, path);
}

// Opens the place. A descriptor or a negative errno. Pauses.
int open_at(const Place& place, int flags, unsigned mode = 0);
// The same by path and root.
Result<Descriptor> open_path(Str path, const Root& root, int flags, unsigned mode = 0);

// Whether something is there: 0 or the errno. One short system call on the calling thread.
int can_be_found(const Place& place);

}  // namespace nikaia::fs
