// std::io (language 07 §11): standard input, one stream for the whole program. What one row has
// taken in and not used is there for the next.
#pragma once

#include <nikaia/rt/bytes.h>
#include <nikaia/rt/hash.h>
#include <nikaia/rt/path.h>
#include <nikaia/rt/seq.h>

namespace nikaia {

Result<String> io_read_to_string(bool trusted = true);
Result<Bytes> io_read(bool trusted = true);

// One line a step, without its `\n` or `\r\n`. A step may pause and fail.
struct Lines {
  using Item = String;
  static constexpr bool can_fail = true;
  Result<Maybe<String>> next();
};
NIKAIA_INLINE Lines io_lines(bool trusted = true) {
  note_trust(trusted);
  return {};
}
// What arrives, a piece a step.
struct ByteStream {
  using Item = Bytes;
  static constexpr bool can_fail = true;
  Result<Maybe<Bytes>> next();
};
NIKAIA_INLINE ByteStream io_bytes(bool trusted = true) {
  note_trust(trusted);
  return {};
}

}  // namespace nikaia
