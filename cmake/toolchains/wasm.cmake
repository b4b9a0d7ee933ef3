# WebAssembly with vectors, by Emscripten. Programs run under Node.js and see this machine's files. The preset uses -O1, because above -O1
# the linker optimizes JavaScript with packages that only the distribution's Node.js finds.
set(CMAKE_SYSTEM_NAME Linux)  # the C and C++ libraries treat it as Linux
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER em++)
set(CMAKE_SIZEOF_VOID_P 4)  # CMake cannot read it from a WebAssembly object
set(CMAKE_AR emar CACHE FILEPATH "")
set(CMAKE_RANLIB emranlib CACHE FILEPATH "")
set(CMAKE_CXX_FLAGS_INIT "-msimd128 -fexceptions")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-fexceptions -sSINGLE_FILE=1 -sNODERAWFS=1 -sEXIT_RUNTIME=1 -sALLOW_MEMORY_GROWTH=1")
find_program(DYADIC_NODE NAMES node nodejs)
set(CMAKE_CROSSCOMPILING_EMULATOR "${DYADIC_NODE};--no-experimental-fetch")
