#include "passes/names/bodies.h"

#include "passes/names/text_holes.h"

namespace nikaia::lang::naming {

using namespace ast;

namespace {

template <class T>
void set_at(std::vector<T>& table, std::size_t at, T value) {
  if (table.size() <= at) table.resize(at + 1);
  table[at] = value;
}

Resolution make(Resolution::Kind kind, std::uint32_t index, std::uint32_t part = 0) {
  Resolution r;
  r.kind = kind;
  r.index = index;
  r.part = part;
  return r;
}

}  // namespace

BodyResolver::BodyResolver(Program& program, FileId file)
    : p_(program), file_(file), t_(program.tree(file)), out_(program.facts[file]) {}

void BodyResolver::resolve_function(ItemId item, const FnDecl& decl) {
  const auto& fn = std::get<FnItem>(t_.items[item].node);
  item_ = item;
  scope_ = TypeScope{file_, decl.type_params, decl.self_type};
  lambda_ = {};
  self_ = {};
  close(0);
  // Defaults are literals and variants; nothing of the function is in scope there.
  for (const OptionParam& option : t_.list(fn.options)) expr(option.fallback);
  if (decl.receiver != Receiver::none) {
    Ident self;
    self.name = p_.self_name;
    self.span = fn.receiver_span;
    Local local;
    local.name = self.name;
    local.kind = LocalKind::self;
    local.is_mut = decl.receiver == Receiver::ref_mut;
    local.span = self.span;
    local.item = item;
    self_ = out_.locals.add(local);
    out_.self_of[item] = self_;
  }
  std::size_t at = fn.params.begin;
  for (const Param& param : t_.list(fn.params)) {
    set_at(out_.params, at++, declare(param.name, LocalKind::param, param.is_mut));
  }
  at = fn.options.begin;
  for (const OptionParam& option : t_.list(fn.options)) {
    set_at(out_.options, at++, declare(option.name, LocalKind::option, false));
  }
  if (fn.has_spread) declare(fn.spread_name, LocalKind::comptime, false);  // refused with the signature
  if (fn.body.valid()) block(fn.body);
}

void BodyResolver::resolve_test(ItemId item) {
  const auto& test = std::get<TestItem>(t_.items[item].node);
  item_ = item;
  scope_ = TypeScope{file_, {}, TypeId()};
  lambda_ = {};
  self_ = {};
  close(0);
  std::vector<Ident> idents;
  std::size_t at = test.params.begin;
  for (const Param& param : t_.list(test.params)) {
    resolve_type(p_, scope_, param.type);
    set_at(out_.params, at++, declare(param.name, LocalKind::param, param.is_mut));
    idents.push_back(param.name);
  }
  refuse_doubles(p_, idents);
  if (test.body.valid()) block(test.body);
}

// ---- locals ----------------------------------------------------------------------------------------

LocalId BodyResolver::declare(const Ident& ident, LocalKind kind, bool is_mut) {
  if (ident.is_ignored || !ident.name.valid()) return {};
  p_.refuse_reserved(ident);
  if (ident.name == p_.self_name) {
    p_.sink.error(Code::NK1119, ident.span);
    return {};
  }
  Local local;
  local.name = ident.name;
  local.kind = kind;
  local.is_mut = is_mut;
  local.span = ident.span;
  local.item = item_;
  local.lambda = lambda_;
  const LocalId id = out_.locals.add(local);
  if (latest_.size() <= ident.name.index) latest_.resize(p_.source.names.size());
  LocalId& latest = latest_[ident.name];
  visible_.push_back({ident.name, latest});
  latest = id;
  return id;
}

void BodyResolver::close(std::size_t mark) {
  for (; visible_.size() > mark; visible_.pop_back()) latest_[visible_.back().name] = visible_.back().hides;
}

LocalId BodyResolver::declare_bind(const Bind& bind, LocalKind kind) {
  return declare(bind.name, kind, bind.is_mut);
}

void BodyResolver::declare_binds(List<Bind> binds, LocalKind kind) {
  std::vector<Ident> idents;
  std::size_t at = binds.begin;
  for (const Bind& bind : t_.list(binds)) {
    set_at(out_.binds, at++, declare_bind(bind, kind));
    idents.push_back(bind.name);
  }
  if (idents.size() > 1) refuse_doubles(p_, idents);
}

LocalId BodyResolver::find_local(Name name) const {
  return latest_.contains(name) ? latest_[name] : LocalId();
}

std::vector<std::string_view> BodyResolver::visible_names() const {
  std::vector<std::string_view> names;
  for (const Visible& v : visible_) names.push_back(p_.text(v.name));
  return names;
}

// ---- statements ------------------------------------------------------------------------------------

void BodyResolver::block(BlockId id) {
  const std::size_t mark = open();
  for (StmtId s : t_.list(t_.blocks[id].statements)) stmt(s);
  close(mark);
}

void BodyResolver::stmt(StmtId id) {
  std::visit([&](const auto& s) { stmt_node(s); }, t_.stmts[id].node);
}

void BodyResolver::stmt_node(const LetStmt& s) {
  expr(s.value);
  if (s.type.valid()) resolve_type(p_, scope_, s.type);
  declare_binds(s.binds, LocalKind::let);
}

void BodyResolver::stmt_node(const ComptimeStmt& s) {
  p_.not_built(s.name.span, "values worked out while building, `comptime`");
  declare(s.name, LocalKind::comptime, false);
}

void BodyResolver::stmt_node(const AssignStmt& s) {
  expr(s.value);
  expr(s.place);
}

void BodyResolver::stmt_node(const WhileStmt& s) {
  expr(s.cond);
  block(s.body);
}

void BodyResolver::stmt_node(const ForStmt& s) {
  expr(s.subject);
  const std::size_t mark = open();
  declare_binds(s.binds, LocalKind::for_);
  block(s.body);
  close(mark);
}

void BodyResolver::stmt_node(const JumpIfStmt& s) {
  expr(s.cond);
  expr(s.jump);
}

void BodyResolver::stmt_node(const ExprStmt& s) {
  expr(s.expr);
}

// ---- expressions -----------------------------------------------------------------------------------

void BodyResolver::expr(ExprId id) {
  if (!id.valid()) return;
  std::visit([&](const auto& e) { node(id, e); }, t_.exprs[id].node);
}

void BodyResolver::exprs(List<ExprId> list) {
  for (ExprId e : t_.list(list)) expr(e);
}

void BodyResolver::node(ExprId id, const TextLit& e) {
  const std::string_view written = p_.source.sources.text(t_.exprs[id].span);
  const std::string hole = looks_like_hole(t_.texts[e.text], written, [&](std::string_view word) {
    const Name name = p_.names.find(word);
    return name.valid() && (find_local(name).valid() || (word == "self" && self_.valid()));
  });
  if (!hole.empty()) p_.sink.report(Code::NK1111, t_.exprs[id].span, hole);
}

void BodyResolver::node(ExprId, const FTextLit& e) {
  for (const FPiece& piece : t_.list(e.pieces)) expr(piece.hole);
}

void BodyResolver::node(ExprId id, const PathExpr& e) {
  path(id, e.path, false);
}

void BodyResolver::node(ExprId id, const SelfExpr&) {
  if (self_.valid()) {
    out_.exprs[id] = make(Resolution::Kind::local, self_.index);
    return;
  }
  p_.sink.error(Code::NK1117, t_.exprs[id].span, "self")
      .help("Give the method a receiver, `ref self`, or take the value as a parameter.");
}

void BodyResolver::node(ExprId, const IfExpr& e) {
  expr(e.cond);
  block(e.then_block);
  expr(e.else_branch);
}

void BodyResolver::node(ExprId, const MatchExpr& e) {
  expr(e.subject);
  for (const Arm& arm : t_.list(e.arms)) {
    const std::size_t mark = open();
    if (arm.pattern.valid()) pattern(arm.pattern);
    expr(arm.guard);
    expr(arm.body);
    close(mark);
  }
}

void BodyResolver::node(ExprId id, const LambdaExpr& e) {
  const ExprId outer = lambda_;
  const std::size_t mark = open();
  lambda_ = id;
  declare_binds(e.params, LocalKind::lambda_param);
  block(e.body);
  close(mark);
  lambda_ = outer;
}

void BodyResolver::node(ExprId id, const UnsafeExpr& e) {
  p_.not_built(Span{file_, t_.exprs[id].span.begin, t_.exprs[id].span.begin + 6}, "`unsafe` blocks");
  block(e.block);
}

void BodyResolver::node(ExprId, const OverlapExpr& e) {
  const ExprId outer = lambda_;
  const std::size_t mark = open();
  for (StmtId s : t_.list(t_.blocks[e.block].statements)) {
    // A branch that binds is refused elsewhere; its names end with it all the same.
    if (const auto* branch = std::get_if<ExprStmt>(&t_.stmts[s].node)) lambda_ = branch->expr;
    stmt(s);
    lambda_ = outer;
    close(mark);
  }
}

void BodyResolver::node(ExprId, const SelectExpr& e) {
  for (const SelectArm& arm : t_.list(e.arms)) {
    const ExprId outer = lambda_;
    lambda_ = arm.raced;
    expr(arm.raced);
    lambda_ = outer;
    const std::size_t mark = open();
    declare_binds(arm.binds, LocalKind::let);
    expr(arm.body);
    close(mark);
  }
}

void BodyResolver::node(ExprId id, const StructExpr& e) {
  const Resolution head = literal_head(e, t_.exprs[id].span);
  out_.exprs[id] = head;
  if (e.misread_block.valid()) return;
  const bool is_struct = head.kind == Resolution::Kind::type;
  field_inits(e.fields, is_struct ? head.type() : TypeDeclId());
}

void BodyResolver::node(ExprId, const WithExpr& e) {
  expr(e.operand);
  field_inits(e.fields, TypeDeclId());
}

void BodyResolver::node(ExprId id, const ComptimeExpr& e) {
  p_.not_built(Span{file_, t_.exprs[id].span.begin, t_.exprs[id].span.begin + 8},
               "values worked out while building, `comptime`");
  expr(e.operand);
}

void BodyResolver::node(ExprId, const CastExpr& e) {
  expr(e.operand);
  resolve_type(p_, scope_, e.type, true);
}

void BodyResolver::node(ExprId id, const CatchExpr& e) {
  expr(e.guarded);
  const std::size_t mark = open();
  Ident error;
  error.name = p_.error_name;
  error.span = t_.blocks[e.handler].span;
  out_.error_of[id] = declare(error, LocalKind::error, false);
  block(e.handler);
  close(mark);
}

void BodyResolver::node(ExprId id, const DslExpr& e) {
  static_cast<void>(e);
  p_.not_built(Span{file_, t_.exprs[id].span.begin, t_.exprs[id].span.begin + 3}, "blocks of another language, `dsl`");
}

void BodyResolver::node(ExprId, const CallExpr& e) {
  const auto& callee = t_.exprs[e.callee].node;
  bool is_refused = false;
  if (const auto* named = std::get_if<PathExpr>(&callee)) {
    is_refused = refuse_fields_in_call(e, *named);
    if (!is_refused) path(e.callee, named->path, true);
  } else if (const auto* member = std::get_if<MemberExpr>(&callee)) {
    refuse_method_by_name(e, *member);
    expr(e.callee);
  } else {
    expr(e.callee);
  }
  exprs(e.positional);
  for (const OptionArg& option : t_.list(e.options)) expr(option.value);
}

// ---- names -----------------------------------------------------------------------------------------

void BodyResolver::path(ExprId id, const Path& path, bool is_called) {
  const auto segments = t_.list(path.segments);
  if (segments.size() == 1) {
    if (segments[0].name.valid()) out_.exprs[id] = single_name(segments[0], is_called);
    return;
  }
  out_.exprs[id] = of_denoted(walk_path(p_, scope_, path, Wanted::value), path);
}

Resolution BodyResolver::single_name(const Ident& ident, bool is_called) {
  const Name name = ident.name;
  if (const LocalId local = find_local(name); local.valid()) {
    if (out_.locals[local].kind == LocalKind::comptime) return {};
    return make(Resolution::Kind::local, local.index);
  }
  if (name == p_.self_type_name && scope_.self_type.valid() && p_.types.kind(scope_.self_type) == TypeKind::named) {
    return constructor(p_.types[scope_.self_type].decl, ident.span);
  }
  if (const Entity e = p_.in_package(p_.files[file_].package, name); e.kind != Entity::Kind::none)
    return of_entity(e, ident);
  if (const Entity e = p_.in_prelude(name); e.kind != Entity::Kind::none) return of_entity(e, ident);
  if (auto it = p_.basic_types.find(name); it != p_.basic_types.end()) {
    if (const FnId fn = member_fn_of_basic(p_, it->second, p_.new_name); fn.valid()) {
      return make(Resolution::Kind::fn, fn.index);
    }
    const std::string_view text = p_.text(name);
    // `7u8`: the name beside the number is what is wrong.
    if (!is_called) {
      report_unknown_value(p_, file_, ident, false, visible_names());
      return {};
    }
    p_.sink.error(Code::NK1190, ident.span, text)
        .help(std::string("Write a conversion: `value as ") + std::string(text) + "`.");
    return {};
  }
  report_unknown_value(p_, file_, ident, is_called, visible_names());
  return {};
}

Resolution BodyResolver::of_entity(Entity e, const Ident& ident) {
  switch (e.kind) {
    case Entity::Kind::fn:
      if (p_.decls.fns[FnId(e.index)].is_not_built) {
        p_.not_built(ident.span, "`" + std::string(p_.text(ident.name)) + "` of the library");
        return {};
      }
      return make(Resolution::Kind::fn, e.index);
    case Entity::Kind::type: return constructor(TypeDeclId(e.index), ident.span);
    case Entity::Kind::comptime: return {};  // refused where it is declared
    case Entity::Kind::trait:
      p_.sink.error(Code::NK1117, ident.span, p_.text(ident.name))
          .help("`" + std::string(p_.text(ident.name)) + "` is a trait; a value or a function is wanted here.");
      return {};
    case Entity::Kind::grammar:
    case Entity::Kind::none: break;
  }
  return {};
}

Resolution BodyResolver::of_denoted(const Denoted& d, const Path& path) {
  switch (d.kind) {
    case Denoted::Kind::fn: return make(Resolution::Kind::fn, d.index);
    case Denoted::Kind::type: return constructor(TypeDeclId(d.index), path.span);
    case Denoted::Kind::variant: return make(Resolution::Kind::variant, d.index, d.part);
    case Denoted::Kind::param_member: return make(Resolution::Kind::type_param_member, d.index, d.part);
    default: return {};
  }
}

Resolution BodyResolver::constructor(TypeDeclId id, Span place) {
  const TypeDecl& type = p_.decls.types[id];
  const std::string_view name = p_.text(type.name);
  if (type.is_not_built) {
    p_.not_built(place, "`" + std::string(name) + "` of the library");
    return {};
  }
  if (type.constructor.valid()) {
    const FnDecl& fn = p_.decls.fns[type.constructor];
    if (!p_.is_open(file_, fn.package, fn.is_pub)) {
      p_.sink.error(Code::NK1110, place, name, p_.text(p_.decls.packages[fn.package].name))
          .primary_label("this constructor is not open to other packages");
      return {};
    }
    return make(Resolution::Kind::type, id.index);
  }
  if (type.is_of_library()) {
    std::string maker;
    for (const FnDecl& fn : p_.decls.fns) {
      const bool makes_it =
          fn.result.valid() && p_.types.kind(fn.result) == TypeKind::named && p_.types[fn.result].decl == id;
      if (fn.key.empty() || fn.receiver != Receiver::none || fn.is_constructor || !makes_it) continue;
      maker = "`" + fn.key + "`";
      break;
    }
    auto message = p_.sink.error(Wording::NK1190_from_std, place, name, maker);
    if (maker.empty()) message.help("Take one that the library hands back.");
    return {};
  }
  auto message = p_.sink.error(Code::NK1190, place, name);
  if (!type.variants.empty()) {
    message.help("Write one of its variants: `" + std::string(name) +
                 "::" + std::string(p_.text(type.variants[0].name)) + "`.");
  } else {
    std::string literal = std::string(name) + " {";
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
      literal += (i ? ", " : " ") + std::string(p_.text(type.fields[i].name)) + ": …";
    }
    message.help("Write its fields in braces: `" + literal + " }`.");
  }
  return {};
}

bool BodyResolver::refuse_fields_in_call(const CallExpr& call, const PathExpr& callee) {
  if (!call.positional.empty() || call.options.empty()) return false;
  const auto segments = t_.list(callee.path.segments);
  TypeDeclId id;
  if (segments.size() == 1) {
    const Name name = segments[0].name;
    if (!name.valid() || find_local(name).valid()) return false;
    Entity e = p_.in_package(p_.files[file_].package, name);
    if (e.kind == Entity::Kind::none) e = p_.in_prelude(name);
    if (e.kind == Entity::Kind::type) id = TypeDeclId(e.index);
  } else if (segments.size() == 2) {
    auto it = p_.files[file_].prefixes.find(segments[0].name);
    if (it == p_.files[file_].prefixes.end()) return false;
    Entity e;
    if (it->second.kind == Prefix::Kind::module) e = p_.in_module(ModuleId(it->second.index), segments[1].name);
    if (it->second.kind == Prefix::Kind::package) e = p_.in_package(PackageId(it->second.index), segments[1].name);
    if (e.kind == Entity::Kind::type) id = TypeDeclId(e.index);
  }
  if (!id.valid()) return false;
  const TypeDecl& type = p_.decls.types[id];
  if (type.is_of_library()) {
    if (!type.constructor.valid()) return false;
    // Exempt is a constructor of the library that has the option.
    for (const OptionArg& option : t_.list(call.options)) {
      for (const OptionInfo& known : p_.decls.fns[type.constructor].options) {
        if (known.name == option.name.name) return false;
      }
    }
  }
  std::string fields;
  for (const OptionArg& option : t_.list(call.options)) {
    fields += (fields.empty() ? "" : ", ") + std::string(p_.text(option.name.name)) + ": " +
              std::string(p_.source.sources.text(t_.exprs[option.value].span));
  }
  p_.sink.error(Code::NK1146, callee.path.span, p_.source.sources.text(callee.path.span), fields);
  return true;
}

bool BodyResolver::has_own_method(std::string_view name) const {
  const Name n = p_.names.find(name);
  for (const FnDecl& fn : p_.decls.fns) {
    if (fn.name == n && fn.item.valid() && fn.receiver != Receiver::none &&
        (!fn.trait.valid() || p_.decls.traits[fn.trait].known == TraitDecl::Known::no)) {
      return true;
    }
  }
  return false;
}

bool BodyResolver::refuse_method_by_name(const CallExpr&, const MemberExpr& member) {
  const std::string_view name = p_.text(member.member.name);
  if (name == "to_owned" && !has_own_method(name)) {
    p_.sink.error(Code::NK1189, member.member.span, p_.source.sources.text(t_.exprs[member.object].span));
    return true;
  }
  if ((name == "cleanup" || name == "drop") && !has_own_method(name)) {
    p_.sink.error(Code::NK2940, member.member.span, name);
    return true;
  }
  return false;
}

// ---- struct literals -------------------------------------------------------------------------------

Resolution BodyResolver::literal_head(const StructExpr& e, Span place) {
  const auto segments = t_.list(e.path.segments);
  if (segments.empty() || !segments[0].name.valid()) return {};
  if (segments.size() > 1) {
    const Denoted d = walk_path(p_, scope_, e.path, Wanted::value);
    if (d.kind == Denoted::Kind::variant) return make(Resolution::Kind::variant, d.index, d.part);
    if (d.kind == Denoted::Kind::type) return make(Resolution::Kind::type, d.index);
    if (d.found()) {
      p_.sink.error(Code::NK1135, e.path.span, p_.source.sources.text(e.path.span))
          .help("A struct's name, or a variant with named parts, stands before the braces.");
    }
    return {};
  }
  const Ident& ident = segments[0];
  const std::string_view text = p_.text(ident.name);
  const bool is_word_of_others = text == "loop" || text == "const" || text == "macro" || text == "quote";
  if (is_word_of_others && p_.in_package(p_.files[file_].package, ident.name).kind != Entity::Kind::type) {
    report_unknown_value(p_, file_, ident, false, {});
    return {};
  }
  static_cast<void>(place);
  const Denoted d = walk_path(p_, scope_, e.path, Wanted::type);
  if (d.kind == Denoted::Kind::type) return make(Resolution::Kind::type, d.index);
  if (d.found()) {
    p_.sink.error(Code::NK1135, ident.span, text).help("A struct's name stands before the braces.");
  }
  return {};
}

void BodyResolver::field_inits(List<FieldInit> list, TypeDeclId of) {
  std::unordered_map<Name, Span> seen;
  std::size_t at = list.begin;
  for (const FieldInit& init : t_.list(list)) {
    const std::size_t position = at++;
    if (!init.field.name.valid()) {
      expr(init.value);
      continue;
    }
    auto [it, is_new] = seen.try_emplace(init.field.name, init.field.span);
    if (!is_new) {
      p_.sink.error(Code::NK1172, init.field.span, p_.text(init.field.name)).label(it->second, "given here before");
    }
    if (of.valid()) {
      const TypeDecl& type = p_.decls.types[of];
      for (const FieldInfo& field : type.fields) {
        if (!(field.name == init.field.name) || p_.is_open(file_, type.package, field.is_pub)) continue;
        const std::string_view package = p_.text(p_.decls.packages[type.package].name);
        p_.sink
            .error(
                Code::NK1110, init.field.span,
                std::string(package) + "::" + std::string(p_.text(type.name)) + "." + std::string(p_.text(field.name)),
                package)
            .primary_label("not open to other packages");
      }
    }
    if (init.value.valid()) {
      expr(init.value);
    } else {
      set_at(out_.field_inits, position, single_name(init.field, false));
    }
  }
}

// ---- the round -------------------------------------------------------------------------------------

void resolve_bodies(Program& p) {
  for (const Package& package : p.decls.packages) {
    for (FileId file : package.files) {
      BodyResolver resolver(p, file);
      const Tree& tree = p.tree(file);
      for (std::uint32_t i = 0; i < tree.items.size(); ++i) {
        const ItemId item(i);
        if (const FnId fn = p.facts[file].fn_of[item]; fn.valid()) {
          p.context.looking_at(p.text(p.decls.fns[fn].name), p.source.sources.path(file));
          resolver.resolve_function(item, p.decls.fns[fn]);
        } else if (p.source.options.with_tests && std::holds_alternative<TestItem>(tree.items[item].node)) {
          resolver.resolve_test(item);
        }
      }
    }
  }
}

}  // namespace nikaia::lang::naming
