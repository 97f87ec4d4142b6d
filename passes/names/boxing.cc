// Which fields and parts of variants are kept outside their value, because they would hold a value of its own type
// inline (02 §3.2): exactly those whose type lies in the same cycle of the containment graph.
//
// The graph has an edge from a struct or enum to each one it holds inline, through tuples, `T?` and `Array[T, N]`, and
// through the parameters of a generic type that holds them inline. Its strongly connected components are found with
// Tarjan's algorithm. Cost: linear in the declarations, times the rounds until the inline parameters are settled.
#include <algorithm>
#include <functional>

#include "passes/names/program.h"

namespace nikaia::lang::naming {

namespace {

class Boxing {
 public:
  Boxing(Declarations& decls, const TypeTable& types)
      : decls_(decls), types_(types), holds_param_(decls.types.size()) {}

  void run() {
    settle_params();
    find_components();
    for (std::uint32_t t = 0; t < decls_.types.size(); ++t) {
      const TypeDeclId id(t);
      if (decls_.types[id].is_of_library()) continue;
      each_part(id, [&](FieldInfo& part) {
        inline_types(part.type, [&](TypeDeclId held) { part.is_boxed |= component_[held] == component_[id]; });
      });
    }
  }

 private:
  void each_part(TypeDeclId id, const std::function<void(FieldInfo&)>& visit) {
    for (FieldInfo& f : decls_.types[id].fields) visit(f);
    for (VariantInfo& v : decls_.types[id].variants) {
      for (FieldInfo& part : v.parts) visit(part);
    }
  }

  // Every struct and enum that a value of `type` holds inline, itself first, and every type parameter.
  void walk(TypeId type, const std::function<void(TypeDeclId)>& decl,
            const std::function<void(TypeParamId)>& param) const {
    const Type& t = types_[type];
    switch (t.kind) {
      case TypeKind::param: param(TypeParamId(t.index)); return;
      case TypeKind::tuple:
      case TypeKind::nullable:
      case TypeKind::array:
        for (TypeId a : t.args) walk(a, decl, param);
        return;
      case TypeKind::named: {
        if (decls_.types[t.decl].is_of_library()) return;
        decl(t.decl);
        for (std::size_t i = 0; i < t.args.size(); ++i) {
          if (i < holds_param_[t.decl].size() && holds_param_[t.decl][i]) walk(t.args[i], decl, param);
        }
        return;
      }
      default: return;
    }
  }

  void inline_types(TypeId type, const std::function<void(TypeDeclId)>& visit) const {
    walk(type, visit, [](TypeParamId) {});
  }

  // Which parameters of a generic type it holds inline: the least solution.
  void settle_params() {
    for (std::uint32_t t = 0; t < decls_.types.size(); ++t) {
      holds_param_[TypeDeclId(t)].assign(decls_.types[TypeDeclId(t)].params.size(), false);
    }
    for (bool grew = true; grew;) {
      grew = false;
      for (std::uint32_t t = 0; t < decls_.types.size(); ++t) {
        const TypeDeclId id(t);
        const auto& params = decls_.types[id].params;
        if (params.empty() || decls_.types[id].is_of_library()) continue;
        each_part(id, [&](FieldInfo& part) {
          walk(
              part.type, [](TypeDeclId) {},
              [&](TypeParamId p) {
                const auto at = static_cast<std::size_t>(std::find(params.begin(), params.end(), p) - params.begin());
                if (at == params.size() || holds_param_[id][at]) return;
                holds_param_[id][at] = true;
                grew = true;
              });
        });
      }
    }
  }

  // Components of one type that does not hold itself have a number of their own, so that no part of it is boxed: such
  // a type is only reached from itself through an edge, which `each_part` looks at again.
  void find_components() {
    const std::size_t count = decls_.types.size();
    component_ = IdVector<TypeDeclId, std::uint32_t>(count, 0);
    index_ = IdVector<TypeDeclId, std::uint32_t>(count, 0);
    low_ = index_;
    on_stack_ = IdVector<TypeDeclId, std::uint8_t>(count, 0);
    for (std::uint32_t t = 0; t < count; ++t) {
      if (!index_[TypeDeclId(t)]) visit(TypeDeclId(t));
    }
  }

  void visit(TypeDeclId id) {
    index_[id] = low_[id] = ++next_index_;
    stack_.push_back(id);
    on_stack_[id] = 1;
    if (!decls_.types[id].is_of_library()) {
      each_part(id, [&](FieldInfo& part) {
        inline_types(part.type, [&](TypeDeclId held) {
          if (!index_[held]) {
            visit(held);
            low_[id] = std::min(low_[id], low_[held]);
          } else if (on_stack_[held]) {
            low_[id] = std::min(low_[id], index_[held]);
          }
        });
      });
    }
    if (low_[id] != index_[id]) return;
    ++next_component_;
    TypeDeclId member;
    do {
      member = stack_.back();
      stack_.pop_back();
      on_stack_[member] = 0;
      component_[member] = next_component_;
    } while (!(member == id));
  }

  Declarations& decls_;
  const TypeTable& types_;
  IdVector<TypeDeclId, std::vector<bool>> holds_param_;
  IdVector<TypeDeclId, std::uint32_t> component_, index_, low_;
  IdVector<TypeDeclId, std::uint8_t> on_stack_;
  std::vector<TypeDeclId> stack_;
  std::uint32_t next_index_ = 0, next_component_ = 0;
};

}  // namespace

void box_self_holding_parts(Declarations& decls, const TypeTable& types) {
  Boxing(decls, types).run();
}

}  // namespace nikaia::lang::naming
