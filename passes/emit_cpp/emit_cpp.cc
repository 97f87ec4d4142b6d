// The pass `emit-cpp`: monomorphic NIR to C++20, one header per package and one .cc per source file.
//
// Results: `PACKAGE.h`, and for each source file `PACKAGE.FILE.cc`. The file with `fn main` also holds the C++
// `main`. Emission reports nothing: what reaches it has been checked. Cost: one walk of each function.
#include <algorithm>

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

std::string site_table(const Emission& e) {
  std::string s = "static const nikaia::Site nk_sites[] = {\n";
  for (const nir::Site& site : e.module.sites) {
    s += "    {" + e.quoted(e.compilation.sources.path(site.span.file)) + ", " +
         std::to_string(e.compilation.sources.line_of(site.span.file, site.span.begin)) + ", " +
         e.quoted(site.function) + ", " + e.quoted(site.code) + "},\n";
  }
  return s + "};\n\n";
}

void run(PassContext& context) {
  Emission e{context,
             context.compilation(),
             context.require(declarations_fact),
             context.require(mono_fact),
             context.require(view_states_fact),
             context.types(),
             {},
             {},
             {},
             {},
             {},
             {},
             {},
             {}};
  static constexpr std::pair<const char*, const char*> other_names[] = {
#define ROW(key, cpp) {key, cpp},
#include "std/std.cpp.def"
#undef ROW
  };
  for (const auto& [key, cpp] : other_names) e.rows[key] = cpp;
  e.name_everything();
  e.find_debugged();
  e.find_hashed();

  // An instance of a package's function may call what the program gives for its type arguments.
  std::string includes;
  for (std::size_t p = e.decls.packages.size(); p-- > 0;) {
    includes += "#include \"" + e.namespace_of(PackageId(p)).substr(3) + ".h\"\n";
  }

  for (std::size_t p = 0; p < e.decls.packages.size(); ++p) {
    const PackageId package(p);
    const Package& info = e.decls.packages[package];
    const std::string package_name = e.namespace_of(package).substr(3);
    std::string header = "// " + std::string(e.compilation.names.text(info.name)) +
                         ": types and functions.\n#pragma once\n#include <nikaia/rt.h>\n";
    std::vector<std::string> dependencies;
    for (const auto& [key, dependency] : info.dependencies)
      dependencies.push_back(e.namespace_of(dependency).substr(3));
    std::sort(dependencies.begin(), dependencies.end());
    dependencies.erase(std::unique(dependencies.begin(), dependencies.end()), dependencies.end());
    for (const std::string& d : dependencies) header += "#include \"" + d + ".h\"\n";
    header += "\nnamespace " + e.namespace_of(package) + " {\nusing namespace nikaia::literals;\n\n";
    header += e.type_definitions(package) + "}\n\n" + e.after_namespace(package) + "\nnamespace " +
              e.namespace_of(package) + " {\n";
    auto in_package = [&](nir::FunctionId id) {
      const nir::Function& f = e.module.functions[id];
      return f.kind == nir::FunctionKind::fn && f.source.valid() && e.home(id) == package;
    };
    for (std::size_t i = 0; i < e.module.functions.size(); ++i) {
      const nir::FunctionId id(i);
      if (in_package(id)) header += e.signature(id, false) + ";\n" + e.life_overload(id);
    }
    header += "}  // namespace\n";
    context.write_result(package_name + ".h", header, "");

    for (FileId file : info.files) {
      const std::string_view path = e.compilation.sources.path(file);
      std::string functions, messages;
      bool has_main = false;
      for (std::size_t i = 0; i < e.module.functions.size(); ++i) {
        const nir::FunctionId id(i);
        const nir::Function& f = e.module.functions[id];
        if (!in_package(id)) continue;
        // An instance of another package's function stands in the first file.
        const bool is_foreign = !(e.decls.fns[f.source].package == package);
        if (is_foreign ? !(file == info.files.front()) : !(f.file == file)) continue;
        context.looking_at(f.name, path);
        functions += e.body(id) + "\n";
        has_main = has_main || id == e.module.main;
      }
      // Members that call what `impl Error` declares.
      for (std::size_t i = 0; i < e.decls.types.size(); ++i) {
        const TypeDecl& d = e.decls.types[TypeDeclId(i)];
        if (!(d.package == package) || !d.item.valid() || !(d.item.file == file) || !d.error_message.valid()) continue;
        auto target = e.by_source.find({d.error_message.index});
        if (target == e.by_source.end()) continue;
        const std::string fn = e.namespace_of(package) + "::" + e.function_names.at(target->second.index);
        const std::string name = e.namespace_of(package) + "::" + e.type_names.at(static_cast<std::uint32_t>(i));
        if (e.is_plain_enum(TypeDeclId(i))) {
          messages += "nikaia::String nikaia::Message<" + name + ">::text(const " + name + "& error) { return " + fn +
                      "(&error); }\n";
        } else {
          messages += "nikaia::String " + name + "::message() const { return " + fn + "(this); }\n";
        }
      }
      std::string text = "// Emitted from " + std::string(path) + ".\n" + includes + "\nnamespace " +
                         e.namespace_of(package) + " {\n\n";
      if (functions.find("nk_sites[") != std::string::npos) text += site_table(e);
      text += functions + "}  // namespace\n\n" + messages;
      text += e.life_functions(package, file);
      if (has_main) {
        const nir::Function& main = e.module.functions[e.module.main];
        text += "int main(int argc, char** argv) {\n  return nikaia::rt::run(argc, argv, {.concurrent = " +
                std::string(context.compilation().options.user_parallelism ? "true" : "false") +
                ", .main_file = " + e.quoted(path) +
                ", .main_line = " + std::to_string(e.compilation.sources.line_of(main.span.file, main.span.begin)) +
                "}, &" + e.namespace_of(package) + "::" + e.function_names.at(e.module.main.index) + ");\n}\n";
      }
      context.write_result(package_name + "." + stem_of(path) + ".cc", text, path);
    }
  }
}

constexpr const char* required[] = {"declarations@1", "mono@1", "view_states@1", nullptr};
constexpr Pass passes[] = {{"emit-cpp", "write C++20 from NIR", NIKAIA_VERSION, PassKind::emission, PassStage::nir,
                            false, required, nullptr, nullptr, nullptr, nullptr, true, run}};

}  // namespace
}  // namespace nikaia::lang::emit_cpp

NIKAIA_PASS_PLUGIN(nikaia::lang::emit_cpp::passes)
