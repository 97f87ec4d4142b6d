// Exports the function, which returns nothing.
#include <nikaia/pass.h>

extern "C" __attribute__((visibility("default"))) const nikaia::PluginDescriptor* nikaia_pass_plugin_v1() {
  return nullptr;
}
