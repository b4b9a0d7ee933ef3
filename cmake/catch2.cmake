# dyadic_catch: Catch2, version 2 or 3, and the tests' main().

add_library(dyadic_catch OBJECT EXCLUDE_FROM_ALL support/main.cpp)
set_source_files_properties(support/main.cpp PROPERTIES COMPILE_OPTIONS -O0)
target_compile_features(dyadic_catch PUBLIC cxx_std_17)

if(CMAKE_CROSSCOMPILING AND NOT DYADIC_FETCH)
  # The single header of version 2 serves every target. No other file of the host's include directory may be found.
  find_path(
    DYADIC_CATCH2_INCLUDE NAMES catch2/catch.hpp catch2/catch_all.hpp
    PATHS /usr/include /usr/local/include NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  if(NOT DYADIC_CATCH2_INCLUDE)
    message(FATAL_ERROR "The tests need Catch2: install the package catch2, or configure with -DDYADIC_FETCH=ON, or -DDYADIC_BUILD_TESTS=OFF")
  endif()
  if(CMAKE_SYSTEM_NAME STREQUAL "Generic")
    target_compile_definitions(dyadic_catch PUBLIC CATCH_CONFIG_NO_POSIX_SIGNALS CATCH_CONFIG_COLOUR_NONE)
  endif()
  if(NOT EXISTS "${DYADIC_CATCH2_INCLUDE}/catch2/catch.hpp")
    message(FATAL_ERROR "Catch2 v3 must be built for this target, and no package has it: configure with -DDYADIC_FETCH=ON")
  endif()
  file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/catch2")
  file(CREATE_LINK "${DYADIC_CATCH2_INCLUDE}/catch2" "${CMAKE_CURRENT_BINARY_DIR}/catch2/catch2" SYMBOLIC)
  target_include_directories(dyadic_catch SYSTEM PUBLIC "${CMAKE_CURRENT_BINARY_DIR}/catch2")
  return()
endif()

if(NOT CMAKE_CROSSCOMPILING)
  find_package(Catch2 QUIET)
endif()
if(NOT Catch2_FOUND)
  if(NOT DYADIC_FETCH)
    message(FATAL_ERROR "The tests need Catch2: install the package catch2, or configure with -DDYADIC_FETCH=ON, or -DDYADIC_BUILD_TESTS=OFF")
  endif()
  include(FetchContent)
  FetchContent_Declare(
    Catch2 GIT_REPOSITORY https://github.com/catchorg/Catch2.git GIT_TAG v3.7.1 GIT_SHALLOW TRUE)
  FetchContent_MakeAvailable(Catch2)
endif()
target_link_libraries(dyadic_catch PUBLIC Catch2::Catch2)
