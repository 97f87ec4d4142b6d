// Overlap of places, and how a conflict is said.
#include <algorithm>

#include "passes/loans/loans.h"

namespace nikaia::lang::loans {
namespace {

bool same_step(const nir::Projection& a, const nir::Projection& b) {
  if (a.kind != b.kind) return false;
  return a.kind == ProjectionKind::index || (a.index == b.index && a.variant == b.variant);
}

enum class Change : std::uint8_t { other, adding, removing };

Change kind_of_change(const Loans& m, const nir::Node* node) {
  auto* c = node != nullptr ? std::get_if<nir::Call>(node) : nullptr;
  if (c == nullptr || !c->fn.valid() || m.decls.fns[c->fn].key.empty()) return Change::other;
  static constexpr std::string_view adding[] = {"push", "insert", "extend", "push_str"};
  static constexpr std::string_view removing[] = {"remove", "pop", "clear", "drain", "truncate", "take"};
  const std::string_view name = m.shown.names.text(m.decls.fns[c->fn].name);
  if (std::find(std::begin(adding), std::end(adding), name) != std::end(adding)) return Change::adding;
  if (std::find(std::begin(removing), std::end(removing), name) != std::end(removing)) return Change::removing;
  return Change::other;
}

std::string holder_name(const Loans& m, const Conflict& c) {
  if (!c.holder.valid()) return "this view";
  const nir::Local& l = c.f.locals[c.holder];
  if (l.name.valid()) return std::string(m.shown.names.text(l.name));
  return "this view";
}

}  // namespace

bool overlap(const Place& a, const Place& b) {
  if (!(a.root == b.root)) return false;
  const std::size_t n = std::min(a.path.size(), b.path.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (!same_step(a.path[i], b.path[i])) return false;
  }
  return true;
}

void report_change(Loans& m, const Conflict& c) {
  const std::string name = nir::shown(m.shown, c.f, c.place);
  if (c.in_loop) {
    Wording wording = Wording::NK2301_adding;
    MessageText text = Code::NK2301;
    switch (kind_of_change(m, c.node)) {
      case Change::adding: text = wording; break;
      case Change::removing: text = Wording::NK2301_removing; break;
      case Change::other: break;
    }
    Place whole = c.loan.place;
    Builder b = m.sink.error(text, c.span, nir::shown_root(m.shown, c.f, whole));
    b.primary_label("changed here").label(c.loan.span, "walked from here");
    b.note("Growing or shrinking a list may move it, and the loop would be left looking at where it used to be.");
    return;
  }
  const std::string holder = holder_name(m, c);
  Builder b = m.sink.error(Code::NK2931, c.span, name, holder);
  b.primary_label("changed here").label(c.loan.span, "`" + holder + "` is a view of this");
  b.note("The view is used after that.");
}

void report_taken(Loans& m, const Conflict& c) {
  const std::string holder = holder_name(m, c);
  Builder b = m.sink.error(Code::NK2932, c.span, nir::shown(m.shown, c.f, c.place), holder);
  b.primary_label("handed over here").label(c.loan.span, "`" + holder + "` is a view of this");
  b.note("The view is used after that.");
}

}  // namespace nikaia::lang::loans
