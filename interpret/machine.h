// The machine: executes monomorphic NIR and holds it to the life of every value.
//
// It runs what `instantiate` provides, with the drops as they stand there, by walking the regions.
// What it prints is what the compiled program prints. It stops with a finding where the NIR
//
//   reads or hands over a value that was moved or is dead, or a part of which is; drops one twice;
//   leaves one with a `Drop` of the program's undropped at the end of its region; reads through a
//   view whose owner died (text and runs are counted and live on), was handed over or was changed;
//   changes a list that a loop walks.
//
// None of that can happen in a program that the checks accepted; a finding is a defect of the
// checks or the lowering.
//
// Tasks run when somebody waits for one, in the order in which they were started, each to its end.
// A program that needs more of the runtime, or a row of the library that library.cc does not have,
// is not interpreted.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interpret/value.h"
#include "lang/compilation.h"
#include "lang/nir/instances.h"
#include "lang/types/teardown.h"

namespace nikaia::interpret {

enum class Ending : std::uint8_t {
  done,
  failed,  // an error left `main`; it was printed
  panicked,
  finding,    // see above
  not_built,  // the program needs what the interpreter does not have
  too_long,   // more steps than it was allowed
};

struct Outcome {
  Ending ending = Ending::done;
  std::string output;   // standard output
  std::string message;  // what the ending is about
  lang::Span span;      // where
};

class Machine {
 public:
  explicit Machine(lang::Compilation& compilation, std::uint64_t steps = ~std::uint64_t{0});

  // Runs `main`, or the function without parameters of that name. Once for each machine.
  Outcome run(std::string_view name = {});

  // ---- what the library's rows need (library.cc)

  bool stopped() const { return is_stopped_; }
  void stop(Ending ending, std::string message);
  void finding(const std::string& message) { stop(Ending::finding, message); }

  Cell* make(Kind kind);
  Cell* integer(std::int64_t value);
  Cell* boolean(bool value);
  Cell* unit() { return make(Kind::unit); }
  Cell* text(std::string value);
  Cell* view_of(Cell* text_or_view, std::size_t at, std::size_t size);
  Cell* nullable(Cell* value);  // null for none
  Cell* pointer_to(Cell* target, bool is_mut = false);
  // What a `ref` of the value at `c` is: a view of text, a pointer to anything else, the value
  // where it copies.
  Cell* lent(Cell* c);
  Cell* copied(Cell* c);  // of what copies; of a handle, one owner more
  Cell* cloned(Cell* c);
  Cell* moved_out(Cell* c);  // the value in a cell of its own; `c` is moved
  void kill(Cell* c);        // dies: teardown, then its parts
  void changed(Cell* c) { ++c->version; }

  // The cell behind pointers; a text, view or run itself. Finds out what is wrong with it.
  Cell* reached(Cell* c);
  std::string_view text_of(Cell* c);
  void require_ascii(std::string_view text);           // what is cut or folded here is cut and folded by bytes
  void elements_of(Cell* c, std::vector<Cell*>& out);  // of a list or a run
  void put(Cell* map, Cell* key, Cell* value);         // into a map; returns nothing, what was there dies
  bool equal(Cell* a, Cell* b);
  int compare(Cell* a, Cell* b);
  void print(Cell* c, std::string& out);
  void write(const std::string& text) { output_ += text; }
  Cell* call_closure(Cell* function, std::vector<Cell*> args);
  Cell* join(Task& task);
  bool is_list_type(lang::TypeId type) const;
  const lang::TypeTable& types() const { return compilation_.types; }
  bool runs_code(lang::TypeId type);
  bool holds_code(Cell* c);  // whether a `Drop` of the program would run

 private:
  using Place = lang::nir::Place;
  using LocalId = lang::nir::LocalId;

  // What a running loop was handed to walk: dies with the loop, before what was there ahead of it.
  struct Walked {
    Cell* subject;
    std::vector<std::uint8_t> was_there;  // by local
  };
  struct Frame {
    const lang::nir::Function& f;
    lang::nir::FunctionId id;
    std::vector<Cell*> slots;
    std::vector<std::uint8_t> is_kept_capture;
    Cell* result = nullptr;
    Cell* error = nullptr;
    std::vector<Walked> walks;
  };
  enum class Way : std::uint8_t { on, leave, again, raise, returned, failed };
  struct Signal {
    Way way = Way::on;
    std::uint32_t label = 0;
  };

  // exec.cc
  Cell* call_function(lang::nir::FunctionId id, std::vector<Cell*> args, const Closure* closure, Cell*& error);
  Signal region(Frame& fr, lang::nir::RegionId r);
  Signal instruction(Frame& fr, lang::nir::InstrId id, std::vector<LocalId>& declared);
  Signal walk(Frame& fr, const lang::nir::Walk& w);
  Signal walk_over(Frame& fr, const lang::nir::Walk& w, Cell* subject);
  Signal call(Frame& fr, const lang::nir::Call& c);
  Signal fail_edge(Frame& fr, const lang::nir::FailEdge& edge, Cell* error);
  void declare(Frame& fr, LocalId l);
  void set_local(Frame& fr, LocalId l, Cell* value) { fr.slots[l.index] = value; }
  void end_of_region(Frame& fr, const std::vector<LocalId>& declared);
  void drop_local(Frame& fr, LocalId l);
  void end_walks_before(Frame& fr, LocalId dropped);
  std::string name_of(const Frame& fr, LocalId l) const;
  std::string name_of_captured(const Closure& c, LocalId l) const;
  std::shared_ptr<Closure> closure(Frame& fr, const lang::nir::MakeClosure& c);
  bool run_library(std::string_view key, std::vector<Cell*>& args, const lang::nir::Call& c, Cell*& result);

  // places.cc
  Cell* at(Frame& fr, const Place& p, bool changes = false);
  Cell* read(Frame& fr, const Place& p);  // live, with all its parts
  void write_to(Frame& fr, const Place& p, Cell* value, bool old_dies);
  void require_whole(Frame& fr, const Place& p, const Cell* c);
  std::string place_text(const Frame& fr, const Place& p) const;
  bool check_target(Cell* pointer);

  // values.cc
  Cell* operand(Frame& fr, const lang::nir::Operand& o);
  Cell* value(Frame& fr, const lang::nir::Value& v, lang::TypeId to);
  Cell* constant(const lang::nir::Operand& o);
  Cell* binary(Frame& fr, const lang::nir::Binary& b, lang::TypeId to);
  Cell* lend_cell(Cell* c, lang::TypeId ref_type, bool is_mut);
  std::string error_message(Cell* failure);

  lang::Compilation& compilation_;
  const lang::Declarations& decls_;
  const lang::nir::Module& module_;
  const lang::nir::Instances instances_;
  std::unordered_map<std::uint32_t, bool> runs_code_;
  std::deque<Cell> cells_;
  std::deque<std::shared_ptr<Task>> waiting_;
  std::string output_;
  std::uint64_t steps_left_;
  std::uint32_t depth_ = 0;
  bool is_stopped_ = false;
  Outcome outcome_;
  lang::Span span_;
};

}  // namespace nikaia::interpret
