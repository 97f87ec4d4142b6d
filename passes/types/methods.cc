// Members: fields, tuple parts, methods, and where a method of a type is found (02 §2.5, 07 §1.4).
//
// A receiver is seen through views, `Shared` and `Seen`, never through a lock. A method is looked for in the type's own
// impls and rows, then in the traits implemented for it, then as a field that holds a function; last come the members
// every type of a kind has (`clone`, `full`, `close`).
#include <algorithm>

#include "lang/diag/habits.h"
#include "passes/types/checker.h"

namespace nikaia::lang::typing {

namespace {

// The methods of a kind of type that no declaration stands for.
const std::unordered_map<Name, FnId>* builtin_rows(Checker& c, TypeId t) {
  const char* key = nullptr;
  if (const Variable* v = c.vars.class_of(t)) {
    if (v->kind == VarKind::number) key = "int";
    if (v->kind == VarKind::text) key = "String";
  } else {
    switch (c.types.kind(t)) {
      case TypeKind::i32:
      case TypeKind::i64:
      case TypeKind::u8:
      case TypeKind::u32:
      case TypeKind::u64: key = "int"; break;
      case TypeKind::f64: key = "f64"; break;
      case TypeKind::bool_: key = "bool"; break;
      case TypeKind::char_: key = "char"; break;
      case TypeKind::string: key = "String"; break;
      case TypeKind::array: key = "Array"; break;
      case TypeKind::seq:
      case TypeKind::range: key = "Seq"; break;
      default: break;
    }
  }
  if (!key) return nullptr;
  auto it = c.decls.builtin_methods.find(key);
  return it == c.decls.builtin_methods.end() ? nullptr : &it->second;
}

bool exists_for(Checker& c, const FnDecl& d, TypeId t) {
  if (d.only_on.empty() || c.vars.class_of(t)) return true;
  const TypeKind k = c.types.kind(t);
  for (TypeKind on : d.only_on) {
    if (on == k) return true;
  }
  return false;
}

// A method the type has by itself: of its impls, its rows, or its kind.
FnId own_method(Checker& c, TypeId t, Name name) {
  if (const TypeDeclId decl = c.decl_of(t); decl.valid()) {
    const auto& methods = c.decls.types[decl].methods;
    auto it = methods.find(name);
    if (it != methods.end() && c.decls.fns[it->second].receiver != ast::Receiver::none) return it->second;
    return {};
  }
  if (const auto* rows = builtin_rows(c, t)) {
    auto it = rows->find(name);
    if (it != rows->end() && c.decls.fns[it->second].receiver != ast::Receiver::none &&
        exists_for(c, c.decls.fns[it->second], t)) {
      return it->second;
    }
  }
  return {};
}

// Whether `pattern`, a type with parameters in it, covers `type`.
bool covers(Checker& c, TypeId pattern, TypeId type, std::vector<std::pair<std::uint32_t, TypeId>>& bound) {
  type = c.shallow(type);
  const Type p = c.types[pattern];
  if (p.kind == TypeKind::param) {
    for (const auto& [index, t] : bound) {
      if (index == p.index) return c.vars.resolve(t) == c.vars.resolve(type);
    }
    bound.emplace_back(p.index, type);
    return true;
  }
  if (const Variable* v = c.vars.class_of(type)) {
    if (v->kind == VarKind::number) return c.types.is_integer(pattern);
    return v->kind == VarKind::text && (p.kind == TypeKind::string);
  }
  const Type t = c.types[type];
  if (p.kind != t.kind || p.decl != t.decl || p.index != t.index || p.args.size() != t.args.size()) return false;
  if (p.kind == TypeKind::array && p.length != t.length) return false;
  for (std::size_t i = 0; i < p.args.size(); ++i) {
    if (!covers(c, p.args[i], t.args[i], bound)) return false;
  }
  return true;
}

bool bounds_hold(Checker& c, const std::vector<std::pair<std::uint32_t, TypeId>>& bound) {
  for (const auto& [index, type] : bound) {
    for (TraitId trait : c.decls.type_params[TypeParamId(index)].bounds) {
      if (!implements(c, type, trait)) return false;
    }
  }
  return true;
}

template <class F>
void each_impl(Checker& c, TypeId t, F&& f) {
  const auto visit = [&](std::span<const ImplId> impls) {
    for (ImplId id : impls) {
      const ImplDecl& impl = c.decls.impls[id];
      std::vector<std::pair<std::uint32_t, TypeId>> bound;
      if (covers(c, impl.type, t, bound)) f(id, bound);
    }
  };
  if (const Variable* v = c.vars.class_of(t)) {
    if (v->kind == VarKind::number) {
      // The default first; a class that an impl for `i64` alone covers is an `i64` there.
      visit(c.impls_for(c.i64));
      visit(c.impls_for(c.i32));
    }
    if (v->kind == VarKind::text) visit(c.impls_for(c.string));
    return;
  }
  visit(c.impls_for(t));
}

FoundMember trait_method(Checker& c, TypeId t, Name name, Span at) {
  FoundMember found;
  found.owner = t;
  std::vector<FnId> candidates;
  std::vector<TraitId> traits;
  const auto add = [&](TraitId trait, FnId fn) {
    for (TraitId seen : traits) {
      if (seen == trait) return;
    }
    traits.push_back(trait);
    candidates.push_back(fn);
  };
  if (c.types.kind(t) == TypeKind::param) {
    for (TraitId trait : c.decls.type_params[TypeParamId(c.types[t].index)].bounds) {
      const auto& methods = c.decls.traits[trait].methods;
      if (auto it = methods.find(name); it != methods.end()) add(trait, it->second);
    }
  } else {
    each_impl(c, t, [&](ImplId id, const auto&) {
      const ImplDecl& impl = c.decls.impls[id];
      if (auto it = impl.methods.find(name); it != impl.methods.end()) add(impl.trait, it->second);
    });
  }
  if (candidates.empty()) return found;
  if (candidates.size() > 1) {
    std::string all, ways;
    for (std::size_t i = 0; i < traits.size(); ++i) {
      const std::string trait(c.text(c.decls.traits[traits[i]].name));
      const bool last = i + 1 == traits.size();
      all += (i ? (last ? " and `" : ", `") : "`") + trait + "`";
      ways += (i ? (last ? " or `" : ", `") : "`") + trait + "::" + std::string(c.text(name)) + "(…)`";
    }
    c.sink.error(Code::NK1930, at, spelled(c, t), c.text(name), all, ways);
    found.kind = FoundMember::Kind::refused;
    return found;
  }
  found.kind = FoundMember::Kind::method;
  found.fn = candidates[0];
  return found;
}

// What the language has in place of a member that another one has: by the kind of `t`, then by what a sequence of its
// elements offers.
std::string habit(Checker& c, TypeId t, std::string_view wanted, ExprId object) {
  const std::string of = source_text(c, c.span(object));
  const TypeDeclId decl = c.decl_of(t);
  const bool is_list = c.types.kind(t) == TypeKind::array || (decl.valid() && decl == c.decls.vec);
  const bool is_map = decl.valid() && (decl == c.decls.hash_map || decl == c.decls.btree_map);
  const Variable* v = c.vars.class_of(t);
  std::string help;
  if (c.types.is_text(t) || (v && v->kind == VarKind::text)) {
    help = habit_help(Habit::text, wanted, of);
  } else if (c.types.is_number(t) || (v && v->kind == VarKind::number)) {
    help = habit_help(Habit::number, wanted, of);
  } else if (is_list) {
    help = habit_help(Habit::list, wanted, of);
  } else if (is_map) {
    help = habit_help(Habit::map, wanted, of);
  }
  if (help.empty() && (decl.valid() ? c.decls.types[decl].is_of_library() : true))
    help = habit_help(Habit::any, wanted, of);
  if (help.empty() && is_list) {
    const auto rows = c.decls.builtin_methods.find("Seq");
    const Name name = c.names.find(wanted);
    if (name.valid() && rows != c.decls.builtin_methods.end() && rows->second.count(name) && wanted != "next")
      help = "Write `" + of + ".iter()." + std::string(wanted) + "(…)`.";
  }
  return help;
}

void report_no_method(Checker& c, TypeId receiver, TypeId t, Name name, Span at, ExprId object) {
  const std::string_view wanted = c.text(name);
  const Type type = c.types[t];
  const Variable* v = c.vars.class_of(t);
  if (type.kind == TypeKind::param) {
    c.sink.error(Code::NK1126, at, spelled(c, t), wanted);
    return;
  }
  if (c.is_named(t, c.decls.shared_mut) || c.is_named(t, c.decls.locked)) {
    const TypeId inside = c.argument_of(t, 0);
    if (wanted == "set_after") {
      c.sink.error(Code::NK2208, at, source_text(c, c.span(object)));
      return;
    }
    if (own_method(c, c.seen_through(inside), name).valid() ||
        find_field(c, inside, name).kind != FoundMember::Kind::none) {
      c.sink.error(Code::NK2946, at, source_text(c, c.span(object)), wanted);
      return;
    }
  }
  const std::string what = capitalised(described_open(c, t));
  const bool number = c.types.is_number(t) || (v && v->kind == VarKind::number);
  if (const std::string help = habit(c, t, wanted, object); !help.empty()) {
    c.sink.error(number ? Wording::NK1210_habit : Wording::NK1935_habit, at, what, wanted, help);
    return;
  }
  std::vector<Name> known;
  if (const auto* rows = builtin_rows(c, t)) {
    for (const auto& [n, fn] : *rows) {
      if (c.decls.fns[fn].receiver != ast::Receiver::none && exists_for(c, c.decls.fns[fn], t)) known.push_back(n);
    }
  }
  if (const TypeDeclId decl = c.decl_of(t); decl.valid()) {
    for (const auto& [n, fn] : c.decls.types[decl].methods) {
      if (c.decls.fns[fn].receiver != ast::Receiver::none) known.push_back(n);
    }
  }
  const std::string near = near_name(c, wanted, known);
  if (number) {
    if (near.empty()) {
      c.sink.error(Code::NK1210, at, what, wanted);
    } else {
      c.sink.error(Wording::NK1210_near, at, what, wanted, near);
    }
    return;
  }
  if (find_field(c, receiver, name).kind == FoundMember::Kind::field) {
    c.sink.error(Wording::NK1935_field, at, what, wanted, source_text(c, c.span(object)));
  } else if (near.empty()) {
    const TypeDeclId decl = c.decl_of(t);
    const bool is_own = decl.valid() && !c.decls.types[decl].is_of_library();
    c.sink.error(is_own ? MessageText(Code::NK1935) : MessageText(Wording::NK1935_library), at, what, wanted,
                 spelled(c, t));
  } else {
    c.sink.error(Wording::NK1935_near, at, what, wanted, near);
  }
}

// The receiver as members see it: without the `?` that `?.` guards. Invalid where it is refused.
TypeId guarded(Checker& c, ExprId object, TypeId t, bool is_safe, const ast::Ident& member) {
  TypeId value = c.shallow(t);
  if (c.types.kind(value) == TypeKind::ref) {
    const TypeId inner = c.shallow(c.argument_of(value, 0));
    if (c.types.kind(inner) == TypeKind::nullable) value = inner;
  }
  const TypeKind k = c.types.kind(value);
  if (k == TypeKind::error || k == TypeKind::never) return {};
  if (!is_safe) {
    if (k != TypeKind::nullable) return value;
    const std::string of = source_text(c, c.span(object));
    const std::string help = habit_help(Habit::maybe, c.text(member.name), of);
    if (help.empty()) {
      c.sink.error(Code::NK1125, member.span, of, c.text(member.name));
    } else {
      c.sink.error(Wording::NK1125_habit, member.span, of, c.text(member.name), help);
    }
    return {};
  }
  if (k == TypeKind::nullable) return c.shallow(c.argument_of(value, 0));
  if (const Variable* v = c.vars.class_of(value); v && v->kind == VarKind::open) {
    const TypeId absent = c.types.nullable(c.open(Origin::null_value, c.span(object)));
    c.vars.unify(value, absent, c.span(object));
    return c.shallow(c.argument_of(absent, 0));
  }
  c.sink.error(Code::NK1121, member.span, source_text(c, c.span(object)), c.text(member.name));
  return {};
}

bool is_private(Checker& c, bool is_pub, PackageId package) {
  return !is_pub && package.valid() && c.fn.valid() && c.decls.fns[c.fn].package.valid() &&
         !(c.decls.fns[c.fn].package == package);
}

void report_private(Checker& c, Span at, TypeDeclId decl, Name member) {
  const TypeDecl& d = c.decls.types[decl];
  const std::string package(c.text(c.decls.packages[d.package].name));
  c.sink.error(Code::NK1110, at, package + "::" + std::string(c.text(d.name)) + "." + std::string(c.text(member)),
               package);
}

void report_no_field(Checker& c, TypeId t, const ast::Ident& member) {
  const std::string_view wanted = c.text(member.name);
  const Type type = c.types[t];
  if (type.kind == TypeKind::param) {
    c.sink.error(Code::NK1126, member.span, spelled(c, t), wanted);
    return;
  }
  std::vector<Name> known;
  std::string all;
  if (const TypeDeclId decl = c.decl_of(t); decl.valid()) {
    for (const FieldInfo& f : c.decls.types[decl].fields) {
      known.push_back(f.name);
      all += (all.empty() ? "`" : ", `") + std::string(c.text(f.name)) + "`";
    }
  }
  const std::string near = near_name(c, wanted, known);
  if (!near.empty()) {
    c.sink.error(Wording::NK1107_near, member.span, spelled(c, t), wanted, near);
  } else if (const std::string help = habit_help(Habit::any, wanted); !help.empty()) {
    c.sink.error(Wording::NK1107_habit, member.span, spelled(c, t), wanted, help);
  } else if (!all.empty()) {
    c.sink.error(Code::NK1107, member.span, spelled(c, t), wanted, all);
  } else {
    c.sink.error(Code::NK1107, member.span, spelled(c, t), wanted, std::string())
        .help("It has no fields. If a method is meant, call it: `." + std::string(wanted) + "()`.");
  }
}

// `.clone()` and its like, of a type no row describes.
bool universal_member(Checker& c, TypeId t, std::string_view name, CallKind& kind, TypeId& result) {
  const Type type = c.types[t];
  const TypeDeclId decl = c.decl_of(t);
  if (name == "clone") {
    kind = CallKind::clone;
    result = t;
    return type.kind != TypeKind::param && type.kind != TypeKind::error_sum;
  }
  const bool is_error = type.kind == TypeKind::error_sum || (decl.valid() && c.decls.types[decl].is_error);
  if (is_error && (name == "full" || name == "message")) {
    kind = name == "full" ? CallKind::error_full : CallKind::error_message;
    result = c.string;
    return true;
  }
  if (name == "close" && decl.valid() &&
      (c.decls.types[decl].cleanup.valid() || c.decls.types[decl].library.has_cleanup)) {
    kind = CallKind::close;
    result = c.unit;
    return true;
  }
  return false;
}

}  // namespace

bool implements(Checker& c, TypeId type, TraitId trait) {
  const TypeId t = c.shallow(type);
  const TypeKind k = c.types.kind(t);
  if (k == TypeKind::error || k == TypeKind::never) return true;
  if (k == TypeKind::ref) return implements(c, c.argument_of(t, 0), trait);
  if (c.is_named(t, c.decls.shared) || c.is_named(t, c.decls.seen)) return implements(c, c.argument_of(t, 0), trait);
  const TraitDecl& d = c.decls.traits[trait];
  const TypeDeclId decl = c.decl_of(t);
  if (d.known == TraitDecl::Known::struct_) return decl.valid() && c.decls.types[decl].kind == TypeDeclKind::struct_;
  if (d.known == TraitDecl::Known::enum_) return decl.valid() && c.decls.types[decl].kind == TypeDeclKind::enum_;
  if (d.known == TraitDecl::Known::error && decl.valid() && c.decls.types[decl].is_error) return true;
  if (k == TypeKind::param) {
    for (TraitId bound : c.decls.type_params[TypeParamId(c.types[t].index)].bounds) {
      if (bound == trait) return true;
    }
    return false;
  }
  bool found = false;
  each_impl(c, t,
            [&](ImplId id, const auto& bound) { found |= c.decls.impls[id].trait == trait && bounds_hold(c, bound); });
  return found;
}

FnId implementation(Checker& c, TypeId type, FnId signature) {
  const FnDecl& d = c.decls.fns[signature];
  FnId found;
  each_impl(c, type, [&](ImplId id, const auto&) {
    const ImplDecl& impl = c.decls.impls[id];
    if (impl.trait != d.trait || found.valid()) return;
    if (auto it = impl.methods.find(d.name); it != impl.methods.end()) found = it->second;
  });
  return found;
}

FoundMember find_field(Checker& c, TypeId receiver, Name name) {
  FoundMember found;
  const TypeId t = c.seen_through(receiver);
  found.owner = t;
  const TypeDeclId decl = c.decl_of(t);
  if (!decl.valid()) return found;
  const TypeDecl& d = c.decls.types[decl];
  for (std::size_t i = 0; i < d.fields.size(); ++i) {
    if (d.fields[i].name != name) continue;
    found.kind = FoundMember::Kind::field;
    found.field = static_cast<std::uint32_t>(i);
    const std::vector<TypeId> args = c.types[t].args;
    found.field_type = d.fields[i].type.valid() ? part_type(c, decl, d.fields[i].type, args) : c.error;
    return found;
  }
  return found;
}

FoundMember find_method(Checker& c, TypeId receiver, Name name, Span at) {
  TypeId t = c.shallow(receiver);
  for (;;) {
    while (c.types.kind(t) == TypeKind::ref) t = c.shallow(c.argument_of(t, 0));
    if (const FnId fn = own_method(c, t, name); fn.valid()) {
      FoundMember found;
      found.kind = FoundMember::Kind::method;
      found.fn = fn;
      found.owner = t;
      return found;
    }
    if (!c.is_named(t, c.decls.shared) && !c.is_named(t, c.decls.seen)) break;
    t = c.shallow(c.argument_of(t, 0));
  }
  FoundMember found = trait_method(c, t, name, at);
  if (found.kind != FoundMember::Kind::none) return found;
  found = find_field(c, t, name);
  if (found.kind == FoundMember::Kind::field && c.kind(found.field_type) == TypeKind::function) return found;
  found.kind = FoundMember::Kind::none;
  found.owner = t;
  return found;
}

TypeId infer_member(Checker& c, ExprId e, const ast::MemberExpr& m) {
  const TypeId object = infer(c, m.object);
  const TypeId receiver = guarded(c, m.object, object, m.is_safe, m.member);
  if (!receiver.valid()) return c.error;
  const FoundMember found = find_field(c, receiver, m.member.name);
  const TypeKind ok = c.types.kind(found.owner);
  if (ok == TypeKind::error || ok == TypeKind::never) return c.error;
  if (found.kind != FoundMember::Kind::field) {
    if (const Variable* v = c.vars.class_of(found.owner); v && v->kind == VarKind::open) return c.error;
    if (c.is_named(found.owner, c.decls.shared_mut) || c.is_named(found.owner, c.decls.locked)) {
      if (find_field(c, c.argument_of(found.owner, 0), m.member.name).kind == FoundMember::Kind::field) {
        c.sink.error(Code::NK2946, m.member.span, source_text(c, c.span(m.object)), c.text(m.member.name));
        return c.error;
      }
    }
    report_no_field(c, found.owner, m.member);
    return c.error;
  }
  const TypeDeclId decl = c.decl_of(found.owner);
  const TypeDecl& d = c.decls.types[decl];
  if (is_private(c, d.fields[found.field].is_pub, d.package)) {
    report_private(c, m.member.span, decl, m.member.name);
    return c.error;
  }
  c.out->field_of[e] = found.field;
  if (!m.is_safe) return found.field_type;
  const bool stays = is_place(c, m.object) || c.kind(receiver) == TypeKind::ref;
  if (!stays) return c.nullable_of(found.field_type);
  TypeId inside = c.shallow(found.field_type);
  if (c.types.kind(inside) == TypeKind::nullable) inside = c.argument_of(inside, 0);
  return c.nullable_of(c.lent(inside));
}

TypeId infer_tuple_part(Checker& c, ExprId e, const ast::TuplePartExpr& m) {
  (void)e;
  const TypeId object = infer(c, m.object);
  ast::Ident position;
  position.span = m.index_span;
  position.name = c.names.intern(std::to_string(m.index));
  const TypeId receiver = guarded(c, m.object, object, m.is_safe, position);
  if (!receiver.valid()) return c.error;
  const TypeId t = c.seen_through(receiver);
  const Type type = c.types[t];
  if (type.kind == TypeKind::error || type.kind == TypeKind::never) return c.error;
  if (type.kind != TypeKind::tuple) {
    if (const Variable* v = c.vars.class_of(t); v && v->kind == VarKind::open) return c.error;
    report_no_field(c, t, position);
    return c.error;
  }
  if (m.index >= type.args.size()) {
    c.sink.error(Wording::NK1107_tuple, m.index_span, counted(type.args.size(), "part"), m.index, type.args.size() - 1);
    return c.error;
  }
  const TypeId part = c.shallow(type.args[m.index]);
  return m.is_safe ? c.nullable_of(c.lent(part)) : part;
}

TypeId infer_method_call(Checker& c, ExprId e, const ast::CallExpr& call, const ast::MemberExpr& m, Expect x) {
  Arguments args{join(m.member.span, c.span(e).finish()), c.list(call.positional), call.options,
                 call.has_trailing_lambda, x};
  args.call = c.span(e);
  const TypeId object = infer(c, m.object);
  TypeId nullable_object = c.shallow(object);
  if (c.types.kind(nullable_object) == TypeKind::ref) nullable_object = c.shallow(c.argument_of(nullable_object, 0));
  const bool clones_nullable = !m.is_safe && c.text(m.member.name) == "clone" && call.positional.count == 0 &&
                               c.types.kind(nullable_object) == TypeKind::nullable;
  const TypeId receiver = clones_nullable ? nullable_object : guarded(c, m.object, object, m.is_safe, m.member);
  if (!receiver.valid()) {
    infer_arguments(c, args);
    return c.error;
  }
  const FoundMember found = clones_nullable ? FoundMember{FoundMember::Kind::none, {}, 0, {}, receiver}
                                            : find_method(c, receiver, m.member.name, m.member.span);
  TypeId result;
  switch (found.kind) {
    case FoundMember::Kind::refused: infer_arguments(c, args); return c.error;
    case FoundMember::Kind::field: {
      const TypeDeclId decl = c.decl_of(found.owner);
      const TypeDecl& d = c.decls.types[decl];
      if (is_private(c, d.fields[found.field].is_pub, d.package)) {
        report_private(c, m.member.span, decl, m.member.name);
        infer_arguments(c, args);
        return c.error;
      }
      c.out->field_of[call.callee] = found.field;
      c.set_type(call.callee, found.field_type);
      result = call_value(c, e, call.callee, found.field_type, args, m.is_safe);
      break;
    }
    case FoundMember::Kind::method: {
      const FnDecl& d = c.decls.fns[found.fn];
      if (d.owner.valid() && !d.trait.valid() && is_private(c, d.is_pub, d.package)) {
        report_private(c, m.member.span, d.owner, m.member.name);
        infer_arguments(c, args);
        return c.error;
      }
      if (d.receiver == ast::Receiver::ref_mut) {
        if (refuse_change_in_shared(c, m.object, true)) {
          infer_arguments(c, args);
          return c.error;
        }
        if (const Variable* v = c.vars.class_of(found.owner); v && v->kind == VarKind::text) {
          c.vars.unify(found.owner, c.string, c.span(e));
        }
      }
      if (!d.only_on.empty()) {
        // Of a class of numbers that nothing else asks anything of, the row takes the type it exists for.
        Variable* v = c.vars.class_of(found.owner);
        const bool on_i32 = std::find(d.only_on.begin(), d.only_on.end(), TypeKind::i32) != d.only_on.end();
        const bool on_i64 = std::find(d.only_on.begin(), d.only_on.end(), TypeKind::i64) != d.only_on.end();
        if (v && !on_i32 && on_i64) v->index_asks = true;
        if (v && !on_i32 && !on_i64) c.vars.unify(found.owner, c.types.basic(d.only_on.front()), c.span(m.object));
        Deferred ask;
        ask.kind = Deferred::Kind::exists_on;
        ask.type = found.owner;
        ask.span = m.member.span;
        ask.fn = found.fn;
        if (v) defer(c, ask);
      }
      result = call_function(c, e, found.fn, args, CallKind::method, m.object, found.owner, m.is_safe);
      break;
    }
    case FoundMember::Kind::none: {
      const TypeKind k = c.types.kind(found.owner);
      const Variable* v = c.vars.class_of(found.owner);
      if (k == TypeKind::error || k == TypeKind::never || (v && v->kind == VarKind::open)) {
        infer_arguments(c, args);
        return c.error;
      }
      if (c.text(m.member.name) == "to_owned") {  // refused by its name already (NK1189)
        infer_arguments(c, args);
        return c.error;
      }
      Call made;
      if (!universal_member(c, found.owner, c.text(m.member.name), made.kind, made.result)) {
        infer_arguments(c, args);
        report_no_method(c, receiver, found.owner, m.member.name, m.member.span, m.object);
        return c.error;
      }
      if (call.positional.count != 0 || call.options.count != 0) {
        infer_arguments(c, args);
        c.sink.error(Code::NK1101, args.call, c.text(m.member.name), std::string("0 arguments"), call.positional.count,
                     std::string(c.text(m.member.name)) + "()");
        return c.error;
      }
      if (made.kind == CallKind::clone) {
        Deferred ask;
        ask.kind = Deferred::Kind::second;
        ask.expr = m.object;
        ask.type = found.owner;
        ask.span = m.member.span;
        defer(c, ask);
      }
      made.receiver = m.object;
      made.is_safe = m.is_safe;
      result = made.result;
      c.out->call_of[e] = c.out->calls.add(std::move(made));
      break;
    }
  }
  const TypeKind k = c.kind(result);
  if (!m.is_safe || k == TypeKind::error || k == TypeKind::unit || k == TypeKind::never) return result;
  return c.nullable_of(result);
}

}  // namespace nikaia::lang::typing
