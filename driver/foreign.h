// The foreign libraries that manifests declare (06 §4.5): what they add to compiling and linking.
#ifndef NIKAIA_DRIVER_FOREIGN_H
#define NIKAIA_DRIVER_FOREIGN_H

#include <string>
#include <vector>

#include "driver/project.h"
#include "driver/trouble.h"

namespace nikaia::driver {

struct ForeignWords {
  std::vector<std::string> compile;
  std::vector<std::string> link;
};

// Of every package of the project, in dependency order. Asks `pkg-config` for those that name a
// module; one it does not know, or knows in a lower version, is refused.
Expected<ForeignWords> foreign_words(const Project& project);

}  // namespace nikaia::driver

#endif
