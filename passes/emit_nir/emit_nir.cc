// The pass `emit-nir`: the text of monomorphic NIR, one result `PACKAGE.FILE.nir` per source file.
//
// A result holds the functions written in that file, in order of their numbers, each with its closures behind it;
// the source line stands as a comment where a new one begins. The form is described in lang/nir/text.h. Cost: one
// walk of the module.
#include <algorithm>

#include <nikaia/pass.h>

#include "lang/compilation.h"
#include "lang/facts/names.h"
#include "lang/nir/text.h"

namespace nikaia::lang::emit_nir {
namespace {

std::string stem_of(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  return std::string(path.substr(0, path.rfind('.')));
}

void run(PassContext& context) {
  const Declarations& decls = context.require(declarations_fact);
  const nir::Module& module = context.require(mono_fact);
  const nir::TextWorld world{context.types(), decls, context.names()};
  for (const Package& package : decls.packages) {
    for (FileId file : package.files) {
      const std::string_view path = context.sources().path(file);
      std::vector<nir::FunctionId> here;
      for (std::size_t i = 0; i < module.functions.size(); ++i) {
        if (module.functions[nir::FunctionId(i)].file == file) here.push_back(nir::FunctionId(i));
      }
      context.looking_at("", path);
      std::string text = "// " + std::string(path) + "\n\n";
      text += nir::print_functions(world, module, here, {false, &context.sources()});
      context.write_result(std::string(context.names().text(package.name)) + "." + stem_of(path) + ".nir",
                           std::move(text), path);
    }
  }
}

constexpr const char* required[] = {"declarations@1", "mono@1", nullptr};
constexpr Pass passes[] = {{"emit-nir", "print NIR as text", NIKAIA_VERSION, PassKind::emission, PassStage::nir, true,
                            required, nullptr, nullptr, nullptr, nullptr, false, run}};

}  // namespace
}  // namespace nikaia::lang::emit_nir

NIKAIA_PASS_PLUGIN(nikaia::lang::emit_nir::passes)
