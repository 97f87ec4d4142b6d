#include "passes/names/paths.h"

namespace nikaia::lang::naming {

namespace {

using Kind = Denoted::Kind;

Denoted make(Kind kind, std::uint32_t index, std::uint32_t part = 0) {
  Denoted d;
  d.kind = kind;
  d.index = index;
  d.part = part;
  return d;
}

Denoted of_entity(Entity e) {
  switch (e.kind) {
    case Entity::Kind::none: break;
    case Entity::Kind::type: return make(Kind::type, e.index);
    case Entity::Kind::fn: return make(Kind::fn, e.index);
    case Entity::Kind::trait: return make(Kind::trait, e.index);
    case Entity::Kind::comptime: return make(Kind::comptime, e.index);
    case Entity::Kind::grammar: break;  // refused where it is declared
  }
  return {};
}

class PathWalk {
 public:
  PathWalk(Program& program, const TypeScope& scope, const ast::Path& path, Wanted wanted)
      : p_(program),
        scope_(scope),
        path_(path),
        segments_(program.tree(scope.file).list(path.segments)),
        wanted_(wanted) {}

  Denoted walk() {
    if (segments_.empty() || !segments_[0].name.valid()) return {};
    Denoted at = segments_.size() == 1 ? single() : head();
    for (std::size_t i = 1; i < segments_.size() && at.found(); ++i) {
      if (!segments_[i].name.valid()) return {};
      at = step(at, i);
    }
    return at;
  }

 private:
  // A type parameter, `Self`, or a basic type.
  Denoted of_scope(Name name) const {
    for (auto it = scope_.params.rbegin(); it != scope_.params.rend(); ++it) {
      if (p_.decls.type_params[*it].name == name) return make(Kind::type_param, it->index);
    }
    if (name == p_.self_type_name && scope_.self_type.valid()) {
      const Type& self = p_.types[scope_.self_type];
      Denoted d = self.kind == TypeKind::named   ? make(Kind::type, self.decl.index)
                  : self.kind == TypeKind::param ? make(Kind::type_param, self.index)
                                                 : make(Kind::basic, 0);
      d.type = scope_.self_type;
      return d;
    }
    return {};
  }

  Denoted of_basic(Name name) const {
    auto it = p_.basic_types.find(name);
    if (it == p_.basic_types.end()) return {};
    Denoted d = make(Kind::basic, 0);
    d.type = it->second;
    return d;
  }

  // The only segment, where a type or a trait is wanted.
  Denoted single() {
    const ast::Ident& name = segments_[0];
    if (Denoted d = of_scope(name.name); d.found()) return d;
    if (Denoted d = of_entity(p_.in_package(package(), name.name)); is_wanted(d)) return d;
    if (Denoted d = of_basic(name.name); d.found()) return d;
    if (Denoted d = of_entity(p_.in_prelude(name.name)); is_wanted(d)) return checked(d, name);
    if (wanted_ == Wanted::trait) {
      report_unknown_trait(p_, scope_.file, name);
    } else {
      report_unknown_type(p_, scope_, name);
    }
    return {};
  }

  static bool is_wanted(const Denoted& d) { return d.kind == Kind::type || d.kind == Kind::trait; }

  // What stands before the first `::`: functions are not looked for, so that one called like a package hides nothing.
  Denoted head() {
    const ast::Ident& name = segments_[0];
    if (Denoted d = of_scope(name.name); d.found()) return d;
    if (Denoted d = of_entity(p_.in_package(package(), name.name)); is_wanted(d)) return d;
    if (p_.in_package(package(), name.name).kind == Entity::Kind::grammar) return {};
    const auto& prefixes = p_.files[scope_.file].prefixes;
    if (auto it = prefixes.find(name.name); it != prefixes.end()) {
      switch (it->second.kind) {
        case Prefix::Kind::module: return make(Kind::module, it->second.index);
        case Prefix::Kind::package: return make(Kind::package, it->second.index);
        case Prefix::Kind::foreign: return {};  // refused at its `use`
      }
    }
    if (Denoted d = of_basic(name.name); d.found()) return d;
    if (Denoted d = of_entity(p_.in_prelude(name.name)); is_wanted(d)) return checked(d, name);
    report_unknown_head(p_, scope_.file, name, segments_[1]);
    return {};
  }

  Denoted step(const Denoted& before, std::size_t i) {
    const ast::Ident& name = segments_[i];
    switch (before.kind) {
      case Kind::module: return in_namespace(before, p_.in_module(ModuleId(before.index), name.name), i);
      case Kind::package: return in_namespace(before, p_.in_package(PackageId(before.index), name.name), i);
      case Kind::type: return in_type(TypeDeclId(before.index), name);
      case Kind::basic: return in_basic(before.type, name);
      case Kind::type_param: return in_param(TypeParamId(before.index), name);
      case Kind::trait: return in_trait(TraitId(before.index), name);
      case Kind::fn:
      case Kind::variant:
      case Kind::comptime:
      case Kind::param_member:
      case Kind::nothing: break;
    }
    p_.sink.error(Wording::NK1171_near, path_.span, p_.text(segments_[i - 1].name), p_.text(name.name), "")
        .help("Nothing stands behind `" + std::string(p_.text(segments_[i - 1].name)) + "` with `::`; leave it out.");
    return {};
  }

  Denoted in_namespace(const Denoted& before, Entity e, std::size_t i) {
    const Denoted d = of_entity(e);
    const bool is_last = i + 1 == segments_.size();
    const bool fits = d.found() && (is_wanted(d) || (is_last && wanted_ == Wanted::value));
    if (!fits) {
      if (e.kind != Entity::Kind::grammar) {
        report_unknown_member(p_, before, segments_[i - 1], segments_[i], is_last ? wanted_ : Wanted::type);
      }
      return {};
    }
    return checked(d, segments_[i]);
  }

  // Refuses what is there and may not be written: another package's, or not built yet.
  Denoted checked(const Denoted& d, const ast::Ident& name) {
    PackageId owner;
    bool is_pub = true, is_built = true;
    switch (d.kind) {
      case Kind::type: {
        const TypeDecl& t = p_.decls.types[TypeDeclId(d.index)];
        owner = t.package, is_pub = t.is_pub, is_built = !t.is_not_built;
        break;
      }
      case Kind::fn: {
        const FnDecl& f = p_.decls.fns[FnId(d.index)];
        owner = f.package, is_pub = f.is_pub, is_built = !f.is_not_built;
        break;
      }
      case Kind::trait: {
        const TraitDecl& t = p_.decls.traits[TraitId(d.index)];
        owner = t.package, is_pub = t.is_pub, is_built = !t.is_not_built;
        break;
      }
      case Kind::comptime: {
        const ComptimeDecl& c = p_.decls.comptimes[ComptimeId(d.index)];
        owner = c.package, is_pub = c.is_pub;
        break;
      }
      default: return d;
    }
    if (!is_built) {
      p_.not_built(name.span, "`" + std::string(p_.source.sources.text(path_.span)) + "` of the library");
      // A bound that is not there yet stays a bound, so that what it would give is not refused on its own.
      return d.kind == Kind::trait ? d : Denoted();
    }
    return open(owner, is_pub, name) ? d : Denoted();
  }

  bool open(PackageId owner, bool is_pub, const ast::Ident& name) {
    if (p_.is_open(scope_.file, owner, is_pub)) return true;
    p_.sink.error(Code::NK1110, name.span, p_.text(name.name), p_.text(p_.decls.packages[owner].name))
        .primary_label("not open to other packages");
    return false;
  }

  Denoted in_type(TypeDeclId id, const ast::Ident& name) {
    const TypeDecl& t = p_.decls.types[id];
    for (std::size_t v = 0; v < t.variants.size(); ++v) {
      if (t.variants[v].name == name.name) return make(Kind::variant, id.index, static_cast<std::uint32_t>(v));
    }
    if (wanted_ != Wanted::type) {
      if (const FnId fn = member_fn(p_, id, name.name); fn.valid()) return of_fn(fn, name);
    } else if (p_.text(name.name) == "dsl") {
      p_.not_built(path_.span, "drivers of a DSL, `Self::dsl`");
      return {};
    }
    report_unknown_of_type(p_, id, name, path_.span);
    return {};
  }

  Denoted of_fn(FnId fn, const ast::Ident& name) {
    const FnDecl& f = p_.decls.fns[fn];
    if (f.is_not_built) {
      p_.not_built(name.span, "`" + std::string(p_.source.sources.text(path_.span)) + "` of the library");
      return {};
    }
    // A method of an `impl Trait for` is as visible as its trait.
    if (!f.trait.valid() && !open(f.package, f.is_pub, name)) return {};
    return make(Kind::fn, fn.index);
  }

  Denoted in_basic(TypeId type, const ast::Ident& name) {
    if (const FnId fn = member_fn_of_basic(p_, type, name.name); fn.valid() && !p_.decls.fns[fn].is_constructor) {
      return of_fn(fn, name);
    }
    const std::string text = p_.type_text(type);
    if (name.name == p_.new_name) {
      p_.sink.error(Code::NK1149, path_.span, text);
    } else {
      p_.sink.error(Code::NK1171, path_.span, text, p_.text(name.name), "none")
          .help("What `" + text + "` offers is reached with a dot, on a value of it.");
    }
    return {};
  }

  Denoted in_param(TypeParamId param, const ast::Ident& name) {
    const TypeParamDecl& decl = p_.decls.type_params[param];
    // Inside a trait, `Self` has the methods of the trait itself.
    for (std::uint32_t t = 0; t < p_.decls.traits.size(); ++t) {
      if (!(p_.decls.traits[TraitId(t)].self_param == param)) continue;
      if (const FnId fn = method_of(TraitId(t), name.name); fn.valid())
        return make(Kind::param_member, param.index, fn.index);
    }
    for (TraitId bound : decl.bounds) {
      if (const FnId fn = method_of(bound, name.name); fn.valid())
        return make(Kind::param_member, param.index, fn.index);
    }
    for (TraitId bound : decl.bounds) {
      if (p_.decls.traits[bound].is_not_built) return {};
    }
    const std::string_view text = p_.text(decl.name), member = p_.text(name.name);
    if (member == "fields" || member == "variants") {
      const bool is_struct = member == "fields";
      p_.sink.error(Wording::NK1171_needs_bound, path_.span, text, member, is_struct ? "a struct" : "an enum",
                    is_struct ? "Struct" : "Enum");
      return {};
    }
    auto message = p_.sink.error(Code::NK1171, path_.span, text, member, "none");
    message.help(decl.bounds.empty() ? "Ask for a trait that has it where `" + std::string(text) + "` is declared: `[" +
                                           std::string(text) + ": …]`."
                                     : "None of the traits `" + std::string(text) + "` is declared with has it.");
    return {};
  }

  FnId method_of(TraitId trait, Name name) const {
    const auto& methods = p_.decls.traits[trait].methods;
    auto it = methods.find(name);
    return it == methods.end() ? FnId() : it->second;
  }

  Denoted in_trait(TraitId trait, const ast::Ident& name) {
    const TraitDecl& decl = p_.decls.traits[trait];
    const FnId fn = method_of(trait, name.name);
    if (!fn.valid()) {
      p_.sink.error(Code::NK1171, path_.span, p_.text(decl.name), p_.text(name.name), "none")
          .help("Write one of the trait's methods behind `" + std::string(p_.text(decl.name)) + "::`.");
      return {};
    }
    if (decl.known == TraitDecl::Known::drop || decl.known == TraitDecl::Known::cleanup) {
      p_.sink.error(Code::NK2940, name.span, p_.text(name.name));
      return {};
    }
    return make(Kind::fn, fn.index);
  }

  PackageId package() const { return p_.files[scope_.file].package; }

  Program& p_;
  const TypeScope& scope_;
  const ast::Path& path_;
  std::span<const ast::Ident> segments_;
  Wanted wanted_;
};

}  // namespace

Denoted walk_path(Program& program, const TypeScope& scope, const ast::Path& path, Wanted wanted) {
  return PathWalk(program, scope, path, wanted).walk();
}

FnId member_fn(const Program& p, TypeDeclId type, Name name) {
  const TypeDecl& t = p.decls.types[type];
  if (auto it = t.methods.find(name); it != t.methods.end()) return it->second;
  for (ImplId impl : t.impls) {
    const auto& methods = p.decls.impls[impl].methods;
    if (auto it = methods.find(name); it != methods.end()) return it->second;
  }
  return {};
}

FnId member_fn_of_basic(const Program& p, TypeId type, Name name) {
  const char* kind = nullptr;
  switch (p.types.kind(type)) {
    case TypeKind::f64: kind = "f64"; break;
    case TypeKind::bool_: kind = "bool"; break;
    case TypeKind::char_: kind = "char"; break;
    case TypeKind::string: kind = "String"; break;
    case TypeKind::array: kind = "Array"; break;
    default: kind = p.types.is_integer(type) ? "int" : nullptr; break;
  }
  if (!kind) return {};
  auto of_kind = p.decls.builtin_methods.find(kind);
  if (of_kind != p.decls.builtin_methods.end()) {
    if (auto it = of_kind->second.find(name); it != of_kind->second.end()) return it->second;
  }
  for (const ImplDecl& impl : p.decls.impls) {
    if (!(impl.type == type)) continue;
    if (auto it = impl.methods.find(name); it != impl.methods.end()) return it->second;
  }
  return {};
}

}  // namespace nikaia::lang::naming
