// How a name that nothing declares is reported: with what the reader most likely meant (08 §7.1, NK1117, NK1135,
// NK1171, NK1181). A `std` name without its module comes first, then a near name, then the plain message.
#include <algorithm>

#include "lang/text/near_name.h"
#include "lang/diag/habits.h"
#include "passes/names/paths.h"

namespace nikaia::lang::naming {

namespace {

using Names = std::vector<std::string_view>;

bool is_value(Entity::Kind kind) {
  return kind == Entity::Kind::fn || kind == Entity::Kind::type || kind == Entity::Kind::comptime;
}

void add_names(const Program& p, const std::unordered_map<Name, Entity>& scope, bool (*wanted)(Entity::Kind),
               Names& out) {
  for (const auto& [name, entity] : scope) {
    if (wanted(entity.kind)) out.push_back(p.text(name));
  }
}

// Sorted, because the scopes are hash maps and equally near names must give one message.
std::string_view nearest(std::string_view written, Names& known) {
  std::sort(known.begin(), known.end());
  return near_name(written, known);
}

std::string in_module(const Program& p, ModuleId module, std::string_view name) {
  return std::string(p.text(p.decls.modules[module].name)) + "::" + std::string(name);
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789_") == std::string_view::npos;
}

// `7u8`: the number and the name beside it, which the reader takes for one.
bool report_number_suffix(Program& p, FileId file, const ast::Ident& ident) {
  const std::string_view text = p.text(ident.name);
  if (text.size() < 2 || (text[0] != 'u' && text[0] != 'i' && text[0] != 'f') || !all_digits(text.substr(1)))
    return false;
  const std::string_view source = p.source.sources.text(file);
  std::size_t begin = ident.span.begin;
  while (begin > 0 && (all_digits(source.substr(begin - 1, 1)) || source[begin - 1] == '.')) --begin;
  if (begin == ident.span.begin) return false;
  const std::string_view number = source.substr(begin, ident.span.begin - begin);
  p.sink.error(Wording::NK1117_number_suffix, ident.span, std::string(number) + std::string(text), text, number);
  return true;
}

// The name behind `const`, which is refused itself.
bool stands_behind_const(const Program& p, FileId file, const ast::Ident& ident) {
  constexpr std::string_view word = "const";
  std::string_view before = p.source.sources.text(file).substr(0, ident.span.begin);
  while (before.ends_with(' ')) before.remove_suffix(1);
  if (!before.ends_with(word)) return false;
  before.remove_suffix(word.size());
  return before.empty() || before.back() == ' ' || before.back() == '\n' || before.back() == '{' ||
         before.back() == '\t';
}

}  // namespace

void report_unknown_value(Program& p, FileId file, const ast::Ident& ident, bool is_called, const Names& locals) {
  const std::string_view text = p.text(ident.name);
  if (stands_behind_const(p, file, ident) || report_number_suffix(p, file, ident)) return;
  if (text.size() > 1 && text[0] == '_' && all_digits(text.substr(1))) {
    const std::size_t digit = text.find_first_not_of('_');
    p.sink.error(Wording::NK1117_leading_underscore, ident.span, text,
                 digit == std::string_view::npos ? "0" : text.substr(digit));
    return;
  }
  const auto types = p.modules_with(ident.name, Entity::Kind::type);
  if (is_called && types.size() == 1) {
    p.sink.error(Wording::NK1135_std_unprefixed, ident.span, text, p.module_path(types[0]),
                 in_module(p, types[0], text));
    return;
  }
  const auto modules = p.modules_with(ident.name, Entity::Kind::fn);
  if (modules.size() == 1) {
    p.sink.error(Wording::NK1117_std_unprefixed, ident.span, text, p.module_path(modules[0]),
                 in_module(p, modules[0], text));
    return;
  }
  std::string help = is_called ? habit_help(Habit::call, text) : std::string();
  if (!help.empty()) {
    p.sink.error(Wording::NK1117_function_habit, ident.span, text, help);
    return;
  }
  if (help = habit_help(Habit::value, text); !help.empty()) {
    p.sink.error(Wording::NK1117_habit, ident.span, text, help);
    return;
  }
  Names known = locals;
  add_names(p, p.decls.packages[p.files[file].package].names, is_value, known);
  add_names(p, p.decls.prelude, is_value, known);
  const std::string_view near = nearest(text, known);
  if (!near.empty()) {
    p.sink.error(is_called ? Wording::NK1117_function_near : Wording::NK1117_near, ident.span, text, near);
  } else if (is_called) {
    p.sink.error(Wording::NK1117_function, ident.span, text);
  } else {
    p.sink.error(Code::NK1117, ident.span, text);
  }
}

void report_unknown_type(Program& p, const TypeScope& scope, const ast::Ident& ident) {
  const std::string_view text = p.text(ident.name);
  const PackageId package = p.files[scope.file].package;
  auto is_type = [](Entity::Kind kind) { return kind == Entity::Kind::type; };
  if (p.in_package(package, ident.name).kind == Entity::Kind::trait ||
      p.in_prelude(ident.name).kind == Entity::Kind::trait) {
    p.sink.error(Wording::NK1135_not_a_type, ident.span, text);
    return;
  }
  const auto modules = p.modules_with(ident.name, Entity::Kind::type);
  if (!modules.empty()) {
    p.sink.error(Wording::NK1135_std_unprefixed, ident.span, text, p.module_path(modules[0]),
                 in_module(p, modules[0], text));
    return;
  }
  for (const auto& [name, prefix] : p.files[scope.file].prefixes) {
    if (prefix.kind != Prefix::Kind::package) continue;
    if (p.in_package(PackageId(prefix.index), ident.name).kind == Entity::Kind::type) {
      p.sink.error(Wording::NK1135_package_unprefixed, ident.span, text, p.text(name));
      return;
    }
  }
  if (const std::string help = habit_help(Habit::type, text); !help.empty()) {
    p.sink.error(Wording::NK1135_habit, ident.span, text, help);
    return;
  }
  Names known;
  add_names(p, p.decls.packages[package].names, is_type, known);
  add_names(p, p.decls.prelude, is_type, known);
  for (const auto& [name, type] : p.basic_types) known.push_back(p.text(name));
  for (TypeParamId param : scope.params) known.push_back(p.text(p.decls.type_params[param].name));
  const std::string_view near = nearest(text, known);
  if (near.empty()) {
    p.sink.error(Code::NK1135, ident.span, text);
  } else {
    p.sink.error(Wording::NK1135_near, ident.span, text, near);
  }
}

void report_unknown_trait(Program& p, FileId file, const ast::Ident& ident) {
  const std::string_view text = p.text(ident.name);
  const PackageId package = p.files[file].package;
  auto is_trait = [](Entity::Kind kind) { return kind == Entity::Kind::trait; };
  if (const auto modules = p.modules_with(ident.name, Entity::Kind::trait); !modules.empty()) {
    p.sink.error(Wording::NK1135_trait, ident.span, text)
        .help("Add `use " + p.module_path(modules[0]) + "` at the top and write `" + in_module(p, modules[0], text) +
              "`.");
    return;
  }
  Names known;
  add_names(p, p.decls.packages[package].names, is_trait, known);
  add_names(p, p.decls.prelude, is_trait, known);
  const std::string_view near = nearest(text, known);
  if (near.empty()) {
    p.sink.error(Wording::NK1135_trait, ident.span, text);
  } else {
    p.sink.error(Wording::NK1135_trait_near, ident.span, text, near);
  }
}

void report_unknown_head(Program& p, FileId file, const ast::Ident& head, const ast::Ident& member) {
  const std::string_view text = p.text(head.name);
  if (const ModuleId module = p.module_called(head.name); module.valid()) {
    if (p.in_module(module, member.name).kind == Entity::Kind::none &&
        p.in_prelude(member.name).kind == Entity::Kind::fn) {
      p.sink.error(Code::NK1163, join(head.span, member.span), text, p.text(member.name));
    } else {
      p.sink.error(Wording::NK1117_std_module, head.span, text);
    }
    return;
  }
  const PackageId package = p.files[file].package;
  if (p.decls.packages[package].dependencies.count(head.name)) {
    p.sink.error(Code::NK1925, head.span, text);
    return;
  }
  for (const std::string& foreign : p.source.packages[package.index].foreign) {
    if (foreign == text) {
      p.sink.error(Wording::NK1181_library, head.span, text);
      return;
    }
  }
  if (const auto modules = p.modules_with(head.name, Entity::Kind::type); !modules.empty()) {
    p.sink.error(Wording::NK1135_std_unprefixed, head.span, text, p.module_path(modules[0]),
                 in_module(p, modules[0], text));
    return;
  }
  Names known;
  add_names(
      p, p.decls.packages[package].names,
      [](Entity::Kind kind) { return kind == Entity::Kind::type || kind == Entity::Kind::trait; }, known);
  add_names(
      p, p.decls.prelude, [](Entity::Kind kind) { return kind == Entity::Kind::type; }, known);
  for (const auto& [name, prefix] : p.files[file].prefixes) known.push_back(p.text(name));
  const std::string_view near = nearest(text, known);
  if (near.empty()) {
    p.sink.error(Code::NK1181, head.span, text);
  } else {
    p.sink.error(Wording::NK1181_near, head.span, text, near);
  }
}

// What a module or package has of the kind that is wanted, where that is short enough to be read.
std::string offered(std::string_view head, Names known) {
  constexpr std::size_t few = 12;
  const std::string name = "`" + std::string(head) + "`";
  if (known.empty()) return "There is none in " + name + ".";
  if (known.size() > few) return "Check the spelling against what " + name + " offers.";
  std::sort(known.begin(), known.end());
  std::string list;
  for (const std::string_view one : known) list += (list.empty() ? "`" : ", `") + std::string(one) + "`";
  return "What " + name + " offers is " + list + ".";
}

void report_unknown_member(Program& p, const Denoted& before, const ast::Ident& head, const ast::Ident& member,
                           Wanted wanted) {
  const std::string_view text = p.text(member.name);
  const bool of_module = before.kind == Denoted::Kind::module;
  const auto& scope =
      of_module ? p.decls.modules[ModuleId(before.index)].names : p.decls.packages[PackageId(before.index)].names;
  if (of_module && wanted == Wanted::value && p.in_prelude(member.name).kind == Entity::Kind::fn) {
    p.sink.error(Code::NK1163, join(head.span, member.span), p.text(head.name), text);
    return;
  }
  Names known;
  if (wanted == Wanted::value) {
    add_names(p, scope, is_value, known);
  } else if (wanted == Wanted::type) {
    add_names(
        p, scope, [](Entity::Kind kind) { return kind == Entity::Kind::type; }, known);
  } else {
    add_names(
        p, scope, [](Entity::Kind kind) { return kind == Entity::Kind::trait; }, known);
  }
  const std::string written = std::string(p.text(head.name)) + "::" + std::string(text);
  std::string near(nearest(text, known));
  if (!near.empty()) near = std::string(p.text(head.name)) + "::" + near;
  const Span place = member.span;
  switch (wanted) {
    case Wanted::value:
      if (near.empty()) {
        p.sink.error(Code::NK1117, place, written).help(offered(p.text(head.name), known));
      } else {
        p.sink.error(Wording::NK1117_near, place, written, near);
      }
      return;
    case Wanted::type:
      if (near.empty()) {
        p.sink.error(Code::NK1135, place, written).help(offered(p.text(head.name), known));
      } else {
        p.sink.error(Wording::NK1135_near, place, written, near);
      }
      return;
    case Wanted::trait:
      if (near.empty()) {
        p.sink.error(Wording::NK1135_trait, place, written).help(offered(p.text(head.name), known));
      } else {
        p.sink.error(Wording::NK1135_trait_near, place, written, near);
      }
      return;
  }
}

void report_unknown_of_type(Program& p, TypeDeclId type, const ast::Ident& member, Span path) {
  const TypeDecl& t = p.decls.types[type];
  const std::string_view name = p.text(t.name), text = p.text(member.name);
  if (member.name == p.new_name && (t.constructor.valid() || t.is_of_library())) {
    p.sink.error(Code::NK1149, path, name);
    return;
  }
  for (const FieldInfo& f : t.fields) {
    if (f.name == member.name) {
      p.sink.error(Wording::NK1171_field, member.span, name, text);
      return;
    }
  }
  Names known;
  std::string variants;
  for (const VariantInfo& v : t.variants) {
    known.push_back(p.text(v.name));
    variants += (variants.empty() ? "`" : ", `") + std::string(p.text(v.name)) + "`";
  }
  for (const auto& [method, fn] : t.methods) known.push_back(p.text(method));
  const std::string_view near = nearest(text, known);
  if (!near.empty()) {
    p.sink.error(Wording::NK1171_near, member.span, name, text, near);
  } else if (t.variants.empty()) {
    p.sink.error(Code::NK1171, member.span, name, text, "none")
        .help("Declare it in an `impl`: `impl " + std::string(name) + " { fn " + std::string(text) + "(…) { … } }`.");
  } else {
    p.sink.error(Code::NK1171, member.span, name, text, variants);
  }
}

}  // namespace nikaia::lang::naming
