# cmake -D SOURCE=file.cpp [-D EXPECT=regex] -P must_not_compile.cmake -- compiler flags...
# The file must compile, must not compile with MUST_NOT_COMPILE defined, and the message must match its line
# "// expect: regex". With EXPECT given, the file must not compile as it stands.

cmake_minimum_required(VERSION 3.22)

set(command "")
set(found FALSE)
foreach(i RANGE ${CMAKE_ARGC})
  if(found AND NOT "${CMAKE_ARGV${i}}" STREQUAL "")
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif("${CMAKE_ARGV${i}}" STREQUAL "--")
    set(found TRUE)
  endif()
endforeach()

if(NOT EXPECT)
  file(STRINGS "${SOURCE}" EXPECT REGEX "^// expect: ")
  string(REGEX REPLACE "^// expect: " "" EXPECT "${EXPECT}")
  if(NOT EXPECT)
    message(FATAL_ERROR "${SOURCE} has no line '// expect: regex'")
  endif()
  execute_process(COMMAND ${command} "${SOURCE}" RESULT_VARIABLE result ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${SOURCE} must compile without MUST_NOT_COMPILE:\n${errors}")
  endif()
endif()

execute_process(COMMAND ${command} -DMUST_NOT_COMPILE "${SOURCE}" RESULT_VARIABLE result ERROR_VARIABLE errors)
if(result EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiled")
endif()
if(NOT errors MATCHES "${EXPECT}")
  message(FATAL_ERROR "${SOURCE} failed without a message that matches '${EXPECT}':\n${errors}")
endif()
