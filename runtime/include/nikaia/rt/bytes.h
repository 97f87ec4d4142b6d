// Bytes and fs::Mapped (language 07 §7): a handle on one counted buffer, of memory or of a file's
// pages. Handing it on adds a holder and copies nothing. A slice, and the text of it, carry the
// buffer and can be tethered.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/maybe.h>
#include <nikaia/rt/result.h>
#include <nikaia/rt/run.h>
#include <nikaia/rt/seq.h>
#include <nikaia/rt/text.h>
#include <nikaia/rt/text_rows.h>
#include <nikaia/rt/vec.h>

namespace nikaia {

class Bytes {
 public:
  constexpr Bytes() = default;
  // Takes over one count of `buffer`, which the caller holds.
  Bytes(const char* data, std::size_t size, CountedBuffer* buffer)
      : data_(reinterpret_cast<const std::uint8_t*>(data)), size_(size), buffer_(buffer) {}
  Bytes(const Bytes& other) : data_(other.data_), size_(other.size_), buffer_(other.buffer_) { hold(buffer_); }
  Bytes(Bytes&& other) noexcept : data_(other.data_), size_(other.size_), buffer_(other.buffer_) {
    other.data_ = nullptr;
    other.size_ = 0;
    other.buffer_ = nullptr;
  }
  Bytes& operator=(Bytes other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~Bytes() { let_go(buffer_); }

  const std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }
  operator Run<std::uint8_t>() const { return Run<std::uint8_t>(data_, size_, buffer_); }
  // The bytes as text that has not been checked.
  Str unchecked() const { return Str(size_ == 0 ? "" : reinterpret_cast<const char*>(data_), size_, buffer_); }
  void show(String& out) const;
  friend bool operator==(const Bytes& a, const Bytes& b) { return same_text(a.unchecked(), b.unchecked()); }

 private:
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  CountedBuffer* buffer_ = nullptr;
};

// A file's pages, read only.
class Mapped : public Bytes {
 public:
  using Bytes::Bytes;
};

template <>
inline constexpr bool is_handle<Bytes> = true;
template <>
inline constexpr bool is_handle<Mapped> = true;

NIKAIA_INLINE Run<std::uint8_t> run_of(const Bytes& bytes) {
  return bytes;
}
template <class I>
NIKAIA_INLINE std::uint8_t index_at(const Bytes& bytes, I index, At at = At::here()) {
  return bytes.data()[index_within(index, bytes.size(), at)];
}
template <class I>
NIKAIA_INLINE Run<std::uint8_t> slice(const Bytes& bytes, const Range<I>& range, At at = At::here()) {
  return slice(static_cast<Run<std::uint8_t>>(bytes), range, at);
}
NIKAIA_INLINE RunSeq<std::uint8_t> walk(const Bytes& bytes) {
  return RunSeq<std::uint8_t>(static_cast<Run<std::uint8_t>>(bytes));
}

NIKAIA_INLINE std::int64_t bytes_len(const Bytes& bytes) {
  return static_cast<std::int64_t>(bytes.size());
}
NIKAIA_INLINE bool bytes_is_empty(const Bytes& bytes) {
  return bytes.size() == 0;
}
NIKAIA_INLINE Maybe<std::int64_t> bytes_find(const Bytes& bytes, Str part, std::int64_t from = 0, At at = At::here()) {
  return text_find(bytes.unchecked(), part, from, at);
}
Maybe<std::int64_t> bytes_find(const Bytes& bytes, std::uint8_t part, std::int64_t from = 0, At at = At::here());
// io::IoError::NotText where the bytes are not UTF-8.
Result<Str> bytes_text(const Bytes& bytes);

// The lines, each checked where it is handed out.
class BytesLineSeq {
 public:
  using Item = Str;
  static constexpr bool can_fail = false;
  BytesLineSeq(const Bytes& bytes, At at) : lines_(bytes.unchecked()), at_(at) {}
  Maybe<Str> next() { return checked(lines_.next()); }
  Maybe<Str> next_back() { return checked(lines_.next_back()); }

 private:
  Maybe<Str> checked(Maybe<Str> line) const;
  LineSeq lines_;
  At at_;
};
NIKAIA_INLINE BytesLineSeq bytes_lines(const Bytes& bytes, At at = At::here()) {
  return BytesLineSeq(bytes, at);
}

// Data to be written: text, bytes, a list or a run of bytes.
struct DataRef {
  const void* data;
  std::size_t size;
  DataRef(Str text) : data(text.data), size(text.size) {}
  DataRef(const String& text) : data(text.data()), size(text.size()) {}
  DataRef(const TetheredStr& text) : data(text.data), size(text.size) {}
  DataRef(const Bytes& bytes) : data(bytes.data()), size(bytes.size()) {}
  DataRef(const Vec<std::uint8_t>& list) : data(list.data()), size(list.size()) {}
  DataRef(Run<std::uint8_t> run) : data(run.data), size(run.size) {}
  DataRef(const TetheredRun<std::uint8_t>& run) : data(run.data), size(run.size) {}
  template <std::size_t N>
  DataRef(const Array<std::uint8_t, N>& array) : data(array.data()), size(N) {}
  template <class T>
  DataRef(const T* lent) : DataRef(*lent) {}
};

}  // namespace nikaia
