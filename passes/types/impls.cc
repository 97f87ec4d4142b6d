// Declarations: an `impl` against its trait (02 §6.2), constructors, and written types of a shape no type has.
#include <algorithm>

#include "passes/types/checker.h"

namespace nikaia::lang::typing {

namespace {

const char* receiver_text(ast::Receiver r) {
  switch (r) {
    case ast::Receiver::value: return "self";
    case ast::Receiver::ref: return "ref self";
    case ast::Receiver::ref_mut: return "ref mut self";
    case ast::Receiver::none: break;
  }
  return "no `self`";
}

Span head_of(Checker& c, const ImplDecl& impl) {
  const auto& item = c.compilation.trees[impl.item.file].items[impl.item.node];
  auto* node = std::get_if<ast::ImplItem>(&item.node);
  return node ? node->head_span : item.span;
}

std::string declared_form(Checker& c, FnId fn) {
  const FnDecl& d = c.decls.fns[fn];
  std::string out = signature_text(c, fn);
  const std::size_t open = out.find('(');
  std::string self = d.receiver == ast::Receiver::none ? "" : receiver_text(d.receiver);
  if (!self.empty() && !(d.params.empty() && d.options.empty())) self += d.params.empty() ? "; " : ", ";
  out.insert(open + 1, self);
  return "fn " + out;
}

// The signature of `fn` as it reads in `impl`: the trait's `Self` and type parameters put in.
bool same_signature(Checker& c, const ImplDecl& impl, FnId declared, FnId given) {
  const FnDecl& d = c.decls.fns[declared];
  const FnDecl& g = c.decls.fns[given];
  if (d.params.size() != g.params.size() || d.options.size() != g.options.size()) return false;
  const TypeParamId self = c.decls.traits[d.trait].self_param;
  // Type parameters of the method itself stand for one another in order.
  std::vector<TypeParamId> own;
  for (TypeParamId p : d.type_params) {
    if (!(p == self)) own.push_back(p);
  }
  if (own.size() + impl.params.size() != g.type_params.size()) return false;
  std::vector<TypeParamId> from(own);
  std::vector<TypeId> to;
  for (std::size_t i = 0; i < own.size(); ++i) to.push_back(c.types.param(g.type_params[impl.params.size() + i]));
  if (self.valid()) {
    from.push_back(self);
    to.push_back(impl.type);
  }
  const auto same = [&](TypeId a, TypeId b) {
    if (!a.valid() || !b.valid()) return true;
    return instantiate(c, a, from, to) == b || c.is_error(b);
  };
  for (std::size_t i = 0; i < d.params.size(); ++i) {
    if (!same(d.params[i].type, g.params[i].type) || d.params[i].is_mut != g.params[i].is_mut) return false;
  }
  for (std::size_t i = 0; i < d.options.size(); ++i) {
    if (!(d.options[i].name == g.options[i].name) || !same(d.options[i].type, g.options[i].type)) return false;
  }
  return same(d.result, g.result);
}

// `impl Cleanup` holds the one method and nothing else (NK2601). True where it was refused.
bool refuse_cleanup(Checker& c, const ImplDecl& impl, const TraitDecl& trait) {
  if (trait.known != TraitDecl::Known::cleanup) return false;
  bool has = false;
  for (const auto& [name, fn] : impl.methods) {
    const FnDecl& d = c.decls.fns[fn];
    if (c.text(name) == "drop") {
      c.sink.error(Wording::NK2601_drop, d.span, spelled(c, impl.type));
      return true;
    }
    const bool right = c.text(name) == "cleanup" && d.receiver == ast::Receiver::ref_mut && d.params.empty() &&
                       d.options.empty() && c.kind(d.result) == TypeKind::unit;
    if (!right) {
      c.sink.error(Code::NK2601, d.span);
      return true;
    }
    has = true;
  }
  if (!has) c.sink.error(Wording::NK2601_missing, head_of(c, impl));
  return !has;
}

void check_impl(Checker& c, const ImplDecl& impl) {
  const TraitDecl& trait = c.decls.traits[impl.trait];
  if (refuse_cleanup(c, impl, trait)) return;
  const std::string trait_name(c.text(trait.name));
  std::vector<Name> declared;
  for (const auto& [name, fn] : trait.methods) declared.push_back(name);
  std::vector<std::pair<std::string, FnId>> missing;
  for (const auto& [name, fn] : trait.methods) {
    if (!impl.methods.contains(name)) missing.emplace_back(std::string(c.text(name)), fn);
  }
  std::vector<std::pair<std::string, FnId>> extra;
  for (const auto& [name, fn] : impl.methods) {
    if (!trait.methods.contains(name)) extra.emplace_back(std::string(c.text(name)), fn);
  }
  const auto by_name = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::sort(missing.begin(), missing.end(), by_name);
  std::sort(extra.begin(), extra.end(), by_name);
  const Span head = head_of(c, impl);
  if (!extra.empty()) {
    const std::string near = near_name(c, extra[0].first, declared);
    if (near.empty()) {
      c.sink.error(Code::NK1130, head, trait_name, extra[0].first, spelled(c, impl.type))
          .label(c.decls.fns[extra[0].second].span, "this one");
    } else {
      c.sink.error(Wording::NK1130_near, head, trait_name, extra[0].first, near)
          .label(c.decls.fns[extra[0].second].span, "this one");
    }
    return;
  }
  if (!missing.empty()) {
    std::string all;
    for (std::size_t i = 0; i < missing.size(); ++i) {
      all += (i == 0 ? "`" : i + 1 == missing.size() ? " and `" : ", `") + missing[i].first + "`";
    }
    c.sink.error(Wording::NK1130_missing, head, trait_name, all, declared_form(c, missing[0].second) + " { … }");
  }
  for (const auto& [name, fn] : impl.methods) {
    auto it = trait.methods.find(name);
    if (it == trait.methods.end()) continue;
    const FnDecl& d = c.decls.fns[it->second];
    const FnDecl& g = c.decls.fns[fn];
    const std::string shown = trait_name + "." + std::string(c.text(name));
    if (d.receiver != g.receiver) {
      c.sink.error(Code::NK1196, g.span, shown, receiver_text(d.receiver), receiver_text(g.receiver));
    } else if (!same_signature(c, impl, it->second, fn)) {
      c.sink.error(Code::NK1928, g.span, shown, declared_form(c, it->second));
    }
  }
}

void check_constructor(Checker& c, const FnDecl& d) {
  if (!d.is_constructor || !d.owner.valid() || !d.item.valid()) return;
  const std::string name(c.text(c.decls.types[d.owner].name));
  if (d.receiver != ast::Receiver::none) {
    c.sink.error(Code::NK1934, d.span, name, std::string("takes `") + receiver_text(d.receiver) + "`");
    return;
  }
  const Type& result = c.types[d.result];
  if (result.kind == TypeKind::error || (result.kind == TypeKind::named && result.decl == d.owner)) return;
  c.sink.error(Code::NK1934, d.span, name,
               result.kind == TypeKind::unit ? std::string("hands nothing back") : "returns " + quoted(c, d.result));
}

// An array without a length outside a parameter (NK1182), anywhere in a written type but behind a `ref`.
void refuse_unsized(Checker& c, const ast::Tree& tree, const TreeNames& names, ast::TypeExprId id) {
  if (!id.valid()) return;
  const ast::TypeExpr& t = tree.types[id];
  const TypeId type = names.types[id];
  if (t.kind == ast::TypeExprKind::ref) return;
  if (t.kind == ast::TypeExprKind::path && type.valid() && c.types.kind(type) == TypeKind::array &&
      c.types[type].length == Type::unsized) {
    c.sink.error(Code::NK1182, t.span, spelled(c, c.types[type].args[0]));
    return;
  }
  if (t.inner.valid()) refuse_unsized(c, tree, names, t.inner);
  if (t.kind == ast::TypeExprKind::function) return;
  for (ast::TypeExprId arg : tree.list(t.args)) {
    if (tree.types[arg].kind != ast::TypeExprKind::number) refuse_unsized(c, tree, names, arg);
  }
}

void check_item_types(Checker& c, const ast::Tree& tree, const TreeNames& names) {
  for (std::size_t i = 0; i < tree.items.size(); ++i) {
    const ast::Item& item = tree.items[ast::ItemId(i)];
    if (auto* s = std::get_if<ast::StructItem>(&item.node)) {
      for (const ast::FieldDecl& f : tree.list(s->fields)) refuse_unsized(c, tree, names, f.type);
    } else if (auto* e = std::get_if<ast::EnumItem>(&item.node)) {
      for (const ast::VariantDecl& v : tree.list(e->variants)) {
        for (ast::TypeExprId t : tree.list(v.types)) refuse_unsized(c, tree, names, t);
        for (const ast::FieldDecl& f : tree.list(v.fields)) refuse_unsized(c, tree, names, f.type);
      }
    } else if (auto* f = std::get_if<ast::FnItem>(&item.node)) {
      refuse_unsized(c, tree, names, f->result);
    }
  }
}

bool is_lock(const Checker& c, const Type& t) {
  return t.kind == TypeKind::named && (t.decl == c.decls.shared_mut || t.decl == c.decls.locked);
}

// `Seen[T]` is written as a field's or a parameter's type and nowhere else (NK1939).
std::vector<bool> places_of_seen(const ast::Tree& tree) {
  std::vector<bool> allowed(tree.types.size(), false);
  for (const ast::Item& item : tree.items) {
    if (auto* s = std::get_if<ast::StructItem>(&item.node)) {
      for (const ast::FieldDecl& f : tree.list(s->fields)) {
        if (f.type.valid()) allowed[f.type.index] = true;
      }
    } else if (auto* f = std::get_if<ast::FnItem>(&item.node)) {
      for (const ast::Param& p : tree.list(f->params)) {
        if (p.type.valid()) allowed[p.type.index] = true;
      }
    }
  }
  for (std::size_t i = 0; i < tree.types.size(); ++i) {
    const ast::TypeExpr& t = tree.types[ast::TypeExprId(i)];
    if (t.kind == ast::TypeExprKind::ref && allowed[i] && t.inner.valid()) allowed[t.inner.index] = true;
  }
  return allowed;
}

void check_written(Checker& c, const ast::TypeExpr& written, TypeId type) {
  if (written.kind != ast::TypeExprKind::path || !type.valid()) return;
  const Type t = c.types[type];
  if (t.kind != TypeKind::named || t.args.empty()) return;
  const Declarations& d = c.decls;
  const Type inner = c.types[t.args[0]];
  const bool is_shared = t.decl == d.shared;
  const bool inner_shared = inner.kind == TypeKind::named && inner.decl == d.shared;
  if ((is_shared && (inner_shared || is_lock(c, inner))) || (t.decl == d.shared_mut && is_lock(c, inner))) {
    const bool lock_inside = is_shared && inner.decl == d.locked;
    const std::string meant = lock_inside ? "SharedMut[" + spelled(c, inner.args[0]) + "]" : spelled(c, t.args[0]);
    c.sink.error(Code::NK1123, written.span, spelled(c, type), meant);
    return;
  }
  const bool hashed = t.decl == d.hash_map || t.decl == d.hash_set;
  const bool ordered = t.decl == d.btree_map || t.decl == d.btree_set;
  if (!hashed && !ordered) return;
  const TypeId key = t.args[0];
  if (c.is_error(key)) return;
  if (!may_be_key(c.types, d, key)) {
    for (TypeId refused : c.refused_keys) {
      if (refused == key) return;
    }
    c.refused_keys.push_back(key);
    c.sink.error(Code::NK1937, written.span, capitalised(described(c, key)));
  } else if (ordered && !sorts(c.types, d, key)) {
    c.sink.error(Code::NK1931, written.span, "Two `" + spelled(c, key) + "`s");
  }
}

}  // namespace

void check_declarations(Checker& c) {
  for (const ImplDecl& impl : c.decls.impls) {
    if (impl.trait.valid() && impl.item.valid()) check_impl(c, impl);
  }
  for (const FnDecl& d : c.decls.fns) check_constructor(c, d);
  for (std::size_t i = 0; i < c.compilation.trees.size() && i < c.all_names.size(); ++i) {
    const ast::Tree& tree = c.compilation.trees[FileId(i)];
    if (!tree.has_syntax_error) check_item_types(c, tree, c.all_names[FileId(i)]);
  }
}

void check_written_types(Checker& c) {
  std::vector<bool> seen_places;
  for (std::size_t i = 0; i < c.tree->types.size(); ++i) {
    const ast::TypeExprId id(i);
    const TypeId type = c.resolved->types[id];
    check_written(c, c.tree->types[id], type);
    if (!type.valid() || !c.is_named(type, c.decls.seen) || c.tree->types[id].kind != ast::TypeExprKind::path) continue;
    if (seen_places.empty()) seen_places = places_of_seen(*c.tree);
    if (!seen_places[i]) c.sink.error(Code::NK1939, c.tree->types[id].span, spelled(c, c.types[type].args[0]));
  }
}

}  // namespace nikaia::lang::typing
