// Statements that choose, repeat, fail, or run a lambda: what they do to a path's state.
#include <algorithm>

#include "tests/ownership/writer.h"

namespace nikaia::ownership {

// ---- choices and loops

// A loop's body begins, behind the line that opens it; hands back the state of no turn at all.
State Writer::begin_loop() {
  breaks_.emplace_back();
  loop_starts_.push_back(++clock_);
  ++loop_;
  return state_;
}

// It ends: behind the loop stands what holds after no turn, after the last, and where it was left.
void Writer::end_loop(const State& before) {
  --loop_;
  loop_starts_.pop_back();
  close();
  for (const State& s : breaks_.back()) state_.merge(s);
  breaks_.pop_back();
  state_.ends = false;
  state_.merge(before);
}

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
  if (!pick(v, {Ty::texts, Ty::parcels, Ty::bells, Ty::numbers, Ty::views, Ty::list_view, Ty::crate, Ty::tree},
            &Writer::is_there))
    return let();
  use(v);
  const Ty t = vars_[v].type;
  const std::string name = fresh("e");
  const std::size_t at = out_.lines.size() + 1;
  std::string elements = vars_[v].name + (t == Ty::crate ? ".items" : "");
  const std::string second = fresh("k");
  open("for " + (t == Ty::tree ? "(" + second + ", " + name + ")" : name) + " in " + elements + " {");
  const State before = begin_loop();
  const Ty element = t == Ty::parcels   ? Ty::parcel_view
                     : t == Ty::numbers ? Ty::number
                     : t == Ty::bells   ? Ty::bell
                                        : Ty::text_view;
  ++vars_[v].walked;
  const auto bind_element = [&](const std::string& n, Ty type) {
    const std::size_t e = bind(n, type, Hold::lent, false);
    if (type == Ty::number) return;
    std::vector<std::size_t> owners = info(t).holds_view ? vars_[v].owners : std::vector<std::size_t>{v};
    if (t == Ty::list_view) owners = vars_[v].owners;
    new_owners(e, owners, true);
  };
  if (t == Ty::tree) bind_element(second, Ty::text_view);
  bind_element(name, element);
  body(rng_.between(1, 3), true);
  --vars_[v].walked;
  if (!state_.ends && (t == Ty::texts || t == Ty::parcels || t == Ty::bells)) note_walk(v, at);
  end_loop(before);
}

void Writer::for_range() {
  const std::string name = fresh("i");
  open("for " + name + " in 0..<" + std::to_string(rng_.between(1, 3)) + " {");
  const State before = begin_loop();
  bind(name, Ty::number, Hold::lent, false);
  body(rng_.between(1, 4), true);
  end_loop(before);
}

void Writer::while_() {
  const std::string name = fresh("n");
  line("let mut " + name + " = 0");
  open("while " + name + " < " + std::to_string(rng_.between(1, 3)) + " {");
  const State before = begin_loop();
  line(name + " += 1");
  body(rng_.between(1, 4), true);
  end_loop(before);
}

void Writer::jump() {
  std::size_t v;
  if (loop_ > 0 && lambda_ == 0 && rng_.one_in(2)) {
    // A hand-over of what lies outside the loop, on a path that leaves it.
    const auto outer = those({Ty::text, Ty::texts, Ty::parcel, Ty::bell}, [&](std::size_t x) {
      return is_there(x) && vars_[x].hold == Hold::owned && vars_[x].loop < loop_ && vars_[x].lambda == lambda_ &&
             can_disturb(x) && vars_[x].loop + 1 == loop_;
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
  close();
  state_ = before;
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
      vars_[b].may_be_taken = takes && !took;
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
    line("let " + name + " = may_fail_bell(" + n + ", " + value + ") catch { Bell { tone: f\"after {error}\" } }");
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
      line("let " + name + " = " + n + ".map fn(" + q + ") { f\"{" + of + "}{" + any_look() + "}\" }");
      bind(name, Ty::texts, Hold::owned, false);
      break;
    case 1:
      line("let " + name + " = " + n + ".iter().map fn(" + q + ") { " + of + ".clone() }.collect()");
      bind(name, Ty::texts, Hold::owned, false);
      break;
    case 2: {
      if (is_parcels) return print();
      line("let " + name + " = " + n + ".filter fn(" + q + ") { " + q + ".len() > " + number() + " }");
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
      line("let " + name + " = " + n + ".reduce(\"\".clone(), fn(sum, " + q + ") { f\"{sum}{" + of + "}\" })");
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
      const std::size_t e = bind(q, is_parcels ? Ty::parcel_view : Ty::text_view, Hold::lent, false);
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
  if (!pick(v, {Ty::text, Ty::texts, Ty::parcel, Ty::bell, Ty::crate}, &Writer::can_take)) return let();
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

}  // namespace nikaia::ownership
