#include "lang/types/signature.h"

#include <array>
#include <optional>

namespace nikaia::lang {

namespace {

constexpr int deepest_nesting = 64;  // of types in a signature; keeps a damaged ledger from using up the stack

constexpr std::array<std::pair<std::string_view, TypeKind>, 10> basic_names{{
    {"never", TypeKind::never},
    {"i32", TypeKind::i32},
    {"i64", TypeKind::i64},
    {"u8", TypeKind::u8},
    {"u32", TypeKind::u32},
    {"u64", TypeKind::u64},
    {"f64", TypeKind::f64},
    {"bool", TypeKind::bool_},
    {"char", TypeKind::char_},
    {"String", TypeKind::string},
}};

constexpr std::array<std::pair<std::string_view, std::uint8_t>, 6> seq_words{{
    {"sync", seq_sync},
    {"pauses", seq_pauses},
    {"throws", seq_throws},
    {"ends", seq_ends},
    {"sized", seq_sized},
    {"replays", seq_replays},
}};

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

// One text being read. Every reading function answers whether it succeeded; the first failure is kept.
struct SignatureReader::Cursor {
  Cursor(SignatureReader& r, std::string_view t) : reader(r), text(t) {}

  SignatureReader& reader;
  std::string_view text;
  std::size_t at = 0;
  std::optional<SignatureError> error;
  std::vector<std::pair<std::string_view, TypeParamId>> variables;
  std::vector<std::string_view> sources;  // of the result's `ref(…)`
  int depth = 0;

  bool fail(std::string message) {
    if (!error) error = SignatureError{at, std::move(message)};
    return false;
  }

  void blanks() {
    while (at < text.size() && text[at] == ' ') ++at;
  }
  bool sees(char c) {
    blanks();
    return at < text.size() && text[at] == c;
  }
  bool take(char c) {
    if (!sees(c)) return false;
    ++at;
    return true;
  }
  bool expect(char c) { return take(c) || fail(std::string("`") + c + "` was expected"); }
  bool take(std::string_view symbol) {
    blanks();
    if (text.substr(at, symbol.size()) != symbol) return false;
    at += symbol.size();
    return true;
  }
  std::string_view peek_word() {
    blanks();
    std::size_t end = at;
    while (end < text.size() && is_name_char(text[end])) ++end;
    return text.substr(at, end - at);
  }
  bool take_word(std::string_view word) {
    if (peek_word() != word) return false;
    at += word.size();
    return true;
  }
  bool word(std::string_view& out) {
    out = peek_word();
    if (out.empty()) return fail("a name was expected");
    at += out.size();
    return true;
  }
  bool path(std::string_view& out) {
    blanks();
    const std::size_t from = at;
    std::string_view segment;
    do {
      if (!word(segment)) return false;
    } while (text.substr(at, 2) == "::" && (at += 2));
    out = text.substr(from, at - from);
    return true;
  }
  bool end() {
    blanks();
    return at == text.size() || fail("something follows the end");
  }

  // ---- types ----

  bool type(TypeId& out) {
    if (++depth > deepest_nesting) return fail("types are nested too deep");
    const bool good = type_inside(out);
    --depth;
    return good;
  }

  bool type_inside(TypeId& out) {
    if (take('?')) {
      out = TypeId();
      return true;
    }
    if (take_word("ref")) {
      if (take('(')) {
        do {
          std::string_view source;
          if (!word(source)) return false;
          sources.push_back(source);
        } while (take('|'));
        if (!expect(')')) return false;
      }
      TypeId target;
      if (!base(target)) return false;
      return nullable(reader.types_.ref(target), out);
    }
    TypeId inner;
    return base(inner) && nullable(inner, out);
  }

  bool nullable(TypeId inner, TypeId& out) {
    out = take('?') ? reader.types_.nullable(inner) : inner;
    return true;
  }

  bool base(TypeId& out) {
    if (sees('(')) return group(out);
    if (peek_word() == "fn") return function(out);
    std::string_view name;
    if (!path(name)) return false;
    if (name == "Array") return array(out);
    if (name == "Seq") return sequence(out);
    for (const auto& [known, kind] : basic_names) {
      if (known == name) {
        out = reader.types_.basic(kind);
        return true;
      }
    }
    for (const auto& [variable, id] : variables) {
      if (variable == name) {
        out = reader.types_.param(id);
        return true;
      }
    }
    const TypeName found = reader.lookup_(name);
    if (found.param.valid()) {
      out = reader.types_.param(found.param);
      return true;
    }
    if (!found.decl.valid()) return fail("no type is called `" + std::string(name) + "`");
    std::vector<TypeId> args;
    if (take('[') && !list(args, ']')) return false;
    if (args.size() != reader.decls_.types[found.decl].params.size()) {
      return fail("`" + std::string(name) + "` has another number of type arguments");
    }
    if (const TypeId sequence = reader.decls_.types[found.decl].sequence; sequence.valid()) {
      out = sequence;
      return true;
    }
    if (name == "Par") {  // its words are those of every sequence over a list
      std::uint8_t ignored = 0;
      words(ignored);
    }
    out = reader.types_.named(found.decl, std::move(args));
    return true;
  }

  bool list(std::vector<TypeId>& out, char close) {
    do {
      TypeId t;
      if (!type(t)) return false;
      if (!t.valid()) return fail("`?` cannot be a part of a type");
      out.push_back(t);
    } while (take(','));
    return expect(close);
  }

  // A tuple, or a function type in brackets.
  bool group(TypeId& out) {
    take('(');
    std::vector<TypeId> parts;
    if (!list(parts, ')')) return false;
    out = parts.size() == 1 ? parts[0] : reader.types_.tuple(std::move(parts));
    return true;
  }

  bool function(TypeId& out) {
    take_word("fn");
    if (!expect('(')) return false;
    std::vector<TypeId> params;
    while (!take(')')) {
      const bool is_mut = take_word("mut");
      TypeId t;
      if (!type(t)) return false;
      if (!t.valid()) return fail("`?` cannot be a part of a type");
      params.push_back(is_mut ? reader.types_.ref(t, true) : t);
      if (!take(',') && !sees(')')) return fail("`,` or `)` was expected");
    }
    TypeId result = reader.types_.basic(TypeKind::unit);
    if (take(std::string_view("->")) && !type(result)) return false;
    if (!result.valid()) return fail("`?` cannot be a part of a type");
    bool is_sync = false, is_throws = false;
    while (true) {
      if (take_word("sync")) {
        is_sync = true;
      } else if (take_word("throws")) {
        is_throws = true;
      } else {
        break;
      }
    }
    out = reader.types_.function(std::move(params), result, is_sync, is_throws);
    return true;
  }

  bool array(TypeId& out) {
    TypeId element;
    if (!expect('[') || !type(element)) return false;
    if (!element.valid()) return fail("`?` cannot be a part of a type");
    std::uint64_t length = Type::unsized;
    if (take(',')) {
      const std::string_view digits = peek_word();
      length = 0;
      for (char c : digits) {
        if (c < '0' || c > '9' || length > 0xffffffffu) return fail("a length was expected");
        length = length * 10 + static_cast<std::uint64_t>(c - '0');
      }
      if (digits.empty()) return fail("a length was expected");
      at += digits.size();
    }
    if (!expect(']')) return false;
    out = reader.types_.array(element, length);
    return true;
  }

  bool sequence(TypeId& out) {
    TypeId element;
    if (!expect('[') || !type(element) || !expect(']')) return false;
    if (!element.valid()) return fail("`?` cannot be a part of a type");
    std::uint8_t w = 0;
    words(w);
    out = reader.types_.seq(element, w);
    return true;
  }

  void words(std::uint8_t& out) {
    for (bool more = true; more;) {
      more = false;
      for (const auto& [name, bit] : seq_words) {
        if (take_word(name)) {
          out = static_cast<std::uint8_t>(out | bit);
          more = true;
        }
      }
    }
  }

  // ---- parts of a signature ----

  bool type_variables(FnDecl& fn) {
    if (!take('[')) return true;
    do {
      std::string_view name;
      if (!word(name)) return false;
      TypeParamDecl decl;
      decl.name = reader.names_.intern(name);
      const TypeParamId id = reader.decls_.type_params.add(std::move(decl));
      variables.emplace_back(name, id);
      fn.type_params.push_back(id);
    } while (take(','));
    return expect(']');
  }

  // Reads a receiver if one stands here; `found` says so.
  bool receiver(FnDecl& fn, bool& found) {
    found = true;
    const std::size_t start = at;
    if (take_word("self")) {
      fn.receiver = ast::Receiver::value;
      if (!take(':')) return true;
      return self_type(fn);
    }
    if (take_word("ref")) {
      const bool is_mut = take_word("mut");
      if (take_word("self")) {
        fn.receiver = is_mut ? ast::Receiver::ref_mut : ast::Receiver::ref;
        return true;
      }
    } else if (take_word("mut") && take_word("self")) {
      if (!expect(':') || !self_type(fn)) return false;
      fn.receiver = ast::Receiver::ref_mut;
      return true;
    }
    at = start;
    found = false;
    return true;
  }

  // `self: Seq[T]` is handed over, `self: ref Seq[T]` is lent.
  bool self_type(FnDecl& fn) {
    TypeId t;
    if (!type(t)) return false;
    if (!t.valid()) return fail("a receiver's type is written out");
    if (reader.types_.is_view(t)) fn.receiver = ast::Receiver::ref;
    fn.self_type = reader.types_.without_ref(t);
    return true;
  }

  bool parts(FnDecl& fn) {
    if (!expect('(')) return false;
    if (take(')')) return true;
    bool found = false;
    if (!receiver(fn, found)) return false;
    if (found) {
      if (take(')')) return true;
      if (!sees(';') && !expect(',')) return false;
    }
    bool in_options = false;
    while (true) {
      if (take(';')) in_options = true;
      if (!part(fn, in_options)) return false;
      if (take(')')) return true;
      if (!sees(';') && !expect(',')) return false;
    }
  }

  bool part(FnDecl& fn, bool in_options) {
    const bool is_mut = take_word("mut");
    std::string_view name;
    TypeId t;
    if (!word(name) || !expect(':') || !type(t)) return false;
    if (take('=')) {
      OptionInfo option;
      option.name = reader.names_.intern(name);
      option.type = t;
      if (!fallback(option.fallback_text)) return false;
      fn.options.push_back(std::move(option));
      return true;
    }
    if (in_options) return fail("an option has a default");
    ParamInfo param;
    param.name = name == "_" ? Name() : reader.names_.intern(name);
    param.type = t;
    param.is_mut = is_mut;
    fn.params.push_back(std::move(param));
    return true;
  }

  // A literal or a variant, kept as it is spelled.
  bool fallback(std::string& out) {
    blanks();
    const std::size_t from = at;
    if (take('"')) {
      while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
      if (at >= text.size()) return fail("a text in quotes ends");
      ++at;
    } else {
      while (at < text.size() && text[at] != ',' && text[at] != ')' && text[at] != ' ') ++at;
    }
    if (at == from) return fail("a default was expected");
    out = std::string(text.substr(from, at - from));
    return true;
  }

  bool result(FnDecl& fn) {
    sources.clear();
    fn.result = reader.types_.basic(TypeKind::unit);
    if (take(std::string_view("->")) && !type(fn.result)) return false;
    for (std::string_view source : sources) {
      std::uint32_t position = FnDecl::from_receiver;
      if (source != "self") {
        position = 0;
        while (position < fn.params.size() && reader.names_.text(fn.params[position].name) != source) ++position;
        if (position == fn.params.size()) return fail("no parameter is called `" + std::string(source) + "`");
      }
      fn.result_from.push_back(position);
    }
    return true;
  }

  bool field(FieldInfo& out) {
    out.is_pub = take_word("pub");
    std::string_view name;
    if (!word(name) || !expect(':') || !type(out.type)) return false;
    if (!out.type.valid()) return fail("a field's type is written out");
    out.name = reader.names_.intern(name);
    return true;
  }

  bool variant(VariantInfo& out) {
    std::string_view name;
    if (!word(name)) return false;
    out.name = reader.names_.intern(name);
    if (take('(')) {
      out.kind = ast::VariantKind::positional;
      std::vector<TypeId> types;
      if (!list(types, ')')) return false;
      for (TypeId t : types) {
        FieldInfo part;
        part.type = t;
        out.parts.push_back(std::move(part));
      }
    } else if (take('{')) {
      out.kind = ast::VariantKind::named;
      do {
        if (!field(out.parts.emplace_back())) return false;
      } while (take(','));
      return expect('}');
    }
    return true;
  }
};

tl::expected<void, SignatureError> SignatureReader::read_signature(std::string_view text, FnDecl& fn) {
  Cursor c(*this, text);
  if (c.type_variables(fn) && c.parts(fn) && c.result(fn) && c.end()) return {};
  return tl::unexpected(*c.error);
}

tl::expected<TypeId, SignatureError> SignatureReader::read_type(std::string_view text) {
  Cursor c(*this, text);
  TypeId type;
  if (c.type(type) && c.end()) return type;
  return tl::unexpected(*c.error);
}

tl::expected<FieldInfo, SignatureError> SignatureReader::read_field(std::string_view text) {
  Cursor c(*this, text);
  FieldInfo field;
  if (c.field(field) && c.end()) return field;
  return tl::unexpected(*c.error);
}

tl::expected<VariantInfo, SignatureError> SignatureReader::read_variant(std::string_view text) {
  Cursor c(*this, text);
  VariantInfo variant;
  if (c.variant(variant) && c.end()) return variant;
  return tl::unexpected(*c.error);
}

}  // namespace nikaia::lang
