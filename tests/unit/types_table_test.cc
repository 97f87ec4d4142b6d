// Interned types, and what a declared type allows from its parts.
#include <catch2/catch.hpp>
#include <string>

#include "lang/types/declarations.h"
#include "lang/types/types.h"

using namespace nikaia::lang;

namespace {

struct World {
  TypeTable types;
  Interner names;
  Declarations decls;
  TypeId i64 = types.basic(TypeKind::i64);
  TypeId string = types.basic(TypeKind::string);

  World() {
    Package p;
    p.is_program = true;
    decls.packages.add(std::move(p));
  }

  TypeDeclId add_struct(const char* name, std::vector<TypeId> fields, std::vector<TypeParamId> params = {}) {
    TypeDecl d;
    d.name = names.intern(name);
    d.package = PackageId(0u);
    d.params = std::move(params);
    for (TypeId f : fields) {
      FieldInfo field;
      field.type = f;
      d.fields.push_back(std::move(field));
    }
    return decls.types.add(std::move(d));
  }
  TypeParamId add_param(const char* name) {
    TypeParamDecl p;
    p.name = names.intern(name);
    return decls.type_params.add(std::move(p));
  }
  std::string text(TypeId t) { return type_text(types, decls, names, t); }
};

}  // namespace

TEST_CASE("equal types have equal ids") {
  TypeTable t;
  const TypeId i64 = t.basic(TypeKind::i64);
  CHECK(t.array(i64, 3) == t.array(i64, 3));
  CHECK_FALSE(t.array(i64, 3) == t.array(i64, 4));
  CHECK_FALSE(t.ref(i64) == t.ref(i64, true));
  CHECK(t.nullable(t.nullable(i64)) == t.nullable(i64));
  CHECK_FALSE(t.function({}, i64, true, false) == t.function({}, i64, false, false));
  const TypeId u8 = t.basic(TypeKind::u8);
  CHECK(t.error_sum({u8, i64}, false) == t.error_sum({i64, u8, i64}, false));
}

TEST_CASE("substitution replaces parameters and keeps one level of `?`") {
  World w;
  const TypeParamId p = w.add_param("T");
  const TypeId t = w.types.param(p);
  const TypeId shape = w.types.tuple({w.types.nullable(t), w.types.ref(t)});
  const TypeId done = w.types.substitute(shape, [&](TypeParamId) { return w.types.nullable(w.i64); });
  CHECK(w.text(done) == "(i64?, ref i64?)");
  CHECK(w.types.substitute(shape, [](TypeParamId) { return TypeId(); }) == shape);
}

TEST_CASE("a struct copies, compares and is a key where its parts are") {
  World w;
  const TypeId point = w.types.named(w.add_struct("Point", {w.i64, w.i64}));
  const TypeId named = w.types.named(w.add_struct("Named", {w.string, point}));
  CHECK(copies(w.types, w.decls, point));
  CHECK_FALSE(copies(w.types, w.decls, named));
  CHECK(compares(w.types, w.decls, named));
  CHECK(may_be_key(w.types, w.decls, named));
  CHECK_FALSE(orders(w.types, w.decls, point));
  CHECK_FALSE(sorts(w.types, w.decls, point));
  const TypeId with_fn = w.types.named(w.add_struct("Valve", {w.types.function({}, w.i64, false, false)}));
  CHECK_FALSE(compares(w.types, w.decls, with_fn));
}

TEST_CASE("a value with a teardown of its own moves") {
  World w;
  const TypeDeclId id = w.add_struct("Guard", {w.i64});
  w.decls.types[id].drop = FnId(0u);
  CHECK_FALSE(copies(w.types, w.decls, w.types.named(id)));
}

TEST_CASE("arguments decide about a generic type, itself as its own argument included") {
  World w;
  const TypeParamId p = w.add_param("T");
  const TypeDeclId pair = w.add_struct("Pair", {w.types.param(p), w.types.param(p)}, {p});
  const TypeId of_number = w.types.named(pair, {w.i64});
  const TypeId of_text = w.types.named(pair, {w.string});
  CHECK(copies(w.types, w.decls, of_number));
  CHECK_FALSE(copies(w.types, w.decls, of_text));
  CHECK(copies(w.types, w.decls, w.types.named(pair, {of_number})));
  CHECK_FALSE(copies(w.types, w.decls, w.types.named(pair, {of_text})));
  CHECK(holds_view(w.types, w.decls, w.types.named(pair, {w.types.ref(w.string)})));
  CHECK_FALSE(holds_view(w.types, w.decls, of_text));
}

TEST_CASE("a type that holds itself moves, and compares where its other parts do") {
  World w;
  const TypeDeclId stop = w.add_struct("Stop", {w.i64});
  FieldInfo onward;
  onward.type = w.types.nullable(w.types.named(stop));
  w.decls.types[stop].fields.push_back(onward);
  const TypeId t = w.types.named(stop);
  CHECK_FALSE(copies(w.types, w.decls, t));
  CHECK(compares(w.types, w.decls, t));
  CHECK_FALSE(holds_view(w.types, w.decls, t));
}

TEST_CASE("an unbound parameter may be anything") {
  World w;
  const TypeId t = w.types.param(w.add_param("T"));
  CHECK(handing_of(w.types, w.decls, t) == Handing::moves);
  CHECK_FALSE(compares(w.types, w.decls, t));
  CHECK_FALSE(may_be_key(w.types, w.decls, t));
}

TEST_CASE("types are spelled as a program spells them") {
  World w;
  TypeTable& t = w.types;
  CHECK(w.text(t.nullable(t.function({w.i64}, t.basic(TypeKind::bool_), true, false))) == "(fn(i64) -> bool sync)?");
  CHECK(w.text(t.function({t.ref(w.string), w.i64}, t.basic(TypeKind::unit), false, true)) ==
        "fn(ref String, i64) throws");
  CHECK(w.text(t.array(t.array(w.i64, 3), 2)) == "Array[Array[i64, 3], 2]");
  CHECK(w.text(t.ref(t.array(w.i64, Type::unsized))) == "ref Array[i64]");
  CHECK(w.text(t.nullable(t.ref(w.string))) == "ref String?");
}
