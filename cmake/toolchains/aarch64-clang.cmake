# The same compiled by Clang, with the headers, libraries and linker of the other toolchain.
include("${CMAKE_CURRENT_LIST_DIR}/aarch64.cmake")
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
# Template parameters that are templates, as Clang 16 to 18 match them.
string(APPEND CMAKE_CXX_FLAGS_INIT " -fno-relaxed-template-template-args -Wno-deprecated-no-relaxed-template-template-args")
