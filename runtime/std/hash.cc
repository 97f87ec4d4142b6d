// The two hash functions of maps over bytes. The fast one folds 16 bytes a step through a 128-bit
// product. The keyed one is SipHash with one round a word and three at the end; its key comes from
// the operating system once per process, and a process that cannot have one does not go on.
#include <sys/random.h>

#include <nikaia/rt/format.h>
#include <nikaia/rt/map.h>
#include <nikaia/rt/hash.h>

namespace nikaia {

namespace {

struct SipKey {
  std::uint64_t first;
  std::uint64_t second;
};

SipKey draw_key() {
  SipKey key;
  auto* at = reinterpret_cast<char*>(&key);
  std::size_t left = sizeof key;
  while (left > 0) {
    const ssize_t drawn = getrandom(at, left, 0);
    if (drawn < 0) {
      stop(At{"std::collections", 0}, "the system gave no random key for a map of keys from outside"_s);
    }
    at += drawn;
    left -= static_cast<std::size_t>(drawn);
  }
  return key;
}
const SipKey& process_key() {
  static const SipKey key = draw_key();
  return key;
}

struct Sip {
  std::uint64_t a;
  std::uint64_t b;
  std::uint64_t c;
  std::uint64_t d;

  explicit Sip(const SipKey& key)
      : a(key.first ^ 0x736F6D6570736575),
        b(key.second ^ 0x646F72616E646F6D),
        c(key.first ^ 0x6C7967656E657261),
        d(key.second ^ 0x7465646279746573) {}
  static std::uint64_t turned(std::uint64_t x, int by) { return x << by | x >> (64 - by); }
  void round() {
    a += b;
    c += d;
    b = turned(b, 13) ^ a;
    d = turned(d, 16) ^ c;
    a = turned(a, 32);
    c += b;
    a += d;
    b = turned(b, 17) ^ c;
    d = turned(d, 21) ^ a;
    c = turned(c, 32);
  }
  void take(std::uint64_t word) {
    d ^= word;
    round();
    a ^= word;
  }
  std::uint64_t end() {
    c ^= 0xFF;
    round();
    round();
    round();
    return a ^ b ^ c ^ d;
  }
};

}  // namespace

void stop_map_full() {
  stop(At{"std::collections", 0}, "a map holds more than it can: 3435973836 pairs"_s);
}

bool foreign_data_seen = false;
void note_foreign_data() {
  __atomic_store_n(&foreign_data_seen, true, __ATOMIC_RELAXED);
}

std::uint64_t fast_hash_long(const char* data, std::size_t size) {
  std::uint64_t state = hash_seed ^ size;
  std::size_t left = size;
  for (; left > 16; left -= 16, data += 16) {
    state = folded_product(word_at<std::uint64_t>(data) ^ hash_odd, word_at<std::uint64_t>(data + 8) ^ state);
  }
  return hash_short(data, left, state);
}

std::uint64_t keyed_hash_bytes(const char* data, std::size_t size) {
  Sip sip(process_key());
  std::size_t left = size;
  for (; left >= 8; left -= 8, data += 8) {
    sip.take(word_at<std::uint64_t>(data));
  }
  std::uint64_t last = static_cast<std::uint64_t>(size) << 56;
  for (std::size_t i = 0; i < left; ++i) {
    last |= std::uint64_t{static_cast<unsigned char>(data[i])} << (8 * i);
  }
  sip.take(last);
  return sip.end();
}
std::uint64_t keyed_hash_word(std::uint64_t word) {
  Sip sip(process_key());
  sip.take(word);
  sip.take(std::uint64_t{8} << 56);
  return sip.end();
}
std::uint64_t keyed_hash_pair(std::uint64_t first, std::uint64_t second) {
  Sip sip(process_key());
  sip.take(first);
  sip.take(second);
  sip.take(std::uint64_t{16} << 56);
  return sip.end();
}

}  // namespace nikaia
