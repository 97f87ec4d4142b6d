// Union-find over the variables of one body, and unification of types that hold them. See infer.h.
#include "passes/types/infer.h"

#include <utility>

namespace nikaia::lang::typing {

TypeId Variables::make(VarKind kind, Origin origin, Span span) {
  Variable v;
  v.parent = static_cast<std::uint32_t>(vars_.size());
  v.kind = kind;
  v.origin = origin;
  v.origin_span = span;
  vars_.push_back(v);
  return types_.infer(v.parent);
}

std::uint32_t Variables::find(std::uint32_t index) {
  while (vars_[index].parent != index) {
    vars_[index].parent = vars_[vars_[index].parent].parent;
    index = vars_[index].parent;
  }
  return index;
}

Variable* Variables::class_of(TypeId type) {
  const Type& t = types_[type];
  return t.kind == TypeKind::infer ? &vars_[find(t.index)] : nullptr;
}

std::uint8_t Variables::flags(TypeId type) {
  if (type.index >= flags_.size()) flags_.resize(types_.size() + 64, 0);
  if (flags_[type.index] & flag_known) return flags_[type.index];
  const Type& t = types_[type];
  std::uint8_t f = flag_known;
  if (t.kind == TypeKind::infer) f |= flag_infer;
  if (t.kind == TypeKind::param) f |= flag_param;
  for (TypeId a : t.args) f = static_cast<std::uint8_t>(f | (flags(a) & (flag_infer | flag_param)));
  flags_[type.index] = f;
  return f;
}

bool Variables::copies(TypeId type) {
  type = shallow(type);
  const std::uint8_t f = flags(type);
  if (f & flag_infer) {
    const Type& t = types_[type];
    if (t.kind == TypeKind::infer) return vars_[find(t.index)].kind != VarKind::open;
    if (t.kind == TypeKind::ref || t.kind == TypeKind::range) return true;
    if (t.kind == TypeKind::array && t.length == Type::unsized) return false;
    if (t.kind == TypeKind::tuple || t.kind == TypeKind::nullable || t.kind == TypeKind::array) {
      for (std::size_t i = 0; i < types_[type].args.size(); ++i) {
        if (!copies(types_[type].args[i])) return false;
      }
      return true;
    }
    return lang::copies(types_, decls_, resolve(type));
  }
  if (f & flag_copies_known) return (f & flag_copies) != 0;
  const bool answer = lang::copies(types_, decls_, type);
  flags_[type.index] = static_cast<std::uint8_t>(f | flag_copies_known | (answer ? flag_copies : 0));
  return answer;
}

TypeId Variables::shallow(TypeId type) {
  for (;;) {
    const Type& t = types_[type];
    if (t.kind != TypeKind::infer) return type;
    const std::uint32_t r = find(t.index);
    if (!vars_[r].bound.valid()) return r == t.index ? type : types_.infer(r);
    type = vars_[r].bound;
  }
}

// Whether a view of `target` is the value: of what copies, a class of numbers included, and of a view.
bool Variables::is_value_behind_view(TypeId target) {
  const Type& t = types_[target];
  if (t.kind == TypeKind::ref || t.kind == TypeKind::error) return true;
  if (t.kind == TypeKind::infer) return vars_[find(t.index)].kind == VarKind::number;
  return copies(target);
}

// A view that inference made. One that is lent for change stays what it is.
bool Variables::is_view_of_open(const Type& t) const {
  return t.kind == TypeKind::ref && !t.is_mut && types_.kind(t.args[0]) == TypeKind::infer;
}

// What a door hands out whose block comes to nothing: nothing.
bool Variables::is_seen_nothing(const Type& t) const {
  return t.kind == TypeKind::named && t.decl == decls_.seen && types_.kind(t.args[0]) == TypeKind::unit;
}

TypeId Variables::resolve(TypeId type) {
  if (!has_infer(type)) return type;
  type = shallow(type);
  const Type t = types_[type];  // a copy: interning moves the table
  if (t.kind == TypeKind::infer) return type;
  Type out = t;
  bool changed = false;
  for (TypeId& a : out.args) {
    const TypeId r = resolve(a);
    changed |= !(r == a);
    a = r;
  }
  if (is_view_of_open(t) && is_value_behind_view(out.args[0])) {
    return out.args[0];
  }
  if (!changed) return type;
  if (out.kind == TypeKind::nullable) return types_.nullable(out.args[0]);
  if (is_seen_nothing(out)) return out.args[0];
  return types_.intern(std::move(out));
}

TypeId Variables::settle(TypeId type) {
  if (!has_infer(type)) return type;
  type = shallow(type);
  const Type t = types_[type];
  if (t.kind == TypeKind::infer) return default_of(vars_[find(t.index)]);
  Type out = t;
  for (TypeId& a : out.args) a = settle(a);
  if (out.kind == TypeKind::nullable) return types_.nullable(out.args[0]);
  if (is_seen_nothing(out)) return out.args[0];
  if (is_view_of_open(t) && is_value_behind_view(out.args[0])) {
    return out.args[0];
  }
  return types_.intern(std::move(out));
}

TypeId Variables::default_of(const Variable& v) const {
  if (v.bound.valid()) return v.bound;
  switch (v.kind) {
    case VarKind::number:
      if (v.room == Room::i32 && !v.index_asks) return types_.basic(TypeKind::i32);
      return types_.basic(TypeKind::i64);
    case VarKind::text: return const_cast<TypeTable&>(types_).ref(types_.basic(TypeKind::string));
    case VarKind::open: break;
  }
  return types_.basic(TypeKind::error);
}

void Variables::silence(TypeId type) {
  if (!has_infer(type)) return;
  type = shallow(type);
  const Type t = types_[type];
  if (t.kind == TypeKind::infer) {
    Variable& v = vars_[find(t.index)];
    if (v.kind == VarKind::open) v.bound = types_.basic(TypeKind::error);
    return;
  }
  for (TypeId a : t.args) silence(a);
}

void Variables::decide_numbers() {
  for (std::uint32_t i = 0; i < vars_.size(); ++i) {
    Variable& v = vars_[i];
    if (v.parent == i && v.kind == VarKind::number && !v.bound.valid()) v.bound = default_of(v);
  }
}

bool Variables::occurs(std::uint32_t root, TypeId type) {
  if (!has_infer(type)) return false;
  type = shallow(type);
  if (types_.kind(type) == TypeKind::infer) return find(types_[type].index) == root;
  for (std::size_t i = 0; i < types_[type].args.size(); ++i) {
    if (occurs(root, types_[type].args[i])) return true;
  }
  return false;
}

bool Variables::join(std::uint32_t a, std::uint32_t b) {
  if (a == b) return true;
  Variable& va = vars_[a];
  Variable& vb = vars_[b];
  if (va.kind != vb.kind && va.kind != VarKind::open && vb.kind != VarKind::open) return false;
  // The one that knows more is the root; of two that know the same, the older, whose name came first.
  const bool b_leads =
      (va.kind == VarKind::open && vb.kind != VarKind::open) || (va.kind == vb.kind && vb.is_named && !va.is_named);
  Variable& to = b_leads ? vb : va;
  Variable& from = b_leads ? va : vb;
  if (from.room > to.room) to.room = from.room;
  to.index_asks |= from.index_asks;
  if (!to.is_named && from.is_named) {
    to.is_named = true;
    to.name = from.name;
    to.name_span = from.name_span;
  }
  if (to.origin == Origin::none) {
    to.origin = from.origin;
    to.origin_span = from.origin_span;
    to.fn = from.fn;
    to.fn_param = from.fn_param;
  }
  from.parent = b_leads ? b : a;
  return true;
}

bool Variables::bind(std::uint32_t root, TypeId type, Span at) {
  Variable& v = vars_[root];
  switch (v.kind) {
    case VarKind::open:
      if (occurs(root, type)) return false;
      break;
    case VarKind::number:
      if (!types_.is_integer(type) && !(types_.kind(type) == TypeKind::f64 && !v.is_named)) return false;
      break;
    case VarKind::text:
      if (types_.kind(type) == TypeKind::string) break;
      // A view is what it is anyway; a later use may still ask for text of its own.
      return types_.kind(type) == TypeKind::ref && types_.kind(shallow(types_[type].args[0])) == TypeKind::string;
  }
  v.bound = type;
  v.ask_span = at;
  return true;
}

void Variables::note_conflict(TypeId a, TypeId b) {
  if (conflict_ != none) return;
  for (const auto& [mine, other] : {std::pair{a, b}, std::pair{b, a}}) {
    const Type& t = types_[mine];
    if (t.kind != TypeKind::infer) continue;
    const std::uint32_t r = find(t.index);
    if (vars_[r].kind != VarKind::number || !vars_[r].is_named) continue;
    const TypeId wanted = shallow(other);
    if (!types_.is_integer(wanted)) continue;
    conflict_ = r;
    conflict_type_ = wanted;
    return;
  }
}

bool Variables::unify(TypeId raw_a, TypeId raw_b, Span at) {
  conflict_ = none;
  struct Work {
    Variables& self;
    Span at;
    bool operator()(TypeId ra, TypeId rb) {
      if (ra == rb) return true;
      const TypeId a = self.shallow(ra);
      const TypeId b = self.shallow(rb);
      if (a == b) return true;
      const Type& ta = self.types_[a];
      const Type& tb = self.types_[b];
      // One cause, one message: what an error was to decide is not asked for either.
      if (ta.kind == TypeKind::error || tb.kind == TypeKind::error) {
        self.silence(ta.kind == TypeKind::error ? b : a);
        return true;
      }
      if (ta.kind == TypeKind::infer && tb.kind == TypeKind::infer) {
        return self.join(self.find(ta.index), self.find(tb.index));
      }
      if (ta.kind == TypeKind::infer) return decide(ta.index, b, ra, rb);
      if (tb.kind == TypeKind::infer) return decide(tb.index, a, ra, rb);
      if (ta.kind != tb.kind || ta.decl != tb.decl || ta.index != tb.index || ta.length != tb.length ||
          ta.args.size() != tb.args.size()) {
        self.note_conflict(ra, rb);
        return false;
      }
      if (ta.kind == TypeKind::ref || ta.kind == TypeKind::function || ta.kind == TypeKind::seq || !ta.args.empty()) {
        for (std::size_t i = 0; i < self.types_[a].args.size(); ++i) {
          if (!(*this)(self.types_[a].args[i], self.types_[b].args[i])) return false;
        }
        return true;
      }
      self.note_conflict(ra, rb);
      return false;
    }
    bool decide(std::uint32_t variable, TypeId type, TypeId ra, TypeId rb) {
      if (self.bind(self.find(variable), type, at)) return true;
      self.note_conflict(ra, rb);
      return false;
    }
  };
  return Work{*this, at}(raw_a, raw_b);
}

void Variables::name_classes(TypeId type, Name name, Span span) {
  if (!has_infer(type)) return;
  const Type& t = types_[type];
  if (t.kind == TypeKind::infer) {
    Variable& v = vars_[find(t.index)];
    if (v.bound.valid()) {
      if (!(v.kind == VarKind::number && types_.is_number(v.bound))) name_classes(v.bound, name, span);
      return;
    }
    if (!v.is_named) {
      v.is_named = true;
      v.name = name;
      v.name_span = span;
    }
    return;
  }
  for (std::size_t i = 0; i < types_[type].args.size(); ++i) name_classes(types_[type].args[i], name, span);
}

}  // namespace nikaia::lang::typing
