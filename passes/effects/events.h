// What a body does that has effects, as a short list: made once per body by collect.cc, then read as often as the least
// solution needs (solve.cc), and once more for facts and refusals (report.cc).
//
// Events stand in *collectors*: a function, a lambda, what a `catch` guards, a branch of an `overlap`, the claim of an
// `assert`. Each gathers what happens in it; what it passes on to the collector around it is its kind's matter.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lang/compilation.h"
#include "lang/facts/effects.h"

namespace nikaia::lang::effects {

using CollectorId = Id<struct CollectorTag>;

// Code that is handed to a call.
struct Code {
  enum class Kind : std::uint8_t {
    lambda,     // written there: `collector`
    named,      // a function: `fn`
    own_param,  // a parameter of this function that its body only runs: whoever calls answers for it
    by_type,    // any other function value: only its type is known
    pure,       // a variant as a function
  } kind = Kind::by_type;
  CollectorId collector;
  FnId fn;
  TypeId type;              // of the value, a function type
  std::uint32_t param = 0;  // own_param: which
};

// Code as an argument of a call.
struct CodeArgument {
  Code code;
  std::uint32_t position = 0;  // in the callee's parameters
  TypeId wanted;               // the parameter's function type
  bool is_detached = false;
};

// What one step of a walk does: the words of the sequence at its root, and the lambdas on the way.
struct Step {
  bool pauses = false;
  bool throws = false;  // with `io::IoError`, the only error of the library's sequences
  std::vector<Code> codes;
  bool any() const { return pauses || throws || !codes.empty(); }
};

struct Event {
  enum class Kind : std::uint8_t {
    call,     // of `callee`
    value,    // of the function value `code`
    step,     // of a `for`
    raise,    // `throw`
    child,    // what `child` gathers happens here
    closure,  // the lambda `child` is made here; what it does happens elsewhere
    overlap,  // waits for its branches, or a `select` for its arms; these are children of their own
    read,     // looks at `waits_for`, by an index
    cleanup,  // a name dies whose type has the cleanups `cleanups`
    fit,      // the function value `code` is put where the function type `wanted` is asked for
    task,     // the lambda `code` becomes a task of a scope: what it fails with, the scope's block does
  } kind = Kind::call;
  ast::ExprId expr;       // whose bits it sets; of a `for` its subject
  Span span;              // what is underlined
  std::string_view name;  // of the callee, as written; of a cleanup the name that dies
  FnId callee;
  CallId call;  // call: what it hands over, by the file's types
  std::vector<CodeArgument> codes;
  Code code;
  Step step;      // of a `for`, and of a row that walks its receiver
  TypeId wanted;  // of a `fit`
  TypeId error;   // raise: what is thrown; invalid: the error of `caught` again, or one nobody can name
  CollectorId caught;
  CollectorId child;
  std::vector<CollectorId> tasks;  // of a `join`: the tasks it may wait for
  std::vector<FnId> cleanups;
  bool changes = false;                   // a subject or a `mut` argument
  std::string door;                       // of a call that opens a lock around its lambda: the lock, as written
  std::vector<LocalId> unread;            // values that the lambda of an `update` assigns and never looks at
  std::string waits_for;                  // reads a value whose reading can wait for the disk: the value
  std::vector<std::string> lock_touches;  // of a row of a lock: its touches, with which lock it is
  Span branch;                            // of the `overlap` or the `select` it happens in
  bool never_fails = false;               // this call of `callee`, whatever its row says
};

struct Collector {
  enum class Kind : std::uint8_t { function, test, lambda, guarded, branch, claim } kind = Kind::function;
  FileId file;
  FnId fn;                               // of `function`
  ast::ExprId expr;                      // the lambda, the `catch`, the branch
  bool is_task = false;                  // of a `spawn`
  CollectorId made_in;                   // of `lambda`: where it is written
  std::uint32_t handed_at = not_handed;  // of `lambda`: the event there that is the first to be handed it
  std::vector<Event> events;             // in the order of evaluation
  FnEffects effects;                     // what it gathers so far

  static constexpr std::uint32_t not_handed = 0xffffffffu;
};

// Everything the pass knows while it works.
struct Program {
  const Compilation& source;
  const Declarations& decls;
  const Names& names;
  const Types& types;
  const Contracts& contracts;
  TypeTable& table;
  Sink& sink;
  Effects& out;

  IdVector<CollectorId, Collector> collectors;
  IdVector<FnId, CollectorId> body_of;  // of the program's functions with a body
  std::vector<CollectorId> tests;
  IdVector<FnId, std::uint8_t> leaks;  // fails without saying so; one message answers for it
  bool opens_locks = false;            // a row of a lock is called somewhere

  // Of generic functions: the type parameters a value of which ends in the body; and where they are called.
  struct GenericCall {
    FnId caller;  // invalid in a test
    FnId callee;
    std::vector<TypeId> type_args;
    Span span;
  };
  IdVector<FnId, std::vector<TypeParamId>> ends_params;
  std::vector<GenericCall> generic_calls;

  std::string_view text(Name name) const { return source.names.text(name); }
};

// Whether calls of `fn` may be taken not to pause: its answer, or what it promises to another package.
void collect_bodies(Program& program);
void solve(Program& program);
void report(Program& program);
void check_stale(Program& program);
// open_cleanups.cc: refuses to end a value whose cleanup can fail in a generic function, which cannot say so.
void check_open_cleanups(Program& program);

// What one event does by itself, from the current answers: those of its callee where nothing is added, else `made`.
const FnEffects& effects_of(const Program& program, const Event& event, FnEffects& made);
FnEffects effects_of(const Program& program, const Code& code);
// Adds what `from` does to `to`; says whether `to` grew.
bool add(FnEffects& to, const FnEffects& from);

// NK1137 for `ref` at `written`, where `what` lends anyway, unless nothing moves there.
void refuse_ref(const Program& program, FileId file, ast::ExprId written, const std::string& what);

// The cleanups that run where a value of `type` dies, its own and its parts'.
std::vector<FnId> cleanups_of(const Program& program, TypeId type);
// Whether one of them can fail.
bool cleanup_can_fail(const Program& program, TypeId type);

}  // namespace nikaia::lang::effects
