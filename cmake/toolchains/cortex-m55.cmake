# Compiles for a bare Cortex-M55, where std::int32_t is long; nothing is linked.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_CXX_FLAGS_INIT "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard -Wno-psabi")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
