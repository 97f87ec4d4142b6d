// Lambdas, the branches of an `overlap`, the arms of a `select`, and tasks: functions of their own with captures.
#include "passes/lower/lowering.h"

namespace nikaia::lang::lower {

using namespace ast;

void FnLowering::begin_closure(const char* word, Span span, TypeId result) {
  fn_.kind = nir::FunctionKind::closure;
  fn_.name = parent_->fn_.name + "{" + word + " " + std::to_string(id_.index) + "}";
  fn_.parent = parent_->id_;
  fn_.span = span;
  fn_.type_params = parent_->fn_.type_params;
  fn_.result = result;
}

nir::MakeClosure FnLowering::finish_closure() {
  nir::MakeClosure made;
  made.function = id_;
  made.captures = std::move(captures_);
  made.is_kept = is_kept_closure_;
  m_.out.functions[id_] = std::move(fn_);
  return made;
}

nir::MakeClosure FnLowering::closure(ExprId lambda, bool is_kept, bool is_task) {
  const auto& l = std::get<LambdaExpr>(tree_.exprs[lambda].node);
  const Span span = tree_.exprs[lambda].span;
  FnLowering inner(m_, file_, this);
  const Type type = table_[types_.lambda_type[lambda]];
  inner.is_kept_closure_ = is_kept;
  inner.is_task_ = is_task;
  inner.is_scope_task_ = lambda == scope_task_;
  inner.scope_span_ = lambda == scope_block_ ? span : scope_span_;
  inner.begin_closure("closure", span, type.args.back());
  inner.fn_.can_fail = effects_.lambdas[lambda].can_fail;
  inner.fn_.may_pause = effects_.lambdas[lambda].may_pause;
  inner.open_scope();
  for (std::size_t i = 0; i < l.params.count; ++i) {
    const LocalId id = names_.binds[l.params.begin + i];
    const TypeId seen = id.valid() ? types_.locals[id] : type.args[i];
    const TypeId param = type.args[i];
    const Bind& bind = tree_.list(l.params)[i];
    // An argument that may be changed is the address of what it stands for.
    const bool by_address = bind.is_mut && table_.kind(param) != TypeKind::ref;
    NirLocal n = inner.new_local(bind.name.name, by_address ? table_.ref(param, true) : param, nir::LocalKind::param,
                                 bind.name.span, bind.is_mut);
    inner.fn_.params.push_back(n);
    if (!by_address && inner.needs_drop(param)) inner.scopes_.back().dying.push_back(n);
    if (id.valid()) {
      const bool pointer = by_address || (table_.kind(param) == TypeKind::ref && table_.kind(seen) != TypeKind::ref);
      inner.bind(id, {n, seen, pointer});
    }
  }
  inner.lower_body(l.body);
  return inner.finish_closure();
}

// A variant's path as a function value: makes the variant of what it is called with.
nir::MakeClosure FnLowering::variant_function(ExprId path) {
  const Span span = tree_.exprs[path].span;
  const Resolution& variant = names_.exprs[path];
  const Type type = table_[type_of(path)];
  FnLowering inner(m_, file_, this);
  inner.is_kept_closure_ = true;
  inner.begin_closure("closure", span, type.args.back());
  inner.fn_.body = inner.in_region([&] {
    inner.open_scope();
    nir::MakeVariant made{type.args.back(), variant.part, {}};
    for (std::size_t i = 0; i + 1 < type.args.size(); ++i) {
      const TypeId given = type.args[i];
      const NirLocal n = inner.new_local({}, given, nir::LocalKind::param, span);
      inner.fn_.params.push_back(n);
      if (inner.needs_drop(given)) inner.scopes_.back().dying.push_back(n);
      const Place part = inner.payload(Place{}, type.args.back(), variant.part, static_cast<std::uint32_t>(i));
      made.parts.push_back(
          inner.settle(inner.convert(inner.take(inner.place_of_local(n), given), part.path.back().type, span), span));
    }
    const NirLocal result = inner.assign_temp(std::move(made), type.args.back(), span);
    const Operand value = inner.take(inner.place_of_local(result), type.args.back());
    inner.drop_scopes_down_to(0, span, result);
    inner.push(nir::Return{value, true}, span);
  });
  return inner.finish_closure();
}

// The block of a function or lambda: its last expression is the result.
void FnLowering::lower_body(BlockId body) {
  const Block& block = tree_.blocks[body];
  const auto statements = tree_.list(block.statements);
  const bool has_result = table_.kind(fn_.result) != TypeKind::unit;
  fn_.body = in_region([&] {
    open_scope();
    for (std::size_t i = 0; i < statements.size() && !ended_; ++i) {
      const Stmt& s = tree_.stmts[statements[i]];
      const auto* tail = std::get_if<ExprStmt>(&s.node);
      if (i + 1 == statements.size() && tail && has_result) {
        in_statement(s.span, false, [&] { return_value(tail->expr); });
      } else {
        statement(statements[i]);
      }
    }
    close_scope(block.span);
    if (!ended_) {
      drop_scopes_down_to(0, block.span);
      if (has_result)
        push(nir::Unreachable{}, block.span);  // types asks for a result on every way
      else
        push(nir::Return{unit(), false}, block.span);
    }
  });
}

void FnLowering::return_value(ExprId e) {
  const Span span = tree_.exprs[e].span;
  Operand v = convert(value(e), fn_.result, span);
  if (ended_) return;
  give_back(std::move(v), span);
}

// Returns `v`. What it reads of a name that dies on the way is read before that.
void FnLowering::give_back(Operand v, Span span) {
  NirLocal kept;
  const bool is_named = v.kind != OperandKind::constant && v.place.is_local() && v.kind != OperandKind::lend;
  if (v.kind == OperandKind::move && is_named) {
    kept = v.place.root;
  } else if (v.kind == OperandKind::move || v.kind == OperandKind::dup) {
    v = settle(std::move(v), span);
  } else if (v.kind != OperandKind::constant && !is_named && is_dying(v.place.root)) {
    const TypeId type = v.type;
    v = copy_of(assign_temp(nir::Use{std::move(v)}, type, span));
  }
  drop_scopes_down_to(0, span, kept);
  push(nir::Return{std::move(v), true}, span);
}

nir::MakeClosure FnLowering::branch(ExprId body, TypeId result, bool fails) {
  FnLowering inner(m_, file_, this);
  inner.begin_closure("branch", tree_.exprs[body].span, result);
  inner.fn_.can_fail = fails;
  inner.fn_.may_pause = true;
  inner.open_scope();
  inner.fn_.body = inner.in_region([&] {
    inner.open_scope();
    if (table_.kind(result) == TypeKind::unit) {
      inner.in_statement(inner.fn_.span, false, [&] { inner.effect(body); });
      inner.close_scope(inner.fn_.span);
      inner.push(nir::Return{inner.unit(), false}, inner.fn_.span);
    } else {
      inner.in_statement(inner.fn_.span, false, [&] { inner.return_value(body); });
      inner.close_scope(inner.fn_.span);
    }
  });
  return inner.finish_closure();
}

Operand FnLowering::overlap(ExprId e, const OverlapExpr& o) {
  const Span span = tree_.exprs[e].span;
  const TypeId type = type_of(e);
  nir::Overlap made;
  bool any_fails = false;
  const auto statements = tree_.list(tree_.blocks[o.block].statements);
  std::size_t i = 0;
  for (StmtId s : statements) {
    const auto* x = std::get_if<ExprStmt>(&tree_.stmts[s].node);
    if (!x) continue;
    const bool fails = m_.branch_fails(file_, x->expr);
    any_fails |= fails;
    TypeId result = wanted(x->expr);
    if (table_.kind(type) == TypeKind::tuple && i < table_[type].args.size()) result = table_[type].args[i];
    made.branches.push_back(branch(x->expr, result, fails));
    made.branch_fails.push_back(fails ? 1 : 0);
    ++i;
  }
  if (any_fails) made.on_fail = fail_edge(span);
  const bool has_value = table_.kind(type) == TypeKind::tuple;
  if (has_value) made.to = new_temp(type, span);
  const NirLocal to = made.to;
  push(std::move(made), span);
  return has_value ? take(place_of_local(to), type) : unit();
}

// A race, and a switch over its winner whose cases bind what the winner came to and run its handler.
void FnLowering::select_into(ExprId e, const SelectExpr& x, const Destination& d) {
  const Span span = tree_.exprs[e].span;
  const auto arms = tree_.list(x.arms);
  nir::Overlap race;
  std::vector<TypeId> results;
  bool any_fails = false, any_result = false;
  for (const SelectArm& arm : arms) {
    TypeId result = wanted(arm.raced);
    if (table_.kind(result) == TypeKind::never) result = table_.basic(TypeKind::unit);
    const bool fails = m_.branch_fails(file_, arm.raced);
    race.branches.push_back(branch(arm.raced, result, fails));
    race.branch_fails.push_back(fails ? 1 : 0);
    any_fails |= fails;
    any_result |= table_.kind(result) != TypeKind::unit;
    results.push_back(result);
  }
  if (any_fails) race.on_fail = fail_edge(span);
  const TypeId i32 = table_.basic(TypeKind::i32);
  const NirLocal winner = race.winner = new_temp(i32, span);
  const NirLocal to = race.to = any_result ? new_temp(table_.tuple(results), span) : NirLocal{};
  push(std::move(race), span);

  nir::Switch made;
  made.on = copy_of(winner);
  bool all_ended = true;
  for (std::uint32_t i = 0; i < arms.size(); ++i) {
    const SelectArm& arm = arms[i];
    const RegionId region = in_scope_region(arm.span, [&] {
      const bool has_result = table_.kind(results[i]) != TypeKind::unit;
      if (has_result) {
        Place part = project(place_of_local(to), {nir::ProjectionKind::part, i, 0, {}, results[i]});
        if (arm.is_tuple)
          destructure(arm.binds, std::move(part), results[i], false, arm.span);
        else
          bind_let(arm.binds, 0, take(std::move(part), results[i]), arm.span);
      } else if (!arm.is_tuple) {
        bind_let(arm.binds, 0, unit(), arm.span);
      }
      in_statement(arm.span, false, [&] { into(arm.body, d); });
    });
    all_ended = all_ended && last_region_ended_;
    if (i + 1 == arms.size())
      made.otherwise = region;
    else
      made.cases.push_back({{i}, region});
  }
  push(std::move(made), span);
  ended_ = all_ended;
}

Operand FnLowering::spawn(ExprId e, const SpawnExpr& s) {
  const Span span = tree_.exprs[e].span;
  const TypeId type = type_of(e);
  nir::Spawn made;
  made.task = closure(s.lambda, true, true);
  made.can_fail = effects_.lambdas[s.lambda].can_fail;
  made.line = m_.compilation.sources.line_of(span.file, span.begin);
  made.to = new_temp(type, span);
  const NirLocal to = made.to;
  push(std::move(made), span);
  return take(place_of_local(to), type);
}

}  // namespace nikaia::lang::lower
