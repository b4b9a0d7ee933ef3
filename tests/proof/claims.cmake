# cmake [-D PAGE=README.md] -P claims.cmake -- PROGRAM...: prints the names of the claims of each program. If PAGE is given, the page's
# table must have a row for each program: its name and its number of claims.

cmake_minimum_required(VERSION 3.22)
include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/arguments_behind.cmake")
arguments_behind(programs)

foreach(program IN LISTS programs)
  execute_process(COMMAND "${program}" --list OUTPUT_VARIABLE claims COMMAND_ERROR_IS_FATAL ANY)
  message(NOTICE "${claims}")
  string(REGEX REPLACE "[^\n]" "" ends "${claims}")
  string(LENGTH "${ends}" count)
  get_filename_component(name "${program}" NAME)
  string(APPEND rows "| `${name}` | ${count} |\n")
endforeach()

if(PAGE)
  file(READ "${PAGE}" page)
  string(FIND "${page}" "${rows}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${PAGE} must have these rows:\n${rows}")
  endif()
endif()
