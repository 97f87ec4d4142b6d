// Statements as a table: what names a piece needs and does to them, what it binds, and its text.
#include <map>

#include "tests/ownership/writer.h"

namespace nikaia::ownership {
namespace {

enum class How : std::uint8_t {
  look,   // a name that is there
  taken,  // a name that is handed over
  changed,
  made,  // a value of the type, whatever comes
};

struct Need {
  char mark;
  Ty type;
  How how;
};

struct Bound {
  char mark;
  Ty type;
  const char* owners;  // marks of the names it looks into
  bool is_mut;
};

struct Piece {
  std::vector<Need> needs;
  std::vector<Bound> binds;
  const char* text;  // `$a` a name or value of `needs`, `%a` a name of its own
};

const std::vector<Piece>& pieces() {
  using enum How;
  static const std::vector<Piece> all = {
      // The value of a choice that is only read is lent, branch by branch.
      {{{'a', Ty::text, look}, {'b', Ty::text, look}},
       {},
       "println(f\"{look_text(if look_text($a) > 2 { $a } else { $b })}\")"},
      {{{'a', Ty::parcel, look}, {'b', Ty::parcel, look}},
       {},
       "println(f\"{look_parcel(if $a.grams > 2 { $a } else { $b })}\")"},
      {{{'a', Ty::bell, look}}, {}, "println(f\"{look_text(if $a.tone.len() > 2 { $a.tone } else { \"short\" })}\")"},
      {{{'e', Ty::event, look}},
       {{'w', Ty::text_view, "e", false}},
       "let %w: ref String = match $e {\nEvent::Text(s) => s\nEvent::Both(s, n) => "
       "s\nEvent::Boxed(p) => p.label\nelse => \"none\"\n}"},
      {{{'e', Ty::event, taken}},
       {{'v', Ty::text, "", true}},
       "let mut %v = match $e {\nEvent::Text(s) => s\nEvent::Both(s, n) if n > 3 => "
       "s\nEvent::Both(s, n) => f\"{s}{n}\"\nEvent::Boxed(p) => p.label\nelse => "
       "\"none\".clone()\n}"},
      {{{'c', Ty::chime, taken}}, {{'v', Ty::bells, "", true}}, "let mut %v = ring($c)"},
      {{{'c', Ty::chime, taken}},
       {{'v', Ty::maybe_bell, "", true}},
       "let mut %v: Bell? = match $c {\nChime::One(b) => b\nChime::Two(b, s) if s.len() > 2 => "
       "b\nelse => null\n}"},
      {{{'c', Ty::chime, changed}, {'v', Ty::chime, made}}, {}, "$c = $v"},
      {{{'c', Ty::chime, taken}},
       {},
       "match $c {\nChime::One(b) => println(f\"one {b.tone}\")\nChime::Two(b, s) => "
       "println(f\"two {keep_text(s)} {b.tone}\")\nelse => println(\"quiet\")\n}"},
      // Views that are kept.
      {{{'t', Ty::text, look}}, {{'w', Ty::text_view, "t", true}}, "let mut %w: ref String = first_word($t)"},
      {{}, {{'w', Ty::text_view, "", true}}, "let mut %w: ref String = numbered(4)"},
      {{{'m', Ty::mark, changed}, {'t', Ty::text, look}}, {}, "$m.move_to($t.trim())"},
      {{{'m', Ty::mark, look}}, {{'w', Ty::text_view, "m", false}}, "let %w: ref String = $m.end()"},
      {{}, {{'m', Ty::marks, "", true}}, "let mut %m: Vec[Mark] = []"},
      {{{'m', Ty::marks, changed}, {'t', Ty::text, look}}, {}, "add_mark($m, $t.trim())"},
      {{{'m', Ty::marks, changed}, {'t', Ty::text_view, look}}, {}, "$m.push(Mark { text: $t, at: 3 })"},
      {{{'m', Ty::marks, look}}, {}, "for %q in $m { println(f\"{%q.text} {%q.at}\") }"},
      {{{'w', Ty::views, changed}, {'t', Ty::text_view, look}}, {}, "add_view($w, $t)"},
      {{{'w', Ty::views, look}}, {{'v', Ty::text_view, "w", false}}, "let %v: ref String = longest($w)"},
      {{{'w', Ty::views, look}}, {{'v', Ty::texts, "", true}}, "let mut %v = $w.map fn(q) { q.clone() }"},
      {{{'t', Ty::text, look}}, {{'v', Ty::views, "t", false}}, "let %v: Vec[ref String] = $t.split(\"-\").collect()"},
      {{{'t', Ty::text, look}},
       {{'v', Ty::texts, "", true}},
       "let mut %v = $t.split(\"-\").map(fn(q) { q.to_uppercase() }).collect()"},
      {{{'x', Ty::texts, look}}, {{'r', Ty::run_view, "x", false}}, "let %r = $x[0..<$x.len()]"},
      {{{'x', Ty::texts, look}}, {{'r', Ty::run_view, "x", false}}, "let %r = $x[$x.len()..<$x.len()]"},
      {{{'r', Ty::run_view, look}}, {}, "for %q in $r { println(%q) }"},
      // What is read through an element's view looks where that one does.
      {{{'m', Ty::marks, look}},
       {{'w', Ty::views, "m", true}},
       "let mut %w: Vec[ref String] = []\nfor %q in $m { %w.push(%q.text) }"},
      {{{'m', Ty::marks, look}, {'w', Ty::views, changed}}, {}, "texts_of($m, $w)"},
      {{{'m', Ty::marks, look}}, {{'w', Ty::text_view, "m", true}}, "let mut %w: ref String = last_text($m)"},
      {{{'m', Ty::marks, changed}, {'w', Ty::views, changed}}, {}, "texts_of($m, $w)\n$m.clear()"},
      {{{'l', Ty::glances, look}, {'k', Ty::glances, changed}},
       {},
       "for %q in $l { $k.push(Look { at: %q.at, turn: 6 }) }"},
      // What a lambda hands on.
      {{{'p', Ty::parcel, look}, {'q', Ty::parcel, look}},
       {{'r', Ty::parcel_view, "pq", false}},
       "let %r = through($p, fn(z) { if z.grams > 2 { z } else { $q } })"},
      {{{'p', Ty::parcel, look}, {'l', Ty::parcels, look}},
       {{'r', Ty::parcel_view, "pl", true}},
       "let mut %r: ref Parcel = ref $p\n$l.for_each fn(z) { %r = z }"},
      // A generic type with a `Drop`.
      {{{'t', Ty::text, made}, {'b', Ty::bell, made}},
       {},
       "{\nlet mut %r = ring_of($t, $b)\nprintln(f\"{core_len(%r)} {%r.core.tone}\")\n%r = ring_of(\"next\".clone(), "
       "Bell { "
       "tone: \"inner\".clone() })\n}"},
      {{{'t', Ty::text, made}, {'p', Ty::parcel, made}},
       {},
       "{\nlet mut %r = boxed(ring_of($t, $p))\n%r.push(ring_of(\"more\".clone(), Parcel { label: \"q\".clone(), "
       "grams: 1 "
       "}))\nlet %k = %r.pop()\nprintln(f\"{%r.len()} {%k?.tone ?? \"-\"}\")\n}"},
      {{{'t', Ty::text, made}, {'n', Ty::number, made}},
       {},
       "{\nlet %r: Ring[i64]? = if $n > 2 { ring_of($t, $n) } else { null }\nprintln(f\"{%r == null}\")\n}"},
      // Text that is put where it outlives every call.
      {{{'t', Ty::text, made}}, {}, "let %v = may_see(3, $t) catch {\nprintln(f\"{error}\")\n0\n}\nprintln(f\"{%v}\")"},
      {{{'t', Ty::text, made}}, {}, "{\nlet %s = share_mark($t)\nlet %u = %s\nprintln(%u.text)\n}"},
      {{{'t', Ty::text_view, look}},
       {},
       "{\nlet %l: SharedMut[Vec[ref String]] = SharedMut([])\n%l.update fn(mut q) { q.push($t) }\nlet %k = "
       "%l.get()\nprintln(%k.join(\"+\"))\n}"},
      // Views of structs inside structs: their owners stay.
      {{{'p', Ty::parcel, look}}, {{'g', Ty::glance, "p", true}}, "let mut %g = Look { at: $p, turn: 2 }"},
      {{{'p', Ty::parcel, look}}, {{'g', Ty::glance, "p", true}}, "let mut %g = look_at($p, 3)"},
      {{{'g', Ty::glance, changed}, {'p', Ty::parcel, look}}, {}, "$g.turn_to($p)"},
      {{{'g', Ty::glance, look}}, {{'r', Ty::parcel_view, "g", false}}, "let %r = $g.seen()"},
      {{{'g', Ty::glance, look}}, {{'h', Ty::glance, "g", false}}, "let %h = $g"},
      {{{'l', Ty::glances, changed}, {'p', Ty::parcel, look}}, {}, "add_look($l, $p)"},
      {{{'l', Ty::glances, changed}, {'g', Ty::glance, look}}, {}, "$l.push($g)"},
      {{{'l', Ty::glances, changed}, {'p', Ty::parcels, look}},
       {},
       "for %q in $p { $l.push(Look { at: %q, turn: 5 }) }"},
      {{{'l', Ty::glances, changed}, {'p', Ty::parcels, look}}, {}, "$p.for_each fn(q) { add_look($l, q) }"},
      {{{'l', Ty::glances, look}}, {{'v', Ty::texts, "", true}}, "let mut %v = $l.map fn(q) { q.at.label.clone() }"},
      {{{'p', Ty::parcels, look}, {'q', Ty::parcel, look}},
       {{'r', Ty::parcel_view, "pq", false}},
       "let %r = heaviest($p, $q)"},
      {{{'p', Ty::parcels, look}}, {{'l', Ty::glances, "p", true}}, "let mut %l = $p.map fn(q) { look_at(q, 1) }"},
      // Elements by index.
      {{{'x', Ty::texts, look}}, {}, "if $x.len() > 0 {\nlet %w = $x[0]\nprintln(f\"{%w} {look_text(%w)}\")\n}"},
      {{{'p', Ty::parcels, changed}},
       {},
       "if $p.len() > 0 {\nchange_parcel($p[0])\n$p[0].label = f\"{$p[0].label}+\"\n}"},
      {{{'b', Ty::bells, changed}, {'n', Ty::bell, made}}, {}, "if $b.len() > 0 { $b[0] = $n }"},
      {{{'b', Ty::bells, changed}}, {}, "if $b.len() > 1 { $b.swap(0, $b.len() - 1) }"},
      {{{'b', Ty::bells, changed}},
       {{'v', Ty::maybe_bell, "", true}},
       "let mut %v = if $b.len() > 1 { $b.pop() } else { null }"},
      {{{'b', Ty::bells, changed}}, {}, "if $b.len() > 0 { println($b.remove(0).tone) }"},
      {{{'o', Ty::maybe_bell, changed}, {'n', Ty::bell, made}}, {}, "$o = $n"},
      {{{'o', Ty::maybe_bell, changed}}, {}, "$o = null"},
      {{{'o', Ty::maybe_parcel, look}}, {}, "println(f\"{$o?.label ?? \"-\"} {$o?.grams ?? 0}\")"},
      {{{'o', Ty::maybe_parcel, changed}, {'n', Ty::parcel, made}}, {}, "$o = $n"},
      // Function values.
      {{{'t', Ty::text, made}}, {{'f', Ty::function, "", true}}, "let mut %f = make_step($t)"},
      {{{'f', Ty::function, changed}, {'t', Ty::text, made}}, {}, "$f = make_step($t)"},
      {{{'j', Ty::job, look}}, {{'f', Ty::function, "", false}}, "let %f = $j.run"},
      {{{'j', Ty::job, taken}}, {{'v', Ty::text, "", false}}, "let %v = keep_job($j)"},
      {{{'f', Ty::function, look}, {'t', Ty::text, made}},
       {{'j', Ty::job, "", true}},
       "let mut %j = Job { name: $t, run: $f }"},
      {{{'f', Ty::function, look}, {'g', Ty::function, look}},
       {{'h', Ty::function, "", false}},
       "let %h: fn(i64) -> String = fn(n) { f\"{$f(n)}{$g(n)}\" }"},
      // Holders, shared values.
      {{{'h', Ty::holder, taken}}, {{'v', Ty::bells, "", true}}, "let mut %v = keep_holder($h)"},
      {{{'h', Ty::holder, look}}, {{'s', Ty::shared, "", false}}, "let %s = $h.shared"},
      {{{'h', Ty::holder, changed}, {'b', Ty::bell, made}}, {}, "$h.bells.push($b)"},
      {{{'h', Ty::holder, changed}, {'b', Ty::bells, made}}, {}, "$h.bells = $b"},
      {{{'h', Ty::holder, changed}, {'s', Ty::shared, look}}, {}, "$h.shared = $s"},
      {{{'s', Ty::shared, look}}, {{'l', Ty::text_view, "s", false}}, "let %l: ref String = $s.title()"},
      {{{'s', Ty::shared, look}},
       {{'v', Ty::number, "", false}},
       "let %j = spawn fn { look_parcel($s) }\nlet %v = %j.join()"},
      {{{'b', Ty::bell, made}}, {}, "{\nlet %s = Shared($b)\nlet %t = %s\nprintln(%t.tone)\n}"},
      {{{'b', Ty::bells, taken}}, {{'v', Ty::number, "", false}}, "let %v = keep_bells($b)"},
      // Tasks, overlaps.
      {{{'w', Ty::text_view, look}},
       {{'v', Ty::text, "", false}},
       "let %j = spawn fn { $w.to_uppercase() }\nlet %v = %j.join()"},
      {{{'m', Ty::mark, look}},
       {{'v', Ty::number, "", false}},
       "let %j = spawn fn { $m.text.len() + $m.at }\nlet %v = %j.join()"},
      {{{'b', Ty::bell, taken}},
       {{'v', Ty::tower, "", false}},
       "let %j = spawn fn { keep_bell($b) }\nlet %v = %j.join()"},
      {{{'a', Ty::text, taken}, {'b', Ty::texts, taken}},
       {{'v', Ty::number, "", false}, {'u', Ty::text, "", false}},
       "let (%v, %u) = overlap {\nkeep_text($a)\nkeep_list($b)\n}"},
      {{{'a', Ty::parcel, look}, {'b', Ty::bell, taken}},
       {{'v', Ty::text_view, "a", false}, {'u', Ty::tower, "", false}},
       "let (%v, %u) = overlap {\nview_label($a)\nkeep_bell($b)\n}"},
      // Blocks, recursion, loops that end from within.
      {{{'x', Ty::texts, made}}, {{'v', Ty::texts, "", true}}, "let mut %v = collect(2, $x)"},
      {{{'a', Ty::text, taken}}, {{'v', Ty::text, "", false}}, "let %v = {\nlet %q = $a\nf\"{%q}{%q.len()}\"\n}"},
      {{{'b', Ty::bell, taken}}, {}, "while true {\nlet %q = $b\nprintln(%q.tone)\nbreak\n}"},
      {{{'t', Ty::text, changed}, {'u', Ty::text, look}}, {}, "$t += $u"},
      {{{'t', Ty::text, changed}, {'w', Ty::text_view, look}}, {}, "$t = $t + $w"},
      {{{'x', Ty::texts, look}, {'t', Ty::texts, changed}},
       {},
       "for %q in $x {\nif %q.len() > 2 { $t.push(%q.clone()) }\n}"},
      {{{'x', Ty::texts, look}},
       {{'w', Ty::text_view, "x", true}},
       "let mut %w: ref String = \"start\"\nfor %q in $x {\nprintln(f\"{%w}>{%q}\")\n%w = "
       "%q.trim()\n}"},
      {{},
       {{'w', Ty::text_view, "", true}},
       "let mut %w: ref String = \"start\"\nfor %i in 0..<3 {\nlet %q = f\" made {%i} "
       "\"\nprintln(f\"{%w}>{%q}\")\n%w = %q.trim()\n}"},
      {{{'w', Ty::views, changed}}, {}, "for %i in 0..<2 {\nlet %q = f\"kept-{%i}\"\n$w.push(first_word(%q))\n}"},
      {{{'b', Ty::bell, made}}, {}, "keep_bell($b)"},
      {{{'t', Ty::text, made}}, {}, "may_fail(4, $t) catch { \"lost\".clone() }"},
      {{{'c', Ty::color, look}, {'n', Ty::number, look}},
       {},
       "match ($c, $n) {\n(Color::Red, 0) => println(\"red none\")\n(Color::Red, k) => "
       "println(f\"red {k}\")\nelse => println(\"other\")\n}"},
      {{{'p', Ty::parcel, taken}, {'q', Ty::parcel, taken}},
       {{'v', Ty::parcels, "", true}},
       "let mut %v = [$p, $q, Parcel { label: \"x\".clone(), grams: 3 }]"},
      {{{'p', Ty::parcels, look}},
       {{'v', Ty::texts, "", true}},
       "let mut %v = $p.iter().filter(fn(q) { q.grams > 1 }).map(fn(q) { q.label.clone() "
       "}).collect()"},
  };
  return all;
}

}  // namespace

// A new name of the type, which may change.
std::size_t Writer::bound(Ty t) {
  const auto events = std::move(events_);  // of the statement that follows
  events_.clear();
  const std::string name = fresh("v");
  std::vector<std::size_t> owners;
  std::string value;
  switch (t) {
    case Ty::views:
    case Ty::marks:
    case Ty::glances: value = "[]"; break;
    case Ty::text_view:
    case Ty::mark: {
      const std::size_t owner = bound(Ty::text);
      owners.push_back(owner);
      use(owner);
      value = t == Ty::mark ? "Mark { text: " + vars_[owner].name + ".trim(), at: 2 }" : vars_[owner].name + ".trim()";
      break;
    }
    case Ty::glance: {
      const std::size_t owner = bound(Ty::parcel);
      owners.push_back(owner);
      use(owner);
      value = "Look { at: " + vars_[owner].name + ", turn: 1 }";
      break;
    }
    case Ty::run_view: {
      const std::size_t owner = bound(Ty::texts);
      owners.push_back(owner);
      use(owner);
      value = vars_[owner].name + "[0..<" + vars_[owner].name + ".len()]";
      break;
    }
    default: value = make(t, 1); break;
  }
  line("let mut " + name + (t == Ty::run_view ? "" : std::string(": ") + info(t).written) + " = " + value);
  const std::size_t v = bind(name, t, Hold::owned, true);
  new_owners(v, owners, true);
  events_ = events;
  return v;
}

void Writer::piece() {
  const Piece& p = pieces()[rng_.below(pieces().size())];
  std::string text = p.text;
  const bool is_outer = text.find("spawn") != std::string::npos || text.find("overlap") != std::string::npos ||
                        text.find("break") != std::string::npos;
  if (is_outer && lambda_ > 0) return print();
  const State before = state_;
  std::map<char, std::size_t> names;
  const auto fill = [&](const std::string& mark, const std::string& with) {
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += with.size())
      text.replace(at, mark.size(), with);
  };
  // What is changed is chosen first, and last looked at again: another part may have taken it.
  for (const How how : {How::changed, How::look, How::taken, How::made}) {
    for (const Need& n : p.needs) {
      if (n.how != how) continue;
      std::size_t v = 0;
      const std::string mark = std::string("$") + n.mark;
      if (how == How::made) {
        fill(mark, make(n.type, 1));
        continue;
      }
      const bool is_found = how == How::changed ? pick(v, {n.type}, &Writer::can_change)
                            : how == How::taken ? pick(v, {n.type}, &Writer::can_take)
                                                : pick(v, {n.type}, &Writer::is_there);
      bool is_new = is_found;
      for (const auto& [mark_of, other] : names) is_new = is_new && other != v;
      if (!is_new) v = bound(n.type);
      names[n.mark] = v;
      if (how == How::look) use(v);
      if (how == How::taken) take(v);
      fill(mark, vars_[v].name);
    }
  }
  for (const Need& n : p.needs) {
    if (n.how == How::changed && !can_change(names[n.mark]) && !out_.is_reckless) return forget(before);
  }
  // Whose views the looked-at names are or give.
  const auto owners_of = [&](std::size_t v) {
    return info(vars_[v].type).holds_view ? vars_[v].owners : std::vector<std::size_t>{v};
  };
  for (const Need& n : p.needs) {
    if (n.how != How::changed) continue;
    change(names[n.mark]);
    // A text that is replaced as a whole leaves its views their buffer.
    if (std::string(p.text).starts_with(std::string("$") + n.mark + " = ")) {
      std::erase_if(events_, [&](const auto& e) { return e.first == names[n.mark]; });
      vars_[names[n.mark]].was_assigned = true;
    }
    if (!info(n.type).holds_view) continue;
    for (const Need& from : p.needs) {
      if (from.how == How::look) new_owners(names[n.mark], owners_of(names[from.mark]), false);
    }
  }
  std::map<char, std::string> own;
  for (char c = 'a'; c <= 'z'; ++c) {
    const std::string mark = std::string("%") + c;
    if (text.find(mark) == std::string::npos) continue;
    own[c] = fresh("x");
    fill(mark, own[c]);
  }
  if (text.find('\n') != std::string::npos) events_.clear();  // nothing can stand between its lines
  for (std::size_t from = 0; from <= text.size();) {
    std::size_t to = text.find('\n', from);
    if (to == std::string::npos) to = text.size();
    line(text.substr(from, to - from));
    from = to + 1;
  }
  for (const Bound& b : p.binds) {
    const std::size_t v = bind(own[b.mark], b.type, Hold::owned, b.is_mut);
    for (const char* c = b.owners; *c != 0; ++c) new_owners(v, owners_of(names[*c]), false);
  }
}

}  // namespace nikaia::ownership
