// Writes the body of one function, its closures inside it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "passes/emit_cpp/emission.h"

namespace nikaia::lang::emit_cpp {

bool is_text_view(const TypeTable& types, TypeId t);
bool is_run(const TypeTable& types, TypeId t);
// A view that is a value of its own in C++ and no pointer.
bool is_fat_view(const TypeTable& types, TypeId t);
// `m` of what the place text `p` names.
std::string member_of(const std::string& p, const std::string& m);

class BodyWriter {
 public:
  BodyWriter(Emission& e, nir::FunctionId f, BodyWriter* outer, int depth);

  std::string write();
  // The parameters as they are declared, names included.
  std::string parameters(bool for_library);

 private:
  using Local = nir::LocalId;
  using InstrId = nir::InstrId;

  // ---- lines
  void line(const std::string& text, Span span);
  void line(const std::string& text) { line(text, span_); }
  void open(const std::string& text) {
    if (text == "{")
      line(text, Span());
    else
      line(text);
    ++depth_;
  }
  // A brace runs nothing, and needs no line of its own, where nothing dies behind it.
  void close(const std::string& text = "}") {
    --depth_;
    line(text, ends_in_drops_ ? span_ : Span());
  }

  // ---- names and places
  std::string name(Local l);
  std::string local_type(Local l) const;
  bool is_auto(Local l) const;
  std::string place(const nir::Place& p, bool is_read = false);
  std::string maybe_member(const nir::Place& p, const char* of_box, const char* member);
  std::string operand(const nir::Operand& o, bool typed = false);
  std::string library_argument(const nir::Operand& o);
  std::string argument(const nir::Operand& o);
  std::string constant(const nir::Operand& o, bool typed);
  std::string value(const nir::Value& v, TypeId to);
  std::string format_piece(const nir::FormatPiece& p);
  std::string closure(const nir::MakeClosure& c, bool for_library);
  std::string closure_now(const nir::MakeClosure& c, bool for_library);
  std::string call_text(const nir::Call& c);

  // ---- instructions
  void region(nir::RegionId r, nir::LabelId tail = {});
  void instruction(nir::InstrId id, nir::LabelId tail, const std::vector<nir::InstrId>& list, std::size_t at);
  void define(Local l, const std::string& text);
  void call(const nir::Call& c);
  void walk(const nir::Walk& w);
  void guard(const nir::Guard& g);
  void overlap(const nir::Overlap& o);
  std::optional<std::string> first_read(const nir::MakeClosure& branch);
  void edge(const nir::FailEdge& e, const std::string& result);
  std::string returned(const nir::Operand& o, const std::string& type);
  void leave(nir::LabelId label, nir::LabelId tail);
  bool is_empty(nir::RegionId r) const;
  bool only_fails(nir::RegionId r, Local error) const;
  bool is_quiet(const nir::Value& v) const;
  bool is_written_where_used(Local temp, const nir::Instr& definition, const std::vector<nir::InstrId>& list,
                             std::size_t at);
  bool appends_format(const nir::Call& c, Local temp, const nir::Instr& definition) const;
  bool reads(const nir::Value& v, Local l) const;
  // A choice between null and a value that is one expression in C++: what it defines, and the text.
  struct NullChoice {
    Local to;
    InstrId choice;
    bool is_lent = false;  // `x.lent()`; else `x.or_else(fallback)`
    const nir::Operand* fallback = nullptr;
  };
  std::optional<NullChoice> null_choice(const std::vector<nir::InstrId>& list, std::size_t at) const;
  const nir::Assign* only_assign(nir::RegionId r) const;
  const nir::Assign* goes_on_with(const nir::If& i) const;
  bool ends(nir::RegionId r) const;
  bool is_joined_with_definition(Local l, const std::vector<nir::InstrId>& list, std::size_t at) const;
  bool is_dropped_here(Local l, const std::vector<nir::InstrId>& list, std::size_t at) const;
  void count_uses();
  void find_boxed();
  void count_place(const nir::Place& p);
  void count_operand(const nir::Operand& o);

  Emission& e_;
  nir::FunctionId id_;
  const nir::Function& f_;
  BodyWriter* outer_;
  int depth_;
  Span span_;
  std::string out_;
  std::unordered_map<std::uint32_t, std::string> names_;
  std::set<std::string>* used_names_;
  std::set<std::string> own_names_;
  std::unordered_map<std::uint32_t, int> uses_;                          // of locals, by reads
  std::unordered_set<std::uint32_t> boxed_;                              // temporaries that are a box from the start
  std::unordered_set<std::uint32_t> undefined_;                          // declared where they are first assigned
  std::unordered_map<std::uint32_t, std::string> inlined_;               // temporaries written where they are used
  std::unordered_map<std::uint32_t, const nir::MakeClosure*> closures_;  // temporaries that hold a lambda
  std::unordered_set<std::uint32_t> used_labels_;
  struct Breakable {
    nir::LabelId label;  // invalid: a switch
    bool is_loop = false;
  };
  std::vector<Breakable> breakables_;
  std::unordered_map<std::uint32_t, Local> handler_errors_;  // by label of the guard
  std::unordered_set<std::uint32_t> written_;                // instructions written with the one in front
  bool ends_in_drops_ = false;                               // of the region written last
  std::uint32_t mapped_line_ = 0;
  FileId mapped_file_;
  int* counter_;
  int own_counter_ = 0;
};

}  // namespace nikaia::lang::emit_cpp
