// Rows of the library that a signature does not say all about: parameters that take more than one type (`?`), results
// that depend on more than the arguments' types, and what a row asks of its receiver. One table by the row's key.
#include <algorithm>
#include <array>

#include "passes/types/checker.h"

namespace nikaia::lang::typing {

namespace {

enum class Takes : std::uint8_t {
  text_form,     // anything a plain hole writes
  text_or_char,  // a pattern
  element,       // an element of the receiver, looked at, compared with `==`
  key,           // a key of the receiver, looked at
  byte_or_text,
  any_integer,
  data,  // text, bytes, or a list or run of `u8`
  text,
};

struct RowRule {
  std::string_view key;
  std::size_t param;
  Takes takes;
};

constexpr std::array rules{
    RowRule{"println", 0, Takes::text_form},
    RowRule{"print", 0, Takes::text_form},
    RowRule{"eprintln", 0, Takes::text_form},
    RowRule{"eprint", 0, Takes::text_form},
    RowRule{"int.wrapping_shl", 0, Takes::any_integer},
    RowRule{"int.wrapping_shr", 0, Takes::any_integer},
    RowRule{"String.starts_with", 0, Takes::text_or_char},
    RowRule{"String.ends_with", 0, Takes::text_or_char},
    RowRule{"String.contains", 0, Takes::text_or_char},
    RowRule{"String.trim_start_matches", 0, Takes::text_or_char},
    RowRule{"String.trim_end_matches", 0, Takes::text_or_char},
    RowRule{"String.strip_prefix", 0, Takes::text_or_char},
    RowRule{"String.strip_suffix", 0, Takes::text_or_char},
    RowRule{"String.split", 0, Takes::text_or_char},
    RowRule{"String.splitn", 1, Takes::text_or_char},
    RowRule{"String.matches", 0, Takes::text_or_char},
    RowRule{"Vec.contains", 0, Takes::element},
    RowRule{"Array.contains", 0, Takes::element},
    RowRule{"HashMap.get", 0, Takes::key},
    RowRule{"HashMap.remove", 0, Takes::key},
    RowRule{"HashMap.contains_key", 0, Takes::key},
    RowRule{"BTreeMap.get", 0, Takes::key},
    RowRule{"BTreeMap.remove", 0, Takes::key},
    RowRule{"BTreeMap.contains_key", 0, Takes::key},
    RowRule{"HashSet.remove", 0, Takes::key},
    RowRule{"HashSet.contains", 0, Takes::key},
    RowRule{"BTreeSet.remove", 0, Takes::key},
    RowRule{"BTreeSet.contains", 0, Takes::key},
    RowRule{"Fixed.get", 0, Takes::text},
    RowRule{"Fixed.has", 0, Takes::text},
    RowRule{"Bytes.find", 0, Takes::byte_or_text},
    RowRule{"Mapped.find", 0, Takes::byte_or_text},
    RowRule{"fs::write", 2, Takes::data},
    RowRule{"Writer.write", 0, Takes::data},
    RowRule{"File.write", 0, Takes::data},
    RowRule{"DirEntries.contains", 0, Takes::text},
    RowRule{"Connection.write", 0, Takes::data},
    RowRule{"Buffer.take", 0, Takes::data},
    RowRule{"Head.query", 0, Takes::text},
    RowRule{"Head.header", 0, Takes::text},
};

bool is_text(Checker& c, TypeId t) {
  t = c.seen_through(t);
  if (const Variable* v = c.vars.class_of(t)) return v->kind == VarKind::text;
  return c.types.kind(t) == TypeKind::string;
}

bool is_data(Checker& c, TypeId t) {
  if (is_text(c, t)) return true;
  const TypeId seen = c.seen_through(t);
  if (c.is_named(seen, c.decls.bytes) || c.is_named(seen, c.decls.mapped)) return true;
  if (c.is_named(seen, c.decls.vec) || c.types.kind(seen) == TypeKind::array) {
    return c.vars.unify(c.argument_of(seen, 0), c.u8, Span{});
  }
  return false;
}

const char* wanted_text(Takes takes) {
  switch (takes) {
    case Takes::text_or_char: return "text or a `char`";
    case Takes::byte_or_text: return "a `u8` or text";
    case Takes::any_integer: return "a whole number";
    case Takes::data: return "text, `Bytes` or a list of `u8`";
    default: return "text";
  }
}

struct RowArgument {
  Checker& c;
  FnId fn;
  const ParamInfo& param;
  ExprId arg;
  TypeId receiver;

  // What the argument is looked at as.
  TypeId look(TypeId t) {
    const TypeId value = c.as_value(t);
    if (c.kind(value) == TypeKind::error || c.kind(value) == TypeKind::never) return value;
    const TypeId seen = c.lent(value);
    if (!(seen == c.shallow(t))) c.set_wanted(arg, seen);
    return seen;
  }

  TypeId element_of_receiver() {
    const TypeId t = c.seen_through(receiver);
    return c.types[t].args.empty() ? c.error : c.shallow(c.types[t].args[0]);
  }

  TypeId like(TypeId wanted) {
    Slot slot;
    slot.kind = Slot::Kind::argument;
    slot.name = c.text(param.name);
    slot.fn = fn;
    const TypeId view = c.view_of(wanted);
    const TypeId t = infer(c, arg, {view, nullptr, true});
    if (fits(c, arg, t, view)) return view;
    report_mismatch(c, arg, t, wanted, slot);
    return c.error;
  }

  TypeId refuse(TypeId t, Takes takes) {
    if (c.is_error(t)) return c.error;
    c.sink
        .error(Code::NK1102, c.span(arg), fn_text(c, fn), c.text(param.name), wanted_text(takes), described_open(c, t))
        .primary_label("this is " + described_open(c, t));
    return c.error;
  }

  TypeId operator()(Takes takes) {
    switch (takes) {
      case Takes::element: {
        const TypeId element = element_of_receiver();
        Deferred ask;
        ask.kind = Deferred::Kind::compares;
        ask.expr = arg;
        ask.type = element;
        ask.span = c.span(arg);
        defer(c, ask);
        return like(element);
      }
      case Takes::key: return like(element_of_receiver());
      case Takes::any_integer: {
        const TypeId t = infer(c, arg);
        const TypeId value = c.as_value(t);
        const Variable* v = c.vars.class_of(value);
        if ((v && v->kind == VarKind::number) || c.types.is_integer(value)) return look(t);
        return refuse(t, takes);
      }
      case Takes::text_form: {
        const TypeId t = infer(c, arg);
        Deferred ask;
        ask.kind = Deferred::Kind::text;
        ask.expr = arg;
        ask.type = t;
        ask.span = c.span(arg);
        ask.extra = Checker::no_fold;
        defer(c, ask);
        return look(t);
      }
      case Takes::text_or_char: {
        const TypeId t = infer(c, arg);
        if (is_text(c, t) || c.kind(c.as_value(t)) == TypeKind::char_) return look(t);
        return refuse(t, takes);
      }
      case Takes::byte_or_text: {
        const TypeId t = infer(c, arg);
        if (is_text(c, t)) return look(t);
        const TypeId value = c.as_value(t);
        if (c.types.kind(value) == TypeKind::u8) return look(t);
        if (const Variable* v = c.vars.class_of(value); v && c.vars.unify(value, c.u8, c.span(arg))) return look(t);
        return refuse(t, takes);
      }
      case Takes::data: {
        const TypeId t = infer(c, arg);
        return is_data(c, t) ? look(t) : refuse(t, takes);
      }
      case Takes::text: {
        const TypeId t = infer(c, arg);
        return is_text(c, t) ? look(t) : refuse(t, takes);
      }
    }
    return c.error;
  }
};

// A map or set under construction takes what the place declares.
TypeId collected(Checker& c, TypeId element, TypeId want, Span at) {
  const TypeId w = c.shallow(want);
  const Type type = c.types[w];
  if (type.kind == TypeKind::string) {
    const TypeId e = c.as_value(element);
    if (c.types.kind(e) == TypeKind::char_ || is_text(c, e)) return w;
    return {};
  }
  if (type.kind != TypeKind::named) return {};
  if (type.decl == c.decls.hash_map || type.decl == c.decls.btree_map) {
    return c.vars.unify(element, c.types.tuple({type.args[0], type.args[1]}), at) ? w : TypeId();
  }
  if (type.decl == c.decls.hash_set || type.decl == c.decls.btree_set) {
    return c.vars.unify(element, type.args[0], at) ? w : TypeId();
  }
  return {};
}

}  // namespace

bool check_row_argument(Checker& c, FnId fn, std::size_t param, ExprId arg, TypeId receiver, TypeId& accepted) {
  const FnDecl& d = c.decls.fns[fn];
  for (const RowRule& rule : rules) {
    if (rule.param != param || rule.key != d.key) continue;
    accepted = RowArgument{c, fn, d.params[param], arg, receiver}(rule.takes);
    return true;
  }
  accepted = infer(c, arg);
  return false;
}

std::uint8_t words_of(Checker& c, TypeId type) {
  const Type& t = c.types[c.seen_through(type)];
  if (t.kind == TypeKind::range) return seq_sync | seq_ends | seq_sized | seq_replays;
  return t.kind == TypeKind::seq ? t.words : 0;
}

TypeId row_result(Checker& c, ExprId e, FnId fn, TypeId result, TypeId receiver, std::span<const ExprId> args,
                  Expect x) {
  (void)e;
  const FnDecl& d = c.decls.fns[fn];
  if (d.key == "Array.clone") {
    const TypeId t = c.seen_through(receiver);
    const TypeId element = c.argument_of(t, 0);
    return c.types[t].length == Type::unsized ? c.types.named(c.decls.vec, {element}) : t;
  }
  if (d.key == "Seq.collect" && x.type.valid() && x.slot &&
      (x.slot->kind == Slot::Kind::let || x.slot->kind == Slot::Kind::field || x.slot->kind == Slot::Kind::result)) {
    const TypeId t = c.shallow(result);
    if (c.is_named(t, c.decls.vec)) {
      const TypeId made = collected(c, c.argument_of(t, 0), x.type, c.span(e));
      if (made.valid()) return made;
    }
  }
  const TypeId shown = c.shallow(result);
  if (c.types.kind(shown) != TypeKind::seq || !receiver.valid()) return result;
  const TypeKind rk = c.types.kind(c.seen_through(receiver));
  if (rk != TypeKind::seq && rk != TypeKind::range) return result;
  const std::uint8_t own = c.types[shown].words;
  std::uint8_t all = words_of(c, receiver), any = all;
  for (ExprId arg : args) {
    const TypeKind k = c.types.kind(c.seen_through(c.type_of(arg)));
    if (k != TypeKind::seq && k != TypeKind::range) continue;
    const std::uint8_t w = words_of(c, c.type_of(arg));
    all &= w;
    any |= w;
  }
  std::uint8_t words = static_cast<std::uint8_t>(any & (seq_pauses | seq_throws));
  if (!(any & seq_pauses)) words |= seq_sync;
  if ((own & seq_sized) && (all & seq_sized)) words |= seq_sized;
  if ((own & seq_ends) && (all & seq_ends) && (!d.ends_by_length || (all & seq_sized))) words |= seq_ends;
  return c.types.seq(c.argument_of(shown, 0), words);
}

namespace {

// The block of an `update` is for changing, not for a value: asked of its shape only, a call is left alone (NK1141).
bool hands_a_value_back(Checker& c, ExprId e) {
  auto* call = c.as<ast::CallExpr>(e);
  if (!call || call->positional.count == 0) return false;
  auto* block = c.as<ast::LambdaExpr>(unwrapped(c, c.list(call->positional).back()));
  if (!block || block->params.count == 0) return false;
  ExprId tail = unwrapped(c, tail_of(c, block->body));
  if (!tail.valid()) return false;
  if (auto* r = c.as<ast::ReturnExpr>(tail)) {
    if (!r->value.valid()) return false;
    tail = r->value;
  } else {
    const bool is_value = c.as<ast::IntegerLit>(tail) || c.as<ast::FloatLit>(tail) || c.as<ast::TextLit>(tail) ||
                          c.as<ast::BoolLit>(tail) || c.as<ast::FTextLit>(tail) || c.as<ast::PathExpr>(tail) ||
                          c.as<ast::BinaryExpr>(tail) || c.as<ast::UnaryExpr>(tail) || c.as<ast::MemberExpr>(tail) ||
                          c.as<ast::StructExpr>(tail) || c.as<ast::TupleExpr>(tail) || c.as<ast::ListExpr>(tail) ||
                          c.as<ast::IndexExpr>(tail);
    if (!is_value) return false;
  }
  const ast::Ident name = c.list(block->params)[0].name;
  c.sink.error(Code::NK1141, c.span(tail), name.is_ignored ? std::string_view("v") : c.text(name.name));
  return true;
}

}  // namespace

bool check_row(Checker& c, ExprId e, FnId fn, TypeId receiver, std::span<const TypeId> type_args, Span at) {
  const FnDecl& d = c.decls.fns[fn];
  if (d.key.empty()) return true;
  Deferred ask;
  ask.expr = e;
  ask.span = at;
  const auto element = [&] {
    const TypeId t = c.seen_through(receiver);
    return c.types[t].args.empty() ? c.error : c.types[t].args[0];
  };
  if (d.key == "Vec.sort" || d.key == "Seq.min" || d.key == "Seq.max") {
    ask.kind = Deferred::Kind::sorts;
    ask.type = element();
    defer(c, ask);
  } else if (d.key == "Vec.sort_by_key") {
    ask.kind = Deferred::Kind::sorts;
    ask.type = type_args.back();
    defer(c, ask);
  } else if (d.key == "Seq.sum") {
    ask.kind = Deferred::Kind::adds;
    ask.type = element();
    defer(c, ask);
  } else if (d.key == "Vec.join") {
    ask.kind = Deferred::Kind::joinable;
    ask.type = element();
    ask.fn = fn;
    defer(c, ask);
  } else if (d.key == "Seq.join") {
    ask.kind = Deferred::Kind::text;
    ask.type = element();
    ask.extra = Checker::no_fold;
    defer(c, ask);
  } else if (d.key == "HashMap::new" || d.key == "HashSet::new" || d.key == "BTreeMap::new" ||
             d.key == "BTreeSet::new") {
    ask.kind = d.key[0] == 'B' ? Deferred::Kind::ordered_key : Deferred::Kind::key;
    ask.type = type_args[0];
    defer(c, ask);
  } else if (d.key == "Seq.rev" && !(words_of(c, receiver) & seq_ends)) {
    c.sink.error(Code::NK2703, at, c.text(d.name));
    return false;
  } else if (d.key == "Seq.len" && !(words_of(c, receiver) & seq_sized)) {
    c.sink.error(Wording::NK2703_length, at);
    return false;
  } else if (d.key == "Vec.clone" || d.key == "Array.clone" || d.key == "HashMap.clone" || d.key == "BTreeMap.clone" ||
             d.key == "HashSet.clone" || d.key == "BTreeSet.clone") {
    ask.kind = Deferred::Kind::second;  // each part is copied
    ask.type = c.seen_through(receiver);
    defer(c, ask);
  } else if (d.key == "SharedMut.get" || d.key == "Locked.get") {
    ask.kind = Deferred::Kind::second_in_lock;
    ask.type = element();
    if (auto* call = c.as<ast::CallExpr>(e)) {
      if (auto* m = c.as<ast::MemberExpr>(unwrapped(c, call->callee))) ask.expr = m->object;
    }
    if (ask.expr.valid()) defer(c, ask);
  } else if (d.key == "channel::bounded") {
    if (auto* call = c.as<ast::CallExpr>(e); call && call->positional.count == 1) {
      ask.kind = Deferred::Kind::capacity;
      ask.expr = c.list(call->positional)[0];
      ask.type = c.i64;
      ask.span = c.span(ask.expr);
      defer(c, ask);
    }
  } else if (d.key == "SharedMut.update" || d.key == "Locked.update" || d.key == "update_all") {
    return !hands_a_value_back(c, e);
  } else if (d.key == "Shared::new" || d.key == "SharedMut::new" || d.key == "Locked::new") {
    const TypeId inside = c.shallow(type_args[0]);
    const bool around_lock = c.is_named(inside, c.decls.locked) || c.is_named(inside, c.decls.shared_mut);
    const bool around_shared = c.is_named(inside, c.decls.shared);
    if (around_shared || around_lock) {
      auto* call = c.as<ast::CallExpr>(e);
      const std::string inner =
          call && call->positional.count ? source_text(c, c.span(c.list(call->positional)[0])) : "…";
      c.sink.error(Code::NK1123, at, source_text(c, at), inner);
      return false;
    }
  }
  return true;
}

}  // namespace nikaia::lang::typing
