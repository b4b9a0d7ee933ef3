# cmake -P names.cmake -- INCLUDE COMPILER FLAG...
# DYADIC_ISA is another name for each instruction set that a compiler uses unasked, once it is switched on.

cmake_minimum_required(VERSION 3.22)
set(command "")
set(seen FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(seen)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(seen TRUE)
  endif()
endforeach()
list(POP_FRONT command include)

set(names "")
foreach(flag -O1 -msse3 -mssse3 -msse4.1 -msse4.2 -mpopcnt -mavx -mfma -mbmi -mbmi2 -mlzcnt -mmovbe -mgfni -mavx2 -mavxvnni
        -mavx512f -mavx512bw -mavx512vbmi -mavx512vnni)
  execute_process(COMMAND sh -c "printf '#include <dyadic/config.hpp>\nname:DYADIC_ISA\n' | \"$@\"" sh ${command} ${flag} -std=c++17 -I "${include}" -E -P -x c++ -
                  OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  if(NOT text MATCHES "name: ?([a-z0-9_]+)")
    message(FATAL_ERROR "${flag}: no name")
  endif()
  if(CMAKE_MATCH_1 IN_LIST names)
    message(FATAL_ERROR "${flag}: ${CMAKE_MATCH_1} is also the name without it, or of other flags")
  endif()
  list(APPEND names "${CMAKE_MATCH_1}")
endforeach()
list(JOIN names " " names)
message(STATUS "${names}")
