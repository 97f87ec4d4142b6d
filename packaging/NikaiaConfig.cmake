# find_package(Nikaia): what is needed to build a compiler pass or an I/O backend against an installation.
#
#   nikaia::nikaia                      the `nikaia` command
#   nikaia_add_pass(NAME SOURCES...)    nikaia-pass-NAME.so, the target nikaia-pass-NAME
#   nikaia_add_backend(NAME SOURCES...) nikaia-io-NAME.so, the target nikaia-io-NAME
get_filename_component(Nikaia_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET nikaia::nikaia)
  add_executable(nikaia::nikaia IMPORTED)
  set_target_properties(nikaia::nikaia PROPERTIES IMPORTED_LOCATION "${Nikaia_PREFIX}/bin/nikaia")
  add_library(nikaia::lang SHARED IMPORTED)
  set_target_properties(nikaia::lang PROPERTIES
    IMPORTED_LOCATION "${Nikaia_PREFIX}/lib/libnikaia.so"
    # Passes include <nikaia/pass.h> and the compiler's structures as "lang/…".
    INTERFACE_INCLUDE_DIRECTORIES "${Nikaia_PREFIX}/include;${Nikaia_PREFIX}/include/nikaia")
endif()

# The driver compares the compiler, the C++ library and the flags that change layout before it loads a
# pass; these are the flags it was built with.
function(nikaia_add_pass name)
  find_path(Nikaia_EXPECTED_INCLUDE tl/expected.hpp)
  if(NOT Nikaia_EXPECTED_INCLUDE)
    message(FATAL_ERROR "A pass needs tl/expected.hpp; on Debian: apt install libexpected-dev")
  endif()
  add_library(nikaia-pass-${name} MODULE ${ARGN})
  target_link_libraries(nikaia-pass-${name} PRIVATE nikaia::lang)
  target_include_directories(nikaia-pass-${name} SYSTEM PRIVATE "${Nikaia_EXPECTED_INCLUDE}")
  target_compile_features(nikaia-pass-${name} PRIVATE cxx_std_20)
  target_compile_options(nikaia-pass-${name} PRIVATE -fno-rtti -fvisibility=hidden)
  set_target_properties(nikaia-pass-${name} PROPERTIES PREFIX "" CXX_EXTENSIONS OFF)
endfunction()

# A backend sees <nikaia/backend.h> and nothing else of Nikaia.
function(nikaia_add_backend name)
  add_library(nikaia-io-${name} MODULE ${ARGN})
  target_include_directories(nikaia-io-${name} SYSTEM PRIVATE "${Nikaia_PREFIX}/include")
  set_target_properties(nikaia-io-${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden)
endfunction()
