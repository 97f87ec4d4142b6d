// Names in emitted C++: kept where they can be, escaped where C++ or the program has taken them.
#include <algorithm>
#include <iterator>

#include "passes/emit_cpp/emission.h"

namespace nikaia::lang::emit_cpp {

namespace {

// Keywords, alternative spellings, the macros of headers every program includes, and our own names. Sorted.
constexpr std::string_view cpp_words[] = {"EOF",
                                          "NULL",
                                          "alignas",
                                          "alignof",
                                          "and",
                                          "and_eq",
                                          "asm",
                                          "assert",
                                          "auto",
                                          "bitand",
                                          "bitor",
                                          "bool",
                                          "break",
                                          "case",
                                          "catch",
                                          "char",
                                          "char16_t",
                                          "char32_t",
                                          "char8_t",
                                          "class",
                                          "co_await",
                                          "co_return",
                                          "co_yield",
                                          "compl",
                                          "concept",
                                          "const",
                                          "const_cast",
                                          "consteval",
                                          "constexpr",
                                          "constinit",
                                          "continue",
                                          "decltype",
                                          "default",
                                          "delete",
                                          "do",
                                          "double",
                                          "dynamic_cast",
                                          "else",
                                          "enum",
                                          "errno",
                                          "explicit",
                                          "export",
                                          "extern",
                                          "false",
                                          "float",
                                          "for",
                                          "friend",
                                          "goto",
                                          "if",
                                          "inline",
                                          "int",
                                          "linux",
                                          "long",
                                          "main",
                                          "major",
                                          "minor",
                                          "mutable",
                                          "namespace",
                                          "new",
                                          "nikaia",
                                          "noexcept",
                                          "not",
                                          "not_eq",
                                          "nullptr",
                                          "offsetof",
                                          "operator",
                                          "or",
                                          "or_eq",
                                          "private",
                                          "protected",
                                          "public",
                                          "register",
                                          "reinterpret_cast",
                                          "requires",
                                          "return",
                                          "short",
                                          "signed",
                                          "sizeof",
                                          "static",
                                          "static_assert",
                                          "static_cast",
                                          "std",
                                          "stderr",
                                          "stdin",
                                          "stdout",
                                          "struct",
                                          "switch",
                                          "template",
                                          "this",
                                          "thread_local",
                                          "throw",
                                          "true",
                                          "try",
                                          "typedef",
                                          "typeid",
                                          "typename",
                                          "union",
                                          "unix",
                                          "unsigned",
                                          "using",
                                          "va_arg",
                                          "virtual",
                                          "void",
                                          "volatile",
                                          "wchar_t",
                                          "while",
                                          "xor",
                                          "xor_eq"};

}  // namespace

bool is_cpp_word(std::string_view name) {
  return std::binary_search(std::begin(cpp_words), std::end(cpp_words), name) ||
         name.find("__") != std::string_view::npos || (name.size() > 1 && name[0] == '_');
}

std::string Emission::unique(std::string wanted) {
  if (is_cpp_word(wanted)) {
    std::string cleaned;
    for (char c : wanted) {
      if (c == '_' && (cleaned.empty() || cleaned.back() == '_'))
        cleaned += "u_";
      else
        cleaned += c;
    }
    wanted = cleaned + "_";
  }
  std::string name = wanted;
  for (int n = 2; !taken.insert(name).second; ++n) name = wanted + "_" + std::to_string(n);
  return name;
}

std::string Emission::namespace_of(PackageId package) const {
  std::string name = "nk_";
  for (char c : compilation.names.text(decls.packages[package].name)) name += c == '-' ? '_' : c;
  return name;
}

std::string Emission::field_name(const FieldInfo& field, std::size_t position) const {
  if (!field.name.valid()) return "part" + std::to_string(position);
  std::string name(compilation.names.text(field.name));
  // `clone`, `debug`, `show`, `message`, `sum` are members that emission gives a type.
  if (is_cpp_word(name) || name == "clone" || name == "debug" || name == "show" || name == "message" || name == "sum") {
    std::string cleaned;
    for (char c : name)
      cleaned += c == '_' && (cleaned.empty() || cleaned.back() == '_') ? std::string("u_") : std::string(1, c);
    return cleaned + "_";
  }
  return name;
}

std::string Emission::variant_member(const VariantInfo& variant) const {
  std::string name(compilation.names.text(variant.name));
  return is_cpp_word(name) || name == "Variants" ? name + "_" : name;
}

void Emission::name_everything() {
  for (std::size_t i = 0; i < decls.types.size(); ++i) {
    const TypeDecl& d = decls.types[TypeDeclId(i)];
    const std::string text(compilation.names.text(d.name));
    if (d.kind == TypeDeclKind::library || !d.item.valid()) {
      type_names[static_cast<std::uint32_t>(i)] = "nikaia::" + text;
      continue;
    }
    const std::string name = unique(text);
    type_names[static_cast<std::uint32_t>(i)] = name;
    for (std::size_t v = 0; v < d.variants.size(); ++v) {
      variant_names[(static_cast<std::uint64_t>(i) << 32) | v] =
          unique(name + "_" + std::string(compilation.names.text(d.variants[v].name)));
    }
  }
  PackageId program;
  for (std::size_t i = 0; i < decls.packages.size(); ++i) {
    if (decls.packages[PackageId(i)].is_program) program = PackageId(i);
  }
  instances = nir::Instances(module);
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    const nir::Function& f = module.functions[nir::FunctionId(i)];
    if (f.kind != nir::FunctionKind::fn) continue;
    PackageId package = decls.fns[f.source].package;
    for (TypeId a : f.type_args) {
      if (mentions_other_package(a, package)) package = program;
    }
    homes[static_cast<std::uint32_t>(i)] = package;
    std::string wanted;
    for (char c : f.name) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      if (plain)
        wanted += c;
      else if (!wanted.empty() && wanted.back() != '_')
        wanted += '_';
    }
    if (wanted == "main") wanted = "program_main";
    function_names[static_cast<std::uint32_t>(i)] = unique(wanted);
  }
}

bool Emission::mentions_other_package(TypeId t, PackageId own) const {
  const Type& x = types[t];
  if (x.kind == TypeKind::named) {
    const PackageId p = decls.types[x.decl].package;
    if (p.valid() && !(p == own)) return true;
  }
  for (TypeId a : x.args) {
    if (mentions_other_package(a, own)) return true;
  }
  return false;
}

// `Vec.push` is nikaia::vec_push, `fs::read` is nikaia::fs_read; the table has those that are called otherwise.
std::string Emission::row_name(const FnDecl& fn) const {
  if (auto it = rows.find(fn.key); it != rows.end()) return it->second;
  std::string name = "nikaia::";
  for (std::size_t i = 0; i < fn.key.size(); ++i) {
    const char c = fn.key[i];
    if (c == ':' || c == '.') {
      if (name.back() != '_') name += '_';
    } else if (c >= 'A' && c <= 'Z') {
      if (i > 0 && fn.key[i - 1] >= 'a' && fn.key[i - 1] <= 'z') name += '_';
      name += static_cast<char>(c - 'A' + 'a');
    } else {
      name += c;
    }
  }
  return name;
}

}  // namespace nikaia::lang::emit_cpp
