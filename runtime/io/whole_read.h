// Reading a whole file through the backend, in two halves: the operation, and what is made of its outcome.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nikaia/backend.h>
#include <nikaia/rt/io.h>
#include <nikaia/rt/text.h>

namespace nikaia::rt {

// A counted buffer that grows while it is filled. Freed unless it was handed out, also by an unwinding.
class Filling {
 public:
  Filling() = default;
  Filling(const Filling&) = delete;
  Filling& operator=(const Filling&) = delete;
  ~Filling();

  void make_room(std::size_t bytes);
  void make_offered_room();  // for a file whose size is not known
  char* end() { return reinterpret_cast<char*>(buffer_ + 1) + filled_; }
  std::size_t room() const { return buffer_->size - filled_; }
  std::size_t filled() const { return filled_; }
  void add(std::size_t bytes) { filled_ += bytes; }
  void grow_when_full() {
    if (room() == 0) make_room(buffer_->size * 2);
  }
  FileContent hand_out();

 private:
  FileContent copy_out() const;
  void cut_to_size();

  CountedBuffer* buffer_ = nullptr;
  std::size_t filled_ = 0;
  bool is_offered_ = false;
};

// `op` is performed between the two. What the operation left open is closed by `finish`, or by whoever does not
// call it.
class WholeRead {
 public:
  nikaia_io_op op;

  void prepare(const char* path, Lookup lookup);
  // With the operation's result and flags. Pauses where there is more to read.
  FileContent finish(std::int64_t result, std::uint32_t flags);

 private:
  Filling filling_;
};

// In a branch of a block that reads ahead (read_ahead.cc), its first read: the outcome, in `content`, of what was
// begun for it; a pause point. False elsewhere, and the caller reads for itself. `path` stands under `Anywhere`.
bool take_read_ahead(FileContent& content, Str path);

}  // namespace nikaia::rt
