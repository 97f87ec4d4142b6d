// names@1: what every name in a tree denotes. Filled by the pass `names`, with the declarations.
#pragma once

#include <vector>

#include "lang/facts/facts.h"
#include "lang/syntax/ast.h"
#include "lang/types/declarations.h"

namespace nikaia::lang {

using LocalId = Id<struct LocalTag>;  // dense per tree

enum class LocalKind : std::uint8_t { param, option, self, let, for_, pattern, lambda_param, error, comptime };

struct Local {
  Name name;
  LocalKind kind = LocalKind::let;
  bool is_mut = false;
  Span span;         // of the declared name
  ast::ItemId item;  // the function, test or comptime item it belongs to
  ast::ExprId
      lambda;  // the innermost lambda (or overlap branch's statement expression) it is declared in; invalid: none
};

struct Resolution {
  enum class Kind : std::uint8_t {
    none,               // not a name, or not resolved (already reported)
    local,              // LocalId
    fn,                 // FnId: a free function, a library function, `Type::assoc`, `Trait::method`
    type,               // TypeDeclId: a constructor to call, or the head of a literal
    variant,            // TypeDeclId and the variant's position
    comptime,           // ComptimeId
    type_param_member,  // `T::name` through a bound: TypeParamId and FnId (the trait's signature)
  } kind = Kind::none;
  std::uint32_t index = 0;
  std::uint32_t part = 0;

  bool resolved() const { return kind != Kind::none; }
  LocalId local() const { return LocalId(index); }
  FnId fn() const { return FnId(index); }
  TypeDeclId type() const { return TypeDeclId(index); }
};

// Tables of one tree. Pools of the tree (`Bind`, `Param`, …) are indexed by position: `list.begin + i`.
struct TreeNames {
  IdVector<ast::ExprId, Resolution> exprs;        // PathExpr, SelfExpr, StructExpr (its head)
  IdVector<ast::TypeExprId, TypeId> types;        // every written type
  IdVector<ast::PatternId, Resolution> patterns;  // bind: local; variant, shape: variant or type
  IdVector<LocalId, Local> locals;
  std::vector<LocalId> binds;               // by position in the pool of Bind (let, for, lambda, select)
  std::vector<LocalId> params;              // by position in the pool of Param
  std::vector<LocalId> options;             // by position in the pool of OptionParam
  std::vector<LocalId> field_patterns;      // by position in the pool of FieldPattern: the shorthand's local
  std::vector<Resolution> field_inits;      // by position in the pool of FieldInit: the shorthand's value
  IdVector<ast::ItemId, LocalId> self_of;   // of a method
  IdVector<ast::ItemId, FnId> fn_of;        // of a function item
  IdVector<ast::ExprId, LocalId> error_of;  // CatchExpr: its `error`
};

using Names = IdVector<FileId, TreeNames>;
inline constexpr FactKey<Names> names_fact{"names@1"};
inline constexpr FactKey<Declarations> declarations_fact{"declarations@1"};

}  // namespace nikaia::lang
