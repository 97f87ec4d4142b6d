// fs::Path, fs::Root and io::IoError (language 07 §12.2, §18).
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/format.h>
#include <nikaia/rt/maybe.h>
#include <nikaia/rt/result.h>
#include <nikaia/rt/sum.h>
#include <nikaia/rt/text.h>

namespace nikaia {

// A name in the platform's own bytes, which need not be UTF-8. Text stands wherever one is asked.
struct Path {
  String bytes;

  Path() = default;
  Path(String&& text) : bytes(static_cast<String&&>(text)) {}
  // Shares the text's buffer.
  Path(Str text) : bytes(String::adopt(text.data, text.size, text.buffer)) { hold(text.buffer); }
  Path(const String& text) : Path(static_cast<Str>(text)) {}
  Path(const TetheredStr& text) : Path(static_cast<Str>(text)) {}
  Path clone() const { return Path(nikaia::clone(bytes)); }
  void show(String& out) const;
  void debug(DebugText& out) const;
  friend bool operator==(const Path& a, const Path& b) { return a.bytes == b.bytes; }
};

// A lent path: what rows take, so that text given for one is not copied.
struct PathRef {
  Str bytes;
  PathRef(Str text) : bytes(text) {}
  PathRef(const String& text) : bytes(text) {}
  PathRef(const TetheredStr& text) : bytes(text) {}
  PathRef(const Path& path) : bytes(path.bytes) {}
  PathRef(const Path* path) : bytes(path->bytes) {}
};

bool path_starts_with(PathRef path, PathRef part);
bool path_ends_with(PathRef path, PathRef part);
Maybe<Path> path_file_name(PathRef path);
Maybe<Path> path_extension(PathRef path);
Maybe<Path> path_parent(PathRef path);
Path path_with_extension(PathRef path, PathRef extension);
Path path_join(PathRef path, PathRef part);
String path_display(PathRef path);
Result<String> path_to_text(PathRef path);

template <>
struct Spare<Path> {
  static constexpr bool exists = true;
  static Path null() { return {}; }
  static bool is_null(const Path& path) { return Spare<String>::is_null(path.bytes); }
  static void settle(Path& path) { Spare<String>::settle(path.bytes); }
};

// ---- io::IoError

struct IoError_NotFound {
  Path part0;
  friend bool operator==(const IoError_NotFound&, const IoError_NotFound&) = default;
};
struct IoError_PermissionDenied {
  Path part0;
  friend bool operator==(const IoError_PermissionDenied&, const IoError_PermissionDenied&) = default;
};
struct IoError_NotText {
  String part0;
  friend bool operator==(const IoError_NotText&, const IoError_NotText&) = default;
};
struct IoError_Outside {
  Path part0;
  friend bool operator==(const IoError_Outside&, const IoError_Outside&) = default;
};
struct IoError_Other {
  String part0;
  friend bool operator==(const IoError_Other&, const IoError_Other&) = default;
};

struct IoError {
  using Variants = Sum<IoError_NotFound, IoError_PermissionDenied, IoError_NotText, IoError_Outside, IoError_Other>;
  Variants sum{};

  static IoError NotFound(Path path) { return IoError{Variants::make<0>({static_cast<Path&&>(path)})}; }
  static IoError PermissionDenied(Path path) { return IoError{Variants::make<1>({static_cast<Path&&>(path)})}; }
  static IoError NotText(String what) { return IoError{Variants::make<2>({static_cast<String&&>(what)})}; }
  static IoError Outside(Path path) { return IoError{Variants::make<3>({static_cast<Path&&>(path)})}; }
  static IoError Other(String words) { return IoError{Variants::make<4>({static_cast<String&&>(words)})}; }
  IoError clone() const;
  String message() const;
  void debug(DebugText& out) const;
  friend bool operator==(const IoError&, const IoError&) = default;
};
inline String io_error_message(const IoError& error) {
  return error.message();
}

// The failure a system call ended with: `error` is the system's number, `path` the one the program
// gave.
Failure io_failure(int error, Str path);
Failure io_failure_other(Str words);

// ---- fs::Root

struct Root_Dir {
  Path part0;
  friend bool operator==(const Root_Dir&, const Root_Dir&) = default;
};
struct Root_Anywhere {
  friend bool operator==(const Root_Anywhere&, const Root_Anywhere&) = default;
};
struct Root {
  using Variants = Sum<Root_Dir, Root_Anywhere>;
  Variants sum{};

  static Root Dir(Path path) { return Root{Variants::make<0>({static_cast<Path&&>(path)})}; }
  static Root Anywhere() { return Root{Variants::make<1>({})}; }
  Root clone() const { return sum.tag() == 0 ? Dir(sum.as<0>().part0.clone()) : Anywhere(); }
  void debug(DebugText& out) const;
  friend bool operator==(const Root&, const Root&) = default;
};
struct RootRef {
  const Root* root;
  RootRef(const Root& lent) : root(&lent) {}
  RootRef(const Root* lent) : root(lent) {}
};

}  // namespace nikaia
