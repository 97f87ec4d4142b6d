// Building NIR: instructions, regions, temporaries, scopes and the ways out of them.
#include <algorithm>
#include <utility>

#include "passes/lower/lowering.h"

namespace nikaia::lang::lower {

FnLowering::FnLowering(ModuleLowering& m, FileId file, FnLowering* parent)
    : m_(m),
      parent_(parent),
      file_(file),
      tree_(m.compilation.trees[file]),
      names_(m.names[file]),
      types_(m.types[file]),
      effects_(m.effects.trees[file]),
      contracts_(m.contracts.trees[file]),
      table_(m.table) {
  fn_.file = file;
  id_ = m.out.functions.add({});  // a closure's number comes after its parent's
}

nir::InstrId FnLowering::push(nir::Node&& node, Span span) {
  if (ended_) return {};
  ended_ = std::holds_alternative<nir::Leave>(node) || std::holds_alternative<nir::Again>(node) ||
           std::holds_alternative<nir::Raise>(node) || std::holds_alternative<nir::Return>(node) ||
           std::holds_alternative<nir::Fail>(node) || std::holds_alternative<nir::Panic>(node) ||
           std::holds_alternative<nir::Unreachable>(node);
  const nir::InstrId id = fn_.instrs.emplace(std::move(node), span);
  fn_.regions[current_].push_back(id);
  return id;
}

NirLocal FnLowering::new_local(Name name, TypeId type, nir::LocalKind kind, Span span, bool is_mut) {
  return fn_.locals.add({name, type, kind, span, is_mut});
}

bool FnLowering::needs_drop(TypeId type) const {
  switch (table_.kind(type)) {
    case TypeKind::ref:
    case TypeKind::never:
    case TypeKind::error:
    case TypeKind::unit: return false;
    default: return handing_of(table_, m_.decls, type) != Handing::copies;
  }
}

NirLocal FnLowering::new_temp(TypeId type, Span span, bool hoist) {
  NirLocal local = new_local({}, type, nir::LocalKind::temp, span);
  if (hoist) {
    nir::InstrId id = fn_.instrs.emplace(nir::Declare{local}, span);
    auto& region = fn_.regions[statement_region_];
    region.insert(region.begin(), id);
    if (needs_drop(type)) scopes_[statement_depth_].dying.push_back(local);
  } else {
    push(nir::Declare{local}, span);
    if (needs_drop(type)) scopes_.back().dying.push_back(local);
  }
  return local;
}

void FnLowering::declare_name(NirLocal local, Span span) {
  if (ended_) return;
  nir::InstrId id = fn_.instrs.emplace(nir::Declare{local}, span);
  fn_.regions[block_region_].push_back(id);
  if (needs_drop(fn_.locals[local].type)) scopes_[statement_depth_ - 1].dying.push_back(local);
}

bool FnLowering::is_dying(NirLocal local) const {
  return std::any_of(scopes_.begin(), scopes_.end(), [&](const ScopeRecord& scope) {
    return std::find(scope.dying.begin(), scope.dying.end(), local) != scope.dying.end();
  });
}

const Teardown& FnLowering::teardown(TypeId type) {
  auto [it, is_new] = m_.teardowns.try_emplace(type.index);
  if (is_new) it->second = teardown_of(table_, m_.decls, type);
  return it->second;
}

// Drops `locals`, last first; those with a cleanup are cleaned before. A cleanup's failure joins `error`, which
// is made where the first one needs it.
void FnLowering::drop_all(const std::vector<NirLocal>& locals, Span span, NirLocal except, NirLocal& error) {
  if (ended_) return;
  std::vector<NirLocal> together;
  for (auto it = locals.rbegin(); it != locals.rend(); ++it) {
    if (*it == except) continue;
    const Teardown& ends = teardown(fn_.locals[*it].type);
    if (ends.has_cleanup()) {
      if (!together.empty()) push(nir::Drop{std::exchange(together, {})}, span);
      if (!error.valid()) {
        const TypeId any = table_.error_sum({}, true);
        error = new_local({}, any, nir::LocalKind::temp, span);
        push(nir::Declare{error}, span);
      }
      bool pauses = ends.has_library_cleanup;
      for (FnId f : ends.cleanups) pauses = pauses || m_.effects.fns[f].may_pause;
      push(nir::Cleanup{*it, pauses, error}, span);
    }
    together.push_back(*it);
  }
  if (!together.empty()) push(nir::Drop{std::move(together)}, span);
}

// The value in `local` ends here; where its cleanup fails, that leaves.
void FnLowering::ends_here(NirLocal local, Span span) {
  NirLocal error;
  drop_all({local}, span, {}, error);
  if (cleanup_can_fail({local})) leave_if_failed(error, scopes_.size(), span);
}

bool FnLowering::cleanup_can_fail(const std::vector<NirLocal>& locals) {
  for (NirLocal l : locals) {
    const Teardown& ends = teardown(fn_.locals[l].type);
    if (ends.has_library_cleanup) return true;
    for (FnId f : ends.cleanups) {
      if (m_.effects.fns[f].can_fail) return true;
    }
  }
  return false;
}

// Where a cleanup has failed on the way here, the failure leaves; scopes from `from` up are gone already.
void FnLowering::leave_if_failed(NirLocal error, std::size_t from, Span span) {
  if (!error.valid() || ended_) return;
  Operand none = bool_of(nir::IsNull{place_of_local(error)}, span);
  RegionId failed = in_region([&] {
    leave_with_failure(Operand{OperandKind::move, fn_.locals[error].type, place_of_local(error), {}}, span, from);
  });
  push(nir::If{std::move(none), fn_.regions.add({}), failed}, span);
}

void FnLowering::close_scope(Span span) {
  const std::vector<NirLocal> dying = scopes_.back().dying;
  NirLocal error;
  drop_all(dying, span, {}, error);
  scopes_.pop_back();
  if (cleanup_can_fail(dying)) leave_if_failed(error, scopes_.size(), span);
}

void FnLowering::drop_scopes_down_to(std::size_t depth, Span span, NirLocal except) {
  NirLocal error;
  bool can_fail = false;
  for (std::size_t i = scopes_.size(); i > depth; --i) {
    const std::vector<NirLocal> dying = scopes_[i - 1].dying;
    drop_all(dying, span, except, error);
    can_fail = can_fail || cleanup_can_fail(dying);
  }
  if (can_fail) leave_if_failed(error, depth, span);
}

void FnLowering::finish_statement(RegionId region, bool keep_temps, std::size_t bound_before, Span span) {
  const bool body_ended = last_region_ended_;
  auto dying = scopes_.back().dying;
  scopes_.pop_back();
  bool needs_scope = false;
  if (!dying.empty()) {
    if (keep_temps) {
      // The block owns them from here on; they were bound before the name that views them.
      auto& block = scopes_.back().dying;
      const std::size_t at = std::min(bound_before, block.size());
      block.insert(block.begin() + static_cast<std::ptrdiff_t>(at), dying.begin(), dying.end());
    } else {
      needs_scope = true;
      RegionId saved = current_;
      bool saved_ended = ended_;
      current_ = region;
      ended_ = body_ended;
      NirLocal error;
      drop_all(dying, span, {}, error);
      if (cleanup_can_fail(dying)) leave_if_failed(error, scopes_.size(), span);
      current_ = saved;
      ended_ = saved_ended;
    }
  }
  if (ended_) return;
  if (needs_scope) {
    push(nir::Scope{region}, span);
  } else {
    auto moved = std::move(fn_.regions[region]);
    auto& to = fn_.regions[current_];
    to.insert(to.end(), moved.begin(), moved.end());
    fn_.regions[region].clear();
  }
  ended_ = body_ended;
}

void FnLowering::leave_with_failure(Operand error, Span span, std::size_t from) {
  const std::size_t depth = handlers_.empty() ? 0 : handlers_.back().depth;
  // Cleanups that fail on the way out join the failure.
  NirLocal joined = error.place.root;
  for (std::size_t i = std::min(from, scopes_.size()); i > depth; --i) {
    const std::vector<NirLocal> dying = scopes_[i - 1].dying;
    drop_all(dying, span, joined, joined);
  }
  if (handlers_.empty() && !fn_.can_fail) {
    // The cleanup of a name that is handed over on every way here; were it not, its failure has nowhere to go.
    Operand text;
    text.type = table_.ref(table_.basic(TypeKind::string));
    text.constant = nir::ConstText{m_.context.names().intern("a cleanup failed where no failure can leave")};
    push(nir::Panic{std::move(text)}, span);
  } else if (handlers_.empty()) {
    push(nir::Fail{std::move(error)}, span);
  } else {
    push(nir::Raise{handlers_.back().label, std::move(error)}, span);
  }
}

nir::FailEdge FnLowering::fail_edge(Span span) {
  nir::FailEdge edge;
  TypeId any = table_.error_sum({}, true);
  edge.error = new_local({}, any, nir::LocalKind::error, span);
  edge.region = in_region([&] {
    leave_with_failure(Operand{OperandKind::move, any, place_of_local(edge.error), {}}, span);
  });
  return edge;
}

NirLocal FnLowering::assign_temp(nir::Value value, TypeId type, Span span, bool hoist) {
  NirLocal t = new_temp(type, span, hoist);
  push(nir::Assign{place_of_local(t), std::move(value)}, span);
  return t;
}

Operand FnLowering::constant(nir::Constant c, TypeId type) const {
  return {OperandKind::constant, type, {}, std::move(c)};
}

Operand FnLowering::unit() const {
  return constant(nir::ConstUnit{}, table_.basic(TypeKind::unit));
}

Operand FnLowering::copy_of(NirLocal local) const {
  return {OperandKind::copy, fn_.locals[local].type, place_of_local(local), {}};
}

Operand FnLowering::take(Place place, TypeId type) {
  Operand o{OperandKind::copy, type, std::move(place), {}};
  switch (handing_of(table_, m_.decls, type)) {
    case Handing::copies: break;
    case Handing::handle: o.kind = OperandKind::dup; break;
    case Handing::sequence:
    case Handing::moves: o.kind = OperandKind::move; break;
  }
  if (o.kind != OperandKind::copy && o.place.is_local()) {
    // A temporary of this scope that is taken whole owes nothing at the scope's end.
    const NirLocal root = o.place.root;
    if (fn_.locals[root].kind == nir::LocalKind::temp) {
      o.kind = OperandKind::move;
      auto& dying = scopes_.back().dying;
      dying.erase(std::remove(dying.begin(), dying.end(), root), dying.end());
    }
  }
  // What a captured name is taken from is changed by it.
  if (o.kind == OperandKind::move && !is_kept_closure_) note_change(o.place);
  return o;
}

Operand FnLowering::lend(Place place, TypeId type, bool is_mut) const {
  // A loan of what a pointer points to is the pointer.
  if (!place.path.empty() && place.path.back().kind == nir::ProjectionKind::deref) {
    Place pointer = place;
    pointer.path.pop_back();
    TypeId pointer_type = pointer.path.empty() ? fn_.locals[pointer.root].type : pointer.path.back().type;
    if (table_[pointer_type].is_mut == is_mut || !is_mut) {
      if (table_[pointer_type].is_mut == is_mut) return {OperandKind::copy, pointer_type, std::move(pointer), {}};
    }
  }
  return {is_mut ? OperandKind::lend_mut : OperandKind::lend, table_.ref(type, is_mut), std::move(place), {}};
}

Operand FnLowering::lend_or_copy(Place place, TypeId type) const {
  if (copies(table_, m_.decls, type)) return {OperandKind::copy, type, std::move(place), {}};
  return lend(std::move(place), type);
}

Place FnLowering::project(Place place, nir::Projection p) const {
  place.path.push_back(std::move(p));
  return place;
}

Place FnLowering::deref(Place place, TypeId target) const {
  return project(std::move(place), {nir::ProjectionKind::deref, 0, 0, {}, target});
}

}  // namespace nikaia::lang::lower
