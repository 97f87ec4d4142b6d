// Properties and case mappings of characters, for the library's own files.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nikaia::unicode {

bool is_white_space(char32_t c);
bool is_alphabetic(char32_t c);
bool is_number(char32_t c);  // categories Nd, Nl, No
bool is_cased(char32_t c);
bool is_case_ignorable(char32_t c);

// The full mapping without locale and context: one to three characters into `to`; how many.
std::size_t to_upper(char32_t c, char32_t (&to)[3]);
std::size_t to_lower(char32_t c, char32_t (&to)[3]);

}  // namespace nikaia::unicode
