# Reads include/dyadic/backend/list.hpp for CMake.
file(READ "${CMAKE_CURRENT_LIST_DIR}/../include/dyadic/backend/list.hpp" dyadic_backend_lines)
string(REGEX MATCHALL "X\\([a-z0-9_]+, [a-z0-9]+\\)" dyadic_backend_lines "${dyadic_backend_lines}")

# dyadic_backends(result [family]): the names of all backends, or of one family's backends, in the order of the list. The family "" has
# no backends.
function(dyadic_backends result)
  set(names "")
  foreach(line IN LISTS dyadic_backend_lines)
    string(REGEX MATCH "X\\(([a-z0-9_]+), ([a-z0-9]+)\\)" line "${line}")
    if(ARGC EQUAL 1 OR CMAKE_MATCH_2 STREQUAL "${ARGN}")
      list(APPEND names "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

# dyadic_family_of(result backend): the family of the backend; empty for `scalar`.
function(dyadic_family_of result backend)
  set(${result} "" PARENT_SCOPE)
  foreach(line IN LISTS dyadic_backend_lines)
    if(line MATCHES "X\\(${backend}, ([a-z0-9]+)\\)")
      set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()
