// Lambdas, tasks, the branches of an `overlap` and the arms of a `select`.
//
// A lambda's arguments come from the function type its place wants, its result from its body where the place leaves it
// open. A view of what copies is handed over as the value wherever the place is a row of the library.
#include "passes/types/branches.h"
#include "passes/types/checker.h"

namespace nikaia::lang::typing {

namespace {

void bind_error(Checker& c, const ast::LambdaExpr& l) {
  for (std::uint32_t i = 0; i < l.params.count; ++i) c.set_local(entry(c.resolved->binds, l.params.begin + i), c.error);
}

std::string lambda_form(Checker& c, const ast::LambdaExpr& l, std::size_t count) {
  std::string out = "fn(";
  const auto names = c.list(l.params);
  for (std::size_t i = 0; i < count; ++i) {
    if (i) out += ", ";
    out += i < names.size() && names[i].name.name.valid() ? std::string(c.text(names[i].name.name)) : "_";
  }
  return out + ") { … }";
}

// Walks the body against `result`, a type or an open variable; gives the result decided.
TypeId walk_body(Checker& c, const ast::LambdaExpr& l, TypeId result) {
  Frame frame;
  frame.result = result;
  frame.is_lambda = true;
  frame.slot.kind = Slot::Kind::branch;
  frame.slot.declared = c.tree->blocks[l.body].span;
  Frame* outer = c.frame;
  c.frame = &frame;
  const bool is_used = c.kind(result) != TypeKind::unit;
  const TypeId body = infer_block(c, l.body, {is_used ? result : TypeId(), is_used ? &frame.slot : nullptr, is_used});
  c.frame = outer;
  if (!is_used) return result;
  const TypeKind k = c.kind(body);
  if (k == TypeKind::error || k == TypeKind::never) {
    if (const Variable* v = c.vars.class_of(result); v && v->kind == VarKind::open) {
      c.vars.unify(result, k == TypeKind::error ? c.error : c.unit, frame.slot.declared);
    }
    return result;
  }
  const ExprId tail = tail_of(c, l.body);
  if (k == TypeKind::unit || !tail.valid()) {
    if (!c.vars.unify(result, c.unit, frame.slot.declared) && k == TypeKind::unit) {
      const Span at = tail.valid() ? c.span(tail) : frame.slot.declared;
      c.sink.error(Code::NK1911, at, described(c, result), "nothing");
    }
    return result;
  }
  coerce(c, tail, body, result, frame.slot);
  return result;
}

}  // namespace

TypeId infer_lambda(Checker& c, ExprId e, const ast::LambdaExpr& l, Expect x) {
  const auto names = c.list(l.params);
  TypeId want = x.type.valid() ? c.shallow(x.type) : TypeId();
  if (want.valid() && c.types.kind(want) == TypeKind::nullable) want = c.shallow(c.argument_of(want, 0));
  const bool known = want.valid() && c.types.kind(want) == TypeKind::function;
  std::vector<TypeId> parts;
  bool is_sync = false, is_throws = false;
  if (known) {
    parts = c.types[want].args;
    is_sync = c.types[want].is_sync;
    is_throws = c.types[want].is_throws;
    if (parts.size() - 1 != names.size()) {
      const bool is_argument = x.slot && x.slot->kind == Slot::Kind::argument;
      const std::string callee = is_argument && x.slot->fn.valid() ? fn_text(c, x.slot->fn) : "this place";
      c.sink.error(Wording::NK1102_lambda_arguments, c.span(e), counted(names.size(), "argument"), callee,
                   parts.size() - 1, lambda_form(c, l, parts.size() - 1));
      bind_error(c, l);
      walk_body(c, l, c.open(Origin::none, c.span(e)));
      return c.error;
    }
  } else if (!names.empty()) {
    for (const ast::Bind& b : names) {
      if (want.valid() && c.is_error(want)) break;
      c.sink.error(Code::NK1932, b.name.span, b.name.is_ignored ? "_" : c.text(b.name.name), std::string("f"));
    }
    bind_error(c, l);
    walk_body(c, l, c.open(Origin::none, c.span(e)));
    return c.error;
  }
  std::vector<TypeId> made;
  for (std::size_t i = 0; i < names.size(); ++i) {
    TypeId p = c.shallow(parts[i]);
    const bool may_change = c.types.kind(p) == TypeKind::ref && c.types[p].is_mut;
    if (names[i].is_mut && !may_change) {
      c.sink.error(Code::NK1938, names[i].name.span, c.text(names[i].name.name));
    }
    c.set_local(entry(c.resolved->binds, l.params.begin + i), p);
    made.push_back(p);
  }
  TypeId result = known ? parts.back() : c.open(Origin::none, c.span(e));
  result = walk_body(c, l, result);
  made.push_back(result);
  std::vector<TypeId> params(made.begin(), made.end() - 1);
  const TypeId type = c.types.function(std::move(params), made.back(), is_sync, is_throws);
  c.out->lambda_type[e] = type;
  if (c.vars.has_infer(type)) c.open_lambdas.push_back(e);
  return type;
}

TypeId infer_spawn(Checker& c, ExprId e, const ast::SpawnExpr& s) {
  auto* l = c.as<ast::LambdaExpr>(unwrapped(c, s.lambda));
  if (!l) {
    infer(c, s.lambda);
    return c.error;
  }
  if (l->params.count != 0) {
    std::string all;
    for (const ast::Bind& b : c.list(l->params)) {
      all += (all.empty() ? "`" : ", `") + std::string(b.name.is_ignored ? "_" : c.text(b.name.name)) + "`";
    }
    c.sink.error(Code::NK2103, c.list(l->params)[0].name.span, all);
    bind_error(c, *l);
    walk_body(c, *l, c.open(Origin::none, c.span(e)));
    return c.error;
  }
  const TypeId result = c.open(Origin::none, c.span(e));
  infer(c, s.lambda, {c.types.function({}, result, false, true), nullptr, true});
  return c.decls.task_handle.valid() ? c.types.named(c.decls.task_handle, {result}) : c.error;
}

TypeId infer_overlap(Checker& c, ExprId e, const ast::OverlapExpr& o, Expect x) {
  (void)e;
  std::vector<TypeId> hints;
  if (x.type.valid() && c.kind(x.type) == TypeKind::tuple) hints = c.types[c.shallow(x.type)].args;
  const auto branches = c.list(c.tree->blocks[o.block].statements);
  std::vector<TypeId> results;
  bool any = false;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    Frame frame;
    frame.result = c.open(Origin::none, c.tree->stmts[branches[i]].span);
    frame.is_lambda = true;
    frame.slot.kind = Slot::Kind::branch;
    Frame* outer = c.frame;
    c.frame = &frame;
    TypeId t = c.unit;
    if (auto* branch = std::get_if<ast::ExprStmt>(&c.tree->stmts[branches[i]].node)) {
      const bool is_used = x.is_used;
      t = infer(c, branch->expr, {i < hints.size() ? hints[i] : TypeId(), nullptr, is_used});
      if (c.kind(t) == TypeKind::never) t = c.unit;
    } else {
      bool diverges = false;
      check_statement(c, branches[i], diverges);
      const ast::Stmt& s = c.tree->stmts[branches[i]];
      if (std::holds_alternative<ast::LetStmt>(s.node) || std::holds_alternative<ast::AssignStmt>(s.node)) {
        c.sink.error(Wording::NK2104_binding, s.span);
      }
      t = c.error;
    }
    c.frame = outer;
    any |= c.kind(t) != TypeKind::unit;
    results.push_back(t);
  }
  for (TypeId t : results) {
    if (c.is_error(t)) return c.error;
  }
  if (results.size() < 2) return c.error;  // refused while parsing
  if (!any) return c.unit;
  return c.types.tuple(std::move(results));
}

TypeId infer_select(Checker& c, const ast::SelectExpr& s, Expect x) {
  BranchSet handlers{c, x};
  for (const ast::SelectArm& arm : c.list(s.arms)) {
    Frame frame;
    frame.result = c.open(Origin::none, c.span(arm.raced));
    frame.is_lambda = true;
    frame.slot.kind = Slot::Kind::branch;
    Frame* outer = c.frame;
    c.frame = &frame;
    TypeId raced = infer(c, arm.raced);
    c.frame = outer;
    if (c.kind(raced) == TypeKind::never) raced = c.unit;
    bind_names(c, arm.binds, arm.is_tuple, raced, false);
    const TypeId t = infer(c, arm.body, x);
    handlers.add(arm.body, c.span(arm.body), t);
  }
  return handlers.result();
}

}  // namespace nikaia::lang::typing
