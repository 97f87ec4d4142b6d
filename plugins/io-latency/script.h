// What is to happen to operations, as written in NIKAIA_LATENCY_SCRIPT: rules separated by commas
// or line ends,
//
//     KIND WHICH ACTION
//
// KIND is the name of an operation in lower case (`read_whole`, `open`, …) or `any`. WHICH is a
// number, for the so manyth operation of that kind in the process, or `*`. ACTION is one of
//
//     fail ERRNO      fails with it (`EIO`, `ENOSPC`, …) instead of being carried out; a close is
//     carried out all the same short BYTES     moves so many bytes at most: reads, writes, whole
//     files delay TIME      its completion is handed out so much later: `20ms`, `3us`, `1s` reverse
//     its completion is handed out before those that were there already
//
// Text behind `#` is for people.
#pragma once

#include <cstddef>
#include <cstdint>

namespace latency {

// What the rules together ask of one operation.
struct Treatment {
  int error = 0;  // 0: is not to fail
  std::uint64_t most_bytes = UINT64_MAX;
  std::int64_t delay_ns = 0;
  bool first = false;
};

struct Rule {
  std::uint32_t kind = 0;
  bool any_kind = false;
  std::uint64_t which = 0;  // 0: each
  Treatment asks;
};

class Script {
 public:
  // Reads `text`. False where it is none, and `reason` says why in one line.
  [[nodiscard]] bool read(const char* text, char* reason, std::size_t reason_size);

  // What is to happen to an operation that is the `of_kind`th of its kind and the `of_all`th at
  // all, both from 1.
  [[nodiscard]] Treatment treatment(std::uint32_t kind, std::uint64_t of_kind, std::uint64_t of_all) const;

 private:
  static constexpr std::size_t rules_max = 64;
  Rule rules_[rules_max];
  std::size_t count_ = 0;
};

// The name of a kind as scripts and traces write it.
const char* kind_name(std::uint32_t kind);

}  // namespace latency
