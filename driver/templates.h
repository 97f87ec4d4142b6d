// The files that `nikaia new` writes.
#ifndef NIKAIA_DRIVER_TEMPLATES_H
#define NIKAIA_DRIVER_TEMPLATES_H

#include <span>

#include "driver/command_line.h"

namespace nikaia::driver {

struct Template {
  const char* path;
  const char* text;
};

std::span<const Template> templates_of(Creation creation);

}  // namespace nikaia::driver

#endif
