// The library's ledger: every row can be read, and rows say what the library's chapter says.
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>

#include "lang/diag/diagnostic.h"
#include "lang/types/contracts_text.h"
#include "lang/types/library.h"
#include "lang/types/signature.h"

using namespace nikaia::lang;

namespace {

std::string ledger_text() {
  std::ifstream in(NIKAIA_LEDGER);
  REQUIRE(in);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Library {
  explicit Library(const std::string& text) {
    load_library(text, types, names, decls, sink);
    for (const Diagnostic& d : sink.diagnostics()) messages += d.message + "\n";
  }

  TypeDeclId type(std::string_view module, std::string_view name) {
    const auto& scope =
        module.empty() ? decls.prelude : decls.modules[decls.module_by_name.at(names.intern(module))].names;
    const Entity e = scope.at(names.intern(name));
    REQUIRE(e.kind == Entity::Kind::type);
    return TypeDeclId(e.index);
  }
  const FnDecl& method(TypeDeclId owner, std::string_view name) {
    return decls.fns[decls.types[owner].methods.at(names.intern(name))];
  }
  const FnDecl& builtin(const std::string& kind, std::string_view name) {
    return decls.fns[decls.builtin_methods.at(kind).at(names.intern(name))];
  }
  const FnDecl& function(std::string_view module, std::string_view name) {
    const auto& scope =
        module.empty() ? decls.prelude : decls.modules[decls.module_by_name.at(names.intern(module))].names;
    const Entity e = scope.at(names.intern(name));
    REQUIRE(e.kind == Entity::Kind::fn);
    return decls.fns[FnId(e.index)];
  }
  std::string text(TypeId id) { return type_text(types, decls, names, id); }

  TypeTable types;
  Interner names;
  Declarations decls;
  Sink sink;
  std::string messages;
};

std::string message_of(const std::string& ledger) {
  return Library(ledger).messages;
}

}  // namespace

TEST_CASE("the library's ledger is read without a finding") {
  Library l(ledger_text());
  CHECK(l.messages == "");
  CHECK(l.decls.fns.size() > 350);
  CHECK(l.decls.hash_map.valid());
  CHECK(l.decls.scope.valid());
}

TEST_CASE("a method's row has the receiver's parameters and its own") {
  Library l(ledger_text());
  const FnDecl& map = l.method(l.decls.vec, "map");
  REQUIRE(map.type_params.size() == 2);
  CHECK(map.type_params[0] == l.decls.types[l.decls.vec].params[0]);
  CHECK(map.receiver == nikaia::lang::ast::Receiver::ref);
  CHECK(l.text(map.self_type) == "Vec[T]");
  CHECK(l.text(map.result) == "Vec[U]");
  CHECK(l.text(map.params[0].type) == "fn(ref T) -> U");
  CHECK(map.lambda_decides);
  CHECK_FALSE(map.may_pause);

  const FnDecl& push = l.method(l.decls.vec, "push");
  CHECK(push.receiver == nikaia::lang::ast::Receiver::ref_mut);
  CHECK(push.params[0].is_kept);
  CHECK(push.says_sync);
  CHECK_FALSE(push.touches_all);
}

TEST_CASE("a sequence's row demands words of its receiver and promises words of its result") {
  Library l(ledger_text());
  const FnDecl& rev = l.builtin("Seq", "rev");
  CHECK(l.types[rev.self_type].words == seq_ends);
  CHECK(l.types[rev.result].words == (seq_ends | seq_sized));
  CHECK(rev.receiver == nikaia::lang::ast::Receiver::value);
  CHECK(l.builtin("Seq", "len").receiver == nikaia::lang::ast::Receiver::ref);
  CHECK(l.builtin("Seq", "zip").ends_by_length);
  const FnDecl& lines = l.function("io", "lines");
  CHECK(l.types[lines.result].words == (seq_pauses | seq_throws));
  CHECK_FALSE(lines.may_pause);
}

TEST_CASE("a function's row has its effects and its options") {
  Library l(ledger_text());
  const FnDecl& read = l.function("fs", "read");
  CHECK(read.may_pause);
  REQUIRE(read.throws.size() == 1);
  CHECK(l.text(read.throws[0]) == "io::IoError");
  CHECK(read.touches == std::vector<std::string>{"file(path) read"});
  CHECK(read.options[0].fallback_text == "true");
  CHECK(l.text(read.params[0].type) == "ref fs::Path");

  CHECK(l.function("", "println").takes_lock);
  CHECK_FALSE(l.function("", "println").params[0].type.valid());
  CHECK(l.function("", "assert").options[0].fallback_text == "\"\"");
  CHECK(l.types.kind(l.function("", "panic").result) == TypeKind::never);
  CHECK(l.function("time", "sleep").touches_all);
  CHECK(l.function("json", "write").is_not_built);
}

TEST_CASE("a row says what a view in its result points into") {
  Library l(ledger_text());
  CHECK(l.builtin("String", "trim").result_from == std::vector<std::uint32_t>{FnDecl::from_receiver});
  CHECK(l.builtin("String", "chars").result_from == std::vector<std::uint32_t>{FnDecl::from_receiver});
  CHECK(l.function("html", "escape").result_from == std::vector<std::uint32_t>{0});
  CHECK(l.builtin("String", "clone").result_from.empty());
}

TEST_CASE("numbers have rows for the types they are there for") {
  Library l(ledger_text());
  CHECK(l.builtin("int", "abs").only_on == std::vector<TypeKind>{TypeKind::i32, TypeKind::i64});
  CHECK(l.builtin("int", "pow").only_on.empty());
  CHECK(l.text(l.builtin("int", "checked_add").result) == "N?");
}

TEST_CASE("library enums and structs show their variants and fields") {
  Library l(ledger_text());
  const TypeDecl& io_error = l.decls.types[l.decls.io_error];
  CHECK(io_error.kind == TypeDeclKind::enum_);
  CHECK(io_error.variants.size() == 5);
  CHECK(io_error.is_error);
  CHECK(io_error.error_message.valid());
  CHECK(l.text(io_error.variants[0].parts[0].type) == "fs::Path");
  CHECK(l.decls.types[l.type("process", "Output")].fields.size() == 4);
  CHECK(l.decls.prelude.count(l.names.intern("HashMap")) == 0);
  CHECK(l.decls.prelude.count(l.names.intern("Par")) == 0);
}

TEST_CASE("the library's types allow what the type table says") {
  Library l(ledger_text());
  TypeTable& t = l.types;
  const TypeId i64 = t.basic(TypeKind::i64), f64 = t.basic(TypeKind::f64), string = t.basic(TypeKind::string);
  const TypeId numbers = t.named(l.decls.vec, {i64}), texts = t.named(l.decls.vec, {string});
  const TypeId duration = t.named(l.decls.duration), path = t.named(l.decls.path);
  const Declarations& d = l.decls;

  CHECK(handing_of(t, d, numbers) == Handing::moves);
  CHECK(handing_of(t, d, duration) == Handing::copies);
  CHECK(handing_of(t, d, t.named(d.shared, {string})) == Handing::handle);
  CHECK(handing_of(t, d, t.named(d.seen, {i64})) == Handing::copies);
  CHECK(handing_of(t, d, t.named(d.seen, {string})) == Handing::moves);
  CHECK(handing_of(t, d, t.ref(string)) == Handing::copies);
  CHECK(handing_of(t, d, t.tuple({i64, t.ref(string)})) == Handing::copies);
  CHECK(handing_of(t, d, t.tuple({i64, string})) == Handing::moves);
  CHECK(handing_of(t, d, t.function({i64}, i64, true, false)) == Handing::handle);
  CHECK(handing_of(t, d, t.seq(i64, 0)) == Handing::sequence);
  CHECK(handing_of(t, d, t.nullable(string)) == Handing::moves);

  CHECK(sorts(t, d, texts));
  CHECK_FALSE(orders(t, d, texts));
  CHECK(orders(t, d, duration));
  CHECK(orders(t, d, t.ref(string)));
  CHECK_FALSE(orders(t, d, t.basic(TypeKind::bool_)));
  CHECK(sorts(t, d, t.tuple({t.basic(TypeKind::bool_), f64})));
  CHECK_FALSE(sorts(t, d, t.named(d.vec, {path})));

  CHECK(compares(t, d, path));
  CHECK(compares(t, d, t.named(d.hash_map, {string, numbers})));
  CHECK_FALSE(compares(t, d, t.named(d.task_handle, {i64})));
  CHECK_FALSE(compares(t, d, t.named(d.hash_map, {string, t.named(d.locked, {i64})})));

  CHECK(may_be_key(t, d, t.ref(string)));
  CHECK(may_be_key(t, d, t.tuple({i64, string})));
  CHECK_FALSE(may_be_key(t, d, f64));
  CHECK_FALSE(may_be_key(t, d, numbers));
  CHECK_FALSE(may_be_key(t, d, t.ref(t.array(i64, Type::unsized))));

  CHECK(holds_view(t, d, t.named(d.vec, {t.ref(string)})));
  CHECK_FALSE(holds_view(t, d, texts));
}

TEST_CASE("a damaged ledger is reported with its line, and the rest is read") {
  CHECK(message_of("[fn.\"a\"]\nsignature = \"(x: Nothing)\"\n").find("line 1") != std::string::npos);
  CHECK(message_of("[fn.\"a\"]\nsignature = 3\n").find("line 2") != std::string::npos);
  CHECK(message_of("\nkey = true\n").find("line 2") != std::string::npos);
  CHECK(message_of("[fn.\"Vec.a\"]\nsignature = \"(ref self)\"\n").find("begins with") != std::string::npos);

  Library l("[fn.\"a\"]\nsignature = \"(x: \"\n[fn.\"b\"]\nsignature = \"() -> i64\"\n");
  CHECK(l.messages != "");
  CHECK(l.function("", "b").key == "b");
}

TEST_CASE("signatures outside the grammar are refused, whatever they hold") {
  Library l(ledger_text());
  SignatureReader reader(l.types, l.decls, l.names, [](std::string_view) { return SignatureReader::TypeName(); });
  for (const char* text : {"", "(", "(x)", "(x:)", "(x: i64", "(x: i64) ->", "(x: i64) y", "[T(x: T)", "(; x: i64 = )",
                           "(a: i64; b: i64)", "(x: Array[i64, 99999999999999999999])", "(f: fn(?))",
                           "() -> ref(y) i64", "(x: ref ref i64)", "(a: i64 = \"\\", "(ref self"}) {
    FnDecl fn;
    INFO(text);
    CHECK_FALSE(reader.read_signature(text, fn));
  }
  std::string deep(100000, '(');
  FnDecl fn;
  CHECK_FALSE(reader.read_signature("(x: " + deep, fn));
}
