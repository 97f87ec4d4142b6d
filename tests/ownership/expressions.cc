// Names, what may be done with them, and expressions.
#include <algorithm>

#include "tests/ownership/writer.h"

namespace nikaia::ownership {

// ---- names

std::size_t Writer::bind(const std::string& name, Ty type, Hold hold, bool is_mut) {
  Var v;
  v.name = name;
  v.type = type;
  v.hold = hold;
  v.is_mut = is_mut;
  v.block = depth_;
  v.loop = loop_;
  v.lambda = lambda_;
  v.used_at = clock_;
  v.bound_at = out_.lines.size();
  vars_.push_back(v);
  // A state that was kept from before a block knows nothing of the names bound in it.
  state_.held.resize(vars_.size() - 1, Held::gone);
  state_.is_stale.resize(vars_.size() - 1, 0);
  state_.held.push_back(Held::there);
  state_.is_stale.push_back(0);
  visible_.push_back(vars_.size() - 1);
  return vars_.size() - 1;
}

bool Writer::in_scope(std::size_t v) const {
  return std::find(visible_.begin(), visible_.end(), v) != visible_.end();
}

bool Writer::can_disturb(std::size_t x) const {
  if (vars_[x].walked > 0) return false;
  if (std::find(used_now_.begin(), used_now_.end(), x) != used_now_.end()) return false;
  for (std::size_t v : visible_) {
    const Var& view = vars_[v];
    if (state_.is_stale[v] || std::find(view.owners.begin(), view.owners.end(), x) == view.owners.end()) continue;
    if (std::find(used_now_.begin(), used_now_.end(), v) != used_now_.end() || view.walked > 0) return false;
    // A view from outside the loop that this turn has used is used again on the next.
    if (view.loop < loop_ && view.used_at >= loop_starts_[view.loop]) return false;
  }
  return true;
}

bool Writer::can_take(std::size_t v) const {
  const Var& x = vars_[v];
  if (!is_there(v) || (x.hold != Hold::owned && x.hold != Hold::plain)) return false;
  if (info(x.type).copies) return true;
  return x.loop == loop_ && x.lambda == lambda_ && can_disturb(v);
}

bool Writer::can_change(std::size_t v) const {
  const Var& x = vars_[v];
  return is_there(v) && x.is_mut && (x.hold == Hold::owned || x.hold == Hold::mut) && x.lambda == lambda_ &&
         can_disturb(v);
}

void Writer::disturb(std::size_t x, bool by_assignment) {
  for (std::size_t v : visible_) {
    const Var& view = vars_[v];
    if (std::find(view.owners.begin(), view.owners.end(), x) == view.owners.end()) continue;
    const bool is_text = is_text_like(view.type);
    if (by_assignment && is_text && !info(vars_[x].type).drops && vars_[x].hold != Hold::mut) continue;
    state_.is_stale[v] = 1;
  }
}

void Writer::use(std::size_t v) {
  vars_[v].used_at = ++clock_;
  used_now_.push_back(v);
}

void Writer::take(std::size_t v, Held held) {
  vars_[v].used_at = ++clock_;
  if (vars_[v].hold == Hold::plain && !info(vars_[v].type).copies) vars_[v].is_kept = true;
  if (info(vars_[v].type).copies) {
    use(v);
    return;
  }
  disturb(v, false);
  state_.held[v] = held;
  events_.emplace_back(v, true);
}

void Writer::change(std::size_t v) {
  vars_[v].used_at = ++clock_;
  used_now_.push_back(v);
  disturb(v, false);
  events_.emplace_back(v, false);
}

std::vector<std::size_t> Writer::those(std::initializer_list<Ty> types,
                                       const std::function<bool(std::size_t)>& f) const {
  std::vector<std::size_t> out;
  for (std::size_t v : visible_) {
    if (types.size() != 0 && std::find(types.begin(), types.end(), vars_[v].type) == types.end()) continue;
    if (f(v)) out.push_back(v);
  }
  return out;
}

// A name of one of the types of which `f` is true; a reckless program does not always ask.
bool Writer::pick(std::size_t& v, std::initializer_list<Ty> types, bool (Writer::*f)(std::size_t) const) {
  const bool forgets = out_.is_reckless && rng_.one_in(6);
  const auto found = those(types, [&](std::size_t x) { return forgets || (this->*f)(x); });
  if (found.empty()) return false;
  v = one_of(found);
  return true;
}

void Writer::new_owners(std::size_t view, const std::vector<std::size_t>& owners, bool replaces) {
  Var& v = vars_[view];
  if (replaces) v.owners.clear();
  for (std::size_t o : owners) {
    if (std::find(v.owners.begin(), v.owners.end(), o) == v.owners.end()) v.owners.push_back(o);
  }
}

// ---- expressions

std::string Writer::number() {
  std::size_t v;
  if (rng_.one_in(2) && pick(v, {Ty::number}, &Writer::is_there)) {
    use(v);
    return vars_[v].name;
  }
  return std::to_string(rng_.below(9));
}

std::string Writer::condition() {
  std::size_t v;
  switch (rng_.below(5)) {
    case 0:
      if (pick(v, {Ty::flag}, &Writer::is_there)) {
        use(v);
        return vars_[v].name;
      }
      break;
    case 1:
      if (pick(v, {Ty::text, Ty::texts, Ty::text_view}, &Writer::is_there)) {
        use(v);
        return vars_[v].name + ".len() > " + std::to_string(rng_.below(5));
      }
      break;
    case 2:
      if (pick(v, {Ty::parcel, Ty::parcel_view}, &Writer::is_there)) {
        use(v);
        return vars_[v].name + ".grams % 2 == 0";
      }
      break;
    default: break;
  }
  return number() + " % " + std::to_string(rng_.between(2, 3)) + " == " + std::to_string(rng_.below(2));
}

// Something to show of `v`, without a text with holes inside it.
std::string Writer::look(std::size_t v) {
  use(v);
  const Var& x = vars_[v];
  const std::string& n = x.name;
  const auto one = [&](std::initializer_list<const char*> forms) {
    return std::string(forms.begin()[rng_.below(forms.size())]);
  };
  const auto with = [&](std::string form) {
    std::size_t at = 0;
    while ((at = form.find('$', at)) != std::string::npos) {
      form.replace(at, 1, n);
      at += n.size();
    }
    return form;
  };
  switch (x.type) {
    case Ty::number:
    case Ty::flag: return n;
    case Ty::text: return with(one({"$", "$", "$.trim()", "$.len()", "look_text($)", "$.to_uppercase()"}));
    case Ty::texts: return with(one({"$.join(\"|\")", "$.join(\"\")", "$.len()", "look_list($)", "view_item($)"}));
    case Ty::numbers: return with(one({"$.iter().join(\",\")", "$.len()"}));
    case Ty::parcel: return with(one({"$.label", "$.grams", "$.title()", "look_parcel($)", "view_label($)"}));
    case Ty::crate:
      return with(one(
          {"look_crate($)", "$.first()", "$.inner.label", "$.items.len()", "$.items.join(\"~\")", "$.tag ?? \"-\""}));
    case Ty::parcels: return with(one({"look_parcels($)", "$.len()"}));
    case Ty::bell: return with("$.tone");
    case Ty::tower: return with(one({"$.bell.tone", "$.floors"}));
    case Ty::bells: return with(one({"look_bells($)", "$.len()"}));
    case Ty::event: return with("look_event($)");
    case Ty::maybe_text: return with(one({"$ ?? \"-\"", "$ == null"}));
    case Ty::maybe_parcel:
    case Ty::maybe_bell: return with("$ == null");
    case Ty::map: return with(one({"$.len()", "$.contains_key(\"k1\")", "$[\"k2\"] ?? 0"}));
    case Ty::tree:
      return with(one({"$.len()", "$.values().join(\"/\")", "$.keys().join(\"/\")", "$[\"k1\"] ?? \"-\""}));
    case Ty::lists: return with(one({"$.len()", "$.contains_key(\"k1\")"}));
    case Ty::shared: return with(one({"$.label", "look_parcel($)", "$.grams"}));
    case Ty::lock: return with("$.get()");
    case Ty::lock_list: return with("$.access fn(l) { l.len() }");
    case Ty::tuple: return with(one({"$.0", "$.1"}));
    case Ty::function: return with(one({"$(1)", "twice($, 2)"}));
    case Ty::mark: return with(one({"$.text", "$.at"}));
    case Ty::views: return with(one({"$.join(\"+\")", "$.len()"}));
    case Ty::spot: return with("$.x + $.y");
    case Ty::color: return with("look_color($)");
    case Ty::node: return with("look_node($)");
    case Ty::pair: return with(one({"$.first", "$.second"}));
    case Ty::text_view: return with(one({"$", "$", "$.len()", "$.trim()", "view_text($)"}));
    case Ty::parcel_view: return with(one({"$.label", "$.grams", "look_parcel($)", "$.title()"}));
    case Ty::list_view: return with(one({"$.len()", "$.join(\"|\")", "look_list($)"}));
    case Ty::job: return with(one({"$.name", "$.name.len()"}));
    case Ty::holder:
      return with(one({"$.shared.label", "look_bells($.bells)", "$.note ?? \"-\"", "look_parcel($.shared)"}));
    case Ty::chime: return with("look_chime($)");
    case Ty::marks: return with(one({"look_marks($)", "$.len()"}));
    case Ty::glance: return with(one({"$.at.label", "$.at.grams", "look_parcel($.at)", "$.seen().label"}));
    case Ty::glances: return with(one({"look_looks($)", "$.len()"}));
    case Ty::run_view: return with(one({"look_run($)", "$.len()"}));
    case Ty::count_: break;
  }
  return n;
}

std::string Writer::any_look() {
  std::size_t v;
  if (!pick(v, {}, &Writer::is_there)) return "\"nothing\"";
  return look(v);
}

std::string Writer::literal(Ty t, int depth) {
  const auto tag = [&] { return std::to_string(++names_); };
  const int d = depth + 1;
  switch (t) {
    case Ty::number: return number();
    case Ty::flag: return condition();
    case Ty::text:
      return rng_.one_in(3)   ? "\"t" + tag() + "\".clone()"
             : rng_.one_in(2) ? "f\"s" + tag() + "\""
                              : "f\"{" + any_look() + "}\"";
    case Ty::texts: {
      if (rng_.one_in(6)) return "[]";
      std::string s = "[" + make(Ty::text, d);
      for (std::size_t i = rng_.below(3); i > 0; --i) s += ", " + make(Ty::text, d);
      return s + "]";
    }
    case Ty::numbers: return "[" + number() + ", " + number() + "]";
    case Ty::parcel: return "Parcel { label: " + make(Ty::text, d) + ", grams: " + number() + " }";
    case Ty::crate:
      return "Crate { name: " + make(Ty::text, d) + ", inner: " + make(Ty::parcel, d) +
             ", items: " + make(Ty::texts, d) + ", tag: " + make(Ty::maybe_text, d) + " }";
    case Ty::parcels: return "[" + make(Ty::parcel, d) + (rng_.one_in(2) ? ", " + make(Ty::parcel, d) : "") + "]";
    case Ty::bell: return "Bell { tone: " + make(Ty::text, d) + " }";
    case Ty::tower:
      return rng_.one_in(2) ? "keep_bell(" + make(Ty::bell, d) + ")"
                            : "Tower { bell: " + make(Ty::bell, d) + ", floors: " + number() + " }";
    case Ty::bells: return rng_.one_in(2) ? "make_bells(2, \"b" + tag() + "\")" : "[" + make(Ty::bell, d) + "]";
    case Ty::event:
      switch (rng_.below(4)) {
        case 0: return "Event::Nothing";
        case 1: return "Event::Text(" + make(Ty::text, d) + ")";
        case 2: return "Event::Both(" + make(Ty::text, d) + ", " + number() + ")";
        default: return "Event::Boxed(" + make(Ty::parcel, d) + ")";
      }
    case Ty::maybe_text: return rng_.one_in(3) ? "null" : make(Ty::text, d);
    case Ty::maybe_parcel: return rng_.one_in(3) ? "null" : make(Ty::parcel, d);
    case Ty::maybe_bell: return rng_.one_in(3) ? "null" : make(Ty::bell, d);
    case Ty::map:
    case Ty::lists: return "collections::HashMap()";
    case Ty::tree: return "collections::BTreeMap()";
    case Ty::shared: return "Shared(" + make(Ty::parcel, d) + ")";
    case Ty::lock: return "SharedMut(" + std::to_string(rng_.below(9)) + ")";
    case Ty::lock_list: return "SharedMut(" + make(Ty::texts, d) + ")";
    case Ty::tuple: return "(" + make(Ty::text, d) + ", " + number() + ")";
    case Ty::function: return "fn(q) { f\"f{q}\" }";
    case Ty::spot: return "Spot { x: " + number() + ", y: " + number() + " }";
    case Ty::color: return rng_.one_in(2) ? "Color::Red" : "Color::Blue";
    case Ty::node:
      return "Node { value: " + make(Ty::text, d) +
             ", next: " + (depth < 2 && rng_.one_in(2) ? make(Ty::node, d) : "null") + " }";
    case Ty::job: {
      const std::string name = make(Ty::text, d);
      return "Job { name: " + name + ", run: make_step(" + make(Ty::text, d) + ") }";
    }
    case Ty::holder: {
      const std::string held = make(Ty::shared, d);
      const std::string bells = make(Ty::bells, d);
      return "Holder { shared: " + held + ", bells: " + bells + ", note: " + make(Ty::maybe_text, d) + " }";
    }
    case Ty::chime: {
      if (rng_.one_in(4)) return "Chime::Quiet";
      const std::string bell = make(Ty::bell, d);
      return rng_.one_in(2) ? "Chime::One(" + bell + ")" : "Chime::Two(" + bell + ", " + make(Ty::text, d) + ")";
    }
    case Ty::pair: return "Pair { first: " + make(Ty::text, d) + ", second: " + number() + " }";
    default: return "0";
  }
}

std::string Writer::made_text(int depth) {
  std::size_t v;
  const int d = depth + 1;
  switch (rng_.below(14)) {
    case 0: return "keep_parcel(" + make(Ty::parcel, d) + ")";
    case 1:
      if (pick(v, {Ty::texts}, &Writer::can_change)) {
        change(v);
        return vars_[v].name + ".pop() ?? " + literal(Ty::text, d);
      }
      break;
    case 2: {
      const std::string a = make(Ty::text, d);
      return "keep_texts(" + a + ", " + make(Ty::text, d) + ")";
    }
    case 3:
      if (pick(v, {Ty::parcel}, &Writer::can_take)) {
        take(v);
        return vars_[v].name + ".into_label()";
      }
      break;
    case 4: return "keep_list(" + make(Ty::texts, d) + ")";
    case 5:
      if (pick(v, {Ty::text_view}, &Writer::is_there)) {
        use(v);
        return vars_[v].name + ".clone()";
      }
      break;
    case 6:
      if (pick(v, {Ty::function}, &Writer::is_there)) {
        use(v);
        return vars_[v].name + "(" + number() + ")";
      }
      break;
    case 7: {
      const std::string n = number();
      return "(may_fail(" + n + ", " + make(Ty::text, d) + ") catch { f\"caught {error}\" })";
    }
    case 8: {
      const std::string c = condition();
      const State before = state_;
      const std::string a = make(Ty::text, d);
      State after = state_;
      state_ = before;
      const std::string b = make(Ty::text, d);
      state_.merge(after);
      return "(if " + c + " { " + a + " } else { " + b + " })";
    }
    case 9:
      if (pick(v, {Ty::maybe_text}, &Writer::can_take)) {
        take(v);
        return "(" + vars_[v].name + " ?? " + literal(Ty::text, d) + ")";
      }
      break;
    case 10:
      if (pick(v, {Ty::pair}, &Writer::can_take)) {
        take(v);
        return "swap_pair(" + vars_[v].name + ").second";
      }
      break;
    case 11: return "first_or(" + make(Ty::texts, d) + ", " + make(Ty::text, d) + ")";
    default: break;
  }
  return literal(Ty::text, d);
}

std::string Writer::make(Ty t, int depth) {
  std::size_t v;
  if (depth > 3) {
    if (t == Ty::text) return "\"d" + std::to_string(++names_) + "\".clone()";
    if (t == Ty::texts) return "[\"d\".clone()]";
    if (t == Ty::maybe_text || t == Ty::maybe_parcel || t == Ty::maybe_bell) return "null";
    if (t == Ty::parcel) return "Parcel { label: \"d\".clone(), grams: 1 }";
  }
  if (rng_.one_in(3) && pick(v, {t}, &Writer::can_take)) {
    std::string n = vars_[v].name;
    take(v);
    return n;
  }
  const bool has_clone = !info(t).drops && t != Ty::lock && t != Ty::lock_list && t != Ty::function && !info(t).copies;
  if (has_clone && rng_.one_in(6) && pick(v, {t}, &Writer::is_there)) {
    use(v);
    return vars_[v].name + ".clone()";
  }
  if (depth < 3 && rng_.one_in(4)) {
    std::vector<const Callable*> fits;
    for (const Callable& f : callables_) {
      if (f.has_result && f.result == t && !f.throws && lambda_ == 0) fits.push_back(&f);
    }
    if (!fits.empty()) {
      bool worked = true;
      std::vector<std::size_t> owners;
      const State before = state_;
      const auto events = events_;
      std::string text = call(*fits[rng_.below(fits.size())], worked, owners, depth);
      if (worked) return text;
      state_ = before;
      events_ = events;
    }
  }
  if (t == Ty::text && rng_.one_in(2)) return made_text(depth);
  if (t == Ty::parcel && rng_.one_in(5) && pick(v, {Ty::parcels}, &Writer::can_change)) {
    change(v);
    return "(" + vars_[v].name + ".pop() ?? " + literal(Ty::parcel, depth) + ")";
  }
  if (t == Ty::bell && rng_.one_in(4) && pick(v, {Ty::bells}, &Writer::can_change)) {
    change(v);
    return "(" + vars_[v].name + ".pop() ?? " + literal(Ty::bell, depth) + ")";
  }
  if (t == Ty::bell && rng_.one_in(5)) {
    const std::string n = number();
    return "(may_fail_bell(" + n + ", " + literal(Ty::bell, depth + 1) +
           ") catch { Bell { tone: \"spare\".clone() } })";
  }
  if (t == Ty::texts && rng_.one_in(5)) return "keep_crate(" + make(Ty::crate, depth + 1) + ")";
  return literal(t, depth);
}

// A view of text into `v`.
bool Writer::view_into(std::size_t v, std::string& out) {
  const std::string& n = vars_[v].name;
  const auto one = [&](std::initializer_list<const char*> forms) {
    std::string form = forms.begin()[rng_.below(forms.size())];
    std::size_t at = 0;
    while ((at = form.find('$', at)) != std::string::npos) {
      form.replace(at, 1, n);
      at += n.size();
    }
    return form;
  };
  switch (vars_[v].type) {
    case Ty::text: out = one({"$.trim()", "$[0..<$.len() / 2]", "view_text($)", "$.trim_end()"}); return true;
    case Ty::texts: out = one({"view_item($)"}); return true;
    case Ty::parcel: out = one({"$.label", "$.title()", "view_label($)", "$.label.trim()"}); return true;
    case Ty::crate: out = one({"$.name", "$.inner.label", "$.first()", "view_label($.inner)"}); return true;
    case Ty::bell: out = one({"$.tone", "$.tone.trim()"}); return true;
    case Ty::tower: out = one({"$.bell.tone"}); return true;
    case Ty::tuple: out = one({"$.0", "$.0.trim()"}); return true;
    case Ty::pair: out = one({"$.first"}); return true;
    case Ty::mark: out = one({"$.text", "$.text.trim()"}); return true;
    case Ty::text_view: out = one({"$", "$.trim()", "$[0..<$.len() / 2]"}); return true;
    case Ty::parcel_view: out = one({"$.label", "$.title()"}); return true;
    case Ty::shared: out = one({"$.label"}); return true;
    default: return false;
  }
}

// Where it points comes along: the names it looks into.
bool Writer::text_view(std::string& out, std::vector<std::size_t>& owners) {
  std::size_t v;
  if (!pick(v,
            {Ty::text, Ty::texts, Ty::parcel, Ty::crate, Ty::bell, Ty::tower, Ty::tuple, Ty::pair, Ty::mark,
             Ty::text_view, Ty::parcel_view, Ty::shared},
            &Writer::is_there)) {
    return false;
  }
  if (!view_into(v, out)) return false;
  use(v);
  if (vars_[v].hold != Hold::owned && vars_[v].owners.empty()) owners.push_back(v);
  if (info(vars_[v].type).holds_view || vars_[v].hold == Hold::lent)
    owners.insert(owners.end(), vars_[v].owners.begin(), vars_[v].owners.end());
  else
    owners.push_back(v);
  if (rng_.one_in(6)) {
    std::size_t w;
    std::string other;
    if (pick(w, {Ty::text, Ty::text_view}, &Writer::is_there) && view_into(w, other)) {
      use(w);
      if (vars_[w].type == Ty::text_view)
        owners.insert(owners.end(), vars_[w].owners.begin(), vars_[w].owners.end());
      else
        owners.push_back(w);
      out = "view_longer(" + out + ", " + other + ")";
    }
  }
  return true;
}

std::string Writer::call(const Callable& f, bool& worked, std::vector<std::size_t>& owners, int depth) {
  std::string s = f.name + "(";
  for (std::size_t i = 0; i < f.params.size(); ++i) {
    if (i > 0) s += ", ";
    std::size_t v;
    const bool keeps = f.holds[i] == Hold::plain && f.kept[i];
    if (f.holds[i] == Hold::mut) {
      if (!pick(v, {f.params[i]}, &Writer::can_change)) {
        worked = false;
        return s;
      }
      change(v);
      s += vars_[v].name;
    } else if (keeps) {
      s += make(f.params[i], depth + 1);
    } else if (pick(v, {f.params[i]}, &Writer::is_there)) {
      use(v);
      owners.push_back(v);
      owners.insert(owners.end(), vars_[v].owners.begin(), vars_[v].owners.end());
      s += vars_[v].name;
    } else {
      s += literal(f.params[i], depth + 2);
    }
  }
  return s + ")";
}

}  // namespace nikaia::ownership
