// Which cleanups run where a value dies: its type's, and those of everything it holds (03 §5.2).
#include <algorithm>

#include "passes/effects/events.h"

namespace nikaia::lang::effects {

namespace {

class CleanupWalk {
 public:
  explicit CleanupWalk(const Program& program) : p_(program) {}

  void walk(TypeId id) {
    if (!id.valid() || std::find(seen_.begin(), seen_.end(), id) != seen_.end()) return;
    seen_.push_back(id);
    const Type type = p_.table[id];
    switch (type.kind) {
      case TypeKind::tuple:
      case TypeKind::nullable:
      case TypeKind::array:
        for (TypeId a : type.args) walk(a);
        return;
      case TypeKind::named: named(type); return;
      default: return;
    }
  }

  std::vector<FnId> found;

 private:
  void named(const Type& type) {
    const TypeDecl& decl = p_.decls.types[type.decl];
    if (decl.cleanup.valid()) found.push_back(decl.cleanup);
    if (decl.is_of_library()) {
      if (type.decl == p_.decls.task_handle) return;  // dropping a handle leaves its task alone
      for (TypeId a : type.args) walk(a);
      return;
    }
    auto put_in = [&](TypeId t) {
      return p_.table.substitute(t, [&](TypeParamId param) {
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

  const Program& p_;
  std::vector<TypeId> seen_;
};

}  // namespace

std::vector<FnId> cleanups_of(const Program& program, TypeId type) {
  CleanupWalk walk(program);
  walk.walk(type);
  return std::move(walk.found);
}

}  // namespace nikaia::lang::effects
