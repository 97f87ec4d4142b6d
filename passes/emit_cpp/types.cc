// Types in emitted C++: how each is spelled, and the definitions of the program's structs and enums.
//
// A definition comes after those of the types it holds inline; the order is a depth-first walk of fields.
// Generic types are C++ templates; everything else is written once. An enum whose variants hold nothing is an
// `enum class`; another is a struct over nikaia::Sum with one payload struct a variant.
#include <algorithm>
#include <functional>

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
  return has_life(id) ? "  [[no_unique_address]] nikaia::Ending<" + type_names.at(id.index) + "> ending{};\n"
                      : std::string();
}

// The last members of a type that runs code as it dies, or that holds one that does.
void Emission::life_members(std::string& out, TypeDeclId id) const {
  const TypeDecl& d = decls.types[id];
  const std::string& name = type_names.at(id.index);
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
    const auto pauses = [&](const auto& made) {
      return made.first[0] == d.cleanup.index && module.functions[made.second].may_pause;
    };
    // It dies without a way out of a scope that cleans it: its fiber is unwound, or a row of the library or a
    // function value held it.
    out += "  if (!life.cleaned) {\n";
    out += std::any_of(by_source.begin(), by_source.end(), pauses)
               ? "    life.cleaned = true;\n    nikaia::rt::park(std::move(self), " +
                     quoted(compilation.names.text(d.name)) + ");\n    if (!life.alive) return;\n"
               : "    nikaia::clean_up_alone(self);\n";
    out += "  }\n";
  }
  out += "  life.alive = false;\n";
  if (!d.drop.valid()) return out + "  (void)self;\n";
  if (!d.params.empty()) return out + "  nk_drop_value(self);\n";
  auto target = by_source.find({d.drop.index});
  const std::string function =
      target == by_source.end() ? "" : namespace_of(d.package) + "::" + function_names.at(target->second.index);
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
  const std::string call = function_names.at(id.index) + "(&self);";
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
    const std::string ns = namespace_of(package) + "::", name = ns + type_names.at(id.index);
    auto function = [&](FnId fn) {
      auto target = by_source.find({fn.index});
      return target == by_source.end() ? std::string() : ns + function_names.at(target->second.index);
    };
    if (d.cleanup.valid()) {
      const nir::Function& f = module.functions[by_source.at({d.cleanup.index})];
      out += "nikaia::Result<void> " + name + "::cleanup() {\n";
      out += f.can_fail ? "  return " + function(d.cleanup) + "(this);\n"
                        : "  " + function(d.cleanup) + "(this);\n  return {};\n";
      out += "}\n";
    }
    out += "void " + name + "::end(nikaia::Life<" + type_names.at(id.index) + ">& life) {\n" +
           ending_body(id, name, false) + "}\n";
    out += "void " + name + "::end_old(nikaia::Ending<" + type_names.at(id.index) + ">& ending) {\n" +
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
      std::string s = type_names.at(t.decl.index);
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
    case TypeKind::seq: return t.decl.valid() ? type_names.at(t.decl.index) : "auto";
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
      if (d.drop.valid() || d.cleanup.valid() || d.library.has_cleanup) return false;
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

// ---- definitions ----------------------------------------------------------------------------------

namespace {

// What a field is in C++: boxed where it holds its own type.
// `n`: its place among the declaration's fields, or the parts of all its variants.
std::string field_type(const Emission& e, TypeDeclId type, const FieldInfo& f, std::size_t n) {
  std::string t = e.type(f.type, e.view_states.is_field_borrowed(type, n) ? Position::passing : Position::stored);
  return f.is_boxed ? "nikaia::Box<" + t + ">" : t;
}

// The field of a struct that is a box, or null.
const FieldInfo* first_box(const TypeDecl& d) {
  if (d.kind != TypeDeclKind::struct_) return nullptr;
  const auto found = std::find_if(d.fields.begin(), d.fields.end(), [](const FieldInfo& f) { return f.is_boxed; });
  return found == d.fields.end() ? nullptr : &*found;
}

std::string template_head(const Emission& e, const TypeDecl& d) {
  if (d.params.empty()) return "";
  std::string s = "template <";
  for (std::size_t i = 0; i < d.params.size(); ++i) {
    if (i) s += ", ";
    s += "class " + std::string(e.compilation.names.text(e.decls.type_params[d.params[i]].name));
  }
  return s + ">\n";
}

std::string template_args(const Emission& e, const TypeDecl& d) {
  if (d.params.empty()) return "";
  std::string s = "<";
  for (std::size_t i = 0; i < d.params.size(); ++i) {
    if (i) s += ", ";
    s += std::string(e.compilation.names.text(e.decls.type_params[d.params[i]].name));
  }
  return s + ">";
}

bool all_copy(const Emission& e, const std::vector<FieldInfo>& fields) {
  for (const FieldInfo& f : fields) {
    const Handing h = handing_of(e.types, e.decls, f.type);
    if (f.is_boxed || (h != Handing::copies && h != Handing::handle)) return false;
  }
  return true;
}

bool all_clone(const Emission& e, const std::vector<FieldInfo>& fields) {
  for (const FieldInfo& f : fields) {
    if (!e.can_clone(f.type)) return false;
  }
  return true;
}

bool all_compare(const Emission& e, const std::vector<FieldInfo>& fields) {
  for (const FieldInfo& f : fields) {
    if (e.types.kind(f.type) != TypeKind::param && !compares(e.types, e.decls, f.type)) return false;
  }
  return true;
}

void write_fields(std::string& out, const Emission& e, TypeDeclId type, const std::vector<FieldInfo>& fields,
                  std::size_t before = 0) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    out += "  " + field_type(e, type, fields[i], before + i) + " " + e.field_name(fields[i], i) + "{};\n";
  }
}

void write_clone(std::string& out, const Emission& e, const std::string& name, const std::vector<FieldInfo>& fields) {
  if (all_copy(e, fields) || !all_clone(e, fields)) return;
  out += "  " + name + " clone() const {\n    using nikaia::clone;\n    return " + name + "{";
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i) out += ", ";
    out += "nikaia::clone(" + e.field_name(fields[i], i) + ")";
  }
  out += "};\n  }\n";
}

void write_hash(std::string& out, const Emission& e, const std::vector<FieldInfo>& fields) {
  out += "  std::uint64_t hash(bool keyed) const {\n    return nikaia::hash_parts(keyed";
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string name = e.field_name(fields[i], i);
    out += ", " + (fields[i].is_boxed ? "nikaia::unbox(" + name + ")" : name);
  }
  out += ");\n  }\n";
}

std::string quoted_literal(const Emission& e, std::string_view text) {
  return e.quoted(text) + "_s";
}

}  // namespace

std::string Emission::type_definitions(PackageId package) const {
  std::string forward, out;
  std::set<std::uint32_t> done;
  std::function<void(TypeId)> need;
  std::function<void(TypeDeclId)> define = [&](TypeDeclId id) {
    const TypeDecl& d = decls.types[id];
    if (!(d.package == package) || !d.item.valid() || !done.insert(id.index).second) return;
    const auto visit = [&](const FieldInfo& f) {
      if (!f.is_boxed) need(f.type);
    };
    for (const FieldInfo& f : d.fields) visit(f);
    for (const VariantInfo& v : d.variants) {
      for (const FieldInfo& f : v.parts) visit(f);
    }
    const std::string name = type_names.at(id.index);
    const std::string head = template_head(*this, d), args = template_args(*this, d);
    if (is_plain_enum(id)) {
      out += "enum class " + name + " : std::uint8_t {";
      for (std::size_t v = 0; v < d.variants.size(); ++v) {
        std::string variant(compilation.names.text(d.variants[v].name));
        out += (v ? ", " : " ") + (is_cpp_word(variant) ? variant + "_" : variant);
      }
      out += " };\n\n";
      return;
    }
    if (d.kind == TypeDeclKind::struct_) {
      out += head + "struct " + name + " {\n" + ending_member(id);
      write_fields(out, *this, id, d.fields);
      if (const FieldInfo* box = first_box(d)) {
        const std::string field = field_name(*box, static_cast<std::size_t>(box - d.fields.data()));
        out += "  auto& first_box() { return " + field + "; }\n  const auto& first_box() const { return " + field +
               "; }\n";
      }
      if (!has_life(id)) write_clone(out, *this, name, d.fields);
      if (hashed.count(id.index)) write_hash(out, *this, d.fields);
      if (d.error_message.valid()) out += "  nikaia::String message() const;\n";
      if (debugged.count(id.index)) {
        out += "  void debug(nikaia::DebugText& out) const {\n";
        if (d.fields.empty()) {
          out += "    out.out().append(" +
                 quoted_literal(*this, compilation.names.text(d.name).empty()
                                           ? ""
                                           : std::string(compilation.names.text(d.name)) + " {}") +
                 ");\n";
        } else {
          out += "    out.begin_struct(" + quoted_literal(*this, compilation.names.text(d.name)) + ");\n";
          for (std::size_t i = 0; i < d.fields.size(); ++i) {
            out += "    out.field(" + quoted_literal(*this, compilation.names.text(d.fields[i].name)) + ", " +
                   field_name(d.fields[i], i) + ");\n";
          }
          out += "    out.end_struct();\n";
        }
        out += "  }\n";
      }
      life_members(out, id);
      if (all_compare(*this, d.fields)) {
        out += "  friend bool operator==(const " + name + "&, const " + name + "&) = default;\n";
      }
      out += "};\n\n";
      return;
    }
    // An enum: one payload struct a variant, and the sum of them.
    std::string sum = "nikaia::Sum<";
    bool comparable = true, clonable = true, copyable = true;
    std::size_t before = 0;  // parts of earlier variants
    for (std::size_t v = 0; v < d.variants.size(); ++v) {
      const std::string& payload = variant_names.at((static_cast<std::uint64_t>(id.index) << 32) | v);
      out += head + "struct " + payload + " {\n";
      write_fields(out, *this, id, d.variants[v].parts, before);
      before += d.variants[v].parts.size();
      write_clone(out, *this, payload, d.variants[v].parts);
      if (hashed.count(id.index)) write_hash(out, *this, d.variants[v].parts);
      if (all_compare(*this, d.variants[v].parts)) {
        out += "  friend bool operator==(const " + payload + "&, const " + payload + "&) = default;\n";
      } else {
        comparable = false;
      }
      copyable = copyable && all_copy(*this, d.variants[v].parts);
      clonable = clonable && all_clone(*this, d.variants[v].parts);
      out += "};\n";
      sum += (v ? ", " : "") + payload + args;
    }
    sum += ">";
    out +=
        head + "struct " + name + " {\n  using Variants = " + sum + ";\n" + ending_member(id) + "  Variants sum{};\n";
    for (std::size_t v = 0; v < d.variants.size(); ++v) {
      const auto& parts = d.variants[v].parts;
      std::string variant(compilation.names.text(d.variants[v].name));
      if (is_cpp_word(variant) || variant == "Variants") variant += "_";
      out += "  static " + name + " " + variant + "(";
      for (std::size_t i = 0; i < parts.size(); ++i) {
        out += (i ? ", " : "") + type(parts[i].type, Position::stored) + " " + field_name(parts[i], i);
      }
      out += ") {\n    return " + name + "{.sum = Variants::" + (d.params.empty() ? "" : "template ") + "make<" +
             std::to_string(v) + ">({";
      for (std::size_t i = 0; i < parts.size(); ++i) {
        out += (i ? ", " : "") + ("std::move(" + field_name(parts[i], i) + ")");
      }
      out += std::string("})") + (has_life(id) ? ", .life = nikaia::Life<" + name + ">::begun()" : "") + "};\n  }\n";
    }
    if (clonable && !copyable && !has_life(id)) {
      out += "  " + name + " clone() const {\n    return " + name + "{.sum = nikaia::clone(sum)};\n  }\n";
    }
    if (d.error_message.valid()) out += "  nikaia::String message() const;\n";
    if (hashed.count(id.index))
      out += "  std::uint64_t hash(bool keyed) const { return nikaia::hash_parts(keyed, sum); }\n";
    if (debugged.count(id.index)) {
      out += "  void debug(nikaia::DebugText& out) const {\n    switch (sum.tag()) {\n";
      for (std::size_t v = 0; v < d.variants.size(); ++v) {
        const auto& variant = d.variants[v];
        out += "      case " + std::to_string(v) + ": {\n";
        const std::string label = quoted_literal(*this, compilation.names.text(variant.name));
        if (variant.parts.empty()) {
          out += "        out.out().append(" + label + ");\n";
        } else {
          out += "        const auto& carried = sum." + std::string(d.params.empty() ? "" : "template ") + "as<" +
                 std::to_string(v) + ">();\n";
          const bool named = variant.kind == ast::VariantKind::named;
          out += "        out.begin_" + std::string(named ? "struct" : "variant") + "(" + label + ");\n";
          for (std::size_t i = 0; i < variant.parts.size(); ++i) {
            const std::string field = "carried." + field_name(variant.parts[i], i);
            out += named ? "        out.field(" + quoted_literal(*this, compilation.names.text(variant.parts[i].name)) +
                               ", " + field + ");\n"
                         : "        out.item(" + field + ");\n";
          }
          out += "        out.end_" + std::string(named ? "struct" : "variant") + "();\n";
        }
        out += "        break;\n      }\n";
      }
      out += "    }\n  }\n";
    }
    life_members(out, id);
    if (comparable) out += "  friend bool operator==(const " + name + "&, const " + name + "&) = default;\n";
    out += "};\n\n";
  };
  need = [&](TypeId t) {
    const Type& x = types[t];
    if (x.kind == TypeKind::named) {
      define(x.decl);
      for (TypeId a : x.args) need(a);
      return;
    }
    if (x.kind == TypeKind::tuple || x.kind == TypeKind::nullable || x.kind == TypeKind::array ||
        x.kind == TypeKind::range) {
      for (TypeId a : x.args) need(a);
    }
  };
  for (std::size_t i = 0; i < decls.types.size(); ++i) {
    const TypeDecl& d = decls.types[TypeDeclId(i)];
    if (!(d.package == package) || !d.item.valid() || !d.package.valid()) continue;
    if (!is_plain_enum(TypeDeclId(i))) {
      forward += template_head(*this, d) + "struct " + type_names.at(static_cast<std::uint32_t>(i)) + ";\n";
    }
  }
  // Before any type is whole: what null is of a type that has a box in it.
  std::string spares;
  for (std::size_t i = 0; i < decls.types.size(); ++i) {
    const TypeDecl& d = decls.types[TypeDeclId(i)];
    if (!(d.package == package) || !d.item.valid() || !d.package.valid() || first_box(d) == nullptr) continue;
    const std::string name =
        namespace_of(package) + "::" + type_names.at(static_cast<std::uint32_t>(i)) + template_args(*this, d);
    spares += (d.params.empty() ? "template <>\n" : template_head(*this, d)) + "struct Spare<" + name +
              "> : SpareByBox<" + name + "> {};\n";
  }
  if (!spares.empty()) {
    const std::string own = namespace_of(package);
    forward += "}\n\nnamespace nikaia {\n" + spares + "}  // namespace\n\nnamespace " + own + " {\n";
  }
  for (std::size_t i = 0; i < decls.types.size(); ++i) define(TypeDeclId(i));
  return forward + (forward.empty() ? "" : "\n") + out;
}

// Specialisations stand outside the package's namespace: the text forms of `enum class`es.
std::string Emission::after_namespace(PackageId package) const {
  std::string out;
  for (std::size_t i = 0; i < decls.types.size(); ++i) {
    const TypeDeclId id(i);
    const TypeDecl& d = decls.types[id];
    if (!(d.package == package) || !d.package.valid() || !d.item.valid() || !is_plain_enum(id)) continue;
    const std::string name = namespace_of(package) + "::" + type_names.at(id.index);
    if (d.error_message.valid()) {
      out += "template <>\nstruct nikaia::Message<" + name + "> {\n  static nikaia::String text(const " + name +
             "& error);\n};\n";
      continue;
    }
    out += "template <>\nstruct nikaia::Show<" + name + "> {\n  static void to(nikaia::String& out, const " + name +
           "& value) {\n    using namespace nikaia::literals;\n    switch (value) {\n";
    for (const VariantInfo& v : d.variants) {
      std::string variant(compilation.names.text(v.name));
      out += "      case " + name + "::" + (is_cpp_word(variant) ? variant + "_" : variant) + ": out.append(" +
             quoted(variant) + "_s); break;\n";
    }
    out += "    }\n  }\n};\n";
  }
  return out;
}

}  // namespace nikaia::lang::emit_cpp
