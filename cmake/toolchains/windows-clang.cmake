# windows.cmake with Clang as compiler. Headers and libraries are those of GCC's toolchain.
include("${CMAKE_CURRENT_LIST_DIR}/windows.cmake")
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET x86_64-w64-windows-gnu)
set(CMAKE_CXX_FLAGS_INIT "")
