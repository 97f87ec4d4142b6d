// Walking what an instruction uses, in the order in which it is evaluated, and the regions it holds.
//
// Every analysis that asks "which places does this instruction touch, and how" asks here, so that a new kind
// of instruction or value is written down once.
#pragma once

#include <type_traits>

#include "lang/nir/nir.h"

namespace nikaia::lang::nir {

// `on_operand(const Operand&)`, `on_place(const Place&)` for a place that is looked at without an operand,
// `on_closure(const MakeClosure&)` for captures. `value` may be const or not; what is handed on is alike.
template <class V, class OnOperand, class OnPlace, class OnClosure>
void visit_value(V& value, OnOperand&& on_operand, OnPlace&& on_place, OnClosure&& on_closure) {
  std::visit(
      [&](auto& v) {
        using T = std::remove_cvref_t<decltype(v)>;
        if constexpr (std::is_same_v<T, Use> || std::is_same_v<T, Unary> || std::is_same_v<T, Cast> ||
                      std::is_same_v<T, Wrap> || std::is_same_v<T, MakeFailure>) {
          on_operand(v.value);
        } else if constexpr (std::is_same_v<T, Binary>) {
          on_operand(v.left);
          on_operand(v.right);
        } else if constexpr (std::is_same_v<T, IsNull> || std::is_same_v<T, VariantOf>) {
          on_place(v.place);
        } else if constexpr (std::is_same_v<T, MakeStruct>) {
          for (auto& o : v.fields) on_operand(o);
        } else if constexpr (std::is_same_v<T, MakeVariant> || std::is_same_v<T, MakeTuple>) {
          for (auto& o : v.parts) on_operand(o);
        } else if constexpr (std::is_same_v<T, MakeList>) {
          for (auto& o : v.elements) on_operand(o);
        } else if constexpr (std::is_same_v<T, MakeRange>) {
          on_operand(v.low);
          on_operand(v.high);
        } else if constexpr (std::is_same_v<T, ToText>) {
          on_operand(v.text);
        } else if constexpr (std::is_same_v<T, MapRead>) {
          on_place(v.map);
          on_operand(v.key);
        } else if constexpr (std::is_same_v<T, Slice>) {
          on_place(v.subject);
          on_operand(v.range);
        } else if constexpr (std::is_same_v<T, MakeClosure>) {
          on_closure(v);
        } else if constexpr (std::is_same_v<T, Format>) {
          for (auto& p : v.pieces) {
            if (p.is_hole) on_operand(p.value);
          }
        } else if constexpr (std::is_same_v<T, Member>) {
          on_place(v.of);
        } else {
          static_assert(std::is_same_v<T, ErrorIs> || std::is_same_v<T, ErrorAs>);
          on_place(v.error);
        }
      },
      value);
}

// The operands, places and closures an instruction reads before it has its effect. Not among them: the place
// an Assign, Store or MapWrite writes to (see `written_place`), and what regions inside it do.
template <class N, class OnOperand, class OnPlace, class OnClosure>
void visit_uses(N& node, OnOperand&& on_operand, OnPlace&& on_place, OnClosure&& on_closure) {
  std::visit(
      [&](auto& n) {
        using T = std::remove_cvref_t<decltype(n)>;
        if constexpr (std::is_same_v<T, Assign>) {
          visit_value(n.value, on_operand, on_place, on_closure);
        } else if constexpr (std::is_same_v<T, Store>) {
          on_operand(n.value);
        } else if constexpr (std::is_same_v<T, MapWrite>) {
          on_operand(n.value);
          on_operand(n.key);
        } else if constexpr (std::is_same_v<T, Call>) {
          if (!n.fn.valid()) on_place(n.callee);
          for (auto& o : n.args) on_operand(o);
        } else if constexpr (std::is_same_v<T, If>) {
          on_operand(n.cond);
        } else if constexpr (std::is_same_v<T, Switch>) {
          on_operand(n.on);
        } else if constexpr (std::is_same_v<T, Raise> || std::is_same_v<T, Fail>) {
          on_operand(n.error);
        } else if constexpr (std::is_same_v<T, Return>) {
          if (n.has_value) on_operand(n.value);
        } else if constexpr (std::is_same_v<T, Overlap>) {
          for (auto& b : n.branches) on_closure(b);
        } else if constexpr (std::is_same_v<T, Spawn>) {
          on_closure(n.task);
        } else if constexpr (std::is_same_v<T, Walk>) {
          on_operand(n.subject);
        } else if constexpr (std::is_same_v<T, Panic>) {
          on_operand(n.text);
        }
      },
      node);
}

// The place an instruction writes to through a projection or whole, or null. `Call::to` and the like are
// locals and not among them.
inline const Place* written_place(const Node& node) {
  if (auto* a = std::get_if<Assign>(&node)) return &a->to;
  if (auto* s = std::get_if<Store>(&node)) return &s->to;
  if (auto* m = std::get_if<MapWrite>(&node)) return &m->map;
  return nullptr;
}

// The failure edge of an instruction, or null.
inline const FailEdge* fail_edge(const Node& node) {
  if (auto* c = std::get_if<Call>(&node)) return &c->on_fail;
  if (auto* o = std::get_if<Overlap>(&node)) return &o->on_fail;
  if (auto* w = std::get_if<Walk>(&node)) return &w->on_fail;
  return nullptr;
}

// Every region an instruction holds, failure edges last.
template <class F>
void for_each_region(const Node& node, F&& f) {
  auto one = [&](RegionId r) {
    if (r.valid()) f(r);
  };
  if (auto* i = std::get_if<If>(&node)) {
    one(i->then_region);
    one(i->else_region);
  } else if (auto* s = std::get_if<Switch>(&node)) {
    for (const SwitchCase& c : s->cases) one(c.region);
    one(s->otherwise);
  } else if (auto* l = std::get_if<Loop>(&node)) {
    one(l->body);
  } else if (auto* b = std::get_if<Block>(&node)) {
    one(b->body);
  } else if (auto* sc = std::get_if<Scope>(&node)) {
    one(sc->body);
  } else if (auto* g = std::get_if<Guard>(&node)) {
    one(g->body);
    one(g->handler);
  } else if (auto* w = std::get_if<Walk>(&node)) {
    one(w->body);
  }
  if (const FailEdge* e = fail_edge(node)) one(e->region);
}

// Whether nothing follows the instruction in its region.
inline bool is_terminator(const Node& node) {
  return std::holds_alternative<Leave>(node) || std::holds_alternative<Again>(node) ||
         std::holds_alternative<Raise>(node) || std::holds_alternative<Return>(node) ||
         std::holds_alternative<Fail>(node) || std::holds_alternative<Panic>(node) ||
         std::holds_alternative<Unreachable>(node);
}

}  // namespace nikaia::lang::nir
