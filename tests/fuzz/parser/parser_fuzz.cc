// Feeds the parser arbitrary bytes. It must end, and where it finds no syntax error, what the
// printer makes of the tree must parse to the same tree. Bytes that are no UTF-8 never reach a
// parser and are left out.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "lang/text/source.h"
#include "tests/unit/syntax_support.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  if (nikaia::lang::find_bad_utf8(text) != std::string_view::npos) return 0;
  std::string fault = nikaia::lang::testing::round_trip_fault(text);
  if (!fault.empty()) {
    std::fprintf(stderr, "%s\n", fault.c_str());
    std::abort();
  }
  return 0;
}
