// The definitions of the program's structs and enums.
//
// Generic types are C++ templates; everything else is written once. An enum whose variants hold nothing is an
// `enum class`; another is a struct over nikaia::Sum with one payload struct a variant. Which file has which
// definitions, and in what order, is decided in declarations.cc.
#include <algorithm>

#include "passes/emit_cpp/emission.h"

namespace nikaia::lang::emit_cpp {
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

// The parameters of a generic type, each behind `before`, within `<>`; empty for any other.
std::string params_of(const Emission& e, const TypeDecl& d, const char* before) {
  std::string s;
  for (const TypeParamId p : d.params) {
    s += (s.empty() ? "<" : ", ") + std::string(before) +
         std::string(e.compilation.names.text(e.decls.type_params[p].name));
  }
  return s.empty() ? s : s + ">";
}

std::string template_head(const Emission& e, const TypeDecl& d) {
  return d.params.empty() ? "" : "template " + params_of(e, d, "class ") + "\n";
}

bool all_copy(const Emission& e, const std::vector<FieldInfo>& fields) {
  return std::all_of(fields.begin(), fields.end(), [&](const FieldInfo& f) {
    const Handing h = handing_of(e.types, e.decls, f.type);
    return !f.is_boxed && (h == Handing::copies || h == Handing::handle);
  });
}

bool all_clone(const Emission& e, const std::vector<FieldInfo>& fields) {
  return std::all_of(fields.begin(), fields.end(), [&](const FieldInfo& f) { return e.can_clone(f.type); });
}

bool all_compare(const Emission& e, const std::vector<FieldInfo>& fields) {
  return std::all_of(fields.begin(), fields.end(), [&](const FieldInfo& f) {
    return e.types.kind(f.type) == TypeKind::param || compares(e.types, e.decls, f.type);
  });
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

void write_comparison(std::string& out, const std::string& name) {
  out += "  friend bool operator==(const " + name + "&, const " + name + "&) = default;\n";
}

std::string quoted_literal(const Emission& e, std::string_view text) {
  return e.quoted(text) + "_s";
}

void write_plain_enum(std::string& out, const Emission& e, TypeDeclId id) {
  out += "enum class " + e.type_name(id) + " : std::uint8_t {";
  const TypeDecl& d = e.decls.types[id];
  for (std::size_t v = 0; v < d.variants.size(); ++v) {
    out += (v ? ", " : " ") + e.variant_member(d.variants[v]);
  }
  out += " };\n\n";
}

// What stands outside the package's namespace: the text form of an `enum class`.
std::string plain_enum_text(const Emission& e, TypeDeclId id) {
  const TypeDecl& d = e.decls.types[id];
  const std::string name = e.namespace_of(d.package) + "::" + e.type_name(id);
  if (d.error_message.valid()) {
    return "template <>\nstruct nikaia::Message<" + name + "> {\n  static nikaia::String text(const " + name +
           "& error);\n};\n";
  }
  std::string out = "template <>\nstruct nikaia::Show<" + name + "> {\n  static void to(nikaia::String& out, const " +
                    name + "& value) {\n    using namespace nikaia::literals;\n    switch (value) {\n";
  for (const VariantInfo& v : d.variants) {
    out += "      case " + name + "::" + e.variant_member(v) + ": out.append(" +
           quoted_literal(e, e.compilation.names.text(v.name)) + "); break;\n";
  }
  return out + "    }\n  }\n};\n";
}

void write_struct_debug(std::string& out, const Emission& e, const TypeDecl& d) {
  const std::string name(e.compilation.names.text(d.name));
  out += "  void debug(nikaia::DebugText& out) const {\n";
  if (d.fields.empty()) {
    out += "    out.out().append(" + quoted_literal(e, name.empty() ? "" : name + " {}") + ");\n";
  } else {
    out += "    out.begin_struct(" + quoted_literal(e, name) + ");\n";
    for (std::size_t i = 0; i < d.fields.size(); ++i) {
      out += "    out.field(" + quoted_literal(e, e.compilation.names.text(d.fields[i].name)) + ", " +
             e.field_name(d.fields[i], i) + ");\n";
    }
    out += "    out.end_struct();\n";
  }
  out += "  }\n";
}

void write_struct(std::string& out, const Emission& e, TypeDeclId id) {
  const TypeDecl& d = e.decls.types[id];
  const std::string name = e.type_name(id);
  out += template_head(e, d) + "struct " + name + " {\n" + e.ending_member(id);
  write_fields(out, e, id, d.fields);
  if (const FieldInfo* box = first_box(d)) {
    const std::string field = e.field_name(*box, static_cast<std::size_t>(box - d.fields.data()));
    out += "  auto& first_box() { return " + field + "; }\n  const auto& first_box() const { return " + field + "; }\n";
  }
  if (!e.has_life(id)) write_clone(out, e, name, d.fields);
  if (e.hashed.count(id.index)) write_hash(out, e, d.fields);
  if (d.error_message.valid()) out += "  nikaia::String message() const;\n";
  if (e.debugged.count(id.index)) write_struct_debug(out, e, d);
  e.life_members(out, id);
  if (all_compare(e, d.fields)) write_comparison(out, name);
  out += "};\n\n";
}

void write_sum_debug(std::string& out, const Emission& e, const TypeDecl& d) {
  out += "  void debug(nikaia::DebugText& out) const {\n    switch (sum.tag()) {\n";
  for (std::size_t v = 0; v < d.variants.size(); ++v) {
    const auto& variant = d.variants[v];
    out += "      case " + std::to_string(v) + ": {\n";
    const std::string label = quoted_literal(e, e.compilation.names.text(variant.name));
    if (variant.parts.empty()) {
      out += "        out.out().append(" + label + ");\n";
    } else {
      out += "        const auto& carried = sum." + std::string(d.params.empty() ? "" : "template ") + "as<" +
             std::to_string(v) + ">();\n";
      const bool named = variant.kind == ast::VariantKind::named;
      out += "        out.begin_" + std::string(named ? "struct" : "variant") + "(" + label + ");\n";
      for (std::size_t i = 0; i < variant.parts.size(); ++i) {
        const std::string field = "carried." + e.field_name(variant.parts[i], i);
        out += named ? "        out.field(" + quoted_literal(e, e.compilation.names.text(variant.parts[i].name)) +
                           ", " + field + ");\n"
                     : "        out.item(" + field + ");\n";
      }
      out += "        out.end_" + std::string(named ? "struct" : "variant") + "();\n";
    }
    out += "        break;\n      }\n";
  }
  out += "    }\n  }\n";
}

// The function that makes one variant of an enum.
void write_maker(std::string& out, const Emission& e, TypeDeclId id, std::size_t v) {
  const TypeDecl& d = e.decls.types[id];
  const std::string name = e.type_name(id);
  const auto& parts = d.variants[v].parts;
  out += "  static " + name + " " + e.variant_member(d.variants[v]) + "(";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out += (i ? ", " : "") + e.type(parts[i].type, Position::stored) + " " + e.field_name(parts[i], i);
  }
  out += ") {\n    return " + name + "{.sum = Variants::" + (d.params.empty() ? "" : "template ") + "make<" +
         std::to_string(v) + ">({";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out += (i ? ", " : "") + ("std::move(" + e.field_name(parts[i], i) + ")");
  }
  out += std::string("})") + (e.has_life(id) ? ", .life = nikaia::Life<" + name + ">::begun()" : "") + "};\n  }\n";
}

// An enum: one payload struct a variant, and the sum of them.
void write_sum(std::string& out, const Emission& e, TypeDeclId id) {
  const TypeDecl& d = e.decls.types[id];
  const std::string name = e.type_name(id), head = template_head(e, d), args = params_of(e, d, "");
  const bool is_hashed = e.hashed.count(id.index) != 0;
  std::string sum = "nikaia::Sum<";
  bool comparable = true, clonable = true, copyable = true;
  std::size_t before = 0;  // parts of earlier variants
  for (std::size_t v = 0; v < d.variants.size(); ++v) {
    const auto& parts = d.variants[v].parts;
    const std::string& payload = e.variant_names.at((static_cast<std::uint64_t>(id.index) << 32) | v);
    out += head + "struct " + payload + " {\n";
    write_fields(out, e, id, parts, before);
    before += parts.size();
    write_clone(out, e, payload, parts);
    if (is_hashed) write_hash(out, e, parts);
    const bool payload_compares = all_compare(e, parts);
    if (payload_compares) write_comparison(out, payload);
    comparable = comparable && payload_compares;
    copyable = copyable && all_copy(e, parts);
    clonable = clonable && all_clone(e, parts);
    out += "};\n";
    sum += (v ? ", " : "") + payload + args;
  }
  sum += ">";
  out +=
      head + "struct " + name + " {\n  using Variants = " + sum + ";\n" + e.ending_member(id) + "  Variants sum{};\n";
  for (std::size_t v = 0; v < d.variants.size(); ++v) write_maker(out, e, id, v);
  if (clonable && !copyable && !e.has_life(id)) {
    out += "  " + name + " clone() const {\n    return " + name + "{.sum = nikaia::clone(sum)};\n  }\n";
  }
  if (d.error_message.valid()) out += "  nikaia::String message() const;\n";
  if (is_hashed) out += "  std::uint64_t hash(bool keyed) const { return nikaia::hash_parts(keyed, sum); }\n";
  if (e.debugged.count(id.index)) write_sum_debug(out, e, d);
  e.life_members(out, id);
  if (comparable) write_comparison(out, name);
  out += "};\n\n";
}

// The types that must be whole where a field of type `t` is declared.
void find_inline(const Emission& e, TypeId t, std::vector<TypeDeclId>& found) {
  const Type& x = e.types[t];
  if (x.kind == TypeKind::named) {
    found.push_back(x.decl);
  } else if (x.kind != TypeKind::tuple && x.kind != TypeKind::nullable && x.kind != TypeKind::array &&
             x.kind != TypeKind::range) {
    return;
  }
  for (TypeId a : x.args) find_inline(e, a, found);
}

}  // namespace

const TypeText& Emission::type_text(TypeDeclId id) {
  const auto [entry, is_new] = type_texts.try_emplace(id.index);
  TypeText& text = entry->second;
  if (!is_new) return text;
  const Mentioning mentioning(*this, text.mentions);
  const TypeDecl& d = decls.types[id];
  const auto find = [&](const std::vector<FieldInfo>& fields) {
    for (const FieldInfo& f : fields) {
      if (!f.is_boxed) find_inline(*this, f.type, text.inlines);
    }
  };
  find(d.fields);
  for (const VariantInfo& v : d.variants) find(v.parts);
  if (is_plain_enum(id)) {
    write_plain_enum(text.definition, *this, id);
    text.outside = plain_enum_text(*this, id);
    return text;
  }
  const std::string name = type_name(id);
  text.forward = template_head(*this, d) + "struct " + name + ";\n";
  // Before any type is whole: what null is of a type that has a box in it.
  if (first_box(d) != nullptr) {
    const std::string whole = namespace_of(d.package) + "::" + name + params_of(*this, d, "");
    text.spare = (d.params.empty() ? "template <>\n" : template_head(*this, d)) + "struct Spare<" + whole +
                 "> : SpareByBox<" + whole + "> {};\n";
  }
  if (d.kind == TypeDeclKind::struct_)
    write_struct(text.definition, *this, id);
  else
    write_sum(text.definition, *this, id);
  // What the members of a generic type call by overload.
  if (has_life(id) && !d.params.empty()) {
    for (const FnId life : {d.drop, d.cleanup}) {
      if (life.valid()) instances.each(life, [&](nir::FunctionId f) { text.mentions.functions.insert(f.index); });
    }
  }
  return text;
}

}  // namespace nikaia::lang::emit_cpp
