// Reads how a ledger spells a signature, a field and a variant (06 §7.5): `[U](ref self, f: fn(ref T) -> U) -> Vec[U]`.
//
//     signature = [ "[" name { "," name } "]" ] "(" [ parts ] ")" [ "->" type ]
//     parts     = receiver and parameters, then ";" and options, or options alone
//     receiver  = "self" [ ":" type ] | "ref" [ "mut" ] "self" | "mut" "self" ":" type
//     parameter = [ "mut" ] name ":" ( "?" | type )         option = name ":" type "=" fallback
//     type      = "ref" [ "(" source { "|" source } ")" ] base [ "?" ] | base [ "?" ]
//               | "(" type "," type { "," type } ")" | "fn" … | "(" "fn" … ")" [ "?" ] | "?"
//     base      = path [ "[" type or number { "," … } "]" ] { sequence word }
//
// Names of types are looked up by the caller. A type `?`, which claims nothing, is an invalid id.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "lang/types/declarations.h"

namespace nikaia::lang {

struct SignatureError {
  std::size_t offset = 0;
  std::string message;
};

class SignatureReader {
 public:
  // What a path means besides the types every signature knows: a type parameter, or a declaration.
  struct TypeName {
    TypeParamId param;
    TypeDeclId decl;
  };
  using Lookup = std::function<TypeName(std::string_view path)>;

  SignatureReader(TypeTable& types, Declarations& decls, Interner& names, Lookup lookup)
      : types_(types), decls_(decls), names_(names), lookup_(std::move(lookup)) {}

  // Fills receiver, parameters, options, result and what the result points into; adds the signature's own type
  // variables to `fn.type_params`. `fn.self_type` is replaced where the receiver writes a type.
  tl::expected<void, SignatureError> read_signature(std::string_view text, FnDecl& fn);
  // "Seq[String] pauses throws"
  tl::expected<TypeId, SignatureError> read_type(std::string_view text);
  // "pub code: i64"
  tl::expected<FieldInfo, SignatureError> read_field(std::string_view text);
  // "Always", "Start(i64)", "At { x: i32, y: i32 }"
  tl::expected<VariantInfo, SignatureError> read_variant(std::string_view text);

 private:
  struct Cursor;

  TypeTable& types_;
  Declarations& decls_;
  Interner& names_;
  Lookup lookup_;
};

}  // namespace nikaia::lang
