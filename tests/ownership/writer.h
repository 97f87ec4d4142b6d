// The generator's state while it writes one program; see generator.h. Expressions and what they take stand in
// expressions.cc, statements in statements.cc, changes.cc, control.cc and, as a table, pieces.cc; mutations in
// mutations.cc.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/ownership/generator.h"
#include "tests/ownership/random.h"
#include "tests/ownership/scope.h"

namespace nikaia::ownership {

// A function of the program that later ones may call.
struct Callable {
  std::string name;
  std::vector<Ty> params;
  std::vector<Hold> holds;
  std::vector<bool> kept;
  bool has_result = false, throws = false;
  Ty result = Ty::number;
};

class Writer {
 public:
  Writer(std::uint64_t seed, unsigned number);
  Program write();

 private:
  // ---- lines and blocks
  void line(const std::string& text);
  void open(const std::string& text);
  void close(const std::string& text = "}");
  void body(std::size_t statements, bool is_loop);
  std::string fresh(const char* stem) { return std::string(stem) + std::to_string(++names_); }

  // ---- names
  std::size_t bind(const std::string& name, Ty type, Hold hold, bool is_mut);
  bool in_scope(std::size_t v) const;
  static bool is_text_like(Ty t) {
    return t == Ty::text_view || t == Ty::views || t == Ty::mark || t == Ty::marks || t == Ty::run_view;
  }
  bool is_there(std::size_t v) const { return in_scope(v) && state_.held[v] == Held::there && !state_.is_stale[v]; }
  bool can_take(std::size_t v) const;
  bool can_change(std::size_t v) const;
  bool can_disturb(std::size_t v) const;
  void disturb(std::size_t v, bool by_assignment);
  void take(std::size_t v, Held held = Held::gone);
  void change(std::size_t v);
  void use(std::size_t v);
  std::vector<std::size_t> those(std::initializer_list<Ty> types, const std::function<bool(std::size_t)>& f) const;
  std::size_t one_of(const std::vector<std::size_t>& from) { return from[rng_.below(from.size())]; }
  bool pick(std::size_t& v, std::initializer_list<Ty> types, bool (Writer::*f)(std::size_t) const);
  void new_owners(std::size_t view, const std::vector<std::size_t>& owners, bool replaces);

  // ---- expressions
  std::string make(Ty t, int depth = 0);
  std::string literal(Ty t, int depth);
  std::string made_text(int depth);
  std::string look(std::size_t v);
  std::string any_look();
  std::string condition();
  std::string number();
  bool text_view(std::string& out, std::vector<std::size_t>& owners);
  bool view_into(std::size_t v, std::string& out);
  std::string call(const Callable& f, bool& worked, std::vector<std::size_t>& owners, int depth = 0);

  // ---- statements
  void statement();
  void forget(const State& before);
  void let();
  void let_view();
  void let_struct_view();
  void print();
  void rename();
  void assign();
  void assign_part();
  void change_something();
  void keep_something();
  void take_part();
  void if_();
  void for_list();
  State begin_loop();
  void end_loop(const State& before);
  void for_range();
  void while_();
  void match_event();
  void catch_();
  void lambda();
  void kept_lambda();
  void task();
  void destructure();
  void option();
  void drain();
  void block();
  void locks();
  void jump();
  void with();
  void call_own();
  void views();
  void maps();
  void generics();
  void overlap();
  void piece();
  std::size_t bound(Ty t);
  void function(std::size_t n, bool is_last);
  void leave();

  // ---- mutations
  void mutation(const char* kind, std::vector<std::pair<std::size_t, std::string>> inserts);
  void note_gone();
  void note_event(std::size_t v, std::size_t before, bool is_take);
  void note_walk(std::size_t v, std::size_t at);
  void note_snippet();

  Random rng_;
  Program out_;
  std::string prefix_;
  std::vector<Callable> callables_;
  std::vector<Var> vars_;
  std::vector<std::size_t> visible_;
  State state_;
  std::vector<std::size_t> loop_starts_;  // clock
  std::vector<std::vector<State>> breaks_;
  std::size_t depth_ = 0, loop_ = 0, lambda_ = 0;
  std::size_t clock_ = 0;
  std::size_t names_ = 0;
  std::size_t left_ = 0;  // statements
  std::vector<std::size_t> used_now_;
  std::vector<std::pair<std::size_t, bool>> events_;  // taken or changed by the statement at hand
  bool has_result_ = false, throws_ = false;
  Ty result_ = Ty::number;
};

}  // namespace nikaia::ownership
