// A shared object that is no plugin: it exports something else.
extern "C" __attribute__((visibility("default"))) int nikaia_pass_plugin_v0() {
  return 0;
}
