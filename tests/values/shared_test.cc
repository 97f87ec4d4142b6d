// Shared values and the doors of locks: 03 §3, §4.
#include <catch2/catch.hpp>

#include "tests/values/values.h"

using namespace values;

TEST_CASE("a shared value lives as long as its last owner") {
  Shared<String> first = shared_new(owned("atlas"));
  const Shared<String> second = first;
  first = Shared<String>();
  CHECK(plain(*second) == "atlas");
  CHECK(said(second) == "atlas");
  static_assert(sizeof(Maybe<Shared<i64>>) == sizeof(void*));
  static_assert(is_handle<Shared<i64>> && !copies<Shared<i64>>);
}

TEST_CASE("doors") {
  const SharedMut<i64> fuel = shared_mut_new(i64{40});
  const SharedMut<i64> same = fuel;
  lock_update(same, [](i64& litres) { litres += 5; });
  CHECK(lock_get(fuel) == 45);
  CHECK(lock_set_after(fuel, i64{90}, i64{45}).ok());
  CHECK(lock_set_after(fuel, i64{1}, i64{45}).failure().is<Overtaken>());
  lock_set(fuel, i64{7});
  CHECK(lock_access(fuel, [](i64 litres) { return litres * 2; }) == 14);
  const Locked<Vec<String>> trips = locked_new(Vec<String>());
  lock_update(trips, [](Vec<String>& list) { vec_push(list, owned("Kiel")); });
  CHECK(lock_access(trips, [](const Vec<String>* list) { return vec_len(*list); }) == 1);
  CHECK(stop_reason([&] { lock_update(fuel, [&](i64&) { (void)lock_get(same); }); }) ==
        "this lock is opened inside itself");
}

TEST_CASE("two locks at once") {
  const SharedMut<i64> pantry = shared_mut_new(i64{10});
  const SharedMut<i64> cellar = shared_mut_new(i64{1});
  update_all(pantry, cellar, [](i64& up, i64& down) {
    up -= 3;
    down += 3;
  });
  CHECK(access_all(cellar, pantry, [](i64 a, i64 b) { return a * 100 + b; }) == 407);
  CHECK(access_all(pantry, pantry, [](i64 a, i64 b) { return a + b; }) == 14);
  CHECK(stop_reason([&] { update_all(pantry, pantry, [](i64&, i64&) {}); }) == "this lock is opened inside itself");
}
