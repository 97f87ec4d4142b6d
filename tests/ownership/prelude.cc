#include "tests/ownership/generator.h"

namespace nikaia::ownership {

const char* const prelude = R"nika(use std::collections

struct Parcel { label: String, grams: i64 }
struct Crate { name: String, inner: Parcel, items: Vec[String], tag: String? }
struct Bell { tone: String }
struct Tower { bell: Bell, floors: i64 }
struct Mark { text: ref String, at: i64 }
struct Note { key: String, text: ref String }
struct Spot { x: i64, y: i64 }
struct Node { value: String, next: Node? }
struct Pair[A, B] { first: A, second: B }
struct Look { at: ref Parcel, turn: i64 }
struct Job { name: String, run: fn(i64) -> String }
struct Holder { shared: Shared[Parcel], bells: Vec[Bell], note: String? }
enum Chime { Quiet, One(Bell), Two(Bell, String) }
enum Color { Red, Green, Blue }
enum Event { Nothing, Text(String), Both(String, i64), Boxed(Parcel) }
enum Oops { Bad(String), Worse(i64) }

impl Drop for Bell {
    fn drop(ref mut self) { println(f"drop {self.tone}") }
}

enum Seen { At(ref Parcel) }
enum Said { Text(ref String) }

impl Error for Seen {
    fn message(ref self) -> String {
        return match self {
            Seen::At(p) => f"at {p.label}"
        }
    }
}

struct Ring[T] { tone: String, core: T }

impl Drop for Ring[T] {
    fn drop(ref mut self) { println(f"ring {self.tone} ends") }
}

impl Error for Said {
    fn message(ref self) -> String {
        return match self { Said::Text(s) => f"text {s}" }
    }
}

impl Error for Oops {
    fn message(ref self) -> String {
        return match self {
            Oops::Bad(s) => f"bad {s}"
            Oops::Worse(n) => f"worse {n}"
        }
    }
}

impl Parcel {
    fn title(ref self) -> ref String { return self.label }
    fn relabel(ref mut self, label: String) { self.label = label }
    fn into_label(self) -> String { return self.label }
}

impl Crate {
    fn store(ref mut self, item: String) { self.items.push(item) }
    fn first(ref self) -> ref String {
        return "none" if self.items.is_empty()
        return self.items[0]
    }
}

impl Mark {
    fn move_to(ref mut self, text: ref String) { self.text = text }
    fn end(ref self) -> ref String { return self.text }
}

impl Look {
    fn turn_to(ref mut self, p: ref Parcel) {
        self.at = p
        self.turn += 1
    }
    fn seen(ref self) -> ref Parcel { return self.at }
}

fn look_at(p: ref Parcel, turn: i64) -> Look { return Look { at: p, turn } }
fn add_look(mut ls: Vec[Look], p: ref Parcel) { ls.push(Look { at: p, turn: ls.len() }) }
fn heaviest(ps: ref Vec[Parcel], first: ref Parcel) -> ref Parcel {
    let mut best = first
    for p in ps {
        if p.grams > best.grams { best = p }
    }
    return best
}
fn look_looks(ls: ref Vec[Look]) -> String {
    let mut out = "".clone()
    for l in ls { out.push_str(f"{l.at.label}@{l.turn} ") }
    return out
}
fn make_step(s: String) -> fn(i64) -> String { return fn(n) { f"{s}.{n}" } }
fn keep_job(j: Job) -> String { return j.name }
fn keep_holder(h: Holder) -> Vec[Bell] { return h.bells }
fn keep_bells(bs: Vec[Bell]) -> i64 {
    let mut n = 0
    for b in bs.drain() {
        n += b.tone.len()
        if n > 4 { break }
    }
    return n
}
fn look_chime(c: ref Chime) -> String {
    return match c {
        Chime::Quiet => f"quiet"
        Chime::One(b) => f"one {b.tone}"
        Chime::Two(b, s) => f"two {b.tone} {s}"
    }
}
fn ring(c: Chime) -> Vec[Bell] {
    return match c {
        Chime::Quiet => []
        Chime::One(b) => [b]
        Chime::Two(b, s) => [b, Bell { tone: s }]
    }
}
fn look_run(xs: ref Array[String]) -> String {
    let mut out = "".clone()
    for x in xs { out += x }
    return out
}
fn look_marks(ms: ref Vec[Mark]) -> String {
    let mut out = "".clone()
    for m in ms { out.push_str(f"{m.text}@{m.at} ") }
    return out
}
fn add_view(mut ws: Vec[ref String], s: ref String) { ws.push(s) }
fn add_mark(mut ms: Vec[Mark], s: ref String) { ms.push(Mark { text: s, at: ms.len() }) }
fn texts_of(ms: ref Vec[Mark], mut into: Vec[ref String]) {
    for m in ms { into.push(m.text) }
}
fn last_text(ms: ref Vec[Mark]) -> ref String {
    let mut found: ref String = "-"
    for m in ms { found = m.text }
    return found
}
fn longest(ws: ref Vec[ref String]) -> ref String {
    let mut best: ref String = "-"
    for w in ws {
        if w.len() > best.len() { best = w }
    }
    return best
}
fn first_word(s: ref String) -> ref String {
    for w in s.split("-") { return w }
    return s
}
fn numbered(n: i64) -> ref String {
    let made = f"number {n} of all"
    return made[0..<8]
}
fn collect(n: i64, xs: Vec[String]) -> Vec[String] {
    return xs if n <= 0
    let mut more = xs
    more.push(f"c{n}")
    return collect(n - 1, more)
}
fn keep_text(s: String) -> i64 {
    let mine = s
    return mine.len()
}
fn keep_texts(a: String, b: String) -> String {
    let mut all = [a, b]
    all.sort()
    return all.join("&")
}
fn keep_parcel(p: Parcel) -> String { return p.label }
fn keep_crate(c: Crate) -> Vec[String] { return c.items }
fn keep_bell(b: Bell) -> Tower { return Tower { bell: b, floors: 3 } }
fn keep_list(xs: Vec[String]) -> String {
    let mut all = xs
    all.push("end".clone())
    return all.join("/")
}
fn look_text(s: String) -> i64 { return s.len() }
fn look_parcel(p: Parcel) -> i64 { return p.grams + p.label.len() }
fn look_list(xs: ref Vec[String]) -> i64 { return xs.len() }
fn look_crate(c: ref Crate) -> String { return f"{c.name}:{c.inner.label}:{c.inner.grams}:{c.items.join("+")}:{c.tag ?? "-"}" }
fn look_event(e: ref Event) -> String {
    return match e {
        Event::Nothing => f"nothing"
        Event::Text(s) => f"text {s}"
        Event::Both(s, n) => f"both {s} {n}"
        Event::Boxed(p) => f"boxed {p.label} {p.grams}"
    }
}
fn look_parcels(ps: ref Vec[Parcel]) -> String {
    let mut out = "".clone()
    for p in ps { out.push_str(f"<{p.label} {p.grams}>") }
    return out
}
fn look_bells(bs: ref Vec[Bell]) -> String {
    let mut out = "".clone()
    for b in bs { out.push_str(f"({b.tone})") }
    return out
}
fn look_node(n: ref Node) -> String { return f"{n.value}>" }
fn look_color(c: Color) -> String {
    return match c {
        Color::Red => "red"
        Color::Green => "green"
        Color::Blue => "blue"
    }
}
fn change_text(mut s: String) { s.push_str("!") }
fn change_parcel(mut p: Parcel) {
    p.grams += 1
    p.label = f"{p.label}'"
}
fn change_crate(mut c: Crate) {
    c.items.push(c.name.clone())
    c.tag = null
}
fn change_list(mut xs: Vec[String]) { xs.push(f"n{xs.len()}") }
fn change_both(mut a: Vec[String], b: ref Vec[String]) { a.push(f"b{b.len()}") }
fn view_text(s: ref String) -> ref String { return s.trim() }
fn view_label(p: ref Parcel) -> ref String { return p.label }
fn view_item(xs: ref Vec[String]) -> ref String {
    return "none" if xs.is_empty()
    return xs[xs.len() - 1]
}
fn view_longer(a: ref String, b: ref String) -> ref String {
    return a if a.len() > b.len()
    return b
}
fn mark_text(s: ref String, at: i64) -> Mark { return Mark { text: s, at } }
fn may_fail(n: i64, s: String) -> String throws {
    throw Oops::Worse(n) if n % 3 == 1
    throw Oops::Bad(s) if n % 3 == 2
    return f"fine {s}"
}
fn may_see(n: i64, s: String) -> i64 throws {
    let mine = s
    let made = f" {mine}{n} "
    throw Said::Text(made.trim()) if n % 2 == 1
    return n
}
fn through(p: ref Parcel, f: fn(ref Parcel) -> ref Parcel) -> ref Parcel { return f(p) }
fn ring_of[T](tone: String, core: T) -> Ring[T] { return Ring { tone, core } }
fn core_len[T](r: ref Ring[T]) -> i64 { return r.tone.len() }
fn boxed[T](v: T) -> Vec[T] { return [v] }
fn share_mark(s: String) -> Shared[Mark] {
    let mine = s
    let made = f" {mine} "
    return Shared(Mark { text: made.trim(), at: 1 })
}
fn may_fail_bell(n: i64, b: Bell) -> Bell throws {
    throw Oops::Worse(n) if n % 2 == 1
    return b
}
fn make_bells(n: i64, tone: ref String) -> Vec[Bell] {
    let mut out: Vec[Bell] = []
    for i in 0..<n { out.push(Bell { tone: f"{tone}{i}" }) }
    return out
}
fn twice(f: fn(i64) -> String, n: i64) -> String { return f"{f(n)}{f(n + 1)}" }
fn rest[T](xs: Vec[T], mut into: Vec[T]) {
    let mut all = xs
    into.extend(all)
}
fn swap_pair[A, B](p: Pair[A, B]) -> Pair[B, A] { return Pair { first: p.second, second: p.first } }
fn first_or[T](xs: Vec[T], fallback: T) -> T {
    let mut all = xs
    return all.pop() ?? fallback
}
)nika";

std::string file_of(const std::vector<const std::vector<std::string>*>& programs, const std::vector<std::string>& names,
                    std::vector<std::uint32_t>& first_line) {
  std::string out = prelude;
  std::uint32_t line = 1;
  for (char c : out) line += c == '\n' ? 1 : 0;
  first_line.clear();
  for (const auto* lines : programs) {
    first_line.push_back(line);
    for (const std::string& l : *lines) out += l + "\n";
    line += static_cast<std::uint32_t>(lines->size());
  }
  out += "fn main() {\n";
  for (const std::string& name : names) out += "    println(\"== " + name + "\")\n    " + name + "()\n";
  return out + "}\n";
}

std::vector<std::string> mutated(const Program& program, const Mutation& mutation) {
  std::vector<std::string> out;
  std::size_t next = 0;
  for (std::size_t i = 0; i <= program.lines.size(); ++i) {
    for (; next < mutation.inserts.size() && mutation.inserts[next].first == i; ++next)
      out.push_back(mutation.inserts[next].second);
    if (i < program.lines.size()) out.push_back(program.lines[i]);
  }
  return out;
}

}  // namespace nikaia::ownership
