// Round 3: fields, variants, bounds, parameters and results become types. First every type gets its parameters, since a
// written type is checked for their number; then everything that mentions types is read.
#include <unordered_set>

#include "passes/names/paths.h"

namespace nikaia::lang::naming {

void refuse_doubles(Program& p, const std::vector<ast::Ident>& list) {
  std::unordered_map<Name, Span> seen;
  for (const ast::Ident& ident : list) {
    if (ident.is_ignored || !ident.name.valid()) continue;
    auto [it, is_new] = seen.try_emplace(ident.name, ident.span);
    if (!is_new) {
      p.sink.error(Wording::NK1148_in_list, ident.span, p.text(ident.name)).label(it->second, "here before");
    }
  }
}

std::vector<TypeParamId> declare_type_params(Program& p, ast::List<ast::TypeParam> list, TypeScope& scope) {
  const ast::Tree& tree = p.tree(scope.file);
  std::vector<TypeParamId> ids;
  std::vector<ast::Ident> idents;
  for (const ast::TypeParam& param : tree.list(list)) {
    p.refuse_reserved(param.name);
    TypeParamDecl decl;
    decl.name = param.name.name;
    decl.span = param.name.span;
    ids.push_back(p.decls.type_params.add(std::move(decl)));
    scope.params.push_back(ids.back());
    idents.push_back(param.name);
  }
  refuse_doubles(p, idents);
  std::size_t i = 0;
  for (const ast::TypeParam& param : tree.list(list)) {
    std::vector<TraitId> bounds;
    for (const ast::Path& path : tree.list(param.bounds)) {
      if (const TraitId trait = resolve_trait(p, scope, path); trait.valid()) bounds.push_back(trait);
    }
    p.decls.type_params[ids[i++]].bounds = std::move(bounds);
  }
  return ids;
}

namespace {

template <class Node>
const Node& node_of(const Program& p, At<ast::ItemId> item) {
  return std::get<Node>(p.tree(item.file).items[item.node].node);
}

ast::List<ast::TypeParam> generics_of(const Program& p, const TypeDecl& d) {
  return d.kind == TypeDeclKind::enum_ ? node_of<ast::EnumItem>(p, d.item).generics
                                       : node_of<ast::StructItem>(p, d.item).generics;
}

TypeScope scope_of(FileId file, const std::vector<TypeParamId>& params) {
  TypeScope scope;
  scope.file = file;
  scope.params = params;
  return scope;
}

FieldInfo field_of(Program& p, const TypeScope& scope, const ast::FieldDecl& field) {
  if (field.name.name == p.self_name) p.sink.error(Code::NK1119, field.name.span);
  p.refuse_reserved(field.name);
  FieldInfo info;
  info.name = field.name.name;
  info.type = resolve_type(p, scope, field.type);
  info.span = field.name.span;
  info.is_pub = field.is_pub;
  return info;
}

std::vector<FieldInfo> fields_of(Program& p, const TypeScope& scope, ast::List<ast::FieldDecl> list) {
  std::vector<FieldInfo> fields;
  std::vector<ast::Ident> idents;
  for (const ast::FieldDecl& field : p.tree(scope.file).list(list)) {
    fields.push_back(field_of(p, scope, field));
    idents.push_back(field.name);
  }
  refuse_doubles(p, idents);
  return fields;
}

void read_type(Program& p, TypeDeclId id) {
  const At<ast::ItemId> item = p.decls.types[id].item;
  const TypeScope scope = scope_of(item.file, p.decls.types[id].params);
  if (p.decls.types[id].kind == TypeDeclKind::struct_) {
    auto fields = fields_of(p, scope, node_of<ast::StructItem>(p, item).fields);
    p.decls.types[id].fields = std::move(fields);
    return;
  }
  std::vector<ast::Ident> idents;
  std::vector<VariantInfo> variants;
  for (const ast::VariantDecl& v : p.tree(item.file).list(node_of<ast::EnumItem>(p, item).variants)) {
    p.refuse_reserved(v.name);
    VariantInfo info;
    info.name = v.name.name;
    info.kind = v.kind;
    info.span = v.name.span;
    for (ast::TypeExprId type : p.tree(item.file).list(v.types)) {
      FieldInfo part;
      part.type = resolve_type(p, scope, type);
      part.span = p.tree(item.file).types[type].span;
      part.is_pub = true;
      info.parts.push_back(std::move(part));
    }
    for (FieldInfo& part : fields_of(p, scope, v.fields)) {
      part.is_pub = true;
      info.parts.push_back(std::move(part));
    }
    idents.push_back(v.name);
    variants.push_back(std::move(info));
  }
  refuse_doubles(p, idents);
  p.decls.types[id].variants = std::move(variants);
}

void read_trait(Program& p, TraitId id) {
  const At<ast::ItemId> item = p.decls.traits[id].item;
  TypeScope scope = scope_of(item.file, {p.decls.traits[id].self_param});
  scope.self_type = p.types.param(p.decls.traits[id].self_param);
  for (ast::ItemId member : p.tree(item.file).list(node_of<ast::TraitItem>(p, item).signatures)) {
    const auto* fn = std::get_if<ast::FnItem>(&p.tree(item.file).items[member].node);
    if (!fn || !fn->name.name.valid()) continue;
    FnDecl owner;
    owner.package = p.decls.traits[id].package;
    owner.is_pub = p.decls.traits[id].is_pub;
    owner.trait = id;
    owner.is_signature = true;
    owner.type_params = {p.decls.traits[id].self_param};
    owner.self_type = scope.self_type;
    const FnId decl = declare_fn(p, item.file, member, std::move(owner), scope);
    auto [it, is_new] = p.decls.traits[id].methods.try_emplace(fn->name.name, decl);
    if (!is_new) {
      p.sink.error(Code::NK1148, fn->name.span, p.text(fn->name.name), "as a method", "as a method")
          .label(p.decls.fns[it->second].span, "declared here before");
    }
  }
}

}  // namespace

FnId declare_fn(Program& p, FileId file, ast::ItemId item_id, FnDecl decl, const TypeScope& outer) {
  const ast::Tree& tree = p.tree(file);
  const auto& fn = std::get<ast::FnItem>(tree.items[item_id].node);
  TypeScope scope = outer;
  p.refuse_reserved(fn.name);
  decl.name = fn.name.name.valid() ? fn.name.name : p.new_name;
  decl.item = {file, item_id};
  decl.span = fn.name.span;
  decl.receiver = fn.receiver;
  for (TypeParamId param : declare_type_params(p, fn.generics, scope)) decl.type_params.push_back(param);

  std::vector<ast::Ident> idents;
  for (const ast::Param& param : tree.list(fn.params)) {
    p.refuse_reserved(param.name);
    ParamInfo info;
    info.name = param.name.is_ignored ? Name() : param.name.name;
    info.type = resolve_type(p, scope, param.type);
    info.span = param.name.span;
    info.is_mut = param.is_mut;
    decl.params.push_back(std::move(info));
    idents.push_back(param.name);
  }
  for (const ast::OptionParam& option : tree.list(fn.options)) {
    p.refuse_reserved(option.name);
    OptionInfo info;
    info.name = option.name.name;
    info.type = resolve_type(p, scope, option.type);
    info.span = option.name.span;
    info.fallback = {file, option.fallback};
    decl.options.push_back(std::move(info));
    idents.push_back(option.name);
  }
  refuse_doubles(p, idents);
  if (fn.has_spread) p.not_built(fn.spread_name.span, "drivers of a DSL, `...args: Self::dsl`");

  decl.result = fn.result.valid() ? resolve_type(p, scope, fn.result) : p.types.basic(TypeKind::unit);
  decl.says_sync = fn.is_sync;
  decl.says_throws = fn.is_throws;
  for (const ast::Ident& named : tree.list(fn.sync_params)) {
    for (std::size_t i = 0; i < decl.params.size(); ++i) {
      if (decl.params[i].name == named.name) decl.sync_params.push_back(static_cast<std::uint32_t>(i));
    }
  }

  FnId& id = p.facts[file].fn_of[item_id];
  if (id.valid()) {
    p.decls.fns[id] = std::move(decl);
  } else {
    id = p.decls.fns.add(std::move(decl));
  }
  return id;
}

void read_signatures(Program& p) {
  auto is_ours = [](const auto& decl) { return decl.item.valid(); };
  for (std::uint32_t t = 0; t < p.decls.types.size(); ++t) {
    const TypeDeclId id(t);
    if (!is_ours(p.decls.types[id])) continue;
    TypeScope scope = scope_of(p.decls.types[id].item.file, {});
    auto params = declare_type_params(p, generics_of(p, p.decls.types[id]), scope);
    p.decls.types[id].params = std::move(params);
  }
  for (std::uint32_t t = 0; t < p.decls.types.size(); ++t) {
    if (is_ours(p.decls.types[TypeDeclId(t)])) read_type(p, TypeDeclId(t));
  }
  for (std::uint32_t t = 0; t < p.decls.traits.size(); ++t) {
    if (is_ours(p.decls.traits[TraitId(t)])) read_trait(p, TraitId(t));
  }
  for (const Package& package : p.decls.packages) {
    for (FileId file : package.files) {
      for (ast::ItemId item : p.tree(file).roots) {
        const FnId id = p.facts[file].fn_of[item];
        if (!id.valid()) continue;
        declare_fn(p, file, item, p.decls.fns[id], scope_of(file, {}));
      }
    }
  }
}

}  // namespace nikaia::lang::naming
