// Calls: which function, whether the arguments fit, what the type parameters are.
//
// A generic callee gets one fresh variable per type parameter; arguments decide them left to right, lambdas last, so
// that what a lambda is handed is known before its body is walked. What is expected of the result decides first where
// it is a type of the same declaration. Bounds are asked once the body's types are settled.
#include <algorithm>

#include "passes/types/checker.h"

namespace nikaia::lang::typing {

namespace {

bool is_lambda(const Checker& c, ExprId e) {
  return c.as<ast::LambdaExpr>(unwrapped(c, e)) != nullptr;
}

void report_count(Checker& c, FnId fn, const FnDecl& d, std::size_t given, Span at) {
  if (d.key.starts_with("fs::") && given < d.params.size()) {
    for (const ParamInfo& p : d.params) {
      if (c.text(p.name) == "root") {
        c.sink.error(Wording::NK1101_root, at, fn_text(c, fn));
        return;
      }
    }
  }
  auto report = c.sink.error(Code::NK1101, at, fn_text(c, fn), counted(d.params.size(), "argument"), given,
                             signature_text(c, fn));
  if (d.span.has_text()) report.label(d.span, "declared here");
}

void report_option(Checker& c, FnId fn, const FnDecl& d, const ast::OptionArg& given) {
  const std::string_view name = c.text(given.name.name);
  for (const ParamInfo& p : d.params) {
    if (p.name == given.name.name) {
      c.sink.error(Code::NK1109, given.name.span, fn_text(c, fn), name, std::string())
          .help("`" + std::string(name) + "` is passed by its position, before the `;`.");
      return;
    }
  }
  if (d.options.empty()) {
    c.sink.error(Wording::NK1109_none, given.name.span, fn_text(c, fn), name);
    return;
  }
  std::vector<Name> known;
  std::string all;
  for (const OptionInfo& o : d.options) {
    known.push_back(o.name);
    all += (all.empty() ? "`" : ", `") + std::string(c.text(o.name)) + "`";
  }
  const std::string near = near_name(c, name, known);
  if (near.empty()) {
    c.sink.error(Code::NK1109, given.name.span, fn_text(c, fn), name, all);
  } else {
    c.sink.error(Wording::NK1109_near, given.name.span, fn_text(c, fn), name, near);
  }
}

// `assert` in another shape than one claim and a text (NK1195); true where it is refused.
bool refuse_assert(Checker& c, const FnDecl& d, const Arguments& args) {
  if (d.key != "assert") return false;
  bool good = args.positional.size() == 1;
  for (const ast::OptionArg& o : c.list(args.options)) good &= c.text(o.name.name) == "message";
  if (!good) {
    infer_arguments(c, args);
    const std::string claim = args.positional.empty() ? std::string("…") : source_text(c, c.span(args.positional[0]));
    c.sink.error(Code::NK1195, args.call, claim);
    return true;
  }
  const TypeId t = c.as_value(infer(c, args.positional[0], {c.bool_, nullptr, true}));
  const TypeKind k = c.types.kind(t);
  if (k == TypeKind::bool_ || k == TypeKind::error || k == TypeKind::never) return false;
  c.sink.error(Code::NK1195, args.call, source_text(c, c.span(args.positional[0])));
  return true;
}

// A range answers the rows of a sequence, an array of any length those of arrays.
void bind_receiver(Checker& c, TypeId self, TypeId receiver, Span at) {
  const TypeId s = c.shallow(self), r = c.shallow(receiver);
  const TypeKind sk = c.types.kind(s), rk = c.types.kind(r);
  const bool element_only = (sk == TypeKind::seq && (rk == TypeKind::range || rk == TypeKind::seq)) ||
                            (sk == TypeKind::array && rk == TypeKind::array);
  if (element_only) {
    c.vars.unify(c.argument_of(s, 0), c.argument_of(r, 0), at);
  } else {
    c.vars.unify(s, r, at);
  }
}

bool is_door(const FnDecl& d) {
  return d.key == "access_all" || d.key == "update_all";
}

// A door over several locks takes exactly two and a block with a name for each (NK1124). True where it is refused.
bool refuse_door(Checker& c, FnId fn, const Arguments& args) {
  const std::size_t n = args.positional.size();
  const bool has_block = n > 0 && is_lambda(c, args.positional.back());
  const std::size_t locks = has_block ? n - 1 : n;
  if (locks != 2) {
    for (std::size_t i = 0; i < locks; ++i) infer(c, args.positional[i]);
    c.sink.error(Wording::NK1124_count, args.call, fn_text(c, fn), locks);
    return true;
  }
  if (!has_block) return false;
  const ExprId block = unwrapped(c, args.positional.back());
  const std::uint32_t names = c.as<ast::LambdaExpr>(block)->params.count;
  if (names == 2) return false;
  for (std::size_t i = 0; i < locks; ++i) infer(c, args.positional[i]);
  c.sink.error(Wording::NK1124_block, c.span(block), fn_text(c, fn), counted(locks, "lock"), names);
  return true;
}

bool mentions(const Checker& c, TypeId type, TypeId param) {
  if (type == param) return true;
  const Type& t = c.types[type];
  return std::any_of(t.args.begin(), t.args.end(), [&](TypeId a) { return mentions(c, a, param); });
}

// The argument a bound of a type parameter is asked at: the first whose parameter mentions it.
Span place_of_bound(Checker& c, const FnDecl& d, TypeId param, const Arguments& args, ExprId receiver) {
  for (std::size_t i = 0; i < d.params.size() && i < args.positional.size(); ++i) {
    if (!d.params[i].type.valid()) continue;
    if (mentions(c, d.params[i].type, param)) return c.span(args.positional[i]);
  }
  (void)receiver;
  return args.call;
}

void defer_bounds(Checker& c, FnId fn, std::span<const TypeId> targs, const Arguments& args, ExprId receiver) {
  const FnDecl& d = c.decls.fns[fn];
  for (std::size_t i = 0; i < d.type_params.size(); ++i) {
    const TypeParamId p = d.type_params[i];
    if (c.decls.type_params[p].bounds.empty()) continue;
    if (d.is_signature && i == 0) continue;  // the trait itself was asked to find it
    Deferred ask;
    ask.kind = Deferred::Kind::bound;
    ask.type = targs[i];
    ask.span = place_of_bound(c, d, c.types.param(p), args, receiver);
    ask.extra = p.index;
    ask.fn = fn;
    defer(c, ask);
  }
}

}  // namespace

std::vector<TypeId> fresh_arguments(Checker& c, FnId fn, Span at) {
  const FnDecl& d = c.decls.fns[fn];
  std::vector<TypeId> out;
  out.reserve(d.type_params.size());
  for (std::size_t i = 0; i < d.type_params.size(); ++i) {
    const TypeId t = c.open(Origin::type_argument, at);
    Variable* v = c.vars.class_of(t);
    v->fn = fn;
    v->fn_param = static_cast<std::uint32_t>(i);
    out.push_back(t);
  }
  return out;
}

TypeId instantiate(Checker& c, TypeId type, std::span<const TypeParamId> params, std::span<const TypeId> args) {
  if (!type.valid() || params.empty() || !c.vars.has_param(type)) return type;
  const Type t = c.types[type];  // a copy: interning moves the table
  if (t.kind == TypeKind::param) {
    for (std::size_t i = 0; i < params.size() && i < args.size(); ++i) {
      if (params[i].index == t.index) return args[i];
    }
    return type;
  }
  Type made = t;
  for (TypeId& a : made.args) a = instantiate(c, a, params, args);
  return t.kind == TypeKind::nullable ? c.types.nullable(made.args[0]) : c.types.intern(std::move(made));
}

TypeId part_type(Checker& c, TypeDeclId decl, TypeId declared, std::span<const TypeId> args) {
  return instantiate(c, declared, c.decls.types[decl].params, args);
}

void infer_arguments(Checker& c, const Arguments& args) {
  // What stands in a refused call is asked for nothing its place would have decided.
  for (ExprId a : args.positional) {
    if (!is_lambda(c, a)) c.vars.silence(infer(c, a));
  }
  for (const ast::OptionArg& o : c.list(args.options)) c.vars.silence(infer(c, o.value));
}

namespace {

// One call being checked against one declared function.
struct FunctionCall {
  Checker& c;
  FnId fn;
  const FnDecl& d;
  const Arguments& args;
  Call made;
  TypeId receiver_type;
  bool failed = false;

  // In a row of the library a view of what copies is the value; a function of the program is what it says.
  TypeId instance(TypeId t) {
    const TypeId made_for = instantiate(c, t, d.type_params, made.type_args);
    return d.key.empty() ? made_for : c.vars.resolve(made_for);
  }

  TypeId result() {
    if (!d.result.valid()) return c.error;
    if (!d.key.empty()) return instance(d.result);
    for (TypeId& t : made.type_args) t = c.vars.resolve(t);
    return instance(d.result);
  }

  Slot slot_of(Name name, Span declared) {
    Slot slot;
    slot.kind = Slot::Kind::argument;
    slot.name = c.text(name);
    slot.declared = declared;
    slot.fn = fn;
    return slot;
  }

  void positional(std::size_t i) {
    const ExprId arg = args.positional[i];
    const ParamInfo& p = d.params[i];
    if (is_door(d) && i < 2) {
      made.param_types[i] = open_lock(arg, i);
      return;
    }
    if (!p.type.valid()) {
      TypeId accepted;
      check_row_argument(c, fn, i, arg, receiver_type, accepted);
      made.param_types[i] = accepted.valid() ? accepted : c.type_of(arg);
      if (c.is_error(made.param_types[i])) failed = true;
      return;
    }
    const TypeId wanted = instance(p.type);
    made.param_types[i] = wanted;
    const Slot slot = slot_of(p.name, p.span);
    if (is_bounded_parameter(p.type)) {
      // A view answers a bound as what it views does.
      TypeId t = infer(c, arg, {wanted, &slot, true});
      const TypeId seen = c.kind(t) == TypeKind::ref ? c.shallow(c.argument_of(t, 0)) : t;
      if (!(c.shallow(t) == seen) && c.kind(wanted) == TypeKind::infer) {
        c.vars.unify(wanted, seen, c.span(arg));
        c.set_wanted(arg, seen);
        return;
      }
      if (!coerce(c, arg, t, wanted, slot)) failed = true;
      return;
    }
    const TypeId t = check(c, arg, wanted, slot);
    if (p.is_mut) change(t);
  }

  // A door over two locks hands its block what each holds.
  TypeId open_lock(ExprId arg, std::size_t i) {
    const TypeId t = infer(c, arg);
    const TypeId lock = c.seen_through(t);
    if (c.is_named(lock, c.decls.shared_mut) || c.is_named(lock, c.decls.locked)) {
      c.vars.unify(made.type_args[i], c.argument_of(lock, 0), c.span(arg));
      const TypeId view = c.types.ref(lock);
      if (c.kind(t) != TypeKind::ref) c.set_wanted(arg, view);
      return view;
    }
    c.vars.unify(made.type_args[i], c.error, c.span(arg));
    failed = true;
    if (!c.is_error(t)) c.sink.error(Code::NK1124, c.span(arg), fn_text(c, fn), source_text(c, c.span(arg)));
    return c.error;
  }

  bool is_bounded_parameter(TypeId declared) {
    const Type& t = c.types[declared];
    return t.kind == TypeKind::param && !c.decls.type_params[TypeParamId(t.index)].bounds.empty();
  }

  // Changed in place, a name bound to a text is text of its own.
  void change(TypeId t) {
    if (const Variable* v = c.vars.class_of(t); v && v->kind == VarKind::text) c.vars.unify(t, c.string, args.call);
  }

  void options() {
    made.options.assign(d.options.size(), ExprId());
    for (const ast::OptionArg& given : c.list(args.options)) {
      std::size_t at = d.options.size();
      for (std::size_t i = 0; i < d.options.size(); ++i) {
        if (d.options[i].name == given.name.name) at = i;
      }
      if (at == d.options.size()) {
        infer(c, given.value);
        report_option(c, fn, d, given);
        failed = true;
        continue;
      }
      if (made.options[at].valid()) {
        infer(c, given.value);
        c.sink.error(Code::NK1921, given.name.span, c.text(given.name.name));
        failed = true;
        continue;
      }
      made.options[at] = given.value;
      check(c, given.value, instance(d.options[at].type), slot_of(d.options[at].name, d.options[at].span));
    }
  }

  void order_of_evaluation() {
    const std::size_t direct = args.positional.size() - (args.has_trailing ? 1 : 0);
    for (std::size_t i = 0; i < direct; ++i) made.evaluation.push_back(args.positional[i]);
    for (const ast::OptionArg& o : c.list(args.options)) made.evaluation.push_back(o.value);
    if (args.has_trailing) made.evaluation.push_back(args.positional.back());
  }

  // What is expected of the result decides type parameters before the arguments do.
  void expect_result() {
    const TypeId want = args.expect.type;
    if (!want.valid() || !d.result.valid() || made.type_args.empty()) return;
    const TypeId w = c.shallow(want);
    const Type& tr = c.types[d.result];
    const Type& tw = c.types[w];
    if (tr.kind == TypeKind::named && tw.kind == TypeKind::named && tr.decl == tw.decl) {
      c.vars.unify(instance(d.result), w, args.call);
    }
  }
};

}  // namespace

namespace {

TypeId check_call(FunctionCall& call, ExprId e, ExprId receiver);

}  // namespace

TypeId call_function(Checker& c, ExprId e, FnId fn, const Arguments& args, CallKind kind, ExprId receiver,
                     TypeId receiver_type, bool is_safe) {
  const FnDecl& d = c.decls.fns[fn];
  if (d.is_not_built) {
    infer_arguments(c, args);
    // One reached by its path is refused where its name stands, by `names`.
    return kind == CallKind::method ? not_built(c, args.call, "`" + fn_text(c, fn) + "`") : c.error;
  }
  if (refuse_assert(c, d, args)) return c.error;
  if (is_door(d) && refuse_door(c, fn, args)) return c.error;
  FunctionCall call{c, fn, d, args, {}, receiver_type};
  call.made.kind = kind;
  call.made.fn = fn;
  call.made.receiver = receiver;
  call.made.is_safe = is_safe;
  call.made.type_args = fresh_arguments(c, fn, args.call);
  const std::vector<TypeId> type_args = call.made.type_args;
  const TypeId result = check_call(call, e, receiver);
  if (c.is_error(result)) {
    // Of a refused call nothing more is asked.
    for (TypeId t : type_args) c.vars.silence(t);
  }
  return result;
}

namespace {

TypeId check_call(FunctionCall& call, ExprId e, ExprId receiver) {
  Checker& c = call.c;
  const FnDecl& d = call.d;
  const Arguments& args = call.args;
  const FnId fn = call.fn;
  if (call.receiver_type.valid() && d.self_type.valid()) {
    bind_receiver(c, call.instance(d.self_type), call.receiver_type, args.call);
  }
  if (args.positional.size() != d.params.size()) {
    infer_arguments(c, args);
    report_count(c, fn, d, args.positional.size(), args.call);
    return c.error;
  }
  call.expect_result();
  call.made.param_types.assign(d.params.size(), TypeId());
  for (std::size_t i = 0; i < d.params.size(); ++i) {
    if (!is_lambda(c, args.positional[i])) call.positional(i);
  }
  call.options();
  for (std::size_t i = 0; i < d.params.size(); ++i) {
    if (is_lambda(c, args.positional[i])) call.positional(i);
  }
  if (call.failed) return c.error;
  call.made.args.assign(args.positional.begin(), args.positional.end());
  call.order_of_evaluation();
  defer_bounds(c, fn, call.made.type_args, args, receiver);
  if (!check_row(c, e, fn, call.receiver_type, call.made.type_args, args.call)) return c.error;
  TypeId result = call.result();
  if (!d.key.empty()) result = row_result(c, e, fn, result, call.receiver_type, args.positional, args.expect);
  call.made.result = result;
  c.out->call_of[e] = c.out->calls.add(std::move(call.made));
  return result;
}

}  // namespace

TypeId call_variant(Checker& c, ExprId e, TypeDeclId decl, std::uint32_t variant, const Arguments& args) {
  const TypeDecl& d = c.decls.types[decl];
  const VariantInfo& v = d.variants[variant];
  const std::string name = std::string(c.text(d.name)) + "::" + std::string(c.text(v.name));
  if (args.positional.size() != v.parts.size() || v.kind != ast::VariantKind::positional || args.options.count != 0) {
    infer_arguments(c, args);
    std::string form = name + "(";
    for (std::size_t i = 0; i < v.parts.size(); ++i) form += (i ? ", " : "") + spelled(c, v.parts[i].type);
    form += ")";
    c.sink.error(Code::NK1101, args.call, name, counted(v.parts.size(), "argument"), args.positional.size(),
                 v.parts.empty() ? name : form);
    return c.error;
  }
  std::vector<TypeId> targs;
  for (std::size_t i = 0; i < d.params.size(); ++i) targs.push_back(c.open(Origin::type_argument, args.call));
  TypeId type = c.types.named(decl, targs);
  if (args.expect.type.valid() && !targs.empty() && c.is_named(args.expect.type, decl)) {
    c.vars.unify(type, args.expect.type, args.call);
  }
  Call made;
  made.kind = CallKind::variant;
  made.variant_type = decl;
  made.variant = variant;
  made.type_args = targs;
  bool failed = false;
  for (std::size_t i = 0; i < v.parts.size(); ++i) {
    Slot slot;
    slot.kind = Slot::Kind::argument;
    slot.owner = name;
    slot.name = c.text(v.name);
    slot.declared = v.parts[i].span;
    const TypeId wanted = part_type(c, decl, v.parts[i].type, targs);
    made.param_types.push_back(wanted);
    const TypeId t = infer(c, args.positional[i], {wanted, &slot, true});
    failed |= !coerce(c, args.positional[i], t, wanted, slot);
  }
  if (failed) return c.error;
  made.args.assign(args.positional.begin(), args.positional.end());
  made.evaluation = made.args;
  made.result = type;
  c.out->call_of[e] = c.out->calls.add(std::move(made));
  return type;
}

TypeId call_value(Checker& c, ExprId e, ExprId callee, TypeId type, const Arguments& args, bool is_safe) {
  TypeId seen = c.seen_through(type);
  const TypeKind k = c.types.kind(seen);
  if (k == TypeKind::error || k == TypeKind::never) {
    infer_arguments(c, args);
    return c.error;
  }
  if (const Variable* v = c.vars.class_of(seen); v && v->kind == VarKind::open) {
    std::vector<TypeId> params;
    for (ExprId a : args.positional) params.push_back(infer(c, a));
    const TypeId result = c.open(Origin::type_argument, args.call);
    c.vars.unify(seen, c.types.function(std::move(params), result, false, false), args.call);
    seen = c.shallow(seen);
  } else if (k != TypeKind::function) {
    infer_arguments(c, args);
    c.sink.error(Code::NK1936, c.span(callee), source_text(c, c.span(callee)), described_open(c, type));
    return c.error;
  }
  const std::vector<TypeId> parts = c.types[seen].args;
  const std::string text = source_text(c, c.span(callee));
  if (parts.size() - 1 != args.positional.size()) {
    infer_arguments(c, args);
    c.sink.error(Code::NK1101, args.call, text, counted(parts.size() - 1, "argument"), args.positional.size(),
                 spelled(c, seen));
    return c.error;
  }
  for (const ast::OptionArg& o : c.list(args.options)) {
    infer(c, o.value);
    c.sink.error(Wording::NK1109_none, o.name.span, text, c.text(o.name.name));
    return c.error;
  }
  Call made;
  made.kind = CallKind::value;
  made.is_safe = is_safe;
  bool failed = false;
  for (std::size_t i = 0; i < args.positional.size(); ++i) {
    Slot slot;
    slot.kind = Slot::Kind::argument;
    slot.owner = text;
    const TypeId t = infer(c, args.positional[i], {parts[i], &slot, true});
    failed |= !coerce(c, args.positional[i], t, parts[i], slot);
    made.param_types.push_back(parts[i]);
  }
  if (failed) return c.error;
  made.args.assign(args.positional.begin(), args.positional.end());
  made.evaluation = made.args;
  made.result = parts.back();
  c.out->call_of[e] = c.out->calls.add(std::move(made));
  return parts.back();
}

TypeId value_of_fn(Checker& c, Span at, FnId fn) {
  const FnDecl& d = c.decls.fns[fn];
  if (d.is_not_built) return c.error;
  if (!d.type_params.empty()) return not_built(c, at, "a generic function as a value");
  const std::vector<TypeId> targs = fresh_arguments(c, fn, at);
  std::vector<TypeId> params;
  if (d.receiver != ast::Receiver::none && d.self_type.valid()) {
    const TypeId self = instantiate(c, d.self_type, d.type_params, targs);
    params.push_back(d.receiver == ast::Receiver::value ? self
                                                        : c.types.ref(self, d.receiver == ast::Receiver::ref_mut));
  }
  for (const ParamInfo& p : d.params) {
    if (!p.type.valid()) return not_built(c, at, "`" + fn_text(c, fn) + "` as a value");
    params.push_back(instantiate(c, p.type, d.type_params, targs));
  }
  const TypeId result = d.result.valid() ? instantiate(c, d.result, d.type_params, targs) : c.error;
  return c.types.function(std::move(params), result, d.says_sync, d.says_throws);
}

TypeId value_of_variant(Checker& c, ExprId e, TypeDeclId decl, std::uint32_t variant, Expect x) {
  const TypeDecl& d = c.decls.types[decl];
  std::vector<TypeId> targs;
  for (std::size_t i = 0; i < d.params.size(); ++i) targs.push_back(c.open(Origin::type_argument, c.span(e)));
  const TypeId type = c.types.named(decl, targs);
  if (variant >= d.variants.size()) return c.error;
  const VariantInfo& v = d.variants[variant];
  if (v.kind == ast::VariantKind::unit) {
    if (!targs.empty() && x.type.valid() && c.is_named(x.type, decl)) c.vars.unify(type, x.type, c.span(e));
    return type;
  }
  if (v.kind == ast::VariantKind::named) {
    c.sink.error(Code::NK1920, c.span(e), std::string(c.text(d.name)) + "::" + std::string(c.text(v.name)),
                 counted(v.parts.size(), "field"), "`{ … }`");
    return c.error;
  }
  std::vector<TypeId> params;
  for (const FieldInfo& p : v.parts) params.push_back(part_type(c, decl, p.type, targs));
  return c.types.function(std::move(params), type, true, false);
}

TypeId infer_call(Checker& c, ExprId e, const ast::CallExpr& call, Expect x) {
  Arguments args{c.span(e), c.list(call.positional), call.options, call.has_trailing_lambda, x};
  const ExprId callee = unwrapped(c, call.callee);
  if (auto* m = c.as<ast::MemberExpr>(callee); m && callee == call.callee) {
    return infer_method_call(c, e, call, *m, x);
  }
  if (c.as<ast::PathExpr>(callee)) {
    const Resolution r = c.resolved->exprs[callee];
    switch (r.kind) {
      case Resolution::Kind::none:
        infer_arguments(c, args);
        c.set_type(callee, c.error);
        return c.error;
      case Resolution::Kind::fn:
      case Resolution::Kind::type_param_member: {
        const FnId fn = r.kind == Resolution::Kind::fn ? r.fn() : FnId(r.part);
        const FnDecl& d = c.decls.fns[fn];
        if (r.kind == Resolution::Kind::type_param_member && d.receiver == ast::Receiver::none) {
          return call_function(c, e, fn, args, CallKind::fn, ExprId(), c.types.param(TypeParamId(r.index)), false);
        }
        if (d.receiver == ast::Receiver::none || args.positional.empty()) {
          return call_function(c, e, fn, args, CallKind::fn, ExprId(), TypeId(), false);
        }
        // `Trait::m(v, …)`, `Type::m(v, …)`: the first argument is the receiver.
        const ExprId receiver = args.positional[0];
        const TypeId t = infer(c, receiver);
        if (c.is_error(t)) {
          args.positional = args.positional.subspan(1);
          infer_arguments(c, args);
          return c.error;
        }
        args.positional = args.positional.subspan(1);
        FnId target = fn;
        if (d.is_signature && c.kind(c.seen_through(t)) != TypeKind::param) {
          target = implementation(c, c.seen_through(t), fn);
          if (!target.valid()) {
            infer_arguments(c, args);
            c.sink.error(Code::NK1164, c.span(receiver), fn_text(c, fn), c.text(c.decls.traits[d.trait].name),
                         spelled(c, c.seen_through(t)));
            return c.error;
          }
        }
        return call_function(c, e, target, args, CallKind::method, receiver, c.seen_through(t), false);
      }
      case Resolution::Kind::type: {
        const FnId constructor = c.decls.types[r.type()].constructor;
        if (!constructor.valid()) {
          infer_arguments(c, args);
          return c.error;
        }
        return call_function(c, e, constructor, args, CallKind::fn, ExprId(), TypeId(), false);
      }
      case Resolution::Kind::variant: return call_variant(c, e, r.type(), r.part, args);
      case Resolution::Kind::local:
      case Resolution::Kind::comptime: break;
    }
  }
  const TypeId type = infer(c, call.callee);
  return call_value(c, e, call.callee, type, args, false);
}

void finish_calls(Checker& c) {
  for (std::uint32_t i = c.first_call; i < c.out->calls.size(); ++i) {
    Call& call = c.out->calls[CallId(i)];
    for (TypeId& t : call.type_args) t = c.vars.settle(t);
    call.result = c.vars.settle(call.result);
    const bool exact = call.fn.valid() && c.decls.fns[call.fn].key.empty() && !call.type_args.empty();
    // A function is made for each type, and that of a sequence cannot be written.
    const bool has_sequence =
        std::any_of(call.type_args.begin(), call.type_args.end(), [&](TypeId t) { return c.types.is_unnamed_seq(t); });
    if (exact && has_sequence && !call.args.empty())
      not_built(c, c.span(call.args[0]), "a sequence as what a type parameter stands for");
    for (std::size_t p = 0; p < call.param_types.size(); ++p) {
      if (!exact) {
        call.param_types[p] = c.vars.settle(call.param_types[p]);
        continue;
      }
      // Of a generic function of the program the parameter is what its declaration says, a view of what copies too.
      const FnDecl& d = c.decls.fns[call.fn];
      const TypeId t = instantiate(c, d.params[p].type, d.type_params, call.type_args);
      call.param_types[p] = t;
      const ExprId arg = call.args[p];
      if (c.types.kind(t) == TypeKind::ref && !c.as<ast::LambdaExpr>(unwrapped(c, arg))) {
        c.out->wanted[arg] = c.vars.settle(c.out->exprs[arg]) == t ? TypeId() : t;
      }
    }
  }
}

}  // namespace nikaia::lang::typing
