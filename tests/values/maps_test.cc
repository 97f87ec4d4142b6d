// Maps and sets against those of the C++ library, and the rows of 07 §5.
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "tests/values/values.h"

using namespace values;

namespace {

template <class Map>
void agree_with_std(Map map) {
  std::map<i64, i64> expected;
  std::mt19937 random(7);  // the same turns each run
  for (int turn = 0; turn < 60000; ++turn) {
    const i64 key = static_cast<i64>(random() % 3000);
    const auto known = expected.find(key);
    switch (random() % 3) {
      case 0: {
        const auto old = map_insert(map, key, i64{turn});
        REQUIRE(old.has() == (known != expected.end()));
        expected[key] = turn;
        break;
      }
      case 1: {
        auto removed = map_remove(map, key);
        REQUIRE(removed.has() == (known != expected.end()));
        if (removed.has()) {
          REQUIRE(removed.take() == known->second);
          expected.erase(known);
        }
        break;
      }
      default: {
        auto found = map_get(map, key);
        REQUIRE(found.has() == (known != expected.end()));
        if (found.has()) {
          REQUIRE(found.take() == known->second);
        }
      }
    }
  }
  REQUIRE(map_len(map) == static_cast<i64>(expected.size()));
  i64 pairs = 0;
  for (auto seq = walk(map); auto pair = seq.next();) {
    REQUIRE(expected.at(pair.value().first) == pair.value().rest.first);
    ++pairs;
  }
  REQUIRE(pairs == map_len(map));
  const Map copy = clone(map);
  CHECK(copy == map);
  map_clear(map);
  CHECK_FALSE(map_get(map, i64{1}).has());
}

}  // namespace

TEST_CASE("maps agree with std::map") {
  agree_with_std(HashMap<i64, i64>());
  agree_with_std(HashMap<i64, i64>::keyed());
  agree_with_std(BTreeMap<i64, i64>());
}

TEST_CASE("text keys are asked with any text") {
  HashMap<String, String> map;
  map_set(map, owned("coat"), owned("red"));
  const Maybe<Str> coat = map_get(map, "coat"_s);
  CHECK(plain(coat.value()) == "red");
  CHECK_FALSE(map_get(map, owned("hat")).has());
  CHECK(map_contains_key(map, TetheredStr("coat"_s)));
  auto keyed = HashMap<TetheredStr, i64>::keyed();
  map_set(keyed, "a"_s, i64{1});
  map_set(keyed, "a"_s, i64{2});
  CHECK(shown(keyed) == R"({"a": 2})");
}

TEST_CASE("a map of nullable values reads one level") {
  HashMap<i64, Maybe<i64>> map;
  map_set(map, i64{1}, null);
  CHECK_FALSE(map_get(map, i64{1}).has());
  CHECK(map_contains_key(map, i64{1}));
  map_set(map, i64{1}, i64{4});
  CHECK(map_get(map, i64{1}) == Maybe<i64>(4));
  (void)map_remove(map, i64{1});
  CHECK_FALSE(map_contains_key(map, i64{1}));
}

TEST_CASE("entries") {
  HashMap<String, i64> map;
  for (auto words = text_split_whitespace("a b a"_s); auto word = words.next();) {
    entry_or_insert(entry_and_modify(map_entry(map, clone(word.take())), [](i64& n) { n += 1; }), i64{1});
  }
  CHECK(map_get(map, "a"_s) == Maybe<i64>(2));
  bool asked = false;
  CHECK(entry_or_insert_with(map_entry(map, owned("a")), [&] {
          asked = true;
          return i64{9};
        }) == 2);
  CHECK_FALSE(asked);
}

TEST_CASE("ordered containers walk in key order") {
  BTreeMap<String, i64> map;
  for (i64 i = 0; i < 500; ++i) {
    map_set(map, i64_to_string((i * 7919) % 500), i64{i});
  }
  CHECK(map_len(map) == 500);
  String last;
  for (auto keys = map_keys(map); auto key = keys.next();) {
    CHECK((last.size() == 0 || last < key.value()));
    last = clone(key.value());
  }
  BTreeSet<Tuple<i64, char32_t>> set;
  CHECK(set_insert(set, Tuple<i64, char32_t>(2, U'a')));
  CHECK(set_insert(set, Tuple<i64, char32_t>(1, U'b')));
  CHECK_FALSE(set_insert(set, Tuple<i64, char32_t>(1, U'b')));
  CHECK(shown(set) == "{(1, 'b'), (2, 'a')}");
  CHECK(set_remove(set, Tuple<i64, char32_t>(1, U'b')));
  CHECK_FALSE(set_contains(set, Tuple<i64, char32_t>(1, U'b')));
}

TEST_CASE("drained pairs are owned") {
  HashMap<String, String> map;
  map_set(map, owned("k"), owned("v"));
  auto pairs = map_drain(static_cast<HashMap<String, String>&&>(map));
  auto pair = pairs.next().take();
  CHECK(plain(pair.get<1>()) == "v");
  CHECK(map_is_empty(map));
}

TEST_CASE("maps are keyed before a stranger's key gets in") {
  HashMap<i64, i64> map;
  for (i64 i = 0; i < 100; ++i) {
    map_set(map, i, i * i);
  }
  CHECK_FALSE(map.is_keyed());
  note_foreign_data();
  CHECK(map_get(map, i64{9}) == Maybe<i64>(81));
  CHECK_FALSE(map.is_keyed());
  map_set(map, i64{100}, i64{0});
  CHECK(map.is_keyed());
  for (i64 i = 0; i < 100; ++i) {
    CHECK(map_get(map, i) == Maybe<i64>(i * i));
  }
  foreign_data_seen = false;
}
