// The pass `instantiate`: generic NIR to monomorphic NIR.
//
// Starts from every function without type parameters and follows calls; each (function, type arguments) met
// for the first time becomes a copy with the arguments put in, its closures with it. A call through a bound
// names the trait's signature; with the receiver's type known it becomes a call of the method that the type's
// `impl` gives. Cost: in proportion to the code that comes out.
#include <map>
#include <optional>
#include <set>

#include <nikaia/pass.h>

#include "lang/compilation.h"
#include "lang/facts/names.h"
#include "lang/nir/nir.h"

namespace nikaia::lang::instantiate {
namespace {

using nir::Function;
using nir::FunctionId;

class Instantiation {
 public:
  explicit Instantiation(PassContext& context)
      : context_(context),
        decls_(context.require(declarations_fact)),
        in_(context.require(nir_fact)),
        out_(context.provide(mono_fact)),
        table_(context.types()) {}

  void run() {
    out_.sites = in_.sites;
    for (std::size_t i = 0; i < in_.functions.size(); ++i) {
      const Function& f = in_.functions[FunctionId(i)];
      if (f.kind == nir::FunctionKind::fn && f.source.valid()) by_source_.emplace(f.source.index, FunctionId(i));
    }
    for (const auto& [source, id] : by_source_) {
      const Function& f = in_.functions[id];
      if (!f.type_params.empty()) continue;
      FunctionId made = instance(FnId(source), {});
      if (id == in_.main) out_.main = made;
    }
    while (!pending_.empty()) {
      auto [from, to, args] = std::move(pending_.back());
      pending_.pop_back();
      copy(from, to, args);
    }
  }

 private:
  struct Pending {
    FunctionId from, to;
    std::vector<TypeId> args;
  };

  FunctionId instance(FnId fn, const std::vector<TypeId>& args) {
    std::vector<std::uint32_t> key{fn.index};
    for (TypeId a : args) key.push_back(a.index);
    auto [it, is_new] = instances_.try_emplace(std::move(key));
    if (!is_new) return it->second;
    auto from = by_source_.find(fn.index);
    if (from == by_source_.end()) return {};
    it->second = out_.functions.add({});
    pending_.push_back({from->second, it->second, args});
    return it->second;
  }

  TypeId put(TypeId type, const Function& f, const std::vector<TypeId>& args) {
    if (!type.valid() || args.empty()) return type;
    return table_.substitute(type, [&](TypeParamId p) {
      for (std::size_t i = 0; i < f.type_params.size() && i < args.size(); ++i) {
        if (f.type_params[i] == p) return args[i];
      }
      return TypeId{};
    });
  }

  // The method that `type` has for the trait's `signature`, with the type arguments of its impl.
  std::optional<std::pair<FnId, std::vector<TypeId>>> implementation(FnId signature, TypeId type) {
    const FnDecl& wanted = decls_.fns[signature];
    for (const ImplDecl& impl : decls_.impls) {
      if (!(impl.trait == wanted.trait)) continue;
      std::vector<TypeId> args(impl.params.size());
      if (!matches(impl.type, type, impl.params, args)) continue;
      auto it = impl.methods.find(wanted.name);
      if (it != impl.methods.end()) return std::pair{it->second, args};
    }
    return std::nullopt;
  }

  bool matches(TypeId pattern, TypeId type, const std::vector<TypeParamId>& params, std::vector<TypeId>& args) {
    const Type& p = table_[pattern];
    if (p.kind == TypeKind::param) {
      for (std::size_t i = 0; i < params.size(); ++i) {
        if (params[i].index != p.index) continue;
        if (args[i].valid()) return args[i] == type;
        args[i] = type;
        return true;
      }
    }
    if (pattern == type) return true;
    const Type& t = table_[type];
    if (p.kind != t.kind || !(p.decl == t.decl) || p.args.size() != t.args.size() || p.length != t.length) return false;
    for (std::size_t i = 0; i < p.args.size(); ++i) {
      if (!matches(p.args[i], t.args[i], params, args)) return false;
    }
    return !p.args.empty();
  }

  void copy(FunctionId from, FunctionId to, const std::vector<TypeId>& args) {
    Function f = in_.functions[from];
    context_.looking_at(f.name, f.file.valid() ? context_.compilation().sources.path(f.file) : std::string_view());
    const auto sub = [&](TypeId& t) { t = put(t, in_.functions[from], args); };
    sub(f.result);
    for (nir::Local& l : f.locals) {
      sub(l.type);
      note_teardown(l.type);
    }
    for (nir::Instr& i : f.instrs) copy_node(i.node, from, args, to);
    f.type_args = args;
    f.made_of = from;
    if (!args.empty()) f.type_params.clear();
    out_.functions[to] = std::move(f);
  }

  // Where a value of the type may die, what its generic parts run as they die has to be there.
  void note_teardown(TypeId id) {
    if (!id.valid() || !torn_down_.insert(id.index).second) return;
    const Type type = table_[id];  // a copy: interning moves the table
    for (TypeId a : type.args) note_teardown(a);
    if (type.kind != TypeKind::named || decls_.types[type.decl].is_of_library()) return;
    const TypeDecl& decl = decls_.types[type.decl];
    const auto part = [&](const FieldInfo& f) {
      note_teardown(table_.substitute(f.type, [&](TypeParamId p) {
        for (std::size_t i = 0; i < decl.params.size() && i < type.args.size(); ++i) {
          if (decl.params[i] == p) return type.args[i];
        }
        return TypeId{};
      }));
    };
    for (const FieldInfo& f : decl.fields) part(f);
    for (const VariantInfo& v : decl.variants) {
      for (const FieldInfo& f : v.parts) part(f);
    }
    if (type.args.empty()) return;
    if (decl.drop.valid()) instance(decl.drop, type.args);
    if (decl.cleanup.valid()) instance(decl.cleanup, type.args);
  }

  void copy_place(nir::Place& p, FunctionId from, const std::vector<TypeId>& args) {
    for (nir::Projection& x : p.path) x.type = put(x.type, in_.functions[from], args);
  }

  void copy_operand(nir::Operand& o, FunctionId from, const std::vector<TypeId>& args) {
    o.type = put(o.type, in_.functions[from], args);
    copy_place(o.place, from, args);
    if (auto* fn = std::get_if<nir::ConstFn>(&o.constant)) {
      for (TypeId& t : fn->type_args) t = put(t, in_.functions[from], args);
      if (fn->fn.valid() && decls_.fns[fn->fn].key.empty())
        instance(fn->fn, {fn->type_args.begin(), fn->type_args.end()});
    }
  }

  void copy_closure(nir::MakeClosure& c, FunctionId from, const std::vector<TypeId>& args, FunctionId parent) {
    for (nir::Capture& x : c.captures) copy_place(x.place, from, args);
    FunctionId inner = c.function;
    FunctionId made = out_.functions.add({});
    copy(inner, made, args);
    out_.functions[made].parent = parent;
    c.function = made;
  }

  void copy_node(nir::Node& node, FunctionId from, const std::vector<TypeId>& args, FunctionId to) {
    auto operand = [&](nir::Operand& o) { copy_operand(o, from, args); };
    auto place = [&](nir::Place& p) { copy_place(p, from, args); };
    auto type = [&](TypeId& t) { t = put(t, in_.functions[from], args); };
    if (auto* x = std::get_if<nir::Assign>(&node)) {
      place(x->to);
      std::visit(
          [&](auto& v) {
            using V = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<V, nir::Use> || std::is_same_v<V, nir::Unary> ||
                          std::is_same_v<V, nir::Wrap>) {
              operand(v.value);
            } else if constexpr (std::is_same_v<V, nir::Binary>) {
              operand(v.left);
              operand(v.right);
            } else if constexpr (std::is_same_v<V, nir::Cast>) {
              operand(v.value);
              type(v.to);
            } else if constexpr (std::is_same_v<V, nir::IsNull> || std::is_same_v<V, nir::VariantOf>) {
              place(v.place);
            } else if constexpr (std::is_same_v<V, nir::MakeStruct>) {
              type(v.type);
              for (auto& o : v.fields) operand(o);
            } else if constexpr (std::is_same_v<V, nir::MakeVariant>) {
              type(v.type);
              for (auto& o : v.parts) operand(o);
            } else if constexpr (std::is_same_v<V, nir::MakeTuple>) {
              for (auto& o : v.parts) operand(o);
            } else if constexpr (std::is_same_v<V, nir::MakeList>) {
              type(v.type);
              for (auto& o : v.elements) operand(o);
            } else if constexpr (std::is_same_v<V, nir::MakeRange>) {
              operand(v.low);
              operand(v.high);
            } else if constexpr (std::is_same_v<V, nir::ToText>) {
              operand(v.text);
            } else if constexpr (std::is_same_v<V, nir::MapRead>) {
              place(v.map);
              operand(v.key);
            } else if constexpr (std::is_same_v<V, nir::Slice>) {
              place(v.subject);
              operand(v.range);
            } else if constexpr (std::is_same_v<V, nir::MakeClosure>) {
              copy_closure(v, from, args, to);
            } else if constexpr (std::is_same_v<V, nir::Format>) {
              for (auto& p : v.pieces) {
                if (p.is_hole) operand(p.value);
              }
            } else if constexpr (std::is_same_v<V, nir::ErrorIs> || std::is_same_v<V, nir::ErrorAs>) {
              place(v.error);
              type(v.type);
            } else if constexpr (std::is_same_v<V, nir::Member>) {
              place(v.of);
              type(v.type);
            } else if constexpr (std::is_same_v<V, nir::MakeFailure>) {
              operand(v.value);
            }
          },
          x->value);
    } else if (auto* s = std::get_if<nir::Store>(&node)) {
      place(s->to);
      operand(s->value);
    } else if (auto* w = std::get_if<nir::MapWrite>(&node)) {
      place(w->map);
      operand(w->key);
      operand(w->value);
    } else if (auto* c = std::get_if<nir::Call>(&node)) {
      for (auto& o : c->args) operand(o);
      place(c->callee);
      for (TypeId& t : c->type_args) type(t);
      type(c->result);
      if (c->fn.valid() && decls_.fns[c->fn].key.empty()) {
        if (decls_.fns[c->fn].is_signature) through_bound(*c);
        if (decls_.fns[c->fn].key.empty()) instance(c->fn, c->type_args);
      }
    } else if (auto* i = std::get_if<nir::If>(&node)) {
      operand(i->cond);
    } else if (auto* sw = std::get_if<nir::Switch>(&node)) {
      operand(sw->on);
    } else if (auto* ra = std::get_if<nir::Raise>(&node)) {
      operand(ra->error);
    } else if (auto* re = std::get_if<nir::Return>(&node)) {
      operand(re->value);
    } else if (auto* fa = std::get_if<nir::Fail>(&node)) {
      operand(fa->error);
    } else if (auto* pa = std::get_if<nir::Panic>(&node)) {
      operand(pa->text);
    } else if (auto* wa = std::get_if<nir::Walk>(&node)) {
      operand(wa->subject);
    } else if (auto* ov = std::get_if<nir::Overlap>(&node)) {
      for (auto& b : ov->branches) copy_closure(b, from, args, to);
    } else if (auto* sp = std::get_if<nir::Spawn>(&node)) {
      copy_closure(sp->task, from, args, to);
    }
  }

  void through_bound(nir::Call& c) {
    // The type the call is made on: the receiver's, or the first type argument of `T::name(…)`.
    TypeId on;
    const FnDecl& signature = decls_.fns[c.fn];
    if (signature.receiver != ast::Receiver::none && !c.args.empty())
      on = table_.without_ref(c.args[0].type);
    else if (!c.type_args.empty())
      on = c.type_args[0];
    if (!on.valid()) return;
    if (auto found = implementation(c.fn, on)) {
      c.fn = found->first;
      std::vector<TypeId> own(found->second);
      // The method's own parameters follow those of its impl; a signature has only its own.
      own.insert(own.end(), c.type_args.begin(), c.type_args.end());
      c.type_args = std::move(own);
    }
  }

  PassContext& context_;
  const Declarations& decls_;
  const nir::Module& in_;
  nir::Module& out_;
  TypeTable& table_;
  std::map<std::uint32_t, FunctionId> by_source_;
  std::map<std::vector<std::uint32_t>, FunctionId> instances_;
  std::vector<Pending> pending_;
  std::set<std::uint32_t> torn_down_;  // types, by number, whose teardown is there
};

void run(PassContext& context) {
  Instantiation(context).run();
}

constexpr const char* required[] = {"declarations@1", "nir@1", nullptr};
constexpr const char* provided[] = {"mono@1", nullptr};
constexpr Pass passes[] = {{"instantiate", "make generic NIR monomorphic", NIKAIA_VERSION, PassKind::transform,
                            PassStage::nir, false, required, provided, nullptr, nullptr, nullptr, false, run}};

}  // namespace
}  // namespace nikaia::lang::instantiate

NIKAIA_PASS_PLUGIN(nikaia::lang::instantiate::passes)
