// The operator table of 01 §6.2, casts, ranges and `??`.
//
// An operand that is a view of a type that copies is used as the value; what a `Seen` holds likewise. Two operands of
// number type are joined into one class. Which types an operator is for is decided here where the type is known at
// once, and after the body where it hangs on a class (`==`, `<`, a unary minus on what may turn out unsigned).
#include "passes/types/checker.h"

namespace nikaia::lang::typing {

namespace {

using ast::BinaryOp;

bool is_bit_op(BinaryOp op) {
  return op == BinaryOp::bit_and || op == BinaryOp::bit_or || op == BinaryOp::bit_xor;
}
bool is_shift(BinaryOp op) {
  return op == BinaryOp::shl || op == BinaryOp::shr;
}
bool is_order(BinaryOp op) {
  return op >= BinaryOp::lt && op <= BinaryOp::ge;
}

// What an operand is, as far as operators tell types apart.
enum class Operand : std::uint8_t { error, open, number, text, duration, param, aggregate, other };

struct Side {
  ExprId expr;
  TypeId type;   // as written
  TypeId value;  // as used
  Operand kind = Operand::other;
};

Operand kind_of_operand(Checker& c, TypeId value) {
  if (const Variable* v = c.vars.class_of(value)) {
    switch (v->kind) {
      case VarKind::open: return Operand::open;
      case VarKind::number: return Operand::number;
      case VarKind::text: return Operand::text;
    }
  }
  const Type& t = c.types[value];
  switch (t.kind) {
    case TypeKind::error:
    case TypeKind::never: return Operand::error;
    case TypeKind::i32:
    case TypeKind::i64:
    case TypeKind::u8:
    case TypeKind::u32:
    case TypeKind::u64:
    case TypeKind::f64: return Operand::number;
    case TypeKind::string: return Operand::text;
    case TypeKind::ref: {
      const TypeId inside = c.shallow(t.args[0]);
      return kind_of_operand(c, inside);
    }
    case TypeKind::param: return Operand::param;
    case TypeKind::array: return Operand::aggregate;
    case TypeKind::named: {
      if (t.decl == c.decls.duration) return Operand::duration;
      const Declarations& d = c.decls;
      const bool collection = t.decl == d.vec || t.decl == d.hash_map || t.decl == d.hash_set ||
                              t.decl == d.btree_map || t.decl == d.btree_set;
      return collection || !d.types[t.decl].is_of_library() ? Operand::aggregate : Operand::other;
    }
    default: return Operand::other;
  }
}

Side side_of(Checker& c, ExprId e, TypeId type) {
  Side s{e, type, c.as_value(type), Operand::other};
  s.kind = kind_of_operand(c, s.value);
  return s;
}

// The operand is used as the value: says so where it is a view of one, or stamped.
void use_value(Checker& c, const Side& s) {
  if (!(c.shallow(s.type) == s.value)) c.set_wanted(s.expr, s.value);
}

void report_mixed(Checker& c, const Side& l, const Side& r, Span at) {
  if (Variable* v = c.vars.conflict()) {
    report_two_asks(c, *v, c.vars.conflict_type(), at);
    return;
  }
  const TypeKind lk = c.types.kind(l.value), rk = c.types.kind(r.value);
  // Widening comes first: to `f64`, else to the type that holds more.
  auto rank = [](TypeKind k) {
    switch (k) {
      case TypeKind::u8: return 0;
      case TypeKind::i32: return 1;
      case TypeKind::u32: return 2;
      case TypeKind::i64: return 3;
      case TypeKind::u64: return 4;
      default: return 5;
    }
  };
  const bool left_narrow = rank(lk) < rank(rk);
  const Side& narrow = left_narrow ? l : r;
  const Side& wide = left_narrow ? r : l;
  c.sink.error(Code::NK1199, at, described(c, l.value), described(c, r.value), source_text(c, c.span(narrow.expr)),
               spelled(c, wide.value));
}

// The one field of a struct that is a number, as `a.total`; empty where there is none or more than one.
std::string numeric_field(Checker& c, const Side& s) {
  if (!c.as<ast::PathExpr>(unwrapped(c, s.expr))) return {};
  const TypeDeclId decl = c.decl_of(c.seen_through(s.value));
  if (!decl.valid() || c.decls.types[decl].kind != TypeDeclKind::struct_) return {};
  std::string found;
  for (const FieldInfo& f : c.decls.types[decl].fields) {
    if (!c.types.is_number(f.type)) continue;
    if (!found.empty()) return {};
    found = source_text(c, c.span(s.expr)) + "." + std::string(c.text(f.name));
  }
  return found;
}

TypeId report_no_arithmetic(Checker& c, const char* op, const Side& l, const Side& r, Span at) {
  for (const Side* s : {&l, &r}) {
    const Side& other = s == &l ? r : l;
    if (s->kind == Operand::param) {
      c.sink.error(Code::NK1126, at, spelled(c, c.seen_through(s->value)), op);
      return c.error;
    }
    if (s->kind != Operand::aggregate) continue;
    const TypeId seen = c.seen_through(s->value);
    if (c.is_named(seen, c.decls.vec) && other.kind == Operand::aggregate) {
      c.sink.error(Wording::NK1191_lists, at, op, described(c, seen), source_text(c, c.span(l.expr)),
                   source_text(c, c.span(r.expr)));
      return c.error;
    }
    const std::string field = numeric_field(c, *s);
    if (!field.empty()) {
      const std::string left = s == &l ? field : source_text(c, c.span(l.expr));
      const std::string right = s == &r ? field : source_text(c, c.span(r.expr));
      c.sink.error(Wording::NK1191_field, at, op, described(c, seen),
                   std::string(left).append(" ").append(op).append(" ").append(right));
    } else {
      c.sink.error(Code::NK1191, at, op, described(c, seen), spelled(c, seen));
    }
    return c.error;
  }
  const bool both_take_it = l.kind == Operand::number || l.kind == Operand::text;
  const Side& odd = both_take_it ? r : l;
  const bool odd_takes_it = odd.kind == Operand::number || (odd.kind == Operand::text && op[0] == '+');
  if (odd_takes_it) {
    c.sink.error(Wording::NK1913_pair, at, op, described_open(c, l.type), described_open(c, r.type));
  } else {
    c.sink.error(Code::NK1913, c.span(odd.expr), op, described_open(c, odd.type));
  }
  return c.error;
}

// `d + e`, `d - e`, `d * n`, `d / n` (07 §8).
bool is_duration_arithmetic(BinaryOp op, const Side& l, const Side& r) {
  if (l.kind != Operand::duration) return false;
  if (op == BinaryOp::add || op == BinaryOp::sub) return r.kind == Operand::duration;
  return (op == BinaryOp::mul || op == BinaryOp::div) && r.kind == Operand::number;
}

TypeId arithmetic(Checker& c, BinaryOp op, const char* word, Side l, Side r, Span at) {
  if (l.kind == Operand::error || r.kind == Operand::error) return c.error;
  if (is_duration_arithmetic(op, l, r)) {
    use_value(c, l);
    use_value(c, r);
    if (r.kind == Operand::number && c.types.kind(r.value) == TypeKind::f64) {
      return report_no_arithmetic(c, word, l, r, at);
    }
    return l.value;
  }
  if (op == BinaryOp::add && l.kind == Operand::text && r.kind == Operand::text) return c.string;
  if (l.kind == Operand::open || r.kind == Operand::open) {
    const Side& known = l.kind == Operand::open ? r : l;
    if (known.kind == Operand::text) {
      c.vars.unify(l.kind == Operand::open ? l.value : r.value, c.string, at);
      return op == BinaryOp::add ? c.string : report_no_arithmetic(c, word, l, r, at);
    }
    if (known.kind != Operand::number && known.kind != Operand::open) return report_no_arithmetic(c, word, l, r, at);
    c.vars.unify(l.value, r.value, at);
    note_operands(c, l.expr, r.expr);
    return c.shallow(l.value);
  }
  if (l.kind != Operand::number || r.kind != Operand::number) return report_no_arithmetic(c, word, l, r, at);
  if (!c.vars.unify(l.value, r.value, at)) {
    report_mixed(c, l, r, at);
    return c.error;
  }
  use_value(c, l);
  use_value(c, r);
  note_operands(c, l.expr, r.expr);
  return c.types.kind(l.value) == TypeKind::infer ? r.value : l.value;
}

bool is_integer_like(Checker& c, const Side& s) {
  if (const Variable* v = c.vars.class_of(s.value)) return v->kind == VarKind::number || v->kind == VarKind::open;
  return c.types.is_integer(s.value);
}

TypeId bits(Checker& c, BinaryOp op, const char* word, Side l, Side r, Span at) {
  if (l.kind == Operand::error || r.kind == Operand::error) return c.error;
  for (const Side* s : {&l, &r}) {
    if (is_integer_like(c, *s)) continue;
    if (s->kind == Operand::param) {
      c.sink.error(Code::NK1126, at, spelled(c, c.seen_through(s->value)), word);
    } else if (c.types.kind(s->value) == TypeKind::bool_ && !is_shift(op)) {
      const char* meant = op == BinaryOp::bit_and ? "&&" : op == BinaryOp::bit_or ? "||" : "!=";
      c.sink.error(Wording::NK1198_on_bool, c.span(s->expr), word,
                   source_text(c, c.span(l.expr)) + " " + meant + " " + source_text(c, c.span(r.expr)));
    } else {
      c.sink.error(Code::NK1198, c.span(s->expr), word, described_open(c, s->type));
    }
    return c.error;
  }
  use_value(c, l);
  use_value(c, r);
  if (is_shift(op)) return l.value;
  if (!c.vars.unify(l.value, r.value, at)) {
    report_mixed(c, l, r, at);
    return c.error;
  }
  note_operands(c, l.expr, r.expr);
  return c.types.kind(l.value) == TypeKind::infer ? r.value : l.value;
}

bool is_null(const Checker& c, ExprId e) {
  return c.as<ast::NullLit>(unwrapped(c, e)) != nullptr;
}

TypeId compare_with_null(Checker& c, const ast::BinaryExpr& b) {
  const ExprId null_side = is_null(c, b.left) ? b.left : b.right;
  const ExprId other = is_null(c, b.left) ? b.right : b.left;
  if (is_null(c, other)) {
    infer(c, null_side);
    infer(c, other);
    return c.bool_;
  }
  const TypeId t = infer(c, other);
  TypeId value = c.shallow(t);
  if (c.types.kind(value) == TypeKind::ref) value = c.shallow(c.argument_of(value, 0));
  const TypeKind k = c.types.kind(value);
  if (const Variable* v = c.vars.class_of(value); v && v->kind == VarKind::open) {
    const TypeId absent = c.types.nullable(c.open(Origin::null_value, c.span(null_side)));
    c.vars.unify(value, absent, c.span(other));
    infer(c, null_side, {absent, nullptr, true});
    return c.bool_;
  }
  if (k != TypeKind::nullable && k != TypeKind::error && k != TypeKind::never) {
    c.sink.error(Code::NK1917, b.op_span, source_text(c, c.span(other)));
    c.set_type(null_side, c.error);
    return c.bool_;
  }
  infer(c, null_side, {value, nullptr, true});
  return c.bool_;
}

// What two values are compared as: views and stamps seen through.
TypeId compared_as(Checker& c, TypeId t) {
  for (;;) {
    t = c.as_value(t);
    const Type& type = c.types[t];
    if (type.kind != TypeKind::ref) return t;
    t = type.args[0];
  }
}

TypeId compare(Checker& c, ExprId e, const ast::BinaryExpr& b) {
  if ((b.op == BinaryOp::eq || b.op == BinaryOp::ne) && (is_null(c, b.left) || is_null(c, b.right))) {
    return compare_with_null(c, b);
  }
  const TypeId lt = infer(c, b.left);
  const TypeId rt = infer(c, b.right, {compared_as(c, lt), nullptr, true});
  Side l = side_of(c, b.left, lt), r = side_of(c, b.right, rt);
  if (l.kind == Operand::error || r.kind == Operand::error) return c.bool_;
  const TypeId la = compared_as(c, lt), ra = compared_as(c, rt);
  const bool numbers = l.kind == Operand::number && r.kind == Operand::number;
  const bool texts = l.kind == Operand::text && r.kind == Operand::text;
  if (!texts && !c.vars.unify(la, ra, c.span(e))) {
    if (numbers) {
      report_mixed(c, l, r, c.span(e));
    } else if (is_order(b.op)) {
      c.sink.error(Wording::NK1913_pair, c.span(e), spelling(b.op), described_open(c, lt), described_open(c, rt));
    } else {
      c.sink.error(Wording::NK1102_compared, c.span(e), described_open(c, lt), described_open(c, rt));
    }
    c.vars.silence(lt);
    c.vars.silence(rt);
    return c.bool_;
  }
  if (numbers) note_operands(c, b.left, b.right);
  if (!texts) {
    if (c.vars.copies(la)) {
      if (!(c.shallow(lt) == la)) c.set_wanted(b.left, la);
      if (!(c.shallow(rt) == la)) c.set_wanted(b.right, la);
    }
    Deferred d;
    d.kind = is_order(b.op) ? Deferred::Kind::orders : Deferred::Kind::compares;
    d.expr = b.left;
    d.type = la;
    d.span = c.span(e);
    d.extra = static_cast<std::uint32_t>(b.op);
    defer(c, d);
  }
  return c.bool_;
}

BinaryOp binary_of(ast::AssignOp op) {
  switch (op) {
    case ast::AssignOp::sub: return BinaryOp::sub;
    case ast::AssignOp::mul: return BinaryOp::mul;
    case ast::AssignOp::div: return BinaryOp::div;
    case ast::AssignOp::rem: return BinaryOp::rem;
    case ast::AssignOp::bit_and: return BinaryOp::bit_and;
    case ast::AssignOp::bit_or: return BinaryOp::bit_or;
    case ast::AssignOp::bit_xor: return BinaryOp::bit_xor;
    case ast::AssignOp::shl: return BinaryOp::shl;
    case ast::AssignOp::shr: return BinaryOp::shr;
    default: return BinaryOp::add;
  }
}

bool is_map_read(Checker& c, ExprId e) {
  e = unwrapped(c, e);
  if (c.as<ast::IndexExpr>(e)) return c.out->index_of[e] == IndexKind::map;
  const CallId call = c.as<ast::CallExpr>(e) ? c.out->call_of[e] : CallId();
  return call.valid() && c.out->calls[call].fn.valid() && c.decls.fns[c.out->calls[call].fn].key == "HashMap.get";
}

bool roots_in_view(Checker& c, ExprId e) {
  for (;;) {
    e = unwrapped(c, e);
    if (auto* m = c.as<ast::MemberExpr>(e)) {
      e = m->object;
    } else if (auto* t = c.as<ast::TuplePartExpr>(e)) {
      e = t->object;
    } else if (auto* i = c.as<ast::IndexExpr>(e)) {
      e = i->object;
    } else {
      return c.kind(c.type_of(e)) == TypeKind::ref;
    }
  }
}

}  // namespace

TypeId infer_unary(Checker& c, ExprId e, const ast::UnaryExpr& u, Expect x) {
  const TypeId t = infer(c, u.operand, {x.type, nullptr, true});
  Side s = side_of(c, u.operand, t);
  if (s.kind == Operand::error) return c.error;
  if (u.op == ast::UnaryOp::negate) {
    note_number(c, NumberStep::Kind::negate, e);
    if (s.kind == Operand::param) {
      c.sink.error(Code::NK1126, c.span(e), spelled(c, c.seen_through(s.value)), "-");
      return c.error;
    }
    if (s.kind != Operand::number && s.kind != Operand::open) {
      c.sink.error(Code::NK1913, c.span(u.operand), "-", described_open(c, t));
      return c.error;
    }
    use_value(c, s);
    const TypeKind k = c.types.kind(s.value);
    if (k == TypeKind::u8 || k == TypeKind::u32 || k == TypeKind::u64) {
      c.sink.error(Wording::NK1913_unsigned, c.span(u.operand), described(c, s.value),
                   source_text(c, c.span(u.operand)));
      return c.error;
    }
    return s.value;
  }
  if (c.types.kind(s.value) == TypeKind::bool_ || is_integer_like(c, s)) {
    use_value(c, s);
    return s.value;
  }
  c.sink.error(
      Code::NK1108, c.span(u.operand), described_open(c, t),
      source_text(c, c.span(u.operand)) + (c.types.kind(s.value) == TypeKind::nullable ? " == null" : " == …"));
  return c.error;
}

TypeId infer_binary(Checker& c, ExprId e, const ast::BinaryExpr& b, Expect x) {
  if (b.op == BinaryOp::and_ || b.op == BinaryOp::or_) {
    check_condition(c, b.left);
    check_condition(c, b.right);
    return c.bool_;
  }
  if (b.op >= BinaryOp::eq) return compare(c, e, b);
  const Expect hint{x.type.valid() && c.types.is_number(c.shallow(x.type)) ? x.type : TypeId(), nullptr, true};
  const TypeId lt = infer(c, b.left, hint);
  const TypeId rt = infer(c, b.right, is_shift(b.op) ? Expect{} : hint);
  const Side l = side_of(c, b.left, lt), r = side_of(c, b.right, rt);
  if (is_bit_op(b.op) || is_shift(b.op)) return bits(c, b.op, spelling(b.op), l, r, c.span(e));
  const TypeId t = arithmetic(c, b.op, spelling(b.op), l, r, c.span(e));
  note_number(c, NumberStep::Kind::binary, e);
  return t;
}

void check_compound(Checker& c, const ast::AssignStmt& a, Span span, TypeId place) {
  const BinaryOp op = binary_of(a.op);
  const ExprId target = unwrapped(c, a.place);
  if (c.as<ast::IndexExpr>(target) && c.out->index_of[target] == IndexKind::map) {
    infer(c, a.value);
    const std::string text = source_text(c, c.span(a.place));
    c.sink.error(Code::NK1162, c.span(a.place), text, spelling(op), std::string("0"));
    return;
  }
  const TypeId value = infer(c, a.value);
  const Side l = side_of(c, a.place, place), r = side_of(c, a.value, value);
  const Span at = c.span(a.value).has_text() ? join(c.span(a.place), c.span(a.value)) : span;
  if (is_bit_op(op) || is_shift(op)) {
    bits(c, op, spelling(a.op), l, r, at);
    return;
  }
  const TypeId t = arithmetic(c, op, spelling(a.op), l, r, at);
  if (t == c.string) {
    // Text joined to a name makes it text of its own.
    if (c.vars.class_of(place)) {
      c.vars.unify(place, c.string, at);
    } else if (c.kind(place) != TypeKind::string) {
      Slot slot;
      slot.kind = Slot::Kind::assign;
      slot.place = a.place;
      report_mismatch(c, a.value, c.string, place, slot);
    }
  }
}

TypeId infer_range(Checker& c, ExprId e, const ast::RangeExpr& r) {
  const TypeId lt = infer(c, r.low);
  const TypeId ht = infer(c, r.high);
  const Side l = side_of(c, r.low, lt), h = side_of(c, r.high, ht);
  if (l.kind == Operand::error || h.kind == Operand::error) return c.error;
  const char* word = r.is_inclusive ? ".." : "..<";
  for (const Side* s : {&l, &h}) {
    if (is_integer_like(c, *s)) continue;
    if (s->kind == Operand::number && c.types.kind(s->value) != TypeKind::f64) continue;
    c.sink.error(Code::NK1913, c.span(s->expr), word, described_open(c, s->type));
    return c.error;
  }
  if (!c.vars.unify(l.value, h.value, c.span(e))) {
    report_mixed(c, l, h, c.span(e));
    return c.error;
  }
  use_value(c, l);
  use_value(c, h);
  note_operands(c, r.low, r.high);
  return c.types.range(c.types.kind(l.value) == TypeKind::infer ? h.value : l.value);
}

TypeId infer_cast(Checker& c, ExprId e, const ast::CastExpr& x) {
  const TypeId from = infer(c, x.operand);
  const TypeId written = c.resolved->types[x.type];
  const TypeId to = written.valid() ? written : c.error;
  const TypeKind tk = c.types.kind(to);
  const Span at = c.tree->types[x.type].span;
  if (!written.valid()) {
    c.sink.error(Code::NK1122, at, described_open(c, from), quoted_source(c, at), nearest_number(source_text(c, at)));
    return c.error;
  }
  if (tk == TypeKind::error) return c.error;
  const Side s = side_of(c, x.operand, from);
  if (s.kind == Operand::error) return to;
  const TypeKind sk = c.types.kind(s.value);
  if (tk == TypeKind::char_) {
    if (sk == TypeKind::u8) {
      use_value(c, s);
      return to;
    }
    if (const Variable* v = c.vars.class_of(s.value); v && v->kind == VarKind::number && !v->is_named) {
      c.vars.unify(s.value, c.u8, c.span(x.operand));
      return to;
    }
    if (c.types.is_number(s.value) || s.kind == Operand::number) {
      c.sink.error(Wording::NK1122_char_from, at, described_open(c, from), source_text(c, c.span(x.operand)));
      return to;
    }
  }
  const bool number = s.kind == Operand::number || s.kind == Operand::open;
  const bool char_to_integer = sk == TypeKind::char_ && c.types.is_integer(to);
  if (!c.types.is_number(to) || !(number || char_to_integer)) {
    c.sink.error(Code::NK1122, at, described_open(c, from), "`" + source_text(c, at) + "`",
                 nearest_number(source_text(c, at)));
    return c.types.is_number(to) ? to : c.error;
  }
  use_value(c, s);
  (void)e;
  return to;
}

TypeId infer_coalesce(Checker& c, ExprId e, const ast::CoalesceExpr& x, Expect want) {
  TypeId left_hint;
  if (want.type.valid()) {
    const TypeId w = c.shallow(want.type);
    if (c.types.kind(w) != TypeKind::infer) left_hint = c.types.nullable(w);
  }
  const TypeId lt = infer(c, x.left, {left_hint, nullptr, true});
  TypeId left = c.shallow(lt);
  const bool through_view = c.types.kind(left) == TypeKind::ref;
  if (through_view) left = c.shallow(c.argument_of(left, 0));
  if (const Variable* v = c.vars.class_of(left); v && v->kind == VarKind::open) {
    const TypeId absent = c.types.nullable(c.open(Origin::null_value, c.span(x.left)));
    c.vars.unify(left, absent, c.span(x.left));
    left = c.shallow(left);
  }
  const TypeKind k = c.types.kind(left);
  if (k == TypeKind::error || k == TypeKind::never) {
    infer(c, x.right, {want.type, nullptr, true});
    return c.error;
  }
  if (k != TypeKind::nullable) {
    infer(c, x.right, {left, nullptr, true});
    const ExprId inner = unwrapped(c, x.left);
    auto* index = c.as<ast::IndexExpr>(inner);
    if (index && c.out->index_of[inner] != IndexKind::map) {
      c.sink.error(Wording::NK1211_index, c.span(x.left), source_text(c, c.span(x.left)),
                   source_text(c, c.span(index->index)), source_text(c, c.span(index->object)));
    } else {
      c.sink.error(Code::NK1211, c.span(x.left), source_text(c, c.span(x.left)));
    }
    return c.error;
  }
  TypeId inside = c.shallow(c.argument_of(left, 0));
  const TypeId viewed = c.lent(inside);
  if (through_view) inside = viewed;
  const TypeId right = infer(c, x.right, {inside, nullptr, true});
  const TypeKind rk = c.kind(right);
  if (rk == TypeKind::error) return c.error;
  if (rk == TypeKind::never) {
    const bool is_view = is_deep_place(c, x.left) && roots_in_view(c, x.left);
    return is_view ? viewed : inside;
  }
  // A view of somebody else's beside a value made here asks for two things at once.
  const bool owns =
      rk != TypeKind::ref && rk != TypeKind::nullable && !is_place(c, x.right) && !is_text_literal(c, x.right);
  if (c.types.kind(inside) == TypeKind::ref && owns && !c.vars.copies(right)) {
    c.vars.silence(right);
    const bool reads_map = is_map_read(c, x.left);
    c.sink.error(reads_map ? MessageText(Wording::NK1185_map) : MessageText(Code::NK1185), c.span(x.right),
                 source_text(c, c.span(x.left)));
    return c.error;
  }
  if (rk == TypeKind::nullable) {
    if (fits(c, x.right, right, left)) return c.types.nullable(inside);
  } else if (fits(c, x.right, right, inside)) {
    return inside;
  }
  (void)e;
  c.sink.error(Code::NK1911, c.span(x.right), described(c, inside), described_open(c, right));
  return c.error;
}

}  // namespace nikaia::lang::typing
