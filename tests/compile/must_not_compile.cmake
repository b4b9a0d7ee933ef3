# cmake -D SOURCE=file.cpp [-D EXPECT=regex] -P must_not_compile.cmake -- compiler flags...
# The file must not compile with MUST_NOT_COMPILE defined, and the message must match EXPECT, or the file's line "// expect: regex". The
# message has at most 25 lines, or those of a line "// lines: number".

cmake_minimum_required(VERSION 3.22)
include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/arguments_behind.cmake")
arguments_behind(command)
set(most 25)

if(NOT EXPECT)
  file(STRINGS "${SOURCE}" EXPECT REGEX "^// expect: ")
  string(REGEX REPLACE "^// expect: " "" EXPECT "${EXPECT}")
  if(NOT EXPECT)
    message(FATAL_ERROR "${SOURCE} has no line '// expect: regex'")
  endif()
  file(STRINGS "${SOURCE}" lines REGEX "^// lines: [0-9]+$")
  if(lines)
    string(REGEX REPLACE "^// lines: " "" most "${lines}")
  endif()
endif()

execute_process(COMMAND ${command} -DMUST_NOT_COMPILE "${SOURCE}" RESULT_VARIABLE result ERROR_VARIABLE errors)
if(result EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiled")
endif()
if(NOT errors MATCHES "${EXPECT}")
  message(FATAL_ERROR "${SOURCE} failed without a message that matches '${EXPECT}':\n${errors}")
endif()
string(REGEX REPLACE "[^\n]" "" ends "${errors}")
string(LENGTH "${ends}" lines)
if(lines GREATER most)
  message(FATAL_ERROR "${SOURCE} failed with ${lines} lines, more than ${most}:\n${errors}")
endif()
