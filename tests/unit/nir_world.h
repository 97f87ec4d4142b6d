// Declarations that tests of NIR are written against, small enough to know by heart:
//
//     struct Parcel { label: String, grams: i64 }        enum Reply { Nothing, Text(String), Pair(String, i64) }
//     struct Shelf { top: Parcel, parcels: Vec[Parcel] } struct Log { text: String }   impl Drop for Log
//     struct Box[T] { value: T }
//     fn keep(s: String)  fn keep2(a: String, b: String)  fn look(s: String)  fn grow(s: String) -> String
//     fn count(n: i64) -> i64                             fn stop() -> never
//
// and of the library `Vec`, `HashMap`, `Shared`, `Vec.push`, `Vec.len`, `Vec.clear`, `String.trim`.
#pragma once

#include <string>
#include <string_view>

#include "lang/nir/text.h"
#include "lang/types/declarations.h"

namespace nikaia::lang::nir_test {

struct World {
  TypeTable types;
  Interner names;
  Declarations decls;
  TypeDeclId parcel, shelf, log, reply, box;
  TypeParamId t;

  TypeId basic(TypeKind k) const { return types.basic(k); }
  TypeId text() const { return types.basic(TypeKind::string); }

  World() {
    Package p;
    p.is_program = true;
    decls.packages.add(std::move(p));
    decls.vec = add_library("Vec", Handing::moves, 1);
    decls.hash_map = add_library("HashMap", Handing::moves, 2);
    decls.shared = add_library("Shared", Handing::handle, 1);
    parcel = add_struct("Parcel", {{"label", text()}, {"grams", basic(TypeKind::i64)}});
    const TypeId parcels = types.named(decls.vec, {types.named(parcel)});
    shelf = add_struct("Shelf", {{"top", types.named(parcel)}, {"parcels", parcels}});
    log = add_struct("Log", {{"text", text()}});
    decls.types[log].drop = add_fn("drop", {}, {});
    t = decls.type_params.add({names.intern("T"), {}, {}});
    box = add_struct("Box", {{"value", types.param(t)}});
    decls.types[box].params.push_back(t);
    TypeDecl r;
    r.kind = TypeDeclKind::enum_;
    r.name = names.intern("Reply");
    r.package = PackageId(0u);
    r.variants.push_back({names.intern("Nothing"), ast::VariantKind::unit, {}, {}});
    r.variants.push_back({names.intern("Text"), ast::VariantKind::positional, {{{}, text()}}, {}});
    r.variants.push_back(
        {names.intern("Pair"), ast::VariantKind::positional, {{{}, text()}, {{}, basic(TypeKind::i64)}}, {}});
    reply = decls.types.add(std::move(r));

    add_fn("keep", {{"s", text()}}, {});
    add_fn("keep2", {{"a", text()}, {"b", text()}}, {});
    add_fn("look", {{"s", text()}}, {});
    add_fn("grow", {{"s", text()}}, text());
    add_fn("count", {{"n", basic(TypeKind::i64)}}, basic(TypeKind::i64));
    add_fn("stop", {}, basic(TypeKind::never));
    add_row("Vec.push", decls.vec, "push", ast::Receiver::ref_mut, {{"element", types.param(t)}}, {});
    add_row("Vec.len", decls.vec, "len", ast::Receiver::ref, {}, basic(TypeKind::i64));
    add_row("Vec.clear", decls.vec, "clear", ast::Receiver::ref_mut, {}, {});
    const FnId trim = add_row("String.trim", {}, "trim", ast::Receiver::ref, {}, types.ref(text()));
    decls.fns[trim].self_type = text();
    decls.fns[trim].result_from = {FnDecl::from_receiver};
  }

  struct Part {
    const char* name;
    TypeId type;
  };

  TypeDeclId add_library(const char* name, Handing handing, int params) {
    TypeDecl d;
    d.kind = TypeDeclKind::library;
    d.name = names.intern(name);
    d.library.handing = handing;
    for (int i = 0; i < params; ++i) {
      d.params.push_back(decls.type_params.add({names.intern(std::string("A") + std::to_string(i)), {}, {}}));
    }
    return decls.types.add(std::move(d));
  }

  TypeDeclId add_struct(const char* name, const std::vector<Part>& fields) {
    TypeDecl d;
    d.name = names.intern(name);
    d.package = PackageId(0u);
    for (const Part& f : fields) {
      FieldInfo field;
      field.name = names.intern(f.name);
      field.type = f.type;
      d.fields.push_back(std::move(field));
    }
    return decls.types.add(std::move(d));
  }

  FnId add_fn(const char* name, const std::vector<Part>& params, TypeId result) {
    FnDecl d;
    d.name = names.intern(name);
    d.package = PackageId(0u);
    for (const Part& p : params) {
      ParamInfo info;
      info.name = names.intern(p.name);
      info.type = p.type;
      d.params.push_back(info);
    }
    d.result = result.valid() ? result : basic(TypeKind::unit);
    return decls.fns.add(std::move(d));
  }

  FnId add_row(const char* key, TypeDeclId owner, const char* name, ast::Receiver receiver,
               const std::vector<Part>& params, TypeId result) {
    const FnId id = add_fn(name, params, result);
    FnDecl& d = decls.fns[id];
    d.package = {};
    d.key = key;
    d.owner = owner;
    d.receiver = receiver;
    if (owner.valid()) {
      d.type_params = {t};
      d.self_type = types.named(owner, {types.param(t)});
    }
    for (ParamInfo& p : d.params) p.is_kept = true;
    return id;
  }

  nir::TextWorld texts() { return {types, decls, names}; }
  std::string print(const nir::Module& m, const nir::PrintOptions& options = {}) {
    return nir::print_module(texts(), m, options);
  }
};

}  // namespace nikaia::lang::nir_test
