// A list of small values in the room of one pointer, which is null where the list is empty. Most places have no path
// and most constants no type arguments; a `std::vector` in each of them would be a third of an instruction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <utility>

namespace nikaia::lang::nir {

// The part of `std::vector` that NIR needs. Copying copies the elements; pointers into it are good until it grows.
template <class T>
class ThinList {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::uint64_t));

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  ThinList() = default;
  ThinList(std::initializer_list<T> values) { insert(end(), values.begin(), values.end()); }
  template <class Iterator>
  ThinList(Iterator first, Iterator last) {
    insert(end(), first, last);
  }
  ThinList(const ThinList& other) { insert(end(), other.begin(), other.end()); }
  ThinList(ThinList&& other) noexcept : store_(std::exchange(other.store_, nullptr)) {}
  ThinList& operator=(const ThinList& other) {
    if (this == &other) return *this;
    clear();
    insert(end(), other.begin(), other.end());
    return *this;
  }
  ThinList& operator=(ThinList&& other) noexcept {
    std::swap(store_, other.store_);
    return *this;
  }
  ~ThinList() { ::operator delete(store_); }

  bool empty() const { return size() == 0; }
  std::size_t size() const { return store_ == nullptr ? 0 : store_->size; }
  T* begin() { return store_ == nullptr ? nullptr : elements(); }
  T* end() { return store_ == nullptr ? nullptr : elements() + store_->size; }
  const T* begin() const { return const_cast<ThinList*>(this)->begin(); }
  const T* end() const { return const_cast<ThinList*>(this)->end(); }
  T& operator[](std::size_t at) { return elements()[at]; }
  const T& operator[](std::size_t at) const { return const_cast<ThinList*>(this)->elements()[at]; }
  T& back() { return end()[-1]; }
  const T& back() const { return end()[-1]; }

  void push_back(const T& value) {
    const T copy = value;  // it may lie in the list
    make_room(size() + 1);
    elements()[store_->size++] = copy;
  }
  void pop_back() { --store_->size; }
  void clear() {
    if (store_ != nullptr) store_->size = 0;
  }
  void resize(std::size_t wanted) {
    const std::size_t old = size();
    if (wanted > old) {
      make_room(wanted);
      std::fill(elements() + old, elements() + wanted, T{});
    }
    if (store_ != nullptr) store_->size = static_cast<std::uint32_t>(wanted);
  }
  T* insert(const T* at, const T& value) { return insert(at, &value, &value + 1); }
  // `first` and `last` are not of this list.
  template <class Iterator>
  T* insert(const T* at, Iterator first, Iterator last) {
    const auto count = static_cast<std::size_t>(last - first);
    const auto before = static_cast<std::size_t>(at - begin());
    if (count == 0) return begin() + before;
    const std::size_t behind = size() - before;
    make_room(size() + count);
    T* const gap = elements() + before;
    if (behind != 0) std::memmove(static_cast<void*>(gap + count), gap, behind * sizeof(T));
    std::copy(first, last, gap);
    store_->size += static_cast<std::uint32_t>(count);
    return gap;
  }
  T* erase(const T* at) {
    T* const gone = begin() + (at - begin());
    std::copy(gone + 1, end(), gone);
    pop_back();
    return gone;
  }

  friend bool operator==(const ThinList& a, const ThinList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  // The elements follow it.
  struct alignas(std::uint64_t) Store {
    std::uint32_t size;
    std::uint32_t room;
  };

  T* elements() { return reinterpret_cast<T*>(store_ + 1); }
  void make_room(std::size_t wanted) {
    const std::size_t room = store_ == nullptr ? 0 : store_->room;
    if (wanted <= room) return;
    const std::size_t made = std::max(wanted, room * 2);
    auto* const larger = static_cast<Store*>(::operator new(sizeof(Store) + made * sizeof(T)));
    *larger = {static_cast<std::uint32_t>(size()), static_cast<std::uint32_t>(made)};
    if (!empty()) std::memcpy(static_cast<void*>(larger + 1), elements(), size() * sizeof(T));
    ::operator delete(store_);
    store_ = larger;
  }

  Store* store_ = nullptr;
};

}  // namespace nikaia::lang::nir
