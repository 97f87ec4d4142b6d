// The pass `contracts`: which parameters a function keeps, which function values it stores, which names of patterns
// take what they match, which lambdas are kept (03 §2.2, §2.5; 02 §8.3).
//
// All of it is one question, whether a value is kept past the place it is used in, asked of many things that depend on
// each other: an argument is kept where its parameter is, a parameter where a use of it is, what a lambda captures
// where the lambda is, the subject of a match where a name of a pattern takes its part. One walk of each body
// (keeping.h) writes these dependencies as edges of a graph; the answers are what can be reached from the places that
// keep for certain (flow.h). That is the least solution, so recursion and the order of functions do not matter.
//
// A method of a trait has one contract, the join of all its implementations: whoever calls through a bound passes
// arguments one way.
//
// A use that nothing resolves keeps. Cost: linear in the program.
#include <nikaia/pass.h>

#include "passes/contracts/keeping.h"

namespace nikaia::lang::contracts {

namespace {

void number_nodes(World& w) {
  w.keeps = IdVector<FnId, Node>(w.decls.fns.size());
  for (std::uint32_t f = 0; f < w.decls.fns.size(); ++f) {
    w.keeps[FnId(f)] = w.graph.add_nodes(w.decls.fns[FnId(f)].params.size());
  }
  const std::size_t files = w.source.trees.size();
  w.takes = IdVector<FileId, Node>(files);
  w.away = w.takes;
  w.kept = w.takes;
  w.asked = IdVector<FileId, IdVector<ast::ExprId, Node>>(files);
  for (std::uint32_t f = 0; f < files; ++f) {
    const FileId file(f);
    w.takes[file] = w.graph.add_nodes(w.names[file].locals.size());
    w.away[file] = w.graph.add_nodes(w.names[file].locals.size());
    w.kept[file] = w.graph.add_nodes(w.source.trees[file].exprs.size());
    w.asked[file] = IdVector<ast::ExprId, Node>(w.source.trees[file].exprs.size(), KeepGraph::never);
  }
}

// A trait's signature and the methods of its impls keep the same.
void join_traits(World& w) {
  for (std::uint32_t f = 0; f < w.decls.fns.size(); ++f) {
    const FnDecl& method = w.decls.fns[FnId(f)];
    if (!method.trait.valid() || method.is_signature) continue;
    const auto& signatures = w.decls.traits[method.trait].methods;
    auto it = signatures.find(method.name);
    if (it == signatures.end()) continue;
    const std::size_t count = std::min(method.params.size(), w.decls.fns[it->second].params.size());
    for (Node i = 0; i < count; ++i) {
      w.graph.imply(w.keeps[FnId(f)] + i, w.keeps[it->second] + i);
      w.graph.imply(w.keeps[it->second] + i, w.keeps[FnId(f)] + i);
    }
  }
}

void walk_bodies(World& w, PassContext& context) {
  for (const Package& package : w.decls.packages) {
    for (FileId file : package.files) {
      BodyWalk walk(w, file);
      const ast::Tree& tree = w.source.trees[file];
      for (std::uint32_t i = 0; i < tree.items.size(); ++i) {
        const ast::ItemId item(i);
        if (const FnId fn = w.names[file].fn_of[item]; fn.valid()) {
          context.looking_at(w.source.names.text(w.decls.fns[fn].name), w.source.sources.path(file));
          walk.walk_function(fn);
        } else if (w.source.options.with_tests && std::holds_alternative<ast::TestItem>(tree.items[item].node)) {
          walk.walk_test(item);
        }
      }
    }
  }
}

void write_answers(const World& w, Contracts& out) {
  out.keeps.resize(w.decls.fns.size());
  out.detached.resize(w.decls.fns.size());
  for (std::uint32_t f = 0; f < w.decls.fns.size(); ++f) {
    const FnId id(f);
    const FnDecl& fn = w.decls.fns[id];
    for (Node i = 0; i < fn.params.size(); ++i) {
      const ParamInfo& param = fn.params[i];
      const bool is_kept = fn.key.empty() ? w.graph.is_kept(w.keeps[id] + i) : param.is_kept;
      const bool is_code = param.type.valid() && w.table.kind(param.type) == TypeKind::function;
      out.keeps[id].push_back(is_kept);
      out.detached[id].push_back(is_code && (is_kept || param.is_detached));
    }
  }
  out.trees.resize(w.source.trees.size());
  for (std::uint32_t f = 0; f < w.source.trees.size(); ++f) {
    const FileId file(f);
    Contracts::PerTree& tree = out.trees[file];
    tree.takes.resize(w.names[file].locals.size());
    tree.taken.resize(w.names[file].locals.size());
    for (std::uint32_t l = 0; l < w.names[file].locals.size(); ++l) {
      const bool is_pattern = w.names[file].locals[LocalId(l)].kind == LocalKind::pattern;
      tree.taken[LocalId(l)] = w.graph.is_kept(w.takes[file] + l);
      tree.takes[LocalId(l)] = is_pattern && tree.taken[LocalId(l)];
    }
    const std::size_t exprs = w.source.trees[file].exprs.size();
    tree.is_kept.resize(exprs);
    tree.is_kept_value.resize(exprs);
    for (std::uint32_t e = 0; e < exprs; ++e) {
      tree.is_kept[ast::ExprId(e)] = w.graph.is_kept(w.kept[file] + e);
      tree.is_kept_value[ast::ExprId(e)] = w.graph.is_kept(w.asked[file][ast::ExprId(e)]);
    }
  }
}

void run(PassContext& context) {
  World w{context.compilation(),
          context.require(declarations_fact),
          context.require(names_fact),
          context.require(types_fact),
          context.types(),
          {},
          {},
          {},
          {},
          {},
          {}};
  Contracts& out = context.provide(contracts_fact);
  number_nodes(w);
  join_traits(w);
  walk_bodies(w, context);
  w.graph.solve();
  write_answers(w, out);
}

constexpr const char* requires_[] = {"declarations@1", "names@1", "types@1", nullptr};
constexpr const char* provides[] = {"contracts@1", nullptr};

const Pass passes[] = {{
    .name = "contracts",
    .purpose = "infers which parameters a function keeps and which lambdas and parts are handed over",
    .version = NIKAIA_VERSION,
    .kind = PassKind::analysis,
    .stage = PassStage::tree,
    .is_optional = false,
    .requires_facts = requires_,
    .provides_facts = provides,
    .changes_facts = nullptr,
    .codes = nullptr,
    .options = nullptr,
    .produces_cpp = false,
    .run = run,
}};

}  // namespace

}  // namespace nikaia::lang::contracts

namespace {
using nikaia::lang::contracts::passes;
}

NIKAIA_PASS_PLUGIN(passes)
