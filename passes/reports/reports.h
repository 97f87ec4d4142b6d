// What the three reports share: a list of lines by place, and the words for what stands there.
//
// All of them read monomorphic NIR, which has every function that runs and every type as it is;
// what several instances of one function would say alike is said once.
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <nikaia/pass.h>

#include "lang/compilation.h"
#include "lang/nir/closures.h"
#include "lang/nir/shown.h"
#include "lang/text/source.h"

namespace nikaia::lang::reports {

using nir::FunctionId;
using nir::InstrId;
using nir::OperandKind;
using nir::Place;
using NirLocal = nir::LocalId;

// Lines in the order of their places. Lines of one place keep the order of their `rank`, then of
// their text.
class Report {
 public:
  explicit Report(const SourceMap& sources) : sources_(sources) {}

  // "FILE:LINE: text", by the line on which `span` begins. `add_under` sorts the line to those of
  // `head`.
  void add(Span span, int rank, std::string text) { add_under(span, span, rank, std::move(text)); }
  void add_under(Span head, Span span, int rank, std::string text);
  std::string text() const;

 private:
  const SourceMap& sources_;
  // By file and offset of the head, rank, offset.
  std::set<std::tuple<std::uint32_t, std::uint32_t, int, std::uint32_t, std::string>> lines_;
};

struct World {
  explicit World(PassContext& context);

  PassContext& context;
  const nir::Module& module;
  const Declarations& decls;
  TypeTable& types;
  const nir::ShownWorld shown;
  const nir::ClosureSites closures;

  const nir::Function& function(FunctionId id) const { return module.functions[id]; }
  // `f(FunctionId, const nir::Instr&)` for every instruction, the functions in the module's order.
  template <class F>
  void each_instruction(F&& f) const {
    for (std::size_t n = 0; n < module.functions.size(); ++n) {
      const nir::Function& here = function(FunctionId(n));
      context.looking_at(here.name, here.file.valid() ? shown.sources.path(here.file) : std::string_view());
      for (const nir::Instr& i : here.instrs) f(FunctionId(n), i);
    }
  }
  // "src/main.nika:12"
  std::string at(Span span) const;
  // The first line of the source under `span`, cut where it is long.
  std::string first_line(Span span) const;
  std::string type(TypeId id) const { return "`" + type_text(types, decls, shown.names, id) + "`"; }
  std::string name(Name name) const { return "`" + std::string(shown.names.text(name)) + "`"; }
  // "`main`", of a closure the function it is written in.
  std::string function_name(FunctionId id) const;
  // "`text`", or the source of what the value was made by where it has no name; `place_name` with
  // the parts, "`self.words`".
  std::string root_name(FunctionId id, const Place& place) const;
  std::string place_name(FunctionId id, const Place& place) const;
  Span span_of(const nir::Instr& i, const Place& place) const { return place.span.has_text() ? place.span : i.span; }
  // The key of the library's row that is called, else "".
  const std::string& row(const nir::Call& c) const;
  bool is_user_parallel() const { return context.build_options().user_parallelism; }
};

// Which of the wanted types a value of a type has in it, as the value itself, a field or an
// argument. Remembered.
class Parts {
 public:
  using Wanted = bool (*)(const World&, TypeId);
  Parts(const World& w, Wanted wanted) : w_(w), wanted_(wanted) {}
  const std::vector<TypeId>& of(TypeId type);
  bool has(TypeId type) { return !of(type).empty(); }

 private:
  const World& w_;
  Wanted wanted_;
  std::unordered_map<TypeId, std::vector<TypeId>> known_;
};

// "1 overlap", "2 overlaps"
std::string counted(std::size_t count, const std::string& one, const std::string& many);

// Who keeps what an instruction is given, in the words of the program: "the field `title`", "an
// element of `rows`". Temporaries of the compiler are looked through, `depth` counts them.
std::string keeper_of(const World& w, FunctionId id, const nir::Instr& instr, const nir::Operand& operand,
                      int depth = 0);

void report_overlaps(PassContext& context);
void report_sharing(PassContext& context);
void report_tethers(PassContext& context);

}  // namespace nikaia::lang::reports
