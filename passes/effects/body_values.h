// What the expressions of a body give: functions and lambdas, sequences and what a step of one does, tasks.
#pragma once

#include <unordered_map>

#include "passes/effects/events.h"

namespace nikaia::lang::effects {

class BodyValues {
 protected:
  BodyValues(Program& program, FileId file)
      : p_(program),
        file_(file),
        t_(program.source.trees[file]),
        names_(program.names[file]),
        types_(program.types[file]),
        initial_(names_.locals.size()) {}

  TypeId type_of(ast::ExprId e) const { return types_.exprs[e]; }
  bool is_kind(TypeId type, TypeKind kind) const { return type.valid() && p_.table.kind(type) == kind; }
  ast::ExprId bare(ast::ExprId e) const;
  // What is known of a function value, after its expression was walked.
  Code code_of(ast::ExprId e) const;
  void own_param(LocalId local, Code& code) const;
  bool is_sequence(TypeId type) const;
  void merge(Step& into, Step from) const;
  // A row that walks its receiver, or another sequence it is given, to the end or as far as it needs.
  Step walked_by(const FnDecl& fn, const Call& c) const;
  Step step_of(ast::ExprId e) const;
  // The tasks a handle may be of: the one its name was given, else every one of this body with a handle of that type.
  std::vector<CollectorId> tasks_of(ast::ExprId handle) const;

  Program& p_;
  FileId file_;
  const ast::Tree& t_;
  const TreeNames& names_;
  const TreeTypes& types_;
  FnId fn_;
  ast::List<ast::Param> params_of_;
  std::vector<ast::ExprId> initial_;                        // by local: what a `let` gave it
  std::unordered_map<std::uint32_t, CollectorId> lambdas_;  // by expression
  std::vector<std::pair<ast::ExprId, CollectorId>> tasks_;  // the `spawn`s of this body
};

}  // namespace nikaia::lang::effects
