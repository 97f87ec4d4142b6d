// Was built for another toolchain. Everything behind the tag is nonsense, so that a driver that
// looks at it before it compared the tag crashes.
#include <cstdint>

#include <nikaia/pass.h>

extern "C" __attribute__((visibility("default"))) const nikaia::PluginDescriptor* nikaia_pass_plugin_v1() {
  static const nikaia::PluginDescriptor descriptor{
      "nikaia 0.0.9; gcc 11; libstdc++ 11 cxx11abi 1; plain; pass interface 0", 1000000,
      reinterpret_cast<const nikaia::Pass*>(std::uintptr_t{8})};
  return &descriptor;
}
