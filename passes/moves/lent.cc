// Whether a place may be taken at all: not what is only lent, not a part of what the program tears down (03 §2.7).
#include <algorithm>

#include "lang/nir/places.h"
#include "passes/moves/moves.h"

namespace nikaia::lang::moves {
namespace {

// What stands between the root of a place and the place.
struct Way {
  bool is_deref = false, is_index = false, is_inside = false;
  std::size_t behind_deref = 0;  // projections behind the first deref
  std::size_t torn_down = 0;     // length of the path up to the value that is torn down as a whole
  bool has_torn_down = false;
};

bool is_torn_down(const Moves& m, TypeId type) {
  if (!type.valid() || m.types.kind(type) != TypeKind::named) return false;
  const TypeDecl& decl = m.decls.types[m.types[type].decl];
  return decl.drop.valid() || decl.cleanup.valid();
}

Way way_to(const Moves& m, const nir::Function& f, const Place& place) {
  Way way;
  TypeId at = f.locals[place.root].type;
  for (std::size_t i = 0; i < place.path.size(); ++i) {
    const nir::Projection& x = place.path[i];
    switch (x.kind) {
      case ProjectionKind::deref:
        if (!way.is_deref) way.behind_deref = place.path.size() - i - 1;
        way.is_deref = true;
        break;
      case ProjectionKind::index: way.is_index = true; break;
      case ProjectionKind::inside: way.is_inside = true; break;
      case ProjectionKind::field:
      case ProjectionKind::part:
      case ProjectionKind::payload:
      case ProjectionKind::some:
        if (!way.has_torn_down && is_torn_down(m, at)) {
          way.has_torn_down = true;
          way.torn_down = i;
        }
    }
    at = x.type;
  }
  return way;
}

// A `.clone()` behind what was written, where that is in the text.
void help_clone(const Moves& m, Builder& b, Span span, const std::string& what, TypeId type) {
  if (!can_clone(m, type)) {
    b.help("There is no second one of these: let its owner do what has to be done with it.");
  } else if (span.has_text() && nir::short_source(m.shown, span) == what) {
    b.help_edit("Hand over a copy: `" + what + ".clone()`.", span.finish(), ".clone()", Applies::exact);
  }
}

bool is_loop_element(const nir::Function& f, NirLocal local) {
  for (const nir::Instr& i : f.instrs) {
    auto* w = std::get_if<nir::Walk>(&i.node);
    if (w != nullptr && std::find(w->elements.begin(), w->elements.end(), local) != w->elements.end()) return true;
  }
  return false;
}

// What a lambda captured is gone after its first turn.
bool refuse_next_turn(const Moves& m, FunctionId id, InstrId i, const Place& place) {
  const nir::Function& f = m.function(id);
  const Span span = m.span_of(f, i, place);
  const std::string name = nir::shown(m.shown, f, place);
  const TypeId type = nir::place_type(f, place);
  if (m.handing(type) == Handing::sequence) {
    m.sink.error(Code::NK2702, span, name, "its first turn").primary_label("used up in a lambda that may run again");
    return false;
  }
  Builder b = m.sink.error(Wording::NK2105_next_turn, span, name);
  b.primary_label("handed over in a lambda that may run again");
  help_clone(m, b, span, name, type);
  return false;
}

}  // namespace

bool may_be_taken(const Moves& m, FunctionId id, InstrId i, const Place& place, const Taker& taker) {
  const nir::Function& inner = m.function(id);
  const Way here = way_to(m, inner, place);
  if (m.closures[id].use == nir::ClosureUse::kept && inner.locals[place.root].kind == nir::LocalKind::capture &&
      !here.is_deref) {
    return refuse_next_turn(m, id, i, place);
  }
  if (!here.is_deref && !here.is_index && !here.is_inside && !here.has_torn_down) return true;
  // What a lambda captured is asked for where it was captured.
  const nir::PlaceIn at = nir::outside(m.module, m.closures, id, place);
  const nir::Function& f = m.function(at.function);
  const Way way = way_to(m, f, at.place);
  const Span span = m.span_of(inner, i, place);
  const std::string name = nir::shown(m.shown, inner, place);
  const TypeId type = nir::place_type(inner, place);
  if (way.is_deref && !way.is_index && !way.is_inside) {
    const nir::Local& root = f.locals[at.place.root];
    const bool is_self = root.kind == nir::LocalKind::param && m.shown.names.text(root.name) == "self";
    const bool is_mut_param = root.kind == nir::LocalKind::param && m.types[root.type].is_mut;
    const bool is_whole = way.behind_deref == 0;
    const bool goes_away = taker.kind == Taker::Kind::task || taker.kind == Taker::Kind::lambda;
    if ((is_self && !goes_away) || (is_mut_param && is_whole)) {
      const bool clones = can_clone(m, type);
      const MessageText text = !is_self
                                   ? MessageText(clones ? Wording::NK1131_parameter : Wording::NK1131_single_parameter)
                               : clones ? MessageText(Code::NK1131)
                                        : MessageText(Wording::NK1131_single);
      Builder b = m.sink.error(text, span, name, std::string(m.shown.names.text(root.name)));
      b.primary_label("given away here");
      if (root.span.has_text()) b.label(root.span, "only lent to this function");
      return false;
    }
  }
  if (taker.kind == Taker::Kind::name && way.is_deref && way.behind_deref == 0 && is_loop_element(f, at.place.root)) {
    m.sink.error(Code::NK1183, span, taker.name, name).primary_label("only lent by the loop");
    return false;
  }
  if (way.is_deref || way.is_index || way.is_inside) {
    const MessageText text = taker.kind == Taker::Kind::task   ? MessageText(Wording::NK2106_task)
                             : taker.kind == Taker::Kind::loop ? MessageText(Wording::NK2106_loop)
                             : way.is_index                    ? MessageText(Wording::NK2106_element)
                                                               : MessageText(Code::NK2106);
    Builder b = m.sink.error(text, span, name, taker.name);
    b.primary_label("given away here");
    const nir::Local& root = f.locals[at.place.root];
    if (root.name.valid() && root.span.has_text()) b.label(root.span, way.is_deref ? "only lent here" : "its owner");
    if (taker.kind != Taker::Kind::loop) help_clone(m, b, span, name, type);
    return false;
  }
  if (way.has_torn_down) {
    Place whole = at.place;
    whole.path.resize(way.torn_down);
    whole.span = {};
    Builder b = m.sink.error(Code::NK2936, span, name, nir::shown(m.shown, f, whole));
    b.primary_label("taken out here");
    help_clone(m, b, span, name, type);
    return false;
  }
  // Owned outside, and lent to this closure for its call.
  if (m.closures[id].use == nir::ClosureUse::branch || at.function == id) return true;
  return refuse_next_turn(m, id, i, place);
}

}  // namespace nikaia::lang::moves
