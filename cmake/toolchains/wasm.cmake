# WebAssembly with vectors, by Emscripten; programs run under Node.js, with the files of this machine. Above -O1 the linker optimizes
# JavaScript by packages that only the Node.js of the distribution finds: the preset stays below.
set(CMAKE_SYSTEM_NAME Linux)  # as C and C++ libraries see it
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER em++)
set(CMAKE_SIZEOF_VOID_P 4)  # CMake finds it in an object of another format only
set(CMAKE_AR emar CACHE FILEPATH "")
set(CMAKE_RANLIB emranlib CACHE FILEPATH "")
set(CMAKE_CXX_FLAGS_INIT "-msimd128 -fexceptions")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-fexceptions -sSINGLE_FILE=1 -sNODERAWFS=1 -sEXIT_RUNTIME=1 -sALLOW_MEMORY_GROWTH=1")
find_program(DYADIC_NODE NAMES node nodejs)
set(CMAKE_CROSSCOMPILING_EMULATOR "${DYADIC_NODE};--no-experimental-fetch")
