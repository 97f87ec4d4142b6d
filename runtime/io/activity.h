// The count behind the idle rule (language 09 §7): everything under way beside `main` itself.
#pragma once

#include <nikaia/rt/io.h>

namespace nikaia::rt {

inline void begin_activity() {
  ++activity.parts.count;
}
inline void end_activity() {
  --activity.parts.count;
}

}  // namespace nikaia::rt
