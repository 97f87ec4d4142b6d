// Typed ids: trees, NIR and tables live in vectors and refer to each other by position, never by pointer.
//
// An id is 32 bits, distinct for each kind of thing by its tag, so that an expression's id cannot index the
// vector of types. The all-ones value is "none".
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace nikaia::lang {

// using ExprId = Id<struct ExprTag>;
template <class Tag>
struct Id {
  static constexpr std::uint32_t none = 0xffffffffu;

  std::uint32_t index = none;

  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t i) : index(i) {}
  constexpr explicit Id(std::size_t i) : index(static_cast<std::uint32_t>(i)) { assert(i < none); }

  constexpr bool valid() const { return index != none; }
  constexpr explicit operator bool() const { return valid(); }
  friend constexpr bool operator==(Id, Id) = default;
  friend constexpr auto operator<=>(Id, Id) = default;  // NOLINT(modernize-use-nullptr)
};

// A vector indexed by one kind of id: `IdVector<ExprId, Expr>`. Ids are given out dense from 0 by `add`.
// Also the shape of a side table: `IdVector<ExprId, TypeId> types(tree.exprs.size())`.
template <class IdT, class T>
class IdVector {
 public:
  using value_type = T;

  IdVector() = default;
  explicit IdVector(std::size_t count, const T& value = T()) : items_(count, value) {}

  IdT add(T value) {
    IdT id(items_.size());
    items_.push_back(std::move(value));
    return id;
  }
  template <class... Parts>
  IdT emplace(Parts&&... parts) {
    IdT id(items_.size());
    items_.emplace_back(std::forward<Parts>(parts)...);
    return id;
  }
  // The id that the next `add` gives.
  IdT next_id() const { return IdT(items_.size()); }

  decltype(auto) operator[](IdT id) {
    assert(id.index < items_.size());
    return items_[id.index];
  }
  decltype(auto) operator[](IdT id) const {
    assert(id.index < items_.size());
    return items_[id.index];
  }

  bool contains(IdT id) const { return id.index < items_.size(); }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  void reserve(std::size_t count) { items_.reserve(count); }
  void resize(std::size_t count, const T& value = T()) { items_.resize(count, value); }
  void clear() { items_.clear(); }

  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

  // The bare vector, for algorithms and for writing out.
  const std::vector<T>& raw() const { return items_; }

 private:
  std::vector<T> items_;
};

}  // namespace nikaia::lang

template <class Tag>
struct std::hash<nikaia::lang::Id<Tag>> {
  std::size_t operator()(nikaia::lang::Id<Tag> id) const noexcept {
    return static_cast<std::size_t>(id.index) * 0x9e3779b97f4a7c15u;
  }
};
