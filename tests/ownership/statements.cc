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
      Ty::number,     Ty::flag,         Ty::text,       Ty::text,   Ty::text,  Ty::texts,
      Ty::texts,      Ty::numbers,      Ty::parcel,     Ty::parcel, Ty::crate, Ty::parcels,
      Ty::bell,       Ty::bell,         Ty::tower,      Ty::bells,  Ty::event, Ty::event,
      Ty::maybe_text, Ty::maybe_parcel, Ty::maybe_bell, Ty::map,    Ty::tree,  Ty::lists,
      Ty::shared,     Ty::lock,         Ty::lock_list,  Ty::tuple,  Ty::job,   Ty::holder,
      Ty::chime,      Ty::chime,        Ty::function,   Ty::spot,   Ty::color, Ty::node,
      Ty::pair};
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
         (rng_.one_in(2) ? "Mark { text: " + value + ", at: " + number() + " }"
                         : "mark_text(" + value + ", 4)"));
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
  if (!pick(v, {Ty::parcel, Ty::crate, Ty::texts, Ty::parcel_view}, &Writer::is_there))
    return let();
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
    return y.is_mut && (y.hold == Hold::owned || y.hold == Hold::mut) && y.lambda == lambda_ &&
           y.walked == 0 && y.type != Ty::map && y.type != Ty::tree && y.type != Ty::lists &&
           (y.hold == Hold::owned || can_change(x));
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
        case 0:
          text = n + ".name = " + make(Ty::text, 1);
          break;
        case 1:
          text = n + ".inner = " + make(Ty::parcel, 1);
          break;
        case 2:
          text = n + ".inner.label = " + make(Ty::text, 1);
          break;
        default:
          text = n + ".tag = " + make(Ty::maybe_text, 1);
          break;
      }
      break;
    }
    case Ty::tower:
      text = n + ".bell = " + make(Ty::bell, 1);
      break;
    case Ty::pair:
      text = n + ".first = " + make(Ty::text, 1);
      break;
    case Ty::node:
      text = n + ".next = " + make(Ty::node, 1);
      break;
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

// ---- changes and hand-overs

void Writer::change_something() {
  std::size_t v;
  if (!pick(v,
            {Ty::text, Ty::texts, Ty::texts, Ty::numbers, Ty::parcel, Ty::crate, Ty::parcels,
             Ty::bells, Ty::number},
            &Writer::can_change))
    return let();
  const std::string n = vars_[v].name;
  const State before = state_;
  std::string text;
  const auto with = [&](Ty t, const std::string& head, const std::string& tail) {
    text = head + make(t, 1) + tail;
  };
  switch (vars_[v].type) {
    case Ty::number:
      text = n + " += 1";
      break;
    case Ty::text:
      text = rng_.one_in(2) ? "change_text(" + n + ")"
                            : n + ".push_str(\"-" + std::to_string(++names_) + "\")";
      break;
    case Ty::numbers:
      text = n + ".push(" + number() + ")";
      break;
    case Ty::parcel:
      if (rng_.one_in(2))
        text = "change_parcel(" + n + ")";
      else
        with(Ty::text, n + ".relabel(", ")");
      break;
    case Ty::crate:
      if (rng_.one_in(3))
        text = "change_crate(" + n + ")";
      else if (rng_.one_in(2))
        text = "change_parcel(" + n + ".inner)";
      else
        with(Ty::text, n + ".store(", ")");
      break;
    case Ty::texts:
      switch (rng_.below(9)) {
        case 0:
          text = "change_list(" + n + ")";
          break;
        case 1:
          text = n + ".clear()";
          break;
        case 2:
          text = n + ".sort()";
          break;
        case 3:
          text = n + ".retain fn(q) { q.len() > 1 }";
          break;
        case 4:
          with(Ty::texts, n + ".extend(", ")");
          break;
        case 5:
          with(Ty::text, n + ".insert(0, ", ")");
          break;
        case 6:
          text = "for q in 0..<" + n + ".len() { " + n + "[q] = f\"i{q}\" }";
          break;
        default:
          with(Ty::text, n + ".push(", ")");
          break;
      }
      break;
    case Ty::parcels:
      switch (rng_.below(5)) {
        case 0:
          text = n + ".retain fn(q) { q.grams > 2 }";
          break;
        case 1:
          text = n + ".sort_by_key fn(q) { q.grams }";
          break;
        case 2:
          text = "for q in 0..<" + n + ".len() { " + n + "[q].grams += q }";
          break;
        default:
          with(Ty::parcel, n + ".push(", ")");
          break;
      }
      break;
    case Ty::bells:
      switch (rng_.below(4)) {
        case 0:
          text = n + ".truncate(1)";
          break;
        default:
          with(Ty::bell, n + ".push(", ")");
          break;
      }
      break;
    default:
      return;
  }
  if (state_.held[v] != Held::there || (!can_change(v) && !out_.is_reckless)) return forget(before);
  change(v);
  line(text);
}

void Writer::keep_something() {
  const std::string name = fresh("v");
  const auto bound = [&](const std::string& value, Ty t) {
    const bool is_mut = rng_.one_in(3);
    line(std::string(is_mut ? "let mut " : "let ") + name + " = " + value);
    bind(name, t, Hold::owned, is_mut);
  };
  switch (rng_.below(7)) {
    case 0:
      bound("keep_text(" + make(Ty::text) + ")", Ty::number);
      break;
    case 1:
      bound("keep_parcel(" + make(Ty::parcel) + ")", Ty::text);
      break;
    case 2:
      bound("keep_crate(" + make(Ty::crate) + ")", Ty::texts);
      break;
    case 3:
      bound("keep_bell(" + make(Ty::bell) + ")", Ty::tower);
      break;
    case 4:
      bound("keep_list(" + make(Ty::texts) + ")", Ty::text);
      break;
    case 5: {
      std::size_t v;
      if (!pick(v, {Ty::texts}, &Writer::can_change)) return let();
      change(v);
      const std::string n = vars_[v].name;
      if (rng_.one_in(2))
        bound(n + ".pop()", Ty::maybe_text);
      else
        bound("if " + n + ".is_empty() { \"void\".clone() } else { " + n + ".remove(0) }",
              Ty::text);
      break;
    }
    default: {
      std::size_t v;
      if (!pick(v, {Ty::bells}, &Writer::can_change)) return let();
      change(v);
      bound(vars_[v].name + ".pop()", Ty::maybe_bell);
      break;
    }
  }
}

void Writer::take_part() {
  std::size_t v;
  const auto found = those({Ty::parcel, Ty::crate, Ty::tower, Ty::tuple, Ty::pair},
                           [&](std::size_t x) { return can_take(x); });
  if (found.empty()) return let();
  v = one_of(found);
  const std::string n = vars_[v].name;
  const std::string name = fresh("v");
  std::string back;
  take(v, Held::part_gone);
  switch (vars_[v].type) {
    case Ty::parcel:
      line("let " + name + " = keep_text(" + n + ".label)");
      bind(name, Ty::number, Hold::owned, false);
      if (rng_.one_in(2)) line("println(f\"left {" + n + ".grams}\")");
      back = ".label = ";
      break;
    case Ty::crate:
      line("let " + name + " = keep_text(" + n + ".name)");
      bind(name, Ty::number, Hold::owned, false);
      if (rng_.one_in(2))
        line("println(f\"left {" + n + ".items.len()} {" + n + ".inner.label}\")");
      back = ".name = ";
      break;
    case Ty::tower:
      line("let " + name + " = keep_bell(" + n + ".bell)");
      bind(name, Ty::tower, Hold::owned, false);
      break;
    case Ty::pair:
      line("let " + name + ": Vec[String] = [" + n + ".first]");
      bind(name, Ty::texts, Hold::owned, false);
      back = ".first = ";
      break;
    default:
      line("let " + name + ": Vec[String] = [" + n + ".0]");
      bind(name, Ty::texts, Hold::owned, false);
      line("println(f\"left {" + n + ".1}\")");
      break;
  }
  if (!back.empty() && vars_[v].is_mut && rng_.one_in(2)) {
    line(n + back + make(Ty::text, 1));
    state_.held[v] = Held::there;
  }
}

// ---- choices and loops

void Writer::if_() {
  open("if " + condition() + " {");
  const State before = state_;
  body(rng_.between(1, 3), false);
  State after = state_;
  state_ = before;
  if (rng_.one_in(2)) {
    std::swap(state_, after);  // closing a block may make views stale
    close("} else {");
    std::swap(state_, after);
    ++depth_;
    body(rng_.between(1, 3), false);
  } else {
    std::swap(state_, after);
    close();
    state_.merge(after);
    note_gone();
    return;
  }
  close();
  state_.merge(after);
  note_gone();
}

void Writer::for_list() {
  std::size_t v;
  if (!pick(v,
            {Ty::texts, Ty::parcels, Ty::bells, Ty::numbers, Ty::views, Ty::list_view, Ty::crate,
             Ty::tree},
            &Writer::is_there))
    return let();
  use(v);
  const Ty t = vars_[v].type;
  const std::string name = fresh("e");
  const std::size_t at = out_.lines.size() + 1;
  std::string elements = vars_[v].name + (t == Ty::crate ? ".items" : "");
  const std::string second = fresh("k");
  open("for " + (t == Ty::tree ? "(" + second + ", " + name + ")" : name) + " in " + elements +
       " {");
  const State before = state_;
  breaks_.emplace_back();
  loop_starts_.push_back(++clock_);
  ++loop_;
  const Ty element = t == Ty::parcels   ? Ty::parcel_view
                     : t == Ty::numbers ? Ty::number
                     : t == Ty::bells   ? Ty::bell
                                        : Ty::text_view;
  ++vars_[v].walked;
  const auto bind_element = [&](const std::string& n, Ty type) {
    const std::size_t e = bind(n, type, Hold::lent, false);
    if (type == Ty::number) return;
    std::vector<std::size_t> owners =
        info(t).holds_view ? vars_[v].owners : std::vector<std::size_t>{v};
    if (t == Ty::list_view) owners = vars_[v].owners;
    new_owners(e, owners, true);
  };
  if (t == Ty::tree) bind_element(second, Ty::text_view);
  bind_element(name, element);
  body(rng_.between(1, 3), true);
  --vars_[v].walked;
  if (!state_.ends && (t == Ty::texts || t == Ty::parcels || t == Ty::bells)) note_walk(v, at);
  --loop_;
  loop_starts_.pop_back();
  close();
  for (const State& s : breaks_.back()) state_.merge(s);
  breaks_.pop_back();
  state_.ends = false;
  state_.merge(before);
}

void Writer::for_range() {
  const std::string name = fresh("i");
  open("for " + name + " in 0..<" + std::to_string(rng_.between(1, 3)) + " {");
  const State before = state_;
  breaks_.emplace_back();
  loop_starts_.push_back(++clock_);
  ++loop_;
  bind(name, Ty::number, Hold::lent, false);
  body(rng_.between(1, 4), true);
  --loop_;
  loop_starts_.pop_back();
  close();
  for (const State& s : breaks_.back()) state_.merge(s);
  breaks_.pop_back();
  state_.ends = false;
  state_.merge(before);
}

void Writer::while_() {
  const std::string name = fresh("n");
  line("let mut " + name + " = 0");
  open("while " + name + " < " + std::to_string(rng_.between(1, 3)) + " {");
  const State before = state_;
  breaks_.emplace_back();
  loop_starts_.push_back(++clock_);
  ++loop_;
  line(name + " += 1");
  body(rng_.between(1, 4), true);
  --loop_;
  loop_starts_.pop_back();
  close();
  for (const State& s : breaks_.back()) state_.merge(s);
  breaks_.pop_back();
  state_.ends = false;
  state_.merge(before);
}

void Writer::jump() {
  std::size_t v;
  if (loop_ > 0 && lambda_ == 0 && rng_.one_in(2)) {
    // A hand-over of what lies outside the loop, on a path that leaves it.
    const auto outer = those({Ty::text, Ty::texts, Ty::parcel, Ty::bell}, [&](std::size_t x) {
      return is_there(x) && vars_[x].hold == Hold::owned && vars_[x].loop < loop_ &&
             vars_[x].lambda == lambda_ && can_disturb(x) && vars_[x].loop + 1 == loop_;
    });
    const bool breaks = rng_.one_in(2);
    open("if " + condition() + " {");
    const State before = state_;
    if (breaks && !outer.empty() && rng_.one_in(2)) {
      v = one_of(outer);
      const std::string n = vars_[v].name;
      take(v);
      const std::string to = vars_[v].type == Ty::bell     ? "keep_bell"
                             : vars_[v].type == Ty::parcel ? "keep_parcel"
                             : vars_[v].type == Ty::text   ? "keep_text"
                                                           : "keep_list";
      line("let " + fresh("z") + " = " + to + "(" + n + ")");
    } else {
      line("println(f\"jump {" + any_look() + "}\")");
    }
    line(breaks ? "break" : "continue");
    if (breaks) breaks_.back().push_back(state_);
    state_.ends = true;
    State after = state_;
    state_ = before;
    std::swap(state_, after);
    close();
    state_ = after;
    return;
  }
  if (lambda_ > 0) return print();
  open("if " + condition() + " {");
  const State before = state_;
  if (throws_ && rng_.one_in(2))
    line("throw Oops::Bad(" + make(Ty::text, 1) + ")");
  else
    leave();
  const State after = before;
  close();
  state_ = after;
}

// A `return` as the function declares it.
void Writer::leave() {
  if (!has_result_) {
    line("return");
  } else if (result_ == Ty::text_view) {
    std::string value;
    std::vector<std::size_t> owners;
    const auto fits = [&] {
      for (std::size_t o : owners) {
        if (info(vars_[o].type).drops || vars_[o].hold == Hold::mut) return false;
      }
      return true;
    };
    if (text_view(value, owners) && fits())
      line("return " + value);
    else
      line("return \"static\"");
  } else {
    line("return " + make(result_));
  }
  state_.ends = true;
}

void Writer::match_event() {
  std::size_t v;
  if (!pick(v, {Ty::event}, &Writer::is_there)) return let();
  const std::string n = vars_[v].name;
  const bool takes = can_take(v) && rng_.one_in(2);
  if (takes)
    take(v, Held::part_gone);
  else
    use(v);
  events_.clear();
  open("match " + n + " {");
  const State before = state_;
  State after;
  after.ends = true;
  const auto arm = [&](const std::string& pattern, Ty type, const std::string& name, bool took) {
    open(pattern + " => {");
    if (!name.empty()) {
      const std::size_t b = bind(name, type, took ? Hold::owned : Hold::lent, false);
      if (!took && info(type).holds_view) new_owners(b, {v}, true);
      if (took) {
        take(b);
        const std::string to = type == Ty::text ? "keep_text" : "keep_parcel";
        line("let " + fresh("z") + " = " + to + "(" + name + ")");
      }
    }
    body(rng_.below(3), false);
    if (out_.lines.back().find("=> {") != std::string::npos) line("println(\"arm\")");
    close();
    after.merge(state_);
    state_ = before;
  };
  const std::string s = fresh("s"), c = fresh("c"), p = fresh("p");
  // What an arm takes is bound as owned in that arm, and as a view in those that only read.
  const bool takes_text = takes && rng_.one_in(2);
  arm("Event::Text(" + s + ")", takes_text ? Ty::text : Ty::text_view, s, takes_text);
  if (rng_.one_in(2)) arm("Event::Both(" + c + ", n) if n > " + number(), Ty::text_view, c, false);
  const bool takes_both = takes && rng_.one_in(2);
  arm("Event::Both(" + c + ", n)", takes_both ? Ty::text : Ty::text_view, c, takes_both);
  const bool takes_box = takes && rng_.one_in(2);
  arm("Event::Boxed(" + p + ")", takes_box ? Ty::parcel : Ty::parcel_view, p, takes_box);
  if (rng_.one_in(2))
    arm("Event::Nothing", Ty::number, "", false);
  else
    arm("else", Ty::number, "", false);
  std::swap(state_, after);
  close();
  if (state_.ends) {  // every arm left
    return;
  }
  note_gone();
}

void Writer::catch_() {
  const std::string n = number();
  const std::string name = fresh("v");
  if (rng_.one_in(3)) {
    const std::string value = make(Ty::bell);
    line("let " + name + " = may_fail_bell(" + n + ", " + value +
         ") catch { Bell { tone: f\"after {error}\" } }");
    bind(name, Ty::bell, Hold::owned, false);
    return;
  }
  const std::string value = make(Ty::text);
  if (loop_ > 0 && rng_.one_in(3)) {
    line("let " + name + " = may_fail(" + n + ", " + value + ") catch { break }");
    breaks_.back().push_back(state_);
  } else if (!has_result_ && rng_.one_in(3)) {
    line("let " + name + " = may_fail(" + n + ", " + value + ") catch { return }");
  } else if (throws_ && rng_.one_in(2)) {
    line("let " + name + " = may_fail(" + n + ", " + value + ")");
  } else {
    open("let " + name + " = may_fail(" + n + ", " + value + ") catch {");
    const State before = state_;
    body(rng_.below(3), false);
    if (!state_.ends) line("f\"handled {error}\"");
    State after = state_;
    close();
    state_ = before;
    state_.merge(after);
  }
  bind(name, Ty::text, Hold::owned, false);
}

// ---- lambdas and tasks

void Writer::lambda() {
  std::size_t v;
  if (!pick(v, {Ty::texts, Ty::parcels, Ty::list_view}, &Writer::is_there)) return let();
  use(v);
  const std::string n = vars_[v].name;
  const bool is_parcels = vars_[v].type == Ty::parcels;
  const std::string q = fresh("q");
  const std::string of = is_parcels ? q + ".label" : q;
  const std::string name = fresh("v");
  std::size_t c;
  switch (rng_.below(7)) {
    case 0:
      line("let " + name + " = " + n + ".map fn(" + q + ") { f\"{" + of + "}{" + any_look() +
           "}\" }");
      bind(name, Ty::texts, Hold::owned, false);
      break;
    case 1:
      line("let " + name + " = " + n + ".iter().map fn(" + q + ") { " + of +
           ".clone() }.collect()");
      bind(name, Ty::texts, Hold::owned, false);
      break;
    case 2: {
      if (is_parcels) return print();
      line("let " + name + " = " + n + ".filter fn(" + q + ") { " + q + ".len() > " + number() +
           " }");
      const std::size_t w = bind(name, Ty::views, Hold::owned, false);
      std::vector<std::size_t> owners = vars_[v].owners;
      if (vars_[v].type != Ty::list_view) owners.push_back(v);
      new_owners(w, owners, true);
      break;
    }
    case 3:
      if (pick(c, {Ty::text}, &Writer::can_change) && c != v) {
        change(c);
        line(n + ".for_each fn(" + q + ") { " + vars_[c].name + ".push_str(" + of + ") }");
        break;
      }
      [[fallthrough]];
    case 4:
      if (pick(c, {Ty::texts}, &Writer::can_change) && c != v) {
        change(c);
        line(n + ".for_each fn(" + q + ") { " + vars_[c].name + ".push(" + of + ".clone()) }");
        break;
      }
      [[fallthrough]];
    case 5:
      line("let " + name + " = " + n + ".reduce(\"\".clone(), fn(sum, " + q + ") { f\"{sum}{" + of +
           "}\" })");
      bind(name, Ty::text, Hold::owned, false);
      break;
    default: {
      open(n + ".for_each fn(" + q + ") {");
      ++lambda_;
      ++loop_;
      loop_starts_.push_back(++clock_);
      breaks_.emplace_back();
      const State before = state_;
      ++vars_[v].walked;
      const std::size_t e =
          bind(q, is_parcels ? Ty::parcel_view : Ty::text_view, Hold::lent, false);
      new_owners(e, {v}, true);
      const bool had_result = has_result_;
      has_result_ = false;
      body(rng_.between(1, 2), false);
      has_result_ = had_result;
      --vars_[v].walked;
      breaks_.pop_back();
      loop_starts_.pop_back();
      --loop_;
      --lambda_;
      close();
      state_ = before;
      break;
    }
  }
}

void Writer::kept_lambda() {
  std::size_t v;
  const std::string name = fresh("f");
  if (lambda_ > 0) return print();
  if (rng_.one_in(2) && pick(v, {Ty::text}, &Writer::can_take)) {
    take(v);
    line("let " + name + ": fn(i64) -> String = fn(q) { f\"{" + vars_[v].name + "}{q}\" }");
  } else if (pick(v, {Ty::parcel}, &Writer::can_take)) {
    take(v);
    line("let " + name + ": fn(i64) -> String = fn(q) { f\"{" + vars_[v].name + ".label}{q}\" }");
  } else {
    line("let " + name + ": fn(i64) -> String = fn(q) { f\"{q}\" }");
  }
  bind(name, Ty::function, Hold::owned, false);
}

void Writer::task() {
  if (lambda_ > 0) return print();
  std::size_t v;
  if (!pick(v, {Ty::text, Ty::texts, Ty::parcel, Ty::bell, Ty::crate}, &Writer::can_take))
    return let();
  const std::string n = vars_[v].name;
  const Ty t = vars_[v].type;
  take(v);
  const std::string j = fresh("j"), name = fresh("v");
  if (t == Ty::text || t == Ty::texts)
    line("let " + j + " = spawn fn { " + n + ".len() }");
  else if (t == Ty::parcel)
    line("let " + j + " = spawn fn { keep_parcel(" + n + ") }");
  else if (t == Ty::bell)
    line("let " + j + " = spawn fn { " + n + ".tone.len() }");
  else
    line("let " + j + " = spawn fn { " + n + ".items.len() + " + n + ".name.len() }");
  if (rng_.one_in(2)) line("println(f\"{" + any_look() + "}\")");
  line("let " + name + " = " + j + ".join()");
  bind(name, t == Ty::parcel ? Ty::text : Ty::number, Hold::owned, false);
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
    state_.is_stale[v] = 1;  // a known defect: the argument takes it
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
  const State before = state_;
  breaks_.emplace_back();
  loop_starts_.push_back(++clock_);
  ++loop_;
  bind(name,
       t == Ty::texts     ? Ty::text
       : t == Ty::parcels ? Ty::parcel
                          : Ty::bell,
       Hold::owned, false);
  body(rng_.between(1, 3), true);
  --loop_;
  loop_starts_.pop_back();
  close();
  for (const State& s : breaks_.back()) state_.merge(s);
  breaks_.pop_back();
  state_.ends = false;
  state_.merge(before);
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
          ? text + " catch { " +
                (f.result == Ty::text_view ? std::string("\"failed\"") : literal(f.result, 3)) +
                " }"
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
    case Ty::map:
      text = n + "[" + k + "] = " + number();
      break;
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
        case 2:
          text = n + "[" + make(Ty::text, 2) + "] = " + make(Ty::text, 1);
          break;
        default:
          text = n + "[" + k + "] = " + make(Ty::text, 1);
          break;
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
  static constexpr Ty given[] = {Ty::text,       Ty::text,  Ty::texts, Ty::parcel, Ty::parcel,
                                 Ty::crate,      Ty::bell,  Ty::event, Ty::number, Ty::parcels,
                                 Ty::maybe_text, Ty::tuple, Ty::tower};
  std::vector<std::size_t> params;
  if (!is_last) {
    for (std::size_t i = rng_.between(1, 3); i > 0; --i) {
      const Ty t = given[rng_.below(sizeof given / sizeof given[0])];
      const std::string name = fresh("a");
      Hold hold = Hold::plain;
      std::string written = info(t).written;
      const bool can_change_it = t == Ty::text || t == Ty::texts || t == Ty::parcel ||
                                 t == Ty::crate || t == Ty::parcels || t == Ty::tower;
      if (can_change_it && rng_.one_in(3))
        hold = Hold::mut;
      else if (!info(t).copies && t != Ty::maybe_text && t != Ty::tuple && rng_.one_in(3))
        hold = Hold::lent;
      if (!f.params.empty()) head += ", ";
      head += std::string(hold == Hold::mut ? "mut " : "") + name + ": " +
              (hold == Hold::lent ? "ref " : "") + written;
      f.params.push_back(t);
      f.holds.push_back(hold);
      const Ty seen = hold == Hold::lent && t == Ty::text     ? Ty::text_view
                      : hold == Hold::lent && t == Ty::parcel ? Ty::parcel_view
                                                              : t;
      params.push_back(bind(name, seen, hold, hold == Hold::mut));
    }
    static constexpr Ty results[] = {Ty::text,  Ty::parcel,    Ty::texts,
                                     Ty::bell,  Ty::text_view, Ty::text_view,
                                     Ty::event, Ty::tower,     Ty::maybe_text};
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
    out_.mutations.erase(out_.mutations.begin() +
                         static_cast<std::ptrdiff_t>(rng_.below(out_.mutations.size())));
  return std::move(out_);
}

Program generate(std::uint64_t seed, unsigned number) {
  return Writer(seed, number).write();
}

}  // namespace nikaia::ownership
