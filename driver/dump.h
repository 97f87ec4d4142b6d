// What a compilation holds behind a pass, as text: for `nikaia lower --after PASS`.
#ifndef NIKAIA_DRIVER_DUMP_H
#define NIKAIA_DRIVER_DUMP_H

#include <string>

#include "driver/front_end.h"

namespace nikaia::driver {

// Of a pass that ran. Printing NIR may add types to the compilation.
std::string dump_after(const PlacedPass& placed, FrontEnd& front_end);

}  // namespace nikaia::driver

#endif
