#include "driver/digest.h"

#include <sha256.h>

#define XXH_INLINE_ALL
#include <array>
#include <cstdint>
#include <xxhash.h>

namespace nikaia::driver {

namespace {

std::string hex(const unsigned char* bytes, std::size_t count) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(count * 2);
  for (std::size_t i = 0; i < count; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

}  // namespace

std::string fast_digest(std::string_view content) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(content.data(), content.size()));
  return hex(canonical.digest, sizeof canonical.digest);
}

std::string sha256_digest(std::string_view content) {
  SHA2_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
  std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
  SHA256Final(digest.data(), &context);
  return hex(digest.data(), digest.size());
}

}  // namespace nikaia::driver
