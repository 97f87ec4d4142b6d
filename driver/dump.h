// What a compilation holds behind a pass, as text: for `nikaia lower --after PASS`.
#ifndef NIKAIA_DRIVER_DUMP_H
#define NIKAIA_DRIVER_DUMP_H

#include <string>

#include "driver/front_end.h"
#include "driver/trouble.h"

namespace nikaia::driver {

Expected<std::string> dump_after(const PlacedPass& placed, const FrontEnd& front_end);

}  // namespace nikaia::driver

#endif
