// Names of files as the system wants them.
#pragma once

#include <cstdlib>
#include <cstring>
#include <utility>

#include <nikaia/rt/text.h>

namespace nikaia::rt {

// Such a name is none: the system would see a shorter one.
inline bool holds_zero(Str path) {
  return path.size != 0 && std::memchr(path.data, '\0', path.size) != nullptr;
}

// A path as the system wants it, ended by a zero byte. A short one, as most are, takes no memory of
// its own.
class SystemPath {
 public:
  SystemPath() { short_[0] = '\0'; }
  explicit SystemPath(Str bytes) {
    char* into = short_;
    if (bytes.size >= sizeof short_) into = long_ = static_cast<char*>(take_memory(bytes.size + 1));
    std::memcpy(into, bytes.data, bytes.size);
    into[bytes.size] = '\0';
  }
  SystemPath(SystemPath&& other) noexcept : long_(other.long_) {
    other.long_ = nullptr;
    std::memcpy(short_, other.short_, sizeof short_);
  }
  SystemPath& operator=(SystemPath&& other) noexcept {
    std::swap(long_, other.long_);
    std::memcpy(short_, other.short_, sizeof short_);
    return *this;
  }
  ~SystemPath() {
    if (long_ != nullptr) std::free(long_);
  }
  const char* c_str() const { return long_ != nullptr ? long_ : short_; }

 private:
  char* long_ = nullptr;
  char short_[120];
};

}  // namespace nikaia::rt
