// Names of the program as places: a local, what a pointer points to, or what a closure captured.
#include "passes/lower/lowering.h"

namespace nikaia::lang::lower {

Binding FnLowering::binding(LocalId id) {
  if (auto it = bindings_.find(id.index); it != bindings_.end()) return it->second;
  if (!parent_) return {};  // not reached: names resolved it
  // A captured name. The parent's binding is captured once, and becomes a local of this closure.
  const Binding outer = parent_->binding(id);
  const nir::Local outer_local = parent_->fn_.locals[outer.local];
  Binding inner{{}, outer.type, outer.is_pointer};
  nir::Capture capture;
  capture.place = Place{outer.local, {}};
  TypeId type = outer_local.type;
  // A task of a scope lasts longer than what is bound inside the scope's block, which it takes along as a `spawn` does.
  const Span bound = names_.locals[id].span;
  const bool is_inside = is_scope_task_ && bound.begin >= scope_span_.begin && bound.end <= scope_span_.end;
  const bool by_value = is_kept_closure_ || is_inside;
  if (outer.is_pointer) {
    if (by_value) {
      // What is only lent cannot be kept; the checks of ownership refuse it where it moves. A value that
      // copies, a handle and text are taken through the pointer.
      capture.place = parent_->deref(capture.place, outer.type);
      inner.is_pointer = false;
      type = outer.type;
      capture.mode = handing_of(table_, m_.decls, type) == Handing::copies   ? nir::CaptureMode::copy
                     : handing_of(table_, m_.decls, type) == Handing::handle ? nir::CaptureMode::dup
                                                                             : nir::CaptureMode::move;
    } else {
      capture.mode = nir::CaptureMode::copy;  // of the pointer
    }
  } else if (by_value) {
    switch (handing_of(table_, m_.decls, type)) {
      case Handing::copies: capture.mode = nir::CaptureMode::copy; break;
      case Handing::handle: capture.mode = nir::CaptureMode::dup; break;
      default: capture.mode = nir::CaptureMode::move; break;
    }
  } else {
    capture.mode = nir::CaptureMode::lend;
    inner.is_pointer = true;
    type = table_.ref(outer_local.type);
  }
  inner.local = new_local(outer_local.name, type, nir::LocalKind::capture, outer_local.span, outer_local.is_mut);
  capture.inner = inner.local;
  // A task's body runs once and ends what it took; what a kept lambda took dies with its closure.
  if ((is_task_ || is_inside) && needs_drop(type))
    scopes_.front().dying.insert(scopes_.front().dying.begin(), inner.local);
  capture_of_[inner.local.index] = captures_.size();
  captures_.push_back(capture);
  bindings_[id.index] = inner;
  return inner;
}

Place FnLowering::variable(LocalId id) {
  const Binding b = binding(id);
  Place p{b.local, {}};
  if (b.is_pointer) p = deref(std::move(p), b.type);
  return p;
}

// A captured name that the closure changes is lent for change, and so is its parent's own capture of it.
void FnLowering::note_change(const Place& place) {
  auto it = capture_of_.find(place.root.index);
  if (it == capture_of_.end()) return;
  nir::Capture& capture = captures_[it->second];
  if (capture.mode == nir::CaptureMode::lend) {
    capture.mode = nir::CaptureMode::lend_mut;
    const Type t = table_[fn_.locals[place.root].type];
    fn_.locals[place.root].type = table_.ref(t.args[0], true);
  } else if (capture.mode == nir::CaptureMode::copy && table_.kind(fn_.locals[place.root].type) == TypeKind::ref) {
    parent_->note_change(capture.place);
    fn_.locals[place.root].type = parent_->fn_.locals[capture.place.root].type;
    return;
  }
  if (capture.mode == nir::CaptureMode::lend_mut) parent_->note_change(capture.place);
}

}  // namespace nikaia::lang::lower
