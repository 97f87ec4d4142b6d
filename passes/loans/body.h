// One function's loans: who holds which, who is read later, and what conflicts. The rules are at the top of loans.cc.
#pragma once

#include <algorithm>
#include <optional>

#include "lang/nir/places.h"
#include "lang/nir/visit.h"
#include "passes/loans/held.h"
#include "passes/loans/loans.h"

namespace nikaia::lang::loans {

constexpr std::uint32_t no_holder = ~std::uint32_t{0};

// The loans that a value's views have: of those in the value itself, and of those behind another view in it. Reading
// through a view leaves the latter.
struct Origins {
  nir::Bits near, deep;

  void add(const Origins& other) {
    near.add(other.near);
    deep.add(other.deep);
  }
  nir::Bits all() const {
    nir::Bits out = near;
    out.add(deep);
    return out;
  }
};

class Body {
 public:
  Body(Loans& m, FunctionId id) : m_(m), id_(id), f_(m.function(id)) {}

  void run();

 private:
  // ---- temporaries that are pointers are what they were made of

  void find_pointers();
  Place resolved(Place p) const;

  // ---- who may hold a loan: locals whose type holds a view, lambdas, and each walk

  void find_holders();
  void add_holder(NirLocal local, std::uint8_t views, bool is_deep);
  std::uint32_t holder_of(NirLocal local) const { return local.valid() ? holders_[local.index] : no_holder; }
  std::uint32_t walker_of(InstrId walk) const;

  // ---- the loans

  void find_loans();
  bool may_go_away(const nir::Node& node) const;
  bool may_hold(const nir::Node& node) const;
  void add_loan(const void* key, const Place& given, bool is_change, InstrId i, bool is_captured = false);
  bool is_own(const Place& p) const;
  bool is_of_caller(const Place& p) const;
  bool hands_views_on();
  static std::uint32_t slot(std::uint32_t holder, bool is_deep) { return holder * 2 + (is_deep ? 1 : 0); }
  static std::uint32_t holder_in(std::uint32_t slot) { return slot / 2; }

  Origins held(const Held& state, std::uint32_t holder) const;
  template <class F>
  static void each_loan(const Held& state, std::uint32_t holder, F&& f) {
    state.each_loan(slot(holder, false), f);
    state.each_loan(slot(holder, true), f);
  }
  void put(Held& state, std::uint32_t holder, const Origins& loans, bool replaces) const;
  void put_into(Held& state, const Place& p, const Origins& loans) const;
  void put_behind(Held& state, NirLocal pointer, const nir::Bits& views) const;
  void put_anywhere(Held& state, NirLocal root, const nir::Bits& loans) const;
  static std::size_t derefs(const Place& p);
  void end_of(Held& state, NirLocal root) const;
  static bool goes_through_view(const Place& p);

  // ---- regions: in which one each local is declared, and which encloses which

  void find_regions();
  void walk_region(nir::RegionId r);
  bool is_there(NirLocal local, InstrId at) const;

  // ---- origins: which loans a value holds

  Origins nothing() const { return {nir::Bits(loans_.size()), nir::Bits(loans_.size())}; }
  Origins fit(Origins from, TypeId type) const;
  Origins inside(const Held& state, const Place& p) const;
  Origins loan_of(const Held& state, const void* key, const Place& p) const;
  Origins origins(const Held& state, const nir::Operand& o) const;
  Origins origins(const Held& state, const nir::Value& v, TypeId to) const;
  bool is_copied_out(const nir::MapRead& read, TypeId to) const;
  Origins origins(const Held& state, const nir::MakeClosure& c) const;

  // ---- calls

  bool lends_for_change(const nir::Operand& o) const;
  const Contract* contract_of(const nir::Call& c) const;
  Origins result_of(const Held& state, const nir::Call& c) const;
  static bool is_source(const FnDecl& fn, std::size_t argument);
  void store_views(Held& state, const nir::Call& c) const;
  void store_by_change(Held& state, const nir::Call& c) const;
  bool stores_captures(const nir::Operand& lambda) const;
  void hand_to_lambdas(Held& state, const nir::Call& c) const;
  bool lends_views(const nir::Capture& x) const;
  bool changes_views(const nir::Operand& o) const;
  const nir::MakeClosure* closure_in(NirLocal local) const;

  // ---- forward: one step

  void transfer(const nir::Step& step, Held& state) const;
  void store_captures(Held& state, const nir::MakeClosure& c) const;
  bool may_take_in(const Place& to) const;
  void assign(Held& state, const Place& to, const Origins& from) const;
  Origins element(const nir::Walk& w, std::size_t n, Origins walked) const;

  // ---- backward: who is read

  template <class F>
  void each_read(const nir::Node& node, F&& f) const {
    const auto root = [&](const Place& p) {
      if (holder_of(p.root) != no_holder) f(holder_of(p.root));
    };
    nir::visit_uses(
        node,
        [&](const nir::Operand& o) {
          if (o.kind != OperandKind::constant) root(o.place);
        },
        root,
        [&](const nir::MakeClosure& c) {
          for (const nir::Capture& x : c.captures) root(x.place);
        });
    if (const Place* to = nir::written_place(node); to != nullptr && goes_through_view(*to)) root(*to);
    if (auto* d = std::get_if<nir::Drop>(&node)) {
      for (NirLocal l : d->locals) {
        if (is_read_by_drop(l)) f(holder_of(l));
      }
    }
  }

  bool is_read_by_drop(NirLocal l) const;

  template <class F>
  void each_defined(const nir::Node& node, F&& f) const {
    const auto local = [&](NirLocal l) {
      if (holder_of(l) != no_holder) f(holder_of(l));
    };
    if (auto* d = std::get_if<nir::Declare>(&node)) local(d->local);
    if (auto* c = std::get_if<nir::Call>(&node)) local(c->to);
    if (auto* o = std::get_if<nir::Overlap>(&node)) local(o->to);
    if (auto* s = std::get_if<nir::Spawn>(&node)) local(s->to);
    if (const Place* to = nir::written_place(node);
        to != nullptr && to->is_local() && !std::holds_alternative<nir::MapWrite>(node))
      local(to->root);
    if (auto* w = std::get_if<nir::Walk>(&node)) {
      for (NirLocal l : w->elements) local(l);
    }
  }

  void reads(const nir::Step& step, nir::Bits& live) const;

  // ---- conflicts

  void conflicts(const nir::Step& step, const Held& state, nir::Bits live);
  void branch_changes(InstrId i, const nir::MakeClosure& c, const Held& state, const nir::Bits& live);
  Place behind(const Place& pointer, TypeId type) const;
  bool is_element(std::uint32_t h) const;
  std::optional<std::pair<std::uint32_t, std::size_t>> active(const Place& p, const Held& state,
                                                              const nir::Bits& live) const;

  Span span_of(InstrId i, const Place& p) const { return p.span.has_text() ? p.span : f_.instrs[i].span; }

  void changed(InstrId i, const Place& given, const Held& state, const nir::Bits& live, const nir::Node& node);
  void taken(InstrId i, const Place& p, const Held& state, const nir::Bits& live);
  void ends(InstrId i, NirLocal root, const Held& state, const nir::Bits& live, const nir::Node& node);
  void looks_into_old(const nir::Store& s, const Held& state);
  void note_outliving(std::uint32_t holder);
  bool is_plain_lambda(std::uint32_t h) const;
  void still_there(InstrId i, const nir::Node& node, const Held& state);
  std::uint8_t views_in(std::uint32_t slot) const;
  void outlives(InstrId i, std::uint32_t h, const Loan& loan, std::uint8_t views);
  bool is_only_returned(NirLocal local);
  void returned(InstrId i, const nir::Return& r, const Held& state);

  // Whether this is a block that is lent something for its own run: what a lock holds, or a scope of tasks.
  bool lends_for_itself() const { return is_door_ || is_scope_; }

  void leaves_block(InstrId i, const nir::Return& r, const Held& state);
  void into_captures(InstrId i, const Held& state);
  bool is_scope(TypeId type) const;
  bool find_scope() const;
  void leaves_scope(Span span, NirLocal scope);
  void into_lock(InstrId i, const Held& state);

  // ---- what is put where it may outlive every call: into a shared value, a lock, a channel, an error

  void put_away(InstrId i, Span span, const std::string& by, std::uint8_t views, const Origins& in);
  void put_away(InstrId i, Span span, const std::string& by, std::uint8_t views, std::size_t l);
  void refuse_away(InstrId i, Span span, const std::string& by, const nir::Local& root);
  bool is_captured_by_loan(NirLocal inner) const;
  bool puts_away_argument(const nir::Call& c, std::size_t a) const;
  bool puts_away_any(const nir::Call& c) const;
  void call_puts_away(InstrId i, const nir::Call& c, const Held& state);
  void closure_puts_away(InstrId i, const nir::MakeClosure& c, const Held& state);
  bool find_door() const;
  void to_task_and_out(InstrId i, const nir::Operand& o, std::size_t l);
  void stored_twice(InstrId i);
  bool is_bare(const nir::Local& local) const;
  void handed_back_beside(InstrId i, const nir::Return& r, const Origins& out);
  void loses_entries(InstrId i, std::uint32_t holder, const Loan& loan);
  bool is_pruned_in(nir::RegionId loop, NirLocal container) const;
  bool may_keep_as_text();
  void note_text(const nir::Assign& a, const Held& state);
  void keeps_text(InstrId i, const nir::Node& node);
  void note_source(std::size_t loan, Sources& sources) const;
  void escapes(InstrId i, const nir::Operand& o, std::size_t l);
  std::optional<Code> refusal(std::uint8_t views, const Loan& loan) const;
  bool is_inline_array(TypeId t) const;
  void kept_away(InstrId i, const nir::MakeClosure& c, const Held& state);

  // ---- one call that is given a place twice

  void same_call_only();
  void same_call(InstrId i, const nir::Call& c, const Held* state, const nir::Bits* live);
  bool meets(const nir::Operand& o, const Place& q, const Held* state) const;
  bool is_lambda(const nir::Operand& o) const;
  std::string callee(const nir::Call& c) const;
  void twice(InstrId i, const nir::Call& c, const Place& q, const nir::Operand& other, std::size_t);
  void lambda_changes(InstrId i, const nir::Call& c, std::size_t a, const Held& state, const nir::Bits& live);
  bool first_at(InstrId i);

  Loans& m_;
  FunctionId id_;
  const nir::Function& f_;

  std::vector<const nir::Operand*> pointer_of_;  // by local: what a temporary pointer was made of; or null
  std::vector<std::uint32_t> holders_;           // by local
  std::vector<NirLocal> local_of_;               // by holder; invalid for a walker
  std::vector<std::uint8_t> views_of_;           // by holder
  std::vector<std::uint8_t> is_deep_;            // by holder: whether a view in it may lie behind another
  std::vector<std::pair<InstrId, std::uint32_t>> walkers_;
  std::uint32_t holder_count_ = 0;

  struct Given {
    NirLocal local;
    bool is_deep;
  };
  std::vector<Given> callers_;  // whose loans come first
  std::vector<Loan> loans_;
  std::unordered_map<const void*, std::size_t> loan_at_;  // by operand, place or captured part
  bool has_loans_ = false;
  bool is_door_ = false;   // the block of a lock's door
  bool is_scope_ = false;  // the block of a scope of tasks

  std::vector<nir::RegionId> region_of_, outer_, declared_in_;
  std::vector<nir::RegionId> loops_;                         // bodies of loops
  std::vector<std::pair<NirLocal, NirLocal>> text_of_bare_;  // text that was made of a bare view parameter, and that
  std::vector<NirLocal> given_to_task_;                      // owners of text and runs that a task looks into
  std::vector<InstrId> said_;
  IdVector<NirLocal, InstrId> consumers_;                                // empty until asked for
  std::unordered_map<std::uint32_t, const nir::MakeClosure*> closures_;  // by local
};

}  // namespace nikaia::lang::loans
