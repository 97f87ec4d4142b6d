// Published places of type `String` have one form (01 §5.2): where text of their own goes in anywhere in the package, a
// view does not (NK1106; of a result NK1104). A parameter that is only looked at takes both; whether it is kept is not
// known here.
//
// Every value that goes into a `pub` field or result of type `String` is noted while bodies are checked; the
// package is asked about once, at the end. Cost: one entry a value, a hash a place.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/text/span.h"
#include "lang/types/declarations.h"

namespace nikaia::lang::typing {

class Checker;
struct Slot;

class PublishedTexts {
 public:
  // A value of type `actual` goes into a place declared `wanted`.
  void note(Checker& c, ast::ExprId e, Span at, TypeId actual, TypeId wanted, const Slot& slot);
  void report(Checker& c);

 private:
  struct View {
    Span at;
    std::string place;  // "Berth.ship"
    std::string value;
    std::uint8_t kind = 0;
  };
  struct Place {
    Span owner;  // the first value that owns its text; none yet: invalid
    std::string owner_fn;
    std::vector<View> views;
  };
  std::unordered_map<std::uint64_t, Place> places_;
};

}  // namespace nikaia::lang::typing
