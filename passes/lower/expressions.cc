// Expressions: the operand an expression comes to, kept or only read, and the place where it lies.
#include "passes/lower/lowering.h"

namespace nikaia::lang::lower {

using namespace ast;

namespace {

nir::BinaryOp nir_op(ast::BinaryOp op) {
  switch (op) {
    case ast::BinaryOp::add: return nir::BinaryOp::add;
    case ast::BinaryOp::sub: return nir::BinaryOp::sub;
    case ast::BinaryOp::mul: return nir::BinaryOp::mul;
    case ast::BinaryOp::div: return nir::BinaryOp::div;
    case ast::BinaryOp::rem: return nir::BinaryOp::rem;
    case ast::BinaryOp::shl: return nir::BinaryOp::shl;
    case ast::BinaryOp::shr: return nir::BinaryOp::shr;
    case ast::BinaryOp::bit_and: return nir::BinaryOp::bit_and;
    case ast::BinaryOp::bit_xor: return nir::BinaryOp::bit_xor;
    case ast::BinaryOp::bit_or: return nir::BinaryOp::bit_or;
    case ast::BinaryOp::eq: return nir::BinaryOp::eq;
    case ast::BinaryOp::ne: return nir::BinaryOp::ne;
    case ast::BinaryOp::lt: return nir::BinaryOp::lt;
    case ast::BinaryOp::le: return nir::BinaryOp::le;
    case ast::BinaryOp::gt: return nir::BinaryOp::gt;
    default: return nir::BinaryOp::ge;
  }
}

bool is_comparison(ast::BinaryOp op) {
  return op >= ast::BinaryOp::eq && op <= ast::BinaryOp::ge;
}

}  // namespace

TypeId FnLowering::wanted(ExprId e) const {
  TypeId w = types_.wanted[e];
  return w.valid() ? w : types_.exprs[e];
}

ExprId FnLowering::bare(ExprId e) const {
  while (auto* p = std::get_if<ParenExpr>(&tree_.exprs[e].node)) e = p->inner;
  return e;
}

bool FnLowering::is_place(ExprId e) const {
  const auto& node = tree_.exprs[e].node;
  if (std::holds_alternative<PathExpr>(node) || std::holds_alternative<SelfExpr>(node)) {
    return names_.exprs[e].kind == Resolution::Kind::local;
  }
  if (auto* p = std::get_if<ParenExpr>(&node)) return is_place(p->inner);
  if (auto* x = std::get_if<MemberExpr>(&node)) return !x->is_safe;
  if (auto* x = std::get_if<TuplePartExpr>(&node)) return !x->is_safe;
  if (std::holds_alternative<IndexExpr>(node)) {
    IndexKind k = types_.index_of[e];
    return k == IndexKind::list || k == IndexKind::array || k == IndexKind::run || k == IndexKind::bytes;
  }
  return false;
}

// Whether lowering `e` pushes something that could change a variable or be changed by one.
bool FnLowering::has_effects(ExprId e) const {
  const auto& node = tree_.exprs[e].node;
  if (auto* p = std::get_if<ParenExpr>(&node)) return has_effects(p->inner);
  if (auto* x = std::get_if<MemberExpr>(&node)) return x->is_safe || has_effects(x->object);
  if (auto* x = std::get_if<TuplePartExpr>(&node)) return x->is_safe || has_effects(x->object);
  if (auto* x = std::get_if<IndexExpr>(&node)) return has_effects(x->object) || has_effects(x->index);
  if (auto* x = std::get_if<UnaryExpr>(&node)) return has_effects(x->operand);
  if (auto* x = std::get_if<RefExpr>(&node)) return has_effects(x->operand);
  if (auto* x = std::get_if<CastExpr>(&node)) return has_effects(x->operand);
  if (auto* x = std::get_if<BinaryExpr>(&node)) return has_effects(x->left) || has_effects(x->right);
  return !(std::holds_alternative<IntegerLit>(node) || std::holds_alternative<FloatLit>(node) ||
           std::holds_alternative<TextLit>(node) || std::holds_alternative<CharLit>(node) ||
           std::holds_alternative<BoolLit>(node) || std::holds_alternative<NullLit>(node) ||
           std::holds_alternative<PathExpr>(node) || std::holds_alternative<SelfExpr>(node));
}

// Whether nothing that follows can change what the local holds.
bool FnLowering::stays(NirLocal local) const {
  const nir::Local& l = fn_.locals[local];
  return l.kind == nir::LocalKind::temp ||
         (!l.is_mut && (l.kind == nir::LocalKind::named || l.kind == nir::LocalKind::param));
}

Operand FnLowering::settle(Operand v, Span span) {
  if (v.kind == OperandKind::constant) return v;
  if (v.place.is_local() && fn_.locals[v.place.root].kind == nir::LocalKind::temp) return v;
  if (v.kind == OperandKind::copy && v.place.is_local() && stays(v.place.root)) return v;
  if (v.kind == OperandKind::lend || v.kind == OperandKind::lend_mut) return v;  // takes effect at the call
  TypeId type = v.type;
  NirLocal t = assign_temp(nir::Use{std::move(v)}, type, span);
  return take(place_of_local(t), type);
}

// ---- conversions -------------------------------------------------------------------------------

Operand FnLowering::convert(Operand v, TypeId to, Span span) {
  const TypeId from = v.type;
  if (from == to || !to.valid()) return v;
  const TypeKind fk = table_.kind(from), tk = table_.kind(to);
  if (fk == TypeKind::never || fk == TypeKind::error || tk == TypeKind::error || tk == TypeKind::unit) return v;
  if (tk == TypeKind::named && table_[to].decl == m_.decls.path && table_.is_text(from)) {
    NirLocal made = assign_temp(nir::Cast{std::move(v), to}, to, span);  // text stands where a path is asked
    return take(place_of_local(made), to);
  }
  if (tk == TypeKind::nullable) {
    const TypeId inner = table_[to].args[0];
    if (v.kind == OperandKind::constant && std::holds_alternative<nir::ConstNull>(v.constant)) {
      v.type = to;
      return v;
    }
    if (fk == TypeKind::nullable) {
      // T? to U?: a view that is read as the value it is, or a value that is viewed where it lies.
      const TypeId from_inner = table_[from].args[0];
      Place given = v.place;
      if (v.kind == OperandKind::constant) given = place_of_local(assign_temp(nir::Use{std::move(v)}, from, span));
      return convert_nullable(std::move(given), from_inner, to, span);
    }
    Operand inner_value = convert(std::move(v), inner, span);
    NirLocal t = assign_temp(nir::Wrap{std::move(inner_value)}, to, span);
    return take(place_of_local(t), to);
  }
  if (fk == TypeKind::ref && table_[from].args[0] == to) {
    if (tk == TypeKind::string) {
      NirLocal t = assign_temp(nir::ToText{std::move(v)}, to, span);
      return take(place_of_local(t), to);
    }
    Place pointer;
    if (v.kind == OperandKind::lend || v.kind == OperandKind::lend_mut) {
      return take(v.place, to);
    } else if (v.kind == OperandKind::constant) {
      return v;
    } else {
      pointer = v.place;
    }
    return take(deref(std::move(pointer), to), to);
  }
  if (tk == TypeKind::ref) {
    if (v.kind == OperandKind::constant) {
      NirLocal t = assign_temp(nir::Use{std::move(v)}, from, span);
      return lend(place_of_local(t), from, table_[to].is_mut);
    }
    if (fk == TypeKind::ref) return v;  // a pointer for change read as one for reading
    Operand l = lend(v.place, from, table_[to].is_mut);
    if (l.kind == OperandKind::lend || l.kind == OperandKind::lend_mut) l.type = to;
    return l;
  }
  return v;
}

// What lies at `given`, a `from_inner?`, as the nullable type `to`.
Operand FnLowering::convert_nullable(Place given, TypeId from_inner, TypeId to, Span span) {
  const TypeId inner = table_[to].args[0];
  NirLocal made = new_temp(to, span);
  Operand is_null = bool_of(nir::IsNull{given}, span);
  RegionId null_side = in_region([&] {
    push(nir::Assign{place_of_local(made), nir::Use{constant(nir::ConstNull{}, to)}}, span);
  });
  RegionId some_side = in_region([&] {
    Place some = project(given, {nir::ProjectionKind::some, 0, 0, {}, from_inner});
    const bool lends = table_.kind(inner) == TypeKind::ref && table_.kind(from_inner) != TypeKind::ref;
    Operand value = lends ? lend(some, from_inner) : convert(take(some, from_inner), inner, span);
    if (value.kind == OperandKind::lend) value.type = inner;
    push(nir::Assign{place_of_local(made), nir::Wrap{std::move(value)}}, span);
  });
  push(nir::If{is_null, null_side, some_side}, span);
  return take(place_of_local(made), to);
}

Operand FnLowering::bool_of(nir::Value v, Span span) {
  NirLocal t = assign_temp(std::move(v), table_.basic(TypeKind::bool_), span);
  return copy_of(t);
}

// ---- value, read, place ------------------------------------------------------------------------

Operand FnLowering::value(ExprId e) {
  Operand v = base_value(e);
  return convert(std::move(v), wanted(e), tree_.exprs[e].span);
}

Operand FnLowering::read(ExprId e) {
  const TypeId w = wanted(e);
  if (copies(table_, m_.decls, w) || !(w == type_of(e))) {
    const TypeKind own = table_.kind(type_of(e));
    const bool is_branches = std::holds_alternative<IfExpr>(tree_.exprs[bare(e)].node) ||
                             std::holds_alternative<MatchExpr>(tree_.exprs[bare(e)].node) ||
                             std::holds_alternative<CoalesceExpr>(tree_.exprs[bare(e)].node);
    if (table_.kind(w) == TypeKind::ref && own != TypeKind::ref && own != TypeKind::never &&
        (is_place(e) || is_branches)) {
      Operand l = lend(place(e), type_of(e));
      if (l.kind == OperandKind::lend) l.type = w;
      return l;
    }
    return value(e);
  }
  return lend(place(e), w);
}

Place FnLowering::place(ExprId e) {
  Place p = place_without_span(e);
  p.span = tree_.exprs[e].span;
  return p;
}

Place FnLowering::place_without_span(ExprId e) {
  const Expr& x = tree_.exprs[e];
  if (auto* p = std::get_if<ParenExpr>(&x.node)) return place(p->inner);
  if (is_place(e)) {
    if (std::holds_alternative<PathExpr>(x.node) || std::holds_alternative<SelfExpr>(x.node)) {
      return variable(names_.exprs[e].local());
    }
    if (auto* mem = std::get_if<MemberExpr>(&x.node)) {
      return member_place(e, mem->object, types_.field_of[e], false);
    }
    if (auto* part = std::get_if<TuplePartExpr>(&x.node)) {
      return member_place(e, part->object, part->index, true);
    }
    const auto& index = std::get<IndexExpr>(x.node);
    Place subject = place(index.object);
    TypeId subject_type = type_of(index.object);
    if (table_.kind(subject_type) == TypeKind::ref && table_.kind(table_[subject_type].args[0]) != TypeKind::array) {
      subject_type = table_[subject_type].args[0];
      subject = deref(std::move(subject), subject_type);
    }
    if (table_.kind(subject_type) == TypeKind::named && table_[subject_type].decl == m_.decls.shared) {
      subject_type = table_[subject_type].args[0];
      subject = project(std::move(subject), {nir::ProjectionKind::inside, 0, 0, {}, subject_type});
    }
    Operand at = value(index.index);
    NirLocal position;
    if (at.kind == OperandKind::copy && at.place.is_local() && stays(at.place.root)) {
      position = at.place.root;
    } else {
      TypeId at_type = at.type;
      position = assign_temp(nir::Use{std::move(at)}, at_type, x.span);
    }
    return project(std::move(subject), {nir::ProjectionKind::index, 0, 0, position, type_of(e)});
  }
  TypeId type = type_of(e);
  const bool is_control = std::holds_alternative<IfExpr>(x.node) || std::holds_alternative<MatchExpr>(x.node) ||
                          std::holds_alternative<CoalesceExpr>(x.node);
  if (is_control && !copies(table_, m_.decls, type) && table_.kind(type) != TypeKind::ref) {
    // Only looked at: each branch lends what it comes to.
    Operand lent = control_value(e, true);
    if (lent.kind != OperandKind::constant && table_.kind(lent.type) == TypeKind::ref) return deref(lent.place, type);
    if (lent.kind != OperandKind::constant && lent.place.is_local()) {
      owe_drop(lent.place.root);
      return lent.place;
    }
    return place_of_local(assign_temp(nir::Use{std::move(lent)}, type, x.span));
  }
  Operand v = base_value(e);
  if (v.kind != OperandKind::constant && v.kind != OperandKind::lend && v.kind != OperandKind::lend_mut &&
      v.place.is_local()) {
    owe_drop(v.place.root);
    return v.place;
  }
  NirLocal t = assign_temp(nir::Use{std::move(v)}, type, x.span);
  return place_of_local(t);
}

Place FnLowering::member_place(ExprId e, ExprId object, std::uint32_t index, bool is_tuple) {
  Place p = place(object);
  TypeId t = type_of(object);
  while (true) {
    if (table_.kind(t) == TypeKind::ref) {
      t = table_[t].args[0];
      p = deref(std::move(p), t);
    } else if (table_.kind(t) == TypeKind::named && table_[t].decl == m_.decls.shared) {
      t = table_[t].args[0];
      p = project(std::move(p), {nir::ProjectionKind::inside, 0, 0, {}, t});
    } else if (table_.kind(t) == TypeKind::named && table_[t].decl == m_.decls.seen) {
      t = table_[t].args[0];
    } else {
      break;
    }
  }
  return project(std::move(p),
                 {is_tuple ? nir::ProjectionKind::part : nir::ProjectionKind::field, index, 0, {}, type_of(e)});
}

void FnLowering::effect(ExprId e) {
  const auto& node = tree_.exprs[e].node;
  if (std::holds_alternative<IfExpr>(node)) return if_into(e, std::get<IfExpr>(node), {});
  if (std::holds_alternative<MatchExpr>(node)) return match_into(e, std::get<MatchExpr>(node), {});
  if (std::holds_alternative<SelectExpr>(node)) return select_into(e, std::get<SelectExpr>(node), {});
  if (std::holds_alternative<CatchExpr>(node)) return catch_into(e, std::get<CatchExpr>(node), {});
  if (std::holds_alternative<BlockExpr>(node)) return block_into(std::get<BlockExpr>(node).block, {});
  if (std::holds_alternative<UnsafeExpr>(node)) return block_into(std::get<UnsafeExpr>(node).block, {});
  if (auto* p = std::get_if<ParenExpr>(&node)) return effect(p->inner);
  if (is_place(e)) {
    if (has_effects(e)) place(e);
    return;
  }
  // A result that nobody keeps dies with the statement.
  Operand v = base_value(e);
  if (v.kind == OperandKind::move && v.place.is_local()) owe_drop(v.place.root);
}

// A temporary that was taken and is only looked at after all owes its drop again.
void FnLowering::owe_drop(NirLocal local) {
  if (fn_.locals[local].kind != nir::LocalKind::temp || !needs_drop(fn_.locals[local].type)) return;
  auto& dying = scopes_.back().dying;
  for (NirLocal l : dying) {
    if (l == local) return;
  }
  dying.push_back(local);
}

// ---- by kind -----------------------------------------------------------------------------------

Operand FnLowering::base_value(ExprId e) {
  const Expr& x = tree_.exprs[e];
  const TypeId type = type_of(e);
  const Span span = x.span;
  auto temp = [&](nir::Value v) {
    NirLocal t = assign_temp(std::move(v), type, span);
    return take(place_of_local(t), type);
  };
  if (auto it = types_.constants.find(e); it != types_.constants.end()) {
    if (table_.kind(type) == TypeKind::f64) {
      return constant(nir::ConstFloat{static_cast<double>(static_cast<std::int64_t>(it->second))}, type);
    }
    return constant(nir::ConstInt{it->second}, type);
  }
  if (is_place(e)) {
    Place p = place(e);
    return take(std::move(p), type);
  }
  if (std::holds_alternative<IntegerLit>(x.node) || std::holds_alternative<FloatLit>(x.node) ||
      std::holds_alternative<CharLit>(x.node) || std::holds_alternative<BoolLit>(x.node) ||
      std::holds_alternative<NullLit>(x.node) || std::holds_alternative<TextLit>(x.node)) {
    return literal_operand(e, type);
  }
  if (auto* n = std::get_if<FTextLit>(&x.node)) return format(e, *n);
  if (std::holds_alternative<PathExpr>(x.node)) {
    const Resolution& r = names_.exprs[e];
    switch (r.kind) {
      case Resolution::Kind::fn: return constant(nir::ConstFn{r.fn(), {}}, type);
      case Resolution::Kind::type: return constant(nir::ConstFn{m_.decls.types[r.type()].constructor, {}}, type);
      case Resolution::Kind::variant:
        if (table_.kind(type) == TypeKind::function) return temp(variant_function(e));
        return temp(nir::MakeVariant{type, r.part, {}});
      default: return unit();
    }
  }
  if (auto* n = std::get_if<ParenExpr>(&x.node)) return base_value(n->inner);
  if (auto* n = std::get_if<TupleExpr>(&x.node)) {
    nir::MakeTuple made;
    const auto& parts = table_[type].args;
    std::size_t i = 0;
    for (ExprId part : tree_.list(n->parts)) {
      Operand v = value(part);
      made.parts.push_back(settle(convert(std::move(v), parts[i++], span), span));
    }
    return temp(std::move(made));
  }
  if (auto* n = std::get_if<ListExpr>(&x.node)) {
    nir::MakeList made{type, {}};
    for (ExprId element : tree_.list(n->elements)) {
      Operand v = value(element);
      made.elements.push_back(settle(convert(std::move(v), table_[type].args[0], span), span));
    }
    return temp(std::move(made));
  }
  if (auto* n = std::get_if<StructExpr>(&x.node)) return struct_literal(e, *n);
  if (auto* n = std::get_if<WithExpr>(&x.node)) return with(e, *n);
  if (auto* n = std::get_if<UnaryExpr>(&x.node)) {
    Operand v = value(n->operand);
    nir::UnaryOp op = n->op == ast::UnaryOp::negate          ? nir::UnaryOp::negate
                      : table_.kind(type) == TypeKind::bool_ ? nir::UnaryOp::not_
                                                             : nir::UnaryOp::bit_not;
    // A negated literal is one literal: the smallest value of a type has no positive counterpart.
    if (op == nir::UnaryOp::negate && v.kind == OperandKind::constant) {
      if (auto* i = std::get_if<nir::ConstInt>(&v.constant)) {
        return constant(nir::ConstInt{0 - i->bits}, type);
      }
      if (auto* f = std::get_if<nir::ConstFloat>(&v.constant)) return constant(nir::ConstFloat{-f->value}, type);
    }
    return temp(nir::Unary{op, convert(std::move(v), type, span)});
  }
  if (auto* n = std::get_if<RefExpr>(&x.node)) {
    Place p = place(n->operand);
    TypeId t = type_of(n->operand);
    if (table_.kind(t) == TypeKind::ref) return take(std::move(p), t);
    return lend(std::move(p), t);
  }
  if (auto* n = std::get_if<BinaryExpr>(&x.node)) return binary(e, *n);
  if (auto* n = std::get_if<RangeExpr>(&x.node)) {
    Operand low = settle(value(n->low), span);
    Operand high = value(n->high);
    return temp(nir::MakeRange{std::move(low), std::move(high), n->is_inclusive});
  }
  if (auto* n = std::get_if<CastExpr>(&x.node)) {
    Operand v = value(n->operand);
    const TypeId plain = table_.without_ref(v.type);
    v = convert(std::move(v), plain, span);
    return temp(nir::Cast{std::move(v), type});
  }
  if (std::holds_alternative<IfExpr>(x.node) || std::holds_alternative<MatchExpr>(x.node) ||
      std::holds_alternative<CatchExpr>(x.node) || std::holds_alternative<BlockExpr>(x.node) ||
      std::holds_alternative<UnsafeExpr>(x.node) || std::holds_alternative<CoalesceExpr>(x.node) ||
      std::holds_alternative<SelectExpr>(x.node)) {
    return control_value(e, false);
  }
  if (std::holds_alternative<ReturnExpr>(x.node) || std::holds_alternative<ThrowExpr>(x.node) ||
      std::holds_alternative<BreakExpr>(x.node) || std::holds_alternative<ContinueExpr>(x.node)) {
    jump(e);
    return constant(nir::ConstUnit{}, table_.basic(TypeKind::never));
  }
  if (std::holds_alternative<MemberExpr>(x.node) || std::holds_alternative<TuplePartExpr>(x.node)) {
    return safe_member(e);  // `?.`: the others are places
  }
  if (auto* n = std::get_if<IndexExpr>(&x.node)) return index_value(e, *n);
  if (std::holds_alternative<CallExpr>(x.node)) return call(e);
  if (std::holds_alternative<LambdaExpr>(x.node)) {
    return temp(closure(e, contracts_.is_kept[e] != 0));
  }
  if (auto* n = std::get_if<OverlapExpr>(&x.node)) return overlap(e, *n);
  if (auto* n = std::get_if<SpawnExpr>(&x.node)) return spawn(e, *n);
  return unit();
}

Operand FnLowering::literal_operand(ExprId e, TypeId type) {
  const auto& node = tree_.exprs[e].node;
  if (auto* n = std::get_if<ParenExpr>(&node)) return literal_operand(n->inner, type);
  if (auto* n = std::get_if<IntegerLit>(&node)) {
    if (table_.kind(type) == TypeKind::f64) {
      return constant(nir::ConstFloat{static_cast<double>(n->value)}, type);
    }
    return constant(nir::ConstInt{n->value}, type);
  }
  if (auto* n = std::get_if<FloatLit>(&node)) return constant(nir::ConstFloat{n->value}, type);
  if (auto* n = std::get_if<CharLit>(&node)) return constant(nir::ConstChar{n->value}, type);
  if (auto* n = std::get_if<BoolLit>(&node)) return constant(nir::ConstBool{n->value}, type);
  if (auto* n = std::get_if<TextLit>(&node)) {
    TypeId view = table_.ref(table_.basic(TypeKind::string));
    return convert(constant(nir::ConstText{m_.context.names().intern(tree_.texts[n->text])}, view),
                   table_.kind(type) == TypeKind::string ? type : view, tree_.exprs[e].span);
  }
  if (auto* n = std::get_if<UnaryExpr>(&node)) {
    Operand v = literal_operand(n->operand, type);
    if (auto* i = std::get_if<nir::ConstInt>(&v.constant)) i->bits = 0 - i->bits;
    if (auto* f = std::get_if<nir::ConstFloat>(&v.constant)) f->value = -f->value;
    return v;
  }
  return constant(nir::ConstNull{}, type);
}

Operand FnLowering::binary(ExprId e, const BinaryExpr& b) {
  if (b.op == ast::BinaryOp::and_ || b.op == ast::BinaryOp::or_) return logical(e, b);
  const Span span = tree_.exprs[e].span;
  auto operand = [&](ExprId x) {
    Operand v = read(x);
    TypeId inner = table_.without_ref(v.type);
    if (table_.kind(v.type) == TypeKind::ref && copies(table_, m_.decls, inner))
      return convert(std::move(v), inner, span);
    return v;
  };
  if (is_comparison(b.op)) {
    // `x == null` asks for the absence itself.
    auto is_null_literal = [&](ExprId x) { return std::holds_alternative<NullLit>(tree_.exprs[x].node); };
    if (is_null_literal(b.left) || is_null_literal(b.right)) {
      ExprId asked = is_null_literal(b.right) ? b.left : b.right;
      Place p = place(asked);
      TypeId t = type_of(asked);
      if (table_.kind(t) == TypeKind::ref) p = deref(std::move(p), table_[t].args[0]);
      Operand is_null = bool_of(nir::IsNull{std::move(p)}, span);
      if (b.op == ast::BinaryOp::eq) return is_null;
      return bool_of(nir::Unary{nir::UnaryOp::not_, is_null}, span);
    }
  }
  Operand left = operand(b.left);
  if (has_effects(b.right)) left = settle(std::move(left), span);
  Operand right = operand(b.right);
  if (is_comparison(b.op)) return bool_of(nir::Binary{nir_op(b.op), std::move(left), std::move(right)}, span);
  if (b.op == ast::BinaryOp::add && table_.is_text(type_of(e))) {
    NirLocal t = assign_temp(nir::Binary{nir::BinaryOp::concat, std::move(left), std::move(right)}, type_of(e), span);
    return take(place_of_local(t), type_of(e));
  }
  return arithmetic(nir_op(b.op), std::move(left), std::move(right), type_of(e), span);
}

Operand FnLowering::arithmetic(nir::BinaryOp op, Operand l, Operand r, TypeId type, Span span) {
  NirLocal t = assign_temp(nir::Binary{op, std::move(l), std::move(r)}, type, span);
  return copy_of(t);
}

Operand FnLowering::logical(ExprId e, const BinaryExpr& b) {
  const Span span = tree_.exprs[e].span;
  const TypeId boolean = table_.basic(TypeKind::bool_);
  Operand left = value(b.left);
  left = convert(std::move(left), boolean, span);
  NirLocal t = assign_temp(nir::Use{std::move(left)}, boolean, span);
  RegionId right = in_scope_region(span, [&] {
    Operand r = convert(value(b.right), boolean, span);
    push(nir::Assign{place_of_local(t), nir::Use{std::move(r)}}, span);
  });
  if (b.op == ast::BinaryOp::and_) {
    push(nir::If{copy_of(t), right, {}}, span);
  } else {
    push(nir::If{copy_of(t), fn_.regions.add({}), right}, span);
  }
  return copy_of(t);
}

Operand FnLowering::format(ExprId e, const FTextLit& f) {
  nir::Format made;
  for (const FPiece& piece : tree_.list(f.pieces)) {
    nir::FormatPiece p;
    if (piece.text.valid()) {
      p.text = tree_.texts[piece.text];
    } else {
      p.is_hole = true;
      p.spec = piece.spec;
      Operand v = read(piece.hole);
      p.value = v.kind == OperandKind::copy ? settle(std::move(v), piece.span) : std::move(v);
    }
    made.pieces.push_back(std::move(p));
  }
  NirLocal t = assign_temp(std::move(made), type_of(e), tree_.exprs[e].span);
  return take(place_of_local(t), type_of(e));
}

// ---- structs -----------------------------------------------------------------------------------

Operand FnLowering::field_init_value(const FieldInit& init, std::uint32_t pool, TypeId field_type) {
  if (init.value.valid()) return convert(value(init.value), field_type, init.field.span);
  const Resolution& r = names_.field_inits[pool];
  if (r.kind != Resolution::Kind::local) return unit();
  Place p = variable(r.local());
  p.span = init.field.span;
  TypeId t = types_.locals[r.local()];
  return convert(take(std::move(p), t), field_type, init.field.span);
}

Operand FnLowering::struct_literal(ExprId e, const StructExpr& s) {
  const TypeId type = type_of(e);
  const Type t = table_[type];
  if (t.kind != TypeKind::named) return unit();
  const TypeDecl& decl = m_.decls.types[t.decl];
  const Resolution& r = names_.exprs[e];
  const bool is_variant = r.kind == Resolution::Kind::variant;
  const std::vector<FieldInfo>& fields = is_variant ? decl.variants[r.part].parts : decl.fields;
  auto with_args = [&](TypeId declared) {
    return m_.plain(table_.substitute(declared, [&](TypeParamId p) {
      for (std::size_t i = 0; i < decl.params.size() && i < t.args.size(); ++i) {
        if (decl.params[i] == p) return t.args[i];
      }
      return TypeId{};
    }));
  };
  std::vector<Operand> values(fields.size(), unit());
  std::uint32_t pool = s.fields.begin;
  for (const FieldInit& init : tree_.list(s.fields)) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].name == init.field.name) {
        values[i] = settle(field_init_value(init, pool, with_args(fields[i].type)), init.field.span);
      }
    }
    ++pool;
  }
  nir::Value made = is_variant ? nir::Value(nir::MakeVariant{type, r.part, std::move(values)})
                               : nir::Value(nir::MakeStruct{type, std::move(values)});
  NirLocal local = assign_temp(std::move(made), type, tree_.exprs[e].span);
  return take(place_of_local(local), type);
}

Operand FnLowering::with(ExprId e, const WithExpr& w) {
  const TypeId type = type_of(e);
  const Type t = table_[type];
  const TypeDecl& decl = m_.decls.types[t.decl];
  const Span span = tree_.exprs[e].span;
  Place operand = place(w.operand);
  auto with_args = [&](TypeId declared) {
    return m_.plain(table_.substitute(declared, [&](TypeParamId p) {
      for (std::size_t i = 0; i < decl.params.size() && i < t.args.size(); ++i) {
        if (decl.params[i] == p) return t.args[i];
      }
      return TypeId{};
    }));
  };
  std::vector<Operand> values(decl.fields.size(), unit());
  std::vector<bool> given(decl.fields.size(), false);
  std::uint32_t pool = w.fields.begin;
  for (const FieldInit& init : tree_.list(w.fields)) {
    for (std::size_t i = 0; i < decl.fields.size(); ++i) {
      if (decl.fields[i].name == init.field.name) {
        values[i] = settle(field_init_value(init, pool, with_args(decl.fields[i].type)), span);
        given[i] = true;
      }
    }
    ++pool;
  }
  for (std::size_t i = 0; i < decl.fields.size(); ++i) {
    if (given[i]) continue;
    TypeId ft = with_args(decl.fields[i].type);
    values[i] = take(project(operand, {nir::ProjectionKind::field, static_cast<std::uint32_t>(i), 0, {}, ft}), ft);
  }
  NirLocal local = assign_temp(nir::MakeStruct{type, std::move(values)}, type, span);
  return take(place_of_local(local), type);
}

Operand FnLowering::index_value(ExprId e, const IndexExpr& i) {
  const TypeId type = type_of(e);
  const Span span = tree_.exprs[e].span;
  Place subject = place(i.object);
  TypeId subject_type = type_of(i.object);
  if (table_.kind(subject_type) == TypeKind::ref && table_.kind(table_[subject_type].args[0]) == TypeKind::named) {
    subject_type = table_[subject_type].args[0];
    subject = deref(std::move(subject), subject_type);
  }
  if (table_.kind(subject_type) == TypeKind::named && table_[subject_type].decl == m_.decls.shared) {
    subject_type = table_[subject_type].args[0];
    subject = project(std::move(subject), {nir::ProjectionKind::inside, 0, 0, {}, subject_type});
  }
  Operand at = read(i.index);
  nir::Value v = types_.index_of[e] == IndexKind::map ? nir::Value(nir::MapRead{std::move(subject), std::move(at)})
                                                      : nir::Value(nir::Slice{std::move(subject), std::move(at)});
  NirLocal t = assign_temp(std::move(v), type, span);
  return take(place_of_local(t), type);
}

}  // namespace nikaia::lang::lower
