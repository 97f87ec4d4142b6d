// The main of every Catch2 program here, compiled once because it is slow to compile.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
