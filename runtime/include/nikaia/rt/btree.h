// BTreeMap<K, V> and BTreeSet<T>: pairs in key order (language 07 §5.3). A tree of two levels:
// leaves of up to leaf_size sorted pairs, and a list of the leaves searched by their first keys. A
// leaf that is full is cut in half. Pairs move by their bytes; up to some millions of them the list
// of leaves stays small enough that moving it costs less than deeper levels would.
#pragma once

#include <nikaia/rt/map.h>
#include <nikaia/rt/order.h>

namespace nikaia {

template <class K, class V>
class BTreeMap {
 public:
  using Key = K;
  using Value = V;
  static constexpr bool takes_any_text = false;
  using Leaf = Vec<Pair<K, V>>;

  BTreeMap() = default;
  BTreeMap(BTreeMap&& other) noexcept : leaves_(static_cast<Vec<Leaf>&&>(other.leaves_)), size_(other.size_) {
    other.size_ = 0;
  }
  BTreeMap& operator=(BTreeMap&& other) noexcept {
    const std::size_t size = other.size_;
    other.size_ = 0;
    leaves_ = static_cast<Vec<Leaf>&&>(other.leaves_);
    size_ = size;
    return *this;
  }

  std::size_t size() const { return size_; }
  const Vec<Leaf>& leaves() const { return leaves_; }
  Vec<Leaf>& leaves() { return leaves_; }  // the keys stay as they are

  template <class Q>
  V* find(const Q& key) {
    const Place place = look(key);
    return place.found ? &leaves_.data()[place.leaf].data()[place.at].value : nullptr;
  }
  template <class Q>
  const V* find(const Q& key) const {
    return const_cast<BTreeMap*>(this)->find(key);
  }
  V* place(K&& key, bool& is_new) {
    Place place = look(key);
    is_new = !place.found;
    if (place.found) {
      return &leaves_.data()[place.leaf].data()[place.at].value;
    }
    if (leaves_.size() == 0) {
      leaves_.push(Leaf());
    } else if (leaves_.data()[place.leaf].size() == leaf_size) {
      cut(place);
    }
    ++size_;
    Pair<K, V>* const gap = leaves_.data()[place.leaf].open(place.at);
    new (static_cast<void*>(gap)) Pair<K, V>{static_cast<K&&>(key), V{}};
    return &gap->value;
  }
  template <class Q>
  bool remove(const Q& key, Pair<K, V>& removed) {
    const Place place = look(key);
    if (!place.found) {
      return false;
    }
    Leaf& leaf = leaves_.data()[place.leaf];
    removed = static_cast<Pair<K, V>&&>(leaf.data()[place.at]);
    leaf.close(place.at);
    if (leaf.size() == 0) {
      leaves_.close(place.leaf);
    }
    --size_;
    return true;
  }
  void clear() {
    leaves_.cut(0);
    size_ = 0;
  }
  BTreeMap clone() const {
    using nikaia::clone;
    BTreeMap made;
    made.size_ = size_;
    for (const Leaf& leaf : leaves_) {
      Leaf copied;
      copied.reserve(leaf.size());
      for (const Pair<K, V>& pair : leaf) {
        copied.push(Pair<K, V>{clone(pair.key), clone(pair.value)});
      }
      made.leaves_.push(static_cast<Leaf&&>(copied));
    }
    return made;
  }

 private:
  static constexpr std::size_t leaf_size = 64;
  struct Place {
    std::size_t leaf;
    std::size_t at;
    bool found;
  };

  // The pair of `key`, or where it belongs.
  template <class Q>
  Place look(const Q& key) const {
    std::size_t low = 0;
    std::size_t high = leaves_.size();  // the leaf before the first whose first key is above
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (order(leaves_.data()[middle].data()[0].key, key) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const std::size_t leaf = low == 0 ? 0 : low - 1;
    if (leaves_.size() == 0) {
      return Place{0, 0, false};
    }
    const Leaf& pairs = leaves_.data()[leaf];
    low = 0;
    high = pairs.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      const int side = order(pairs.data()[middle].key, key);
      if (side == 0) {
        return Place{leaf, middle, true};
      }
      if (side < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return Place{leaf, low, false};
  }
  // Halves a full leaf; `place` follows the half it falls into. Keys that come in order leave full
  // leaves behind.
  void cut(Place& place) {
    const bool at_end = place.at == leaf_size && place.leaf + 1 == leaves_.size();
    const std::size_t kept = at_end ? leaf_size : leaf_size / 2;
    Leaf& full = leaves_.data()[place.leaf];
    Leaf half;
    half.reserve(leaf_size);
    for (std::size_t i = kept; i < leaf_size; ++i) {
      half.push(static_cast<Pair<K, V>&&>(full.data()[i]));
    }
    full.cut(kept);
    new (static_cast<void*>(leaves_.open(place.leaf + 1))) Leaf(static_cast<Leaf&&>(half));
    if (place.at > kept || at_end) {
      ++place.leaf;
      place.at -= kept;
    }
  }

  Vec<Leaf> leaves_;
  std::size_t size_ = 0;
};

template <class K, class V>
inline constexpr bool copies<BTreeMap<K, V>> = false;
template <class K, class V>
inline constexpr bool is_map<BTreeMap<K, V>> = true;
template <class K, class V>
[[nodiscard]] BTreeMap<K, V> clone(const BTreeMap<K, V>& map) {
  return map.clone();
}

// `part` answers what of a pair is handed out.
template <class K, class V, class Part>
struct TreeSeq {
  using Item = typename Part::Item;
  static constexpr bool can_fail = false;
  const BTreeMap<K, V>* map = nullptr;
  std::size_t leaf = 0;
  std::size_t at = 0;
  std::size_t left = 0;

  explicit TreeSeq(const BTreeMap<K, V>& of) : map(&of), left(of.size()) {}
  Maybe<Item> next() {
    if (left == 0) {
      return {};
    }
    const auto& pairs = map->leaves().data()[leaf];
    const Pair<K, V>& pair = pairs.data()[at];
    if (++at == pairs.size()) {
      ++leaf;
      at = 0;
    }
    --left;
    return Maybe<Item>(Part::of(pair));
  }
  std::size_t size() const { return left; }
};
template <class K, class V>
struct KeyOf {
  using Item = View<K>;
  static Item of(const Pair<K, V>& pair) { return view(pair.key); }
};
template <class K, class V>
struct ValueOf {
  using Item = View<V>;
  static Item of(const Pair<K, V>& pair) { return view(pair.value); }
};
template <class K, class V>
struct BothOf {
  using Item = Tuple<View<K>, View<V>>;
  static Item of(const Pair<K, V>& pair) { return Item(view(pair.key), view(pair.value)); }
};
template <class K, class V>
TreeSeq<K, V, BothOf<K, V>> walk(const BTreeMap<K, V>& map) {
  return TreeSeq<K, V, BothOf<K, V>>(map);
}
template <class K, class V>
TreeSeq<K, V, KeyOf<K, V>> map_keys(const BTreeMap<K, V>& map) {
  return TreeSeq<K, V, KeyOf<K, V>>(map);
}
template <class K, class V>
TreeSeq<K, V, ValueOf<K, V>> map_values(const BTreeMap<K, V>& map) {
  return TreeSeq<K, V, ValueOf<K, V>>(map);
}
// Owns what it has not handed out; a leaf goes when its last pair has.
template <class K, class V>
class TreeDrainSeq {
 public:
  using Item = Tuple<K, V>;
  static constexpr bool can_fail = false;
  explicit TreeDrainSeq(BTreeMap<K, V> map) : map_(static_cast<BTreeMap<K, V>&&>(map)), left_(map_.size()) {}
  Maybe<Item> next() {
    if (left_ == 0) {
      return {};
    }
    auto& pairs = map_.leaves().data()[leaf_];
    Pair<K, V>& pair = pairs.data()[at_];
    Maybe<Item> item(Item(static_cast<K&&>(pair.key), static_cast<V&&>(pair.value)));
    --left_;
    if (++at_ == pairs.size()) {
      pairs.cut(0);
      ++leaf_;
      at_ = 0;
    }
    return item;
  }
  std::size_t size() const { return left_; }

 private:
  BTreeMap<K, V> map_;
  std::size_t leaf_ = 0;
  std::size_t at_ = 0;
  std::size_t left_;
};
template <class K, class V>
TreeDrainSeq<K, V> map_drain(BTreeMap<K, V> map) {
  return TreeDrainSeq<K, V>(static_cast<BTreeMap<K, V>&&>(map));
}
template <class K, class V>
requires Compares<V>
bool operator==(const BTreeMap<K, V>& a, const BTreeMap<K, V>& b) {
  if (a.size() != b.size()) {
    return false;
  }
  TreeSeq<K, V, KeyOf<K, V>> a_keys(a);
  TreeSeq<K, V, KeyOf<K, V>> b_keys(b);
  TreeSeq<K, V, ValueOf<K, V>> a_values(a);
  TreeSeq<K, V, ValueOf<K, V>> b_values(b);
  while (auto key = a_keys.next()) {
    if (order(key.take(), b_keys.next().take()) != 0 ||
        !(seen(a_values.next().take()) == seen(b_values.next().take()))) {
      return false;
    }
  }
  return true;
}

template <class T>
class BTreeSet {
 public:
  using Element = T;
  BTreeMap<T, Unit>& elements() { return elements_; }
  const BTreeMap<T, Unit>& elements() const { return elements_; }
  friend bool operator==(const BTreeSet& a, const BTreeSet& b) { return a.elements_ == b.elements_; }

 private:
  BTreeMap<T, Unit> elements_;
};
template <class T>
inline constexpr bool copies<BTreeSet<T>> = false;
template <class T>
inline constexpr bool is_set<BTreeSet<T>> = true;
template <class T>
[[nodiscard]] BTreeSet<T> clone(const BTreeSet<T>& set) {
  BTreeSet<T> made;
  made.elements() = set.elements().clone();
  return made;
}
template <class T>
TreeSeq<T, Unit, KeyOf<T, Unit>> walk(const BTreeSet<T>& set) {
  return map_keys(set.elements());
}

}  // namespace nikaia
