// Directories: listing, walking, making, removing, renaming, copying. Each system call is an
// operation of the runtime, so that other tasks run while a disk is waited for. Trees are walked
// with lists of our own, since a task's stack is small and a tree may be deep.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <nikaia/rt/btree.h>
#include <nikaia/rt/std_fs.h>
#include <nikaia/rt/vec_rows.h>

#include "lookup.h"
#include "runtime/io/operations.h"
#include "utf8.h"

namespace nikaia {

namespace {

struct Listed {
  String name;
  unsigned char type = 0;  // DT_…
};

// The entries of an open directory without `.` and `..`. 0 or an errno.
int list_directory(int fd, Vec<Listed>& entries) {
  constexpr std::size_t piece_bytes = 32 * 1024;
  String piece = String::with_room(piece_bytes);
  char* const bytes = piece.reserve(piece_bytes);
  while (true) {
    nikaia_io_op op{};
    op.kind = NIKAIA_IO_READDIR;
    op.fd = fd;
    op.buffer = bytes;
    op.length = piece_bytes;
    const std::int64_t read = rt::perform(op);
    if (read <= 0) {
      return static_cast<int>(-read);
    }
    // struct linux_dirent64: inode 8, offset 8, record length 2, type 1, name.
    for (const char* at = bytes; at < bytes + read;) {
      std::uint16_t length;
      std::memcpy(&length, at + 16, sizeof length);
      const char* const name = at + 19;
      const Str text(name, std::strlen(name));
      if (text != "."_s && text != ".."_s) {
        Listed entry;
        entry.name.append(text);
        entry.type = static_cast<unsigned char>(at[18]);
        entries.push(static_cast<Listed&&>(entry));
      }
      at += length;
    }
  }
}

// 0 or an errno.
int stat_of(int fd, struct statx& about) {
  nikaia_io_op op{};
  op.kind = NIKAIA_IO_STAT;
  op.fd = fd;
  op.path = "";
  op.flags = AT_EMPTY_PATH;
  op.mode = STATX_BASIC_STATS;
  op.buffer = &about;
  op.length = sizeof about;
  return static_cast<int>(-rt::perform(op));
}

int make_directory(const fs::Place& place) {
  nikaia_io_op op{};
  op.kind = NIKAIA_IO_MKDIR;
  op.fd = place.lookup.folder;
  op.path = place.name.c_str();
  op.mode = 0777;
  return static_cast<int>(-rt::perform(op));
}

int unlink_at(int folder, const char* name, int flags) {
  nikaia_io_op op{};
  op.kind = NIKAIA_IO_UNLINK;
  op.fd = folder;
  op.path = name;
  op.flags = static_cast<std::uint32_t>(flags);
  return static_cast<int>(-rt::perform(op));
}

// The directory itself and not what a link of that name leads to.
int open_directory_at(int folder, const char* name) {
  nikaia_io_op op{};
  op.kind = NIKAIA_IO_OPEN;
  op.fd = folder;
  op.path = name;
  op.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  return static_cast<int>(rt::perform(op));
}

// Everything in the directory `name` of `folder`, and it. 0 or an errno. One descriptor a level.
int remove_tree(int folder, const char* name) {
  struct Level {
    fs::Descriptor directory;
    Vec<Listed> entries;
    String name;  // with a zero byte behind it
  };
  Vec<Level> levels;
  const auto enter = [&](int above, const char* below) {
    Level level;
    const int fd = open_directory_at(above, below);
    if (fd < 0) {
      return -fd;
    }
    level.directory = fs::Descriptor(fd);
    level.name.append(below, std::strlen(below) + 1);
    const int error = list_directory(fd, level.entries);
    levels.push(static_cast<Level&&>(level));
    return error;
  };
  int error = enter(folder, name);
  while (error == 0 && levels.size() > 0) {
    Level& level = levels.data()[levels.size() - 1];
    if (level.entries.size() == 0) {
      const Level emptied = vec_pop(levels).take();
      const int above = levels.size() == 0 ? folder : levels.data()[levels.size() - 1].directory.get();
      error = unlink_at(above, emptied.name.data(), AT_REMOVEDIR);
      continue;
    }
    Listed entry = vec_pop(level.entries).take();
    entry.name.append_byte('\0');
    const int fd = level.directory.get();
    const int unlinked = entry.type == DT_DIR ? EISDIR : unlink_at(fd, entry.name.data(), 0);
    error = unlinked == EISDIR ? enter(fd, entry.name.data()) : unlinked;
  }
  return error;
}

Failure not_text(Str name) {
  return Failure::make(IoError::NotText(path_display(name)));
}

String joined(Str above, Str name) {
  String made = clone(above);
  if (above.size != 0 && above.data[above.size - 1] != '/') {
    made.append_byte('/');
  }
  made.append(name);
  return made;
}

// A tree on the way: what is still to be handed out of each directory entered, the first at the
// end.
class TreeWalk {
 public:
  TreeWalk(Str path, const Root& root) : path_(path), root_(root) {}

  Result<Vec<String>> run() {
    auto opened = fs::open_path(path_, root_, O_RDONLY | O_DIRECTORY);
    if (opened.failed()) {
      return opened.take_failure();
    }
    auto entered = enter(opened.value().get(), ""_s);
    if (entered.failed()) {
      return entered.take_failure();
    }
    while (waiting_.size() > 0) {
      Waiting next = vec_pop(waiting_).take();
      if (!next.is_directory) {
        files_.push(static_cast<String&&>(next.name));
        continue;
      }
      auto directory = fs::open_path(joined(path_, next.name), root_, O_RDONLY | O_DIRECTORY);
      if (directory.failed()) {
        return directory.take_failure();
      }
      entered = enter(directory.value().get(), next.name);
      if (entered.failed()) {
        return entered.take_failure();
      }
    }
    return static_cast<Vec<String>&&>(files_);
  }

 private:
  struct Waiting {
    String name;  // below the start
    bool is_directory = false;
  };

  // Puts the entries of an open directory on the list, unless it was entered before.
  Result<void> enter(int fd, Str name) {
    struct statx about;
    int error = stat_of(fd, about);
    if (error == 0) {
      const Tuple<std::uint64_t, std::uint64_t> identity(std::uint64_t{about.stx_dev_major} << 32 | about.stx_dev_minor,
                                                         about.stx_ino);
      if (!set_insert(entered_, identity)) {
        return {};
      }
    }
    Vec<Listed> entries;
    error = error != 0 ? error : list_directory(fd, entries);
    if (error != 0) {
      return io_failure(error, name.size == 0 ? path_ : static_cast<Str>(joined(path_, name)));
    }
    BTreeMap<String, Waiting> sorted;
    for (Listed& entry : entries) {
      Waiting found{joined(name, entry.name), entry.type == DT_DIR};
      if (entry.type != DT_DIR && entry.type != DT_REG) {
        bool is_wanted = false;
        auto asked = resolve(found, is_wanted);
        if (asked.failed()) {
          return asked.take_failure();
        }
        if (!is_wanted) {
          continue;
        }
      }
      if (!utf8::valid(entry.name.data(), entry.name.size())) {
        return not_text(found.name);
      }
      String key = clone(found.name);
      if (found.is_directory) {
        key.append_byte('/');  // so that it falls where the names below it do
      }
      map_set(sorted, static_cast<String&&>(key), static_cast<Waiting&&>(found));
    }
    const std::size_t before = waiting_.size();
    for (auto& leaf : const_cast<Vec<BTreeMap<String, Waiting>::Leaf>&>(sorted.leaves())) {
      for (auto& pair : leaf) {
        waiting_.push(static_cast<Waiting&&>(pair.value));
      }
    }
    // The first one has to come off the list first.
    for (std::size_t low = before, high = waiting_.size(); low + 1 < high; ++low) {
      --high;
      swap_places(waiting_.data()[low], waiting_.data()[high]);
    }
    return {};
  }

  // What a link leads to. Nothing, out of the root, in a circle: not wanted.
  Result<void> resolve(Waiting& entry, bool& is_wanted) {
    auto opened = fs::open_path(joined(path_, entry.name), root_, O_PATH);
    if (opened.failed()) {
      return {};
    }
    struct statx about;
    const int error = stat_of(opened.value().get(), about);
    if (error != 0) {
      return io_failure(error, joined(path_, entry.name));
    }
    entry.is_directory = S_ISDIR(about.stx_mode);
    is_wanted = entry.is_directory || S_ISREG(about.stx_mode);
    return {};
  }

  Str path_;
  const Root& root_;
  HashSet<Tuple<std::uint64_t, std::uint64_t>> entered_;
  Vec<Waiting> waiting_;
  Vec<String> files_;
};

// Bytes copied from one descriptor to another, both at their positions; or a negative errno.
std::int64_t copy_bytes(int from, int to) {
  constexpr std::size_t at_once = std::size_t{1} << 30;
  constexpr std::size_t piece_bytes = 128 * 1024;
  std::int64_t copied = 0;
  while (true) {
    nikaia_io_op op{};
    op.kind = NIKAIA_IO_COPY;
    op.fd = from;
    op.fd2 = to;
    op.length = at_once;
    const std::int64_t some = rt::perform(op);
    if (some == 0 && copied != 0) {
      return copied;
    }
    if (some <= 0) {
      break;  // not by the kernel alone, or a file that states no size
    }
    copied += some;
  }
  String piece = String::with_room(piece_bytes);
  char* const bytes = piece.reserve(piece_bytes);
  while (true) {
    nikaia_io_op read{};
    read.kind = NIKAIA_IO_READ;
    read.fd = from;
    read.buffer = bytes;
    read.length = piece_bytes;
    read.offset = -1;
    const std::int64_t some = rt::perform(read);
    if (some <= 0) {
      return some < 0 ? some : copied;
    }
    for (std::int64_t done = 0; done < some;) {
      nikaia_io_op write{};
      write.kind = NIKAIA_IO_WRITE;
      write.fd = to;
      write.buffer = bytes + done;
      write.length = static_cast<std::uint64_t>(some - done);
      write.offset = -1;
      const std::int64_t written = rt::perform(write);
      if (written < 0) {
        return written;
      }
      done += written;
    }
    copied += some;
  }
}

// The failure of a part of a name, said of the name the program gave.
Failure of_whole(Failure failure, Str path) {
  switch (failure.as<IoError>().sum.tag()) {
    case 1: return Failure::make(IoError::PermissionDenied(Path(clone(path))));
    case 3: return Failure::make(IoError::Outside(Path(clone(path))));
    default: return failure;
  }
}

Result<void> outcome(int error, Str path) {
  if (error != 0) {
    return io_failure(error, path);
  }
  return {};
}

}  // namespace

bool metadata_is_dir(const Metadata& of) {
  return S_ISDIR(of.mode);
}
bool metadata_is_file(const Metadata& of) {
  return S_ISREG(of.mode);
}
Duration metadata_modified(const Metadata& of) {
  return of.modified_seconds < 0 ? Duration{}
                                 : Duration{static_cast<std::uint64_t>(of.modified_seconds), of.modified_nanoseconds};
}

Result<Metadata> fs_metadata(PathRef path, RootRef root) {
  auto opened = fs::open_path(path.bytes, *root.root, O_PATH);
  if (opened.failed()) {
    return opened.take_failure();
  }
  struct statx about;
  const int error = stat_of(opened.value().get(), about);
  if (error != 0) {
    return io_failure(error, path.bytes);
  }
  return Metadata{about.stx_size, about.stx_mtime.tv_sec, about.stx_mtime.tv_nsec, about.stx_mode};
}

Result<DirEntries> fs_read_dir(PathRef path, RootRef root) {
  auto opened = fs::open_path(path.bytes, *root.root, O_RDONLY | O_DIRECTORY);
  if (opened.failed()) {
    return opened.take_failure();
  }
  Vec<Listed> entries;
  const int error = list_directory(opened.value().get(), entries);
  if (error != 0) {
    return io_failure(error, path.bytes);
  }
  DirEntries names;
  for (Listed& entry : entries) {
    if (!utf8::valid(entry.name.data(), entry.name.size())) {
      return not_text(entry.name);
    }
    names.push(static_cast<String&&>(entry.name));
  }
  vec_sort(names);
  return names;
}

Result<Vec<String>> fs_walk(PathRef path, RootRef root, bool trusted) {
  note_trust(trusted);
  return TreeWalk(path.bytes, *root.root).run();
}

Result<void> fs_create_dir(PathRef path, RootRef root, bool recursive) {
  if (!recursive) {
    auto place = fs::parent_place(path.bytes, *root.root);
    if (place.failed()) {
      return place.take_failure();
    }
    return outcome(make_directory(place.value()), path.bytes);
  }
  // Each part of the name in turn.
  for (std::size_t end = 1; end <= path.bytes.size; ++end) {
    if (end < path.bytes.size && path.bytes.data[end] != '/') {
      continue;
    }
    const Str part = path.bytes.part(0, end);
    auto found = fs_metadata(part, root);
    if (found.ok()) {
      if (!metadata_is_dir(found.value())) {
        return io_failure(ENOTDIR, path.bytes);
      }
      continue;
    }
    if (found.failure().as<IoError>().sum.tag() != 0) {
      return of_whole(found.take_failure(), path.bytes);
    }
    auto place = fs::parent_place(part, *root.root);
    if (place.failed()) {
      return place.take_failure();
    }
    const int error = make_directory(place.value());
    if (error != 0 && error != EEXIST) {
      return io_failure(error, path.bytes);
    }
  }
  return {};
}

Result<void> fs_remove(PathRef path, RootRef root, bool recursive) {
  auto place = fs::parent_place(path.bytes, *root.root);
  if (place.failed()) {
    return place.take_failure();
  }
  const int folder = place.value().lookup.folder;
  const char* const name = place.value().name.c_str();
  int error = unlink_at(folder, name, 0);
  if (error == EISDIR) {
    error = recursive ? remove_tree(folder, name) : unlink_at(folder, name, AT_REMOVEDIR);
  }
  return outcome(error, path.bytes);
}

Result<void> fs_rename(PathRef from, PathRef to, RootRef root) {
  auto old_place = fs::parent_place(from.bytes, *root.root);
  if (old_place.failed()) {
    return old_place.take_failure();
  }
  auto new_place = fs::parent_place(to.bytes, *root.root);
  if (new_place.failed()) {
    return new_place.take_failure();
  }
  nikaia_io_op op{};
  op.kind = NIKAIA_IO_RENAME;
  op.fd = old_place.value().lookup.folder;
  op.path = old_place.value().name.c_str();
  op.fd2 = new_place.value().lookup.folder;
  op.path2 = new_place.value().name.c_str();
  return outcome(static_cast<int>(-rt::perform(op)), from.bytes);
}

Result<std::uint64_t> fs_copy(PathRef from, PathRef to, RootRef root) {
  auto source = fs::open_path(from.bytes, *root.root, O_RDONLY);
  if (source.failed()) {
    return source.take_failure();
  }
  struct statx about;
  const int error = stat_of(source.value().get(), about);
  if (error != 0) {
    return io_failure(error, from.bytes);
  }
  if (S_ISDIR(about.stx_mode)) {
    return io_failure(EISDIR, from.bytes);
  }
  // Emptied only once it is known not to be the file that is read.
  auto target = fs::open_path(to.bytes, *root.root, O_WRONLY | O_CREAT, about.stx_mode & 0777U);
  if (target.failed()) {
    return target.take_failure();
  }
  struct statx there;
  if (stat_of(target.value().get(), there) == 0 && there.stx_ino == about.stx_ino &&
      there.stx_dev_major == about.stx_dev_major && there.stx_dev_minor == about.stx_dev_minor) {
    return io_failure_other(format(path_display(from), " and "_s, path_display(to), " are one file"_s));
  }
  nikaia_io_op empty{};
  empty.kind = NIKAIA_IO_TRUNCATE;
  empty.fd = target.value().get();
  const std::int64_t emptied = rt::perform(empty);
  const std::int64_t copied = emptied < 0 ? emptied : copy_bytes(source.value().get(), target.value().get());
  if (copied < 0) {
    return io_failure(static_cast<int>(-copied), to.bytes);
  }
  return static_cast<std::uint64_t>(copied);
}

Result<Root> fs_scratch() {
  const char* folder = std::getenv("NIKAIA_SCRATCH");
  if (folder == nullptr || *folder == '\0') {
    folder = std::getenv("TMPDIR");
  }
  if (folder == nullptr || *folder == '\0') {
    folder = "/tmp";
  }
  String pattern = format(Str(folder, std::strlen(folder)), "/nikaia-XXXXXX"_s, Str("\0", 1));
  if (::mkdtemp(const_cast<char*>(pattern.data())) == nullptr) {
    return io_failure(errno, Str(folder, std::strlen(folder)));
  }
  pattern.cut(pattern.size() - 1);
  return Root::Dir(Path(static_cast<String&&>(pattern)));
}

}  // namespace nikaia
