#include "passes/names/program.h"

#include <array>

namespace nikaia::lang::naming {

namespace {

constexpr std::array<TypeKind, 9> written_basics{TypeKind::i32,   TypeKind::i64,   TypeKind::u8,
                                                 TypeKind::u32,   TypeKind::u64,   TypeKind::f64,
                                                 TypeKind::bool_, TypeKind::char_, TypeKind::string};

Entity find(const std::unordered_map<Name, Entity>& scope, Name name) {
  auto it = scope.find(name);
  return it == scope.end() ? Entity() : it->second;
}

}  // namespace

Program::Program(PassContext& c)
    : context(c),
      source(c.compilation()),
      decls(c.provide(declarations_fact)),
      facts(c.provide(names_fact)),
      names(c.names()),
      types(c.types()),
      sink(c.sink()),
      files(source.trees.size()) {
  for (TypeKind kind : written_basics) {
    const TypeId type = types.basic(kind);
    basic_types.emplace(names.intern(lang::type_text(types, decls, names, type)), type);
  }
  self_name = names.intern("self");
  self_type_name = names.intern("Self");
  new_name = names.intern("new");
  error_name = names.intern("error");
  std_name = names.intern("std");
}

std::string Program::quoted(Name name) const {
  return "`" + std::string(text(name)) + "`";
}

std::string Program::type_text(TypeId type) const {
  return lang::type_text(types, decls, names, type);
}

Entity Program::in_package(PackageId package, Name name) const {
  return package.valid() ? find(decls.packages[package].names, name) : Entity();
}

Entity Program::in_prelude(Name name) const {
  return find(decls.prelude, name);
}

Entity Program::in_module(ModuleId module, Name name) const {
  return find(decls.modules[module].names, name);
}

ModuleId Program::module_called(Name name) const {
  auto it = decls.module_by_name.find(name);
  return it == decls.module_by_name.end() ? ModuleId() : it->second;
}

std::string Program::module_path(ModuleId module) const {
  return "std::" + std::string(text(decls.modules[module].name));
}

std::vector<ModuleId> Program::modules_with(Name name, Entity::Kind kind) const {
  std::vector<ModuleId> found;
  for (ModuleId m(0u); m.index < decls.modules.size(); ++m.index) {
    if (in_module(m, name).kind == kind) found.push_back(m);
  }
  return found;
}

void Program::not_built(Span place, std::string_view what) {
  sink.error(Code::NK1900, place, what);
}

bool Program::refuse_reserved(const ast::Ident& ident) {
  if (!(ident.name == self_type_name)) return false;
  sink.error(Code::NK1128, ident.span, text(ident.name)).primary_label("declared here");
  return true;
}

}  // namespace nikaia::lang::naming
