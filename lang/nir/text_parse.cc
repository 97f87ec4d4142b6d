// Reading the text form of NIR: recursive descent, one token ahead, no line ends.
//
// clang-format off
//     module   = { "main" "#" n | "site" string string [ file span ] } { function }
//     function = ( "fn" | "closure" ) ( path | string ) "#" n [ "[" tparam { "," tparam } "]" ]
//                "(" [ local { "," local } ] ")" [ "->" type ] [ "fails" ] [ "pauses" ] [ "of" path ] [ "inside" "#" n ]
//                [ "value" types ] [ file ] [ span ] "{" { kind [ "mut" ] local ":" type [ span ] } { instr } "}"
//     file     = "file" n            span = "!" n "-" n            kind = "param" | "let" | "temp" | "capture" | "error"
//     local    = name | [ name ] "%" n                              tparam = name "@" n
//     place    = local { proj [ "<" type ">" ] } [ "@" n "-" n ]
//     proj     = "." name | "." "#" n | "." n | "." variant "#" n | ".?" | ".*" | ".^" | "[" local "]"
//     variant  = name | "%" n
//     operand  = ( "copy" | "move" | "dup" | "lend" | "lend_mut" ) place [ ":" type ] | constant [ ":" type ]
//     constant = "unit" | [ "-" ] n | "float" number | "true" | "false" | "char" string | string | "null"
//              | "fn" path [ types ]
// clang-format on
//     types    = "[" type { "," type } "]"        region = "{" { instr } "}"       edge = "on" local region
//     instr    = one row of `FunctionParser::instr`, then [ span ]
//
// The first thing that does not fit ends the reading with its place. Nesting is held to `max_depth`, ids are checked
// where they are read, and references to functions when all are there, so that any text is safe to give.
#include <charconv>
#include <cctype>
#include <limits>
#include <optional>

#include "lang/nir/places.h"
#include "lang/nir/spelling.h"
#include "lang/nir/text.h"
#include "lang/nir/text_tokens.h"
#include "lang/nir/visit.h"
#include "lang/text/source.h"

namespace nikaia::lang::nir {
namespace {

class Parser : TextTokens {
 public:
  Parser(std::string_view text, TypeTable& types, const Declarations& decls, Interner& names)
      : TextTokens(text), types_(types), decls_(decls), names_(names), spellings_(decls, types, names) {}

  tl::expected<Module, TextError> module() {
    while (ok() && (is_word("main") || is_word("site"))) {
      if (take_word("main")) {
        sign("#");
        module_.main = FunctionId(number());
      } else {
        site();
      }
    }
    while (ok() && token_.kind != Token::Kind::end) function();
    if (ok()) check_references();
    if (!ok()) return tl::unexpected(error());
    return std::move(module_);
  }

 private:
  // ---- types

  TypeId refused() const { return types_.basic(TypeKind::error); }

  TypeId type() {
    const Deeper deeper(*this);
    if (!ok()) return refused();
    if (take_word("ref")) {
      const bool is_mut = take_word("mut");
      const TypeId target = type();
      return ok() ? types_.ref(target, is_mut) : refused();
    }
    TypeId t = base_type();
    if (ok() && take_sign("?")) t = types_.nullable(t);
    return ok() ? t : refused();
  }

  TypeId base_type() {
    static constexpr std::pair<std::string_view, TypeKind> basic[] = {
        {"refused", TypeKind::error}, {"never", TypeKind::never}, {"i32", TypeKind::i32},      {"i64", TypeKind::i64},
        {"u8", TypeKind::u8},         {"u32", TypeKind::u32},     {"u64", TypeKind::u64},      {"f64", TypeKind::f64},
        {"bool", TypeKind::bool_},    {"char", TypeKind::char_},  {"String", TypeKind::string}};
    if (is_sign("(")) return tuple_type();
    if (take_sign("'")) return param_type();
    for (const auto& [name, kind] : basic) {
      if (take_word(name)) return types_.basic(kind);
    }
    if (take_word("Array")) return array_type();
    if (take_word("fn")) return function_type();
    if (take_word("Seq")) return seq_type();
    if (take_word("errors")) return error_sum();
    if (take_word("Range")) {
      const std::vector<TypeId> args = type_args();
      if (ok() && args.size() == 1) return types_.range(args[0]);
      fail("a range has one type");
      return refused();
    }
    const std::size_t at = token_.begin;
    const std::string name = path();
    if (!ok()) return refused();
    const TypeDeclId decl = spellings_.find_type(name);
    if (!decl.valid()) {
      fail_at(at, "there is no type `" + name + "`");
      return refused();
    }
    if (decls_.types[decl].sequence.valid()) return decls_.types[decl].sequence;
    std::vector<TypeId> args;
    if (is_sign("[")) args = type_args();
    if (ok() && args.size() != decls_.types[decl].params.size() && !decls_.types[decl].is_of_library()) {
      fail_at(at, "`" + name + "` takes another number of types");
    }
    return ok() ? types_.named(decl, std::move(args)) : refused();
  }

  std::vector<TypeId> type_args() {
    std::vector<TypeId> args;
    list("[", "]", [&] { args.push_back(type()); });
    return args;
  }

  TypeId tuple_type() {
    sign("(");
    if (take_sign(")")) return types_.basic(TypeKind::unit);
    std::vector<TypeId> parts;
    bool is_tuple = false;
    while (ok() && !is_sign(")")) {
      if (!is_sign(",")) parts.push_back(type());
      if (!take_sign(",")) break;
      is_tuple = true;
    }
    sign(")");
    if (!ok()) return refused();
    return is_tuple || parts.empty() ? types_.tuple(std::move(parts)) : parts[0];
  }

  TypeId param_type() {
    if (token_.kind != Token::Kind::name || token_.suffix == '%') {
      fail("expected the name of a type parameter instead of " + shown());
      return refused();
    }
    const Token name = token_;
    next();
    if (name.suffix == '@') {
      const TypeParamId id(name.suffix_number);
      if (decls_.type_params.contains(id)) return types_.param(id);
    } else {
      for (TypeParamId p : scope_) {
        if (names_.text(decls_.type_params[p].name) == name.text) return types_.param(p);
      }
    }
    fail_at(name.begin, "there is no type parameter `" + std::string(name.text) + "` here");
    return refused();
  }

  TypeId array_type() {
    sign("[");
    const TypeId element = type();
    std::uint64_t length = Type::unsized;
    if (take_sign(",")) {
      if (token_.kind == Token::Kind::number)
        length = to_number<std::uint64_t>(token_.text);
      else
        fail("expected a length instead of " + shown());
      next();
    }
    sign("]");
    return ok() ? types_.array(element, length) : refused();
  }

  TypeId function_type() {
    std::vector<TypeId> params;
    list("(", ")", [&] { params.push_back(type()); });
    const bool is_sync = take_word("sync"), is_throws = take_word("throws");
    sign("->");
    const TypeId result = type();
    return ok() ? types_.function(std::move(params), result, is_sync, is_throws) : refused();
  }

  TypeId seq_type() {
    static constexpr std::string_view words[] = {"sync", "pauses", "throws", "ends", "sized", "replays"};
    sign("[");
    const TypeId element = type();
    std::uint8_t bits = 0;
    while (ok() && take_sign(",")) {
      bool found = false;
      for (std::size_t i = 0; i < std::size(words) && !found; ++i) {
        found = take_word(words[i]);
        if (found) bits = static_cast<std::uint8_t>(bits | 1u << i);
      }
      if (!found) fail("no word of a sequence: " + shown());
    }
    sign("]");
    return ok() ? types_.seq(element, bits) : refused();
  }

  TypeId error_sum() {
    std::vector<TypeId> errors;
    bool is_open = false;
    list("(", ")", [&] {
      if (take_sign("?"))
        is_open = true;
      else
        errors.push_back(type());
    });
    return ok() ? types_.error_sum(std::move(errors), is_open) : refused();
  }

  // ---- functions

  void site() {
    word("site");
    Site s;
    s.function = string();
    s.code = string();
    if (take_word("file")) {
      file_ = FileId(number());
      s.span = span();
      file_ = {};
    }
    module_.sites.push_back(std::move(s));
  }

  void function() {
    f_ = {};
    scope_.clear();
    by_name_.clear();
    file_ = {};
    max_label_ = 0;
    if (take_word("closure"))
      f_.kind = FunctionKind::closure;
    else
      word("fn");
    f_.name = token_.kind == Token::Kind::string ? string() : path();
    sign("#");
    const std::size_t number_at = token_.begin;
    if (number() != module_.functions.size()) fail_at(number_at, "functions are numbered from 0 in their order");
    if (is_sign("[")) {
      list("[", "]", [&] {
        const TypeParamId id(token_.suffix_number);
        if (token_.kind != Token::Kind::name || token_.suffix != '@' || !decls_.type_params.contains(id)) {
          return fail("there is no type parameter " + shown());
        }
        scope_.push_back(id);
        next();
      });
      f_.type_params = scope_;
    }
    std::vector<Token> params;
    list("(", ")", [&] {
      params.push_back(token_);
      next();
    });
    f_.result = types_.basic(TypeKind::unit);
    if (take_sign("->")) f_.result = type();
    f_.can_fail = take_word("fails");
    f_.may_pause = take_word("pauses");
    if (take_word("of")) f_.source = fn_path();
    if (take_word("inside")) {
      sign("#");
      f_.parent = FunctionId(number());
    }
    if (take_word("value")) f_.type_args = type_args();
    if (take_word("file")) file_ = FileId(number());
    f_.file = file_;
    f_.span = span();
    sign("{");
    locals();
    for (const Token& t : params) f_.params.push_back(find_local(t));
    f_.body = f_.regions.add({});
    instructions(f_.body);
    sign("}");
    f_.label_count = max_label_;
    if (ok()) module_.functions.add(std::move(f_));
  }

  FnId fn_path() {
    const std::size_t at = token_.begin;
    const std::string name = path();
    const FnId id = ok() ? spellings_.find_fn(name) : FnId{};
    if (ok() && !id.valid()) fail_at(at, "there is no function `" + name + "`");
    return id;
  }

  void locals() {
    static constexpr std::string_view kinds[] = {"param", "let", "temp", "capture", "error"};
    while (ok()) {
      Local l;
      bool found = false;
      for (std::size_t i = 0; i < std::size(kinds) && !found; ++i) {
        found = take_word(kinds[i]);
        if (found) l.kind = static_cast<LocalKind>(i);
      }
      if (!found) return;
      l.is_mut = take_word("mut");
      if (token_.kind != Token::Kind::name || token_.suffix == '@')
        return fail("expected a local instead of " + shown());
      const Token name = token_;
      if (name.suffix == '%' && name.suffix_number != f_.locals.size())
        return fail("locals are numbered from 0 in their order");
      next();
      if (!name.text.empty()) l.name = names_.intern(name.text);
      sign(":");
      l.type = type();
      l.span = span();
      const LocalId id = f_.locals.add(l);
      if (name.suffix == 0 && !by_name_.emplace(name.text, id).second)
        fail_at(name.begin, "a second local of this name");
    }
  }

  LocalId find_local(const Token& t) {
    if (!ok()) return {};
    if (t.kind == Token::Kind::name && t.suffix == '%' && t.suffix_number < f_.locals.size())
      return LocalId(t.suffix_number);
    if (t.kind == Token::Kind::name && t.suffix == 0) {
      if (auto it = by_name_.find(t.text); it != by_name_.end()) return it->second;
    }
    fail_at(t.begin, "there is no local `" + std::string(t.text) + "` here");
    return {};
  }

  LocalId local() {
    const Token t = token_;
    next();
    return find_local(t);
  }

  LabelId label() {
    if (token_.kind != Token::Kind::name || token_.suffix != 0 || !token_.text.starts_with('L')) {
      fail("expected a label instead of " + shown());
      return {};
    }
    const auto n = to_number<std::uint32_t>(token_.text.substr(1));
    if (n >= 1u << 30) fail("not a label");
    if (!ok()) return {};
    next();
    max_label_ = std::max(max_label_, n + 1);
    return LabelId(n);
  }

  // ---- places and operands

  Place place() {
    Place p;
    p.root = local();
    if (!ok()) return p;
    TypeId at = f_.locals[p.root].type;
    while (ok() && (is_sign(".") || is_sign("["))) {
      const std::size_t begin = token_.begin;
      Projection x = projection(at);
      if (!ok()) break;
      if (take_sign("<")) {
        x.type = type();
        sign(">");
      } else {
        x.type = projected_type(types_, decls_, at, x);
        if (!x.type.valid()) fail_at(begin, "the value here has no such part");
      }
      at = x.type;
      p.path.push_back(x);
    }
    p.span = span("@");
    return p;
  }

  const TypeDecl* declaration(TypeId t) const {
    return types_.kind(t) == TypeKind::named ? &decls_.types[types_[t].decl] : nullptr;
  }

  std::optional<std::uint32_t> variant_of(TypeId t) {
    if (take_sign("%")) return number();
    if (token_.kind == Token::Kind::name && token_.suffix == '%' && token_.text.empty()) {
      const std::uint32_t n = token_.suffix_number;
      next();
      return n;
    }
    const TypeDecl* decl = declaration(t);
    for (std::uint32_t i = 0; decl != nullptr && i < decl->variants.size(); ++i) {
      if (take_word(names_.text(decl->variants[i].name))) return i;
    }
    return std::nullopt;
  }

  Projection projection(TypeId at) {
    Projection x;
    if (take_sign("[")) {
      x.kind = ProjectionKind::index;
      x.at = local();
      sign("]");
      return x;
    }
    sign(".");
    if (take_sign("?")) {
      x.kind = ProjectionKind::some;
    } else if (take_sign("*")) {
      x.kind = ProjectionKind::deref;
    } else if (take_sign("^")) {
      x.kind = ProjectionKind::inside;
    } else if (take_sign("#")) {
      x.index = number();
    } else if (token_.kind == Token::Kind::number) {
      x.kind = ProjectionKind::part;
      x.index = number();
    } else if (auto field = field_of(at)) {
      x.index = *field;
    } else if (auto variant = variant_of(at)) {
      x.kind = ProjectionKind::payload;
      x.variant = *variant;
      sign("#");
      x.index = number();
    } else {
      fail("there is no part " + shown() + " here");
    }
    return x;
  }

  std::optional<std::uint32_t> field_of(TypeId t) {
    const TypeDecl* decl = declaration(t);
    for (std::uint32_t i = 0; decl != nullptr && i < decl->fields.size(); ++i) {
      if (take_word(names_.text(decl->fields[i].name))) return i;
    }
    return std::nullopt;
  }

  Operand operand() {
    static constexpr std::pair<std::string_view, OperandKind> kinds[] = {{"copy", OperandKind::copy},
                                                                         {"move", OperandKind::move},
                                                                         {"dup", OperandKind::dup},
                                                                         {"lend", OperandKind::lend},
                                                                         {"lend_mut", OperandKind::lend_mut}};
    Operand o;
    for (const auto& [name, kind] : kinds) {
      if (!take_word(name)) continue;
      o.kind = kind;
      o.place = place();
      if (!ok()) return o;
      o.type = place_type(f_, o.place);
      if (kind == OperandKind::lend || kind == OperandKind::lend_mut) {
        o.type = types_.ref(o.type, kind == OperandKind::lend_mut);
      }
      if (take_sign(":")) o.type = type();
      return o;
    }
    o.type = constant(o.constant);
    if (take_sign(":")) o.type = type();
    if (ok() && !o.type.valid()) fail("a constant whose type does not follow says it with `: T`");
    return o;
  }

  // Gives the usual type, invalid where there is none.
  TypeId constant(Constant& c) {
    if (take_word("unit")) {
      c = ConstUnit{};
      return types_.basic(TypeKind::unit);
    }
    if (is_word("true") || is_word("false")) {
      c = ConstBool{is_word("true")};
      next();
      return types_.basic(TypeKind::bool_);
    }
    if (take_word("null")) {
      c = ConstNull{};
      return {};
    }
    if (take_word("char")) {
      c = ConstChar{scalar()};
      return types_.basic(TypeKind::char_);
    }
    if (take_word("float")) {
      c = ConstFloat{float_value()};
      return types_.basic(TypeKind::f64);
    }
    if (take_word("fn")) {
      ConstFn f{fn_path(), {}};
      if (is_sign("[")) {
        const std::vector<TypeId> args = type_args();
        f.type_args = ThinList<TypeId>(args.begin(), args.end());
      }
      c = std::move(f);
      return {};
    }
    if (token_.kind == Token::Kind::string) {
      c = ConstText{names_.intern(string())};
      return types_.ref(types_.basic(TypeKind::string));
    }
    c = ConstInt{static_cast<std::uint64_t>(integer())};
    return types_.basic(TypeKind::i64);
  }

  std::int64_t integer() {
    const bool is_negative = take_sign("-");
    if (token_.kind != Token::Kind::number) {
      fail("expected an operand instead of " + shown());
      return 0;
    }
    const auto n = to_number<std::uint64_t>(token_.text);
    next();
    return static_cast<std::int64_t>(is_negative ? 0 - n : n);
  }

  double float_value() {
    const bool is_negative = take_sign("-");
    double d = 0;
    if (take_word("inf")) {
      d = std::numeric_limits<double>::infinity();
    } else if (take_word("nan")) {
      d = std::numeric_limits<double>::quiet_NaN();
    } else if (token_.kind == Token::Kind::number) {
      const auto read = std::from_chars(token_.text.data(), token_.text.data() + token_.text.size(), d);
      if (read.ptr != token_.text.data() + token_.text.size() || read.ec != std::errc())
        fail("not a number that fits here");
      next();
    } else {
      fail("expected a number instead of " + shown());
    }
    return is_negative ? -d : d;
  }

  std::vector<Operand> operands() {
    std::vector<Operand> all;
    list("(", ")", [&] { all.push_back(operand()); });
    return all;
  }

  // ---- values

  std::optional<BinaryOp> binary_op() {
    for (std::size_t i = 0; i <= static_cast<std::size_t>(BinaryOp::concat); ++i) {
      if (take_word(spelling(static_cast<BinaryOp>(i)))) return static_cast<BinaryOp>(i);
    }
    return std::nullopt;
  }

  Value value() {
    if (auto op = binary_op()) {
      Binary b{*op, operand(), {}};
      sign(",");
      b.right = operand();
      return b;
    }
    for (UnaryOp op : {UnaryOp::negate, UnaryOp::not_, UnaryOp::bit_not}) {
      if (take_word(spelling(op))) return Unary{op, operand()};
    }
    if (take_word("cast")) {
      Cast c{operand(), {}};
      word("as");
      c.to = type();
      return c;
    }
    if (take_word("some")) return Wrap{operand()};
    if (take_word("is_null")) return IsNull{place()};
    if (take_word("struct")) {
      const TypeId t = type();
      return MakeStruct{t, operands()};
    }
    if (take_word("variant")) return variant_value();
    if (take_word("tuple")) return MakeTuple{operands()};
    if (take_word("list")) {
      const TypeId t = type();
      return MakeList{t, operands()};
    }
    if (take_word("range")) {
      MakeRange r{{}, {}, take_word("inclusive")};
      r.low = operand();
      sign(",");
      r.high = operand();
      return r;
    }
    if (take_word("to_text")) return ToText{operand()};
    if (take_word("map_read")) {
      MapRead m{place(), {}};
      sign(",");
      m.key = operand();
      return m;
    }
    if (take_word("slice")) {
      Slice s{place(), {}};
      sign(",");
      s.range = operand();
      return s;
    }
    if (take_word("closure")) {
      const bool is_kept = take_word("kept");
      MakeClosure c = closure();
      c.is_kept = is_kept;
      return c;
    }
    if (take_word("format")) return format();
    if (take_word("error_is")) {
      ErrorIs e{place(), {}};
      word("of");
      e.type = type();
      return e;
    }
    if (take_word("error_as")) {
      ErrorAs e{place(), {}};
      word("of");
      e.type = type();
      return e;
    }
    for (const auto& [kind, name] : member_names) {
      if (!take_word(name)) continue;
      Member m{kind, place(), {}};
      word("of");
      m.type = type();
      return m;
    }
    if (take_word("failure")) {
      MakeFailure m{operand(), 0};
      word("site");
      m.site = number();
      return m;
    }
    return Use{operand()};
  }

  Value variant_value() {
    if (take_word("of")) return VariantOf{place()};
    // The name comes before the type that declares it.
    const Token name = token_;
    next();
    word("of");
    MakeVariant made{type(), 0, {}};
    if (!ok()) return made;
    if (name.kind == Token::Kind::name && name.suffix == '%' && name.text.empty()) {
      made.variant = name.suffix_number;
    } else {
      const TypeDecl* decl = declaration(made.type);
      bool found = false;
      for (std::uint32_t i = 0; decl != nullptr && i < decl->variants.size() && !found; ++i) {
        found = name.kind == Token::Kind::name && names_.text(decl->variants[i].name) == name.text;
        if (found) made.variant = i;
      }
      if (!found) fail_at(name.begin, "there is no variant `" + std::string(name.text) + "`");
    }
    made.parts = operands();
    return made;
  }

  Value format() {
    Format f;
    list("(", ")", [&] {
      FormatPiece p{};
      if (take_word("hole")) {
        p.is_hole = true;
        p.value = operand();
        if (is_sign("{")) format_spec(p.spec);
      } else {
        p.text = string();
      }
      f.pieces.push_back(std::move(p));
    });
    return f;
  }

  void format_spec(ast::FormatSpec& s) {
    sign("{");
    s.present = true;
    while (ok() && !is_sign("}")) {
      if (take_word("fill"))
        s.fill = scalar();
      else if (take_word("align"))
        s.align = letter();
      else if (take_word("plus"))
        s.plus = true;
      else if (take_word("alternate"))
        s.alternate = true;
      else if (take_word("zero"))
        s.zero = true;
      else if (take_word("width"))
        s.has_width = true, s.width = number();
      else if (take_word("precision"))
        s.has_precision = true, s.precision = number();
      else if (take_word("kind"))
        s.kind = letter();
      else
        fail("no word of a format: " + shown());
    }
    sign("}");
  }

  MakeClosure closure() {
    static constexpr CaptureMode modes[] = {CaptureMode::lend, CaptureMode::lend_mut, CaptureMode::copy,
                                            CaptureMode::move, CaptureMode::dup};
    MakeClosure c;
    c.is_kept = false;
    sign("#");
    c.function = FunctionId(number());
    list("(", ")", [&] {
      Capture x;
      bool found = false;
      for (CaptureMode m : modes) {
        if (found) break;
        found = take_word(spelling(m));
        if (found) x.mode = m;
      }
      if (!found) return fail("expected how it is captured instead of " + shown());
      x.place = place();
      word("as");
      if (token_.kind == Token::Kind::name && token_.suffix == '%' && token_.text.empty()) {
        x.inner = LocalId(token_.suffix_number);
        next();
      } else {
        fail("expected the number of a local of the closure instead of " + shown());
      }
      c.captures.push_back(std::move(x));
    });
    return c;
  }

  // ---- instructions

  RegionId region() {
    const Deeper deeper(*this);
    const RegionId r = f_.regions.add({});
    sign("{");
    instructions(r);
    sign("}");
    return r;
  }

  void instructions(RegionId r) {
    while (ok() && !is_sign("}") && token_.kind != Token::Kind::end) {
      const InstrId id = f_.instrs.emplace(Unreachable{}, Span{});
      f_.regions[r].push_back(id);
      Span at;
      Node node = instr(at);
      f_.instrs[id] = {std::move(node), at};
    }
  }

  FailEdge edge() {
    FailEdge e;
    if (!take_word("on")) return e;
    e.error = local();
    e.region = region();
    return e;
  }

  // `at`: the span, which stands in front of the regions.
  Node instr(Span& at) {
    const auto ended = [&](Node n) {
      at = span();
      return n;
    };
    if (take_word("declare")) return ended(Declare{local()});
    if (take_word("drop")) {
      Drop d;
      do d.locals.push_back(local());
      while (take_sign(","));
      return ended(std::move(d));
    }
    if (take_word("leave")) return ended(Leave{label()});
    if (take_word("again")) return ended(Again{label()});
    if (take_word("unreachable")) return ended(Unreachable{});
    if (take_word("panic")) return ended(Panic{operand()});
    if (take_word("fail")) return ended(Fail{operand()});
    if (take_word("store")) {
      Store s{place(), {}};
      sign("=");
      s.value = operand();
      return ended(std::move(s));
    }
    if (take_word("map_write")) {
      MapWrite m{place(), {}, {}};
      sign(",");
      m.key = operand();
      sign("=");
      m.value = operand();
      return ended(std::move(m));
    }
    if (take_word("raise")) {
      Raise r{label(), {}};
      r.error = operand();
      return ended(std::move(r));
    }
    if (take_word("return")) {
      Return r{{}, false};
      r.value.type = types_.basic(TypeKind::unit);
      if (!is_sign("}") && !is_sign("!")) {
        r.value = operand();
        r.has_value = true;
      }
      return ended(std::move(r));
    }
    if (take_word("cleanup")) {
      Cleanup c{local(), false, {}};
      word("into");
      c.error = local();
      c.may_pause = take_word("pauses");
      return ended(std::move(c));
    }
    if (take_word("if")) {
      If i{operand(), {}, {}};
      at = span();
      i.then_region = region();
      if (take_word("else")) i.else_region = region();
      return i;
    }
    if (take_word("switch")) return switch_(at);
    if (take_word("loop")) {
      Loop l{label(), {}};
      at = span();
      l.body = region();
      return l;
    }
    if (take_word("block")) {
      Block b{label(), {}};
      at = span();
      b.body = region();
      return b;
    }
    if (take_word("scope")) {
      at = span();
      return Scope{region()};
    }
    if (take_word("guard")) {
      Guard g{label(), {}, {}, {}};
      at = span();
      g.body = region();
      word("catch");
      g.error = local();
      g.handler = region();
      return g;
    }
    if (take_word("walk")) return walk(at);
    if (is_word("call") || is_word("overlap") || is_word("pair") || is_word("race") || is_word("spawn"))
      return effect({}, at);
    Place to = place();
    sign("=");
    if (is_word("call") || is_word("overlap") || is_word("pair") || is_word("race") || is_word("spawn")) {
      if (!to.is_local()) fail("what a call hands back goes to a local");
      return effect(to.root, at);
    }
    Assign a{std::move(to), value()};
    return ended(std::move(a));
  }

  Node effect(LocalId to, Span& at) {
    if (take_word("call")) {
      Call c;
      c.to = to;
      if (take_word("value")) {
        c.callee = place();
      } else {
        c.fn = fn_path();
        if (is_sign("[")) c.type_args = type_args();
      }
      c.args = operands();
      c.result = types_.basic(TypeKind::unit);
      if (take_sign("->")) c.result = type();
      c.may_pause = take_word("pauses");
      at = span();
      c.on_fail = edge();
      return c;
    }
    const bool is_race = take_word("race");
    const bool is_pair = !is_race && take_word("pair");
    if (is_race || is_pair || take_word("overlap")) {
      Overlap o;
      o.to = to;
      o.is_pair = is_pair;
      if (is_race) o.winner = local();
      list("(", ")", [&] {
        word("branch");
        o.branches.push_back(closure());
        o.branch_fails.push_back(take_word("fails") ? 1 : 0);
      });
      at = span();
      o.on_fail = edge();
      return o;
    }
    word("spawn");
    Spawn s{to, closure(), false, 0};
    s.task.is_kept = true;
    s.can_fail = take_word("fails");
    word("line");
    s.line = number();
    at = span();
    return s;
  }

  Node switch_(Span& at) {
    Switch s;
    s.on = operand();
    at = span();
    sign("{");
    while (ok() && take_word("case")) {
      SwitchCase c;
      do {
        c.values.push_back(integer());
      } while (ok() && take_sign(","));
      c.region = region();
      s.cases.push_back(std::move(c));
    }
    if (take_word("otherwise")) s.otherwise = region();
    sign("}");
    return s;
  }

  Node walk(Span& at) {
    Walk w;
    w.label = label();
    w.subject = operand();
    word("as");
    do {
      w.elements.push_back(local());
    } while (ok() && take_sign(","));
    w.step_fails = take_word("fails");
    w.step_pauses = take_word("pauses");
    at = span();
    w.on_fail = edge();
    w.body = region();
    return w;
  }

  // ---- after all functions

  void check_references() {
    const auto check = [&](FunctionId id) {
      if (id.valid() && !module_.functions.contains(id))
        fail_at(text_.size(), "there is no function #" + std::to_string(id.index));
    };
    check(module_.main);
    for (const Function& f : module_.functions) {
      check(f.parent);
      for (const Instr& i : f.instrs) {
        visit_uses(
            i.node, [](const Operand&) {}, [](const Place&) {},
            [&](const MakeClosure& c) {
              check(c.function);
              if (!module_.functions.contains(c.function)) return;
              for (const Capture& x : c.captures) {
                if (!module_.functions[c.function].locals.contains(x.inner)) {
                  fail_at(text_.size(), "function #" + std::to_string(c.function.index) + " has no local %" +
                                            std::to_string(x.inner.index));
                }
              }
            });
      }
    }
  }

  TypeTable& types_;
  const Declarations& decls_;
  Interner& names_;
  Spellings spellings_;

  Module module_;
  Function f_;
  std::vector<TypeParamId> scope_;
  std::unordered_map<std::string_view, LocalId> by_name_;
  std::uint32_t max_label_ = 0;
};

}  // namespace

tl::expected<Module, TextError> parse_module(std::string_view text, TypeTable& types, const Declarations& decls,
                                             Interner& names) {
  return Parser(text, types, decls, names).module();
}

}  // namespace nikaia::lang::nir
