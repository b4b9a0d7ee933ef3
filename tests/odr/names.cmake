# cmake -D "NAMED=FLAG;..." -P names.cmake -- INCLUDE COMPILER FLAG...
# Each flag enables an instruction set that the compiler then uses on its own. DYADIC_ISA must be a different name for each of them. Only
# config.hpp is read, because a compiler may lack the other machine's headers.

cmake_minimum_required(VERSION 3.22)
include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/arguments_behind.cmake")
arguments_behind(command)
list(POP_FRONT command include)

set(names "")
foreach(flag IN LISTS NAMED)
  separate_arguments(flags UNIX_COMMAND "${flag}")
  execute_process(COMMAND sh -c "printf '#include <dyadic/config.hpp>\nname:DYADIC_ISA\n' | \"$@\"" sh ${command} ${flags} -std=c++17 -I "${include}" -E -P -x c++ -
                  OUTPUT_VARIABLE text ERROR_QUIET)
  if(NOT text MATCHES "name: ?([a-z0-9_]+)")
    message(FATAL_ERROR "${flag}: no name")
  endif()
  if(CMAKE_MATCH_1 IN_LIST names)
    message(FATAL_ERROR "${flag}: ${CMAKE_MATCH_1} is also the name without this flag, or with another flag")
  endif()
  list(APPEND names "${CMAKE_MATCH_1}")
endforeach()
list(JOIN names " " names)
message(STATUS "${names}")
