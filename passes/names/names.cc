// The pass `names`: what the program declares, and what every path, type and name in it denotes.
//
// program.h has the rounds. Cost: each item, type and expression is visited once; a local is found by a walk of the
// names in scope, a declaration by one hash.
#include <nikaia/pass.h>

#include "lang/types/library.h"
#include "passes/names/program.h"

namespace nikaia::lang::naming {

// The function a program starts with (02 §7.1): in the program's package, in the file `main.nika` where it has one.
void find_main(Program& p) {
  if (!p.source.options.needs_main) return;
  for (const Package& package : p.decls.packages) {
    if (!package.is_program || package.files.empty()) continue;
    FileId entry = package.files.front();
    for (FileId file : package.files) {
      const std::string_view path = p.source.sources.path(file);
      if (path == "main.nika" || path.ends_with("/main.nika")) entry = file;
    }
    const Entity e = p.in_package(p.files[entry].package, p.names.intern("main"));
    if (e.kind != Entity::Kind::fn || !(p.decls.fns[FnId(e.index)].item.file == entry)) {
      p.sink.error(Code::NK1951, Span::whole_file(entry));
      continue;
    }
    const FnDecl& main = p.decls.fns[FnId(e.index)];
    const char* trouble = nullptr;
    if (!main.type_params.empty()) {
      trouble = "choose its types";
    } else if (!main.params.empty() || !main.options.empty()) {
      trouble = "pass it anything";
    } else if (p.types.kind(main.result) != TypeKind::unit) {
      trouble = "take its result";
    }
    if (trouble) {
      p.sink.error(Wording::NK1951_shape, main.span, trouble);
      continue;
    }
    p.decls.main = FnId(e.index);
  }
}

namespace {

void run(PassContext& context) {
  Program p(context);
  load_library(p.source.options.library_ledger, p.types, p.names, p.decls, p.sink);
  p.facts.resize(p.source.trees.size());
  for (std::uint32_t f = 0; f < p.source.trees.size(); ++f) {
    const ast::Tree& tree = p.source.trees[FileId(f)];
    TreeNames& facts = p.facts[FileId(f)];
    facts.exprs.resize(tree.exprs.size());
    facts.types.resize(tree.types.size());
    facts.patterns.resize(tree.patterns.size());
    facts.self_of.resize(tree.items.size());
    facts.fn_of.resize(tree.items.size());
    facts.error_of.resize(tree.exprs.size());
    if (tree.has_syntax_error) return;  // names are looked up once every file parses
  }
  declare_items(p);
  read_uses(p);
  read_signatures(p);
  read_impls(p);
  box_self_holding_parts(p.decls, p.types);
  resolve_bodies(p);
  find_main(p);
}

constexpr const char* provides[] = {"declarations@1", "names@1", nullptr};
constexpr const char* codes[] = {
    "NK1110", "NK1111", "NK1117", "NK1119", "NK1128", "NK1135", "NK1143", "NK1146", "NK1147", "NK1148", "NK1149",
    "NK1156", "NK1163", "NK1171", "NK1172", "NK1181", "NK1186", "NK1189", "NK1190", "NK1209", "NK1900", "NK1922",
    "NK1923", "NK1924", "NK1925", "NK1926", "NK1929", "NK1933", "NK1951", "NK1962", "NK1974", "NK2940", nullptr};

const Pass passes[] = {{
    .name = "names",
    .purpose = "decides what every name, path and `use` denotes, and what may be written where",
    .version = NIKAIA_VERSION,
    .kind = PassKind::analysis,
    .stage = PassStage::tree,
    .is_optional = false,
    .requires_facts = nullptr,
    .provides_facts = provides,
    .changes_facts = nullptr,
    .codes = codes,
    .options = nullptr,
    .produces_cpp = false,
    .run = run,
}};

}  // namespace

}  // namespace nikaia::lang::naming

namespace {
using nikaia::lang::naming::passes;
}

NIKAIA_PASS_PLUGIN(passes)
