// Types in emitted C++: how each is spelled, what runs where a value of it dies, and who needs a diagnostic form or a
// hash. Their definitions are in definitions.cc.
#include <algorithm>

#include "lang/types/teardown.h"
#include "passes/emit_cpp/emission.h"

namespace nikaia::lang::emit_cpp {

bool Emission::is_plain_enum(TypeDeclId decl) const {
  const TypeDecl& d = decls.types[decl];
  if (d.kind != TypeDeclKind::enum_ || d.variants.empty()) return false;
  for (const VariantInfo& v : d.variants) {
    if (!v.parts.empty()) return false;
  }
  return d.drop.valid() == false && d.cleanup.valid() == false;
}

namespace {

bool mentions_param(const TypeTable& types, TypeId t) {
  if (types.kind(t) == TypeKind::param) return true;
  return std::any_of(types[t].args.begin(), types[t].args.end(), [&](TypeId a) { return mentions_param(types, a); });
}

}  // namespace

bool Emission::has_life(TypeDeclId decl) const {
  const TypeDecl& d = decls.types[decl];
  return d.package.valid() && (d.drop.valid() || d.cleanup.valid());
}

bool Emission::cleans(TypeId t) const {
  return teardown_of(types, decls, t).has_cleanup();
}

bool Emission::runs_code(TypeId t) const {
  return teardown_of(types, decls, t).runs_code();
}

// The first member of a type with a life of its own.
std::string Emission::ending_member(TypeDeclId id) const {
  return has_life(id) ? "  [[no_unique_address]] nikaia::Ending<" + type_name(id) + "> ending{};\n" : std::string();
}

// The last members of a type that runs code as it dies, or that holds one that does.
void Emission::life_members(std::string& out, TypeDeclId id) const {
  const TypeDecl& d = decls.types[id];
  const std::string name = type_name(id);
  // What a parameter stands for may have a cleanup.
  const auto cleans = [&](TypeId t) { return this->cleans(t) || (!d.params.empty() && mentions_param(types, t)); };
  bool holds = d.cleanup.valid();
  for (const FieldInfo& f : d.fields) holds = holds || cleans(f.type);
  for (const VariantInfo& v : d.variants) {
    for (const FieldInfo& f : v.parts) holds = holds || cleans(f.type);
  }
  if (d.cleanup.valid()) {
    out += d.params.empty() ? "  nikaia::Result<void> cleanup();\n"
                            : "  nikaia::Result<void> cleanup() { return nk_clean_value(*this); }\n";
  }
  if (holds) {
    out += "  void clean_all(nikaia::Failure& first) {\n";
    if (d.cleanup.valid()) {
      out +=
          "    if (life.owes_cleanup()) {\n      nikaia::rt::Shield whole;\n      auto outcome = cleanup();\n"
          "      if (outcome.failed()) nikaia::note_failure(first, outcome.take_failure());\n    }\n";
    }
    for (std::size_t i = d.fields.size(); i-- > 0;) {
      if (cleans(d.fields[i].type)) out += "    nikaia::clean_up_into(" + field_name(d.fields[i], i) + ", first);\n";
    }
    for (std::size_t v = 0; v < d.variants.size(); ++v) {
      const auto& parts = d.variants[v].parts;
      for (std::size_t i = parts.size(); i-- > 0;) {
        if (!cleans(parts[i].type)) continue;
        const std::string n = std::to_string(v);
        out += "    if (sum.tag() == " + n + ") nikaia::clean_up_into(sum." + (d.params.empty() ? "" : "template ") +
               "as<" + n + ">()." + field_name(parts[i], i) + ", first);\n";
      }
    }
    out += "  }\n";
  }
  if (has_life(id)) {
    const auto body = [&](bool is_old) {
      return d.params.empty() ? std::string(";\n") : " {\n" + ending_body(id, name, is_old) + "}\n";
    };
    out += "  static void end(nikaia::Life<" + name + ">& life)" + body(false);
    out += "  static void end_old(nikaia::Ending<" + name + ">& ending)" + body(true);
    out += "  nikaia::Life<" + name + "> life{};\n";
  }
}

// What `end` does, or `end_old`, where another value is assigned over one. `name` is the type's, as it is seen there.
std::string Emission::ending_body(TypeDeclId id, const std::string& name, bool is_old) const {
  const TypeDecl& d = decls.types[id];
  const std::string member = is_old ? "ending" : "life";
  std::string out = "  auto& self = *reinterpret_cast<" + name + "*>(reinterpret_cast<char*>(&" + member +
                    ") - offsetof(" + name + ", " + member + "));\n";
  if (is_old) return out + "  if (self.life.alive) end(self.life);\n";
  if (d.cleanup.valid()) {
    bool pauses = false;
    instances.each(d.cleanup, [&](nir::FunctionId f) { pauses = pauses || module.functions[f].may_pause; });
    // It dies without a way out of a scope that cleans it: its fiber is unwound, or a row of the library or a
    // function value held it.
    out += "  if (!life.cleaned) {\n";
    out += pauses ? "    life.cleaned = true;\n    nikaia::rt::park(std::move(self), " +
                        quoted(compilation.names.text(d.name)) + ");\n    if (!life.alive) return;\n"
                  : "    nikaia::clean_up_alone(self);\n";
    out += "  }\n";
  }
  out += "  life.alive = false;\n";
  if (!d.drop.valid()) return out + "  (void)self;\n";
  if (!d.params.empty()) return out + "  nk_drop_value(self);\n";
  const nir::FunctionId target = instances.find(d.drop);
  const std::string function = target.valid() ? namespace_of(d.package) + "::" + function_name(target) : "";
  return out + "  " + function + "(&self);\n";
}

// Of an instance of a generic type's `drop` or `cleanup`: what the type's members call it by. Empty for any other.
std::string Emission::life_overload(nir::FunctionId id) const {
  const nir::Function& f = module.functions[id];
  if (f.type_args.empty() || !f.source.valid() || f.params.size() != 1) return "";
  const TypeId self = types.without_ref(f.locals[f.params[0]].type);
  if (types.kind(self) != TypeKind::named) return "";
  const TypeDecl& d = decls.types[types[self].decl];
  const bool is_drop = d.drop == f.source;
  if (!is_drop && !(d.cleanup == f.source)) return "";
  const std::string call = function_name(id) + "(&self);";
  const std::string given = "(" + type(self, Position::stored) + "& self) { ";
  if (is_drop) return "inline void nk_drop_value" + given + call + " }\n";
  return "inline nikaia::Result<void> nk_clean_value" + given + (f.can_fail ? "return " + call : call + " return {};") +
         " }\n";
}

// The bodies that call what `impl Drop` and `impl Cleanup` declare.
std::string Emission::life_functions(PackageId package, FileId file) const {
  std::string out;
  for (std::size_t i = 0; i < decls.types.size(); ++i) {
    const TypeDeclId id(i);
    const TypeDecl& d = decls.types[id];
    if (!(d.package == package) || !d.item.valid() || !(d.item.file == file) || !has_life(id) || !d.params.empty())
      continue;
    const std::string ns = namespace_of(package) + "::", name = ns + type_name(id);
    auto function = [&](FnId fn) {
      const nir::FunctionId target = instances.find(fn);
      return target.valid() ? ns + function_name(target) : std::string();
    };
    if (d.cleanup.valid()) {
      const nir::Function& f = module.functions[instances.find(d.cleanup)];
      out += "nikaia::Result<void> " + name + "::cleanup() {\n";
      out += f.can_fail ? "  return " + function(d.cleanup) + "(this);\n"
                        : "  " + function(d.cleanup) + "(this);\n  return {};\n";
      out += "}\n";
    }
    out +=
        "void " + name + "::end(nikaia::Life<" + type_name(id) + ">& life) {\n" + ending_body(id, name, false) + "}\n";
    out += "void " + name + "::end_old(nikaia::Ending<" + type_name(id) + ">& ending) {\n" +
           ending_body(id, name, true) + "}\n";
  }
  return out;
}

std::string Emission::function_signature(const Type& t) const {
  std::string s = result_type(t.args.back(), t.is_throws) + "(";
  for (std::size_t i = 0; i + 1 < t.args.size(); ++i) {
    if (i) s += ", ";
    s += type(t.args[i], Position::passing);
  }
  return s + ")";
}

std::string Emission::result_type(TypeId result, bool can_fail, Position position) const {
  const TypeKind k = types.kind(result);
  std::string t = k == TypeKind::unit || k == TypeKind::never ? "void" : type(result, position);
  return can_fail ? "nikaia::Result<" + t + ">" : t;
}

std::string Emission::result_of(nir::FunctionId id) const {
  const nir::Function& f = module.functions[id];
  return result_type(f.result, f.can_fail, view_states.is_result_borrowed(id) ? Position::passing : Position::stored);
}

std::string Emission::type(TypeId id, Position position) const {
  const Type& t = types[id];
  switch (t.kind) {
    case TypeKind::i32: return "std::int32_t";
    case TypeKind::i64: return "std::int64_t";
    case TypeKind::u8: return "std::uint8_t";
    case TypeKind::u32: return "std::uint32_t";
    case TypeKind::u64: return "std::uint64_t";
    case TypeKind::f64: return "double";
    case TypeKind::bool_: return "bool";
    case TypeKind::char_: return "char32_t";
    case TypeKind::string: return "nikaia::String";
    case TypeKind::unit:
    case TypeKind::never: return "void";
    case TypeKind::error_sum: return "nikaia::Failure";
    case TypeKind::range: return "nikaia::Range<" + type(t.args[0], position) + ">";
    case TypeKind::nullable: return "nikaia::Maybe<" + type(t.args[0], position) + ">";
    case TypeKind::function: return "nikaia::Fn<" + function_signature(t) + ">";
    case TypeKind::array:
      return "nikaia::Array<" + type(t.args[0], Position::stored) + ", " + std::to_string(t.length) + ">";
    case TypeKind::param: return std::string(compilation.names.text(decls.type_params[TypeParamId(t.index)].name));
    case TypeKind::tuple: {
      std::string s = "nikaia::Tuple<";
      for (std::size_t i = 0; i < t.args.size(); ++i) {
        if (i) s += ", ";
        s += types.kind(t.args[i]) == TypeKind::unit ? "nikaia::rt::Nothing" : type(t.args[i], position);
      }
      return s + ">";
    }
    case TypeKind::ref: {
      const Type& target = types[t.args[0]];
      if (target.kind == TypeKind::string && !t.is_mut)
        return position == Position::stored ? "nikaia::TetheredStr" : "nikaia::Str";
      if (target.kind == TypeKind::array && target.length == Type::unsized) {
        return (position == Position::stored ? "nikaia::TetheredRun<" : "nikaia::Run<") +
               type(target.args[0], Position::stored) + ">";
      }
      if (target.kind == TypeKind::function) return "nikaia::FnRef<" + function_signature(target) + ">";
      if (target.kind == TypeKind::param && !t.is_mut)
        return "nikaia::Stored<nikaia::View<" + type(t.args[0], position) + ">>";
      return (t.is_mut ? "" : "const ") + type(t.args[0], Position::stored) + "*";
    }
    case TypeKind::named: {
      std::string s = type_name(t.decl);
      const TypeDecl& d = decls.types[t.decl];
      if (d.package.valid()) s = namespace_of(d.package) + "::" + s;
      if (t.args.empty()) return s;
      s += "<";
      for (std::size_t i = 0; i < t.args.size(); ++i) {
        if (i) s += ", ";
        s += types.kind(t.args[i]) == TypeKind::unit ? "void" : type(t.args[i], Position::stored);
      }
      return s + ">";
    }
    case TypeKind::seq: return t.decl.valid() ? type_name(t.decl) : "auto";
    default: return "auto";
  }
}

bool Emission::can_clone(TypeId id) const {
  const Type& t = types[id];
  switch (t.kind) {
    case TypeKind::seq:
    case TypeKind::error_sum: return false;
    case TypeKind::named: {
      const TypeDecl& d = decls.types[t.decl];
      if (d.drop.valid() || d.cleanup.valid() || d.library.has_cleanup || d.library.is_single) return false;
      if (t.decl == decls.task_handle || t.decl == decls.locked) return false;
      break;
    }
    case TypeKind::ref: return true;
    default: break;
  }
  for (TypeId a : t.args) {
    if (t.kind != TypeKind::function && !can_clone(a)) return false;
  }
  return true;
}

// ---- who needs a diagnostic form ------------------------------------------------------------------

void Emission::mark_debugged(TypeId id) {
  const Type t = types[id];
  if (t.kind == TypeKind::named && decls.types[t.decl].package.valid()) {
    if (!debugged.insert(t.decl.index).second) return;
    for (const FieldInfo& f : decls.types[t.decl].fields) mark_debugged(f.type);
    for (const VariantInfo& v : decls.types[t.decl].variants) {
      for (const FieldInfo& f : v.parts) mark_debugged(f.type);
    }
  }
  if (t.kind == TypeKind::function) return;
  for (TypeId a : t.args) mark_debugged(a);
}

void Emission::find_debugged() {
  for (const nir::Function& f : module.functions) {
    for (const nir::Instr& i : f.instrs) {
      const auto* a = std::get_if<nir::Assign>(&i.node);
      const auto* format = a ? std::get_if<nir::Format>(&a->value) : nullptr;
      if (!format) continue;
      for (const nir::FormatPiece& p : format->pieces) {
        if (p.is_hole && p.spec.kind == '?') mark_debugged(p.value.type);
      }
    }
  }
}

// ---- who is a key ----------------------------------------------------------------------------------

void Emission::mark_hashed(TypeId id) {
  const Type t = types[id];
  if (t.kind == TypeKind::named && decls.types[t.decl].package.valid()) {
    if (!hashed.insert(t.decl.index).second) return;
    for (const FieldInfo& f : decls.types[t.decl].fields) mark_hashed(f.type);
    for (const VariantInfo& v : decls.types[t.decl].variants) {
      for (const FieldInfo& f : v.parts) mark_hashed(f.type);
    }
  }
  for (TypeId a : t.args) mark_hashed(a);
}

// Types that a map or a set of the program finds its pairs by, and what they hold.
void Emission::find_hashed() {
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Type t = types[TypeId(i)];
    if (t.kind == TypeKind::named && (t.decl == decls.hash_map || t.decl == decls.hash_set) && !t.args.empty())
      mark_hashed(t.args[0]);
  }
}

}  // namespace nikaia::lang::emit_cpp
