// Text: Str, a view that does not count; TetheredStr, one that does; String, text of its own. All
// three are the same three words: where the bytes are, how many, and the buffer they lie in. The
// buffer is null exactly for text that lies in the program itself, so a literal is never counted,
// never copied and never freed, whichever of the three it is. A view of a String carries the
// String's buffer: keeping the view adds one to a count and copies nothing.
//
// A String is changed in place only while it is the one holder of its buffer; otherwise it takes a
// buffer of its own first and leaves the old one to the views that hold it.
//
// Bytes are valid UTF-8 always. The rows of language 07 §3 stand in text_rows.h.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/maybe.h>

namespace nikaia {

class String;
struct TetheredStr;

struct Str {
  const char* data = nullptr;
  std::size_t size = 0;
  CountedBuffer* buffer = nullptr;

  constexpr Str() = default;
  constexpr Str(const char* bytes, std::size_t length, CountedBuffer* in = nullptr)
      : data(bytes), size(length), buffer(in) {}
  // A part of this text; the caller has checked the bounds.
  constexpr Str part(std::size_t from, std::size_t to) const { return Str(data + from, to - from, buffer); }
  constexpr bool empty() const { return size == 0; }
};

inline namespace literals {
// "…"_s: a literal with its length, zero bytes included.
constexpr Str operator""_s(const char* bytes, std::size_t length) {
  return Str(bytes, length);
}
}  // namespace literals

struct TetheredStr {
  const char* data = nullptr;
  std::size_t size = 0;
  CountedBuffer* buffer = nullptr;

  constexpr TetheredStr() = default;
  NIKAIA_INLINE TetheredStr(Str text) : data(text.data), size(text.size), buffer(text.buffer) { hold(buffer); }
  // Owned text that is kept where views are kept too: its buffer is handed on.
  NIKAIA_INLINE TetheredStr(String&& text) noexcept;
  NIKAIA_INLINE TetheredStr(const String& text);
  NIKAIA_INLINE TetheredStr(const TetheredStr& other) : data(other.data), size(other.size), buffer(other.buffer) {
    hold(buffer);
  }
  NIKAIA_INLINE TetheredStr(TetheredStr&& other) noexcept : data(other.data), size(other.size), buffer(other.buffer) {
    other.buffer = nullptr;
    other.data = nullptr;
    other.size = 0;
  }
  NIKAIA_INLINE TetheredStr& operator=(TetheredStr other) noexcept {
    std::swap(data, other.data);
    std::swap(size, other.size);
    std::swap(buffer, other.buffer);
    return *this;
  }
  NIKAIA_INLINE ~TetheredStr() { let_go(buffer); }
  NIKAIA_INLINE operator Str() const { return Str(data, size, buffer); }
};

class String {
 public:
  constexpr String() = default;
  // A literal, taken as it is.
  static NIKAIA_INLINE String literal(Str text) {
    String made;
    made.data_ = text.data;
    made.size_ = text.size;
    return made;
  }
  // Takes over one count of `buffer`, which the caller holds.
  static NIKAIA_INLINE String adopt(const char* data, std::size_t size, CountedBuffer* buffer) {
    String made;
    made.data_ = data;
    made.size_ = size;
    made.buffer_ = buffer;
    return made;
  }
  // Empty text with room for `bytes`.
  static String with_room(std::size_t bytes);

  String(const String&) = delete;
  String& operator=(const String&) = delete;
  NIKAIA_INLINE String(String&& other) noexcept : data_(other.data_), size_(other.size_), buffer_(other.buffer_) {
    other.data_ = nullptr;
    other.size_ = 0;
    other.buffer_ = nullptr;
  }
  NIKAIA_INLINE String& operator=(String&& other) noexcept {
    const char* data = other.data_;
    const std::size_t size = other.size_;
    CountedBuffer* buffer = other.buffer_;
    other.data_ = nullptr;
    other.size_ = 0;
    other.buffer_ = nullptr;
    CountedBuffer* old = buffer_;  // null where the two are one
    data_ = data;
    size_ = size;
    buffer_ = buffer;
    let_go(old);
    return *this;
  }
  NIKAIA_INLINE ~String() { let_go(buffer_); }

  NIKAIA_INLINE operator Str() const { return Str(data_, size_, buffer_); }
  const char* data() const { return data_; }
  std::size_t size() const { return size_; }
  CountedBuffer* buffer() const { return buffer_; }

  // Bytes at the end. `bytes` may lie inside this text.
  NIKAIA_INLINE void append(const char* bytes, std::size_t count) {
    if (count == 0) return;  // an empty text may have no address, which `memcpy` may not be given
    if (__builtin_expect(room_for(count), 1)) {
      if (count != 0) std::memcpy(const_cast<char*>(data_) + size_, bytes, count);  // no bytes may be at null
      size_ += count;
    } else {
      append_growing(bytes, count);
    }
  }
  NIKAIA_INLINE void append(Str text) { append(text.data, text.size); }
  NIKAIA_INLINE void append_byte(char byte) {
    if (__builtin_expect(room_for(1), 1)) {
      const_cast<char*>(data_)[size_] = byte;
      ++size_;
    } else {
      append_growing(&byte, 1);
    }
  }
  void append_char(char32_t c);
  void append_repeated(char32_t c, std::size_t times);
  // Room behind the text for `bytes` more; the caller writes there and then says how much with
  // `grown`.
  char* reserve(std::size_t bytes);
  void grown(std::size_t bytes) { size_ += bytes; }
  // Cuts to the first `size` bytes.
  void cut(std::size_t size) { size_ = size; }

 private:
  NIKAIA_INLINE bool room_for(std::size_t bytes) const {
    // data_ is the buffer's first byte wherever a String has one of its own to write into.
    return buffer_ != nullptr && buffer_->size - size_ >= bytes && only_holder(buffer_->count) &&
           data_ == reinterpret_cast<const char*>(buffer_ + 1);
  }
  [[gnu::noinline]] void append_growing(const char* bytes, std::size_t count);

  const char* data_ = nullptr;
  std::size_t size_ = 0;
  CountedBuffer* buffer_ = nullptr;
};

NIKAIA_INLINE TetheredStr::TetheredStr(String&& text) noexcept
    : data(text.data()), size(text.size()), buffer(text.buffer()) {
  String taken(static_cast<String&&>(text));
  hold(buffer);
}

NIKAIA_INLINE TetheredStr::TetheredStr(const String& text) : TetheredStr(static_cast<Str>(text)) {}

// A new buffer with room for `bytes` behind its header, its count at one.
[[nodiscard]] CountedBuffer* new_buffer(std::size_t bytes);
inline char* bytes_of(CountedBuffer* buffer) {
  return reinterpret_cast<char*>(buffer + 1);
}

template <>
struct ViewOf<String> {
  using type = Str;
  static NIKAIA_INLINE Str of(const String& text) { return text; }
};
template <>
struct ViewOf<TetheredStr> {
  using type = Str;
  static NIKAIA_INLINE Str of(const TetheredStr& text) { return text; }
};
template <>
struct StoredAs<Str> {
  using type = TetheredStr;
};

template <>
struct Spare<Str> {
  static constexpr bool exists = true;
  static constexpr Str null() { return Str(); }
  static constexpr bool is_null(const Str& text) { return text.data == nullptr; }
  static constexpr void settle(Str& text) {
    if (text.data == nullptr) {
      text.data = "";
    }
  }
};
template <>
struct Spare<TetheredStr> {
  static constexpr bool exists = true;
  static TetheredStr null() { return TetheredStr(); }
  static bool is_null(const TetheredStr& text) { return text.data == nullptr; }
  static void settle(TetheredStr& text) {
    if (text.data == nullptr) {
      text.data = "";
    }
  }
};
template <>
struct Spare<String> {
  static constexpr bool exists = true;
  static String null() { return String(); }
  static bool is_null(const String& text) { return text.data() == nullptr; }
  static void settle(String& text) {
    if (text.data() == nullptr) {
      text = String::literal(""_s);
    }
  }
};

template <class T>
inline constexpr bool is_text = false;
template <>
inline constexpr bool is_text<Str> = true;
template <>
inline constexpr bool is_text<TetheredStr> = true;
template <>
inline constexpr bool is_text<String> = true;

// Text of its own: a literal is taken as it is, anything else is copied.
[[nodiscard]] String clone(Str text);
[[nodiscard]] inline String clone(const String& text) {
  return clone(static_cast<Str>(text));
}
// A stored view copies as a view.
[[nodiscard]] inline TetheredStr clone(const TetheredStr& text) {
  return text;
}

// ---- comparing: by bytes, which is the order of the scalar values

int compare_text(Str a, Str b);
template <class Word>
NIKAIA_INLINE Word word_at(const char* data) {
  Word word;
  std::memcpy(&word, data, sizeof word);
  return word;
}
// Short texts, which keys are, without a call: by two words that may overlap.
NIKAIA_INLINE bool same_text(Str a, Str b) {
  if (a.size != b.size) {
    return false;
  }
  const std::size_t size = a.size;
  if (size > 16) {
    return std::memcmp(a.data, b.data, size) == 0;
  }
  if (size >= 8) {
    return word_at<std::uint64_t>(a.data) == word_at<std::uint64_t>(b.data) &&
           word_at<std::uint64_t>(a.data + size - 8) == word_at<std::uint64_t>(b.data + size - 8);
  }
  if (size >= 4) {
    return word_at<std::uint32_t>(a.data) == word_at<std::uint32_t>(b.data) &&
           word_at<std::uint32_t>(a.data + size - 4) == word_at<std::uint32_t>(b.data + size - 4);
  }
  return size == 0 ||
         (a.data[0] == b.data[0] && a.data[size / 2] == b.data[size / 2] && a.data[size - 1] == b.data[size - 1]);
}

template <class A, class B>
requires(is_text<A>&& is_text<B>) NIKAIA_INLINE bool operator==(const A& a, const B& b) {
  return same_text(a, b);
}
template <class A, class B>
requires(is_text<A>&& is_text<B>) NIKAIA_INLINE bool operator<(const A& a, const B& b) {
  return compare_text(a, b) < 0;
}
template <class A, class B>
requires(is_text<A>&& is_text<B>) NIKAIA_INLINE bool operator<=(const A& a, const B& b) {
  return compare_text(a, b) <= 0;
}
template <class A, class B>
requires(is_text<A>&& is_text<B>) NIKAIA_INLINE bool operator>(const A& a, const B& b) {
  return compare_text(a, b) > 0;
}
template <class A, class B>
requires(is_text<A>&& is_text<B>) NIKAIA_INLINE bool operator>=(const A& a, const B& b) {
  return compare_text(a, b) >= 0;
}

}  // namespace nikaia
