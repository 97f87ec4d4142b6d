// Patterns: what their paths denote and which locals they bind. The alternatives of `a | b` bind one set of locals: a
// name of a later alternative is the local of the first that has it (whether all bind the same is asked by patterns).
#include "passes/names/bodies.h"

namespace nikaia::lang::naming {

using namespace ast;

// The names bound so far by one arm's pattern.
struct BodyResolver::PatternNames {
  std::vector<std::pair<Name, LocalId>> bound;
  std::size_t alternative_begin = 0;  // names from here on were bound by this alternative
  std::vector<Name> of_alternative;   // names this alternative has met
};

void BodyResolver::pattern(PatternId id) {
  PatternNames names;
  pattern(id, names);
}

LocalId BodyResolver::pattern_local(const Ident& ident, PatternNames& names) {
  if (ident.is_ignored || !ident.name.valid()) return {};
  for (Name met : names.of_alternative) {
    if (met == ident.name) {
      p_.sink.error(Wording::NK1148_in_list, ident.span, p_.text(ident.name));
      return find_local(ident.name);
    }
  }
  names.of_alternative.push_back(ident.name);
  for (const auto& [name, local] : names.bound) {
    if (name == ident.name) return local;
  }
  const LocalId local = declare(ident, LocalKind::pattern, false);
  if (local.valid()) names.bound.emplace_back(ident.name, local);
  return local;
}

void BodyResolver::pattern(PatternId id, PatternNames& names) {
  const Pattern& pat = t_.patterns[id];
  auto bind_to = [&](LocalId local) {
    if (!local.valid()) return;
    Resolution r;
    r.kind = Resolution::Kind::local;
    r.index = local.index;
    out_.patterns[id] = r;
  };
  switch (pat.kind) {
    case PatternKind::ignore:
    case PatternKind::error: return;
    case PatternKind::bind: bind_to(pattern_local(pat.name, names)); return;
    case PatternKind::literal: expr(pat.low); return;
    case PatternKind::range:
      expr(pat.low);
      expr(pat.high);
      return;
    case PatternKind::variant:
    case PatternKind::shape: {
      const bool is_single = pat.path.segments.count == 1;
      const Denoted d = walk_path(p_, scope_, pat.path, is_single ? Wanted::type : Wanted::value);
      Resolution r;
      if (d.kind == Denoted::Kind::variant) {
        r.kind = Resolution::Kind::variant;
        r.index = d.index;
        r.part = d.part;
      } else if (d.kind == Denoted::Kind::type && pat.kind == PatternKind::shape) {
        r.kind = Resolution::Kind::type;
        r.index = d.index;
      } else if (d.found()) {
        const auto segments = t_.list(pat.path.segments);
        p_.sink
            .error(Code::NK1171, pat.path.span, p_.source.sources.text(segments.front().span),
                   p_.text(segments.back().name), "none")
            .help(pat.kind == PatternKind::shape ? "A struct, or a variant with named parts, stands before the braces."
                                                 : "A variant is written with its enum, `Enum::Variant`.");
      }
      out_.patterns[id] = r;
      for (PatternId part : t_.list(pat.parts)) pattern(part, names);
      std::vector<Ident> fields;
      std::size_t at = pat.fields.begin;
      for (const FieldPattern& field : t_.list(pat.fields)) {
        const std::size_t position = at++;
        fields.push_back(field.field);
        if (field.pattern.valid()) {
          pattern(field.pattern, names);
          continue;
        }
        if (out_.field_patterns.size() <= position) out_.field_patterns.resize(position + 1);
        out_.field_patterns[position] = pattern_local(field.field, names);
      }
      return;
    }
    case PatternKind::tuple:
      for (PatternId part : t_.list(pat.parts)) pattern(part, names);
      return;
    case PatternKind::alternatives: {
      const std::vector<Name> before = names.of_alternative;
      std::vector<Name> all = before;
      for (PatternId part : t_.list(pat.parts)) {
        names.of_alternative = before;
        pattern(part, names);
        all.insert(all.end(), names.of_alternative.begin() + static_cast<std::ptrdiff_t>(before.size()),
                   names.of_alternative.end());
      }
      names.of_alternative = std::move(all);
      return;
    }
  }
}

}  // namespace nikaia::lang::naming
