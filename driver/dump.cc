// Behind an emission pass its results; behind a pass on NIR, or one that makes it, the NIR; behind
// a transform of the tree the sources as the tree has them; behind an analysis of the tree the
// facts it provides, a line for each declaration or name they say something about.
#include "driver/dump.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lang/facts/effects.h"
#include "lang/facts/names.h"
#include "lang/facts/typed.h"
#include "lang/nir/text.h"
#include "lang/syntax/printer.h"

namespace nikaia::driver {

using namespace lang;  // NOLINT(google-build-using-namespace): this file reads the compiler's
                       // structures only

namespace {

struct World {
  Compilation& compilation;
  const Declarations& decls;

  [[nodiscard]] std::string type(TypeId id) const { return type_text(compilation.types, decls, compilation.names, id); }
  [[nodiscard]] std::string name(Name id) const { return std::string(compilation.names.text(id)); }
  [[nodiscard]] std::string place(Span span) const {
    if (!span.has_text()) return "";
    const LineColumn at = compilation.sources.line_column(span.file, span.begin);
    return std::string(compilation.sources.path(span.file)) + ":" + std::to_string(at.line) + ":" +
           std::to_string(at.column);
  }
};

// One line of a list of facts: place, what it is about, what is said of it.
std::string line(const std::string& place, const std::string& subject, const std::string& says) {
  return place + "  " + subject + (says.empty() ? "" : "  " + says) + "\n";
}

std::string function_name(const World& world, const FnDecl& fn) {
  std::string text;
  if (fn.owner.valid()) text = world.name(world.decls.types[fn.owner].name) + "::";
  return text + (fn.is_constructor && !fn.name.valid() ? "(constructor)" : world.name(fn.name));
}

// Calls `use` for every function the program declares, in the order of their declaration.
template <typename Use>
void each_function(const World& world, Use use) {
  for (std::size_t i = 0; i < world.decls.fns.size(); ++i) {
    const FnDecl& fn = world.decls.fns[FnId(i)];
    if (fn.package.valid()) use(FnId(i), fn);
  }
}

const char* kind_text(LocalKind kind) {
  switch (kind) {
    case LocalKind::param: return "parameter";
    case LocalKind::option: return "option";
    case LocalKind::self: return "self";
    case LocalKind::let: return "let";
    case LocalKind::for_: return "for";
    case LocalKind::pattern: return "pattern";
    case LocalKind::lambda_param: return "lambda parameter";
    case LocalKind::error: return "error";
    case LocalKind::comptime: return "comptime";
  }
  return "";
}

std::string declarations_text(const World& world) {
  std::string text;
  each_function(world, [&](FnId, const FnDecl& fn) {
    std::string signature = "(";
    for (std::size_t i = 0; i < fn.params.size(); ++i) {
      if (i > 0) signature += ", ";
      signature +=
          (fn.params[i].is_mut ? "mut " : "") + world.name(fn.params[i].name) + ": " + world.type(fn.params[i].type);
    }
    signature += ")";
    if (fn.result.valid()) signature += " -> " + world.type(fn.result);
    text += line(world.place(fn.span), "fn " + function_name(world, fn) + signature, "");
  });
  for (const TypeDecl& type : world.decls.types) {
    if (type.is_of_library()) continue;
    text += line(world.place(type.span), "type " + world.name(type.name), "");
  }
  return text;
}

std::string names_text(const World& world, const Names& names) {
  std::string text;
  for (const TreeNames& tree : names) {
    for (const Local& local : tree.locals) {
      text += line(world.place(local.span), world.name(local.name),
                   std::string(local.is_mut ? "mut " : "") + kind_text(local.kind));
    }
  }
  return text;
}

std::string types_text(const World& world, const Types& types) {
  const Names* names = world.compilation.facts.find(names_fact);
  std::string text;
  for (std::size_t file = 0; names != nullptr && file < types.size(); ++file) {
    const TreeNames& tree = (*names)[FileId(file)];
    const auto& locals = types[FileId(file)].locals;
    for (std::size_t i = 0; i < locals.size() && i < tree.locals.size(); ++i) {
      const Local& local = tree.locals[LocalId(i)];
      const TypeId type = locals[LocalId(i)];
      text += line(world.place(local.span), world.name(local.name), type.valid() ? world.type(type) : "-");
    }
  }
  return text;
}

std::string effects_text(const World& world, const Effects& effects) {
  std::string text;
  each_function(world, [&](FnId id, const FnDecl& fn) {
    if (!effects.fns.contains(id)) return;
    const FnEffects& says = effects.fns[id];
    std::string words = says.may_pause ? "pauses" : "sync";
    if (says.can_fail) words += " throws";
    for (const TypeId error : says.throws) words += " " + world.type(error);
    if (says.throws_open) words += " ?";
    if (says.takes_lock) words += " locks";
    if (says.touches_all) words += " touches-all";
    for (const std::string& touched : says.touches) words += " touches " + touched;
    text += line(world.place(fn.span), function_name(world, fn), words);
  });
  return text;
}

std::string contracts_text(const World& world, const Contracts& contracts) {
  std::string text;
  each_function(world, [&](FnId id, const FnDecl& fn) {
    if (!contracts.keeps.contains(id)) return;
    const std::vector<bool>& keeps = contracts.keeps[id];
    std::string words;
    for (std::size_t i = 0; i < fn.params.size() && i < keeps.size(); ++i) {
      if (!words.empty()) words += ", ";
      words += (keeps[i] ? "keeps " : "borrows ") + world.name(fn.params[i].name);
    }
    text += line(world.place(fn.span), function_name(world, fn), words);
  });
  return text;
}

std::string patterns_text(const Patterns& patterns) {
  std::size_t matches = 0;
  for (const TreePatterns& tree : patterns) {
    for (const std::uint8_t covers : tree.is_exhaustive_without_else) matches += covers;
  }
  return std::to_string(matches) + " matches cover every case without a default\n";
}

std::string fact_text(const World& world, std::string_view fact) {
  const Facts& facts = world.compilation.facts;
  if (fact == declarations_fact.name) return declarations_text(world);
  if (fact == names_fact.name) return names_text(world, *facts.find(names_fact));
  if (fact == types_fact.name) return types_text(world, *facts.find(types_fact));
  if (fact == patterns_fact.name) return patterns_text(*facts.find(patterns_fact));
  if (fact == effects_fact.name) return effects_text(world, *facts.find(effects_fact));
  if (fact == contracts_fact.name) return contracts_text(world, *facts.find(contracts_fact));
  return "(only the plugin that defines this fact knows its form)\n";
}

std::string trees_text(const Compilation& compilation) {
  std::string text;
  for (std::size_t i = 0; i < compilation.trees.size(); ++i) {
    const FileId file(i);
    text += "// " + std::string(compilation.sources.path(file)) + "\n";
    text += syntax::print(compilation.trees[file], compilation.sources, compilation.names);
  }
  return text;
}

}  // namespace

std::string dump_after(const PlacedPass& placed, FrontEnd& front_end) {
  const nikaia::Pass& pass = *placed.pass;
  Compilation& compilation = front_end.compilation;
  std::string text;
  if (pass.kind == PassKind::emission) {
    for (const EmittedFile& file : front_end.results) {
      text += "// " + file.name + "\n" + file.contents;
    }
    return text;
  }
  const Declarations none;
  const Declarations* decls = compilation.facts.find(declarations_fact);
  const World world{compilation, decls != nullptr ? *decls : none};
  const nir::Module* module = compilation.facts.find(mono_fact);
  if (module == nullptr) module = compilation.facts.find(nir_fact);
  const bool on_nir = pass.stage == PassStage::nir || pass.kind == PassKind::transform;
  if (on_nir && module != nullptr) {
    text = nir::print_module({compilation.types, world.decls, compilation.names}, *module);
    return text;
  }
  if (pass.kind == PassKind::transform) return trees_text(compilation);
  for (nikaia::NameList list = pass.provides_facts; list != nullptr && *list != nullptr; ++list) {
    text += "# " + std::string(*list) + "\n" + fact_text(world, *list);
  }
  return text.empty() ? trees_text(compilation) : text;
}

}  // namespace nikaia::driver
