// Writes a tree as Nikaia source in the standard layout: four spaces a level, one statement a line,
// a blank line between items. Parentheses, names and documentation stay as they are in the tree;
// ordinary comments are not in it, literals are spelled anew, and the text of grammars, `extern`
// blocks and `dsl` bodies is copied from the source.
//
// For a tree without syntax errors, parsing what is printed gives the same tree, and printing that
// the same text.
#pragma once

#include <string>

#include "lang/syntax/ast.h"
#include "lang/text/names.h"
#include "lang/text/source.h"

namespace nikaia::lang::syntax {

std::string print(const ast::Tree& tree, const SourceMap& sources, const Interner& names);

// One expression on its own, as it would stand in a message.
std::string print(const ast::Tree& tree, ast::ExprId expr, const SourceMap& sources, const Interner& names);
std::string print(const ast::Tree& tree, ast::TypeExprId type, const SourceMap& sources, const Interner& names);

}  // namespace nikaia::lang::syntax
