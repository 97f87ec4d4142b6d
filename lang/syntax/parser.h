// From the text of a file to its tree.
//
// Recursive descent, with precedence climbing for infix operators. Time and memory are linear in
// the file's size, whatever it holds; nesting deeper than `deepest_nesting` brackets, and trees
// higher than 1000 nodes, are refused.
//
// Errors go to `sink`: syntax errors, at most 20 a file, in the order of the source; or, where
// there are none, the coded findings decided from the shape of the source alone. After an error the
// parser goes on at the next statement, member or item; what it left out stands in the tree as an
// error node, and `has_syntax_error` is set.
#pragma once

#include "lang/diag/diagnostic.h"
#include "lang/syntax/ast.h"
#include "lang/text/names.h"
#include "lang/text/source.h"

namespace nikaia::lang::syntax {

inline constexpr int deepest_nesting = 256;

ast::Tree parse(FileId file, const SourceMap& sources, Interner& names, Sink& sink);

}  // namespace nikaia::lang::syntax
