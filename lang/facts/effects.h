// patterns@1, effects@1, contracts@1.
#pragma once

#include <string>
#include <vector>

#include "lang/facts/typed.h"

namespace nikaia::lang {

// patterns@1 carries nothing but that every match was checked; `covers` says which matches need no default.
struct TreePatterns {
  IdVector<ast::ExprId, std::uint8_t> is_exhaustive_without_else;  // MatchExpr
};
using Patterns = IdVector<FileId, TreePatterns>;
inline constexpr FactKey<Patterns> patterns_fact{"patterns@1"};

// What a body does, least solution over the call graph (04 §1.2, §4; 06 §7).
struct FnEffects {
  bool may_pause = false;
  bool can_fail = false;       // declared `throws`, or a lambda's that fails
  std::vector<TypeId> throws;  // sorted; of a function without `throws` empty
  bool throws_open = false;    // holds `"?"`
  std::vector<std::string> touches;
  bool touches_all = false;
  bool takes_lock = false;
};

// `effect_step_fails`: of a `for`'s subject, each step of the walk can fail (04 §1.6).
enum ExprEffect : std::uint8_t {
  effect_fails = 1,
  effect_pauses = 2,
  effect_step_fails = 4,
  effect_step_pauses = 8,
  // of a branch of an `overlap`: something in it fails that it does not catch
  effect_branch_fails = 16
};

struct TreeEffects {
  // Of every expression that itself performs a call, a step of a `for` (by its subject), an overlap: bits.
  IdVector<ast::ExprId, std::uint8_t> exprs;
  IdVector<ast::ExprId, FnEffects> lambdas;  // LambdaExpr: its body's
  IdVector<ast::ExprId, TypeId> error_type;  // CatchExpr: the error_sum that arrives
  // The branches of every `overlap`, by the expression that is the branch. In `touches`, a resource with an argument is
  // written `file("a.txt") read` where that is a literal, and `file(name) read` where it is a local.
  std::unordered_map<ast::ExprId, FnEffects> branches;
};

struct Effects {
  IdVector<FnId, FnEffects> fns;
  IdVector<FileId, TreeEffects> trees;
};
inline constexpr FactKey<Effects> effects_fact{"effects@1"};

// contracts@1: which parameters a function keeps (03 §2.2) and which bindings own what they bind.
struct Contracts {
  // One per parameter of the function: handed over (true) or lent. The receiver's form is declared.
  IdVector<FnId, std::vector<bool>> keeps;
  // One per parameter of function type: stored or given to a task (true) or only called.
  IdVector<FnId, std::vector<bool>> detached;
  struct PerTree {
    // Pattern locals: takes the part (true) or views it. Other locals: false.
    IdVector<LocalId, std::uint8_t> takes;
    // Any local: it, or a part of it that moves, is handed over somewhere.
    IdVector<LocalId, std::uint8_t> taken;
    // LambdaExpr: kept (true) or run during the call it is handed to.
    IdVector<ast::ExprId, std::uint8_t> is_kept;
    // Every expression whose value its place keeps (03 §1.3); false where it is only read.
    IdVector<ast::ExprId, std::uint8_t> is_kept_value;
  };
  IdVector<FileId, PerTree> trees;
};
inline constexpr FactKey<Contracts> contracts_fact{"contracts@1"};

}  // namespace nikaia::lang
