// UTF-8 for the library's own files: encoding, decoding of text known to be valid, and checking
// bytes that are not known to be.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nikaia::utf8 {

inline std::size_t encode(char32_t c, char* into) {
  if (c < 0x80) {
    into[0] = static_cast<char>(c);
    return 1;
  }
  if (c < 0x800) {
    into[0] = static_cast<char>(0xC0 | (c >> 6));
    into[1] = static_cast<char>(0x80 | (c & 0x3F));
    return 2;
  }
  if (c < 0x10000) {
    into[0] = static_cast<char>(0xE0 | (c >> 12));
    into[1] = static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    into[2] = static_cast<char>(0x80 | (c & 0x3F));
    return 3;
  }
  into[0] = static_cast<char>(0xF0 | (c >> 18));
  into[1] = static_cast<char>(0x80 | ((c >> 12) & 0x3F));
  into[2] = static_cast<char>(0x80 | ((c >> 6) & 0x3F));
  into[3] = static_cast<char>(0x80 | (c & 0x3F));
  return 4;
}

inline bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// How many bytes the character has that starts with `lead`.
inline std::size_t length_of(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// The character at `at` of valid text; `at` moves past it.
inline char32_t decode(const char*& at) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(at);
  const unsigned lead = bytes[0];
  if (lead < 0x80) {
    at += 1;
    return lead;
  }
  if (lead < 0xE0) {
    at += 2;
    return (lead & 0x1FU) << 6 | (bytes[1] & 0x3FU);
  }
  if (lead < 0xF0) {
    at += 3;
    return (lead & 0x0FU) << 12 | (bytes[1] & 0x3FU) << 6 | (bytes[2] & 0x3FU);
  }
  at += 4;
  return (lead & 0x07U) << 18 | (bytes[1] & 0x3FU) << 12 | (bytes[2] & 0x3FU) << 6 | (bytes[3] & 0x3FU);
}
// The character before `at`; `at` moves in front of it.
inline char32_t decode_back(const char*& at) {
  do {
    --at;
  } while (is_continuation(*at));
  const char* ahead = at;
  return decode(ahead);
}

// How many of the bytes from the start are whole, valid characters; `size` where all are.
std::size_t valid_prefix(const char* data, std::size_t size);
inline bool valid(const char* data, std::size_t size) {
  return valid_prefix(data, size) == size;
}
// The length of the valid character at the start, 0 where there is none.
std::size_t character_at(const char* data, std::size_t size);

}  // namespace nikaia::utf8
