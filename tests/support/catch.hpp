#pragma once
/// \file
/// The only file that includes Catch2, so that its versions 2 and 3 both work.

// Both macros make the tests compile faster. Assertions then have no handler of exceptions, and no test uses matchers. An
// exception that no assertion expects still fails its test case.
#define CATCH_CONFIG_FAST_COMPILE
#define CATCH_CONFIG_DISABLE_MATCHERS

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
