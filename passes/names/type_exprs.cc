// Written types and traits become `TypeId`s and `TraitId`s. Every type expression is looked up once and kept in the
// file's table.
#include "passes/names/paths.h"

namespace nikaia::lang::naming {

namespace {

class TypeResolver {
 public:
  TypeResolver(Program& program, const TypeScope& scope)
      : p_(program), scope_(scope), tree_(program.tree(scope.file)) {}

  TypeId resolve(ast::TypeExprId id) {
    const TypeId type = of(tree_.types[id]);
    p_.facts[scope_.file].types[id] = type;
    return type;
  }

  // Of a cast: a single name that is no type is left to the pass that knows what a cast may name.
  TypeId resolve_quietly(ast::TypeExprId id) {
    const ast::TypeExpr& t = tree_.types[id];
    const auto segments = tree_.list(t.path.segments);
    if (t.kind == ast::TypeExprKind::path && segments.size() == 1 && t.args.empty()) {
      const Name name = segments[0].name;
      const bool is_known = p_.basic_types.count(name) || p_.in_prelude(name).kind == Entity::Kind::type ||
                            p_.in_package(p_.files[scope_.file].package, name).kind == Entity::Kind::type ||
                            is_param(name) || name == p_.self_type_name;
      if (!is_known) return TypeId();
    }
    return resolve(id);
  }

 private:
  bool is_param(Name name) const {
    for (TypeParamId param : scope_.params) {
      if (p_.decls.type_params[param].name == name) return true;
    }
    return false;
  }

  TypeId error() const { return p_.types.basic(TypeKind::error); }

  TypeId of(const ast::TypeExpr& t) {
    switch (t.kind) {
      case ast::TypeExprKind::path: return of_path(t);
      case ast::TypeExprKind::ref: return p_.types.ref(resolve(t.inner));
      case ast::TypeExprKind::nullable: return p_.types.nullable(resolve(t.inner));
      case ast::TypeExprKind::tuple: return p_.types.tuple(all(t.args));
      case ast::TypeExprKind::paren: return resolve(t.inner);
      case ast::TypeExprKind::function: {
        std::vector<TypeId> params = all(t.args);
        const TypeId result = t.result.valid() ? resolve(t.result) : p_.types.basic(TypeKind::unit);
        return p_.types.function(std::move(params), result, t.is_sync, t.is_throws);
      }
      case ast::TypeExprKind::number:
        p_.sink.error(Code::NK1926, t.span, "This type", "no number", "is " + std::to_string(t.number), "")
            .help("Only `Array[T, N]` takes a number, its length.");
        return error();
      case ast::TypeExprKind::error: break;
    }
    return error();
  }

  std::vector<TypeId> all(ast::List<ast::TypeExprId> list) {
    std::vector<TypeId> types;
    types.reserve(list.count);
    for (ast::TypeExprId id : tree_.list(list)) types.push_back(resolve(id));
    return types;
  }

  bool is_array(const ast::TypeExpr& t) const {
    const auto segments = tree_.list(t.path.segments);
    return segments.size() == 1 && p_.text(segments[0].name) == "Array" && !is_param(segments[0].name) &&
           p_.in_package(p_.files[scope_.file].package, segments[0].name).kind != Entity::Kind::type;
  }

  TypeId of_path(const ast::TypeExpr& t) {
    if (is_array(t)) return of_array(t);
    const Denoted d = walk_path(p_, scope_, t.path, Wanted::type);
    switch (d.kind) {
      case Denoted::Kind::type: return of_decl(TypeDeclId(d.index), d, t);
      case Denoted::Kind::basic: return takes(t, p_.type_text(d.type), {}) ? d.type : error();
      case Denoted::Kind::type_param: {
        const TypeParamId param(d.index);
        return takes(t, std::string(p_.text(p_.decls.type_params[param].name)), {}) ? p_.types.param(param) : error();
      }
      case Denoted::Kind::trait: {
        const auto segments = tree_.list(t.path.segments);
        p_.sink.error(Wording::NK1135_not_a_type, t.path.span, p_.text(segments.back().name));
        break;
      }
      case Denoted::Kind::nothing: break;
      default: {
        const auto segments = tree_.list(t.path.segments);
        p_.sink.error(Code::NK1135, t.path.span, p_.text(segments.back().name))
            .help("A type is wanted here; `" + std::string(p_.text(segments.back().name)) + "` is none.");
        break;
      }
    }
    for (ast::TypeExprId arg : tree_.list(t.args)) {
      if (tree_.types[arg].kind != ast::TypeExprKind::number) resolve(arg);
    }
    return error();
  }

  TypeId of_decl(TypeDeclId id, const Denoted& d, const ast::TypeExpr& t) {
    if (d.type.valid() && t.args.empty()) return d.type;  // `Self`
    std::vector<std::string_view> params;
    for (TypeParamId param : p_.decls.types[id].params) params.push_back(p_.text(p_.decls.type_params[param].name));
    if (!takes(t, std::string(p_.text(p_.decls.types[id].name)), params)) return error();
    if (p_.decls.types[id].sequence.valid()) return p_.decls.types[id].sequence;
    return p_.types.named(id, all(t.args));
  }

  // Whether as many type arguments stand here as are declared (NK1926).
  bool takes(const ast::TypeExpr& t, const std::string& name, const std::vector<std::string_view>& params) {
    const std::size_t given = t.args.count;
    if (given == params.size()) return true;
    std::string declared = name;
    for (std::size_t i = 0; i < params.size(); ++i) declared += (i ? ", " : "[") + std::string(params[i]);
    if (!params.empty()) declared += ']';
    auto count = [](std::size_t n) {
      return n == 0 ? std::string("no types") : std::to_string(n) + (n == 1 ? " type" : " types");
    };
    const std::string here = given == 0 ? "are none" : given == 1 ? "is 1" : "are " + std::to_string(given);
    p_.sink.error(Code::NK1926, t.span, name, count(params.size()), here, declared);
    for (ast::TypeExprId arg : tree_.list(t.args)) {
      if (tree_.types[arg].kind != ast::TypeExprKind::number) resolve(arg);
    }
    return false;
  }

  TypeId of_array(const ast::TypeExpr& t) {
    const auto args = tree_.list(t.args);
    const bool has_length = args.size() == 2 && tree_.types[args[1]].kind == ast::TypeExprKind::number;
    if (args.size() != 1 && !has_length) {
      p_.sink.error(Code::NK1926, t.span, "Array", "a type and a length",
                    args.empty() ? "is neither" : "is something else", "Array[T, 4]");
      return error();
    }
    const TypeId element = resolve(args[0]);
    return p_.types.array(element, has_length ? tree_.types[args[1]].number : Type::unsized);
  }

  Program& p_;
  const TypeScope& scope_;
  const ast::Tree& tree_;
};

}  // namespace

TypeId resolve_type(Program& program, const TypeScope& scope, ast::TypeExprId id, bool is_quiet) {
  TypeResolver resolver(program, scope);
  return is_quiet ? resolver.resolve_quietly(id) : resolver.resolve(id);
}

TraitId resolve_trait(Program& p, const TypeScope& scope, const ast::Path& path) {
  const Denoted d = walk_path(p, scope, path, Wanted::trait);
  if (d.kind == Denoted::Kind::trait) return TraitId(d.index);
  if (d.found()) {
    const auto segments = p.tree(scope.file).list(path.segments);
    p.sink.error(Wording::NK1135_not_a_trait, path.span, p.text(segments.back().name));
  }
  return {};
}

}  // namespace nikaia::lang::naming
