// Operands and values.
#include "interpret/machine.h"
#include "lang/nir/places.h"

namespace nikaia::interpret {

using lang::TypeId;
using lang::TypeKind;
using lang::nir::BinaryOp;
using lang::nir::OperandKind;

bool Machine::is_list_type(TypeId type) const {
  return types().kind(type) == TypeKind::named && types()[type].decl == decls_.vec;
}

// Cells are freed with the machine: a program that makes more of them than this is one for the
// compiler.
constexpr std::size_t most_cells = 4'000'000;

Cell* Machine::make(Kind kind) {
  if (cells_.size() > most_cells) stop(Ending::not_built, "room for as many values as this makes");
  Cell& c = cells_.emplace_back();
  c.kind = kind;
  c.life = Life::live;
  return &c;
}

Cell* Machine::integer(std::int64_t v) {
  Cell* c = make(Kind::integer);
  c->number = v;
  return c;
}
Cell* Machine::boolean(bool v) {
  Cell* c = make(Kind::boolean);
  c->number = v ? 1 : 0;
  return c;
}
Cell* Machine::text(std::string v) {
  Cell* c = make(Kind::text);
  c->size = v.size();
  c->buffer = std::make_shared<const std::string>(std::move(v));
  return c;
}
Cell* Machine::nullable(Cell* v) {
  Cell* c = make(Kind::nullable);
  if (v != nullptr) c->parts.push_back(v);
  return c;
}
Cell* Machine::pointer_to(Cell* target, bool is_mut) {
  Cell* c = make(Kind::pointer);
  c->target = target;
  c->is_mut = is_mut;
  c->seen = target->version;
  return c;
}

Cell* Machine::view_of(Cell* from, std::size_t at, std::size_t size) {
  Cell* c = make(Kind::view);
  c->buffer = from->buffer;
  c->at = from->at + at;
  c->size = size;
  if (from->kind == Kind::view) {
    c->target = from->target;
    c->seen = from->seen;
  } else {
    c->target = from;
    c->seen = from->version;
  }
  return c;
}

Cell* Machine::lent(Cell* c) {
  switch (c->kind) {
    case Kind::text: return view_of(c, 0, c->size);
    case Kind::view:
    case Kind::pointer:
    case Kind::run:
    case Kind::integer:
    case Kind::boolean:
    case Kind::real:
    case Kind::character: return copied(c);
    default: return pointer_to(c);
  }
}

// A `ref` of the type given, to the value at `c`.
Cell* Machine::lend_cell(Cell* c, TypeId ref_type, bool is_mut) {
  const lang::Type& t = types()[ref_type];
  if (t.kind != TypeKind::ref) return pointer_to(c, is_mut);
  const lang::Type& target = types()[t.args[0]];
  if (c->kind == Kind::pointer && target.kind != TypeKind::ref) c = reached(c);
  if (!is_mut && target.kind == TypeKind::string && (c->kind == Kind::text || c->kind == Kind::view)) {
    return view_of(c, 0, c->size);
  }
  if (target.kind == TypeKind::array && target.length == lang::Type::unsized) {
    if (c->kind == Kind::run) return copied(c);
    Cell* run = make(Kind::run);
    run->target = c;
    run->size = c->parts.size();
    run->seen = c->version;
    return run;
  }
  if (target.kind == TypeKind::function && !is_mut) return copied(c);
  return pointer_to(c, is_mut);
}

Cell* Machine::constant(const lang::nir::Operand& o) {
  using namespace lang::nir;
  if (auto* i = std::get_if<ConstInt>(&o.constant)) {
    if (types().kind(o.type) == TypeKind::u64 && i->bits > INT64_MAX)
      stop(Ending::not_built, "numbers as large as this");
    return integer(static_cast<std::int64_t>(i->bits));
  }
  if (auto* b = std::get_if<ConstBool>(&o.constant)) return boolean(b->value);
  if (auto* f = std::get_if<ConstFloat>(&o.constant)) {
    Cell* c = make(Kind::real);
    c->real = f->value;
    return c;
  }
  if (auto* ch = std::get_if<ConstChar>(&o.constant)) {
    Cell* c = make(Kind::character);
    c->number = static_cast<std::int64_t>(ch->value);
    return c;
  }
  if (auto* t = std::get_if<ConstText>(&o.constant)) {
    Cell* c = text(std::string(compilation_.names.text(t->text)));
    c->kind = Kind::view;
    return c;
  }
  if (std::holds_alternative<ConstNull>(o.constant)) return nullable(nullptr);
  if (auto* fn = std::get_if<ConstFn>(&o.constant)) {
    Cell* c = make(Kind::function);
    c->closure = std::make_shared<Closure>();
    c->closure->declared = fn->fn;
    if (decls_.fns[fn->fn].key.empty())
      c->closure->function = instances_.find(fn->fn, fn->type_args);
    else
      stop(Ending::not_built, "a function of the library as a value");
    return c;
  }
  return unit();
}

Cell* Machine::operand(Frame& fr, const lang::nir::Operand& o) {
  if (stopped()) return unit();
  switch (o.kind) {
    case OperandKind::constant: return constant(o);
    case OperandKind::copy:
    case OperandKind::dup: {
      Cell* c = read(fr, o.place);
      if (stopped()) return unit();
      if (o.kind == OperandKind::dup && c->kind == Kind::pointer) c = reached(c);
      return copied(c);
    }
    case OperandKind::move: {
      Cell* c = read(fr, o.place);
      return stopped() ? unit() : moved_out(c);
    }
    case OperandKind::lend: {
      Cell* c = read(fr, o.place);
      return stopped() ? unit() : lend_cell(c, o.type, false);
    }
    case OperandKind::lend_mut: {
      Cell* c = at(fr, o.place, true);
      if (!stopped()) require_whole(fr, o.place, c);
      return stopped() ? unit() : lend_cell(c, o.type, true);
    }
  }
  return unit();
}

bool Machine::equal(Cell* a, Cell* b) {
  a = reached(a);
  b = reached(b);
  if (stopped()) return false;
  const auto is_text = [](Cell* c) { return c->kind == Kind::text || c->kind == Kind::view; };
  if (is_text(a) && is_text(b)) return text_of(a) == text_of(b);
  if (a->kind == Kind::run || b->kind == Kind::run) {
    std::vector<Cell*> x, y;
    elements_of(a, x);
    elements_of(b, y);
    if (x.size() != y.size()) return false;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!equal(x[i], y[i])) return false;
    }
    return true;
  }
  if (a->kind != b->kind) return false;
  if (a->kind == Kind::real) return a->real == b->real;
  if (a->variant != b->variant || a->number != b->number || a->parts.size() != b->parts.size()) return false;
  for (std::size_t i = 0; i < a->parts.size(); ++i) {
    if (!equal(a->parts[i], b->parts[i])) return false;
  }
  return true;
}

int Machine::compare(Cell* a, Cell* b) {
  a = reached(a);
  b = reached(b);
  if (stopped()) return 0;
  if (a->kind == Kind::integer || a->kind == Kind::character)
    return a->number < b->number ? -1 : a->number > b->number ? 1 : 0;
  if (a->kind == Kind::real) return a->real < b->real ? -1 : a->real > b->real ? 1 : 0;
  if (a->kind == Kind::text || a->kind == Kind::view) {
    const int order = text_of(a).compare(text_of(b));
    return order < 0 ? -1 : order > 0 ? 1 : 0;
  }
  stop(Ending::not_built, "an order of these values");
  return 0;
}

Cell* Machine::binary(Frame& fr, const lang::nir::Binary& b, TypeId to) {
  Cell* left = operand(fr, b.left);
  Cell* right = operand(fr, b.right);
  if (stopped()) return unit();
  switch (b.op) {
    case BinaryOp::eq: return boolean(equal(left, right));
    case BinaryOp::ne: return boolean(!equal(left, right));
    case BinaryOp::lt: return boolean(compare(left, right) < 0);
    case BinaryOp::le: return boolean(compare(left, right) <= 0);
    case BinaryOp::gt: return boolean(compare(left, right) > 0);
    case BinaryOp::ge: return boolean(compare(left, right) >= 0);
    case BinaryOp::concat: return text(std::string(text_of(left)) + std::string(text_of(right)));
    default: break;
  }
  const Cell* l = reached(left);
  const Cell* r = reached(right);
  if (stopped()) return unit();
  const TypeKind kind = types().kind(to);
  if (l->kind != Kind::integer || (kind != TypeKind::i64 && kind != TypeKind::i32)) {
    stop(Ending::not_built, "arithmetic of these numbers");
    return unit();
  }
  std::int64_t out = 0;
  bool wraps = false;
  switch (b.op) {
    case BinaryOp::add: wraps = __builtin_add_overflow(l->number, r->number, &out); break;
    case BinaryOp::sub: wraps = __builtin_sub_overflow(l->number, r->number, &out); break;
    case BinaryOp::mul: wraps = __builtin_mul_overflow(l->number, r->number, &out); break;
    case BinaryOp::div:
    case BinaryOp::rem:
      if (r->number == 0 || (r->number == -1 && l->number == INT64_MIN))
        wraps = true;
      else
        out = b.op == BinaryOp::div ? l->number / r->number : l->number % r->number;
      break;
    case BinaryOp::bit_and: out = l->number & r->number; break;
    case BinaryOp::bit_or: out = l->number | r->number; break;
    case BinaryOp::bit_xor: out = l->number ^ r->number; break;
    default: stop(Ending::not_built, "a shift"); return unit();
  }
  if (wraps || (kind == TypeKind::i32 && out != static_cast<std::int32_t>(out))) {
    stop(Ending::panicked, "arithmetic overflow");
    return unit();
  }
  return integer(out);
}

Cell* Machine::value(Frame& fr, const lang::nir::Value& v, TypeId to) {
  using namespace lang::nir;
  if (auto* u = std::get_if<Use>(&v)) return operand(fr, u->value);
  if (auto* b = std::get_if<Binary>(&v)) return binary(fr, *b, to);
  if (auto* u = std::get_if<Unary>(&v)) {
    Cell* c = reached(operand(fr, u->value));
    if (stopped()) return unit();
    if (u->op == UnaryOp::not_) return boolean(c->number == 0);
    if (u->op == UnaryOp::negate && c->kind == Kind::integer && c->number != INT64_MIN) return integer(-c->number);
    stop(Ending::not_built, "this operator");
    return unit();
  }
  if (auto* c = std::get_if<Cast>(&v)) {
    Cell* from = reached(operand(fr, c->value));
    const TypeKind kind = types().kind(c->to);
    const bool fits =
        kind == TypeKind::i64 || (kind == TypeKind::i32 && from->number == static_cast<std::int32_t>(from->number));
    if (!stopped() && (from->kind != Kind::integer || !fits)) stop(Ending::not_built, "this conversion");
    return from;
  }
  if (auto* w = std::get_if<Wrap>(&v)) return nullable(operand(fr, w->value));
  if (auto* n = std::get_if<IsNull>(&v)) {
    Cell* c = at(fr, n->place);
    if (stopped()) return unit();
    if (c->life != Life::live && c->kind != Kind::failure)
      finding(place_text(fr, n->place) + " is asked for null and is gone");
    return boolean(c->parts.empty());
  }
  if (auto* t = std::get_if<VariantOf>(&v)) {
    Cell* c = at(fr, t->place);
    if (!stopped() && c->life != Life::live)
      finding(place_text(fr, t->place) + " is asked for its variant and is gone");
    return integer(c->variant);
  }
  const auto fill = [&](Cell* c, const std::vector<Operand>& from) {
    for (const Operand& o : from) c->parts.push_back(operand(fr, o));
    return c;
  };
  if (auto* m = std::get_if<MakeStruct>(&v)) {
    Cell* c = make(Kind::structure);
    c->type = m->type;
    return fill(c, m->fields);
  }
  if (auto* m = std::get_if<MakeVariant>(&v)) {
    Cell* c = make(Kind::variant);
    c->type = m->type;
    c->variant = m->variant;
    return fill(c, m->parts);
  }
  if (auto* m = std::get_if<MakeTuple>(&v)) return fill(make(Kind::tuple), m->parts);
  if (auto* m = std::get_if<MakeList>(&v)) return fill(make(Kind::list), m->elements);
  if (auto* m = std::get_if<MakeRange>(&v)) {
    Cell* c = make(Kind::range);
    c->number = reached(operand(fr, m->low))->number;
    c->high = reached(operand(fr, m->high))->number;
    c->is_inclusive = m->is_inclusive;
    return c;
  }
  if (auto* t = std::get_if<ToText>(&v)) {
    Cell* from = operand(fr, t->text);
    return stopped() ? unit() : text(std::string(text_of(from)));
  }
  if (auto* r = std::get_if<MapRead>(&v)) {
    Cell* map = reached(at(fr, r->map));
    Cell* key = operand(fr, r->key);
    for (std::size_t i = 0; !stopped() && i + 1 < map->parts.size(); i += 2) {
      if (!equal(map->parts[i], key)) continue;
      Cell* found = map->parts[i + 1];
      const TypeId inner = types().kind(to) == TypeKind::nullable ? types()[to].args[0] : to;
      return nullable(types().kind(inner) == TypeKind::ref ? lend_cell(found, inner, false) : copied(found));
    }
    return nullable(nullptr);
  }
  if (auto* s = std::get_if<Slice>(&v)) {
    Cell* subject = reached(at(fr, s->subject));
    Cell* range = reached(operand(fr, s->range));
    if (stopped()) return unit();
    const std::int64_t high = range->is_inclusive ? range->high + 1 : range->high;
    const std::size_t size = subject->kind == Kind::list ? subject->parts.size() : subject->size;
    if (range->number < 0 || high < range->number || static_cast<std::size_t>(high) > size) {
      stop(Ending::panicked, "slice out of bounds");
      return unit();
    }
    const auto from = static_cast<std::size_t>(range->number), length = static_cast<std::size_t>(high - range->number);
    if (subject->kind == Kind::text || subject->kind == Kind::view) return view_of(subject, from, length);
    Cell* run = subject->kind == Kind::run ? copied(subject) : make(Kind::run);
    if (subject->kind == Kind::list) {
      run->target = subject;
      run->seen = subject->version;
    }
    run->at += from;
    run->size = length;
    return run;
  }
  if (auto* m = std::get_if<MakeClosure>(&v)) {
    Cell* c = make(Kind::function);
    c->closure = closure(fr, *m);
    return c;
  }
  if (auto* f = std::get_if<Format>(&v)) {
    std::string out;
    for (const FormatPiece& p : f->pieces) {
      if (!p.is_hole) {
        out += p.text;
      } else if (p.spec.present) {
        stop(Ending::not_built, "a format specification");
      } else {
        print(operand(fr, p.value), out);
      }
      if (stopped()) return unit();
    }
    return text(std::move(out));
  }
  if (auto* i = std::get_if<ErrorIs>(&v)) {
    Cell* error = reached(at(fr, i->error));
    return boolean(!stopped() && !error->parts.empty() && error->parts[0]->type == i->type);
  }
  if (auto* a = std::get_if<ErrorAs>(&v)) {
    Cell* error = reached(at(fr, a->error));
    return stopped() || error->parts.empty() ? unit() : pointer_to(error->parts[0]);
  }
  if (auto* m = std::get_if<Member>(&v)) {
    Cell* of = at(fr, m->of);
    if (stopped()) return unit();
    if (m->kind == MemberKind::clone) {
      require_whole(fr, m->of, of);
      return stopped() ? unit() : cloned(of);
    }
    if (m->kind == MemberKind::error_message) {
      std::string out;
      print(of, out);
      return text(std::move(out));
    }
    stop(Ending::not_built, "the long text of an error");
    return unit();
  }
  if (auto* f = std::get_if<MakeFailure>(&v)) {
    Cell* c = make(Kind::failure);
    c->parts.push_back(operand(fr, f->value));
    return c;
  }
  stop(Ending::not_built, "this value");
  return unit();
}

std::string Machine::error_message(Cell* failure) {
  if (failure->parts.empty()) return {};
  Cell* of = failure->parts[0];
  const lang::TypeDecl& decl = decls_.types[types()[of->type].decl];
  if (!decl.error_message.valid()) {
    stop(Ending::not_built, "an error of the library");
    return {};
  }
  Cell* error = nullptr;
  Cell* message =
      call_function(instances_.find(decl.error_message, types()[of->type].args), {pointer_to(of)}, nullptr, error);
  return stopped() ? std::string() : std::string(text_of(message));
}

void Machine::print(Cell* c, std::string& out) {
  c = reached(c);
  if (stopped()) return;
  switch (c->kind) {
    case Kind::text:
    case Kind::view: out += text_of(c); return;
    case Kind::integer: out += std::to_string(c->number); return;
    case Kind::boolean: out += c->number != 0 ? "true" : "false"; return;
    case Kind::character:
      if (c->number < 0x80) {
        out += static_cast<char>(c->number);
        return;
      }
      break;
    case Kind::failure: out += error_message(c); return;
    default: break;
  }
  stop(Ending::not_built, "the text of this value");
}

}  // namespace nikaia::interpret
