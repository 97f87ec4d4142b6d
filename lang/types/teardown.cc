#include "lang/types/teardown.h"

#include <algorithm>

namespace nikaia::lang {
namespace {

class Walk {
 public:
  Walk(TypeTable& types, const Declarations& decls) : types_(types), decls_(decls) {}

  void walk(TypeId id) {
    if (!id.valid() || std::find(seen_.begin(), seen_.end(), id) != seen_.end()) return;
    seen_.push_back(id);
    const Type type = types_[id];
    switch (type.kind) {
      case TypeKind::tuple:
      case TypeKind::nullable:
      case TypeKind::array:
        for (TypeId a : type.args) walk(a);
        return;
      case TypeKind::named: return named(type);
      case TypeKind::param: found.params.emplace_back(type.index); return;
      default: return;
    }
  }

  Teardown found;

 private:
  void named(const Type& type) {
    const TypeDecl& decl = decls_.types[type.decl];
    if (decl.cleanup.valid()) found.cleanups.push_back(decl.cleanup);
    found.has_drop = found.has_drop || decl.drop.valid();
    found.has_library_cleanup = found.has_library_cleanup || decl.library.has_cleanup;
    if (decl.is_of_library()) {
      if (type.decl == decls_.task_handle) return;  // dropping a handle leaves its task alone
      for (TypeId a : type.args) walk(a);
      return;
    }
    auto put_in = [&](TypeId t) {
      return types_.substitute(t, [&](TypeParamId param) {
        for (std::size_t i = 0; i < decl.params.size() && i < type.args.size(); ++i) {
          if (decl.params[i] == param) return type.args[i];
        }
        return TypeId();
      });
    };
    for (const FieldInfo& f : decl.fields) walk(put_in(f.type));
    for (const VariantInfo& v : decl.variants) {
      for (const FieldInfo& part : v.parts) walk(put_in(part.type));
    }
  }

  TypeTable& types_;
  const Declarations& decls_;
  std::vector<TypeId> seen_;
};

}  // namespace

Teardown teardown_of(TypeTable& types, const Declarations& decls, TypeId type) {
  Walk w(types, decls);
  w.walk(type);
  return std::move(w.found);
}

}  // namespace nikaia::lang
