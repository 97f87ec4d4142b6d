#include "passes/contracts/keeping.h"

#include <algorithm>

namespace nikaia::lang::contracts {

using namespace ast;

namespace {

constexpr Node never = KeepGraph::never;
constexpr Node always = KeepGraph::always;

}  // namespace

BodyWalk::BodyWalk(World& world, FileId file)
    : world_(world),
      file_(file),
      tree_(world.source.trees[file]),
      names_(world.names[file]),
      types_(world.types[file]),
      depth_of_(names_.locals.size(), 0) {}

bool BodyWalk::moves(TypeId type) const {
  if (!type.valid()) return false;
  const Handing handing = handing_of(world_.table, world_.decls, type);
  return handing == Handing::moves || handing == Handing::sequence;
}

bool BodyWalk::is_owned(TypeId type) const {
  return type.valid() && handing_of(world_.table, world_.decls, type) != Handing::copies;
}

void BodyWalk::walk_function(FnId id) {
  const FnDecl& fn = world_.decls.fns[id];
  const auto& item = std::get<FnItem>(tree_.items[fn.item.node].node);
  lambdas_.clear();
  for (std::size_t i = 0; i < fn.params.size(); ++i) {
    const LocalId local = names_.params[item.params.begin + i];
    if (!local.valid() || fn.params[i].is_mut || !is_owned(fn.params[i].type)) continue;
    const Node keep = world_.keeps[id] + static_cast<Node>(i);
    world_.graph.imply(take_node(local), keep);
    world_.graph.imply(away_node(local), keep);
  }
  const TypeKind result = world_.table.kind(fn.result);
  result_ = result == TypeKind::unit || result == TypeKind::ref ? never : always;
  if (item.body.valid()) block(item.body, result_);
}

void BodyWalk::walk_test(ItemId item) {
  lambdas_.clear();
  result_ = never;
  const auto& test = std::get<TestItem>(tree_.items[item].node);
  if (test.body.valid()) block(test.body, never);
}

// ---- statements ------------------------------------------------------------------------------------

void BodyWalk::block(BlockId id, Node tail) {
  const auto statements = tree_.list(tree_.blocks[id].statements);
  for (std::size_t i = 0; i < statements.size(); ++i) stmt(statements[i], i + 1 == statements.size() ? tail : never);
}

void BodyWalk::stmt(StmtId id, Node tail) {
  const auto& node = tree_.stmts[id].node;
  if (const auto* s = std::get_if<LetStmt>(&node)) {
    let(*s);
  } else if (const auto* s2 = std::get_if<AssignStmt>(&node)) {
    assign(*s2);
  } else if (const auto* s3 = std::get_if<WhileStmt>(&node)) {
    expr(s3->cond, never);
    block(s3->body, never);
  } else if (const auto* s4 = std::get_if<ForStmt>(&node)) {
    for_(*s4);
  } else if (const auto* s5 = std::get_if<JumpIfStmt>(&node)) {
    expr(s5->cond, never);
    expr(s5->jump, never);
  } else if (const auto* s6 = std::get_if<ExprStmt>(&node)) {
    expr(s6->expr, tail);
  }
}

// Whether a `let` keeps or views is in the type its name got.
void BodyWalk::let(const LetStmt& s) {
  const bool keeps = bind(s.binds, s.value);
  expr(s.value, keeps ? always : never);
}

bool BodyWalk::bind(List<Bind> binds, ExprId value) {
  bool keeps = false;
  for (std::size_t i = 0; i < binds.count; ++i) {
    const LocalId local = names_.binds[binds.begin + i];
    if (!local.valid()) continue;
    depth_of_[local.index] = lambdas_.size();
    const bool is_view = world_.table.kind(types_.locals[local]) == TypeKind::ref;
    keeps |= !is_view;
    if (is_view) look_into(local, value);
  }
  return keeps;
}

void BodyWalk::for_(const ForStmt& s) {
  const TypeId subject = world_.table.without_ref(type_of(s.subject));
  const bool uses_up = handing_of(world_.table, world_.decls, subject) == Handing::sequence;
  expr(s.subject, uses_up ? always : never);
  for (std::size_t i = 0; i < s.binds.count; ++i) {
    const LocalId local = names_.binds[s.binds.begin + i];
    if (!local.valid()) continue;
    depth_of_[local.index] = lambdas_.size();
    look_into(local, s.subject);
  }
  block(s.body, never);
}

void BodyWalk::assign(const AssignStmt& s) {
  expr(s.value, s.op == AssignOp::set ? always : never);
  const auto* index = std::get_if<IndexExpr>(&tree_.exprs[s.place].node);
  if (index && types_.index_of[s.place] == IndexKind::map) {
    // A key that is written is handed over with its value (02 §4.4).
    expr(index->object, never);
    expr(index->index, always);
    return;
  }
  expr(s.place, never);
}

// ---- expressions -----------------------------------------------------------------------------------

void BodyWalk::exprs(List<ExprId> list, Node asked) {
  for (ExprId e : tree_.list(list)) expr(e, asked);
}

void BodyWalk::expr(ExprId id, Node asked) {
  if (!id.valid()) return;
  const TypeId wanted = types_.wanted[id];
  const bool is_lent =
      wanted.valid() && world_.table.kind(wanted) == TypeKind::ref && world_.table.kind(type_of(id)) != TypeKind::ref;
  if (is_lent) asked = never;
  world_.asked[file_][id] = asked;

  const auto& node = tree_.exprs[id].node;
  std::visit(
      [&](const auto& e) {
        using T = std::decay_t<decltype(e)>;
        if constexpr (std::is_same_v<T, PathExpr> || std::is_same_v<T, SelfExpr>) {
          const Resolution& r = names_.exprs[id];
          if (r.kind == Resolution::Kind::local) name(id, r.local(), asked);
        } else if constexpr (std::is_same_v<T, ParenExpr>) {
          expr(e.inner, asked);
        } else if constexpr (std::is_same_v<T, TupleExpr>) {
          exprs(e.parts, always);
        } else if constexpr (std::is_same_v<T, ListExpr>) {
          exprs(e.elements, always);
        } else if constexpr (std::is_same_v<T, FTextLit>) {
          for (const FPiece& piece : tree_.list(e.pieces)) expr(piece.hole, never);
        } else if constexpr (std::is_same_v<T, BlockExpr>) {
          block(e.block, asked);
        } else if constexpr (std::is_same_v<T, UnsafeExpr>) {
          block(e.block, asked);
        } else if constexpr (std::is_same_v<T, IfExpr>) {
          expr(e.cond, never);
          block(e.then_block, asked);
          expr(e.else_branch, asked);
        } else if constexpr (std::is_same_v<T, MatchExpr>) {
          match(e, asked);
        } else if constexpr (std::is_same_v<T, LambdaExpr>) {
          lambda(id, e, asked);
        } else if constexpr (std::is_same_v<T, SpawnExpr>) {
          expr(e.lambda, always);
        } else if constexpr (std::is_same_v<T, OverlapExpr>) {
          for (StmtId s : tree_.list(tree_.blocks[e.block].statements)) stmt(s, always);
        } else if constexpr (std::is_same_v<T, SelectExpr>) {
          for (const SelectArm& arm : tree_.list(e.arms)) {
            expr(arm.raced, always);
            bind(arm.binds, arm.raced);
            expr(arm.body, asked);
          }
        } else if constexpr (std::is_same_v<T, StructExpr>) {
          field_inits(e.fields);
        } else if constexpr (std::is_same_v<T, WithExpr>) {
          with(e);
        } else if constexpr (std::is_same_v<T, UnaryExpr> || std::is_same_v<T, RefExpr> ||
                             std::is_same_v<T, CastExpr> || std::is_same_v<T, ComptimeExpr>) {
          expr(e.operand, never);
        } else if constexpr (std::is_same_v<T, BinaryExpr>) {
          expr(e.left, never);
          expr(e.right, never);
        } else if constexpr (std::is_same_v<T, RangeExpr>) {
          expr(e.low, never);
          expr(e.high, never);
        } else if constexpr (std::is_same_v<T, CoalesceExpr>) {
          expr(e.left, asked);
          expr(e.right, asked);
        } else if constexpr (std::is_same_v<T, CatchExpr>) {
          expr(e.guarded, asked);
          const LocalId error = names_.error_of[id];
          if (error.valid()) depth_of_[error.index] = lambdas_.size();
          block(e.handler, asked);
        } else if constexpr (std::is_same_v<T, ReturnExpr>) {
          expr(e.value, result_);
        } else if constexpr (std::is_same_v<T, ThrowExpr>) {
          expr(e.value, always);
        } else if constexpr (std::is_same_v<T, MemberExpr>) {
          part(id, e.object, e.is_safe ? never : asked);
        } else if constexpr (std::is_same_v<T, TuplePartExpr>) {
          part(id, e.object, e.is_safe ? never : asked);
        } else if constexpr (std::is_same_v<T, IndexExpr>) {
          expr(e.object, never);
          expr(e.index, never);
        } else if constexpr (std::is_same_v<T, CallExpr>) {
          call(id, e);
        }
      },
      node);
}

void BodyWalk::name(ExprId id, LocalId local, Node asked) {
  if (is_owned(type_of(id))) world_.graph.imply(asked, take_node(local));
  // Every lambda around that the name comes from outside of takes it along where it is kept.
  for (std::size_t d = depth_of_[local.index]; d < lambdas_.size(); ++d) {
    const Node kept = world_.kept[file_] + lambdas_[d].index;
    const bool is_view = world_.table.kind(types_.locals[local]) == TypeKind::ref;
    world_.graph.imply(kept, is_view ? away_node(local) : take_node(local));
  }
}

// A part that moves counts as the whole; a handle that is read out of a place is one owner more and takes nothing.
void BodyWalk::part(ExprId id, ExprId object, Node asked) {
  expr(object, never);
  if (moves(type_of(id))) take_root(object, asked);
}

void BodyWalk::take_root(ExprId place, Node asked) {
  LocalId root;
  root_of_place(place, root);
  if (root.valid()) world_.graph.imply(asked, take_node(root));
}

// The name a place is rooted in, where nothing on the way is a view, an index or a shared value.
void BodyWalk::root_of_place(ExprId e, LocalId& out) const {
  const TypeId type = type_of(e);
  if (!type.valid() || world_.table.kind(type) == TypeKind::ref) return;
  if (world_.table.kind(type) == TypeKind::named && world_.table[type].decl == world_.decls.shared) return;
  const auto& node = tree_.exprs[e].node;
  if (std::holds_alternative<PathExpr>(node) || std::holds_alternative<SelfExpr>(node)) {
    if (names_.exprs[e].kind == Resolution::Kind::local) out = names_.exprs[e].local();
  } else if (const auto* p = std::get_if<ParenExpr>(&node)) {
    root_of_place(p->inner, out);
  } else if (const auto* m = std::get_if<MemberExpr>(&node)) {
    root_of_place(m->object, out);
  } else if (const auto* t = std::get_if<TuplePartExpr>(&node)) {
    root_of_place(t->object, out);
  }
}

void BodyWalk::roots(ExprId e, std::vector<LocalId>& out) const {
  if (!e.valid()) return;
  const auto& node = tree_.exprs[e].node;
  std::visit(
      [&](const auto& x) {
        using T = std::decay_t<decltype(x)>;
        auto tail_of = [&](BlockId b) {
          const auto statements = tree_.list(tree_.blocks[b].statements);
          if (statements.empty()) return;
          if (const auto* s = std::get_if<ExprStmt>(&tree_.stmts[statements.back()].node)) roots(s->expr, out);
        };
        if constexpr (std::is_same_v<T, PathExpr> || std::is_same_v<T, SelfExpr>) {
          if (names_.exprs[e].kind == Resolution::Kind::local) out.push_back(names_.exprs[e].local());
        } else if constexpr (std::is_same_v<T, ParenExpr>) {
          roots(x.inner, out);
        } else if constexpr (std::is_same_v<T, MemberExpr> || std::is_same_v<T, TuplePartExpr> ||
                             std::is_same_v<T, IndexExpr>) {
          roots(x.object, out);
        } else if constexpr (std::is_same_v<T, RefExpr>) {
          roots(x.operand, out);
        } else if constexpr (std::is_same_v<T, CoalesceExpr>) {
          roots(x.left, out);
          roots(x.right, out);
        } else if constexpr (std::is_same_v<T, CatchExpr>) {
          roots(x.guarded, out);
          tail_of(x.handler);
        } else if constexpr (std::is_same_v<T, BlockExpr>) {
          tail_of(x.block);
        } else if constexpr (std::is_same_v<T, IfExpr>) {
          tail_of(x.then_block);
          roots(x.else_branch, out);
        } else if constexpr (std::is_same_v<T, MatchExpr>) {
          for (const Arm& arm : tree_.list(x.arms)) roots(arm.body, out);
        } else if constexpr (std::is_same_v<T, SelectExpr>) {
          for (const SelectArm& arm : tree_.list(x.arms)) roots(arm.body, out);
        } else if constexpr (std::is_same_v<T, CallExpr>) {
          const CallId c = types_.call_of[e];
          if (!c.valid() || !holds_view(world_.table, world_.decls, type_of(e))) return;
          roots(types_.calls[c].receiver, out);
          for (ExprId arg : types_.calls[c].args) roots(arg, out);
        }
      },
      node);
}

void BodyWalk::look_into(LocalId view, ExprId made_from) {
  std::vector<LocalId> origins;
  roots(made_from, origins);
  for (LocalId origin : origins) world_.graph.imply(away_node(view), away_node(origin));
}

// What is kept where nobody waits for it: its views keep what they look into.
void BodyWalk::send_away(ExprId e, Node asked) {
  if (!e.valid() || !type_of(e).valid() || !holds_view(world_.table, world_.decls, type_of(e))) return;
  std::vector<LocalId> origins;
  roots(e, origins);
  for (LocalId origin : origins) world_.graph.imply(asked, away_node(origin));
}

void BodyWalk::lambda(ExprId id, const LambdaExpr& e, Node kept) {
  world_.graph.imply(kept, world_.kept[file_] + id.index);
  const Node outer = result_;
  lambdas_.push_back(id);
  for (std::size_t i = 0; i < e.params.count; ++i) {
    const LocalId local = names_.binds[e.params.begin + i];
    if (local.valid()) depth_of_[local.index] = lambdas_.size();
  }
  const TypeId type = types_.lambda_type[id];
  const TypeKind result = type.valid() && world_.table.kind(type) == TypeKind::function
                              ? world_.table.kind(world_.table[type].args.back())
                              : TypeKind::unit;
  result_ = result == TypeKind::unit || result == TypeKind::ref ? never : always;
  block(e.body, result_);
  lambdas_.pop_back();
  result_ = outer;
}

void BodyWalk::with(const WithExpr& e) {
  // Every field left unnamed goes over from the operand; the operand stays whole where all of those copy.
  const Type type = world_.table[world_.table.without_ref(type_of(e.operand))];
  bool takes = type.kind != TypeKind::named;
  if (type.kind == TypeKind::named) {
    const TypeDecl& decl = world_.decls.types[type.decl];
    for (const FieldInfo& field : decl.fields) {
      const auto inits = tree_.list(e.fields);
      const bool is_named =
          std::any_of(inits.begin(), inits.end(), [&](const FieldInit& init) { return init.field.name == field.name; });
      const TypeId field_type = world_.table.substitute(field.type, [&](TypeParamId p) {
        for (std::size_t i = 0; i < decl.params.size() && i < type.args.size(); ++i) {
          if (decl.params[i] == p) return type.args[i];
        }
        return TypeId();
      });
      takes |= !is_named && moves(field_type);
    }
  }
  expr(e.operand, takes ? always : never);
  field_inits(e.fields);
}

void BodyWalk::field_inits(List<FieldInit> list) {
  for (std::size_t i = 0; i < list.count; ++i) {
    const FieldInit& init = tree_.list(list)[i];
    if (init.value.valid()) {
      expr(init.value, always);
      continue;
    }
    // The shorthand is the name itself; it has no expression of its own.
    if (list.begin + i >= names_.field_inits.size()) continue;
    const Resolution& r = names_.field_inits[list.begin + i];
    if (r.kind != Resolution::Kind::local) continue;
    const LocalId local = r.local();
    if (is_owned(types_.locals[local])) world_.graph.imply(always, take_node(local));
    for (std::size_t d = depth_of_[local.index]; d < lambdas_.size(); ++d) {
      const bool is_view = world_.table.kind(types_.locals[local]) == TypeKind::ref;
      world_.graph.imply(world_.kept[file_] + lambdas_[d].index, is_view ? away_node(local) : take_node(local));
    }
  }
}

// ---- matches ---------------------------------------------------------------------------------------

void BodyWalk::match(const MatchExpr& e, Node asked) {
  if (const auto* tuple = std::get_if<TupleExpr>(&tree_.exprs[e.subject].node)) {
    world_.asked[file_][e.subject] = never;
    exprs(tuple->parts, never);  // a match views the places of its tuple (03 §2.5)
  } else {
    expr(e.subject, never);
  }
  for (const Arm& arm : tree_.list(e.arms)) {
    if (arm.pattern.valid()) pattern(arm.pattern, e.subject);
    expr(arm.guard, never);
    expr(arm.body, asked);
  }
}

void BodyWalk::pattern(PatternId id, ExprId subject) {
  const Pattern& p = tree_.patterns[id];
  const auto* tuple = std::get_if<TupleExpr>(&tree_.exprs[subject].node);
  if (tuple && p.kind == PatternKind::tuple && tuple->parts.count == p.parts.count) {
    for (std::size_t i = 0; i < p.parts.count; ++i) pattern(tree_.list(p.parts)[i], tree_.list(tuple->parts)[i]);
    return;
  }
  if (p.kind == PatternKind::alternatives) {
    for (PatternId part : tree_.list(p.parts)) pattern(part, subject);
    return;
  }
  std::vector<LocalId> bound, origins;
  bound_names(id, bound);
  roots(subject, origins);
  for (LocalId local : bound) {
    depth_of_[local.index] = lambdas_.size();
    if (moves(types_.locals[local])) take_root(subject, take_node(local));
    for (LocalId origin : origins) world_.graph.imply(away_node(local), away_node(origin));
  }
}

void BodyWalk::bound_names(PatternId id, std::vector<LocalId>& out) const {
  const Pattern& p = tree_.patterns[id];
  if (p.kind == PatternKind::bind && names_.patterns[id].kind == Resolution::Kind::local) {
    out.push_back(names_.patterns[id].local());
  }
  for (PatternId part : tree_.list(p.parts)) bound_names(part, out);
  for (std::size_t i = 0; i < p.fields.count; ++i) {
    const FieldPattern& field = tree_.list(p.fields)[i];
    if (field.pattern.valid()) {
      bound_names(field.pattern, out);
    } else if (p.fields.begin + i < names_.field_patterns.size()) {
      const LocalId local = names_.field_patterns[p.fields.begin + i];
      if (local.valid()) out.push_back(local);
    }
  }
}

// ---- calls -----------------------------------------------------------------------------------------

void BodyWalk::call(ExprId id, const CallExpr& e) {
  const CallId call_id = types_.call_of[id];
  if (!call_id.valid()) {
    expr(e.callee, never);
    exprs(e.positional, never);
    for (const OptionArg& option : tree_.list(e.options)) expr(option.value, never);
    return;
  }
  const Call& c = types_.calls[call_id];
  switch (c.kind) {
    case CallKind::variant:
      for (ExprId arg : c.args) expr(arg, always);
      return;
    case CallKind::value:
      expr(e.callee, never);
      for (ExprId arg : c.args) expr(arg, always);
      return;
    case CallKind::clone:
    case CallKind::error_message:
    case CallKind::error_full: expr(c.receiver, never); return;
    case CallKind::close: expr(c.receiver, always); return;
    case CallKind::fn:
    case CallKind::method: call_of_fn(c); return;
  }
}

void BodyWalk::call_of_fn(const Call& c) {
  const FnDecl& fn = world_.decls.fns[c.fn];
  if (c.receiver.valid()) {
    expr(c.receiver, fn.receiver == Receiver::value && !c.is_safe ? always : never);
  }
  for (std::size_t i = 0; i < c.args.size(); ++i) argument(c, fn, i);
  for (ExprId option : c.options) expr(option, always);
}

void BodyWalk::argument(const Call& c, const FnDecl& fn, std::size_t i) {
  const ExprId arg = c.args[i];
  if (!arg.valid()) return;
  const bool is_library = !fn.key.empty();
  if (i >= fn.params.size()) {
    // `Type::method(value, …)`: the receiver is the first of the arguments.
    expr(arg, fn.receiver == Receiver::value ? always : never);
    return;
  }
  const ParamInfo& param = fn.params[i];
  if (is_library) {
    const bool is_code = param.type.valid() && world_.table.kind(param.type) == TypeKind::function;
    const Node asked = param.is_kept || (is_code && param.is_detached) ? always : never;
    expr(arg, asked);
    const bool is_hull =
        fn.is_constructor && fn.owner.valid() &&
        (fn.owner == world_.decls.shared || fn.owner == world_.decls.shared_mut || fn.owner == world_.decls.locked);
    const bool is_door_or_channel = fn.key == "SharedMut.set" || fn.key == "Locked.set" || fn.key == "Sender.send";
    if (asked == always && (is_hull || is_door_or_channel)) send_away(arg, always);
    return;
  }
  if (param.is_mut) {
    expr(arg, never);
    return;
  }
  // A method hands a moving argument over wherever its parameter is written with a plain type (03 §2.4), except a view.
  const bool is_method = c.kind == CallKind::method && fn.receiver != Receiver::none;
  const Node keep = world_.keeps[c.fn] + static_cast<Node>(i);
  expr(arg, is_method && moves(param.type) ? always : keep);
}

}  // namespace nikaia::lang::contracts
