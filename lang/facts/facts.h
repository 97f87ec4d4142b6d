// Facts: what passes decide, as typed tables with a name and a version.
//
// A fact is named by a `FactKey<T>` such as `types_fact` ("types@1"); its C++ type goes with the name and
// never changes under one version. The driver owns the tables of a compilation; a pass reaches them through
// its context, which holds it to the facts it declared.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace nikaia::lang {

template <class T>
struct FactKey {
  const char* name;  // "types@1"
};

class Facts {
 public:
  // The table under `name`, or null where no pass has made it.
  void* raw(std::string_view name) const {
    auto it = tables_.find(name);
    return it == tables_.end() ? nullptr : it->second.get();
  }
  void put(std::string name, void* table, void (*destroy)(void*)) {
    tables_.insert_or_assign(std::move(name), std::shared_ptr<void>(table, destroy));
  }
  template <class T>
  T& make(FactKey<T> key) {
    if (!raw(key.name)) put(key.name, new T(), [](void* p) { delete static_cast<T*>(p); });
    return *static_cast<T*>(raw(key.name));
  }
  template <class T>
  T* find(FactKey<T> key) const {
    return static_cast<T*>(raw(key.name));
  }

 private:
  std::map<std::string, std::shared_ptr<void>, std::less<>> tables_;
};

}  // namespace nikaia::lang
