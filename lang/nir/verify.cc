#include "lang/nir/verify.h"

#include <algorithm>
#include <unordered_map>

#include "lang/nir/places.h"
#include "lang/nir/spelling.h"
#include "lang/nir/visit.h"

namespace nikaia::lang::nir {
namespace {

enum class LabelKind : std::uint8_t { closed, block, loop, guard };

class FunctionVerifier {
 public:
  FunctionVerifier(const TextWorld& world, const Module& module,
                   const std::unordered_map<std::uint32_t, FunctionId>& by_source, FunctionId id,
                   std::vector<Violation>& out)
      : types_(world.types),
        decls_(world.decls),
        names_(world.names),
        module_(module),
        by_source_(by_source),
        f_(module.functions[id]),
        id_(id),
        out_(out),
        is_declared_(f_.locals.size(), 0),
        seen_regions_(f_.regions.size(), 0),
        seen_instrs_(f_.instrs.size(), 0),
        labels_(f_.label_count, LabelKind::closed),
        is_left_(f_.label_count, 0) {}

  void run() {
    for (LocalId p : f_.params) {
      if (local(p)) is_declared_[p.index] = 1;
    }
    for (std::size_t i = 0; i < f_.locals.size(); ++i) {
      if (f_.locals[LocalId(i)].kind == LocalKind::capture) is_declared_[i] = 1;
    }
    if (f_.parent.valid() && !module_.functions.contains(f_.parent)) say("its parent is no function");
    if (!f_.body.valid()) return say("it has no body");
    at_ = {};
    region(f_.body);
    check_end(f_.body);
  }

 private:
  void say(std::string message) { out_.push_back({id_, at_, std::move(message)}); }
  void unsound(std::string message) {
    is_sound_ = false;
    say(std::move(message));
  }

  std::string text(TypeId t) const { return t.valid() ? "`" + type_text(types_, decls_, names_, t) + "`" : "no type"; }

  // ---- ids

  bool local(LocalId id) {
    if (f_.locals.contains(id)) return true;
    unsound("a local that is not there");
    return false;
  }
  bool used(LocalId id) {
    if (!local(id)) return false;
    if (is_declared_[id.index] == 0) say("uses a local outside the region of its declaration");
    return true;
  }
  void declare(LocalId id) {
    if (!local(id)) return;
    if (is_declared_[id.index] != 0) say("declares a local that is declared here already");
    is_declared_[id.index] = 1;
    declared_.push_back(id);
  }

  // ---- types

  bool is_open(TypeId t) const {
    if (!t.valid()) return true;
    const TypeKind k = types_.kind(t);
    return k == TypeKind::error || k == TypeKind::never;
  }

  // What a lock hands out reads as what it carries.
  TypeId plain(TypeId t) const {
    if (!t.valid() || types_.kind(t) != TypeKind::named || !(types_[t].decl == decls_.seen) || types_[t].args.empty())
      return t;
    return plain(types_[t].args[0]);
  }

  // Whether a value of `from` stands where `to` is wanted: the same type, or a pointer for change for one that reads.
  bool fits(TypeId from, TypeId to) const {
    if (from == to || is_open(from) || is_open(to)) return true;
    const Type &a = types_[from], &b = types_[to];
    if (a.kind == TypeKind::ref && b.kind == TypeKind::ref)
      return (a.is_mut || !b.is_mut) && lends(a.args[0], b.args[0]);
    if (a.kind == TypeKind::error_sum && b.kind == TypeKind::error_sum) return true;
    // A sequence's words say what is known of it; a function's, what it may be used for.
    if (a.kind == TypeKind::seq && b.kind == TypeKind::seq) return fits(a.args[0], b.args[0]);
    if (a.kind == TypeKind::function && b.kind == TypeKind::function) return a.args.size() == b.args.size();
    if (a.kind == TypeKind::range && b.kind == TypeKind::seq) return fits(a.args[0], b.args[0]);
    if (a.kind == TypeKind::nullable && b.kind == TypeKind::nullable) return fits(a.args[0], b.args[0]);
    if (a.kind == b.kind && a.decl == b.decl && a.length == b.length && a.args.size() == b.args.size() &&
        !a.args.empty()) {
      for (std::size_t i = 0; i < a.args.size(); ++i) {
        if (!fits(a.args[i], b.args[i])) return false;
      }
      return true;
    }
    // What a lock hands out reads as what it carries.
    if (a.kind == TypeKind::named && a.decl == decls_.seen && !a.args.empty()) return fits(a.args[0], to);
    if (b.kind == TypeKind::named && b.decl == decls_.seen && !b.args.empty()) return fits(from, b.args[0]);
    return false;
  }

  // Whether a view of a value of `from` is one of a `to`.
  bool lends(TypeId from, TypeId to) const {
    if (fits(from, to)) return true;
    const Type& b = types_[to];
    if (b.kind == TypeKind::named && b.decl == decls_.path && types_.is_text(from)) return true;  // rows take either
    if (b.kind == TypeKind::array && b.length == Type::unsized) {
      const TypeId element = element_type(types_, decls_, from);
      return element.valid() && fits(element, b.args[0]);
    }
    return false;
  }

  void expect(TypeId from, TypeId to, const char* what) {
    if (!fits(from, to)) say(std::string(what) + " " + text(from) + " where " + text(to) + " belongs");
  }
  void expect_kind(TypeId given, TypeKind kind, const char* what) {
    const TypeId t = plain(given);
    if (!is_open(t) && types_.kind(t) != kind) say(std::string(what) + " has the type " + text(t));
  }

  // ---- places and operands

  // The type of the place; invalid where something is wrong with it, which was said.
  TypeId place(const Place& p) {
    if (!used(p.root)) return {};
    TypeId at = f_.locals[p.root].type;
    for (const Projection& x : p.path) {
      if (x.kind == ProjectionKind::index && used(x.at)) index(x.at);
      if (is_open(at)) return x.type;
      const TypeId expected = projected_type(types_, decls_, at, x);
      if (!expected.valid()) {
        say("a projection that " + text(at) + " does not have");
        return {};
      }
      if (!fits(x.type, expected) && !fits(expected, x.type)) {
        say("a projection says " + text(x.type) + " and reaches " + text(expected));
      }
      at = x.type;
    }
    return at;
  }

  void index(LocalId at) {
    const TypeId t = plain(types_.without_ref(f_.locals[at].type));
    if (!is_open(t) && !types_.is_integer(t)) say("an index of type " + text(t));
  }

  TypeId operand(const Operand& o) {
    if (o.kind == OperandKind::constant) {
      constant(o);
      return o.type;
    }
    const TypeId at = place(o.place);
    if (!at.valid()) return o.type;
    if (o.kind == OperandKind::lend || o.kind == OperandKind::lend_mut) {
      const bool is_mut = o.kind == OperandKind::lend_mut;
      if (is_open(o.type)) return o.type;
      const Type& t = types_[o.type];
      if (t.kind != TypeKind::ref || t.is_mut != is_mut)
        say("a loan of type " + text(o.type));
      else if (!lends(at, t.args[0]))
        say("a loan of " + text(at) + " as " + text(o.type));
      return o.type;
    }
    if (!fits(at, o.type)) say("an operand of type " + text(o.type) + " from a place of " + text(at));
    if (is_open(at)) return o.type;
    const Handing handing = handing_of(types_, decls_, at);
    if (o.kind == OperandKind::copy && handing != Handing::copies) say("copies a " + text(at));
    if (o.kind == OperandKind::dup && handing != Handing::handle && handing != Handing::copies)
      say("duplicates a " + text(at));
    return o.type;
  }

  void constant(const Operand& o) {
    if (is_open(o.type)) return;
    const TypeKind k = types_.kind(o.type);
    bool fits_type = true;
    if (std::holds_alternative<ConstInt>(o.constant))
      fits_type = types_.is_integer(o.type);
    else if (std::holds_alternative<ConstFloat>(o.constant))
      fits_type = k == TypeKind::f64;
    else if (std::holds_alternative<ConstBool>(o.constant))
      fits_type = k == TypeKind::bool_;
    else if (std::holds_alternative<ConstChar>(o.constant))
      fits_type = k == TypeKind::char_;
    else if (std::holds_alternative<ConstText>(o.constant))
      fits_type = k == TypeKind::ref && types_.is_text(o.type);
    else if (std::holds_alternative<ConstNull>(o.constant))
      fits_type = k == TypeKind::nullable;
    else if (std::holds_alternative<ConstUnit>(o.constant))
      fits_type = k == TypeKind::unit;
    else if (auto* f = std::get_if<ConstFn>(&o.constant))
      fits_type = k == TypeKind::function && decls_.fns.contains(f->fn);
    if (!fits_type) say("a constant that is no " + text(o.type));
  }

  void closure(const MakeClosure& c, LocalKind) {
    if (!module_.functions.contains(c.function)) return unsound("a closure of a function that is not there");
    const Function& inner = module_.functions[c.function];
    if (inner.kind != FunctionKind::closure) say("a closure of a function that is none");
    if (!(inner.parent == id_)) say("a closure that is written in another function");
    std::size_t captured = 0;
    for (const Local& l : inner.locals) captured += l.kind == LocalKind::capture ? 1 : 0;
    if (captured != c.captures.size())
      say("captures " + std::to_string(c.captures.size()) + " names for a closure that has " +
          std::to_string(captured));
    for (const Capture& x : c.captures) {
      const TypeId at = place(x.place);
      if (!inner.locals.contains(x.inner) || inner.locals[x.inner].kind != LocalKind::capture) {
        say("captures into a local that is none of the closure's captures");
        continue;
      }
      const TypeId to = inner.locals[x.inner].type;
      if (!at.valid() || is_open(at) || is_open(to)) continue;
      if (x.mode == CaptureMode::lend || x.mode == CaptureMode::lend_mut) {
        const Type& t = types_[to];
        if (t.kind != TypeKind::ref || t.is_mut != (x.mode == CaptureMode::lend_mut) || !lends(at, t.args[0])) {
          say("lends a captured " + text(at) + " as " + text(to));
        }
      } else {
        expect(at, to, "captures");
        if (x.mode == CaptureMode::copy && handing_of(types_, decls_, at) != Handing::copies)
          say("captures a copy of a " + text(at));
      }
      if (c.is_kept && (x.mode == CaptureMode::lend || x.mode == CaptureMode::lend_mut))
        say("a closure that is kept captures a loan");
    }
  }

  // ---- values: what each comes to, or invalid where that does not follow

  TypeId value(const Value& v) {
    return std::visit([&](const auto& x) { return this->one_value(x); }, v);
  }

  TypeId boolean() const { return types_.basic(TypeKind::bool_); }

  TypeId one_value(const Use& x) { return operand(x.value); }
  TypeId one_value(const Binary& x) {
    const TypeId l = plain(operand(x.left)), r = plain(operand(x.right));
    if (x.op == BinaryOp::concat) return types_.basic(TypeKind::string);
    if (x.op >= BinaryOp::eq && x.op <= BinaryOp::ge) {
      if (!is_open(l) && !is_open(r) && !fits(types_.without_ref(l), types_.without_ref(r)) &&
          !fits(types_.without_ref(r), types_.without_ref(l))) {
        say("compares " + text(l) + " with " + text(r));
      }
      return boolean();
    }
    const bool is_span = !is_open(l) && types_.kind(l) == TypeKind::named && types_[l].decl == decls_.duration;
    if (is_span && (x.op == BinaryOp::mul || x.op == BinaryOp::div)) {
      if (!is_open(r) && !types_.is_integer(r)) say("scales " + text(l) + " by " + text(r));
      return l;
    }
    if (!is_open(l) && !is_span && !types_.is_number(l) && types_.kind(l) != TypeKind::bool_)
      say("computes with " + text(l));
    if (x.op != BinaryOp::shl && x.op != BinaryOp::shr) expect(r, l, "computes with");
    return l;
  }
  TypeId one_value(const Unary& x) { return plain(operand(x.value)); }
  TypeId one_value(const Cast& x) {
    operand(x.value);
    return x.to;
  }
  TypeId one_value(const Wrap& x) {
    const TypeId t = operand(x.value);
    return is_open(t) ? t : types_.nullable(t);
  }
  TypeId one_value(const IsNull& x) {
    const TypeId t = place(x.place);
    // Of an error: whether there is none.
    if (t.valid() && types_.kind(t) != TypeKind::error_sum)
      expect_kind(t, TypeKind::nullable, "what is asked for null");
    return boolean();
  }
  TypeId one_value(const VariantOf& x) {
    const TypeId t = place(x.place);
    if (t.valid() && !is_open(t)) {
      if (types_.kind(t) != TypeKind::named || decls_.types[types_[t].decl].variants.empty())
        say("asks " + text(t) + " for its variant");
    }
    return types_.basic(TypeKind::i32);
  }
  TypeId one_value(const MakeStruct& x) {
    parts(x.type, x.fields, ProjectionKind::field, 0);
    return x.type;
  }
  TypeId one_value(const MakeVariant& x) {
    parts(x.type, x.parts, ProjectionKind::payload, x.variant);
    return x.type;
  }

  void parts(TypeId type, const std::vector<Operand>& given, ProjectionKind kind, std::uint32_t variant) {
    if (is_open(type)) return;
    std::size_t count = 0;
    if (types_.kind(type) == TypeKind::named) {
      const TypeDecl& decl = decls_.types[types_[type].decl];
      if (kind == ProjectionKind::field)
        count = decl.fields.size();
      else if (variant < decl.variants.size())
        count = decl.variants[variant].parts.size();
      else
        say("makes a variant that " + text(type) + " does not have");
    }
    if (given.size() != count) say("makes " + text(type) + " of " + std::to_string(given.size()) + " parts");
    for (std::uint32_t i = 0; i < given.size(); ++i) {
      const TypeId t = operand(given[i]);
      if (i < count) expect(t, projected_type(types_, decls_, type, {kind, i, variant, {}, {}}), "makes a part of");
    }
  }

  TypeId one_value(const MakeTuple& x) {
    std::vector<TypeId> all;
    for (const Operand& o : x.parts) all.push_back(operand(o));
    for (TypeId t : all) {
      if (is_open(t)) return {};
    }
    return types_.tuple(std::move(all));
  }
  TypeId one_value(const MakeList& x) {
    const TypeId element = is_open(x.type) ? TypeId{} : element_type(types_, decls_, x.type);
    for (const Operand& o : x.elements) {
      const TypeId t = operand(o);
      if (element.valid()) expect(t, element, "makes an element of");
    }
    return x.type;
  }
  TypeId one_value(const MakeRange& x) {
    const TypeId low = plain(operand(x.low)), high = plain(operand(x.high));
    expect(high, low, "makes a range with");
    return is_open(low) ? low : types_.range(low);
  }
  TypeId one_value(const ToText& x) {
    const TypeId t = plain(operand(x.text));
    if (!is_open(t) && !types_.is_text(t)) say("makes text of " + text(t));
    return types_.basic(TypeKind::string);
  }
  TypeId one_value(const MapRead& x) {
    const TypeId t = place(x.map);
    if (t.valid() && !is_open(t)) expect_kind(types_.without_ref(t), TypeKind::named, "the map that is read");
    operand(x.key);
    return {};
  }
  TypeId one_value(const Slice& x) {
    place(x.subject);
    expect_kind(operand(x.range), TypeKind::range, "what a slice is taken by");
    return {};
  }
  TypeId one_value(const MakeClosure& x) {
    closure(x, LocalKind::capture);
    return {};
  }
  TypeId one_value(const Format& x) {
    for (const FormatPiece& p : x.pieces) {
      if (p.is_hole) operand(p.value);
    }
    return types_.basic(TypeKind::string);
  }
  TypeId one_value(const ErrorIs& x) {
    expect_kind(place(x.error), TypeKind::error_sum, "what is asked for its error");
    return boolean();
  }
  TypeId one_value(const ErrorAs& x) {
    expect_kind(place(x.error), TypeKind::error_sum, "what is read as an error");
    return is_open(x.type) ? x.type : types_.ref(x.type);
  }
  TypeId one_value(const Member& x) {
    place(x.of);
    return x.type;
  }
  TypeId one_value(const MakeFailure& x) {
    operand(x.value);
    if (x.site >= module_.sites.size()) say("fails at a site that is not there");
    return types_.error_sum({}, true);
  }

  // ---- structure

  void region(RegionId r) {
    if (!f_.regions.contains(r)) return unsound("a region that is not there");
    if (seen_regions_[r.index]++ != 0) return unsound("a region that stands in two places");
    const std::size_t outer = declared_.size();
    const auto& instrs = f_.regions[r];
    for (std::size_t i = 0; i < instrs.size(); ++i) {
      if (!f_.instrs.contains(instrs[i])) {
        unsound("an instruction that is not there");
        continue;
      }
      at_ = instrs[i];
      if (seen_instrs_[at_.index]++ != 0) {
        unsound("an instruction that stands in two places");
        continue;
      }
      const Node& node = f_.instrs[at_].node;
      if (is_terminator(node) && i + 1 != instrs.size()) say("ends its region, and more follows");
      std::visit([&](const auto& n) { this->one(n); }, node);
      at_ = instrs[i];
    }
    for (std::size_t i = outer; i < declared_.size(); ++i) is_declared_[declared_[i].index] = 0;
    declared_.resize(outer);
  }

  // Control must not come to the end of `r`, the body or a failure edge.
  void check_end(RegionId r) {
    if (!is_reached_ || !is_sound_) return;
    if (!f_.regions[r].empty()) at_ = f_.regions[r].back();
    say("control runs off the end of the body or of a failure edge behind this");
  }

  // A region at whose start `bound` comes into being.
  void region_with(const std::vector<LocalId>& bound, RegionId r) {
    const std::size_t outer = declared_.size();
    for (LocalId l : bound) declare(l);
    region(r);
    for (std::size_t i = outer; i < declared_.size(); ++i) is_declared_[declared_[i].index] = 0;
    declared_.resize(outer);
  }

  void fail(const FailEdge& e) {
    if (!e.valid()) return;
    const InstrId at = at_;
    const bool was_reached = is_reached_;
    if (local(e.error)) {
      region_with({e.error}, e.region);
      if (f_.regions.contains(e.region)) check_end(e.region);
    }
    is_reached_ = was_reached;
    at_ = at;
  }

  void labelled(LabelId l, LabelKind kind, RegionId r, const std::vector<LocalId>& bound = {}) {
    if (l.index >= labels_.size()) return unsound("a label that is not there");
    if (labels_[l.index] != LabelKind::closed) unsound("a label that is in use around this");
    labels_[l.index] = kind;
    is_left_[l.index] = 0;
    region_with(bound, r);
    labels_[l.index] = LabelKind::closed;
  }
  bool is_left(LabelId l) const { return l.index < is_left_.size() && is_left_[l.index] != 0; }

  void jump(LabelId l, bool to_block, bool to_loop, bool to_guard) {
    const bool to_again = to_loop && !to_block;
    const LabelKind k = l.index < labels_.size() ? labels_[l.index] : LabelKind::closed;
    const bool fits_kind =
        (k == LabelKind::block && to_block) || (k == LabelKind::loop && to_loop) || (k == LabelKind::guard && to_guard);
    if (!fits_kind) return unsound("jumps to a label that is not around it, or not of its kind");
    if (is_reached_ && !to_again) is_left_[l.index] = 1;
    is_reached_ = false;
  }

  void assigned(LocalId to, TypeId type) {
    if (to.valid() && used(to)) expect(type, f_.locals[to].type, "assigns");
  }

  void one(const Declare& n) { declare(n.local); }
  void one(const Assign& n) {
    const TypeId t = value(n.value);
    const TypeId to = place(n.to);
    if (t.valid() && to.valid()) expect(t, to, "assigns");
  }
  void one(const Store& n) {
    const TypeId t = operand(n.value);
    const TypeId to = place(n.to);
    if (to.valid()) expect(t, to, "stores");
  }
  void one(const MapWrite& n) {
    operand(n.value);
    operand(n.key);
    place(n.map);
  }
  void one(const Drop& n) {
    if (n.locals.empty()) say("drops nothing");
    for (LocalId l : n.locals) used(l);
  }
  void one(const Cleanup& n) {
    used(n.local);
    used(n.error);
  }
  void one(const If& n) {
    expect_kind(operand(n.cond), TypeKind::bool_, "a condition");
    const bool was_reached = is_reached_;
    region(n.then_region);
    const bool then_ends = is_reached_;
    is_reached_ = was_reached;
    if (n.else_region.valid()) region(n.else_region);
    is_reached_ = is_reached_ || then_ends;
  }
  void one(const Switch& n) {
    const TypeId on = plain(operand(n.on));
    if (!is_open(on)) {
      const TypeKind k = types_.kind(on);
      if (!types_.is_integer(on) && k != TypeKind::char_ && k != TypeKind::bool_) say("switches on " + text(on));
    }
    std::vector<std::int64_t> seen;
    for (const SwitchCase& c : n.cases) seen.insert(seen.end(), c.values.begin(), c.values.end());
    std::sort(seen.begin(), seen.end());
    if (std::adjacent_find(seen.begin(), seen.end()) != seen.end()) say("names one case twice");
    const bool was_reached = is_reached_;
    bool any_ends = false;
    const auto arm = [&](RegionId r) {
      is_reached_ = was_reached;
      region(r);
      any_ends = any_ends || is_reached_;
    };
    for (const SwitchCase& c : n.cases) arm(c.region);
    if (n.otherwise.valid()) arm(n.otherwise);
    is_reached_ = any_ends;
  }
  void one(const Loop& n) {
    labelled(n.label, LabelKind::loop, n.body);
    is_reached_ = is_left(n.label);
  }
  void one(const Block& n) {
    labelled(n.label, LabelKind::block, n.body);
    is_reached_ = is_reached_ || is_left(n.label);
  }
  void one(const Scope& n) { region(n.body); }
  void one(const Leave& n) { jump(n.label, true, true, false); }
  void one(const Again& n) { jump(n.label, false, true, false); }
  void one(const Guard& n) {
    labelled(n.label, LabelKind::guard, n.body);
    const bool body_ends = is_reached_;
    is_reached_ = is_left(n.label);
    if (local(n.error)) region_with({n.error}, n.handler);
    is_reached_ = is_reached_ || body_ends;
  }
  void one(const Raise& n) {
    expect_kind(operand(n.error), TypeKind::error_sum, "what is raised");
    jump(n.label, false, false, true);
  }
  void one(const Return& n) {
    const bool wants = !is_open(f_.result) && types_.kind(f_.result) != TypeKind::unit;
    if (n.has_value)
      expect(operand(n.value), f_.result, "returns");
    else if (wants)
      say("returns nothing from a function that hands back " + text(f_.result));
    is_reached_ = false;
  }
  void one(const Fail& n) {
    expect_kind(operand(n.error), TypeKind::error_sum, "what it fails with");
    if (!f_.can_fail) say("fails in a function that cannot fail");
    is_reached_ = false;
  }
  void one(const Panic& n) {
    operand(n.text);
    is_reached_ = false;
  }
  void one(const Unreachable&) { is_reached_ = false; }
  void one(const Spawn& n) {
    closure(n.task, LocalKind::capture);
    if (n.to.valid()) used(n.to);
  }
  void one(const Overlap& n) {
    if (n.branch_fails.size() != n.branches.size()) say("does not say of every branch whether it fails");
    std::vector<TypeId> results;
    bool any_fails = false, are_known = true;
    for (const MakeClosure& b : n.branches) {
      closure(b, LocalKind::capture);
      if (!module_.functions.contains(b.function)) return;
      const TypeId r = module_.functions[b.function].result;
      are_known = are_known && !is_open(r);
      results.push_back(r);
    }
    for (std::uint8_t fails : n.branch_fails) any_fails = any_fails || fails != 0;
    if (any_fails != n.on_fail.valid()) say("has a failure edge exactly where no branch fails");
    if (n.to.valid() && are_known) assigned(n.to, types_.tuple(std::move(results)));
    if (n.winner.valid()) assigned(n.winner, types_.basic(TypeKind::i32));
    fail(n.on_fail);
  }
  void one(const Walk& n) {
    operand(n.subject);
    if (n.elements.empty() || n.elements.size() > 2) say("walks by no element, or by more than two");
    if (n.step_fails != n.on_fail.valid()) say("has a failure edge exactly where its steps do not fail");
    fail(n.on_fail);
    const bool was_reached = is_reached_;
    labelled(n.label, LabelKind::loop, n.body, n.elements);
    is_reached_ = was_reached;
  }

  // ---- calls

  void one(const Call& n) {
    std::vector<TypeId>& given = given_;
    given.clear();
    for (const Operand& o : n.args) given.push_back(operand(o));
    if (!n.fn.valid()) {
      value_call(n, given);
    } else if (!decls_.fns.contains(n.fn)) {
      return unsound("calls a function that is not declared");
    } else {
      call(n, given);
    }
    if (n.to.valid()) assigned(n.to, n.result);
    fail(n.on_fail);
  }

  void value_call(const Call& n, const std::vector<TypeId>& given) {
    const TypeId callee = place(n.callee);
    if (!callee.valid() || is_open(callee)) return;
    const Type& t = types_[types_.without_ref(callee)];
    if (t.kind != TypeKind::function) return say("calls a " + text(callee));
    if (given.size() + 1 != t.args.size())
      return say("calls a " + text(callee) + " with " + std::to_string(given.size()) + " arguments");
    for (std::size_t i = 0; i < given.size(); ++i) expect(given[i], t.args[i], "passes");
    if (types_.kind(n.result) != TypeKind::unit) expect(n.result, t.args.back(), "takes as the result");
  }

  TypeId put(TypeId t, const FnDecl& fn, const std::vector<TypeId>& args) {
    if (!t.valid()) return t;
    return types_.substitute(t, [&](TypeParamId p) {
      for (std::size_t i = 0; i < fn.type_params.size() && i < args.size(); ++i) {
        if (fn.type_params[i] == p) return args[i];
      }
      return TypeId{};
    });
  }

  // An argument is the value or a pointer to it, as the callee keeps or is lent it.
  void argument(TypeId given, TypeId declared) {
    if (!declared.valid() || is_open(given)) return;
    if (fits(given, declared)) return;
    const TypeId value = types_.without_ref(given), wanted = types_.without_ref(declared);
    if (!lends(value, wanted)) expect(given, declared, "passes");
  }

  void call(const Call& n, const std::vector<TypeId>& given) {
    const FnDecl& fn = decls_.fns[n.fn];
    const std::size_t receiver = fn.receiver != ast::Receiver::none ? 1 : 0;
    const std::size_t wanted = receiver + fn.params.size() + fn.options.size();
    if (given.size() != wanted) {
      return say("calls a function of " + std::to_string(wanted) + " parameters with " + std::to_string(given.size()) +
                 " arguments");
    }
    if (receiver != 0 && fn.self_type.valid() && !fn.is_signature)
      argument(given[0], put(fn.self_type, fn, n.type_args));
    for (std::size_t i = 0; i < fn.params.size(); ++i)
      argument(given[receiver + i], put(fn.params[i].type, fn, n.type_args));
    for (std::size_t i = 0; i < fn.options.size(); ++i) {
      argument(given[receiver + fn.params.size() + i], put(fn.options[i].type, fn, n.type_args));
    }
    auto own = by_source_.find(n.fn.index);
    if (own != by_source_.end() && module_.functions[own->second].can_fail != n.on_fail.valid()) {
      say(n.on_fail.valid() ? "has a failure edge for a function that cannot fail"
                            : "has no failure edge for a function that can fail");
    }
  }

  TypeTable& types_;
  const Declarations& decls_;
  const Interner& names_;
  const Module& module_;
  const std::unordered_map<std::uint32_t, FunctionId>& by_source_;
  const Function& f_;
  FunctionId id_;
  std::vector<Violation>& out_;
  InstrId at_;
  bool is_sound_ = true;
  std::vector<std::uint8_t> is_declared_;  // by local
  std::vector<LocalId> declared_;          // those that end with the regions around here
  std::vector<std::uint8_t> seen_regions_, seen_instrs_;
  std::vector<LabelKind> labels_;
  std::vector<TypeId> given_;          // of the call at hand
  bool is_reached_ = true;             // whether control comes to where the walk is
  std::vector<std::uint8_t> is_left_;  // by label: whether a jump to its end is reached
};

}  // namespace

std::vector<Violation> verify(const TextWorld& world, const Module& module) {
  std::vector<Violation> out;
  std::unordered_map<std::uint32_t, FunctionId> by_source;
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    const Function& f = module.functions[FunctionId(i)];
    if (f.kind == FunctionKind::fn && f.source.valid()) by_source.emplace(f.source.index, FunctionId(i));
  }
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    FunctionVerifier(world, module, by_source, FunctionId(i), out).run();
  }
  return out;
}

std::string describe(const TextWorld& world, const Module& module, const Violation& violation) {
  const Function& f = module.functions[violation.function];
  std::string text = "the NIR of `" + f.name + "` is wrong: " + violation.message;
  if (violation.instr.valid() && f.instrs.contains(violation.instr))
    text += ", in `" + print_instr(world, f, violation.instr) + "`";
  return text;
}

}  // namespace nikaia::lang::nir
