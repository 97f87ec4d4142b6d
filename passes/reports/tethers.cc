// `--tethers`: every place where a view that names a buffer comes into something that keeps it (03
// §6.5).
//
// The emitted program counts a view of text or of a run on its buffer where the pass `views` found
// that it may be all that keeps it, and in every element and type argument; text that is made of a
// view shares the buffer too. Each such place keeps the whole buffer, and is a line. Which buffers
// a value holds is answered by buffers.h. A view in a place that does not count, in an argument or
// a loop keeps nothing and is no line.
#include <algorithm>

#include "lang/nir/places.h"
#include "lang/nir/view_facts.h"
#include "lang/nir/views.h"
#include "lang/nir/visit.h"
#include "passes/reports/buffers.h"

namespace nikaia::lang::reports {
namespace {

struct Tethers {
  World w;
  Buffers buffers;
  Report report;
  const nir::ViewStates& states;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::string>> seen;
  std::unordered_map<std::uint32_t, bool> counting;  // by type

  explicit Tethers(PassContext& context)
      : w(context), buffers(w), report(w.shown.sources), states(context.require(view_states_fact)) {}

  // ---- whether a place counts

  bool is_buffer_view(TypeId t) const { return nir::is_buffer_view(w.types, t); }

  // Whether something in a value of the type counts, the value being in a place of its own.
  bool counts_in(TypeId type) {
    if (!type.valid()) return false;
    if (is_buffer_view(type)) return true;
    if (const auto it = counting.find(type.index); it != counting.end()) return it->second;
    counting[type.index] = false;  // what holds its own type adds nothing by that
    const Type t = w.types[type];
    bool counts = std::any_of(t.args.begin(), t.args.end(), [&](TypeId a) { return counts_in(a); });
    if (t.kind == TypeKind::named) {
      nir::each_field(w.decls.types[t.decl],
                      [&](std::size_t n, const FieldInfo& f) { counts = counts || field_counts(t.decl, n, f.type); });
    }
    return counting[type.index] = counts;
  }
  bool field_counts(TypeDeclId decl, std::size_t n, TypeId type) {
    return type.valid() && (is_buffer_view(type) ? !states.is_field_borrowed(decl, n) : counts_in(type));
  }
  bool place_counts(FunctionId id, const Place& p) {
    const TypeId type = nir::place_type(w.function(id), p);
    if (p.is_local()) return is_buffer_view(type) ? !states.is_borrowed(id, p.root) : counts_in(type);
    const auto field = nir::field_of(w.function(id), w.types, w.decls, p);
    return field ? field_counts(field->type, field->number, type) : counts_in(type);
  }

  // ---- what keeps what

  std::string owner_text(FunctionId id, NirLocal owner) const {
    const nir::PlaceIn out = nir::outside(w.module, w.closures, id, Place{owner, {}});
    const nir::Local& root = w.function(out.function).locals[out.place.root];
    if (root.kind == nir::LocalKind::param)
      return "the buffer that the parameter " + w.name(root.name) + " points into";
    const std::string text = "the buffer of " + w.root_name(id, Place{owner, {}});
    return root.span.has_text() ? text + " (" + w.at(root.span) + ")" : text;
  }

  void kept(FunctionId id, Span span, const Owners& owners, const std::string& keeper) {
    if (!span.has_text()) return;
    for (NirLocal owner : owners) {
      const std::string text = keeper + " keeps " + owner_text(id, owner);
      if (seen.insert({span.file.index, span.begin, text}).second) report.add(span, 0, text);
    }
  }

  // The owners that end with the function, so that only the result keeps them.
  Owners own_of(FunctionId id, const Owners& all) const {
    Owners own;
    for (NirLocal l : all) {
      const nir::LocalKind kind = w.function(id).locals[l].kind;
      if (kind != nir::LocalKind::param && kind != nir::LocalKind::capture) own.insert(l);
    }
    return own;
  }

  void instruction(FunctionId id, const nir::Instr& i) {
    if (auto* a = std::get_if<nir::Assign>(&i.node)) {
      assigned(id, i, *a);
    } else if (auto* s = std::get_if<nir::Store>(&i.node)) {
      const nir::Local& root = w.function(id).locals[s->to.root];
      const bool is_name = root.name.valid() && is_buffer_view(root.type);
      const bool is_kept = !s->to.is_local() || is_name || buffers.is_text_of_view(id, s->to.root);
      const bool is_text = w.types.kind(nir::place_type(w.function(id), s->to)) == TypeKind::string;
      if (is_kept && (is_text || place_counts(id, s->to))) operand(id, i, s->value);
    } else if (auto* m = std::get_if<nir::MapWrite>(&i.node)) {
      operand(id, i, m->value);
      operand(id, i, m->key);
    } else if (auto* c = std::get_if<nir::Call>(&i.node)) {
      called(id, i, *c);
    } else if (auto* r = std::get_if<nir::Return>(&i.node); r != nullptr && r->has_value) {
      returned(id, i, r->value);
    }
    nir::visit_uses(
        i.node, [](const nir::Operand&) {}, [](const Place&) {},
        [&](const nir::MakeClosure& c) {
          const nir::ClosureUse use = w.closures[c.function].use;
          if (use != nir::ClosureUse::task && use != nir::ClosureUse::kept) return;
          for (const nir::Capture& x : c.captures)
            captured(id, i, x, use == nir::ClosureUse::task ? "a task" : "a lambda that is kept");
        });
  }

  void operand(FunctionId id, const nir::Instr& i, const nir::Operand& o) {
    if (!buffers.counts(id, o) || !may_count(o)) return;
    kept(id, w.span_of(i, o.place), buffers.of(id, o), keeper_of(w, id, i, o));
  }
  bool may_count(const nir::Operand& o) { return w.types.kind(o.type) == TypeKind::string || counts_in(o.type); }

  void assigned(FunctionId id, const nir::Instr& i, const nir::Assign& a) {
    const bool is_named = w.function(id).locals[a.to.root].kind == nir::LocalKind::named;
    const bool makes =
        std::holds_alternative<nir::MakeStruct>(a.value) || std::holds_alternative<nir::MakeVariant>(a.value) ||
        std::holds_alternative<nir::MakeTuple>(a.value) || std::holds_alternative<nir::MakeList>(a.value) ||
        std::holds_alternative<nir::MakeFailure>(a.value);
    const bool is_text = is_named && a.to.is_local() && buffers.is_text_of_view(id, a.to.root);
    if (is_text && std::holds_alternative<nir::ToText>(a.value)) {
      const nir::Operand& from = std::get<nir::ToText>(a.value).text;
      if (from.kind != OperandKind::constant)
        kept(id, w.span_of(i, from.place), buffers.of(id, from), w.place_name(id, a.to));
    }
    const bool is_view = is_named && a.to.is_local() && is_buffer_view(w.function(id).locals[a.to.root].type);
    if (!makes && !is_text && !is_view && a.to.is_local()) return;
    if (auto* s = std::get_if<nir::MakeStruct>(&a.value)) return parts(id, i, w.types[s->type].decl, 0, s->fields);
    if (auto* v = std::get_if<nir::MakeVariant>(&a.value)) {
      const TypeDeclId decl = w.types[v->type].decl;
      return parts(id, i, decl, nir::first_part(w.decls.types[decl], v->variant), v->parts);
    }
    if (!makes && !is_text && !place_counts(id, a.to)) return;
    nir::visit_value(
        a.value, [&](const nir::Operand& o) { operand(id, i, o); }, [](const Place&) {},
        [](const nir::MakeClosure&) {});
  }

  void parts(FunctionId id, const nir::Instr& i, TypeDeclId decl, std::size_t before,
             const std::vector<nir::Operand>& values) {
    for (std::size_t n = 0; n < values.size(); ++n) {
      const nir::Operand& o = values[n];
      const bool is_text = o.type.valid() && w.types.kind(o.type) == TypeKind::string;
      if (is_text || field_counts(decl, before + n, o.type)) operand(id, i, o);
    }
  }

  void called(FunctionId id, const nir::Instr& i, const nir::Call& c) {
    if (!c.fn.valid() || w.row(c).empty()) return;
    const FnDecl& row = w.decls.fns[c.fn];
    const std::size_t receiver = row.receiver != ast::Receiver::none ? 1 : 0;
    for (std::size_t p = 0; p < row.params.size() && p + receiver < c.args.size(); ++p) {
      if (row.params[p].is_kept) operand(id, i, c.args[p + receiver]);
    }
    // What a sequence of views is collected into.
    const bool collects = c.to.valid() && receiver == 1 && !c.args.empty() && c.args[0].kind != OperandKind::constant &&
                          w.types.kind(w.types.without_ref(c.args[0].type)) == TypeKind::seq &&
                          w.types.kind(c.result) == TypeKind::named;
    if (collects && buffers.has_views(c.result)) {
      kept(id, i.span, buffers.of(id, c.to), "an element of what `" + nir::shown(w.shown, c.fn) + "` makes");
    }
  }

  void returned(FunctionId id, const nir::Instr& i, const nir::Operand& o) {
    if (!buffers.counts(id, o) || !may_count(o)) return;
    const bool is_text = w.types.kind(o.type) == TypeKind::string;
    const Owners all = buffers.of(id, o);
    kept(id, w.span_of(i, o.place), is_text ? all : own_of(id, all), keeper_of(w, id, i, o));
  }

  void captured(FunctionId id, const nir::Instr& i, const nir::Capture& x, const std::string& keeper) {
    const TypeId type = nir::place_type(w.function(id), x.place);
    const bool counts = buffers.has_views(type) || (x.place.is_local() && buffers.is_text_of_view(id, x.place.root));
    if (counts) kept(id, w.span_of(i, x.place), buffers.of(id, x.place.root), keeper);
  }

  void run() {
    w.each_instruction([&](FunctionId id, const nir::Instr& i) { instruction(id, i); });
  }
};

}  // namespace

void report_tethers(PassContext& context) {
  Tethers m(context);
  m.run();
  const std::string end = m.seen.empty() ? "no view keeps a buffer"
                                         : counted(m.seen.size(), "place keeps a buffer", "places keep a buffer");
  context.write_result("tethers", m.report.text() + "tethers: " + end + "\n", "");
}

}  // namespace nikaia::lang::reports
