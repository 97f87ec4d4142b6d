// The values of literals, and how a value is spelled: numbers, the contents of texts and
// characters, and the format of a hole.
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

// The other way round: each appends a spelling that reads back as the value.
void append_utf8(std::string& out, char32_t scalar);
// `quote` is the literal's; `doubles_braces` in an f"…".
void spell_text(std::string& out, std::string_view text, char quote, bool doubles_braces);
void spell_float(std::string& out, double value);
void spell_format(std::string& out, const ast::FormatSpec& format);

}  // namespace nikaia::lang::syntax
