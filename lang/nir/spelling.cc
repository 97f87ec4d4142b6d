#include "lang/nir/spelling.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace nikaia::lang::nir {
namespace {

constexpr std::array<std::string_view, 17> binary_ops = {"add", "sub",     "mul",    "div",     "rem",   "shl",
                                                         "shr", "bit_and", "bit_or", "bit_xor", "eq",    "ne",
                                                         "lt",  "le",      "gt",     "ge",      "concat"};
constexpr std::array<std::string_view, 3> unary_ops = {"negate", "not", "bit_not"};
constexpr std::array<std::string_view, 5> capture_modes = {"lend", "lend_mut", "copy", "move", "dup"};
constexpr std::array<std::string_view, 5> local_kinds = {"param", "let", "temp", "capture", "error"};

// Sorted: looked up by binary search.
// clang-format off
constexpr std::array<std::string_view, 113> words = {
    "Array", "Range", "Seq", "String", "add", "again", "as", "at", "bit_and", "bit_not", "bit_or", "bit_xor",
    "block", "bool", "branch", "call", "capture", "case", "cast", "catch", "char", "cleanup", "closure",
    "concat", "copy", "declare", "div", "drop", "dup", "else", "eq", "error", "error_as", "error_is", "errors",
    "f64", "fail", "fails", "failure", "false", "float", "fn", "format", "ge", "gt", "guard", "hole", "i32",
    "i64", "if", "inclusive", "inside", "is_null", "kept", "le", "leave", "lend", "lend_mut", "let", "line",
    "list", "loop", "lt", "map_read", "map_write", "move", "mul", "mut", "ne", "negate", "never", "not", "null",
    "of", "on", "otherwise", "overlap", "pair", "panic", "param", "pauses", "race", "raise", "range", "ref", "refused", "rem",
    "return", "scope", "shl", "shr", "site", "slice", "some", "spawn", "store", "struct", "sub", "switch",
    "sync", "temp", "throws", "to_text", "true", "tuple", "u32", "u64", "u8", "unit", "unreachable", "value",
    "variant", "walk",
};
// clang-format on

bool is_name_byte(char c) {
  const auto u = static_cast<unsigned char>(c);
  return std::isalnum(u) != 0 || c == '_' || u >= 0x80;
}

// Gives each declaration its spelling; where a spelling is not one of its own, its number is put behind it.
void settle(std::vector<std::string>& spelled, std::unordered_map<std::string_view, std::uint32_t>& by_name) {
  std::unordered_map<std::string_view, std::uint32_t> count;
  for (const std::string& s : spelled) ++count[s];
  std::vector<bool> is_numbered(spelled.size());
  for (std::size_t i = 0; i < spelled.size(); ++i) {
    is_numbered[i] = count[spelled[i]] > 1 || is_word(spelled[i]) || !is_path(spelled[i]);
  }
  for (std::size_t i = 0; i < spelled.size(); ++i) {
    if (!is_numbered[i]) continue;
    if (!is_path(spelled[i])) spelled[i] = "fn";
    spelled[i] += "@" + std::to_string(i);
  }
  for (std::size_t i = 0; i < spelled.size(); ++i) by_name.emplace(spelled[i], static_cast<std::uint32_t>(i));
}

}  // namespace

std::string_view spelling(BinaryOp op) {
  return binary_ops[static_cast<std::size_t>(op)];
}
std::string_view spelling(UnaryOp op) {
  return unary_ops[static_cast<std::size_t>(op)];
}
std::string_view spelling(CaptureMode mode) {
  return capture_modes[static_cast<std::size_t>(mode)];
}
std::string_view spelling(LocalKind kind) {
  return local_kinds[static_cast<std::size_t>(kind)];
}

bool is_word(std::string_view word) {
  return std::binary_search(words.begin(), words.end(), word);
}

bool is_identifier(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(), is_name_byte);
}

bool is_path(std::string_view text) {
  while (true) {
    std::size_t n = 0;
    while (n < text.size() && is_name_byte(text[n])) ++n;
    if (!is_identifier(text.substr(0, n))) return false;
    text.remove_prefix(n);
    if (text.empty()) return true;
    if (text.starts_with("::"))
      text.remove_prefix(2);
    else if (text.starts_with('.'))
      text.remove_prefix(1);
    else
      return false;
  }
}

std::string quoted(std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      default:
        if (u < 0x20 || u == 0x7f) {
          out += "\\x";
          out += digits[u >> 4];
          out += digits[u & 15];
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

Spellings::Spellings(const Declarations& decls, const TypeTable& types, const Interner& names) {
  for (const TypeDecl& d : decls.types) {
    std::string s;
    if (d.module.valid()) s = std::string(names.text(decls.modules[d.module].name)) + "::";
    types_.push_back(s + std::string(names.text(d.name)));
  }
  settle(types_, type_by_name_);
  for (const FnDecl& d : decls.fns) {
    std::string s;
    if (!d.key.empty()) {
      s = d.key;
    } else {
      if (d.owner.valid())
        s = std::string(names.text(decls.types[d.owner].name)) + "::";
      else if (d.trait.valid() && d.is_signature)
        s = std::string(names.text(decls.traits[d.trait].name)) + "::";
      else if (d.impl.valid())
        s = type_text(types, decls, names, decls.impls[d.impl].type) + "::";
      s += d.is_constructor ? "new" : std::string(names.text(d.name));
    }
    fns_.push_back(std::move(s));
  }
  settle(fns_, fn_by_name_);
}

TypeDeclId Spellings::find_type(std::string_view path) const {
  auto it = type_by_name_.find(path);
  return it == type_by_name_.end() ? TypeDeclId{} : TypeDeclId(it->second);
}

FnId Spellings::find_fn(std::string_view path) const {
  auto it = fn_by_name_.find(path);
  return it == fn_by_name_.end() ? FnId{} : FnId(it->second);
}

}  // namespace nikaia::lang::nir
