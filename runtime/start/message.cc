#include "runtime/start/message.h"

#include <algorithm>
#include <cstdlib>
#include <cwchar>
#include <unistd.h>

namespace nikaia::rt {
namespace {

struct Paint {
  const char* error;
  const char* bold;
  const char* gutter;
  const char* note;
  const char* help;
  const char* end;
};
constexpr Paint plain{"", "", "", "", "", ""};
constexpr Paint coloured{"\x1b[1;31m", "\x1b[1m", "\x1b[34m", "\x1b[1;36m", "\x1b[1;32m", "\x1b[0m"};

// One Unicode scalar value of UTF-8 text; a byte that is none stands for itself.
struct Scalar {
  char32_t value;
  std::size_t bytes;
};
Scalar scalar_at(const std::string& text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  if (bytes == 1 || at + bytes > text.size()) return {lead, 1};
  char32_t value = lead & (0xffu >> (bytes + 1));
  for (std::size_t next = 1; next < bytes; ++next) {
    value = value << 6 | (static_cast<unsigned char>(text[at + next]) & 0x3fu);
  }
  return {value, bytes};
}

// Columns a character takes on a terminal. The ranges are the common wide and combining blocks.
std::size_t display_width(char32_t c) {
  const auto in = [c](char32_t low, char32_t high) { return c >= low && c <= high; };
  if (in(0x300, 0x36f) || in(0x200b, 0x200f) || in(0x20d0, 0x20ff) || in(0xfe00, 0xfe0f) || in(0xfe20, 0xfe2f))
    return 0;
  if (in(0x1100, 0x115f) || in(0x2e80, 0xa4cf) || in(0xac00, 0xd7a3) || in(0xf900, 0xfaff) || in(0xfe30, 0xfe6f) ||
      in(0xff00, 0xff60) || in(0xffe0, 0xffe6) || in(0x1f300, 0x1faff) || in(0x20000, 0x3fffd)) {
    return 2;
  }
  return 1;
}

struct Shown {
  std::string text;        // with tabs as four spaces and control characters made visible
  std::size_t before = 0;  // display columns in front of the marks
  std::size_t under = 0;   // display columns of the marks
};

Shown show(const std::string& source, std::uint32_t column, std::uint32_t marks) {
  Shown shown;
  std::uint32_t at_column = 1;
  for (std::size_t at = 0; at < source.size(); ++at_column) {
    const Scalar scalar = scalar_at(source, at);
    std::size_t width = 1;
    if (scalar.value == '\t') {
      shown.text += "    ";
      width = 4;
    } else if (scalar.value < 0x20 || (scalar.value >= 0x7f && scalar.value < 0xa0)) {
      shown.text += "\xef\xbf\xbd";
    } else {
      shown.text.append(source, at, scalar.bytes);
      width = display_width(scalar.value);
    }
    if (at_column < column) shown.before += width;
    if (at_column >= column && at_column < column + marks) shown.under += width;
    at += scalar.bytes;
  }
  if (column > at_column) shown.before += column - at_column;
  shown.under = std::max<std::size_t>(shown.under, 1);
  return shown;
}

std::string without_end_spaces(std::string text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

void add_remarks(std::string& out, const std::vector<std::string>& remarks, const char* word, const char* paint,
                 const Paint& with, std::size_t width) {
  for (const std::string& remark : remarks) {
    out += std::string(width + 2, ' ') + with.gutter + "= " + with.end + paint + word + ":" + with.end + " ";
    for (const char c : remark) {
      out += c;
      if (c == '\n') out += std::string(width + 10, ' ');
    }
    out += '\n';
  }
}

std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t at = 0; at <= b.size(); ++at) row[at] = at;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string render(const StartMessage& message, bool colour) {
  const Paint& paint = colour ? coloured : plain;
  std::string out =
      std::string(paint.error) + "error" + paint.end + paint.bold + ": " + message.headline + paint.end + "\n";
  const std::string number = message.line != 0 ? std::to_string(message.line) : "";
  const std::size_t width = std::max<std::size_t>(number.size(), 1);
  const std::string gutter = std::string(width + 2, ' ') + paint.gutter + "|" + paint.end;
  if (!message.file.empty()) {
    out += std::string(width + 1, ' ') + paint.gutter + "-->" + paint.end + " " + message.file;
    if (message.line != 0) out += ":" + number + ":" + std::to_string(message.column);
    out += "\n";
  }
  if (!message.file.empty() && message.line != 0) {
    const Shown shown = show(message.source, message.column, message.marks);
    out += gutter + "\n";
    out += without_end_spaces(std::string(" ") + paint.gutter + number + " |" + paint.end + " " + shown.text) + "\n";
    out +=
        gutter + " " + std::string(shown.before, ' ') + paint.error + std::string(shown.under, '^') + paint.end + "\n";
    out += gutter + "\n";
  }
  add_remarks(out, message.notes, "note", paint.note, paint, width);
  add_remarks(out, message.helps, "help", paint.help, paint, width);
  return out;
}

bool error_colour_wanted() {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* terminal = std::getenv("TERM");
  if (terminal != nullptr && std::string(terminal) == "dumb") return false;
  return ::isatty(STDERR_FILENO) == 1;
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t away = distance(word, candidate);
    if (away < best_distance) {
      best = candidate;
      best_distance = away;
    }
  }
  return best;
}

}  // namespace nikaia::rt
