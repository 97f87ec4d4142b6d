// What is asked of a type once the body's types are settled: does it compare, have an order, a text form, a second one;
// may it be a key; does it answer a bound (01 §6.2, §8.4; 07 §19, §20; 02 §5.3).
#include <algorithm>

#include "passes/types/checker.h"

namespace nikaia::lang::typing {

namespace {

// What a hole writes of a type.
enum class Form : std::uint8_t { none, integer, real, text, plain, list, absent, param, hidden };

bool all_unit(const TypeDecl& d) {
  return std::all_of(d.variants.begin(), d.variants.end(),
                     [](const VariantInfo& v) { return v.kind == ast::VariantKind::unit; });
}

Form form_of(Checker& c, TypeId type) {
  const TypeId t = c.seen_through(type);
  const Type& x = c.types[t];
  switch (x.kind) {
    case TypeKind::i32:
    case TypeKind::i64:
    case TypeKind::u8:
    case TypeKind::u32:
    case TypeKind::u64: return Form::integer;
    case TypeKind::f64: return Form::real;
    case TypeKind::string: return Form::text;
    case TypeKind::bool_:
    case TypeKind::char_:
    case TypeKind::error_sum:
    case TypeKind::error:
    case TypeKind::never: return Form::plain;
    case TypeKind::array: return Form::list;
    case TypeKind::nullable: return Form::absent;
    case TypeKind::param: return Form::param;
    case TypeKind::function:
    case TypeKind::seq: return Form::hidden;
    case TypeKind::named: break;
    default: return Form::none;
  }
  const Declarations& d = c.decls;
  if (x.decl == d.vec || x.decl == d.hash_map || x.decl == d.hash_set || x.decl == d.btree_map ||
      x.decl == d.btree_set) {
    return Form::list;
  }
  if (x.decl == d.bytes || x.decl == d.mapped || x.decl == d.path || x.decl == d.duration || x.decl == d.symbol) {
    return Form::plain;
  }
  const TypeDecl& decl = d.types[x.decl];
  if (decl.is_error || decl.error_message.valid()) return Form::plain;
  if (decl.kind == TypeDeclKind::enum_ && all_unit(decl)) return Form::plain;
  if (decl.kind == TypeDeclKind::library) return Form::hidden;
  return Form::none;
}

// Whether `:?` shows it: nothing of it is a lock, a handle, a function, a sequence.
bool shows_debug(Checker& c, TypeId type, int depth = 0) {
  if (depth > 8) return true;
  const TypeId t = c.seen_through(type);
  const Type x = c.types[t];
  if (x.kind == TypeKind::function || x.kind == TypeKind::seq) return false;
  if (x.kind == TypeKind::named) {
    const TypeDecl& decl = c.decls.types[x.decl];
    if (decl.kind == TypeDeclKind::library && form_of(c, t) == Form::hidden) return x.decl == c.decls.root;
    for (const FieldInfo& f : decl.fields) {
      if (f.type.valid() && !c.vars.has_param(f.type) && !shows_debug(c, f.type, depth + 1)) return false;
    }
  }
  for (TypeId a : x.args) {
    if (!shows_debug(c, a, depth + 1)) return false;
  }
  return true;
}

void refuse_format(Checker& c, Span at, const ast::FormatSpec& spec, TypeId t, const std::string& help) {
  std::string text = source_text(c, spec.span);
  if (!text.empty() && text[0] == ':') text.erase(0, 1);
  c.sink.error(Wording::NK1915_format, at, text, described(c, c.seen_through(t)), help);
}

void check_format(Checker& c, const ast::FormatSpec& spec, Span at, TypeId t, Form form) {
  const bool number = form == Form::integer || form == Form::real;
  const Span where = spec.span.has_text() ? spec.span : at;
  if (spec.kind == '?') return;
  if (spec.kind == 'x' || spec.kind == 'X' || spec.kind == 'b' || spec.kind == 'o') {
    if (form != Form::integer) {
      return refuse_format(c, where, spec, t, "Whole numbers can be written in another base.");
    }
  } else if (spec.kind == 'e' || spec.kind == 'E') {
    if (!number) return refuse_format(c, where, spec, t, "Numbers can be written with an exponent.");
  } else if (spec.alternate) {
    return refuse_format(c, where, spec, t, "`#` goes with `x`, `X`, `o`, `b` and `?`.");
  }
  if (spec.has_precision && form != Form::real && form != Form::text) {
    return refuse_format(c, where, spec, t,
                         form == Form::integer
                             ? "Digits after the point belong to an `f64`: write `as f64`, or leave them out."
                             : "A precision goes with an `f64` or with text.");
  }
  if ((spec.zero || spec.plus) && !number) {
    return refuse_format(c, where, spec, t,
                         spec.zero ? "Leading zeros belong to numbers." : "A `+` belongs to numbers.");
  }
}

const char* collection_word(Checker& c, TypeId t) {
  const TypeId seen = c.seen_through(t);
  if (c.is_named(seen, c.decls.hash_map) || c.is_named(seen, c.decls.btree_map)) return "a map";
  if (c.is_named(seen, c.decls.hash_set) || c.is_named(seen, c.decls.btree_set)) return "a set";
  return "a list";
}

void check_text(Checker& c, const Deferred& d) {
  const ast::FormatSpec* spec = nullptr;
  if (d.extra != Checker::no_fold) {
    const ast::FPiece& piece = c.tree->list(ast::List<ast::FPiece>{d.extra, 1})[0];
    if (piece.spec.present) spec = &piece.spec;
  }
  const TypeId t = c.vars.settle(d.type);
  const Form form = form_of(c, t);
  const std::string text = source_text(c, d.span);
  if (spec && spec->kind == '?') {
    if (form == Form::param) {
      c.sink.error(Code::NK1126, d.span, spelled(c, c.seen_through(t)), "a text form");
    } else if (!shows_debug(c, t)) {
      c.sink.error(Wording::NK1915_debug, d.span, capitalised(described(c, t)));
    }
    return;
  }
  switch (form) {
    case Form::list: c.sink.error(Code::NK1201, d.span, collection_word(c, t), text); return;
    case Form::absent: c.sink.error(Wording::NK1915_absent, d.span, text); return;
    case Form::param: c.sink.error(Code::NK1126, d.span, spelled(c, c.seen_through(t)), "a text form"); return;
    case Form::none:
    case Form::hidden:
      if (c.kind(t) == TypeKind::unit) {
        c.sink.error(Code::NK1916, d.span, text);
      } else {
        c.sink.error(shows_debug(c, t) ? MessageText(Code::NK1915) : MessageText(Wording::NK1915_debug), d.span,
                     capitalised(described(c, t)));
      }
      return;
    default: break;
  }
  if (spec) check_format(c, *spec, d.span, t, form);
}

// The part of `t` that keeps two of them from being compared.
std::string incomparable_part(Checker& c, TypeId t, Span& declared) {
  const TypeDeclId decl = c.decl_of(t);
  if (!decl.valid()) return {};
  const TypeDecl& d = c.decls.types[decl];
  const std::vector<TypeId> args = c.types[t].args;
  const auto bad = [&](const FieldInfo& f) {
    return f.type.valid() && !compares(c.types, c.decls, part_type(c, decl, f.type, args));
  };
  for (const FieldInfo& f : d.fields) {
    if (!bad(f)) continue;
    declared = f.span;
    return "`" + std::string(c.text(f.name)) + "`";
  }
  for (const VariantInfo& v : d.variants) {
    for (const FieldInfo& f : v.parts) {
      if (!bad(f)) continue;
      declared = f.span;
      return "`" + std::string(c.text(v.name)) + "`";
    }
  }
  return {};
}

void check_compares(Checker& c, const Deferred& d) {
  const TypeId t = c.seen_through(c.vars.settle(d.type));
  if (compares(c.types, c.decls, t)) return;
  if (c.types.kind(t) == TypeKind::param) {
    c.sink.error(Code::NK1126, d.span, spelled(c, t), "==");
    return;
  }
  Span declared;
  const std::string part = incomparable_part(c, t, declared);
  if (part.empty()) {
    c.sink.error(Wording::NK1188_whole, d.span, capitalised(described(c, t)));
    return;
  }
  auto report = c.sink.error(Code::NK1188, d.span, spelled(c, t), part);
  if (declared.has_text()) report.label(declared, "this part has no equality");
}

void check_orders(Checker& c, const Deferred& d) {
  const TypeId t = c.seen_through(c.vars.settle(d.type));
  if (orders(c.types, c.decls, t)) return;
  const char* op = spelling(static_cast<ast::BinaryOp>(d.extra));
  if (c.types.kind(t) == TypeKind::param) {
    c.sink.error(Code::NK1126, d.span, spelled(c, t), op);
  } else {
    c.sink.error(Wording::NK1913_order, d.span, op, quoted(c, t) + "s");
  }
}

void check_key(Checker& c, const Deferred& d) {
  const TypeId t = c.vars.settle(d.type);
  if (c.is_error(t)) return;
  if (!may_be_key(c.types, c.decls, t)) {
    for (TypeId refused : c.refused_keys) {
      if (refused == t) return;
    }
    c.refused_keys.push_back(t);
    c.sink.error(Code::NK1937, d.span, capitalised(described(c, t)));
  } else if (d.kind == Deferred::Kind::ordered_key && !sorts(c.types, c.decls, t)) {
    c.sink.error(Code::NK1931, d.span, "Two `" + spelled(c, t) + "`s");
  }
}

void check_bound(Checker& c, const Deferred& d) {
  const TypeId t = c.vars.settle(d.type);
  const TypeParamDecl& param = c.decls.type_params[TypeParamId(d.extra)];
  for (TraitId trait : param.bounds) {
    if (implements(c, t, trait)) continue;
    const TraitDecl& td = c.decls.traits[trait];
    const std::string type = spelled(c, c.seen_through(t));
    const bool shape = td.known == TraitDecl::Known::struct_ || td.known == TraitDecl::Known::enum_;
    if (shape) {
      c.sink.error(Wording::NK1164_shape, d.span, fn_text(c, d.fn),
                   td.known == TraitDecl::Known::struct_ ? "a struct" : "an enum", type, "something else");
    } else if (c.kind(t) == TypeKind::param) {
      c.sink.error(Wording::NK1164_parameter, d.span, fn_text(c, d.fn), c.text(td.name), type);
    } else {
      auto report = c.sink.error(Code::NK1164, d.span, fn_text(c, d.fn), c.text(td.name), type);
      if (param.span.has_text()) report.label(param.span, "asked for here");
    }
    return;
  }
}

// Why a type has no second one, or nothing where it has.
std::string only_one(Checker& c, TypeId type, int depth = 0) {
  if (depth > 6) return {};
  const TypeId t = c.shallow(type);
  const Type x = c.types[t];
  if (x.kind == TypeKind::seq) return "a sequence is walked once";
  if (x.kind == TypeKind::named) {
    const TypeDecl& decl = c.decls.types[x.decl];
    if (x.decl == c.decls.locked) return "it is a lock";
    if (x.decl == c.decls.task_handle) return "it is a task";
    if (x.decl == c.decls.shared || x.decl == c.decls.shared_mut) return {};
    if (decl.drop.valid() || decl.cleanup.valid() || decl.library.has_cleanup) return "it has a cleanup";
    if (decl.library.is_single) return "what it holds is held once";
    for (const FieldInfo& f : decl.fields) {
      if (!f.type.valid()) continue;
      const std::string why = only_one(c, part_type(c, x.decl, f.type, x.args), depth + 1);
      if (!why.empty()) return "its `" + std::string(c.text(f.name)) + "` has no second one";
    }
  }
  if (x.kind == TypeKind::function) return {};
  for (TypeId a : x.args) {
    std::string why = only_one(c, a, depth + 1);
    if (!why.empty()) return why;
  }
  return {};
}

void run(Checker& c, const Deferred& d) {
  if (d.type.valid() && c.is_error(c.vars.settle(d.type))) return;
  switch (d.kind) {
    case Deferred::Kind::compares: return check_compares(c, d);
    case Deferred::Kind::orders: return check_orders(c, d);
    case Deferred::Kind::text: return check_text(c, d);
    case Deferred::Kind::sorts: {
      const TypeId t = c.seen_through(c.vars.settle(d.type));
      if (!sorts(c.types, c.decls, t)) c.sink.error(Code::NK1931, d.span, "Two `" + spelled(c, t) + "`s");
      return;
    }
    case Deferred::Kind::adds: {
      const TypeId t = c.seen_through(c.vars.settle(d.type));
      if (!c.types.is_number(t)) {
        c.sink.error(Wording::NK1935_library, d.span, "A sequence of `" + spelled(c, t) + "`", "sum", spelled(c, t))
            .help("Only numbers add up: map each element to one first, `.map(fn(x) { … }).sum()`.");
      }
      return;
    }
    case Deferred::Kind::key:
    case Deferred::Kind::ordered_key: return check_key(c, d);
    case Deferred::Kind::bound: return check_bound(c, d);
    case Deferred::Kind::joinable: {
      const TypeId t = c.seen_through(c.vars.settle(d.type));
      if (c.types.kind(t) != TypeKind::string) {
        c.sink.error(Code::NK1935, d.span, "A `Vec[" + spelled(c, t) + "]`", "join", std::string("Vec"))
            .help("Only a list of text joins directly: write `.iter().join(…)`.");
      }
      return;
    }
    case Deferred::Kind::walked_assigned:
      if (c.types.is_unnamed_seq(c.vars.settle(d.type)))
        not_built(c, d.span, "a sequence assigned to a name that has one");
      return;
    case Deferred::Kind::walked_value: {
      const TypeId t = c.vars.settle(d.type);
      const bool is_whole = c.types.is_unnamed_seq(t);
      const auto& parts = c.types[t].args;
      const bool holds = c.types.kind(t) == TypeKind::tuple || c.types.kind(t) == TypeKind::named;
      if (is_whole) {
        not_built(c, d.span, "a sequence as the value of branches");
      } else if (holds &&
                 std::any_of(parts.begin(), parts.end(), [&](TypeId p) { return c.types.is_unnamed_seq(p); })) {
        not_built(c, d.span, "a sequence kept in another value");
      }
      return;
    }
    case Deferred::Kind::second:
    case Deferred::Kind::second_in_lock: {
      const TypeId t = c.vars.settle(d.type);
      const std::string why = only_one(c, t);
      if (why.empty()) return;
      if (d.kind == Deferred::Kind::second) {
        c.sink.error(Code::NK2948, d.span, spelled(c, t), why);
      } else {
        c.sink.error(Wording::NK2948_get, d.span, spelled(c, t), why, source_text(c, c.span(d.expr)));
      }
      return;
    }
    case Deferred::Kind::exists_on: {
      const TypeId t = c.vars.settle(d.type);
      const FnDecl& fn = c.decls.fns[d.fn];
      if (std::find(fn.only_on.begin(), fn.only_on.end(), c.types.kind(t)) != fn.only_on.end()) return;
      c.sink.error(Code::NK1210, d.span, capitalised(described(c, t)), c.text(fn.name));
      return;
    }
    case Deferred::Kind::capacity: {
      const std::uint32_t i = c.fold_of[d.expr];
      if (i == Checker::no_fold || !c.folds[i].is_known || c.folds[i].value >= 1) return;
      c.sink.error(Code::NK1976, d.span, source_text(c, d.span));
      return;
    }
  }
}

}  // namespace

void defer(Checker& c, Deferred d) {
  c.deferred.push_back(d);
}

void run_deferred(Checker& c) {
  for (std::size_t i = 0; i < c.deferred.size(); ++i) run(c, Deferred(c.deferred[i]));
  c.deferred.clear();
}

void check_hole(Checker& c, std::uint32_t position) {
  const ast::FPiece piece = c.tree->list(ast::List<ast::FPiece>{position, 1})[0];
  Deferred d;
  d.kind = Deferred::Kind::text;
  d.expr = piece.hole;
  d.type = infer(c, piece.hole);
  d.span = c.span(piece.hole);
  d.extra = position;
  if (c.kind(d.type) != TypeKind::never) defer(c, d);
}

}  // namespace nikaia::lang::typing
