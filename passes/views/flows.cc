// From where to where views go in monomorphic NIR, a local as a whole.
//
// A call of the program's function hands its arguments to the parameters, and what those are changed to back. A row of
// the library hands on what it is given, to its result, to what it changes and to its lambdas, where it works on text,
// runs, sequences and the containers; any other (a channel, a lock, a task) may hand out what nothing else keeps.
#include <unordered_map>

#include "lang/nir/places.h"
#include "lang/nir/visit.h"
#include "passes/views/views.h"

namespace nikaia::lang::views {
namespace {

using nir::OperandKind;

class FunctionFlows {
 public:
  FunctionFlows(World& w, Flows& out, FunctionId id) : w_(w), out_(out), id_(id), f_(w.module.functions[id]) {}

  void collect() {
    torn_down();
    for (const nir::Instr& i : f_.instrs) {
      if (auto* a = std::get_if<nir::Assign>(&i.node);
          a != nullptr && std::holds_alternative<nir::MakeClosure>(a->value))
        closures_.emplace(a->to.root.index, &std::get<nir::MakeClosure>(a->value));
    }
    for (const nir::Instr& i : f_.instrs) instruction(i.node);
  }

 private:
  Node node(LocalId l) const { return w_.local(id_, l); }
  bool holds(TypeId t) { return w_.views.holds(t); }
  bool is_change(TypeId t) const { return t.valid() && w_.types.kind(t) == TypeKind::ref && w_.types[t].is_mut; }
  bool changes(const nir::Operand& o) const {
    return o.kind == OperandKind::lend_mut || (o.kind != OperandKind::constant && is_change(o.type));
  }
  void edge(Node from, Node to) {
    if (from != to) out_.edges.emplace_back(from, to);
  }
  void keep(Node n) { out_.kept.push_back(n); }

  // `impl Drop` and `impl Cleanup` are called where no instruction says so.
  void torn_down() {
    if (f_.kind != nir::FunctionKind::fn || !f_.source.valid()) return;
    const TypeDeclId owner = w_.decls.fns[f_.source].owner;
    if (!owner.valid()) return;
    const TypeDecl& d = w_.decls.types[owner];
    if (d.drop != f_.source && d.cleanup != f_.source) return;
    for (LocalId p : f_.params) {
      if (holds(f_.locals[p].type)) keep(node(p));
    }
  }

  void instruction(const nir::Node& n) {
    nir::visit_uses(
        n, [&](const nir::Operand& o) { used(o); }, [](const nir::Place&) {},
        [&](const nir::MakeClosure& c) { made(c); });
    if (auto* a = std::get_if<nir::Assign>(&n)) {
      assigned(a->to, a->value);
    } else if (auto* s = std::get_if<nir::Store>(&n)) {
      put(s->value, node(s->to.root), nir::place_type(f_, s->to));
      shaped(s->to, s->value);
    } else if (auto* m = std::get_if<nir::MapWrite>(&n)) {
      put(m->value, node(m->map.root), m->value.type);
      put(m->key, node(m->map.root), m->key.type);
    } else if (auto* c = std::get_if<nir::Call>(&n)) {
      called(*c);
    } else if (auto* r = std::get_if<nir::Return>(&n); r != nullptr && r->has_value) {
      put(r->value, w_.result(id_), f_.result);
      if (const nir::MakeClosure* c = closure_of(r->value)) runs_anywhere(*c);
    } else if (auto* o = std::get_if<nir::Overlap>(&n); o != nullptr && o->to.valid()) {
      for (const nir::MakeClosure& b : o->branches) edge(w_.result(b.function), node(o->to));
    } else if (auto* s = std::get_if<nir::Spawn>(&n)) {
      for (const nir::Capture& x : s->task.captures) keep(w_.local(s->task.function, x.inner));
      if (s->to.valid()) keep(node(s->to));
    } else if (auto* w = std::get_if<nir::Walk>(&n); w != nullptr && w->subject.kind != OperandKind::constant) {
      for (LocalId l : w->elements) {
        if (!holds(f_.locals[l].type)) continue;
        edge(node(w->subject.place.root), node(l));
        if (changes(w->subject) || is_change(f_.locals[l].type)) edge(node(l), node(w->subject.place.root));
        if (is_owner(w->subject)) keep(node(l));
      }
    }
  }

  // ---- operands

  void used(const nir::Operand& o) {
    if (o.kind == OperandKind::lend || o.kind == OperandKind::lend_mut) {
      if (nir::is_buffer_view(w_.types, nir::place_type(f_, o.place)) && !nir::is_buffer_view(w_.types, o.type))
        pointed_at(o.place);
    }
    if (o.kind != OperandKind::constant) return;
    // A function that is a value may be handed anything, and what it hands back may be all that keeps a buffer.
    auto* fn = std::get_if<nir::ConstFn>(&o.constant);
    if (fn == nullptr) return;
    if (const FunctionId id = w_.instances.find(fn->fn, fn->type_args); id.valid()) takes_anything(id);
  }

  void takes_anything(FunctionId id) {
    const nir::Function& f = w_.module.functions[id];
    for (LocalId p : f.params) {
      if (holds(f.locals[p].type)) keep(w_.local(id, p));
    }
    if (holds(f.result)) keep(w_.result(id));
  }

  // What a pointer to a view looks at is a view that counts.
  void pointed_at(const nir::Place& p) {
    if (p.is_local()) {
      out_.counted.emplace_back(id_, p.root);
      return;
    }
    if (const auto field = nir::field_of(f_, w_.types, w_.decls, p))
      out_.counted_fields.emplace_back(field->type, field->number);
  }

  // Owned text that becomes a view has that for its only owner.
  bool is_owner(const nir::Operand& o) const {
    if (o.kind != OperandKind::move || !o.type.valid()) return false;
    const TypeKind kind = w_.types.kind(o.type);
    return kind != TypeKind::ref && kind != TypeKind::seq && kind != TypeKind::nullable;
  }

  void put(const nir::Operand& o, Node to, TypeId type) {
    if (o.kind == OperandKind::constant || !holds(type)) return;
    edge(node(o.place.root), to);
    if (changes(o)) edge(to, node(o.place.root));
    if (nir::is_buffer_view(w_.types, type) && is_owner(o)) keep(to);
  }

  void shaped(const nir::Place& to, const nir::Operand& o) {
    if (nir::is_buffer_view(w_.types, nir::place_type(f_, to)) && is_owner(o)) pointed_at(to);
  }

  void assigned(const nir::Place& to, const nir::Value& value) {
    if (auto* failure = std::get_if<nir::MakeFailure>(&value)) {
      if (failure->value.kind != OperandKind::constant) keep(node(failure->value.place.root));
      return;
    }
    if (std::holds_alternative<nir::MakeClosure>(value)) return;
    const TypeId type = nir::place_type(f_, to);
    if (!holds(type)) return;
    if (std::holds_alternative<nir::ErrorAs>(value)) keep(node(to.root));
    nir::visit_value(
        value, [&](const nir::Operand& o) { put(o, node(to.root), type); },
        [&](const nir::Place& p) {
          edge(node(p.root), node(to.root));
          if (is_change(type)) edge(node(to.root), node(p.root));
        },
        [](const nir::MakeClosure&) {});
    if (auto* u = std::get_if<nir::Use>(&value)) shaped(to, u->value);
    if (auto* s = std::get_if<nir::MakeStruct>(&value)) parts(node(to.root), w_.types[s->type].decl, 0, s->fields);
    if (auto* v = std::get_if<nir::MakeVariant>(&value)) {
      const TypeDeclId decl = w_.types[v->type].decl;
      parts(node(to.root), decl, nir::first_part(w_.decls.types[decl], v->variant), v->parts);
    }
  }

  // `values`: of the fields from number `before` on.
  void parts(Node to, TypeDeclId decl, std::size_t before, const std::vector<nir::Operand>& values) {
    nir::each_field(w_.decls.types[decl], [&](std::size_t n, const FieldInfo& f) {
      if (n < before || n - before >= values.size() || !f.type.valid()) return;
      const nir::Operand& o = values[n - before];
      if (!is_owner(o) || holds(o.type) || !nir::is_buffer_view(w_.types, f.type)) return;
      keep(to);
      out_.counted_fields.emplace_back(decl, n);
    });
  }

  // ---- lambdas

  const nir::MakeClosure* closure_of(const nir::Operand& o) const {
    if (o.kind == OperandKind::constant || !o.place.is_local()) return nullptr;
    const auto it = closures_.find(o.place.root.index);
    return it == closures_.end() ? nullptr : it->second;
  }
  bool is_function(const nir::Operand& o) const {
    return o.type.valid() && w_.types.kind(w_.types.without_ref(o.type)) == TypeKind::function;
  }

  void made(const nir::MakeClosure& c) {
    const nir::Function& inner = w_.module.functions[c.function];
    for (const nir::Capture& x : c.captures) {
      const TypeId type = inner.locals[x.inner].type;
      const TypeId outer = nir::place_type(f_, x.place);
      if (!holds(type)) continue;
      const Node in = w_.local(c.function, x.inner);
      edge(node(x.place.root), in);
      if (x.mode == nir::CaptureMode::lend_mut || is_change(type)) edge(in, node(x.place.root));
      if (c.is_kept) keep(in);
      const bool is_lent = x.mode == nir::CaptureMode::lend || x.mode == nir::CaptureMode::lend_mut;
      if (is_lent && nir::is_buffer_view(w_.types, outer) && !nir::is_buffer_view(w_.types, type)) pointed_at(x.place);
    }
  }

  // A lambda that is handed on to who knows where.
  void runs_anywhere(const nir::MakeClosure& c) {
    takes_anything(c.function);
    const nir::Function& inner = w_.module.functions[c.function];
    for (const nir::Capture& x : c.captures) {
      if (holds(inner.locals[x.inner].type)) keep(w_.local(c.function, x.inner));
    }
  }

  // ---- calls

  void called(const nir::Call& c) {
    const bool gives = c.to.valid() && holds(c.result);
    if (!c.fn.valid()) return called_value(c, gives);
    if (!w_.decls.fns[c.fn].key.empty()) return called_row(c, gives);
    for (const nir::Operand& o : c.args) {
      if (const nir::MakeClosure* lambda = closure_of(o)) runs_anywhere(*lambda);
    }
    const FunctionId callee = w_.instances.find(c.fn, c.type_args);
    if (!callee.valid()) return unknown(c, gives);
    handed_to(callee, c, gives);
  }

  void handed_to(FunctionId id, const nir::Call& c, bool gives) {
    const nir::Function& callee = w_.module.functions[id];
    for (std::size_t a = 0; a < c.args.size() && a < callee.params.size(); ++a) {
      const nir::Operand& o = c.args[a];
      if (o.kind == OperandKind::constant || !holds(callee.locals[callee.params[a]].type)) continue;
      const Node param = w_.local(id, callee.params[a]);
      edge(node(o.place.root), param);
      if (changes(o)) edge(param, node(o.place.root));
    }
    if (gives) edge(w_.result(id), node(c.to));
  }

  void unknown(const nir::Call& c, bool gives) {
    if (gives) keep(node(c.to));
    for (const nir::Operand& o : c.args) {
      if (o.kind != OperandKind::constant && holds(o.type) && !nir::is_buffer_view(w_.types, o.type))
        keep(node(o.place.root));
    }
  }

  void called_value(const nir::Call& c, bool gives) {
    const auto known = closures_.find(c.callee.root.index);
    if (known == closures_.end() || !c.callee.is_local()) return unknown(c, gives);
    handed_to(known->second->function, c, gives);
  }

  // Whether the row hands out only what it is given, and keeps nothing elsewhere.
  bool hands_on(const FnDecl& row, const nir::Call& c) const {
    if (row.receiver == ast::Receiver::none) {
      if (row.owner.valid()) return is_container(row.owner);
      return !(row.takes_lock && row.lambda_decides);
    }
    if (c.args.empty() || !c.args[0].type.valid()) return false;
    const Type& t = w_.types[w_.types.without_ref(c.args[0].type)];
    return t.kind != TypeKind::named || is_container(t.decl);
  }

  bool is_container(TypeDeclId t) const {
    const Declarations& d = w_.decls;
    return t == d.vec || t == d.hash_map || t == d.hash_set || t == d.btree_map || t == d.btree_set || t == d.entry ||
           t == d.bytes || t == d.mapped || t == d.path;
  }

  void called_row(const nir::Call& c, bool gives) {
    const FnDecl& row = w_.decls.fns[c.fn];
    const bool is_known = hands_on(row, c);
    bool has_source = false;
    std::vector<Node> from;                        // what views may come from
    std::vector<const nir::MakeClosure*> lambdas;  // and who is handed them
    for (const nir::Operand& o : c.args) {
      if (o.kind == OperandKind::constant) {
        has_source = has_source || nir::is_buffer_view(w_.types, o.type);
        if (is_function(o) && gives) keep(node(c.to));
        continue;
      }
      if (const nir::MakeClosure* lambda = closure_of(o)) {
        lambdas.push_back(lambda);
        from.push_back(w_.result(lambda->function));
        has_source = has_source || holds(w_.module.functions[lambda->function].result);
        if (!is_known) runs_anywhere(*lambda);
        continue;
      }
      if (is_function(o)) {
        from.push_back(node(o.place.root));
        keep(node(o.place.root));
        continue;
      }
      const bool is_lent = o.kind == OperandKind::lend || o.kind == OperandKind::lend_mut;
      if (!holds(o.type) && !is_lent) continue;
      has_source = true;
      from.push_back(node(o.place.root));
      if (!is_known && !is_lent) keep(node(o.place.root));
    }
    const auto feed = [&](Node to) {
      for (Node n : from) edge(n, to);
      if (!is_known) keep(to);
    };
    for (const nir::Operand& o : c.args) {
      if (changes(o) && holds(w_.types.without_ref(o.type))) feed(node(o.place.root));
    }
    for (const nir::MakeClosure* lambda : lambdas) {
      const nir::Function& f = w_.module.functions[lambda->function];
      for (LocalId p : f.params) {
        if (!holds(f.locals[p].type)) continue;
        const Node param = w_.local(lambda->function, p);
        feed(param);
        if (!is_change(f.locals[p].type)) continue;
        for (const nir::Operand& o : c.args) {
          if (o.kind != OperandKind::constant && !is_function(o)) edge(param, node(o.place.root));
        }
      }
    }
    if (!gives) return;
    feed(node(c.to));
    const Type& result = w_.types[c.result];
    if (is_change(c.result) || (result.kind == TypeKind::named && result.decl == w_.decls.entry) ||
        (result.kind == TypeKind::nullable && is_change(result.args[0]))) {
      for (Node n : from) edge(node(c.to), n);
    }
    // What it makes of what it was given to own, and what comes from nowhere, nothing else keeps. An empty container
    // holds nothing.
    const bool is_made =
        std::any_of(c.args.begin(), c.args.end(), [&](const nir::Operand& o) { return is_owner(o) && !holds(o.type); });
    const bool is_empty = result.kind == TypeKind::named && is_container(result.decl) && c.args.empty();
    if (!is_empty && (is_made || !has_source)) keep(node(c.to));
  }

  World& w_;
  Flows& out_;
  const FunctionId id_;
  const nir::Function& f_;
  std::unordered_map<std::uint32_t, const nir::MakeClosure*> closures_;  // by local
};

}  // namespace

Flows flows(World& w) {
  Flows out;
  for (std::size_t i = 0; i < w.module.functions.size(); ++i) FunctionFlows(w, out, FunctionId(i)).collect();
  return out;
}

}  // namespace nikaia::lang::views
