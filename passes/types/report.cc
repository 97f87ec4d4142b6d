// How messages name things: types as a program spells them, values by what they are, names that were nearly written.
#include <algorithm>
#include <array>

#include "lang/text/near_name.h"
#include "passes/types/checker.h"

namespace nikaia::lang::typing {

namespace {

bool takes_an(std::string_view word) {
  return !word.empty() &&
         (std::string_view("aeioAEIO").find(word[0]) != std::string_view::npos || word.starts_with("f64"));
}

Span place_of(Checker& c, ExprId e, const Slot& slot) {
  return e.valid() ? c.span(e) : slot.head;
}

bool is_lock(Checker& c, TypeId t) {
  return c.is_named(t, c.decls.shared_mut) || c.is_named(t, c.decls.locked);
}
bool is_shared(Checker& c, TypeId t) {
  return is_lock(c, t) || c.is_named(t, c.decls.shared);
}

// The code ready to write between two types, or nothing.
std::string conversion(Checker& c, ExprId e, TypeId actual, TypeId wanted) {
  if (!e.valid()) return {};
  const TypeId a = c.as_value(actual);
  TypeId w = c.shallow(wanted);
  if (c.types.kind(w) == TypeKind::nullable) w = c.shallow(c.argument_of(w, 0));
  const std::string text = source_text(c, c.span(e));
  const bool simple =
      c.as<ast::PathExpr>(e) || c.as<ast::MemberExpr>(e) || c.as<ast::CallExpr>(e) || c.as<ast::IntegerLit>(e);
  const std::string bracketed = simple ? text : "(" + text + ")";
  const Variable* v = c.vars.class_of(a);
  const bool number = c.types.is_number(a) || (v && v->kind == VarKind::number);
  if (number && c.types.is_number(w)) return bracketed + " as " + spelled(c, w);
  if (number && c.types.is_text(w)) return bracketed + ".to_string()";
  if ((c.is_named(a, c.decls.bytes) || c.is_named(a, c.decls.mapped)) && c.types.is_text(w))
    return bracketed + ".text()";
  if (c.kind(actual) == TypeKind::nullable) return {};
  return {};
}

// A class of numbers that another use has decided otherwise (NK1200).
bool report_asked_otherwise(Checker& c, TypeId mine, TypeId other, Span at) {
  if (const Variable* v = c.vars.conflict()) {
    report_two_asks(c, *v, c.vars.conflict_type(), at);
    return true;
  }
  const Variable* v = c.vars.class_of(mine);
  if (!v || v->kind != VarKind::number || !v->is_named || !v->bound.valid()) return false;
  TypeId o = c.as_value(other);
  if (c.types.kind(o) == TypeKind::nullable) o = c.as_value(c.argument_of(o, 0));
  if (!c.types.is_integer(o)) return false;
  report_two_asks(c, *v, o, at);
  return true;
}

}  // namespace

std::string spelled(Checker& c, TypeId t) {
  return type_text(c.types, c.decls, c.names, c.vars.resolve(t));
}
std::string quoted(Checker& c, TypeId t) {
  return "`" + spelled(c, t) + "`";
}

std::string described(Checker& c, TypeId type) {
  const TypeId t = c.shallow(type);
  if (const Variable* v = c.vars.class_of(t)) {
    switch (v->kind) {
      case VarKind::number: return "a number";
      case VarKind::text: return "text";
      case VarKind::open: return "something whose type isn't known";
    }
  }
  switch (c.types.kind(t)) {
    case TypeKind::unit: return "nothing";
    case TypeKind::error_sum: return "an error";
    case TypeKind::range: return "a range";
    case TypeKind::never: return "a jump";
    case TypeKind::nullable: {
      const TypeId inner = c.shallow(c.argument_of(t, 0));
      if (const Variable* v = c.vars.class_of(inner); v && v->kind == VarKind::open) return "`null`";
      break;
    }
    default: break;
  }
  const std::string name = spelled(c, t);
  return (takes_an(name) ? "an `" : "a `") + name + "`";
}

std::string described_open(Checker& c, TypeId type) {
  const TypeId t = c.shallow(type);
  if (c.types.is_text(t)) return "text";
  return described(c, t);
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string source_text(const Checker& c, Span span) {
  if (!span.has_text()) return {};
  std::string text(c.compilation.sources.text(span));
  // A value that spans lines is shown by its first.
  if (const std::size_t line = text.find('\n'); line != std::string::npos) text = text.substr(0, line) + " …";
  return text;
}

std::string quoted_source(const Checker& c, Span span) {
  return "`" + source_text(c, span) + "`";
}

std::string_view nearest_number(std::string_view written) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> near{{{"usize", "u64"},
                                                                               {"isize", "i64"},
                                                                               {"i8", "i32"},
                                                                               {"i16", "i32"},
                                                                               {"u16", "u32"},
                                                                               {"f32", "f64"},
                                                                               {"i128", "i64"},
                                                                               {"u128", "u64"},
                                                                               {"bool", "i64"}}};
  for (const auto& [from, to] : near) {
    if (from == written) return to;
  }
  return "i64";
}

std::string fn_text(const Checker& c, FnId fn) {
  const FnDecl& d = c.decls.fns[fn];
  std::string name(c.text(d.name));
  if (!d.key.empty()) {
    if (d.is_constructor || d.key.ends_with("::new")) return d.key.substr(0, d.key.rfind("::"));
    const std::size_t dot = d.key.find('.');
    return dot == std::string::npos ? d.key : d.key.substr(dot + 1);
  }
  if (d.is_constructor && d.owner.valid()) return std::string(c.text(c.decls.types[d.owner].name));
  return name;
}

std::string signature_text(Checker& c, FnId fn) {
  const FnDecl& d = c.decls.fns[fn];
  std::string out = fn_text(c, fn) + "(";
  bool first = true;
  for (const ParamInfo& p : d.params) {
    if (!first) out += ", ";
    first = false;
    if (p.is_mut) out += "mut ";
    out += p.name.valid() ? std::string(c.text(p.name)) : "_";
    out += ": " + (p.type.valid() ? spelled(c, p.type) : "…");
  }
  bool option = false;
  for (const OptionInfo& o : d.options) {
    out += option ? ", " : first ? "" : "; ";
    option = true;
    out += std::string(c.text(o.name)) + ": " + spelled(c, o.type) + " = ";
    out += o.fallback_text.empty() ? "…" : o.fallback_text;
  }
  out += ")";
  if (d.result.valid() && c.types.kind(d.result) != TypeKind::unit) out += " -> " + spelled(c, d.result);
  return out;
}

std::string counted(std::size_t n, std::string_view one) {
  return std::to_string(n) + " " + std::string(one) + (n == 1 ? "" : "s");
}

std::string near_name(const Checker& c, std::string_view wrong, std::span<const Name> among) {
  std::vector<std::string_view> known;
  for (Name n : among) known.push_back(c.text(n));
  std::sort(known.begin(), known.end());  // equally near names must give one message
  return std::string(nearest_of(wrong, known));
}

void report_two_asks(Checker& c, const Variable& v, TypeId other, Span at) {
  const TypeId first = v.bound.valid() ? v.bound : c.i32;
  const std::string name(c.text(v.name));
  auto report = c.sink.error(Code::NK1200, v.name_span, name.empty() ? std::string_view("this number") : name,
                             described(c, first), described(c, other), spelled(c, first));
  if (v.ask_span.has_text()) report.label(v.ask_span, "used as " + described(c, first));
  if (at.has_text()) report.label(at, "used as " + described(c, other));
}

void report_mismatch(Checker& c, ExprId e, TypeId actual, TypeId wanted, const Slot& slot) {
  const Span at = place_of(c, e, slot);
  if (report_asked_otherwise(c, actual, wanted, at) || report_asked_otherwise(c, wanted, actual, at)) return;
  const TypeId w = c.shallow(wanted);
  if (is_shared(c, w) && !is_shared(c, c.seen_through(actual)) && c.kind(actual) != TypeKind::nullable &&
      c.kind(actual) != TypeKind::unit) {
    c.sink.error(Code::NK1115, at, spelled(c, w), described_open(c, actual), c.text(c.decls.types[c.decl_of(w)].name));
    return;
  }
  if (c.kind(actual) == TypeKind::unit && slot.kind == Slot::Kind::let) {
    c.sink.error(Code::NK1916, at, source_text(c, at));
    return;
  }
  const std::string given = described_open(c, actual);
  const std::string want = described(c, wanted);
  c.vars.silence(actual);
  const auto finish = [&](Builder report, bool own_help) {
    if (slot.declared.has_text()) report.label(slot.declared, "declared here");
    const std::string fix = conversion(c, e, actual, wanted);
    if (!fix.empty() && !own_help) report.help("Write `" + fix + "`.");
  };
  switch (slot.kind) {
    case Slot::Kind::argument: {
      const std::string callee = slot.fn.valid() ? fn_text(c, slot.fn) : std::string(slot.owner);
      if (is_lock(c, c.seen_through(actual)) && e.valid()) {
        c.sink.error(Wording::NK1102_lock, at, callee, want, source_text(c, at));
        return;
      }
      auto report = c.sink.error(Code::NK1102, at, callee,
                                 slot.name.empty() ? std::string_view("this argument") : slot.name, want, given);
      report.primary_label("this is " + described(c, actual));
      if (slot.fn.valid() && c.decls.fns[slot.fn].span.has_text()) {
        report.note("It's declared as `" + signature_text(c, slot.fn) + "`.");
      }
      const std::string fix = conversion(c, e, actual, wanted);
      if (!fix.empty()) report.help("Write `" + fix + "`.");
      return;
    }
    case Slot::Kind::let: finish(c.sink.error(Code::NK1103, at, slot.name, want, given), false); return;
    case Slot::Kind::result: finish(c.sink.error(Code::NK1104, at, slot.owner, want, given), false); return;
    case Slot::Kind::assign:
      finish(
          c.sink.error(Code::NK1105, at,
                       slot.place.valid() ? source_text(c, c.span(slot.place)) : std::string(slot.owner), want, given),
          false);
      return;
    case Slot::Kind::field:
      finish(c.sink.error(Code::NK1106, at, std::string(slot.owner) + "." + std::string(slot.name), want, given),
             false);
      return;
    case Slot::Kind::handler: finish(c.sink.error(Code::NK1940, at, want, given), false); return;
    case Slot::Kind::branch:
    case Slot::Kind::element: c.sink.error(Code::NK1911, at, want, given); return;
    case Slot::Kind::silent: return;
  }
}

TypeId not_built(Checker& c, Span at, std::string_view what) {
  c.sink.error(Code::NK1900, at, what);
  return c.error;
}

}  // namespace nikaia::lang::typing
