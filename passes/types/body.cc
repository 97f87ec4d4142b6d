// One body from signature to facts, and the walk over a file's items.
//
// Parameters get their declared types, the body is checked against the declared result, then inference is brought to
// its end: what nothing decided is refused once at its origin, number classes take their types, constants are folded,
// the deferred checks run, and every type that held a variable is written out without one.
#include "passes/types/checker.h"

namespace nikaia::lang::typing {

namespace {

// What a class nobody decided is said about (08 §1.4).
void report_undecided(Checker& c) {
  const std::uint32_t count = c.vars.count();
  std::vector<std::uint8_t> said(count, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    Variable& v = c.vars.root(i);
    if (v.bound.valid() || v.kind != VarKind::open || v.origin == Origin::none || said[v.parent]) continue;
    said[v.parent] = 1;
    const std::string name = v.name.valid() ? std::string(c.text(v.name)) : std::string("x");
    switch (v.origin) {
      case Origin::list: c.sink.error(Code::NK1153, v.origin_span, name); break;
      case Origin::null_value: c.sink.error(Code::NK1910, v.origin_span, name); break;
      case Origin::type_argument: {
        std::string what = "the content of this value";
        if (v.fn.valid()) {
          const FnDecl& d = c.decls.fns[v.fn];
          const std::string param(c.text(c.decls.type_params[d.type_params[v.fn_param]].name));
          what = d.key.ends_with("::new") ? "the content of this `" + fn_text(c, v.fn) + "`"
                                          : "`" + param + "` of `" + fn_text(c, v.fn) + "`";
        }
        c.sink.error(Code::NK1927, v.origin_span, what, name);
        break;
      }
      case Origin::lambda_param:
      case Origin::none: break;
    }
    v.bound = c.error;
  }
}

void write_out(Checker& c) {
  for (const auto& [e, text] : c.text_sites) {
    if (c.vars.settle(text) == c.string) c.out->wanted[e] = c.string;
  }
  for (ExprId e : c.open_exprs) c.out->exprs[e] = c.vars.settle(c.out->exprs[e]);
  for (ExprId e : c.open_lambdas) c.out->lambda_type[e] = c.vars.settle(c.out->lambda_type[e]);
  for (LocalId l : c.open_locals) c.out->locals[l] = c.vars.settle(c.out->locals[l]);
  for (PatternId p : c.open_patterns) c.out->patterns[p] = c.vars.settle(c.out->patterns[p]);
  for (ExprId e : c.open_wanted) {
    TypeId& w = c.out->wanted[e];
    if (!w.valid()) continue;
    w = c.vars.settle(w);
    if (w == c.out->exprs[e] || c.types.kind(w) == TypeKind::error) w = TypeId();
  }
  finish_calls(c);
}

void finish_body(Checker& c) {
  // Lambdas and jumps may leave a result open that nothing wants.
  report_undecided(c);
  finish_numbers(c);
  run_deferred(c);
  write_out(c);
  c.open_exprs.clear();
  c.open_wanted.clear();
  c.open_lambdas.clear();
  c.open_locals.clear();
  c.open_patterns.clear();
  c.text_sites.clear();
  c.deferred.clear();
  c.number_steps.clear();
  c.vars.clear();
  c.first_call = static_cast<std::uint32_t>(c.out->calls.size());
}

void bind_parameters(Checker& c, const ast::FnItem& item, ast::ItemId id, const FnDecl& d) {
  if (const LocalId self = c.resolved->self_of[id]; self.valid()) {
    TypeId t = d.self_type.valid() ? d.self_type : c.error;
    if (d.receiver == ast::Receiver::ref) t = c.types.ref(t);
    if (d.receiver == ast::Receiver::ref_mut) t = c.types.ref(t, true);
    c.set_local(self, t);
  }
  for (std::uint32_t i = 0; i < item.params.count; ++i) {
    const TypeId t = i < d.params.size() && d.params[i].type.valid() ? d.params[i].type : c.error;
    c.set_local(entry(c.resolved->params, item.params.begin + i), t);
  }
  for (std::uint32_t i = 0; i < item.options.count; ++i) {
    const TypeId t = i < d.options.size() && d.options[i].type.valid() ? d.options[i].type : c.error;
    c.set_local(entry(c.resolved->options, item.options.begin + i), t);
    Slot slot;
    slot.kind = Slot::Kind::argument;
    slot.owner = c.text(d.name);
    slot.name = i < d.options.size() ? c.text(d.options[i].name) : std::string_view();
    check(c, c.list(item.options)[i].fallback, t, slot);
  }
}

void check_result(Checker& c, BlockId body, TypeId result, const Slot& slot, Span signature) {
  if (c.kind(result) == TypeKind::unit) {
    infer_block(c, body, {TypeId(), nullptr, false});
    return;
  }
  const TypeId t = infer_block(c, body, {result, &slot, true});
  const TypeKind k = c.kind(t);
  if (k == TypeKind::never || k == TypeKind::error) return;
  const ExprId tail = tail_of(c, body);
  if (tail.valid() && k != TypeKind::unit) {
    coerce(c, tail, t, result, slot);
    return;
  }
  if (c.is_error(result)) return;
  if (tail.valid() && c.as<ast::IfExpr>(tail) && !c.as<ast::IfExpr>(tail)->else_branch.valid()) return;
  c.sink.error(Wording::NK1104_no_value, signature.has_text() ? signature : c.tree->blocks[body].span, slot.owner,
               spelled(c, result));
}

void check_fn(Checker& c, ast::ItemId id) {
  const auto& item = std::get<ast::FnItem>(c.tree->items[id].node);
  const FnId fn = c.resolved->fn_of[id];
  if (!fn.valid()) return;
  const FnDecl& d = c.decls.fns[fn];
  c.fn = fn;
  c.context.looking_at(d.name.valid() ? c.text(d.name) : "a constructor", c.compilation.sources.path(c.tree->file));
  bind_parameters(c, item, id, d);
  if (item.body.valid()) {
    Frame frame;
    frame.result = d.result.valid() ? d.result : c.error;
    frame.name = d.name;
    frame.slot.kind = Slot::Kind::result;
    const std::string shown = fn_text(c, fn);
    frame.slot.owner = shown;
    if (d.is_pub) frame.slot.published = Id<PublishedTag>(fn.index);
    frame.slot.declared = item.result.valid() ? c.tree->types[item.result].span : Span{};
    c.frame = &frame;
    check_result(c, item.body, frame.result, frame.slot, item.name.span);
    c.frame = nullptr;
  }
  finish_body(c);
  c.fn = FnId();
}

void check_test(Checker& c, const ast::TestItem& item) {
  for (std::uint32_t i = 0; i < item.params.count; ++i) {
    const ast::TypeExprId written = c.list(item.params)[i].type;
    const TypeId t = written.valid() ? c.resolved->types[written] : c.error;
    c.set_local(entry(c.resolved->params, item.params.begin + i), t.valid() ? t : c.error);
  }
  Frame frame;
  frame.result = c.unit;
  c.frame = &frame;
  infer_block(c, item.body, {TypeId(), nullptr, false});
  c.frame = nullptr;
  finish_body(c);
}

void check_item(Checker& c, ast::ItemId id) {
  const ast::Item& item = c.tree->items[id];
  if (std::holds_alternative<ast::FnItem>(item.node)) {
    check_fn(c, id);
  } else if (auto* impl = std::get_if<ast::ImplItem>(&item.node)) {
    for (ast::ItemId member : c.list(impl->members)) check_fn(c, member);
  } else if (auto* test = std::get_if<ast::TestItem>(&item.node)) {
    check_test(c, *test);
  }
}

void make_tables(Checker& c) {
  const ast::Tree& t = *c.tree;
  TreeTypes& out = *c.out;
  out.exprs.resize(t.exprs.size());
  out.wanted.resize(t.exprs.size());
  out.locals.resize(c.resolved->locals.size());
  out.patterns.resize(t.patterns.size());
  out.call_of.resize(t.exprs.size());
  out.field_of.resize(t.exprs.size(), 0xffffffffu);
  out.index_of.resize(t.exprs.size(), IndexKind::none);
  out.walk_of.resize(t.stmts.size(), WalkKind::none);
  out.lambda_type.resize(t.exprs.size());
  c.fold_of.clear();
  c.fold_of.resize(t.exprs.size(), Checker::no_fold);
  c.local_fold.clear();
  c.local_fold.resize(c.resolved->locals.size(), Checker::no_fold);
}

// Nobody but this pass asks whether a value was read out of a lock by its type: published, a `Seen[T]` is the `T` it
// reads as.
class Unstamped {
 public:
  explicit Unstamped(Checker& c) : c_(c) {}

  void put(TypeId& type) {
    if (type.valid()) type = of(type);
  }

 private:
  TypeId of(TypeId type) {
    if (type.index >= known_.size()) known_.resize(c_.types.size());
    if (!known_[type.index].valid()) {
      const TypeId plain = made(type);
      known_[type.index] = plain;
    }
    return known_[type.index];
  }

  TypeId made(TypeId type) {
    Type t = c_.types[type];
    if (t.kind == TypeKind::named && t.decl == c_.decls.seen && !t.args.empty()) return of(t.args[0]);
    bool changed = false;
    for (TypeId& a : t.args) {
      const TypeId plain = of(a);
      changed = changed || !(plain == a);
      a = plain;
    }
    if (!changed) return type;
    return t.kind == TypeKind::nullable ? c_.types.nullable(t.args[0]) : c_.types.intern(std::move(t));
  }

  Checker& c_;
  std::vector<TypeId> known_;  // by TypeId
};

void unstamp(Checker& c) {
  Unstamped plain(c);
  TreeTypes& out = *c.out;
  for (TypeId& t : out.exprs) plain.put(t);
  for (TypeId& t : out.locals) plain.put(t);
  for (TypeId& t : out.patterns) plain.put(t);
  for (TypeId& t : out.lambda_type) plain.put(t);
  for (std::size_t e = 0; e < out.wanted.size(); ++e) {
    TypeId& wanted = out.wanted[ExprId(e)];
    plain.put(wanted);
    if (wanted == out.exprs[ExprId(e)]) wanted = TypeId();
  }
  for (Call& call : out.calls) {
    plain.put(call.result);
    for (TypeId& t : call.param_types) plain.put(t);
    for (TypeId& t : call.type_args) plain.put(t);
  }
}

}  // namespace

void check_file(Checker& c, FileId file) {
  c.tree = &c.compilation.trees[file];
  c.resolved = &c.all_names[file];
  c.out = &c.facts[file];
  c.first_call = 0;
  c.refused_keys.clear();
  make_tables(c);
  if (c.tree->has_syntax_error) return;
  check_written_types(c);
  for (ast::ItemId root : c.tree->roots) check_item(c, root);
  if (c.decls.seen.valid()) unstamp(c);
}

}  // namespace nikaia::lang::typing
