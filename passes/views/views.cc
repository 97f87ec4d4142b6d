// The pass `views`: which stored views of text and of runs count the buffer they look into (03 §8.10).
//
// A view that counts keeps its buffer by itself; one that does not is good as long as something else keeps it. The pass
// `loans` found the locals and results whose views may outlive the owner of what they look at. From there on every
// place that such a view may come to is one that counts: a local, what a function hands back, a field. Where views flow
// is read off monomorphic NIR, a local as a whole and without regard to order; a function has one answer for all its
// callers. A field has one answer in the whole program: it counts as soon as a value of its type that may be the last
// to keep a buffer is found.
//
// A view that counts may be made of one that does not, whose buffer is there: so views flow on in one direction only,
// and what a lent view was made of need not count. Type arguments, and what a trait's method, a lambda or a function
// value hands back, always count.
//
// Cost: one walk of the instructions, and one of the flows that start at such a view.
#include "passes/views/views.h"

#include <nikaia/pass.h>

#include <algorithm>

namespace nikaia::lang::views {
namespace {

// The fields of struct and enum declarations that are in a value of some type.
class Fields {
 public:
  Fields(const World& w, nir::ViewStates& out) : w_(w), out_(out) {
    for (std::size_t i = 0; i < w.decls.types.size(); ++i) {
      std::vector<std::uint8_t> borrowed;
      nir::each_field(w.decls.types[TypeDeclId(i)], [&](std::size_t, const FieldInfo& f) {
        borrowed.push_back(f.type.valid() && nir::is_buffer_view(w.types, f.type) ? 1 : 0);
      });
      if (std::find(borrowed.begin(), borrowed.end(), 1) != borrowed.end())
        out.borrowed_fields.emplace(static_cast<std::uint32_t>(i), std::move(borrowed));
    }
  }

  // A value of that type may be the last to keep a buffer.
  void count(TypeId type) {
    if (!type.valid()) return;
    if (type.index >= seen_.size()) seen_.resize(type.index + 1);
    if (seen_[type.index] != 0) return;
    seen_[type.index] = 1;
    const Type& t = w_.types[type];
    for (TypeId a : t.args) count(a);
    if (t.kind != TypeKind::named) return;
    out_.borrowed_fields.erase(t.decl.index);
    nir::each_field(w_.decls.types[t.decl], [&](std::size_t, const FieldInfo& f) { count(f.type); });
  }

 private:
  const World& w_;
  nir::ViewStates& out_;
  std::vector<std::uint8_t> seen_;  // by type
};

void run(PassContext& context) {
  World w(context.require(mono_fact), context.require(declarations_fact), context.types());
  const nir::Escapes& escapes = context.require(escapes_fact);
  nir::ViewStates& out = context.provide(view_states_fact);
  Fields fields(w, out);
  Flows flow = flows(w);
  for (std::size_t i = 0; i < w.module.functions.size(); ++i) {
    const FunctionId id(i);
    const FunctionId made_of = w.module.functions[id].made_of;
    if (!made_of.valid()) continue;
    for (LocalId l : escapes.locals[made_of]) flow.kept.push_back(w.local(id, l));
    if (escapes.results[made_of] != 0) flow.kept.push_back(w.result(id));
  }
  std::vector<std::uint8_t> keeps(w.count, 0);
  std::vector<Node> open;
  const auto keep = [&](Node n) {
    if (keeps[n] == 0) open.push_back(n);
    keeps[n] = 1;
  };
  for (Node n : flow.kept) keep(n);
  if (!open.empty()) std::sort(flow.edges.begin(), flow.edges.end());
  while (!open.empty()) {
    const Node n = open.back();
    open.pop_back();
    auto edge = std::lower_bound(flow.edges.begin(), flow.edges.end(), std::pair{n, Node{0}});
    for (; edge != flow.edges.end() && edge->first == n; ++edge) keep(edge->second);
  }
  for (const auto& [type, field] : flow.counted_fields) {
    if (const auto it = out.borrowed_fields.find(type.index);
        it != out.borrowed_fields.end() && field < it->second.size())
      it->second[field] = 0;
  }
  out.borrowed_locals.resize(w.module.functions.size());
  out.borrowed_results.resize(w.module.functions.size());
  for (std::size_t i = 0; i < w.module.functions.size(); ++i) {
    const FunctionId id(i);
    const nir::Function& f = w.module.functions[id];
    if (keeps[w.result(id)] != 0) fields.count(f.result);
    const bool may_borrow = f.kind == nir::FunctionKind::fn && f.source.valid() && !w.decls.fns[f.source].trait.valid();
    if (may_borrow && keeps[w.result(id)] == 0 && nir::is_buffer_view(w.types, f.result)) out.borrowed_results[id] = 1;
    auto& borrowed = out.borrowed_locals[id];
    for (std::size_t l = 0; l < f.locals.size(); ++l) {
      const TypeId type = f.locals[LocalId(l)].type;
      if (keeps[w.local(id, LocalId(l))] != 0) {
        fields.count(type);
      } else if (nir::is_buffer_view(w.types, type)) {
        borrowed.resize(f.locals.size());
        borrowed[l] = 1;
      }
    }
  }
  for (const auto& [f, l] : flow.counted) {
    auto& borrowed = out.borrowed_locals[f];
    if (l.index < borrowed.size()) borrowed[l.index] = 0;
  }
}

constexpr const char* required[] = {"declarations@1", "escapes@1", "mono@1", nullptr};
constexpr const char* provided[] = {"view_states@1", nullptr};
constexpr Pass passes[] = {{"views", "decide which stored views count their buffer", NIKAIA_VERSION, PassKind::analysis,
                            PassStage::nir, false, required, provided, nullptr, nullptr, nullptr, false, run}};

}  // namespace

World::World(const nir::Module& m, const Declarations& d, const TypeTable& t)
    : module(m), decls(d), types(t), views(t, d), first(m.functions.size()), instances(m) {
  for (std::size_t i = 0; i < m.functions.size(); ++i) {
    first[FunctionId(i)] = count;
    count += static_cast<Node>(1 + m.functions[FunctionId(i)].locals.size());
  }
}

}  // namespace nikaia::lang::views

NIKAIA_PASS_PLUGIN(nikaia::lang::views::passes)
