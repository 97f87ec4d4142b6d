// A place in a source: a file and a half-open range of byte offsets.
//
// Three kinds of place exist: a range of a file's text; a whole file (something is missing from it, so there is no
// line to show); and no place at all, which a default-made span is.
#pragma once

#include <algorithm>
#include <cstdint>

#include "lang/text/ids.h"

namespace nikaia::lang {

using FileId = Id<struct FileTag>;

struct Span {
  static constexpr std::uint32_t no_offset = 0xffffffffu;

  FileId file;
  std::uint32_t begin = no_offset;
  std::uint32_t end = no_offset;

  static constexpr Span whole_file(FileId file) { return Span{file, no_offset, no_offset}; }

  constexpr bool has_file() const { return file.valid(); }
  constexpr bool has_text() const { return file.valid() && begin != no_offset; }
  constexpr std::uint32_t size() const { return end - begin; }
  // The place of no width before, and the one after, this one's text.
  constexpr Span start() const { return Span{file, begin, begin}; }
  constexpr Span finish() const { return Span{file, end, end}; }

  friend constexpr bool operator==(const Span&, const Span&) = default;
};

// From the beginning of `a` to the end of `b`, both in one file.
constexpr Span join(Span a, Span b) {
  if (!a.has_text()) return b;
  if (!b.has_text()) return a;
  return Span{a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

}  // namespace nikaia::lang
