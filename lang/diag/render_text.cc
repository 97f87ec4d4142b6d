// The text form: headline, place, source lines with underlines, notes, helps.
//
// Everything is laid out from one number, the width of the largest line number shown: the gutter stands two columns
// after it. Each place gets an underline row of its own below its line; a line between two shown lines is never
// printed,
// `...` stands for it. Pieces are written through `Painter`, which adds colour or not, so that both forms have the same
// characters.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "lang/diag/display.h"
#include "lang/diag/render.h"

namespace nikaia::lang {
namespace {

enum class Paint { plain, error, warning, bold, frame, note, help };

constexpr std::string_view sgr(Paint paint) {
  switch (paint) {
    case Paint::plain: return "";
    case Paint::error: return "\x1b[1;31m";
    case Paint::warning: return "\x1b[1;33m";
    case Paint::bold: return "\x1b[1m";
    case Paint::frame: return "\x1b[34m";
    case Paint::note: return "\x1b[1;36m";
    case Paint::help: return "\x1b[1;32m";
  }
  return "";
}

// Collects the lines; a line never ends in a space.
class Painter {
 public:
  explicit Painter(bool colour) : colour_(colour) {}

  Painter& put(std::string_view text, Paint paint = Paint::plain) {
    if (text.empty()) return *this;
    if (colour_ && paint != Paint::plain) {
      out_ += sgr(paint);
      out_ += text;
      out_ += "\x1b[0m";
    } else {
      out_ += text;
    }
    return *this;
  }
  Painter& spaces(std::size_t count) {
    out_.append(count, ' ');
    return *this;
  }
  void end_line() { out_ += '\n'; }
  std::string take() { return std::move(out_); }

 private:
  bool colour_;
  std::string out_;
};

std::string_view without_trailing_blanks(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// The code of a line without a `//` comment after it, starting from a place outside any text literal.
std::string_view code_of(std::string_view rest_of_line) {
  bool in_text = false;
  for (std::size_t i = 0; i < rest_of_line.size(); ++i) {
    const char c = rest_of_line[i];
    if (in_text && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_text = !in_text;
    } else if (!in_text && rest_of_line.substr(i, 3) == "'\"'") {
      i += 2;
    } else if (!in_text && rest_of_line.substr(i, 2) == "//") {
      return without_trailing_blanks(rest_of_line.substr(0, i));
    }
  }
  return without_trailing_blanks(rest_of_line);
}

class TextRenderer {
 public:
  TextRenderer(const Diagnostic& diagnostic, const SourceMap& sources, bool colour)
      : diagnostic_(diagnostic), sources_(sources), painter_(colour), blocks_(place_blocks(diagnostic)) {
    std::uint32_t largest = 0;
    for (const PlaceBlock& block : blocks_)
      for (const PlaceBlock::Place& place : block.places)
        if (place.span.has_text()) largest = std::max(largest, sources_.line_of(block.file, place.span.begin));
    number_width_ = std::max<std::size_t>(1, largest == 0 ? 1 : std::to_string(largest).size());
  }

  std::string render() {
    headline();
    for (const PlaceBlock& block : blocks_) write_block(block);
    if (diagnostic_.severity == Severity::note && blocks_.empty()) {
      build_note_attachments();
    } else {
      for (const std::string& note : diagnostic_.notes) attachment("note:", Paint::note, note);
      for (const Help& help : diagnostic_.helps) attachment("help:", Paint::help, help.message);
    }
    return painter_.take();
  }

 private:
  Paint severity_paint() const {
    switch (diagnostic_.severity) {
      case Severity::error:
      case Severity::internal: return Paint::error;
      case Severity::warning: return Paint::warning;
      case Severity::note: return Paint::note;
    }
    return Paint::plain;
  }

  void headline() {
    constexpr std::array<std::string_view, 4> words{"error", "warning", "note", "internal error"};
    std::string head(words[static_cast<std::size_t>(diagnostic_.severity)]);
    std::string code = diagnostic_.plugin_code.empty() ? code_name(diagnostic_.code) : diagnostic_.plugin_code;
    if (!code.empty()) head += "[" + code + "]";
    painter_.put(head, severity_paint()).put(": ", Paint::bold).put(shown(diagnostic_.message), Paint::bold);
    painter_.end_line();
  }

  void empty_gutter() {
    painter_.spaces(number_width_ + 2).put("|", Paint::frame);
    painter_.end_line();
  }

  void write_block(const PlaceBlock& block) {
    // Where the place of the message itself stands here, the line above names it, otherwise the first one.
    const PlaceBlock::Place* named = &block.places.front();
    for (const PlaceBlock::Place& place : block.places)
      if (place.primary) named = &place;

    painter_.spaces(number_width_ + 1).put("-->", Paint::frame).put(" ").put(shown(sources_.path(block.file)));
    if (named->span.has_text()) {
      LineColumn at = sources_.line_column(block.file, named->span.begin);
      painter_.put(":" + std::to_string(at.line) + ":" + std::to_string(at.column));
    }
    painter_.end_line();

    auto first_with_text =
        std::find_if(block.places.begin(), block.places.end(), [](const auto& place) { return place.span.has_text(); });
    if (first_with_text == block.places.end()) return;

    empty_gutter();
    std::uint32_t shown_line = 0;
    for (auto place = first_with_text; place != block.places.end(); ++place) {
      std::uint32_t line = sources_.line_of(block.file, place->span.begin);
      if (line != shown_line) {
        if (shown_line != 0 && line > shown_line + 1) {
          painter_.spaces(number_width_ + 1).put("...", Paint::frame);
          painter_.end_line();
        }
        window_ =
            window_of(sources_.line_text(block.file, line), place->span.begin - sources_.line_begin(block.file, line));
        source_line(block.file, line);
        shown_line = line;
      }
      underline(block.file, line, *place);
    }
    empty_gutter();
  }

  // The part of a line that is shown: all of it, or where it is longer than a screen is wide several times over, what
  // stands around the place.
  struct Window {
    std::size_t from = 0, to = 0;
  };
  static constexpr std::size_t most_shown_bytes = 480, most_shown_before = 160;
  static constexpr std::string_view cut_mark = "…";
  static Window window_of(std::string_view text, std::size_t place) {
    if (text.size() <= most_shown_bytes) return {0, text.size()};
    const auto at_character = [&](std::size_t i) {
      while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80) ++i;
      return i;
    };
    const std::size_t from = place > most_shown_before ? at_character(place - most_shown_before) : 0;
    return {from, std::min(at_character(std::min(from + most_shown_bytes, text.size())), text.size())};
  }

  void source_line(FileId file, std::uint32_t line) {
    std::string number = std::to_string(line);
    number.insert(0, number_width_ - number.size(), ' ');
    const std::string_view whole = without_trailing_blanks(sources_.line_text(file, line));
    const std::size_t to = std::min(window_.to, whole.size());
    std::string text = shown(whole.substr(std::min(window_.from, to), to - std::min(window_.from, to)));
    if (window_.from > 0) text.insert(0, cut_mark);
    if (to < whole.size()) text += cut_mark;
    painter_.put(" ").put(number, Paint::frame).put(" ").put("|", Paint::frame);
    if (!text.empty()) painter_.put(" ").put(text);
    painter_.end_line();
  }

  void underline(FileId file, std::uint32_t line, const PlaceBlock::Place& place) {
    const std::string_view text = sources_.line_text(file, line);
    const std::size_t line_begin = sources_.line_begin(file, line);
    const std::size_t begin =
        std::clamp<std::size_t>(place.span.begin - line_begin, window_.from, std::min(window_.to, text.size()));
    const std::size_t end = text.size() > window_.to
                                ? std::clamp<std::size_t>(place.span.end - line_begin, begin, window_.to)
                                : place.span.end - line_begin;
    // A place that goes on in the next line is marked to the end of this line's code.
    const std::string_view marked = end > text.size() ? code_of(text.substr(begin)) : text.substr(begin, end - begin);
    const std::size_t marks = std::max<std::size_t>(1, shown_width(marked));

    std::string row(marks, place.primary ? '^' : '-');
    if (!place.text->empty()) row += " " + shown(*place.text);
    painter_.spaces(number_width_ + 2)
        .put("|", Paint::frame)
        .spaces(1 + (window_.from > 0 ? 1 : 0) + shown_width(text.substr(window_.from, begin - window_.from)));
    painter_.put(row, place.primary ? severity_paint() : Paint::frame);
    painter_.end_line();
  }

  // One note or help; further lines stand under the text of the first.
  void attachment(std::string_view word, Paint paint, std::string_view text) {
    painter_.spaces(number_width_ + 2).put("=", Paint::frame).put(" ").put(word, paint);
    lines_of(text, " ", number_width_ + 10);
  }

  void build_note_attachments() {
    for (const std::string& note : diagnostic_.notes) {
      painter_.spaces(2).put("note:", Paint::note);
      lines_of(note, " ", 8);
    }
    for (const Help& help : diagnostic_.helps) {
      painter_.spaces(2).put("help:", Paint::help);
      lines_of(help.message, " ", 8);
    }
  }

  void lines_of(std::string_view text, std::string_view before_first, std::size_t indent) {
    for (bool first = true; first || !text.empty(); first = false) {
      const std::size_t line_end = std::min(text.find('\n'), text.size());
      const std::string line = shown(without_trailing_blanks(text.substr(0, line_end)));
      if (!line.empty()) {
        if (first)
          painter_.put(before_first);
        else
          painter_.spaces(indent);
      }
      painter_.put(line);
      painter_.end_line();
      text.remove_prefix(std::min(line_end + 1, text.size()));
    }
  }

  const Diagnostic& diagnostic_;
  const SourceMap& sources_;
  Window window_;  // of the line shown last
  Painter painter_;
  std::vector<PlaceBlock> blocks_;
  std::size_t number_width_ = 1;
};

// The codes that show the edit that moved a contract first, and the caller it broke second.
bool shows_change_first(Code code) {
  return code == Code::NK2401 || code == Code::NK2403;
}

}  // namespace

std::vector<PlaceBlock> place_blocks(const Diagnostic& diagnostic) {
  std::vector<PlaceBlock> blocks;
  auto add = [&](const Label& label, bool primary) {
    if (!label.span.has_file()) return;
    auto block = std::find_if(blocks.begin(), blocks.end(),
                              [&](const PlaceBlock& known) { return known.file == label.span.file; });
    if (block == blocks.end()) block = blocks.insert(blocks.end(), PlaceBlock{label.span.file, {}});
    block->places.push_back({label.span, &label.text, primary});
  };
  add(diagnostic.primary, true);
  for (const Label& label : diagnostic.labels) add(label, false);

  for (PlaceBlock& block : blocks)
    std::stable_sort(block.places.begin(), block.places.end(), [](const auto& a, const auto& b) {
      // `no_offset` + 1 is 0: a whole file stands before every place in it.
      return a.span.begin + 1u < b.span.begin + 1u;
    });
  if (shows_change_first(diagnostic.code) && blocks.size() > 1)
    std::rotate(blocks.begin(), blocks.begin() + 1, blocks.end());
  return blocks;
}

std::string render_text(const Diagnostic& diagnostic, const SourceMap& sources, bool colour) {
  return TextRenderer(diagnostic, sources, colour).render();
}

std::string summary_text(std::size_t errors, std::size_t warnings) {
  auto count = [](std::size_t n, const char* word) {
    return n == 0 ? std::string() : std::to_string(n) + " " + word + (n == 1 ? "" : "s");
  };
  std::string text = count(errors, "error");
  std::string more = count(warnings, "warning");
  if (!text.empty() && !more.empty()) text += ", ";
  text += more;
  return text.empty() ? text : "nikaia: " + text + "\n";
}

bool wants_colour(ColourMode mode, int fd) {
  if (mode != ColourMode::automatic) return mode == ColourMode::always;
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* terminal = std::getenv("TERM");
  if (terminal != nullptr && std::strcmp(terminal, "dumb") == 0) return false;
  return ::isatty(fd) == 1;
}

}  // namespace nikaia::lang
