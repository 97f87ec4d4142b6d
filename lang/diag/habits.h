// Words that somebody brings along from another language, and what Nikaia has in their place. Asked only once a name is
// known to mean nothing here; the answer becomes the help of that message.
#pragma once

#include <string>
#include <string_view>

namespace nikaia::lang {

enum class Habit {
  type,    // where a type stands: `int`, `Option`
  value,   // where a value stands: `None`, `and`
  call,    // what is called: `len(x)`, `Some(x)`
  any,     // a member of a value of any type: `.await`
  maybe,   // a member of what may be `null`: `.unwrap()`
  number,  // a member of a number
  text,    // a member of text
  list,    // a member of a list
  map,     // a member of a map
};

// The help for `word`, with `of` as the receiver's text; empty where the word is nobody's habit. Cost: the table's
// size.
std::string habit_help(Habit where, std::string_view word, std::string_view of = {});

}  // namespace nikaia::lang
