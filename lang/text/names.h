// Interned names: equal strings have equal ids, so that passes compare and hash names as integers.
//
// An `Interner` is part of one compilation. It is not shared between threads; lookups by id are, once nobody interns.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lang/text/ids.h"

namespace nikaia::lang {

using Name = Id<struct NameTag>;

class Interner {
 public:
  Interner() = default;
  Interner(const Interner&) = delete;
  Interner& operator=(const Interner&) = delete;
  Interner(Interner&&) = default;
  Interner& operator=(Interner&&) = default;

  // The id of `text`, given out on first sight. Ids are dense from 0 in order of first sight.
  Name intern(std::string_view text);
  // The id of `text` if it was interned before, else an invalid one.
  Name find(std::string_view text) const;
  // The text of a name; it stays where it is as long as the interner lives. An invalid name is "".
  std::string_view text(Name name) const;
  std::string_view operator[](Name name) const { return text(name); }

  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // a deque, because views of its elements must not move
  std::unordered_map<std::string_view, Name> ids_;
};

}  // namespace nikaia::lang
