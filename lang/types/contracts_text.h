// Reads the tables of a ledger (06 §7): `[fn."Vec.push"]`, then `key = value` lines, where a value is a text,
// `true`, `false` or a list of texts on one line, and `#` opens a comment.
//
// This is the subset of TOML that ledgers are written in, read in one pass without copying what needs no copy, because
// every start of the compiler reads the library's. What is outside the subset is an error with its line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace nikaia::lang {

struct ContractValue {
  enum class Kind : std::uint8_t { text, truth, list } kind = Kind::text;
  bool truth = false;
  std::vector<std::string> texts;  // one for a text
};

struct ContractField {
  std::string_view key;
  ContractValue value;
  std::uint32_t line = 0;
};

struct ContractTable {
  std::string_view kind;  // "fn", "type", "trait", "impl"
  std::string_view key;   // "Vec.push"
  std::uint32_t line = 0;
  std::vector<ContractField> fields;

  const ContractValue* find(std::string_view name) const;
  bool is_true(std::string_view name) const;
  bool is_false(std::string_view name) const;
  std::string_view text(std::string_view name) const;                 // empty where it is no text
  const std::vector<std::string>& list(std::string_view name) const;  // empty where there is none
};

struct ContractError {
  std::uint32_t line = 0;
  std::string message;
};

// The tables in their order; keys are views of `text`.
tl::expected<std::vector<ContractTable>, ContractError> read_contracts(std::string_view text);

}  // namespace nikaia::lang
