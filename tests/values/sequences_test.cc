// Lists, ranges and sequences: 07 §4.
#include <algorithm>
#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <string>
#include <vector>

#include "tests/values/values.h"

using namespace values;

namespace {

Vec<i64> numbers(const std::vector<i64>& from) {
  Vec<i64> made;
  for (const i64 x : from) {
    vec_push(made, x);
  }
  return made;
}

struct Refused {
  String message() const { return String::literal("refused"_s); }
};

// What counts how many of it are alive.
struct Counted {
  static inline int alive = 0;
  i64 name = 0;
  bool real = false;
  Counted() = default;
  explicit Counted(i64 n) : name(n), real(true) { ++alive; }
  Counted(Counted&& other) noexcept : name(other.name), real(other.real) { other.real = false; }
  Counted& operator=(Counted&& other) noexcept {
    if (real) {
      --alive;
    }
    name = other.name;
    real = other.real;
    other.real = false;
    return *this;
  }
  ~Counted() {
    if (real) {
      --alive;
    }
  }
};

}  // namespace

TEST_CASE("list edits") {
  Vec<i64> xs = Vec<i64>::of(1, 2, 3);
  vec_insert(xs, 3, i64{4});
  vec_insert(xs, 0, i64{0});
  CHECK(shown(xs) == "[0, 1, 2, 3, 4]");
  CHECK(stop_reason([&] { vec_insert(xs, 6, i64{9}); }) == "index 6 is outside a list of 5");
  CHECK(vec_remove(xs, 0) == 0);
  CHECK(vec_swap_remove(xs, 0) == 1);
  CHECK(shown(xs) == "[4, 2, 3]");
  vec_swap(xs, 0, 2);
  vec_truncate(xs, 9);
  CHECK(shown(xs) == "[3, 2, 4]");
  vec_resize(xs, 5, i64{7});
  vec_extend(xs, Vec<i64>::of(8));
  CHECK(shown(xs) == "[3, 2, 4, 7, 7, 8]");
  CHECK(vec_pop(xs) == Maybe<i64>(8));
  vec_clear(xs);
  CHECK_FALSE(vec_pop(xs).has());
  CHECK(run_contains(Vec<String>::of(owned("a")), "a"_s));
  CHECK(plain(run_join(Vec<String>::of(owned("a"), owned("b")), ", "_s)) == "a, b");
  CHECK(plain(run_join(Vec<String>(), ", "_s)) == "");
}

TEST_CASE("indexes stop outside") {
  const Vec<i64> xs = Vec<i64>::of(1, 2, 3, 4);
  CHECK(index_at(xs, u8{3}) == 4);
  CHECK(stop_reason([&] { (void)index_at(xs, 9); }) == "index 9 is outside a list of 4");
  CHECK(stop_reason([&] { (void)index_at(xs, -1); }) == "index -1 is outside a list of 4");
  CHECK(stop_reason([&] { (void)index_at(xs, greatest<u64>); }) == "index 18446744073709551615 is outside a list of 4");
  CHECK(shown(slice(xs, range_to(1, 2))) == "[2, 3]");
  CHECK(shown(slice(xs, range_below(4, 4))) == "[]");
  CHECK(stop_reason([&] { (void)slice(xs, range_below(1, 5)); }) == "index 5 is outside a list of 4");
  CHECK(stop_reason([&] { (void)slice(xs, range_to(i64{0}, greatest<i64>)); }) != "");
}

TEST_CASE("every element dies once") {
  {
    Vec<Counted> xs;
    for (i64 i = 0; i < 100; ++i) {
      xs.push(Counted(i));
    }
    vec_retain(xs, [](const Counted* x) { return x->name % 3 != 0; });
    (void)vec_remove(xs, 5);
    (void)vec_pop(xs);
    vec_sort_by_key(xs, [](const Counted* x) { return -x->name; });
    CHECK(xs.data()[0].name == 97);
    auto drained = vec_drain(static_cast<Vec<Counted>&&>(xs));
    (void)drained.next();
    (void)drained.next_back();
  }
  CHECK(Counted::alive == 0);
}

TEST_CASE("a tethered run outlives its list") {
  TetheredRun<String> kept;
  {
    Vec<String> xs = Vec<String>::of(owned("a"), owned("b"), owned("c"));
    kept = slice(xs, range_to(1, 2));
    xs.reserve(100);  // the list moves on without them
    CHECK(xs.size() == 3);
  }
  {
    Vec<String> ys = Vec<String>::of(owned("d"), owned("e"));
    kept = slice(ys, range_to(0, 1));
  }
  CHECK(shown(kept) == R"(["d", "e"])");
}

TEST_CASE("sorting is stable") {
  CHECK(rc::check([] {
    const auto from = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 8));
    std::vector<std::pair<int, std::size_t>> expected;
    Vec<Tuple<i64, String>> xs;
    for (std::size_t i = 0; i < from.size(); ++i) {
      expected.emplace_back(from[i], i);
      xs.push({i64{from[i]}, owned(std::to_string(i).c_str())});
    }
    std::stable_sort(expected.begin(), expected.end(), [](auto a, auto b) { return a.first < b.first; });
    const bool by_key = *rc::gen::arbitrary<bool>();
    if (by_key) {
      vec_sort_by_key(xs, [](const Tuple<i64, String>* x) { return x->first; });
    } else {
      vec_sort_by(xs, [](const Tuple<i64, String>* a, const Tuple<i64, String>* b) { return a->first - b->first; });
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      RC_ASSERT(xs.data()[i].first == expected[i].first);
      RC_ASSERT(plain(xs.data()[i].rest.first) == std::to_string(expected[i].second));
    }
  }));
}

TEST_CASE("natural order") {
  Vec<double> floats = Vec<double>::of(__builtin_nan(""), 2.0, -1.0, __builtin_inf());
  vec_sort(floats);
  CHECK(shown(floats) == "[-1.0, 2.0, inf, NaN]");
  auto lists = Vec<Vec<i64>>::of(numbers({2}), numbers({1, 5}), numbers({1}));
  vec_sort(lists);
  CHECK(shown(lists) == "[[1], [1, 5], [2]]");
  auto words = Vec<String>::of(owned("b"), owned("ä"), owned("a"), owned("ab"));
  vec_sort(words);
  CHECK(shown(words) == R"(["a", "ab", "b", "ä"])");
  // An inconsistent order gives some order.
  Vec<i64> xs = numbers({5, 1, 4, 2, 3});
  i64 turn = 0;
  vec_sort_by(xs, [&](i64, i64) { return ++turn % 3 - 1; });
  vec_sort(xs);
  CHECK(shown(xs) == "[1, 2, 3, 4, 5]");
}

TEST_CASE("a lambda that fails stops the walk") {
  Vec<i64> xs = numbers({1, 2, 3, 4, 5, 6});
  int asked = 0;
  const auto up_to_three = [&](i64 x) -> Result<i64> {
    ++asked;
    if (x > 3) {
      return Failure::make(Refused{});
    }
    return x * 10;
  };
  auto mapped = vec_map(xs, up_to_three);
  CHECK(mapped.failed());
  CHECK(asked == 4);
  CHECK(mapped.failure().is<Refused>());
  auto kept = vec_retain(xs, [](i64 x) -> Result<bool> {
    if (x == 4) {
      return Failure::make(Refused{});
    }
    return x % 2 == 0;
  });
  CHECK(kept.failed());
  CHECK(shown(xs) == "[2, 4, 5, 6]");
  auto lazy = seq_map(walk(xs), up_to_three);
  auto first = lazy.next();
  CHECK(first.ok());
  CHECK(first.value().take() == 20);
  CHECK(lazy.next().failed());
  CHECK(seq_collect(seq_take(seq_map(walk(xs), up_to_three), 1)).ok());
  CHECK(vec_sort_by(xs, [](i64, i64) -> Result<i64> { return Failure::make(Refused{}); }).failed());
  CHECK(shown(xs) == "[2, 4, 5, 6]");
  CHECK(vec_reduce(xs, i64{0}, [](i64 sum, i64 x) { return sum + x; }) == 17);
}

TEST_CASE("views of what does not copy") {
  const auto names = Vec<String>::of(owned("Ulm"), owned("Kiel"));
  const auto lengths = vec_map(names, [](Str name) { return text_len(name); });
  CHECK(shown(lengths) == "[3, 4]");
  const Vec<TetheredStr> longer = vec_filter(names, [](Str name) { return text_len(name) > 3; });
  CHECK(shown(longer) == R"(["Kiel"])");
  const Vec<TetheredStr> all = seq_collect(walk(names));
  CHECK(names.data()[0].buffer()->count == 2);
}

TEST_CASE("ranges") {
  CHECK(walked(walk(range_to(u8{253}, u8{255}))) == "[253, 254, 255]");
  CHECK(walked(walk(range_below(i64{3}, i64{3}))) == "[]");
  CHECK(walked(walk(range_to(3, 2))) == "[]");
  CHECK(walked(walk(range_below(least<i64>, least<i64>))) == "[]");
  CHECK(walked(seq_rev(range_to(greatest<i64> - 1, greatest<i64>))) == "[9223372036854775807, 9223372036854775806]");
  CHECK(walked(seq_step_by(range_to(1, 20), 7)) == "[1, 8, 15]");
  CHECK(walked(seq_rev(seq_step_by(range_to(1, 20), 7))) == "[15, 8, 1]");
  CHECK(walked(seq_step_by(range_to(u8{250}, u8{255}), 200)) == "[250]");
  CHECK(seq_len(range_below(2, 9)) == 7);
  CHECK(stop_reason([] { (void)seq_step_by(range_to(1, 2), 0); }) != "");
}

TEST_CASE("chunks and windows") {
  const Vec<i64> xs = numbers({1, 2, 3, 4, 5});
  CHECK(walked(run_chunks(xs, 2)) == "[[1, 2], [3, 4], [5]]");
  CHECK(walked(seq_rev(run_chunks(xs, 2))) == "[[5], [3, 4], [1, 2]]");
  CHECK(walked(run_windows(xs, 4)) == "[[1, 2, 3, 4], [2, 3, 4, 5]]");
  CHECK(walked(seq_rev(run_windows(xs, 4))) == "[[2, 3, 4, 5], [1, 2, 3, 4]]");
  CHECK(walked(run_windows(xs, 6)) == "[]");
  CHECK(run_windows(xs, 3).size() == 3);
  CHECK(stop_reason([&] { (void)run_windows(xs, 0); }) != "");
}

// Every adapter, walked from either end, against a plain list.
TEST_CASE("adapters walk both ways alike") {
  CHECK(rc::check([] {
    const auto from = *rc::gen::container<std::vector<i64>>(rc::gen::inRange<i64>(0, 100));
    const i64 n = *rc::gen::inRange<i64>(0, 8);
    const i64 step = *rc::gen::inRange<i64>(1, 5);
    const Vec<i64> xs = numbers(from);
    const auto both = [](const auto& make, const std::vector<i64>& expected) {
      std::vector<i64> there;
      std::vector<i64> back;
      for (auto seq = make(); auto x = seq.next();) {
        there.push_back(x.take());
      }
      for (auto seq = make(); auto x = seq.next_back();) {
        back.push_back(x.take());
      }
      std::reverse(back.begin(), back.end());
      RC_ASSERT(there == expected);
      RC_ASSERT(back == expected);
      // In turn from both ends, each element once and in its place.
      std::vector<i64> left;
      std::vector<i64> right;
      auto seq = make();
      for (bool front = true;; front = !front) {
        auto x = front ? seq.next() : seq.next_back();
        if (!x.has()) {
          break;
        }
        (front ? left : right).push_back(x.take());
      }
      left.insert(left.end(), right.rbegin(), right.rend());
      RC_ASSERT(left == expected);
    };
    const auto size = static_cast<i64>(from.size());
    const auto upto = from.begin() + std::min(n, size);
    both([&] { return seq_take(walk(xs), n); }, std::vector<i64>(from.begin(), upto));
    both([&] { return seq_skip(walk(xs), n); }, std::vector<i64>(upto, from.end()));
    std::vector<i64> stepped;
    for (i64 i = 0; i < size; i += step) {
      stepped.push_back(from[static_cast<std::size_t>(i)]);
    }
    both([&] { return seq_step_by(walk(xs), step); }, stepped);
    std::vector<i64> range;
    for (i64 i = 0; i < n; i += step) {
      range.push_back(i);
    }
    both([&] { return seq_step_by(range_below(i64{0}, n), step); }, range);
    std::vector<i64> even;
    std::copy_if(from.begin(), from.end(), std::back_inserter(even), [](i64 x) { return x % 2 == 0; });
    both([&] { return seq_filter(walk(xs), [](i64 x) { return x % 2 == 0; }); }, even);
    std::vector<i64> zipped;
    for (i64 i = 0; i < std::min(n, size); ++i) {
      zipped.push_back(from[static_cast<std::size_t>(i)] * 1000 + i);
    }
    both(
        [&] {
          return seq_map(seq_zip(walk(xs), range_below(i64{0}, n)),
                         [](Tuple<i64, i64> pair) { return pair.get<0>() * 1000 + pair.get<1>(); });
        },
        zipped);
    both([&] { return seq_take(seq_step_by(seq_skip(walk(xs), 1), step), n); },
         [&] {
           std::vector<i64> picked;
           for (i64 i = 1; i < size && static_cast<i64>(picked.size()) < n; i += step) {
             picked.push_back(from[static_cast<std::size_t>(i)]);
           }
           return picked;
         }());
    RC_ASSERT(seq_count(seq_skip(walk(xs), n)) == std::max(i64{0}, size - n));
    RC_ASSERT(seq_nth(walk(xs), n).has() == (n < size));
  }));
}

TEST_CASE("what is never asked for never runs") {
  int ran = 0;
  const auto counting = [&](i32 x) {
    ++ran;
    return x;
  };
  CHECK(walked(seq_take(seq_map(range_to(1, 100), counting), 3)) == "[1, 2, 3]");
  CHECK(ran == 3);
  ran = 0;
  CHECK(seq_nth(seq_map(range_to(1, 100), counting), 4).take() == 5);
  CHECK(ran == 5);  // what is passed over was asked for
}

TEST_CASE("collect builds what the place declares") {
  CHECK(plain(seq_collect<String>(seq_rev(text_chars("abc"_s)))) == "cba");
  CHECK(plain(seq_collect<String>(text_split("a,b"_s, ","_s))) == "ab");
  const auto map = seq_collect<BTreeMap<i64, i64>>(seq_zip(walk(numbers({3, 1, 3})), range_to(i64{0}, i64{9})));
  CHECK(shown(map) == "{1: 1, 3: 2}");
  CHECK(seq_collect<HashSet<char32_t>>(text_chars("abba"_s)) == seq_collect<HashSet<char32_t>>(text_chars("ab"_s)));
  CHECK(plain(seq_join(walk(numbers({1, 2})), "-"_s)) == "1-2");
}

TEST_CASE("nullable elements are walked as they are") {
  auto xs = Vec<Maybe<i64>>::of(Maybe<i64>(1), Maybe<i64>(), Maybe<i64>(3));
  CHECK(shown(xs) == "[1, null, 3]");
  i64 steps = 0;
  for (auto seq = walk(xs); auto x = seq.next();) {
    steps += x.take().has() ? 1 : 100;
  }
  CHECK(steps == 102);
  const auto doubled = vec_map(xs, [](Maybe<i64> x) { return x.has() ? Maybe<i64>(*x * 2) : x; });
  CHECK(shown(doubled) == "[2, null, 6]");
  CHECK(vec_pop(xs) == Maybe<i64>(3));
  CHECK(vec_pop(xs) == null);  // one level
  CHECK(seq_nth(walk(xs), 0) == Maybe<i64>(1));
}

TEST_CASE("what is kept in different ways compares") {
  CHECK(Maybe<Str>("a"_s) == Maybe<String>(owned("a")));
  CHECK(Tuple<Str, i64>("a"_s, 1) == Tuple<String, i64>(owned("a"), 1));
  CHECK(Vec<String>::of(owned("a")) == Vec<TetheredStr>::of("a"_s));
  const Vec<i64> xs = numbers({1, 2});
  CHECK(xs == slice(xs, range_to(0, 1)));
  HashMap<Tuple<String, i64>, i64> map;
  map_set(map, Tuple<String, i64>(owned("a"), 1), i64{5});
  CHECK(map_get(map, Tuple<Str, i64>("a"_s, 1)) == Maybe<i64>(5));
}

TEST_CASE("moving a value into itself keeps it") {
  const auto into_itself = [](auto& value) {
    auto& same = value;
    value = static_cast<std::remove_reference_t<decltype(value)>&&>(same);
  };
  String text = owned("abc");
  into_itself(text);
  CHECK(plain(text) == "abc");
  Vec<i64> list = numbers({1, 2});
  into_itself(list);
  CHECK(shown(list) == "[1, 2]");
  Box<i64> box(7);
  into_itself(box);
  CHECK(*box == 7);
  BTreeMap<i64, i64> map;
  map_set(map, i64{1}, i64{2});
  into_itself(map);
  CHECK(shown(map) == "{1: 2}");
  auto sum = Sum<i64, String>::make<1>(owned("s"));
  into_itself(sum);
  CHECK(plain(sum.as<1>()) == "s");
}
