// Round 2: what each `use` of a file brings in. It is a prefix and nothing else (02 §9.2, §9.3): of a module of `std`,
// or of a package the manifest names.
#include <filesystem>

#include "lang/text/near_name.h"
#include "passes/names/program.h"

namespace nikaia::lang::naming {

namespace {

class UseReader {
 public:
  UseReader(Program& program, FileId file)
      : p_(program), file_(file), package_(p_.decls.packages[p_.files[file].package]) {}

  void read(const ast::Item& item, const ast::UseItem& use) {
    const auto segments = p_.tree(file_).list(use.path.segments);
    if (segments.empty() || !segments.front().name.valid()) return;
    const ast::Ident& last = segments.back();
    const ast::Ident& as = use.alias.name.valid() ? use.alias : last;
    if (segments.front().name == p_.std_name) {
      read_std(item, use, segments, as);
    } else {
      read_package(item, segments.front(), as);
    }
  }

 private:
  void read_std(const ast::Item& item, const ast::UseItem& use, std::span<const ast::Ident> segments,
                const ast::Ident& as) {
    if (segments.size() < 2) {
      p_.sink.error(Code::NK1186, segments[0].span, "").help("Name a module of it, such as `use std::fs`.");
      return;
    }
    const ast::Ident& name = segments[1];
    const ModuleId module = p_.module_called(name.name);
    if (!module.valid()) {
      if (refuse_type(use, name)) return;
      std::vector<std::string_view> known;
      for (const Module& m : p_.decls.modules) known.push_back(p_.text(m.name));
      const std::string_view near = near_name(p_.text(name.name), known);
      if (near.empty()) {
        p_.sink.error(Code::NK1186, name.span, p_.text(name.name));
      } else {
        p_.sink.error(Wording::NK1186_near, name.span, p_.text(name.name), near);
      }
      return;
    }
    if (p_.text(name.name) == "thread" && !p_.source.options.user_parallelism) {
      p_.sink.error(Code::NK1974, name.span);
      return;
    }
    if (segments.size() > 2) {
      const ast::Ident& last = segments.back();
      if (p_.in_module(module, last.name).kind == Entity::Kind::type) {
        p_.sink.error(Code::NK1156, last.span, p_.text(last.name), p_.module_path(module), spelled(module, last.name));
        return;
      }
    }
    enter(as, {Prefix::Kind::module, module.index, item.span}, "std::" + std::string(p_.text(name.name)));
  }

  std::string spelled(ModuleId module, Name name) const {
    return std::string(p_.text(p_.decls.modules[module].name)) + "::" + std::string(p_.text(name));
  }

  // `use std::Vec`, `use std::HashMap`: a type where the module stands.
  bool refuse_type(const ast::UseItem& use, const ast::Ident& name) {
    if (p_.in_prelude(name.name).kind == Entity::Kind::type || p_.basic_types.count(name.name)) {
      p_.sink.error(Wording::NK1156_needless, use.path.span, p_.text(name.name));
      return true;
    }
    const auto modules = p_.modules_with(name.name, Entity::Kind::type);
    if (modules.empty()) return false;
    p_.sink.error(Code::NK1156, name.span, p_.text(name.name), p_.module_path(modules[0]),
                  spelled(modules[0], name.name));
    return true;
  }

  void read_package(const ast::Item& item, const ast::Ident& name, const ast::Ident& as) {
    if (auto it = package_.dependencies.find(name.name); it != package_.dependencies.end()) {
      const std::string real(p_.text(p_.decls.packages[it->second].name));
      enter(as, {Prefix::Kind::package, it->second.index, item.span}, real);
      return;
    }
    const SourcePackage& source = p_.source.packages[p_.files[file_].package.index];
    for (const std::string& foreign : source.foreign) {
      if (foreign == p_.text(name.name)) {
        p_.not_built(name.span, "C and C++ libraries as dependencies");
        enter(as, {Prefix::Kind::foreign, 0, item.span}, foreign);
        return;
      }
    }
    for (FileId file : package_.files) {
      const std::filesystem::path path(p_.source.sources.path(file));
      if (path.stem() == p_.text(name.name)) {
        p_.sink.error(Code::NK1922, name.span, p_.text(name.name));
        return;
      }
    }
    refuse_unknown(name, source);
  }

  void refuse_unknown(const ast::Ident& name, const SourcePackage& source) {
    if (p_.module_called(name.name).valid()) {
      const std::string text(p_.text(name.name));
      p_.sink.error(Code::NK1923, name.span, text)
          .help_edit("`" + text + "` is a module of `std`: write `use std::" + text + "`.", name.span.start(),
                     "std::", Applies::exact);
      return;
    }
    std::vector<std::string_view> known;
    for (const auto& d : source.dependencies) known.push_back(d.key);
    const std::string_view near = near_name(p_.text(name.name), known);
    if (near.empty()) {
      p_.sink.error(Code::NK1923, name.span, p_.text(name.name));
    } else {
      p_.sink.error(Wording::NK1923_near, name.span, p_.text(name.name), near);
    }
  }

  void enter(const ast::Ident& as, Prefix prefix, const std::string& path) {
    if (p_.refuse_reserved(as)) return;
    refuse_declared(as);
    auto [it, is_new] = p_.files[file_].prefixes.try_emplace(as.name, prefix);
    if (is_new || (it->second.kind == prefix.kind && it->second.index == prefix.index)) return;
    p_.sink.error(Code::NK1924, as.span, p_.text(as.name), path_of(it->second), path)
        .label(it->second.span, "introduced here");
  }

  std::string path_of(const Prefix& prefix) const {
    switch (prefix.kind) {
      case Prefix::Kind::module: return p_.module_path(ModuleId(prefix.index));
      case Prefix::Kind::package: return std::string(p_.text(p_.decls.packages[PackageId(prefix.index)].name));
      case Prefix::Kind::foreign: return "a foreign library";
    }
    return {};
  }

  // A prefix equal to a name the package declares (02 §9.2).
  void refuse_declared(const ast::Ident& as) {
    const Entity e = p_.in_package(p_.files[file_].package, as.name);
    Span span;
    const char* declared = nullptr;
    switch (e.kind) {
      case Entity::Kind::type:
        span = p_.decls.types[TypeDeclId(e.index)].span;
        declared = "as a type";
        break;
      case Entity::Kind::fn:
        span = p_.decls.fns[FnId(e.index)].span;
        declared = "as a function";
        break;
      case Entity::Kind::trait:
        span = p_.decls.traits[TraitId(e.index)].span;
        declared = "as a trait";
        break;
      case Entity::Kind::comptime:
        span = p_.decls.comptimes[ComptimeId(e.index)].span;
        declared = "as a `comptime`";
        break;
      case Entity::Kind::grammar:
      case Entity::Kind::none: return;
    }
    const bool use_is_later = span.file == as.span.file ? span.begin < as.span.begin : span.file < as.span.file;
    constexpr const char* prefix = "as a prefix";
    p_.sink
        .error(Code::NK1148, use_is_later ? as.span : span, p_.text(as.name), use_is_later ? prefix : declared,
               use_is_later ? declared : prefix)
        .label(use_is_later ? span : as.span, std::string("declared here ") + (use_is_later ? declared : prefix));
  }

  Program& p_;
  FileId file_;
  const Package& package_;
};

}  // namespace

void read_uses(Program& p) {
  for (const Package& package : p.decls.packages) {
    for (FileId file : package.files) {
      UseReader reader(p, file);
      for (ast::ItemId id : p.tree(file).roots) {
        const ast::Item& item = p.tree(file).items[id];
        if (const auto* use = std::get_if<ast::UseItem>(&item.node)) reader.read(item, *use);
      }
    }
  }
}

}  // namespace nikaia::lang::naming
