// The text form of NIR: printing it, and reading it back.
//
//     fn load #2 (p, van) pauses {
//       param p: Parcel
//       param van: ref mut Vec[Parcel]
//       call Vec.push[Parcel](copy van, move p)
//       drop p
//       return
//     }
//
// A function lists its locals with their types, in order of their ids, then its body. A local is written by its
// name where the function has one of that name only, else with its number, `p%3`; a temporary is `%4`. A place is
// a local and projections: `.label` a field, `.0` a part of a tuple, `.Some#0` what a variant carries, `.?` the
// value of a nullable, `.*` through a view, `.^` inside a `Shared`, `[i]` an element. An operand is a word and a
// place, `copy x`, `move p.label`, `dup h`, `lend xs`, `lend_mut xs`, or a constant. Where an operand or a
// projection has another type than follows from its place, `: T` or `<T>` says so.
//
// With `with_spans`, `@12-30` behind a place and `!12-30` behind anything else is where in the function's file it
// was written.
// `//` begins a comment; line ends mean nothing. The grammar in full stands at the top of text_parse.cc.
//
// Reading back gives ids in the order of the text. What is printed of it is the same text again.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "lang/nir/nir.h"

namespace nikaia::lang {
class SourceMap;
}

namespace nikaia::lang::nir {

// What texts are spelled with. `types` grows by the types that are asked for on the way.
struct TextWorld {
  TypeTable& types;
  const Declarations& decls;
  const Interner& names;
};

struct PrintOptions {
  bool with_spans = false;
  const SourceMap* sources = nullptr;  // a comment with the source line where a new one begins
};

std::string print_module(const TextWorld& world, const Module& module, const PrintOptions& options = {});
std::string print_function(const TextWorld& world, const Module& module, FunctionId id,
                           const PrintOptions& options = {});
// Several functions and nothing else of the module.
std::string print_functions(const TextWorld& world, const Module& module, const std::vector<FunctionId>& ids,
                            const PrintOptions& options = {});
// One line, what its regions hold left out.
std::string print_instr(const TextWorld& world, const Function& function, InstrId id);
std::string print_place(const TextWorld& world, const Function& function, const Place& place);
// As the form spells it, so that it can be read back; `type_text` is for messages to users.
std::string print_type(const TextWorld& world, const std::vector<TypeParamId>& scope, TypeId type);

struct TextError {
  std::uint32_t line = 1, column = 1;
  std::string message;
};

// Types and functions are looked up in `decls`; names of locals are interned, types added to `types`. Any text is
// safe to give. What comes back has valid ids throughout; whether it makes sense is the verifier's to say.
tl::expected<Module, TextError> parse_module(std::string_view text, TypeTable& types, const Declarations& decls,
                                             Interner& names);

}  // namespace nikaia::lang::nir
