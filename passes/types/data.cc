// Values built from parts: lists, tuples, struct literals, `with`; and reading by an index.
#include "passes/types/checker.h"

namespace nikaia::lang::typing {

namespace {

TypeId list_without_place(Checker& c, ExprId e, const ast::ListExpr& l, TypeId hint) {
  const TypeId element = c.open(Origin::list, c.span(e));
  if (hint.valid()) c.vars.unify(element, hint, c.span(e));
  ExprId first;
  bool refused = false;
  for (ExprId item : c.list(l.elements)) {
    TypeId t = infer(c, item, {element, nullptr, true});
    const TypeKind k = c.kind(t);
    if (k == TypeKind::never) continue;
    if (k == TypeKind::error) {
      refused = true;
      continue;
    }
    if (k == TypeKind::unit) {
      c.sink.error(Code::NK1916, c.span(item), source_text(c, c.span(item)));
      refused = true;
      continue;
    }
    if (!first.valid()) {
      first = item;
      if (hint.valid() && fits(c, item, t, element)) continue;
      // A text on its own may still become a `String` by what is pushed beside it.
      if (c.shallow(t) == c.text_view && is_text_literal(c, item)) {
        const TypeId text = c.vars.make(VarKind::text, Origin::none, c.span(item));
        c.text_sites.emplace_back(item, text);
        t = text;
      } else {
        const TypeId value = c.as_value(t);
        if (!(value == c.shallow(t))) c.set_wanted(item, value);
        t = value;
      }
      c.vars.unify(element, t, c.span(item));
      continue;
    }
    if (refused) continue;
    const TypeId have = c.shallow(element);
    const bool widens = c.types.kind(have) == TypeKind::nullable && c.kind(t) != TypeKind::nullable;
    const bool owned_by_view = c.kind(t) == TypeKind::ref && c.types.kind(have) != TypeKind::ref &&
                               !c.vars.copies(have) && !is_text_literal(c, item);
    const bool lent_to_view = c.types.kind(have) == TypeKind::ref && c.kind(t) != TypeKind::ref &&
                              !(c.vars.class_of(t) && c.vars.class_of(t)->kind == VarKind::text);
    if (!widens && !owned_by_view && !lent_to_view && fits(c, item, t, element)) continue;
    refused = true;
    c.sink.error(Code::NK1154, c.span(item), described_open(c, have), described_open(c, t))
        .label(c.span(first), "this is " + described_open(c, have));
    c.vars.silence(t);
  }
  if (refused) c.vars.silence(element);
  if (refused) return c.error;
  return c.types.named(c.decls.vec, {element});
}

void check_elements(Checker& c, const ast::ListExpr& l, TypeId element, const Slot* slot, bool& failed) {
  for (ExprId item : c.list(l.elements)) {
    const TypeId t = infer(c, item, {element, slot, true});
    if (!fits(c, item, t, element)) {
      failed = true;
      if (slot) {
        report_mismatch(c, item, t, element, *slot);
      } else {
        c.sink.error(Code::NK1154, c.span(item), described_open(c, element), described_open(c, t));
      }
    }
  }
}

void report_missing(Checker& c, std::span<const FieldInfo> fields, const std::vector<bool>& given, Span at,
                    const std::string& name) {
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!given[i]) missing.push_back(std::string(c.text(fields[i].name)));
  }
  if (missing.empty()) return;
  std::string all, add;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    all += (i == 0 ? "`" : i + 1 == missing.size() ? " and `" : ", `") + missing[i] + "`";
    add += (i == 0 ? "`" : ", ") + missing[i] + ": …";
  }
  c.sink.error(Code::NK1920, at, name, all, add + "`");
}

struct Fields {
  Checker& c;
  TypeDeclId decl;
  std::span<const FieldInfo> fields;
  std::vector<TypeId> args;
  std::string owner;
  Span head;
  std::vector<bool> given;
  bool failed = false;
  bool is_struct = true;

  void unknown(const ast::Ident& field) {
    failed = true;
    std::vector<Name> known;
    std::string all;
    for (const FieldInfo& f : fields) {
      known.push_back(f.name);
      all += (all.empty() ? "`" : ", `") + std::string(c.text(f.name)) + "`";
    }
    const std::string near = near_name(c, c.text(field.name), known);
    if (near.empty()) {
      c.sink.error(Code::NK1107, field.span, owner, c.text(field.name), all.empty() ? std::string("none") : all);
    } else {
      c.sink.error(Wording::NK1107_near, field.span, owner, c.text(field.name), near);
    }
  }

  void init(const ast::FieldInit& f, std::uint32_t pool) {
    std::size_t at = fields.size();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].name == f.field.name) at = i;
    }
    if (at == fields.size()) {
      if (f.value.valid()) infer(c, f.value);
      unknown(f.field);
      return;
    }
    given[at] = true;
    const TypeDecl& d = c.decls.types[decl];
    if (is_struct && !fields[at].is_pub && d.package.valid() && c.fn.valid() && c.decls.fns[c.fn].package.valid() &&
        !(c.decls.fns[c.fn].package == d.package)) {
      const std::string package(c.text(c.decls.packages[d.package].name));
      c.sink.error(Code::NK1110, f.field.span, package + "::" + owner + "." + std::string(c.text(f.field.name)),
                   package);
      failed = true;
    }
    const TypeId wanted = fields[at].type.valid() ? part_type(c, decl, fields[at].type, args) : c.error;
    Slot slot;
    slot.kind = Slot::Kind::field;
    slot.owner = owner;
    slot.name = c.text(fields[at].name);
    slot.declared = fields[at].span;
    if (is_struct && d.is_pub && fields[at].is_pub && !d.is_of_library()) {
      slot.published = Id<PublishedTag>(decl.index);
      slot.published_part = static_cast<std::uint32_t>(at);
    }
    if (f.value.valid()) {
      const TypeId t = infer(c, f.value, {wanted, &slot, true});
      failed |= !coerce(c, f.value, t, wanted, slot);
      return;
    }
    const Resolution r = entry(c.resolved->field_inits, pool);
    TypeId t = c.error;
    if (r.kind == Resolution::Kind::local) {
      t = c.out->locals[r.local()];
      if (!t.valid()) t = c.error;
    } else if (r.kind == Resolution::Kind::fn) {
      t = value_of_fn(c, f.field.span, r.fn());
      const std::string name(c.text(f.field.name));
      if (c.kind(t) == TypeKind::function && c.kind(wanted) == TypeKind::function)
        t = not_built(c, f.field.span, "a function for a field by its name alone; write `" + name + ": " + name + "`");
    }
    if (fits(c, ExprId(), t, wanted)) {
      if (slot.published.valid()) c.published.note(c, ExprId(), f.field.span, t, wanted, slot);
    } else {
      failed = true;
      slot.head = f.field.span;
      report_mismatch(c, ExprId(), t, wanted, slot);
    }
  }
};

}  // namespace

TypeId infer_list(Checker& c, ExprId e, const ast::ListExpr& l, Expect x) {
  TypeId want = x.type.valid() ? c.shallow(x.type) : TypeId();
  if (want.valid() && c.types.kind(want) == TypeKind::nullable) want = c.shallow(c.argument_of(want, 0));
  const bool is_view = want.valid() && c.types.kind(want) == TypeKind::ref;
  if (is_view) want = c.shallow(c.argument_of(want, 0));
  bool failed = false;
  if (want.valid() && c.types.kind(want) == TypeKind::array) {
    const TypeId element = c.argument_of(want, 0);
    const std::uint64_t length = c.types[want].length;
    const std::uint64_t count = l.elements.count;
    check_elements(c, l, element, x.slot, failed);
    if (failed) return c.error;
    if (length == Type::unsized) {
      return is_view ? c.types.named(c.decls.vec, {element}) : c.types.array(element, count);
    }
    if (length != count) {
      c.sink.error(Code::NK1157, c.span(e), counted(length, "element"), count,
                   spelled(c, c.types.array(element, count)));
      return c.error;
    }
    return want;
  }
  if (want.valid() && c.is_named(want, c.decls.vec)) {
    const TypeId element = c.argument_of(want, 0);
    if (!x.slot) return list_without_place(c, e, l, element);
    check_elements(c, l, element, x.slot, failed);
    return failed ? c.error : want;
  }
  return list_without_place(c, e, l, TypeId());
}

TypeId infer_tuple(Checker& c, ExprId e, const ast::TupleExpr& t, Expect x) {
  (void)e;
  const auto parts = c.list(t.parts);
  std::vector<TypeId> wanted;
  if (x.type.valid()) {
    const TypeId w = c.shallow(x.type);
    if (c.types.kind(w) == TypeKind::tuple && c.types[w].args.size() == parts.size()) wanted = c.types[w].args;
  }
  std::vector<TypeId> made;
  bool failed = false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const TypeId hint = i < wanted.size() ? wanted[i] : TypeId();
    TypeId p = infer(c, parts[i], {hint, hint.valid() ? x.slot : nullptr, true});
    if (hint.valid() && x.slot && fits(c, parts[i], p, hint)) {
      made.push_back(hint);
      continue;
    }
    if (c.kind(p) == TypeKind::unit) {
      c.sink.error(Code::NK1916, c.span(parts[i]), source_text(c, c.span(parts[i])));
      failed = true;
      continue;
    }
    if (c.is_error(p)) failed = true;
    const TypeId value = c.as_value(p);
    if (!(value == c.shallow(p))) c.set_wanted(parts[i], value);
    made.push_back(value);
  }
  return failed ? c.error : c.types.tuple(std::move(made));
}

TypeId infer_struct(Checker& c, ExprId e, const ast::StructExpr& s, Expect x) {
  const Resolution r = c.resolved->exprs[e];
  const auto inits = c.list(s.fields);
  if (r.kind != Resolution::Kind::type && r.kind != Resolution::Kind::variant) {
    for (const ast::FieldInit& f : inits) {
      if (f.value.valid()) infer(c, f.value);
    }
    return c.error;
  }
  const TypeDeclId decl = r.type();
  const TypeDecl& d = c.decls.types[decl];
  std::span<const FieldInfo> fields = d.fields;
  std::string owner(c.text(d.name));
  if (r.kind == Resolution::Kind::variant) {
    fields = d.variants[r.part].parts;
    owner += "::" + std::string(c.text(d.variants[r.part].name));
  }
  std::vector<TypeId> args;
  for (std::size_t i = 0; i < d.params.size(); ++i) args.push_back(c.open(Origin::type_argument, s.path.span));
  const TypeId type = c.types.named(decl, args);
  if (!args.empty() && x.type.valid() && c.is_named(x.type, decl)) c.vars.unify(type, x.type, c.span(e));
  const std::string shown = owner;
  Fields work{c,
              decl,
              fields,
              args,
              owner,
              s.path.span,
              std::vector<bool>(fields.size(), false),
              false,
              r.kind == Resolution::Kind::type};
  for (std::size_t i = 0; i < inits.size(); ++i) {
    work.init(inits[i], s.fields.begin + static_cast<std::uint32_t>(i));
  }
  if (!work.failed) report_missing(c, fields, work.given, s.path.span, shown);
  return type;
}

TypeId infer_with(Checker& c, ExprId e, const ast::WithExpr& w) {
  (void)e;
  const TypeId t = infer(c, w.operand);
  const TypeId value = c.shallow(t);
  const TypeKind k = c.types.kind(value);
  const auto inits = c.list(w.fields);
  std::string why;
  const TypeDeclId decl = c.decl_of(value);
  if (k == TypeKind::error || k == TypeKind::never) {
    why = "-";
  } else if (k == TypeKind::ref) {
    why = "a view";
  } else if (!decl.valid() || c.decls.types[decl].kind == TypeDeclKind::library) {
    why = described_open(c, value);
  } else if (c.decls.types[decl].kind == TypeDeclKind::enum_) {
    why = "an `enum`";
  } else if (c.decls.types[decl].fields.empty()) {
    why = "a struct without fields";
  } else if (c.decls.types[decl].drop.valid() || c.decls.types[decl].cleanup.valid()) {
    why = "a value that is torn down as a whole";
  }
  if (!why.empty()) {
    for (const ast::FieldInit& f : inits) {
      if (f.value.valid()) infer(c, f.value);
    }
    if (why != "-") c.sink.error(Code::NK1173, c.span(w.operand), why);
    return c.error;
  }
  const TypeDecl& d = c.decls.types[decl];
  Fields work{c,
              decl,
              d.fields,
              c.types[value].args,
              std::string(c.text(d.name)),
              c.span(w.operand),
              std::vector<bool>(d.fields.size(), false),
              false,
              true};
  for (std::size_t i = 0; i < inits.size(); ++i) {
    work.init(inits[i], w.fields.begin + static_cast<std::uint32_t>(i));
  }
  return value;
}

namespace {

bool is_range(Checker& c, TypeId t) {
  return c.kind(c.as_value(t)) == TypeKind::range;
}

// An integer of any type; asks for `i64` where nothing else asks.
bool is_position(Checker& c, ExprId e, TypeId t) {
  const TypeId value = c.as_value(t);
  if (Variable* v = c.vars.class_of(value)) {
    if (v->kind == VarKind::text) return false;
    if (v->kind == VarKind::open) return c.vars.unify(value, c.i64, c.span(e));
    v->index_asks = true;
    return true;
  }
  if (!c.types.is_integer(value))
    return c.types.kind(value) == TypeKind::error || c.types.kind(value) == TypeKind::never;
  if (!(value == c.shallow(t))) c.set_wanted(e, value);
  return true;
}

TypeId index_map(Checker& c, ExprId e, const ast::IndexExpr& i, TypeId map, TypeId index) {
  c.out->index_of[e] = IndexKind::map;
  const TypeId key = c.argument_of(map, 0);
  const TypeId value = c.argument_of(map, 1);
  // The key is only looked at: a view of one will do, and one is lent.
  if (!fits(c, i.index, index, c.view_of(key)) && !fits(c, i.index, index, key)) {
    c.sink.error(Wording::NK1952_key, c.span(i.index), capitalised(described(c, map)), described(c, key),
                 described_open(c, index));
    return c.error;
  }
  const TypeId v = c.shallow(value);
  if (c.types.kind(v) == TypeKind::nullable) return c.nullable_of(c.lent(c.argument_of(v, 0)));
  return c.nullable_of(c.lent(v));
}

}  // namespace

TypeId infer_index(Checker& c, ExprId e, const ast::IndexExpr& i) {
  const TypeId object = infer(c, i.object);
  const TypeId seen = c.seen_through(object);
  const Type type = c.types[seen];
  const bool through_view = c.kind(object) == TypeKind::ref;
  TypeId hint;
  if (c.is_named(seen, c.decls.hash_map) || c.is_named(seen, c.decls.btree_map)) hint = type.args[0];
  const TypeId index = infer(c, i.index, {hint, nullptr, true});
  if (type.kind == TypeKind::error || type.kind == TypeKind::never || c.is_error(index)) return c.error;
  if (hint.valid()) return index_map(c, e, i, seen, index);
  const Variable* v = c.vars.class_of(seen);
  const bool is_text = type.kind == TypeKind::string || (v && v->kind == VarKind::text);
  const bool is_list = c.is_named(seen, c.decls.vec);
  const bool is_bytes = c.is_named(seen, c.decls.bytes) || c.is_named(seen, c.decls.mapped);
  if (is_range(c, index) && (is_text || is_list || is_bytes || type.kind == TypeKind::array)) {
    const TypeId range = c.as_value(index);
    if (Variable* ends = c.vars.class_of(c.argument_of(range, 0))) ends->index_asks = true;
    c.out->index_of[e] = is_text ? IndexKind::text_slice : is_bytes ? IndexKind::bytes_slice : IndexKind::list_slice;
    if (is_text) return c.text_view;
    return c.types.ref(c.types.array(is_bytes ? c.u8 : type.args[0], Type::unsized));
  }
  if (type.kind == TypeKind::param) {
    c.sink.error(Code::NK1126, c.span(i.object), spelled(c, seen), "[…]");
    return c.error;
  }
  if (v && v->kind == VarKind::open) return c.error;
  if (is_text) {
    c.sink.error(Code::NK1971, c.span(i.index), source_text(c, c.span(i.object)));
    return c.error;
  }
  if (!is_list && !is_bytes && type.kind != TypeKind::array) {
    c.sink.error(Code::NK1952, c.span(i.object), capitalised(described_open(c, object)));
    return c.error;
  }
  if (!is_position(c, i.index, index)) {
    c.sink.error(Wording::NK1952_key, c.span(i.index), capitalised(described(c, seen)), "a whole number",
                 described_open(c, index));
    return c.error;
  }
  if (is_bytes) {
    c.out->index_of[e] = IndexKind::bytes;
    return c.u8;
  }
  if (is_list) {
    c.out->index_of[e] = IndexKind::list;
  } else {
    c.out->index_of[e] = through_view && type.length == Type::unsized ? IndexKind::run : IndexKind::array;
  }
  return c.shallow(type.args[0]);
}

}  // namespace nikaia::lang::typing
