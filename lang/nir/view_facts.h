// Which views may be all that is left of what they look into, so that they count its buffer (03 §8.9, §8.10).
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "lang/nir/nir.h"
#include "lang/types/declarations.h"

namespace nikaia::lang::nir {

// escapes@1, of generic NIR: where a view was seen to outlive the owner of its text or run.
struct Escapes {
  IdVector<FunctionId, std::vector<LocalId>> locals;  // that hold such a view, each at least once
  IdVector<FunctionId, std::uint8_t> results;         // whether what the function hands back holds one
};

// view_states@1, of monomorphic NIR: the places for a view of text or of a run that count its buffer. What is not told
// counts: locals and functions that were made later, type arguments, what a trait or a function value hands back.
struct ViewStates {
  IdVector<FunctionId, std::vector<std::uint8_t>> borrowed_locals;  // by local
  IdVector<FunctionId, std::uint8_t> borrowed_results;
  // By declaration and the number of the field in it, see `each_field`.
  std::unordered_map<std::uint32_t, std::vector<std::uint8_t>> borrowed_fields;

  bool is_borrowed(FunctionId f, LocalId l) const {
    return f.index < borrowed_locals.size() && l.index < borrowed_locals[f].size() && borrowed_locals[f][l.index] != 0;
  }
  bool is_result_borrowed(FunctionId f) const { return f.index < borrowed_results.size() && borrowed_results[f] != 0; }
  bool is_field_borrowed(TypeDeclId type, std::size_t field) const {
    const auto it = borrowed_fields.find(type.index);
    return it != borrowed_fields.end() && field < it->second.size() && it->second[field] != 0;
  }
};

// Fields of a declaration are numbered: a struct's as they stand, an enum's parts one variant after the other.
// `f(number, const FieldInfo&)` for each.
template <class F>
void each_field(const TypeDecl& decl, F&& f) {
  std::size_t number = 0;
  for (const FieldInfo& field : decl.fields) f(number++, field);
  for (const VariantInfo& v : decl.variants) {
    for (const FieldInfo& part : v.parts) f(number++, part);
  }
}
// The number of a variant's first part.
inline std::size_t first_part(const TypeDecl& decl, std::uint32_t variant) {
  std::size_t number = 0;
  for (std::uint32_t v = 0; v < variant; ++v) number += decl.variants[v].parts.size();
  return number;
}
// The field that a place is of the value it lies in; nothing where it is none.
struct FieldOf {
  TypeDeclId type;
  std::size_t number;
};
std::optional<FieldOf> field_of(const Function& f, const TypeTable& types, const Declarations& decls,
                                const Place& place);

}  // namespace nikaia::lang::nir

namespace nikaia::lang {
inline constexpr FactKey<nir::Escapes> escapes_fact{"escapes@1"};
inline constexpr FactKey<nir::ViewStates> view_states_fact{"view_states@1"};
}  // namespace nikaia::lang
