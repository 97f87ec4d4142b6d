// std::http1 (language 07 §14.2): the text half of HTTP/1.1, over bytes the caller hands in.
#pragma once

#include <nikaia/rt/bytes.h>
#include <nikaia/rt/path.h>

namespace nikaia {

struct HeaderLine {
  std::size_t name_from = 0;
  std::size_t name_to = 0;
  std::size_t value_from = 0;
  std::size_t value_to = 0;
};

// What a request's head says: positions in a text of its own.
struct Head {
  String text;
  std::size_t method_to = 0;
  std::size_t target_from = 0;
  std::size_t target_to = 0;
  Vec<HeaderLine> lines;
  std::int64_t length = 0;
  bool keeps_alive = false;

  [[nodiscard]] Head clone() const {
    return {nikaia::clone(text), method_to, target_from, target_to, nikaia::clone(lines), length, keeps_alive};
  }
};

class Buffer {
 public:
  Buffer() = default;
  void take(DataRef more) { bytes_.append(static_cast<const char*>(more.data), more.size); }
  Str bytes() const { return bytes_; }
  [[nodiscard]] Buffer clone() const {
    Buffer other;
    other.bytes_ = nikaia::clone(bytes_);
    return other;
  }

 private:
  String bytes_;  // as they came, not checked to be text
};

NIKAIA_INLINE void buffer_take(Buffer& buffer, DataRef more) {
  buffer.take(more);
}
inline std::int64_t buffer_len(const Buffer& buffer) {
  return static_cast<std::int64_t>(buffer.bytes().size);
}
Result<std::int64_t> buffer_head_end(const Buffer& buffer, std::int64_t cap);
Result<Head> buffer_head(const Buffer& buffer);
Result<String> buffer_text_from(const Buffer& buffer, std::int64_t at, At place = At::here());

inline Str head_method(const Head& head) {
  return static_cast<Str>(head.text).part(0, head.method_to);
}
inline Str head_target(const Head& head) {
  return static_cast<Str>(head.text).part(head.target_from, head.target_to);
}
Str head_path(const Head& head);
Maybe<Str> head_query(const Head& head, Str name);
Maybe<Str> head_header(const Head& head, Str name);
inline std::int64_t head_headers(const Head& head) {
  return vec_len(head.lines);
}
inline std::int64_t head_length(const Head& head) {
  return head.length;
}
inline std::int64_t head_size(const Head& head) {
  return static_cast<std::int64_t>(head.text.size());
}
inline bool head_keep_alive(const Head& head) {
  return head.keeps_alive;
}

}  // namespace nikaia
