// Loading and line lookup. Line beginnings are found once, when a file is added, with one scan.
#include "lang/text/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

namespace nikaia::lang {
namespace {

std::vector<std::uint32_t> find_line_begins(std::string_view text) {
  std::vector<std::uint32_t> begins{0};
  const char* const first = text.data();
  const char* const last = first + text.size();
  for (const char* p = first; p != last;) {
    p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(last - p)));
    if (p == nullptr) break;
    ++p;
    begins.push_back(static_cast<std::uint32_t>(p - first));
  }
  return begins;
}

tl::unexpected<LoadError> refuse(LoadError::Kind kind, std::string message, std::string help) {
  return tl::unexpected<LoadError>(LoadError{kind, std::move(message), std::move(help)});
}

tl::unexpected<LoadError> refuse_errno(const std::string& shown, int error) {
  if (error == ENOENT || error == ENOTDIR)
    return refuse(LoadError::Kind::not_there, "There is no file `" + shown + "`.",
                  "Check how the path is spelled and which folder you are in.");
  if (error == EACCES || error == EPERM)
    return refuse(LoadError::Kind::not_readable, "You're not allowed to read `" + shown + "`.",
                  "Give yourself permission to read it, for example with `chmod u+r " + shown + "`.");
  return refuse(LoadError::Kind::not_readable, "Reading `" + shown + "` failed: " + std::strerror(error) + ".",
                "Check the file and the disk it is on, then try again.");
}

// Reads the whole of `fd`, whose size is believed to be `size_hint`. Returns 0 or an errno.
int read_all(int fd, std::size_t size_hint, std::string& out) {
  out.resize(size_hint + 1);
  std::size_t used = 0;
  for (;;) {
    if (used == out.size()) out.resize(out.size() * 2);
    ssize_t n = ::read(fd, out.data() + used, out.size() - used);
    if (n < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (n == 0) break;
    used += static_cast<std::size_t>(n);
    if (used > SourceMap::max_file_bytes) return EFBIG;
  }
  out.resize(used);
  return 0;
}

}  // namespace

std::size_t find_bad_utf8(std::string_view text) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::size_t i = 0;
  const std::size_t size = text.size();
  while (i < size) {
    unsigned char lead = byte(i);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    std::size_t length = 0;
    unsigned char low = 0x80;
    unsigned char high = 0xbf;  // the range of the second byte keeps out overlong forms and surrogates
    if (lead >= 0xc2 && lead <= 0xdf) {
      length = 2;
    } else if (lead >= 0xe0 && lead <= 0xef) {
      length = 3;
      if (lead == 0xe0) low = 0xa0;
      if (lead == 0xed) high = 0x9f;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
      length = 4;
      if (lead == 0xf0) low = 0x90;
      if (lead == 0xf4) high = 0x8f;
    } else {
      return i;
    }
    if (i + length > size || byte(i + 1) < low || byte(i + 1) > high) return i;
    for (std::size_t k = 2; k < length; ++k)
      if ((byte(i + k) & 0xc0) != 0x80) return i;
    i += length;
  }
  return std::string_view::npos;
}

char32_t next_scalar(std::string_view text, std::size_t& offset) {
  auto byte = [&](std::size_t i) -> char32_t { return static_cast<unsigned char>(text[i]); };
  char32_t lead = byte(offset);
  std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  assert(offset + length <= text.size());
  char32_t value = length == 1 ? lead : lead & (0x7fu >> length);
  for (std::size_t k = 1; k < length; ++k) value = (value << 6) | (byte(offset + k) & 0x3fu);
  offset += length;
  return value;
}

FileId SourceMap::add(std::string shown_path, std::string text, std::uint32_t package_rank) {
  assert(text.size() <= max_file_bytes);
  auto file = std::make_unique<File>();
  file->path = std::move(shown_path);
  file->text = std::move(text);
  file->package_rank = package_rank;
  file->line_begins = find_line_begins(file->text);
  return files_.add(std::move(file));
}

tl::expected<FileId, LoadError> SourceMap::load(const std::string& path, std::string shown_path,
                                                std::uint32_t package_rank) {
  if (shown_path.empty()) shown_path = path;
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return refuse_errno(shown_path, errno);

  struct stat info {};
  if (::fstat(fd, &info) != 0) {
    int error = errno;
    ::close(fd);
    return refuse_errno(shown_path, error);
  }
  if (S_ISDIR(info.st_mode)) {
    ::close(fd);
    return refuse(LoadError::Kind::not_a_file, "`" + shown_path + "` is a folder, not a file.",
                  "Name the file in it that you mean.");
  }
  if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode) && !S_ISCHR(info.st_mode)) {
    ::close(fd);
    return refuse(LoadError::Kind::not_a_file, "`" + shown_path + "` is not a file with text in it.",
                  "Name a file that can be read from start to end.");
  }
  // Pipes (`nikaia run <(generate)`) are waited for like files.
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);

  std::string text;
  int error = info.st_size > static_cast<off_t>(max_file_bytes)
                  ? EFBIG
                  : read_all(fd, static_cast<std::size_t>(info.st_size), text);
  ::close(fd);
  if (error == EFBIG)
    return refuse(LoadError::Kind::too_large, "`" + shown_path + "` is larger than 4 GiB.",
                  "Split it into several files.");
  if (error != 0) return refuse_errno(shown_path, error);

  if (std::size_t bad = find_bad_utf8(text); bad != std::string_view::npos) {
    std::size_t line =
        1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n'));
    return refuse(LoadError::Kind::not_utf8,
                  "`" + shown_path + "` is not UTF-8 text: the byte at offset " + std::to_string(bad) + ", in line " +
                      std::to_string(line) + ", belongs to no character.",
                  "Save the file as UTF-8 in your editor.");
  }
  return add(std::move(shown_path), std::move(text), package_rank);
}

std::string_view SourceMap::text(Span span) const {
  if (!span.has_text()) return {};
  return text(span.file).substr(span.begin, span.size());
}

std::uint32_t SourceMap::line_of(FileId file, std::uint32_t offset) const {
  const auto& begins = files_[file]->line_begins;
  auto after = std::upper_bound(begins.begin(), begins.end(), offset);
  return static_cast<std::uint32_t>(after - begins.begin());
}

LineColumn SourceMap::line_column(FileId file, std::uint32_t offset) const {
  std::string_view all = text(file);
  if (offset > all.size()) offset = static_cast<std::uint32_t>(all.size());
  LineColumn place;
  place.line = line_of(file, offset);
  for (std::uint32_t i = line_begin(file, place.line); i < offset; ++i)
    if ((static_cast<unsigned char>(all[i]) & 0xc0) != 0x80) ++place.column;
  return place;
}

std::uint32_t SourceMap::line_count(FileId file) const {
  return static_cast<std::uint32_t>(files_[file]->line_begins.size());
}

std::uint32_t SourceMap::line_begin(FileId file, std::uint32_t line) const {
  assert(line >= 1 && line <= line_count(file));
  return files_[file]->line_begins[line - 1];
}

std::string_view SourceMap::line_text(FileId file, std::uint32_t line) const {
  std::string_view all = text(file);
  std::uint32_t begin = line_begin(file, line);
  std::size_t end = line < line_count(file) ? line_begin(file, line + 1) - 1 : all.size();
  if (end > begin && all[end - 1] == '\r' && line < line_count(file)) --end;
  return all.substr(begin, end - begin);
}

}  // namespace nikaia::lang
