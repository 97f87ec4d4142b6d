// Calls: arguments as the callee takes them, options with their defaults, failure edges, and `?.`.
#include "passes/lower/lowering.h"

namespace nikaia::lang::lower {

using namespace ast;

namespace {

TypeId put_in(TypeTable& table, TypeId type, const std::vector<TypeParamId>& params, const std::vector<TypeId>& args) {
  if (params.empty()) return type;
  return table.substitute(type, [&](TypeParamId p) {
    for (std::size_t i = 0; i < params.size() && i < args.size(); ++i) {
      if (params[i] == p) return args[i];
    }
    return TypeId{};
  });
}

}  // namespace

TypeId ModuleLowering::plain(TypeId declared) {
  if (!declared.valid()) return declared;
  if (declared.index < plain_of.size() && plain_of[declared.index].valid()) return plain_of[declared.index];
  Type t = table[declared];
  TypeId made = declared;
  if (t.kind == TypeKind::named && t.decl == decls.seen && !t.args.empty()) {
    made = plain(t.args[0]);
  } else {
    for (TypeId& a : t.args) {
      const TypeId inner = plain(a);
      if (inner == a) continue;
      a = inner;
      made = {};
    }
    if (!made.valid()) made = t.kind == TypeKind::nullable ? table.nullable(t.args[0]) : table.intern(std::move(t));
  }
  if (declared.index >= plain_of.size()) plain_of.resize(table.size());
  plain_of[declared.index] = made;
  return made;
}

TypeId ModuleLowering::param_type(const FnDecl& fn, FnId id, std::size_t position) {
  ParamInfo p = fn.params[position];
  if (!p.type.valid()) return p.type;
  p.type = plain(p.type);
  if (p.is_mut) return table.ref(p.type, true);
  const TypeKind kind = table.kind(p.type);
  if (kind == TypeKind::ref) return p.type;
  if (kind == TypeKind::array && table[p.type].length == Type::unsized) return table.ref(p.type);
  if (!fn.key.empty()) {
    // A row of the library lends what it does not keep.
    if (p.is_kept || kind == TypeKind::function || copies(table, decls, p.type)) return p.type;
    if (handing_of(table, decls, p.type) == Handing::sequence) return p.type;
    return table.ref(p.type);
  }
  if (copies(table, decls, p.type)) return p.type;
  if (kind == TypeKind::function) {
    const auto& detached = contracts.detached[id];
    return position < detached.size() && detached[position] ? p.type : table.ref(p.type);
  }
  const auto& keeps = contracts.keeps[id];
  return position < keeps.size() && keeps[position] ? p.type : table.ref(p.type);
}

TypeId ModuleLowering::receiver_type(const FnDecl& fn) {
  switch (fn.receiver) {
    case Receiver::ref: return table.ref(fn.self_type);
    case Receiver::ref_mut: return table.ref(fn.self_type, true);
    default: return fn.self_type;
  }
}

// The operand for a parameter of NIR type `param_type`; invalid where the row takes more than one type.
Operand FnLowering::argument(ExprId e, TypeId param_type, bool is_library) {
  const Span span = tree_.exprs[e].span;
  const TypeId own = type_of(e);
  if (!param_type.valid()) {
    Operand v = read(e);
    return v.kind == OperandKind::copy && has_effects(e) ? settle(std::move(v), span) : v;
  }
  if (std::holds_alternative<LambdaExpr>(tree_.exprs[e].node)) {
    return convert(value(e), param_type, span);
  }
  if (table_.kind(param_type) != TypeKind::ref) return convert(value(e), param_type, span);
  const TypeId target = table_[param_type].args[0];
  if (table_[param_type].is_mut) {
    Place p = place(e);
    TypeId t = own;
    if (table_.kind(t) == TypeKind::ref) {
      t = table_[t].args[0];
      p = deref(std::move(p), t);
    }
    note_change(p);
    return lend(std::move(p), t, true);
  }
  if (!is_library && table_.is_text(own) && table_.kind(target) == TypeKind::named) {
    Operand text = table_.kind(own) == TypeKind::ref ? base_value(e) : lend(place(e), own);
    Operand v = convert(std::move(text), target, span);  // a path of the text
    if (v.kind == OperandKind::constant || !v.place.is_local()) return v;
    owe_drop(v.place.root);
    return lend(v.place, target);
  }
  if (table_.kind(own) == TypeKind::ref || table_.kind(own) == TypeKind::never) {
    return convert(value(e), param_type, span);
  }
  if (table_.kind(own) == TypeKind::named && table_[own].decl == m_.decls.shared && !(own == target)) {
    Place inside = project(place(e), {nir::ProjectionKind::inside, 0, 0, {}, table_[own].args[0]});
    Operand l = lend(std::move(inside), table_[own].args[0]);
    if (l.kind == OperandKind::lend) l.type = param_type;
    return l;
  }
  const bool widens = table_.kind(target) == TypeKind::nullable && table_.kind(own) != TypeKind::nullable;
  const bool is_control = std::holds_alternative<IfExpr>(tree_.exprs[e].node) ||
                          std::holds_alternative<MatchExpr>(tree_.exprs[e].node) ||
                          std::holds_alternative<CoalesceExpr>(tree_.exprs[e].node);
  if (is_control && !widens && !copies(table_, m_.decls, own)) return convert(control_value(e, true), param_type, span);
  Place p;
  if (widens) {
    Operand v = convert(value(e), target, span);
    NirLocal t = assign_temp(nir::Use{std::move(v)}, target, span);
    p = place_of_local(t);
  } else {
    p = place(e);
  }
  Operand l = lend(std::move(p), own);
  if (l.kind == OperandKind::lend) l.type = param_type;
  return l;
}

Operand FnLowering::receiver_argument(ExprId object, TypeId param_type, std::optional<Place> known) {
  const Span span = tree_.exprs[object].span;
  TypeId t = type_of(object);
  Place p;
  if (known) {
    p = *known;
    t = p.path.empty() ? fn_.locals[p.root].type : p.path.back().type;
  } else if (table_.kind(param_type) != TypeKind::ref &&
             table_.kind(table_.without_ref(t)) == table_.kind(param_type) && table_.kind(t) != TypeKind::ref) {
    return convert(base_value(object), param_type, span);  // `self`: taken
  } else {
    p = place(object);
  }
  // The receiver is seen through views, `Shared` and `Seen`.
  while (true) {
    const Type at = table_[t];
    const bool wants_ref_itself = table_.kind(param_type) != TypeKind::ref && t == param_type;
    if (wants_ref_itself) break;
    if (at.kind == TypeKind::ref) {
      if (table_.kind(at.args[0]) == TypeKind::array && at.args[0] == table_.without_ref(param_type)) break;
      t = at.args[0];
      p = deref(std::move(p), t);
    } else if (at.kind == TypeKind::named && at.decl == m_.decls.shared &&
               !(table_.kind(table_.without_ref(param_type)) == TypeKind::named &&
                 table_[table_.without_ref(param_type)].decl == m_.decls.shared)) {
      t = at.args[0];
      p = project(std::move(p), {nir::ProjectionKind::inside, 0, 0, {}, t});
    } else if (at.kind == TypeKind::named && at.decl == m_.decls.seen) {
      t = at.args[0];
    } else {
      break;
    }
  }
  if (table_.kind(param_type) == TypeKind::ref) {
    if (table_.kind(t) == TypeKind::ref) return take(std::move(p), t);
    if (table_[param_type].is_mut) note_change(p);
    Operand l = lend(std::move(p), t, table_[param_type].is_mut);
    return l;
  }
  return convert(take(std::move(p), t), param_type, span);
}

Operand FnLowering::literal_fallback(const OptionInfo& option, TypeId type) {
  if (option.fallback.valid()) {
    const Tree& tree = m_.compilation.trees[option.fallback.file];
    ExprId e = option.fallback.node;
    bool negative = false;
    if (auto* u = std::get_if<UnaryExpr>(&tree.exprs[e].node)) {
      negative = true;
      e = u->operand;
    }
    const auto& node = tree.exprs[e].node;
    const TypeId inner = table_.kind(type) == TypeKind::nullable ? table_[type].args[0] : type;
    const Span span = tree.exprs[e].span;
    Operand v = unit();
    if (auto* n = std::get_if<IntegerLit>(&node)) {
      if (table_.kind(inner) == TypeKind::f64) {
        v = constant(nir::ConstFloat{negative ? -static_cast<double>(n->value) : static_cast<double>(n->value)}, inner);
      } else {
        v = constant(nir::ConstInt{negative ? 0 - n->value : n->value}, inner);
      }
    } else if (auto* f = std::get_if<FloatLit>(&node)) {
      v = constant(nir::ConstFloat{negative ? -f->value : f->value}, inner);
    } else if (auto* c = std::get_if<CharLit>(&node)) {
      v = constant(nir::ConstChar{c->value}, inner);
    } else if (auto* b = std::get_if<BoolLit>(&node)) {
      v = constant(nir::ConstBool{b->value}, inner);
    } else if (auto* t = std::get_if<TextLit>(&node)) {
      v = constant(nir::ConstText{m_.context.names().intern(tree.texts[t->text])},
                   table_.ref(table_.basic(TypeKind::string)));
    } else if (std::holds_alternative<NullLit>(node)) {
      return constant(nir::ConstNull{}, type);
    } else if (std::holds_alternative<PathExpr>(node)) {
      const Resolution& r = m_.names[option.fallback.file].exprs[e];
      if (r.kind == Resolution::Kind::variant) {
        NirLocal made = assign_temp(nir::MakeVariant{inner, r.part, {}}, inner, span);
        v = take(place_of_local(made), inner);
      }
    }
    return convert(std::move(v), type, span);
  }
  // A default of the library: a literal, or a variant by its name.
  const std::string& text = option.fallback_text;
  if (text == "true" || text == "false") return constant(nir::ConstBool{text == "true"}, type);
  if (text == "null") return constant(nir::ConstNull{}, type);
  if (!text.empty() && text.front() == '"') {
    const Name literal = m_.context.names().intern(std::string_view(text).substr(1, text.size() - 2));
    return constant(nir::ConstText{literal}, table_.ref(table_.basic(TypeKind::string)));
  }
  if (!text.empty() && (text.front() == '-' || (text.front() >= '0' && text.front() <= '9'))) {
    return constant(nir::ConstInt{static_cast<std::uint64_t>(std::stoll(text))}, type);
  }
  if (table_.kind(type) == TypeKind::named) {
    const auto at = text.rfind("::");
    const std::string_view variant =
        at == std::string::npos ? std::string_view(text) : std::string_view(text).substr(at + 2);
    const TypeDecl& decl = m_.decls.types[table_[type].decl];
    for (std::uint32_t i = 0; i < decl.variants.size(); ++i) {
      if (m_.compilation.names.text(decl.variants[i].name) == variant) {
        NirLocal made = assign_temp(nir::MakeVariant{type, i, {}}, type, {});
        return take(place_of_local(made), type);
      }
    }
  }
  return unit();
}

Operand FnLowering::emit_call(nir::Call c, ExprId e) {
  const Span span = tree_.exprs[e].span;
  const std::uint8_t bits = effects_.exprs[e];
  c.may_pause = (bits & effect_pauses) != 0;
  if (bits & effect_fails) c.on_fail = fail_edge(span);
  const TypeKind kind = table_.kind(c.result);
  if (kind == TypeKind::unit) {
    push(std::move(c), span);
    return unit();
  }
  if (kind == TypeKind::never) {
    push(std::move(c), span);
    push(nir::Unreachable{}, span);
    return constant(nir::ConstUnit{}, table_.basic(TypeKind::never));
  }
  const TypeId result = c.result;
  c.to = new_temp(result, span);
  const NirLocal to = c.to;
  push(std::move(c), span);
  return take(place_of_local(to), result);
}

Operand FnLowering::call(ExprId e) {
  const CallId id = types_.call_of[e];
  if (!id.valid()) return unit();
  const Call& c = types_.calls[id];
  if (c.is_safe) return safe_member(e);
  return call_on(e, c, std::nullopt);
}

// A container whose values have cleanups is cleared by an empty one that is put in its place; the old one ends behind
// that. Whether it was such a container.
bool FnLowering::clear(const Operand& container, Span span) {
  const TypeId type = table_.without_ref(container.type);
  if (container.kind == OperandKind::constant || table_.kind(container.type) != TypeKind::ref ||
      !teardown(type).has_cleanup())
    return false;
  Place p = container.place;
  if (container.kind != OperandKind::lend_mut) p = deref(std::move(p), type);
  nir::Call make;
  make.fn = m_.decls.types[table_[type].decl].constructor;
  make.type_args = table_[type].args;
  make.result = type;
  const NirLocal empty = new_local({}, type, nir::LocalKind::temp, span);
  const NirLocal old = new_local({}, type, nir::LocalKind::temp, span);
  make.to = empty;
  push(nir::Declare{empty}, span);
  push(std::move(make), span);
  push(nir::Declare{old}, span);
  push(nir::Assign{place_of_local(old), nir::Use{Operand{OperandKind::move, type, p, {}}}}, span);
  push(nir::Store{std::move(p), Operand{OperandKind::move, type, place_of_local(empty), {}}}, span);
  ends_here(old, span);
  return true;
}

Operand FnLowering::call_on(ExprId e, const Call& c, std::optional<Place> receiver) {
  const Span span = tree_.exprs[e].span;
  auto later_has_effects = [&](std::size_t from, const std::vector<ExprId>& order) {
    for (std::size_t i = from; i < order.size(); ++i) {
      if (order[i].valid() && has_effects(order[i])) return true;
    }
    return false;
  };
  if (c.kind == CallKind::clone || c.kind == CallKind::error_message || c.kind == CallKind::error_full) {
    Place p;
    TypeId t;
    if (receiver) {
      p = *receiver;
      t = p.path.empty() ? fn_.locals[p.root].type : p.path.back().type;
    } else {
      p = place(c.receiver);
      t = type_of(c.receiver);
    }
    while (table_.kind(t) == TypeKind::ref) {
      t = table_[t].args[0];
      p = deref(std::move(p), t);
    }
    const nir::MemberKind kind = c.kind == CallKind::clone           ? nir::MemberKind::clone
                                 : c.kind == CallKind::error_message ? nir::MemberKind::error_message
                                                                     : nir::MemberKind::error_full;
    NirLocal made = assign_temp(nir::Member{kind, std::move(p), c.result}, c.result, span);
    return take(place_of_local(made), c.result);
  }
  if (c.kind == CallKind::close) {
    Operand v = settle(value(c.receiver), span);
    if (v.kind == OperandKind::constant || ended_) return unit();
    NirLocal closed = v.place.root;
    if (!v.place.is_local() || fn_.locals[closed].kind != nir::LocalKind::temp) {
      TypeId t = v.type;
      closed = new_local({}, t, nir::LocalKind::temp, span);
      push(nir::Declare{closed}, span);
      push(nir::Assign{place_of_local(closed), nir::Use{std::move(v)}}, span);
    }
    ends_here(closed, span);
    return unit();
  }
  if (c.kind == CallKind::variant) {
    const TypeDecl& decl = m_.decls.types[c.variant_type];
    nir::MakeVariant made{c.result, c.variant, {}};
    for (std::size_t i = 0; i < c.args.size(); ++i) {
      TypeId part = i < c.param_types.size() && c.param_types[i].valid() ? c.param_types[i]
                                                                         : decl.variants[c.variant].parts[i].type;
      made.parts.push_back(settle(convert(value(c.args[i]), part, span), span));
    }
    NirLocal t = assign_temp(std::move(made), c.result, span);
    return take(place_of_local(t), c.result);
  }
  nir::Call out;
  out.result = c.result;
  if (c.kind == CallKind::value) {
    const auto& call_expr = std::get<CallExpr>(tree_.exprs[e].node);
    out.callee = place(call_expr.callee);
    TypeId t = type_of(call_expr.callee);
    if (table_.kind(t) == TypeKind::ref) out.callee = deref(std::move(out.callee), table_[t].args[0]);
    for (std::size_t i = 0; i < c.args.size(); ++i) {
      Operand v = convert(value(c.args[i]), c.param_types[i], span);
      out.args.push_back(later_has_effects(i + 1, c.args) ? settle(std::move(v), span) : std::move(v));
    }
    return emit_call(std::move(out), e);
  }
  const FnDecl& fn = m_.decls.fns[c.fn];
  out.fn = c.fn;
  out.type_args = c.type_args;
  const auto put = [&](TypeId t) { return t.valid() ? put_in(table_, t, fn.type_params, c.type_args) : t; };
  if (c.kind == CallKind::method && fn.receiver != Receiver::none) {
    Operand v = receiver_argument(c.receiver, put(m_.receiver_type(fn)), receiver);
    out.args.push_back(later_has_effects(0, c.evaluation) ? settle(std::move(v), span) : std::move(v));
  }
  if (c.kind == CallKind::method && fn.key.ends_with(".clear") && out.args.size() == 1 && clear(out.args[0], span))
    return unit();
  const std::size_t first = out.args.size();
  out.args.resize(first + fn.params.size() + fn.options.size(), unit());
  for (std::size_t k = 0; k < c.evaluation.size(); ++k) {
    const ExprId arg = c.evaluation[k];
    for (std::size_t i = 0; i < c.args.size(); ++i) {
      if (!(c.args[i] == arg)) continue;
      TypeId pt = m_.param_type(fn, c.fn, i);
      if (fn.owner.valid() && fn.owner == m_.decls.scope)
        scope_task_ = bare(arg);
      else if (fn.key == "task::scope")
        scope_block_ = bare(arg);
      // Where type arguments make the parameter a type that copies, it is still passed as declared.
      Operand v = argument(arg, put(pt), !fn.key.empty());
      out.args[first + i] = later_has_effects(k + 1, c.evaluation) ? settle(std::move(v), span) : std::move(v);
    }
    for (std::size_t i = 0; i < c.options.size(); ++i) {
      if (!(c.options[i] == arg)) continue;
      Operand v = convert(value(arg), put(fn.options[i].type), span);
      out.args[first + fn.params.size() + i] =
          later_has_effects(k + 1, c.evaluation) ? settle(std::move(v), span) : std::move(v);
    }
  }
  for (std::size_t i = 0; i < fn.options.size(); ++i) {
    if (i < c.options.size() && c.options[i].valid()) continue;
    out.args[first + fn.params.size() + i] = literal_fallback(fn.options[i], put(fn.options[i].type));
  }
  return emit_call(std::move(out), e);
}

// `recv?.member`, a field or a call: null where the receiver is, else the member, never nullable twice.
Operand FnLowering::safe_member(ExprId e) {
  const Span span = tree_.exprs[e].span;
  const TypeId type = type_of(e);
  ExprId object;
  const auto& node = tree_.exprs[e].node;
  if (auto* m = std::get_if<MemberExpr>(&node))
    object = m->object;
  else if (auto* t = std::get_if<TuplePartExpr>(&node))
    object = t->object;
  else
    object = types_.calls[types_.call_of[e]].receiver;
  Place receiver = place(object);
  TypeId rt = type_of(object);
  if (table_.kind(rt) == TypeKind::ref) {
    rt = table_[rt].args[0];
    receiver = deref(std::move(receiver), rt);
  }
  const TypeId inner = table_[rt].args[0];
  const bool has_value = table_.kind(type) == TypeKind::nullable;
  NirLocal result = has_value ? new_temp(type, span) : NirLocal{};
  Operand is_null = bool_of(nir::IsNull{receiver}, span);
  RegionId null_side = in_region([&] {
    if (has_value) push(nir::Assign{place_of_local(result), nir::Use{constant(nir::ConstNull{}, type)}}, span);
  });
  RegionId some_side = in_scope_region(span, [&] {
    Place some = project(receiver, {nir::ProjectionKind::some, 0, 0, {}, inner});
    Operand v;
    if (std::holds_alternative<CallExpr>(node)) {
      v = call_on(e, types_.calls[types_.call_of[e]], some);
    } else {
      Place p = some;
      TypeId t = inner;
      while (table_.kind(t) == TypeKind::ref ||
             (table_.kind(t) == TypeKind::named && table_[t].decl == m_.decls.shared)) {
        const bool is_ref = table_.kind(t) == TypeKind::ref;
        t = table_[t].args[0];
        p = is_ref ? deref(std::move(p), t) : project(std::move(p), {nir::ProjectionKind::inside, 0, 0, {}, t});
      }
      const TypeId member = has_value ? table_[type].args[0] : type;
      const bool lends = table_.kind(member) == TypeKind::ref;
      TypeId field = lends ? table_[member].args[0] : member;
      // What the field is declared as: a `T?` is read as it is, another type is viewed or copied.
      std::uint32_t index = 0;
      bool is_tuple = false;
      if (auto* t2 = std::get_if<TuplePartExpr>(&node)) {
        index = t2->index;
        is_tuple = true;
      } else {
        index = types_.field_of[e];
      }
      TypeId declared = field;
      if (is_tuple) {
        declared = table_[t].args[index];
      } else if (table_.kind(t) == TypeKind::named) {
        const TypeDecl& decl = m_.decls.types[table_[t].decl];
        declared = m_.plain(put_in(table_, decl.fields[index].type, decl.params, table_[t].args));
      }
      p = project(std::move(p),
                  {is_tuple ? nir::ProjectionKind::part : nir::ProjectionKind::field, index, 0, {}, declared});
      if (table_.kind(declared) == TypeKind::nullable && has_value) {
        v = declared == type ? take(std::move(p), declared)
                             : convert_nullable(std::move(p), table_[declared].args[0], type, span);
      } else {
        v = lends && table_.kind(declared) != TypeKind::ref ? lend(std::move(p), declared)
                                                            : take(std::move(p), declared);
      }
    }
    if (has_value) {
      v = convert(std::move(v), type, span);
      push(nir::Assign{place_of_local(result), nir::Use{std::move(v)}}, span);
    }
  });
  push(nir::If{is_null, null_side, some_side}, span);
  return has_value ? take(place_of_local(result), type) : unit();
}

}  // namespace nikaia::lang::lower
