// Values that were read out of a lock and go back blind (03 §4.5): NK2205, and NK1105 and NK1106 for a field that does
// not say `Seen`.
//
// A value is *stamped* where it came out of a lock, or was worked out from one that was. Each body is walked in the
// order of evaluation with the set of names that hold stamped values: an assignment of a whole name replaces its stamp,
// what was put into a container stays with it, branches are united, loops walked twice. For callers a function is two
// words, whether its result may be stamped and whether it stores blind; bodies are walked until no word is new, and
// once more to report. Programs that open no lock are not walked at all.
#include <algorithm>
#include <utility>

#include "passes/effects/events.h"

namespace nikaia::lang::effects {

using namespace ast;

namespace {

struct Words {
  bool result_is_stamped = false;
  bool stores_blind = false;  // performs a `set` without `after:`, or calls what does
};

using Names = std::vector<std::uint32_t>;  // sorted LocalIds

void insert(Names& names, LocalId local) {
  auto at = std::lower_bound(names.begin(), names.end(), local.index);
  if (at == names.end() || *at != local.index) names.insert(at, local.index);
}
void erase(Names& names, LocalId local) {
  auto at = std::lower_bound(names.begin(), names.end(), local.index);
  if (at != names.end() && *at == local.index) names.erase(at);
}
Names united(const Names& a, const Names& b) {
  Names out;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

class Body {
 public:
  Body(Program& program, IdVector<FnId, Words>& words, FileId file, bool reports)
      : p_(program),
        words_(words),
        t_(program.source.trees[file]),
        names_(program.names[file]),
        types_(program.types[file]),
        reports_(reports) {}

  // What the body comes to.
  Words run(const FnDecl* fn, List<Param> params, BlockId body) {
    for (std::uint32_t i = 0; fn && i < params.count && i < fn->params.size(); ++i) {
      const LocalId local = names_.params[params.begin + i];
      if (local.valid() && is_seen(fn->params[i].type)) insert(stamped_, local);
    }
    found_.result_is_stamped |= block(body);
    return found_;
  }

 private:
  bool is_seen(TypeId type) const {
    return type.valid() && p_.table.kind(type) == TypeKind::named && p_.table[type].decl == p_.decls.seen;
  }
  std::string text(Span span) const { return std::string(p_.source.sources.text(span)); }

  // ---- statements ----

  bool block(BlockId id) {
    bool last = false;
    for (StmtId s : t_.list(t_.blocks[id].statements)) last = stmt(s);
    return last;
  }

  void bind(List<Bind> binds, bool is_stamped) {
    for (std::size_t i = 0; i < binds.count; ++i) {
      const LocalId local = names_.binds[binds.begin + i];
      if (!local.valid()) continue;
      if (is_stamped)
        insert(stamped_, local);
      else
        erase(stamped_, local);
    }
  }

  // Whether the statement's value, if it is the last of its block, is stamped.
  bool stmt(StmtId id) {
    const auto& node = t_.stmts[id].node;
    if (const auto* let = std::get_if<LetStmt>(&node)) {
      const auto* tuple = let->is_tuple ? std::get_if<TupleExpr>(&t_.exprs[bare(let->value)].node) : nullptr;
      if (tuple && tuple->parts.count == let->binds.count) {
        for (std::size_t i = 0; i < let->binds.count; ++i) {
          const bool is_stamped = expr(t_.list(tuple->parts)[i]);
          bind({static_cast<std::uint32_t>(let->binds.begin + i), 1}, is_stamped);
        }
      } else {
        bind(let->binds, expr(let->value));
      }
    } else if (const auto* assign = std::get_if<AssignStmt>(&node)) {
      assigned(*assign);
    } else if (const auto* loop = std::get_if<WhileStmt>(&node)) {
      twice([&] {
        const bool decides = expr(loop->cond);
        under(decides, [&] { block(loop->body); });
      });
    } else if (const auto* walk = std::get_if<ForStmt>(&node)) {
      const bool is_stamped = expr(walk->subject);
      twice([&] {
        bind(walk->binds, is_stamped);
        block(walk->body);
      });
    } else if (const auto* jump = std::get_if<JumpIfStmt>(&node)) {
      const bool decides = expr(jump->cond);
      under(decides, [&] { expr(jump->jump); });
    } else if (const auto* e = std::get_if<ExprStmt>(&node)) {
      return expr(e->expr);
    }
    return false;
  }

  // A loop's body: also as a later turn finds it, and perhaps not at all.
  template <class F>
  void twice(F&& body) {
    const bool reports = std::exchange(reports_, false);
    const Names before = stamped_;
    body();
    reports_ = reports;
    stamped_ = united(before, stamped_);
    body();
    stamped_ = united(before, stamped_);
  }

  template <class F>
  void under(bool decides, F&& body) {
    conditions_ += decides ? 1 : 0;
    body();
    conditions_ -= decides ? 1 : 0;
  }

  void assigned(const AssignStmt& a) {
    bool is_stamped = expr(a.value);
    const ExprId place = bare(a.place);
    const auto& node = t_.exprs[place].node;
    if (std::holds_alternative<PathExpr>(node) && names_.exprs[place].kind == Resolution::Kind::local) {
      const LocalId local = names_.exprs[place].local();
      if (is_stamped)
        insert(stamped_, local);
      else if (a.op == AssignOp::set)
        erase(stamped_, local);
      return;
    }
    expr(place);
    if (!is_stamped) return;
    if (const FieldInfo* field = field_of(place); field && reports_ && !is_seen(field->type)) {
      p_.sink
          .error(lang::Code::NK1105, t_.exprs[a.value].span, text(t_.exprs[place].span), "no value out of a lock",
                 "one")
          .help("Declare the field as `Seen[…]`, or change it inside the lock's `update`.");
    }
    put_into(place);
  }

  // What receives a stamped value keeps it.
  void put_into(ExprId place) {
    place = bare(place);
    const auto& node = t_.exprs[place].node;
    if (const auto* m = std::get_if<MemberExpr>(&node)) return put_into(m->object);
    if (const auto* t = std::get_if<TuplePartExpr>(&node)) return put_into(t->object);
    if (const auto* i = std::get_if<IndexExpr>(&node)) return put_into(i->object);
    if (names_.exprs[place].kind == Resolution::Kind::local) insert(stamped_, names_.exprs[place].local());
  }

  const FieldInfo* field_of(ExprId e) const {
    const auto* member = std::get_if<MemberExpr>(&t_.exprs[e].node);
    if (!member || types_.field_of[e] == 0xffffffffu) return nullptr;
    TypeId t = p_.table.without_ref(types_.exprs[member->object]);
    while (p_.table.kind(t) == TypeKind::named && p_.table[t].decl == p_.decls.shared) t = p_.table[t].args[0];
    if (p_.table.kind(t) == TypeKind::nullable) t = p_.table.without_ref(p_.table[t].args[0]);
    if (p_.table.kind(t) != TypeKind::named) return nullptr;
    const auto& fields = p_.decls.types[p_.table[t].decl].fields;
    return types_.field_of[e] < fields.size() ? &fields[types_.field_of[e]] : nullptr;
  }

  // ---- expressions: whether the value is stamped ----

  ExprId bare(ExprId e) const {
    while (const auto* p = std::get_if<ParenExpr>(&t_.exprs[e].node)) e = p->inner;
    return e;
  }

  bool any(List<ExprId> list) {
    bool is_stamped = false;
    for (ExprId e : t_.list(list)) is_stamped |= expr(e);
    return is_stamped;
  }

  bool local(LocalId id) const { return std::binary_search(stamped_.begin(), stamped_.end(), id.index); }

  bool expr(ExprId id) {
    if (!id.valid()) return false;
    return std::visit([&](const auto& e) { return this->one(id, e); }, t_.exprs[id].node);
  }

  // Literals, and jumps without a value.
  template <class E>
  bool one(ExprId, const E&) {
    return false;
  }
  bool named(ExprId id) const {
    return names_.exprs[id].kind == Resolution::Kind::local && local(names_.exprs[id].local());
  }
  bool one(ExprId id, const PathExpr&) { return named(id); }
  bool one(ExprId id, const SelfExpr&) { return named(id); }
  bool one(ExprId, const ParenExpr& e) { return expr(e.inner); }
  bool one(ExprId, const TupleExpr& e) { return any(e.parts); }
  bool one(ExprId, const ListExpr& e) { return any(e.elements); }
  bool one(ExprId, const BlockExpr& e) { return block(e.block); }
  bool one(ExprId, const UnsafeExpr& e) { return block(e.block); }
  bool one(ExprId, const UnaryExpr& e) { return expr(e.operand); }
  bool one(ExprId, const RefExpr& e) { return expr(e.operand); }
  bool one(ExprId, const CastExpr& e) { return expr(e.operand); }
  bool one(ExprId, const TuplePartExpr& e) { return expr(e.object); }
  bool one(ExprId, const FTextLit& e) {
    bool is_stamped = false;
    for (const FPiece& piece : t_.list(e.pieces)) is_stamped |= expr(piece.hole);
    return is_stamped;
  }
  bool both(ExprId a, ExprId b) {
    const bool first = expr(a);
    return expr(b) || first;
  }
  bool one(ExprId, const RangeExpr& e) { return both(e.low, e.high); }
  bool one(ExprId, const IndexExpr& e) { return both(e.object, e.index); }
  bool sometimes(ExprId always, ExprId then) {
    const bool first = expr(always);
    const Names before = stamped_;
    const bool second = expr(then);
    stamped_ = united(before, stamped_);
    return first || second;
  }
  bool one(ExprId, const BinaryExpr& e) { return sometimes(e.left, e.right); }
  bool one(ExprId, const CoalesceExpr& e) { return sometimes(e.left, e.right); }
  bool one(ExprId id, const MemberExpr& e) {
    const FieldInfo* field = field_of(id);
    return expr(e.object) || (field && is_seen(field->type));
  }
  bool one(ExprId, const IfExpr& e) {
    const bool decides = expr(e.cond);
    const Names before = stamped_;
    bool is_stamped = false;
    under(decides, [&] { is_stamped = block(e.then_block); });
    const Names then = std::exchange(stamped_, before);
    under(decides, [&] { is_stamped |= expr(e.else_branch); });
    stamped_ = united(then, stamped_);
    return is_stamped;
  }
  bool one(ExprId, const MatchExpr& e) {
    const bool decides = expr(e.subject);
    const Names before = stamped_;
    Names after;
    bool is_stamped = false;
    for (const Arm& arm : t_.list(e.arms)) {
      stamped_ = before;
      if (decides && arm.pattern.valid()) bound_by(arm.pattern);
      const bool guarded = arm.guard.valid() && expr(arm.guard);
      under(decides || guarded, [&] { is_stamped |= expr(arm.body); });
      after = united(after, stamped_);
    }
    stamped_ = std::move(after);
    return is_stamped;
  }
  void bound_by(PatternId id) {
    const Pattern& x = t_.patterns[id];
    if (names_.patterns[id].kind == Resolution::Kind::local) insert(stamped_, names_.patterns[id].local());
    for (PatternId part : t_.list(x.parts)) bound_by(part);
    std::uint32_t pool = x.fields.begin;
    for (const FieldPattern& f : t_.list(x.fields)) {
      if (f.pattern.valid())
        bound_by(f.pattern);
      else if (names_.field_patterns[pool].valid())
        insert(stamped_, names_.field_patterns[pool]);
      ++pool;
    }
  }
  bool one(ExprId, const CatchExpr& e) {
    const Names before = stamped_;
    const bool guarded = expr(e.guarded);
    const Names through = stamped_;
    stamped_ = united(before, through);
    const bool handled = block(e.handler);
    stamped_ = united(through, stamped_);
    return guarded || handled;
  }
  bool one(ExprId, const ReturnExpr& e) {
    if (e.value.valid() && expr(e.value) && lambdas_ == 0) found_.result_is_stamped = true;
    return false;
  }
  bool one(ExprId, const ThrowExpr& e) {
    expr(e.value);
    return false;
  }
  // What a lambda does happens where it is written, perhaps not at all, perhaps again.
  bool one(ExprId, const LambdaExpr& e) {
    bool is_stamped = false;
    ++lambdas_;
    twice([&] { is_stamped = block(e.body); });
    --lambdas_;
    return is_stamped;
  }
  bool one(ExprId, const SpawnExpr& e) { return expr(e.lambda); }
  bool one(ExprId, const OverlapExpr& e) {
    bool is_stamped = false;
    for (StmtId s : t_.list(t_.blocks[e.block].statements)) is_stamped |= stmt(s);
    return is_stamped;
  }
  bool one(ExprId, const SelectExpr& e) {
    const Names before = stamped_;
    Names after;
    bool is_stamped = false;
    for (const SelectArm& arm : t_.list(e.arms)) {
      stamped_ = before;
      bind(arm.binds, expr(arm.raced));
      is_stamped |= expr(arm.body);
      after = united(after, stamped_);
    }
    stamped_ = std::move(after);
    return is_stamped;
  }
  bool one(ExprId id, const StructExpr& e) { return inits(id, e.fields); }
  bool one(ExprId id, const WithExpr& e) {
    const bool whole = expr(e.operand);
    return inits(id, e.fields) || whole;
  }
  bool inits(ExprId id, List<FieldInit> list) {
    bool is_stamped = false;
    std::size_t at = list.begin;
    for (const FieldInit& init : t_.list(list)) {
      const std::size_t position = at++;
      bool mine = false;
      if (init.value.valid()) {
        mine = expr(init.value);
      } else if (position < names_.field_inits.size() && names_.field_inits[position].kind == Resolution::Kind::local) {
        mine = local(names_.field_inits[position].local());
      }
      if (mine) check_field(id, init);
      is_stamped |= mine;
    }
    return is_stamped;
  }
  void check_field(ExprId literal, const FieldInit& init) {
    const TypeId type = types_.exprs[literal];
    if (!reports_ || !type.valid() || p_.table.kind(type) != TypeKind::named) return;
    const TypeDecl& decl = p_.decls.types[p_.table[type].decl];
    for (const FieldInfo& field : decl.fields) {
      if (field.name != init.field.name || is_seen(field.type)) continue;
      const std::string name = std::string(p_.text(decl.name)) + "." + std::string(p_.text(field.name));
      const std::string plain = type_text(p_.table, p_.decls, p_.source.names, field.type);
      p_.sink
          .error(lang::Code::NK1106, init.value.valid() ? t_.exprs[init.value].span : init.field.span, name,
                 "`" + plain + "`", "`Seen[" + plain + "]`, a value that was read out of a lock")
          .help("Declare the field as `Seen[" + plain + "]`.");
    }
  }

  // ---- calls ----

  bool one(ExprId id, const CallExpr& e) {
    const CallId call_id = types_.call_of[id];
    if (!call_id.valid()) {
      expr(e.callee);
      bool is_stamped = any(e.positional);
      for (const OptionArg& option : t_.list(e.options)) is_stamped |= expr(option.value);
      return is_stamped;
    }
    const Call& c = types_.calls[call_id];
    if (c.kind == CallKind::fn || c.kind == CallKind::method) return of_fn(id, c);
    bool is_stamped = c.receiver.valid() ? expr(c.receiver) : c.kind == CallKind::value && expr(e.callee);
    for (ExprId arg : c.kind == CallKind::value ? c.args : c.evaluation) is_stamped |= expr(arg);
    return is_stamped;
  }

  bool of_fn(ExprId id, const Call& c) {
    const FnDecl& fn = p_.decls.fns[c.fn];
    const bool of_lock = fn.owner.valid() && (fn.owner == p_.decls.shared_mut || fn.owner == p_.decls.locked) &&
                         fn.receiver != Receiver::none;
    bool is_stamped = c.receiver.valid() && expr(c.receiver);
    bool stamped_arguments = false;
    for (ExprId arg : c.evaluation) {
      const auto* lambda = std::get_if<LambdaExpr>(&t_.exprs[bare(arg)].node);
      if (lambda && is_stamped && !of_lock) bind(lambda->params, true);
      const bool mine = expr(arg);
      if (!mine) continue;
      stamped_arguments = true;
      check_argument(id, c, fn, arg, of_lock);
    }
    if (of_lock) {
      if (!fn.options.empty()) return stored(id, c, stamped_arguments);
      return is_seen(fn.result);
    }
    if (fn.key == "access_all") return true;
    if (words_[c.fn].stores_blind) {
      found_.stores_blind = true;
      if (conditions_ != 0 && reports_) {
        p_.sink.error(Wording::NK2205_condition, t_.exprs[id].span, p_.text(fn.name))
            .primary_label("stores what it is given")
            .help("Decide inside the lock, `update fn(mut v) { if … { … } }`, or store with `after:`.");
      }
    }
    if (stamped_arguments) {
      if (fn.receiver == Receiver::ref_mut && !sends(c.fn, fn)) put_into(c.receiver);
      for (std::size_t i = 0; i < fn.params.size() && i < c.args.size(); ++i) {
        if (fn.params[i].is_mut && c.args[i].valid()) put_into(c.args[i]);
      }
    }
    is_stamped |= stamped_arguments;
    return (is_stamped && !reaches_lock(c.fn)) || words_[c.fn].result_is_stamped;
  }

  bool reaches_lock(FnId id) const {
    const FnEffects& e = p_.out.fns[id];
    return std::any_of(e.touches.begin(), e.touches.end(), [](const std::string& t) { return t.starts_with("lock"); });
  }

  // What a row of the library writes to a file or a connection has left: the handle keeps none of it.
  bool sends(FnId id, const FnDecl& fn) const {
    const FnEffects& e = p_.out.fns[id];
    return !fn.key.empty() &&
           std::any_of(e.touches.begin(), e.touches.end(), [](const std::string& t) { return t.ends_with(" write"); });
  }

  // A function that reaches a lock takes a stamped value only where its parameter says so.
  void check_argument(ExprId, const Call& c, const FnDecl& fn, ExprId arg, bool of_lock) {
    if (of_lock || !fn.key.empty() || !reports_ || !reaches_lock(c.fn)) return;
    for (std::size_t i = 0; i < c.args.size() && i < fn.params.size(); ++i) {
      if (c.args[i] == arg && is_seen(fn.params[i].type)) return;
    }
    p_.sink.error(Wording::NK2205_argument, t_.exprs[arg].span, p_.text(fn.name))
        .primary_label("seen in a lock before");
  }

  // `set`: blind where it says no `after:`.
  bool stored(ExprId id, const Call& c, bool stamped_arguments) {
    if (std::any_of(c.options.begin(), c.options.end(), [](ExprId o) { return o.valid(); })) return false;
    found_.stores_blind = true;
    if (!reports_) return false;
    const std::string lock = text(t_.exprs[c.receiver].span);
    if (stamped_arguments)
      p_.sink.error(lang::Code::NK2205, t_.exprs[id].span, lock);
    else if (conditions_ != 0)
      p_.sink.error(Wording::NK2205_condition, t_.exprs[id].span, lock);
    return false;
  }

  Program& p_;
  IdVector<FnId, Words>& words_;
  const Tree& t_;
  const TreeNames& names_;
  const TreeTypes& types_;
  bool reports_;
  Names stamped_;
  Words found_;
  int conditions_ = 0;  // stamped ones around this place
  int lambdas_ = 0;
};

}  // namespace

void check_stale(Program& p) {
  if (!p.opens_locks) return;
  IdVector<FnId, Words> words(p.decls.fns.size());
  const auto each = [&](bool reports) {
    bool grew = false;
    for (std::uint32_t f = 0; f < p.decls.fns.size(); ++f) {
      const FnDecl& fn = p.decls.fns[FnId(f)];
      if (!p.body_of[FnId(f)].valid()) continue;
      const auto& item = std::get<FnItem>(p.source.trees[fn.item.file].items[fn.item.node].node);
      const Words found = Body(p, words, fn.item.file, reports).run(&fn, item.params, item.body);
      Words& known = words[FnId(f)];
      grew =
          grew || (found.result_is_stamped && !known.result_is_stamped) || (found.stores_blind && !known.stores_blind);
      known.result_is_stamped = known.result_is_stamped || found.result_is_stamped;
      known.stores_blind = known.stores_blind || found.stores_blind;
    }
    return grew;
  };
  while (each(false)) {
  }
  each(true);
}

}  // namespace nikaia::lang::effects
