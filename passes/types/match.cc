// `match`, and what a pattern's names are bound to.
//
// A pattern is typed against the value at its place, views seen through. What cannot fit is left untyped here, its
// names get the error type, and the pass `patterns` says so (NK1914); only an unknown field is this pass's (NK1107).
#include "passes/types/branches.h"

namespace nikaia::lang::typing {

namespace {

void bind_nothing(Checker& c, PatternId p) {
  check_pattern(c, p, c.error);
}

// The type arguments of `decl` in `subject`, or false where the subject is something else.
bool arguments_of(Checker& c, TypeDeclId decl, TypeId subject, Span at, std::vector<TypeId>& args) {
  const TypeId t = c.shallow(subject);
  const Type type = c.types[t];
  if (type.kind == TypeKind::named && type.decl == decl) {
    args = type.args;
    return true;
  }
  if (type.kind == TypeKind::error_sum) return c.decls.types[decl].params.empty();
  if (const Variable* v = c.vars.class_of(t); v && v->kind == VarKind::open) {
    for (std::size_t i = 0; i < c.decls.types[decl].params.size(); ++i) {
      args.push_back(c.open(Origin::type_argument, at));
    }
    return c.vars.unify(t, c.types.named(decl, args), at);
  }
  return false;
}

void check_shape(Checker& c, const ast::Pattern& p, std::uint32_t pool, TypeDeclId decl,
                 std::span<const FieldInfo> fields, TypeId subject, const std::string& owner) {
  std::vector<TypeId> args;
  const bool fits_subject = arguments_of(c, decl, subject, p.span, args);
  const auto parts = c.list(p.fields);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const FieldInfo* field = nullptr;
    for (const FieldInfo& f : fields) {
      if (f.name == parts[i].field.name) field = &f;
    }
    TypeId t = c.error;
    if (!field) {
      std::vector<Name> known;
      std::string all;
      for (const FieldInfo& f : fields) {
        known.push_back(f.name);
        all += (all.empty() ? "`" : ", `") + std::string(c.text(f.name)) + "`";
      }
      const std::string near = near_name(c, c.text(parts[i].field.name), known);
      if (near.empty()) {
        c.sink.error(Code::NK1107, parts[i].field.span, owner, c.text(parts[i].field.name), all);
      } else {
        c.sink.error(Wording::NK1107_near, parts[i].field.span, owner, c.text(parts[i].field.name), near);
      }
    } else if (fits_subject && field->type.valid()) {
      t = c.seen_through(part_type(c, decl, field->type, args));
    }
    if (parts[i].pattern.valid()) {
      check_pattern(c, parts[i].pattern, t);
    } else {
      c.set_local(entry(c.resolved->field_patterns, pool + i), t);
    }
  }
}

}  // namespace

void check_pattern(Checker& c, PatternId id, TypeId subject) {
  const ast::Pattern& p = c.tree->patterns[id];
  const TypeId t = c.seen_through(subject);
  c.set_pattern(id, t);
  const Resolution r = c.resolved->patterns[id];
  switch (p.kind) {
    case ast::PatternKind::error:
    case ast::PatternKind::ignore: return;
    case ast::PatternKind::bind:
      if (r.kind == Resolution::Kind::local) {
        c.vars.name_classes(t, p.name.name, p.name.span);
        c.set_local(r.local(), t);
      }
      return;
    case ast::PatternKind::literal:
    case ast::PatternKind::range: {
      for (ExprId end : {p.low, p.high}) {
        if (!end.valid()) continue;
        const TypeId value = infer(c, end);
        TypeId at = t;
        if (c.types.kind(at) == TypeKind::nullable) at = c.argument_of(at, 0);
        // A number takes the subject's type; what cannot fit is the pass `patterns`'s.
        if (c.vars.class_of(value) && c.kind(at) != TypeKind::error) {
          const TypeKind k = c.kind(at);
          const Variable* v = c.vars.class_of(at);
          const bool number = c.types.is_integer(c.shallow(at)) || (v && v->kind != VarKind::text);
          if (number && k != TypeKind::f64) c.vars.unify(value, at, c.span(end));
        } else if (const Variable* v = c.vars.class_of(at); v && v->kind == VarKind::open) {
          c.vars.unify(at, c.kind(value) == TypeKind::ref ? c.string : value, c.span(end));
        }
      }
      return;
    }
    case ast::PatternKind::variant: {
      const auto parts = c.list(p.parts);
      if (r.kind != Resolution::Kind::variant) {
        for (PatternId part : parts) bind_nothing(c, part);
        return;
      }
      const VariantInfo& v = c.decls.types[r.type()].variants[r.part];
      std::vector<TypeId> args;
      const bool good = arguments_of(c, r.type(), t, p.span, args);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool known =
            good && i < v.parts.size() && v.kind == ast::VariantKind::positional && v.parts[i].type.valid();
        check_pattern(c, parts[i], known ? part_type(c, r.type(), v.parts[i].type, args) : c.error);
      }
      return;
    }
    case ast::PatternKind::shape: {
      if (r.kind == Resolution::Kind::variant) {
        const TypeDecl& d = c.decls.types[r.type()];
        const VariantInfo& v = d.variants[r.part];
        check_shape(c, p, p.fields.begin, r.type(), v.parts, t,
                    std::string(c.text(d.name)) + "::" + std::string(c.text(v.name)));
      } else if (r.kind == Resolution::Kind::type) {
        const TypeDecl& d = c.decls.types[r.type()];
        check_shape(c, p, p.fields.begin, r.type(), d.fields, t, std::string(c.text(d.name)));
      } else {
        const auto parts = c.list(p.fields);
        for (std::size_t i = 0; i < parts.size(); ++i) {
          if (parts[i].pattern.valid()) {
            bind_nothing(c, parts[i].pattern);
          } else {
            c.set_local(entry(c.resolved->field_patterns, p.fields.begin + i), c.error);
          }
        }
      }
      return;
    }
    case ast::PatternKind::tuple: {
      const auto parts = c.list(p.parts);
      const Type type = c.types[t];
      const bool good = type.kind == TypeKind::tuple && type.args.size() == parts.size();
      for (std::size_t i = 0; i < parts.size(); ++i) check_pattern(c, parts[i], good ? type.args[i] : c.error);
      return;
    }
    case ast::PatternKind::alternatives:
      for (PatternId part : c.list(p.parts)) check_pattern(c, part, t);
      return;
  }
}

TypeId infer_match(Checker& c, ExprId e, const ast::MatchExpr& m, Expect x) {
  (void)e;
  const TypeId subject = infer(c, m.subject);
  BranchSet set{c, x};
  for (const ast::Arm& arm : c.list(m.arms)) {
    if (arm.pattern.valid()) check_pattern(c, arm.pattern, subject);
    if (arm.guard.valid()) check_condition(c, arm.guard);
    const TypeId t = infer(c, arm.body, x);
    set.add(arm.body, c.span(arm.body), t);
  }
  return set.result();
}

}  // namespace nikaia::lang::typing
