# aarch64.cmake with Clang as compiler. Headers, libraries and linker are those of GCC's toolchain.
include("${CMAKE_CURRENT_LIST_DIR}/aarch64.cmake")
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
# Clang 16 to 18 match template template parameters by this older rule.
string(APPEND CMAKE_CXX_FLAGS_INIT " -fno-relaxed-template-template-args -Wno-deprecated-no-relaxed-template-template-args")
