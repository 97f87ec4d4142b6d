// HashMap<K, V> and HashSet<T> (language 07 §5). The pairs lie one behind another in a list; a
// table of slots, each a few bits of hash and a position in that list, is searched by Robin Hood
// probing: a slot's distance from where its hash points never falls by more than one from slot to
// slot, so a search ends at the first slot that is nearer its home than the key would be. Walking
// is walking the list; removing moves the last pair into the gap. (tsl::robin_map, the
// distribution's map, needs <functional> in every program and walks its empty buckets.)
//
// A key is looked for by anything that hashes and compares like it: text keys by any text.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/format.h>
#include <nikaia/rt/hash.h>
#include <nikaia/rt/maybe.h>
#include <nikaia/rt/result.h>
#include <nikaia/rt/seq.h>
#include <nikaia/rt/tuple.h>
#include <nikaia/rt/vec.h>

namespace nikaia {

struct Unit {
  friend constexpr bool operator==(Unit, Unit) { return true; }
};

template <class K, class V>
struct Pair {
  K key;
  [[no_unique_address]] V value;
};

// What reading a V out of a map answers: a copy where V copies, a view otherwise, one level where V
// is nullable.
template <class V>
struct ReadOf {
  using type = Maybe<View<V>>;
  static type of(const V* found) { return found == nullptr ? type() : type(view(*found)); }
};
template <class U>
struct ReadOf<Maybe<U>> {
  using type = Maybe<View<U>>;
  static type of(const Maybe<U>* found) { return found == nullptr ? type() : found->lent(); }
};

// A slot of the table: 0 is empty; else the distance from home plus one, above eight bits of the
// hash.
struct Slot {
  std::uint32_t mark = 0;
  std::uint32_t at = 0;
};

[[noreturn]] void stop_map_full();

template <class K, class V>
class HashMap {
 public:
  using Key = K;
  using Value = V;
  static constexpr bool takes_any_text = true;  // `place` does

  HashMap() = default;
  // For keys that are known to be a stranger's.
  static HashMap keyed() {
    HashMap made;
    made.keyed_ = true;
    return made;
  }
  HashMap(HashMap&& other) noexcept { take(other); }
  HashMap& operator=(HashMap&& other) noexcept {
    if (this != &other) {
      std::free(slots_);
      take(other);
    }
    return *this;
  }
  ~HashMap() { std::free(slots_); }

  std::size_t size() const { return pairs_.size(); }
  bool is_keyed() const { return keyed_; }
  const Vec<Pair<K, V>>& pairs() const { return pairs_; }
  Vec<Pair<K, V>>& pairs() { return pairs_; }  // the keys stay as they are
  Vec<Pair<K, V>> take_pairs() {
    std::free(slots_);
    slots_ = nullptr;
    mask_ = 0;
    return static_cast<Vec<Pair<K, V>>&&>(pairs_);
  }

  template <class Q>
  V* find(const Q& key) {
    const Place place = look(key);
    return place.found ? &pairs_.data()[slots_[place.slot].at].value : nullptr;
  }
  template <class Q>
  const V* find(const Q& key) const {
    return const_cast<HashMap*>(this)->find(key);
  }
  // The value under `key`, and whether the key is new; a new one has an empty value. `key` is a K, or
  // text for one, which is made a K of only where it is new.
  template <class Q>
  V* place(Q&& key, bool& is_new) {
    if (__builtin_expect(!keyed_ && __atomic_load_n(&foreign_data_seen, __ATOMIC_RELAXED), 0)) {
      become_keyed();
    }
    if (slots_ == nullptr || pairs_.size() >= limit()) {
      grow();
    }
    const Place place = look(key);
    is_new = !place.found;
    if (place.found) {
      return &pairs_.data()[slots_[place.slot].at].value;
    }
    const auto at = static_cast<std::uint32_t>(pairs_.size());
    pairs_.push(Pair<K, V>{K(static_cast<Q&&>(key)), V{}});
    settle(place.slot, Slot{place.mark, at});
    return &pairs_.data()[at].value;
  }
  template <class Q>
  bool remove(const Q& key, Pair<K, V>& removed) {
    const Place place = look(key);
    if (!place.found) {
      return false;
    }
    const std::uint32_t at = slots_[place.slot].at;
    close(place.slot);
    const auto last = static_cast<std::uint32_t>(pairs_.size() - 1);
    Pair<K, V>* const data = pairs_.data();
    removed = static_cast<Pair<K, V>&&>(data[at]);
    if (at != last) {
      std::size_t slot = home(hash_of(data[last].key, keyed_));
      while (slots_[slot].at != last || slots_[slot].mark == 0) {
        slot = (slot + 1) & mask_;
      }
      slots_[slot].at = at;
      data[at] = static_cast<Pair<K, V>&&>(data[last]);
    }
    pairs_.cut(last);
    return true;
  }
  void clear() {
    pairs_.cut(0);
    if (slots_ != nullptr) {
      std::memset(static_cast<void*>(slots_), 0, (mask_ + 1) * sizeof(Slot));
    }
  }
  void reserve(std::size_t count) {
    pairs_.reserve(count);
    std::size_t slots = mask_ + 1;
    while (slots / 5 * 4 < count) {
      slots *= 2;
    }
    if (count != 0 && (slots_ == nullptr || slots != mask_ + 1)) {
      rebuild(slots < 8 ? 8 : slots);
    }
  }
  HashMap clone() const {
    using nikaia::clone;
    HashMap made;
    made.keyed_ = keyed_;
    made.reserve(size());
    for (const Pair<K, V>& pair : pairs_) {
      bool is_new;
      *made.place(clone(pair.key), is_new) = clone(pair.value);
    }
    return made;
  }

 private:
  struct Place {
    std::size_t slot;
    std::uint32_t mark;
    bool found;
  };
  static constexpr std::uint32_t one_further = 0x100;

  // The table's index is the hash's upper bits, the slot's mark its lower eight.
  std::size_t home(std::uint64_t hash) const { return static_cast<std::size_t>(hash >> 8) & mask_; }
  std::size_t limit() const { return (mask_ + 1) / 5 * 4; }

  template <class Q>
  NIKAIA_INLINE Place look(const Q& key) const {
    if (slots_ == nullptr) {
      return Place{0, 0, false};
    }
    const std::uint64_t hash = hash_of(key, keyed_);
    std::uint32_t mark = one_further | static_cast<std::uint32_t>(hash & 0xFF);
    std::size_t slot = home(hash);
    const Pair<K, V>* const data = pairs_.data();
    while (true) {
      const Slot here = slots_[slot];
      if (here.mark == mark && data[here.at].key == key) {
        return Place{slot, mark, true};
      }
      if (here.mark < mark) {
        return Place{slot, mark, false};
      }
      mark += one_further;
      slot = (slot + 1) & mask_;
    }
  }
  void settle(std::size_t slot, Slot carried) {
    while (slots_[slot].mark != 0) {
      const Slot moved = slots_[slot];
      slots_[slot] = carried;
      carried = Slot{moved.mark + one_further, moved.at};
      slot = (slot + 1) & mask_;
    }
    slots_[slot] = carried;
  }
  void close(std::size_t slot) {
    std::size_t next = (slot + 1) & mask_;
    while (slots_[next].mark >= 2 * one_further) {
      slots_[slot] = Slot{slots_[next].mark - one_further, slots_[next].at};
      slot = next;
      next = (next + 1) & mask_;
    }
    slots_[slot] = Slot{};
  }
  [[gnu::noinline, gnu::cold]] void become_keyed() {
    keyed_ = true;
    if (slots_ != nullptr) {
      rebuild(mask_ + 1);
    }
  }
  [[gnu::noinline]] void grow() { rebuild(slots_ == nullptr ? 8 : (mask_ + 1) * 2); }
  void rebuild(std::size_t count) {
    if (count > std::size_t{1} << 32) {
      stop_map_full();  // a slot's position has 32 bits
    }
    std::free(slots_);
    slots_ = static_cast<Slot*>(take_memory(count * sizeof(Slot)));
    std::memset(static_cast<void*>(slots_), 0, count * sizeof(Slot));
    mask_ = count - 1;
    for (std::size_t at = 0; at < pairs_.size(); ++at) {
      const std::uint64_t hash = hash_of(pairs_.data()[at].key, keyed_);
      std::uint32_t mark = one_further | static_cast<std::uint32_t>(hash & 0xFF);
      std::size_t slot = home(hash);
      while (mark <= slots_[slot].mark) {
        mark += one_further;
        slot = (slot + 1) & mask_;
      }
      settle(slot, Slot{mark, static_cast<std::uint32_t>(at)});
    }
  }
  void take(HashMap& other) {
    pairs_ = static_cast<Vec<Pair<K, V>>&&>(other.pairs_);
    slots_ = other.slots_;
    mask_ = other.mask_;
    keyed_ = other.keyed_;
    other.slots_ = nullptr;
    other.mask_ = 0;
  }

  Vec<Pair<K, V>> pairs_;
  Slot* slots_ = nullptr;
  std::size_t mask_ = 0;
  bool keyed_ = false;
};

template <class K, class V>
inline constexpr bool copies<HashMap<K, V>> = false;
template <class K, class V>
[[nodiscard]] HashMap<K, V> clone(const HashMap<K, V>& map) {
  return map.clone();
}
template <class K, class V>
requires Compares<V>
bool operator==(const HashMap<K, V>& a, const HashMap<K, V>& b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (const auto& pair : a.pairs()) {
    const V* const other = b.find(pair.key);
    if (other == nullptr || !(*other == pair.value)) {
      return false;
    }
  }
  return true;
}

// ---- sequences over pairs: of a map or a set

template <class K, class V>
struct KeySeq {
  using Item = View<K>;
  static constexpr bool can_fail = false;
  const Pair<K, V>* at = nullptr;
  const Pair<K, V>* end = nullptr;
  Maybe<Item> next() { return at == end ? Maybe<Item>() : Maybe<Item>(view((at++)->key)); }
  std::size_t size() const { return static_cast<std::size_t>(end - at); }
};
template <class K, class V>
struct ValueSeq {
  using Item = View<V>;
  static constexpr bool can_fail = false;
  const Pair<K, V>* at = nullptr;
  const Pair<K, V>* end = nullptr;
  Maybe<Item> next() { return at == end ? Maybe<Item>() : Maybe<Item>(view((at++)->value)); }
  std::size_t size() const { return static_cast<std::size_t>(end - at); }
};
template <class K, class V>
struct PairSeq {
  using Item = Tuple<View<K>, View<V>>;
  static constexpr bool can_fail = false;
  const Pair<K, V>* at = nullptr;
  const Pair<K, V>* end = nullptr;
  Maybe<Item> next() {
    if (at == end) {
      return {};
    }
    const Pair<K, V>& pair = *at++;
    return Maybe<Item>(Item(view(pair.key), view(pair.value)));
  }
  std::size_t size() const { return static_cast<std::size_t>(end - at); }
};
template <class K, class V>
class PairDrainSeq {
 public:
  using Item = Tuple<K, V>;
  static constexpr bool can_fail = false;
  explicit PairDrainSeq(Vec<Pair<K, V>> pairs) : pairs_(static_cast<Vec<Pair<K, V>>&&>(pairs)) {}
  Maybe<Item> next() {
    if (at_ == pairs_.size()) {
      return {};
    }
    Pair<K, V>& pair = pairs_.data()[at_++];
    return Maybe<Item>(Item(static_cast<K&&>(pair.key), static_cast<V&&>(pair.value)));
  }
  std::size_t size() const { return pairs_.size() - at_; }

 private:
  Vec<Pair<K, V>> pairs_;
  std::size_t at_ = 0;
};

template <class K, class V>
PairSeq<K, V> walk(const HashMap<K, V>& map) {
  return {map.pairs().begin(), map.pairs().end()};
}
template <class K, class V>
KeySeq<K, V> map_keys(const HashMap<K, V>& map) {
  return {map.pairs().begin(), map.pairs().end()};
}
template <class K, class V>
ValueSeq<K, V> map_values(const HashMap<K, V>& map) {
  return {map.pairs().begin(), map.pairs().end()};
}
template <class K, class V>
PairDrainSeq<K, V> map_drain(HashMap<K, V> map) {
  return PairDrainSeq<K, V>(map.take_pairs());
}

// ---- rows, of HashMap and BTreeMap alike

template <class M>
inline constexpr bool is_map = false;
template <class K, class V>
inline constexpr bool is_map<HashMap<K, V>> = true;
template <class M>
concept IsMap = is_map<M>;

template <IsMap M, class Q>
NIKAIA_INLINE auto map_get(const M& map, const Q& key) {
  return ReadOf<typename M::Value>::of(map.find(seen(key)));
}
template <IsMap M, class Q>
NIKAIA_INLINE bool map_contains_key(const M& map, const Q& key) {
  return map.find(seen(key)) != nullptr;
}
template <IsMap M, class Q>
NIKAIA_INLINE typename M::Value* place_for(M& map, Q&& key, bool& is_new) {
  using K = typename M::Key;
  if constexpr (M::takes_any_text && is_text<K> && is_text<std::remove_cvref_t<Q>> && std::is_constructible_v<K, Q>) {
    return map.place(static_cast<Q&&>(key), is_new);
  } else {
    return map.place(static_cast<K>(static_cast<Q&&>(key)), is_new);
  }
}
// m[k] = v
template <IsMap M, class Q, class X>
void map_set(M& map, Q&& key, X&& value) {
  bool is_new;
  typename M::Value made(static_cast<X&&>(value));
  *place_for(map, static_cast<Q&&>(key), is_new) = static_cast<typename M::Value&&>(made);
}
template <IsMap M, class Q, class X>
OrNull<typename M::Value> map_insert(M& map, Q&& key, X&& value) {
  using V = typename M::Value;
  bool is_new;
  V made(static_cast<X&&>(value));
  V* const place = place_for(map, static_cast<Q&&>(key), is_new);
  V old = static_cast<V&&>(*place);
  *place = static_cast<V&&>(made);
  return is_new ? OrNull<V>() : OrNull<V>(static_cast<V&&>(old));
}
template <IsMap M, class Q>
OrNull<typename M::Value> map_remove(M& map, const Q& key) {
  using V = typename M::Value;
  Pair<typename M::Key, V> removed{};
  return map.remove(seen(key), removed) ? OrNull<V>(static_cast<V&&>(removed.value)) : OrNull<V>();
}
template <IsMap M>
NIKAIA_INLINE std::int64_t map_len(const M& map) {
  return static_cast<std::int64_t>(map.size());
}
template <IsMap M>
NIKAIA_INLINE bool map_is_empty(const M& map) {
  return map.size() == 0;
}
template <IsMap M>
void map_clear(M& map) {
  map.clear();
}

// ---- Entry

template <class M>
struct Entry {
  M* map = nullptr;
  typename M::Key key;
  typename M::Value* value = nullptr;  // null where the key is absent
};
template <IsMap M, class Q>
Entry<M> map_entry(M& map, Q&& key) {
  typename M::Key owned(static_cast<Q&&>(key));
  auto* const value = map.find(owned);
  return Entry<M>{&map, static_cast<typename M::Key&&>(owned), value};
}
// `f` gets the value where it lies and may change it.
template <class M, class F>
auto entry_and_modify(Entry<M> entry, F&& f) {
  using Answer = std::invoke_result_t<F&, typename M::Value&>;
  const auto run = [&]() -> MayFail<Entry<M>, is_result<Answer>> {
    if (entry.value != nullptr) {
      if constexpr (is_result<Answer>) {
        Answer answer = f(*entry.value);
        if (answer.failed()) {
          return answer.take_failure();
        }
      } else {
        (void)f(*entry.value);
      }
    }
    return static_cast<Entry<M>&&>(entry);
  };
  return run();
}
template <class M, class X>
View<typename M::Value> entry_or_insert(Entry<M> entry, X&& value) {
  using V = typename M::Value;
  if (entry.value == nullptr) {
    V made(static_cast<X&&>(value));
    bool is_new;
    entry.value = entry.map->place(static_cast<typename M::Key&&>(entry.key), is_new);
    *entry.value = static_cast<V&&>(made);
  }
  return view(static_cast<const V&>(*entry.value));
}
template <class M, class F>
auto entry_or_insert_with(Entry<M> entry, F&& f) {
  using V = typename M::Value;
  using Answer = std::invoke_result_t<F&>;
  const auto run = [&]() -> MayFail<View<V>, is_result<Answer>> {
    if (entry.value == nullptr) {
      auto answer = f();
      if constexpr (is_result<Answer>) {
        if (answer.failed()) {
          return answer.take_failure();
        }
      }
      V made(answer_of(answer));
      // `f` may have put the key there itself.
      bool is_new;
      entry.value = entry.map->place(static_cast<typename M::Key&&>(entry.key), is_new);
      if (is_new) {
        *entry.value = static_cast<V&&>(made);
      }
    }
    return view(static_cast<const V&>(*entry.value));
  };
  return run();
}

template <IsMap M, class K, class V>
void collect_into(M& map, Tuple<K, V> pair) {
  map_set(map, static_cast<K&&>(pair.first), static_cast<V&&>(pair.rest.first));
}
template <class K, class V>
void collect_room(HashMap<K, V>& map, std::size_t count) {
  map.reserve(count);
}

template <class M>
requires IsMap<M>
struct Debug<M> {
  static void to(DebugText& out, const M& map) {
    out.begin("{"_s);
    for (auto pairs = walk(map); auto pair = pairs.next();) {
      out.pair(pair.value().first, pair.value().rest.first);
    }
    out.end("}"_s);
  }
};

// ---- HashSet

template <class T>
class HashSet {
 public:
  using Element = T;
  HashSet() = default;
  static HashSet keyed() {
    HashSet made;
    made.elements_ = HashMap<T, Unit>::keyed();
    return made;
  }
  HashMap<T, Unit>& elements() { return elements_; }
  const HashMap<T, Unit>& elements() const { return elements_; }
  friend bool operator==(const HashSet& a, const HashSet& b) { return a.elements_ == b.elements_; }

 private:
  HashMap<T, Unit> elements_;
};
template <class T>
inline constexpr bool copies<HashSet<T>> = false;
template <class T>
[[nodiscard]] HashSet<T> clone(const HashSet<T>& set) {
  HashSet<T> made;
  made.elements() = set.elements().clone();
  return made;
}
template <class T>
KeySeq<T, Unit> walk(const HashSet<T>& set) {
  return map_keys(set.elements());
}

template <class S>
inline constexpr bool is_set = false;
template <class T>
inline constexpr bool is_set<HashSet<T>> = true;
template <class S>
concept IsSet = is_set<S>;

template <IsSet S>
NIKAIA_INLINE auto set_iter(const S& set) {
  return walk(set);
}
template <IsSet S, class X>
bool set_insert(S& set, X&& value) {
  bool is_new;
  (void)set.elements().place(static_cast<typename S::Element>(static_cast<X&&>(value)), is_new);
  return is_new;
}
template <IsSet S, class Q>
bool set_remove(S& set, const Q& value) {
  Pair<typename S::Element, Unit> removed{};
  return set.elements().remove(seen(value), removed);
}
template <IsSet S, class Q>
NIKAIA_INLINE bool set_contains(const S& set, const Q& value) {
  return set.elements().find(seen(value)) != nullptr;
}
template <IsSet S>
NIKAIA_INLINE std::int64_t set_len(const S& set) {
  return static_cast<std::int64_t>(set.elements().size());
}
template <IsSet S>
NIKAIA_INLINE bool set_is_empty(const S& set) {
  return set.elements().size() == 0;
}
template <IsSet S>
void set_clear(S& set) {
  set.elements().clear();
}
template <IsSet S, class Item>
void collect_into(S& set, Item&& item) {
  (void)set_insert(set, static_cast<Item&&>(item));
}
template <class S>
requires IsSet<S>
struct Debug<S> {
  static void to(DebugText& out, const S& set) { debug_items(out, walk(set), "{"_s, "}"_s); }
};

}  // namespace nikaia
