// std::fs over whole files. The runtime reads and writes; what a name may reach is decided in
// lookup.cc.
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <nikaia/rt/hash.h>
#include <nikaia/rt/std_fs.h>

#include "lookup.h"
#include "runtime/io/whole_read.h"
#include "utf8.h"

namespace nikaia {

namespace {

Result<void> outcome_of(const rt::FileContent& content, Str path) {
  return content.error == 0 ? Result<void>() : io_failure(content.error, path);
}

[[gnu::noinline]] Result<void> read_among_others(rt::FileContent& content, Str path, const Root& root) {
  if (fs::is_anywhere(root) && rt::take_read_ahead(content, path)) return outcome_of(content, path);
  return fs::at_place(path, root, [&](const fs::Place& place) {
    content = rt::read_file(place.name.c_str(), place.lookup);
    return content.error;
  });
}

// Between a row and the calls of the system stands nothing that a program which never overlaps could do without.
Result<void> read_into(rt::FileContent& content, Str path, const Root& root) {
  if (!rt::idle() || !fs::is_anywhere(root) || fs::holds_zero(path)) return read_among_others(content, path, root);
  const fs::SystemPath name(path);
  content = rt::read_file_idle(name.c_str(), rt::Lookup{});
  return outcome_of(content, path);
}

const char* start_of(const rt::FileContent& content) {
  return content.buffer == nullptr ? "" : bytes_of(content.buffer);
}

}  // namespace

Result<Bytes> fs_read(PathRef path, RootRef root, bool trusted) {
  note_trust(trusted);
  rt::FileContent content;
  auto read = read_into(content, path.bytes, *root.root);
  if (read.failed()) {
    return read.take_failure();
  }
  return Bytes(start_of(content), content.size, content.buffer);
}

Result<String> fs_read_to_string(PathRef path, RootRef root, bool trusted) {
  note_trust(trusted);
  rt::FileContent content;
  auto read = read_into(content, path.bytes, *root.root);
  if (read.failed()) {
    return read.take_failure();
  }
  String text = String::adopt(start_of(content), content.size, content.buffer);
  if (!utf8::valid(text.data(), text.size())) {
    return Failure::make(IoError::NotText(path_display(path)));
  }
  return text;
}

namespace {

// What a mapping counts; the pages are given back with the last holder.
struct Pages : CountedBuffer {
  void* at;
  std::size_t mapped;
};
void release_pages(CountedBuffer* buffer) {
  auto* const pages = static_cast<Pages*>(buffer);
  ::munmap(pages->at, pages->mapped);
  std::free(pages);
}

}  // namespace

Result<Mapped> fs_map(PathRef path, RootRef root, bool trusted) {
  note_trust(trusted);
  auto opened = fs::open_path(path.bytes, *root.root, O_RDONLY);
  if (opened.failed()) {
    return opened.take_failure();
  }
  struct stat about;
  if (::fstat(opened.value().get(), &about) != 0) {
    return io_failure(errno, path.bytes);
  }
  const auto size = static_cast<std::size_t>(about.st_size);
  if (size == 0) {
    return Mapped();
  }
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, opened.value().get(), 0);
  if (at == MAP_FAILED) {
    return io_failure(errno, path.bytes);
  }
  auto* const pages = static_cast<Pages*>(take_memory(sizeof(Pages)));
  *pages = Pages{{1, size, &release_pages}, at, size};
  return Mapped(static_cast<const char*>(at), size, pages);
}

Result<void> fs_write(PathRef path, RootRef root, DataRef data, bool append, bool create) {
  return fs::at_place(path.bytes, *root.root, [&](const fs::Place& place) {
    return rt::write_file(place.name.c_str(), data.data, data.size, rt::WriteMode{append, create}, place.lookup);
  });
}

Result<bool> fs_exists(PathRef path, RootRef root) {
  bool found = false;
  auto asked = fs::at_place(path.bytes, *root.root, [&](const fs::Place& place) {
    const int error = fs::can_be_found(place);
    found = error == 0;
    return error == ENOENT || error == ENOTDIR ? 0 : error;
  });
  if (asked.failed()) {
    return asked.take_failure();
  }
  return found;
}

}  // namespace nikaia
