// The type of an expression: literals, names, blocks, `if`, `catch`, jumps, and the dispatch to every other kind.
#include "passes/types/branches.h"

namespace nikaia::lang::typing {

namespace {

TypeId infer_path(Checker& c, ExprId e, Expect x) {
  const Resolution r = c.resolved->exprs[e];
  switch (r.kind) {
    case Resolution::Kind::none: return c.error;
    case Resolution::Kind::local: {
      const TypeId t = c.out->locals[r.local()];
      if (t.valid() && c.as<ast::PathExpr>(e)) note_number(c, NumberStep::Kind::path, e, r.local());
      return t.valid() ? t : c.error;
    }
    case Resolution::Kind::fn:
      if (c.decls.fns[r.fn()].key == "assert") {
        c.sink.error(Code::NK1195, c.span(e), "…");  // a claim is made where it stands, and handed nowhere
        return c.error;
      }
      return value_of_fn(c, c.span(e), r.fn());
    case Resolution::Kind::type: {
      const FnId constructor = c.decls.types[r.type()].constructor;
      return constructor.valid() ? value_of_fn(c, c.span(e), constructor) : c.error;
    }
    case Resolution::Kind::variant: return value_of_variant(c, e, r.type(), r.part, x);
    case Resolution::Kind::comptime:  // not built yet, which `names` says
      return c.error;
    case Resolution::Kind::type_param_member: return value_of_fn(c, c.span(e), FnId(r.part));
  }
  return c.error;
}

TypeId infer_null(Checker& c, ExprId e, Expect x) {
  if (x.type.valid() && c.kind(x.type) == TypeKind::nullable) return c.shallow(x.type);
  return c.types.nullable(c.open(Origin::null_value, c.span(e)));
}

TypeId infer_if(Checker& c, ExprId e, const ast::IfExpr& i, Expect x) {
  check_condition(c, i.cond);
  if (!i.else_branch.valid()) {
    if (x.is_used) {
      infer_block(c, i.then_block, {TypeId(), nullptr, false});
      const TypeId want = x.type.valid() ? c.shallow(x.type) : TypeId();
      if (want.valid() && c.types.kind(want) == TypeKind::unit) return c.unit;
      c.sink.error(Code::NK1912, Span{c.span(e).file, c.span(e).begin, c.span(e).begin + 2});
      return c.error;
    }
    infer_block(c, i.then_block, x);
    return c.unit;
  }
  BranchSet set{c, x};
  const TypeId then_type = infer_block(c, i.then_block, x);
  set.add(tail_of(c, i.then_block), c.tree->blocks[i.then_block].span, then_type);
  const TypeId else_type = infer(c, i.else_branch, x);
  set.add(i.else_branch, c.span(i.else_branch), else_type);
  return set.result();
}

TypeId infer_catch(Checker& c, ExprId e, const ast::CatchExpr& x, Expect want) {
  const TypeId guarded = infer(c, x.guarded, want);
  if (const LocalId error = c.resolved->error_of[e]; error.valid()) {
    c.set_local(error, c.types.error_sum({}, true));
  }
  const TypeKind k = c.kind(guarded);
  if (k == TypeKind::unit || !want.is_used) {
    infer_block(c, x.handler, {TypeId(), nullptr, false});
    return guarded;
  }
  if (k == TypeKind::never || k == TypeKind::error) {
    const TypeId handled = infer_block(c, x.handler, want);
    return k == TypeKind::error ? c.error : handled;
  }
  Slot slot;
  slot.kind = Slot::Kind::handler;
  slot.declared = c.span(x.guarded);
  // A text literal beside text that owns is built as one; beside an owner that only the place asks for as well.
  const TypeId wanted = c.out->wanted[x.guarded].valid() ? c.out->wanted[x.guarded] : guarded;
  const TypeId handled = infer_block(c, x.handler, {wanted, &slot, true});
  if (c.kind(handled) == TypeKind::never || c.is_error(handled)) return guarded;
  const ExprId tail = tail_of(c, x.handler);
  if (!tail.valid()) {
    c.sink.error(Wording::NK1940_no_value, c.tree->blocks[x.handler].span, described(c, guarded));
    return c.error;
  }
  if (!coerce(c, tail, handled, wanted, slot)) return c.error;
  return guarded;
}

TypeId infer_return(Checker& c, ExprId e, const ast::ReturnExpr& r) {
  Frame& f = *c.frame;
  f.returned = true;
  if (!r.value.valid()) {
    if (f.result.valid() && !f.is_lambda && c.kind(f.result) != TypeKind::unit && !c.is_error(f.result)) {
      c.sink.error(Wording::NK1104_no_value, c.span(e), c.text(f.name), spelled(c, f.result));
    } else if (f.result.valid() && f.is_lambda && c.vars.class_of(f.result)) {
      c.vars.unify(f.result, c.unit, c.span(e));
    }
    return c.never;
  }
  if (!f.result.valid() || (c.kind(f.result) == TypeKind::unit)) {
    const TypeId t = infer(c, r.value, {TypeId(), nullptr, f.is_lambda});
    const TypeKind k = c.kind(t);
    if (!f.is_lambda && k != TypeKind::unit && k != TypeKind::never && k != TypeKind::error) {
      const TypeId settled = c.vars.settle(t);
      const std::string result = c.types.is_text(settled) ? "String" : type_text(c.types, c.decls, c.names, settled);
      c.sink.error(Wording::NK1104_no_result, c.span(r.value), c.text(f.name), described_open(c, t), result);
      c.vars.silence(t);
    }
    return c.never;
  }
  check(c, r.value, f.result, f.slot);
  return c.never;
}

TypeId infer_throw(Checker& c, const ast::ThrowExpr& t) {
  const TypeId thrown = infer(c, t.value);
  const TypeId seen = c.seen_through(thrown);
  const Type& type = c.types[seen];
  bool bad = false;
  switch (type.kind) {
    case TypeKind::error:
    case TypeKind::never:
    case TypeKind::error_sum:
    case TypeKind::param: break;
    case TypeKind::named: {
      const TypeDecl& decl = c.decls.types[type.decl];
      bad = !decl.is_error && !decl.error_message.valid();
      break;
    }
    default: bad = true;
  }
  if (bad) c.sink.error(Code::NK1161, c.span(t.value), described_open(c, thrown));
  return c.never;
}

TypeId infer_ref(Checker& c, ExprId e, const ast::RefExpr& r, Expect x) {
  (void)e;
  TypeId inside;
  if (x.type.valid() && c.kind(x.type) == TypeKind::ref) inside = c.argument_of(x.type, 0);
  const TypeId t = c.shallow(infer(c, r.operand, {inside, nullptr, true}));
  const TypeKind k = c.types.kind(t);
  if (k == TypeKind::ref || k == TypeKind::error || k == TypeKind::never) return t;
  return c.types.ref(t);
}

struct Visitor {
  Checker& c;
  ExprId e;
  Expect x;

  TypeId operator()(const ast::ErrorExpr&) { return c.error; }
  TypeId operator()(const ast::IntegerLit& n) { return infer_integer(c, e, n); }
  TypeId operator()(const ast::FloatLit&) { return c.f64; }
  TypeId operator()(const ast::TextLit&) { return c.text_view; }
  TypeId operator()(const ast::CharLit&) { return c.char_; }
  TypeId operator()(const ast::BoolLit&) { return c.bool_; }
  TypeId operator()(const ast::NullLit&) { return infer_null(c, e, x); }
  TypeId operator()(const ast::FTextLit& f) {
    for (std::uint32_t i = 0; i < f.pieces.count; ++i) {
      if (c.list(f.pieces)[i].hole.valid()) check_hole(c, f.pieces.begin + i);
    }
    return c.string;
  }
  TypeId operator()(const ast::PathExpr&) { return infer_path(c, e, x); }
  TypeId operator()(const ast::SelfExpr&) { return infer_path(c, e, x); }
  TypeId operator()(const ast::ParenExpr& p) {
    const TypeId t = infer(c, p.inner, x);
    note_number(c, NumberStep::Kind::paren, e);
    return t;
  }
  // A place for it has a type that the emitted program writes, which a sequence without a name has not.
  TypeId stored(TypeId t) {
    Deferred ask;
    ask.kind = Deferred::Kind::walked_value;
    ask.expr = e;
    ask.type = t;
    ask.span = c.span(e);
    defer(c, ask);
    return t;
  }
  TypeId operator()(const ast::TupleExpr& t) { return stored(infer_tuple(c, e, t, x)); }
  TypeId operator()(const ast::ListExpr& l) { return stored(infer_list(c, e, l, x)); }
  TypeId operator()(const ast::BlockExpr& b) { return infer_block(c, b.block, x); }
  TypeId operator()(const ast::IfExpr& i) { return stored(infer_if(c, e, i, x)); }
  TypeId operator()(const ast::MatchExpr& m) { return stored(infer_match(c, e, m, x)); }
  TypeId operator()(const ast::LambdaExpr& l) { return infer_lambda(c, e, l, x); }
  TypeId operator()(const ast::SpawnExpr& s) { return infer_spawn(c, e, s); }
  TypeId operator()(const ast::UnsafeExpr& u) { return infer_block(c, u.block, x); }
  TypeId operator()(const ast::OverlapExpr& o) { return infer_overlap(c, e, o, x); }
  TypeId operator()(const ast::SelectExpr& s) { return infer_select(c, s, x); }
  TypeId operator()(const ast::StructExpr& s) { return stored(infer_struct(c, e, s, x)); }
  TypeId operator()(const ast::WithExpr& w) { return infer_with(c, e, w); }
  TypeId operator()(const ast::UnaryExpr& u) { return infer_unary(c, e, u, x); }
  TypeId operator()(const ast::RefExpr& r) { return infer_ref(c, e, r, x); }
  TypeId operator()(const ast::ComptimeExpr& m) {
    infer(c, m.operand);
    return c.error;  // not built yet, which `names` says
  }
  TypeId operator()(const ast::BinaryExpr& b) { return infer_binary(c, e, b, x); }
  TypeId operator()(const ast::RangeExpr& r) { return infer_range(c, e, r); }
  TypeId operator()(const ast::CastExpr& t) { return infer_cast(c, e, t); }
  TypeId operator()(const ast::CoalesceExpr& q) { return infer_coalesce(c, e, q, x); }
  TypeId operator()(const ast::CatchExpr& k) { return infer_catch(c, e, k, x); }
  TypeId operator()(const ast::ReturnExpr& r) { return infer_return(c, e, r); }
  TypeId operator()(const ast::ThrowExpr& t) { return infer_throw(c, t); }
  TypeId operator()(const ast::BreakExpr&) {
    if (!c.frame->loops.empty()) c.frame->loops.back() = true;
    return c.never;
  }
  TypeId operator()(const ast::ContinueExpr&) { return c.never; }
  TypeId operator()(const ast::MemberExpr& m) { return infer_member(c, e, m); }
  TypeId operator()(const ast::TuplePartExpr& m) { return infer_tuple_part(c, e, m); }
  TypeId operator()(const ast::IndexExpr& i) { return infer_index(c, e, i); }
  TypeId operator()(const ast::CallExpr& call) { return infer_call(c, e, call, x); }
  TypeId operator()(const ast::DslExpr&) { return c.error; }  // not built yet, which `names` says
};

}  // namespace

TypeId infer(Checker& c, ExprId e, Expect x) {
  if (!e.valid()) return c.error;
  const TypeId t = std::visit(Visitor{c, e, x}, c.node(e).node);
  c.set_type(e, t);
  return t;
}

TypeId check(Checker& c, ExprId e, TypeId wanted, const Slot& slot) {
  const TypeId actual = infer(c, e, {wanted, &slot, true});
  if (!wanted.valid()) return actual;
  return coerce(c, e, actual, wanted, slot) ? actual : c.error;
}

TypeId check_condition(Checker& c, ExprId e, std::string_view fix_hint) {
  const TypeId t = infer(c, e, {c.bool_, nullptr, true});
  const TypeId value = c.as_value(t);
  if (c.vars.class_of(value) && c.vars.class_of(value)->kind == VarKind::open) {
    c.vars.unify(value, c.bool_, c.span(e));
    return c.bool_;
  }
  const TypeKind k = c.types.kind(value);
  if (k == TypeKind::bool_ || k == TypeKind::error || k == TypeKind::never) {
    if (k == TypeKind::bool_ && !(t == value)) c.set_wanted(e, c.bool_);
    return c.bool_;
  }
  std::string fix(fix_hint);
  if (fix.empty()) {
    const std::string text = source_text(c, c.span(e));
    const TypeId seen = c.seen_through(t);
    const TypeKind sk = c.types.kind(seen);
    if (k == TypeKind::nullable) {
      fix = text + " != null";
    } else if (c.types.is_number(seen) || sk == TypeKind::infer) {
      fix = text + " != 0";
    } else {
      fix = "!" + text + ".is_empty()";
    }
  }
  c.sink.error(Code::NK1108, c.span(e), described_open(c, t), fix);
  return c.bool_;
}

ExprId unwrapped(const Checker& c, ExprId e) {
  while (e.valid()) {
    auto* p = c.as<ast::ParenExpr>(e);
    if (!p) break;
    e = p->inner;
  }
  return e;
}

ExprId tail_of(const Checker& c, BlockId b) {
  const auto statements = c.list(c.tree->blocks[b].statements);
  if (statements.empty()) return {};
  auto* last = std::get_if<ast::ExprStmt>(&c.tree->stmts[statements.back()].node);
  return last ? last->expr : ExprId();
}

TypeId infer_block(Checker& c, BlockId b, Expect x) {
  const auto statements = c.list(c.tree->blocks[b].statements);
  bool diverges = false;
  TypeId value;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const StmtId s = statements[i];
    auto* last = i + 1 == statements.size() ? std::get_if<ast::ExprStmt>(&c.tree->stmts[s].node) : nullptr;
    if (!last) {
      check_statement(c, s, diverges);
      continue;
    }
    value = infer(c, last->expr, x);
    if (c.kind(value) == TypeKind::never) diverges = true;
  }
  if (diverges) return c.never;
  return value.valid() ? value : c.unit;
}

}  // namespace nikaia::lang::typing
