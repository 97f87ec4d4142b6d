// The rows of the library that the interpreter has, by key. What is not here ends the run as not
// built.
//
// A row that changes a list gives all its elements new cells, as if it had moved: a view of one is
// then found out.
#include <algorithm>

#include "interpret/machine.h"

namespace nikaia::interpret {
namespace {

using Args = std::vector<Cell*>;
using lang::nir::Call;

// A row's arguments are there and its receiver is reached; null is nothing handed back.
using Row = Cell* (*)(Machine& m, Args& a, const Call& c);

void moved_along(Machine& m, Cell* list) {
  for (Cell*& e : list->parts) e = m.moved_out(e);
  m.changed(list);
}

Cell* sequence(Machine& m, std::function<Cell*()> next) {
  Cell* c = m.make(Kind::sequence);
  c->sequence = std::make_shared<Sequence>();
  c->sequence->next = std::move(next);
  return c;
}

// A sequence's elements one by one, whatever it is made from.
std::function<Cell*()> source(Machine& m, Cell* from) {
  if (from->kind == Kind::range) {
    auto at = std::make_shared<std::int64_t>(from->number);
    return [&m, at, from]() -> Cell* {
      if (from->is_inclusive ? *at > from->high : *at >= from->high) return nullptr;
      return m.integer((*at)++);
    };
  }
  if (from->kind == Kind::sequence) return [s = from->sequence] { return s->next(); };
  m.stop(Ending::not_built, "a sequence of this");
  return [] { return nullptr; };
}

Cell* views_of(Machine& m, Cell* text, std::vector<std::pair<std::size_t, std::size_t>> pieces) {
  auto n = std::make_shared<std::size_t>(0);
  return sequence(m, [&m, text, pieces = std::move(pieces), n]() -> Cell* {
    if (*n == pieces.size()) return nullptr;
    m.reached(text);
    if (m.stopped()) return nullptr;
    const auto [at, size] = pieces[(*n)++];
    return m.view_of(text, at, size);
  });
}

Cell* index(Machine& m, Args& a, std::size_t limit) {
  Cell* at = m.reached(a[1]);
  if (!m.stopped() && (at->number < 0 || static_cast<std::size_t>(at->number) >= limit)) {
    m.stop(Ending::panicked, "index out of bounds");
  }
  return at;
}

// ---- text

Cell* changed_text(Machine& m, Cell* c, std::string text) {
  c->size = text.size();
  c->at = 0;
  c->buffer = std::make_shared<const std::string>(std::move(text));
  m.changed(c);
  return nullptr;
}

Cell* push_str(Machine& m, Args& a, const Call&) {
  const std::string more(m.text_of(a[1]));
  return changed_text(m, a[0], std::string(m.text_of(a[0])) + more);
}

template <char (*f)(char)>
Cell* mapped_text(Machine& m, Args& a, const Call&) {
  std::string out(m.text_of(a[0]));
  m.require_ascii(out);
  for (char& c : out) c = f(c);
  return m.text(std::move(out));
}
char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

Cell* trimmed(Machine& m, Cell* text, bool start, bool end) {
  const std::string_view s = m.text_of(text);
  m.require_ascii(s);
  std::size_t from = 0, to = s.size();
  while (start && from < to && is_space(s[from])) ++from;
  while (end && to > from && is_space(s[to - 1])) --to;
  return m.view_of(text, from, to - from);
}

Cell* split(Machine& m, Args& a, const Call&) {
  Cell* by = m.reached(a[1]);
  const std::string sep =
      by->kind == Kind::character ? std::string(1, static_cast<char>(by->number)) : std::string(m.text_of(by));
  const std::string_view s = m.text_of(a[0]);
  if (sep.empty()) m.stop(Ending::not_built, "a split at nothing");
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
  std::size_t from = 0;
  for (std::size_t at = 0; !m.stopped() && (at = s.find(sep, from)) != std::string_view::npos; from = at + sep.size()) {
    pieces.emplace_back(from, at - from);
  }
  pieces.emplace_back(from, s.size() - from);
  return views_of(m, a[0], std::move(pieces));
}

Cell* split_whitespace(Machine& m, Args& a, const Call&) {
  const std::string_view s = m.text_of(a[0]);
  m.require_ascii(s);
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
  for (std::size_t i = 0; i < s.size();) {
    while (i < s.size() && is_space(s[i])) ++i;
    const std::size_t from = i;
    while (i < s.size() && !is_space(s[i])) ++i;
    if (i > from) pieces.emplace_back(from, i - from);
  }
  return views_of(m, a[0], std::move(pieces));
}

Cell* replace(Machine& m, Args& a, const Call&) {
  std::string s(m.text_of(a[0]));
  const std::string from(m.text_of(a[1])), to(m.text_of(a[2]));
  for (std::size_t at = 0; !from.empty() && (at = s.find(from, at)) != std::string::npos; at += to.size())
    s.replace(at, from.size(), to);
  return m.text(std::move(s));
}

// ---- lists

Cell* push(Machine& m, Args& a, const Call&) {
  moved_along(m, a[0]);
  a[0]->parts.push_back(a[1]);
  return nullptr;
}

Cell* pop(Machine& m, Args& a, const Call&) {
  if (a[0]->parts.empty()) return m.nullable(nullptr);
  moved_along(m, a[0]);
  Cell* last = a[0]->parts.back();
  a[0]->parts.pop_back();
  return m.nullable(last);
}

Cell* insert(Machine& m, Args& a, const Call&) {
  const Cell* at = index(m, a, a[0]->parts.size() + 1);
  if (m.stopped()) return nullptr;
  moved_along(m, a[0]);
  a[0]->parts.insert(a[0]->parts.begin() + at->number, a[2]);
  return nullptr;
}

Cell* remove(Machine& m, Args& a, const Call&) {
  const Cell* at = index(m, a, a[0]->parts.size());
  if (m.stopped()) return nullptr;
  moved_along(m, a[0]);
  Cell* out = a[0]->parts[static_cast<std::size_t>(at->number)];
  a[0]->parts.erase(a[0]->parts.begin() + at->number);
  return out;
}

Cell* swap_remove(Machine& m, Args& a, const Call&) {
  const Cell* at = index(m, a, a[0]->parts.size());
  if (m.stopped()) return nullptr;
  moved_along(m, a[0]);
  std::swap(a[0]->parts[static_cast<std::size_t>(at->number)], a[0]->parts.back());
  Cell* out = a[0]->parts.back();
  a[0]->parts.pop_back();
  return out;
}

void shorten(Machine& m, Cell* list, std::size_t length) {
  moved_along(m, list);
  while (list->parts.size() > length) {
    Cell* last = list->parts.back();
    list->parts.pop_back();
    m.kill(last);
  }
}

Cell* truncate(Machine& m, Args& a, const Call&) {
  const Cell* to = m.reached(a[1]);
  shorten(m, a[0], static_cast<std::size_t>(std::max<std::int64_t>(0, to->number)));
  return nullptr;
}

Cell* swap(Machine& m, Args& a, const Call&) {
  const Cell* i = index(m, a, a[0]->parts.size());
  Args second{a[0], a[2]};
  const Cell* j = index(m, second, a[0]->parts.size());
  if (m.stopped()) return nullptr;
  moved_along(m, a[0]);
  std::swap(a[0]->parts[static_cast<std::size_t>(i->number)], a[0]->parts[static_cast<std::size_t>(j->number)]);
  return nullptr;
}

Cell* extend(Machine& m, Args& a, const Call&) {
  Cell* items = m.reached(a[1]);
  if (m.stopped()) return nullptr;
  moved_along(m, a[0]);
  for (Cell* e : items->parts) a[0]->parts.push_back(m.moved_out(e));
  items->parts.clear();
  return nullptr;
}

Cell* retain(Machine& m, Args& a, const Call&) {
  Cell* list = a[0];
  std::vector<Cell*> kept;
  std::vector<Cell*> given = list->parts;
  for (Cell* e : given) {
    const std::uint32_t seen = list->version;
    const Cell* answer = m.call_closure(a[1], {m.lent(e)});
    if (m.stopped()) return nullptr;
    if (list->version != seen) m.finding("`retain` runs over a list that its lambda changed");
    if (answer->number != 0)
      kept.push_back(e);
    else
      m.kill(e);
  }
  list->parts = std::move(kept);
  moved_along(m, list);
  return nullptr;
}

Cell* sort(Machine& m, Args& a, const Call&) {
  moved_along(m, a[0]);
  std::stable_sort(a[0]->parts.begin(), a[0]->parts.end(), [&](Cell* x, Cell* y) { return m.compare(x, y) < 0; });
  return nullptr;
}

Cell* sort_by_key(Machine& m, Args& a, const Call&) {
  moved_along(m, a[0]);
  std::vector<std::pair<Cell*, Cell*>> keyed;
  for (Cell* e : a[0]->parts) keyed.emplace_back(m.call_closure(a[1], {m.lent(e)}), e);
  if (m.stopped()) return nullptr;
  std::stable_sort(keyed.begin(), keyed.end(),
                   [&](const auto& x, const auto& y) { return m.compare(x.first, y.first) < 0; });
  for (std::size_t i = 0; i < keyed.size(); ++i) a[0]->parts[i] = keyed[i].second;
  return nullptr;
}

// Each element handed to `f`, until it says stop. The list is lent for as long as that takes.
template <class F>
void each(Machine& m, Cell* list, F&& f) {
  std::vector<Cell*> elements;
  m.elements_of(list, elements);
  const std::uint32_t seen = list->version;
  for (Cell* e : elements) {
    if (m.stopped()) return;
    const bool goes_on = f(e);
    if (list->version != seen || list->life != Life::live)
      m.finding("a walk goes on over a list that its lambda changed");
    if (!goes_on) return;
  }
}

Cell* list_map(Machine& m, Args& a, const Call&) {
  Cell* out = m.make(Kind::list);
  each(m, a[0], [&](Cell* e) {
    out->parts.push_back(m.call_closure(a[1], {m.lent(e)}));
    return true;
  });
  return out;
}

Cell* list_filter(Machine& m, Args& a, const Call&) {
  Cell* out = m.make(Kind::list);
  each(m, a[0], [&](Cell* e) {
    if (m.call_closure(a[1], {m.lent(e)})->number != 0) out->parts.push_back(m.lent(e));
    return true;
  });
  return out;
}

Cell* list_for_each(Machine& m, Args& a, const Call&) {
  each(m, a[0], [&](Cell* e) {
    m.call_closure(a[1], {m.lent(e)});
    return true;
  });
  return nullptr;
}

Cell* list_fold(Machine& m, Args& a, const Call&) {
  Cell* sum = a[1];
  each(m, a[0], [&](Cell* e) {
    sum = m.call_closure(a[2], {sum, m.lent(e)});
    return true;
  });
  return sum;
}

template <bool wanted>
Cell* list_any(Machine& m, Args& a, const Call&) {
  bool found = false;
  each(m, a[0], [&](Cell* e) {
    found = (m.call_closure(a[1], {m.lent(e)})->number != 0) == wanted;
    return !found;
  });
  return m.boolean(found == wanted);
}

Cell* list_find(Machine& m, Args& a, const Call&) {
  Cell* out = nullptr;
  each(m, a[0], [&](Cell* e) {
    if (m.call_closure(a[1], {m.lent(e)})->number != 0) out = m.lent(e);
    return out == nullptr;
  });
  return m.nullable(out);
}

Cell* list_iter(Machine& m, Args& a, const Call&) {
  Cell* list = a[0];
  auto n = std::make_shared<std::size_t>(0);
  const std::uint32_t seen = list->version;
  return sequence(m, [&m, list, n, seen]() -> Cell* {
    if (list->life != Life::live || list->version != seen) {
      m.finding("a sequence goes on over a list that was changed, handed over or is dead");
      return nullptr;
    }
    std::vector<Cell*> elements;
    m.elements_of(list, elements);
    if (m.stopped() || *n >= elements.size()) return nullptr;
    return m.lent(elements[(*n)++]);
  });
}

Cell* list_drain(Machine& m, Args& a, const Call&) {
  Cell* rest = m.make(Kind::list);
  rest->parts = a[0]->parts;
  auto n = std::make_shared<std::size_t>(0);
  Cell* out = sequence(m, [&m, rest, n]() -> Cell* {
    if (*n >= rest->parts.size()) return nullptr;
    return m.moved_out(rest->parts[(*n)++]);
  });
  out->parts.push_back(rest);
  return out;
}

std::string joined(Machine& m, const std::function<Cell*()>& next, std::string_view sep) {
  std::string out;
  bool is_first = true;
  for (Cell* e = nullptr; (e = next()) != nullptr && !m.stopped(); is_first = false) {
    if (!is_first) out += sep;
    m.print(e, out);
  }
  return out;
}

Cell* list_join(Machine& m, Args& a, const Call& c) {
  Args list{a[0]};
  Cell* s = list_iter(m, list, c);
  return m.text(joined(m, source(m, s), m.text_of(a[1])));
}

Cell* list_contains(Machine& m, Args& a, const Call&) {
  bool found = false;
  each(m, a[0], [&](Cell* e) { return !(found = m.equal(e, a[1])); });
  return m.boolean(found);
}

// ---- sequences

Cell* seq_map(Machine& m, Args& a, const Call&) {
  return sequence(m, [&m, next = source(m, a[0]), f = a[1]]() -> Cell* {
    Cell* e = next();
    return e == nullptr || m.stopped() ? nullptr : m.call_closure(f, {e});
  });
}

Cell* seq_filter(Machine& m, Args& a, const Call&) {
  return sequence(m, [&m, next = source(m, a[0]), f = a[1]]() -> Cell* {
    for (Cell* e = nullptr; (e = next()) != nullptr && !m.stopped(); m.kill(e)) {
      if (m.call_closure(f, {m.lent(e)})->number != 0) return e;
    }
    return nullptr;
  });
}

Cell* seq_collect(Machine& m, Args& a, const Call& c) {
  if (!m.is_list_type(c.result)) m.stop(Ending::not_built, "this `collect`");
  Cell* out = m.make(Kind::list);
  const auto next = source(m, a[0]);
  for (Cell* e = nullptr; !m.stopped() && (e = next()) != nullptr;) out->parts.push_back(e);
  return out;
}

Cell* seq_count(Machine& m, Args& a, const Call&) {
  std::int64_t n = 0;
  const auto next = source(m, a[0]);
  for (Cell* e = nullptr; !m.stopped() && (e = next()) != nullptr; ++n) m.kill(e);
  return m.integer(n);
}

Cell* seq_sum(Machine& m, Args& a, const Call&) {
  std::int64_t n = 0;
  const auto next = source(m, a[0]);
  for (Cell* e = nullptr; !m.stopped() && (e = next()) != nullptr;) n += m.reached(e)->number;
  return m.integer(n);
}

Cell* seq_join(Machine& m, Args& a, const Call&) {
  return m.text(joined(m, source(m, a[0]), m.text_of(a[1])));
}

Cell* seq_for_each(Machine& m, Args& a, const Call&) {
  const auto next = source(m, a[0]);
  for (Cell* e = nullptr; !m.stopped() && (e = next()) != nullptr;) m.call_closure(a[1], {e});
  return nullptr;
}

Cell* seq_fold(Machine& m, Args& a, const Call&) {
  Cell* sum = a[1];
  const auto next = source(m, a[0]);
  for (Cell* e = nullptr; !m.stopped() && (e = next()) != nullptr;) sum = m.call_closure(a[2], {sum, e});
  return sum;
}

// `skip` and `take`.
template <bool takes>
Cell* seq_part(Machine& m, Args& a, const Call&) {
  auto left = std::make_shared<std::int64_t>(m.reached(a[1])->number);
  return sequence(m, [&m, next = source(m, a[0]), left]() -> Cell* {
    if (takes) return (*left)-- > 0 ? next() : nullptr;
    for (; *left > 0; --*left) {
      if (Cell* e = next()) m.kill(e);
    }
    return next();
  });
}

// ---- maps

Cell** entry_of(Machine& m, Cell* map, Cell* key) {
  for (std::size_t i = 0; i + 1 < map->parts.size(); i += 2) {
    if (m.equal(map->parts[i], key)) return &map->parts[i + 1];
  }
  return nullptr;
}

// `is_sorted`: a BTreeMap.
Cell* put_into(Machine& m, Cell* map, Cell* key, Cell* value) {
  for (Cell*& p : map->parts) p = m.moved_out(p);
  m.changed(map);
  if (Cell** there = entry_of(m, map, key)) {
    Cell* old = *there;
    *there = value;
    m.kill(key);
    return old;
  }
  std::size_t at = map->parts.size();
  if (map->variant != 0) {
    at = 0;
    while (at < map->parts.size() && m.compare(map->parts[at], key) < 0) at += 2;
  }
  map->parts.insert(map->parts.begin() + static_cast<std::ptrdiff_t>(at), {key, value});
  return nullptr;
}

template <bool is_sorted>
Cell* new_map(Machine& m, Args&, const Call&) {
  Cell* map = m.make(Kind::map);
  map->variant = is_sorted ? 1 : 0;
  return map;
}

Cell* map_insert(Machine& m, Args& a, const Call&) {
  return m.nullable(put_into(m, a[0], a[1], a[2]));
}

Cell* map_remove(Machine& m, Args& a, const Call&) {
  Cell** there = entry_of(m, a[0], a[1]);
  if (there == nullptr) return m.nullable(nullptr);
  const std::ptrdiff_t at = there - a[0]->parts.data();
  for (Cell*& p : a[0]->parts) p = m.moved_out(p);
  m.changed(a[0]);
  Cell* out = a[0]->parts[static_cast<std::size_t>(at)];
  m.kill(a[0]->parts[static_cast<std::size_t>(at - 1)]);
  a[0]->parts.erase(a[0]->parts.begin() + at - 1, a[0]->parts.begin() + at + 1);
  return m.nullable(out);
}

Cell* map_get(Machine& m, Args& a, const Call&) {
  Cell** there = entry_of(m, a[0], a[1]);
  return m.nullable(there != nullptr ? m.lent(*there) : nullptr);
}

Cell* map_clear(Machine& m, Args& a, const Call&) {
  shorten(m, a[0], 0);
  return nullptr;
}

template <std::size_t which>
Cell* map_side(Machine& m, Args& a, const Call&) {
  Cell* map = a[0];
  if (map->variant == 0 && map->parts.size() > 2) m.stop(Ending::not_built, "the order of a `HashMap`");
  auto n = std::make_shared<std::size_t>(which);
  const std::uint32_t seen = map->version;
  return sequence(m, [&m, map, n, seen]() -> Cell* {
    if (map->life != Life::live || map->version != seen) {
      m.finding("a sequence goes on over a map that was changed, handed over or is dead");
      return nullptr;
    }
    if (*n >= map->parts.size()) return nullptr;
    Cell* e = m.lent(map->parts[*n]);
    *n += 2;
    return e;
  });
}

// ---- shared values and locks

Cell* share(Machine& m, Args& a, const Call&) {
  Cell* c = m.make(Kind::shared);
  c->shared = std::make_shared<SharedBox>();
  c->shared->inner = a[0];
  return c;
}

Cell* lock_get(Machine& m, Args& a, const Call&) {
  return m.cloned(a[0]->shared->inner);
}

Cell* lock_set(Machine& m, Args& a, const Call&) {
  if (a.size() > 2 && a[2]->kind == Kind::nullable && !a[2]->parts.empty())
    m.stop(Ending::not_built, "`set` with `after`");
  Cell* old = a[0]->shared->inner;
  a[0]->shared->inner = a[1];
  m.kill(old);
  return nullptr;
}

Cell* lock_update(Machine& m, Args& a, const Call&) {
  m.call_closure(a[1], {m.pointer_to(a[0]->shared->inner, true)});
  m.changed(a[0]->shared->inner);
  return nullptr;
}

Cell* lock_access(Machine& m, Args& a, const Call&) {
  return m.call_closure(a[1], {m.lent(a[0]->shared->inner)});
}

constexpr std::pair<std::string_view, Row> rows[] = {
    {"String::new", [](Machine& m, Args&, const Call&) { return m.text({}); }},
    {"String.len",
     [](Machine& m, Args& a, const Call&) { return m.integer(static_cast<std::int64_t>(m.text_of(a[0]).size())); }},
    {"String.is_empty", [](Machine& m, Args& a, const Call&) { return m.boolean(m.text_of(a[0]).empty()); }},
    {"String.push_str", push_str},
    {"String.clone", [](Machine& m, Args& a, const Call&) { return m.text(std::string(m.text_of(a[0]))); }},
    {"String.to_string", [](Machine& m, Args& a, const Call&) { return m.text(std::string(m.text_of(a[0]))); }},
    {"int.to_string", [](Machine& m, Args& a, const Call&) { return m.text(std::to_string(a[0]->number)); }},
    {"String.to_uppercase", mapped_text<upper>},
    {"String.to_lowercase", mapped_text<lower>},
    {"String.starts_with",
     [](Machine& m, Args& a, const Call&) { return m.boolean(m.text_of(a[0]).starts_with(m.text_of(a[1]))); }},
    {"String.ends_with",
     [](Machine& m, Args& a, const Call&) { return m.boolean(m.text_of(a[0]).ends_with(m.text_of(a[1]))); }},
    {"String.contains",
     [](Machine& m, Args& a, const Call&) {
       return m.boolean(m.text_of(a[0]).find(m.text_of(a[1])) != std::string_view::npos);
     }},
    {"String.replace", replace},
    {"String.trim", [](Machine& m, Args& a, const Call&) { return trimmed(m, a[0], true, true); }},
    {"String.trim_start", [](Machine& m, Args& a, const Call&) { return trimmed(m, a[0], true, false); }},
    {"String.trim_end", [](Machine& m, Args& a, const Call&) { return trimmed(m, a[0], false, true); }},
    {"String.split", split},
    {"String.split_whitespace", split_whitespace},
    {"Vec::new", [](Machine& m, Args&, const Call&) { return m.make(Kind::list); }},
    {"Vec.len",
     [](Machine& m, Args& a, const Call&) { return m.integer(static_cast<std::int64_t>(a[0]->parts.size())); }},
    {"Array.len",
     [](Machine& m, Args& a, const Call&) {
       std::vector<Cell*> elements;
       m.elements_of(a[0], elements);
       return m.integer(static_cast<std::int64_t>(elements.size()));
     }},
    {"Vec.is_empty", [](Machine& m, Args& a, const Call&) { return m.boolean(a[0]->parts.empty()); }},
    {"Vec.push", push},
    {"Vec.pop", pop},
    {"Vec.insert", insert},
    {"Vec.remove", remove},
    {"Vec.swap_remove", swap_remove},
    {"Vec.swap", swap},
    {"Vec.truncate", truncate},
    {"Vec.clear", map_clear},
    {"Vec.extend", extend},
    {"Vec.retain", retain},
    {"Vec.sort", sort},
    {"Vec.sort_by_key", sort_by_key},
    {"Vec.clone", [](Machine& m, Args& a, const Call&) { return m.cloned(a[0]); }},
    {"Vec.iter", list_iter},
    {"Vec.drain", list_drain},
    {"Vec.map", list_map},
    {"Vec.filter", list_filter},
    {"Vec.for_each", list_for_each},
    {"Vec.fold", list_fold},
    {"Vec.reduce", list_fold},
    {"Vec.any", list_any<true>},
    {"Vec.all", list_any<false>},
    {"Vec.find", list_find},
    {"Vec.join", list_join},
    {"Vec.contains", list_contains},
    {"Seq.map", seq_map},
    {"Seq.filter", seq_filter},
    {"Seq.collect", seq_collect},
    {"Seq.count", seq_count},
    {"Seq.sum", seq_sum},
    {"Seq.join", seq_join},
    {"Seq.for_each", seq_for_each},
    {"Seq.fold", seq_fold},
    {"Seq.take", seq_part<true>},
    {"Seq.skip", seq_part<false>},
    {"HashMap::new", new_map<false>},
    {"BTreeMap::new", new_map<true>},
    {"Map.insert", map_insert},
    {"Map.remove", map_remove},
    {"Map.get", map_get},
    {"Map.contains_key",
     [](Machine& m, Args& a, const Call&) { return m.boolean(entry_of(m, a[0], a[1]) != nullptr); }},
    {"Map.len",
     [](Machine& m, Args& a, const Call&) { return m.integer(static_cast<std::int64_t>(a[0]->parts.size() / 2)); }},
    {"Map.is_empty", [](Machine& m, Args& a, const Call&) { return m.boolean(a[0]->parts.empty()); }},
    {"Map.clear", map_clear},
    {"Map.clone", [](Machine& m, Args& a, const Call&) { return m.cloned(a[0]); }},
    {"Map.keys", map_side<0>},
    {"Map.values", map_side<1>},
    {"Shared::new", share},
    {"SharedMut::new", share},
    {"Shared.clone", [](Machine& m, Args& a, const Call&) { return m.copied(a[0]); }},
    {"SharedMut.clone", [](Machine& m, Args& a, const Call&) { return m.copied(a[0]); }},
    {"SharedMut.get", lock_get},
    {"SharedMut.set", lock_set},
    {"SharedMut.update", lock_update},
    {"SharedMut.access", lock_access},
    {"TaskHandle.join", [](Machine& m, Args& a, const Call&) { return m.join(*a[0]->task); }},
};

}  // namespace

void Machine::put(Cell* map, Cell* key, Cell* value) {
  if (Cell* old = put_into(*this, map, key, value)) kill(old);
}

bool Machine::run_library(std::string_view key, std::vector<Cell*>& args, const Call& c, Cell*& result) {
  if (key == "println" || key == "print") {
    std::string line;
    print(args[0], line);
    if (key == "println") line += '\n';
    if (!stopped()) write(line);
    return true;
  }
  // What both kinds of map do alike stands once.
  std::string common(key);
  for (std::string_view map : {"HashMap.", "BTreeMap."}) {
    if (key.starts_with(map)) common = "Map." + common.substr(map.size());
  }
  for (const auto& [name, row] : rows) {
    if (name != common) continue;
    if (!args.empty() && name.find("::") == std::string_view::npos) args[0] = reached(args[0]);
    if (!stopped()) result = row(*this, args, c);
    return true;
  }
  return false;
}

}  // namespace nikaia::interpret
