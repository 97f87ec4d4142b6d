// The known name that somebody probably meant: the nearest one by edit distance, where it is near.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nikaia::lang {

// Insertions, deletions and replacements of bytes that make `a` of `b`. Cost: the product of the lengths.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The nearest of `known` within a third of `written`'s length, the first of equally near ones; empty where none is.
std::string_view near_name(std::string_view written, const std::vector<std::string_view>& known);

}  // namespace nikaia::lang
