// Which views a type holds. Text and runs are counted on their buffer where they are kept (03 §6), so a view of one
// may outlive its owner; a pointer to anything else may not.
#pragma once

#include <vector>

#include "lang/types/declarations.h"

namespace nikaia::lang::nir {

enum View : std::uint8_t {
  view_text = 1,     // ref String
  view_run = 2,      // ref Array[T]
  view_pointer = 4,  // any other `ref`, and what walks or changes something without a `ref` in its type
  view_open = 8,     // a type parameter, which may stand for a view
};

// Whether it is a view of text or of a run, which may count the buffer it looks into.
bool is_buffer_view(const TypeTable& types, TypeId type);

class Views {
 public:
  Views(const TypeTable& types, const Declarations& decls) : types_(types), decls_(decls) {}

  // The views in a value of `type`, of its fields and arguments too. Remembered.
  std::uint8_t of(TypeId type);
  bool holds(TypeId type) { return of(type) != 0; }
  // Whether a view in such a value may lie behind another one.
  bool is_deep(TypeId type);
  // Whether the program tears down the value, or a part of it.
  bool is_torn_down(TypeId type) const;

 private:
  struct Found {
    std::uint8_t views = 0;
    bool is_deep = false;
    bool is_cut = false;  // a type around it was met again
    bool is_known = false;
  };
  Found know(TypeId type);
  // `open`: the types it is asked in, which add nothing once more.
  Found find(TypeId type, std::vector<TypeId>& open);

  const TypeTable& types_;
  const Declarations& decls_;
  std::vector<Found> known_;  // by type
};

}  // namespace nikaia::lang::nir
