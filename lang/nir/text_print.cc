// Printing NIR; the form is described in text.h, its grammar in text_parse.cc.
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "lang/nir/places.h"
#include "lang/nir/spelling.h"
#include "lang/nir/text.h"
#include "lang/text/source.h"

namespace nikaia::lang::nir {
namespace {

std::string scalar_text(char32_t c) {
  std::string s;
  const auto u = static_cast<std::uint32_t>(c);
  auto put = [&](std::uint32_t b) { s += static_cast<char>(b); };
  if (u < 0x80) {
    put(u);
  } else if (u < 0x800) {
    put(0xc0 | u >> 6);
    put(0x80 | (u & 63));
  } else if (u < 0x10000) {
    put(0xe0 | u >> 12);
    put(0x80 | (u >> 6 & 63));
    put(0x80 | (u & 63));
  } else {
    put(0xf0 | (u >> 18 & 7));
    put(0x80 | (u >> 12 & 63));
    put(0x80 | (u >> 6 & 63));
    put(0x80 | (u & 63));
  }
  return s;
}

class TypePrinter {
 public:
  TypePrinter(const TextWorld& world, const Spellings& spellings, const std::vector<TypeParamId>& scope)
      : world_(world), spellings_(spellings), scope_(scope) {}

  std::string text(TypeId id) const {
    std::string out;
    write(id, out);
    return out;
  }

  void write(TypeId id, std::string& out) const {
    if (!id.valid()) {
      out += '_';
      return;
    }
    const Type& t = world_.types[id];
    switch (t.kind) {
      case TypeKind::error: out += "refused"; return;
      case TypeKind::never: out += "never"; return;
      case TypeKind::unit: out += "()"; return;
      case TypeKind::i32: out += "i32"; return;
      case TypeKind::i64: out += "i64"; return;
      case TypeKind::u8: out += "u8"; return;
      case TypeKind::u32: out += "u32"; return;
      case TypeKind::u64: out += "u64"; return;
      case TypeKind::f64: out += "f64"; return;
      case TypeKind::bool_: out += "bool"; return;
      case TypeKind::char_: out += "char"; return;
      case TypeKind::string: out += "String"; return;
      case TypeKind::named:
        out += spellings_.of(t.decl);
        if (!t.args.empty()) list(t.args, "[", "]", out);
        return;
      case TypeKind::array:
        out += "Array[";
        write(t.args[0], out);
        if (t.length != Type::unsized) out += ", " + std::to_string(t.length);
        out += ']';
        return;
      case TypeKind::tuple: list(t.args, "(", t.args.size() < 2 ? ",)" : ")", out); return;
      case TypeKind::ref:
        out += t.is_mut ? "ref mut " : "ref ";
        write(t.args[0], out);
        return;
      case TypeKind::nullable: {
        const TypeKind inner = world_.types.kind(t.args[0]);
        const bool wraps = inner == TypeKind::ref || inner == TypeKind::function;
        if (wraps) out += '(';
        write(t.args[0], out);
        out += wraps ? ")?" : "?";
        return;
      }
      case TypeKind::function: {
        const std::vector<TypeId> params(t.args.begin(), t.args.end() - 1);
        list(params, "fn(", ")", out);
        if (t.is_sync) out += " sync";
        if (t.is_throws) out += " throws";
        out += " -> ";
        write(t.args.back(), out);
        return;
      }
      case TypeKind::range: list(t.args, "Range[", "]", out); return;
      case TypeKind::seq: {
        if (t.decl.valid()) {
          out += spellings_.of(t.decl);
          return;
        }
        static constexpr std::array<const char*, 6> words = {"sync", "pauses", "throws", "ends", "sized", "replays"};
        out += "Seq[";
        write(t.args[0], out);
        for (std::size_t i = 0; i < words.size(); ++i) {
          if (t.words >> i & 1) out += std::string(", ") + words[i];
        }
        out += ']';
        return;
      }
      case TypeKind::error_sum:
        list(t.args, "errors(", t.is_open ? (t.args.empty() ? "?)" : ", ?)") : ")", out);
        return;
      case TypeKind::param: write_param(TypeParamId(t.index), out); return;
      case TypeKind::infer: out += "refused"; return;  // never in a published fact
    }
  }

 private:
  void list(const std::vector<TypeId>& types, const char* open, const char* close, std::string& out) const {
    out += open;
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (i != 0) out += ", ";
      write(types[i], out);
    }
    out += close;
  }

  void write_param(TypeParamId id, std::string& out) const {
    out += '\'';
    const std::string name(world_.names.text(world_.decls.type_params[id].name));
    bool is_here = false, is_alone = true;
    for (TypeParamId p : scope_) {
      if (p == id)
        is_here = true;
      else if (world_.decls.type_params[p].name == world_.decls.type_params[id].name)
        is_alone = false;
    }
    out += is_identifier(name) ? name : "_";
    if (!is_here || !is_alone || !is_identifier(name)) out += "@" + std::to_string(id.index);
  }

  const TextWorld& world_;
  const Spellings& spellings_;
  const std::vector<TypeParamId>& scope_;
};

class FunctionPrinter {
 public:
  FunctionPrinter(const TextWorld& world, const Spellings& spellings, const Function& f, const PrintOptions& options)
      : world_(world), spellings_(spellings), f_(f), options_(options), types_(world, spellings, f.type_params) {
    std::unordered_map<Name, int> count;
    for (const Local& l : f_.locals) ++count[l.name];
    for (std::size_t i = 0; i < f_.locals.size(); ++i) {
      const Name name = f_.locals[LocalId(i)].name;
      const std::string_view text = world_.names.text(name);
      const bool has_name = name.valid() && is_identifier(text);
      std::string s = has_name ? std::string(text) : "";
      if (!has_name || count[name] > 1 || is_word(text)) s += "%" + std::to_string(i);
      locals_.push_back(std::move(s));
    }
  }

  std::string function(FunctionId id) {
    header(id);
    for (std::size_t i = 0; i < f_.locals.size(); ++i) {
      const Local& l = f_.locals[LocalId(i)];
      out_ += "  " + std::string(spelling(l.kind)) + (l.is_mut ? " mut " : " ") + locals_[i] + ": ";
      types_.write(l.type, out_);
      span(l.span);
      out_ += '\n';
    }
    if (f_.body.valid()) instructions(f_.body, 1);
    out_ += "}\n";
    return std::move(out_);
  }

  std::string line_of(InstrId id) {
    leaves_regions_out_ = true;
    instr(id, 0);
    while (!out_.empty() && out_.back() == '\n') out_.pop_back();
    return std::move(out_);
  }

  std::string text_of(const Place& p) {
    place(p);
    return std::move(out_);
  }

 private:
  void header(FunctionId id) {
    out_ += f_.kind == FunctionKind::fn ? "fn " : "closure ";
    out_ += (is_path(f_.name) ? f_.name : quoted(f_.name)) + " #" + std::to_string(id.index);
    if (!f_.type_params.empty()) {
      out_ += " [";
      for (std::size_t i = 0; i < f_.type_params.size(); ++i) {
        const std::string_view name = world_.names.text(world_.decls.type_params[f_.type_params[i]].name);
        out_ += i == 0 ? "" : ", ";
        out_ += is_identifier(name) ? name : "_";
        out_ += "@" + std::to_string(f_.type_params[i].index);
      }
      out_ += ']';
    }
    out_ += " (";
    for (std::size_t i = 0; i < f_.params.size(); ++i) out_ += (i == 0 ? "" : ", ") + local(f_.params[i]);
    out_ += ")";
    if (f_.result.valid() && world_.types.kind(f_.result) != TypeKind::unit) {
      out_ += " -> ";
      types_.write(f_.result, out_);
    }
    if (f_.can_fail) out_ += " fails";
    if (f_.may_pause) out_ += " pauses";
    if (f_.source.valid()) out_ += " of " + spellings_.of(f_.source);
    if (f_.parent.valid()) out_ += " inside #" + std::to_string(f_.parent.index);
    if (!f_.type_args.empty()) {
      out_ += " value";
      type_args(f_.type_args);
    }
    if (options_.with_spans && f_.file.valid()) out_ += " file " + std::to_string(f_.file.index);
    span(f_.span);
    out_ += " {\n";
  }

  const std::string& local(LocalId id) {
    static const std::string nothing = "%none";
    return f_.locals.contains(id) ? locals_[id.index] : nothing;
  }

  void span(Span s, const char* sign = " !") {
    if (options_.with_spans && s.has_text()) {
      out_ += sign + std::to_string(s.begin) + "-" + std::to_string(s.end);
    }
  }

  template <class List>
  void type_args(const List& args) {
    out_ += '[';
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (i != 0) out_ += ", ";
      types_.write(args[i], out_);
    }
    out_ += ']';
  }

  // ---- places and operands

  void place(const Place& p) {
    out_ += local(p.root);
    TypeId at = f_.locals.contains(p.root) ? f_.locals[p.root].type : TypeId{};
    for (const Projection& x : p.path) {
      projection(at, x);
      const TypeId expected = projected_type(world_.types, world_.decls, at, x);
      if (!(expected == x.type) && x.type.valid()) {
        out_ += '<';
        types_.write(x.type, out_);
        out_ += '>';
      }
      at = x.type.valid() ? x.type : expected;
    }
    span(p.span, " @");
  }

  void projection(TypeId at, const Projection& x) {
    const TypeDecl* decl = nullptr;
    if (at.valid() && world_.types.kind(at) == TypeKind::named) decl = &world_.decls.types[world_.types[at].decl];
    switch (x.kind) {
      case ProjectionKind::field:
        out_ += '.';
        if (decl != nullptr && x.index < decl->fields.size() &&
            is_identifier(world_.names.text(decl->fields[x.index].name))) {
          out_ += world_.names.text(decl->fields[x.index].name);
        } else {
          out_ += "#" + std::to_string(x.index);
        }
        return;
      case ProjectionKind::part: out_ += "." + std::to_string(x.index); return;
      case ProjectionKind::payload:
        out_ += '.';
        variant_name(decl, x.variant);
        out_ += "#" + std::to_string(x.index);
        return;
      case ProjectionKind::some: out_ += ".?"; return;
      case ProjectionKind::deref: out_ += ".*"; return;
      case ProjectionKind::inside: out_ += ".^"; return;
      case ProjectionKind::index: out_ += "[" + local(x.at) + "]"; return;
    }
  }

  void variant_name(const TypeDecl* decl, std::uint32_t variant) {
    if (decl != nullptr && variant < decl->variants.size() &&
        is_identifier(world_.names.text(decl->variants[variant].name))) {
      out_ += world_.names.text(decl->variants[variant].name);
    } else {
      out_ += "%" + std::to_string(variant);
    }
  }

  void operand(const Operand& o) {
    static constexpr std::array<std::string_view, 6> words = {"", "copy ", "move ", "dup ", "lend ", "lend_mut "};
    if (o.kind == OperandKind::constant) return constant(o);
    out_ += words[static_cast<std::size_t>(o.kind)];
    place(o.place);
    const TypeId at = f_.locals.contains(o.place.root) ? place_type(f_, o.place) : TypeId{};
    bool is_expected = o.type == at;
    if (o.kind == OperandKind::lend || o.kind == OperandKind::lend_mut) {
      const bool is_mut = o.kind == OperandKind::lend_mut;
      is_expected = at.valid() && o.type.valid() && world_.types.ref(at, is_mut) == o.type;
    }
    if (!is_expected && o.type.valid()) {
      out_ += ": ";
      types_.write(o.type, out_);
    }
  }

  void constant(const Operand& o) {
    TypeId usual;
    const TypeTable& t = world_.types;
    std::visit(
        [&](const auto& c) {
          using C = std::decay_t<decltype(c)>;
          if constexpr (std::is_same_v<C, ConstUnit>) {
            out_ += "unit";
            usual = t.basic(TypeKind::unit);
          } else if constexpr (std::is_same_v<C, ConstInt>) {
            const bool is_unsigned = o.type.valid() && t.kind(o.type) == TypeKind::u64;
            out_ += is_unsigned ? std::to_string(c.bits) : std::to_string(static_cast<std::int64_t>(c.bits));
            usual = t.basic(TypeKind::i64);
          } else if constexpr (std::is_same_v<C, ConstFloat>) {
            std::array<char, 40> digits{};
            const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), c.value).ptr;
            out_ += "float " +
                    std::string(std::isnan(c.value)
                                    ? "nan"
                                    : std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
            usual = t.basic(TypeKind::f64);
          } else if constexpr (std::is_same_v<C, ConstBool>) {
            out_ += c.value ? "true" : "false";
            usual = t.basic(TypeKind::bool_);
          } else if constexpr (std::is_same_v<C, ConstChar>) {
            out_ += "char " + quoted(scalar_text(c.value));
            usual = t.basic(TypeKind::char_);
          } else if constexpr (std::is_same_v<C, ConstText>) {
            out_ += quoted(world_.names.text(c.text));
            usual = world_.types.ref(t.basic(TypeKind::string));
          } else if constexpr (std::is_same_v<C, ConstNull>) {
            out_ += "null";
          } else {
            out_ += "fn " + spellings_.of(c.fn);
            if (!c.type_args.empty()) type_args(c.type_args);
          }
        },
        o.constant);
    if (!(usual == o.type) && o.type.valid()) {
      out_ += ": ";
      types_.write(o.type, out_);
    }
  }

  void operands(const std::vector<Operand>& list, const char* open, const char* close) {
    out_ += open;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i != 0) out_ += ", ";
      operand(list[i]);
    }
    out_ += close;
  }

  // ---- values

  void value(const Value& v) {
    std::visit([&](const auto& x) { this->one_value(x); }, v);
  }

  void one_value(const Use& x) { operand(x.value); }
  void one_value(const Binary& x) {
    out_ += std::string(spelling(x.op)) + " ";
    operand(x.left);
    out_ += ", ";
    operand(x.right);
  }
  void one_value(const Unary& x) {
    out_ += std::string(spelling(x.op)) + " ";
    operand(x.value);
  }
  void one_value(const Cast& x) {
    out_ += "cast ";
    operand(x.value);
    out_ += " as ";
    types_.write(x.to, out_);
  }
  void one_value(const Wrap& x) {
    out_ += "some ";
    operand(x.value);
  }
  void one_value(const IsNull& x) {
    out_ += "is_null ";
    place(x.place);
  }
  void one_value(const VariantOf& x) {
    out_ += "variant of ";
    place(x.place);
  }
  void one_value(const MakeStruct& x) {
    out_ += "struct ";
    types_.write(x.type, out_);
    operands(x.fields, " (", ")");
  }
  void one_value(const MakeVariant& x) {
    out_ += "variant ";
    const bool is_named = x.type.valid() && world_.types.kind(x.type) == TypeKind::named;
    const TypeDecl* decl = is_named ? &world_.decls.types[world_.types[x.type].decl] : nullptr;
    const bool is_word_like = decl != nullptr && x.variant < decl->variants.size() &&
                              world_.names.text(decl->variants[x.variant].name) == "of";
    variant_name(is_word_like ? nullptr : decl, x.variant);
    out_ += " of ";
    types_.write(x.type, out_);
    operands(x.parts, " (", ")");
  }
  void one_value(const MakeTuple& x) {
    out_ += "tuple";
    operands(x.parts, " (", ")");
  }
  void one_value(const MakeList& x) {
    out_ += "list ";
    types_.write(x.type, out_);
    operands(x.elements, " (", ")");
  }
  void one_value(const MakeRange& x) {
    out_ += x.is_inclusive ? "range inclusive " : "range ";
    operand(x.low);
    out_ += ", ";
    operand(x.high);
  }
  void one_value(const ToText& x) {
    out_ += "to_text ";
    operand(x.text);
  }
  void one_value(const MapRead& x) {
    out_ += "map_read ";
    place(x.map);
    out_ += ", ";
    operand(x.key);
  }
  void one_value(const Slice& x) {
    out_ += "slice ";
    place(x.subject);
    out_ += ", ";
    operand(x.range);
  }
  void one_value(const MakeClosure& x) {
    out_ += x.is_kept ? "closure kept " : "closure ";
    closure(x);
  }
  void one_value(const Format& x) {
    out_ += "format (";
    for (std::size_t i = 0; i < x.pieces.size(); ++i) {
      if (i != 0) out_ += ", ";
      const FormatPiece& p = x.pieces[i];
      if (!p.is_hole) {
        out_ += quoted(p.text);
        continue;
      }
      out_ += "hole ";
      operand(p.value);
      if (p.spec.present) format_spec(p.spec);
    }
    out_ += ')';
  }
  void one_value(const ErrorIs& x) {
    out_ += "error_is ";
    place(x.error);
    out_ += " of ";
    types_.write(x.type, out_);
  }
  void one_value(const ErrorAs& x) {
    out_ += "error_as ";
    place(x.error);
    out_ += " of ";
    types_.write(x.type, out_);
  }
  void one_value(const Member& x) {
    for (const auto& [kind, name] : member_names) {
      if (kind == x.kind) out_ += name;
    }
    out_ += ' ';
    place(x.of);
    out_ += " of ";
    types_.write(x.type, out_);
  }
  void one_value(const MakeFailure& x) {
    out_ += "failure ";
    operand(x.value);
    out_ += " site " + std::to_string(x.site);
  }

  void format_spec(const ast::FormatSpec& s) {
    out_ += " {";
    if (s.fill != U' ') out_ += "fill " + quoted(scalar_text(s.fill)) + " ";
    if (s.align != 0) out_ += "align " + quoted({&s.align, 1}) + " ";
    if (s.plus) out_ += "plus ";
    if (s.alternate) out_ += "alternate ";
    if (s.zero) out_ += "zero ";
    if (s.has_width) out_ += "width " + std::to_string(s.width) + " ";
    if (s.has_precision) out_ += "precision " + std::to_string(s.precision) + " ";
    if (s.kind != 0) out_ += "kind " + quoted({&s.kind, 1}) + " ";
    if (out_.back() == ' ') out_.pop_back();
    out_ += '}';
  }

  void closure(const MakeClosure& c) {
    out_ += "#" + std::to_string(c.function.index) + " (";
    for (std::size_t i = 0; i < c.captures.size(); ++i) {
      const Capture& x = c.captures[i];
      out_ += (i == 0 ? "" : ", ") + std::string(spelling(x.mode)) + " ";
      place(x.place);
      out_ += " as %" + std::to_string(x.inner.index);
    }
    out_ += ')';
  }

  // ---- instructions

  void indent(int depth) { out_.append(static_cast<std::size_t>(depth) * 2, ' '); }

  void region(RegionId r, int depth) {
    if (leaves_regions_out_) {
      out_ += "{ … }";
      return;
    }
    out_ += "{\n";
    instructions(r, depth + 1);
    indent(depth);
    out_ += '}';
  }

  void instructions(RegionId r, int depth) {
    if (!f_.regions.contains(r)) return;
    for (InstrId i : f_.regions[r]) {
      source_line(f_.instrs[i].span, depth);
      indent(depth);
      instr(i, depth);
      out_ += '\n';
    }
  }

  void source_line(Span s, int depth) {
    if (options_.sources == nullptr || !s.has_text()) return;
    const std::uint32_t line = options_.sources->line_of(s.file, s.begin);
    if (line == last_line_) return;
    last_line_ = line;
    std::string_view text = options_.sources->line_text(s.file, line);
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    indent(depth);
    out_ += "// " + std::to_string(line) + ": " + std::string(text) + "\n";
  }

  void fail(const FailEdge& e, int depth) {
    if (!e.valid()) return;
    out_ += " on " + local(e.error) + " ";
    region(e.region, depth);
  }

  void assigned(LocalId to) {
    if (to.valid()) out_ += local(to) + " = ";
  }

  void instr(InstrId id, int depth) {
    const Instr& i = f_.instrs[id];
    // The span of an instruction with regions stands in front of them, where it is still near the words.
    std::visit([&](const auto& n) { this->one(n, depth, i.span); }, i.node);
  }

  void one(const Declare& n, int, Span s) { simple("declare " + local(n.local), s); }
  void one(const Drop& n, int, Span s) {
    std::string text = "drop ";
    for (std::size_t i = 0; i < n.locals.size(); ++i) text += (i == 0 ? "" : ", ") + local(n.locals[i]);
    simple(text, s);
  }
  void one(const Leave& n, int, Span s) { simple("leave " + label(n.label), s); }
  void one(const Again& n, int, Span s) { simple("again " + label(n.label), s); }
  void one(const Unreachable&, int, Span s) { simple("unreachable", s); }
  void one(const Assign& n, int, Span s) {
    place(n.to);
    out_ += " = ";
    value(n.value);
    span(s);
  }
  void one(const Store& n, int, Span s) {
    out_ += "store ";
    place(n.to);
    out_ += " = ";
    operand(n.value);
    span(s);
  }
  void one(const MapWrite& n, int, Span s) {
    out_ += "map_write ";
    place(n.map);
    out_ += ", ";
    operand(n.key);
    out_ += " = ";
    operand(n.value);
    span(s);
  }
  void one(const Call& n, int depth, Span s) {
    assigned(n.to);
    out_ += "call ";
    if (n.fn.valid()) {
      out_ += spellings_.of(n.fn);
    } else {
      out_ += "value ";
      place(n.callee);
    }
    if (n.fn.valid() && !n.type_args.empty()) type_args(n.type_args);
    operands(n.args, "(", ")");
    if (n.result.valid() && world_.types.kind(n.result) != TypeKind::unit) {
      out_ += " -> ";
      types_.write(n.result, out_);
    }
    if (n.may_pause) out_ += " pauses";
    span(s);
    fail(n.on_fail, depth);
  }
  void one(const Cleanup& n, int depth, Span s) {
    out_ += "cleanup " + local(n.local) + " into " + local(n.error);
    if (n.may_pause) out_ += " pauses";
    span(s);
    (void)depth;
  }
  void one(const If& n, int depth, Span s) {
    out_ += "if ";
    operand(n.cond);
    span(s);
    out_ += ' ';
    region(n.then_region, depth);
    if (n.else_region.valid()) {
      out_ += " else ";
      region(n.else_region, depth);
    }
  }
  void one(const Switch& n, int depth, Span s) {
    out_ += "switch ";
    operand(n.on);
    span(s);
    if (leaves_regions_out_) {
      out_ += " { … }";
      return;
    }
    out_ += " {\n";
    for (const SwitchCase& c : n.cases) {
      indent(depth + 1);
      out_ += "case ";
      for (std::size_t i = 0; i < c.values.size(); ++i) {
        out_ += (i == 0 ? "" : ", ") + std::to_string(c.values[i]);
      }
      out_ += ' ';
      region(c.region, depth + 1);
      out_ += '\n';
    }
    if (n.otherwise.valid()) {
      indent(depth + 1);
      out_ += "otherwise ";
      region(n.otherwise, depth + 1);
      out_ += '\n';
    }
    indent(depth);
    out_ += '}';
  }
  void one(const Loop& n, int depth, Span s) { labelled("loop ", n.label, n.body, depth, s); }
  void one(const Block& n, int depth, Span s) { labelled("block ", n.label, n.body, depth, s); }
  void one(const Scope& n, int depth, Span s) {
    out_ += "scope";
    span(s);
    out_ += ' ';
    region(n.body, depth);
  }
  void one(const Guard& n, int depth, Span s) {
    labelled("guard ", n.label, n.body, depth, s);
    out_ += " catch " + local(n.error) + " ";
    region(n.handler, depth);
  }
  void one(const Raise& n, int, Span s) {
    out_ += "raise " + label(n.label) + " ";
    operand(n.error);
    span(s);
  }
  void one(const Return& n, int, Span s) {
    out_ += "return";
    if (n.has_value) {
      out_ += ' ';
      operand(n.value);
    }
    span(s);
  }
  void one(const Fail& n, int, Span s) {
    out_ += "fail ";
    operand(n.error);
    span(s);
  }
  void one(const Overlap& n, int depth, Span s) {
    assigned(n.to);
    if (n.winner.valid()) {
      out_ += "race " + local(n.winner) + " (";
    } else {
      out_ += n.is_pair ? "pair (" : "overlap (";
    }
    for (std::size_t i = 0; i < n.branches.size(); ++i) {
      if (i != 0) out_ += ", ";
      out_ += "branch ";
      closure(n.branches[i]);
      if (i < n.branch_fails.size() && n.branch_fails[i] != 0) out_ += " fails";
    }
    out_ += ')';
    span(s);
    fail(n.on_fail, depth);
  }
  void one(const Spawn& n, int, Span s) {
    assigned(n.to);
    out_ += "spawn ";
    closure(n.task);
    if (n.can_fail) out_ += " fails";
    out_ += " line " + std::to_string(n.line);
    span(s);
  }
  void one(const Walk& n, int depth, Span s) {
    out_ += "walk " + label(n.label) + " ";
    operand(n.subject);
    out_ += " as ";
    for (std::size_t i = 0; i < n.elements.size(); ++i) out_ += (i == 0 ? "" : ", ") + local(n.elements[i]);
    if (n.step_fails) out_ += " fails";
    if (n.step_pauses) out_ += " pauses";
    span(s);
    fail(n.on_fail, depth);
    out_ += ' ';
    region(n.body, depth);
  }
  void one(const Panic& n, int, Span s) {
    out_ += "panic ";
    operand(n.text);
    span(s);
  }

  static std::string label(LabelId l) { return "L" + std::to_string(l.index); }
  void simple(const std::string& text, Span s) {
    out_ += text;
    span(s);
  }
  void labelled(const char* word, LabelId l, RegionId body, int depth, Span s) {
    out_ += word + label(l);
    span(s);
    out_ += ' ';
    region(body, depth);
  }

  const TextWorld& world_;
  const Spellings& spellings_;
  const Function& f_;
  const PrintOptions& options_;
  TypePrinter types_;
  std::vector<std::string> locals_;
  std::string out_;
  std::uint32_t last_line_ = 0;
  bool leaves_regions_out_ = false;
};

}  // namespace

std::string print_type(const TextWorld& world, const std::vector<TypeParamId>& scope, TypeId type) {
  const Spellings spellings(world.decls, world.types, world.names);
  return TypePrinter(world, spellings, scope).text(type);
}

std::string print_function(const TextWorld& world, const Module& module, FunctionId id, const PrintOptions& options) {
  return print_functions(world, module, {id}, options);
}

std::string print_functions(const TextWorld& world, const Module& module, const std::vector<FunctionId>& ids,
                            const PrintOptions& options) {
  const Spellings spellings(world.decls, world.types, world.names);
  std::string out;
  for (FunctionId id : ids) {
    if (!out.empty()) out += '\n';
    out += FunctionPrinter(world, spellings, module.functions[id], options).function(id);
  }
  return out;
}

std::string print_instr(const TextWorld& world, const Function& function, InstrId id) {
  const Spellings spellings(world.decls, world.types, world.names);
  return FunctionPrinter(world, spellings, function, {}).line_of(id);
}

std::string print_place(const TextWorld& world, const Function& function, const Place& place) {
  const Spellings spellings(world.decls, world.types, world.names);
  return FunctionPrinter(world, spellings, function, {}).text_of(place);
}

std::string print_module(const TextWorld& world, const Module& module, const PrintOptions& options) {
  std::vector<FunctionId> all;
  for (std::size_t i = 0; i < module.functions.size(); ++i) all.push_back(FunctionId(i));
  std::string out;
  if (module.main.valid()) out += "main #" + std::to_string(module.main.index) + "\n";
  for (const Site& s : module.sites) {
    out += "site " + quoted(s.function) + " " + quoted(s.code);
    if (options.with_spans && s.span.has_text()) {
      out += " file " + std::to_string(s.span.file.index) + " !" + std::to_string(s.span.begin) + "-" +
             std::to_string(s.span.end);
    }
    out += '\n';
  }
  if (!out.empty()) out += '\n';
  return out + print_functions(world, module, all, options);
}

}  // namespace nikaia::lang::nir
