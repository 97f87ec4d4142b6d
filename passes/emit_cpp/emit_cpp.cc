// The pass `emit-cpp`: monomorphic NIR to C++20, one .cc per source file.
//
// Results: for each source file `PACKAGE.FILE.cc`, which includes the runtime's header and declares what it mentions
// of the program itself (declarations.cc). The file with `fn main` also holds the C++ `main`. Emission reports nothing:
// what reaches it has been checked. Cost: one walk of each function.
#include "lang/facts/names.h"
#include "passes/emit_cpp/code.h"

namespace nikaia::lang::emit_cpp {
namespace {

std::string stem_of(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  const auto dot = path.rfind('.');
  return std::string(path.substr(0, dot));
}

std::string site_table(const Emission& e, const Mentions& mentions) {
  if (mentions.sites.empty()) return "";
  std::vector<std::uint32_t> sites(mentions.sites.size());
  for (const auto& [site, position] : mentions.sites) sites[position] = site;
  std::string s = "static const nikaia::Site nk_sites[] = {\n";
  for (const std::uint32_t position : sites) {
    const nir::Site& site = e.module.sites[position];
    s += "    {" + e.quoted(e.compilation.sources.path(site.span.file)) + ", " +
         std::to_string(e.compilation.sources.line_of(site.span.file, site.span.begin)) + ", " +
         e.quoted(site.function) + ", " + e.quoted(site.code) + "},\n";
  }
  return s + "};\n\n";
}

// Members that call what `impl Error` declares.
std::string messages(const Emission& e, PackageId package, FileId file) {
  std::string out;
  for (std::size_t i = 0; i < e.decls.types.size(); ++i) {
    const TypeDeclId id(i);
    const TypeDecl& d = e.decls.types[id];
    if (!(d.package == package) || !d.item.valid() || !(d.item.file == file) || !d.error_message.valid()) continue;
    const nir::FunctionId target = e.instances.find(d.error_message);
    if (!target.valid()) continue;
    const std::string fn = e.namespace_of(package) + "::" + e.function_name(target);
    const std::string name = e.namespace_of(package) + "::" + e.type_name(id);
    if (e.is_plain_enum(id)) {
      out += "nikaia::String nikaia::Message<" + name + ">::text(const " + name + "& error) { return " + fn +
             "(&error); }\n";
    } else {
      out += "nikaia::String " + name + "::message() const { return " + fn + "(this); }\n";
    }
  }
  return out;
}

std::string cpp_main(const Emission& e, PackageId package, std::string_view path) {
  const nir::Function& main = e.module.functions[e.module.main];
  return "int main(int argc, char** argv) {\n  return nikaia::rt::run(argc, argv, {.concurrent = " +
         std::string(e.compilation.options.user_parallelism ? "true" : "false") + ", .main_file = " + e.quoted(path) +
         ", .main_line = " + std::to_string(e.compilation.sources.line_of(main.span.file, main.span.begin)) + "}, &" +
         e.namespace_of(package) + "::" + e.function_names.at(e.module.main.index) + ");\n}\n";
}

// The C++ of one source file.
std::string file_text(Emission& e, PackageId package, FileId file) {
  const Package& info = e.decls.packages[package];
  const std::string_view path = e.compilation.sources.path(file);
  Mentions mentions;
  const Mentioning mentioning(e, mentions);
  std::string functions;
  bool has_main = false;
  for (std::size_t i = 0; i < e.module.functions.size(); ++i) {
    const nir::FunctionId id(i);
    const nir::Function& f = e.module.functions[id];
    if (f.kind != nir::FunctionKind::fn || !f.source.valid() || !(e.home(id) == package)) continue;
    // An instance of another package's function stands in the first file.
    const bool is_foreign = !(e.decls.fns[f.source].package == package);
    if (is_foreign ? !(file == info.files.front()) : !(f.file == file)) continue;
    e.context.looking_at(f.name, path);
    functions += e.body(id) + "\n";
    has_main = has_main || id == e.module.main;
  }
  std::string members = messages(e, package, file) + e.life_functions(package, file);
  if (has_main) members += cpp_main(e, package, path);
  return "// Emitted from " + std::string(path) + ".\n#include <nikaia/rt.h>\n\n" + e.declarations(package, mentions) +
         site_table(e, mentions) + functions + "}  // namespace\n\n" + members;
}

void run(PassContext& context) {
  Emission e{.context = context,
             .compilation = context.compilation(),
             .decls = context.require(declarations_fact),
             .module = context.require(mono_fact),
             .view_states = context.require(view_states_fact),
             .types = context.types()};
  static constexpr std::pair<const char*, const char*> other_names[] = {
#define ROW(key, cpp) {key, cpp},
#include "std/std.cpp.def"
#undef ROW
  };
  for (const auto& [key, cpp] : other_names) e.rows[key] = cpp;
  e.name_everything();
  e.find_debugged();
  e.find_hashed();
  for (std::size_t p = 0; p < e.decls.packages.size(); ++p) {
    const PackageId package(p);
    const std::string package_name = e.namespace_of(package).substr(3);
    for (const FileId file : e.decls.packages[package].files) {
      const std::string_view path = e.compilation.sources.path(file);
      context.write_result(package_name + "." + stem_of(path) + ".cc", file_text(e, package, file), path);
    }
  }
}

constexpr const char* required[] = {"declarations@1", "mono@1", "view_states@1", nullptr};
constexpr Pass passes[] = {{"emit-cpp", "write C++20 from NIR", NIKAIA_VERSION, PassKind::emission, PassStage::nir,
                            false, required, nullptr, nullptr, nullptr, nullptr, true, run}};

}  // namespace
}  // namespace nikaia::lang::emit_cpp

NIKAIA_PASS_PLUGIN(nikaia::lang::emit_cpp::passes)
