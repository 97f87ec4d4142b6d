// The tables made from codes.def, and lookups in them. Rows stand by ascending number, so a lookup is a binary search.
#include "lang/diag/code.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace nikaia::lang {
namespace {

constexpr CodeInfo code_rows[] = {
#define NIKAIA_CODE(number, severity, pass, headline, help, doc) \
  {Code::NK##number, Severity::severity, false, #pass, headline, help, doc},
#define NIKAIA_RETIRED(number, doc) {Code::NK##number, Severity::error, true, "", "", "", doc},
#include "lang/diag/codes.def"
};

struct WordingRow {
  Code code;
  std::string_view headline;
  std::string_view help;
};

constexpr WordingRow wording_rows[] = {
    {Code::none, "", ""},  // keeps the array from being empty; wordings are counted from the row after it
#define NIKAIA_WORDING(number, name, headline, help) {Code::NK##number, headline, help},
#include "lang/diag/codes.def"
};

constexpr bool rows_ascend() {
  for (std::size_t i = 1; i < std::size(code_rows); ++i)
    if (code_rows[i - 1].code >= code_rows[i].code) return false;
  return true;
}
static_assert(rows_ascend(), "codes.def: rows stand by ascending number, each number once");

}  // namespace

std::span<const CodeInfo> all_codes() {
  return code_rows;
}

const CodeInfo* find_code(Code code) {
  const auto* row = std::lower_bound(std::begin(code_rows), std::end(code_rows), code,
                                     [](const CodeInfo& info, Code wanted) { return info.code < wanted; });
  return row != std::end(code_rows) && row->code == code ? row : nullptr;
}

std::string code_name(Code code) {
  return code == Code::none ? std::string() : "NK" + std::to_string(static_cast<unsigned>(code));
}

Code parse_code(std::string_view name) {
  if (name.size() != 6 || !name.starts_with("NK")) return Code::none;
  unsigned number = 0;
  for (char c : name.substr(2)) {
    if (c < '0' || c > '9') return Code::none;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  Code code = static_cast<Code>(number);
  return find_code(code) != nullptr ? code : Code::none;
}

MessageText::MessageText(Code wanted) : code(wanted) {
  const CodeInfo* row = find_code(wanted);
  assert(row != nullptr && !row->retired && "a code that is not in codes.def, or is retired");
  headline = row->headline;
  help = row->help;
}

MessageText::MessageText(Wording wording) {
  const WordingRow& row = wording_rows[static_cast<std::size_t>(wording) + 1];
  code = row.code;
  headline = row.headline;
  help = row.help;
}

}  // namespace nikaia::lang
