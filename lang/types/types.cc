// Interning of types, and the questions about a type that are answered from its parts.
//
// Every such question has the same shape: a type has a property where its kind has it by itself, or where all of its
// parts have it. For a struct or enum the parts are its fields and what its variants carry, asked with the answers for
// its arguments put in for its parameters. The walk ends because it remembers which declarations, with which answers
// for their parameters, it is in the middle of: there the property's own rule for types that hold themselves decides.
// What was found stays with the declarations (`PropertyAnswers`), so that a type is walked once and not per question.
#include "lang/types/types.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "lang/types/declarations.h"

namespace nikaia::lang {

namespace {

std::size_t mix(std::size_t seed, std::size_t value) {
  return (seed ^ value) * 0x9e3779b97f4a7c15u + (seed >> 29);
}

std::size_t hash_of(const Type& t) {
  std::size_t h = static_cast<std::size_t>(t.kind) + 1;
  h = mix(h, std::size_t{t.is_mut} | std::size_t{t.is_sync} << 1 | std::size_t{t.is_throws} << 2 |
                 std::size_t{t.is_open} << 3 | std::size_t{t.words} << 4);
  h = mix(h, t.decl.index);
  h = mix(h, t.index);
  h = mix(h, t.length);
  for (TypeId a : t.args) h = mix(h, a.index);
  return h;
}

constexpr bool is_basic(TypeKind kind) {
  return kind <= TypeKind::string;
}

}  // namespace

TypeTable::TypeTable() {
  for (std::size_t k = 0; is_basic(static_cast<TypeKind>(k)); ++k) {
    Type t;
    t.kind = static_cast<TypeKind>(k);
    basic_.push_back(intern(std::move(t)));
  }
}

TypeId TypeTable::intern(Type type) {
  const std::size_t h = hash_of(type);
  auto [from, to] = by_hash_.equal_range(h);
  for (auto it = from; it != to; ++it) {
    if (types_[it->second] == type) return it->second;
  }
  bool has_params = type.kind == TypeKind::param;
  for (TypeId a : type.args) has_params |= has_params_[a] != 0;
  const TypeId id = types_.add(std::move(type));
  has_params_.add(has_params);
  by_hash_.emplace(h, id);
  return id;
}

TypeId TypeTable::named(TypeDeclId decl, std::vector<TypeId> args) {
  Type t;
  t.kind = TypeKind::named;
  t.decl = decl;
  t.args = std::move(args);
  return intern(std::move(t));
}

TypeId TypeTable::array(TypeId element, std::uint64_t length) {
  Type t;
  t.kind = TypeKind::array;
  t.args = {element};
  t.length = length;
  return intern(std::move(t));
}

TypeId TypeTable::tuple(std::vector<TypeId> parts) {
  Type t;
  t.kind = TypeKind::tuple;
  t.args = std::move(parts);
  return intern(std::move(t));
}

TypeId TypeTable::ref(TypeId target, bool is_mut) {
  Type t;
  t.kind = TypeKind::ref;
  t.args = {target};
  t.is_mut = is_mut;
  return intern(std::move(t));
}

TypeId TypeTable::nullable(TypeId inner) {
  const TypeKind k = kind(inner);
  if (k == TypeKind::nullable || k == TypeKind::error) return inner;
  Type t;
  t.kind = TypeKind::nullable;
  t.args = {inner};
  return intern(std::move(t));
}

TypeId TypeTable::function(std::vector<TypeId> params, TypeId result, bool is_sync, bool is_throws) {
  Type t;
  t.kind = TypeKind::function;
  t.args = std::move(params);
  t.args.push_back(result);
  t.is_sync = is_sync;
  t.is_throws = is_throws;
  return intern(std::move(t));
}

TypeId TypeTable::range(TypeId element) {
  Type t;
  t.kind = TypeKind::range;
  t.args = {element};
  return intern(std::move(t));
}

TypeId TypeTable::seq(TypeId element, std::uint8_t words, TypeDeclId name) {
  Type t;
  t.kind = TypeKind::seq;
  t.args = {element};
  t.words = words;
  t.decl = name;
  return intern(std::move(t));
}

TypeId TypeTable::error_sum(std::vector<TypeId> errors, bool is_open) {
  std::sort(errors.begin(), errors.end());
  errors.erase(std::unique(errors.begin(), errors.end()), errors.end());
  Type t;
  t.kind = TypeKind::error_sum;
  t.args = std::move(errors);
  t.is_open = is_open;
  return intern(std::move(t));
}

TypeId TypeTable::param(TypeParamId id) {
  Type t;
  t.kind = TypeKind::param;
  t.index = id.index;
  return intern(std::move(t));
}

TypeId TypeTable::infer(std::uint32_t variable) {
  Type t;
  t.kind = TypeKind::infer;
  t.index = variable;
  return intern(std::move(t));
}

bool TypeTable::is_integer(TypeId id) const {
  switch (kind(id)) {
    case TypeKind::i32:
    case TypeKind::i64:
    case TypeKind::u8:
    case TypeKind::u32:
    case TypeKind::u64: return true;
    default: return false;
  }
}

bool TypeTable::is_number(TypeId id) const {
  return is_integer(id) || kind(id) == TypeKind::f64;
}

bool TypeTable::is_text(TypeId id) const {
  return kind(without_ref(id)) == TypeKind::string;
}

TypeId TypeTable::without_ref(TypeId id) const {
  const Type& t = types_[id];
  return t.kind == TypeKind::ref ? t.args[0] : id;
}

namespace {

enum class Property : std::uint8_t { copies, viewless, compares, orders, sorts, key };

// What the kind alone says: yes, no, or that the parts decide.
enum class ByKind : std::uint8_t { no, yes, parts };

class PropertyWalk {
 public:
  PropertyWalk(const TypeTable& types, const Declarations& decls, Property property)
      : types_(types), decls_(decls), property_(property) {}

  bool holds(TypeId id) {
    const bool answer = walk(id, nullptr);
    // What was taken to hold while the walk went on does hold once nothing spoke against it.
    for (const PropertyAnswers::Looked& key : assumed_) decls_.answers.looked.emplace(key, answer);
    return answer;
  }

 private:
  // A declaration being looked into, with the property's answers for its parameters.
  struct Frame {
    TypeDeclId decl;
    std::vector<bool> args;
    const Frame* outer;
  };

  bool walk(TypeId id, const Frame* frame) {
    const Type& t = types_[id];
    if (t.kind == TypeKind::param) return of_param(TypeParamId(t.index), frame);
    if (t.kind == TypeKind::named) return of_named(t, frame);
    switch (by_kind(t)) {
      case ByKind::no: return false;
      case ByKind::yes: return true;
      case ByKind::parts: break;
    }
    return std::all_of(t.args.begin(), t.args.end(), [&](TypeId a) { return walk(a, frame); });
  }

  bool of_param(TypeParamId param, const Frame* frame) const {
    if (frame) {
      const auto& params = decls_.types[frame->decl].params;
      for (std::size_t i = 0; i < params.size() && i < frame->args.size(); ++i) {
        if (params[i] == param) return frame->args[i];
      }
    }
    // A parameter of the function at hand: any type may stand for it.
    return property_ == Property::viewless;
  }

  ByKind by_kind(const Type& t) const {
    switch (t.kind) {
      case TypeKind::error:
      case TypeKind::never: return ByKind::yes;
      case TypeKind::unit:
        return property_ == Property::copies || property_ == Property::viewless ? ByKind::yes : ByKind::no;
      case TypeKind::i32:
      case TypeKind::i64:
      case TypeKind::u8:
      case TypeKind::u32:
      case TypeKind::u64:
      case TypeKind::char_: return ByKind::yes;
      case TypeKind::f64: return property_ == Property::key ? ByKind::no : ByKind::yes;
      case TypeKind::bool_: return property_ == Property::orders ? ByKind::no : ByKind::yes;
      case TypeKind::string: return property_ == Property::copies ? ByKind::no : ByKind::yes;
      case TypeKind::ref: return of_ref(t);
      case TypeKind::tuple: return property_ == Property::orders ? ByKind::no : ByKind::parts;
      case TypeKind::array:
        // What a run shows is never a value of its own.
        if (property_ == Property::copies && t.length == Type::unsized) return ByKind::no;
        return property_ == Property::orders || property_ == Property::sorts ? ByKind::no : ByKind::parts;
      case TypeKind::nullable:
        return property_ == Property::copies || property_ == Property::viewless || property_ == Property::compares
                   ? ByKind::parts
                   : ByKind::no;
      case TypeKind::range:
        return property_ == Property::copies || property_ == Property::viewless ? ByKind::yes : ByKind::no;
      case TypeKind::function: return property_ == Property::viewless ? ByKind::yes : ByKind::no;
      case TypeKind::seq:  // one without a name lends from what it walks
        return property_ == Property::viewless && t.decl.valid() ? ByKind::parts : ByKind::no;
      case TypeKind::infer: return ByKind::no;
      case TypeKind::error_sum: return property_ == Property::viewless ? ByKind::parts : ByKind::no;
      case TypeKind::param:
      case TypeKind::named: break;
    }
    return ByKind::no;
  }

  ByKind of_ref(const Type& t) const {
    switch (property_) {
      case Property::copies: return ByKind::yes;
      case Property::viewless: return ByKind::no;
      case Property::key: {
        // Of the views only one of text is a key; one of a value that copies is the value.
        const TypeKind target = types_.kind(t.args[0]);
        return is_basic(target) ? ByKind::parts : ByKind::no;
      }
      case Property::compares:
      case Property::orders:
      case Property::sorts: return ByKind::parts;
    }
    return ByKind::no;
  }

  bool of_named(const Type& t, const Frame* frame) {
    const TypeDecl& decl = decls_.types[t.decl];
    if (decl.is_of_library()) {
      const std::optional<bool> own = of_library(decl.library);
      if (own) return *own;
      return std::all_of(t.args.begin(), t.args.end(), [&](TypeId a) { return walk(a, frame); });
    }
    if (property_ == Property::orders || property_ == Property::sorts) return false;
    if (property_ == Property::copies && (decl.drop.valid() || decl.cleanup.valid())) return false;

    Frame inner{t.decl, {}, frame};
    inner.args.reserve(t.args.size());
    for (TypeId a : t.args) {
      const std::size_t assumed = assumed_.size();
      const bool answer = walk(a, frame);
      // This "no" ends nothing, so what was assumed on the way to it is not known.
      if (!answer) forget(assumed);
      inner.args.push_back(answer);
    }
    PropertyAnswers::Looked key{t.decl, static_cast<std::uint8_t>(property_), inner.args};
    if (auto known = decls_.answers.looked.find(key); known != decls_.answers.looked.end()) return known->second;
    if (is_assumed_.contains(key)) return true;
    for (const Frame* f = frame; f; f = f->outer) {
      // A type that holds itself is kept behind a pointer there and moves; anything else is asked of its other parts.
      if (f->decl == inner.decl && f->args == inner.args) return property_ != Property::copies;
    }
    const bool answer = all_parts_hold(decl, inner);
    if (answer) {
      is_assumed_.insert(key);
      assumed_.push_back(std::move(key));
    } else {
      decls_.answers.looked.emplace(std::move(key), false);
    }
    return answer;
  }

  bool all_parts_hold(const TypeDecl& decl, const Frame& inner) {
    for (const FieldInfo& field : decl.fields) {
      if (!walk(field.type, &inner)) return false;
    }
    for (const VariantInfo& variant : decl.variants) {
      for (const FieldInfo& part : variant.parts) {
        if (!walk(part.type, &inner)) return false;
      }
    }
    return true;
  }

  void forget(std::size_t from) {
    while (assumed_.size() > from) {
      is_assumed_.erase(assumed_.back());
      assumed_.pop_back();
    }
  }

  // The answer of the library's type table, or none where the arguments decide.
  std::optional<bool> of_library(const LibraryTypeFacts& facts) const {
    bool has = false;
    switch (property_) {
      case Property::viewless: return std::nullopt;
      case Property::copies:
        if (facts.reads_as_argument) return std::nullopt;
        return facts.handing == Handing::copies;
      case Property::compares: has = facts.compares; break;
      case Property::orders: has = facts.orders; break;
      case Property::sorts: has = facts.sorts; break;
      case Property::key: has = facts.key; break;
    }
    if (has && facts.by_args) return std::nullopt;
    return has;
  }

  const TypeTable& types_;
  const Declarations& decls_;
  Property property_;
  // Declarations found to have the property in this walk, as long as those around them have it.
  std::vector<PropertyAnswers::Looked> assumed_;
  std::unordered_set<PropertyAnswers::Looked, PropertyAnswers::Hash> is_assumed_;
};

bool has_property(const TypeTable& types, const Declarations& decls, TypeId type, Property property) {
  constexpr unsigned is_known = 1, holds = 2;
  std::vector<std::uint16_t>& by_type = decls.answers.by_type;
  if (by_type.size() <= type.index) by_type.resize(types.size(), 0);
  const unsigned shift = 2 * static_cast<unsigned>(property);
  if (const unsigned known = by_type[type.index] >> shift & 3u; known & is_known) return (known & holds) != 0;
  const bool answer = PropertyWalk(types, decls, property).holds(type);
  by_type[type.index] = static_cast<std::uint16_t>(by_type[type.index] | (is_known | (answer ? holds : 0u)) << shift);
  return answer;
}

}  // namespace

Handing handing_of(const TypeTable& types, const Declarations& decls, TypeId type) {
  const Type& t = types[type];
  if (t.kind == TypeKind::function) return Handing::handle;
  if (t.kind == TypeKind::seq) return Handing::sequence;
  if (t.kind == TypeKind::named) {
    const TypeDecl& decl = decls.types[t.decl];
    if (decl.is_of_library()) {
      if (decl.library.reads_as_argument && !t.args.empty()) return handing_of(types, decls, t.args[0]);
      return decl.library.handing;
    }
  }
  return has_property(types, decls, type, Property::copies) ? Handing::copies : Handing::moves;
}

bool holds_view(const TypeTable& types, const Declarations& decls, TypeId type) {
  return !has_property(types, decls, type, Property::viewless);
}
bool compares(const TypeTable& types, const Declarations& decls, TypeId type) {
  return has_property(types, decls, type, Property::compares);
}
bool orders(const TypeTable& types, const Declarations& decls, TypeId type) {
  return has_property(types, decls, type, Property::orders);
}
bool sorts(const TypeTable& types, const Declarations& decls, TypeId type) {
  return has_property(types, decls, type, Property::sorts);
}
bool may_be_key(const TypeTable& types, const Declarations& decls, TypeId type) {
  return has_property(types, decls, type, Property::key);
}

namespace {

class TypeWriter {
 public:
  TypeWriter(const TypeTable& types, const Declarations& decls, const Interner& names)
      : types_(types), decls_(decls), names_(names) {}

  void write(TypeId id, std::string& out) const {
    if (!id.valid()) {
      out += '?';
      return;
    }
    const Type& t = types_[id];
    switch (t.kind) {
      case TypeKind::error: out += "an unknown type"; return;
      case TypeKind::never: out += "never"; return;
      case TypeKind::unit: out += "nothing"; return;
      case TypeKind::i32: out += "i32"; return;
      case TypeKind::i64: out += "i64"; return;
      case TypeKind::u8: out += "u8"; return;
      case TypeKind::u32: out += "u32"; return;
      case TypeKind::u64: out += "u64"; return;
      case TypeKind::f64: out += "f64"; return;
      case TypeKind::bool_: out += "bool"; return;
      case TypeKind::char_: out += "char"; return;
      case TypeKind::string: out += "String"; return;
      case TypeKind::named: write_named(t, out); return;
      case TypeKind::array:
        out += "Array[";
        write(t.args[0], out);
        if (t.length != Type::unsized) out += ", " + std::to_string(t.length);
        out += ']';
        return;
      case TypeKind::tuple:
        out += '(';
        write_list(t.args, out);
        out += ')';
        return;
      case TypeKind::ref:
        out += t.is_mut ? "ref mut " : "ref ";
        write(t.args[0], out);
        return;
      case TypeKind::nullable: {
        const TypeKind inner = types_.kind(t.args[0]);
        const bool brackets = inner == TypeKind::function;
        if (brackets) out += '(';
        write(t.args[0], out);
        out += brackets ? ")?" : "?";
        return;
      }
      case TypeKind::function: write_function(t, out); return;
      case TypeKind::range:
        out += "a range of ";
        write(t.args[0], out);
        return;
      case TypeKind::seq:
        if (t.decl.valid()) return write_name(decls_.types[t.decl], out);
        out += "Seq[";
        write(t.args[0], out);
        out += ']';
        return;
      case TypeKind::error_sum:
        for (std::size_t i = 0; i < t.args.size(); ++i) {
          if (i) out += " or ";
          write(t.args[i], out);
        }
        if (t.args.empty() || t.is_open) out += t.args.empty() ? "an error" : " or another error";
        return;
      case TypeKind::param: {
        const TypeParamId p(t.index);
        out += decls_.type_params.contains(p) ? names_.text(decls_.type_params[p].name) : "T";
        return;
      }
      case TypeKind::infer: out += '_'; return;
    }
  }

 private:
  void write_list(const std::vector<TypeId>& list, std::string& out) const {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i) out += ", ";
      write(list[i], out);
    }
  }

  void write_name(const TypeDecl& decl, std::string& out) const {
    if (decl.module.valid()) {
      out += names_.text(decls_.modules[decl.module].name);
      out += "::";
    } else if (decl.package.valid() && !decls_.packages[decl.package].is_program) {
      out += names_.text(decls_.packages[decl.package].name);
      out += "::";
    }
    out += names_.text(decl.name);
  }

  void write_named(const Type& t, std::string& out) const {
    write_name(decls_.types[t.decl], out);
    if (t.args.empty()) return;
    out += '[';
    write_list(t.args, out);
    out += ']';
  }

  void write_function(const Type& t, std::string& out) const {
    out += "fn(";
    for (std::size_t i = 0; i + 1 < t.args.size(); ++i) {
      if (i) out += ", ";
      write(t.args[i], out);
    }
    out += ')';
    if (types_.kind(t.args.back()) != TypeKind::unit) {
      out += " -> ";
      write(t.args.back(), out);
    }
    if (t.is_sync) out += " sync";
    if (t.is_throws) out += " throws";
  }

  const TypeTable& types_;
  const Declarations& decls_;
  const Interner& names_;
};

}  // namespace

std::string type_text(const TypeTable& types, const Declarations& decls, const Interner& names, TypeId type) {
  std::string out;
  TypeWriter(types, decls, names).write(type, out);
  return out;
}

}  // namespace nikaia::lang
