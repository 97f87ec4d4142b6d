// The least solution over the module: the owners of each local grow from what its instructions put
// into it until nothing changes. The order of instructions is not looked at, so a local that is
// used for several values holds the buffers of all of them. A call of the program's function is
// answered by what that function hands back and stores, a row of the library by the views in its
// signature. Cost: a few walks of the module.
#include "passes/reports/buffers.h"

#include "lang/nir/places.h"
#include "lang/nir/visit.h"

namespace nikaia::lang::reports {
namespace {

bool is_counted_view(const World& w, TypeId type) {
  const Type& t = w.types[type];
  if (t.kind != TypeKind::ref || t.is_mut) return false;
  const Type& target = w.types[t.args[0]];
  return target.kind == TypeKind::string || (target.kind == TypeKind::array && target.length == Type::unsized);
}

// What has bytes or elements of its own.
bool is_owner(const World& w, TypeId type) {
  const Type& t = w.types[type];
  if (t.kind == TypeKind::string || t.kind == TypeKind::array) return true;
  return t.kind == TypeKind::named && (t.decl == w.decls.vec || t.decl == w.decls.bytes || t.decl == w.decls.mapped);
}

}  // namespace

Buffers::Buffers(const World& w)
    : w_(w),
      views_(w, is_counted_view),
      texts_(w, is_owner),
      owners_(w.module.functions.size()),
      returned_(w.module.functions.size()) {
  for (std::size_t n = 0; n < w.module.functions.size(); ++n) {
    const FunctionId id(n);
    const nir::Function& f = w.function(id);
    owners_[id] = IdVector<NirLocal, Owners>(f.locals.size());
    if (f.kind == nir::FunctionKind::fn && f.source.valid()) by_source_[f.source.index].push_back(id);
    for (std::size_t l = 0; l < f.locals.size(); ++l) {
      const nir::Local& local = f.locals[NirLocal(l)];
      const bool is_given = local.kind == nir::LocalKind::param || local.kind == nir::LocalKind::capture;
      if (is_given && has_views(local.type)) owners_[id][NirLocal(l)].insert(NirLocal(l));
    }
  }
  do {
    grew_ = false;
    for (std::size_t n = 0; n < w.module.functions.size(); ++n) {
      for (const nir::Instr& i : w.function(FunctionId(n)).instrs) instruction(FunctionId(n), i);
    }
  } while (grew_);
}

void Buffers::add(FunctionId f, NirLocal local, const Owners& owners) {
  if (!local.valid()) return;
  for (NirLocal o : owners) {
    if (!(o == local) || w_.function(f).locals[local].kind != nir::LocalKind::named)
      grew_ |= owners_[f][local].insert(o).second;
  }
}

// The owners of what a view of `place` points into.
Owners Buffers::behind(FunctionId f, const Place& place) {
  const TypeId type = w_.types.without_ref(nir::place_type(w_.function(f), place));
  const Owners& held = owners_[f][place.root];
  // Text made of a view shares its buffer; what is reached through a view lies where that view
  // points.
  if (place.is_local() || !texts_.has(type)) {
    if (!held.empty()) return held;
  } else if (has_views(type) || w_.types.kind(nir::place_type(w_.function(f), place)) == TypeKind::ref) {
    return held;
  }
  return texts_.has(type) ? Owners{place.root} : held;
}

Owners Buffers::of(FunctionId f, const nir::Operand& o) {
  if (o.kind == OperandKind::constant) return {};
  if (o.kind == OperandKind::lend || o.kind == OperandKind::lend_mut) return behind(f, o.place);
  const Owners& held = owners_[f][o.place.root];
  if (has_views(o.type)) return held;
  return o.place.is_local() && is_own_text(f, o.place.root) ? held : Owners();
}

bool Buffers::counts(FunctionId f, const nir::Operand& o) {
  if (o.kind == OperandKind::constant) return false;
  return has_views(o.type) || (o.place.is_local() && is_text_of_view(f, o.place.root));
}

Owners Buffers::of(FunctionId f, const nir::Value& v) {
  Owners out;
  const auto take = [&](const Owners& more) { out.insert(more.begin(), more.end()); };
  if (std::holds_alternative<nir::Format>(v) || std::holds_alternative<nir::Binary>(v) ||
      std::holds_alternative<nir::ErrorAs>(v) || std::holds_alternative<nir::MakeRange>(v)) {
    return out;
  }
  if (auto* m = std::get_if<nir::Member>(&v)) return has_views(m->type) ? owners_[f][m->of.root] : out;
  // All of a text that has no other name is handed over, not viewed.
  if (auto* t = std::get_if<nir::ToText>(&v);
      t != nullptr && t->text.kind == OperandKind::lend && t->text.place.is_local()) {
    const NirLocal from = t->text.place.root;
    const bool is_handed_over = w_.function(f).locals[from].kind == nir::LocalKind::temp && is_own_text(f, from);
    if (is_handed_over) return owners_[f][from];
  }
  const bool is_view = std::holds_alternative<nir::Slice>(v) || std::holds_alternative<nir::MapRead>(v);
  nir::visit_value(
      v,
      [&](const nir::Operand& o) {
        if (!is_view) take(of(f, o));
      },
      [&](const Place& p) {
        if (is_view) take(behind(f, p));
      },
      [](const nir::MakeClosure&) {});
  return out;
}

// The instance that is called; invalid for a row or a function value.
FunctionId Buffers::callee(const nir::Call& c) const {
  if (!c.fn.valid()) return {};
  const auto found = by_source_.find(c.fn.index);
  if (found == by_source_.end()) return {};
  for (FunctionId id : found->second) {
    if (w_.function(id).type_args == c.type_args) return id;
  }
  return {};
}

Owners Buffers::of_call(FunctionId f, const nir::Call& c) {
  Owners out;
  const auto take = [&](const nir::Operand& o) {
    const Owners more = of(f, o);
    out.insert(more.begin(), more.end());
  };
  if (const FunctionId g = callee(c); g.valid()) {
    const nir::Function& called = w_.function(g);
    for (NirLocal owner : returned_[g]) {
      bool is_given = false;
      for (std::size_t p = 0; p < called.params.size() && p < c.args.size(); ++p) {
        if (!(called.params[p] == owner)) continue;
        take(c.args[p]);
        is_given = true;
      }
      // A buffer that the function made: the result is all that names it here.
      if (!is_given) out.insert(c.to);
    }
    return out;
  }
  const FnDecl* row = c.fn.valid() ? &w_.decls.fns[c.fn] : nullptr;
  const std::size_t receiver = row != nullptr && row->receiver != ast::Receiver::none ? 1 : 0;
  for (std::size_t a = 0; a < c.args.size(); ++a) {
    const nir::Operand& o = c.args[a];
    if (o.kind == OperandKind::constant) continue;
    bool is_source = has_views(w_.types.without_ref(o.type));
    if (row != nullptr) {
      for (std::uint32_t from : row->result_from) {
        is_source = is_source || (from == FnDecl::from_receiver ? receiver == 1 && a == 0 : from + receiver == a);
      }
    }
    if (is_source) take(o);
  }
  return out;
}

// What a call puts into what it is lent for change.
void Buffers::into_arguments(FunctionId f, const nir::Call& c) {
  const FunctionId g = callee(c);
  for (std::size_t a = 0; a < c.args.size(); ++a) {
    const nir::Operand& into = c.args[a];
    const bool is_changed =
        into.kind == OperandKind::lend_mut ||
        (into.kind == OperandKind::copy && w_.types.kind(into.type) == TypeKind::ref && w_.types[into.type].is_mut);
    if (!is_changed || !has_views(w_.types.without_ref(into.type))) continue;
    for (std::size_t from = 0; from < c.args.size(); ++from) {
      if (from == a) continue;
      if (!g.valid()) {
        if (counts(f, c.args[from])) add(f, into.place.root, of(f, c.args[from]));
      } else if (owners_[g][w_.function(g).params[a]].contains(w_.function(g).params[from])) {
        add(f, into.place.root, of(f, c.args[from]));
      }
    }
  }
}

void Buffers::instruction(FunctionId f, const nir::Instr& i) {
  const auto is_holder = [&](NirLocal l) {
    return l.valid() && (has_views(w_.function(f).locals[l].type) || is_own_text(f, l));
  };
  if (auto* a = std::get_if<nir::Assign>(&i.node)) {
    if (is_holder(a->to.root)) add(f, a->to.root, of(f, a->value));
  } else if (auto* s = std::get_if<nir::Store>(&i.node)) {
    if (is_holder(s->to.root)) add(f, s->to.root, of(f, s->value));
  } else if (auto* m = std::get_if<nir::MapWrite>(&i.node)) {
    if (counts(f, m->key)) add(f, m->map.root, of(f, m->key));
    if (counts(f, m->value)) add(f, m->map.root, of(f, m->value));
  } else if (auto* c = std::get_if<nir::Call>(&i.node)) {
    into_arguments(f, *c);
    if (c->to.valid() && has_views(w_.function(f).locals[c->to].type)) add(f, c->to, of_call(f, *c));
  } else if (auto* w = std::get_if<nir::Walk>(&i.node)) {
    for (NirLocal l : w->elements) {
      if (has_views(w_.function(f).locals[l].type)) add(f, l, of(f, w->subject));
    }
  } else if (auto* r = std::get_if<nir::Return>(&i.node); r != nullptr && r->has_value && counts(f, r->value)) {
    for (NirLocal o : of(f, r->value)) grew_ |= returned_[f].insert(o).second;
  } else if (auto* o = std::get_if<nir::Overlap>(&i.node); o != nullptr && o->to.valid()) {
    for (const nir::MakeClosure& b : o->branches) {
      if (!returned_[b.function].empty() && has_views(w_.function(f).locals[o->to].type)) add(f, o->to, Owners{o->to});
    }
  }
}

}  // namespace nikaia::lang::reports
