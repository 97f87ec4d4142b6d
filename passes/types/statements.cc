// Statements: `let`, assignment, loops, guarded jumps.
#include "passes/types/checker.h"

namespace nikaia::lang::typing {

namespace {

struct Walked {
  WalkKind kind = WalkKind::none;
  TypeId element;            // what the loop's name is bound to
  bool lends_parts = false;  // a tuple element is viewed part by part
  TypeId key, value;         // of a map
};

Walked walk_of(Checker& c, TypeId subject) {
  Walked w;
  const bool through_view = c.kind(subject) == TypeKind::ref;
  const TypeId t = c.seen_through(subject);
  const Type type = c.types[t];
  switch (type.kind) {
    case TypeKind::range:
      w.kind = WalkKind::range;
      w.element = type.args[0];
      return w;
    case TypeKind::array:
      w.kind = type.length == Type::unsized && through_view ? WalkKind::run : WalkKind::array;
      w.element = c.view_of(type.args[0]);
      w.lends_parts = true;
      return w;
    case TypeKind::seq:
      w.kind = WalkKind::seq;
      w.element = type.args[0];
      return w;
    case TypeKind::named: break;
    default: return w;
  }
  if (type.decl == c.decls.vec) {
    w.kind = WalkKind::list;
    w.element = c.view_of(type.args[0]);
    w.lends_parts = true;
  } else if (type.decl == c.decls.hash_map || type.decl == c.decls.btree_map) {
    w.kind = WalkKind::map;
    w.key = c.view_of(type.args[0]);
    w.value = c.view_of(type.args[1]);
    w.element = c.types.tuple({w.key, w.value});
  } else if (type.decl == c.decls.hash_set || type.decl == c.decls.btree_set) {
    w.kind = WalkKind::set;
    w.element = c.view_of(type.args[0]);
    w.lends_parts = true;
  } else if (type.decl == c.decls.bytes || type.decl == c.decls.mapped) {
    w.kind = WalkKind::bytes;
    w.element = c.u8;
  } else if (c.decls.types[type.decl].is_of_library() && c.text(c.decls.types[type.decl].name) == "DirEntries") {
    w.kind = WalkKind::list;
    w.element = c.text_view;
  }
  return w;
}

void report_unwalkable(Checker& c, ExprId subject, TypeId t) {
  const std::string text = source_text(c, c.span(subject));
  const TypeId value = c.shallow(t);
  const TypeId seen = c.seen_through(t);
  const TypeKind k = c.types.kind(seen);
  if (k == TypeKind::error || k == TypeKind::never) return;
  if (c.types.kind(value) == TypeKind::nullable || k == TypeKind::nullable) {
    c.sink.error(Code::NK1206, c.span(subject), text);
    return;
  }
  if (const Variable* v = c.vars.class_of(seen)) {
    if (v->kind == VarKind::open) return;  // what nothing decides is said once, at its origin
    if (v->kind == VarKind::number) {
      c.sink.error(Wording::NK1950_number, c.span(subject), text);
    } else {
      c.sink.error(Wording::NK1950_text, c.span(subject), text);
    }
    return;
  }
  if (c.types.is_number(seen)) {
    c.sink.error(Wording::NK1950_number, c.span(subject), text);
  } else if (k == TypeKind::string) {
    c.sink.error(Wording::NK1950_text, c.span(subject), text);
  } else if (const TypeDeclId decl = c.decl_of(seen);
             decl.valid() && c.decls.types[decl].is_of_library() && c.text(c.decls.types[decl].name) == "Receiver") {
    c.sink.error(Wording::NK1950_receiver, c.span(subject), text);
  } else {
    c.sink.error(Code::NK1950, c.span(subject), described(c, t));
  }
}

void bind_all(Checker& c, ast::List<ast::Bind> binds, TypeId t) {
  for (std::uint32_t i = 0; i < binds.count; ++i) c.set_local(entry(c.resolved->binds, binds.begin + i), t);
}

void check_for(Checker& c, StmtId s, const ast::ForStmt& f) {
  const TypeId subject = infer(c, f.subject);
  const Walked w = walk_of(c, subject);
  c.out->walk_of[s] = w.kind;
  if (w.kind == WalkKind::none) {
    report_unwalkable(c, f.subject, subject);
    bind_all(c, f.binds, c.error);
  } else if (w.kind == WalkKind::map && f.is_tuple && f.binds.count == 2) {
    c.set_local(entry(c.resolved->binds, f.binds.begin), w.key);
    c.set_local(entry(c.resolved->binds, f.binds.begin + 1), w.value);
  } else {
    bind_names(c, f.binds, f.is_tuple, w.element, w.lends_parts);
  }
  c.frame->loops.push_back(false);
  infer_block(c, f.body, {TypeId(), nullptr, false});
  c.frame->loops.pop_back();
}

void check_while(Checker& c, const ast::WhileStmt& w, bool& diverges) {
  check_condition(c, w.cond);
  c.frame->loops.push_back(false);
  infer_block(c, w.body, {TypeId(), nullptr, false});
  const bool is_left = c.frame->loops.back();
  c.frame->loops.pop_back();
  auto* lit = c.as<ast::BoolLit>(unwrapped(c, w.cond));
  if (lit && lit->value && !is_left) diverges = true;
}

// What an un-annotated name is bound to.
TypeId bound_type(Checker& c, ExprId value, TypeId t, bool is_mut) {
  if (is_mut && c.shallow(t) == c.text_view && is_text_literal(c, value)) {
    const TypeId text = c.vars.make(VarKind::text, Origin::none, c.span(value));
    c.text_sites.emplace_back(value, text);
    return text;
  }
  if (!is_deep_place(c, value)) return t;
  const TypeId seen = c.lent(t);
  if (!(seen == c.shallow(t))) c.set_wanted(value, seen);
  return seen;
}

bool refuse_no_value(Checker& c, ExprId value, TypeId t) {
  if (c.kind(t) != TypeKind::unit) return false;
  c.sink.error(Code::NK1916, c.span(value), source_text(c, c.span(value)));
  return true;
}

void check_let(Checker& c, const ast::LetStmt& let, bool& diverges) {
  if (!let.is_tuple && let.binds.count == 1) {
    const ast::Bind& bind = c.list(let.binds)[0];
    const LocalId local = entry(c.resolved->binds, let.binds.begin);
    if (let.type.valid()) {
      const TypeId declared = c.resolved->types[let.type];
      Slot slot;
      slot.kind = Slot::Kind::let;
      slot.name = c.text(bind.name.name);
      slot.declared = c.tree->types[let.type].span;
      const TypeId t = check(c, let.value, declared.valid() ? declared : c.error, slot);
      if (c.kind(t) == TypeKind::never) diverges = true;
      c.set_local(local, declared.valid() ? declared : c.error);
    } else {
      TypeId t = infer(c, let.value);
      if (c.kind(t) == TypeKind::never) diverges = true;
      if (refuse_no_value(c, let.value, t)) t = c.error;
      t = bound_type(c, let.value, t, bind.is_mut);
      c.vars.name_classes(t, bind.name.name, bind.name.span);
      c.set_local(local, t);
    }
    if (local.valid() && !bind.is_mut) note_number(c, NumberStep::Kind::let, let.value, local);
    return;
  }
  TypeId t = infer(c, let.value);
  if (c.kind(t) == TypeKind::never) diverges = true;
  if (refuse_no_value(c, let.value, t)) t = c.error;
  const bool views = is_deep_place(c, let.value) || c.kind(t) == TypeKind::ref;
  bind_names(c, let.binds, true, t, views);
}

TypeId assigned_place(Checker& c, ExprId place) {
  // A slot of a map is written as a `V`, though it reads as a `V?`.
  auto* index = c.as<ast::IndexExpr>(unwrapped(c, place));
  TypeId t = infer(c, place);
  if (index && c.out->index_of[unwrapped(c, place)] == IndexKind::map) {
    const TypeId map = c.seen_through(c.type_of(index->object));
    if (c.types.kind(map) != TypeKind::named || c.types[map].args.size() < 2) return c.error;
    const TypeId key = c.types[map].args[0];
    const TypeId value = c.types[map].args[1];
    fits(c, index->index, c.type_of(index->index), key);
    return value;
  }
  t = c.shallow(t);
  if (c.types.kind(t) == TypeKind::ref && c.types[t].is_mut) t = c.argument_of(t, 0);
  return t;
}

void check_assign(Checker& c, const ast::AssignStmt& a, Span span, bool& diverges) {
  const TypeId place = assigned_place(c, a.place);
  const bool is_lock = c.is_named(place, c.decls.shared_mut) || c.is_named(place, c.decls.locked);
  if (is_lock && a.op != ast::AssignOp::set) {
    infer(c, a.value);
    c.sink.error(Wording::NK2204_compound, c.span(a.place), source_text(c, c.span(a.place)), spelling(a.op));
    return;
  }
  if (refuse_change_in_shared(c, a.place, false)) {
    infer(c, a.value, {place, nullptr, true});
    return;
  }
  if (a.op != ast::AssignOp::set) {
    check_compound(c, a, span, place);
    return;
  }
  if (is_lock) {
    const TypeId value = infer(c, a.value, {place, nullptr, true});
    const bool given_lock = c.is_named(value, c.decls.shared_mut) || c.is_named(value, c.decls.locked);
    if (given_lock) {
      fits(c, a.value, value, place);
    } else if (!c.is_error(value)) {
      c.sink.error(Code::NK2204, c.span(a.place), source_text(c, c.span(a.place)))
          .help("Write `" + source_text(c, c.span(a.place)) + ".set(" + source_text(c, c.span(a.value)) + ")`.");
    }
    return;
  }
  Slot slot;
  slot.kind = Slot::Kind::assign;
  slot.place = a.place;
  const TypeId t = check(c, a.value, place, slot);
  if (c.kind(t) == TypeKind::never) diverges = true;
  Deferred ask;
  ask.kind = Deferred::Kind::walked_assigned;
  ask.expr = a.value;
  ask.type = t;
  ask.span = c.span(a.value);
  defer(c, ask);
}

struct Visitor {
  Checker& c;
  StmtId s;
  bool& diverges;

  void operator()(const ast::ErrorStmt&) {}
  void operator()(const ast::LetStmt& let) { check_let(c, let, diverges); }
  void operator()(const ast::ComptimeStmt& m) { infer(c, m.value); }
  void operator()(const ast::AssignStmt& a) { check_assign(c, a, c.tree->stmts[s].span, diverges); }
  void operator()(const ast::WhileStmt& w) { check_while(c, w, diverges); }
  void operator()(const ast::ForStmt& f) { check_for(c, s, f); }
  void operator()(const ast::JumpIfStmt& j) {
    check_condition(c, j.cond);
    infer(c, j.jump);
  }
  void operator()(const ast::ExprStmt& x) {
    if (c.kind(infer(c, x.expr, {TypeId(), nullptr, false})) == TypeKind::never) diverges = true;
  }
};

}  // namespace

bool refuse_change_in_shared(Checker& c, ExprId place, bool itself) {
  ExprId e = unwrapped(c, place);
  for (;;) {
    if (itself) {
      TypeId t = c.shallow(c.type_of(e));
      if (c.types.kind(t) == TypeKind::ref) t = c.shallow(c.argument_of(t, 0));
      if (c.is_named(t, c.decls.shared)) {
        c.sink.error(Code::NK2947, c.span(place), source_text(c, c.span(e)));
        return true;
      }
    }
    itself = true;
    if (auto* m = c.as<ast::MemberExpr>(e)) {
      e = unwrapped(c, m->object);
    } else if (auto* t = c.as<ast::TuplePartExpr>(e)) {
      e = unwrapped(c, t->object);
    } else if (auto* i = c.as<ast::IndexExpr>(e)) {
      e = unwrapped(c, i->object);
    } else {
      return false;
    }
  }
}

void check_statement(Checker& c, StmtId s, bool& diverges) {
  std::visit(Visitor{c, s, diverges}, c.tree->stmts[s].node);
}

void bind_names(Checker& c, ast::List<ast::Bind> binds, bool is_tuple, TypeId type, bool views) {
  const auto names = c.list(binds);
  if (!is_tuple) {
    if (names.empty()) return;
    c.vars.name_classes(type, names[0].name.name, names[0].name.span);
    c.set_local(entry(c.resolved->binds, binds.begin), type);
    return;
  }
  const TypeId seen = c.seen_through(type);
  const Type tuple = c.types[seen];
  const bool is_view = views || c.kind(type) == TypeKind::ref;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const LocalId local = entry(c.resolved->binds, binds.begin + i);
    TypeId part = c.error;
    if (tuple.kind == TypeKind::tuple && i < tuple.args.size()) {
      part = is_view ? c.lent(tuple.args[i]) : c.shallow(tuple.args[i]);
      if (!names[i].name.is_ignored && c.kind(part) == TypeKind::unit) {
        c.sink.error(Code::NK1916, names[i].name.span, c.text(names[i].name.name));
        part = c.error;
      }
    }
    c.vars.name_classes(part, names[i].name.name, names[i].name.span);
    c.set_local(local, part);
  }
}

}  // namespace nikaia::lang::typing
