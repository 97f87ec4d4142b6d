// Whether a pattern can be a pattern of its value. One walk of each arm's pattern, with the type at its place.
#include <algorithm>

#include "passes/patterns/patterns.h"

namespace nikaia::lang::coverage {

namespace {

std::string counted(std::size_t n, std::string_view one) {
  return std::to_string(n) + " " + std::string(one) + (n == 1 ? "" : "s");
}

class ArmFit {
 public:
  explicit ArmFit(File& f) : f_(f) {}

  bool arm(PatternId p, TypeId subject) {
    in_boxed_ = 0;
    boxed_looks_ = 0;
    in_alternatives_ = 0;
    fits_ = true;
    pattern(p, subject);
    return fits_;
  }

 private:
  const ast::Pattern& at(PatternId p) const { return f_.tree.patterns[p]; }

  void refuse(Span span, const std::string& is_for, TypeId value) {
    fits_ = false;
    f_.sink.error(Code::NK1914, span, is_for, f_.described(value));
  }

  TypeId part_type(TypeDeclId decl, TypeId declared, TypeId value) {
    const Type t = f_.types[value];
    const auto& params = f_.decls.types[decl].params;
    if (params.empty() || t.kind != TypeKind::named) return f_.seen_through(declared);
    return f_.seen_through(f_.put_in(declared, params, t.args));
  }

  static bool looks_inside(const ast::Pattern& p) {
    return p.kind != ast::PatternKind::ignore && p.kind != ast::PatternKind::bind && p.kind != ast::PatternKind::error;
  }

  // A part that holds its own type: one look an arm, one step deep, outside `|`.
  void part(PatternId p, const FieldInfo& info, TypeDeclId decl, TypeId value) {
    const TypeId type = info.type.valid() ? part_type(decl, info.type, value) : f_.types.basic(TypeKind::error);
    if (!info.is_boxed || !looks_inside(at(p))) {
      pattern(p, type);
      return;
    }
    ++boxed_looks_;
    if (boxed_looks_ > 1 || in_boxed_ > 0 || in_alternatives_ > 0) {
      fits_ = false;
      f_.sink.error(Code::NK1193, at(p).span, f_.spelled(f_.types.without_ref(type)));
      return;
    }
    ++in_boxed_;
    pattern(p, type);
    --in_boxed_;
  }

  void pattern(PatternId id, TypeId value) {
    const ast::Pattern& p = at(id);
    value = f_.seen_through(value);
    const TypeKind k = f_.types.kind(value);
    if (k == TypeKind::error || k == TypeKind::never) return;
    switch (p.kind) {
      case ast::PatternKind::error:
      case ast::PatternKind::ignore:
      case ast::PatternKind::bind: return;
      case ast::PatternKind::literal:
      case ast::PatternKind::range: return constant(p, value);
      case ast::PatternKind::variant: return variant(p, id, value);
      case ast::PatternKind::shape: return shape(p, id, value);
      case ast::PatternKind::tuple: {
        const auto parts = f_.tree.list(p.parts);
        const Type t = f_.types[value];
        if (t.kind != TypeKind::tuple) return refuse(p.span, "a tuple", value);
        if (t.args.size() != parts.size()) {
          fits_ = false;
          f_.sink.error(Wording::NK1914_parts, p.span, counted(parts.size(), "part"), t.args.size());
          return;
        }
        for (std::size_t i = 0; i < parts.size(); ++i) pattern(parts[i], t.args[i]);
        return;
      }
      case ast::PatternKind::alternatives: return alternatives(p, value);
    }
  }

  void constant(const ast::Pattern& p, TypeId value) {
    const ExprId low = p.low;
    const auto& node = f_.tree.exprs[low].node;
    const TypeKind k = f_.types.kind(value);
    const bool integer = std::holds_alternative<ast::IntegerLit>(node) || std::holds_alternative<ast::UnaryExpr>(node);
    if (integer) {
      if (!f_.types.is_integer(value)) refuse(p.span, "a number", value);
    } else if (std::holds_alternative<ast::TextLit>(node)) {
      if (k != TypeKind::string) refuse(p.span, "text", value);
    } else if (std::holds_alternative<ast::CharLit>(node)) {
      if (k != TypeKind::char_) refuse(p.span, "a `char`", value);
    } else if (std::holds_alternative<ast::BoolLit>(node)) {
      if (k != TypeKind::bool_) refuse(p.span, "a `bool`", value);
    }
  }

  // Whether `decl` is what the value is; says so where it is not.
  bool is_of(const ast::Pattern& p, TypeDeclId decl, const std::string& shown, TypeId value) {
    const Type t = f_.types[value];
    if (t.kind == TypeKind::named && t.decl == decl) return true;
    if (t.kind == TypeKind::error_sum) return true;
    if (t.kind == TypeKind::nullable) {
      const TypeId inside = f_.seen_through(t.args[0]);
      if (f_.types.kind(inside) == TypeKind::named && f_.types[inside].decl == decl &&
          f_.decls.types[decl].kind == TypeDeclKind::enum_) {
        fits_ = false;
        f_.sink.error(Code::NK1205, p.span, shown);
        return false;
      }
    }
    const std::string name(f_.text(f_.decls.types[decl].name));
    const bool vowel = !name.empty() && std::string_view("AEIOaeio").find(name[0]) != std::string_view::npos;
    refuse(p.span, (vowel ? "an `" : "a `") + name + "`", value);
    return false;
  }

  std::string variant_text(TypeDeclId decl, std::uint32_t v) const {
    const TypeDecl& d = f_.decls.types[decl];
    return std::string(f_.text(d.name)) + "::" + std::string(f_.text(d.variants[v].name));
  }

  void variant(const ast::Pattern& p, PatternId id, TypeId value) {
    const Resolution r = f_.names.patterns[id];
    if (r.kind != Resolution::Kind::variant) return;
    if (!is_of(p, r.type(), variant_text(r.type(), r.part), value)) return;
    const VariantInfo& v = f_.decls.types[r.type()].variants[r.part];
    const auto parts = f_.tree.list(p.parts);
    if (v.kind == ast::VariantKind::named) {
      if (parts.empty() && !p.has_parens) return left_out(p, v.parts, {}, variant_text(r.type(), r.part));
      fits_ = false;
      f_.sink.error(Wording::NK1914_parts, p.span, counted(parts.size(), "part"), std::string("named fields"))
          .help("Name them in braces: `" + variant_text(r.type(), r.part) + " { … }`.");
      return;
    }
    if (parts.size() != v.parts.size()) {
      fits_ = false;
      f_.sink.error(Wording::NK1914_parts, p.span, counted(parts.size(), "part"), v.parts.size());
      return;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) part(parts[i], v.parts[i], r.type(), value);
  }

  void left_out(const ast::Pattern& p, std::span<const FieldInfo> fields, const std::vector<bool>& named,
                const std::string& owner) {
    if (p.has_rest) return;
    std::string missing;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i < named.size() && named[i]) continue;
      missing += (missing.empty() ? "`" : ", `") + std::string(f_.text(fields[i].name)) + "`";
    }
    if (missing.empty()) return;
    fits_ = false;
    f_.sink.error(Wording::NK1914_fields, p.span, missing, owner);
  }

  void shape(const ast::Pattern& p, PatternId id, TypeId value) {
    const Resolution r = f_.names.patterns[id];
    std::span<const FieldInfo> fields;
    std::string owner;
    if (r.kind == Resolution::Kind::variant) {
      const VariantInfo& v = f_.decls.types[r.type()].variants[r.part];
      owner = variant_text(r.type(), r.part);
      if (!is_of(p, r.type(), owner, value)) return;
      if (v.kind != ast::VariantKind::named) {
        fits_ = false;
        f_.sink.error(Wording::NK1914_parts, p.span, std::string("fields"), counted(v.parts.size(), "part"))
            .help("Match it as it's declared: `" + owner + (v.parts.empty() ? "`." : "(…)`."));
        return;
      }
      fields = v.parts;
    } else if (r.kind == Resolution::Kind::type) {
      const TypeDecl& d = f_.decls.types[r.type()];
      owner = std::string(f_.text(d.name));
      if (!is_of(p, r.type(), owner, value)) return;
      fields = d.fields;
    } else {
      return;
    }
    std::vector<bool> named(fields.size(), false);
    bool all_known = true;
    for (const ast::FieldPattern& fp : f_.tree.list(p.fields)) {
      bool known = false;
      for (std::size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].name != fp.field.name) continue;
        known = true;
        named[i] = true;
        if (fp.pattern.valid()) part(fp.pattern, fields[i], r.type(), value);
      }
      all_known &= known;
    }
    if (all_known) left_out(p, fields, named, owner);
  }

  // ---- alternatives

  void bound_by(PatternId id, std::vector<Name>& out) const {
    const ast::Pattern& p = at(id);
    if (p.kind == ast::PatternKind::bind && p.name.name.valid()) out.push_back(p.name.name);
    if (p.kind == ast::PatternKind::alternatives) {
      if (!f_.tree.list(p.parts).empty()) bound_by(f_.tree.list(p.parts)[0], out);
      return;
    }
    for (PatternId part : f_.tree.list(p.parts)) bound_by(part, out);
    for (const ast::FieldPattern& fp : f_.tree.list(p.fields)) {
      if (fp.pattern.valid()) {
        bound_by(fp.pattern, out);
      } else if (fp.field.name.valid()) {
        out.push_back(fp.field.name);
      }
    }
  }

  void alternatives(const ast::Pattern& p, TypeId value) {
    const auto parts = f_.tree.list(p.parts);
    std::vector<Name> first;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::vector<Name> names;
      bound_by(parts[i], names);
      std::sort(names.begin(), names.end());
      if (i == 0) {
        first = names;
        continue;
      }
      if (names == first) continue;
      std::string missing;
      const auto add = [&](const std::vector<Name>& from, const std::vector<Name>& in) {
        for (Name n : from) {
          if (std::find(in.begin(), in.end(), n) != in.end()) continue;
          missing += (missing.empty() ? "`" : ", `") + std::string(f_.text(n)) + "`";
        }
      };
      add(first, names);
      if (missing.empty()) add(names, first);
      fits_ = false;
      f_.sink.error(Code::NK1155, at(parts[i]).span, missing).label(at(parts[0]).span, "the first alternative");
      break;
    }
    ++in_alternatives_;
    for (PatternId part : parts) pattern(part, value);
    --in_alternatives_;
  }

  File& f_;
  int in_boxed_ = 0;
  int boxed_looks_ = 0;
  int in_alternatives_ = 0;
  bool fits_ = true;
};

}  // namespace

std::string File::described(TypeId t) const {
  if (types.is_text(t)) return "text";
  if (types.kind(t) == TypeKind::error_sum) return "an error";
  const std::string name = spelled(t);
  const bool vowel = !name.empty() && std::string_view("AEIOaeio").find(name[0]) != std::string_view::npos;
  return (vowel ? "an `" : "a `") + name + "`";
}

TypeId File::put_in(TypeId type, std::span<const TypeParamId> params, std::span<const TypeId> args) const {
  Type t = types[type];  // a copy: interning moves the table
  if (t.kind == TypeKind::param) {
    for (std::size_t i = 0; i < params.size() && i < args.size(); ++i) {
      if (params[i].index == t.index) return args[i];
    }
    return type;
  }
  if (t.args.empty()) return type;
  for (TypeId& a : t.args) a = put_in(a, params, args);
  return t.kind == TypeKind::nullable ? types.nullable(t.args[0]) : types.intern(std::move(t));
}

TypeId File::seen_through(TypeId t) const {
  for (;;) {
    const Type& type = types[t];
    const bool through =
        type.kind == TypeKind::ref ||
        (type.kind == TypeKind::named && (type.decl == decls.shared || type.decl == decls.seen) && !type.args.empty());
    if (!through) return t;
    t = type.args[0];
  }
}

TypeId File::subject_type(ExprId subject) const {
  const TypeId t = typed.exprs[subject];
  if (!t.valid()) return types.basic(TypeKind::error);
  const TypeId seen = seen_through(t);
  if (types.kind(seen) != TypeKind::error_sum) return seen;
  const Resolution r = names.exprs[subject];
  if (r.kind != Resolution::Kind::local || r.local().index >= catch_of_error.size()) return seen;
  const ExprId guard = catch_of_error[r.local().index];
  if (!guard.valid() || !effects.error_type.contains(guard) || !effects.error_type[guard].valid()) return seen;
  return effects.error_type[guard];
}

bool patterns_fit(File& f, const ast::MatchExpr& match, TypeId subject) {
  bool fits = true;
  ArmFit arm(f);
  for (const ast::Arm& a : f.tree.list(match.arms)) {
    if (a.pattern.valid()) fits &= arm.arm(a.pattern, subject);
  }
  return fits;
}

TypeId element_of(const File& f, TypeId subject) {
  const Type t = f.types[f.seen_through(subject)];
  if (t.kind == TypeKind::seq || t.kind == TypeKind::range || t.kind == TypeKind::array) return t.args[0];
  if (t.kind != TypeKind::named || t.args.empty()) return {};
  if (t.decl == f.decls.hash_map || t.decl == f.decls.btree_map) return f.types.tuple({t.args[0], t.args[1]});
  return t.args[0];
}

void check_names_of_tuple(File& f, std::uint32_t count, Span first, TypeId value) {
  const TypeId t = f.seen_through(value);
  const Type& type = f.types[t];
  if (type.kind == TypeKind::error || type.kind == TypeKind::never) return;
  if (type.kind != TypeKind::tuple) {
    f.sink.error(Code::NK1914, first, "a tuple", f.described(t));
  } else if (type.args.size() != count) {
    f.sink.error(Wording::NK1914_parts, first, counted(count, "part"), type.args.size());
  }
}

}  // namespace nikaia::lang::coverage
