// Hashing keys (language 07 §6). A map whose keys come from the program's own data uses a fast
// function with a fixed seed; one whose keys a stranger may have chosen uses SipHash-1-3 with a key
// drawn once per process. Until data from outside has come into the process no key can be a
// stranger's; from then on every map is keyed before the next pair is put into it, whatever it was
// made as.
//
// Emitted structs and enums that can be keys have a member `std::uint64_t hash(bool keyed) const`,
// written as `return nikaia::hash_parts(keyed, a, b, c);`.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/maybe.h>
#include <nikaia/rt/run.h>
#include <nikaia/rt/sum.h>
#include <nikaia/rt/text.h>
#include <nikaia/rt/tuple.h>

namespace nikaia {

// Set, and never cleared, by every row that hands untrusted data to the program.
extern bool foreign_data_seen;
void note_foreign_data();
// The option `trusted:` of a row.
NIKAIA_INLINE void note_trust(bool trusted) {
  if (!trusted) {
    note_foreign_data();
  }
}

std::uint64_t keyed_hash_bytes(const char* data, std::size_t size);
std::uint64_t keyed_hash_word(std::uint64_t word);
std::uint64_t keyed_hash_pair(std::uint64_t first, std::uint64_t second);

// Both halves of a product: every bit of the answer depends on every bit of a and b.
NIKAIA_INLINE std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
  __extension__ const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}
inline constexpr std::uint64_t hash_odd = 0x9E3779B97F4A7C15;
inline constexpr std::uint64_t hash_seed = 0xD1B54A32D192ED03;

NIKAIA_INLINE std::uint64_t hash_word(std::uint64_t word, bool keyed) {
  return __builtin_expect(keyed, 0) ? keyed_hash_word(word) : folded_product(word ^ hash_seed, hash_odd);
}
NIKAIA_INLINE std::uint64_t hash_joined(std::uint64_t first, std::uint64_t second, bool keyed) {
  return __builtin_expect(keyed, 0) ? keyed_hash_pair(first, second)
                                    : folded_product(first ^ hash_odd, second ^ hash_seed);
}

// The hash of what is left of a text, at most 16 bytes.
NIKAIA_INLINE std::uint64_t hash_short(const char* data, std::size_t size, std::uint64_t state) {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  if (size >= 8) {
    first = word_at<std::uint64_t>(data);
    second = word_at<std::uint64_t>(data + size - 8);
  } else if (size >= 4) {
    first = word_at<std::uint32_t>(data);
    second = word_at<std::uint32_t>(data + size - 4);
  } else if (size > 0) {
    first = static_cast<unsigned char>(data[0]);
    second =
        std::uint64_t{static_cast<unsigned char>(data[size / 2])} << 8 | static_cast<unsigned char>(data[size - 1]);
  }
  return folded_product(folded_product(first ^ hash_odd, second ^ state), hash_odd);
}
std::uint64_t fast_hash_long(const char* data, std::size_t size);  // of more than 16 bytes
NIKAIA_INLINE std::uint64_t fast_hash_bytes(const char* data, std::size_t size) {
  return __builtin_expect(size > 16, 0) ? fast_hash_long(data, size) : hash_short(data, size, hash_seed ^ size);
}

template <class T>
struct Hash {
  static std::uint64_t of(const T& value, bool keyed) { return value.hash(keyed); }
};
template <class T>
NIKAIA_INLINE std::uint64_t hash_of(const T& value, bool keyed) {
  if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    return hash_word(static_cast<std::uint64_t>(value), keyed);
  } else if constexpr (is_text<T>) {
    const Str text = value;
    return keyed ? keyed_hash_bytes(text.data, text.size) : fast_hash_bytes(text.data, text.size);
  } else {
    return Hash<T>::of(value, keyed);
  }
}
template <class... Parts>
std::uint64_t hash_parts(bool keyed, const Parts&... parts) {
  std::uint64_t joined = sizeof...(Parts);
  ((joined = hash_joined(joined, hash_of(parts, keyed), keyed)), ...);
  return joined;
}

template <>
struct Hash<Tuple<>> {
  static std::uint64_t of(const Tuple<>&, bool) { return 0; }
};
template <class First, class... Rest>
struct Hash<Tuple<First, Rest...>> {
  static std::uint64_t of(const Tuple<First, Rest...>& value, bool keyed) {
    return hash_joined(hash_of(value.first, keyed), hash_of(value.rest, keyed), keyed);
  }
};
template <class T, std::size_t N>
struct Hash<Array<T, N>> {
  static std::uint64_t of(const Array<T, N>& value, bool keyed) {
    std::uint64_t joined = N;
    for (const T& x : value) {
      joined = hash_joined(joined, hash_of(x, keyed), keyed);
    }
    return joined;
  }
};
template <class T>
struct Hash<Maybe<T>> {
  static std::uint64_t of(const Maybe<T>& value, bool keyed) {
    return value.has() ? hash_joined(1, hash_of(value.value(), keyed), keyed) : hash_word(0, keyed);
  }
};
template <class... Variants>
struct Hash<Sum<Variants...>> {
  static std::uint64_t of(const Sum<Variants...>& value, bool keyed) {
    std::uint64_t joined = value.tag();
    value.visit([&](const auto& held) { joined = hash_joined(joined, hash_of(held, keyed), keyed); });
    return joined;
  }
};

}  // namespace nikaia
