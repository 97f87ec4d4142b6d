// The values of literals: numbers, the contents of texts and characters, and the format of a hole.
//
// The lexer found where a literal ends; here its content is read. One table of escapes serves plain
// and interpolated texts, characters and templates: what it does not know is NK1184, reported where
// it stands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lang/syntax/ast.h"
#include "lang/syntax/syntax_errors.h"
#include "lang/text/source.h"

namespace nikaia::lang::syntax {

// `spelled` is an integer token: any radix, separators. Above 2^64-1 `overflows` is set and the
// value is 0.
ast::IntegerLit integer_value(std::string_view spelled);

// Returns whether an f64 holds it; too large a number gives infinity.
bool float_value(std::string_view spelled, double& value);

// What a text's content stands for. `holds_holes`: `{{` and `}}` stand for one brace each.
std::string decoded(const SourceMap& sources, Span content, bool holds_holes, SyntaxErrors& errors);

// `spec` is the text behind the `:` of a hole, without it. Returns false where it is no format.
bool parse_format(std::string_view spec, ast::FormatSpec& format);

}  // namespace nikaia::lang::syntax
