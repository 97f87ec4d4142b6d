// From the tables of the library's ledger to declarations, in three rounds, because rows may use what stands below:
// first every type and trait gets its place under its name, then the fields and variants are read, then the functions.
//
// A function's key says where it belongs: `println` to the prelude, `fs::read` to a module, `Vec::new` and `Vec.push`
// to a type, `Error::message` to a trait. The kinds of type that are no declaration (`int`, `String`, `Seq` …) keep
// their methods in `builtin_methods`.
#include "lang/types/library.h"

#include <array>
#include <optional>
#include <string>
#include <unordered_map>

#include "lang/diag/diagnostic.h"
#include "lang/types/contracts_text.h"
#include "lang/types/signature.h"

namespace nikaia::lang {

namespace {

// Library types the compiler speaks of by name, as the ledger spells them.
constexpr std::array<std::pair<std::string_view, TypeDeclId Declarations::*>, 25> known_types{{
    {"Vec", &Declarations::vec},
    {"collections::HashMap", &Declarations::hash_map},
    {"collections::HashSet", &Declarations::hash_set},
    {"collections::BTreeMap", &Declarations::btree_map},
    {"collections::BTreeSet", &Declarations::btree_set},
    {"collections::Entry", &Declarations::entry},
    {"Bytes", &Declarations::bytes},
    {"Shared", &Declarations::shared},
    {"SharedMut", &Declarations::shared_mut},
    {"Locked", &Declarations::locked},
    {"TaskHandle", &Declarations::task_handle},
    {"fs::Path", &Declarations::path},
    {"fs::Root", &Declarations::root},
    {"io::IoError", &Declarations::io_error},
    {"time::Duration", &Declarations::duration},
    {"ParseError", &Declarations::parse_error},
    {"Overtaken", &Declarations::overtaken},
    {"Seen", &Declarations::seen},
    {"Symbol", &Declarations::symbol},
    {"Fixed", &Declarations::fixed},
    {"fs::Mapped", &Declarations::mapped},
    {"fs::Writer", &Declarations::writer},
    {"fs::File", &Declarations::file},
    {"Par", &Declarations::par},
    {"task::Scope", &Declarations::scope},
}};

constexpr std::array<std::pair<std::string_view, TraitDecl::Known>, 7> known_traits{{
    {"Error", TraitDecl::Known::error},
    {"Drop", TraitDecl::Known::drop},
    {"Cleanup", TraitDecl::Known::cleanup},
    {"Generator", TraitDecl::Known::generator},
    {"Struct", TraitDecl::Known::struct_},
    {"Enum", TraitDecl::Known::enum_},
    {"html::Render", TraitDecl::Known::render},
}};

// Kinds of type whose rows are kept in `builtin_methods`, with the name their rows give the parameter.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> builtin_kinds{{
    {"int", "N"},
    {"f64", ""},
    {"bool", ""},
    {"char", ""},
    {"String", ""},
    {"Array", "T"},
    {"Seq", "T"},
}};

constexpr std::array<std::pair<std::string_view, TypeKind>, 5> integer_kinds{{
    {"i32", TypeKind::i32},
    {"i64", TypeKind::i64},
    {"u8", TypeKind::u8},
    {"u32", TypeKind::u32},
    {"u64", TypeKind::u64},
}};

constexpr std::array<std::pair<std::string_view, Handing>, 4> handings{{
    {"copies", Handing::copies},
    {"handle", Handing::handle},
    {"sequence", Handing::sequence},
    {"moves", Handing::moves},
}};

// Modules the library has without a row in them (07 §1.1, 02 §9.3).
constexpr std::array<std::string_view, 8> bare_modules{
    {"db", "json", "process", "thread", "panic", "build", "task", "backend"}};

class LibraryLoader {
 public:
  LibraryLoader(TypeTable& types, Interner& names, Declarations& decls, Sink& sink)
      : types_(types),
        names_(names),
        decls_(decls),
        sink_(sink),
        reader_(types, decls, names, [this](std::string_view p) { return look_up(p); }) {}

  void load(std::string_view text) {
    auto tables = read_contracts(text);
    if (!tables) {
      complain(tables.error().line, tables.error().message);
      return;
    }
    add_builtin_kinds();
    for (std::string_view m : bare_modules) module(m);
    for (const ContractTable& t : *tables) {
      if (t.kind == "type") {
        add_type(t);
      } else if (t.kind == "trait") {
        add_trait(t);
      }
    }
    for (const ContractTable& t : *tables) {
      if (t.kind == "type") read_parts(t);
    }
    for (const ContractTable& t : *tables) {
      if (t.kind == "fn") {
        add_fn(t);
      } else if (t.kind != "type" && t.kind != "trait") {
        complain(t.line, "a table is a `fn`, a `type` or a `trait`");
      }
    }
    for (const auto& [name, member] : known_types) {
      auto it = types_by_path_.find(name);
      if (it != types_by_path_.end()) decls_.*member = it->second;
    }
  }

 private:
  struct Split {
    std::string_view head, member;
  };
  // "fs::read" into "fs" and "read"; without a separator the head is empty.
  static Split split_last(std::string_view key, std::string_view separator) {
    const std::size_t at = key.rfind(separator);
    if (at == std::string_view::npos) return {{}, key};
    return {key.substr(0, at), key.substr(at + separator.size())};
  }

  void complain(std::uint32_t line, const std::string& message) {
    sink_.internal_error(Span(), "The library's ledger, std.contracts, is damaged in line " + std::to_string(line) +
                                     ": " + message + ".");
  }
  void complain(const ContractTable& t, const SignatureError& e) {
    complain(t.line, "`" + std::string(t.key) + "`, at character " + std::to_string(e.offset + 1) + ": " + e.message);
  }

  ModuleId module(std::string_view name) {
    const Name n = names_.intern(name);
    auto [it, is_new] = decls_.module_by_name.try_emplace(n);
    if (is_new) {
      Module m;
      m.name = n;
      it->second = decls_.modules.add(std::move(m));
    }
    return it->second;
  }

  std::unordered_map<Name, Entity>& scope(ModuleId m) { return m.valid() ? decls_.modules[m].names : decls_.prelude; }

  TypeParamId new_param(std::string_view name) {
    TypeParamDecl p;
    p.name = names_.intern(name);
    return decls_.type_params.add(std::move(p));
  }

  SignatureReader::TypeName look_up(std::string_view path) const {
    SignatureReader::TypeName found;
    for (TypeParamId p : params_in_scope_) {
      if (names_.text(decls_.type_params[p].name) == path) found.param = p;
    }
    if (auto it = types_by_path_.find(path); it != types_by_path_.end()) found.decl = it->second;
    return found;
  }

  // ---- types and traits ----

  void add_builtin_kinds() {
    for (const auto& [name, param] : builtin_kinds) {
      Builtin b;
      if (!param.empty()) b.params.push_back(new_param(param));
      if (name == "int") {
        b.self_type = types_.param(b.params[0]);
      } else if (name == "f64") {
        b.self_type = types_.basic(TypeKind::f64);
      } else if (name == "bool") {
        b.self_type = types_.basic(TypeKind::bool_);
      } else if (name == "char") {
        b.self_type = types_.basic(TypeKind::char_);
      } else if (name == "String") {
        b.self_type = types_.basic(TypeKind::string);
      } else if (name == "Array") {
        b.self_type = types_.array(types_.param(b.params[0]), Type::unsized);
      } else {
        b.self_type = types_.seq(types_.param(b.params[0]), 0);
      }
      builtins_.emplace(name, std::move(b));
      decls_.builtin_methods[std::string(name)];
    }
  }

  void add_type(const ContractTable& t) {
    const Split path = split_last(t.key, "::");
    TypeDecl d;
    d.kind = t.find("variants") ? TypeDeclKind::enum_
             : t.find("fields") ? TypeDeclKind::struct_
                                : TypeDeclKind::library;
    d.name = names_.intern(path.member);
    if (!path.head.empty()) d.module = module(path.head);
    d.is_pub = true;
    for (const std::string& p : t.list("params")) d.params.push_back(new_param(p));
    for (const auto& [name, handing] : handings) {
      if (t.text("handing") == name) d.library.handing = handing;
    }
    d.library.compares = t.is_true("compares");
    d.library.orders = t.is_true("orders");
    d.library.sorts = t.is_true("sorts");
    d.library.key = t.is_true("key");
    d.library.by_args = t.is_true("by_args");
    d.library.reads_as_argument = t.is_true("reads_as_argument");
    d.library.is_single = t.is_true("single");
    d.library.has_cleanup = !t.list("cleanup").empty();
    d.is_error = t.is_true("error");
    d.is_not_built = t.is_false("built");
    const ModuleId m = d.module;
    const Name name = d.name;
    const TypeDeclId id = decls_.types.add(std::move(d));
    types_by_path_.emplace(t.key, id);
    types_by_name_.emplace(path.member, id);
    // `Seq` and `Par` are names of the ledger alone (07 §1.3).
    if (t.key != "Par") scope(m)[name] = Entity{Entity::Kind::type, id.index};
  }

  void add_trait(const ContractTable& t) {
    const Split path = split_last(t.key, "::");
    TraitDecl d;
    d.name = names_.intern(path.member);
    d.is_pub = true;
    d.self_param = new_param("Self");
    d.is_not_built = t.is_false("built");
    for (const auto& [name, known] : known_traits) {
      if (t.key == name) d.known = known;
    }
    const ModuleId m = path.head.empty() ? ModuleId() : module(path.head);
    const Name name = d.name;
    const TraitId id = decls_.traits.add(std::move(d));
    traits_by_path_.emplace(t.key, id);
    scope(m)[name] = Entity{Entity::Kind::trait, id.index};
  }

  void read_parts(const ContractTable& t) {
    const TypeDeclId id = types_by_path_.find(t.key)->second;
    params_in_scope_ = decls_.types[id].params;
    if (t.find("walks")) {
      auto walked = reader_.read_type(t.text("walks"));
      if (walked && types_.kind(*walked) == TypeKind::seq) {
        decls_.types[id].sequence = types_.seq(types_[*walked].args[0], types_[*walked].words, id);
      } else {
        complain(t.line, "`" + std::string(t.key) + "` stands for no sequence");
      }
    }
    for (const std::string& text : t.list("fields")) {
      auto field = reader_.read_field(text);
      if (!field) {
        complain(t, field.error());
        continue;
      }
      decls_.types[id].fields.push_back(std::move(*field));
    }
    for (const std::string& text : t.list("variants")) {
      auto variant = reader_.read_variant(text);
      if (!variant) {
        complain(t, variant.error());
        continue;
      }
      decls_.types[id].variants.push_back(std::move(*variant));
    }
  }

  // ---- functions ----

  struct Builtin {
    std::vector<TypeParamId> params;
    TypeId self_type;
  };

  // Where a key puts a function; exactly one of the places, or the prelude or a module.
  struct Home {
    TypeDeclId type;
    TraitId trait;
    const Builtin* builtin = nullptr;
    std::string_view builtin_name;
    ModuleId module;
    std::string_view member;
    bool is_method = false;  // reached with a dot
  };

  std::optional<Home> home_of(std::string_view key) {
    Home h;
    Split path = split_last(key, ".");
    h.is_method = !path.head.empty();
    if (!h.is_method) path = split_last(key, "::");
    h.member = path.member;
    if (path.head.empty()) return h;
    if (auto it = builtins_.find(path.head); it != builtins_.end()) {
      h.builtin = &it->second;
      h.builtin_name = it->first;
      return h;
    }
    if (auto it = types_by_name_.find(path.head); it != types_by_name_.end()) {
      h.type = it->second;
      return h;
    }
    if (h.is_method) return std::nullopt;
    if (auto it = traits_by_path_.find(path.head); it != traits_by_path_.end()) {
      h.trait = it->second;
      return h;
    }
    if (path.head.find("::") != std::string_view::npos) return std::nullopt;
    h.module = module(path.head);
    return h;
  }

  void add_fn(const ContractTable& t) {
    const auto home = home_of(t.key);
    if (!home) {
      complain(t.line, "nothing is called what `" + std::string(t.key) + "` begins with");
      return;
    }
    FnDecl f;
    f.name = names_.intern(home->member);
    f.key = t.key;
    f.module = home->module;
    f.is_pub = true;
    place_under_owner(*home, f);
    params_in_scope_ = f.type_params;
    auto read = reader_.read_signature(t.text("signature"), f);
    if (!read) {
      complain(t, read.error());
      return;
    }
    if ((f.receiver != ast::Receiver::none) != (home->is_method || home->trait.valid())) {
      complain(t.line, "`" + std::string(t.key) + "` and its signature disagree about a receiver");
      return;
    }
    read_effects(t, f);
    enter(*home, std::move(f));
  }

  void place_under_owner(const Home& home, FnDecl& f) {
    if (home.type.valid()) {
      const TypeDecl& d = decls_.types[home.type];
      f.owner = home.type;
      f.type_params = d.params;
      std::vector<TypeId> args;
      args.reserve(d.params.size());
      for (TypeParamId p : d.params) args.push_back(types_.param(p));
      f.self_type = types_.named(home.type, std::move(args));
      f.is_constructor = !home.is_method && home.member == "new";
    } else if (home.trait.valid()) {
      f.trait = home.trait;
      f.is_signature = true;
      f.type_params = {decls_.traits[home.trait].self_param};
      f.self_type = types_.param(f.type_params[0]);
    } else if (home.builtin) {
      f.type_params = home.builtin->params;
      f.self_type = home.builtin->self_type;
      f.is_constructor = !home.is_method && home.member == "new";
    }
  }

  void read_effects(const ContractTable& t, FnDecl& f) {
    const ContractValue* sync = t.find("sync");
    f.lambda_decides = sync && sync->kind == ContractValue::Kind::text;
    f.says_sync = t.is_true("sync");
    f.may_pause = !sync;
    for (const std::string& name : t.list("throws")) {
      if (name == "?") {
        f.throws_open = true;
      } else if (auto it = types_by_path_.find(name); it != types_by_path_.end()) {
        f.throws.push_back(types_.named(it->second));
      } else {
        complain(t.line, "`" + std::string(t.key) + "` throws an unknown type, `" + name + "`");
      }
    }
    f.says_throws = t.find("throws") != nullptr;
    f.touches = t.list("touches");
    f.touches_all = !t.find("touches");
    f.takes_lock = !t.is_false("locks");
    f.ends_by_length = t.is_true("ends_by_length");
    f.is_not_built = t.is_false("built");
    for (const std::string& name : t.list("keeps")) {
      if (ParamInfo* p = find_param(f, name)) {
        p->is_kept = true;
      } else {
        complain(t.line, "`" + std::string(t.key) + "` keeps an unknown parameter, `" + name + "`");
      }
    }
    for (const std::string& mode : t.list("capture_mode")) {
      const std::size_t colon = mode.find(':');
      ParamInfo* p = colon == std::string::npos ? nullptr : find_param(f, std::string_view(mode).substr(0, colon));
      if (!p) {
        complain(t.line, "`" + std::string(t.key) + "` has a capture mode of an unknown parameter");
        continue;
      }
      p->is_detached = mode.ends_with("detached");
    }
    for (const std::string& name : t.list("on")) {
      for (const auto& [known, kind] : integer_kinds) {
        if (known == name) f.only_on.push_back(kind);
      }
    }
    read_returns(t, f);
  }

  // "ref(self)", "ref(a | b)": where the result has no `ref` to write it on.
  void read_returns(const ContractTable& t, FnDecl& f) {
    std::string_view text = t.text("returns");
    if (text.empty()) return;
    if (!text.starts_with("ref(") || !text.ends_with(")")) {
      complain(t.line, "`returns` is written `ref(…)`");
      return;
    }
    text = text.substr(4, text.size() - 5);
    while (!text.empty()) {
      const std::size_t bar = text.find(" | ");
      const std::string_view name = text.substr(0, bar);
      text = bar == std::string_view::npos ? std::string_view() : text.substr(bar + 3);
      if (name == "self") {
        f.result_from.push_back(FnDecl::from_receiver);
      } else if (const ParamInfo* p = find_param(f, name)) {
        f.result_from.push_back(static_cast<std::uint32_t>(p - f.params.data()));
      } else {
        complain(t.line, "`" + std::string(t.key) + "` points into an unknown parameter, `" + std::string(name) + "`");
      }
    }
  }

  ParamInfo* find_param(FnDecl& f, std::string_view name) const {
    for (ParamInfo& p : f.params) {
      if (names_.text(p.name) == name) return &p;
    }
    return nullptr;
  }

  void enter(const Home& home, FnDecl f) {
    const Name name = f.name;
    const bool is_constructor = f.is_constructor;
    const FnId id = decls_.fns.add(std::move(f));
    if (home.type.valid()) {
      TypeDecl& d = decls_.types[home.type];
      if (is_constructor) {
        d.constructor = id;
      } else {
        d.methods[name] = id;
        if (home.member == "cleanup" && d.library.has_cleanup) d.cleanup = id;
        if (home.member == "message" && d.is_error) d.error_message = id;
      }
    } else if (home.trait.valid()) {
      decls_.traits[home.trait].methods[name] = id;
    } else if (home.builtin) {
      decls_.builtin_methods[std::string(home.builtin_name)][name] = id;
    } else {
      scope(home.module)[name] = Entity{Entity::Kind::fn, id.index};
    }
  }

  TypeTable& types_;
  Interner& names_;
  Declarations& decls_;
  Sink& sink_;
  SignatureReader reader_;
  std::vector<TypeParamId> params_in_scope_;
  std::unordered_map<std::string_view, TypeDeclId> types_by_path_;  // "fs::Path"; views of the ledger's text
  std::unordered_map<std::string_view, TypeDeclId> types_by_name_;  // "Path", as rows of methods say it
  std::unordered_map<std::string_view, TraitId> traits_by_path_;
  std::unordered_map<std::string_view, Builtin> builtins_;
};

}  // namespace

void load_library(std::string_view text, TypeTable& types, Interner& names, Declarations& decls, Sink& sink) {
  LibraryLoader(types, names, decls, sink).load(text);
}

}  // namespace nikaia::lang
