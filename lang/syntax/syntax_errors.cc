// Sorting, cutting off and counting syntax errors. The lexer runs first, so that what it found
// unclosed is known when the parser speaks; `flush` still filters, because an unclosed literal may
// be found after an earlier lexical error.
#include "lang/syntax/syntax_errors.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace nikaia::lang::syntax {

Builder SyntaxErrors::add(Span place, std::string message) {
  if (is_full() || place.begin >= cut_off_) {
    is_stopped_ = true;  // behind `cut_off_` nothing counts, so nothing would ever fill the list
    dropped_ = Diagnostic{};
    return Builder(dropped_);
  }
  Diagnostic& error = found_.emplace_back();
  error.message = std::move(message);
  error.primary.span = place;
  return Builder(error);
}

Builder SyntaxErrors::add_unclosed(Span opening, std::string message) {
  if (opening.begin > cut_off_) {
    dropped_ = Diagnostic{};
    return Builder(dropped_);
  }
  cut_off_ = opening.begin;
  // It is not subject to the limit: it is the one error that explains the rest of the file.
  Diagnostic& error = found_.emplace_back();
  error.message = std::move(message);
  error.primary.span = opening;
  return Builder(error);
}

bool SyntaxErrors::flush(Sink& sink) {
  if (found_.empty()) {
    sink.merge(std::move(coded_));
    return false;
  }
  std::vector<Diagnostic> errors(std::make_move_iterator(found_.begin()), std::make_move_iterator(found_.end()));
  found_.clear();
  std::stable_sort(errors.begin(), errors.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return a.primary.span.begin < b.primary.span.begin;
  });
  std::uint32_t last = Span::no_offset;
  std::vector<Diagnostic> shown;
  for (Diagnostic& error : errors) {
    std::uint32_t at = error.primary.span.begin;
    if (at == last || at > cut_off_) continue;
    last = at;
    if (shown.size() == most_shown) break;
    shown.push_back(std::move(error));
  }
  if (shown.size() == most_shown)
    shown.back().notes.push_back("After " + std::to_string(most_shown) +
                                 " errors of this kind the rest of the file was left alone.");
  for (Diagnostic& error : shown) sink.add(std::move(error));
  return true;
}

}  // namespace nikaia::lang::syntax
