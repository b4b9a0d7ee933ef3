# cmake -D READELF=program -P no_data.cmake -- OBJECT...
# Fails if an object file has variables that are initialized at start-up. The compiler must compute all constants.

cmake_minimum_required(VERSION 3.22)
include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/arguments_behind.cmake")
arguments_behind(objects)
foreach(object IN LISTS objects)
  execute_process(COMMAND "${READELF}" -SW "${object}" OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL " \\.(data|tdata|init_array|ctors)[^ ]* +[A-Z_]+ +[0-9a-f]+ +[0-9a-f]+ +[0-9a-f]+ " sections "${text}")
  # allowed: sections that are read-only after relocation, Clang's reference to the C++ runtime, and empty sections
  list(FILTER sections EXCLUDE REGEX " \\.data\\.rel\\.ro| \\.data\\.DW\\.ref\\.| 0+ $")
  if(sections)
    list(JOIN sections "\n " sections)
    message(FATAL_ERROR "${object} has variables that are not constant:\n ${sections}")
  endif()
endforeach()
list(LENGTH objects count)
if(count EQUAL 0)
  message(FATAL_ERROR "no object file")
endif()
message(STATUS "${count} object files")
