// What a path of names denotes.
//
// The head is looked up as 02 §1.2 says: a type parameter or a type of the package first, then a prefix of the file,
// then the types and traits known everywhere. Every further segment is looked up in what stands before it. The walk
// stops at the first segment that denotes nothing and reports it.
#pragma once

#include "passes/names/program.h"

namespace nikaia::lang::naming {

struct Denoted {
  enum class Kind : std::uint8_t {
    nothing,       // reported
    module,        // ModuleId
    package,       // PackageId
    type,          // TypeDeclId
    basic,         // a type without a declaration: `type`
    type_param,    // TypeParamId
    trait,         // TraitId
    fn,            // FnId
    variant,       // TypeDeclId and part
    comptime,      // ComptimeId
    param_member,  // TypeParamId; part: FnId
  } kind = Kind::nothing;
  std::uint32_t index = 0;
  std::uint32_t part = 0;
  TypeId type;  // of `basic`, and of `Self`: the type it stands for

  bool found() const { return kind != Kind::nothing; }
};

enum class Wanted : std::uint8_t { value, type, trait };

// `path` has two segments or more, except where a type or a trait is wanted.
Denoted walk_path(Program& program, const TypeScope& scope, const ast::Path& path, Wanted wanted);

// The associated function or the method called `name` of a type, its traits' among them; invalid where there is none.
FnId member_fn(const Program& program, TypeDeclId type, Name name);
FnId member_fn_of_basic(const Program& program, TypeId type, Name name);

// ---- names nothing declares (unknown.cc) -------------------------------------------------------

// A value or function called `ident`. `locals` are names in scope besides the package's.
void report_unknown_value(Program& program, FileId file, const ast::Ident& ident, bool is_called,
                          const std::vector<std::string_view>& locals);
void report_unknown_type(Program& program, const TypeScope& scope, const ast::Ident& ident);
void report_unknown_trait(Program& program, FileId file, const ast::Ident& ident);
// The head of a path (NK1117, NK1163, NK1181, NK1925); `member` is the segment behind it.
void report_unknown_head(Program& program, FileId file, const ast::Ident& head, const ast::Ident& member);
// A member of a module or package that is not there.
void report_unknown_member(Program& program, const Denoted& before, const ast::Ident& head, const ast::Ident& member,
                           Wanted wanted);
// A member of a type that is not there (NK1149, NK1171).
void report_unknown_of_type(Program& program, TypeDeclId type, const ast::Ident& member, Span path);

}  // namespace nikaia::lang::naming
