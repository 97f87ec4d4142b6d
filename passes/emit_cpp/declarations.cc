// What a file declares in front of its functions: the types and functions they mention, and what those mention.
//
// Each file has its own declarations and includes the runtime's header alone. So a file is read by the C++ compiler
// without what the rest of a large package holds, and is compiled again when something changes that it mentions, and
// not when anything does. Every name of a type or function that is written is noted; what is noted is closed over the
// texts of the definitions and prototypes. These are worked out once a program and put into each file that needs them.
//
// A definition comes after those of the types it holds inline: a depth-first walk over fields. Packages come after
// those they depend on.
#include "passes/emit_cpp/emission.h"

namespace nikaia::lang::emit_cpp {

std::string Emission::type_name(TypeDeclId decl) const {
  mentions->types.insert(decl.index);
  return type_names.at(decl.index);
}

std::string Emission::function_name(nir::FunctionId f) const {
  mentions->functions.insert(f.index);
  return function_names.at(f.index);
}

std::uint32_t Emission::site_position(std::uint32_t site) const {
  const auto [entry, is_new] = mentions->sites.try_emplace(site, static_cast<std::uint32_t>(mentions->sites.size()));
  return entry->second;
}

const FunctionText& Emission::function_text(nir::FunctionId f) {
  const auto [entry, is_new] = function_texts.try_emplace(f.index);
  FunctionText& text = entry->second;
  if (!is_new) return text;
  const Mentioning mentioning(*this, text.mentions);
  text.prototype = signature(f) + ";\n" + life_overload(f);
  return text;
}

// Adds what the mentioned things mention, until nothing is new.
void Emission::close(Mentions& wanted) {
  std::vector<std::uint32_t> types(wanted.types.begin(), wanted.types.end());
  std::vector<std::uint32_t> functions(wanted.functions.begin(), wanted.functions.end());
  const auto add = [&](const Mentions& more) {
    for (const std::uint32_t t : more.types) {
      if (wanted.types.insert(t).second) types.push_back(t);
    }
    for (const std::uint32_t f : more.functions) {
      if (wanted.functions.insert(f).second) functions.push_back(f);
    }
  };
  while (!types.empty() || !functions.empty()) {
    if (!types.empty()) {
      const TypeDeclId id(types.back());
      types.pop_back();
      if (is_defined(id)) add(type_text(id).mentions);
    } else {
      const nir::FunctionId id(functions.back());
      functions.pop_back();
      add(function_text(id).mentions);
    }
  }
}

bool Emission::is_defined(TypeDeclId id) const {
  const TypeDecl& d = decls.types[id];
  return d.package.valid() && d.item.valid();
}

void Emission::define(TypeDeclId id, PackageId package, std::set<std::uint32_t>& left, std::string& out) {
  if (!is_defined(id) || !(decls.types[id].package == package) || left.erase(id.index) == 0) return;
  const TypeText& text = type_text(id);
  for (const TypeDeclId part : text.inlines) define(part, package, left, out);
  out += text.definition;
}

std::string Emission::declarations(PackageId own, Mentions wanted) {
  close(wanted);
  std::string out;
  for (std::size_t p = 0; p < decls.packages.size(); ++p) {
    const PackageId package(p);
    const std::string open = "namespace " + namespace_of(package) + " {\n", end = "}  // namespace\n\n";
    std::string forward, spares, definitions, outside, prototypes;
    for (const std::uint32_t t : wanted.types) {
      const TypeDeclId id(t);
      if (!is_defined(id) || !(decls.types[id].package == package)) continue;
      const TypeText& text = type_text(id);
      forward += text.forward;
      spares += text.spare;
      outside += text.outside;
    }
    std::set<std::uint32_t> left = wanted.types;
    for (const std::uint32_t t : wanted.types) define(TypeDeclId(t), package, left, definitions);
    for (const std::uint32_t f : wanted.functions) {
      if (home(nir::FunctionId(f)) == package) prototypes += function_text(nir::FunctionId(f)).prototype;
    }
    if (forward.empty() && definitions.empty() && prototypes.empty()) continue;
    out += open + "using namespace nikaia::literals;\n\n" + forward;
    if (!spares.empty()) out += end + "namespace nikaia {\n" + spares + end + open;
    if (!forward.empty()) out += "\n";
    out += definitions;
    if (!outside.empty()) out += end + outside + "\n";
    if (!outside.empty() && !prototypes.empty()) out += open;
    if (!prototypes.empty()) out += prototypes + "\n";
    if (outside.empty() || !prototypes.empty()) out += end;
  }
  return out + "namespace " + namespace_of(own) + " {\nusing namespace nikaia::literals;\n\n";
}

}  // namespace nikaia::lang::emit_cpp
