// Lines that break the program they are put into.
//
// Three sources: what the program itself does (a name it hands over, a list it walks, a change it
// makes) with lines put around it; names that are gone, used at a later place; and short pieces
// that are wrong by themselves, put where the names they need are there. A reckless program has
// none: what it does to its names is not known.
#include "tests/ownership/writer.h"

namespace nikaia::ownership {
namespace {

// How a view of a whole value is read; null where a view of it is no use.
const char* read_of(Ty t) {
  switch (t) {
    case Ty::text:
    case Ty::texts:
    case Ty::numbers:
    case Ty::parcels:
    case Ty::bells:
    case Ty::map:
    case Ty::tree:
    case Ty::lists: return "$.len()";
    case Ty::parcel: return "$.grams";
    case Ty::crate: return "$.items.len()";
    case Ty::bell: return "$.tone";
    case Ty::tower: return "$.floors";
    case Ty::event: return "look_event($)";
    case Ty::tuple: return "$.1";
    case Ty::node: return "$.value";
    case Ty::pair: return "$.second";
    default: return nullptr;
  }
}

struct Snippet {
  const char* kind;
  enum Needs : std::uint8_t { taken, changed, there } needs;
  Ty type;
  const char* text;  // `$` is the name, `%` makes its own names different
};

constexpr Snippet snippets[] = {
    {"handed over twice", Snippet::taken, Ty::text, "let %a = $\nlet %b = $"},
    {"handed over twice", Snippet::taken, Ty::text, "let %a = keep_texts($, $)"},
    {"handed over twice", Snippet::taken, Ty::bell, "let %a = keep_bell($)\nlet %b = keep_bell($)"},
    {"handed over twice", Snippet::taken, Ty::tuple, "let (%a, %b) = $\nlet (%c, %d) = $"},
    {"handed over twice", Snippet::taken, Ty::text, "let (%a, %b) = overlap {\nkeep_text($)\nkeep_text($)\n}"},
    {"handed over on every turn", Snippet::taken, Ty::text, "while look_text(\"a\") > 0 { let %a = keep_text($) }"},
    {"handed over on every turn", Snippet::taken, Ty::parcel, "for %a in 0..<2 { let %b = keep_parcel($) }"},
    {"handed over on every turn", Snippet::taken, Ty::text,
     "let %l = [\"a\".clone()]\nlet %a = %l.map fn(q) { keep_text($) }"},
    {"handed over on every turn", Snippet::taken, Ty::bell,
     "let mut %n = 0\nwhile %n < 3 {\n%n += 1\nif %n == 5 { continue }\nlet %a = keep_bell($)\n}"},
    {"used after a hand-over", Snippet::taken, Ty::text,
     "if look_text(\"a\") > 0 { let %a = keep_text($) }\nprintln($)"},
    {"used after a hand-over", Snippet::taken, Ty::text,
     "let %a = spawn fn { $.len() }\nprintln($)\nprintln(f\"{%a.join()}\")"},
    {"used after a hand-over", Snippet::taken, Ty::text,
     "let %a: fn(i64) -> String = fn(q) { f\"{$}{q}\" }\nprintln($)"},
    {"used after a hand-over", Snippet::taken, Ty::text, "let %a = may_fail(1, $) catch { $ }"},
    {"used after a hand-over", Snippet::taken, Ty::parcel, "let %a = keep_text($.label)\nlet %b = $"},
    {"used after a hand-over", Snippet::taken, Ty::parcel, "let %a = $ with { grams: 1 }\nprintln($.label)"},
    {"used after a hand-over", Snippet::taken, Ty::event,
     "let %a = match $ {\nEvent::Text(s) => keep_text(s)\nelse => 0\n}\nprintln(look_event($))"},
    {"used after a hand-over", Snippet::taken, Ty::maybe_text,
     "let %a = $ ?? \"a\".clone()\nlet %b = $ ?? \"b\".clone()"},
    {"used after a hand-over", Snippet::taken, Ty::texts,
     "for %a in $.drain() { println(%a) }\nprintln(f\"{$.len()}\")"},
    {"used after a hand-over", Snippet::taken, Ty::texts, "let %a = [$]\nprintln(f\"{$.len()}\")"},
    {"used after a hand-over", Snippet::taken, Ty::crate, "let %a = keep_list($.items)\nprintln(look_crate($))"},
    {"used after a hand-over", Snippet::taken, Ty::tower, "let %a = keep_bell($.bell)\nprintln($.bell.tone)"},
    {"given away while only lent", Snippet::there, Ty::texts, "let %a = keep_text($[0])"},
    {"given away while only lent", Snippet::there, Ty::parcels, "for %a in $ { let %b = keep_parcel(%a) }"},
    {"given away while only lent", Snippet::there, Ty::shared, "let %a = keep_text($.label)"},
    {"given away while only lent", Snippet::there, Ty::parcel_view, "let %a = keep_text($.label)"},
    {"given away while only lent", Snippet::taken, Ty::bell, "let %a = keep_text($.tone)"},
    {"a view past its owner's end", Snippet::there, Ty::parcel,
     "let mut %a: ref Parcel = ref $\n{\nlet %b = Parcel { label: \"z\".clone(), grams: 1 }\n%a = "
     "ref %b\n}\nprintln(%a.label)"},
    {"a view past its owner's end", Snippet::there, Ty::text,
     "let mut %a: ref String = $.trim()\n{\nlet %b = Bell { tone: \"z\".clone() }\n%a = "
     "%b.tone\n}\nprintln(%a)"},
    {"a view past its owner's end", Snippet::there, Ty::parcels,
     "let mut %a: ref Vec[Parcel] = ref $\nfor %i in 0..<2 {\nprintln(f\"{%a.len()}\")\nlet %b = "
     "[Parcel { label: \"z\".clone(), grams: 1 }]\n%a = ref %b\n}"},
    {"a view past a hand-over", Snippet::taken, Ty::text,
     "let %a = Mark { text: $.trim(), at: 1 }\nlet %b = $\nprintln(%a.text)"},
    {"a view past a hand-over", Snippet::taken, Ty::text, "let %a = view_longer($, \"a\")\nlet %b = [$]\nprintln(%a)"},
    {"a view past a hand-over", Snippet::taken, Ty::parcel, "let %a = ref $\nlet %b = Shared($)\nprintln(%a.label)"},
    {"a view past a hand-over", Snippet::taken, Ty::texts,
     "let %a = $.iter().map fn(q) { q.len() }\nlet %b = $\nprintln(f\"{%a.count()}\")"},
    {"a view past a hand-over", Snippet::taken, Ty::bell,
     "let %a = $.tone\nlet %b = Tower { bell: $, floors: 1 }\nprintln(%a)"},
    {"a change under a loop", Snippet::changed, Ty::texts, "for %a in $ { $.push(%a.clone()) }"},
    {"a change under a loop", Snippet::changed, Ty::texts, "$.for_each fn(q) { $.push(q.clone()) }"},
    {"a change under a loop", Snippet::changed, Ty::texts, "for %a in $ { change_list($) }"},
    {"a change under a loop", Snippet::changed, Ty::parcels, "for %a in $ { $.clear() }"},
    {"a change under a loop", Snippet::changed, Ty::parcels, "for %a in $ { $[0].grams = 1 }"},
    {"a change under a loop", Snippet::changed, Ty::tree, "for (%a, %b) in $ { $[\"z\"] = %b.clone() }"},
    {"a change under a loop", Snippet::changed, Ty::texts, "for %a in $.iter().map(fn(q) { q.len() }) { $.clear() }"},
    {"a change under a view", Snippet::changed, Ty::texts,
     "let %a = $.iter().map fn(q) { q.len() }\n$.clear()\nprintln(f\"{%a.count()}\")"},
    {"a change under a view", Snippet::changed, Ty::text, "let %a = view_text($)\n$.push_str(\"!\")\nprintln(%a)"},
    {"a change under a view", Snippet::changed, Ty::text,
     "let mut %a: Vec[ref String] = "
     "[]\n%a.push($.trim())\n$.push_str(\"!\")\nprintln(%a.join(\"\"))"},
    {"a change under a view", Snippet::changed, Ty::tree, "let %a = $[\"k1\"]\n$.clear()\nprintln(%a ?? \"-\")"},
    {"a change under a view", Snippet::changed, Ty::texts,
     "let %a = $.filter fn(q) { q.len() > 0 }\n$.clear()\nprintln(%a.join(\"\"))"},
    {"a change under a view", Snippet::changed, Ty::parcel, "let %a = ref $\nchange_parcel($)\nprintln(%a.label)"},
    {"a change under a view", Snippet::changed, Ty::crate, "let %a = $.first()\n$.store(\"z\".clone())\nprintln(%a)"},
    {"a change under a view", Snippet::changed, Ty::crate,
     "let %a = $.inner\n$.inner.grams = 4\nprintln(f\"{%a.grams}\")"},
    {"a change under a view", Snippet::changed, Ty::texts,
     "let %a = $[0..<$.len()]\n$.push(\"a\".clone())\nprintln(f\"{%a.len()}\")"},
    {"a change under a view", Snippet::changed, Ty::text,
     "let %a = $.split(\"-\")\n$.push_str(\"-\")\nprintln(%a.join(\"\"))"},
    {"changed and read by one call", Snippet::changed, Ty::texts, "change_both($, $)"},
    {"changed and read by one call", Snippet::changed, Ty::texts, "rest($, $)"},
};

// A function of its own.
constexpr std::pair<const char*, const char*> functions[] = {
    {"a view out of its owner's function",
     "fn @() -> ref Parcel {\n    let z = Parcel { label: \"z\".clone(), grams: 1 }\n    return "
     "z\n}"},
    {"a view out of its owner's function",
     "fn @(n: i64) -> ref Vec[String] {\n    let z = [\"z\".clone()]\n    let y = ref z\n    "
     "return y\n}"},
    {"a view out of its owner's function",
     "fn @() -> ref String {\n    let z = Bell { tone: \"z\".clone() }\n    return z.tone\n}"},
    {"a view of an element past a change",
     "fn @(s: ref String) {\n    let mut z = [Note { key: \"z\".clone(), text: s }]\n    let mut y: Vec[ref String] = "
     "[]\n    for x in z { y.push(x.key) }\n    z.clear()\n    println(y[0])\n}"},
    {"a view of an element past a change",
     "fn @(s: ref String) {\n    let mut z = [Note { key: \"z\".clone(), text: s }]\n    let mut y: Vec[ref Note] = "
     "[]\n    for x in z { y.push(x) }\n    z.clear()\n    println(y[0].text)\n}"},
    {"a view of an element past a hand-over",
     "fn @(s: ref String) {\n    let z = [Note { key: \"z\".clone(), text: s }]\n    let y = z[0].key\n    let x = "
     "[z]\n "
     "   println(y)\n}"},
    {"a pointer put away",
     "fn @(l: SharedMut[Look]) {\n    let z = Parcel { label: \"z\".clone(), grams: 1 }\n    l.set(look_at(z, 1))\n}"},
    {"a pointer put away",
     "fn @(l: SharedMut[Look]) {\n    let z = Parcel { label: \"z\".clone(), grams: 1 }\n    l.update fn(mut v) { v.at "
     "= z "
     "}\n}"},
    {"a pointer put away", "fn @(p: ref Parcel) -> Shared[Look] {\n    return Shared(look_at(p, 1))\n}"},
    {"a pointer put away",
     "fn @(n: i64) -> i64 throws {\n    let z = Parcel { label: \"z\".clone(), grams: n }\n    throw Seen::At(z) if n "
     "> "
     "1\n    return n\n}"},
    {"a pointer past its owner in a map",
     "fn @(mut m: collections::HashMap[i64, Look]) {\n    let z = Parcel { label: \"z\".clone(), grams: 1 }\n    "
     "m.entry(1).or_insert(look_at(z, 1))\n}"},
    {"a view out of a lambda",
     "fn @(p: ref Parcel) -> ref Parcel {\n    let z = Parcel { label: \"z\".clone(), grams: 1 }\n    return "
     "through(p, fn(q) "
     "{ if q.grams > 3 { q } else { z } })\n}"},
    {"a view out of a lambda",
     "fn @(p: ref Parcel) {\n    let mut y = p\n    {\n        let z = [Parcel { label: \"z\".clone(), grams: 1 }]\n   "
     "     "
     "z.for_each fn(q) { y = q }\n    }\n    println(y.label)\n}"},
    {"a view put from one capture into another",
     "fn @(ls: ref Vec[i64]) {\n    let mut y: Vec[Look] = []\n    {\n        let z = Parcel { label: \"z\".clone(), "
     "grams: 1 "
     "}\n        ls.for_each fn(n) { y.push(Look { at: z, turn: n }) }\n    }\n    println(f\"{y.len()} "
     "{look_looks(y)}\")\n}"},
    {"a view put from one capture into another",
     "fn @(p: ref Parcel) {\n    let mut y = p\n    {\n        let z = Parcel { label: \"z\".clone(), grams: 1 }\n     "
     "   "
     "let x = ref z\n        let (v, w) = overlap {\n            {\n                y = x\n                1\n         "
     "   }\n  "
     "          2\n        }\n    }\n    println(y.label)\n}"},
    {"a view as a written key",
     "fn @(s: ref String) {\n    let mut z: collections::HashMap[String, i64] = collections::HashMap()\n    z[s] = "
     "1\n}"},
    {"given away while only lent", "fn @(p: ref Parcel) -> String {\n    return p.label\n}"},
    {"given away while only lent", "fn @(mut p: Parcel) -> Parcel {\n    return p\n}"},
    {"given away while only lent", "fn @(mut p: Crate) -> i64 {\n    return keep_list(p.items).len()\n}"},
    {"a view kept by a task",
     "fn @(p: ref Parcel) {\n    let z = spawn fn { p.grams }\n    println(f\"{z.join()}\")\n}"},
    {"a view kept by a task",
     "fn @(s: ref String) {\n    let z = spawn fn { s.len() }\n    println(f\"{z.join()}\")\n}"},
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from <= text.size();) {
    std::size_t to = text.find('\n', from);
    if (to == std::string::npos) to = text.size();
    out.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return out;
}

std::string filled(std::string text, char mark, const std::string& with) {
  std::size_t at = 0;
  while ((at = text.find(mark, at)) != std::string::npos) {
    text.replace(at, 1, with);
    at += with.size();
  }
  return text;
}

}  // namespace

void Writer::mutation(const char* kind, std::vector<std::pair<std::size_t, std::string>> inserts) {
  if (!out_.is_reckless) out_.mutations.push_back({kind, std::move(inserts)});
}

// A name that is gone, used here.
void Writer::note_gone() {
  if (state_.ends) return;
  const auto gone =
      those({}, [&](std::size_t v) { return state_.held[v] == Held::gone && vars_[v].hold != Hold::mut; });
  if (gone.empty()) return;
  const Var& x = vars_[one_of(gone)];
  const char* read = read_of(x.type);
  const bool hands_over = read == nullptr || rng_.one_in(3);
  const std::string text = hands_over ? "let z" + std::to_string(++names_) + " = " + x.name
                                      : "println(f\"{" + filled(read, '$', x.name) + "}\")";
  mutation("used after a hand-over", {{out_.lines.size(), text}});
}

// The statement that begins at line `before` and is the last one written takes or changes `v`.
void Writer::note_event(std::size_t v, std::size_t before, bool is_take) {
  const Var& x = vars_[v];
  const std::string& statement = out_.lines[before];
  const std::size_t word = statement.find_first_not_of(' ');
  for (const char* jump : {"return", "throw", "break", "continue"}) {
    if (statement.compare(word, std::string(jump).size(), jump) == 0) return;
  }
  const char* read = read_of(x.type);
  const std::string z = "z" + std::to_string(++names_);
  const std::size_t after = before + 1;
  if (is_take && rng_.one_in(3)) {
    mutation("handed over twice", {{rng_.one_in(2) ? before : after, "let " + z + " = " + x.name}});
    return;
  }
  if (read == nullptr) return;
  if (!is_take && x.type == Ty::tower) return;  // its floors copy
  const bool is_early =
      !x.was_assigned && x.hold == Hold::owned && x.bound_at > 0 && x.bound_at <= before && rng_.one_in(2);
  mutation(is_take ? "a view past a hand-over" : "a change under a view",
           {{is_early ? x.bound_at : before, "let " + z + " = ref " + x.name},
            {after, "println(f\"{" + filled(read, '$', z) + "}\")"}});
}

// A loop over `v` whose body begins at line `at` and is left by its end.
void Writer::note_walk(std::size_t v, std::size_t at) {
  const Var& x = vars_[v];
  if (!x.is_mut || x.hold == Hold::lent || x.lambda != lambda_) return;
  std::string text = x.name + ".clear()";
  if (x.type == Ty::texts && rng_.one_in(2))
    text = rng_.one_in(2) ? x.name + ".push(\"z\".clone())" : "change_list(" + x.name + ")";
  mutation("a change under a loop", {{at, text}});
}

void Writer::note_snippet() {
  if (rng_.one_in(12)) {
    const auto& [kind, text] = functions[rng_.below(sizeof functions / sizeof functions[0])];
    std::vector<std::pair<std::size_t, std::string>> inserts;
    for (const std::string& l : lines_of(filled(text, '@', prefix_ + "_bad"))) inserts.emplace_back(0, l);
    mutation(kind, std::move(inserts));
    return;
  }
  const Snippet& s = snippets[rng_.below(sizeof snippets / sizeof snippets[0])];
  const auto fits = [&](std::size_t v) {
    if (s.needs == Snippet::taken) return can_take(v);
    if (s.needs == Snippet::changed) return can_change(v);
    return is_there(v) && vars_[v].loop == loop_ && !vars_[v].may_be_taken;
  };
  const auto found = those({s.type}, fits);
  if (found.empty()) return;
  const std::string text = filled(filled(s.text, '$', vars_[one_of(found)].name), '%', "z" + std::to_string(++names_));
  std::vector<std::pair<std::size_t, std::string>> inserts;
  for (const std::string& l : lines_of(text)) inserts.emplace_back(out_.lines.size(), l);
  mutation(s.kind, std::move(inserts));
}

}  // namespace nikaia::ownership
