// `print` and its relatives (language 07 §11.2): one write a call, so that no two calls' bytes mix.
#include <nikaia/rt/format.h>
#include <nikaia/rt/runtime.h>

namespace nikaia {

namespace {

// `text` and a line end as one write.
template <class Write>
void write_line(Str text, Write write) {
  char bytes[512];
  if (text.size < sizeof bytes) {
    if (text.size != 0) {
      std::memcpy(bytes, text.data, text.size);
    }
    bytes[text.size] = '\n';
    write(bytes, text.size + 1);
    return;
  }
  String line = String::with_room(text.size + 1);
  line.append(text);
  line.append_byte('\n');
  write(line.data(), line.size());
}

}  // namespace

void print(Str text) {
  rt::out_write(text.data, text.size);
}
void println(Str text) {
  write_line(text, rt::out_write);
}
void eprint(Str text) {
  rt::err_write(text.data, text.size);
}
void eprintln(Str text) {
  write_line(text, rt::err_write);
}

}  // namespace nikaia
