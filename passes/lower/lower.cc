// The pass `lower`: typed trees to NIR, one function at a time. See lowering.h for how.
//
// Cost: one walk of each body; memory in proportion to the tree. It reports nothing.
#include <xxhash.h>

#include "passes/lower/lowering.h"

namespace nikaia::lang::lower {

using namespace ast;

FnId ModuleLowering::push_str() const {
  auto of = decls.builtin_methods.find("String");
  if (of == decls.builtin_methods.end()) return {};
  auto it = of->second.find(compilation.names.find("push_str"));
  return it == of->second.end() ? FnId{} : it->second;
}

// A branch of an `overlap` fails where something in it does that no `catch` of the branch guards.
bool ModuleLowering::branch_fails(FileId file, ExprId e) const {
  return (effects.trees[file].exprs[e] & effect_branch_fails) != 0;
}

std::uint32_t ModuleLowering::add_site(Span span, const std::string& function) {
  const int ordinal = site_ordinals[function]++;
  const std::string seed =
      std::string(compilation.sources.path(span.file)) + '\n' + function + '\n' + std::to_string(ordinal);
  static constexpr char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  std::uint64_t hash = XXH3_64bits(seed.data(), seed.size());
  std::string code = "NK-";
  auto is_taken = [&] { return site_codes.contains(code); };
  for (int i = 0; i < 12 && (i < 3 || is_taken()); ++i, hash >>= 5) code += alphabet[hash & 31];
  site_codes.insert(code);
  out.sites.push_back({span, function, code});
  return static_cast<std::uint32_t>(out.sites.size() - 1);
}

void ModuleLowering::lower_function(FnId id) {
  const FnDecl& decl = decls.fns[id];
  if (!decl.item.valid() || decl.is_signature) return;
  const auto* item = std::get_if<FnItem>(&compilation.trees[decl.item.file].items[decl.item.node].node);
  if (!item || !item->body.valid()) return;
  FnLowering f(*this, decl.item.file, nullptr);
  f.lower_fn(id);
  if (id == decls.main) out.main = f.id_;
  f.finish_closure();
}

namespace {

std::string nir_name(const Compilation& c, const Declarations& decls, const FnDecl& fn) {
  std::string name;
  if (fn.owner.valid())
    name = std::string(c.names.text(decls.types[fn.owner].name)) + "::";
  else if (fn.impl.valid())
    name = type_text(c.types, decls, c.names, decls.impls[fn.impl].type) + "::";
  return name + (fn.is_constructor ? "new" : std::string(c.names.text(fn.name)));
}

}  // namespace

void FnLowering::lower_fn(FnId id) {
  const FnDecl& decl = m_.decls.fns[id];
  const auto& item = std::get<FnItem>(tree_.items[decl.item.node].node);
  fn_.kind = nir::FunctionKind::fn;
  fn_.name = nir_name(m_.compilation, m_.decls, decl);
  fn_.source = id;
  fn_.span = decl.span;
  fn_.type_params = decl.type_params;
  fn_.result = m_.plain(decl.result);
  fn_.can_fail = m_.effects.fns[id].can_fail;
  fn_.may_pause = m_.effects.fns[id].may_pause;
  m_.context.looking_at(fn_.name, m_.compilation.sources.path(file_));
  // About an instruction for ten bytes of source.
  const Span text = tree_.blocks[item.body].span;
  fn_.instrs.reserve((text.end - text.begin) / 10 + 8);
  open_scope();
  if (decl.receiver != Receiver::none) {
    const LocalId self = names_.self_of[decl.item.node];
    const TypeId type = m_.receiver_type(decl);
    NirLocal n = new_local(names_.locals[self].name, type, nir::LocalKind::param, item.receiver_span,
                           decl.receiver == Receiver::ref_mut);
    fn_.params.push_back(n);
    if (needs_drop(type)) scopes_.back().dying.push_back(n);
    const TypeId seen = types_.locals[self];
    bind(self, {n, seen, decl.receiver != Receiver::value && table_.kind(seen) != TypeKind::ref});
  }
  for (std::size_t i = 0; i < decl.params.size(); ++i) {
    const TypeId type = m_.param_type(decl, id, i);
    const LocalId local = names_.params[item.params.begin + i];
    NirLocal n =
        new_local(decl.params[i].name, type, nir::LocalKind::param, decl.params[i].span, decl.params[i].is_mut);
    fn_.params.push_back(n);
    if (needs_drop(type)) scopes_.back().dying.push_back(n);
    if (local.valid()) {
      const TypeId seen = types_.locals[local];
      bind(local, {n, seen, table_.kind(type) == TypeKind::ref && table_.kind(seen) != TypeKind::ref});
    }
  }
  for (std::size_t i = 0; i < decl.options.size(); ++i) {
    const LocalId local = names_.options[item.options.begin + i];
    NirLocal n = new_local(decl.options[i].name, decl.options[i].type, nir::LocalKind::param, decl.options[i].span);
    fn_.params.push_back(n);
    if (needs_drop(decl.options[i].type)) scopes_.back().dying.push_back(n);
    if (local.valid()) bind(local, {n, types_.locals[local], false});
  }
  lower_body(item.body);
}

namespace {

void run(PassContext& context) {
  ModuleLowering m{context,
                   context.compilation(),
                   context.require(declarations_fact),
                   context.require(names_fact),
                   context.require(types_fact),
                   context.require(effects_fact),
                   context.require(contracts_fact),
                   context.types(),
                   context.provide(nir_fact),
                   {},
                   {},
                   {}};
  for (std::size_t i = 0; i < m.decls.fns.size(); ++i) m.lower_function(FnId(i));
}

constexpr const char* required[] = {"declarations@1", "names@1",     "types@1", "patterns@1",
                                    "effects@1",      "contracts@1", nullptr};
constexpr const char* provided[] = {"nir@1", nullptr};

constexpr Pass passes[] = {{"lower", "write typed trees as NIR", NIKAIA_VERSION, PassKind::transform, PassStage::tree,
                            false, required, provided, nullptr, nullptr, nullptr, false, run}};

}  // namespace

}  // namespace nikaia::lang::lower

NIKAIA_PASS_PLUGIN(nikaia::lang::lower::passes)
