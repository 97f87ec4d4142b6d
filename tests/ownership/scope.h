// What the generator knows about the names in scope while it writes a function.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace nikaia::ownership {

enum class Ty : std::uint8_t {
  number,
  flag,
  text,
  texts,
  numbers,
  parcel,
  crate,
  parcels,
  bell,
  tower,
  bells,
  event,
  maybe_text,
  maybe_parcel,
  maybe_bell,
  map,
  tree,
  lists,
  shared,
  lock,
  lock_list,
  tuple,
  function,
  mark,
  views,
  spot,
  color,
  node,
  pair,
  job,
  holder,
  chime,
  marks,
  glance,
  glances,
  text_view,
  parcel_view,
  list_view,
  run_view,
  count_
};

struct TyInfo {
  const char* written;
  bool copies;  // or is a handle: handing it on leaves the name
  bool holds_view;
  bool drops;  // prints as it dies; what lies in it cannot be viewed past its end
};

constexpr TyInfo ty_infos[] = {
    {"i64", true, false, false},
    {"bool", true, false, false},
    {"String", false, false, false},
    {"Vec[String]", false, false, false},
    {"Vec[i64]", false, false, false},
    {"Parcel", false, false, false},
    {"Crate", false, false, false},
    {"Vec[Parcel]", false, false, false},
    {"Bell", false, false, true},
    {"Tower", false, false, true},
    {"Vec[Bell]", false, false, true},
    {"Event", false, false, false},
    {"String?", false, false, false},
    {"Parcel?", false, false, false},
    {"Bell?", false, false, true},
    {"collections::HashMap[String, i64]", false, false, false},
    {"collections::BTreeMap[String, String]", false, false, false},
    {"collections::HashMap[String, Vec[String]]", false, false, false},
    {"Shared[Parcel]", true, false, false},
    {"SharedMut[i64]", true, false, false},
    {"SharedMut[Vec[String]]", true, false, false},
    {"(String, i64)", false, false, false},
    {"fn(i64) -> String", true, false, false},
    {"Mark", true, true, false},
    {"Vec[ref String]", false, true, false},
    {"Spot", true, false, false},
    {"Color", true, false, false},
    {"Node", false, false, false},
    {"Pair[String, i64]", false, false, false},
    {"Job", false, false, false},
    {"Holder", false, false, true},
    {"Chime", false, false, true},
    {"Vec[Mark]", false, true, false},
    {"Look", true, true, false},
    {"Vec[Look]", false, true, false},
    {"ref String", true, true, false},
    {"ref Parcel", true, true, false},
    {"ref Vec[String]", true, true, false},
    {"ref Array[String]", true, true, false},
};
static_assert(sizeof ty_infos / sizeof ty_infos[0] == static_cast<std::size_t>(Ty::count_));

inline const TyInfo& info(Ty t) {
  return ty_infos[static_cast<std::size_t>(t)];
}

enum class Hold : std::uint8_t {
  owned,
  lent,   // a `ref` parameter, a loop's element, a view of a struct
  plain,  // a parameter written with a plain type: lent until the body keeps it
  mut,    // a `mut` parameter
};

struct Var {
  std::string name;
  Ty type;
  Hold hold = Hold::owned;
  bool is_mut = false;
  std::size_t block = 0, loop = 0, lambda = 0;  // how deep it was bound
  std::size_t bound_at = 0;                     // the line behind its binding
  std::vector<std::size_t> owners;              // a view: into which names
  std::size_t used_at = 0;                      // when last, of the generator's clock
  std::size_t walked = 0;                       // loops that walk it
  bool was_assigned = false;                    // as a whole
  bool is_kept = false;                         // plain parameter: the body keeps it
  bool may_be_taken = false;                    // bound by an arm of what other arms take from
};

// What changes along a path, by variable.
enum class Held : std::uint8_t { there, part_gone, gone };
struct State {
  std::vector<Held> held;
  std::vector<std::uint8_t> is_stale;  // a view whose owner has changed
  bool ends = false;                   // the path has left

  void merge(const State& other) {
    if (other.ends) return;
    if (ends) {
      *this = other;
      return;
    }
    for (std::size_t i = 0; i < held.size() && i < other.held.size(); ++i) {
      if (other.held[i] > held[i]) held[i] = other.held[i];
      is_stale[i] |= other.is_stale[i];
    }
  }
};

}  // namespace nikaia::ownership
