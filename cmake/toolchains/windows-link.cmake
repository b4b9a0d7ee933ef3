# CMake reads this file after its own rules for Windows. Clang's linker links MinGW's objects in a second, where MinGW's own linker takes a
# minute for each program. The programs are static, because Wine would not find the compiler's DLLs.
set(CMAKE_CXX_LINK_EXECUTABLE
    "clang++-19 --target=x86_64-w64-windows-gnu -fuse-ld=lld -static <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES> -lpthread")
