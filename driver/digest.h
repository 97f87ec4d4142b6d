// Digests: xxHash's 128-bit XXH3 for cache keys, where speed counts and nobody attacks; SHA-256
// where the language reference names it (lockfile, log names, plugins of other people).
#ifndef NIKAIA_DRIVER_DIGEST_H
#define NIKAIA_DRIVER_DIGEST_H

#include <string>
#include <string_view>

namespace nikaia::driver {

// 32 hexadecimal digits.
std::string fast_digest(std::string_view content);

// 64 hexadecimal digits.
std::string sha256_digest(std::string_view content);

// Collects the parts of a cache key. Each part is preceded by its length, so that no two different
// sequences of parts give the same bytes.
class Key {
 public:
  Key& add(std::string_view part) {
    bytes_ += std::to_string(part.size());
    bytes_ += ':';
    bytes_ += part;
    return *this;
  }
  [[nodiscard]] std::string digest() const { return fast_digest(bytes_); }
  // The parts themselves, for the log of a build.
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace nikaia::driver

#endif
