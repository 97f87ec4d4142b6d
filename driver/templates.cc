#include "driver/templates.h"

#include <array>

namespace nikaia::driver {

namespace {

constexpr std::array<Template, 3> project = {{
    {"nikaia.toml", R"([package]
name = "@NAME@"
version = "0.1.0"
)"},
    {"src/main.nika", R"(fn main() {
    println("Hello from @NAME@.")
}
)"},
    {".gitignore", R"(target/
.nikaia/
)"},
}};

constexpr std::array<Template, 4> pass = {{
    {"CMakeLists.txt", R"(# Builds nikaia-pass-@NAME@.so against an installed Nikaia and nothing else:
#
#     cmake -B build -DCMAKE_PREFIX_PATH=PREFIX && cmake --build build && ctest --test-dir build
cmake_minimum_required(VERSION 3.25)
project(nikaia-pass-@NAME@ LANGUAGES CXX)

find_package(Nikaia REQUIRED)
nikaia_add_pass(@NAME@ pass.cc)

include(CTest)
if(BUILD_TESTING)
  # The pass loads, and an accepted program stays accepted with it.
  add_test(NAME loads COMMAND nikaia::nikaia passes --pass-plugin $<TARGET_FILE:nikaia-pass-@NAME@>)
  add_test(NAME accepts COMMAND nikaia::nikaia check ${CMAKE_CURRENT_SOURCE_DIR}/test.nika
    --pass-plugin $<TARGET_FILE:nikaia-pass-@NAME@>)
  add_test(NAME counts COMMAND nikaia::nikaia check ${CMAKE_CURRENT_SOURCE_DIR}/test.nika
    --pass-plugin $<TARGET_FILE:nikaia-pass-@NAME@> --pass-option @NAME@:most=1)
  set_tests_properties(counts PROPERTIES PASS_REGULAR_EXPRESSION "PASS0001")
endif()
)"},
    {"pass.cc", R"(// The pass `@NAME@`: warns about a file with more functions than its option `most` says.
//
// A place to start from. It works on the tree, needs nothing that another pass decides, and reports
// with a code of its own: two to four capital letters other than NK, and four digits.
#include <nikaia/pass.h>

#include <string>

#include "lang/compilation.h"

namespace {

using namespace nikaia;

void run(PassContext& context) {
  const std::size_t most = std::stoul(std::string(context.option("most")));
  const lang::Compilation& compilation = context.compilation();
  for (std::size_t i = 0; i < compilation.trees.size(); ++i) {
    const lang::FileId file(i);
    context.looking_at("", context.sources().path(file));
    std::size_t functions = 0;
    const lang::ast::Tree& tree = compilation.trees[file];
    for (const lang::ast::ItemId id : tree.top) {
      if (std::holds_alternative<lang::ast::FnItem>(tree.items[id].node)) ++functions;
    }
    if (functions <= most) continue;
    context.sink()
        .report_plugin("PASS0001", lang::Severity::warning, lang::Span::whole_file(file),
                       "This file has " + std::to_string(functions) + " functions.")
        .help("Move some of them into another file of the package, which needs no `use`.");
  }
}

constexpr const char* codes[] = {"PASS0001", nullptr};
constexpr PassOption options[] = {
    {"most", "20", "how many functions a file may have"},
    {nullptr, nullptr, nullptr},
};

const Pass passes[] = {{
    .name = "@NAME@",
    .purpose = "warns about files with many functions",
    .version = "0.1.0",
    .kind = PassKind::analysis,
    .stage = PassStage::tree,
    .is_optional = true,
    .requires_facts = nullptr,
    .provides_facts = nullptr,
    .changes_facts = nullptr,
    .codes = codes,
    .options = options,
    .produces_cpp = false,
    .run = run,
}};

}  // namespace

NIKAIA_PASS_PLUGIN(passes)
)"},
    {"test.nika", R"(fn greeting() -> String {
    return "Hello."
}

fn main() {
    println(greeting())
}
)"},
    {".gitignore", "build/\n"},
}};

constexpr const char* backend_source = R"(/* The I/O backend `@NAME@`. */
)";

constexpr std::array<Template, 3> backend = {{
    {"CMakeLists.txt", R"(# Builds nikaia-io-@NAME@.so against an installed Nikaia and nothing else:
#
#     cmake -B build -DCMAKE_PREFIX_PATH=PREFIX && cmake --build build && ctest --test-dir build
cmake_minimum_required(VERSION 3.25)
project(nikaia-io-@NAME@ LANGUAGES C)

find_package(Nikaia REQUIRED)
nikaia_add_backend(@NAME@ backend.c)

include(CTest)
if(BUILD_TESTING)
  # The backend is found and understood; `nikaia backends check FILE.so` runs the whole suite.
  add_test(NAME found COMMAND nikaia::nikaia backends)
  set_tests_properties(found PROPERTIES
    ENVIRONMENT "NIKAIA_BACKEND_PATH=${CMAKE_CURRENT_BINARY_DIR};NIKAIA_BACKEND_TRUST=1"
    PASS_REGULAR_EXPRESSION "@NAME@ ")
endif()
)"},
    {"backend.c", backend_source},
    {".gitignore", "build/\n"},
}};

}  // namespace

std::span<const Template> templates_of(Creation creation) {
  switch (creation) {
    case Creation::project: return project;
    case Creation::pass: return pass;
    case Creation::backend: return backend;
  }
  return {};
}

}  // namespace nikaia::driver
