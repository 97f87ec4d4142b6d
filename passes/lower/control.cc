// Control: branches, `catch`, `??`, jumps, loops and statements.
#include <algorithm>

#include "passes/lower/lowering.h"

namespace nikaia::lang::lower {

using namespace ast;

void FnLowering::store_result(Operand v, const Destination& d, Span span) {
  if (!d.wanted || ended_) return;
  v = convert(std::move(v), d.type, span);
  push(nir::Assign{place_of_local(d.local), nir::Use{std::move(v)}}, span);
}

// What `e` comes to, in `d`. With `d.lends` the branch lends what it comes to, and a value that lies nowhere
// is put where it lives as long as the statement.
void FnLowering::into(ExprId e, const Destination& d) {
  const Expr& x = tree_.exprs[e];
  if (!d.wanted) return effect(e);
  const bool converts = types_.wanted[e].valid() && !(types_.wanted[e] == types_.exprs[e]);
  if (!converts) {
    if (auto* p = std::get_if<ParenExpr>(&x.node)) return into(p->inner, d);
    if (auto* n = std::get_if<BlockExpr>(&x.node)) return block_into(n->block, d);
    if (auto* n = std::get_if<IfExpr>(&x.node)) return if_into(e, *n, d);
    if (auto* n = std::get_if<MatchExpr>(&x.node)) return match_into(e, *n, d);
    if (auto* n = std::get_if<CoalesceExpr>(&x.node)) return coalesce_into(e, *n, d);
    if (auto* n = std::get_if<CatchExpr>(&x.node); n && !d.lends) return catch_into(e, *n, d);
    if (auto* n = std::get_if<SelectExpr>(&x.node); n && !d.lends) return select_into(e, *n, d);
  }
  if (!d.lends) return store_result(value(e), d, x.span);
  const TypeId target = table_[d.type].args[0];
  if (table_.kind(wanted(e)) == TypeKind::ref) return store_result(value(e), d, x.span);
  if (is_place(e) && !converts) return store_result(lend(place(e), type_of(e)), d, x.span);
  Operand v = convert(value(e), target, x.span);
  if (ended_) return;
  NirLocal home = new_temp(target, x.span, true);
  push(nir::Assign{place_of_local(home), nir::Use{std::move(v)}}, x.span);
  store_result(lend(place_of_local(home), target), d, x.span);
}

void FnLowering::block_into(BlockId b, const Destination& d) {
  const Block& block = tree_.blocks[b];
  const auto statements = tree_.list(block.statements);
  // Names of the block live in a scope of their own.
  RegionId body = in_scope_region(block.span, [&] {
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const bool is_last = i + 1 == statements.size();
      const auto* tail = std::get_if<ExprStmt>(&tree_.stmts[statements[i]].node);
      if (is_last && tail && d.wanted) {
        in_statement(tree_.stmts[statements[i]].span, false, [&] {
          // A lent result must outlive the block: its home is the statement the block stands in.
          if (d.lends) statement_region_ = home_region_, statement_depth_ = home_depth_;
          into(tail->expr, d);
        });
      } else {
        statement(statements[i]);
      }
      if (ended_) break;
    }
  });
  const bool ended = last_region_ended_;
  if (ended_) return;
  push(nir::Scope{body}, block.span);
  ended_ = ended;
}

namespace {

// Whether every value a branch can come to lies outside its blocks, so that it can be lent out of them.
bool lends_safely(const Tree& tree, ExprId e);

bool block_lends_safely(const Tree& tree, BlockId b) {
  const auto statements = tree.list(tree.blocks[b].statements);
  if (statements.empty()) return true;
  for (StmtId s : statements) {
    if (std::holds_alternative<LetStmt>(tree.stmts[s].node)) return false;
  }
  const auto* tail = std::get_if<ExprStmt>(&tree.stmts[statements.back()].node);
  return !tail || lends_safely(tree, tail->expr);
}

bool lends_safely(const Tree& tree, ExprId e) {
  const auto& node = tree.exprs[e].node;
  if (auto* n = std::get_if<ParenExpr>(&node)) return lends_safely(tree, n->inner);
  if (auto* n = std::get_if<BlockExpr>(&node)) return block_lends_safely(tree, n->block);
  if (auto* n = std::get_if<IfExpr>(&node)) {
    return block_lends_safely(tree, n->then_block) && (!n->else_branch.valid() || lends_safely(tree, n->else_branch));
  }
  if (auto* n = std::get_if<MatchExpr>(&node)) {
    for (const Arm& arm : tree.list(n->arms)) {
      if (!lends_safely(tree, arm.body)) return false;
    }
    return true;
  }
  if (auto* n = std::get_if<CoalesceExpr>(&node)) return lends_safely(tree, n->left) && lends_safely(tree, n->right);
  return true;
}

}  // namespace

Operand FnLowering::control_value(ExprId e, bool lends) {
  const Expr& x = tree_.exprs[e];
  const TypeId type = type_of(e);
  const TypeKind kind = table_.kind(type);
  lends = lends && kind != TypeKind::ref && lends_safely(tree_, e);
  Destination d;
  if (kind != TypeKind::unit && kind != TypeKind::never) {
    d.wanted = true;
    d.lends = lends;
    d.type = lends ? table_.ref(type) : type;
    d.local = new_temp(d.type, x.span);
  }
  RegionId saved_region = home_region_;
  std::size_t saved_depth = home_depth_;
  home_region_ = statement_region_;
  home_depth_ = statement_depth_;
  if (auto* n = std::get_if<IfExpr>(&x.node))
    if_into(e, *n, d);
  else if (auto* n = std::get_if<MatchExpr>(&x.node))
    match_into(e, *n, d);
  else if (auto* n = std::get_if<CatchExpr>(&x.node))
    catch_into(e, *n, d);
  else if (auto* n = std::get_if<CoalesceExpr>(&x.node))
    coalesce_into(e, *n, d);
  else if (auto* n = std::get_if<BlockExpr>(&x.node))
    block_into(n->block, d);
  else if (auto* n = std::get_if<SelectExpr>(&x.node))
    select_into(e, *n, d);
  else
    block_into(std::get<UnsafeExpr>(x.node).block, d);
  home_region_ = saved_region;
  home_depth_ = saved_depth;
  if (!d.wanted) {
    if (kind == TypeKind::never) {
      push(nir::Unreachable{}, x.span);
      return constant(nir::ConstUnit{}, type);
    }
    return unit();
  }
  return take(place_of_local(d.local), d.type);
}

void FnLowering::if_into(ExprId e, const IfExpr& i, const Destination& d) {
  const Span span = tree_.exprs[e].span;
  Operand cond = convert(value(i.cond), table_.basic(TypeKind::bool_), span);
  if (ended_) return;
  auto spread = [&](RegionId region) {
    // The block of a branch is the branch: no scope inside a scope.
    auto& list = fn_.regions[region];
    if (list.size() == 1) {
      if (auto* s = std::get_if<nir::Scope>(&fn_.instrs[list[0]].node)) return s->body;
    }
    return region;
  };
  RegionId then_region = in_region([&] { block_into(i.then_block, d); });
  bool ended = last_region_ended_;
  RegionId else_region;
  if (i.else_branch.valid()) {
    else_region = in_region([&] {
      if (auto* nested = std::get_if<IfExpr>(&tree_.exprs[i.else_branch].node)) {
        // Temporaries of the nested condition die with the branch.
        open_scope();
        if_into(i.else_branch, *nested, d);
        close_scope(span);
      } else {
        block_into(std::get<BlockExpr>(tree_.exprs[i.else_branch].node).block, d);
      }
    });
    ended = ended && last_region_ended_;
    else_region = spread(else_region);
  } else {
    ended = false;
  }
  push(nir::If{std::move(cond), spread(then_region), else_region}, span);
  ended_ = ended;
}

void FnLowering::coalesce_into(ExprId e, const CoalesceExpr& c, const Destination& d) {
  const Span span = tree_.exprs[e].span;
  // What is kept is taken out of the left side, so a left side made of branches is made, and not lent by each of them.
  const auto& left_node = tree_.exprs[bare(c.left)].node;
  const bool is_made = d.wanted && !d.lends &&
                       (std::holds_alternative<IfExpr>(left_node) || std::holds_alternative<MatchExpr>(left_node) ||
                        std::holds_alternative<CoalesceExpr>(left_node));
  Place left;
  if (is_made) {
    Operand v = control_value(bare(c.left), false);
    if (ended_) return;
    if (v.kind == OperandKind::constant || !v.place.is_local()) {
      const TypeId type = v.type;
      left = place_of_local(assign_temp(nir::Use{std::move(v)}, type, span));
    } else {
      owe_drop(v.place.root);
      left = v.place;
    }
  } else {
    left = place(c.left);
  }
  TypeId lt = type_of(c.left);
  if (table_.kind(lt) == TypeKind::ref) {
    lt = table_[lt].args[0];
    left = deref(std::move(left), lt);
  }
  if (ended_) return;
  if (table_.kind(lt) != TypeKind::nullable) return store_result(take(std::move(left), lt), d, span);
  const TypeId inner = table_[lt].args[0];
  Operand is_null = bool_of(nir::IsNull{left}, span);
  RegionId null_side = in_scope_region(span, [&] { into(c.right, d); });
  bool ended = last_region_ended_;
  RegionId some_side = in_region([&] {
    if (!d.wanted) return;
    if (table_.kind(d.type) == TypeKind::nullable && table_.kind(inner) != TypeKind::nullable && !d.lends) {
      return store_result(take(left, lt), d, span);
    }
    if (table_.kind(d.type) == TypeKind::ref && table_.kind(table_[d.type].args[0]) == TypeKind::nullable &&
        table_.kind(inner) != TypeKind::nullable) {
      return store_result(lend(left, lt), d, span);
    }
    Place some = project(left, {nir::ProjectionKind::some, 0, 0, {}, inner});
    if (table_.kind(d.type) == TypeKind::ref && table_.kind(inner) != TypeKind::ref) {
      Operand l = lend(std::move(some), inner);
      if (l.kind == OperandKind::lend) l.type = d.type;
      return store_result(std::move(l), d, span);
    }
    store_result(take(std::move(some), inner), d, span);
  });
  (void)ended;
  push(nir::If{is_null, null_side, some_side}, span);
}

void FnLowering::catch_into(ExprId e, const CatchExpr& c, const Destination& d) {
  const Span span = tree_.exprs[e].span;
  nir::LabelId label = new_label();
  const LocalId error_id = names_.error_of[e];
  TypeId error_type = effects_.error_type[e];
  if (!error_type.valid()) error_type = table_.error_sum({}, true);
  const Local& named = names_.locals[error_id];
  NirLocal error = new_local(named.name, error_type, nir::LocalKind::error, named.span);
  const std::size_t depth = scopes_.size();
  handlers_.push_back({label, error, depth});
  RegionId body = in_scope_region(span, [&] { into(c.guarded, d); });
  const bool body_ended = last_region_ended_;
  handlers_.pop_back();
  bind(error_id, {error, error_type, false});
  RegionId handler = in_region([&] {
    open_scope();
    if (needs_drop(error_type)) scopes_.back().dying.push_back(error);
    block_into(c.handler, d);
    close_scope(span);
  });
  const bool handler_ended = last_region_ended_;
  push(nir::Guard{label, body, error, handler}, span);
  ended_ = body_ended && handler_ended;
}

// ---- jumps -------------------------------------------------------------------------------------

void FnLowering::jump(ExprId e) {
  const Expr& x = tree_.exprs[e];
  if (auto* r = std::get_if<ReturnExpr>(&x.node)) {
    if (!r->value.valid()) {
      drop_scopes_down_to(0, x.span);
      push(nir::Return{unit(), false}, x.span);
      return;
    }
    if (table_.kind(fn_.result) == TypeKind::unit) {
      effect(r->value);
      drop_scopes_down_to(0, x.span);
      push(nir::Return{unit(), false}, x.span);
      return;
    }
    Operand v = convert(value(r->value), fn_.result, x.span);
    if (ended_) return;
    give_back(std::move(v), x.span);
    return;
  }
  if (auto* t = std::get_if<ThrowExpr>(&x.node)) {
    Operand v = value(t->value);
    if (ended_) return;
    const TypeId any = table_.error_sum({}, true);
    if (table_.kind(v.type) != TypeKind::error_sum) {
      nir::MakeFailure made{std::move(v), m_.add_site(x.span, fn_.name)};
      NirLocal local = new_local({}, any, nir::LocalKind::temp, x.span);
      push(nir::Declare{local}, x.span);
      push(nir::Assign{place_of_local(local), std::move(made)}, x.span);
      v = Operand{OperandKind::move, any, place_of_local(local), {}};
    }
    leave_with_failure(std::move(v), x.span);
    return;
  }
  if (loops_.empty()) return;
  drop_scopes_down_to(loops_.back().depth, x.span);
  if (std::holds_alternative<BreakExpr>(x.node)) {
    push(nir::Leave{loops_.back().label}, x.span);
  } else {
    push(nir::Again{loops_.back().label}, x.span);
  }
}

void FnLowering::condition_or_leave(ExprId cond, nir::LabelId label, std::size_t depth) {
  const Span span = tree_.exprs[cond].span;
  Operand c = convert(value(cond), table_.basic(TypeKind::bool_), span);
  if (ended_) return;
  RegionId out = in_region([&] {
    drop_scopes_down_to(depth, span);
    push(nir::Leave{label}, span);
  });
  push(nir::If{std::move(c), fn_.regions.add({}), out}, span);
}

// ---- statements --------------------------------------------------------------------------------

void FnLowering::statement(StmtId s) {
  const Stmt& x = tree_.stmts[s];
  bool keep_temps = false;
  if (auto* l = std::get_if<LetStmt>(&x.node)) {
    // What a name views lives as long as the name (03 §1.1).
    TypeId t = wanted(l->value);
    keep_temps = holds_view(table_, m_.decls, t) || table_.kind(t) == TypeKind::seq;
    for (std::size_t i = 0; i < l->binds.count; ++i) {
      LocalId id = names_.binds[l->binds.begin + i];
      if (!id.valid()) continue;
      keep_temps = keep_temps || holds_view(table_, m_.decls, types_.locals[id]);
    }
  }
  in_statement(x.span, keep_temps, [&] { statement_body(s); });
}

void FnLowering::statement_body(StmtId s) {
  const Stmt& x = tree_.stmts[s];
  if (auto* n = std::get_if<LetStmt>(&x.node)) return let(s, *n);
  if (auto* n = std::get_if<AssignStmt>(&x.node)) return assign(*n, x.span);
  if (auto* n = std::get_if<WhileStmt>(&x.node)) return while_(*n, x.span);
  if (auto* n = std::get_if<ForStmt>(&x.node)) return for_(s, *n, x.span);
  if (auto* n = std::get_if<JumpIfStmt>(&x.node)) {
    Operand c = convert(value(n->cond), table_.basic(TypeKind::bool_), x.span);
    if (ended_) return;
    RegionId out = in_scope_region(x.span, [&] { jump(n->jump); });
    push(nir::If{std::move(c), out, {}}, x.span);
    return;
  }
  if (auto* n = std::get_if<ExprStmt>(&x.node)) return effect(n->expr);
}

// Makes the temporary that a `let` was worked out in the name itself. Not where something else ends it.
bool FnLowering::take_over(NirLocal temp, const Local& name, TypeId type) {
  nir::Local& local = fn_.locals[temp];
  if (local.kind != nir::LocalKind::temp || !(local.type == type)) return false;
  for (std::size_t i = statement_depth_; i < scopes_.size(); ++i) {
    const auto& dying = scopes_[i].dying;
    if (std::find(dying.begin(), dying.end(), temp) != dying.end()) return false;
  }
  auto& region = fn_.regions[current_];
  const auto declared = std::find_if(region.begin(), region.end(), [&](nir::InstrId i) {
    const auto* d = std::get_if<nir::Declare>(&fn_.instrs[i].node);
    return d && d->local == temp;
  });
  if (declared == region.end()) return false;
  region.erase(declared);
  local = {name.name, type, nir::LocalKind::named, name.span, name.is_mut};
  declare_name(temp, name.span);
  return true;
}

void FnLowering::bind_let(List<Bind> binds, std::size_t i, Operand v, Span span) {
  const LocalId id = names_.binds[binds.begin + i];
  if (!id.valid()) return;
  const Local& local = names_.locals[id];
  const TypeId type = types_.locals[id];
  if (table_.kind(type) == TypeKind::never || ended_) return;
  v = convert(std::move(v), type, span);
  const bool is_whole = (v.kind == OperandKind::move || v.kind == OperandKind::copy) && v.place.is_local();
  if (is_whole && take_over(v.place.root, local, type)) return bind(id, {v.place.root, type, false});
  NirLocal n = new_local(local.name, type, nir::LocalKind::named, local.span, local.is_mut);
  declare_name(n, span);
  push(nir::Assign{place_of_local(n), nir::Use{std::move(v)}}, span);
  bind(id, {n, type, false});
}

void FnLowering::destructure(List<Bind> binds, Place tuple, TypeId type, bool views, Span span) {
  if (table_.kind(type) == TypeKind::ref) {
    type = table_[type].args[0];
    tuple = deref(std::move(tuple), type);
    views = true;
  }
  const std::vector<TypeId> parts = table_[type].args;
  for (std::size_t i = 0; i < binds.count && i < parts.size(); ++i) {
    const LocalId id = names_.binds[binds.begin + i];
    if (!id.valid()) continue;
    Place part = project(tuple, {nir::ProjectionKind::part, static_cast<std::uint32_t>(i), 0, {}, parts[i]});
    const TypeId bound = types_.locals[id];
    const bool lends = table_.kind(bound) == TypeKind::ref && table_.kind(parts[i]) != TypeKind::ref;
    bind_let(binds, i,
             lends || (views && needs_drop(bound)) ? lend(std::move(part), parts[i]) : take(std::move(part), parts[i]),
             span);
  }
}

void FnLowering::let(StmtId s, const LetStmt& l) {
  const Span span = tree_.stmts[s].span;
  if (l.is_tuple) {
    const bool from_place = is_place(l.value) && !(std::holds_alternative<PathExpr>(tree_.exprs[l.value].node));
    Place tuple = place(l.value);
    if (ended_) return;
    destructure(l.binds, std::move(tuple), type_of(l.value), from_place, span);
    return;
  }
  const LocalId id = names_.binds[l.binds.begin];
  if (!id.valid()) return effect(l.value);
  const TypeId type = types_.locals[id];
  Operand v;
  if (table_.kind(type) == TypeKind::ref && table_.kind(type_of(l.value)) != TypeKind::ref &&
      table_.kind(type_of(l.value)) != TypeKind::never) {
    // A place of a type that moves is viewed (03 §2.5).
    v = lend(place(l.value), type_of(l.value));
    if (v.kind == OperandKind::lend) v.type = type;
  } else {
    v = value(l.value);
  }
  bind_let(l.binds, 0, std::move(v), span);
}

void FnLowering::assign(const AssignStmt& a, Span span) {
  const Expr& target = tree_.exprs[a.place];
  const auto* index = std::get_if<IndexExpr>(&target.node);
  const bool is_map = index && types_.index_of[a.place] == IndexKind::map;
  if (a.op == AssignOp::set) {
    if (is_map) {
      Operand v = settle(value(a.value), span);
      Place map = place(index->object);
      TypeId t = type_of(index->object);
      if (table_.kind(t) == TypeKind::ref) map = deref(std::move(map), table_[t].args[0]);
      note_change(map);
      const std::vector<TypeId> args = table_[table_.without_ref(t)].args;
      // A key that is read is lent, whence its wanted type; one that is written is handed over (02 §4.4).
      const bool is_owned = args.size() == 2 && type_of(index->index) == args[0];
      Operand key = settle(is_owned ? base_value(index->index) : value(index->index), span);
      if (args.size() == 2) {
        key = settle(convert(std::move(key), args[0], span), span);
        v = settle(convert(std::move(v), args[1], span), span);
      }
      if (teardown(args.back()).has_cleanup()) {
        // The value that was there is handed out, to be cleaned up behind the write.
        const TypeId type = table_.without_ref(t);
        nir::Call insert;
        insert.fn = m_.decls.types[table_[type].decl].methods.at(m_.context.names().intern("insert"));
        insert.type_args = args;
        insert.result = table_.nullable(args.back());
        const NirLocal old = new_local({}, insert.result, nir::LocalKind::temp, span);
        insert.to = old;
        insert.args = {lend(std::move(map), type, true), std::move(key), std::move(v)};
        push(nir::Declare{old}, span);
        push(std::move(insert), span);
        ends_here(old, span);
        return;
      }
      push(nir::MapWrite{std::move(map), std::move(key), std::move(v)}, span);
      return;
    }
    Operand v = convert(value(a.value), type_of(a.place), span);
    if (ended_) return;
    if (has_effects(a.place) || index) v = settle(std::move(v), span);
    Place p = place(a.place);
    if (table_.kind(v.type) != TypeKind::ref && table_.kind(type_of(a.place)) == TypeKind::ref) {
      p = deref(std::move(p), table_[type_of(a.place)].args[0]);
    }
    note_change(p);
    if (teardown(v.type).has_cleanup()) {
      // The value that was there is cleaned up behind the store: where that fails, the place has a value all the same.
      v = settle(std::move(v), span);
      NirLocal old = new_local({}, v.type, nir::LocalKind::temp, span);
      push(nir::Declare{old}, span);
      push(nir::Assign{place_of_local(old), nir::Use{Operand{OperandKind::move, v.type, p, {}}}}, span);
      push(nir::Store{std::move(p), std::move(v)}, span);
      ends_here(old, span);
      return;
    }
    push(nir::Store{std::move(p), std::move(v)}, span);
    return;
  }
  Operand v = read(a.value);
  if (has_effects(a.place)) v = settle(std::move(v), span);
  Place p = place(a.place);
  TypeId type = type_of(a.place);
  if (table_.kind(type) == TypeKind::ref && !table_.is_text(type)) {
    type = table_[type].args[0];
    p = deref(std::move(p), type);
  }
  note_change(p);
  static constexpr nir::BinaryOp ops[] = {nir::BinaryOp::add,     nir::BinaryOp::add,    nir::BinaryOp::sub,
                                          nir::BinaryOp::mul,     nir::BinaryOp::div,    nir::BinaryOp::rem,
                                          nir::BinaryOp::bit_and, nir::BinaryOp::bit_or, nir::BinaryOp::bit_xor,
                                          nir::BinaryOp::shl,     nir::BinaryOp::shr};
  const nir::BinaryOp op = ops[static_cast<std::size_t>(a.op)];
  if (table_.is_text(type)) {
    // `t += x` appends in place.
    nir::Call push_str;
    push_str.fn = m_.push_str();
    push_str.result = table_.basic(TypeKind::unit);
    push_str.args.push_back(lend(std::move(p), type, true));
    push_str.args.push_back(std::move(v));
    push(std::move(push_str), span);
    return;
  }
  const TypeId plain = table_.without_ref(v.type);
  v = convert(std::move(v), plain, span);
  Operand old{OperandKind::copy, type, p, {}};
  Operand made = arithmetic(op, std::move(old), std::move(v), type, span);
  push(nir::Store{std::move(p), std::move(made)}, span);
}

// ---- loops -------------------------------------------------------------------------------------

void FnLowering::while_(const WhileStmt& w, Span span) {
  nir::LabelId label = new_label();
  const std::size_t depth = scopes_.size();
  bool is_left = false;
  const std::size_t first = fn_.instrs.size();
  RegionId body = in_scope_region(span, [&] {
    const auto* literal = std::get_if<BoolLit>(&tree_.exprs[w.cond].node);
    if (!literal || !literal->value) {
      is_left = true;
      in_statement(tree_.exprs[w.cond].span, false, [&] { condition_or_leave(w.cond, label, depth); });
    }
    loops_.push_back({label, depth});
    block_into(w.body, {});
    loops_.pop_back();
  });
  push(nir::Loop{label, body}, span);
  if (!is_left) {
    // Endless unless a `break` leaves it.
    for (std::size_t i = first; i < fn_.instrs.size(); ++i) {
      auto* l = std::get_if<nir::Leave>(&fn_.instrs[nir::InstrId(i)].node);
      is_left = is_left || (l && l->label == label);
    }
    if (!is_left) ended_ = true;
  }
}

// A range or a sequence, which its loop takes: out of what is looked at through a view or a handle as well, where the
// checks of ownership have the last word.
Operand FnLowering::walked_value(ExprId subject) {
  TypeId walked = type_of(subject);
  while (table_.kind(walked) != TypeKind::range && table_.kind(walked) != TypeKind::seq && !table_[walked].args.empty())
    walked = table_[walked].args[0];
  return walked == type_of(subject) ? value(subject) : receiver_argument(subject, walked, {});
}

void FnLowering::for_(StmtId s, const ForStmt& f, Span span) {
  const WalkKind kind = types_.walk_of[s];
  nir::Walk walk;
  walk.label = new_label();
  TypeId subject_type = type_of(f.subject);
  switch (kind) {
    case WalkKind::range:
    case WalkKind::seq:
      walk.subject = walked_value(f.subject);
      if (!(walk.subject.kind == OperandKind::move && walk.subject.place.is_local())) {
        walk.subject = settle(std::move(walk.subject), span);
      }
      break;
    default: {
      Operand lent;
      const auto& node = tree_.exprs[f.subject].node;
      const bool is_control = std::holds_alternative<IfExpr>(node) || std::holds_alternative<MatchExpr>(node) ||
                              std::holds_alternative<CoalesceExpr>(node);
      if (table_.kind(subject_type) == TypeKind::ref) {
        lent = value(f.subject);
      } else if (is_control) {
        lent = control_value(f.subject, true);
        if (table_.kind(lent.type) != TypeKind::ref) {
          TypeId t = lent.type;
          NirLocal home = assign_temp(nir::Use{std::move(lent)}, t, span);
          lent = lend(place_of_local(home), t);
        }
      } else {
        Place p = place(f.subject);
        TypeId t = subject_type;
        while (table_.kind(t) == TypeKind::named &&
               (table_[t].decl == m_.decls.shared || table_[t].decl == m_.decls.seen)) {
          const bool shared = table_[t].decl == m_.decls.shared;
          t = table_[t].args[0];
          if (shared) p = project(std::move(p), {nir::ProjectionKind::inside, 0, 0, {}, t});
        }
        lent = lend(std::move(p), t);
      }
      walk.subject = std::move(lent);
    }
  }
  if (ended_) return;
  const std::uint8_t bits = effects_.exprs[f.subject];
  // A call in the subject's place has its own bits; a step fails only where the sequence says so.
  if (kind == WalkKind::seq) {
    const std::uint8_t words = table_[walk.subject.type].words;
    walk.step_fails = (words & seq_throws) != 0 || (bits & effect_step_fails) != 0;
    walk.step_pauses = (words & seq_pauses) != 0;
    if (walk.step_fails) walk.on_fail = fail_edge(span);
  }
  const std::size_t depth = scopes_.size();
  const TypeId walked = table_.without_ref(walk.subject.type);
  const bool is_map = kind == WalkKind::map;
  NirLocal tuple;
  TypeId tuple_type;
  walk.body = in_scope_region(span, [&] {
    if (is_map && f.is_tuple) {
      const auto args = table_[walked].args;
      for (std::size_t i = 0; i < 2; ++i) {
        const LocalId id = names_.binds[f.binds.begin + i];
        TypeId part = copies(table_, m_.decls, args[i]) ? args[i] : table_.ref(args[i]);
        if (id.valid()) {
          const Local& local = names_.locals[id];
          NirLocal n = new_local(local.name, part, nir::LocalKind::named, local.span);
          bind(id, {n, types_.locals[id],
                    table_.kind(part) == TypeKind::ref && table_.kind(types_.locals[id]) != TypeKind::ref});
          walk.elements.push_back(n);
        } else {
          walk.elements.push_back(new_local({}, part, nir::LocalKind::temp, span));
        }
      }
    } else if (f.is_tuple) {
      // A sequence of tuples, or a list of them: the tuple is taken apart each turn.
      TypeId element = kind == WalkKind::seq ? table_[walked].args[0] : table_[walked].args[0];
      const bool by_view = kind != WalkKind::seq && !copies(table_, m_.decls, element);
      tuple_type = by_view ? table_.ref(element) : element;
      tuple = new_local({}, tuple_type, nir::LocalKind::temp, span);
      if (needs_drop(tuple_type)) scopes_.back().dying.push_back(tuple);
      walk.elements.push_back(tuple);
      in_statement(span, true, [&] { destructure(f.binds, place_of_local(tuple), tuple_type, by_view, span); });
    } else {
      const LocalId id = names_.binds[f.binds.begin];
      if (id.valid()) {
        const Local& local = names_.locals[id];
        TypeId type = types_.locals[id];
        NirLocal n = new_local(local.name, type, nir::LocalKind::named, local.span);
        if (needs_drop(type)) scopes_.back().dying.push_back(n);
        bind(id, {n, type, false});
        walk.elements.push_back(n);
      } else {
        // Without a part of its type: bytes, or the names of a directory.
        TypeId element = table_[walked].args.empty() ? table_.basic(TypeKind::string) : table_[walked].args[0];
        if (kind == WalkKind::bytes) element = table_.basic(TypeKind::u8);
        if (kind != WalkKind::seq && kind != WalkKind::range && !copies(table_, m_.decls, element))
          element = table_.ref(element);
        NirLocal n = new_local({}, element, nir::LocalKind::temp, span);
        if (needs_drop(element)) scopes_.back().dying.push_back(n);
        walk.elements.push_back(n);
      }
    }
    loops_.push_back({walk.label, depth});
    block_into(f.body, {});
    loops_.pop_back();
  });
  push(std::move(walk), span);
}

}  // namespace nikaia::lang::lower
