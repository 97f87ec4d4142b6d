// Statements, blocks and functions.
#include <algorithm>

#include "tests/ownership/writer.h"

namespace nikaia::ownership {

// ---- lines and blocks

void Writer::line(const std::string& text) {
  const std::size_t before = out_.lines.size();
  out_.lines.push_back(std::string(4 * (depth_ + 1), ' ') + text);
  const auto events = std::move(events_);
  events_.clear();
  for (const auto& [v, is_take] : events) note_event(v, before, is_take);
}

void Writer::open(const std::string& text) {
  out_.lines.push_back(std::string(4 * (depth_ + 1), ' ') + text);
  events_.clear();
  ++depth_;
}

void Writer::close(const std::string& text) {
  while (!visible_.empty() && vars_[visible_.back()].block == depth_) {
    const std::size_t gone = visible_.back();
    visible_.pop_back();
    for (std::size_t v : visible_) {
      const Var& view = vars_[v];
      if (std::find(view.owners.begin(), view.owners.end(), gone) == view.owners.end()) continue;
      const bool is_text = is_text_like(view.type);
      if (!is_text || info(vars_[gone].type).drops) state_.is_stale[v] = 1;
    }
  }
  --depth_;
  out_.lines.push_back(std::string(4 * (depth_ + 1), ' ') + text);
}

// The statements of a block that is open; the caller closes it.
void Writer::body(std::size_t statements, bool is_loop) {
  for (std::size_t i = 0; i < statements && !state_.ends; ++i) {
    if (left_ == 0) return;
    statement();
  }
  if (is_loop && !state_.ends && rng_.one_in(8)) jump();
}

void Writer::statement() {
  if (left_ > 0) --left_;
  used_now_.clear();
  events_.clear();
  if (rng_.one_in(4)) note_gone();
  if (rng_.one_in(3)) note_snippet();
  using Make = void (Writer::*)();
  static constexpr struct {
    Make make;
    std::size_t weight;
  } kinds[] = {
      {&Writer::let, 10},
      {&Writer::let_view, 8},
      {&Writer::let_struct_view, 3},
      {&Writer::print, 8},
      {&Writer::rename, 3},
      {&Writer::assign, 6},
      {&Writer::assign_part, 4},
      {&Writer::change_something, 9},
      {&Writer::keep_something, 6},
      {&Writer::take_part, 3},
      {&Writer::if_, 6},
      {&Writer::for_list, 5},
      {&Writer::for_range, 3},
      {&Writer::while_, 3},
      {&Writer::match_event, 5},
      {&Writer::catch_, 4},
      {&Writer::lambda, 4},
      {&Writer::kept_lambda, 2},
      {&Writer::task, 2},
      {&Writer::destructure, 2},
      {&Writer::option, 3},
      {&Writer::drain, 2},
      {&Writer::block, 2},
      {&Writer::locks, 2},
      {&Writer::jump, 2},
      {&Writer::with, 2},
      {&Writer::call_own, 5},
      {&Writer::views, 4},
      {&Writer::maps, 4},
      {&Writer::generics, 2},
      {&Writer::overlap, 1},
      {&Writer::piece, 40},
  };
  std::size_t all = 0;
  for (const auto& k : kinds) all += k.weight;
  std::size_t at = rng_.below(all);
  for (const auto& k : kinds) {
    if (at < k.weight) {
      (this->*k.make)();
      break;
    }
    at -= k.weight;
  }
  used_now_.clear();
}

// The statement at hand is not written after all: what its parts took is still there.
void Writer::forget(const State& before) {
  state_ = before;
  state_.held.resize(vars_.size(), Held::there);
  state_.is_stale.resize(vars_.size(), 0);
  events_.clear();
  line("println(\"nothing\")");
}

// ---- bindings

void Writer::let() {
  static constexpr Ty types[] = {
      Ty::number,   Ty::flag,   Ty::text,       Ty::text,         Ty::text,       Ty::texts,  Ty::texts, Ty::numbers,
      Ty::parcel,   Ty::parcel, Ty::crate,      Ty::parcels,      Ty::bell,       Ty::bell,   Ty::tower, Ty::bells,
      Ty::event,    Ty::event,  Ty::maybe_text, Ty::maybe_parcel, Ty::maybe_bell, Ty::map,    Ty::tree,  Ty::lists,
      Ty::shared,   Ty::lock,   Ty::lock_list,  Ty::tuple,        Ty::job,        Ty::holder, Ty::chime, Ty::chime,
      Ty::function, Ty::spot,   Ty::color,      Ty::node,         Ty::pair};
  const Ty t = types[rng_.below(sizeof types / sizeof types[0])];
  const std::string value = make(t);
  const bool is_mut = rng_.one_in(2);
  const std::string name = fresh("v");
  line(std::string(is_mut ? "let mut " : "let ") + name + ": " + info(t).written + " = " + value);
  bind(name, t, Hold::owned, is_mut);
}

void Writer::let_view() {
  std::string value;
  std::vector<std::size_t> owners;
  if (!text_view(value, owners)) return let();
  const bool is_mut = rng_.one_in(3);
  const std::string name = fresh("w");
  if (rng_.one_in(4)) {
    line(std::string(is_mut ? "let mut " : "let ") + name + " = " +
         (rng_.one_in(2) ? "Mark { text: " + value + ", at: " + number() + " }" : "mark_text(" + value + ", 4)"));
    const std::size_t v = bind(name, Ty::mark, Hold::owned, is_mut);
    new_owners(v, owners, true);
    return;
  }
  line(std::string(is_mut ? "let mut " : "let ") + name + ": ref String = " + value);
  const std::size_t v = bind(name, Ty::text_view, Hold::owned, is_mut);
  new_owners(v, owners, true);
}

void Writer::let_struct_view() {
  std::size_t v;
  if (!pick(v, {Ty::parcel, Ty::crate, Ty::texts, Ty::parcel_view}, &Writer::is_there)) return let();
  use(v);
  const std::string name = fresh("r");
  const Var& x = vars_[v];
  std::vector<std::size_t> owners = x.owners;
  if (x.type != Ty::parcel_view) owners.push_back(v);
  Ty type = Ty::parcel_view;
  if (x.type == Ty::parcel)
    line("let " + name + " = ref " + x.name);
  else if (x.type == Ty::parcel_view)
    line("let " + name + " = " + x.name);
  else if (x.type == Ty::crate && rng_.one_in(2))
    line("let " + name + " = " + x.name + ".inner");
  else {
    type = Ty::list_view;
    line("let " + name + " = " + (x.type == Ty::crate ? x.name + ".items" : "ref " + x.name));
  }
  new_owners(bind(name, type, Hold::lent, false), owners, true);
}

void Writer::print() {
  std::string text = "println(f\"{" + any_look() + "}";
  for (std::size_t i = rng_.below(3); i > 0; --i) text += " {" + any_look() + "}";
  line(text + "\")");
}

void Writer::rename() {
  std::size_t v;
  if (!pick(v, {}, &Writer::can_take) || vars_[v].lambda != lambda_) return print();
  const Ty t = vars_[v].type;
  const std::string old = vars_[v].name;
  const auto owners = vars_[v].owners;
  take(v);
  const std::string name = fresh("v");
  const bool is_mut = rng_.one_in(2);
  line(std::string(is_mut ? "let mut " : "let ") + name + " = " + old);
  const std::size_t now = bind(name, t, Hold::owned, is_mut);
  if (info(t).holds_view) new_owners(now, owners, true);
}

void Writer::assign() {
  std::size_t v;
  const auto found = those({}, [&](std::size_t x) {
    const Var& y = vars_[x];
    return y.is_mut && (y.hold == Hold::owned || y.hold == Hold::mut) && y.lambda == lambda_ && y.walked == 0 &&
           y.type != Ty::map && y.type != Ty::tree && y.type != Ty::lists && (y.hold == Hold::owned || can_change(x));
  });
  if (found.empty()) return let();
  v = one_of(found);
  const Ty t = vars_[v].type;
  if (t == Ty::text_view || t == Ty::mark) {
    std::string value;
    std::vector<std::size_t> owners;
    if (!text_view(value, owners)) return print();
    for (std::size_t o : owners) {
      if (o == v) return print();
    }
    line(vars_[v].name + " = " + (t == Ty::mark ? "Mark { text: " + value + ", at: 1 }" : value));
    new_owners(v, owners, depth_ == vars_[v].block);
    if (depth_ == vars_[v].block) state_.is_stale[v] = 0;
    return;
  }
  if (info(t).holds_view) return print();
  const State before = state_;
  const std::string value = make(t);
  if (state_.held[v] == Held::there) {
    if (!can_disturb(v)) return forget(before);
    disturb(v, true);
  }
  // What it takes of itself it is given back.
  std::erase_if(events_, [&](const auto& e) { return e.first == v; });
  vars_[v].was_assigned = true;
  line(vars_[v].name + " = " + value);
  state_.held[v] = Held::there;
}

void Writer::assign_part() {
  std::size_t v;
  const auto found = those({Ty::parcel, Ty::crate, Ty::tower, Ty::pair, Ty::node, Ty::mark},
                           [&](std::size_t x) { return can_change(x); });
  if (found.empty()) return change_something();
  v = one_of(found);
  const std::string n = vars_[v].name;
  std::string text;
  std::vector<std::size_t> owners;
  const State before = state_;
  switch (vars_[v].type) {
    case Ty::parcel: {
      if (rng_.one_in(3)) {
        text = n + ".grams += " + number();
      } else {
        const std::string value = make(Ty::text, 1);
        text = n + ".label = " + value;
      }
      break;
    }
    case Ty::crate: {
      switch (rng_.below(4)) {
        case 0: text = n + ".name = " + make(Ty::text, 1); break;
        case 1: text = n + ".inner = " + make(Ty::parcel, 1); break;
        case 2: text = n + ".inner.label = " + make(Ty::text, 1); break;
        default: text = n + ".tag = " + make(Ty::maybe_text, 1); break;
      }
      break;
    }
    case Ty::tower: text = n + ".bell = " + make(Ty::bell, 1); break;
    case Ty::pair: text = n + ".first = " + make(Ty::text, 1); break;
    case Ty::node: text = n + ".next = " + make(Ty::node, 1); break;
    default: {
      std::string value;
      if (!text_view(value, owners) || vars_[v].hold != Hold::owned) return forget(before);
      text = n + ".text = " + value;
      break;
    }
  }
  if (!can_change(v)) return forget(before);  // the value took it
  change(v);
  line(text);
  if (!owners.empty()) new_owners(v, owners, false);
}

// ---- the rest

void Writer::destructure() {
  std::size_t v;
  const std::string a = fresh("v"), b = fresh("v");
  std::string from;
  if (pick(v, {Ty::tuple}, &Writer::can_take)) {
    from = vars_[v].name;
    if (rng_.one_in(3)) {
      take(v, Held::part_gone);
      line("let (" + a + ", _) = " + from);
      bind(a, Ty::text, Hold::owned, false);
      line("println(f\"left {" + from + ".1}\")");
      return;
    }
    take(v, Held::part_gone);  // the number stays
  } else {
    from = "(" + make(Ty::text) + ", " + number() + ")";
  }
  line("let (" + a + ", " + b + ") = " + from);
  bind(a, Ty::text, Hold::owned, false);
  bind(b, Ty::number, Hold::owned, false);
}

void Writer::option() {
  std::size_t v;
  const std::string name = fresh("v");
  if (rng_.one_in(2) && pick(v, {Ty::maybe_parcel}, &Writer::can_take)) {
    take(v);
    line("let " + name + " = " + vars_[v].name + " ?? " + literal(Ty::parcel, 2));
    bind(name, Ty::parcel, Hold::owned, rng_.one_in(2) && false);
  } else if (rng_.one_in(2) && pick(v, {Ty::maybe_bell}, &Writer::can_take)) {
    take(v);
    if (loop_ > 0 && lambda_ == 0 && rng_.one_in(2)) {
      line("let " + name + " = " + vars_[v].name + " ?? break");
      breaks_.back().push_back(state_);
    } else {
      line("let " + name + " = " + vars_[v].name + " ?? " + literal(Ty::bell, 2));
    }
    bind(name, Ty::bell, Hold::owned, false);
  } else if (pick(v, {Ty::maybe_text}, &Writer::can_take)) {
    take(v);
    line("let " + name + " = " + vars_[v].name + " ?? " + literal(Ty::text, 2));
    bind(name, Ty::text, Hold::owned, false);
  } else if (pick(v, {Ty::maybe_text}, &Writer::is_there)) {
    use(v);
    line("println(" + vars_[v].name + " ?? \"absent\")");
  } else {
    let();
  }
}

void Writer::drain() {
  std::size_t v;
  if (!pick(v, {Ty::texts, Ty::parcels, Ty::bells}, &Writer::can_take)) return let();
  const Ty t = vars_[v].type;
  const std::string n = vars_[v].name, name = fresh("e");
  take(v);
  events_.clear();
  open("for " + name + " in " + n + ".drain() {");
  const State before = begin_loop();
  bind(name, t == Ty::texts ? Ty::text : t == Ty::parcels ? Ty::parcel : Ty::bell, Hold::owned, false);
  body(rng_.between(1, 3), true);
  end_loop(before);
}

void Writer::block() {
  open("{");
  body(rng_.between(2, 4), false);
  if (!state_.ends) line("println(f\"inner {" + any_look() + "}\")");
  close();
}

void Writer::locks() {
  std::size_t v;
  if (lambda_ > 0) return print();
  if (rng_.one_in(2) && pick(v, {Ty::lock}, &Writer::is_there)) {
    use(v);
    line(rng_.one_in(2) ? vars_[v].name + ".update fn(mut q) { q += 2 }"
                        : vars_[v].name + ".set(" + std::to_string(rng_.below(9)) + ")");
  } else if (pick(v, {Ty::lock_list}, &Writer::is_there)) {
    use(v);
    const std::string n = vars_[v].name;
    if (rng_.one_in(2))
      line(n + ".update fn(mut q) { q.push(\"u\".clone()) }");
    else
      line(n + ".set(" + make(Ty::texts, 1) + ")");
  } else {
    let();
  }
}

void Writer::with() {
  std::size_t v;
  if (!pick(v, {Ty::parcel}, &Writer::can_take)) return let();
  const std::string name = fresh("v"), n = vars_[v].name;
  if (rng_.one_in(2)) {
    take(v, Held::part_gone);
    line("let " + name + " = " + n + " with { grams: 7 }");
    if (rng_.one_in(2)) line("println(f\"left {" + n + ".grams}\")");
  } else {
    const std::string value = literal(Ty::text, 2);
    use(v);
    line("let " + name + " = " + n + " with { label: " + value + " }");
  }
  bind(name, Ty::parcel, Hold::owned, true);
  vars_.back().is_mut = false;
}

void Writer::call_own() {
  if (callables_.empty() || lambda_ > 0) return let();
  const Callable& f = callables_[rng_.below(callables_.size())];
  bool worked = true;
  std::vector<std::size_t> owners;
  const State before = state_;
  const std::string text = call(f, worked, owners);
  if (!worked) return forget(before);
  const std::string name = fresh("v");
  const std::string guarded =
      f.throws && f.has_result
          ? text + " catch { " + (f.result == Ty::text_view ? std::string("\"failed\"") : literal(f.result, 3)) + " }"
      : f.throws ? text + " catch { println(f\"failed {error}\") }"
                 : text;
  if (!f.has_result) {
    line(guarded);
    return;
  }
  line("let " + name + ": " + info(f.result).written + " = " + guarded);
  const std::size_t v = bind(name, f.result, Hold::owned, false);
  if (info(f.result).holds_view) new_owners(v, owners, true);
}

void Writer::views() {
  std::size_t v;
  std::string value;
  std::vector<std::size_t> owners;
  if (rng_.one_in(3)) {
    const std::string name = fresh("w");
    line("let mut " + name + ": Vec[ref String] = []");
    bind(name, Ty::views, Hold::owned, true);
    return;
  }
  if (!pick(v, {Ty::views}, &Writer::can_change) || vars_[v].hold != Hold::owned) return let_view();
  if (!text_view(value, owners)) return print();
  for (std::size_t o : owners) {
    if (o == v) return print();
  }
  change(v);
  line(vars_[v].name + ".push(" + value + ")");
  new_owners(v, owners, false);
}

void Writer::maps() {
  std::size_t v;
  const std::string k = "\"k" + std::to_string(rng_.between(1, 3)) + "\"";
  if (!pick(v, {Ty::map, Ty::tree, Ty::lists}, &Writer::can_change)) {
    const Ty t = rng_.one_in(2) ? Ty::tree : Ty::lists;
    const std::string name = fresh("m");
    line("let mut " + name + ": " + info(t).written + " = " + literal(t, 0));
    bind(name, t, Hold::owned, true);
    return;
  }
  const std::string n = vars_[v].name;
  const State before = state_;
  std::string text;
  const std::string name = fresh("v");
  switch (vars_[v].type) {
    case Ty::map: text = n + "[" + k + "] = " + number(); break;
    case Ty::tree:
      switch (rng_.below(4)) {
        case 0:
          change(v);
          line("let " + name + " = " + n + ".remove(" + k + ")");
          bind(name, Ty::maybe_text, Hold::owned, false);
          return;
        case 1: {
          change(v);
          const std::string value = literal(Ty::text, 1);
          line("let " + name + " = " + n + ".insert(" + k + ".clone(), " + value + ")");
          bind(name, Ty::maybe_text, Hold::owned, false);
          return;
        }
        case 2: text = n + "[" + make(Ty::text, 2) + "] = " + make(Ty::text, 1); break;
        default: text = n + "[" + k + "] = " + make(Ty::text, 1); break;
      }
      break;
    default:
      if (rng_.one_in(4)) {
        change(v);
        line("let " + name + " = " + n + ".remove(" + k + ") ?? []");
        bind(name, Ty::texts, Hold::owned, false);
        return;
      }
      text = n + "[" + k + "] = " + make(Ty::texts, 1);
      break;
  }
  if (state_.held[v] != Held::there || !can_change(v)) return forget(before);
  change(v);
  line(text);
}

void Writer::generics() {
  std::size_t v;
  const std::string name = fresh("v");
  if (rng_.one_in(2)) {
    const std::string list = make(Ty::parcels);
    line("let " + name + " = first_or(" + list + ", " + make(Ty::parcel, 1) + ")");
    bind(name, Ty::parcel, Hold::owned, false);
  } else if (pick(v, {Ty::bells}, &Writer::can_change)) {
    change(v);
    const std::string n = vars_[v].name;
    line("rest(" + literal(Ty::bells, 2) + ", " + n + ")");
  } else {
    const std::string pair = make(Ty::pair);
    line("let " + name + " = swap_pair(" + pair + ")");
    line("println(f\"{" + name + ".first} {" + name + ".second}\")");
  }
}

void Writer::overlap() {
  if (lambda_ > 0) return print();
  const std::string a = fresh("v"), b = fresh("v");
  const std::string first = any_look();
  line("let (" + a + ", " + b + ") = overlap {");
  line("    f\"{" + first + "}\"");
  line("    f\"{" + any_look() + "}\"");
  line("}");
  bind(a, Ty::text, Hold::owned, false);
  bind(b, Ty::text, Hold::owned, false);
}

// ---- functions

void Writer::function(std::size_t n, bool is_last) {
  vars_.clear();
  visible_.clear();
  state_ = State{};
  depth_ = 0;
  loop_ = lambda_ = 0;
  left_ = is_last ? rng_.between(8, 18) : rng_.between(2, 7);
  Callable f;
  f.name = is_last ? prefix_ : prefix_ + "_f" + std::to_string(n);
  std::string head = "fn " + f.name + "(";
  static constexpr Ty given[] = {Ty::text,  Ty::text,   Ty::texts,   Ty::parcel,     Ty::parcel, Ty::crate, Ty::bell,
                                 Ty::event, Ty::number, Ty::parcels, Ty::maybe_text, Ty::tuple,  Ty::tower};
  std::vector<std::size_t> params;
  if (!is_last) {
    for (std::size_t i = rng_.between(1, 3); i > 0; --i) {
      const Ty t = given[rng_.below(sizeof given / sizeof given[0])];
      const std::string name = fresh("a");
      Hold hold = Hold::plain;
      std::string written = info(t).written;
      const bool can_change_it =
          t == Ty::text || t == Ty::texts || t == Ty::parcel || t == Ty::crate || t == Ty::parcels || t == Ty::tower;
      if (can_change_it && rng_.one_in(3))
        hold = Hold::mut;
      else if (!info(t).copies && t != Ty::maybe_text && t != Ty::tuple && rng_.one_in(3))
        hold = Hold::lent;
      if (!f.params.empty()) head += ", ";
      head += std::string(hold == Hold::mut ? "mut " : "") + name + ": " + (hold == Hold::lent ? "ref " : "") + written;
      f.params.push_back(t);
      f.holds.push_back(hold);
      const Ty seen = hold == Hold::lent && t == Ty::text     ? Ty::text_view
                      : hold == Hold::lent && t == Ty::parcel ? Ty::parcel_view
                                                              : t;
      params.push_back(bind(name, seen, hold, hold == Hold::mut));
    }
    static constexpr Ty results[] = {Ty::text,      Ty::parcel, Ty::texts, Ty::bell,      Ty::text_view,
                                     Ty::text_view, Ty::event,  Ty::tower, Ty::maybe_text};
    f.has_result = !rng_.one_in(4);
    f.result = results[rng_.below(sizeof results / sizeof results[0])];
    f.throws = rng_.one_in(3);
  }
  has_result_ = f.has_result;
  result_ = f.result;
  throws_ = f.throws;
  head += ")";
  if (f.has_result) head += std::string(" -> ") + info(f.result).written;
  if (f.throws) head += " throws";
  out_.lines.push_back(head + " {");
  used_now_.clear();
  if (f.throws) {
    open("if " + condition() + " {");
    const State before = state_;
    line("throw Oops::Worse(" + number() + ")");
    close();
    state_ = before;
  }
  while (left_ > 0 && !state_.ends) statement();
  if (!state_.ends) {
    for (std::size_t i = rng_.below(4); i > 0; --i) {
      used_now_.clear();
      print();
    }
    used_now_.clear();
    if (has_result_) leave();
  }
  out_.lines.push_back("}");
  for (std::size_t p : params) f.kept.push_back(vars_[p].is_kept);
  if (!is_last) callables_.push_back(f);
}

Writer::Writer(std::uint64_t seed, unsigned number) : rng_(seed) {
  prefix_ = "p" + std::to_string(number);
  out_.name = prefix_;
  out_.is_reckless = rng_.one_in(4);
}

Program Writer::write() {
  const std::size_t others = rng_.below(3);
  for (std::size_t i = 0; i < others; ++i) function(i, false);
  function(others, true);
  // Few of each program's, so that many programs are mutated.
  while (out_.mutations.size() > 5)
    out_.mutations.erase(out_.mutations.begin() + static_cast<std::ptrdiff_t>(rng_.below(out_.mutations.size())));
  return std::move(out_);
}

Program generate(std::uint64_t seed, unsigned number) {
  return Writer(seed, number).write();
}

}  // namespace nikaia::ownership
