// The state of the pass `patterns`, one per file.
//
// fit.cc says whether each pattern can be a pattern of its value (NK1914, NK1205), whether alternatives bind the same
// names (NK1155) and whether an arm looks too far into parts that hold their own type (NK1193). coverage.cc says
// whether the arms of a `match` leave anything out (NK1151).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nikaia/pass.h>

#include "lang/compilation.h"
#include "lang/diag/diagnostic.h"
#include "lang/facts/effects.h"

namespace nikaia::lang::coverage {

using ast::ExprId;
using ast::PatternId;

struct File {
  const Compilation& compilation;
  const Declarations& decls;
  const ast::Tree& tree;
  const TreeNames& names;
  const TreeTypes& typed;
  const TreeEffects& effects;
  TypeTable& types;
  const Interner& interner;
  Sink& sink;
  std::vector<ExprId> catch_of_error;  // by LocalId: the CatchExpr whose `error` it is

  std::string_view text(Name name) const { return interner.text(name); }
  std::string spelled(TypeId t) const { return type_text(types, decls, interner, t); }
  // "a `Parcel`", "text"
  std::string described(TypeId t) const;
  TypeId seen_through(TypeId t) const;
  // `type` with `args` in place of `params`.
  TypeId put_in(TypeId type, std::span<const TypeParamId> params, std::span<const TypeId> args) const;
  // What a `match` over `subject` tells apart: `error` is the sum of what arrives there.
  TypeId subject_type(ExprId subject) const;
};

// Whether every pattern of the match fits its value; says what does not.
bool patterns_fit(File& f, const ast::MatchExpr& match, TypeId subject);
// What a loop over `subject` gives each turn, or an invalid id where it cannot be told.
TypeId element_of(const File& f, TypeId subject);
// A tuple of names against its value.
void check_names_of_tuple(File& f, std::uint32_t count, Span first, TypeId value);

// Says what the arms leave out. True: nothing, though no `else` stands there.
bool check_coverage(File& f, const ast::MatchExpr& match, Span at, TypeId subject);

}  // namespace nikaia::lang::coverage
