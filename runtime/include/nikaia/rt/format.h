// Text forms and formatting (language 07 §19).
//
// show(out, x)   appends the text form of x: what a plain hole, `print` and `join` write
// debug(out, x)  appends the diagnostic form `:?`
// format(…)      an f"…": its pieces, literals and values, joined into one String
// spec(x, {…})   a hole with a specifier, as a piece of format
// debug_form(x)  a hole with `:?`, as a piece of format; its other parts in a Spec behind x
//
// Emitted types take part by members: `String message() const` (impl Error, through Message<E>) or
// `void show(nikaia::String& out) const` for a text form, `void debug(nikaia::DebugText& out)
// const` for `:?`. A type that cannot have members (an `enum class`) specialises Show<E> and
// Debug<E> instead.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/box.h>
#include <nikaia/rt/maybe.h>
#include <nikaia/rt/result.h>
#include <nikaia/rt/run.h>
#include <nikaia/rt/seq.h>
#include <nikaia/rt/sum.h>
#include <nikaia/rt/text.h>
#include <nikaia/rt/tuple.h>
#include <nikaia/rt/vec.h>

namespace nikaia {

// ---- text forms

void show_i64(String& out, std::int64_t value);
void show_u64(String& out, std::uint64_t value);
void show_f64(String& out, double value);

NIKAIA_INLINE void show(String& out, Str text) {
  out.append(text);
}
NIKAIA_INLINE void show(String& out, const String& text) {
  out.append(text);
}
NIKAIA_INLINE void show(String& out, const TetheredStr& text) {
  out.append(text);
}
NIKAIA_INLINE void show(String& out, bool value) {
  out.append(value ? "true"_s : "false"_s);
}
NIKAIA_INLINE void show(String& out, char32_t value) {
  out.append_char(value);
}
NIKAIA_INLINE void show(String& out, std::int64_t value) {
  show_i64(out, value);
}
NIKAIA_INLINE void show(String& out, std::int32_t value) {
  show_i64(out, value);
}
NIKAIA_INLINE void show(String& out, std::uint64_t value) {
  show_u64(out, value);
}
NIKAIA_INLINE void show(String& out, std::uint32_t value) {
  show_u64(out, value);
}
NIKAIA_INLINE void show(String& out, std::uint8_t value) {
  show_u64(out, value);
}
NIKAIA_INLINE void show(String& out, double value) {
  show_f64(out, value);
}
inline void show(String& out, const Failure& error) {
  out.append(error.message());
}

template <class T>
struct Show {
  static void to(String& out, const T& value) {
    if constexpr (requires { value.show(out); }) {
      value.show(out);
    } else {
      out.append(Message<T>::text(value));
    }
  }
};
template <class T>
inline void show(String& out, const T& value) {
  Show<T>::to(out, value);
}
template <class T>
inline void show(String& out, const T* lent) {
  show(out, *lent);
}

template <class T>
[[nodiscard]] String to_text(const T& value) {
  String out;
  show(out, value);
  return out;
}

// ---- specifiers

// As written in the hole; what does not apply to the value's type was refused while building.
struct Spec {
  char32_t fill = U' ';
  char align = 0;  // < ^ > or 0, the type's own side
  bool plus = false;
  bool alternate = false;   // #
  bool zero = false;        // 0
  std::uint32_t width = 0;  // characters
  std::int32_t precision = -1;
  char kind = 0;  // x X o b e E
};

void show_spec_text(String& out, Str text, const Spec& spec);
// `bits` is the width of the type, for a negative value in x X o b.
void show_spec_i64(String& out, std::int64_t value, unsigned bits, const Spec& spec);
void show_spec_u64(String& out, std::uint64_t value, const Spec& spec);
void show_spec_f64(String& out, double value, const Spec& spec);

template <class T>
void show_spec(String& out, const T& value, const Spec& spec) {
  if constexpr (is_text<T>) {
    show_spec_text(out, value, spec);
  } else if constexpr (std::is_same_v<T, double>) {
    show_spec_f64(out, value, spec);
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char32_t>) {
    if constexpr (std::is_signed_v<T>) {
      show_spec_i64(out, value, sizeof(T) * 8, spec);
    } else {
      show_spec_u64(out, value, spec);
    }
  } else {
    show_spec_text(out, to_text(value), spec);
  }
}
template <class T>
void show_spec(String& out, const T* lent, const Spec& spec) {
  show_spec(out, *lent, spec);
}

template <class T>
struct Specified {
  const T& value;
  Spec spec;
};
template <class T>
NIKAIA_INLINE Specified<T> spec(const T& value, const Spec& how) {
  return Specified<T>{value, how};
}
template <class T>
inline void show(String& out, const Specified<T>& piece) {
  show_spec(out, piece.value, piece.spec);
}

template <class... Pieces>
[[nodiscard]] String format(const Pieces&... pieces) {
  String out = String::with_room(48);
  (show(out, pieces), ...);
  return out;
}

// The same, put behind a text that none of the pieces looks into.
template <class... Pieces>
void append_format(String& out, const Pieces&... pieces) {
  (show(out, pieces), ...);
}

// ---- the diagnostic form

// Writes what is nested in what: `[1, 2]`, or with `#?` one part a line, indented by four blanks a
// level.
class DebugText {
 public:
  DebugText(String& out, bool one_a_line) : out_(out), one_a_line_(one_a_line) {}
  String& out() { return out_; }

  // `open` up to and with its bracket; then part() before each part, and close.
  void begin(Str open);
  void part();
  void end(Str close);

  // Name { field: value, … }
  void begin_struct(Str name) {
    out_.append(name);
    begin(" {"_s);
    blank_inside_ = true;
  }
  template <class T>
  void field(Str name, const T& value);
  // Fields this package may not see.
  void hidden() {
    part();
    out_.append(".."_s);
  }
  void end_struct() {
    blank_inside_ = true;
    end("}"_s);
  }

  // Variant(a, b); a variant that holds nothing is its name alone.
  void begin_variant(Str name) {
    out_.append(name);
    begin("("_s);
  }
  template <class T>
  void item(const T& value);
  template <class K, class V>
  void pair(const K& key, const V& value);
  void end_variant() { end(")"_s); }

 private:
  void new_line();
  String& out_;
  bool one_a_line_;
  bool first_ = true;
  bool blank_inside_ = false;  // a blank behind the opening and before the closing bracket
  std::uint32_t depth_ = 0;
};

void debug_text(String& out, Str text);
void debug_char(String& out, char32_t c);
void debug_f64(String& out, double value);

template <class T>
struct Debug {
  static void to(DebugText& out, const T& value) {
    if constexpr (requires { value.debug(out); }) {
      value.debug(out);
    } else {
      show(out.out(), value);  // Duration, Path and others whose two forms are one
    }
  }
};

template <class T>
void debug(DebugText& out, const T& value);
template <class... Parts>
void debug_parts(DebugText& out, const Tuple<Parts...>& value) {
  if constexpr (sizeof...(Parts) != 0) {
    out.item(value.first);
    debug_parts(out, value.rest);
  }
}
template <class S>
void debug_items(DebugText& out, S seq, Str open, Str close) {
  out.begin(open);
  while (auto x = seq.next()) {
    out.item(x.value());
  }
  out.end(close);
}

template <class... Parts>
struct Debug<Tuple<Parts...>> {
  static void to(DebugText& out, const Tuple<Parts...>& value) {
    out.begin("("_s);
    debug_parts(out, value);
    out.end(")"_s);
  }
};
template <class T>
struct Debug<Vec<T>> {
  static void to(DebugText& out, const Vec<T>& value) { debug_items(out, walk(value), "["_s, "]"_s); }
};
template <class T>
struct Debug<Run<T>> {
  static void to(DebugText& out, const Run<T>& value) { debug_items(out, walk(value), "["_s, "]"_s); }
};
template <class T>
struct Debug<TetheredRun<T>> {
  static void to(DebugText& out, const TetheredRun<T>& value) { debug_items(out, walk(value), "["_s, "]"_s); }
};
template <class T, std::size_t N>
struct Debug<Array<T, N>> {
  static void to(DebugText& out, const Array<T, N>& value) { debug_items(out, walk(value), "["_s, "]"_s); }
};
template <class T>
struct Debug<Maybe<T>> {
  static void to(DebugText& out, const Maybe<T>& value) {
    if (value.has()) {
      debug(out, value.value());
    } else {
      out.out().append("null"_s);
    }
  }
};
template <class T>
struct Debug<Box<T>> {
  static void to(DebugText& out, const Box<T>& value) { debug(out, *value); }
};
template <class T>
struct Debug<const T*> {
  static void to(DebugText& out, const T* value) { debug(out, *value); }
};

template <class T>
void debug(DebugText& out, const T& value) {
  if constexpr (is_text<T>) {
    debug_text(out.out(), value);
  } else if constexpr (std::is_same_v<T, char32_t>) {
    debug_char(out.out(), value);
  } else if constexpr (std::is_same_v<T, double>) {
    debug_f64(out.out(), value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    show(out.out(), value);
  } else {
    Debug<T>::to(out, value);
  }
}
template <class T>
void DebugText::field(Str name, const T& value) {
  part();
  out_.append(name);
  out_.append(": "_s);
  debug(*this, value);
}
template <class T>
void DebugText::item(const T& value) {
  part();
  debug(*this, value);
}
template <class K, class V>
void DebugText::pair(const K& key, const V& value) {
  part();
  debug(*this, key);
  out_.append(": "_s);
  debug(*this, value);
}
template <class T>
struct DebugForm {
  const T& value;
  Spec spec;
};
template <class T>
NIKAIA_INLINE DebugForm<T> debug_form(const T& value, const Spec& how = {}) {
  return DebugForm<T>{value, how};
}
template <class T>
void show(String& out, const DebugForm<T>& piece) {
  const T& value = piece.value;
  const Spec& spec = piece.spec;
  if (spec.width == 0) {
    DebugText written(out, spec.alternate);
    debug(written, value);
    return;
  }
  String form;
  DebugText written(form, spec.alternate);
  debug(written, value);
  Spec around = spec;
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char32_t>) {
    around.align = spec.align == 0 ? '>' : spec.align;
  }
  show_spec_text(out, form, around);
}

// ---- printing

void print(Str text);
void println(Str text);
void eprint(Str text);
void eprintln(Str text);
template <class T>
requires(!std::is_convertible_v<const T&, Str>) void print(const T& value) {
  print(static_cast<Str>(to_text(value)));
}
template <class T>
requires(!std::is_convertible_v<const T&, Str>) void println(const T& value) {
  println(static_cast<Str>(to_text(value)));
}
template <class T>
requires(!std::is_convertible_v<const T&, Str>) void eprint(const T& value) {
  eprint(static_cast<Str>(to_text(value)));
}
template <class T>
requires(!std::is_convertible_v<const T&, Str>) void eprintln(const T& value) {
  eprintln(static_cast<Str>(to_text(value)));
}

// Every element's text form with `separator` between.
template <class S>
auto seq_join(S&& from, Str separator) {
  using Q = SeqOf<S>;
  Q seq = walk(from);
  const auto run = [&]() -> MayFail<String, Q::can_fail> {
    String out;
    bool first = true;
    while (true) {
      NIKAIA_NEXT(x, seq, next);
      if (!x.has()) {
        return out;
      }
      if (!first) {
        out.append(separator);
      }
      first = false;
      show(out, x.value());
    }
  };
  return run();
}

// `assert(cond)`: `claim` is the condition as it is written, `parts` what its operands were, one a
// line.
NIKAIA_COLD void stop_claim(At at, Str message, Str claim, Str parts);
NIKAIA_INLINE void assert_that(bool holds, Str message = {}, Str claim = {}, Str parts = {}, At at = At::here()) {
  if (__builtin_expect(!holds, 0)) {
    stop_claim(at, message, claim, parts);
  }
}

// `panic(text)`.
[[noreturn]] inline void panic(Str text, At at = At::here()) {
  stop(at, text);
}

}  // namespace nikaia
