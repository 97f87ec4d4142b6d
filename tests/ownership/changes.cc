// Statements that change a value or hand it over, whole or in part.
#include <algorithm>

#include "tests/ownership/writer.h"

namespace nikaia::ownership {

void Writer::change_something() {
  std::size_t v;
  if (!pick(v, {Ty::text, Ty::texts, Ty::texts, Ty::numbers, Ty::parcel, Ty::crate, Ty::parcels, Ty::bells, Ty::number},
            &Writer::can_change))
    return let();
  const std::string n = vars_[v].name;
  const State before = state_;
  std::string text;
  const auto with = [&](Ty t, const std::string& head, const std::string& tail) { text = head + make(t, 1) + tail; };
  switch (vars_[v].type) {
    case Ty::number: text = n + " += 1"; break;
    case Ty::text:
      text = rng_.one_in(2) ? "change_text(" + n + ")" : n + ".push_str(\"-" + std::to_string(++names_) + "\")";
      break;
    case Ty::numbers: text = n + ".push(" + number() + ")"; break;
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
        case 0: text = "change_list(" + n + ")"; break;
        case 1: text = n + ".clear()"; break;
        case 2: text = n + ".sort()"; break;
        case 3: text = n + ".retain fn(q) { q.len() > 1 }"; break;
        case 4: with(Ty::texts, n + ".extend(", ")"); break;
        case 5: with(Ty::text, n + ".insert(0, ", ")"); break;
        case 6: text = "for q in 0..<" + n + ".len() { " + n + "[q] = f\"i{q}\" }"; break;
        default: with(Ty::text, n + ".push(", ")"); break;
      }
      break;
    case Ty::parcels:
      switch (rng_.below(5)) {
        case 0: text = n + ".retain fn(q) { q.grams > 2 }"; break;
        case 1: text = n + ".sort_by_key fn(q) { q.grams }"; break;
        case 2: text = "for q in 0..<" + n + ".len() { " + n + "[q].grams += q }"; break;
        default: with(Ty::parcel, n + ".push(", ")"); break;
      }
      break;
    case Ty::bells:
      switch (rng_.below(4)) {
        case 0: text = n + ".truncate(1)"; break;
        default: with(Ty::bell, n + ".push(", ")"); break;
      }
      break;
    default: return;
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
    case 0: bound("keep_text(" + make(Ty::text) + ")", Ty::number); break;
    case 1: bound("keep_parcel(" + make(Ty::parcel) + ")", Ty::text); break;
    case 2: bound("keep_crate(" + make(Ty::crate) + ")", Ty::texts); break;
    case 3: bound("keep_bell(" + make(Ty::bell) + ")", Ty::tower); break;
    case 4: bound("keep_list(" + make(Ty::texts) + ")", Ty::text); break;
    case 5: {
      std::size_t v;
      if (!pick(v, {Ty::texts}, &Writer::can_change)) return let();
      change(v);
      const std::string n = vars_[v].name;
      if (rng_.one_in(2))
        bound(n + ".pop()", Ty::maybe_text);
      else
        bound("if " + n + ".is_empty() { \"void\".clone() } else { " + n + ".remove(0) }", Ty::text);
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
  const auto found =
      those({Ty::parcel, Ty::crate, Ty::tower, Ty::tuple, Ty::pair}, [&](std::size_t x) { return can_take(x); });
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
      if (rng_.one_in(2)) line("println(f\"left {" + n + ".items.len()} {" + n + ".inner.label}\")");
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

}  // namespace nikaia::ownership
