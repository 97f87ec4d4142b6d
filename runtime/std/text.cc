// Text buffers: making, growing, copying and comparing.
#include <nikaia/rt/text.h>

#include "utf8.h"

namespace nikaia {

CountedBuffer* new_buffer(std::size_t bytes) {
  std::size_t all;
  if (__builtin_add_overflow(bytes, sizeof(CountedBuffer), &all)) {
    all = ~std::size_t{0};
  }
  auto* buffer = static_cast<CountedBuffer*>(take_memory(all));
  *buffer = CountedBuffer{1, bytes, nullptr};
  return buffer;
}

String String::with_room(std::size_t bytes) {
  CountedBuffer* buffer = new_buffer(bytes);
  return adopt(bytes_of(buffer), 0, buffer);
}

void String::append_growing(const char* bytes, std::size_t count) {
  if (count == 0) {
    return;
  }
  // The old buffer is let go only after the copy: `bytes` may lie in it.
  std::size_t least;
  if (__builtin_add_overflow(size_, count, &least)) {
    least = ~std::size_t{0};
  }
  const std::size_t doubled = size_ * 2;
  const std::size_t room = doubled > least ? doubled : least < 24 ? 24 : least;
  CountedBuffer* grown = new_buffer(room);
  if (size_ != 0) {
    std::memcpy(bytes_of(grown), data_, size_);
  }
  std::memcpy(bytes_of(grown) + size_, bytes, count);
  let_go(buffer_);
  buffer_ = grown;
  data_ = bytes_of(grown);
  size_ += count;
}

char* String::reserve(std::size_t bytes) {
  if (!room_for(bytes)) {
    const std::size_t doubled = size_ * 2;
    CountedBuffer* grown = new_buffer(doubled > size_ + bytes ? doubled : size_ + bytes);
    if (size_ != 0) {
      std::memcpy(bytes_of(grown), data_, size_);
    }
    let_go(buffer_);
    buffer_ = grown;
    data_ = bytes_of(grown);
  }
  return const_cast<char*>(data_) + size_;
}

void String::append_char(char32_t c) {
  if (c < 0x80) {
    append_byte(static_cast<char>(c));
    return;
  }
  char bytes[4];
  append(bytes, utf8::encode(c, bytes));
}

void String::append_repeated(char32_t c, std::size_t times) {
  char bytes[4];
  const std::size_t size = utf8::encode(c, bytes);
  for (; times > 0; --times) {
    append(bytes, size);
  }
}

String clone(Str text) {
  if (text.buffer == nullptr || text.size == 0) {
    return String::literal(text.size == 0 ? ""_s : text);
  }
  CountedBuffer* buffer = new_buffer(text.size);
  std::memcpy(bytes_of(buffer), text.data, text.size);
  return String::adopt(bytes_of(buffer), text.size, buffer);
}

int compare_text(Str a, Str b) {
  const std::size_t common = a.size < b.size ? a.size : b.size;
  const int bytes = common == 0 ? 0 : std::memcmp(a.data, b.data, common);
  return bytes != 0 ? bytes : (a.size > b.size) - (a.size < b.size);
}

}  // namespace nikaia
