// The sources of one compilation: what they are called towards the user, their text, and where their lines begin.
//
// A file's text never moves or changes after it was added, so that trees and tokens may hold views of it. Text is
// always valid UTF-8; `load` refuses anything else with the place of the first bad byte. A file is less than 4 GiB.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "lang/text/ids.h"
#include "lang/text/span.h"

namespace nikaia::lang {

// Counted from 1; a column counts Unicode scalar values, a tab as one.
struct LineColumn {
  std::uint32_t line = 1;
  std::uint32_t column = 1;

  friend bool operator==(const LineColumn&, const LineColumn&) = default;
};

// What kind of trouble a file gave, and one sentence for the user that names it and says what to do.
struct LoadError {
  enum class Kind : std::uint8_t { not_there, not_a_file, not_readable, too_large, not_utf8 };
  Kind kind;
  std::string message;
  std::string help;
};

class SourceMap {
 public:
  SourceMap() = default;
  SourceMap(const SourceMap&) = delete;
  SourceMap& operator=(const SourceMap&) = delete;
  SourceMap(SourceMap&&) = default;
  SourceMap& operator=(SourceMap&&) = default;

  static constexpr std::uint32_t max_file_bytes = 0xfffffff0u;

  // Adds a text that must be valid UTF-8. `shown_path` is what messages print. `package_rank` is the place of the
  // file's package in dependency order (0 has no dependencies), by which messages are sorted.
  FileId add(std::string shown_path, std::string text, std::uint32_t package_rank = 0);

  // Reads `path` from disk. `shown_path` empty: shown as `path` is.
  tl::expected<FileId, LoadError> load(const std::string& path, std::string shown_path = {},
                                       std::uint32_t package_rank = 0);

  // Changes what messages call a file. Passes see a path that doesn't depend on the directory a command is given in
  // (emitted text holds it, and is cached); messages name files from that directory.
  void show_as(FileId file, std::string shown_path) { files_[file]->path = std::move(shown_path); }

  std::size_t size() const { return files_.size(); }
  std::string_view path(FileId file) const { return files_[file]->path; }
  std::string_view text(FileId file) const { return files_[file]->text; }
  // The text under `span`; empty when it has none.
  std::string_view text(Span span) const;
  std::uint32_t package_rank(FileId file) const { return files_[file]->package_rank; }

  // Cost: a binary search over lines plus a walk of the line up to the offset.
  LineColumn line_column(FileId file, std::uint32_t offset) const;
  std::uint32_t line_of(FileId file, std::uint32_t offset) const;  // without the walk
  std::uint32_t line_count(FileId file) const;
  // The offset of a line's first byte, and its text without the line break ("\n" or "\r\n"); `line` counts from 1.
  std::uint32_t line_begin(FileId file, std::uint32_t line) const;
  std::string_view line_text(FileId file, std::uint32_t line) const;

 private:
  struct File {
    std::string path;
    std::string text;
    std::uint32_t package_rank = 0;
    std::vector<std::uint32_t> line_begins;
  };
  IdVector<FileId, std::unique_ptr<File>> files_;
};

// The offset of the first byte of `text` that is not well-formed UTF-8, or npos.
std::size_t find_bad_utf8(std::string_view text);

// Decodes the scalar value at `offset` of well-formed `text` and moves `offset` past it.
char32_t next_scalar(std::string_view text, std::size_t& offset);

}  // namespace nikaia::lang
