# cmake -D SOURCE=folder -D PREFIX=folder [-D PKG_CONFIG=program] -P release.cmake: all files of a release state the same version, and the
# installed files are complete.

cmake_minimum_required(VERSION 3.22)
file(STRINGS "${SOURCE}/include/dyadic/config.hpp" lines REGEX "^#define DYADIC_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9;]" "" version "${lines}")
list(JOIN version "." version)

function(expect_line file regex)
  file(STRINGS "${SOURCE}/${file}" found REGEX "${regex}")
  if(NOT found)
    message(FATAL_ERROR "${file}: no line matches '${regex}'")
  endif()
endfunction()
expect_line(MODULE.bazel "^    version = \"${version}\",$")
expect_line(CHANGELOG.md "^## ${version}")

# README.md and the error messages of config.hpp name the oldest compilers that config.hpp accepts.
file(STRINGS "${SOURCE}/include/dyadic/config.hpp" oldest REGEX "^#(el)?if .*(__clang_major__|__GNUC__) < ")
string(REGEX REPLACE "[^;]*< ([0-9]+)" "\\1" oldest "${oldest}")
list(GET oldest 0 clang)
list(GET oldest 1 gcc)
expect_line(README.md "GCC ${gcc} and newer and Clang ${clang} and newer")
expect_line(include/dyadic/config.hpp "GCC ${gcc} and newer and Clang ${clang} and newer")
expect_line(include/dyadic/config.hpp "\"dyadic needs Clang ${clang} or newer\"")
expect_line(include/dyadic/config.hpp "\"dyadic needs GCC ${gcc} or newer\"")

# Each entry of the change log must say whether an output bit changed.
file(STRINGS "${SOURCE}/CHANGELOG.md" entries REGEX "^- ")
foreach(entry IN LISTS entries)
  if(NOT entry MATCHES "^- \\*\\*(Same bits|Other bits)\\*\\*")
    message(FATAL_ERROR "CHANGELOG.md: does not say whether a bit changed: ${entry}")
  endif()
endforeach()

# Bazel's patterns cover headers (.hpp) and private files (.inc). No other files may be installed.
expect_line(BUILD.bazel "include/dyadic/\\*\\*/\\*\\.hpp")
expect_line(BUILD.bazel "include/dyadic/\\*\\*/\\*\\.inc")
file(GLOB_RECURSE sources RELATIVE "${SOURCE}/include" "${SOURCE}/include/*.hpp" "${SOURCE}/include/*.inc")
file(GLOB_RECURSE installed RELATIVE "${PREFIX}/include" "${PREFIX}/include/*")
if(NOT sources STREQUAL installed)
  message(FATAL_ERROR "the installed files differ from the headers: ${installed}")
endif()

file(SHA256 "${SOURCE}/LICENSE" ours)
file(SHA256 "${PREFIX}/share/licenses/dyadic/LICENSE" theirs)
if(NOT ours STREQUAL theirs)
  message(FATAL_ERROR "the installed licence differs from LICENSE")
endif()

# pkg-config must also work in a folder to which the installation was moved.
if(PKG_CONFIG)
  set(moved "${PREFIX}.moved")
  file(REMOVE_RECURSE "${moved}")
  file(COPY "${PREFIX}/" DESTINATION "${moved}")
  set(ENV{PKG_CONFIG_PATH} "${moved}/share/pkgconfig")
  execute_process(COMMAND "${PKG_CONFIG}" --modversion dyadic OUTPUT_VARIABLE stated OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${PKG_CONFIG}" --cflags dyadic OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "^-I" "" folder "${flags}")
  if(NOT stated STREQUAL version OR NOT EXISTS "${folder}/dyadic/dyadic.hpp" OR NOT folder MATCHES "\\.moved/")
    message(FATAL_ERROR "pkg-config: ${stated}, ${flags}")
  endif()
endif()
