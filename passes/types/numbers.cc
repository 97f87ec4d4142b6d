// Number inference's end (01 §7) and the fold (01 §6.5).
//
// While a body is walked, literals are number classes and every step a constant goes through is noted, parts before
// wholes. At the end two passes over the notes suffice. The first finds the literal-only expressions, which count by
// their value however they are spelled: one that stands by itself makes its class as wide as the value needs, one
// beside a name does not. Then classes nobody asked anything of take the smaller of `i32` and `i64`. The second pass
// folds, through immutable names too, and refuses what the decided types cannot hold, at the innermost operation.
#include "passes/types/checker.h"

#include <optional>

namespace nikaia::lang::typing {

namespace {

constexpr Wide i32_max = 0x7fffffff;
constexpr Wide i64_max = 0x7fffffffffffffff;
constexpr Wide u32_max = 0xffffffff;
constexpr Wide u64_max = (Wide{1} << 64) - 1;

struct Limits {
  Wide low = 0, high = 0;
};

Limits limits_of(TypeKind k) {
  switch (k) {
    case TypeKind::i32: return {-i32_max - 1, i32_max};
    case TypeKind::i64: return {-i64_max - 1, i64_max};
    case TypeKind::u8: return {0, 255};
    case TypeKind::u32: return {0, u32_max};
    case TypeKind::u64: return {0, u64_max};
    default: return {-u64_max, u64_max};
  }
}

std::string decimal(Wide v) {
  if (v == 0) return "0";
  const bool negative = v < 0;
  std::string digits;
  while (v != 0) {
    const int d = static_cast<int>(v % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (d < 0 ? -d : d)));
    v /= 10;
  }
  return negative ? "-" + digits : digits;
}

class NumberEnd {
 public:
  explicit NumberEnd(Checker& c) : c_(c) {}

  void run() {
    c_.folds.clear();
    for (const NumberStep& s : c_.number_steps) find_literal(s);
    widen();
    c_.vars.decide_numbers();
    for (const NumberStep& s : c_.number_steps) fold(s);
    c_.number_steps.clear();
  }

 private:
  Folded* of(ExprId e) {
    if (!e.valid()) return nullptr;
    const std::uint32_t i = c_.fold_of[e];
    return i == Checker::no_fold ? nullptr : &c_.folds[i];
  }

  Folded& put(ExprId e, Wide value, bool literal_only) {
    c_.fold_of[e] = static_cast<std::uint32_t>(c_.folds.size());
    Folded f;
    f.value = value;
    f.expr = e;
    f.is_literal_only = literal_only;
    c_.folds.push_back(f);
    return c_.folds.back();
  }

  static std::optional<Wide> compute(ast::BinaryOp op, Wide a, Wide b) {
    Wide r = 0;
    switch (op) {
      case ast::BinaryOp::add: r = a + b; break;
      case ast::BinaryOp::sub: r = a - b; break;
      case ast::BinaryOp::mul:
        if (__builtin_mul_overflow(a, b, &r)) return std::nullopt;
        break;
      case ast::BinaryOp::div:
        if (b == 0) return std::nullopt;
        r = a / b;
        break;
      case ast::BinaryOp::rem:
        if (b == 0) return std::nullopt;
        r = a % b;
        break;
      default: return std::nullopt;
    }
    if (r > u64_max || r < -u64_max) return std::nullopt;
    return r;
  }

  // ---- the first pass

  void find_literal(const NumberStep& s) {
    switch (s.kind) {
      case NumberStep::Kind::literal:
        put(s.expr, static_cast<Wide>(c_.as<ast::IntegerLit>(s.expr)->value), true);
        return;
      case NumberStep::Kind::paren: wrap(s.expr, c_.as<ast::ParenExpr>(s.expr)->inner, false); return;
      case NumberStep::Kind::negate: wrap(s.expr, c_.as<ast::UnaryExpr>(s.expr)->operand, true); return;
      case NumberStep::Kind::binary: {
        auto* b = c_.as<ast::BinaryExpr>(s.expr);
        Folded* l = of(b->left);
        Folded* r = of(b->right);
        if (!l || !r) return;
        const std::optional<Wide> value = compute(b->op, l->value, r->value);
        if (!value) return;
        l->is_consumed = r->is_consumed = true;
        put(s.expr, *value, true);
        return;
      }
      case NumberStep::Kind::operands: {
        Folded* l = of(s.expr);
        Folded* r = of(s.other);
        if (l && !r) l->is_beside = true;
        if (r && !l) r->is_beside = true;
        return;
      }
      case NumberStep::Kind::path:
      case NumberStep::Kind::let: return;
    }
  }

  void wrap(ExprId e, ExprId inner, bool negated) {
    Folded* f = of(inner);
    if (!f) return;
    f->is_consumed = true;
    const Wide value = negated ? -f->value : f->value;
    put(e, value, true);
  }

  void widen() {
    for (const Folded& f : c_.folds) {
      if (f.is_consumed || f.is_beside) continue;
      Variable* v = c_.vars.class_of(c_.type_of(f.expr));
      if (!v || v->bound.valid() || v->kind != VarKind::number) continue;
      const Room room = f.value > i64_max                             ? Room::u64
                        : f.value > i32_max || f.value < -i32_max - 1 ? Room::i64
                                                                      : Room::i32;
      if (room > v->room) v->room = room;
    }
  }

  // ---- the second pass

  TypeKind kind_of(ExprId e) { return c_.kind(c_.type_of(e)); }

  void fold(const NumberStep& s) {
    switch (s.kind) {
      case NumberStep::Kind::literal: hold_literal(s.expr); return;
      case NumberStep::Kind::paren:
        if (Folded* f = of(s.expr)) {
          hold(*f);
        } else {
          alias(s.expr, c_.as<ast::ParenExpr>(s.expr)->inner);
        }
        return;
      case NumberStep::Kind::path:
        if (const std::uint32_t i = c_.local_fold[s.local]; i != Checker::no_fold && c_.folds[i].is_known) {
          put(s.expr, c_.folds[i].value, false);
        }
        return;
      case NumberStep::Kind::negate: fold_negation(s.expr); return;
      case NumberStep::Kind::binary: fold_binary(s.expr); return;
      case NumberStep::Kind::let:
        if (Folded* f = of(s.expr); f && f->is_known) c_.local_fold[s.local] = c_.fold_of[s.expr];
        return;
      case NumberStep::Kind::operands: return;
    }
  }

  void alias(ExprId e, ExprId inner) {
    if (Folded* f = of(inner); f && f->is_known) put(e, Wide{f->value}, false);
  }

  void hold_literal(ExprId e) {
    if (Folded* f = of(e)) hold(*f);
  }

  // A literal-only expression that stands by itself: it has the type its place gives it.
  void hold(Folded& f) {
    if (f.is_consumed) return;
    const TypeKind k = kind_of(f.expr);
    if (k == TypeKind::f64 || k == TypeKind::error) {
      f.is_known = false;
      return;
    }
    const Wide value = f.value;
    const ExprId e = f.expr;
    if (!check(e, value, k)) {
      f.is_known = false;
      return;
    }
    if (!c_.as<ast::IntegerLit>(e) && !c_.as<ast::ParenExpr>(e))
      c_.out->constants.emplace(e, static_cast<std::uint64_t>(value));
    if (auto* p = c_.as<ast::ParenExpr>(e)) {
      // What stands in the brackets is the value.
      ExprId inner = unwrapped(c_, p->inner);
      if (!c_.as<ast::IntegerLit>(inner)) c_.out->constants.emplace(inner, static_cast<std::uint64_t>(value));
    }
  }

  void fold_negation(ExprId e) {
    auto* u = c_.as<ast::UnaryExpr>(e);
    if (Folded* f = of(e)) return hold(*f);
    const TypeKind k = kind_of(e);
    if (k == TypeKind::u8 || k == TypeKind::u32 || k == TypeKind::u64) {
      c_.sink.error(Wording::NK1913_unsigned, c_.span(u->operand), described(c_, c_.type_of(e)),
                    source_text(c_, c_.span(u->operand)));
      return;
    }
    Folded* f = of(u->operand);
    if (!f || !f->is_known || k == TypeKind::f64 || k == TypeKind::error) return;
    const Wide value = -f->value;
    if (check(e, value, k)) put(e, value, false);
  }

  void fold_binary(ExprId e) {
    auto* b = c_.as<ast::BinaryExpr>(e);
    const TypeKind k = kind_of(e);
    const bool is_integer =
        k == TypeKind::i32 || k == TypeKind::i64 || k == TypeKind::u8 || k == TypeKind::u32 || k == TypeKind::u64;
    Folded* r = of(b->right);
    const bool divides = b->op == ast::BinaryOp::div || b->op == ast::BinaryOp::rem;
    if (is_integer && divides && r && r->is_known && r->value == 0) {
      const std::string text = source_text(c_, c_.span(b->right));
      c_.sink.error(Code::NK1118, c_.span(b->right),
                    c_.as<ast::IntegerLit>(unwrapped(c_, b->right)) ? text : "`" + text + "`", text);
      return;
    }
    if (Folded* f = of(e)) return hold(*f);
    Folded* l = of(b->left);
    if (!is_integer || !l || !r || !l->is_known || !r->is_known) return;
    const std::optional<Wide> value = compute(b->op, l->value, r->value);
    if (!value) return;
    if (check(e, *value, k)) put(e, *value, false);
  }

  bool check(ExprId e, Wide value, TypeKind k) {
    const Limits limits = limits_of(k);
    if (value >= limits.low && value <= limits.high) return true;
    const TypeId t = c_.types.basic(k);
    const bool below = value < limits.low;
    auto report =
        c_.sink.error(below ? MessageText(Wording::NK1116_below) : MessageText(Code::NK1116), c_.span(e),
                      decimal(value), described(c_, t), decimal(below ? limits.low : limits.high), spelled(c_, t));
    report.primary_label("does not fit");
    const LocalId name = first_name(e);
    if (name.valid()) {
      report.label(c_.resolved->locals[name].span, "this is " + described(c_, t));
      report.note("Arithmetic happens in the type of the names in it, and a name keeps the type it was given.");
      if (!below && value <= i64_max) {
        report.help("Give the name the wider type: `let " + std::string(c_.text(c_.resolved->locals[name].name)) +
                    ": i64 = …`.");
      }
    } else if (const Variable* v = c_.vars.class_of(c_.type_of(e));
               v && v->ask_span.has_text() && v->ask_span != c_.span(e)) {
      report.label(v->ask_span, "this use asks for " + described(c_, t));
    }
    return false;
  }

  // The first name in an operation, whose type the operation happens in.
  LocalId first_name(ExprId e) {
    e = unwrapped(c_, e);
    if (auto* b = c_.as<ast::BinaryExpr>(e)) {
      const LocalId left = first_name(b->left);
      return left.valid() ? left : first_name(b->right);
    }
    if (auto* u = c_.as<ast::UnaryExpr>(e)) return first_name(u->operand);
    const Resolution r = c_.resolved->exprs[e];
    return c_.as<ast::PathExpr>(e) && r.kind == Resolution::Kind::local ? r.local() : LocalId();
  }

  Checker& c_;
};

}  // namespace

TypeId infer_integer(Checker& c, ExprId e, const ast::IntegerLit& lit) {
  if (lit.overflows) {
    c.sink.error(Wording::NK1116_no_type, c.span(e), source_text(c, c.span(e)));
    return c.error;
  }
  note_number(c, NumberStep::Kind::literal, e);
  return c.vars.make(VarKind::number, Origin::none, c.span(e));
}

void note_number(Checker& c, NumberStep::Kind kind, ExprId e, LocalId local) {
  c.number_steps.push_back({kind, e, ExprId(), local});
}

void note_operands(Checker& c, ExprId left, ExprId right) {
  c.number_steps.push_back({NumberStep::Kind::operands, left, right, LocalId()});
}

void finish_numbers(Checker& c) {
  NumberEnd(c).run();
}

}  // namespace nikaia::lang::typing
