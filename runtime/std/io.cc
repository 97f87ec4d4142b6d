// Standard input. It is read in pieces into one buffer of the program; the rows take lines, or
// everything that is left, out of it. User code that reads it runs on one thread at a time; tasks
// that read it beside each other take turns.
#include <nikaia/rt/channel.h>
#include <nikaia/rt/hash.h>
#include <nikaia/rt/io.h>
#include <nikaia/rt/std_io.h>

#include "utf8.h"

namespace nikaia {

namespace {

class Stdin {
 public:
  Str held() const { return Str(piece_ + from_, to_ - from_); }
  void use(std::size_t bytes) { from_ += bytes; }
  bool ended() const { return ended_; }
  // The next piece, once what is held was used. An errno.
  int fill() {
    if (piece_ == nullptr) {
      piece_ = static_cast<char*>(take_memory(rt::stdin_piece_bytes));
    }
    from_ = 0;
    to_ = 0;
    const std::int64_t read = rt::read_stdin(piece_, rt::stdin_piece_bytes);
    if (read < 0) {
      return static_cast<int>(-read);
    }
    to_ = static_cast<std::size_t>(read);
    ended_ = read == 0;
    return 0;
  }

 private:
  char* piece_ = nullptr;
  std::size_t from_ = 0;
  std::size_t to_ = 0;
  bool ended_ = false;
};
Stdin input;

// One row's turn at the input, from its first look at what is held to its last: while it waits for a
// piece, another task's row would take the rest of its line. Tasks get theirs in the order they asked.
class Turn {
 public:
  Turn() {
    if (is_taken_ || waiting_ > 0) {
      const Waits counted;
      do {
        queue_.wait();
      } while (is_taken_);
    }
    is_taken_ = true;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    is_taken_ = false;
    queue_.wake_one();
  }

 private:
  // A cancelled task is unwound out of its wait.
  struct Waits {
    Waits() { ++waiting_; }
    ~Waits() { --waiting_; }
  };
  static inline bool is_taken_ = false;
  static inline std::size_t waiting_ = 0;  // those in the queue, and one that was woken and has not run yet
  static inline rt::WaitQueue queue_;
};

constexpr Str name_of_input = "standard input"_s;

Failure not_text() {
  return Failure::make(IoError::NotText(String::literal(name_of_input)));
}

Result<String> rest_of_input() {
  const Turn turn;
  String all;
  while (true) {
    all.append(input.held());
    input.use(input.held().size);
    if (input.ended()) {
      return all;
    }
    // Straight into the text's own room.
    while (true) {
      char* const room = all.reserve(rt::stdin_piece_bytes);
      const std::int64_t read = rt::read_stdin(room, rt::stdin_piece_bytes);
      if (read < 0) {
        return io_failure(static_cast<int>(-read), name_of_input);
      }
      if (read == 0) {
        return all;
      }
      all.grown(static_cast<std::size_t>(read));
    }
  }
}

}  // namespace

Result<String> io_read_to_string(bool trusted) {
  note_trust(trusted);
  auto all = rest_of_input();
  if (all.ok() && !utf8::valid(all.value().data(), all.value().size())) {
    return not_text();
  }
  return all;
}

Result<Bytes> io_read(bool trusted) {
  note_trust(trusted);
  auto all = rest_of_input();
  if (all.failed()) {
    return all.take_failure();
  }
  String& bytes = all.value();
  hold(bytes.buffer());
  return Bytes(bytes.data(), bytes.size(), bytes.buffer());
}

Result<Maybe<String>> Lines::next() {
  const Turn turn;
  String line;
  bool any = false;
  while (true) {
    const Str held = input.held();
    const auto* const end =
        held.size == 0 ? nullptr : static_cast<const char*>(std::memchr(held.data, '\n', held.size));
    const std::size_t length = end == nullptr ? held.size : static_cast<std::size_t>(end - held.data);
    any = any || held.size != 0;
    line.append(held.data, length);
    input.use(end == nullptr ? length : length + 1);
    if (end != nullptr) {
      if (line.size() != 0 && line.data()[line.size() - 1] == '\r') {
        line.cut(line.size() - 1);
      }
      break;
    }
    const int error = input.ended() ? 0 : input.fill();
    if (error != 0) {
      return io_failure(error, name_of_input);
    }
    if (input.ended()) {
      if (!any) {
        return Maybe<String>();
      }
      break;
    }
  }
  if (!utf8::valid(line.data(), line.size())) {
    return not_text();
  }
  return Maybe<String>(static_cast<String&&>(line));
}

Result<Maybe<Bytes>> ByteStream::next() {
  const Turn turn;
  if (input.held().size == 0) {
    const int error = input.ended() ? 0 : input.fill();
    if (error != 0) {
      return io_failure(error, name_of_input);
    }
  }
  const Str held = input.held();
  if (held.size == 0) {
    return Maybe<Bytes>();
  }
  CountedBuffer* const buffer = new_buffer(held.size);
  std::memcpy(bytes_of(buffer), held.data, held.size);
  input.use(held.size);
  return Maybe<Bytes>(Bytes(bytes_of(buffer), held.size, buffer));
}

}  // namespace nikaia
