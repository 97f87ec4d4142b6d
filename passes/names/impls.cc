// The `impl` blocks: whose methods they hold, and for which types. A bare name in the head that no type in scope has is
// a type parameter of the block (02 §5.1).
#include "passes/names/paths.h"

namespace nikaia::lang::naming {

namespace {

class ImplReader {
 public:
  ImplReader(Program& program, FileId file) : p_(program), file_(file), tree_(program.tree(file)) {}

  void read(ast::ItemId id, const ast::ImplItem& impl) {
    TypeScope scope;
    scope.file = file_;
    ImplDecl decl;
    decl.item = {file_, id};
    decl.package = p_.files[file_].package;
    if (impl.has_trait) {
      decl.trait = resolve_trait(p_, scope, impl.trait);
    } else if (!is_own_type(impl)) {
      return;
    }
    decl.params = declare_head_params(impl, scope);
    decl.type = head_type(impl, scope);
    if (p_.types.kind(decl.type) == TypeKind::error || (impl.has_trait && !decl.trait.valid())) return;
    if (!impl.has_trait && !is_for_all_instances(impl, decl)) return;
    scope.self_type = decl.type;

    const Type& type = p_.types[decl.type];
    const TypeDeclId owner = type.kind == TypeKind::named ? type.decl : TypeDeclId();
    const ImplId impl_id = p_.decls.impls.add(decl);
    if (owner.valid()) p_.decls.types[owner].impls.push_back(impl_id);
    refuse_overlap(impl_id, impl);
    for (ast::ItemId member : tree_.list(impl.members)) read_member(impl_id, owner, member, scope);
    if (decl.trait.valid() && owner.valid()) note_known_trait(impl_id, owner);
  }

 private:
  // An `impl` without a trait is for a type this package declares (NK1209).
  bool is_own_type(const ast::ImplItem& impl) {
    const auto segments = tree_.list(impl.type.segments);
    if (segments.empty() || !segments[0].name.valid()) return false;
    if (segments.size() == 1) {
      const Name name = segments[0].name;
      if (p_.in_package(decl_package(), name).kind == Entity::Kind::type) return true;
      const bool is_known =
          p_.basic_types.count(name) || p_.text(name) == "Array" || p_.in_prelude(name).kind == Entity::Kind::type;
      if (!is_known) {
        TypeScope scope;
        scope.file = file_;
        if (p_.in_package(decl_package(), name).kind == Entity::Kind::trait) {
          p_.sink.error(Wording::NK1135_not_a_type, segments[0].span, p_.text(name));
        } else {
          report_unknown_type(p_, scope, segments[0]);
        }
        return false;
      }
    }
    p_.sink.error(Code::NK1209, impl.type.span, p_.source.sources.text(impl.type.span));
    return false;
  }

  PackageId decl_package() const { return p_.files[file_].package; }

  bool names_a_type(Name name) const {
    return p_.in_package(decl_package(), name).kind == Entity::Kind::type || p_.basic_types.count(name) ||
           p_.in_prelude(name).kind == Entity::Kind::type;
  }

  // Whether a head argument is a parameter of the block, and not a type.
  bool is_param(const ast::HeadArg& arg) const {
    return arg.param.name.name.valid() && !names_a_type(arg.param.name.name);
  }

  std::vector<TypeParamId> declare_head_params(const ast::ImplItem& impl, TypeScope& scope) {
    std::vector<TypeParamId> ids;
    std::vector<ast::Ident> idents;
    for (const ast::HeadArg& arg : tree_.list(impl.args)) {
      if (!is_param(arg)) continue;
      p_.refuse_reserved(arg.param.name);
      TypeParamDecl decl;
      decl.name = arg.param.name.name;
      decl.span = arg.param.name.span;
      ids.push_back(p_.decls.type_params.add(std::move(decl)));
      scope.params.push_back(ids.back());
      idents.push_back(arg.param.name);
    }
    refuse_doubles(p_, idents);
    std::size_t i = 0;
    for (const ast::HeadArg& arg : tree_.list(impl.args)) {
      if (!is_param(arg)) continue;
      std::vector<TraitId> bounds;
      for (const ast::Path& path : tree_.list(arg.param.bounds)) {
        if (const TraitId trait = resolve_trait(p_, scope, path); trait.valid()) bounds.push_back(trait);
      }
      p_.decls.type_params[ids[i++]].bounds = std::move(bounds);
    }
    return ids;
  }

  TypeId error() const { return p_.types.basic(TypeKind::error); }

  TypeId head_type(const ast::ImplItem& impl, const TypeScope& scope) {
    const auto args = tree_.list(impl.args);
    const auto segments = tree_.list(impl.type.segments);
    if (segments.size() == 1 && p_.text(segments[0].name) == "Array" && !names_a_type(segments[0].name)) {
      return array_head(impl, args, scope);
    }
    const Denoted d = walk_path(p_, scope, impl.type, Wanted::type);
    if (d.kind == Denoted::Kind::trait) {
      p_.sink.error(Wording::NK1135_not_a_type, impl.type.span, p_.text(segments.back().name));
      return error();
    }
    if (d.kind == Denoted::Kind::basic && args.empty()) return d.type;
    if (d.kind != Denoted::Kind::type && d.kind != Denoted::Kind::basic) return error();
    const TypeDeclId id(d.index);
    const std::size_t wanted = d.kind == Denoted::Kind::type ? p_.decls.types[id].params.size() : 0;
    if (args.size() != wanted) {
      refuse_count(impl, d, wanted, args.size());
      return error();
    }
    std::vector<TypeId> types;
    for (const ast::HeadArg& arg : args) types.push_back(resolve_type(p_, scope, arg.type));
    return p_.types.named(id, std::move(types));
  }

  void refuse_count(const ast::ImplItem& impl, const Denoted& d, std::size_t wanted, std::size_t given) {
    const std::string name(p_.source.sources.text(impl.type.span));
    std::string declared = name;
    if (d.kind == Denoted::Kind::type) {
      const auto& params = p_.decls.types[TypeDeclId(d.index)].params;
      for (std::size_t i = 0; i < params.size(); ++i) {
        declared += (i ? ", " : "[") + std::string(p_.text(p_.decls.type_params[params[i]].name));
      }
      if (!params.empty()) declared += ']';
    }
    const std::string takes = wanted == 0 ? "no types" : std::to_string(wanted) + (wanted == 1 ? " type" : " types");
    const std::string here = given == 0 ? "are none" : given == 1 ? "is 1" : "are " + std::to_string(given);
    p_.sink.error(Code::NK1926, impl.type.span, name, takes, here, declared);
  }

  TypeId array_head(const ast::ImplItem& impl, std::span<const ast::HeadArg> args, const TypeScope& scope) {
    if (args.size() != 2 || tree_.types[args[1].type].kind != ast::TypeExprKind::number) {
      p_.sink.error(Code::NK1926, impl.type.span, "Array", "a type and a length", "is something else", "Array[T, 4]");
      return error();
    }
    return p_.types.array(resolve_type(p_, scope, args[0].type), tree_.types[args[1].type].number);
  }

  bool is_for_all_instances(const ast::ImplItem& impl, const ImplDecl& decl) {
    for (const ast::HeadArg& arg : tree_.list(impl.args)) {
      if (is_param(arg)) continue;
      p_.sink.error(Code::NK1933, impl.head_span, p_.source.sources.text(impl.type.span), p_.type_text(decl.type));
      return false;
    }
    return true;
  }

  // ---- members ----

  void read_member(ImplId impl_id, TypeDeclId owner, ast::ItemId member, const TypeScope& scope) {
    const auto* fn = std::get_if<ast::FnItem>(&tree_.items[member].node);
    if (!fn) return;
    const ImplDecl impl = p_.decls.impls[impl_id];
    FnDecl base;
    base.package = impl.package;
    base.owner = owner;
    base.trait = impl.trait;
    base.impl = impl_id;
    base.type_params = impl.params;
    base.self_type = impl.type;
    base.is_pub = impl.trait.valid() ? p_.decls.traits[impl.trait].is_pub : tree_.items[member].is_pub;
    base.is_constructor = !fn->name.name.valid() && !impl.trait.valid();
    if (fn->is_extern_c) p_.not_built(fn->signature_span, "functions for C, `pub extern \"C\"`");
    const bool is_constructor = base.is_constructor;
    const FnId id = declare_fn(p_, file_, member, std::move(base), scope);
    if (impl.trait.valid()) {
      enter(p_.decls.impls[impl_id].methods, id);
    } else if (is_constructor) {
      enter_constructor(owner, id, *fn);
    } else {
      p_.decls.impls[impl_id].methods.emplace(fn->name.name, id);
      enter(p_.decls.types[owner].methods, id);
      refuse_new_beside_constructor(owner);
    }
  }

  void enter(std::unordered_map<Name, FnId>& methods, FnId id) {
    const FnDecl& fn = p_.decls.fns[id];
    auto [it, is_new] = methods.try_emplace(fn.name, id);
    if (is_new) return;
    p_.sink.error(Code::NK1148, fn.span, p_.text(fn.name), "as a method", "as a method")
        .primary_label("declared again")
        .label(p_.decls.fns[it->second].span, "declared here before");
  }

  void enter_constructor(TypeDeclId owner, FnId id, const ast::FnItem& fn) {
    TypeDecl& type = p_.decls.types[owner];
    if (type.constructor.valid()) {
      p_.sink
          .error(Wording::NK1148_constructor, fn.name.span.has_text() ? fn.name.span : fn.signature_span,
                 p_.text(type.name))
          .label(p_.decls.fns[type.constructor].span, "declared here before");
      return;
    }
    type.constructor = id;
    refuse_new_beside_constructor(owner);
  }

  // `Type::new` is the constructor's name in the ledger, so a method cannot have it too (02 §2.3).
  void refuse_new_beside_constructor(TypeDeclId owner) {
    const TypeDecl& type = p_.decls.types[owner];
    auto it = type.methods.find(p_.new_name);
    if (!type.constructor.valid() || it == type.methods.end()) return;
    const FnDecl& constructor = p_.decls.fns[type.constructor];
    const FnDecl& method = p_.decls.fns[it->second];
    const bool method_is_later = method.span.file == constructor.span.file ? method.span.begin > constructor.span.begin
                                                                           : method.span.file > constructor.span.file;
    p_.sink.error(Wording::NK1148_constructor, method_is_later ? method.span : constructor.span, p_.text(type.name))
        .label(method_is_later ? constructor.span : method.span, "declared here before");
  }

  // ---- traits the compiler knows, and two impls of one trait ----

  void note_known_trait(ImplId impl_id, TypeDeclId owner) {
    const ImplDecl& impl = p_.decls.impls[impl_id];
    auto method = [&](std::string_view name) {
      auto it = impl.methods.find(p_.names.find(name));
      return it == impl.methods.end() ? FnId() : it->second;
    };
    TypeDecl& type = p_.decls.types[owner];
    const TraitDecl::Known known = p_.decls.traits[impl.trait].known;
    if ((known == TraitDecl::Known::drop || known == TraitDecl::Known::cleanup) && !is_for_every(impl)) {
      const ast::Item& item = p_.tree(impl.item.file).items[impl.item.node];
      std::string every(p_.text(type.name));
      for (std::size_t i = 0; i < type.params.size(); ++i)
        every += (i ? ", " : "[") + std::string(p_.text(p_.decls.type_params[type.params[i]].name));
      p_.sink.error(Wording::NK1900_some_arguments, std::get<ast::ImplItem>(item.node).head_span,
                    p_.text(p_.decls.traits[impl.trait].name), p_.type_text(impl.type), every + "]");
      return;
    }
    switch (known) {
      case TraitDecl::Known::error:
        type.is_error = true;
        type.error_message = method("message");
        break;
      case TraitDecl::Known::drop: type.drop = method("drop"); break;
      case TraitDecl::Known::cleanup: type.cleanup = method("cleanup"); break;
      default: break;
    }
  }

  // Whether it is for every instance of its type: the arguments are its own parameters, in their order.
  bool is_for_every(const ImplDecl& impl) const {
    const std::vector<TypeId>& args = p_.types[impl.type].args;
    if (args.size() != impl.params.size()) return false;
    for (std::size_t i = 0; i < args.size(); ++i) {
      const Type& arg = p_.types[args[i]];
      if (arg.kind != TypeKind::param || arg.index != impl.params[i].index) return false;
    }
    return true;
  }

  // Whether some type is both; a parameter stands for any type.
  bool may_be_one(TypeId a, TypeId b) const {
    const Type& x = p_.types[a];
    const Type& y = p_.types[b];
    if (x.kind == TypeKind::param || y.kind == TypeKind::param) return true;
    if (x.kind != y.kind || !(x.decl == y.decl) || x.length != y.length || x.is_sync != y.is_sync ||
        x.is_throws != y.is_throws || x.args.size() != y.args.size()) {
      return false;
    }
    for (std::size_t i = 0; i < x.args.size(); ++i) {
      if (!may_be_one(x.args[i], y.args[i])) return false;
    }
    return true;
  }

  void refuse_overlap(ImplId id, const ast::ImplItem& item) {
    const ImplDecl& impl = p_.decls.impls[id];
    if (!impl.trait.valid()) return;
    for (std::uint32_t i = 0; i < id.index; ++i) {
      const ImplDecl& other = p_.decls.impls[ImplId(i)];
      if (!(other.trait == impl.trait) || !may_be_one(other.type, impl.type)) continue;
      const auto& before = std::get<ast::ImplItem>(p_.tree(other.item.file).items[other.item.node].node);
      p_.sink.error(Code::NK1929, item.head_span, p_.type_text(impl.type), p_.text(p_.decls.traits[impl.trait].name))
          .label(before.head_span, "the other one");
      return;
    }
  }

  Program& p_;
  FileId file_;
  const ast::Tree& tree_;
};

}  // namespace

void read_impls(Program& p) {
  for (const Package& package : p.decls.packages) {
    for (FileId file : package.files) {
      ImplReader reader(p, file);
      for (ast::ItemId id : p.tree(file).roots) {
        if (const auto* impl = std::get_if<ast::ImplItem>(&p.tree(file).items[id].node)) reader.read(id, *impl);
      }
    }
  }
}

}  // namespace nikaia::lang::naming
