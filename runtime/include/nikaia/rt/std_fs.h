// std::fs (language 07 §12). Options stand last, in the order of the ledger. Rows that fail answer
// Result; those the chapter marks P pause.
#pragma once

#include <nikaia/rt/bytes.h>
#include <nikaia/rt/duration.h>
#include <nikaia/rt/path.h>
#include <nikaia/rt/vec.h>

namespace nikaia {

// ---- whole files and mappings

Result<Bytes> fs_read(PathRef path, RootRef root, bool trusted = true);
Result<String> fs_read_to_string(PathRef path, RootRef root, bool trusted = true);
Result<Mapped> fs_map(PathRef path, RootRef root, bool trusted = true);
Result<void> fs_write(PathRef path, RootRef root, DataRef data, bool append = false, bool create = true);

// ---- handles

// fs::Writer: text held back until it is flushed, at the latest by its cleanup.
class Writer {
 public:
  Writer() = default;
  Writer(int fd, Path path) : fd_(fd), path_(static_cast<Path&&>(path)) {}
  Writer(Writer&& other) noexcept
      : fd_(other.fd_), held_(static_cast<String&&>(other.held_)), path_(static_cast<Path&&>(other.path_)) {
    other.fd_ = -1;
  }
  Writer& operator=(Writer&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(held_, other.held_);
    std::swap(path_, other.path_);
    return *this;
  }
  ~Writer() {
    if (fd_ >= 0) {
      die();
    }
  }
  void write(DataRef data) { held_.append(static_cast<const char*>(data.data), data.size); }
  Result<void> flush();
  // Flushes and closes; nothing is owed afterwards, whatever it answers.
  Result<void> cleanup();

 private:
  void die();
  int fd_ = -1;
  String held_;
  Path path_;
};
NIKAIA_INLINE void writer_write(Writer& writer, DataRef data) {
  writer.write(data);
}
inline Result<void> writer_flush(Writer& writer) {
  return writer.flush();
}
inline Result<void> writer_close(Writer writer) {
  return writer.cleanup();
}
Result<void> clean_up(Writer& writer);

// fs::Seek, an enum of three positions.
struct Seek_Start {
  std::int64_t part0 = 0;
  friend bool operator==(const Seek_Start&, const Seek_Start&) = default;
};
struct Seek_Current {
  std::int64_t part0 = 0;
  friend bool operator==(const Seek_Current&, const Seek_Current&) = default;
};
struct Seek_End {
  std::int64_t part0 = 0;
  friend bool operator==(const Seek_End&, const Seek_End&) = default;
};
struct Seek {
  using Variants = Sum<Seek_Start, Seek_Current, Seek_End>;
  Variants sum{};
  static Seek Start(std::int64_t at) { return Seek{Variants::make<0>({at})}; }
  static Seek Current(std::int64_t by) { return Seek{Variants::make<1>({by})}; }
  static Seek End(std::int64_t by) { return Seek{Variants::make<2>({by})}; }
  friend bool operator==(const Seek&, const Seek&) = default;
};

// fs::File. Nothing is held back in it: what was written is with the system.
class File {
 public:
  File() = default;
  File(int fd, Path path) : fd_(fd), path_(static_cast<Path&&>(path)) {}
  File(File&& other) noexcept : fd_(other.fd_), path_(static_cast<Path&&>(other.path_)) { other.fd_ = -1; }
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(path_, other.path_);
    return *this;
  }
  ~File();
  int fd() const { return fd_; }
  const Path& path() const { return path_; }
  Result<void> cleanup();

 private:
  int fd_ = -1;
  Path path_;
};
Result<std::int64_t> file_read(File& file, Vec<std::uint8_t>& into);
Result<std::int64_t> file_write(File& file, DataRef data);
Result<void> file_flush(File& file);
Result<std::int64_t> file_seek(File& file, const Seek& to);
Result<std::int64_t> file_len(const File& file);
inline Result<void> file_close(File file) {
  return file.cleanup();
}
Result<void> clean_up(File& file);

Result<Writer> fs_create(PathRef path, RootRef root);
Result<File> fs_open(PathRef path, RootRef root, bool write = false, bool append = false, bool create = false,
                     bool truncate = false);

// ---- directories and metadata

// What fs::read_dir hands back, walked and read as a list.
using DirEntries = Vec<String>;

struct Metadata {
  std::uint64_t size = 0;
  std::int64_t modified_seconds = 0;
  std::uint32_t modified_nanoseconds = 0;
  std::uint16_t mode = 0;
  friend bool operator==(const Metadata&, const Metadata&) = default;
};
template <>
inline constexpr bool copies<Metadata> = false;
NIKAIA_INLINE std::int64_t metadata_len(const Metadata& of) {
  return static_cast<std::int64_t>(of.size);
}
bool metadata_is_dir(const Metadata& of);
bool metadata_is_file(const Metadata& of);
Duration metadata_modified(const Metadata& of);

Result<bool> fs_exists(PathRef path, RootRef root);
Result<Metadata> fs_metadata(PathRef path, RootRef root);
Result<DirEntries> fs_read_dir(PathRef path, RootRef root);
Result<Vec<String>> fs_walk(PathRef path, RootRef root, bool trusted = true);
Result<void> fs_create_dir(PathRef path, RootRef root, bool recursive = false);
Result<void> fs_remove(PathRef path, RootRef root, bool recursive = false);
Result<void> fs_rename(PathRef from, PathRef to, RootRef root);
Result<std::uint64_t> fs_copy(PathRef from, PathRef to, RootRef root);
// A fresh directory, under the folder NIKAIA_SCRATCH names (a test's own) or the system's for such
// things.
Result<Root> fs_scratch();

}  // namespace nikaia
