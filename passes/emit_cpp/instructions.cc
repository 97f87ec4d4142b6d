// Regions and instructions of NIR in emitted C++.
//
// A region becomes a C++ block; dropping is the end of the block, or a call where more follows. Two readings make the
// text shorter without changing what runs: a local is declared where it is first assigned when that is in the region
// that declares it, and a temporary whose only use is the instruction right behind its definition is written there.
#include "passes/emit_cpp/code.h"

#include "lang/nir/visit.h"

namespace nikaia::lang::emit_cpp {

using nir::OperandKind;
using nir::ProjectionKind;

bool BodyWriter::is_empty(nir::RegionId r) const {
  if (!r.valid()) return true;
  for (nir::InstrId i : f_.regions[r]) {
    if (!std::holds_alternative<nir::Drop>(f_.instrs[i].node)) return false;
  }
  return true;
}

bool BodyWriter::only_fails(nir::RegionId r, Local error) const {
  for (nir::InstrId i : f_.regions[r]) {
    const auto& node = f_.instrs[i].node;
    if (std::holds_alternative<nir::Drop>(node)) continue;
    const auto* f = std::get_if<nir::Fail>(&node);
    return f && f->error.kind == OperandKind::move && f->error.place.is_local() && f->error.place.root == error;
  }
  return false;
}

bool BodyWriter::ends(nir::RegionId r) const {
  const auto& list = f_.regions[r];
  return !list.empty() && nir::is_terminator(f_.instrs[list.back()].node);
}

// The one instruction of a region where that defines a whole local.
const nir::Assign* BodyWriter::only_assign(nir::RegionId r) const {
  if (!r.valid() || f_.regions[r].size() != 1) return nullptr;
  const auto* a = std::get_if<nir::Assign>(&f_.instrs[f_.regions[r][0]].node);
  return a && a->to.is_local() ? a : nullptr;
}

// What a branch goes on with whose other side leaves: written behind it instead of in an `else`.
const nir::Assign* BodyWriter::goes_on_with(const nir::If& i) const {
  return ends(i.then_region) ? only_assign(i.else_region) : nullptr;
}

std::optional<BodyWriter::NullChoice> BodyWriter::null_choice(const std::vector<nir::InstrId>& list,
                                                              std::size_t at) const {
  const auto* asks = std::get_if<nir::Assign>(&f_.instrs[list[at]].node);
  const auto* asked = asks && asks->to.is_local() ? std::get_if<nir::IsNull>(&asks->value) : nullptr;
  if (!asked) return std::nullopt;
  std::size_t next = at + 1;
  while (next < list.size() && std::holds_alternative<nir::Declare>(f_.instrs[list[next]].node)) ++next;
  const auto* choice = next < list.size() ? std::get_if<nir::If>(&f_.instrs[list[next]].node) : nullptr;
  if (!choice || choice->cond.kind == OperandKind::constant || !choice->cond.place.is_local() ||
      !(choice->cond.place.root == asks->to.root)) {
    return std::nullopt;
  }
  const nir::Assign *null_side = only_assign(choice->then_region), *some_side = only_assign(choice->else_region);
  if (!null_side || !some_side || !(null_side->to.root == some_side->to.root)) return std::nullopt;
  const auto* fallback = std::get_if<nir::Use>(&null_side->value);
  if (!fallback || fallback->value.kind != OperandKind::constant) return std::nullopt;
  const auto is_its_value = [&](const nir::Operand& o) {
    return o.kind != OperandKind::constant && o.place.root == asked->place.root &&
           o.place.path.size() == asked->place.path.size() + 1 && o.place.path.back().kind == ProjectionKind::some;
  };
  NullChoice found{some_side->to.root, list[next], false, &fallback->value};
  if (auto* wrap = std::get_if<nir::Wrap>(&some_side->value)) {
    const nir::Operand& o = wrap->value;
    const bool is_null = std::holds_alternative<nir::ConstNull>(fallback->value.constant);
    found.is_lent = is_null && o.kind == OperandKind::lend && is_its_value(o) && !is_run(e_.types, o.type) &&
                    !copies(e_.types, e_.decls, e_.types.without_ref(o.type));
    return found.is_lent ? std::optional(found) : std::nullopt;
  }
  const auto* use = std::get_if<nir::Use>(&some_side->value);
  const TypeId type = f_.locals[found.to].type;
  const bool is_scalar = e_.types.is_number(type) || e_.types.kind(type) == TypeKind::bool_;
  const bool fits = use && is_scalar && use->value.kind == OperandKind::copy && is_its_value(use->value);
  return fits ? std::optional(found) : std::nullopt;
}

// Whether `l`, declared at `at`, is next touched by an instruction of the same region that defines it whole.
bool BodyWriter::is_joined_with_definition(Local l, const std::vector<nir::InstrId>& list, std::size_t at) const {
  for (std::size_t i = at + 1; i < list.size(); ++i) {
    const auto& node = f_.instrs[list[i]].node;
    if (auto* a = std::get_if<nir::Assign>(&node)) {
      if (a->to.is_local() && a->to.root == l) return true;
      continue;
    }
    if (auto* c = std::get_if<nir::Call>(&node)) {
      if (c->to == l) return true;
      continue;
    }
    if (auto* o = std::get_if<nir::Overlap>(&node)) {
      if (o->to == l) return true;
      continue;
    }
    if (auto* s = std::get_if<nir::Spawn>(&node)) {
      if (s->to == l) return true;
      continue;
    }
    if (const auto* branch = std::get_if<nir::If>(&node)) {
      const nir::Assign* goes_on = goes_on_with(*branch);
      if (goes_on && goes_on->to.root == l) return true;
      std::size_t asks = i - 1;
      while (asks > at && std::holds_alternative<nir::Declare>(f_.instrs[list[asks]].node)) --asks;
      const auto choice = null_choice(list, asks);
      return choice && choice->choice == list[i] && choice->to == l;
    }
    if (std::holds_alternative<nir::Declare>(node) || std::holds_alternative<nir::Drop>(node) ||
        std::holds_alternative<nir::Store>(node) || std::holds_alternative<nir::MapWrite>(node)) {
      continue;
    }
    return false;  // it may be assigned inside
  }
  return false;
}

// Whether a value does nothing and cannot stop the program, so that it may be worked out a little later.
bool BodyWriter::is_quiet(const nir::Value& v) const {
  const auto* b = std::get_if<nir::Binary>(&v);
  if (!b || e_.types.kind(b->left.type) != TypeKind::f64 || b->op == nir::BinaryOp::rem) return false;
  auto is_plain = [&](const nir::Operand& o) {
    if (o.kind == OperandKind::constant) return true;
    return o.kind == OperandKind::copy && o.place.is_local() && !f_.locals[o.place.root].is_mut;
  };
  return is_plain(b->left) && is_plain(b->right);
}

// Whether the temporary that `definition` defines is written where it is used: its one use is in the next instruction,
// on the same line, and nothing else is worked out there that could see a difference.
bool BodyWriter::is_written_where_used(Local temp, const nir::Instr& definition, const std::vector<nir::InstrId>& list,
                                       std::size_t at) {
  if (f_.locals[temp].kind != nir::LocalKind::temp || uses_[temp.index] != 1 || !undefined_.count(temp.index) ||
      is_auto(temp))
    return false;
  const auto* assign = std::get_if<nir::Assign>(&definition.node);
  const auto* called = std::get_if<nir::Call>(&definition.node);
  const bool quiet = assign && is_quiet(assign->value);
  std::size_t next = at + 1;
  for (; next < list.size(); ++next) {
    const nir::Node& node = f_.instrs[list[next]].node;
    if (std::holds_alternative<nir::Declare>(node)) continue;
    // What is quiet may stand behind other quiet values of the same expression.
    const auto* other = std::get_if<nir::Assign>(&node);
    const bool passes = quiet && other && other->to.is_local() &&
                        f_.locals[other->to.root].kind == nir::LocalKind::temp && is_quiet(other->value) &&
                        !reads(other->value, temp);
    if (!passes) break;
  }
  if (next == list.size()) return false;
  const nir::Instr& user = f_.instrs[list[next]];
  const auto& sources = e_.compilation.sources;
  if (sources.line_of(definition.span.file, definition.span.begin) != sources.line_of(user.span.file, user.span.begin))
    return false;
  auto is_it = [&](const nir::Operand& o) {
    return o.kind != OperandKind::constant && o.kind != OperandKind::lend && o.kind != OperandKind::lend_mut &&
           o.place.is_local() && o.place.root == temp;
  };
  if (auto* a = std::get_if<nir::Assign>(&user.node)) {
    if (auto* use = std::get_if<nir::Use>(&a->value)) return is_it(use->value);
    if (auto* u = std::get_if<nir::Unary>(&a->value)) return u->op == nir::UnaryOp::not_ && is_it(u->value);
    if (auto* wrap = std::get_if<nir::Wrap>(&a->value)) return !called && is_it(wrap->value);
    auto* b = std::get_if<nir::Binary>(&a->value);
    if (!b || !e_.types.is_number(f_.locals[temp].type) || !e_.types.is_number(b->left.type)) return false;
    // The other side is a constant, or a local that working out this one does not change.
    auto is_still = [&](const nir::Operand& o) {
      return o.kind == OperandKind::constant ||
             (o.kind == OperandKind::copy && o.place.is_local() && (!called || !f_.locals[o.place.root].is_mut));
    };
    return (is_it(b->left) && is_still(b->right)) || (is_it(b->right) && is_still(b->left));
  }
  if (auto* i = std::get_if<nir::If>(&user.node)) return is_it(i->cond);
  if (auto* s = std::get_if<nir::Switch>(&user.node)) return is_it(s->on);
  if (auto* s = std::get_if<nir::Store>(&user.node)) return is_it(s->value);
  if (auto* w = std::get_if<nir::Walk>(&user.node)) return !called && is_it(w->subject);
  if (auto* r = std::get_if<nir::Return>(&user.node)) {
    if (!is_it(r->value)) return false;
    // A row may hand out a view where the function hands back what is kept of it.
    return called ? e_.types.is_number(r->value.type) || e_.types.kind(r->value.type) == TypeKind::bool_
                  : !std::holds_alternative<nir::Use>(assign->value);
  }
  if (auto* c = std::get_if<nir::Call>(&user.node)) {
    if (appends_format(*c, temp, definition)) return true;
    if (!assign || c->args.size() != 1 || !std::holds_alternative<nir::Format>(assign->value)) return false;
    const nir::Operand& o = c->args[0];
    if (is_it(o)) return true;
    // What is handed back may look into the text, which then lives on.
    const TypeKind result = e_.types.kind(c->result);
    const bool looks_nowhere = e_.types.is_number(c->result) || result == TypeKind::bool_ ||
                               result == TypeKind::char_ || result == TypeKind::unit || result == TypeKind::string ||
                               result == TypeKind::never;
    return looks_nowhere && o.kind == OperandKind::lend && o.place.is_local() && o.place.root == temp;
  }
  return false;
}

// Whether `c` puts the text that is made by `definition`, and wanted nowhere else, behind another, and what it is made
// of are numbers and the like, which look into no text.
bool BodyWriter::appends_format(const nir::Call& c, Local temp, const nir::Instr& definition) const {
  const auto* assign = std::get_if<nir::Assign>(&definition.node);
  const auto* format = assign ? std::get_if<nir::Format>(&assign->value) : nullptr;
  if (!format) return false;
  for (const nir::FormatPiece& p : format->pieces) {
    const TypeKind kind = p.is_hole ? e_.types.kind(p.value.type) : TypeKind::bool_;
    if (p.is_hole && !e_.types.is_number(p.value.type) && kind != TypeKind::bool_ && kind != TypeKind::char_)
      return false;
  }
  if (!c.fn.valid() || e_.decls.fns[c.fn].key != "String.push_str" || c.args.size() != 2) return false;
  const nir::Operand &to = c.args[0], &text = c.args[1];
  if (text.kind != OperandKind::lend || !text.place.is_local() || !(text.place.root == temp)) return false;
  return to.kind == OperandKind::lend_mut && to.place.is_local();
}

bool BodyWriter::reads(const nir::Value& v, Local l) const {
  bool found = false;
  nir::visit_value(
      v, [&](const nir::Operand& o) { found = found || (o.kind != OperandKind::constant && o.place.root == l); },
      [&](const nir::Place& p) { found = found || p.root == l; }, [](const nir::MakeClosure&) {});
  return found;
}

void BodyWriter::define(Local l, const std::string& text) {
  if (undefined_.erase(l.index)) {
    const bool unused = uses_[l.index] == 0;
    line((unused ? "[[maybe_unused]] " : "") + local_type(l) + " " + name(l) + " = " + text + ";");
  } else {
    line(name(l) + " = " + text + ";");
  }
}

// Whether a drop is not what the end of the block does by itself: something else follows it there, and who looks
// could tell. Temporaries that hold what an assignment replaces are such.
bool BodyWriter::is_dropped_here(Local l, const std::vector<nir::InstrId>& list, std::size_t at) const {
  while (at < list.size() && std::holds_alternative<nir::Drop>(f_.instrs[list[at]].node)) ++at;
  if (at == list.size() || nir::is_terminator(f_.instrs[list[at]].node) || undefined_.count(l.index) != 0) return false;
  return e_.runs_code(f_.locals[l].type);
}

void BodyWriter::region(nir::RegionId r, nir::LabelId tail) {
  const std::vector<nir::InstrId>& list = f_.regions[r];
  std::size_t last = list.size();
  while (last > 0 && std::holds_alternative<nir::Drop>(f_.instrs[list[last - 1]].node)) --last;
  const bool drops = last != list.size();
  if (r == f_.body && last > 0 && !f_.can_fail) {
    const auto* end = std::get_if<nir::Return>(&f_.instrs[list[last - 1]].node);
    if (end && !end->has_value) --last;  // the end of the function says as much
  }
  for (std::size_t i = 0; i < last; ++i) {
    instruction(list[i], i + 1 == last ? tail : nir::LabelId{}, list, i);
  }
  ends_in_drops_ = drops;
}

void BodyWriter::leave(nir::LabelId label, nir::LabelId tail) {
  if (tail.valid() && label == tail) return;
  if (!breakables_.empty() && breakables_.back().label == label && breakables_.back().is_loop) {
    line("break;");
    return;
  }
  used_labels_.insert(label.index);
  line("goto end_" + std::to_string(label.index) + ";");
}

void BodyWriter::edge(const nir::FailEdge& e, const std::string& result) {
  if (only_fails(e.region, e.error)) {
    line("if (" + result + ".failed()) return " + result + ".take_failure();");
    return;
  }
  open("if (" + result + ".failed()) {");
  names_[e.error.index] = name(e.error);
  line("nikaia::Failure " + name(e.error) + " = " + result + ".take_failure();");
  region(e.region);
  close();
}

std::string BodyWriter::call_text(const nir::Call& c) {
  if (c.args.size() == 2 && c.args[1].kind == OperandKind::lend && c.args[1].place.is_local() && c.fn.valid() &&
      e_.decls.fns[c.fn].key == "String.push_str") {
    const auto made = inlined_.find(c.args[1].place.root.index);
    constexpr std::string_view format = "nikaia::format(";
    if (made != inlined_.end() && made->second.starts_with(format)) {
      return "nikaia::append_format(" + library_argument(c.args[0]) + ", " + made->second.substr(format.size());
    }
  }
  std::string args;
  if (!c.fn.valid()) {
    for (std::size_t i = 0; i < c.args.size(); ++i) args += (i ? ", " : "") + operand(c.args[i]);
    std::string callee = place(c.callee);
    if (callee[0] == '*') callee = "(" + callee + ")";
    return callee + "(" + args + ")";
  }
  const FnDecl& fn = e_.decls.fns[c.fn];
  if (!fn.key.empty()) {
    std::string explicit_type;
    const std::string row = e_.row_name(fn);
    if (row.size() > 3 && row.substr(row.size() - 3) == "<T>") {
      // Rows whose result the use decides (`parse`, `collect`) take it as a template argument.
      TypeId r = c.result;
      if (e_.types.kind(r) == TypeKind::nullable) r = e_.types[r].args[0];
      explicit_type = "<" + e_.type(r, Position::stored) + ">";
    } else if (row.size() > 3 && row.substr(row.size() - 3) == "<R>") {
      explicit_type = "<" + e_.type(c.result, Position::stored) + ">";
    }
    const std::string callee = explicit_type.empty() ? row : row.substr(0, row.size() - 3) + explicit_type;
    if (fn.is_constructor && c.args.empty()) return e_.type(c.result, Position::stored) + "()";
    // A lock's `set` without `after:` cannot fail, and is a function of its own.
    const bool plain_set = !c.on_fail.valid() && row == "nikaia::lock_set";
    for (std::size_t i = 0; i < c.args.size() - (plain_set ? 1 : 0); ++i) {
      std::string a;
      if (c.args[i].kind == OperandKind::move && c.args[i].place.is_local()) {
        auto it = closures_.find(c.args[i].place.root.index);
        if (it != closures_.end()) a = closure(*it->second, true);
      }
      if (a.empty()) a = library_argument(c.args[i]);
      args += (i ? ", " : "") + a;
    }
    // A handle does not tell whether its task can fail; the checks do.
    const bool is_sure_join = !c.on_fail.valid() && fn.key == "TaskHandle.join";
    return callee + "(" + args + ")" + (is_sure_join ? ".take()" : "");
  }
  const nir::FunctionId target = e_.instances.find(c.fn, c.type_args);
  for (std::size_t i = 0; i < c.args.size(); ++i) {
    std::string a;
    if (c.args[i].kind == OperandKind::move && c.args[i].place.is_local()) {
      auto it = closures_.find(c.args[i].place.root.index);
      if (it != closures_.end()) a = closure(*it->second, false);
    }
    if (a.empty()) a = argument(c.args[i]);
    args += (i ? ", " : "") + a;
  }
  if (!target.valid()) return "nikaia::unreachable()";
  // Qualified also within its package: an argument of the runtime's types would bring the runtime's names into the
  // look-up.
  const std::string package = e_.namespace_of(e_.home(target));
  return package + "::" + e_.function_name(target) + "(" + args + ")";
}

void BodyWriter::call(const nir::Call& c) {
  std::string text = call_text(c);
  if (c.on_fail.valid()) {
    const std::string result = "r" + std::to_string(++*counter_);
    line("auto " + result + " = " + text + ";");
    edge(c.on_fail, result);
    if (c.to.valid()) define(c.to, result + ".take()");
    return;
  }
  if (c.to.valid()) {
    const bool is_unused = uses_[c.to.index] == 0 && undefined_.count(c.to.index) == 0;
    if (is_unused && !e_.runs_code(f_.locals[c.to].type)) {
      line("(void)" + text + ";");
    } else {
      define(c.to, text);
    }
    return;
  }
  line(text + ";");
}

void BodyWriter::walk(const nir::Walk& w) {
  const TypeId subject = w.subject.type;
  const TypeId walked = e_.types.without_ref(subject);
  const Type& t = e_.types[walked];
  const bool is_list = (t.kind == TypeKind::named && t.decl == e_.decls.vec) || t.kind == TypeKind::array;
  const int n = ++*counter_;
  const std::string step = "step" + std::to_string(n);
  breakables_.push_back({w.label, true});
  auto element_from = [&](nir::LocalId l, const std::string& text) {
    const bool unused = uses_[l.index] == 0;
    // What a sequence hands out, a view or one that counts, is what the name holds.
    const bool as_handed = is_auto(l) || (!is_list && is_fat_view(e_.types, f_.locals[l].type));
    line((unused ? "[[maybe_unused]] " : "") +
         (as_handed ? std::string("auto") : e_.type(f_.locals[l].type, Position::passing)) + " " + name(l) + " = " +
         text + ";");
  };
  if (t.kind == TypeKind::range && w.elements.size() == 1) {
    const std::string type = e_.type(t.args[0], Position::passing);
    const Local element = w.elements[0];
    open("for (" + std::string(uses_[element.index] == 0 ? "[[maybe_unused]] " : "") + type + " " + name(element) +
         " : nikaia::each(" + operand(w.subject) + ")) {");
    region(w.body);
    close();
  } else if (is_list && w.elements.size() == 1) {
    open("for (const auto& " + step + " : nikaia::run_of(" + library_argument(w.subject) + ")) {");
    const TypeId et = f_.locals[w.elements[0]].type;
    const bool pointer =
        e_.types.kind(et) == TypeKind::ref && e_.types.kind(t.args[0]) != TypeKind::ref && !is_fat_view(e_.types, et);
    element_from(w.elements[0], pointer ? "&" + step
                                : is_run(e_.types, et) && e_.types.kind(t.args[0]) != TypeKind::ref
                                    ? "nikaia::run_of(" + step + ")"
                                    : step);
    region(w.body);
    close();
  } else {
    const std::string walker = "walk" + std::to_string(n);
    // What a sequence has not handed out dies with the loop.
    const std::string begin = "for (auto " + walker + " = nikaia::walk(" +
                              (t.kind == TypeKind::seq ? operand(w.subject) : library_argument(w.subject)) + "); ";
    if (w.step_fails) {
      open(begin + ";) {");
      const std::string result = "r" + std::to_string(++*counter_);
      line("auto " + result + " = " + walker + ".next();");
      edge(w.on_fail, result);
      line("auto " + step + " = " + result + ".take();");
      line("if (!" + step + ") break;");
    } else {
      open(begin + "auto " + step + " = " + walker + ".next();) {");
    }
    if (w.elements.size() == 2) {
      line("auto pair" + std::to_string(n) + " = " + step + ".take();");
      for (std::size_t i = 0; i < 2; ++i) {
        element_from(w.elements[i], "pair" + std::to_string(n) + ".get<" + std::to_string(i) + ">()");
      }
    } else {
      element_from(w.elements[0], step + ".take()");
    }
    region(w.body);
    close();
  }
  breakables_.pop_back();
  if (used_labels_.count(w.label.index)) line("end_" + std::to_string(w.label.index) + ":;");
}

void BodyWriter::guard(const nir::Guard& g) {
  const std::string label = std::to_string(g.label.index);
  const std::string error = name(g.error);
  line("nikaia::Failure " + error + ";");
  handler_errors_[g.label.index] = g.error;
  open("{");
  region(g.body);
  const auto& list = f_.regions[g.body];
  bool ends = false;
  for (auto it = list.rbegin(); it != list.rend(); ++it) {
    const auto& node = f_.instrs[*it].node;
    if (std::holds_alternative<nir::Drop>(node)) continue;
    ends = std::holds_alternative<nir::Return>(node) || std::holds_alternative<nir::Fail>(node) ||
           std::holds_alternative<nir::Raise>(node) || std::holds_alternative<nir::Leave>(node) ||
           std::holds_alternative<nir::Again>(node);
    break;
  }
  if (!ends) line("goto after_" + label + ";");
  close();
  if (used_labels_.count(0x80000000u | g.label.index)) {
    line("handler_" + label + ":;");
    open("{");
    region(g.handler);
    close();
  }
  if (!ends) line("after_" + label + ":;");
}

// The path and the root of the read that a branch begins with, as this body names them.
std::optional<std::string> BodyWriter::first_read(const nir::MakeClosure& branch) {
  const FirstRead* read = e_.first_read(branch.function);
  if (read == nullptr) return std::nullopt;
  const auto named = [&](const Origin& origin) -> std::optional<std::string> {
    if (origin.kind == Origin::Kind::text) return e_.quoted(e_.compilation.names.text(origin.text)) + "_s";
    if (origin.kind == Origin::Kind::anywhere) return "nikaia::Root::Anywhere()";
    for (const nir::Capture& x : branch.captures) {
      const bool stays = x.mode == nir::CaptureMode::lend || x.mode == nir::CaptureMode::copy;
      if (x.inner == origin.local && stays) return place(x.place);
    }
    return std::nullopt;
  };
  const auto path = named(read->path);
  const auto root = named(read->root);
  if (!path || !root) return std::nullopt;
  return *path + ", " + *root;
}

void BodyWriter::overlap(const nir::Overlap& o) {
  std::vector<std::string> reads;
  for (const nir::MakeClosure& branch : o.branches) {
    if (auto read = first_read(branch); read && !o.winner.valid()) reads.push_back(std::move(*read));
  }
  const bool reads_ahead = reads.size() == o.branches.size();
  std::string args;
  for (std::size_t i = 0; i < o.branches.size(); ++i) {
    const std::string branch = closure(o.branches[i], false);
    args += (i ? ", " : "") + (reads_ahead ? "nikaia::reading(" + reads[i] + ", " + branch + ")" : branch);
  }
  const std::string call = o.winner.valid() ? "nikaia::race(" + name(o.winner) + ", "
                           : o.is_pair      ? (reads_ahead ? "nikaia::rt::pair_reads(" : "nikaia::rt::pair(")
                                            : (reads_ahead ? "nikaia::overlap_reads(" : "nikaia::overlap(");
  const std::string text = call + args + ")";
  if (o.on_fail.valid()) {
    const std::string result = "r" + std::to_string(++*counter_);
    line("auto " + result + " = " + text + ";");
    edge(o.on_fail, result);
    if (o.to.valid()) define(o.to, result + ".take()");
  } else if (o.to.valid()) {
    define(o.to, text);
  } else {
    line(text + ";");
  }
}

// The operand of a `return`, which itself moves a local of the type that the result is, or is made of.
std::string BodyWriter::returned(const nir::Operand& o, const std::string& type) {
  const bool is_moved = o.kind == OperandKind::move && o.place.is_local() &&
                        f_.locals[o.place.root].kind != nir::LocalKind::capture && local_type(o.place.root) == type;
  return is_moved ? place(o.place) : operand(o);
}

void BodyWriter::instruction(nir::InstrId id, nir::LabelId tail, const std::vector<nir::InstrId>& list,
                             std::size_t at) {
  if (written_.count(id.index)) return;
  const nir::Instr& instr = f_.instrs[id];
  const Span saved = span_;
  if (instr.span.begin != Span::no_offset) span_ = instr.span;
  const auto& node = instr.node;
  if (auto* d = std::get_if<nir::Declare>(&node)) {
    if (closures_.count(d->local.index)) return;
    if (is_joined_with_definition(d->local, list, at)) {
      undefined_.insert(d->local.index);
    } else if (is_auto(d->local)) {
      undefined_.insert(d->local.index);
    } else {
      line((uses_[d->local.index] == 0 ? "[[maybe_unused]] " : "") + local_type(d->local) + " " + name(d->local) +
           "{};");
    }
  } else if (auto* a = std::get_if<nir::Assign>(&node)) {
    const bool whole = a->to.is_local();
    TypeId type = whole ? f_.locals[a->to.root].type : a->to.path.back().type;
    // A lambda is written where it is handed over.
    if (auto* c = std::get_if<nir::MakeClosure>(&a->value); c && whole &&
                                                            f_.locals[a->to.root].kind == nir::LocalKind::temp &&
                                                            uses_[a->to.root.index] == 1 && at + 1 < list.size()) {
      for (std::size_t k = at + 1; k < list.size() && k < at + 12; ++k) {
        if (auto* next = std::get_if<nir::Call>(&f_.instrs[list[k]].node)) {
          bool hands_over = false;
          for (const auto& o : next->args)
            hands_over |= o.kind == OperandKind::move && o.place.is_local() && o.place.root == a->to.root;
          if (hands_over) {
            closures_[a->to.root.index] = c;
            undefined_.erase(a->to.root.index);
            span_ = saved;
            return;
          }
          break;
        }
      }
    }
    if (const auto choice = null_choice(list, at); choice && uses_[a->to.root.index] == 1) {
      undefined_.erase(a->to.root.index);
      written_.insert(choice->choice.index);
      const nir::Place& of = std::get<nir::IsNull>(a->value).place;
      define(choice->to, choice->is_lent
                             ? maybe_member(of, "lent", "lent()")
                             : member_of(place(of, true), "or_else(" + constant(*choice->fallback, true) + ")"));
      span_ = saved;
      return;
    }
    if (whole) {
      if (!std::holds_alternative<nir::MakeClosure>(a->value) && is_written_where_used(a->to.root, instr, list, at)) {
        std::string text = value(a->value, type);
        inlined_[a->to.root.index] = text;
        undefined_.erase(a->to.root.index);
        span_ = saved;
        return;
      }
      define(a->to.root, value(a->value, type));
    } else {
      line(place(a->to) + " = " + value(a->value, type) + ";");
    }
  } else if (auto* s = std::get_if<nir::Store>(&node)) {
    // The old value dies before the new one is there, which a C++ assignment does not promise.
    if (e_.runs_code(s->value.type))
      line("nikaia::replace(" + place(s->to) + ", " + operand(s->value) + ");");
    else
      line(place(s->to) + " = " + operand(s->value) + ";");
  } else if (auto* w = std::get_if<nir::MapWrite>(&node)) {
    line("nikaia::map_set(" + place(w->map) + ", " + operand(w->key, true) + ", " + operand(w->value, true) + ");");
  } else if (auto* c = std::get_if<nir::Call>(&node)) {
    if (c->to.valid() && !c->on_fail.valid() && is_written_where_used(c->to, instr, list, at)) {
      std::string text = call_text(*c);
      inlined_[c->to.index] = text;
      undefined_.erase(c->to.index);
    } else {
      call(*c);
    }
  } else if (auto* dr = std::get_if<nir::Drop>(&node)) {
    for (Local l : dr->locals) {
      if (is_dropped_here(l, list, at)) line("nikaia::drop(" + name(l) + ");");
    }
  } else if (auto* cl = std::get_if<nir::Cleanup>(&node)) {
    line("nikaia::clean_up_into(" + name(cl->local) + ", " + name(cl->error) + ");");
  } else if (auto* i = std::get_if<nir::If>(&node)) {
    const bool no_then = is_empty(i->then_region), no_else = is_empty(i->else_region);
    std::string cond = operand(i->cond);
    if (no_then && !no_else) {
      const bool simple = cond.find(' ') == std::string::npos;
      if (cond[0] == '!' && simple)
        open("if (" + cond.substr(1) + ") {");
      else
        open("if (!" + (simple ? cond : "(" + cond + ")") + ") {");
      region(i->else_region, tail);
      close();
    } else {
      open("if (" + cond + ") {");
      region(i->then_region, tail);
      if (goes_on_with(*i)) {
        close();
        region(i->else_region, tail);
        span_ = saved;
        return;
      }
      if (!no_else) {
        close("} else {");
        ++depth_;
        region(i->else_region, tail);
      }
      close();
    }
  } else if (auto* sw = std::get_if<nir::Switch>(&node)) {
    open("switch (" + operand(sw->on) + ") {");
    breakables_.push_back({});
    const bool boolean = e_.types.kind(sw->on.type) == TypeKind::bool_;
    for (const nir::SwitchCase& x : sw->cases) {
      for (std::size_t k = 0; k < x.values.size(); ++k) {
        std::string v = boolean                    ? (x.values[k] ? "true" : "false")
                        : x.values[k] == INT64_MIN ? "INT64_MIN"
                                                   : std::to_string(x.values[k]);
        if (k + 1 < x.values.size())
          line("case " + v + ":");
        else
          open("case " + v + ": {");
      }
      region(x.region);
      line("break;");
      close();
    }
    if (sw->otherwise.valid()) {
      open("default: {");
      region(sw->otherwise);
      line("break;");
      close();
    } else {
      line("default: nikaia::unreachable();");
    }
    breakables_.pop_back();
    close();
  } else if (auto* l = std::get_if<nir::Loop>(&node)) {
    open("while (true) {");
    breakables_.push_back({l->label, true});
    region(l->body);
    breakables_.pop_back();
    close();
    if (used_labels_.count(l->label.index)) line("end_" + std::to_string(l->label.index) + ":;");
  } else if (auto* b = std::get_if<nir::Block>(&node)) {
    open("{");
    region(b->body, b->label);
    close();
    if (used_labels_.count(b->label.index)) line("end_" + std::to_string(b->label.index) + ":;");
  } else if (auto* sc = std::get_if<nir::Scope>(&node)) {
    if (!is_empty(sc->body)) {
      open("{");
      region(sc->body, tail);
      close();
    }
  } else if (auto* le = std::get_if<nir::Leave>(&node)) {
    leave(le->label, tail);
  } else if (auto* ag = std::get_if<nir::Again>(&node)) {
    // `continue` reaches the innermost loop, also from inside a switch.
    for (auto it = breakables_.rbegin(); it != breakables_.rend(); ++it) {
      if (!it->is_loop) continue;
      if (it->label == ag->label) line("continue;");
      break;
    }
  } else if (auto* g = std::get_if<nir::Guard>(&node)) {
    guard(*g);
  } else if (auto* ra = std::get_if<nir::Raise>(&node)) {
    used_labels_.insert(0x80000000u | ra->label.index);
    line(name(handler_errors_[ra->label.index]) + " = " + operand(ra->error) + ";");
    line("goto handler_" + std::to_string(ra->label.index) + ";");
  } else if (auto* re = std::get_if<nir::Return>(&node)) {
    const Position position = e_.view_states.is_result_borrowed(id_) ? Position::passing : Position::stored;
    if (re->has_value)
      line("return " + returned(re->value, e_.result_type(f_.result, false, position)) + ";");
    else
      line(f_.can_fail ? "return {};" : "return;");
  } else if (auto* fa = std::get_if<nir::Fail>(&node)) {
    line("return " + returned(fa->error, "nikaia::Failure") + ";");
  } else if (auto* o = std::get_if<nir::Overlap>(&node)) {
    overlap(*o);
  } else if (auto* sp = std::get_if<nir::Spawn>(&node)) {
    const std::string text = "nikaia::spawn(" + closure(sp->task, false) + ")";
    if (uses_[sp->to.index] == 0) {
      undefined_.erase(sp->to.index);
      line(text + ";");
    } else {
      define(sp->to, text);
    }
  } else if (auto* wa = std::get_if<nir::Walk>(&node)) {
    walk(*wa);
  } else if (auto* pa = std::get_if<nir::Panic>(&node)) {
    line("nikaia::panic(" + operand(pa->text) + ");");
  } else if (std::holds_alternative<nir::Unreachable>(node)) {
    line("nikaia::unreachable();");
  }
  span_ = saved;
}

std::string BodyWriter::write() {
  region(f_.body);
  return out_;
}

}  // namespace nikaia::lang::emit_cpp
