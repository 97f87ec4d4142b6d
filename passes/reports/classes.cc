// Classes by union and find: a position is a local of a function and one shared type that its value
// holds; two are united where an instruction lets a handle flow from one to the other. A struct or
// a list is one position, whatever its parts, and so is everything that kept function values are
// given and hand back: a class may be wider than it must be, never narrower. Cost: near to one walk
// of the module.
#include "passes/reports/classes.h"

#include <algorithm>
#include <utility>

#include "lang/nir/visit.h"

namespace nikaia::lang::reports {
namespace {

constexpr std::uint32_t no_function = ~std::uint32_t{0};

bool is_shared(const World& w, TypeId type) {
  if (w.types.kind(type) != TypeKind::named) return false;
  const TypeDeclId decl = w.types[type].decl;
  return decl == w.decls.shared || decl == w.decls.shared_mut || decl == w.decls.locked;
}

}  // namespace

Classes::Classes(const World& w) : w_(w), shared_(w, is_shared) {
  unite_all();
}

Classes::Node Classes::node(std::uint32_t function, std::uint32_t local, TypeId type) {
  auto [it, is_new] = nodes_.try_emplace({function, local, type}, static_cast<Node>(parent_.size()));
  if (is_new) parent_.push_back(it->second);
  return it->second;
}

Classes::Node Classes::root(Node n) {
  while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
  return n;
}

void Classes::unite(FunctionId f, NirLocal a, FunctionId g, NirLocal b) {
  if (!a.valid() || !b.valid()) return;
  const std::vector<TypeId> there = shared_.of(w_.function(g).locals[b].type);
  for (TypeId t : shared_.of(w_.function(f).locals[a].type)) {
    if (std::find(there.begin(), there.end(), t) == there.end()) continue;
    const Node x = root(node(f.index, a.index, t)), y = root(node(g.index, b.index, t));
    parent_[std::max(x, y)] = std::min(x, y);
  }
}

void Classes::unite_unknown(FunctionId f, NirLocal local) {
  if (!local.valid()) return;
  for (TypeId t : shared_.of(w_.function(f).locals[local].type)) {
    const Node x = root(node(f.index, local.index, t)), y = root(node(no_function, 0, t));
    parent_[std::max(x, y)] = std::min(x, y);
  }
}

void Classes::cross(FunctionId f, NirLocal local, Span span, const char* by) {
  if (!local.valid()) return;
  for (TypeId t : shared_.of(w_.function(f).locals[local].type))
    crossings_.push_back({node(f.index, local.index, t), {span, by}});
}

template <class F>
void Classes::each_returned(FunctionId function, F&& f) const {
  for (const nir::Instr& i : w_.function(function).instrs) {
    auto* r = std::get_if<nir::Return>(&i.node);
    if (r != nullptr && r->has_value && r->value.kind != OperandKind::constant) f(r->value.place.root);
  }
}

// The parameters of a function, and what it returns.
template <class F>
void Classes::each_interface(FunctionId function, F&& f) const {
  for (NirLocal p : w_.function(function).params) f(p);
  each_returned(function, f);
}

// What a closure that is handed to a call is given and hands back comes from and goes to that
// call's other arguments.
void Classes::unite_interface(FunctionId closure, FunctionId f, const nir::Call& c) {
  each_interface(closure, [&](NirLocal own) {
    unite(closure, own, f, c.to);
    for (const nir::Operand& o : c.args) {
      if (o.kind != OperandKind::constant) unite(closure, own, f, o.place.root);
    }
  });
}

void Classes::unite_closure(FunctionId f, const nir::MakeClosure& c, const char* crosses_by) {
  for (const nir::Capture& x : c.captures) {
    unite(c.function, x.inner, f, x.place.root);
    if (crosses_by == nullptr) continue;
    const Span span = x.place.span.has_text() ? x.place.span : w_.function(c.function).span;
    cross(c.function, x.inner, span, crosses_by);
  }
  if (c.is_kept && crosses_by == nullptr)
    each_interface(c.function, [&](NirLocal own) { unite_unknown(c.function, own); });
}

void Classes::unite_call(FunctionId f, const nir::Instr& i, const nir::Call& c) {
  if (!c.fn.valid()) {
    unite_unknown(f, c.to);
    for (const nir::Operand& o : c.args) {
      if (o.kind != OperandKind::constant) unite_unknown(f, o.place.root);
    }
    return;
  }
  const FnDecl& decl = w_.decls.fns[c.fn];
  if (decl.key.empty()) {
    for (FunctionId callee : by_source_[c.fn.index]) {
      const nir::Function& g = w_.function(callee);
      if (g.type_args != c.type_args) continue;
      for (std::size_t n = 0; n < c.args.size() && n < g.params.size(); ++n) {
        if (c.args[n].kind != OperandKind::constant) unite(f, c.args[n].place.root, callee, g.params[n]);
      }
      each_returned(callee, [&](NirLocal own) { unite(f, c.to, callee, own); });
    }
    return;
  }
  // Of a row nobody knows more than its types.
  for (const nir::Operand& o : c.args) {
    if (o.kind == OperandKind::constant) continue;
    unite(f, c.to, f, o.place.root);
    for (const nir::Operand& other : c.args) {
      if (other.kind != OperandKind::constant) unite(f, o.place.root, f, other.place.root);
    }
    if (decl.key == "Sender.send" && &o != &c.args.front()) cross(f, o.place.root, i.span, "a channel");
  }
}

void Classes::unite_instr(FunctionId f, const nir::Instr& i) {
  NirLocal to;
  if (const Place* written = nir::written_place(i.node)) to = written->root;
  auto* call = std::get_if<nir::Call>(&i.node);
  if (call != nullptr) unite_call(f, i, *call);
  auto* walk = std::get_if<nir::Walk>(&i.node);
  auto* overlap = std::get_if<nir::Overlap>(&i.node);
  const char* crosses_by = std::holds_alternative<nir::Spawn>(i.node)       ? "a task"
                           : overlap != nullptr && !overlap->winner.valid() ? "a branch of an `overlap`"
                                                                            : nullptr;
  nir::visit_uses(
      i.node,
      [&](const nir::Operand& o) {
        if (o.kind == OperandKind::constant || call != nullptr) return;
        unite(f, to, f, o.place.root);
        if (walk == nullptr) return;
        for (NirLocal l : walk->elements) unite(f, l, f, o.place.root);
      },
      [&](const Place& p) {
        if (call == nullptr) unite(f, to, f, p.root);
      },
      [&](const nir::MakeClosure& c) {
        unite_closure(f, c, crosses_by);
        if (overlap == nullptr) return;
        each_interface(c.function, [&](NirLocal own) { unite(c.function, own, f, overlap->to); });
      });
}

void Classes::unite_all() {
  for (std::size_t n = 0; n < w_.module.functions.size(); ++n) {
    const nir::Function& f = w_.function(FunctionId(n));
    if (f.kind == nir::FunctionKind::fn && f.source.valid()) by_source_[f.source.index].push_back(FunctionId(n));
  }
  for (std::size_t n = 0; n < w_.module.functions.size(); ++n) {
    const FunctionId f(n);
    std::unordered_map<std::uint32_t, const nir::MakeClosure*> lambdas;  // by local
    for (const nir::Instr& i : w_.function(f).instrs) {
      auto* a = std::get_if<nir::Assign>(&i.node);
      auto* made = a == nullptr ? nullptr : std::get_if<nir::MakeClosure>(&a->value);
      if (made != nullptr && a->to.is_local()) lambdas[a->to.root.index] = made;
    }
    for (const nir::Instr& i : w_.function(f).instrs) {
      unite_instr(f, i);
      auto* call = std::get_if<nir::Call>(&i.node);
      if (call == nullptr) continue;
      for (const nir::Operand& o : call->args) {
        const auto lambda = o.kind == OperandKind::constant ? lambdas.end() : lambdas.find(o.place.root.index);
        if (lambda == lambdas.end()) continue;
        unite_interface(lambda->second->function, f, *call);
        const std::string& row = w_.row(*call);
        const char* by = row == "Scope.spawn"      ? "a task of a scope"
                         : row.starts_with("Par.") ? "a lambda of `par_iter`"
                                                   : nullptr;
        if (by == nullptr) continue;
        for (const nir::Capture& x : lambda->second->captures) {
          cross(lambda->second->function, x.inner, x.place.span.has_text() ? x.place.span : i.span, by);
        }
      }
    }
  }
}

std::vector<Crossing> Classes::crossings(FunctionId function, NirLocal local, TypeId type) {
  const Node mine = root(node(function.index, local.index, type));
  std::vector<Crossing> found;
  for (const auto& [at, crossing] : crossings_) {
    if (root(at) == mine) found.push_back(crossing);
  }
  std::sort(found.begin(), found.end(), [](const Crossing& a, const Crossing& b) {
    return std::tuple(a.span.file, a.span.begin) < std::tuple(b.span.file, b.span.begin);
  });
  return found;
}

}  // namespace nikaia::lang::reports
