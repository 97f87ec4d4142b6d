// The state of lowering: one `ModuleLowering` per compilation, one `FnLowering` per function body.
//
// The lowering trusts the facts: every expression has a type, every call its callee. It decides how things
// are done, never whether: which operand moves and which is lent, where temporaries live, what each exit of a
// block drops. Its algorithm is a single walk of the typed tree:
//
// * An expression is lowered for one of three purposes: `value` gives an operand its place keeps (a copy, a
//   move, one owner more, or a constant); `read` one that is only looked at (a copy or a loan); `place` the
//   place where the value lies, a temporary where it lies nowhere.
// * A variable is a `Binding`: a local that holds the value, or a local that holds a pointer to it (a lent
//   parameter, a viewed part of a match, a captured name); reaching it adds a `deref`.
// * Scopes are a stack. Each knows the locals that die at its end; every way out of it (its end, `leave`,
//   `again`, a failure, a return) writes their drops, last bound first.
// * Each statement is lowered into a region of its own. If temporaries with something to drop are left when
//   it ends, the region becomes a `Scope`; otherwise its instructions join the block.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <nikaia/pass.h>

#include "lang/compilation.h"
#include "lang/facts/effects.h"
#include "lang/nir/nir.h"
#include "lang/types/teardown.h"

namespace nikaia::lang::lower {

using nir::Operand;
using nir::OperandKind;
using nir::Place;
using nir::RegionId;
using NirLocal = nir::LocalId;

struct ModuleLowering {
  PassContext& context;
  const Compilation& compilation;
  const Declarations& decls;
  const Names& names;
  const Types& types;
  const Effects& effects;
  const Contracts& contracts;
  TypeTable& table;
  nir::Module& out;
  std::unordered_map<std::string, int> site_ordinals;
  std::unordered_set<std::string> site_codes;
  std::unordered_map<std::uint32_t, Teardown> teardowns;  // by TypeId
  std::vector<TypeId> plain_of;                           // by TypeId

  // The NIR type of a parameter: the value, or a pointer where it is lent.
  TypeId param_type(const FnDecl& fn, FnId id, std::size_t position);
  TypeId receiver_type(const FnDecl& fn);
  // A declared type as values of it are: a `Seen[T]` is the `T` it reads as.
  TypeId plain(TypeId declared);
  void lower_function(FnId id);
  FnId push_str() const;  // the row `String.push_str`
  bool branch_fails(FileId file, ast::ExprId e) const;
  // The short name of the `throw` at `span` in `function` (04 §1.10).
  std::uint32_t add_site(Span span, const std::string& function);
};

struct Binding {
  NirLocal local;
  TypeId type;              // of the variable, as the program sees it
  bool is_pointer = false;  // `local` is a pointer to the value
};

struct ScopeRecord {
  std::vector<NirLocal> dying;  // in order of binding
};

// Where a jump goes, and how many scopes stay when it gets there.
struct Target {
  nir::LabelId label;
  std::size_t depth = 0;
};

struct HandlerTarget {
  nir::LabelId label;
  NirLocal error;
  std::size_t depth = 0;
};

class FnLowering {
 public:
  FnLowering(ModuleLowering& m, FileId file, FnLowering* parent);

  void lower_fn(FnId id);
  // The body of a lambda or of an overlap's branch as a function of its own; `captures` name the places of
  // this function's parent it uses.
  nir::MakeClosure finish_closure();
  // Says what it is ("closure", "branch"), where, and what it comes to.
  void begin_closure(const char* word, Span span, TypeId result);

 private:
  friend struct ModuleLowering;

  // ---- building (builder.cc)
  nir::InstrId push(nir::Node&& node, Span span);
  NirLocal new_local(Name name, TypeId type, nir::LocalKind kind, Span span, bool is_mut = false);
  // A temporary in the current region; dies with the statement. `hoist`: declared at the statement's start,
  // because what it holds is lent past the region at hand.
  NirLocal new_temp(TypeId type, Span span, bool hoist = false);
  // A name of the block: declared in front of the statement, dies with the block.
  void declare_name(NirLocal local, Span span);
  nir::LabelId new_label() { return nir::LabelId(fn_.label_count++); }
  bool needs_drop(TypeId type) const;
  bool is_dying(NirLocal local) const;  // whether a scope that is open owes its drop
  void drop_scopes_down_to(std::size_t depth, Span span, NirLocal except = {});
  void open_scope() { scopes_.emplace_back(); }
  void close_scope(Span span);
  // What `body` pushes, as a region of its own; `last_region_ended_` then says whether its end is reached.
  template <class F>
  RegionId in_region(F&& body) {
    RegionId saved = current_;
    bool saved_ended = ended_;
    RegionId made = fn_.regions.add({});
    current_ = made;
    ended_ = false;
    body();
    current_ = saved;
    last_region_ended_ = ended_;
    ended_ = saved_ended;
    return made;
  }
  // The same with a scope for the temporaries and names of the region.
  template <class F>
  RegionId in_scope_region(Span span, F&& body) {
    return in_region([&] {
      open_scope();
      body();
      close_scope(span);
    });
  }
  // One statement: what `body` leaves of temporaries dies at its end, or with the block where `keep_temps`.
  template <class F>
  void in_statement(Span span, bool keep_temps, F&& body) {
    RegionId saved_statement = statement_region_, saved_block = block_region_;
    std::size_t saved_depth = statement_depth_;
    const std::size_t bound_before = scopes_.back().dying.size();
    block_region_ = current_;
    RegionId r = in_region([&] {
      statement_region_ = current_;
      open_scope();
      statement_depth_ = scopes_.size() - 1;
      body();
    });
    finish_statement(r, keep_temps, bound_before, span);
    statement_region_ = saved_statement;
    block_region_ = saved_block;
    statement_depth_ = saved_depth;
  }
  // `bound_before`: how many names of the block were owed a drop when the statement began.
  void finish_statement(RegionId region, bool keep_temps, std::size_t bound_before, Span span);
  nir::FailEdge fail_edge(Span span);
  void leave_with_failure(Operand error, Span span, std::size_t from = ~std::size_t{0});
  const Teardown& teardown(TypeId type);
  void drop_all(const std::vector<NirLocal>& locals, Span span, NirLocal except, NirLocal& error);
  void ends_here(NirLocal local, Span span);
  bool cleanup_can_fail(const std::vector<NirLocal>& locals);
  void leave_if_failed(NirLocal error, std::size_t from, Span span);
  NirLocal assign_temp(nir::Value value, TypeId type, Span span, bool hoist = false);

  Operand constant(nir::Constant c, TypeId type) const;
  Operand unit() const;
  Operand copy_of(NirLocal local) const;
  Operand take(Place place, TypeId type);  // copy, dup or move by the type's handing
  Operand lend(Place place, TypeId type, bool is_mut = false) const;
  Operand lend_or_copy(Place place, TypeId type) const;
  Place place_of_local(NirLocal local) const { return Place{local, {}}; }
  Place project(Place place, nir::Projection p) const;
  Place deref(Place place, TypeId target) const;

  // ---- variables (variables.cc)
  Binding binding(LocalId id);
  Place variable(LocalId id);
  void bind(LocalId id, Binding b) { bindings_[id.index] = b; }
  void note_change(const Place& place);

  // ---- expressions (expressions.cc)
  TypeId type_of(ast::ExprId e) const { return types_.exprs[e]; }
  TypeId wanted(ast::ExprId e) const;
  Operand value(ast::ExprId e);
  Operand read(ast::ExprId e);
  Place place(ast::ExprId e);
  Place place_without_span(ast::ExprId e);
  bool is_place(ast::ExprId e) const;
  ast::ExprId bare(ast::ExprId e) const;  // without brackets
  Operand convert(Operand v, TypeId to, Span span);
  Operand convert_nullable(Place given, TypeId from_inner, TypeId to, Span span);
  Operand base_value(ast::ExprId e);
  void effect(ast::ExprId e);  // the value is not wanted
  void owe_drop(NirLocal local);
  bool has_effects(ast::ExprId e) const;
  bool stays(NirLocal local) const;
  Operand settle(Operand v, Span span);  // into a temporary, so that what follows cannot change it
  Operand binary(ast::ExprId e, const ast::BinaryExpr& b);
  Operand arithmetic(nir::BinaryOp op, Operand l, Operand r, TypeId type, Span span);
  Operand logical(ast::ExprId e, const ast::BinaryExpr& b);
  Operand format(ast::ExprId e, const ast::FTextLit& f);
  Operand struct_literal(ast::ExprId e, const ast::StructExpr& s);
  Operand with(ast::ExprId e, const ast::WithExpr& w);
  Operand index_value(ast::ExprId e, const ast::IndexExpr& i);
  Operand literal_fallback(const OptionInfo& option, TypeId type);
  Place member_place(ast::ExprId e, ast::ExprId object, std::uint32_t index, bool is_tuple);
  Operand field_init_value(const ast::FieldInit& init, std::uint32_t pool, TypeId field_type);

  // ---- calls (calls.cc)
  Operand call(ast::ExprId e);
  Operand argument(ast::ExprId e, TypeId param_type, bool is_library);
  Operand emit_call(nir::Call c, ast::ExprId e);
  Operand receiver_argument(ast::ExprId object, TypeId param_type, std::optional<Place> known);
  bool clear(const Operand& container, Span span);
  Operand call_on(ast::ExprId e, const Call& c, std::optional<Place> receiver);
  Operand safe_member(ast::ExprId e);

  // ---- control (control.cc)
  struct Destination {
    bool wanted = false;
    bool lends = false;  // `local` is a pointer: branches lend what they come to
    NirLocal local;
    TypeId type;
  };
  void into(ast::ExprId e, const Destination& d);
  void block_into(ast::BlockId b, const Destination& d);
  Operand control_value(ast::ExprId e, bool lends);
  void if_into(ast::ExprId e, const ast::IfExpr& i, const Destination& d);
  void match_into(ast::ExprId e, const ast::MatchExpr& x, const Destination& d);
  void catch_into(ast::ExprId e, const ast::CatchExpr& c, const Destination& d);
  void coalesce_into(ast::ExprId e, const ast::CoalesceExpr& c, const Destination& d);
  void store_result(Operand v, const Destination& d, Span span);
  void jump(ast::ExprId e);
  void statement(ast::StmtId s);
  void statement_body(ast::StmtId s);
  void let(ast::StmtId s, const ast::LetStmt& l);
  void assign(const ast::AssignStmt& a, Span span);
  void while_(const ast::WhileStmt& w, Span span);
  nir::Operand walked_value(ast::ExprId subject);
  void for_(ast::StmtId s, const ast::ForStmt& f, Span span);
  void destructure(ast::List<ast::Bind> binds, Place tuple, TypeId type, bool views, Span span);
  bool take_over(NirLocal temp, const Local& name, TypeId type);
  void bind_let(ast::List<ast::Bind> binds, std::size_t i, Operand v, Span span);
  void condition_or_leave(ast::ExprId cond, nir::LabelId label, std::size_t depth);

  // ---- match (match.cc)
  bool try_switch(const ast::MatchExpr& x, const Place& subject, TypeId type, const Destination& d, Span span);
  void test(ast::PatternId p, const Place& at, TypeId type, nir::LabelId otherwise, std::size_t depth);
  void bind_pattern(ast::PatternId p, const Place& at, TypeId type);
  void declare_bound(ast::PatternId p);
  void declare_bound_local(LocalId id, TypeId type, Span span);
  void bind_local(LocalId id, const Place& at, TypeId type, Span span);
  bool is_irrefutable(ast::PatternId p) const;
  bool is_viewed_by_guard(LocalId id) const;
  Operand bool_of(nir::Value v, Span span);
  Place payload(const Place& at, TypeId type, std::uint32_t variant, std::uint32_t part);
  Operand literal_operand(ast::ExprId e, TypeId type);

  // ---- closures (closures.cc)
  nir::MakeClosure closure(ast::ExprId lambda, bool is_kept, bool is_task = false);
  nir::MakeClosure variant_function(ast::ExprId path);
  void lower_body(ast::BlockId body);
  void return_value(ast::ExprId e);
  void give_back(Operand v, Span span);
  nir::MakeClosure branch(ast::ExprId body, TypeId result, bool fails);
  Operand overlap(ast::ExprId e, const ast::OverlapExpr& o);
  void select_into(ast::ExprId e, const ast::SelectExpr& x, const Destination& d);
  Operand spawn(ast::ExprId e, const ast::SpawnExpr& s);

  ModuleLowering& m_;
  FnLowering* parent_;
  FileId file_;
  const ast::Tree& tree_;
  const TreeNames& names_;
  const TreeTypes& types_;
  const TreeEffects& effects_;
  const Contracts::PerTree& contracts_;
  TypeTable& table_;

  nir::Function fn_;
  nir::FunctionId id_;
  bool is_kept_closure_ = false;
  bool is_task_ = false;  // runs once, so that what it took dies at its end
  // The lambdas of `task::scope` and of its tasks: a task takes along what is bound inside the scope's block.
  ast::ExprId scope_block_, scope_task_;  // of the call at hand
  Span scope_span_;                       // of the block that this closure is, or is a task of
  bool is_scope_task_ = false;
  std::vector<nir::Capture> captures_;
  std::unordered_map<std::uint32_t, std::size_t> capture_of_;  // by NirLocal of the inner local
  std::unordered_map<std::uint32_t, Binding> bindings_;
  std::vector<ScopeRecord> scopes_;
  std::vector<Target> loops_;
  std::vector<HandlerTarget> handlers_;
  RegionId current_;
  RegionId statement_region_;  // of the statement at hand, and of the block it stands in
  RegionId block_region_;
  std::size_t statement_depth_ = 0;  // the statement's scope; its block's is the one below
  // The statement that a value lent out of a branch lives as long as.
  RegionId home_region_;
  std::size_t home_depth_ = 0;
  bool ended_ = false;
  bool last_region_ended_ = false;
  // Which names of an arm are bound: each as the arm uses it; for a guard, those the arm takes as views; behind the
  // guard, those alone.
  enum class ArmBinds : std::uint8_t { all, for_guard, taken } arm_binds_ = ArmBinds::all;
  std::vector<LocalId> viewed_by_guard_;
};

}  // namespace nikaia::lang::lower
