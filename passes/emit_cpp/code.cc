// Bodies in emitted C++.
//
// Lines, names, places, operands and values; regions and instructions are in instructions.cc.
#include "passes/emit_cpp/code.h"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "lang/nir/views.h"
#include "lang/nir/visit.h"

namespace nikaia::lang::emit_cpp {

using nir::OperandKind;
using nir::ProjectionKind;

BodyWriter::BodyWriter(Emission& e, nir::FunctionId f, BodyWriter* outer, int depth)
    : e_(e),
      id_(f),
      f_(e.module.functions[f]),
      outer_(outer),
      depth_(depth),
      used_names_(outer ? outer->used_names_ : &own_names_),
      counter_(outer ? outer->counter_ : &own_counter_) {
  count_uses();
  find_boxed();
}

// ---- lines ------------------------------------------------------------------------------------------

void BodyWriter::line(const std::string& text, Span span) {
  if (span.file.valid() && span.begin != Span::no_offset) {
    const std::uint32_t at = e_.compilation.sources.line_of(span.file, span.begin);
    if (at != mapped_line_ || !(span.file == mapped_file_)) {
      out_ += "#line " + std::to_string(at) + " " + e_.quoted(e_.compilation.sources.path(span.file)) + "\n";
      mapped_file_ = span.file;
      mapped_line_ = at;
    }
  }
  out_.append(static_cast<std::size_t>(depth_) * 2, ' ');
  out_ += text;
  out_ += '\n';
  ++mapped_line_;
  if (text.find('\n') != std::string::npos) mapped_file_ = {};  // a lambda inside it mapped lines of its own
}

std::string Emission::quoted(std::string_view text) const {
  std::string s = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '"': s += "\\\""; break;
      case '\\': s += "\\\\"; break;
      case '\n': s += "\\n"; break;
      case '\t': s += "\\t"; break;
      case '\r': s += "\\r"; break;
      case '?': s += "\\?"; break;  // no trigraph
      default:
        if (byte < 0x20 || byte == 0x7f) {
          char octal[8];
          std::snprintf(octal, sizeof octal, "\\%03o", byte);
          s += octal;
        } else {
          s += c;
        }
    }
  }
  return s + "\"";
}

// ---- uses -------------------------------------------------------------------------------------------

void BodyWriter::count_place(const nir::Place& p) {
  ++uses_[p.root.index];
  for (const auto& x : p.path) {
    if (x.kind == ProjectionKind::index) ++uses_[x.at.index];
  }
}

void BodyWriter::count_operand(const nir::Operand& o) {
  if (o.kind != OperandKind::constant) count_place(o.place);
}

void BodyWriter::count_uses() {
  auto closure_uses = [&](const nir::MakeClosure& c) {
    for (const auto& x : c.captures) count_place(x.place);
  };
  for (const nir::Instr& i : f_.instrs) {
    if (auto* a = std::get_if<nir::Assign>(&i.node)) {
      if (!a->to.is_local()) count_place(a->to);
      std::visit(
          [&](const auto& v) {
            using V = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<V, nir::Use> || std::is_same_v<V, nir::Unary> ||
                          std::is_same_v<V, nir::Wrap> || std::is_same_v<V, nir::Cast> ||
                          std::is_same_v<V, nir::MakeFailure>) {
              count_operand(v.value);
            } else if constexpr (std::is_same_v<V, nir::Binary>) {
              count_operand(v.left);
              count_operand(v.right);
            } else if constexpr (std::is_same_v<V, nir::IsNull> || std::is_same_v<V, nir::VariantOf>) {
              count_place(v.place);
            } else if constexpr (std::is_same_v<V, nir::MakeStruct>) {
              for (auto& o : v.fields) count_operand(o);
            } else if constexpr (std::is_same_v<V, nir::MakeVariant> || std::is_same_v<V, nir::MakeTuple>) {
              for (auto& o : v.parts) count_operand(o);
            } else if constexpr (std::is_same_v<V, nir::MakeList>) {
              for (auto& o : v.elements) count_operand(o);
            } else if constexpr (std::is_same_v<V, nir::MakeRange>) {
              count_operand(v.low);
              count_operand(v.high);
            } else if constexpr (std::is_same_v<V, nir::ToText>) {
              count_operand(v.text);
            } else if constexpr (std::is_same_v<V, nir::MapRead>) {
              count_place(v.map);
              count_operand(v.key);
            } else if constexpr (std::is_same_v<V, nir::Slice>) {
              count_place(v.subject);
              count_operand(v.range);
            } else if constexpr (std::is_same_v<V, nir::MakeClosure>) {
              closure_uses(v);
            } else if constexpr (std::is_same_v<V, nir::Format>) {
              for (auto& p : v.pieces) {
                if (p.is_hole) count_operand(p.value);
              }
            } else if constexpr (std::is_same_v<V, nir::Member>) {
              count_place(v.of);
            } else if constexpr (std::is_same_v<V, nir::ErrorIs> || std::is_same_v<V, nir::ErrorAs>) {
              count_place(v.error);
            }
          },
          a->value);
    } else if (auto* s = std::get_if<nir::Store>(&i.node)) {
      count_place(s->to);
      count_operand(s->value);
    } else if (auto* w = std::get_if<nir::MapWrite>(&i.node)) {
      count_place(w->map);
      count_operand(w->key);
      count_operand(w->value);
    } else if (auto* c = std::get_if<nir::Call>(&i.node)) {
      if (!c->fn.valid()) count_place(c->callee);
      for (auto& o : c->args) count_operand(o);
    } else if (auto* x = std::get_if<nir::If>(&i.node)) {
      count_operand(x->cond);
    } else if (auto* sw = std::get_if<nir::Switch>(&i.node)) {
      count_operand(sw->on);
    } else if (auto* ra = std::get_if<nir::Raise>(&i.node)) {
      count_operand(ra->error);
    } else if (auto* re = std::get_if<nir::Return>(&i.node)) {
      count_operand(re->value);
    } else if (auto* fa = std::get_if<nir::Fail>(&i.node)) {
      count_operand(fa->error);
    } else if (auto* pa = std::get_if<nir::Panic>(&i.node)) {
      count_operand(pa->text);
    } else if (auto* wa = std::get_if<nir::Walk>(&i.node)) {
      count_operand(wa->subject);
    } else if (auto* ov = std::get_if<nir::Overlap>(&i.node)) {
      for (auto& b : ov->branches) closure_uses(b);
    } else if (auto* sp = std::get_if<nir::Spawn>(&i.node)) {
      closure_uses(sp->task);
    }
  }
}

// ---- names, types, places ------------------------------------------------------------------------------

std::string BodyWriter::name(Local l) {
  auto it = names_.find(l.index);
  if (it != names_.end()) return it->second;
  const nir::Local& local = f_.locals[l];
  std::string wanted;
  if (local.name.valid()) {
    wanted = std::string(e_.compilation.names.text(local.name));
    if (is_cpp_word(wanted)) {
      std::string cleaned;
      for (char c : wanted)
        cleaned += c == '_' && (cleaned.empty() || cleaned.back() == '_') ? std::string("u_") : std::string(1, c);
      wanted = cleaned + "_";
    }
  } else {
    wanted = (local.kind == nir::LocalKind::error ? "failure" : "t") + std::to_string(++*counter_);
  }
  std::string made = wanted;
  for (int n = 2; e_.taken.count(made) || !used_names_->insert(made).second; ++n)
    made = wanted + "_" + std::to_string(n);
  names_[l.index] = made;
  return made;
}

bool BodyWriter::is_auto(Local l) const {
  const Type& t = e_.types[f_.locals[l].type];
  if (e_.types.is_unnamed_seq(e_.types.without_ref(f_.locals[l].type))) return true;
  return t.kind == TypeKind::named &&
         (t.decl == e_.decls.entry ||
          (e_.decls.types[t.decl].is_of_library() && e_.compilation.names.text(e_.decls.types[t.decl].name) == "Par"));
}

// A call's result that only becomes a boxed part is boxed where it is made: so the parts of a tree lie beside their own
// parts, as a walk meets them, and not where their owner was put together.
void BodyWriter::find_boxed() {
  std::unordered_set<std::uint32_t> results, others;
  for (const nir::Instr& instr : f_.instrs) {
    if (const auto* c = std::get_if<nir::Call>(&instr.node); c && c->to.valid()) results.insert(c->to.index);
    if (const auto* a = std::get_if<nir::Assign>(&instr.node)) others.insert(a->to.root.index);
  }
  for (const nir::Instr& instr : f_.instrs) {
    const auto* assign = std::get_if<nir::Assign>(&instr.node);
    const auto* made = assign ? std::get_if<nir::MakeStruct>(&assign->value) : nullptr;
    if (!made) continue;
    const TypeDecl& d = e_.decls.types[e_.types[made->type].decl];
    for (std::size_t i = 0; i < made->fields.size(); ++i) {
      const nir::Operand& o = made->fields[i];
      if (!d.fields[i].is_boxed || o.kind != OperandKind::move || !o.place.is_local()) continue;
      const Local root = o.place.root;
      if (f_.locals[root].kind == nir::LocalKind::temp && uses_[root.index] == 1 && results.count(root.index) &&
          !others.count(root.index)) {
        boxed_.insert(root.index);
      }
    }
  }
}

std::string BodyWriter::local_type(Local l) const {
  const nir::Local& local = f_.locals[l];
  if (is_auto(l)) return "auto";
  if (boxed_.count(l.index)) return "nikaia::Box<" + e_.type(local.type, Position::stored) + ">";
  // A temporary may be all that keeps the buffer of a view which a call handed back.
  const bool is_borrowed = local.kind == nir::LocalKind::param || e_.view_states.is_borrowed(id_, l);
  return e_.type(local.type, is_borrowed ? Position::passing : Position::stored);
}

std::string Emission::parameter_type(const nir::Local& local) const {
  return type(local.type, Position::passing);
}

bool is_text_view(const TypeTable& types, TypeId t) {
  const Type& x = types[t];
  return x.kind == TypeKind::ref && !x.is_mut && types.kind(x.args[0]) == TypeKind::string;
}

bool is_run(const TypeTable& types, TypeId t) {
  const Type& x = types[t];
  return x.kind == TypeKind::ref && types.kind(x.args[0]) == TypeKind::array &&
         types[x.args[0]].length == Type::unsized;
}

bool is_fat_view(const TypeTable& types, TypeId t) {
  return nir::is_buffer_view(types, t) ||
         (types.kind(t) == TypeKind::ref && types.kind(types[t].args[0]) == TypeKind::function);
}

std::string member_of(const std::string& p, const std::string& m) {
  return p[0] == '*' ? p.substr(1) + "->" + m : p + "." + m;
}

// `is_read`: what lies there is only looked at, so that a null part in a box stays without one.
std::string BodyWriter::place(const nir::Place& p, bool is_read) {
  std::string s;
  if (auto it = inlined_.find(p.root.index); it != inlined_.end())
    s = it->second;
  else
    s = name(p.root);
  TypeId type = f_.locals[p.root].type;
  bool pending_deref = false;  // `s` is a pointer, to be followed
  auto member = [&](const std::string& m) {
    if (pending_deref)
      s += "->" + m;
    else
      s += "." + m;
    pending_deref = false;
  };
  auto settle = [&] {
    if (pending_deref) s = "(*" + s + ")";
    pending_deref = false;
  };
  for (const nir::Projection& x : p.path) {
    switch (x.kind) {
      case ProjectionKind::field: {
        const TypeDecl& d = e_.decls.types[e_.types[type].decl];
        const FieldInfo& f = d.fields[x.index];
        member(d.package.valid() ? e_.field_name(f, x.index) : std::string(e_.compilation.names.text(f.name)));
        if (f.is_boxed) s = (is_read ? "nikaia::unboxed(" : "nikaia::unbox(") + s + ")";
        break;
      }
      case ProjectionKind::part: member("get<" + std::to_string(x.index) + ">()"); break;
      case ProjectionKind::payload: {
        const TypeDecl& d = e_.decls.types[e_.types[type].decl];
        const FieldInfo& f = d.variants[x.variant].parts[x.index];
        member("sum.as<" + std::to_string(x.variant) + ">()." + e_.field_name(f, x.index));
        if (f.is_boxed) s = (is_read ? "nikaia::unboxed(" : "nikaia::unbox(") + s + ")";
        break;
      }
      case ProjectionKind::some: member("value()"); break;
      case ProjectionKind::deref:
        if (!is_fat_view(e_.types, type)) {
          settle();
          pending_deref = true;
        }
        break;
      case ProjectionKind::inside:
        settle();
        s = "(*" + s + ")";
        break;
      case ProjectionKind::index: {
        std::string at = inlined_.count(x.at.index) ? inlined_[x.at.index] : name(x.at);
        s = std::string("nikaia::index_at(") + (pending_deref ? "*" : "") + s + ", " + at + ")";
        pending_deref = false;
        break;
      }
    }
    type = x.type;
  }
  if (pending_deref) s = "*" + s;
  return s;
}

// A question to a `T?`: its member, or the function that asks the box it lies in.
std::string BodyWriter::maybe_member(const nir::Place& p, const char* of_box, const char* member) {
  const std::string text = place(p, true);
  constexpr std::string_view unboxed = "nikaia::unboxed(";
  if (!p.path.empty() &&
      (p.path.back().kind == ProjectionKind::field || p.path.back().kind == ProjectionKind::payload) &&
      text.starts_with(unboxed) && text.ends_with(')')) {
    return std::string("nikaia::") + of_box + "(" + text.substr(unboxed.size());
  }
  return member_of(text, member);
}

std::string BodyWriter::constant(const nir::Operand& o, bool typed) {
  const TypeKind kind = e_.types.kind(o.type);
  if (auto* i = std::get_if<nir::ConstInt>(&o.constant)) {
    std::string s;
    switch (kind) {
      case TypeKind::u64:
      case TypeKind::u32:
      case TypeKind::u8: s = std::to_string(i->bits); break;
      default: s = std::to_string(static_cast<std::int64_t>(i->bits)); break;
    }
    if (kind == TypeKind::u64 && i->bits > 0x7fffffffffffffffULL) s += "u";
    if (s == "-9223372036854775808") s = "INT64_MIN";
    if (s == "-2147483648") s = "INT32_MIN";
    return typed && kind != TypeKind::i32 ? e_.type(o.type, Position::passing) + "{" + s + "}" : s;
  }
  if (auto* f = std::get_if<nir::ConstFloat>(&o.constant)) {
    char digits[64];
    auto [end, error] = std::to_chars(digits, digits + sizeof digits, f->value);
    (void)error;
    std::string s(digits, end);
    if (s.find_first_of(".en") == std::string::npos) s += ".0";
    return s;
  }
  if (auto* b = std::get_if<nir::ConstBool>(&o.constant)) return b->value ? "true" : "false";
  if (auto* c = std::get_if<nir::ConstChar>(&o.constant)) {
    if (c->value >= 0x20 && c->value < 0x7f && c->value != '\'' && c->value != '\\') {
      return std::string("U'") + static_cast<char>(c->value) + "'";
    }
    return "char32_t{" + std::to_string(static_cast<std::uint32_t>(c->value)) + "}";
  }
  if (auto* t = std::get_if<nir::ConstText>(&o.constant)) return e_.quoted(e_.compilation.names.text(t->text)) + "_s";
  if (std::holds_alternative<nir::ConstNull>(o.constant)) {
    return typed ? e_.type(o.type, Position::stored) + "{}" : "nikaia::null";
  }
  if (auto* fn = std::get_if<nir::ConstFn>(&o.constant)) {
    // A declared function as a value: a lambda that passes each argument as the function takes it.
    const Type& t = e_.types[e_.types.without_ref(o.type)];
    std::string params, args;
    const nir::FunctionId target = e_.instances.find(fn->fn, fn->type_args);
    for (std::size_t i = 0; i + 1 < t.args.size(); ++i) {
      const std::string a = "a" + std::to_string(i);
      params += (i ? ", " : "") + e_.type(t.args[i], Position::passing) + " " + a;
      std::string passed = "std::move(" + a + ")";
      if (target.valid()) {
        const nir::Function& callee = e_.module.functions[target];
        const TypeId pt = callee.locals[callee.params[i]].type;
        if (e_.types.kind(pt) == TypeKind::ref && e_.types.kind(t.args[i]) != TypeKind::ref) {
          passed = is_fat_view(e_.types, pt) ? a : "&" + a;
        }
      }
      args += (i ? ", " : "") + passed;
    }
    if (target.valid()) {
      const std::string ns = e_.namespace_of(e_.home(target));
      return "[](" + params + ") { return " + ns + "::" + e_.function_name(target) + "(" + args + "); }";
    }
    return "[](" + params + ") { return " + e_.row_name(e_.decls.fns[fn->fn]) + "(" + args + "); }";
  }
  return "{}";
}

std::string BodyWriter::operand(const nir::Operand& o, bool typed) {
  switch (o.kind) {
    case OperandKind::constant: return constant(o, typed);
    case OperandKind::copy:
    case OperandKind::dup: return place(o.place, true);
    case OperandKind::move: {
      std::string p = place(o.place);
      if (o.place.is_local() && inlined_.count(o.place.root.index)) return p;
      return copies(e_.types, e_.decls, o.type) ? p : "std::move(" + p + ")";
    }
    case OperandKind::lend:
    case OperandKind::lend_mut: {
      std::string p = place(o.place, o.kind == OperandKind::lend);
      if (is_run(e_.types, o.type)) return "nikaia::run_of(" + p + ")";
      if (is_fat_view(e_.types, o.type)) return p;
      return p.size() > 1 && p[0] == '*' && p.find_first_of(".- ", 1) == std::string::npos ? p.substr(1) : "&" + p;
    }
  }
  return "";
}

// An argument of one of our own functions.
std::string BodyWriter::argument(const nir::Operand& o) {
  return operand(o, false);
}

// An argument of a row of the library, which takes references where ours take pointers.
std::string BodyWriter::library_argument(const nir::Operand& o) {
  if (o.kind == OperandKind::lend || o.kind == OperandKind::lend_mut) {
    return is_run(e_.types, o.type) && e_.types.kind(o.type) == TypeKind::ref
               ? operand(o)
               : place(o.place, o.kind == OperandKind::lend);
  }
  if (o.kind != OperandKind::constant && e_.types.kind(o.type) == TypeKind::ref && !is_fat_view(e_.types, o.type)) {
    std::string p = place(o.place);
    return p[0] == '&' ? p.substr(1) : "*" + p;
  }
  return operand(o, true);
}

// ---- values ----------------------------------------------------------------------------------------------

std::string BodyWriter::format_piece(const nir::FormatPiece& p) {
  if (!p.is_hole) return e_.quoted(p.text) + "_s";
  std::string v = library_argument(p.value);
  const ast::FormatSpec& s = p.spec;
  if (!s.present) return v;
  std::string spec;
  auto part = [&](const std::string& text) { spec += (spec.empty() ? "" : ", ") + text; };
  if (s.fill != U' ') part(".fill = char32_t{" + std::to_string(static_cast<std::uint32_t>(s.fill)) + "}");
  if (s.align) part(std::string(".align = '") + s.align + "'");
  if (s.plus) part(".plus = true");
  if (s.alternate) part(".alternate = true");
  if (s.zero) part(".zero = true");
  if (s.has_width) part(".width = " + std::to_string(s.width));
  if (s.has_precision) part(".precision = " + std::to_string(s.precision));
  if (s.kind && s.kind != '?') part(std::string(".kind = '") + s.kind + "'");
  if (s.kind == '?') return "nikaia::debug_form(" + v + (spec.empty() ? "" : ", nikaia::Spec{" + spec + "}") + ")";
  return "nikaia::spec(" + v + ", nikaia::Spec{" + spec + "})";
}

std::string BodyWriter::closure(const nir::MakeClosure& c, bool for_library) {
  return closure_now(c, for_library);
}

std::string BodyWriter::closure_now(const nir::MakeClosure& c, bool for_library) {
  BodyWriter inner(e_, c.function, this, depth_ + 1);
  const nir::Function& f = inner.f_;
  std::string captures;
  for (const nir::Capture& x : c.captures) {
    // The captured place is printed by this body, the name by the closure's own.
    const std::string from = place(x.place);
    std::string into = inner.name(x.inner);
    const TypeId type = f.locals[x.inner].type;
    std::string init;
    switch (x.mode) {
      case nir::CaptureMode::lend:
      case nir::CaptureMode::lend_mut:
        if (is_run(e_.types, type))
          init = "nikaia::run_of(" + from + ")";
        else if (is_text_view(e_.types, type))
          init = "nikaia::Str(" + from + ")";
        else if (is_fat_view(e_.types, type))
          init = e_.type(type, Position::passing) + "(" + from + ")";
        else
          init = from[0] == '*' ? from.substr(1) : "&" + from;
        break;
      case nir::CaptureMode::copy:
      case nir::CaptureMode::dup:
        init = c.is_kept && is_fat_view(e_.types, type) ? e_.type(type, Position::stored) + "(" + from + ")" : from;
        break;
      case nir::CaptureMode::move: init = "std::move(" + from + ")"; break;
    }
    captures += (captures.empty() ? "" : ", ") + into + " = " + init;
  }
  std::string params = inner.parameters(for_library);
  std::string text = "[" + captures + "](" + params + ") mutable -> " + e_.result_type(f.result, f.can_fail) + " {\n";
  inner.mapped_file_ = {};
  std::string prologue;
  if (for_library) {
    for (nir::LocalId p : f.params) {
      const TypeId t = f.locals[p].type;
      if (e_.types.kind(t) != TypeKind::ref || is_fat_view(e_.types, t)) continue;
      if (!e_.types[t].is_mut && !copies(e_.types, e_.decls, e_.types[t].args[0])) continue;
      prologue += std::string(static_cast<std::size_t>(depth_ + 1) * 2, ' ') + e_.type(t, Position::passing) + " " +
                  inner.name(p) + " = &" + inner.name(p) + "_given;\n";
    }
  }
  inner.out_.clear();
  inner.region(f.body);
  text += prologue + inner.out_;
  text += std::string(static_cast<std::size_t>(depth_) * 2, ' ') + "}";
  mapped_file_ = {};
  return text;
}

std::string BodyWriter::parameters(bool for_library) {
  std::string s;
  for (nir::LocalId p : f_.params) {
    const nir::Local& l = f_.locals[p];
    if (!s.empty()) s += ", ";
    const bool unused = uses_[p.index] == 0;
    std::string type = e_.type(l.type, Position::passing);
    std::string n = name(p);
    if (for_library && e_.types.kind(l.type) == TypeKind::ref && !is_fat_view(e_.types, l.type) &&
        (e_.types[l.type].is_mut || copies(e_.types, e_.decls, e_.types[l.type].args[0]))) {
      // The library hands the value itself, or a reference to it.
      type = (e_.types[l.type].is_mut ? "" : "const ") + e_.type(e_.types[l.type].args[0], Position::stored) + "&";
      n += "_given";
      s += "[[maybe_unused]] " + type + " " + n;
      continue;
    }
    s += (unused ? "[[maybe_unused]] " : "") + type + " " + n;
  }
  return s;
}

namespace {

// Whether `s` stands beside an operator as it is: no operator in it but between brackets, none in front.
bool is_one_term(const std::string& s) {
  if (s.empty() || s[0] == '-' || s[0] == '*' || s[0] == '&' || s[0] == '!') return false;
  int depth = 0;
  for (char c : s) {
    if (c == '(' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '}' || c == ']') --depth;
    if (depth == 0 && c == ' ') return false;
  }
  return true;
}

}  // namespace

std::string BodyWriter::value(const nir::Value& v, TypeId to) {
  if (auto* u = std::get_if<nir::Use>(&v)) {
    if (u->value.kind == OperandKind::lend && is_text_view(e_.types, to)) return operand(u->value);
    return operand(u->value);
  }
  if (auto* b = std::get_if<nir::Binary>(&v)) {
    auto compared = [&](const nir::Operand& o) {
      return e_.types.kind(o.type) == TypeKind::ref && !is_fat_view(e_.types, o.type) ? library_argument(o)
             : o.kind == OperandKind::lend                                            ? place(o.place, true)
                                           : operand(o, e_.types.kind(o.type) == TypeKind::nullable);
    };
    const TypeId lt = e_.types.without_ref(b->left.type);
    const bool text = e_.types.is_text(b->left.type);
    switch (b->op) {
      case nir::BinaryOp::eq: return compared(b->left) + " == " + compared(b->right);
      case nir::BinaryOp::ne: return "!(" + compared(b->left) + " == " + compared(b->right) + ")";
      case nir::BinaryOp::lt:
      case nir::BinaryOp::le:
      case nir::BinaryOp::gt:
      case nir::BinaryOp::ge: {
        const char* op = b->op == nir::BinaryOp::lt   ? " < "
                         : b->op == nir::BinaryOp::le ? " <= "
                         : b->op == nir::BinaryOp::gt ? " > "
                                                      : " >= ";
        (void)text;
        return compared(b->left) + op + compared(b->right);
      }
      case nir::BinaryOp::concat: return "nikaia::text_concat(" + compared(b->left) + ", " + compared(b->right) + ")";
      case nir::BinaryOp::bit_and:
      case nir::BinaryOp::bit_or:
      case nir::BinaryOp::bit_xor: {
        const char* op = b->op == nir::BinaryOp::bit_and ? " & " : b->op == nir::BinaryOp::bit_or ? " | " : " ^ ";
        return "static_cast<" + e_.type(to, Position::passing) + ">(" + operand(b->left) + op + operand(b->right) + ")";
      }
      default: break;
    }
    static constexpr const char* names[] = {"add", "sub", "mul", "div", "rem", "shl", "shr"};
    const std::string fn = names[static_cast<std::size_t>(b->op)];
    if (e_.types.kind(lt) == TypeKind::named) {
      return "nikaia::duration_" + fn + "(" + operand(b->left, true) + ", " + operand(b->right, true) + ")";
    }
    if (e_.types.kind(lt) == TypeKind::f64 && b->op != nir::BinaryOp::rem) {
      static constexpr const char* ops[] = {" + ", " - ", " * ", " / "};
      auto side = [&](const nir::Operand& o) {
        const std::string s = operand(o);
        return is_one_term(s) ? s : "(" + s + ")";
      };
      std::string l = side(b->left), r = side(b->right);
      return l + ops[static_cast<std::size_t>(b->op)] + r;
    }
    if (b->op == nir::BinaryOp::shl || b->op == nir::BinaryOp::shr) {
      return "nikaia::" + fn + "<" + e_.type(to, Position::passing) + ">(" + operand(b->left) + ", " +
             operand(b->right, true) + ")";
    }
    return "nikaia::" + fn + "<" + e_.type(to, Position::passing) + ">(" + operand(b->left) + ", " + operand(b->right) +
           ")";
  }
  if (auto* u = std::get_if<nir::Unary>(&v)) {
    std::string x = operand(u->value);
    switch (u->op) {
      case nir::UnaryOp::not_: return is_one_term(x) ? "!" + x : "!(" + x + ")";
      case nir::UnaryOp::bit_not: return "static_cast<" + e_.type(to, Position::passing) + ">(~(" + x + "))";
      case nir::UnaryOp::negate:
        return e_.types.kind(to) == TypeKind::f64 ? "-(" + x + ")"
                                                  : "nikaia::neg<" + e_.type(to, Position::passing) + ">(" + x + ")";
    }
  }
  if (auto* c = std::get_if<nir::Cast>(&v)) {
    if (e_.types.kind(c->to) == TypeKind::named)
      return e_.type(c->to, Position::stored) + "(" + operand(c->value) + ")";
    return "nikaia::cast<" + e_.type(c->to, Position::passing) + ">(" + operand(c->value, true) + ")";
  }
  if (auto* w = std::get_if<nir::Wrap>(&v)) {
    return e_.type(to, Position::stored) + "(" + operand(w->value) + ")";
  }
  if (auto* n = std::get_if<nir::IsNull>(&v);
      n && n->place.is_local() && e_.types.kind(f_.locals[n->place.root].type) == TypeKind::error_sum) {
    return "!" + name(n->place.root);
  }
  if (auto* n = std::get_if<nir::IsNull>(&v)) return "!" + maybe_member(n->place, "holds", "has()");
  if (auto* t = std::get_if<nir::VariantOf>(&v)) {
    TypeId type = t->place.path.empty() ? f_.locals[t->place.root].type : t->place.path.back().type;
    const std::string p = place(t->place, true);
    const TypeDeclId d = e_.types[type].decl;
    if (e_.is_plain_enum(d)) return "static_cast<std::int32_t>(" + p + ")";
    return member_of(p, "sum.tag()");
  }
  // A boxed part that is null is an empty box.
  auto part_of = [&](const FieldInfo& field, const nir::Operand& o) {
    const bool is_null = o.kind == OperandKind::constant && std::holds_alternative<nir::ConstNull>(o.constant);
    return field.is_boxed && is_null ? std::string("{}") : operand(o);
  };
  if (auto* m = std::get_if<nir::MakeStruct>(&v)) {
    std::string s = e_.type(m->type, Position::stored) + "{";
    const TypeDecl& d = e_.decls.types[e_.types[m->type].decl];
    for (std::size_t i = 0; i < m->fields.size(); ++i) {
      s += (i ? ", " : "") + ("." + e_.field_name(d.fields[i], i)) + " = " + part_of(d.fields[i], m->fields[i]);
    }
    if (e_.has_life(e_.types[m->type].decl)) {
      s += std::string(m->fields.empty() ? "" : ", ") + ".life = nikaia::Life<" + e_.type(m->type, Position::stored) +
           ">::begun()";
    }
    return s + "}";
  }
  if (auto* m = std::get_if<nir::MakeVariant>(&v)) {
    const TypeDeclId id = e_.types[m->type].decl;
    const TypeDecl& d = e_.decls.types[id];
    std::string s = e_.type(m->type, Position::stored) + "::" + e_.variant_member(d.variants[m->variant]);
    if (e_.is_plain_enum(id)) return s;
    s += "(";
    for (std::size_t i = 0; i < m->parts.size(); ++i) s += (i ? ", " : "") + operand(m->parts[i]);
    return s + ")";
  }
  if (auto* m = std::get_if<nir::MakeTuple>(&v)) {
    std::string s = e_.type(to, Position::passing) + "(";
    for (std::size_t i = 0; i < m->parts.size(); ++i) s += (i ? ", " : "") + operand(m->parts[i]);
    return s + ")";
  }
  if (auto* m = std::get_if<nir::MakeList>(&v)) {
    const Type& t = e_.types[m->type];
    const std::string element = e_.type(t.args[0], Position::stored);
    std::string s;
    for (std::size_t i = 0; i < m->elements.size(); ++i) s += (i ? ", " : "") + operand(m->elements[i]);
    if (t.kind == TypeKind::array) return e_.type(m->type, Position::stored) + "{{" + s + "}}";
    return "nikaia::vec_of<" + element + ">(" + s + ")";
  }
  if (auto* m = std::get_if<nir::MakeRange>(&v)) {
    const std::string t = e_.type(e_.types[to].args[0], Position::passing);
    return std::string("nikaia::") + (m->is_inclusive ? "range_to<" : "range_below<") + t + ">(" + operand(m->low) +
           ", " + operand(m->high) + ")";
  }
  if (auto* t = std::get_if<nir::ToText>(&v)) {
    if (t->text.kind == OperandKind::constant) return "nikaia::String::literal(" + operand(t->text) + ")";
    return "nikaia::text_kept(" + operand(t->text) + ")";
  }
  if (auto* r = std::get_if<nir::MapRead>(&v)) {
    return "nikaia::map_get(" + place(r->map, true) + ", " + library_argument(r->key) + ")";
  }
  if (auto* s = std::get_if<nir::Slice>(&v)) {
    TypeId type = s->subject.path.empty() ? f_.locals[s->subject.root].type : s->subject.path.back().type;
    const bool text = e_.types.is_text(type);
    return std::string("nikaia::") + (text ? "text_slice(" : "slice(") + place(s->subject) + ", " +
           library_argument(s->range) + ")";
  }
  if (auto* c = std::get_if<nir::MakeClosure>(&v)) return closure(*c, true);
  if (auto* f = std::get_if<nir::Format>(&v)) {
    if (f->pieces.empty()) return "nikaia::String()";
    std::string s = "nikaia::format(";
    for (std::size_t i = 0; i < f->pieces.size(); ++i) s += (i ? ", " : "") + format_piece(f->pieces[i]);
    return s + ")";
  }
  if (auto* i = std::get_if<nir::ErrorIs>(&v))
    return member_of(place(i->error), "is<" + e_.type(i->type, Position::stored) + ">()");
  if (auto* a = std::get_if<nir::ErrorAs>(&v))
    return "&" + member_of(place(a->error), "as<" + e_.type(a->type, Position::stored) + ">()");
  if (auto* m = std::get_if<nir::Member>(&v)) {
    const std::string of = place(m->of);
    switch (m->kind) {
      case nir::MemberKind::clone: return "nikaia::clone(" + of + ")";
      case nir::MemberKind::error_message: return "nikaia::to_text(" + of + ")";
      case nir::MemberKind::error_full: return "nikaia::error_full(" + of + ")";
    }
  }
  if (auto* m = std::get_if<nir::MakeFailure>(&v)) {
    return "nikaia::Failure::make(" + operand(m->value) + ", &nk_sites[" + std::to_string(e_.site_position(m->site)) +
           "])";
  }
  return "{}";
}

// ---- functions -----------------------------------------------------------------------------------------------

std::string Emission::signature(nir::FunctionId id) const {
  BodyWriter w(const_cast<Emission&>(*this), id, nullptr, 0);
  std::string s = result_of(id) + " ";
  return s + function_names.at(id.index) + "(" + w.parameters(false) + ")";
}

std::string Emission::body(nir::FunctionId id) {
  BodyWriter w(*this, id, nullptr, 1);
  // Parameters are named before anything else is, so that they keep their names.
  std::string head = result_of(id) + " " + function_names.at(id.index) + "(" + w.parameters(false) + ") {\n";
  return head + w.write() + "}\n";
}

}  // namespace nikaia::lang::emit_cpp
