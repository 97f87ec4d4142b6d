// The codes a message may carry, made from codes.def, and what the table says about each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace nikaia::lang {

enum class Severity : std::uint8_t { error, warning, note, internal };

// `Code::NK1139`; its value is the number. Retired codes have an enumerator and are never issued.
enum class Code : std::uint16_t {
  none = 0,  // a syntax error, or trouble outside the program's text
#define NIKAIA_CODE(number, severity, pass, headline, help, doc) NK##number = number,
#define NIKAIA_RETIRED(number, doc) NK##number = number,
#include "lang/diag/codes.def"
};

// The further headlines of a code that has several: `Wording::NK1130_missing`.
enum class Wording : std::uint16_t {
#define NIKAIA_WORDING(number, name, headline, help) NK##number##_##name,
#include "lang/diag/codes.def"
};

struct CodeInfo {
  Code code;
  Severity severity;
  bool retired;
  std::string_view pass;      // the pass that may raise it
  std::string_view headline;  // with {0}, {1} … for the arguments
  std::string_view help;      // the help given where the pass adds none; may be empty for a warning
  std::string_view doc;       // when it is raised, in one line
};

// All rows, by number.
std::span<const CodeInfo> all_codes();
// The row of `code`, or null for `Code::none` and numbers nobody gave out.
const CodeInfo* find_code(Code code);
// "NK1139", or "" for `Code::none`.
std::string code_name(Code code);
// The code named "NK1139", or `Code::none`.
Code parse_code(std::string_view name);

// Either a code, meaning its first wording, or one of its further wordings.
struct MessageText {
  Code code;
  std::string_view headline;
  std::string_view help;

  MessageText(Code code);        // NOLINT(google-explicit-constructor): `sink.error(Code::NK1139, …)`
  MessageText(Wording wording);  // NOLINT(google-explicit-constructor)
};

}  // namespace nikaia::lang
