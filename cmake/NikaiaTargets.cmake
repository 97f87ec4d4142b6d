# Functions every folder's CMakeLists.txt is written with.
include(GNUInstallDirs)

find_program(NIKAIA_CCACHE ccache)
if(NIKAIA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${NIKAIA_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${NIKAIA_CCACHE}")
endif()
find_program(NIKAIA_MOLD mold)

add_library(nikaia_flags INTERFACE)
target_compile_options(nikaia_flags INTERFACE
  -Wall -Wextra -Wconversion -Werror
  -Wno-missing-field-initializers  # designated initialisers name what differs from the default
  $<$<COMPILE_LANGUAGE:CXX>:-Wno-sign-conversion>)
if(NIKAIA_MOLD AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_link_options(nikaia_flags INTERFACE -fuse-ld=mold)
endif()
if(NIKAIA_SANITIZE)
  target_compile_options(nikaia_flags INTERFACE -fsanitize=${NIKAIA_SANITIZE} -fno-omit-frame-pointer)
  if(NIKAIA_SANITIZE MATCHES "undefined")
    # The check of virtual pointers needs RTTI, which the compiler is built without.
    target_compile_options(nikaia_flags INTERFACE -fno-sanitize-recover=undefined -fno-sanitize=vptr)
  endif()
  target_link_options(nikaia_flags INTERFACE -fsanitize=${NIKAIA_SANITIZE})
endif()
if(NIKAIA_FUZZ)
  target_compile_options(nikaia_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
# Sources include by their path from the root: "lang/syntax/ast.h", <nikaia/pass.h>.
target_include_directories(nikaia_flags INTERFACE "${CMAKE_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/include")

# nikaia_pass(NAME SOURCES...): one plugin, lib/nikaia/passes/nikaia-pass-NAME.so.
function(nikaia_pass name)
  add_library(pass_${name} MODULE ${ARGN})
  target_link_libraries(pass_${name} PRIVATE nikaia_flags nikaia_lang)
  # RTTI is off everywhere in the compiler (STYLE); hidden visibility keeps a plugin to its one symbol.
  target_compile_options(pass_${name} PRIVATE -fno-rtti -fvisibility=hidden)
  set_target_properties(pass_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME "nikaia-pass-${name}"
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib/nikaia/passes"
    BUILD_RPATH_USE_ORIGIN ON INSTALL_RPATH "$ORIGIN/../..")
  install(TARGETS pass_${name} LIBRARY DESTINATION lib/nikaia/passes)
endfunction()

# nikaia_backend_code(TARGET): how code of backends is compiled. Programs run on it, so it is optimised whatever
# the preset, as the runtime is; only under sanitizers what they report should look like the source.
function(nikaia_backend_code target)
  target_link_libraries(${target} PUBLIC nikaia_flags)
  target_compile_options(${target} PRIVATE -fno-rtti -fno-exceptions -fvisibility=hidden)
  if(NOT NIKAIA_SANITIZE)
    target_compile_options(${target} PRIVATE -O2)
  endif()
endfunction()

# nikaia_backend(NAME SOURCES...): one I/O backend, lib/nikaia/backends/nikaia-io-NAME.so. It sees
# include/ and its own folder, nothing of the runtime.
function(nikaia_backend name)
  add_library(backend_${name} MODULE ${ARGN})
  nikaia_backend_code(backend_${name})
  # A program that links the C++ library statically does not load the shared one, half a millisecond of its
  # start, on account of a backend. Nothing of it crosses the ABI.
  if(NOT NIKAIA_SANITIZE)
    target_link_options(backend_${name} PRIVATE -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL)
  endif()
  set_target_properties(backend_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME "nikaia-io-${name}"
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib/nikaia/backends")
  install(TARGETS backend_${name} LIBRARY DESTINATION lib/nikaia/backends)
endfunction()

# nikaia_unit_test(NAME SOURCES... LIBS LIBRARIES...): a Catch2 program registered with CTest.
# The main of Catch2 is compiled once (tests/unit/catch_main.cc).
function(nikaia_unit_test name)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE nikaia_flags nikaia_catch_main ${ARG_LIBS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# nikaia_fuzzer(NAME SOURCES... LIBS LIBRARIES...): a libFuzzer program, only with the preset `fuzz`.
function(nikaia_fuzzer name)
  if(NOT NIKAIA_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE nikaia_flags ${ARG_LIBS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/fuzz")
endfunction()
