// The findings of the parse pass in one file: its syntax errors, gathered from lexer and parser,
// and handed to the sink in the order of the source.
//
// Both know more than the reader wants to hear. A literal or comment that is never closed explains
// everything behind its opening, so errors from there on are dropped; two errors at one place are
// one; and after `most_shown` the file is left alone. A syntax error silences the file's coded
// findings, which therefore wait here until the end.
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
  static constexpr std::size_t most_coded = 1000;

  // The builder is good until the next `add`.
  Builder add(Span place, std::string message);
  // The construct opened at `offset` is never closed: one error for it, and none behind it.
  Builder add_unclosed(Span opening, std::string message);

  // Reading on cannot find anything that would be shown.
  bool is_full() const { return found_.size() >= most_shown || is_stopped_; }
  // What was found is hopeless; the rest of the file is left alone.
  void stop() { is_stopped_ = true; }
  // Something the lexer read is never closed, which explains a `}` that is missing in the end.
  bool has_unclosed() const { return cut_off_ != Span::no_offset; }
  bool empty() const { return found_.empty(); }

  // A coded finding, of which a file shows at most `most_coded`.
  template <class... Arguments>
  Builder finding(MessageText text, Span place, const Arguments&... arguments) {
    if (coded_count_ == most_coded) {
      dropped_ = Diagnostic{};
      return Builder(dropped_);
    }
    ++coded_count_;
    return coded_.report(text, place, arguments...);
  }
  std::size_t coded_count() const { return coded_count_; }

  // Gives everything to `sink`; returns whether there was a syntax error.
  bool flush(Sink& sink);

 private:
  Sink coded_;
  std::size_t coded_count_ = 0;
  std::deque<Diagnostic> found_;
  Diagnostic dropped_;
  std::uint32_t cut_off_ = Span::no_offset;
  bool is_stopped_ = false;
};

}  // namespace nikaia::lang::syntax
