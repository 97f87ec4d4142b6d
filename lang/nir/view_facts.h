// Which views may be all that is left of what they look into, so that they count its buffer (03 §8.9, §8.10).
#pragma once

#include <unordered_map>
#include <vector>

#include "lang/nir/nir.h"

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
  // By declaration: of a struct's fields, of an enum's parts one variant after the other.
  std::unordered_map<std::uint32_t, std::vector<std::uint8_t>> borrowed_fields;

  bool is_borrowed(FunctionId f, LocalId l) const {
    return f.index < borrowed_locals.size() && l.index < borrowed_locals[f].size() && borrowed_locals[f][l.index] != 0;
  }
  bool is_result_borrowed(FunctionId f) const { return f.index < borrowed_results.size() && borrowed_results[f] != 0; }
  // `field`: among the struct's fields, or the parts of all variants.
  bool is_field_borrowed(TypeDeclId type, std::size_t field) const {
    const auto it = borrowed_fields.find(type.index);
    return it != borrowed_fields.end() && field < it->second.size() && it->second[field] != 0;
  }
};

}  // namespace nikaia::lang::nir

namespace nikaia::lang {
inline constexpr FactKey<nir::Escapes> escapes_fact{"escapes@1"};
inline constexpr FactKey<nir::ViewStates> view_states_fact{"view_states@1"};
}  // namespace nikaia::lang
