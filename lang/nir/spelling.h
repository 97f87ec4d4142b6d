// How the text form of NIR spells operators, types and declarations: the tables that printing and parsing share.
//
// A declaration is spelled as a program would, `Parcel`, `fs::read`, `Vec.push`, `Parcel::is_heavy`; where two
// declarations would be spelled alike, or like a word of the form, its number stands behind it: `Parcel@7`.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lang/nir/nir.h"

namespace nikaia::lang::nir {

std::string_view spelling(BinaryOp op);
std::string_view spelling(UnaryOp op);
std::string_view spelling(CaptureMode mode);
std::string_view spelling(LocalKind kind);

// Whether `word` means something in the form, so that a local of that name is written with its number.
bool is_word(std::string_view word);
bool is_identifier(std::string_view text);
// Identifiers joined by `::` or `.`.
bool is_path(std::string_view text);
// `text` in double quotes with `\\`, `\"`, `\n`, `\t`, `\r` and `\x..` for other control characters.
std::string quoted(std::string_view text);

class Spellings {
 public:
  Spellings(const Declarations& decls, const TypeTable& types, const Interner& names);
  Spellings(const Spellings&) = delete;  // the maps hold views of the texts
  Spellings& operator=(const Spellings&) = delete;

  const std::string& of(TypeDeclId id) const { return types_[id.index]; }
  const std::string& of(FnId id) const { return fns_[id.index]; }
  // Invalid where nothing is spelled so.
  TypeDeclId find_type(std::string_view path) const;
  FnId find_fn(std::string_view path) const;

 private:
  std::vector<std::string> types_, fns_;
  std::unordered_map<std::string_view, std::uint32_t> type_by_name_, fn_by_name_;
};

}  // namespace nikaia::lang::nir
