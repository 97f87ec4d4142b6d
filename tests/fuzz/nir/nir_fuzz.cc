// Reads any bytes as the text form of NIR. What is read must print, read again, and print the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tests/unit/nir_world.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nikaia::lang;
  nir_test::World world;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto module = nir::parse_module(text, world.types, world.decls, world.names);
  if (!module) return 0;
  const std::string once = world.print(*module, {true, nullptr});
  auto again = nir::parse_module(once, world.types, world.decls, world.names);
  if (!again || world.print(*again, {true, nullptr}) != once) std::abort();
  return 0;
}
