// Checking UTF-8 as Unicode defines it (table 3-7): no overlong forms, no surrogates, nothing above
// U+10FFFF. Runs of ASCII are stepped over eight bytes at a time.
#include "utf8.h"

#include <cstring>

namespace nikaia::utf8 {

std::size_t character_at(const char* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(data);
  if (size == 0) {
    return 0;
  }
  const unsigned lead = bytes[0];
  if (lead < 0x80) {
    return 1;
  }
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return i < size && bytes[i] >= low && bytes[i] <= high;
  };
  if (lead >= 0xC2 && lead <= 0xDF) {
    return follows(1) ? 2 : 0;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return follows(1, low, high) && follows(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

namespace {

// How many bytes in front are ASCII.
std::size_t ascii_prefix(const char* data, std::size_t size) {
  std::size_t at = 0;
  for (; size - at >= 8; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + at, 8);
    if ((word & 0x8080808080808080U) != 0) {
      break;
    }
  }
  if (size - at >= 4) {
    std::uint32_t word;
    std::memcpy(&word, data + at, 4);
    at += (word & 0x80808080U) == 0 ? 4 : 0;
  }
  while (at < size && (data[at] & 0x80) == 0) {
    ++at;
  }
  return at;
}

}  // namespace

std::size_t valid_prefix(const char* data, std::size_t size) {
  for (std::size_t at = 0;;) {
    at += ascii_prefix(data + at, size - at);
    if (at == size) {
      return size;
    }
    const std::size_t length = character_at(data + at, size - at);
    if (length == 0) {
      return at;
    }
    at += length;
  }
}

}  // namespace nikaia::utf8
