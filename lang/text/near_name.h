// The known name that somebody probably meant: the nearest one by edit distance, where it is near.
#pragma once

#include <iterator>
#include <span>
#include <string_view>
#include <vector>

namespace nikaia::lang {

// Bytes inserted, deleted, replaced, or exchanged with their neighbour, that make `a` of `b`. Cost: the product of the
// lengths.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The nearest of `known` within a third of `written`'s length, or one byte, the first of equally near ones; else the
// shortest that `written`, of three bytes or more, is the beginning of (`to_upper`: `to_uppercase`); empty where none
// is.
std::string_view nearest_of(std::string_view written, std::span<const std::string_view> known);

// The same of any list of names. The answer points into `known`.
template <class Names>
std::string_view near_name(std::string_view written, const Names& known) {
  const std::vector<std::string_view> views(std::begin(known), std::end(known));
  return nearest_of(written, views);
}

}  // namespace nikaia::lang
