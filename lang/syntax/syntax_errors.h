// The syntax errors of one file, gathered from lexer and parser, and handed to the sink in the order of the source.
//
// Both know more than the reader wants to hear. A literal or comment that is never closed explains everything behind
// its opening, so errors from there on are dropped; two errors at one place are one; and after `most_shown` the file
// is left alone. A syntax error silences the file's coded findings, which therefore wait in `coded` until the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "lang/diag/diagnostic.h"
#include "lang/text/span.h"

namespace nikaia::lang::syntax {

class SyntaxErrors {
 public:
  static constexpr std::size_t most_shown = 20;

  // The builder is good until the next `add`.
  Builder add(Span place, std::string message);
  // The construct opened at `offset` is never closed: one error for it, and none behind it.
  Builder add_unclosed(Span opening, std::string message);

  // Reading on cannot find anything that would be shown.
  bool is_full() const { return found_.size() >= most_shown || reached_unclosed_; }
  bool empty() const { return found_.empty(); }

  Sink coded;

  // Gives everything to `sink`; returns whether there was a syntax error.
  bool flush(Sink& sink);

 private:
  std::deque<Diagnostic> found_;
  Diagnostic dropped_;
  std::uint32_t cut_off_ = Span::no_offset;
  bool has_more_ = false;
  bool reached_unclosed_ = false;  // an error behind `cut_off_` was dropped, and so would be all further ones
};

}  // namespace nikaia::lang::syntax
