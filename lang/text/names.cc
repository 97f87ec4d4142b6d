#include "lang/text/names.h"

namespace nikaia::lang {

Name Interner::intern(std::string_view text) {
  if (auto it = ids_.find(text); it != ids_.end()) return it->second;
  Name name(texts_.size());
  texts_.emplace_back(text);
  ids_.emplace(texts_.back(), name);
  return name;
}

Name Interner::find(std::string_view text) const {
  auto it = ids_.find(text);
  return it == ids_.end() ? Name() : it->second;
}

std::string_view Interner::text(Name name) const {
  return name.valid() ? std::string_view(texts_[name.index]) : std::string_view();
}

}  // namespace nikaia::lang
