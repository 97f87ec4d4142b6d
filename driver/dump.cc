#include "driver/dump.h"

namespace nikaia::driver {

Expected<std::string> dump_after(const PlacedPass& placed, const FrontEnd& front_end) {
  if (placed.pass->kind == PassKind::emission) {
    std::string text;
    for (const EmittedFile& file : front_end.results) {
      text += "// " + file.name + "\n" + file.contents;
    }
    return text;
  }
  return fail(refused("What is there behind the pass `" + std::string(placed.pass->name) +
                      "` can't be printed yet.")
                  .help("Behind an emission pass it can."));
}

}  // namespace nikaia::driver
