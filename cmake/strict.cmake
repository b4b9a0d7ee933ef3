# dyadic_strict: the warnings and sanitizers of tests and benchmarks. Users do not get this target.

option(DYADIC_FETCH "Download Catch2 and Google Benchmark where they are not installed" OFF)
set(DYADIC_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize takes them: address,undefined,float-cast-overflow")

set(DYADIC_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror)

add_library(dyadic_strict INTERFACE)
target_link_libraries(dyadic_strict INTERFACE dyadic::dyadic)
target_compile_options(dyadic_strict INTERFACE ${DYADIC_WARNINGS})
if(DYADIC_SANITIZE)
  target_compile_options(
    dyadic_strict INTERFACE -fsanitize=${DYADIC_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(dyadic_strict INTERFACE -fsanitize=${DYADIC_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # Address checks become calls, which compile faster than inline checks.
    target_compile_options(dyadic_strict INTERFACE "SHELL:--param asan-instrumentation-with-call-threshold=0")
  endif()
endif()
