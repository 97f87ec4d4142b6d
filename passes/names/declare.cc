// Round 1: every item gets its place in the namespace of its package, in the order of files and positions, so that a
// second declaration of a name is the later one (NK1148). What is not built yet is refused here, once per item.
#include <array>

#include "passes/names/program.h"

namespace nikaia::lang::naming {

namespace {

struct Declared {
  const char* as = "";  // "as a function"
  Span span;
};

Declared declared(const Program& p, Entity e) {
  switch (e.kind) {
    case Entity::Kind::none: break;
    case Entity::Kind::type: {
      const TypeDecl& d = p.decls.types[TypeDeclId(e.index)];
      return {d.kind == TypeDeclKind::enum_ ? "as an enum" : "as a struct", d.span};
    }
    case Entity::Kind::fn: return {"as a function", p.decls.fns[FnId(e.index)].span};
    case Entity::Kind::trait: return {"as a trait", p.decls.traits[TraitId(e.index)].span};
    case Entity::Kind::comptime: return {"as a `comptime`", p.decls.comptimes[ComptimeId(e.index)].span};
    case Entity::Kind::grammar: return {"as a grammar", Span()};
  }
  return {};
}

class ItemDeclarer {
 public:
  ItemDeclarer(Program& program, PackageId package, FileId file) : p_(program), package_(package), file_(file) {}

  void declare(ast::ItemId id) {
    const ast::Item& item = p_.tree(file_).items[id];
    std::visit([&](const auto& node) { add(id, item, node); }, item.node);
  }

 private:
  template <class Decl>
  Decl common(ast::ItemId id, const ast::Item& item, const ast::Ident& name) const {
    Decl d;
    d.name = name.name;
    d.package = package_;
    d.item = {file_, id};
    d.span = name.span;
    d.is_pub = item.is_pub;
    return d;
  }

  void enter(const ast::Ident& ident, Entity entity) {
    if (!ident.name.valid() || p_.refuse_reserved(ident)) return;
    auto [it, is_new] = p_.decls.packages[package_].names.try_emplace(ident.name, entity);
    if (is_new) return;
    const Declared before = declared(p_, it->second);
    const Declared now = declared(p_, entity);
    auto message = p_.sink.error(Code::NK1148, ident.span, p_.text(ident.name), now.as, before.as);
    message.primary_label(std::string("declared again, ") + now.as);
    if (before.span.has_text()) message.label(before.span, std::string("declared here ") + before.as);
  }

  void add(ast::ItemId, const ast::Item&, const ast::ErrorItem&) {}
  void add(ast::ItemId, const ast::Item&, const ast::UseItem&) {}
  void add(ast::ItemId, const ast::Item&, const ast::ImplItem&) {}
  void add(ast::ItemId, const ast::Item&, const ast::TestItem&) {}

  void add(ast::ItemId id, const ast::Item& item, const ast::FnItem& fn) {
    if (fn.is_extern_c) p_.not_built(fn.signature_span, "functions for C, `pub extern \"C\"`");
    const FnId decl = p_.decls.fns.add(common<FnDecl>(id, item, fn.name));
    p_.facts[file_].fn_of[id] = decl;
    enter(fn.name, {Entity::Kind::fn, decl.index});
  }

  void add(ast::ItemId id, const ast::Item& item, const ast::StructItem& s) {
    if (s.is_extern_c) p_.not_built(s.name.span, "structs for C, `pub extern \"C\"`");
    TypeDecl d = common<TypeDecl>(id, item, s.name);
    d.kind = TypeDeclKind::struct_;
    enter(s.name, {Entity::Kind::type, p_.decls.types.add(std::move(d)).index});
  }

  void add(ast::ItemId id, const ast::Item& item, const ast::EnumItem& e) {
    TypeDecl d = common<TypeDecl>(id, item, e.name);
    d.kind = TypeDeclKind::enum_;
    enter(e.name, {Entity::Kind::type, p_.decls.types.add(std::move(d)).index});
  }

  void add(ast::ItemId id, const ast::Item& item, const ast::TraitItem& t) {
    TraitDecl d = common<TraitDecl>(id, item, t.name);
    TypeParamDecl self;
    self.name = p_.self_type_name;
    self.span = t.name.span;
    d.self_param = p_.decls.type_params.add(std::move(self));
    const Entity entity{Entity::Kind::trait, p_.decls.traits.add(std::move(d)).index};
    if (p_.in_prelude(t.name.name).kind == Entity::Kind::trait) {
      p_.sink.error(Wording::NK1148_built_in_trait, t.name.span, p_.text(t.name.name));
      return;
    }
    enter(t.name, entity);
  }

  void add(ast::ItemId id, const ast::Item& item, const ast::ComptimeItem& c) {
    p_.not_built(c.name.span, "values worked out while building, `comptime`");
    const ComptimeId decl = p_.decls.comptimes.add(common<ComptimeDecl>(id, item, c.name));
    enter(c.name, {Entity::Kind::comptime, decl.index});
  }

  void add(ast::ItemId, const ast::Item& item, const ast::ExternItem&) {
    p_.not_built(item.span, "functions of C, `extern \"C\"`");
  }

  void add(ast::ItemId, const ast::Item&, const ast::GrammarItem& g) {
    p_.not_built(g.name.span, "grammars, `grammar`");
    enter(g.name, {Entity::Kind::grammar, 0});
  }

  Program& p_;
  PackageId package_;
  FileId file_;
};

}  // namespace

void declare_items(Program& p) {
  for (const SourcePackage& source : p.source.packages) {
    Package package;
    package.name = p.names.intern(source.name);
    package.root = source.root;
    package.files = source.files;
    package.is_program = source.is_program;
    for (const auto& d : source.dependencies) {
      package.dependencies.emplace(p.names.intern(d.key), PackageId(d.package));
    }
    const PackageId id = p.decls.packages.add(std::move(package));
    for (FileId file : source.files) {
      p.files[file].package = id;
      ItemDeclarer declarer(p, id, file);
      for (ast::ItemId item : p.tree(file).roots) declarer.declare(item);
    }
  }
}

}  // namespace nikaia::lang::naming
