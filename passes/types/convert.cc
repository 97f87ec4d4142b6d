// What fits a place, and what branches agree on.
//
// A value fits a place of its own type, and besides: a value that is lent where a view is wanted, a view where the
// value is wanted (one that copies is the value, another is lent or refused by the ownership checks), a `T` where a
// `T?` is wanted, text where a path is wanted, what a `Shared` or `Seen` holds where that is wanted, a list where a run
// is wanted. The step between the two types is recorded for the lowering; which of them moves anything is not decided
// here.
#include "passes/types/checker.h"

namespace nikaia::lang::typing {

namespace {

// Both types have no decided variable at their head.
struct Fit {
  Checker& c;
  ExprId e;

  bool same(TypeId a, TypeId b) { return c.vars.unify(a, b, e.valid() ? c.span(e) : Span{}); }

  // Whether `actual` may be lent where a view of `target` is wanted.
  bool lends(TypeId actual, TypeId target) {
    actual = c.shallow(actual);
    target = c.shallow(target);
    if (actual == target) return true;
    const TypeKind ka = c.types.kind(actual), kt = c.types.kind(target);
    if (ka == TypeKind::error || kt == TypeKind::error) {
      c.vars.silence(actual);
      c.vars.silence(target);
      return true;
    }
    if (ka == TypeKind::ref) return lends(c.argument_of(actual, 0), target);
    if (kt == TypeKind::infer) {
      const Variable* v = c.vars.class_of(target);
      if (v->kind == VarKind::open && ka != TypeKind::infer) {
        if (c.is_named(actual, c.decls.seen)) return lends(c.argument_of(actual, 0), target);
      }
      return same(actual, target);
    }
    if (kt == TypeKind::array && c.types[target].length == Type::unsized) {
      if (c.is_named(actual, c.decls.vec)) return same(c.argument_of(actual, 0), c.argument_of(target, 0));
      if (ka == TypeKind::array) return same(c.argument_of(actual, 0), c.argument_of(target, 0));
    }
    if (c.is_named(actual, c.decls.shared) && !c.is_named(target, c.decls.shared)) {
      return lends(c.argument_of(actual, 0), target);
    }
    if (c.is_named(actual, c.decls.seen) && !c.is_named(target, c.decls.seen)) {
      return lends(c.argument_of(actual, 0), target);
    }
    if (c.is_named(target, c.decls.path) && is_text(actual)) return true;
    if (ka == TypeKind::infer && c.vars.class_of(actual)->kind == VarKind::text) return kt == TypeKind::string;
    return same(actual, target);
  }

  bool is_text(TypeId t) {
    t = c.shallow(t);
    if (c.types.kind(t) == TypeKind::ref) t = c.shallow(c.argument_of(t, 0));
    if (const Variable* v = c.vars.class_of(t)) return v->kind == VarKind::text;
    return c.types.kind(t) == TypeKind::string;
  }

  bool of_variable_place(TypeId actual, TypeId wanted) {
    const Variable* v = c.vars.class_of(wanted);
    switch (v->kind) {
      case VarKind::open: {
        TypeId value = c.as_value(actual);
        if (c.kind(value) == TypeKind::ref && e.valid() && is_text_literal(c, e)) value = c.string;
        if (c.kind(value) == TypeKind::never) return true;
        return same(wanted, value);
      }
      case VarKind::number: return same(wanted, c.as_value(actual));
      case VarKind::text:
        if (!is_text(actual)) return same(wanted, actual);
        if (c.kind(actual) == TypeKind::string) return same(wanted, actual);
        if (e.valid()) c.text_sites.emplace_back(e, wanted);
        return true;
    }
    return false;
  }

  bool of_variable_value(TypeId actual, TypeId wanted) {
    const Variable* v = c.vars.class_of(actual);
    const TypeKind kw = c.types.kind(wanted);
    if (v->kind == VarKind::text && kw == TypeKind::string) return true;
    if (kw == TypeKind::named && c.is_named(wanted, c.decls.path)) return v->kind == VarKind::text;
    return same(actual, wanted);
  }

  bool operator()(TypeId actual, TypeId wanted) {
    actual = c.shallow(actual);
    wanted = c.shallow(wanted);
    if (actual == wanted) return true;
    const TypeKind ka = c.types.kind(actual), kw = c.types.kind(wanted);
    if (ka == TypeKind::error || kw == TypeKind::error) {
      c.vars.silence(actual);
      c.vars.silence(wanted);
      return true;
    }
    if (ka == TypeKind::never) return true;
    if (kw == TypeKind::infer) return of_variable_place(actual, wanted);
    // A plain value fits where one that came out of a lock is.
    if (c.is_named(wanted, c.decls.seen)) {
      return c.is_named(actual, c.decls.seen) ? same(actual, wanted) : (*this)(actual, c.argument_of(wanted, 0));
    }
    if (kw == TypeKind::nullable) {
      const TypeId inner = c.argument_of(wanted, 0);
      if (ka == TypeKind::nullable) return (*this)(c.argument_of(actual, 0), inner);
      if (ka == TypeKind::ref && c.kind(c.argument_of(actual, 0)) == TypeKind::nullable) {
        return (*this)(c.argument_of(c.argument_of(actual, 0), 0), inner);
      }
      if (ka == TypeKind::infer && c.vars.class_of(actual)->kind == VarKind::open) return same(actual, wanted);
      return (*this)(actual, inner);
    }
    if (kw == TypeKind::ref) return lends(actual, c.argument_of(wanted, 0));
    if (ka == TypeKind::infer) return of_variable_value(actual, wanted);
    if (ka == TypeKind::ref) return (*this)(c.argument_of(actual, 0), wanted);
    // What walks any sequence walks one that has a name.
    const bool is_walked = ka == TypeKind::range || (ka == TypeKind::seq && c.types[actual].decl.valid());
    if (c.types.is_unnamed_seq(wanted) && is_walked) return same(c.argument_of(actual, 0), c.argument_of(wanted, 0));
    if (kw == TypeKind::array && ka == TypeKind::array && c.types[wanted].length == Type::unsized) {
      return same(c.argument_of(actual, 0), c.argument_of(wanted, 0));
    }
    if (ka == TypeKind::named) {
      const bool seen = c.is_named(actual, c.decls.seen) && !c.is_named(wanted, c.decls.seen);
      const bool shared = c.is_named(actual, c.decls.shared) && !c.is_named(wanted, c.decls.shared);
      if (seen || shared) return (*this)(c.argument_of(actual, 0), wanted);
    }
    if (kw == TypeKind::named && c.is_named(wanted, c.decls.path) && is_text(actual)) return true;
    return same(actual, wanted);
  }
};

// The leaves an expression's value comes from, through brackets, blocks and branches.
template <class F>
bool each_leaf(const Checker& c, ExprId e, F&& f) {
  if (!e.valid()) return false;
  if (auto* p = c.as<ast::ParenExpr>(e)) return each_leaf(c, p->inner, f);
  if (auto* b = c.as<ast::BlockExpr>(e)) return each_leaf(c, tail_of(c, b->block), f);
  if (auto* u = c.as<ast::UnsafeExpr>(e)) return each_leaf(c, tail_of(c, u->block), f);
  if (auto* i = c.as<ast::IfExpr>(e)) {
    return i->else_branch.valid() && each_leaf(c, tail_of(c, i->then_block), f) && each_leaf(c, i->else_branch, f);
  }
  if (auto* m = c.as<ast::MatchExpr>(e)) {
    for (const ast::Arm& arm : c.list(m->arms)) {
      if (!each_leaf(c, arm.body, f)) return false;
    }
    return true;
  }
  if (auto* s = c.as<ast::SelectExpr>(e)) {
    for (const ast::SelectArm& arm : c.list(s->arms)) {
      if (!each_leaf(c, arm.body, f)) return false;
    }
    return true;
  }
  return f(e);
}

bool is_jump(const Checker& c, ExprId e) {
  return c.as<ast::ReturnExpr>(e) || c.as<ast::ThrowExpr>(e) || c.as<ast::BreakExpr>(e) || c.as<ast::ContinueExpr>(e);
}

void retype_wrappers(Checker& c, ExprId e, TypeId wanted) {
  if (!e.valid()) return;
  if (auto* p = c.as<ast::ParenExpr>(e)) {
    retype_wrappers(c, p->inner, wanted);
  } else if (auto* b = c.as<ast::BlockExpr>(e)) {
    retype_wrappers(c, tail_of(c, b->block), wanted);
  } else if (auto* u = c.as<ast::UnsafeExpr>(e)) {
    retype_wrappers(c, tail_of(c, u->block), wanted);
  } else if (auto* i = c.as<ast::IfExpr>(e)) {
    retype_wrappers(c, tail_of(c, i->then_block), wanted);
    retype_wrappers(c, i->else_branch, wanted);
  } else if (auto* m = c.as<ast::MatchExpr>(e)) {
    for (const ast::Arm& arm : c.list(m->arms)) retype_wrappers(c, arm.body, wanted);
  } else if (auto* s = c.as<ast::SelectExpr>(e)) {
    for (const ast::SelectArm& arm : c.list(s->arms)) retype_wrappers(c, arm.body, wanted);
  } else {
    return;
  }
  if (c.kind(c.type_of(e)) != TypeKind::never) c.set_type(e, wanted);
}

}  // namespace

bool is_text_literal(const Checker& c, ExprId e) {
  bool any = false;
  const bool all = each_leaf(c, e, [&](ExprId leaf) {
    if (c.as<ast::TextLit>(leaf)) return any = true;
    return is_jump(c, leaf);
  });
  return all && any;
}

bool is_place(const Checker& c, ExprId e) {
  if (auto* p = c.as<ast::ParenExpr>(e)) return is_place(c, p->inner);
  if (c.as<ast::PathExpr>(e) || c.as<ast::SelfExpr>(e)) {
    return c.resolved->exprs[e].kind == Resolution::Kind::local;
  }
  return is_deep_place(c, e);
}

bool is_deep_place(const Checker& c, ExprId e) {
  if (auto* p = c.as<ast::ParenExpr>(e)) return is_deep_place(c, p->inner);
  if (auto* m = c.as<ast::MemberExpr>(e)) return is_place(c, m->object);
  if (auto* t = c.as<ast::TuplePartExpr>(e)) return is_place(c, t->object);
  if (auto* i = c.as<ast::IndexExpr>(e)) return is_place(c, i->object);
  return false;
}

bool fits(Checker& c, ExprId e, TypeId actual, TypeId wanted) {
  if (!wanted.valid() || actual == wanted) return true;
  if (!Fit{c, e}(actual, wanted)) return false;
  const TypeKind ka = c.kind(actual);
  if (e.valid() && ka != TypeKind::error && ka != TypeKind::never && c.kind(wanted) != TypeKind::error) {
    TypeId step = wanted;
    // A class that decides for a value as it was written asks for no step; one of text may yet.
    const Variable* v = c.vars.class_of(wanted);
    if (v && v->kind == VarKind::open && !v->bound.valid()) step = TypeId();
    if (v && v->kind == VarKind::text) step = TypeId();
    if (step.valid()) c.set_wanted(e, step);
  }
  return true;
}

bool coerce(Checker& c, ExprId e, TypeId actual, TypeId wanted, const Slot& slot) {
  if (fits(c, e, actual, wanted)) {
    if (slot.published.valid()) c.published.note(c, e, c.span(e), actual, wanted, slot);
    return true;
  }
  if (slot.kind != Slot::Kind::silent) report_mismatch(c, e, actual, wanted, slot);
  return false;
}

bool adapt(Checker& c, ExprId e, TypeId wanted) {
  wanted = c.shallow(wanted);
  const bool all = each_leaf(c, e, [&](ExprId leaf) {
    const TypeId t = c.type_of(leaf);
    if (c.kind(t) == TypeKind::never || c.is_error(t)) return true;
    const TypeKind kw = c.types.kind(wanted);
    if (kw == TypeKind::string && c.as<ast::TextLit>(leaf)) {
      c.set_wanted(leaf, wanted);
      return true;
    }
    if (auto* tuple = c.as<ast::TupleExpr>(leaf); tuple && kw == TypeKind::tuple) {
      const auto parts = c.list(tuple->parts);
      if (parts.size() != c.types[wanted].args.size()) return false;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!adapt(c, parts[i], c.argument_of(wanted, i))) return false;
      }
      c.set_type(leaf, wanted);
      return true;
    }
    if (auto* items = c.as<ast::ListExpr>(leaf); items && c.is_named(wanted, c.decls.vec)) {
      for (ExprId item : c.list(items->elements)) {
        if (!adapt(c, item, c.argument_of(wanted, 0))) return false;
      }
      c.set_type(leaf, wanted);
      return true;
    }
    if (c.vars.unify(t, wanted, c.span(leaf))) return true;
    if (c.kind(t) == TypeKind::ref && c.vars.copies(wanted) &&
        c.vars.unify(c.argument_of(t, 0), wanted, c.span(leaf))) {
      c.set_wanted(leaf, wanted);
      return true;
    }
    return false;
  });
  if (all) retype_wrappers(c, e, wanted);
  return all;
}

namespace {

TypeId without_stamp(Checker& c, TypeId type) {
  type = c.shallow(type);
  while (c.is_named(type, c.decls.seen)) type = c.shallow(c.argument_of(type, 0));
  return type;
}

}  // namespace

TypeId join_branches(Checker& c, std::span<const Branch> branches) {
  TypeId joined;
  const Branch* first = nullptr;
  for (const Branch& b : branches) {
    const TypeKind k = c.kind(b.type);
    if (k == TypeKind::never) continue;
    if (k == TypeKind::error) return c.error;
    if (!joined.valid()) {
      joined = b.type;
      first = &b;
      continue;
    }
    if (c.vars.unify(joined, b.type, b.span)) continue;
    // What one branch read out of a lock reads as the value of the others.
    const TypeId plain_joined = without_stamp(c, joined), plain = without_stamp(c, b.type);
    if (!(plain_joined == joined && plain == b.type)) {
      if (c.vars.unify(plain_joined, plain, b.span) || (b.value.valid() && adapt(c, b.value, plain_joined))) {
        joined = plain_joined;
        continue;
      }
    }
    if (b.value.valid() && adapt(c, b.value, joined)) continue;
    // The branches before this one may hold the literals.
    bool earlier_adapt = true;
    for (const Branch* p = branches.data(); p != &b && earlier_adapt; ++p) {
      if (c.kind(p->type) == TypeKind::never) continue;
      earlier_adapt = p->value.valid() && adapt(c, p->value, b.type);
    }
    if (earlier_adapt) {
      joined = b.type;
      continue;
    }
    const Span at = b.value.valid() ? c.span(b.value) : b.span;
    c.sink.error(Code::NK1911, at, described(c, joined), described(c, b.type))
        .label(first->value.valid() ? c.span(first->value) : first->span, "this one is " + described(c, joined));
    c.vars.silence(joined);
    c.vars.silence(b.type);
    return c.error;
  }
  return joined.valid() ? joined : c.never;
}

}  // namespace nikaia::lang::typing
