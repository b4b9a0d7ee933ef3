# Joins sources into one, so that the compiler reads their headers once. Their includes come first; then each source has its own namespace.
# cmake -D OUTPUT=file.cpp -P together.cmake -- SOURCE...

cmake_minimum_required(VERSION 3.22)

# together(output source...): writes the file. In a source each #include begins a line, and no source adds to other namespaces.
function(together output)
  set(includes "")
  set(bodies "")
  foreach(source IN LISTS ARGN)
    get_filename_component(directory "${source}" DIRECTORY)
    get_filename_component(name "${source}" NAME_WE)
    file(STRINGS "${source}" lines REGEX "^#include ")
    foreach(line IN LISTS lines)
      if(line MATCHES "\"(.*)\"")  # a second MATCHES in this condition would overwrite CMAKE_MATCH_1
        set(path "${directory}/${CMAKE_MATCH_1}")
        if(EXISTS "${path}")
          get_filename_component(path "${path}" ABSOLUTE)
          set(line "#include \"${path}\"")
        endif()
      endif()
      list(APPEND includes "${line}")
    endforeach()
    string(APPEND bodies "namespace of_${name} {\n#include \"${source}\"\n}\n")
  endforeach()
  list(REMOVE_DUPLICATES includes)
  list(JOIN includes "\n" includes)
  file(WRITE "${output}" "${includes}\n${bodies}")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  include("${CMAKE_CURRENT_LIST_DIR}/arguments_behind.cmake")
  arguments_behind(sources)
  together("${OUTPUT}" ${sources})
endif()
