// The passes `report-overlaps`, `report-sharing` and `report-tethers`: what the switches of these
// names print (06 §3.4).
//
// Each is told by a file of its own. A report reads and writes its text; it has no code to refuse
// with, and nothing it does reaches the emitted program. Every line begins with its place, so that
// an editor finds it; the lines are sorted by place, and the last one sums up.
#include "passes/reports/reports.h"

#include <algorithm>

#include "lang/facts/names.h"
#include "lang/nir/visit.h"

namespace nikaia::lang::reports {

void Report::add_under(Span head, Span span, int rank, std::string text) {
  if (!head.has_text() || !span.has_text()) return;
  const std::uint32_t line = sources_.line_of(span.file, span.begin);
  lines_.emplace(head.file.index, head.begin, rank, span.begin,
                 std::string(sources_.path(span.file)) + ":" + std::to_string(line) + ": " + std::move(text));
}

std::string Report::text() const {
  std::string out;
  for (const auto& line : lines_) out += std::get<4>(line) + "\n";
  return out;
}

World::World(PassContext& given)
    : context(given),
      module(given.require(mono_fact)),
      decls(given.require(declarations_fact)),
      types(given.types()),
      shown{given.sources(), given.types(), decls, given.names()},
      closures(nir::closure_sites(module)) {}

std::string World::at(Span span) const {
  if (!span.has_text()) return "an unknown place";
  return std::string(shown.sources.path(span.file)) + ":" +
         std::to_string(shown.sources.line_of(span.file, span.begin));
}

std::string World::first_line(Span span) const {
  constexpr std::size_t longest_bytes = 60;
  std::string_view text = span.has_text() ? shown.sources.text(span) : std::string_view();
  const std::size_t end = text.find_first_of("\r\n");
  const bool is_cut = end != std::string_view::npos || text.size() > longest_bytes;
  text = text.substr(0, std::min(end, text.size()));
  if (text.size() > longest_bytes) {
    std::size_t keep = longest_bytes;
    while (keep > 0 && (static_cast<unsigned char>(text[keep]) & 0xc0u) == 0x80u) --keep;
    text = text.substr(0, keep);
  }
  return "`" + std::string(text) + (is_cut ? " …`" : "`");
}

std::string World::function_name(FunctionId id) const {
  while (function(id).kind == nir::FunctionKind::closure && function(id).parent.valid()) id = function(id).parent;
  const FnId source = function(id).source;
  return source.valid() ? "`" + nir::shown(shown, source) + "`" : "`" + function(id).name + "`";
}

std::string World::root_name(FunctionId id, const Place& place) const {
  const nir::PlaceIn out = nir::outside(module, closures, id, place);
  const nir::Function& f = function(out.function);
  const nir::Local& root = f.locals[out.place.root];
  if (root.name.valid()) return name(root.name);
  return root.span.has_text() ? first_line(root.span) : "a value without a name";
}

std::string World::place_name(FunctionId id, const Place& place) const {
  const nir::PlaceIn out = nir::outside(module, closures, id, place);
  const nir::Function& f = function(out.function);
  if (!f.locals[out.place.root].name.valid()) return root_name(id, place);
  return "`" + nir::shown(shown, f, out.place) + "`";
}

const std::string& World::row(const nir::Call& c) const {
  static const std::string none;
  return c.fn.valid() ? decls.fns[c.fn].key : none;
}

const std::vector<TypeId>& Parts::of(TypeId type) {
  auto [it, is_new] = known_.try_emplace(type);  // a type met inside itself adds nothing
  if (!is_new || !type.valid()) return it->second;
  std::vector<TypeId> found;
  const auto add = [&](TypeId part) {
    for (TypeId t : std::vector<TypeId>(of(part))) {
      if (std::find(found.begin(), found.end(), t) == found.end()) found.push_back(t);
    }
  };
  if (wanted_(w_, type)) found.push_back(type);
  const Type t = w_.types[type];  // a copy: putting arguments in moves the table
  if (t.kind != TypeKind::function) {
    for (TypeId a : t.args) add(a);
  }
  if (t.kind == TypeKind::named) {
    const TypeDecl& decl = w_.decls.types[t.decl];
    const auto field = [&](const FieldInfo& f) {
      add(w_.types.substitute(f.type, [&](TypeParamId p) {
        for (std::size_t i = 0; i < decl.params.size() && i < t.args.size(); ++i) {
          if (decl.params[i] == p) return t.args[i];
        }
        return TypeId{};
      }));
    };
    for (const FieldInfo& f : decl.fields) field(f);
    for (const VariantInfo& v : decl.variants) {
      for (const FieldInfo& f : v.parts) field(f);
    }
  }
  return known_[type] = std::move(found);
}

std::string counted(std::size_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

namespace {

constexpr std::size_t not_found = ~std::size_t{0};

template <class List>
std::size_t position(const List& list, const nir::Operand& operand) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (&list[i] == &operand) return i;
  }
  return not_found;
}

std::string keeper_in_value(const World& w, FunctionId id, const nir::Assign& assign, const nir::Operand& operand) {
  if (auto* s = std::get_if<nir::MakeStruct>(&assign.value)) {
    const TypeDecl& decl = w.decls.types[w.types[s->type].decl];
    const std::size_t at = position(s->fields, operand);
    if (at >= decl.fields.size()) return "a " + w.type(s->type);
    return "the field " + w.name(decl.fields[at].name) + " of " + w.name(decl.name);
  }
  if (auto* v = std::get_if<nir::MakeVariant>(&assign.value)) {
    const TypeDecl& decl = w.decls.types[w.types[v->type].decl];
    return "the variant `" + std::string(w.shown.names.text(decl.name)) +
           "::" + std::string(w.shown.names.text(decl.variants[v->variant].name)) + "`";
  }
  if (std::holds_alternative<nir::MakeTuple>(assign.value)) return "a tuple";
  if (std::holds_alternative<nir::MakeList>(assign.value)) return "an element of a list";
  return w.place_name(id, assign.to);
}

// The instruction that uses the temporary which `instr` does nothing but fill, and its operand;
// null for none.
std::pair<const nir::Instr*, const nir::Operand*> used_by(const nir::Function& f, const nir::Instr& instr) {
  auto* a = std::get_if<nir::Assign>(&instr.node);
  if (a == nullptr || !a->to.is_local() || !std::holds_alternative<nir::Use>(a->value)) return {};
  if (f.locals[a->to.root].kind != nir::LocalKind::temp) return {};
  const InstrId user = nir::consumers(f)[a->to.root];
  if (!user.valid()) return {};
  const nir::Operand* found = nullptr;
  nir::visit_uses(
      f.instrs[user].node,
      [&](const nir::Operand& o) {
        if (o.kind != OperandKind::constant && o.place.is_local() && o.place.root == a->to.root) found = &o;
      },
      [](const Place&) {}, [](const nir::MakeClosure&) {});
  return {found == nullptr ? nullptr : &f.instrs[user], found};
}

}  // namespace

std::string keeper_of(const World& w, FunctionId id, const nir::Instr& instr, const nir::Operand& operand, int depth) {
  if (const auto [user, used] = used_by(w.function(id), instr); user != nullptr && depth < 8) {
    return keeper_of(w, id, *user, *used, depth + 1);
  }
  if (auto* a = std::get_if<nir::Assign>(&instr.node)) return keeper_in_value(w, id, *a, operand);
  if (auto* s = std::get_if<nir::Store>(&instr.node)) return w.place_name(id, s->to);
  if (auto* m = std::get_if<nir::MapWrite>(&instr.node)) {
    return (&m->key == &operand ? "a key of " : "an element of ") + w.place_name(id, m->map);
  }
  if (auto* c = std::get_if<nir::Call>(&instr.node)) {
    if (!c->fn.valid()) return "a call of a function value";
    const bool is_row = !w.decls.fns[c->fn].key.empty();
    const bool has_subject = w.decls.fns[c->fn].receiver != ast::Receiver::none;
    if (is_row && has_subject && !c->args.empty() && &c->args[0] != &operand &&
        c->args[0].kind != OperandKind::constant) {
      return "what `" + nir::shown(w.shown, c->fn) + "` puts into " + w.place_name(id, c->args[0].place);
    }
    return "a call of `" + nir::shown(w.shown, c->fn) + "`";
  }
  if (std::holds_alternative<nir::Return>(instr.node)) {
    switch (w.closures[id].use) {
      case nir::ClosureUse::none: return "the result of " + w.function_name(id);
      case nir::ClosureUse::branch: return "the result of a branch";
      case nir::ClosureUse::task: return "the result of a task";
      default: return "the result of a lambda";
    }
  }
  if (std::holds_alternative<nir::Walk>(instr.node)) return "a loop";
  return "a failure";
}

namespace {

constexpr const char* of_overlaps[] = {"declarations@1", "effects@1", "mono@1", "names@1", "types@1", nullptr};
constexpr const char* of_nir[] = {"declarations@1", "mono@1", nullptr};
constexpr const char* of_tethers[] = {"declarations@1", "mono@1", "view_states@1", nullptr};

constexpr Pass report(const char* name, const char* purpose, NameList required, void (*run)(PassContext&)) {
  return {name,
          purpose,
          NIKAIA_VERSION,
          PassKind::emission,
          PassStage::nir,
          true,
          required,
          nullptr,
          nullptr,
          nullptr,
          nullptr,
          false,
          run};
}

constexpr Pass passes[] = {
    report("report-overlaps", "say which branches may run in parallel", of_overlaps, report_overlaps),
    report("report-sharing", "say how shared values are counted", of_nir, report_sharing),
    report("report-tethers", "say what keeps which buffer", of_tethers, report_tethers),
};

}  // namespace
}  // namespace nikaia::lang::reports

NIKAIA_PASS_PLUGIN(nikaia::lang::reports::passes)
