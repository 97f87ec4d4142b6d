// `match`: a switch where every arm names one case, else arms tried in written order.
//
// An arm is a labelled block. Its tests leave the block where the pattern does not fit; what follows them
// binds names, asks the guard, and runs the body, after which the whole match is left. Tests and guards look only, so
// nothing is taken before the arm is chosen: for its guard a name that the arm takes is a view. Names of alternatives
// are declared first and bound in each.
#include <algorithm>
#include <utility>

#include "passes/lower/lowering.h"

namespace nikaia::lang::lower {

using namespace ast;

Place FnLowering::payload(const Place& at, TypeId type, std::uint32_t variant, std::uint32_t part) {
  const Type t = table_[type];
  const TypeDecl& decl = m_.decls.types[t.decl];
  TypeId part_type = m_.plain(table_.substitute(decl.variants[variant].parts[part].type, [&](TypeParamId p) {
    for (std::size_t i = 0; i < decl.params.size() && i < t.args.size(); ++i) {
      if (decl.params[i] == p) return t.args[i];
    }
    return TypeId{};
  }));
  return project(at, {nir::ProjectionKind::payload, part, variant, {}, part_type});
}

bool FnLowering::is_irrefutable(PatternId p) const {
  const Pattern& x = tree_.patterns[p];
  switch (x.kind) {
    case PatternKind::ignore:
    case PatternKind::bind: return true;
    case PatternKind::tuple:
      for (PatternId part : tree_.list(x.parts)) {
        if (!is_irrefutable(part)) return false;
      }
      return true;
    case PatternKind::shape:
      if (names_.patterns[p].kind != Resolution::Kind::type) return false;
      for (const FieldPattern& f : tree_.list(x.fields)) {
        if (f.pattern.valid() && !is_irrefutable(f.pattern)) return false;
      }
      return true;
    default: return false;
  }
}

namespace {

std::uint32_t field_position(const std::vector<FieldInfo>& fields, Name name) {
  for (std::uint32_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return i;
  }
  return 0;
}

}  // namespace

// Leaves `otherwise` where the value at `at` does not fit.
void FnLowering::test(PatternId p, const Place& given, TypeId type, nir::LabelId otherwise, std::size_t depth) {
  const Pattern& x = tree_.patterns[p];
  Place at = given;
  while (table_.kind(type) == TypeKind::ref && x.kind != PatternKind::bind && x.kind != PatternKind::ignore &&
         !table_.is_text(type)) {
    type = table_[type].args[0];
    at = deref(std::move(at), type);
  }
  auto leave_unless = [&](Operand fits) {
    if (ended_) return;
    RegionId out = in_region([&] {
      drop_scopes_down_to(depth, x.span);
      push(nir::Leave{otherwise}, x.span);
    });
    push(nir::If{std::move(fits), fn_.regions.add({}), out}, x.span);
  };
  auto compare = [&](nir::BinaryOp op, ExprId literal) {
    TypeId lt = table_.is_text(type) ? table_.ref(table_.basic(TypeKind::string)) : type;
    Operand subject = table_.kind(type) == TypeKind::string ? lend(at, type) : Operand{OperandKind::copy, type, at, {}};
    leave_unless(bool_of(nir::Binary{op, std::move(subject), literal_operand(literal, lt)}, x.span));
  };
  switch (x.kind) {
    case PatternKind::ignore:
    case PatternKind::bind:
    case PatternKind::error: return;
    case PatternKind::literal: return compare(nir::BinaryOp::eq, x.low);
    case PatternKind::range:
      compare(nir::BinaryOp::ge, x.low);
      compare(nir::BinaryOp::le, x.high);
      return;
    case PatternKind::tuple: {
      const std::vector<TypeId> parts = table_[type].args;
      std::uint32_t i = 0;
      for (PatternId part : tree_.list(x.parts)) {
        test(part, project(at, {nir::ProjectionKind::part, i, 0, {}, parts[i]}), parts[i], otherwise, depth);
        ++i;
      }
      return;
    }
    case PatternKind::variant:
    case PatternKind::shape: {
      const Resolution r = names_.patterns[p];
      if (r.kind == Resolution::Kind::variant) {
        if (table_.kind(type) == TypeKind::error_sum) {
          TypeId error = table_.named(r.type());
          leave_unless(bool_of(nir::ErrorIs{at, error}, x.span));
          NirLocal as = assign_temp(nir::ErrorAs{at, error}, table_.ref(error), x.span);
          at = deref(place_of_local(as), error);
          type = error;
        }
        if (m_.decls.types[r.type()].variants.size() > 1) {
          const TypeId i32 = table_.basic(TypeKind::i32);
          NirLocal which = assign_temp(nir::VariantOf{at}, i32, x.span);
          leave_unless(
              bool_of(nir::Binary{nir::BinaryOp::eq, copy_of(which), constant(nir::ConstInt{r.part}, i32)}, x.span));
        }
        const auto& variant = m_.decls.types[r.type()].variants[r.part];
        if (x.kind == PatternKind::variant) {
          std::uint32_t i = 0;
          for (PatternId part : tree_.list(x.parts)) {
            if (!is_irrefutable(part)) {
              Place inner = payload(at, type, r.part, i);
              test(part, inner, inner.path.back().type, otherwise, depth);
            }
            ++i;
          }
        } else {
          for (const FieldPattern& f : tree_.list(x.fields)) {
            if (f.pattern.valid() && !is_irrefutable(f.pattern)) {
              Place inner = payload(at, type, r.part, field_position(variant.parts, f.field.name));
              test(f.pattern, inner, inner.path.back().type, otherwise, depth);
            }
          }
        }
        return;
      }
      if (r.kind == Resolution::Kind::type) {
        if (table_.kind(type) == TypeKind::error_sum) {
          TypeId error = table_.named(r.type());
          leave_unless(bool_of(nir::ErrorIs{at, error}, x.span));
          NirLocal as = assign_temp(nir::ErrorAs{at, error}, table_.ref(error), x.span);
          at = deref(place_of_local(as), error);
          type = error;
        }
        const TypeDecl& decl = m_.decls.types[r.type()];
        const std::vector<TypeId> args = table_[type].args;
        for (const FieldPattern& f : tree_.list(x.fields)) {
          if (!f.pattern.valid() || is_irrefutable(f.pattern)) continue;
          const std::uint32_t i = field_position(decl.fields, f.field.name);
          TypeId ft = m_.plain(table_.substitute(decl.fields[i].type, [&](TypeParamId q) {
            for (std::size_t k = 0; k < decl.params.size() && k < args.size(); ++k) {
              if (decl.params[k] == q) return args[k];
            }
            return TypeId{};
          }));
          test(f.pattern, project(at, {nir::ProjectionKind::field, i, 0, {}, ft}), ft, otherwise, depth);
        }
      }
      return;
    }
    case PatternKind::alternatives: {
      nir::LabelId fits = new_label();
      RegionId all = in_region([&] {
        for (PatternId part : tree_.list(x.parts)) {
          nir::LabelId next = new_label();
          RegionId one = in_scope_region(x.span, [&] {
            test(part, at, type, next, scopes_.size() - 1);
            bind_pattern(part, at, type);
            drop_scopes_down_to(scopes_.size() - 1, x.span);
            push(nir::Leave{fits}, x.span);
          });
          push(nir::Block{next, one}, x.span);
        }
        drop_scopes_down_to(depth, x.span);
        push(nir::Leave{otherwise}, x.span);
      });
      push(nir::Block{fits, all}, x.span);
      return;
    }
  }
}

bool FnLowering::is_viewed_by_guard(LocalId id) const {
  return std::find(viewed_by_guard_.begin(), viewed_by_guard_.end(), id) != viewed_by_guard_.end();
}

void FnLowering::bind_local(LocalId id, const Place& given, TypeId type, Span span) {
  if (!id.valid()) return;
  if (arm_binds_ == ArmBinds::taken && !is_viewed_by_guard(id)) return;
  Place at = given;
  at.span = span;
  auto it = bindings_.find(id.index);
  NirLocal n;
  if (it != bindings_.end()) {
    n = it->second.local;
  } else {
    declare_bound_local(id, type, span);
    n = bindings_[id.index].local;
  }
  const bool is_view = table_.kind(fn_.locals[n].type) == TypeKind::ref && table_.kind(type) != TypeKind::ref;
  Operand v = is_view ? lend(at, type) : convert(take(at, type), fn_.locals[n].type, span);
  push(nir::Assign{place_of_local(n), nir::Use{std::move(v)}}, span);
}

void FnLowering::declare_bound_local(LocalId id, TypeId type, Span span) {
  if (arm_binds_ == ArmBinds::taken && !is_viewed_by_guard(id)) return;
  const Local& local = names_.locals[id];
  const TypeId seen = types_.locals[id];
  const bool is_taken = contracts_.takes[id] != 0;
  if (is_taken && arm_binds_ == ArmBinds::for_guard) viewed_by_guard_.push_back(id);
  const bool takes = (is_taken && arm_binds_ != ArmBinds::for_guard) || copies(table_, m_.decls, type) ||
                     table_.kind(type) == TypeKind::ref || table_.kind(type) == TypeKind::error_sum;
  // Viewed: the local is a pointer; taken or copied: it is the value.
  const bool is_view_type = table_.kind(seen) == TypeKind::ref && table_.kind(type) != TypeKind::ref;
  const bool pointer = !takes && !is_view_type;
  TypeId nir_type = pointer || is_view_type ? table_.ref(type) : (table_.kind(type) == TypeKind::ref ? type : seen);
  NirLocal n = new_local(local.name, nir_type, nir::LocalKind::named, local.span, local.is_mut);
  push(nir::Declare{n}, span);
  if (needs_drop(nir_type)) scopes_.back().dying.push_back(n);
  bind(id, {n, seen, table_.kind(nir_type) == TypeKind::ref && table_.kind(seen) != TypeKind::ref});
}

// Declares what `p` binds, with the types its places have.
void FnLowering::declare_bound(PatternId p) {
  const Pattern& x = tree_.patterns[p];
  TypeId type = types_.patterns[p];
  if (x.kind == PatternKind::bind) {
    const Resolution& r = names_.patterns[p];
    if (r.kind == Resolution::Kind::local) declare_bound_local(r.local(), type, x.span);
    return;
  }
  for (PatternId part : tree_.list(x.parts)) {
    declare_bound(part);
    if (x.kind == PatternKind::alternatives) break;  // all bind the same names
  }
  std::uint32_t pool = x.fields.begin;
  for (const FieldPattern& f : tree_.list(x.fields)) {
    if (f.pattern.valid()) {
      declare_bound(f.pattern);
    } else if (names_.field_patterns[pool].valid()) {
      const LocalId id = names_.field_patterns[pool];
      declare_bound_local(id, table_.without_ref(types_.locals[id]), f.field.span);
    }
    ++pool;
  }
}

void FnLowering::bind_pattern(PatternId p, const Place& given, TypeId type) {
  const Pattern& x = tree_.patterns[p];
  Place at = given;
  if (x.kind == PatternKind::bind) {
    const Resolution& r = names_.patterns[p];
    if (r.kind == Resolution::Kind::local) bind_local(r.local(), at, type, x.span);
    return;
  }
  while (table_.kind(type) == TypeKind::ref && !table_.is_text(type)) {
    type = table_[type].args[0];
    at = deref(std::move(at), type);
  }
  switch (x.kind) {
    case PatternKind::tuple: {
      const std::vector<TypeId> parts = table_[type].args;
      std::uint32_t i = 0;
      for (PatternId part : tree_.list(x.parts)) {
        bind_pattern(part, project(at, {nir::ProjectionKind::part, i, 0, {}, parts[i]}), parts[i]);
        ++i;
      }
      return;
    }
    case PatternKind::variant:
    case PatternKind::shape: {
      const Resolution r = names_.patterns[p];
      if (x.parts.empty() && x.fields.empty()) return;
      if (table_.kind(type) == TypeKind::error_sum) {
        TypeId error = table_.named(r.type());
        NirLocal as = assign_temp(nir::ErrorAs{at, error}, table_.ref(error), x.span);
        at = deref(place_of_local(as), error);
        type = error;
      }
      if (r.kind == Resolution::Kind::variant) {
        std::uint32_t i = 0;
        for (PatternId part : tree_.list(x.parts)) {
          Place inner = payload(at, type, r.part, i++);
          bind_pattern(part, inner, inner.path.back().type);
        }
      }
      const TypeDecl& decl = m_.decls.types[r.type()];
      const auto& fields = r.kind == Resolution::Kind::variant ? decl.variants[r.part].parts : decl.fields;
      const std::vector<TypeId> args = table_[type].args;
      std::uint32_t pool = x.fields.begin;
      for (const FieldPattern& f : tree_.list(x.fields)) {
        const std::uint32_t i = field_position(fields, f.field.name);
        TypeId ft = m_.plain(table_.substitute(fields[i].type, [&](TypeParamId q) {
          for (std::size_t k = 0; k < decl.params.size() && k < args.size(); ++k) {
            if (decl.params[k] == q) return args[k];
          }
          return TypeId{};
        }));
        Place inner = project(at, r.kind == Resolution::Kind::variant
                                      ? nir::Projection{nir::ProjectionKind::payload, i, r.part, {}, ft}
                                      : nir::Projection{nir::ProjectionKind::field, i, 0, {}, ft});
        if (f.pattern.valid()) {
          bind_pattern(f.pattern, inner, ft);
        } else {
          bind_local(names_.field_patterns[pool], inner, ft, f.field.span);
        }
        ++pool;
      }
      return;
    }
    default: return;  // alternatives are bound where they are tested
  }
}

namespace {

bool has_alternatives(const Tree& tree, PatternId p) {
  const Pattern& x = tree.patterns[p];
  if (x.kind == PatternKind::alternatives) return true;
  for (PatternId part : tree.list(x.parts)) {
    if (has_alternatives(tree, part)) return true;
  }
  for (const FieldPattern& f : tree.list(x.fields)) {
    if (f.pattern.valid() && has_alternatives(tree, f.pattern)) return true;
  }
  return false;
}

}  // namespace

void FnLowering::match_into(ExprId e, const MatchExpr& x, const Destination& d) {
  const Span span = tree_.exprs[e].span;
  // A tuple of places is not built: each place is looked at where it is. Any other subject has a place.
  Place subject = place(x.subject);
  if (ended_) return;
  TypeId type = type_of(x.subject);
  while (table_.kind(type) == TypeKind::ref && !table_.is_text(type)) {
    type = table_[type].args[0];
    subject = deref(std::move(subject), type);
  }
  if (table_.kind(type) == TypeKind::named && table_[type].decl == m_.decls.shared) {
    type = table_[type].args[0];
    subject = project(std::move(subject), {nir::ProjectionKind::inside, 0, 0, {}, type});
  }
  if (try_switch(x, subject, type, d, span)) return;
  nir::LabelId done = new_label();
  bool reaches_end = false;
  const std::size_t depth = scopes_.size();
  bool covered = false;
  RegionId arms = in_region([&] {
    for (const Arm& arm : tree_.list(x.arms)) {
      if (covered) break;
      nir::LabelId next = new_label();
      RegionId one = in_scope_region(arm.span, [&] {
        if (arm.pattern.valid()) {
          const bool binds_in_test = has_alternatives(tree_, arm.pattern);
          auto test_and_bind = [&] {
            if (binds_in_test) declare_bound(arm.pattern);
            test(arm.pattern, subject, type, next, depth);
            bind_pattern(arm.pattern, subject, type);
          };
          if (arm.guard.valid()) {
            // The guard looks only: what the arm takes is taken behind it.
            const ArmBinds outer = std::exchange(arm_binds_, ArmBinds::for_guard);
            std::vector<LocalId> outer_viewed = std::exchange(viewed_by_guard_, {});
            test_and_bind();
            arm_binds_ = ArmBinds::all;
            std::vector<LocalId> viewed = std::exchange(viewed_by_guard_, {});
            in_statement(arm.span, false, [&] { condition_or_leave(arm.guard, next, depth); });
            if (!viewed.empty()) {
              for (LocalId id : viewed) bindings_.erase(id.index);
              arm_binds_ = ArmBinds::taken;
              viewed_by_guard_ = std::move(viewed);
              if (binds_in_test)
                test_and_bind();
              else
                bind_pattern(arm.pattern, subject, type);
            }
            arm_binds_ = outer;
            viewed_by_guard_ = std::move(outer_viewed);
          } else {
            test_and_bind();
          }
        }
        in_statement(arm.span, false, [&] {
          if (d.lends) statement_region_ = home_region_, statement_depth_ = home_depth_;
          into(arm.body, d);
        });
        if (!ended_) {
          reaches_end = true;
          drop_scopes_down_to(depth, arm.span);
          push(nir::Leave{done}, arm.span);
        }
      });
      covered = !arm.guard.valid() && (!arm.pattern.valid() || is_irrefutable(arm.pattern));
      push(nir::Block{next, one}, arm.span);
    }
    push(nir::Unreachable{}, span);  // patterns covers every case
  });
  push(nir::Block{done, arms}, span);
  ended_ = !reaches_end;
}

// One `switch` over variants, whole numbers, characters or truth values, where each arm names cases and
// nothing inside them is tested.
bool FnLowering::try_switch(const MatchExpr& x, const Place& subject, TypeId type, const Destination& d, Span span) {
  const TypeKind kind = table_.kind(type);
  const bool is_enum = kind == TypeKind::named && m_.decls.types[table_[type].decl].variants.size() > 1;
  const bool is_word = table_.is_integer(type) || kind == TypeKind::char_ || kind == TypeKind::bool_;
  if (!is_enum && !is_word) return false;
  std::vector<std::int64_t> seen;
  const auto arms = tree_.list(x.arms);
  auto case_of = [&](PatternId p, std::vector<std::int64_t>& values, bool alone, auto&& self) -> bool {
    const Pattern& q = tree_.patterns[p];
    std::int64_t v = 0;
    switch (q.kind) {
      case PatternKind::variant:
      case PatternKind::shape: {
        if (!is_enum) return false;
        const Resolution r = names_.patterns[p];
        if (r.kind != Resolution::Kind::variant) return false;
        for (PatternId part : tree_.list(q.parts)) {
          const PatternKind k = tree_.patterns[part].kind;
          if (k != PatternKind::ignore && (k != PatternKind::bind || !alone)) return false;
        }
        for (const FieldPattern& f : tree_.list(q.fields)) {
          if (!alone) return false;
          if (f.pattern.valid()) {
            const PatternKind k = tree_.patterns[f.pattern].kind;
            if (k != PatternKind::ignore && k != PatternKind::bind) return false;
          }
        }
        v = r.part;
        break;
      }
      case PatternKind::literal: {
        if (!is_word) return false;
        Operand o = literal_operand(q.low, type);
        if (auto* i = std::get_if<nir::ConstInt>(&o.constant))
          v = static_cast<std::int64_t>(i->bits);
        else if (auto* c = std::get_if<nir::ConstChar>(&o.constant))
          v = static_cast<std::int64_t>(c->value);
        else if (auto* b = std::get_if<nir::ConstBool>(&o.constant))
          v = b->value ? 1 : 0;
        else
          return false;
        break;
      }
      case PatternKind::alternatives:
        for (PatternId part : tree_.list(q.parts)) {
          if (!self(part, values, false, self)) return false;
        }
        return true;
      default: return false;
    }
    if (std::find(seen.begin(), seen.end(), v) != seen.end()) return false;
    seen.push_back(v);
    values.push_back(v);
    return true;
  };
  std::vector<std::vector<std::int64_t>> cases(arms.size());
  bool has_otherwise = false;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    if (arms[i].guard.valid() || has_otherwise) return false;
    if (!arms[i].pattern.valid() || is_irrefutable(arms[i].pattern)) {
      has_otherwise = true;
      continue;
    }
    if (!case_of(arms[i].pattern, cases[i], true, case_of)) return false;
  }
  nir::Switch made;
  const TypeId i32 = table_.basic(TypeKind::i32);
  if (is_enum) {
    made.on = copy_of(assign_temp(nir::VariantOf{subject}, i32, span));
  } else {
    made.on = Operand{OperandKind::copy, type, subject, {}};
  }
  bool all_ended = true;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    RegionId region = in_scope_region(arms[i].span, [&] {
      if (arms[i].pattern.valid()) bind_pattern(arms[i].pattern, subject, type);
      in_statement(arms[i].span, false, [&] {
        if (d.lends) statement_region_ = home_region_, statement_depth_ = home_depth_;
        into(arms[i].body, d);
      });
    });
    all_ended = all_ended && last_region_ended_;
    if (cases[i].empty())
      made.otherwise = region;
    else
      made.cases.push_back({std::move(cases[i]), region});
  }
  push(std::move(made), span);
  ended_ = all_ended;
  return true;
}

}  // namespace nikaia::lang::lower
