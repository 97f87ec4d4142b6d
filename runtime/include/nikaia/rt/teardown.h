// Values with a `Drop` or a `Cleanup` in emitted programs (language 03 §5).
//
// A type with either has a `Life` as its last member. The literal begins it, a move carries it over, and its
// destructor, which runs before the fields die, calls the type's static `end`, which sees to a cleanup that did not run
// (in a task that is being unwound, or where a container or a function value held it) and runs `drop`. So a value that
// was moved out of ends nothing. Its first member is an `Ending`, for a value that another one is assigned over.
//
// A cleanup is a call: `clean_up(x)` runs those of `x` and of everything it holds, the outermost first, what was
// made last first. It runs at most once for a value.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/box.h>
#include <nikaia/rt/btree.h>
#include <nikaia/rt/cleanup.h>
#include <nikaia/rt/map.h>
#include <nikaia/rt/maybe.h>
#include <nikaia/rt/result.h>
#include <nikaia/rt/shared.h>
#include <nikaia/rt/tuple.h>
#include <nikaia/rt/vec.h>

namespace nikaia {

template <class T>
struct Life {
  bool alive = false;
  bool cleaned = false;

  constexpr Life() = default;
  static constexpr Life begun() {
    Life life;
    life.alive = true;
    return life;
  }
  Life(Life&& other) noexcept : alive(other.alive), cleaned(other.cleaned) { other.alive = false; }
  Life& operator=(Life&& other) noexcept {
    alive = other.alive;
    cleaned = other.cleaned;
    other.alive = false;
    return *this;
  }
  ~Life() {
    if (alive) T::end(*this);
  }
  // True once for a value that is there.
  bool owes_cleanup() {
    if (!alive || cleaned) return false;
    cleaned = true;
    return true;
  }
  friend bool operator==(const Life&, const Life&) { return true; }
};

// `value` dies here, in the middle of its block. Where it was moved out of before, nothing happens.
template <class T>
NIKAIA_INLINE void drop(T& value) {
  [[maybe_unused]] const T ended = static_cast<T&&>(value);
}

// The value at `place` dies, then there is another.
template <class T>
NIKAIA_INLINE void replace(T& place, T value) {
  drop(place);
  place = static_cast<T&&>(value);
}

// The first member of a type with a `Life`: where another value is assigned over one that is there, the old one ends
// before its fields are replaced.
template <class T>
struct Ending {
  constexpr Ending() = default;
  constexpr Ending(Ending&&) noexcept {}
  Ending& operator=(Ending&& other) noexcept {
    if (this != &other) T::end_old(*this);
    return *this;
  }
  friend constexpr bool operator==(const Ending&, const Ending&) { return true; }
};

// The first failure, which later ones join.
NIKAIA_INLINE void note_failure(Failure& first, Failure failure) {
  if (!failure) return;
  if (first) {
    first.join(static_cast<Failure&&>(failure));
  } else {
    first = static_cast<Failure&&>(failure);
  }
}

template <class T>
concept CleansItself = requires(T& x, Failure& f) {
  x.clean_all(f);
};

template <CleansItself T>
void clean_up_into(T& x, Failure& first) {
  x.clean_all(first);
}
template <class T>
requires(!CleansItself<T> && requires(T & x) { clean_up(x); }) void clean_up_into(T& x, Failure& first) {
  rt::Shield whole;
  auto outcome = clean_up(x);
  if (outcome.failed()) note_failure(first, outcome.take_failure());
}
template <class T>
requires(!CleansItself<T> && !requires(T & x) { clean_up(x); }) void clean_up_into(T&, Failure&) {}

template <class T>
void clean_up_into(Vec<T>& list, Failure& first);
template <class T>
void clean_up_into(SharedMut<T>& shared, Failure& first);
template <class T>
void clean_up_into(Locked<T>& lock, Failure& first);
template <class K, class V>
void clean_up_into(Vec<Pair<K, V>>& pairs, Failure& first);
template <class K, class V>
void clean_up_into(HashMap<K, V>& map, Failure& first);
template <class K, class V>
void clean_up_into(BTreeMap<K, V>& map, Failure& first);
template <class T>
void clean_up_into(Maybe<T>& maybe, Failure& first) {
  if (maybe.has()) clean_up_into(maybe.value(), first);
}
template <class T>
void clean_up_into(Box<T>& box, Failure& first) {
  if (box) clean_up_into(*box, first);
}
template <class T>
void clean_up_into(Vec<T>& list, Failure& first) {
  for (std::size_t i = list.size(); i-- > 0;) clean_up_into(list.data()[i], first);
}
inline void clean_up_into(Tuple<>&, Failure&) {}
template <class First, class... Rest>
void clean_up_into(Tuple<First, Rest...>& tuple, Failure& first) {
  clean_up_into(tuple.rest, first);
  clean_up_into(tuple.first, first);
}
template <class T, std::size_t N>
void clean_up_into(Array<T, N>& array, Failure& first) {
  for (std::size_t i = N; i-- > 0;) clean_up_into(array.elements[i], first);
}
template <class T>
void clean_up_into(Shared<T>& shared, Failure& first) {
  if (T* last = shared.only_owner()) clean_up_into(*last, first);
}
template <class T>
void clean_up_into(SharedMut<T>& shared, Failure& first) {
  if (T* last = shared.only_owner()) clean_up_into(*last, first);
}
template <class T>
void clean_up_into(Locked<T>& lock, Failure& first) {
  clean_up_into(lock.cell().value, first);
}
template <class K, class V>
void clean_up_into(Vec<Pair<K, V>>& pairs, Failure& first) {
  for (std::size_t i = pairs.size(); i-- > 0;) clean_up_into(pairs.data()[i].value, first);
}
template <class K, class V>
void clean_up_into(HashMap<K, V>& map, Failure& first) {
  clean_up_into(map.pairs(), first);
}
template <class K, class V>
void clean_up_into(BTreeMap<K, V>& map, Failure& first) {
  for (std::size_t i = map.leaves().size(); i-- > 0;) clean_up_into(map.leaves().data()[i], first);
}

// What a cleanup that nobody can answer for failed with goes to standard error.
template <class T>
void clean_up_alone(T& x) {
  Failure failure;
  clean_up_into(x, failure);
}

// `x = v` where the value that was there runs code as it dies: it dies first.
template <class T, class V>
void replace(T& place, V&& value) {
  { T old(static_cast<T&&>(place)); }
  place = static_cast<V&&>(value);
}

}  // namespace nikaia
