// Whether the arms of a `match` leave anything out (01 §12.4).
//
// The patterns of the arms that count (no guard, no look into a part that holds its own type) are the rows of a matrix;
// the question is whether a row of wildcards would still be useful below them. Column by column, as in Maranget's
// "Warnings for pattern matching": where the column's type has finitely many forms (an enum, `bool`, a tuple, a struct)
// the matrix is specialised by each form; where it has not (numbers, text, `T?`), only rows with a name or `_` there
// count. The answer is a witness, a value nothing matches, written as a pattern. A match names few forms and is a few
// levels deep; the walk is exponential only in alternatives nested in several columns at once.
#include <functional>

#include "passes/patterns/patterns.h"

namespace nikaia::lang::coverage {

namespace {

// A cell: a pattern, or an invalid id for a wildcard.
using Row = std::vector<PatternId>;

class Matrix {
 public:
  explicit Matrix(File& f) : f_(f) {}

  // A value no row matches, one pattern per column; nothing where every value is matched.
  std::optional<std::vector<std::string>> witness(std::vector<Row> rows, std::vector<TypeId> columns) {
    if (columns.empty()) {
      if (rows.empty()) return std::vector<std::string>{};
      return std::nullopt;
    }
    expand_alternatives(rows);
    const TypeId type = f_.seen_through(columns.back());
    columns.pop_back();
    const Type t = f_.types[type];
    if (t.kind == TypeKind::bool_) return of_bool(rows, columns);
    if (t.kind == TypeKind::tuple) return of_tuple(rows, columns, t);
    if (t.kind == TypeKind::named) {
      const TypeDecl& d = f_.decls.types[t.decl];
      if (d.kind == TypeDeclKind::enum_) return of_enum(rows, columns, type, d);
      if (d.kind == TypeDeclKind::struct_ && mentions_shape(rows)) return of_struct(rows, columns, type, d);
    }
    if (t.kind == TypeKind::error_sum && t.args.size() == 1 && !t.is_open) {
      columns.push_back(t.args[0]);
      return witness(std::move(rows), std::move(columns));
    }
    return of_other(rows, columns);
  }

  // The variants of an enum the rows leave out, each with what of it.
  std::vector<std::string> missing_variants(std::vector<Row> rows, TypeId type) {
    expand_alternatives(rows);
    const TypeDecl& d = f_.decls.types[f_.types[type].decl];
    std::vector<std::string> out;
    for (std::uint32_t v = 0; v < d.variants.size(); ++v) {
      if (auto w = of_variant(rows, {}, type, d, v)) out.push_back((*w)[0]);
    }
    return out;
  }

 private:
  using Answer = std::optional<std::vector<std::string>>;

  const ast::Pattern& at(PatternId p) const { return f_.tree.patterns[p]; }
  bool is_wild(PatternId p) const {
    return !p.valid() || at(p).kind == ast::PatternKind::ignore || at(p).kind == ast::PatternKind::bind ||
           at(p).kind == ast::PatternKind::error;
  }

  // The last column is the one looked at; its alternatives become rows of their own.
  void expand_alternatives(std::vector<Row>& rows) {
    for (std::size_t i = 0; i < rows.size();) {
      const PatternId last = rows[i].back();
      if (!last.valid() || at(last).kind != ast::PatternKind::alternatives) {
        ++i;
        continue;
      }
      const Row row = rows[i];
      rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(i));
      std::size_t where = i;
      for (PatternId part : f_.tree.list(at(last).parts)) {
        Row made = row;
        made.back() = part;
        rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(where++), std::move(made));
      }
    }
  }

  bool mentions_shape(const std::vector<Row>& rows) const {
    for (const Row& r : rows) {
      if (!is_wild(r.back())) return true;
    }
    return false;
  }

  // Puts the parts of one form in place of the column; the parts lie last first, so that the first is looked at next.
  static void push_parts(Row& row, const std::vector<PatternId>& parts) {
    for (std::size_t i = parts.size(); i-- > 0;) row.push_back(parts[i]);
  }

  Answer finish(Answer rest, std::size_t parts, const std::function<std::string(std::span<const std::string>)>& write) {
    if (!rest) return std::nullopt;
    // The witness lists the parts first, then the columns that were there before.
    std::vector<std::string> out;
    out.push_back(write(std::span<const std::string>(rest->data(), parts)));
    out.insert(out.end(), rest->begin() + static_cast<std::ptrdiff_t>(parts), rest->end());
    return out;
  }

  Answer of_bool(const std::vector<Row>& rows, const std::vector<TypeId>& columns) {
    for (const bool value : {true, false}) {
      std::vector<Row> some;
      for (const Row& r : rows) {
        const PatternId p = r.back();
        if (!is_wild(p)) {
          auto* lit = std::get_if<ast::BoolLit>(&f_.tree.exprs[at(p).low].node);
          if (!lit || lit->value != value) continue;
        }
        Row rest(r.begin(), r.end() - 1);
        some.push_back(std::move(rest));
      }
      Answer a = witness(std::move(some), columns);
      if (a) return finish(std::move(a), 0, [&](auto) { return std::string(value ? "true" : "false"); });
    }
    return std::nullopt;
  }

  Answer of_tuple(const std::vector<Row>& rows, std::vector<TypeId> columns, const Type& t) {
    const std::size_t n = t.args.size();
    for (std::size_t i = n; i-- > 0;) columns.push_back(t.args[i]);
    std::vector<Row> some;
    for (const Row& r : rows) {
      const PatternId p = r.back();
      Row rest(r.begin(), r.end() - 1);
      std::vector<PatternId> parts(n);
      if (!is_wild(p)) {
        const auto given = f_.tree.list(at(p).parts);
        for (std::size_t i = 0; i < n && i < given.size(); ++i) parts[i] = given[i];
      }
      push_parts(rest, parts);
      some.push_back(std::move(rest));
    }
    return finish(witness(std::move(some), std::move(columns)), n, [](std::span<const std::string> parts) {
      std::string out = "(";
      for (std::size_t i = 0; i < parts.size(); ++i) out += (i ? ", " : "") + parts[i];
      return out + ")";
    });
  }

  TypeId part_type(const TypeDecl& d, TypeId declared, TypeId owner) {
    if (!declared.valid()) return f_.types.basic(TypeKind::error);
    const std::vector<TypeId> args = f_.types[owner].args;
    if (d.params.empty()) return declared;
    return f_.put_in(declared, d.params, args);
  }

  // The sub-patterns of `p` in the order of `fields`; false where it looks into a part that holds its own type.
  bool parts_of(PatternId p, std::span<const FieldInfo> fields, std::vector<PatternId>& parts) const {
    parts.assign(fields.size(), PatternId());
    if (is_wild(p)) return true;
    const ast::Pattern& pattern = at(p);
    const auto given = f_.tree.list(pattern.parts);
    for (std::size_t i = 0; i < fields.size() && i < given.size(); ++i) parts[i] = given[i];
    for (const ast::FieldPattern& fp : f_.tree.list(pattern.fields)) {
      for (std::size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].name == fp.field.name && fp.pattern.valid()) parts[i] = fp.pattern;
      }
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].is_boxed && !is_wild(parts[i])) return false;
    }
    return true;
  }

  static std::string write_fields(const File& f, const std::string& name, ast::VariantKind kind,
                                  std::span<const FieldInfo> fields, std::span<const std::string> parts) {
    if (kind == ast::VariantKind::unit) return name;
    if (kind == ast::VariantKind::positional) {
      std::string out = name + "(";
      for (std::size_t i = 0; i < parts.size(); ++i) out += (i ? ", " : "") + parts[i];
      return out + ")";
    }
    std::string out = name + " { ";
    bool rest = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] == "_") {
        rest = true;
      } else {
        out += std::string(f.text(fields[i].name)) + ": " + parts[i] + ", ";
      }
    }
    if (rest) return out + ".. }";
    return out.substr(0, out.size() - 2) + " }";
  }

  Answer of_variant(const std::vector<Row>& rows, std::vector<TypeId> columns, TypeId type, const TypeDecl& d,
                    std::uint32_t v) {
    const VariantInfo& variant = d.variants[v];
    const std::size_t n = variant.parts.size();
    for (std::size_t i = n; i-- > 0;) columns.push_back(part_type(d, variant.parts[i].type, type));
    std::vector<Row> some;
    for (const Row& r : rows) {
      const PatternId p = r.back();
      if (!is_wild(p)) {
        const Resolution res = f_.names.patterns[p];
        if (res.kind != Resolution::Kind::variant || res.part != v || !(res.type() == f_.types[type].decl)) continue;
      }
      std::vector<PatternId> parts;
      if (!parts_of(p, variant.parts, parts)) continue;
      Row rest(r.begin(), r.end() - 1);
      push_parts(rest, parts);
      some.push_back(std::move(rest));
    }
    const std::string name = std::string(f_.text(d.name)) + "::" + std::string(f_.text(variant.name));
    return finish(witness(std::move(some), std::move(columns)), n, [&](std::span<const std::string> parts) {
      return write_fields(f_, name, variant.kind, variant.parts, parts);
    });
  }

  Answer of_enum(const std::vector<Row>& rows, const std::vector<TypeId>& columns, TypeId type, const TypeDecl& d) {
    bool any = false;
    for (const Row& r : rows) any |= !is_wild(r.back());
    if (!any && !d.variants.empty()) {
      // Nobody looks at it: one form stands for all.
      return of_other(rows, columns);
    }
    for (std::uint32_t v = 0; v < d.variants.size(); ++v) {
      if (Answer a = of_variant(rows, columns, type, d, v)) return a;
    }
    return std::nullopt;
  }

  Answer of_struct(const std::vector<Row>& rows, std::vector<TypeId> columns, TypeId type, const TypeDecl& d) {
    const std::size_t n = d.fields.size();
    for (std::size_t i = n; i-- > 0;) columns.push_back(part_type(d, d.fields[i].type, type));
    std::vector<Row> some;
    for (const Row& r : rows) {
      std::vector<PatternId> parts;
      if (!parts_of(r.back(), d.fields, parts)) continue;
      Row rest(r.begin(), r.end() - 1);
      push_parts(rest, parts);
      some.push_back(std::move(rest));
    }
    return finish(witness(std::move(some), std::move(columns)), n, [&](std::span<const std::string> parts) {
      return write_fields(f_, std::string(f_.text(d.name)), ast::VariantKind::named, d.fields, parts);
    });
  }

  // A type with more values than patterns can name: only a name or `_` covers it.
  Answer of_other(const std::vector<Row>& rows, const std::vector<TypeId>& columns) {
    std::vector<Row> some;
    for (const Row& r : rows) {
      if (is_wild(r.back())) some.emplace_back(r.begin(), r.end() - 1);
    }
    return finish(witness(std::move(some), columns), 0, [](auto) { return std::string("_"); });
  }

  File& f_;
};

// "`A`", "`A` and `B`", "`A`, `B` and 3 more"
std::string listed(const std::vector<std::string>& all) {
  constexpr std::size_t shown = 4;
  std::string out;
  const std::size_t n = all.size() > shown + 1 ? shown : all.size();
  for (std::size_t i = 0; i < n; ++i) {
    out += (i == 0 ? "`" : i + 1 == all.size() ? " and `" : ", `") + all[i] + "`";
  }
  if (n < all.size()) out += " and " + std::to_string(all.size() - n) + " more";
  return out;
}

}  // namespace

bool check_coverage(File& f, const ast::MatchExpr& match, Span at, TypeId subject) {
  std::vector<Row> rows;
  for (const ast::Arm& arm : f.tree.list(match.arms)) {
    if (!arm.pattern.valid()) return false;  // `else`
    if (!arm.guard.valid()) rows.push_back({arm.pattern});
  }
  const Span place{at.file, at.begin, f.tree.exprs[match.subject].span.end};
  Matrix matrix(f);
  const auto gap = matrix.witness(rows, {subject});
  if (!gap) return true;
  TypeId type = f.seen_through(subject);
  if (f.types.kind(type) == TypeKind::error_sum && f.types[type].args.size() == 1 && !f.types[type].is_open) {
    type = f.types[type].args[0];
  }
  const Type& t = f.types[type];
  if (t.kind == TypeKind::named && f.decls.types[t.decl].kind == TypeDeclKind::enum_) {
    const std::vector<std::string> missing = matrix.missing_variants(rows, type);
    std::string arms;
    for (std::size_t i = 0; i < missing.size() && i < 4; ++i) arms += (i ? ", `" : "`") + missing[i] + " => …`";
    f.sink.error(Code::NK1151, place, listed(missing), arms)
        .primary_label(std::to_string(missing.size()) + " of " + std::to_string(f.decls.types[t.decl].variants.size()) +
                       (missing.size() == 1 ? " variants is missing" : " variants are missing"))
        .note("A `match` over an `enum` is complete when every variant is named.");
    return false;
  }
  if (t.kind == TypeKind::bool_ || t.kind == TypeKind::tuple || (t.kind == TypeKind::named && gap->at(0) != "_")) {
    f.sink.error(Code::NK1151, place, "`" + gap->at(0) + "`", "`" + gap->at(0) + " => …`");
    return false;
  }
  std::string what = "value";
  if (f.types.is_number(type)) what = "number";
  if (t.kind == TypeKind::string) what = "text";
  if (t.kind == TypeKind::char_) what = "character";
  if (t.kind == TypeKind::error_sum) what = "error";
  f.sink.error(Wording::NK1151_open, place, what);
  return false;
}

}  // namespace nikaia::lang::coverage
